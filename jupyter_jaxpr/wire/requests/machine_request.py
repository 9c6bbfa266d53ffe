"""The request to measure the peak rates of the machine."""

from __future__ import annotations

from typing import ClassVar

from ...build.texts.stablehlo_and_hlo import Unavailable
from ...build.times.peak_rates_of_machine import machine_document
from ...document.types.cost import Machine
from ...measure.times.machine_speeds import measure_machine
from ..base_of_requests import LongRequest, RequestContext
from ..sentences_of_refusals import NO_MEASURED_MACHINE


class MachineRequest(LongRequest, tag="machine"):
    """Measure the peak rates of this machine: the user pressed the button. The kernel keeps the result for its life."""

    into: ClassVar[str | None] = "machine"

    def answer(self, context: RequestContext) -> Machine:
        measured = measure_machine(report=context.work.tell, stop=context.work.is_stopped)
        if measured is None:
            raise Unavailable(NO_MEASURED_MACHINE)
        return machine_document(measured)
