"""Holds the recorded steps of a construct in buffers inside a compiled loop.

JAX traces all code of this module. The buffers are a dictionary of arrays of fixed sizes, which every loop and branch
around the construct passes on. A step that is not kept is written into the last row, so that no branch is needed; after
the loop, this row has the last of these steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .kept_elements import Sketch

Buffers = dict[str, Any]


@dataclass(frozen=True)
class Control:
    """Which steps to keep in one call of the compiled program, as traced integers.

    Attributes:
        visit_every: A visit is kept if its index is a multiple of this.
        step_every: A step of a kept visit is kept if its index is a multiple of this.
        budget: The call ends after this many steps of inner loops.
        first_visit: The number of visits before this call.
    """

    visit_every: Any
    step_every: Any
    budget: Any
    first_visit: Any


def bytes_of(sketches: Sequence[Sketch]) -> int:
    """Return the bytes of one row of the buffers for these values."""
    import jax
    import numpy as np

    total = 0
    for sketch in sketches:
        total += sum(
            max(1, int(np.prod(part.shape))) * part.dtype.itemsize for part in jax.eval_shape(sketch.take, sketch.aval)
        )
    return total


def empty(points: int, visits: int, depth: int, leaves: Sequence[Sketch], ends: Sequence[Sketch]) -> Buffers:
    """Return empty buffers.

    Args:
        points: How many steps the buffers can hold.
        visits: How many visits the buffers can hold.
        depth: The number of loops around the construct.
        leaves: The values that are kept of each step.
        ends: The values that are kept at the end of each visit.
    """
    import jax
    import jax.numpy as jnp

    def rows(sketch: Sketch, count: int) -> tuple[Any, ...]:
        parts = jax.eval_shape(sketch.take, sketch.aval)
        return tuple(jnp.zeros((count + 1, *part.shape), part.dtype) for part in parts)

    zero = jnp.zeros((), jnp.int32)
    return {
        "points": zero,
        "visits": zero,
        "seen": zero,
        "work": zero,
        "trips_total": zero,
        "exceeded": jnp.zeros((), bool),
        "step": jnp.full(points + 1, -1, jnp.int32),
        "visit": jnp.full(points + 1, -1, jnp.int32),
        "leaves": tuple(rows(sketch, points) for sketch in leaves),
        "ends": tuple(rows(sketch, visits) for sketch in ends),
        "number": jnp.full(visits + 1, -1, jnp.int32),
        "trips": jnp.zeros(visits + 1, jnp.int32),
        "finished": jnp.zeros(visits + 1, bool),
        "period": jnp.zeros(visits + 1, jnp.int32),
        "outer": jnp.zeros((visits + 1, depth), jnp.int32),
    }


def keep_point(
    buffers: Buffers, control: Control, visit: Any, step: Any, sketches: Sequence[Sketch], values: Sequence[Any]
) -> Buffers:
    """Write a step into the next row of the buffers if `control` selects the step, else into the last row."""
    is_kept = (visit % control.visit_every == 0) & (step % control.step_every == 0)
    last = buffers["step"].shape[0] - 1
    import jax.numpy as jnp

    row = jnp.where(is_kept & (buffers["points"] < last), buffers["points"], last)
    return {
        **buffers,
        "points": buffers["points"] + is_kept,
        "step": _row(buffers["step"], row, step),
        "visit": _row(buffers["visit"], row, visit),
        "leaves": _written(buffers["leaves"], row, sketches, values),
    }


def end_visit(
    buffers: Buffers,
    control: Control,
    visit: Any,
    outer: Sequence[Any],
    sketches: Sequence[Sketch],
    values: Sequence[Any],
    *,
    trips: Any,
    finished: Any,
    period: Any = 0,
) -> Buffers:
    """Write the end of a visit into the buffers if `control` selects the visit; the visit is counted in any case."""
    import jax.numpy as jnp

    is_kept = visit % control.visit_every == 0
    last = buffers["number"].shape[0] - 1
    row = jnp.where(is_kept & (buffers["visits"] < last), buffers["visits"], last)
    depth = buffers["outer"].shape[1]
    steps = jnp.stack([jnp.asarray(step, jnp.int32) for step in outer]) if depth else jnp.zeros(0, jnp.int32)
    return {
        **buffers,
        "visits": buffers["visits"] + is_kept,
        "seen": buffers["seen"] + 1,
        "trips_total": buffers["trips_total"] + trips,
        "number": _row(buffers["number"], row, visit),
        "trips": _row(buffers["trips"], row, trips),
        "finished": _row(buffers["finished"], row, finished),
        "period": _row(buffers["period"], row, period),
        "outer": _row(buffers["outer"], row, steps),
        "ends": _written(buffers["ends"], row, sketches, values),
    }


def _written(rows: Sequence[Any], row: Any, sketches: Sequence[Sketch], values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(
        tuple(_row(buffer, row, part) for buffer, part in zip(parts, sketch.take(value), strict=True))
        for parts, sketch, value in zip(rows, sketches, values, strict=True)
    )


def _row(buffer: Any, row: Any, value: Any) -> Any:
    import jax.numpy as jnp
    from jax import lax

    return lax.dynamic_update_index_in_dim(buffer, jnp.asarray(value, buffer.dtype), row, 0)
