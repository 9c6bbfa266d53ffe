"""Reads the transforms that a call is under from the tracers among its arguments: vmap with its size, differentiation.

A tracer of `vmap` holds the batch, a tracer of `grad` or `jvp` holds the value to differentiate; each may hold a tracer
of the transform around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from ..interruptions import not_of_a_signal
from ..plain_text import text_of
from .facts import is_tracer_type

_MOST = 20


class Transform(NamedTuple):
    """One transform around a call, as one argument shows it.

    Attributes:
        kind: `grad` stands for grad and vjp, which have the same tracers.
        size: The size of the batch; None where the transform is no vmap.
        axis: The axis of the argument that vmap maps; None where vmap does not map the argument.
    """

    kind: Literal["vmap", "grad", "linearize", "jvp"]
    size: int | None = None
    axis: int | None = None


#: The transforms, the innermost first.
Transforms = tuple[Transform, ...]


class TransformsOfCall(NamedTuple):
    """The transforms around a call.

    Attributes:
        around: The transforms that at least one leaf shows, without axes.
        leaves: The transforms that each leaf shows.
    """

    around: Transforms
    leaves: tuple[Transforms, ...]


def transforms_of(values: Sequence[Any]) -> TransformsOfCall | None:
    """Return the transforms around a call with these leaves; None where a tracer is of another kind."""
    leaves = []
    # Two leaves of one vmap share its trace; a trace has more traces around it than the traces outside of it.
    around: dict[int, tuple[int, Transform]] = {}
    for value in values:
        of_leaf: list[Transform] = []
        while is_tracer_type(type(value)):
            try:
                transform, inside = _outermost(value)
                trace = value._trace
                depth = _depth(trace)
            except not_of_a_signal(AttributeError):  # a tracer of another JAX version
                return None
            if transform is None or len(of_leaf) == _MOST:
                return None
            of_leaf.append(transform)
            around[id(trace)] = depth, transform._replace(axis=None)
            value = inside
        leaves.append(tuple(of_leaf))
    ordered = sorted(around.values(), key=lambda entry: -entry[0])
    return TransformsOfCall(tuple(transform for _, transform in ordered), tuple(leaves))


def jitted_function_of(tracer: Any) -> str | None:
    """Return the name of the jitted function whose trace made a tracer, as JAX names the function.

    Returns:
      An empty name for a tracer of another trace, such as of the body of a scan; None for a tracer of no jaxpr's trace.
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
    """Return the number of traces around a trace."""
    depth = 0
    while (trace := getattr(trace, "parent_trace", None)) is not None and depth < _MOST:
        depth += 1
    return depth


def _outermost(tracer: Any) -> tuple[Transform | None, Any]:
    """Return the transform of a tracer and the value that the tracer holds; None for a tracer of another kind."""
    kind = type(tracer).__name__
    if kind == "BatchTracer":
        axis = tracer.batch_dim
        return Transform("vmap", tracer._trace.axis_data.size, axis if type(axis) is int else None), tracer.val
    if kind == "LinearizeTracer":
        return Transform("grad" if tracer._trace.is_vjp else "linearize"), tracer.primal
    if kind == "JVPTracer":
        return Transform("jvp"), tracer.primal
    return None, None
