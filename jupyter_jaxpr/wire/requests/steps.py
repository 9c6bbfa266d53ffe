"""A construct of the control flow, run again step by step."""

from __future__ import annotations

import weakref
from typing import ClassVar

from ...build.levels import Unavailable
from ...build.live_sources import Sources
from ...build.steps import called_again, construct_of, recording_document
from ...document.types.steps import Recording
from ...measure.steps.checked_run import Construct
from ...measure.steps.equations import Unsteppable
from ..messages import Confirm
from ..request import Asked, ControlIndex, LongRequest

CONSTRUCTS_KEPT = 8
_constructs: dict[tuple[weakref.ref[Sources], int], Construct] = {}  # the one used last is the last


class StepsRequest(LongRequest, tag="steps"):
    """Run a construct again on the values of the last call, and record each step: the user pressed the button."""

    patience: ClassVar[int] = 1_800
    into: ClassVar[str | None] = "recordings"

    control: ControlIndex

    def answer(self, asked: Asked) -> Recording | Confirm:
        run, work = asked.run, asked.work
        why = run.document.control_flow[self.control].steppable
        if why is not None:
            raise Unavailable(why)
        try:
            construct = _construct(run.sources, self.control)
            if construct.question is not None and not self.confirmed:
                return self.confirm(construct.question)
            again = called_again(run.document, self.control)
            rerun = construct.run(calls_after=again, stopped=work.is_stopped, tell=work.tell)
        except Unsteppable as error:
            raise Unavailable(str(error)) from None
        return recording_document(run.document, self.control, rerun)


def _construct(sources: Sources, control: int) -> Construct:
    """The construct of a card; compiled ones are kept as long as their run, so that a second time answers at once."""
    key = weakref.ref(sources, _forget), control
    construct = _constructs.pop(key, None) or construct_of(sources, control)
    _constructs[key] = construct
    while len(_constructs) > CONSTRUCTS_KEPT:
        del _constructs[next(iter(_constructs))]
    return construct


def _forget(gone: weakref.ref[Sources]) -> None:
    """Let go of the constructs of a run that is held no longer."""
    for key in [each for each in _constructs if each[0] is gone]:
        del _constructs[key]
