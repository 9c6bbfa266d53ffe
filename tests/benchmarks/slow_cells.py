"""Measures cells that are slow without our magic, under the magic and without it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median
from typing import Any

from IPython.utils.capture import capture_output
from pairs import alternate
from rows import Row
from shells import open_shell
from sized_programs import LAYERS

COMPILES = 10_000
PROGRAMS = 27

ENDLESS = """
def down(y):
    return down(y + 1)
jax.jit(down)(jnp.ones(3))
"""
COMPILING = f"""
x = jnp.ones(3)
for number in range({COMPILES}):
    jax.jit(lambda y, number=number: y + number)(x)
"""


def without_the_collector(first: int) -> str:
    """Return a cell that traces and compiles programs while Python's garbage collector is off."""
    programs = "".join(LAYERS.format(number=first + number, layers=6) for number in range(PROGRAMS))
    return f"import gc\ngc.disable()\n{programs}\ngc.enable()\n"


def slow_cells() -> Iterator[Row]:
    """Measure an endless recursion, many compiles, and many programs without garbage collection; few pairs of each."""
    shell = open_shell()
    numbers = iter(range(1_000, 10**9, PROGRAMS))
    cells = (
        ("an endless recursion while JAX traces (RecursionError)", lambda: ENDLESS, 3),
        (f"{PROGRAMS} programs of six layers with the collector off", lambda: without_the_collector(next(numbers)), 1),
        (f"{COMPILES:,} compiles", lambda: COMPILING, 1),
    )
    for name, source, count in cells:
        pairs = alternate(
            lambda source=source: seconds_of(shell, source(), False),
            lambda source=source: seconds_of(shell, source(), True),
            count,
            warm_up=0,
        )
        alone, observed = median(pairs.without), median(pairs.with_it)
        yield Row(
            what=f"{name} ({alone:.2g} s without)",
            budget="",
            measured=f"{100 * min(1.0, alone / observed):.0f} % is JAX's and Python's, ours {observed - alone:.2g} s",
            ratio=pairs.ratio,
            ok=None,
            figures=pairs.figures(),
        )


def seconds_of(shell: Any, source: str, magic: bool) -> float:
    """Run a cell, which may raise, and return its seconds."""
    with capture_output():
        start = time.perf_counter()
        shell.run_cell(("%%jaxpr\n" if magic else "# without\n") + source)
        return time.perf_counter() - start
