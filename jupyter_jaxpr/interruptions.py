"""Decides whether an error in this package's code was raised by a signal handler of the user, such as an alarm.

Python may call a signal handler between any two instructions, also of this package. An error that the handler raises is
meant for the user's cell and must reach it. Therefore no `except` in this package names only an error class; it is
written `except not_of_a_signal(ValueError)`.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
import signal
import sys
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any, TypeVar

_Kind = TypeVar("_Kind", bound=BaseException)


class TraceStopped(BaseException):
    """Raised by this package to stop an own trace.

    It is no subclass of Exception, so that `except Exception` in user or library code does not catch it.
    """


#: The folder of this package, with a separator at its end.
PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
# Computed once, because `signal.valid_signals` takes 100 us.
_SIGNALS = frozenset(signal.valid_signals())
_TRACEBACK = re.compile(r"^Traceback \(most recent call last\):\n", re.MULTILINE)


def not_of_a_signal(*kinds: type[_Kind]) -> tuple[type[_Kind], ...]:
    """Return the classes for an `except` clause; () if a signal handler of the user raised the present error.

    Python evaluates the expression after `except` only when an error was raised.
    """
    error = sys.exception()
    try:
        return () if error is not None and is_of_a_signal(error) else kinds
    except RecursionError:  # the stack is full, so the caught error is a RecursionError itself
        return kinds


def is_of_a_signal(error: BaseException) -> bool:
    """Return whether an error was raised by a signal handler of the user.

    Handlers are recognised if they are Python functions, as most are.
    """
    # The traceback's first frame has the `try` statement, so it is skipped.
    above = error.__traceback__
    frames = []
    while above is not None and (above := above.tb_next) is not None:
        frames.append(above.tb_frame)
    # The usual error comes from functions of this package; in this case, the loop over about 60 signals is avoided.
    frames = [frame for frame in frames if not _is_ours(frame.f_code) and _takes_two(frame.f_code)]
    printed = _printed_traceback(error)
    if not frames and printed is None:
        return False
    if any(_was_called_by_a_signal(frame) for frame in frames):
        return True
    handlers = [signal.getsignal(number) for number in _SIGNALS]
    codes = {_code_of(handler) for handler in handlers} - {None}
    return any(frame.f_code in codes for frame in frames) or any(
        printed is not None and _stands_in(code, printed) for code in codes if code is not None
    )


def _printed_traceback(error: BaseException) -> str | None:
    """Return the traceback that an error has in its text, not in its frames; None if there is none.

    jaxlib's caches make such an error (ValueError) of an error that a comparison of two keys raised.
    """
    if type(error) is not ValueError or not error.args or type(error.args[0]) is not str:
        return None
    begin = _TRACEBACK.search(error.args[0])
    return None if begin is None else error.args[0][begin.end() :]


def _stands_in(code: CodeType, traceback: str) -> bool:
    """Return whether a line of a printed traceback is in a function."""
    line = rf'^  File "{re.escape(code.co_filename)}", line \d+, in {re.escape(code.co_name)}$'
    return re.search(line, traceback, re.MULTILINE) is not None


def _is_ours(code: CodeType) -> bool:
    """Return whether a code object belongs to this package, which has no signal handlers."""
    return code.co_filename.startswith(PACKAGE)


def _takes_two(code: CodeType) -> bool:
    return code.co_argcount >= 2 or bool(code.co_flags & inspect.CO_VARARGS)


def _was_called_by_a_signal(frame: FrameType) -> bool:
    """Return whether a function was called as a signal handler: with a signal and the interrupted frame.

    The arguments in the frame are checked rather than `signal.getsignal`, because the function may no longer be the
    registered handler.
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
    """Return the code object that a signal handler runs: of a function, method, partial or callable object."""
    while type(handler) is functools.partial:
        handler = handler.func
    if type(handler) is MethodType:
        handler = handler.__func__
    if type(handler) is not FunctionType:
        handler = next((vars(kind)["__call__"] for kind in type(handler).__mro__ if "__call__" in vars(kind)), None)
    return handler.__code__ if type(handler) is FunctionType else None
