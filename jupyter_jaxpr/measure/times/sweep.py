"""Measures functions at each value of a name: eager, first call, warm, and the program.

The user asked for it, on the magic's line or by a button, so the functions run: at each value the arguments are made
anew, in a copy of the user's namespace, and each function is measured with them (see `swept`). A power law is fitted
to each series (see `power_law`).
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
from ...typed.specs import Target
from ..compare.differentiation import words
from ..compare.variants import Candidate, Report
from .power_law import PowerLaw, power_law
from .repeated_calls import Stop
from .sweep_point import SERIES, TOO_LONG, Point, Series, Swept

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True)
class Fit:
    """The power law of one series of one function."""

    function: str
    series: Series
    law: PowerLaw


@dataclass
class Sweep:
    """The fields are those of `snapshot.timing.Sweep`.

    Attributes:
        interrupted: Whether the user interrupted it.
        question: What to ask before it runs; nothing was called then.
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
    """The values of a name, and the call whose arguments they make.

    Attributes:
        name: As the call's arguments look it up.
        texts: The values as they were typed.
        target: The call.
        namespace: Of the user; it is read, never changed.
    """

    name: str
    texts: Sequence[str]
    target: Target
    namespace: Mapping[str, Any]

    def value(self, text: str) -> Any:
        """What a value is; raises what the user's code raises."""
        return eval(text, dict(self.namespace))

    def arguments(self, value: Any) -> Arguments:
        """The call's arguments with a value; raises what the user's code raises."""
        return self.target.arguments({**self.namespace, self.name: value})


def number_of(value: Any) -> float | None:
    """A value as a number; None where it is none that has a place on an axis."""
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
    """Call functions at several values; what one raises at a value is the error of that point.

    Args:
        observer: Is told to look away.
        functions: What to call, with the names to show.
        values: The values, and the call to take the arguments from.
        confirmed: Whether the user said yes to repeated effects and to calls that take long.
        ask: Whether to ask about effects, `Sweep.question`, rather than to leave those functions' calls out.
        report: Told what is being done, how many points are done, and of how many.
        stop: Asked between steps and between runs; what was measured until then is kept.
    """
    began = time.perf_counter()
    there = [each for each in functions if each.missing is None]
    found = Sweep(values.name, values.target.text, [each.name for each in there])
    found.notes += [f"The sweep leaves out {each.name}. {each.missing}" for each in functions if each.missing]
    found.total = len(there) * len(values.texts)
    swept = [Swept(observer, each, found.notes, values.name, confirmed, ask, stop) for each in there]
    with observer.looking_away(), _without_prints():
        try:
            _carry_out(found, swept, values, report, stop)
        except KeyboardInterrupt:
            found.interrupted = True
            found.stopped = f"The sweep was interrupted after {_done(found)}. Run the sweep again for all points."
    found.fits = fits(found)
    found.seconds = time.perf_counter() - began
    return found


def _carry_out(found: Sweep, swept: Sequence[Swept], values: Values, report: Report, stop: Stop) -> None:
    if not swept:
        return
    for text in values.texts:
        if stop():
            found.stopped = _stopped(found)
            return
        report(f"{values.name}={text}: making the arguments", len(found.points), found.total)
        number = None
        try:
            value = values.value(text)
            number = number_of(value)
            if all(each.takes_too_long(number) for each in swept):  # its arguments may not even fit
                found.stopped = (
                    f"The sweep ended before {values.name} = {text}, after {_done(found)}: a call was expected to take "
                    f"over {duration(TOO_LONG)}. To measure {values.name} = {text} anyway, make {text} the first value."
                )
                return
            args, kwargs = values.arguments(value)
        except not_of_a_signal(Exception) as error:
            why = f"{words(error)} (in the arguments)"
            found.points += [Point(each.name, text, number, error=why) for each in swept]
            continue
        for each in swept:
            if stop():
                break
            point = Point(each.name, text, number)

            def doing(what: str, text: str = text, name: str = each.name) -> None:
                of = f", {name}" if len(swept) > 1 else ""
                report(f"{values.name}={text}{of}: {what}", len(found.points), found.total)

            try:
                each.measure(point, args, kwargs, doing)
            finally:  # an interrupted point keeps what it has
                if point != Point(each.name, text, number):
                    found.points.append(point)
            if each.question is not None:
                found.question = each.question
                return
    if stop():
        found.stopped = _stopped(found)


def _stopped(found: Sweep) -> str:
    return f"The sweep was stopped after {_done(found)}. Run the sweep again for all points."


def _done(found: Sweep) -> str:
    return f"{len(found.points)} of {found.total} points"


def fits(found: Sweep) -> list[Fit]:
    """The power laws of the series of a sweep that have one."""
    laws = []
    for function in found.functions:
        points = [point for point in found.points if point.function == function and point.number is not None]
        for series in SERIES:
            pairs = [(point.number or 0.0, value) for point in points if (value := point.of(series)) is not None]
            law = power_law(pairs, [point.spread(series) for point in points if point.of(series) is not None])
            if law is not None:
                laws.append(Fit(function, series, law))
    return laws


@contextmanager
def _without_prints() -> Iterator[None]:
    """What the functions print while they are traced, once a value, is not shown."""
    prints = PrintRecorder(lambda: "", swallow=True)
    prints.start()
    try:
        yield
    finally:
        prints.stop()
