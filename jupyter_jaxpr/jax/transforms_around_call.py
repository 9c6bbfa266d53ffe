"""Finds the transforms around a call (vmap with its size, grad, jvp) from the tracers among its arguments.

A tracer of `vmap` contains the batched array, a tracer of `grad` or `jvp` the value to differentiate; each may contain
a tracer of the next outer transform.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from ..interruptions import not_of_a_signal
from ..plain_text import text_of
from .facts import is_tracer_type, private

_MOST = 20


class Transform(NamedTuple):
    """One transform around a call, as found from one argument.

    Attributes:
        kind: `grad` stands for both grad and vjp, whose tracers are alike.
        size: The size of the batch; None if the transform is no vmap.
        axis: The axis of the argument that vmap maps; None if vmap does not map the argument.
    """

    kind: Literal["vmap", "grad", "linearize", "jvp"]
    size: int | None = None
    axis: int | None = None


#: The transforms around a call, the innermost first.
Transforms = tuple[Transform, ...]


class TransformsOfCall(NamedTuple):
    """The transforms around a call.

    Attributes:
        around: The transforms found in at least one leaf, without axes.
        leaves: For each leaf, the transforms found in it.
    """

    around: Transforms
    leaves: tuple[Transforms, ...]


def transforms_of(values: Sequence[Any]) -> TransformsOfCall | None:
    """Return the transforms around a call with these leaves; None if a tracer is of an unknown kind."""
    leaves = []
    # Two leaves under the same vmap share its trace object; traces are ordered by the number of traces around them.
    around: dict[int, tuple[int, Transform]] = {}
    for value in values:
        of_leaf: list[Transform] = []
        while is_tracer_type(type(value)):
            try:
                transform, inside = _outermost(value)
                trace = value._trace
                depth = _depth(trace)
            except not_of_a_signal(AttributeError):  # another version of JAX: its tracers lack these attributes
                return None
            if transform is None or len(of_leaf) == _MOST:
                return None
            of_leaf.append(transform)
            around[id(trace)] = depth, transform._replace(axis=None)
            value = inside
        leaves.append(tuple(of_leaf))
    ordered = sorted(around.values(), key=lambda entry: -entry[0])
    return TransformsOfCall(tuple(transform for _, transform in ordered), tuple(leaves))


def values_inside(values: Sequence[Any]) -> list[Any]:
    """Return the values that the tracers among some leaves stand for; a leaf that is no tracer is returned unchanged.

    The transforms of the leaves must be known: `transforms_of` returned them.
    """
    inner = []
    for value in values:
        while is_tracer_type(type(value)):
            _, value = _outermost(value)
        inner.append(value)
    return inner


def vmaps_around_call(leaves: int) -> TransformsOfCall:
    """Return the vmaps around a call that is under a transform and has no tracer among its leaves.

    JAX makes a program for each batch size, also for a call whose arguments no vmap maps. A grad or a jvp around such a
    call changes no program.

    Args:
        leaves: The number of leaves of the call.
    """
    around: list[Transform] = []
    trace = private("core").trace_ctx.trace
    while trace is not None and len(around) < _MOST:
        if type(trace).__name__ == "BatchTrace":
            around.append(Transform("vmap", trace.axis_data.size))
        trace = getattr(trace, "parent_trace", None)
    return TransformsOfCall(tuple(around), ((),) * leaves)


def jitted_function_of(tracer: Any) -> str | None:
    """Return JAX's name of the jitted function in whose trace a tracer was made.

    Returns:
      '' for a tracer of another trace, such as of the body of a scan; None for a tracer that belongs to no jaxpr.
    """
    for _ in range(_MOST):
        if not is_tracer_type(type(tracer)):
            return None
        frame = getattr(tracer._trace, "frame", None)
        if frame is not None:
            debug = frame.debug_info
            return text_of(debug.func_name) if debug.traced_for == "jit" else ""
        transform, tracer = _outermost(tracer)
        if transform is None:
            return ""
    return ""


def _depth(trace: Any) -> int:
    """Return how many traces are around a trace."""
    depth = 0
    while (trace := getattr(trace, "parent_trace", None)) is not None and depth < _MOST:
        depth += 1
    return depth


def _outermost(tracer: Any) -> tuple[Transform | None, Any]:
    """Return the transform of a tracer and the value inside the tracer.

    The transform is None for a tracer of another kind.
    """
    kind = type(tracer).__name__
    if kind == "BatchTracer":
        axis = tracer.batch_dim
        return Transform("vmap", tracer._trace.axis_data.size, axis if type(axis) is int else None), tracer.val
    if kind == "LinearizeTracer":
        return Transform("grad" if tracer._trace.is_vjp else "linearize"), tracer.primal
    if kind == "JVPTracer":
        return Transform("jvp"), tracer.primal
    return None, None
