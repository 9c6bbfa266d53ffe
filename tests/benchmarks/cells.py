"""Measures the time that the magic adds to a cell: to a first call, to warm calls, to a miss, to a trace."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any
from unittest import mock

from pairs import alternate
from rows import Row, microseconds, milliseconds
from shells import open_shell, run
from sized_programs import LAYERS, LESSON

PAIRS = 20


def first_call() -> Iterator[Row]:
    """Measure a cell that defines, jits and calls a function that JAX has not seen."""
    shell = open_shell()
    numbers = itertools.count()
    for name, source in (("a lesson's cell", LESSON), ("six layers, forward and backward", LAYERS)):

        def cell(magic: bool, source: str = source) -> float:
            return run(shell, source.format(number=next(numbers), layers=6), magic=magic)

        pairs = alternate(lambda: cell(False), lambda: cell(True), PAIRS)
        excess = pairs.excess(1.05)
        yield Row(
            what=f"first call: {name} ({milliseconds(median(pairs.without))})",
            budget="1.05 x + 30 ms",
            measured=f"1.05 x {'+' if excess >= 0 else '-'} {milliseconds(abs(excess))}",
            ratio=pairs.ratio,
            ok=excess <= 0.030,
            figures={**pairs.figures(), "median_excess_over_1.05": excess},
        )


WARM = """
{copy}
chunks = []
for _ in range(40):
    begin = time.perf_counter()
    for _ in range(25):
        y = called(x)
    y.block_until_ready()
    chunks.append(time.perf_counter() - begin)
took = 40 * sorted(chunks)[4]  # of the chunks in which the machine did little else
"""


def warm_calls() -> Iterator[Row]:
    """Measure 1,000 calls that hit JAX's own cache, timed inside the cell, in chunks of 25."""
    shell = open_shell()
    run(shell, "@jax.jit\ndef tiny(x):\n    return x + 1\nx_tiny = tiny(jnp.ones(4))", magic=True)
    run(shell, "@jax.jit\ndef longer(x):\n    return jnp.sin(x) * 2\nx_longer = jnp.ones(8)", magic=True)
    size = _size_for(shell, 50e-6)
    run(shell, f"x_longer = longer(jnp.ones({size}))", magic=True)
    for function, limit in (("tiny", 1.15), ("longer", 1.02)):
        source = WARM.format(copy=f"called, x = {function}, x_{function}")
        wholes: dict[bool, list[float]] = {False: [], True: []}

        def loop(magic: bool, source: str = source, wholes: dict[bool, list[float]] = wholes) -> float:
            wholes[magic].append(run(shell, source, magic=magic))
            return float(shell.user_ns["took"])

        pairs = alternate(lambda: loop(False), lambda: loop(True), 2 * PAIRS, warm_up=3)
        call_seconds = median(pairs.without) / 1000
        fixed = median(wholes[True]) - median(wholes[False]) - (median(pairs.with_it) - median(pairs.without))
        yield Row(
            what=f"1,000 warm calls of {microseconds(call_seconds)}",
            budget=f"{limit} x",
            measured=f"+ {microseconds((median(pairs.with_it) - median(pairs.without)) / 1000)} a call",
            ratio=pairs.ratio,
            ok=pairs.ratio <= limit,
            figures={**pairs.figures(), "seconds_a_call_without": call_seconds, "cell_beside_the_calls": fixed},
        )
        if function == "tiny":
            yield Row(
                what="a %%jaxpr cell beside its calls: start, document, output",
                budget="30 ms (of the first row)",
                measured=milliseconds(fixed),
                ratio=None,
                ok=fixed <= 0.030,
                figures={"seconds": fixed},
            )


def idle_hooks() -> Iterator[Row]:
    """Measure 1,000 hits in a cell without the magic, with the hooks in JAX and without them."""
    shell = open_shell()
    run(shell, "@jax.jit\ndef tiny(x):\n    return x + 1\nx_tiny = tiny(jnp.ones(4))", magic=False)
    source = WARM.format(copy="called, x = tiny, x_tiny")

    def loop(hooked: bool) -> float:
        loaded = "jupyter_jaxpr" in shell.extension_manager.loaded
        if loaded != hooked:
            shell.run_line_magic("load_ext" if hooked else "unload_ext", "jupyter_jaxpr")
        run(shell, source, magic=False)
        return float(shell.user_ns["took"])

    pairs = alternate(lambda: loop(False), lambda: loop(True), 2 * PAIRS, warm_up=3)
    yield Row(
        what=f"1,000 warm calls of {microseconds(median(pairs.without) / 1000)}, hooks in and no cell observed",
        budget="nothing measurable (1.02 x)",
        measured=f"+ {microseconds((median(pairs.with_it) - median(pairs.without)) / 1000)} a call",
        ratio=pairs.ratio,
        ok=pairs.ratio <= 1.02,
        figures=pairs.figures(),
    )


