"""Decides whether an error that ended our code is the user's: raised by a signal handler such as that of an alarm.

Python calls a signal handler between any two instructions, so also between two of ours. What the handler raises is
meant for the user's cell: it is no failure of ours, and has to go on.
"""

from __future__ import annotations

import functools
import signal
from types import CodeType, FunctionType, MethodType
from typing import Any


def is_of_a_signal(error: BaseException) -> bool:
    """Whether a signal handler of the user's raised an error; most are functions of Python."""
    handlers = [signal.getsignal(number) for number in signal.valid_signals()]
    codes = {_code_of(each) for each in handlers} - {None}
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code in codes:
            return True
        traceback = traceback.tb_next
    return False


def _code_of(handler: Any) -> CodeType | None:
    """The code that a signal runs: of a function, of a method, of a partial, or of an object that can be called."""
    while type(handler) is functools.partial:
        handler = handler.func
    if type(handler) is MethodType:
        handler = handler.__func__
    if type(handler) is not FunctionType:
        handler = next((vars(kind)["__call__"] for kind in type(handler).__mro__ if "__call__" in vars(kind)), None)
    return handler.__code__ if type(handler) is FunctionType else None
