"""Measures how much time the recording of eager operations adds to a cell."""

from __future__ import annotations

from collections.abc import Iterator

from pairs import alternate
from rows import Row, milliseconds
from shells import open_shell, run

PAIRS = 9
FACTOR = 1.02
MORE = 0.1
EAGER = 20.0

_CELL = """\
def f(v):
    global took
    begin = time.perf_counter()
    for _ in range({count}):
        v = lax.neg(v)
    v.block_until_ready()
    took = time.perf_counter() - begin
    return v
y = f(x)
"""


def recordings() -> Iterator[Row]:
    """Measure the time that a recording adds to a cell: a recording of the last call, and one of the whole cell."""
    shell = open_shell()
    run(shell, "x = jnp.arange(8.0)\nlax.neg(x)", magic=False)

    def seconds(count: int, options: str | None) -> float:
        cell = _CELL.format(count=count)
        run(shell, cell if options is None else f"%%jaxpr {options}\n{cell}", magic=False)
        took: float = shell.user_ns["took"]
        return took

    pairs = alternate(lambda: seconds(10_000, None), lambda: seconds(10_000, "--no-trace"), PAIRS)
    excess = pairs.excess(FACTOR)
    yield Row(
        what="10,000 eager operations, the last call recorded",
        budget=f"{FACTOR} x + {milliseconds(MORE)}",
        measured=f"{FACTOR} x {'+' if excess >= 0 else '-'} {milliseconds(abs(excess))}",
        ratio=pairs.ratio,
        ok=excess <= MORE,
        figures={**pairs.figures(), "median_excess_over_1.02": excess},
    )
    pairs = alternate(lambda: seconds(5_000, None), lambda: seconds(5_000, "--no-trace --eager"), PAIRS)
    yield Row(
        what="5,000 eager operations, --eager",
        budget=f"{EAGER:g} x",
        measured=f"{pairs.ratio:.3g} x",
        ratio=pairs.ratio,
        ok=pairs.ratio <= EAGER,
        figures=pairs.figures(),
    )
