"""Finds the inputs of a trace on which a tracer depends, and the arguments of a call that raised."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import FrameType
from typing import Any, Literal

from ..interruptions import not_of_a_signal
from ..plain_text import FAILURES, exact, mro_of, own_name
from .facts import is_tracer_type, private

_LAYERS = 20  # the most nested tracers that are followed, such as a tracer of vmap around one of grad around one of jit


@dataclass(frozen=True)
class Input:
    """One input of a trace.

    Attributes:
        path: The path, such as p['w'].
        type: The type of the argument that the caller passed, such as f32[3]; under vmap with the mapped axis.
    """

    path: str
    type: str


@dataclass(frozen=True)
class Origin:
    """Where a traced value comes from.

    Attributes:
        function: The name of the traced function; None if JAX did not trace a function to a program.
        construct: JAX's word for the purpose of the trace: jit, scan, while_cond and so on; None if `function` is None.
        inputs: The inputs on which the value depends, in the order of the arguments.
        type: The type of the value inside the transforms: with the mapped axis.
    """

    function: str | None
    construct: str | None
    inputs: tuple[Input, ...]
    type: str


def type_of(value: Any) -> str:
    """Return the type of an array or a tracer, such as f32[3]; '' if JAX has none.

    Only arrays and tracers are passed to JAX: for other objects, JAX would print the object in an error, which runs
    user code.
    """
    import jax

    if not any(kind in _NUMBERS or _package(kind) in _PACKAGES for kind in mro_of(type(value))):
        return ""
    try:
        return exact(jax.typeof(value).str_short(short_dtypes=True))
    except not_of_a_signal(*FAILURES):
        return ""


_NUMBERS = (bool, int, float, complex, str)
_PACKAGES = frozenset({"jax", "jaxlib", "numpy", "ml_dtypes"})


def _package(kind: type) -> str:
    return (own_name(kind, "__module__") or "").partition(".")[0]


def short_type(text: str) -> str:
    """Return a type in the short form of printed programs: f32[3] for the float32[3] of JAX's error messages."""
    name, bracket, shape_text = text.partition("[")
    short = re.sub(r"^(float|int|uint|complex|bfloat)(\d+)$", lambda match: f"{_LETTERS[match[1]]}{match[2]}", name)
    return short + bracket + shape_text


_LETTERS = {"float": "f", "int": "i", "uint": "u", "complex": "c", "bfloat": "bf"}


def under(tracer: Any) -> Any:
    """Return the value inside the tracers of vmap, grad and jvp: a tracer of a program, or an array."""
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
    """Return where a traced value comes from; None if this version of JAX does not show it."""
    inner = under(tracer)
    kind = private("interpreters.partial_eval").DynamicJaxprTrace
    trace: Any = getattr(inner, "_trace", None)
    if type(trace) is not kind:
        return Origin(None, None, (), type_of(inner))
    trace_frame = trace.frame
    places = {id(variable): number for number, variable in enumerate(trace_frame.invars)}
    numbers: set[int] = set()
    visited: set[int] = set()
    waiting = [inner]
    while waiting:
        at = waiting.pop()
        if id(at) in visited:
            continue
        visited.add(id(at))
        number = places.get(id(getattr(at, "val", None)))
        if number is not None:
            numbers.add(number)
        parent = getattr(at, "parent", None)
        waiting += list(getattr(parent, "in_tracers", ()))
    names = getattr(trace_frame.debug_info, "arg_names", None) or ()
    inputs = tuple(
        Input(exact(names[number]), exact(trace_frame.invars[number].aval.str_short(short_dtypes=True)))
        for number in sorted(numbers)
        if number < len(names) and names[number]
    )
    function = getattr(trace_frame.debug_info, "func_name", None)
    construct = getattr(trace_frame.debug_info, "traced_for", None)
    return Origin(function, construct, inputs, type_of(inner))


def inputs_of(tracer: Any) -> tuple[Input, ...]:
    """Return all inputs of the trace of a tracer; () if the tracer belongs to no program."""
    trace: Any = getattr(under(tracer), "_trace", None)
    if type(trace) is not private("interpreters.partial_eval").DynamicJaxprTrace:
        return ()
    names = getattr(trace.frame.debug_info, "arg_names", None) or ()
    pairs = zip(names, trace.frame.invars, strict=False)
    return tuple(
        Input(exact(name), exact(variable.aval.str_short(short_dtypes=True))) for name, variable in pairs if name
    )


def maker_of(tracer: Any) -> Any:
    """Return JAX's traceback of the equation that computed a traced value; None for an input, or if JAX has none."""
    parent = getattr(under(tracer), "parent", None)
    return getattr(getattr(parent, "source_info", None), "traceback", None)


@dataclass(frozen=True)
class RaisedCall:
    """A call of a function under `jax.jit` or `jax.checkpoint` that an error ended."""

    function: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    transform: Literal["jit", "checkpoint"] = "jit"
    static_numbers: tuple[int, ...] = ()
    static_names: tuple[str, ...] = ()


