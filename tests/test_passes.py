"""Tests XLA's passes: the compile writes to its own folder and leaves nothing behind."""

from __future__ import annotations

import os
import queue
import stat
import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from observed import in_cell

from jupyter_jaxpr.build.texts.questions_before_compiling import passes_question
from jupyter_jaxpr.measure.compiled_again import compile_for_pass_list
from jupyter_jaxpr.measure.compiled_again.compile_for_pass_list import NoPasses, dump_passes
from jupyter_jaxpr.observe.observation import ObservedProgram, StageTimes
from jupyter_jaxpr.program.texts import pass_dumps as passes_module
from jupyter_jaxpr.program.texts.pass_dumps import Passes, read_passes
from jupyter_jaxpr.wire.answers_to_requests import Answers
from jupyter_jaxpr.wire.kept_runs import Runs
from jupyter_jaxpr.wire.messages import Working


def f(x):
    return lax.fori_loop(0, 10, lambda i, c: jnp.sin(c) * 2 + 0 * c, x)


@pytest.fixture(scope="module")
def dumped() -> Passes:
    return dump_passes(jax.jit(f).lower(jnp.ones((8, 8))))


def test_the_passes_that_changed_something_are_listed_in_their_order(dumped):
    names = [compiler_pass.name for compiler_pass in dumped.passes]
    assert "fusion" in names
    assert names.index("while-loop-trip-count-annotator") < names.index("fusion")
    assert all(compiler_pass.pipeline for compiler_pass in dumped.passes)
    assert all(compiler_pass.added or compiler_pass.removed for compiler_pass in dumped.passes)
    # The text after a pass equals the text before the next pass.
    assert all(a.after == b.before for a, b in zip(dumped.passes, dumped.passes[1:], strict=False))
    assert dumped.left_out == 0


def test_a_pass_has_a_diff_of_what_it_changed(dumped):
    number = next(i for i, compiler_pass in enumerate(dumped.passes) if compiler_pass.name == "fusion")
    lines = dumped.diff(number)
    assert lines[0].startswith("@@ ")
    assert any(line.startswith("+") and " fusion(" in line for line in lines)
    assert any(line.startswith("-") and " sine(" in line for line in lines)
    assert not any("metadata=" in line for line in lines)
    changed = [line for line in lines if line[0] in "+-"]
    assert len(changed) >= dumped.passes[number].added + dumped.passes[number].removed


def module(*lines: str) -> list[str]:
    return ["HloModule m", "%f (a: f32[]) -> f32[] {", *lines, "}"]


def test_a_diff_names_each_changed_computation_and_leaves_the_others_out():
    passes = Passes()
    passes.add("", "", module("  %a = f32[] parameter(0)", "  ROOT %s = f32[] sine(%a)"))
    passes.add("same", "p", module("  %a = f32[] parameter(0)", "  ROOT %s = f32[] sine(%a)"))
    passes.add("algsimp", "p", module("  %a = f32[] parameter(0)", "  ROOT %c = f32[] cosine(%a)"))
    (only,) = passes.passes
    assert (only.name, only.before, only.after, only.added, only.removed) == ("algsimp", 2, 2, 1, 1)
    assert passes.diff(0) == [
        "@@ %f @@",
        " %f (a: f32[]) -> f32[] {",
        "   %a = f32[] parameter(0)",
        "-  ROOT %s = f32[] sine(%a)",
        "+  ROOT %c = f32[] cosine(%a)",
        " }",
    ]


