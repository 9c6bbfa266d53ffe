"""Tests types of names in long functions, for which Python reports lines slowly; there, instructions are reported."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jupyter_jaxpr.jax.types_of_traced_containers import type_text
from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING, monitoring
from jupyter_jaxpr.observe.types_beside_code import values_of_names
from jupyter_jaxpr.observe.types_beside_code.long_code_objects import line_begins
from jupyter_jaxpr.observe.types_beside_code.values_of_names import NameRecorder

pytestmark = pytest.mark.skipif(not HAS_MONITORING, reason="Python 3.11 does not show the lines that run")

#: Many comments between the lines: for lines that are far apart, Python reports lines slowly, as in a long function.
FAR = "    # far\n" * 200
STRAIGHT = (
    "    y = x * 2\n    a, b = x, x[0]\n    x = jnp.stack(\n        [a, a],\n    )[0]\n    s = x.sum(); s = x\n" * 40
)
JUMPS = """\
    for i in range(3):
        x = jnp.concatenate([x, x]) if i else x
    while x.shape[0] > 4:
        x = x[::2]
    try:
        z = x.sum()
        raise ValueError(z)
    except ValueError as error: w = error.args[0]
    finally:
        v = [x + k for k in range(2)]
    with jax.named_scope("inner") as scope:
        u = x if x.ndim else None
    if x.shape: t = (x, {"a": w})
    else: t = None
"""


def function(body: str) -> FunctionType:
    space: dict[str, Any] = {"jax": jax, "jnp": jnp}
    text = f"def f(x):\n{FAR}{body}{STRAIGHT}    return x\n"
    exec(compile(text, "<a long cell>", "exec"), space)
    made = space["f"]
    assert isinstance(made, FunctionType)
    return made


def fail(error: BaseException) -> None:
    raise error


def names_of(made: FunctionType) -> list[str]:
    recorder = NameRecorder(fail)
    recorder.start(made)
    jax.make_jaxpr(made)(jnp.ones(8))
    values = recorder.stop()
    recorder.close()
    return [f"{at.kind} {at.place.line} {at.name}: {list(map(type_text, values[at]))}" for at in values]


@pytest.mark.parametrize("body", ["", JUMPS], ids=["straight", "with jumps"])
def test_the_names_are_those_of_the_lines(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert line_begins(function(body).__code__, has_jumps=bool(body)) is not None
    by_instructions = names_of(function(body))
    monkeypatch.setattr(values_of_names, "line_begins", lambda code, has_jumps: None)
    assert by_instructions == names_of(function(body))
    assert len(by_instructions) > 150


def test_a_tool_that_hears_instructions_hears_them_all_the_same() -> None:
    def heard(reads_names: bool) -> int:
        offsets: list[int] = []
        watched = function("")
        monitor.use_tool_id(0, "of the user")
        monitor.register_callback(0, monitor.events.INSTRUCTION, lambda code, offset: offsets.append(offset))
        monitor.set_local_events(0, watched.__code__, monitor.events.INSTRUCTION)
        try:
            names_of(watched) if reads_names else jax.make_jaxpr(watched)(jnp.ones(8))
        finally:
            monitor.set_local_events(0, watched.__code__, 0)
            monitor.free_tool_id(0)
        return len(offsets)

    monitor = monitoring()
    assert heard(True) == heard(False) > 500


def test_python_reports_the_lines_of_other_codes() -> None:
    assert line_begins(names_of.__code__, has_jumps=True) is None
