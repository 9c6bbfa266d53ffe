"""Tests alarms at random moments of a cell and of our work after it: none is lost, none leaves a hook on."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from places import LOAD, SETUP, Shell, asked

# The handler of an alarm may raise an error of any class, even of a class that our `except Exception` would catch.
ALARM = """
import signal
class Late(Exception):
    pass
fired, left = [], []
def late(number, frame):
    fired.append(bool(left))
    raise Late("too late")
"""
CELL = """
left.clear(), fired.clear()
signal.signal(signal.SIGALRM, HANDLER)
signal.setitimer(signal.ITIMER_REAL, SECONDS)
for n in range(6):
    jax.jit(lambda y, n=n: jnp.sin(y) * n)(x)
    jax.make_jaxpr(lambda y: y - n)(x)
    f(x)
left.append(True)
"""
OFF = "import signal; signal.setitimer(signal.ITIMER_REAL, 0)"


@pytest.fixture(scope="module")
def shell() -> Iterator[Shell]:
    started = Shell()
    for cell in (SETUP, LOAD, ALARM):
        assert started.run(cell)["error"] is None
    yield started
    started.stop()


def at_moments(number: int, longest: float) -> list[float]:
    moments = random.Random(1)
    return [round(moments.uniform(0.001, longest), 5) for _ in range(number)]


def struck(shell: Shell, handler: str, seconds: float) -> str:
    """Return where an alarm struck a cell: `within` its code, `after` it, or `never`."""
    ran = shell.run("%%jaxpr" + CELL.replace("HANDLER", handler).replace("SECONDS", str(seconds)))
    shell.run(OFF)
    state = asked(shell)
    assert state["at_rest"] == []
    # The panel names an alarm that struck while the document was built.
    assert [failure for failure in state["failures"] if "Late: too late" not in failure] == []
    assert shell.run("f(x).tolist()")["value"] == "[0.0, 2.0, 4.0]"
    second_run = shell.run("%%jaxpr\njax.jit(lambda y: y + 1)(x)")
    assert (second_run["error"], asked(shell)["panel"]) == (None, ["<lambda>"])
    printed = ran["stdout"] + ran["stderr"]
    if ran["error"] is not None:
        return str(ran["error"]).rstrip(": ")
    # Python drops an error in a callback for the end of an object; JAX has such callbacks, too.
    if "Exception ignored in" in printed:
        return "ignored"
    return "after" if "jupyter_jaxpr was interrupted" in printed else "never"


def meet(shell: Shell, number: int) -> None:
    for seconds in at_moments(number, 0.35):
        outcome = struck(shell, "late", seconds)
        fired = shell.run("fired")["value"]
        # `True` means that the code of the cell had run. An alarm within the cell is an error of the cell.
        assert (outcome, fired) in [
            ("Late: too late", "[False]"),
            ("ignored", "[False]"),
            ("never", "[]"),
            ("after", "[True]"),
            ("ignored", "[True]"),
            ("never", "[True]"),  # the panel or IPython showed a message
            ("in IPython: Late: too late", "[True]"),
            ("in IPython: Late: too late", "[False]"),
        ], seconds


def test_an_alarm_at_random_moments(shell: Shell) -> None:
    meet(shell, 6)


@pytest.mark.slow
def test_an_alarm_at_many_random_moments(shell: Shell) -> None:
    meet(shell, 200)


@pytest.mark.parametrize("number", [6, pytest.param(200, marks=pytest.mark.slow)])
def test_an_interrupt_at_random_moments(shell: Shell, number: int) -> None:
    for seconds in at_moments(number, 0.35):
        outcome = struck(shell, "signal.default_int_handler", seconds)
        if "KeyboardInterrupt" in outcome:
            continue  # also as an error of JAX's, where the alarm interrupted a callback of XLA's
        assert outcome in ("ignored", "after", "never"), seconds
