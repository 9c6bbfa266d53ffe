"""An exception out of a cell in, a finding out: which line, what Python wanted there, which argument, the cure."""

from __future__ import annotations

from dataclasses import replace

from ...observe.observation import Finding
from ...plain_text import error_lines, kind_name, message_of
from .arguments import argument_error
from .arrays import array_error
from .constructs import construct_error
from .explanation import Explained
from .messages import message_error
from .raised import raised_at
from .states import state_error
from .transforms import transform_error
from .values import value_error

_KINDS = (
    state_error,
    value_error,
    argument_error,
    construct_error,
    transform_error,
    array_error,
    message_error,
)


def explained(error: BaseException, function: str) -> Explained:
    """What an error is about.

    Args:
        error: What was raised while JAX traced, or by a call.
        function: Name of the traced function; empty where JAX traced none.
    """
    raised = raised_at(error)
    place = raised.place if raised is not None else None
    function = function or (place.function.rpartition(".")[2] if place is not None else "")
    for look in _KINDS:
        try:
            found = look(error, raised, function)
        except Exception:  # the error itself is shown in any case
            continue
        if found is not None:
            return replace(found, place=place)
    return Explained(place)


def trace_error(error: BaseException, function: str) -> Finding:
    """Say why a trace could not go on.

    Args:
        error: What was raised while JAX traced.
        function: Name of the jitted function.
    """
    known = explained(error, function)
    if known.title is not None and known.traced:
        said = f"{function} could not be traced."
    else:
        kind = kind_name(type(error))
        first = message_of(error).strip().partition("\n")[0].rstrip(".:")
        said = f"{function} could not be traced. The trace raised {kind}{f': {first}' if first else ''}."
    return Finding(
        "trace_raised",
        f"{said} {known.text}".strip(),
        cure="Correct the line and run the cell again." if known.title is None else None,
        detail=error_lines(error),
        function=function,
        place=known.place,
        title=known.title,
        cures=known.cures,
    )


def raised_error(error: BaseException) -> Finding | None:
    """Say why a line raised where JAX traced no function for it; None for an error that is none of JAX's."""
    known = explained(error, "")
    if known.title is None:
        return None
    return Finding(
        "raised",
        known.text or "The line raised an error.",
        detail=error_lines(error),
        place=known.place,
        title=known.title,
        cures=known.cures,
    )
