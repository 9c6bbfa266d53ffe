"""Measures how long the kernel takes to answer a live request, relative to `make_jaxpr` of the same function.

The CPU time is measured, so that other programs on the machine do not count.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator

import jax
import jax.numpy as jnp
from pairs import alternate
from rows import Row, milliseconds

from jupyter_jaxpr.document.encoding import encode
from jupyter_jaxpr.live.live_program import Live
from jupyter_jaxpr.live.trace_request import CellToTrace

SIZES = {10: 15, 300: 9, 3_000: 5}  # number of equations -> number of measured pairs
MORE = 0.15
_LINE = "    x = jnp.sin(x)\n"
_numbers = itertools.count(2)


def _cell(equations: int) -> str:
    """Return a cell that JAX has not seen, with as many lines as its function has equations."""
    return f"def f(x):\n    x = x * {next(_numbers)}.0\n{_LINE * (equations - 1)}    return x\nf(x)\n"


def requests() -> Iterator[Row]:
    """Measure the time from the request to the encoded document, with the check for side effects and the trace."""
    names = {"jax": jax, "jnp": jnp, "x": jnp.ones(8), "__name__": "__main__"}
    live = Live()

    def traced(equations: int) -> float:
        cell = _cell(equations)
        begin = time.thread_time()
        answer = live.trace(CellToTrace(cell, "cell-1", 1), names, lambda name: [], seconds=60.0)
        encode(answer)
        took = time.thread_time() - begin
        assert answer.state == "traced", answer
        return took

    def made(equations: int) -> float:
        space = dict(names)
        text = _cell(equations).rpartition("f(x)")[0]
        exec(compile(text, "<cell>", "exec"), space)
        begin = time.thread_time()
        jax.make_jaxpr(space["f"])(space["x"])
        return time.thread_time() - begin

    for equations, count in SIZES.items():
        pairs = alternate(lambda size=equations: made(size), lambda size=equations: traced(size), count)
        excess = pairs.excess(1.0)
        yield Row(
            what=f"live, {equations:,} equations: the kernel's answer, against make_jaxpr",
            budget=f"1 x + {milliseconds(MORE)}",
            measured=f"1 x + {milliseconds(excess)}",
            ratio=pairs.ratio,
            ok=excess <= MORE,
            figures={**pairs.figures(), "median_excess": excess},
        )
