"""The request to run a construct of the control flow again step by step."""

from __future__ import annotations

from typing import ClassVar

from ...build.steps.branches_of_calls import call_table
from ...build.steps.kept_steppers import kept_construct
from ...build.steps.recording_of_steps import called_again, recording_document
from ...build.texts.stablehlo_and_hlo import Unavailable
from ...document.types.steps import Recording
from ...measure.steps.jaxpr_evaluation import Unsteppable
from ..base_of_requests import LongRequest, RequestContext
from ..indices_in_requests import ControlIndex
from ..messages import Confirm


class StepsRequest(LongRequest, tag="steps"):
    """Run a construct again on the values of the last call, and record each step: the user pressed the button."""

    into: ClassVar[str | None] = "recordings"

    control: ControlIndex

    def answer(self, context: RequestContext) -> Recording | Confirm:
        run, work = context.run, context.work
        why = run.document.control_flow[self.control].steppable
        if why is not None:
            raise Unavailable(why)
        try:
            construct = kept_construct(run.sources, self.control)
            if construct.question is not None and not self.confirmed:
                return self.confirm(construct.question)
            calls_after = called_again(run.document, self.control)
            rerun = construct.run(calls_after=calls_after, stopped=work.is_stopped, tell=work.tell)
        except Unsteppable as error:
            raise Unavailable(str(error)) from None
        calls = call_table(run.document, self.control, construct, work.is_stopped)
        return recording_document(run.document, self.control, rerun, calls)
