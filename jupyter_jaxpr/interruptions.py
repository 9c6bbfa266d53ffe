"""An error that ended code of ours in, whether it is the user's: raised by a signal handler such as that of an alarm.

Python calls a signal handler between any two instructions, so also between two of ours. What the handler raises is
meant for the user's cell: it is no failure of ours, and has to go on.
"""

from __future__ import annotations

import signal


def is_of_a_signal(error: BaseException) -> bool:
    """Whether a signal handler of the user's raised an error; most are functions of Python."""
    handlers = [signal.getsignal(number) for number in signal.valid_signals()]
    codes = {getattr(getattr(each, "__func__", each), "__code__", None) for each in handlers}
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code in codes:
            return True
        traceback = traceback.tb_next
    return False