def _size_for(shell: Any, seconds: float) -> int:
    """Return the size of an array with which a call of the function `longer` takes at least the given seconds."""
    size = 512
    while size < 2**22:
        run(shell, WARM.format(copy=f"called, x = longer, longer(jnp.ones({size}))"), magic=False)
        if shell.user_ns["took"] / 1000 >= seconds:
            break
        size *= 2
    return size


MISSES = """
for number in range({count}):
    jax.jit(lambda tree, number=number: tree[0] + number)(tree)
"""


def miss_record() -> Iterator[Row]:
    """Measure the observer's work at a call that misses JAX's cache.

    The replay is measured separately: asking JAX for the stages of the call, and for the types of the arguments.
    The clock is `perf_counter`: reading a thread's CPU time is a system call, which took a seventh of the time. The
    median is not affected by the few misses during which another program had the processor.
    """
    shell = open_shell()
    from jupyter_jaxpr.jax.missed_calls import JitCall
    from jupyter_jaxpr.magic.cell_observer import CellObserver
    from jupyter_jaxpr.observe.programs import programs_that_ran as programs

    observer = CellObserver.of(shell).observer
    spent: Counter[str] = Counter()
    misses: list[dict[str, float]] = []

    def timed(stage: str, function: Callable[..., Any], last: bool = False) -> Callable[..., Any]:
        def call(*args: Any, **keywords: Any) -> Any:
            start = time.perf_counter()
            try:
                return function(*args, **keywords)
            finally:
                spent[stage] += time.perf_counter() - start
                if last:
                    misses.append(dict(spent))
                    spent.clear()

        return call

    for name in ("missed", "traced", "stage_started", "stage_ended", "executed"):
        setattr(observer, name, timed("all", getattr(observer, name), last=name == "executed"))
    types = timed("types", JitCall.types)
    JitCall.types = lambda call: types(call)  # type: ignore[method-assign]  # of the class: JAX makes the calls
    with mock.patch.object(programs, "replay", timed("replay", programs.replay)):
        for leaves in (1, 10, 100, 1000):
            run(shell, f"tree = [jnp.float32(1)] * {leaves}", magic=False)
            run(shell, MISSES.format(count=2), magic=True)
            misses.clear()
            run(shell, MISSES.format(count=PAIRS), magic=True)
            record = median(miss["all"] - miss.get("replay", 0) - miss.get("types", 0) for miss in misses)
            replay = median(miss.get("replay", 0) + miss.get("types", 0) for miss in misses)
            limit = 300e-6 + 0.5e-6 * leaves
            yield Row(
                what=f"miss record, {leaves:,} {'leaf' if leaves == 1 else 'leaves'}",
                budget=f"{microseconds(limit)} (300 us + 0.5 us a leaf), replay apart",
                measured=f"{microseconds(record)}, and {microseconds(replay)} of replay",
                ratio=None,
                ok=record <= limit,
                figures={"record": record, "replay": replay, "leaves": leaves, "misses": len(misses)},
            )


def tracing() -> Iterator[Row]:
    """Measure the time of a trace with and without the observer, starting at the first line of the traced function."""
    import jax

    shell = open_shell()
    jax.config.update("jax_disable_most_optimizations", True)  # so that XLA's optimisations take no time in the cell
    numbers = itertools.count(100)
    ended = [0.0]

    def listen(event: str, duration: float, **keys: Any) -> None:
        if event.endswith("jaxpr_trace_duration") and str(keys.get("fun_name", "")).startswith("train_"):
            ended[0] = time.thread_time()

    jax.monitoring.register_event_duration_secs_listener(listen)

    for layers, count in ((6, 2 * PAIRS), (20, PAIRS)):

        def trace(magic: bool, layers: int = layers) -> float:
            source = LAYERS.replace("    def loss", "    begun.append(time.thread_time())\n    def loss")
            shell.user_ns["begun"] = []
            run(shell, source.format(number=next(numbers), layers=layers), magic=magic)
            (began,) = shell.user_ns["begun"]
            return ended[0] - float(began)

        pairs = alternate(lambda: trace(False), lambda: trace(True), count, warm_up=2)
        yield Row(
            what=f"trace of {layers} layers under the observer ({milliseconds(median(pairs.without))})",
            budget="1.1 x",
            measured=f"+ {milliseconds(median(pairs.with_it) - median(pairs.without))}",
            ratio=pairs.ratio,
            ok=pairs.ratio <= 1.1,
            figures=pairs.figures(),
        )
