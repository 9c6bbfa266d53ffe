"""Tests alarms at random moments of a cell and of the work after it: no alarm is lost, and no hook stays installed."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from places import LOAD, SETUP, Shell, asked

pytestmark = pytest.mark.any_jax

# JAX and Python themselves have code that catches every error, such as `jax._src.util.wraps`, `FlatTree.paths` and
# `_get_layouts_from_executable`. So the handler records where the alarm strikes: only in a call from this package can
# this package lose the error, and not if `FlatTree.paths`, which has a bare `except`, is in between. The handler raises
# errors of any class, even of classes that `except Exception` catches.
ALARM = """
import pathlib, signal, traceback
import jupyter_jaxpr
class Late(Exception):
    pass
OURS = str(pathlib.Path(jupyter_jaxpr.__file__).parent)
places = []
innermost_files = []
def note_place(frame):
    entries = [entry for entry, line in traceback.walk_stack(frame)]
    files = [entry.f_code.co_filename for entry in entries]
    drops = [entry.f_code.co_qualname == "FlatTree.paths" for entry in entries]
    in_cell = any(file.startswith("<ipython-input") for file in files)
    under_ours = any(file.startswith(OURS) for file in files) and not any(drops)
    places.append(("in the cell" if in_cell else "after the cell") + (", under ours" if under_ours else ""))
    innermost_files.append(files[0])
def late(number, frame):
    note_place(frame)
    raise Late("too late")
def interrupt(number, frame):
    note_place(frame)
    raise KeyboardInterrupt
"""
CELL = """
places.clear()
innermost_files.clear()
signal.signal(signal.SIGALRM, HANDLER)
signal.setitimer(signal.ITIMER_REAL, SECONDS)
for n in range(6):
    jax.jit(lambda y, n=n: jnp.sin(y) * n)(x)
    jax.make_jaxpr(lambda y: y - n)(x)
    f(x)
"""
# An alarm in `core.set_current_trace` of JAX, after JAX has set the trace and before its `with` block has begun, leaves
# the trace set for good; without the extension, too. Then every later call of the process is traced.
LEFT_BY_JAX = """
import pathlib
from jax._src import core
not core.trace_state_clean() and [pathlib.Path(file).parent.name for file in innermost_files] == ["_src"]
"""
OFF = "import signal; signal.setitimer(signal.ITIMER_REAL, 0)"


class TraceLeftByJax(Exception):
    """The alarm struck in JAX, and JAX kept its trace: the process cannot be used any longer."""


class Shells:
    """Runs cells in a shell, and replaces the shell if JAX has kept a trace."""

    def __init__(self) -> None:
        self.shell = started()

    def struck(self, handler: str, seconds: float) -> tuple[str, str] | None:
        """Return what became of an alarm, as `struck` does; None if JAX has kept a trace."""
        try:
            return struck(self.shell, handler, seconds)
        except TraceLeftByJax:
            self.shell.stop()
            self.shell = started()
            return None


def started() -> Shell:
    shell = Shell()
    for cell in (SETUP, LOAD, ALARM):
        assert shell.run(cell)["error"] is None
    return shell


@pytest.fixture(scope="module")
def shells() -> Iterator[Shells]:
    kept = Shells()
    yield kept
    kept.shell.stop()


def at_moments(number: int, longest: float) -> list[float]:
    moments = random.Random(1)
    return [round(moments.uniform(0.001, longest), 5) for _ in range(number)]


def struck(shell: Shell, handler: str, seconds: float) -> tuple[str, str]:
    """Return what became of an alarm ("raised", "ignored", "told" or "dropped"), and the text that the cell printed.

    Raises:
        TraceLeftByJax: The alarm struck in JAX, and JAX kept its trace.
    """
    ran = shell.run("%%jaxpr" + CELL.replace("HANDLER", handler).replace("SECONDS", str(seconds)))
    shell.run(OFF)
    state = asked(shell)
    assert state["at_rest"] == []
    # If the alarm strikes while the document is built, the panel has a failure with its message.
    assert [failure for failure in state["failures"] if "Late: too late" not in failure] == []
    is_left = shell.run(LEFT_BY_JAX)["value"]
    if is_left == "True":
        raise TraceLeftByJax
    assert is_left == "False"
    assert shell.run("f(x).tolist()")["value"] == "[0.0, 2.0, 4.0]"
    second_run = shell.run("%%jaxpr\njax.jit(lambda y: y + 1)(x)")
    assert (second_run["error"], asked(shell)["panel"]) == (None, ["<lambda>"])
    printed = "".join((ran["stdout"], ran["stderr"], str(ran["error"] or "")))
    if ran["error"] is not None and ("Late: too late" in ran["error"] or "KeyboardInterrupt" in ran["error"]):
        return "raised", printed
    # Python itself drops an error that is raised in a finaliser; JAX has such functions, too.
    if "Exception ignored in" in printed:
        return "ignored", printed
    if state["failures"] or "jupyter_jaxpr was interrupted" in printed or "Error in callback" in printed:
        return "told", printed
    return "dropped", printed


def meet(shells: Shells, number: int) -> None:
    for seconds in at_moments(number, 0.35):
        became = shells.struck("late", seconds)
        if became is None:
            continue
        outcome, printed = became
        place = shells.shell.run("''.join(places)")["value"]
        if place == "'in the cell, under ours'":
            assert outcome in ("raised", "ignored"), (seconds, printed)
        elif place == "'after the cell, under ours'":
            assert outcome in ("raised", "ignored", "told"), (seconds, printed)


def test_an_alarm_at_random_moments(shells: Shells) -> None:
    meet(shells, 6)


@pytest.mark.slow
def test_an_alarm_at_many_random_moments(shells: Shells) -> None:
    meet(shells, 200)


@pytest.mark.parametrize("number", [6, pytest.param(200, marks=pytest.mark.slow)])
def test_an_interrupt_at_random_moments(shells: Shells, number: int) -> None:
    for seconds in at_moments(number, 0.35):
        shells.struck("interrupt", seconds)
