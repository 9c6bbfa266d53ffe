"""Tests Live with a later level: JAX's work for it reaches no listener, no log, no count, no cache and no file."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import pytest
from conftest import Notebook

from jupyter_jaxpr.document.types.live import LiveProgram
from jupyter_jaxpr.live import last_level
from jupyter_jaxpr.live.live_program import Live
from jupyter_jaxpr.live.trace_request import CellToTrace

CELL = "@jax.jit\ndef f(x):\n    return helper(x) * 2\nf(x)\n"
COMPILED = (
    "Live compiled the program to show the HLO. No ledger counts this compile, and JAX does not cache the executable."
)
Trace = Callable[..., LiveProgram]


@pytest.fixture
def trace(notebook: Notebook) -> Trace:
    """Return a function that traces a cell live up to a level."""
    notebook.run("@jax.jit\ndef helper(x):\n    return jnp.sin(x)\nhelper(x);")
    live = Live()

    def trace(last: str, source: str = CELL, **options: Any) -> LiveProgram:
        cell_to_trace = CellToTrace(source, "cell-1", 2, last_level=last, **options)  # type: ignore[arg-type]
        names = notebook.shell.user_ns
        return live.trace(cell_to_trace, names, lambda name: [], seconds=60.0)

    return trace


def levels(answer: LiveProgram) -> list[tuple[str, str, str | None]]:
    assert answer.snapshot is not None, answer
    return [(level.name, level.state, level.reason) for level in answer.snapshot.programs[0].levels]


@pytest.fixture
def heard(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Iterator[Callable[[], list[str]]]:
    """Return a function that lists what JAX's work has caused: events, lines of the log, files of the cache on disk."""
    events: list[str] = []

    def hear(event: str, *numbers: Any, **facts: Any) -> None:
        events.append(event)

    jax.monitoring.register_event_listener(hear)
    jax.monitoring.register_event_duration_secs_listener(hear)
    folder = tmp_path / "cache"
    values = {
        "jax_log_compiles": True,
        "jax_compilation_cache_dir": str(folder),
        "jax_persistent_cache_min_compile_time_secs": 0.0,
    }
    before = {name: getattr(jax.config, name) for name in values}
    for name, value in values.items():
        jax.config.update(name, value)
    with caplog.at_level(logging.DEBUG):
        yield lambda: [
            *events,
            *(record.name for record in caplog.records if record.name.startswith("jax")),
            *(path.name for path in folder.glob("*")),
        ]
    for name, value in before.items():
        jax.config.update(name, value)
    jax.monitoring.unregister_event_listener(hear)
    jax.monitoring.unregister_event_duration_listener(hear)


def test_each_level_is_made_unheard_and_leaves_the_caches(
    trace: Trace, notebook: Notebook, heard: Callable[[], list[str]]
) -> None:
    helper = notebook["helper"]
    entries = helper._cache_size()
    no_hlo = (
        "hlo",
        "absent",
        "The setting “Last level of Live” is StableHLO, so Live does not make the later levels. To see this level, run "
        "the cell, or choose a later level of Live in the View menu.",
    )
    answer = trace("stablehlo")
    assert (answer.text, levels(answer)) == (None, [("stablehlo", "held", None), no_hlo])
    answer = trace("hlo")
    assert (answer.text, levels(answer)) == (COMPILED, [("stablehlo", "held", None), ("hlo", "held", None)])
    assert answer.snapshot is not None
    stablehlo, hlo = answer.snapshot.programs[0].levels
    assert "stablehlo.sine" in (stablehlo.text or "")
    assert "sine" in (hlo.text or "") and any(stack >= 0 for stack in hlo.line_stacks or [])
    assert (heard(), helper._cache_size(), "f" in notebook.shell.user_ns) == ([], entries, False)
    # When the cell runs, JAX compiles the function as usual; nothing that Live made is reused.
    ran = notebook.run(f"%%jaxpr\n{CELL}")
    (function,) = [entry for entry in ran.document["ledger"]["functions"] if entry["name"] == "f"]
    assert (function["run"]["compiles"], len(function["entries"])) == (1, 1)
    assert any("backend_compile" in event for event in heard())


def test_what_a_call_costs(trace: Trace) -> None:
    assert trace("jaxpr").cost == (
        "One call takes 8 operations and 8 transcendental operations and moves 128\N{NO-BREAK SPACE}B."
    )
    unknown = "def f(x):\n    return lax.while_loop(lambda y: y.sum() < 9, lambda y: y + 1, x)\nf(x)\n"
    assert trace("jaxpr", unknown).cost == (
        "One call takes at least 16 operations and moves at least 105\N{NO-BREAK SPACE}B."
    )


def test_a_slow_compile_is_not_repeated_unasked(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(last_level, "SECONDS", 0.0)
    assert trace("hlo").text == COMPILED
    answer = trace("hlo", CELL.replace("* 2", "* 3"))
    (name, state, reason) = levels(answer)[1]
    assert (answer.text, name, state) == (None, "hlo", "absent")
    assert re.fullmatch(
        r"XLA took .* to compile the program, and Live cannot stop a compile\. Live compiles this cell again when you "
        r"choose Trace the Cell Without Running It\.",
        reason or "",
    )
    assert trace("hlo", is_asked_for=True).text == COMPILED


def test_a_slow_compile_that_the_user_interrupts_is_not_repeated_unasked(
    trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_level = vars(last_level)["make"]

    def interrupted(observed: Any, level: Any) -> None:
        make_level(observed, level)
        if level == "hlo":
            raise KeyboardInterrupt

    monkeypatch.setattr(last_level, "SECONDS", 0.0)
    monkeypatch.setattr(last_level, "make", interrupted)
    with pytest.raises(KeyboardInterrupt):
        trace("hlo")
    monkeypatch.setattr(last_level, "make", make_level)
    answer = trace("hlo")
    assert (answer.text, levels(answer)[1][:2]) == (None, ("hlo", "absent"))


@pytest.mark.parametrize("variable", ["XLA_FLAGS", "LIBTPU_INIT_ARGS"])
def test_both_variables_of_flags_may_make_xla_write_files(variable: str) -> None:
    assert last_level._dumping_setting({variable: "--xla_dump_to=/tmp/x"}) == "--xla_dump_to"


@pytest.mark.parametrize("setting", ["jax_dump_ir_to", "--xla_dump_to"])
def test_no_text_is_made_where_jax_would_write_files(
    trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    if setting.startswith("--"):
        monkeypatch.setenv("XLA_FLAGS", f"{setting}={tmp_path}")
    else:
        monkeypatch.setattr(jax.config, setting, str(tmp_path), raising=False)
    reason = f"{setting} is set, so JAX would write files each time that Live compiles. Run the cell to see the text."
    assert levels(trace("hlo")) == [("stablehlo", "absent", reason), ("hlo", "absent", reason)]
    assert list(tmp_path.iterdir()) == []
