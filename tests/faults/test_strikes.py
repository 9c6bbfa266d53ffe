"""Tests an alarm at each statement of this package that runs for a cell: the cell raises or names the alarm's error."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from places import LOAD, SETUP, Shell, asked
from stable_sample import order

import jupyter_jaxpr

PACKAGE = Path(jupyter_jaxpr.__file__).parent

# The handler raises a TimeoutError, which an `except Exception` or an `except OSError` of this package would catch.
ALARM = """
import signal
class Late(TimeoutError):
    pass
phases, fired = ["before"], []
def late(number, frame):
    fired.append(phases[-1])
    raise Late("too late")
before = signal.signal(signal.SIGALRM, late)
"""
CELL = """%%jaxpr
phases.append("within")
y = x + 1
jax.jit(lambda y: jnp.sin(y) * 2)(x)
jax.make_jaxpr(lambda y: y - 1)(x)
jax.jit(lambda y: jax.lax.scan(lambda c, e: (c + e, c * y), 0.0, y))(x)
f(y)
phases.append("after")
"""
# A part of the statements takes some minutes, and parts can run at the same time.
PARTS = 16
STOP = "repr((strikes.stop(), fired))"
STRIKE = 'phases[:] = ["before"]; fired.clear(); strikes.strike({!r}, {})'


@pytest.fixture(scope="module")
def shell() -> Iterator[Shell]:
    started = Shell()
    for cell in (SETUP, "import strikes\nstrikes.install()", LOAD, ALARM, CELL):
        assert started.run(cell)["error"] is None
    yield started
    started.stop()


def statements(shell: Shell) -> list[tuple[str, int]]:
    shell.run("strikes.count()")
    assert shell.run(CELL)["error"] is None
    asked(shell)
    places = ast.literal_eval(ast.literal_eval(shell.run("repr(strikes.counted())")["value"]))
    lines = {file: (PACKAGE / file).read_text().splitlines() for file, _ in places}
    # Python runs a signal handler only after a call, at a loop's jump and at a function's start: never at a `try:`.
    return [(file, line) for file, line in places if lines[file][line - 1].strip() != "try:"]


def lost(shell: Shell, file: str, line: int) -> str | None:
    """Return words on what is wrong after an alarm at a statement; None where nothing is wrong."""
    armed = shell.run(STRIKE.format(file, line))
    ran = shell.run(CELL)
    reply = shell.run(STOP)
    # A statement that runs around every cell may raise the alarm in the cell that stops the strikes.
    reached_last_cell = "Late: too late" in (reply["error"] or "")
    if reached_last_cell:
        reply = shell.run(STOP)
    struck, fired = ast.literal_eval(ast.literal_eval(reply["value"]))
    state = asked(shell)
    # The cell that arms the alarm and the cell after it run statements of this package, too, so their texts also count.
    printed = "".join(reply_of_shell["stdout"] + reply_of_shell["stderr"] for reply_of_shell in (armed, ran, reply))
    named = [
        reached_last_cell,
        ran["error"] == "Late: too late" or "Late: too late" in (ran["error"] or ""),
        "Exception ignored" in printed,  # Python itself drops an error that is raised in a finaliser
        fired != ["within"] and ("too late" in printed or "jupyter_jaxpr was interrupted" in printed),
    ]
    if struck and not any(named):
        return f"{fired} lost: {ran} {state['panel']} {state['failures']}"
    if not struck and ran["error"] is not None:
        return f"not struck: {ran}"
    if state["at_rest"]:
        return f"{fired} left on: {state['at_rest']}"
    if unnamed := [failure for failure in state["failures"] if "Late: too late" not in failure]:
        return f"{fired} taken for a failure: {unnamed}"
    if (plain := shell.run("f(x).tolist()"))["value"] != "[0.0, 2.0, 4.0]":
        return f"{fired} a plain cell: {plain}"
    next_run, panel = shell.run("%%jaxpr\njax.jit(lambda y: y + 1)(x)"), asked(shell)["panel"]
    if (next_run["error"], panel) != (None, ["<lambda>"]):
        return f"{fired} the next cell: {next_run} {panel}"
    return None


def meet(shell: Shell, places: list[tuple[str, int]]) -> None:
    wrong = {f"{file}:{line}": loss for file, line in places if (loss := lost(shell, file, line)) is not None}
    assert wrong == {}


@pytest.mark.any_jax
def test_an_alarm_at_some_statements(shell: Shell) -> None:
    places = statements(shell)
    assert len(places) > 3_000
    meet(shell, sorted(places, key=order)[:8])


@pytest.mark.any_jax
def test_an_alarm_while_ipython_compiles_the_cell(shell: Shell) -> None:
    places = [place for place in statements(shell) if place[0] == "typed/observed_cell.py"]
    # IPython prints the error of a transformer of syntax trees as a warning, and Python prints each warning once.
    meet(shell, sorted(places, key=order)[:2] * 2)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_an_alarm_at_each_statement(shell: Shell, part: int) -> None:
    meet(shell, [place for place in statements(shell) if order(place) % PARTS == part])