def test_what_is_the_same_but_for_its_places_is_no_change(tmp_path):
    text = (
        'HloModule m\n\nFileNames\n1 "m.py"\n\n\nENTRY %m (a: f32[]) -> f32[] {{\n'
        '  ROOT %s = f32[] sine(%a), metadata={{op_name="{}" stack_frame_id=1}}\n}}\n'
    )
    (tmp_path / "module_0001.jit_f.before_optimizations.txt").write_text(text.format("jit(f)/a}"))
    (tmp_path / "module_0001.jit_f.0000.one.after_pipeline-start.before_dce.txt").write_text(text.format("b"))
    (tmp_path / "module_0001.jit_f.0001.one.after_dce.before_pipeline-end.txt").write_text(
        text.format("b").replace("sine", "cosine")
    )
    (tmp_path / "module_0001.jit_f.cpu_after_optimizations-memory-usage-report.txt").write_text("no module")
    (tmp_path / "module_0000.other.before_optimizations.txt").write_text("HloModule other")
    dumped_passes = read_passes(tmp_path)
    assert [(compiler_pass.name, compiler_pass.pipeline) for compiler_pass in dumped_passes.passes] == [("dce", "one")]
    assert dumped_passes.diff(0) == [
        "@@ %m @@",
        " ENTRY %m (a: f32[]) -> f32[] {",
        "-  ROOT %s = f32[] sine(%a)",
        "+  ROOT %s = f32[] cosine(%a)",
        " }",
    ]


def test_too_many_bytes_are_left_out_and_counted(tmp_path, monkeypatch):
    for number in range(4):
        path = tmp_path / f"module_0001.jit_f.000{number}.one.after_p{number}.before_x.txt"
        path.write_text(f"HloModule m{number}\n")
    monkeypatch.setattr(passes_module, "BYTES_AT_MOST", 26)
    dumped_passes = read_passes(tmp_path)
    assert ([compiler_pass.name for compiler_pass in dumped_passes.passes], dumped_passes.left_out) == (["p1"], 2)


def test_the_folder_is_private_and_removed(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folders = []
    read = compile_for_pass_list.read_passes

    def look(folder: Path) -> Passes:
        folders.append((stat.S_IMODE(folder.stat().st_mode), len(os.listdir(folder)) > 10))
        return read(folder)

    monkeypatch.setattr(compile_for_pass_list, "read_passes", look)
    dump_passes(jax.jit(f).lower(jnp.ones(3)))
    assert folders == [(0o700, True)]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt()])
def test_the_folder_is_removed_when_something_goes_wrong(monkeypatch, tmp_path, error):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def fail(folder: Path) -> Passes:
        raise error

    monkeypatch.setattr(compile_for_pass_list, "read_passes", fail)
    with pytest.raises(type(error)):
        dump_passes(jax.jit(f).lower(jnp.ones(3)))
    assert list(tmp_path.iterdir()) == []


def test_an_error_of_xla_is_a_sentence():
    class Refused:
        def compile(self, compiler_options):
            raise RuntimeError("INVALID_ARGUMENT: No such compile option: 'xla_dump_to'.\nmore")

    with pytest.raises(NoPasses) as raised:
        dump_passes(Refused())
    assert str(raised.value) == (
        "XLA did not write its passes (RuntimeError: INVALID_ARGUMENT: No such compile option: 'xla_dump_to'). "
        "The other levels are not affected."
    )


