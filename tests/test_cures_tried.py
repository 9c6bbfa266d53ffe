"""Tests the trials of cures of misses, which the panel requests: no user code runs, and no state changes."""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import linecache
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path

import jax
import pytest
from conftest import Notebook
from jax._src import monitoring as _monitoring  # noqa: TID251  # jax.monitoring cannot take a listener out

from jupyter_jaxpr.explain.trials import trial_time_limit
from jupyter_jaxpr.exports.html_page import page
from jupyter_jaxpr.exports.markdown import markdown
from jupyter_jaxpr.observe.process_observer import observer
from jupyter_jaxpr.wire.answers_to_requests import Answers
from jupyter_jaxpr.wire.kept_runs import Runs
from jupyter_jaxpr.wire.messages import Answered

pytestmark = pytest.mark.any_jax

CELL = """\
%%jaxpr
import jax, jax.numpy as jnp

seen = []

@jax.jit
def inner(x):
    return x + 1

@jax.jit
def f(x, s):
    return inner(x) * s

f(jnp.ones(3), 1.0)
f(jnp.ones(3), jnp.float32(2))
"""


def asked(built, notebook: Notebook):
    runs = Runs()
    runs.keep(built)
    answers = Answers(runs, lambda: notebook.shell.user_ns)
    reply = answers.answer({"type": "cures", "id": 1, "snapshot": built.document.id})
    assert isinstance(reply, Answered)
    return reply.result


def cures_of(document) -> list[tuple[str, str, str | None]]:
    cures = [cure for function in document.ledger.functions for miss in function.misses for cure in miss.cures]
    return [(cure.name, cure.level, cure.code) for cure in cures]


def test_a_request_tries_the_cures_and_keeps_them(make_notebook: Callable[..., Notebook]) -> None:
    notebook = make_notebook()
    built = notebook.builds()
    notebook.run(CELL)
    assert cures_of(built[-1].document) == []
    document = asked(built[-1], notebook)
    expected = [("one type", "applies", "f(jnp.ones(3), jnp.asarray(1.0, dtype=jnp.float32))")]
    assert cures_of(document) == expected
    assert built[-1].sources.document is document
    assert cures_of(asked(built[-1], notebook)) == expected
    words = (
        "One type (applies without changes): With the edit, both calls pass arguments of the same types: JAX uses one "
        "compiled program for both calls."
    )
    assert words in markdown(document).replace("\\", "")
    assert words in page(document).replace("\xa0", " ")


def test_a_trial_is_no_call_of_the_function_and_no_trace_in_the_caches(make_notebook: Callable[..., Notebook]) -> None:
    notebook = make_notebook()
    built = notebook.builds()
    notebook.run(CELL)
    names = set(notebook.shell.user_ns)
    asked(built[-1], notebook)
    assert set(notebook.shell.user_ns) == names
    notebook.run("%%jaxpr\ninner(jnp.ones(3, jnp.bfloat16))")
    (inner,) = [function for function in built[-1].document.ledger.functions if function.name == "inner"]
    assert (inner.run.misses, inner.run.traces, inner.run.compiles) == (1, 1, 1)


def test_a_function_with_an_effect_is_not_traced_again(make_notebook: Callable[..., Notebook]) -> None:
    notebook = make_notebook()
    built = notebook.builds()
    notebook.run(CELL.replace("    return inner(x) * s", "    seen.append(1)\n    return inner(x) * s"))
    assert cures_of(asked(built[-1], notebook)) == []
    assert notebook["seen"] == [1, 1]


LOOP = """\
%%jaxpr
import jax, jax.numpy as jnp

seen = []

@jax.jit
def f(x):
    for i in range(20):
        x = jnp.sin(x) + i
    return x

f(jnp.ones(3))"""
APPLIES = "You can use this code without changes."


def loop_of(document) -> tuple[str, str | None]:
    (note,) = [note for note in document.notes if note.kind == "unrolled_loop"]
    return note.level, note.code


def test_a_rewrite_of_a_loop_is_a_sketch_until_it_is_tried(make_notebook: Callable[..., Notebook]) -> None:
    notebook = make_notebook()
    built = notebook.builds()
    notebook.run(LOOP)
    before = built[-1].document
    code = "x = jax.lax.fori_loop(0, 20, lambda i, x: jnp.sin(x) + i, x)"
    assert loop_of(before) == ("advice", code)
    assert APPLIES not in markdown(before).replace("\\", "") and APPLIES not in page(before)
    after = asked(built[-1], notebook)
    assert loop_of(after) == ("applies", code)
    assert APPLIES in markdown(after).replace("\\", "") and APPLIES in page(after).replace("\xa0", " ")


def test_a_rewrite_that_fails_its_trial_is_taken_back(make_notebook: Callable[..., Notebook]) -> None:
    notebook = make_notebook()
    built = notebook.builds()
    notebook.run(LOOP.replace("    for i", "    y = x\n    x = 0.0\n    for i").replace("sin(x) + i", "sin(x) + y"))
    assert loop_of(built[-1].document)[1] is not None
    after = asked(built[-1], notebook)
    (note,) = [note for note in after.notes if note.kind == "unrolled_loop"]
    assert (note.level, note.code, note.trial) == ("advice", None, None)
    assert note.cure.endswith("the trace raised an error, or the results have other types.")


def test_a_rewrite_of_a_function_that_reads_another_name_now_stays_a_sketch(
    make_notebook: Callable[..., Notebook],
) -> None:
    notebook = make_notebook()
    built = notebook.builds()
    notebook.run(LOOP.replace("+ i", "+ w").replace("seen = []", "w = jnp.ones(3)"))
    notebook.run("w = None")
    level, code = loop_of(asked(built[-1], notebook))
    assert (level, code is not None) == ("advice", True)


