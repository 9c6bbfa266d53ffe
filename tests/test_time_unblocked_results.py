"""Tests notes on clocks that are read where a result is returned, stored or printed."""

from __future__ import annotations

import pytest
from conftest import Notebook
from test_time_unblocked import told

pytestmark = pytest.mark.any_jax

DEFINED = """
import contextlib, datetime, functools, time, timeit
from collections import namedtuple
from dataclasses import dataclass
from time import monotonic_ns, perf_counter as pc
import numpy as np

@jax.jit
def wave(t):
    return jnp.cos(t) * t
def waited(t):
    return wave(t).block_until_ready()
wave(x)
Lap = namedtuple("Lap", "value seconds")
@dataclass
class Sample:
    seconds: float
    value: object
def lap(go, *given):
    begun = pc()
    value = go(*given)
    return pc() - begun, value
def lap_waited(go, *given):
    begun = pc()
    value = jax.block_until_ready(go(*given))
    return pc() - begun, value
def lap_named(go, *given):
    begun = timeit.default_timer()
    value = go(*given)
    return Lap(value=value, seconds=timeit.default_timer() - begun)
def lap_sample(go, *given):
    begun = monotonic_ns()
    value = go(*given)
    return Sample((monotonic_ns() - begun) / 1e9, value)
def lap_dict(go, *given):
    begun = datetime.datetime.now()
    value = go(*given)
    return {"shape": value.shape, "took": datetime.datetime.now() - begun, "value": value}
def lap_looked(go, *given):
    begun = pc()
    value = go(*given)
    return float(value[0]), pc() - begun
def lap_default(t, go=wave):
    begun = pc()
    value = go(t)
    return value, pc() - begun
async def lap_async(go, *given):
    begun = pc()
    value = go(*given)
    return value, pc() - begun
def clocked(go):
    @functools.wraps(go)
    def around(*given, **named):
        begun = pc()
        value = go(*given, **named)
        return value, pc() - begun
    return around
@clocked
def clocked_wave(t):
    return wave(t)
@clocked
def clocked_waited(t):
    return waited(t)
class Bench:
    def lap(self, go, *given):
        begun = pc()
        value = go(*given)
        return [pc() - begun, value]
    @staticmethod
    def once(go, *given):
        begun = pc()
        value = go(*given)
        return value, pc() - begun
bench = Bench()
class Span:
    def __init__(self, name):
        self.name = name
    def __enter__(self):
        self.begun = monotonic_ns()
        return self
    def __exit__(self, *raised):
        self.laps = {self.name: monotonic_ns() - self.begun}
"""

# (the cell, the expected line of the note)
UNBLOCKED = [
    ("lap(wave, x)", 2),
    ("seconds, value = lap(wave, x)", 2),
    ("lap_named(wave, x).seconds", 2),
    ("lap_sample(wave, x)", 2),
    ("lap_dict(wave, x)", 2),
    ("lap_default(x)", 2),
    ("lap_default(x, go=wave)", 2),
    ("value, seconds = await lap_async(wave, x)", 2),
    ("value, seconds = clocked_wave(x)", 2),
    ("bench.lap(wave, x)", 2),
    ("Bench().lap(wave, x)", 2),
    ("Bench.once(wave, x)", 2),
    ("bench.once(wave, x)", 2),
    ("with Span('wave') as span:\n    value = wave(x)", 3),
    ("begun = pc()\nvalue = wave(x)\nrow = {'value': value, 'seconds': pc() - begun}", 3),
    ("begun = pc()\nvalue = wave(x)\nprint(value, pc() - begun)", 3),
    ("begun = pc()\nvalue = wave(x)\nprint(f'{pc() - begun:.3f} s for {value}')", 3),
    ("begun = pc()\nvalue = wave(x)\nrows = [(pc() - begun, value.block_until_ready())]", 3),
    ("rows = []\nfor _ in range(2):\n    begun = pc()\n    value = wave(x)\n    rows.append((pc() - begun, value))", 5),
    ("def go():\n    begun = pc()\n    value = wave(x)\n    return pc() - begun, float(value[0])\ngo()", 4),
    ("async def go():\n    begun = pc()\n    value = wave(x)\n    return value, pc() - begun\nawait go()", 4),
    ("timeit.Timer(functools.partial(wave, x)).timeit(2)", 2),
    ("timeit.timeit(functools.partial(wave, x), number=2)", 2),
]

BLOCKED = [
    "lap(waited, x)",
    "lap_waited(wave, x)",
    "lap_looked(wave, x)",
    "lap_default(x, go=waited)",
    "lap_default(x, waited)",
    "await lap_async(waited, x)",
    "clocked_waited(x)",
    "bench.lap(waited, x)",
    "with Span('wave') as span:\n    value = wave(x)\n    value.block_until_ready()",
    "begun = pc()\nvalue = wave(x)\nrow = {'value': np.asarray(value), 'seconds': pc() - begun}",
    "begun = pc()\nvalue = wave(x)\nprint(f'{value} after {pc() - begun:.3f} s')",
    "begun = pc()\nvalue = wave(x)\nprint(value.tolist(), pc() - begun)",
    "begun = pc()\nvalue = wave(x)\nrows = [(value.block_until_ready(), pc() - begun)]",
    "begun = pc()\nvalue = wave(x)\nrow = (value[0] > 0 and 1, pc() - begun)",
    "async def go():\n    begun = pc()\n    value = await other()\n    return value, pc() - begun\n"
    "async def other():\n    return waited(x)\nawait go()",
    "timeit.timeit(functools.partial(waited, x), number=2)",
    "timeit.timeit(functools.partial(print, end=''), number=1)\nwave(x)",
]


@pytest.fixture
def clocks(notebook: Notebook) -> Notebook:
    assert notebook.run(DEFINED).result.success
    return notebook


@pytest.mark.parametrize(("cell", "line"), UNBLOCKED)
def test_a_clock_read_before_the_result_is_looked_at_is_told_of(clocks: Notebook, cell: str, line: int) -> None:
    assert told(clocks, cell) == [line]


@pytest.mark.parametrize("cell", BLOCKED)
def test_a_clock_read_after_the_result_is_there_is_not(clocks: Notebook, cell: str) -> None:
    assert told(clocks, cell) == []
