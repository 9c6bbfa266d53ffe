"""An exception that ended a trace in, a finding out: which line, what Python wanted there, which argument, the cure."""

from __future__ import annotations

import re
import traceback

from ..observe.observation import Finding, Place

_ARGUMENTS = re.compile(r"depends on the values? of the arguments? (.+?)\.(?:\s|$)")

_STATIC = "If it is a setting that seldom changes, give its name to jax.jit as static_argnames."

# Public names of jax.errors -> what Python wanted, and what to write instead.
_KNOWN = {
    "TracerBoolConversionError": (
        "Python's if, while, and, or, not need true or false",
        f"Choose with jnp.where or jax.lax.cond, repeat with jax.lax.while_loop. {_STATIC}",
    ),
    "TracerIntegerConversionError": (
        "Python needs a whole number, for a range, an index or a shape",
        f"Take the number from a shape, such as x.shape[0], or loop with jax.lax.fori_loop. {_STATIC}",
    ),
    "TracerArrayConversionError": (
        "NumPy needs the numbers of an array",
        "Call the function of the same name in jax.numpy.",
    ),
    "ConcretizationTypeError": (
        "Python needs the value of an array, as float(), int() and bool() do",
        f"Keep it an array: x.astype(float) in place of float(x). {_STATIC}",
    ),
    "NonConcreteBooleanIndexError": (
        "an index of true and false decides the shape of the result",
        "Write jnp.where(mask, x, 0), which keeps the shape.",
    ),
}


def trace_error(error: BaseException, function: str, place: Place | None) -> Finding:
    """Say why a trace could not go on.

    Args:
        error: What was raised while JAX traced.
        function: Name of the jitted function.
        place: The user's line that raised.
    """
    kind = type(error).__name__
    text = str(error)
    if kind in _KNOWN and type(error).__module__.split(".")[0] in ("jax", "jaxlib"):
        wanted, cure = _KNOWN[kind]
        found = _ARGUMENTS.search(text)
        why = "while JAX traces, an array has a shape and no values"
        if found is not None:
            word = "arguments" if " and " in found[1] or "," in found[1] else "argument"
            why = f"it depends on the {word} {found[1]}, of which JAX knows the shape and no value while it traces"
        said = f"{function} could not be traced. Here {wanted}, and {why}."
    else:
        first = text.strip().partition("\n")[0].rstrip(".")
        said = f"{function} could not be traced. Here {kind} was raised{f': {first}' if first else ''}."
        cure = "Correct the line and run the cell again."
    detail = "".join(traceback.format_exception_only(error)).strip()
    return Finding("trace_raised", said, cure=cure, detail=detail, function=function, place=place)
