"""Checks the measured times of a document: of its programs, of a sweep, of the machine."""

from __future__ import annotations

import math

from ..types.document import Snapshot
from ..types.timing import ProgramTiming, Sweep, WarmTime
from .checks_of_indices import amounts, index, need


def check_times(document: Snapshot) -> None:
    """Check every index and number of the times.

    Raises:
        Damaged: An index or a number is out of its range.
    """
    for number, timing in enumerate(document.timings):
        _timing(document, timing, f"timing {number}")
    if document.sweep is not None:
        _sweep(document.sweep)
    machine = document.machine
    if machine is not None:
        amounts((machine.flops, machine.bandwidth, machine.seconds), "machine: a number")


def check_warm(warm: WarmTime | None, path: str) -> None:
    """Check the numbers of a warm time; None is allowed.

    Raises:
        Damaged: A number is out of its range.
    """
    if warm is None:
        return
    amounts((warm.median, warm.minimum, warm.lower, warm.upper, warm.dispatch), f"{path}: seconds")
    need(warm.runs >= 1 and warm.batch >= 1, f"{path}: runs")


def _timing(document: Snapshot, timing: ProgramTiming, path: str) -> None:
    index(timing.program, document.programs, f"{path}: program")
    check_warm(timing.warm, path)
    check_warm(timing.eager, path)
    amounts(timing.ratio or (), f"{path}: ratio")
    amounts((timing.pays_after,), f"{path}: pays_after")


def _sweep(sweep: Sweep) -> None:
    amounts((sweep.total, sweep.seconds), "sweep: a number")
    for point in sweep.points:
        need(point.number is None or math.isfinite(point.number), "sweep: a value")
        check_warm(point.eager, "sweep")
        check_warm(point.warm, "sweep")
        amounts((point.first, point.trace, point.lower, point.compile), "sweep: seconds")
        amounts((point.equations, point.bytes, point.flops, point.ratio), "sweep: a point's numbers")
    for fit in sweep.fits:
        need(all(map(math.isfinite, (fit.exponent, fit.factor, fit.first_number))), "sweep: a fit")
        amounts((fit.error,), "sweep: a fit")
