"""The request to time a program by running the program again."""

from __future__ import annotations

from typing import ClassVar

from ...build.texts.stablehlo_and_hlo import Unavailable
from ...build.times.times_of_calls import asks_before, timing_document
from ...document.types.timing import ProgramTiming
from ...measure.times.program_timing import time_program
from ...observe.process_observer import observer
from ..base_of_requests import LongRequest, RequestContext
from ..indices_in_requests import ProgramIndex
from ..messages import Confirm
from ..sentences_of_refusals import NO_VALUES_TO_TIME


class TimeRequest(LongRequest, tag="time"):
    """Run a program again, warm and eager, on the values of the last call: the user pressed the button."""

    into: ClassVar[str | None] = "timings"

    program: ProgramIndex

    def answer(self, context: RequestContext) -> ProgramTiming | Confirm:
        document, sources, work = context.run.document, context.run.sources, context.work
        name = document.programs[self.program].name
        if any(part.program == self.program for transform in document.transforms for part in transform.parts):
            raise Unavailable(NO_VALUES_TO_TIME.format(name=name))
        confirmation = asks_before(document, sources, self.program)
        if confirmation is not None and not self.confirmed:
            return self.confirm(confirmation)
        observed = sources.observed(self.program)
        times = time_program(
            observer(), name, observed, confirmed=self.confirmed, report=work.tell, stop=work.is_stopped
        )
        return timing_document(self.program, observed.stages, times)
