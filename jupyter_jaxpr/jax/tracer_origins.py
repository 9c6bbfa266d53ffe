"""Finds the inputs of a trace on which a tracer depends, and the arguments of a call that raised."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import FrameType
from typing import Any

from ..interruptions import not_of_a_signal
from ..plain_text import FAILURES, exact
from .facts import private

_LAYERS = 20  # a tracer of vmap over one of grad over one of jit ...


@dataclass(frozen=True)
class Input:
    """One input of a trace.

    Attributes:
        path: Such as p['w'].
        type: As the function's caller passed the input: f32[3], not the type of one row of it.
    """

    path: str
    type: str


@dataclass(frozen=True)
class Origin:
    """Where a traced value comes from.

    Attributes:
        function: The name of the function that was traced; None where no function was traced for a program.
        construct: For what: jit, scan, while_cond and so on, as JAX says; None likewise.
        inputs: What the value depends on, in the order of the arguments.
        type: Of the value as the transforms hold it: with the mapped axis.
    """

    function: str | None
    construct: str | None
    inputs: tuple[Input, ...]
    type: str


def type_of(value: Any) -> str:
    """The type of an array or a tracer, such as f32[3]; empty where JAX has none."""
    import jax

    try:
        return exact(jax.typeof(value).str_short(short_dtypes=True))
    except not_of_a_signal(*FAILURES):
        return ""


def short_type(text: str) -> str:
    """A type of JAX's messages as JAX prints it in programs: f32[3] for float32[3]."""
    name, bracket, rest = text.partition("[")
    short = re.sub(r"^(float|int|uint|complex|bfloat)(\d+)$", lambda found: f"{_LETTERS[found[1]]}{found[2]}", name)
    return short + bracket + rest


_LETTERS = {"float": "f", "int": "i", "uint": "u", "complex": "c", "bfloat": "bf"}


def under(tracer: Any) -> Any:
    """The value below the tracers of vmap, grad and jvp: a tracer of a program, or an array."""
    for _ in range(_LAYERS):
        kind = type(tracer).__name__
        if kind == "BatchTracer":
            tracer = tracer.val
        elif kind in ("JVPTracer", "LinearizeTracer"):
            tracer = tracer.primal
        else:
            break
    return tracer


def origin_of(tracer: Any) -> Origin | None:
    """Where a traced value comes from; None where this JAX does not say."""
    inner = under(tracer)
    kind = private("interpreters.partial_eval").DynamicJaxprTrace
    trace: Any = getattr(inner, "_trace", None)
    if type(trace) is not kind:
        return Origin(None, None, (), type_of(inner))
    held = trace.frame
    places = {id(variable): number for number, variable in enumerate(held.invars)}
    found: set[int] = set()
    seen: set[int] = set()
    waiting = [inner]
    while waiting:
        at = waiting.pop()
        if id(at) in seen:
            continue
        seen.add(id(at))
        number = places.get(id(getattr(at, "val", None)))
        if number is not None:
            found.add(number)
        parent = getattr(at, "parent", None)
        waiting += list(getattr(parent, "in_tracers", ()))
    names = getattr(held.debug_info, "arg_names", None) or ()
    inputs = tuple(
        Input(exact(names[number]), exact(held.invars[number].aval.str_short(short_dtypes=True)))
        for number in sorted(found)
        if number < len(names) and names[number]
    )
    function = getattr(held.debug_info, "func_name", None)
    construct = getattr(held.debug_info, "traced_for", None)
    return Origin(function, construct, inputs, type_of(inner))


def inputs_of(tracer: Any) -> tuple[Input, ...]:
    """All inputs of the trace that a tracer belongs to; empty where it belongs to none of a program."""
    trace: Any = getattr(under(tracer), "_trace", None)
    if type(trace) is not private("interpreters.partial_eval").DynamicJaxprTrace:
        return ()
    names = getattr(trace.frame.debug_info, "arg_names", None) or ()
    pairs = zip(names, trace.frame.invars, strict=False)
    return tuple(Input(exact(name), exact(each.aval.str_short(short_dtypes=True))) for name, each in pairs if name)


def maker_of(tracer: Any) -> Any:
    """JAX's traceback of the equation that made a traced value; None for an input or where JAX does not say."""
    parent = getattr(under(tracer), "parent", None)
    return getattr(getattr(parent, "source_info", None), "traceback", None)


@dataclass(frozen=True)
class RaisedCall:
    """A call of a jitted function that an error came through."""

    function: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


def raised_calls(error: BaseException) -> list[RaisedCall]:
    """The calls of jitted functions that an error came through, outermost first."""
    found = []
    traceback = error.__traceback__
    while traceback is not None:
        names = traceback.tb_frame.f_code
        if names.co_name == "cache_miss" and names.co_filename.endswith("pjit.py"):
            local = traceback.tb_frame.f_locals
            fun, args, kwargs = local.get("fun"), local.get("args"), local.get("kwargs")
            if fun is not None and isinstance(args, tuple) and isinstance(kwargs, dict):
                found.append(RaisedCall(fun, args, kwargs))
        traceback = traceback.tb_next
    return found


def is_over(tracer: Any, error: BaseException, last: FrameType | None) -> bool:
    """Whether the trace of a tracer had ended before an error was raised, so that nothing could give its value.

    Args:
        tracer: Of the expression that raised.
        error: With JAX's own frames in its traceback; a trace that the error came through ends only with it.
        last: The innermost frame of the user's: the traces around it are the ones that the error came through.
    """
    trace = getattr(under(tracer), "_trace", None)
    if type(trace) is not private("interpreters.partial_eval").DynamicJaxprTrace:
        return False
    traceback = error.__traceback__
    while traceback is not None:
        if any(value is trace for value in traceback.tb_frame.f_locals.values()):
            return False
        if traceback.tb_frame is last:
            return True
        traceback = traceback.tb_next
    return True