_CALLS: tuple[tuple[str, str, Literal["jit", "checkpoint"]], ...] = (
    ("cache_miss", "pjit.py", "jit"),
    ("fun_remat", "ad_checkpoint.py", "checkpoint"),
)
"""The function and the file of JAX's frame around a call of the user's function, and the transform."""


def raised_calls(error: BaseException, transform: str = "jit") -> list[RaisedCall]:
    """Return the calls of functions under a transform that an error ended, outermost first.

    Calls of `jax.checkpoint` with static arguments are left out: JAX's frame no longer has all their arguments.
    """
    calls = []
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        for name, file, around in _CALLS:
            if around != transform or code.co_name != name or not code.co_filename.endswith(file):
                continue
            local = traceback.tb_frame.f_locals
            fun, args, kwargs = local.get("fun"), local.get("args"), local.get("kwargs")
            is_whole = around == "jit" or local.get("static_argnums") == ()
            if fun is not None and isinstance(args, tuple) and isinstance(kwargs, dict) and is_whole:
                options = local.get("jit_info")
                numbers, names = (getattr(options, f"static_arg{kind}", ()) for kind in ("nums", "names"))
                calls.append(RaisedCall(fun, args, kwargs, around, tuple(numbers or ()), tuple(names or ())))
        traceback = traceback.tb_next
    return calls


def differentiated(error: BaseException) -> Any:
    """Return the arguments that `jax.grad` differentiates, if an error ended a call of `jax.grad`; else ().

    Of several nested calls of `jax.grad`, the outermost one counts.
    """
    traceback = error.__traceback__
    while traceback is not None:
        code, local = traceback.tb_frame.f_code, traceback.tb_frame.f_locals
        if code.co_name == "value_and_grad_f" and code.co_filename.endswith("api.py"):
            return local.get("dyn_args", ())
        traceback = traceback.tb_next
    return ()


def is_over(tracer: Any, error: BaseException, last: FrameType | None) -> bool:
    """Return whether the trace of a tracer had ended before an error, which means that the tracer leaked.

    Args:
        tracer: The tracer in the expression that raised.
        error: The error, with JAX's frames in its traceback; a trace that this error ended does not count as ended
            before.
        last: The innermost user frame; the traces around this frame were still running.
    """
    trace = getattr(under(tracer), "_trace", None)
    if type(trace) is not private("interpreters.partial_eval").DynamicJaxprTrace:
        return is_transform_over(tracer, error)
    traceback = error.__traceback__
    is_beyond = False
    while traceback is not None:
        # A frame of JAX inside of the user's frame may have the trace of an operand in a variable, although the trace
        # is over. Of these frames, only those of functions that begin a trace count.
        frame = traceback.tb_frame
        if (not is_beyond or frame.f_code.co_name.startswith(_BEGINS)) and any(
            value is trace for value in frame.f_locals.values()
        ):
            return False
        is_beyond = is_beyond or frame is last
        traceback = traceback.tb_next
    return True


def is_transform_over(tracer: Any, error: BaseException) -> bool:
    """Return whether a tracer of grad, jvp or vmap is from a transform that had ended before an error.

    Args:
        tracer: The tracer in the expression that raised.
        error: The error, with JAX's frames in its traceback. Each running transform has its trace in a variable of
            one of these frames.
    """
    trace: Any = getattr(tracer, "_trace", None)
    if transform_of(tracer) is None or trace is None:
        return False
    traceback = error.__traceback__
    while traceback is not None:
        if any(value is trace for value in traceback.tb_frame.f_locals.values()):
            return False
        traceback = traceback.tb_next
    return True


_TRANSFORMS = {"BatchTracer": "vmap", "LinearizeTracer": "grad", "JVPTracer": "grad"}
"""Class of JAX's tracers -> the kind of transform that makes them. grad stands for every derivative."""


def transforms_in_jit(tracer: Any) -> set[str] | None:
    """Return the kinds of transforms around a tracer of jax.jit, such as {"grad"}; None for a tracer of another trace.

    Such other traces are those of a loop or a branch, and vmap, grad and jvp outside of jit.
    """
    kinds = set()
    for _ in range(_LAYERS):
        kind = transform_of(tracer)
        if kind is None:
            break
        kinds.add(kind)
        tracer = tracer.val if kind == "vmap" else tracer.primal
    origin = origin_of(tracer)
    return kinds if origin is not None and origin.construct == "jit" else None


def has_values(tracer: Any) -> bool:
    """Return whether a tracer holds the values of an array, as a tracer of jax.grad outside of jax.jit does.

    False for a tracer of vmap, which holds the values of all elements.
    """
    for _ in range(_LAYERS):
        if transform_of(tracer) != "grad":
            break
        tracer = tracer.primal
    return not is_tracer_type(type(tracer))


def transform_of(tracer: Any) -> str | None:
    """Return the kind of transform that made a tracer: vmap, or grad for a derivative. None for a program's tracer."""
    return _TRANSFORMS.get(type(tracer).__name__)


_BEGINS = ("trace_to_jaxpr", "_cached_trace_to_jaxpr", "_trace_to_jaxpr")
"""Functions of JAX that begin a trace."""