def test_a_rewrite_of_a_file_that_was_changed_since_its_import_stays_a_sketch(
    make_notebook: Callable[..., Notebook], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "import jax, jax.numpy as jnp\n\n@jax.jit\ndef f(x):\n    for i in range(20):\n"
    file = tmp_path / "model_of_the_loop.py"
    monkeypatch.syspath_prepend(tmp_path)
    for changed, level in (("", "applies"), ("# a line more", "advice")):
        file.write_text(f"{text}        x = jnp.sin(x) + i\n    return x\n")
        monkeypatch.delitem(sys.modules, "model_of_the_loop", raising=False)
        importlib.invalidate_caches()
        notebook = make_notebook()
        built = notebook.builds()
        notebook.run("import jax.numpy as jnp\nimport model_of_the_loop")
        if changed:
            file.write_text(f"{text}        x = jnp.sin(x) * i\n    return x\n")
            linecache.checkcache(str(file))
        notebook.run("%%jaxpr\nmodel_of_the_loop.f(jnp.ones(3))")
        assert loop_of(asked(built[-1], notebook))[0] == level


@pytest.mark.parametrize(
    "body",
    [
        "    seen.append(1)\n",
        "    def g(i):\n        if isinstance(i, jax.core.Tracer): raise SystemExit('stop')\n        return x\n",
        "    def g(i):\n        while isinstance(i, jax.core.Tracer): pass\n        return x\n",
        "    try: y = jnp.cos(x)\n    except: pass\n",
    ],
)
def test_a_trial_of_a_loop_neither_changes_nor_ends_anything(
    make_notebook: Callable[..., Notebook], monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    notebook = make_notebook()
    built = notebook.builds()
    if "while" in body:  # for an endless loop, so that the trial soon reaches its time limit
        monkeypatch.setattr(trial_time_limit, "SECONDS", 0.05)
    text = LOOP.replace("    for i", f"{body}    for i")
    notebook.run(text.replace("sin(x) + i", "sin(x) + g(i)") if "g(i)" in body else text)
    events_before = list(notebook["seen"])
    assert loop_of(asked(built[-1], notebook))[0] == "advice"
    assert notebook["seen"] == events_before


def test_a_trial_prints_nothing_and_lets_another_thread_print(make_notebook: Callable[..., Notebook]) -> None:
    notebook = make_notebook()
    built = notebook.builds()
    notebook.run(LOOP.replace("    for i", "    print('Python runs')\n    for i"))
    written = sys.stdout.write
    heard: list[str] = []
    with contextlib.redirect_stdout(io.StringIO()) as out:
        thread = threading.Thread(target=lambda: heard.append(loop_of(asked(built[-1], notebook))[0]))
        thread.start()
        thread.join()
    assert (heard, out.getvalue()) == (["applies"], "")
    assert sys.stdout.write == written


MADE = """\
%%jaxpr
import jax, jax.numpy as jnp

total = 0
for i in range(3):
    total = total + jax.jit(lambda x: x * i)(jnp.ones(3))
"""


@pytest.mark.parametrize("cell", [CELL, LOOP, MADE])
def test_a_trial_compiles_nothing(make_notebook: Callable[..., Notebook], cell: str) -> None:
    notebook = make_notebook()
    built = notebook.builds()
    notebook.run(cell)
    compiled: list[str] = []

    def listen(event: str, duration: float, **facts: object) -> None:
        if event.endswith("backend_compile_duration"):
            compiled.append(str(facts.get("fun_name")))

    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        document = asked(built[-1], notebook)
    finally:
        _monitoring.unregister_event_duration_listener(listen)
    levels = [level for _, level, _ in cures_of(document)]
    levels += [note.level for note in document.notes if note.kind == "unrolled_loop"]
    assert (set(levels), compiled) == ({"applies"}, [])


def test_a_trial_keeps_nothing_alive(make_notebook: Callable[..., Notebook]) -> None:
    notebook = make_notebook()
    built = notebook.builds()
    notebook.run(LOOP)
    asked(built[-1], notebook)
    fun = weakref.ref(notebook["f"].__wrapped__)
    built.clear()
    notebook.run("del f\nimport jax, gc\njax.clear_caches()")
    observer().let_go()
    gc.collect()
    assert fun() is None


def test_a_rewrite_that_could_not_be_tried_is_tried_at_the_next_request(make_notebook: Callable[..., Notebook]) -> None:
    notebook = make_notebook()
    built = notebook.builds()
    notebook.run(LOOP.replace("+ i", "+ w").replace("seen = []", "w = jnp.ones(3)"))
    notebook.run("kept, w = w, None")
    assert loop_of(asked(built[-1], notebook))[0] == "advice"
    notebook.run("w = kept")
    assert loop_of(asked(built[-1], notebook))[0] == "applies"


@pytest.mark.parametrize("cell", [CELL, LOOP])
def test_what_a_request_had_no_time_for_is_tried_at_the_next_one(
    make_notebook: Callable[..., Notebook], monkeypatch: pytest.MonkeyPatch, cell: str
) -> None:
    notebook = make_notebook()
    built = notebook.builds()
    notebook.run(cell)
    with monkeypatch.context() as no_time:
        no_time.setattr(trial_time_limit, "SECONDS", 0.0)
        before = asked(built[-1], notebook)
    assert "applies" not in {level for _, level, _ in cures_of(before)} | {note.level for note in before.notes}
    after = asked(built[-1], notebook)
    assert "applies" in {level for _, level, _ in cures_of(after)} | {note.level for note in after.notes}
