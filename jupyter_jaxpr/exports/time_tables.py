"""Prints a document's times for the exports: a sentence and rows for each timed program, and the sweep.

src/panel/time makes the same table cells for the panel; tests compare both with tests/measured_tables.json.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..document.types.document import Snapshot
from ..document.types.timing import ProgramTiming, Sweep, SweepPoint, WarmTime
from ..quantities import duration, ends, factor, operations, size
from .growth_sentence import TIMES, growth_sentence

HEAD = ("", "median", "quartiles", "fastest call", "time until the call returns")
_NOT_MEASURED = "–"
_UNKNOWN = "unknown"
_CALLS = "{runs} {warm_or_eager} calls were timed. The fastest call took {fastest}."
_ONE_CALL = "1 {warm_or_eager} call was timed."
_BATCHES = "{runs} {warm_or_eager} calls were timed in batches of {batch}. In the fastest batch, a call took {fastest}."


@dataclass(frozen=True)
class ProgramTimeText:
    """The times of one program as text."""

    name: str
    sentence: str
    rows: list[tuple[str, ...]]  # a row of cells for each timed kind of call, with the column headings in HEAD
    remarks: list[str]


@dataclass(frozen=True)
class SweepText:
    """A sweep as text."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]
    remarks: list[str]


@dataclass(frozen=True)
class TimeText:
    """The times of all programs that were timed in one run, as text."""

    programs: list[ProgramTimeText]
    sweep: SweepText | None


def time_text(document: Snapshot) -> TimeText | None:
    """Return the times and the sweep of a run as text; None if the run has neither."""
    programs = [_program(document, timing) for timing in document.timings]
    sweep = document.sweep
    if not programs and sweep is None:
        return None
    return TimeText(programs, None if sweep is None else _sweep(sweep))


def _program(document: Snapshot, timing: ProgramTiming) -> ProgramTimeText:
    measured = [(kind, time) for kind, time in (("eager", timing.eager), ("warm", timing.warm)) if time is not None]
    return ProgramTimeText(
        name=document.programs[timing.program].name,
        sentence=timing.sentence,
        rows=[_row(kind, time) for kind, time in measured],
        remarks=[
            *([timing.stopped] if timing.stopped else []),
            *(calls_sentence(kind, time) for kind, time in measured),
            *timing.notes,
        ],
    )


def _row(kind: str, time: WarmTime) -> tuple[str, ...]:
    return kind, duration(time.median), middle_half(time), duration(time.minimum), duration(time.dispatch)


def middle_half(time: WarmTime) -> str:
    """Return the range of the middle half of the samples, such as ``5.2 to 6.9 ms``; a dash if one call was timed."""
    if time.runs == 1:
        return _NOT_MEASURED
    low, high = ends(duration(time.lower), duration(time.upper))
    return f"{low} to {high}"


def calls_sentence(kind: str, time: WarmTime) -> str:
    """Return the sentence that says how many warm, eager or other calls were timed."""
    if time.batch == 1 and time.runs == 1:
        return _ONE_CALL.format(warm_or_eager=kind)
    sentence = _BATCHES if time.batch > 1 else _CALLS
    return sentence.format(
        warm_or_eager=kind, runs=f"{time.runs:,}", batch=f"{time.batch:,}", fastest=duration(time.minimum)
    )


#: For each column of a sweep's table: the heading, and a function: point -> text of the cell, or None without a value.
_COLUMNS: tuple[tuple[str, Callable[[SweepPoint], str | None]], ...] = (
    ("eager", lambda point: _median(point.eager)),
    ("first call", lambda point: _seconds(point.first)),
    ("warm", lambda point: _median(point.warm)),
    ("eager / warm", lambda point: _ratio(point)),
    ("trace", lambda point: _seconds(point.trace)),
    ("lower", lambda point: _seconds(point.lower)),
    ("compile", lambda point: _compile(point)),
    ("equations", lambda point: None if point.equations is None else f"{point.equations:,}"),
    ("bytes", lambda point: None if point.bytes is None else size(point.bytes)),
    ("operations", lambda point: None if point.flops is None else operations(point.flops)),
)


def _sweep(sweep: Sweep) -> SweepText:
    several = len(sweep.functions) > 1
    columns = [
        (title, cell_of) for title, cell_of in _COLUMNS if any(cell_of(point) is not None for point in sweep.points)
    ]
    head = (sweep.name, *(("function",) if several else ()), *(title for title, _ in columns))
    remarks = [growth_sentence(sweep, fit) for fit in sweep.fits if fit.series in TIMES]
    return SweepText(
        title=f"Sweep of {sweep.call} over {sweep.name}",
        head=head,
        rows=[_point(point, several, [cell_of for _, cell_of in columns]) for point in sweep.points],
        remarks=[*([sweep.stopped] if sweep.stopped else []), *sweep.notes, *remarks],
    )


def _point(point: SweepPoint, several: bool, columns: list[Callable[[SweepPoint], str | None]]) -> tuple[str, ...]:
    named = (_value(point), *((point.function,) if several else ()))
    if point.error is None:
        return (*named, *(cell_of(point) or _UNKNOWN for cell_of in columns))
    blank = ["" for _ in columns[1:]]
    return (*named, f"the call raised {point.error}", *blank)


def _value(point: SweepPoint) -> str:
    """Return the swept value as the user typed it; an integer gets thousands separators, such as `4,096`."""
    number = point.number
    return f"{int(number):,}" if number is not None and point.value == f"{number:.0f}" else point.value


def _ratio(point: SweepPoint) -> str | None:
    if point.ratio is not None:
        return f"{factor(point.ratio)}×"
    return None if point.eager is None or point.warm is None else _NOT_MEASURED


def _compile(point: SweepPoint) -> str | None:
    if point.compile is None:
        return None
    return f"{duration(point.compile)} from disk" if point.from_disk else duration(point.compile)


def _median(time: WarmTime | None) -> str | None:
    return None if time is None else duration(time.median)


def _seconds(seconds: float | None) -> str | None:
    return None if seconds is None else duration(seconds)
