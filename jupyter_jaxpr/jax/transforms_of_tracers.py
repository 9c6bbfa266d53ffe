"""Reads the transforms that a call is under from the tracers among its arguments: vmap with its size, differentiation.

A tracer of `vmap` holds the batch, a tracer of `grad` or `jvp` holds the value to differentiate; each may hold a tracer
of the transform around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from ..interruptions import not_of_a_signal

_MOST = 20


class Transform(NamedTuple):
    """One transform around a call, as one argument shows it.

    Attributes:
        kind: `grad` stands for each reverse-mode transform: grad, vjp and linearize have the same tracers.
        size: The size of the batch; None where the transform is no vmap.
        axis: The axis of the argument that vmap maps; None where vmap does not map the argument.
    """

    kind: Literal["vmap", "grad", "jvp"]
    size: int | None = None
    axis: int | None = None


#: The transforms around one argument, the innermost first.
Transforms = tuple[Transform, ...]


def transforms_of(values: Sequence[Any]) -> tuple[Transforms, ...] | None:
    """Return the transforms that each leaf shows; None where a tracer is of another kind."""
    import jax

    found = []
    for value in values:
        around: list[Transform] = []
        while isinstance(value, jax.core.Tracer):
            try:
                transform, value = _outermost(value)
            except not_of_a_signal(AttributeError):  # a tracer of another JAX version
                return None
            if transform is None or len(around) == _MOST:
                return None
            around.append(transform)
        found.append(tuple(around))
    return tuple(found)


def _outermost(tracer: Any) -> tuple[Transform | None, Any]:
    """Return the transform of a tracer and the value that the tracer holds; None for a tracer of another kind."""
    kind = type(tracer).__name__
    if kind == "BatchTracer":
        axis = tracer.batch_dim
        return Transform("vmap", tracer._trace.axis_data.size, axis if type(axis) is int else None), tracer.val
    if kind == "LinearizeTracer":
        return Transform("grad"), tracer.primal
    if kind == "JVPTracer":
        return Transform("jvp"), tracer.primal
    return None, None
