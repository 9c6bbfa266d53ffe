"""Measures a warm call by our clock and by `%timeit f(x).block_until_ready()`, in turns."""

from __future__ import annotations

import gc
import statistics
import timeit
from collections.abc import Iterator
from typing import Any

from rows import Row, microseconds, milliseconds
from shells import open_shell

ROUNDS = 2
TURNS = 50
WITHIN = 0.10

# (name, the cell that makes a jitted `f` and its argument `x`): calls from 5 us to 500 ms.
FUNCTIONS = {
    "add, 8 numbers": "f, x = jax.jit(lambda x: x + 1), jnp.ones(8)",
    "sin, 1,000": "f, x = jax.jit(lambda x: jnp.sin(x) * 2), jnp.ones(1_000)",
    "tree in, one out": "f, x = jax.jit(lambda p: p['a'] + p['b'] * 2), {'a': jnp.ones(100), 'b': jnp.ones(100)}",
    "scan of 20": "f, x = jax.jit(lambda x: lax.scan(lambda c, _: (jnp.sin(c), None), x, length=20)[0]), jnp.ones(8)",
    "matmul 64": "f, x = jax.jit(lambda x: x @ x), jnp.ones((64, 64))",
    "softmax 256 x 256": "f, x = jax.jit(jax.nn.softmax), jnp.ones((256, 256))",
    "selu, 100,000": "f, x = jax.jit(jax.nn.selu), jnp.linspace(-1, 1, 100_000)",
    "matmul 256": "f, x = jax.jit(lambda x: x @ x), jnp.ones((256, 256))",
    "while of 1,000": "f, x = jax.jit(lambda x: lax.fori_loop(0, 1_000, lambda i, c: jnp.sin(c), x)), jnp.ones(8)",
    "sort, 100,000": "f, x = jax.jit(jnp.sort), jax.random.normal(jax.random.key(0), (100_000,))",
    "matmul 1,024": "f, x = jax.jit(lambda x: x @ x), jnp.ones((1_024, 1_024))",
    "sort, 300,000": "f, x = jax.jit(jnp.sort), jax.random.normal(jax.random.key(0), (300_000,))",
    "matmul 2,048": "f, x = jax.jit(lambda x: x @ x), jnp.ones((2_048, 2_048))",
    "while of 3,000,000": "f, x = jax.jit(lambda x: lax.fori_loop(0, 3_000_000, lambda i, c: c * 0.5 + i, x)), 1.0",
    "matmul 3,072": "f, x = jax.jit(lambda x: x @ x), jnp.ones((3_072, 3_072))",
    "sort, 1,500,000": "f, x = jax.jit(jnp.sort), jax.random.normal(jax.random.key(0), (1_500_000,))",
}


def warm_times() -> Iterator[Row]:
    """Yield a row for each function, and one for all: the ratio of our time to `%timeit`'s, as median of pairs."""
    shell = open_shell()
    ratios: list[float] = []
    for name, cell in FUNCTIONS.items():
        shell.run_cell(f"{cell}\n_ = f(x).block_until_ready()").raise_error()
        pairs = [pair for _ in range(ROUNDS) for pair in _pairs(shell.user_ns)]
        ratio = statistics.median(timed_seconds / timeit_seconds for timed_seconds, timeit_seconds in pairs)
        seconds = statistics.median(timeit_seconds for _, timeit_seconds in pairs)
        ratios.append(ratio)
        text = microseconds(seconds) if seconds < 1e-3 else milliseconds(seconds)
        yield Row(
            what=f"warm time, {name}",
            budget="%timeit's within 10 %",
            measured=f"{text} by %timeit, {len(pairs)} pairs",
            ratio=ratio,
            ok=abs(ratio - 1) <= WITHIN,
            figures={"pairs": pairs},
        )
    within = sum(abs(ratio - 1) <= WITHIN for ratio in ratios)
    yield Row(
        what="warm times, all",
        budget="each of at least 12 within 10 %",
        measured=f"{within} of {len(ratios)}, {min(ratios):.3g} to {max(ratios):.3g} x",
        ratio=statistics.median(ratios),
        ok=within == len(ratios),
        figures={"ratios": ratios},
    )


def _pairs(names: dict[str, Any]) -> Iterator[tuple[float, float]]:
    """Yield (seconds by our clock, seconds by `%timeit`), measured alternately, because the machine's speed changes."""
    from jupyter_jaxpr.measure.times.repeated_calls import Timed

    timed = Timed(names["f"], (names["x"],), {})
    # The same statement as in `%timeit f(x).block_until_ready()`.
    timer = timeit.Timer("f(x).block_until_ready()", globals=names)
    timed.turn()  # the first turn chooses the number of calls in a run
    calls = timed._batch
    turns = 0
    gc.disable()
    try:
        while timed.goes_on and turns < TURNS:
            before = timer.timeit(calls) / calls if turns % 2 else 0.0
            timed.turn()
            yield timed._seconds[-1], before or timer.timeit(calls) / calls
            turns += 1
    finally:
        gc.enable()
