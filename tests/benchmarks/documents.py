"""Measures how long the document of a program takes to build, relative to tracing, lowering and printing in JAX."""

from __future__ import annotations

import functools
import gc
import math
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import jax
import jax.numpy as jnp
from rows import Row, microseconds, milliseconds
from sized_programs import mixed, sines

from jupyter_jaxpr.build import document_of_run as snapshot_build
from jupyter_jaxpr.build.versions_and_devices import environment
from jupyter_jaxpr.document.encoding import encode
from jupyter_jaxpr.document.limits import Sent
from jupyter_jaxpr.jax.support import support
from jupyter_jaxpr.observe.observation import Observation, ObservedFunction, ObservedProgram

KINDS = {"sin": sines, "mixed": mixed}


def seconds(function: Callable[[], Any], times: int) -> float:
    """Return the median CPU seconds of a call in this thread, which other programs on the machine do not increase."""
    samples = []
    for _ in range(times):
        gc.collect()
        start = time.thread_time()
        function()
        samples.append(time.thread_time() - start)
    return median(samples)


def observed(traced: Any, name: str) -> Observation:
    """Return the observation of a program."""
    program = ObservedProgram(origin="traced", jaxpr=traced.jaxpr, traced=traced)
    return Observation(functions=[ObservedFunction(name=name, definition=None, programs=[program], top_level=True)])


def snapshot(observation: Observation) -> tuple[Any, bytes]:
    """Build and encode the document of an observation."""
    built = snapshot_build.build(observation, None, environment=known_environment(), run_id="benchmark")
    return built, encode(built.document)


@functools.cache
def known_environment() -> Any:
    """Return the document's facts on the machine."""
    return environment(support())


def fresh(kind: str, count: int) -> Any:
    """Return a new trace of a function with `count` equations."""
    return jax.jit(KINDS[kind](count)).trace(jnp.ones(8))


def costs() -> Iterator[Row]:
    """Compare the time to make a document with the time to trace and lower, and with the time of `str(jaxpr)`."""
    snapshot(observed(fresh("mixed", 50), "warm_up"))
    for kind in KINDS:
        for count, times in ((100, 20), (1_000, 20), (10_000, 5)):
            traced = fresh(kind, count)
            lowering = seconds(lambda kind=kind, count=count: fresh(kind, count).lower(), max(3, times // 4))
            observation = observed(traced, kind)
            snapshot_seconds = seconds(lambda observation=observation: snapshot(observation), times)
            built, raw = snapshot(observation)
            equations = built.document.programs[0].equations
            printing = seconds(lambda traced=traced: str(traced.jaxpr), max(3, times // 4))
            figures = {
                "equations": equations,
                "snapshot": snapshot_seconds,
                "trace_and_lower": lowering,
                "str_jaxpr": printing,
                "bytes": len(raw),
            }
            equation_seconds = snapshot_seconds / equations
            yield Row(
                what=f"snapshot, {kind}, {equations:,} equations",
                budget="6 us an equation + 2 ms",
                measured=f"{milliseconds(snapshot_seconds)} ({microseconds(equation_seconds)} an equation)",
                ratio=None,
                ok=snapshot_seconds <= 6e-6 * equations + 2e-3,
                figures=figures,
            )
            if count >= 1_000:
                yield Row(
                    what=f"... against trace and lower ({milliseconds(lowering)})",
                    budget="0.10 x",
                    measured=milliseconds(snapshot_seconds),
                    ratio=snapshot_seconds / lowering,
                    ok=snapshot_seconds <= 0.1 * lowering,
                    figures=figures,
                )
            limit = 0.35 if count >= 10_000 else 1.0
            yield Row(
                what=f"... against str(jaxpr) ({milliseconds(printing)})",
                budget=f"{limit} x",
                measured=milliseconds(snapshot_seconds),
                ratio=snapshot_seconds / printing,
                ok=snapshot_seconds <= limit * printing,
                figures=figures,
            )
            if count == 10_000:
                yield Row(
                    what=f"... bytes an equation, {kind}",
                    budget="28 to 45",
                    measured=f"{len(raw) / equations:.1f}",
                    ratio=None,
                    ok=len(raw) / equations <= 45,
                    figures=figures,
                )


def growth() -> Iterator[Row]:
    """Measure the growth of time and bytes from 1,000 to 100,000 equations, sent whole."""
    for kind in KINDS:
        figures: list[tuple[int, float, int]] = []
        sent: dict[str, Any] = {}
        for count, times in ((1_000, 20), (3_000, 9), (10_000, 5), (30_000, 3), (100_000, 3)):
            observation = observed(fresh(kind, count), kind)
            if count == 100_000:
                paged = seconds(lambda observation=observation: snapshot(observation), times)
                _, raw = snapshot(observation)
                sent = {"seconds": paged, "bytes": len(raw)}
            limits = Sent.WHOLE_PROGRAM, Sent.WHOLE_PROGRAMS_OF_RUN
            Sent.WHOLE_PROGRAM = Sent.WHOLE_PROGRAMS_OF_RUN = 10**9
            try:
                took = seconds(lambda observation=observation: snapshot(observation), times)
                built, raw = snapshot(observation)
            finally:
                Sent.WHOLE_PROGRAM, Sent.WHOLE_PROGRAMS_OF_RUN = limits
            figures.append((built.document.programs[0].equations, took, len(raw)))
        for quantity, values in (("time", [row[1] for row in figures]), ("bytes", [float(row[2]) for row in figures])):
            exponent = fit([row[0] for row in figures], values)
            last = milliseconds(values[-1]) if quantity == "time" else f"{values[-1] / 1e6:.3g} MB"
            yield Row(
                what=f"growth of {quantity}, {kind}, 1,000 to 100,000 equations",
                budget="exponent 1.05",
                measured=f"exponent {exponent:.3f} ({last} at 100,000)",
                ratio=None,
                ok=exponent <= 1.05,
                figures={"exponent": exponent, "equations_seconds_bytes": figures},
            )
        yield Row(
            what=f"100,000 equations as sent: first pages, {kind}",
            budget="",
            measured=f"{milliseconds(sent['seconds'])}, {sent['bytes'] / 1e3:.0f} kB",
            ratio=None,
            ok=None,
            figures=sent,
        )


def fit(counts: list[int], values: list[float]) -> float:
    """Return the exponent of a power law through the points, by least squares of their logarithms."""
    x = [math.log(count) for count in counts]
    y = [math.log(value) for value in values]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / sum((a - mean_x) ** 2 for a in x)
