"""The request to compare the program that Live traced last with a program of a run."""

from __future__ import annotations

from typing import Annotated, ClassVar

from ...build.texts.diff_of_two_programs import diff_runs
from ...build.texts.stablehlo_and_hlo import Unavailable
from ...document.types.diff import ProgramDiff
from ...document.types.struct import described
from ..base_of_requests import RequestContext
from ..sentences_of_refusals import LIVE_TRACED_NEWER_TEXT, NO_SUCH_EARLIER_PROGRAM
from .diff_request import DiffRequest

#: A diff with more rows is sent with equal rows only near a difference, because a user who types waits for the answer.
_WHOLE = 100


class LiveDiffRequest(DiffRequest, tag="live_diff", kw_only=True):
    """Compare the program that Live traced last with a program of a run; both are read, nothing runs."""

    # the page puts the answer into Live's document, which the kernel does not keep among its runs
    into: ClassVar[str | None] = None
    is_of_kernel: ClassVar[bool] = True

    created: Annotated[
        float, described("The time in the document of Live's program, which differs between two traces of a cell.")
    ]

    def answer(self, context: RequestContext) -> ProgramDiff:
        written = context.runs.written
        if written is None or written.created != self.created:
            raise Unavailable(LIVE_TRACED_NEWER_TEXT)
        if not 0 <= self.program < len(written.programs):
            raise Unavailable(NO_SUCH_EARLIER_PROGRAM)
        document, sources = self._earlier(context)
        if not 0 <= self.before_program < len(document.programs):
            raise Unavailable(NO_SUCH_EARLIER_PROGRAM)
        return diff_runs(
            (document, sources), self.before_program, (written, None), self.program, self.level, whole=_WHOLE
        )
