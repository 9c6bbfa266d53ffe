"""Tests each row of the table of faults in a shell and in a kernel: the cell runs as without the extension."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import plain
from fault import Fault
from places import FULL_SPEED, PLACES, Pair, asked
from table import FAULTS


@pytest.fixture(scope="module")
def pairs() -> Iterator[dict[str, Pair]]:
    pairs_by_fault: dict[str, Pair] = {}
    yield pairs_by_fault
    for pair in pairs_by_fault.values():
        pair.stop()


def tidy(text: str | None) -> str:
    """Return a text without the parts that differ between processes, or between cells with and without a magic."""
    text = plain(text or "")
    text = re.sub(r"/tmp/\S+|ForkProcess-\d+|Task-\d+|\.py:\d+", "…", text)
    return "\n".join(line for line in text.splitlines() if "skipping hidden" not in line and "# %%jaxpr" not in line)


def rows(everyday: bool) -> list[Any]:
    return [
        # On the older JAX line, a fault in a shell stands for the same fault in a kernel.
        pytest.param(fault, kind, id=f"{fault.name}-{kind}", marks=pytest.mark.any_jax if kind == "kernel" else ())
        for kind in PLACES
        for fault in FAULTS
        if kind in fault.only and fault.slow is not everyday
    ]


@pytest.mark.parametrize(("fault", "kind"), rows(True))
def test_a_fault(fault: Fault, kind: str, pairs: dict[str, Pair]) -> None:
    meet(fault, kind, pairs)


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "kind"), rows(False))
def test_a_slow_fault(fault: Fault, kind: str, pairs: dict[str, Pair]) -> None:
    meet(fault, kind, pairs)


def meet(fault: Fault, kind: str, pairs: dict[str, Pair]) -> None:
    if fault.needs is not None and importlib.util.find_spec(fault.needs) is None:
        pytest.skip(f"{fault.needs} is not installed")
    pair = pairs.get(kind) or pairs.setdefault(kind, Pair(kind))
    states = []
    try:
        for place, magic in ((pair.observed, "%%jaxpr"), (pair.plain, "# %%jaxpr")):
            for cell in fault.before.split("# next cell\n"):
                before = place.run(cell)
                assert before["error"] is None, before
            if fault.cell.startswith("%%"):
                ran = place.run(fault.cell if magic.startswith("#") else f"{magic}\n{fault.cell}")
            else:
                ran = place.run(magic + fault.cell)
            after = place.run(fault.after)
            assert after["error"] is None, after
            state = asked(place)
            speed = place.run(FULL_SPEED)
            states.append({name: tidy(value) for name, value in (ran | {"then": after["value"]}).items()} | state)
            assert speed["value"] == "0", speed
    except BaseException:
        pairs.pop(kind).stop()  # stops both processes, so that the next row starts new ones
        raise
    observed, unobserved = states
    assert fault.sees in "\n".join(str(observed[name]) for name in ("stdout", "value", "error"))
    assert observed["at_rest"] == []
    assert observed["failures"] == []
    assert tuple(observed["panel"]) == fault.panel
    own_keys = ("panel", "failures", "at_rest")
    assert {k: v for k, v in observed.items() if k not in own_keys} == {
        k: v for k, v in unobserved.items() if k not in own_keys
    }
