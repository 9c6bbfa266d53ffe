"""Traces a function of a cell that has not run yet (a live trace); this package keeps nothing of the trace.

The live trace may run on a second thread while a cell runs. The caller must have proven that the function has no side
effects.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any

from ...interruptions import TraceStopped, not_of_a_signal
from ...jax.caches_of_own_traces import separate_traces
from ...jax.computed_constants import computing_codes
from ...jax.hidden_events import unheard
from ...plain_text import file_of, function_of
from ..calls.printed_output import PrintRecorder
from ..functions.function_inside_wrappers import code_of, name_of, place_of, unwrap
from ..observation import ObservedFunction, Place, Printed
from ..observer import Observer
from ..reprs_of_users_values import NOTHING_CALLED
from ..silenced_warnings import silenced_warnings
from ..types_beside_code.values_of_names import NamedValues, NameRecorder
from ..user_or_library.whose_code import is_installed
from .trace_of_call import CallToTrace, has_numbers_to_fix, held_fixed_text, traced_anew


class ComputesArrays(TraceStopped):
    """Raised to stop a trace that is about to compute arrays."""


# A live trace uses this tool id of `sys.monitoring`; the recorders of a running cell use other ids.
_TOOL_IDS = (3,)


@dataclass
class LiveTrace:
    """The result of a live trace.

    Attributes:
        function: The function with its program; None where the trace raised.
        error: The error that the trace raised.
        printed: The text that the function printed during the trace.
        named_values: The values of the function's names.
        computed_at: The user's line at which the trace was stopped because the line was about to compute arrays; None
            if the trace was not stopped.
        seconds: The duration of the trace.
    """

    function: ObservedFunction | None = None
    error: BaseException | None = None
    printed: list[Printed] = field(default_factory=list)
    named_values: NamedValues = field(default_factory=NamedValues)
    computed_at: Place | None = None
    seconds: float = 0.0


def trace_live(observer: Observer, fun: Any, args: Sequence[Any], kwargs: Mapping[str, Any], note: str) -> LiveTrace:
    """Trace a call, and return its program or the error that it raised, even SystemExit.

    Two kinds of errors are not returned, but raised: errors of a signal handler, and `TraceStopped`.

    Args:
        observer: The observer; it records nothing during this trace.
        fun: A function, jitted or not, whose Python has no side effects.
        args: The positional arguments: values, or types as `jax.ShapeDtypeStruct`.
        kwargs: The keyword arguments, in the same form.
        note: A sentence on the origin of the program.
    """
    name = name_of(fun)
    prints = PrintRecorder(lambda: name, swallow=True)
    names = NameRecorder(observer.hooks.fail, _TOOL_IDS, computing_codes(), ComputesArrays)
    live = LiveTrace(printed=prints.printed)
    call = CallToTrace(fun, tuple(args), dict(kwargs), False, None, NOTHING_CALLED)
    began = time.perf_counter()
    with observer.looking_away(), unheard(), silenced_warnings(), separate_traces():
        prints.start()
        try:
            names.start(unwrap(fun))
            try:
                program, *_ = traced_anew(call, ())
            except not_of_a_signal(Exception) as error:
                if not has_numbers_to_fix(call, error):
                    raise
                prints.printed.clear()
                try:
                    program, *_ = traced_anew(replace(call, numbers_are_fixed=True), ())
                except not_of_a_signal(Exception):
                    raise error from None
        except ComputesArrays as stop:
            live.computed_at = _users_line(stop.__traceback__) or place_of(code_of(fun))
            return live
        except TraceStopped:
            raise
        # SystemExit must not leave this function: it would end the thread that answers requests
        except not_of_a_signal(BaseException) as error:
            live.error = error
            return live
        finally:
            live.seconds = time.perf_counter() - began
            prints.stop()
            live.named_values.add(names.stop())
            names.close()
    observed = program.observed(True, note + held_fixed_text(program))
    live.function = ObservedFunction(name=name, definition=place_of(code_of(fun)), programs=[observed], top_level=True)
    return live


def _users_line(step: TracebackType | None) -> Place | None:
    """Return the innermost user line of a traceback."""
    line = None
    while step is not None:
        code = step.tb_frame.f_code
        if not is_installed(file_of(code)):
            line = Place(file_of(code), step.tb_lineno, function_of(code))
        step = step.tb_next
    return line
