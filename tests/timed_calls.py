"""Holds a function to time, a recorder of the stages of its calls, and artificial warm times."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax

from jupyter_jaxpr.measure.times.repeated_calls import Warm

SINES = "@jax.jit\ndef f(x):\n    for _ in range(3):\n        x = jnp.sin(x)\n    return x\n"


@contextmanager
def stages_of(name: str) -> Iterator[list[str]]:
    """Yield a list to which the stages that JAX runs for the function of this name are added."""
    stages: list[str] = []

    def listen(event: str, seconds: float, **facts: Any) -> None:
        if str(facts.get("fun_name", "")).removeprefix("jit(").removesuffix(")") == name:
            stages.append(event.rpartition("/")[2])

    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        yield stages
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)


def warm(median: float, lower: float | None = None, upper: float | None = None, **fields: Any) -> Warm:
    samples = (lower or median, median, upper or median)
    return Warm(
        **{
            "samples": tuple(sorted(samples * 10)),
            "median": median,
            "minimum": lower or median,
            "lower": lower or median,
            "upper": upper or median,
            "runs": 100,
            "batch": 1,
            "dispatch": median / 2,
            "calls": 106,
            **fields,
        }
    )
