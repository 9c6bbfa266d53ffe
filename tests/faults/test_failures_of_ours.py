"""Tests errors in this package's own code, such as a MemoryError: the panel names the failure, and the cell runs."""

from __future__ import annotations

import importlib
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import Notebook

from jupyter_jaxpr.observe.observer import Observer

sys.path.insert(0, str(Path(__file__).parent))
import state_of_ours

CELL = """%%jaxpr
g = jax.jit(lambda y: jnp.sin(y) + 1)
g(x)
g(x)[0].item()
"""

OURS = (
    "observe.observer.Observer.begin",
    "observe.observer.Observer.missed",
    "observe.observer.Observer.traced",
    "observe.observer.Observer.executed",
    "observe.observer.Observer.stage_ended",
    "observe.observer.Observer.end",
    "observe.cell_run.Run.observation",
    "jax.missed_calls.JitCall.take_trace",
    "jax.hooks.Hooks.ensure",
    "observe.outside_jit.recorded_calls.RecordedCalls.stop",
    "magic.work_after_the_cell.complete",
    "magic.progress_of_long_cells.Heartbeat.start",
    "build.document_of_run.build",
    "program.jaxpr.walk.Walk.__init__",
    "typed.observed_cell.rewrite",
    "wire.connection_to_panel.Publisher.publish",
    "scripts.display.show",
)


def replaced(name: str, replacement: Any, patch: pytest.MonkeyPatch) -> None:
    """Replace a function of this package, given by its dotted name."""
    path, _, attribute = name.rpartition(".")
    try:
        owner: Any = importlib.import_module(f"jupyter_jaxpr.{path}")
    except ModuleNotFoundError:
        module, _, kind = path.rpartition(".")
        owner = getattr(importlib.import_module(f"jupyter_jaxpr.{module}"), kind)
    patch.setattr(owner, attribute, replacement)


OTHERS = [pytest.param(kind, marks=pytest.mark.slow) for kind in (RecursionError, OSError, KeyError)]


@pytest.mark.parametrize("kind", [MemoryError, *OTHERS])
@pytest.mark.parametrize("name", OURS)
def test_a_failure_of_ours(notebook: Notebook, name: str, kind: type[Exception], monkeypatch: Any) -> None:
    end, failed = Observer.end, []

    def fails(*args: Any, **__: Any) -> Any:
        if failed and name.endswith("Observer.end"):  # `Observer.end` removes the hooks, so only its first call fails
            return end(*args)
        failed.append(True)
        raise kind("no room")

    with monkeypatch.context() as patch:
        replaced(name, fails, patch)
        ran = notebook.run(CELL)
    assert (ran.result.error_in_exec, ran.result.result) == (None, 1.0)
    assert "Error in callback" not in ran.stdout + ran.stderr
    assert state_of_ours.at_rest(notebook.shell) == []
    plain = notebook.run("g(x)[1].item()")
    assert (plain.result.error_in_exec, round(plain.result.result, 3)) == (None, 1.841)
    assert state_of_ours.at_rest(notebook.shell) == []
    second_run = notebook.run("%%jaxpr\njax.jit(lambda y: y * 3)(x)")
    assert second_run.programs == ["ran <lambda>(y: f32[8]) -> f32[8]: mul"]
    assert state_of_ours.frames_in(lambda: notebook["g"](notebook["x"])) == 0


@pytest.mark.parametrize(
    "name", [name for name in OURS if ".Observer." in name and not name.endswith(("begin", "end"))]
)
def test_an_alarm_that_strikes_in_our_code_reaches_the_cell(notebook: Notebook, name: str, monkeypatch: Any) -> None:
    """The error that the user's signal handler raises is no failure of this package, whatever its class."""
    before = signal.getsignal(signal.SIGALRM)
    notebook.run(
        "import signal\ndef late(number, frame):\n    raise TimeoutError('too late')\n"
        "signal.signal(signal.SIGALRM, late);"
    )

    def strikes(*_: Any, **__: Any) -> Any:
        signal.raise_signal(signal.SIGALRM)

    try:
        with monkeypatch.context() as patch:
            replaced(name, strikes, patch)
            ran = notebook.run(CELL)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert repr(ran.result.error_in_exec) == "TimeoutError('too late')"
    assert state_of_ours.at_rest(notebook.shell) == []
    assert notebook.run("%%jaxpr\njax.jit(lambda y: y * 3)(x)").programs == ["ran <lambda>(y: f32[8]) -> f32[8]: mul"]
