"""A document's times in, their words out: a sentence and rows for each program that ran again, and the sweep."""

from __future__ import annotations

from dataclasses import dataclass

from ..document.types.document import Snapshot
from ..document.types.timing import ProgramTiming, Sweep, SweepFit, SweepPoint, WarmTime
from ..quantities import NO_BREAK, duration

HEAD = ("", "median", "middle half", "returns after", "runs")
_NOT_MEASURED = "–"


@dataclass(frozen=True)
class ProgramTimeText:
    """The times of one program in words."""

    name: str
    sentence: str
    rows: list[tuple[str, ...]]  # as HEAD
    remarks: list[str]


@dataclass(frozen=True)
class SweepText:
    """A sweep in words."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]
    remarks: list[str]


@dataclass(frozen=True)
class TimeText:
    """What ran again in one run, in words."""

    programs: list[ProgramTimeText]
    sweep: SweepText | None


def time_text(document: Snapshot) -> TimeText | None:
    """The timings and the sweep of a run; None where there are none."""
    programs = [_program(document, timing) for timing in document.timings]
    sweep = document.sweep
    if not programs and sweep is None:
        return None
    return TimeText(programs, None if sweep is None else _sweep(sweep))


def _program(document: Snapshot, timing: ProgramTiming) -> ProgramTimeText:
    measured = (("warm", timing.warm), ("eager", timing.eager))
    remarks = list(timing.notes)
    if timing.pays_after is not None:
        calls = "call" if timing.pays_after == 1 else "calls"
        remarks.insert(0, f"The first call pays for itself after {timing.pays_after:,}{NO_BREAK}{calls}.")
    if timing.ratio is not None:
        low, high = timing.ratio
        remarks.insert(0, f"Eager takes {_ratio(low)} to {_ratio(high)} times as long, by the middle halves.")
    if timing.stopped:
        remarks.insert(0, timing.stopped)
    return ProgramTimeText(
        name=document.programs[timing.program].name,
        sentence=timing.sentence,
        rows=[_row(name, warm) for name, warm in measured if warm is not None],
        remarks=remarks,
    )


def _row(name: str, warm: WarmTime) -> tuple[str, ...]:
    middle = _NOT_MEASURED if warm.runs == 1 else f"{duration(warm.lower)} to {duration(warm.upper)}"
    runs = f"{warm.runs:,}" + (f" in batches of {warm.batch:,}" if warm.batch > 1 else "")
    return name, duration(warm.median), middle, duration(warm.dispatch), runs


def _ratio(value: float) -> str:
    return f"{value:,.0f}" if value >= 9.95 else f"{value:.2g}"


def _sweep(sweep: Sweep) -> SweepText:
    several = len(sweep.functions) > 1
    head = (sweep.name, *(("function",) if several else ()), "eager", "first call", "warm", "eager / warm", "compile")
    remarks = [_fit(sweep, fit, several) for fit in sweep.fits if fit.series in ("eager", "first", "warm", "compile")]
    return SweepText(
        title=f"{sweep.call} over {sweep.name}",
        head=head,
        rows=[_point(point, several) for point in sweep.points],
        remarks=[*([sweep.stopped] if sweep.stopped else []), *sweep.notes, *remarks],
    )


def _point(point: SweepPoint, several: bool) -> tuple[str, ...]:
    named = (point.value, *((point.function,) if several else ()))
    if point.error is not None:
        return (*named, f"raised {point.error}", *[_NOT_MEASURED] * 4)
    eager, warm = (None if each is None else each.median for each in (point.eager, point.warm))
    compiled = _seconds(point.compile) + (" from disk" if point.from_disk else "")
    against = f"{_ratio(eager / warm)}×" if eager is not None and warm else _NOT_MEASURED
    return (*named, _seconds(eager), _seconds(point.first), _seconds(warm), against, compiled)


def _seconds(seconds: float | None) -> str:
    return _NOT_MEASURED if seconds is None else duration(seconds)


def _fit(sweep: Sweep, fit: SweepFit, several: bool) -> str:
    error = "" if fit.error is None else f" ± {fit.error:.2g}"
    of = f" of {fit.function}" if several else ""
    series = "first call" if fit.series == "first" else fit.series
    return f"{series}{of} grows as {sweep.name}^{fit.exponent:.2f}{error} from {fit.first_number:,.12g} on."
