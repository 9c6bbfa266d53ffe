"""Builds the document's `Machine` from the measured peak rates."""

from __future__ import annotations

from ..document.types.cost import Machine
from ..measure.times.machine import MeasuredMachine, known_machine


def machine_document(measured: MeasuredMachine) -> Machine:
    """Say it in the document's terms."""
    return Machine(
        device=measured.device,
        flops=measured.flops,
        bandwidth=measured.bandwidth,
        dtype=measured.dtype,
        how=measured.how,
        seconds=measured.seconds,
    )


def known() -> Machine | None:
    """What was measured earlier in this kernel; None where nothing was."""
    measured = known_machine()
    return None if measured is None else machine_document(measured)
