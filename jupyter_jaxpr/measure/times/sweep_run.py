"""Measures functions at each value of a name: eager call, first call, warm call, and the program.

The user requested the sweep (in the magic's line or by a button), so the functions run. At each value the arguments are
computed in a copy of the user's namespace, and each function is measured with them (see `sweep_point`). A power law is
fitted to each series (see `power_law`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ...interruptions import not_of_a_signal
from ...observe.calls.printed_output import PrintRecorder
from ...observe.observer import Observer
from ...quantities import duration
from ...typed.targets_and_array_types import Target
from ..compare.compared_functions import Candidate, Report
from ..compare.differentiation import words
from .power_law import PowerLaw, power_law
from .repeated_calls import Stop
from .sweep_point import SERIES, Point, Series, Swept
from .sweep_sentences import FUNCTION_LEFT_OUT, SWEEP_ENDED_BEFORE, SWEEP_INTERRUPTED, SWEEP_STOPPED
from .sweep_time_limit import TOO_LONG

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True)
class Fit:
    """The power law of one series (such as warm times) of one function."""

    function: str
    series: Series
    law: PowerLaw


@dataclass
class Sweep:
    """The measured points of a sweep; the fields are those of the document's `Sweep`.

    Attributes:
        interrupted: True if the user interrupted the sweep.
        question: The question that the user must confirm first; if there is one, nothing was called.
    """

    name: str
    call: str
    functions: list[str]
    points: list[Point] = field(default_factory=list)
    fits: list[Fit] = field(default_factory=list)
    total: int = 0
    stopped: str | None = None
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    interrupted: bool = False
    question: str | None = None


@dataclass(frozen=True)
class Values:
    """The values of a swept name, and the call whose arguments use the name.

    Attributes:
        name: The name in the arguments of the call.
        texts: The values as the user typed them.
        target: The call.
        namespace: The user's namespace, which is only read.
    """

    name: str
    texts: Sequence[str]
    target: Target
    namespace: Mapping[str, Any]

    def value(self, text: str) -> Any:
        """Return a value from its text; raises the errors of the user's code."""
        return eval(text, dict(self.namespace))

    def arguments(self, value: Any) -> Arguments:
        """Return the arguments of the call for a value; raises the errors of the user's code."""
        return self.target.arguments({**self.namespace, self.name: value})


def number_of(value: Any) -> float | None:
    """Return a value as a finite number; None if it cannot be drawn on an axis."""
    if isinstance(value, bool | str | bytes | complex) or getattr(value, "shape", ()) != ():
        return None
    try:
        number = float(value)
    except not_of_a_signal(TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def sweep(
    observer: Observer,
    functions: Sequence[Candidate],
    values: Values,
    *,
    confirmed: bool = False,
    ask: bool = False,
    report: Report = lambda text, done, total: None,
    stop: Stop = lambda: False,
) -> Sweep:
    """Call and measure functions at several values; an exception is stored as the error of the point.

    Args:
        observer: The observer; it records nothing during the sweep.
        functions: The functions, with the names to show.
        values: The values, and the call with the arguments.
        confirmed: True if the user accepted repeated effects and long calls.
        ask: True to return a question about effects, `Sweep.question`, instead of leaving such functions out.
        report: Called with a text on the present step, the number of finished points and the number of all points.
        stop: Called between steps and runs; returns True to stop and keep the results so far.
    """
    began = time.perf_counter()
    functions_defined = [function for function in functions if function.missing is None]
    result = Sweep(values.name, values.target.text, [function.name for function in functions_defined])
    result.notes += [
        FUNCTION_LEFT_OUT.format(name=function.name, why=function.missing) for function in functions if function.missing
    ]
    result.total = len(functions_defined) * len(values.texts)
    swept = [
        Swept(observer, function, result.notes, values.name, confirmed, ask, stop) for function in functions_defined
    ]
    with observer.looking_away(), _without_prints():
        try:
            _carry_out(result, swept, values, report, stop)
        except KeyboardInterrupt:
            result.interrupted = True
            result.stopped = SWEEP_INTERRUPTED.format(points=_progress(result))
    result.fits = fits(result)
    result.seconds = time.perf_counter() - began
    return result


def _carry_out(result: Sweep, swept: Sequence[Swept], values: Values, report: Report, stop: Stop) -> None:
    if not swept:
        return
    for text in values.texts:
        if stop():
            result.stopped = _stopped(result)
            return
        report(f"{values.name}={text}: making the arguments of the calls", len(result.points), result.total)
        number = None
        try:
            value = values.value(text)
            number = number_of(value)
            # If all calls would take too long, the arguments are not made either: they might not even fit into memory.
            if all(function.takes_too_long(number) for function in swept):
                result.stopped = SWEEP_ENDED_BEFORE.format(
                    name=values.name, value=text, points=_progress(result), limit=duration(TOO_LONG)
                )
                return
            args, kwargs = values.arguments(value)
        except not_of_a_signal(Exception) as error:
            why = f"{words(error)} (in the arguments)"
            result.points += [Point(function.name, text, number, error=why) for function in swept]
            continue
        for swept_function in swept:
            if stop():
                break
            point = Point(swept_function.name, text, number)

            def doing(activity: str, text: str = text, name: str = swept_function.name) -> None:
                name_text = f", {name}" if len(swept) > 1 else ""
                report(f"{values.name}={text}{name_text}: {activity}", len(result.points), result.total)

            try:
                swept_function.measure(point, args, kwargs, doing)
            finally:  # if a point is interrupted, the parts that were measured are kept
                if point != Point(swept_function.name, text, number):
                    result.points.append(point)
            if swept_function.question is not None:
                result.question = swept_function.question
                return
    if stop():
        result.stopped = _stopped(result)


def _stopped(result: Sweep) -> str:
    return SWEEP_STOPPED.format(points=_progress(result))


def _progress(result: Sweep) -> str:
    return f"{len(result.points)} of {result.total} points"


def fits(result: Sweep) -> list[Fit]:
    """Return the power laws of those series that follow one."""
    laws = []
    for function in result.functions:
        points = [point for point in result.points if point.function == function and point.number is not None]
        for series in SERIES:
            pairs = [(point.number or 0.0, value) for point in points if (value := point.of(series)) is not None]
            law = power_law(pairs, [point.spread(series) for point in points if point.of(series) is not None])
            if law is not None:
                laws.append(Fit(function, series, law))
    return laws


@contextmanager
def _without_prints() -> Iterator[None]:
    """Suppress what the functions print while they are traced, which happens once for each value."""
    prints = PrintRecorder(lambda: "", swallow=True)
    prints.start()
    try:
        yield
    finally:
        prints.stop()
