"""Decides whether an error that ended our code is the user's: raised by a signal handler such as that of an alarm.

Python calls a signal handler between any two instructions, so also between two of ours. The error that the handler
raises is meant for the user's cell: it is no failure of ours, and must reach the cell. So no `except` of ours names
an error class alone: it says `except not_of_a_signal(ValueError)`.
"""

from __future__ import annotations

import functools
import inspect
import os
import signal
import sys
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any, TypeVar

_Kind = TypeVar("_Kind", bound=BaseException)


class TraceStopped(BaseException):
    """This package stops a trace of its own; no `except Exception` of the user's or of a library's takes the error."""


_PACKAGE = os.path.dirname(__file__) + os.sep
# `signal.valid_signals` makes an enum member of each number, which takes 100 us.
_SIGNALS = frozenset(signal.valid_signals())


def not_of_a_signal(*kinds: type[_Kind]) -> tuple[type[_Kind], ...]:
    """Return the classes that an `except` takes; no class if a signal handler of the user's raised the error.

    Python evaluates what stands after `except` when there is an error.
    """
    error = sys.exception()
    try:
        return () if error is not None and is_of_a_signal(error) else kinds
    except RecursionError:  # the stack is at its end, which is what the error says, too
        return kinds


def is_of_a_signal(error: BaseException) -> bool:
    """Return whether a signal handler of the user's raised an error; most handlers are Python functions."""
    # The first frame belongs to the `try` statement, or to a function that the statement called.
    above = error.__traceback__
    frames = []
    while above is not None and (above := above.tb_next) is not None:
        frames.append(above.tb_frame)
    # An error of our own function, which is the usual error, is known without a question about 60 signals.
    frames = [frame for frame in frames if not _is_ours(frame.f_code) and _takes_two(frame.f_code)]
    if not frames:
        return False
    if any(_was_called_by_a_signal(frame) for frame in frames):
        return True
    handlers = [signal.getsignal(number) for number in _SIGNALS]
    codes = {_code_of(handler) for handler in handlers} - {None}
    return any(frame.f_code in codes for frame in frames)


def _is_ours(code: CodeType) -> bool:
    """Return whether the code is of this package, which registers no signal handler."""
    return code.co_filename.startswith(_PACKAGE)


def _takes_two(code: CodeType) -> bool:
    return code.co_argcount >= 2 or bool(code.co_flags & inspect.CO_VARARGS)


def _was_called_by_a_signal(frame: FrameType) -> bool:
    """Return whether a function was called as a signal handler: with a signal and the interrupted frame.

    The frame tells more than `signal.getsignal`: the function may no longer be the registered handler.
    """
    code, values = frame.f_code, frame.f_locals
    passed = [values.get(name) for name in code.co_varnames[: code.co_argcount]]
    if code.co_flags & inspect.CO_VARARGS:
        extra_arguments = values.get(code.co_varnames[code.co_argcount + code.co_kwonlyargcount])
        passed += extra_arguments if type(extra_arguments) is tuple else ()
    return any(
        type(struck) is FrameType
        and struck is frame.f_back
        and type(number) in (int, signal.Signals)
        and number in _SIGNALS
        for number, struck in zip(passed, passed[1:], strict=False)
    )


def _code_of(handler: Any) -> CodeType | None:
    """Return the code that a signal runs: of a function, a method, a partial, or any other callable object."""
    while type(handler) is functools.partial:
        handler = handler.func
    if type(handler) is MethodType:
        handler = handler.__func__
    if type(handler) is not FunctionType:
        handler = next((vars(kind)["__call__"] for kind in type(handler).__mro__ if "__call__" in vars(kind)), None)
    return handler.__code__ if type(handler) is FunctionType else None
