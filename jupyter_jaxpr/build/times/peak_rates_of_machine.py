"""Builds the document's `Machine` from the measured peak rates."""

from __future__ import annotations

from ...document.types.cost import Machine
from ...measure.times.machine_speeds import MeasuredMachine, known_machine


def machine_document(measured: MeasuredMachine) -> Machine:
    """Convert measured peak rates to the document's `Machine`."""
    return Machine(
        device=measured.device,
        flops=measured.flops,
        bandwidth=measured.bandwidth,
        dtype=measured.dtype,
        how=measured.how,
        seconds=measured.seconds,
    )


def known() -> Machine | None:
    """Return the peak rates that this kernel measured before; None if it measured none."""
    measured = known_machine()
    return None if measured is None else machine_document(measured)
