"""Finds the arguments that the failing call passed, also those that the call itself made, as in f(Model(w))."""

from __future__ import annotations

import ast
import inspect
from types import FrameType
from typing import Any

from .place_of_error import RaisedAt


def passed_arguments(error: BaseException, raised: RaisedAt) -> tuple[Any, ...] | None:
    """Return the values of the positional arguments of the failing call.

    The called function holds these values in its parameter `*args`. A function that jax.grad returns has no other
    parameters for them.

    Args:
        error: The exception.
        raised: Where the user's code called the function.

    Returns:
        The values; None if the called function has no frame in the traceback, or other parameters than `*args`.
    """
    call = raised.node
    frame = _frame_after(error, raised.frame)
    if frame is None or not isinstance(call, ast.Call) or any(isinstance(part, ast.Starred) for part in call.args):
        return None
    code = frame.f_code
    if code.co_argcount or not code.co_flags & inspect.CO_VARARGS:
        return None
    values = frame.f_locals.get(code.co_varnames[code.co_kwonlyargcount])
    return values if type(values) is tuple and len(values) == len(call.args) else None


def _frame_after(error: BaseException, frame: FrameType | None) -> FrameType | None:
    """Return the frame that follows a frame in the traceback; None if there is no such frame."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_frame is not frame:
        traceback = traceback.tb_next
    following = traceback.tb_next if traceback is not None else None
    return following.tb_frame if following is not None else None
