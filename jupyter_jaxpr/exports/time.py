"""Words a document's times for the exports: a sentence, rows for each program that ran again, and the sweep."""

from __future__ import annotations

from dataclasses import dataclass

from ..document.types.document import Snapshot
from ..document.types.timing import ProgramTiming, Sweep, SweepFit, SweepPoint, WarmTime
from ..quantities import duration, factor

HEAD = ("", "median", "quartiles", "call returns after", "calls")
_NOT_MEASURED = "–"
_TIMES = {"eager": "eager time", "first": "first-call time", "warm": "warm time", "compile": "compile time"}
_FEWEST_NUMBERS = 3
_GROWING = {**_TIMES, "equations": "number of equations", "bytes": "memory size"}
# An exponent of a smaller absolute value counts as no growth.
_FLAT = 0.15
# A smaller error would be printed as zero.
_EXACT = 0.05


@dataclass(frozen=True)
class ProgramTimeText:
    """The text of one program's times."""

    name: str
    sentence: str
    rows: list[tuple[str, ...]]  # the columns of HEAD
    remarks: list[str]


@dataclass(frozen=True)
class SweepText:
    """The text of a sweep."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]
    remarks: list[str]


@dataclass(frozen=True)
class TimeText:
    """The text of the programs that ran again in one run."""

    programs: list[ProgramTimeText]
    sweep: SweepText | None


def time_text(document: Snapshot) -> TimeText | None:
    """Return the text of a run's times and sweep; None without either."""
    programs = [_program(document, timing) for timing in document.timings]
    sweep = document.sweep
    if not programs and sweep is None:
        return None
    return TimeText(programs, None if sweep is None else _sweep(sweep))


def _program(document: Snapshot, timing: ProgramTiming) -> ProgramTimeText:
    measured = (("warm", timing.warm), ("eager", timing.eager))
    return ProgramTimeText(
        name=document.programs[timing.program].name,
        sentence=timing.sentence,
        rows=[_row(name, warm) for name, warm in measured if warm is not None],
        remarks=[*([timing.stopped] if timing.stopped else []), *timing.notes],
    )


def _row(name: str, warm: WarmTime) -> tuple[str, ...]:
    middle = _NOT_MEASURED if warm.runs == 1 else f"{duration(warm.lower)} to {duration(warm.upper)}"
    runs = f"{warm.runs:,} in batches of {warm.batch:,}" if warm.batch > 1 else f"{warm.runs:,}"
    return name, duration(warm.median), middle, duration(warm.dispatch), runs


def _sweep(sweep: Sweep) -> SweepText:
    several = len(sweep.functions) > 1
    head = (sweep.name, *(("function",) if several else ()), "eager", "first call", "warm", "eager / warm", "compile")
    remarks = [growth_sentence(sweep, fit) for fit in sweep.fits if fit.series in _TIMES]
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
    eager, warm = (None if times is None else times.median for times in (point.eager, point.warm))
    compiled = f"{_seconds(point.compile)} from disk" if point.from_disk else _seconds(point.compile)
    against = _NOT_MEASURED if point.ratio is None else f"{factor(point.ratio)}×"
    return (*named, _seconds(eager), _seconds(point.first), _seconds(warm), against, compiled)


def _seconds(seconds: float | None) -> str:
    return _NOT_MEASURED if seconds is None else duration(seconds)


def unclear_growth(sweep: Sweep) -> str | None:
    """Return a sentence on series of a sweep whose points do not show their growth; None without such a series."""
    if len({point.number for point in sweep.points if point.number is not None}) < _FEWEST_NUMBERS:
        return None
    fitted = {(fit.function, fit.series) for fit in sweep.fits}
    unclear = [
        f"the {_TIMES[series]} of {function}"
        for function in sweep.functions
        for series in ("eager", "first", "warm")
        if (function, series) not in fitted
        and any(getattr(point, series) is not None for point in sweep.points if point.function == function)
    ]
    if not unclear:
        return None
    return f"The points do not show how these times grow: {', '.join(unclear)}. Sweep more values, or larger ones."


def growth_sentence(sweep: Sweep, fit: SweepFit) -> str:
    """Return a sentence on the growth of a series of a sweep."""
    subject = f"the {_GROWING[fit.series]} of {fit.function}"
    if abs(fit.exponent) < _FLAT:
        return f"{subject[0].upper()}{subject[1:]} hardly depends on {sweep.name}."
    power = f"{sweep.name}^{fit.exponent:.1f}"
    if fit.error is not None and fit.error >= _EXACT:
        power = f"{power} ± {fit.error:.1f}"
    if any(point.number is not None and point.number < fit.first_number for point in sweep.points):
        return f"From {sweep.name} = {fit.first_number:,.12g} on, {subject} scales as {power}."
    return f"{subject[0].upper()}{subject[1:]} scales as {power}."