def test_the_cache_on_disk_is_neither_read_nor_written(monkeypatch, tmp_path):
    """The compile ignores an entry of the cache, because an executable from the cache was not made by passes."""
    from jax.experimental.compilation_cache import compilation_cache

    before = {name: getattr(jax.config, name) for name in CACHE}
    compilation_cache.reset_cache()
    try:
        for name, value in zip(CACHE, (str(tmp_path), 0.0, -1), strict=True):
            jax.config.update(name, value)
        lowered = jax.jit(lambda x: jnp.cos(x) * 3).lower(jnp.ones(5))
        lowered.compile()
        files_before = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
        assert any("cache" in name for name in files_before)
        assert dump_passes(lowered).passes
        lowered_again = jax.jit(lambda x: jnp.cos(x) * 4).lower(jnp.ones(5))
        assert dump_passes(lowered_again).passes
        assert {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == files_before
        lowered_again.compile()
        assert len(list(tmp_path.iterdir())) > len(files_before)  # afterwards, compiles use the cache again
    finally:
        for name, value in before.items():
            jax.config.update(name, value)
        compilation_cache.reset_cache()


CACHE = (
    "jax_compilation_cache_dir",
    "jax_persistent_cache_min_compile_time_secs",
    "jax_persistent_cache_min_entry_size_bytes",
)


# --- requests from the panel -------------------------------------------------------------------------------

CELL = """\
@jax.jit
def f(x):
    return lax.fori_loop(0, 10, lambda i, c: jnp.sin(c) * 2, x)
"""


@pytest.fixture(scope="module")
def answers():
    built_run, _ = in_cell(CELL, "f(jnp.ones((8, 8)))")
    runs = Runs()
    runs.keep(built_run)
    answers_of_runs = Answers(runs)
    return lambda **request: answers_of_runs.answer(
        {"id": 1, "snapshot": built_run.document.id, "program": 0, **request}
    )


def test_the_panel_is_asked_first_and_told_the_price(answers):
    reply = answers(type="passes", confirmed=False)
    assert reply.question == (
        "XLA compiles f0 once more and writes its passes into a temporary folder, which is removed afterwards. "
        "The duration is unknown. Stop has no effect while XLA compiles. Compile f0 again?"
    )
    assert answers(type="pass_diff", index=0, first_line=0, line_count=9).reason == (
        "The kernel does not hold the diff of this pass. Ask for the passes again."
    )


@pytest.mark.parametrize(
    ("stages", "price"),
    [
        (StageTimes(compile=0.241), "The first compile took 241\u00a0ms."),
        (
            StageTimes(compile=0.0068, from_disk=True),
            "Reading the executable from the persistent cache took 6.8\u00a0ms; compiling takes longer.",
        ),
    ],
)
def test_the_price_is_that_of_the_first_time(stages, price):
    question = passes_question(ObservedProgram("ran", None, stages=stages), "rnn")
    assert question == (
        "XLA compiles rnn once more and writes its passes into a temporary folder, which is removed afterwards. "
        f"{price} Stop has no effect while XLA compiles. Compile rnn again?"
    )


def test_the_panel_gets_the_list_and_pages_of_a_diff(answers):
    passes = answers(type="passes", confirmed=True).result
    assert passes.left_out == 0
    number = next(i for i, compiler_pass in enumerate(passes.passes) if compiler_pass.name == "fusion")
    full_diff = answers(type="pass_diff", index=number, first_line=0, line_count=5000).result
    assert full_diff.lines == full_diff.text.count("\n") + 1
    page = answers(type="pass_diff", index=number, first_line=2, line_count=3).result
    assert page.text.split("\n") == full_diff.text.split("\n")[2:5]
    assert answers(type="pass_diff", index=len(passes.passes), first_line=0, line_count=1).reason


def test_nothing_of_it_is_counted(notebook):
    """The compile for the passes counts neither in the ledger nor in the jit cache."""
    built = notebook.builds()
    notebook.run("@jax.jit\ndef passed(x):\n    return jnp.sin(x) * 2\nf = passed")
    notebook.run("%%jaxpr\nf(x)")
    size = notebook.run("f._cache_size()").result.result
    runs = Runs()
    runs.keep(built[-1])
    request = {"type": "passes", "id": 1, "snapshot": built[-1].document.id, "program": 0, "confirmed": True}
    replies = queue.Queue()
    assert Answers(runs).answer(request, send=replies.put) is None  # returns None, because a worker will answer later
    while isinstance(reply := replies.get(timeout=60), Working):
        assert reply.text == "compiling the program again"
    assert reply.result.passes
    assert runs.latest()[0].passes == [reply.result]  # the passes are in the document, for a page that is loaded later
    assert notebook.run("f._cache_size()").result.result == size
    second_run = notebook.run("%%jaxpr\nf(x)")
    (function,) = [function for function in second_run.document["ledger"]["functions"] if function["name"] == "passed"]
    assert (function["run"]["compiles"], function["kernel"]["compiles"]) == (0, 1)
    assert (function["run"]["lowerings"], function["kernel"]["lowerings"]) == (0, 1)
