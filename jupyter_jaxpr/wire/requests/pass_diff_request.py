"""The request for the diff of one of XLA's passes."""

from __future__ import annotations

from typing import Annotated

from ...build.texts.xla_passes_of_program import diff_page
from ...document.types.passes import PassDiff
from ...document.types.struct import described
from ..base_of_requests import Request, RequestContext
from ..indices_in_requests import ProgramIndex
from ..lines_in_a_reply import FirstLine, LineCount, lines_asked_for


class PassDiffRequest(Request, tag="pass_diff"):
    """Return lines of the diff of one pass; the passes must have been requested before."""

    program: ProgramIndex
    index: Annotated[int, described("The index of the pass in the passes of the program.")]
    first_line: FirstLine
    line_count: LineCount

    def answer(self, context: RequestContext) -> PassDiff:
        lines = context.run.sources.pass_diff(self.program, self.index)
        return diff_page(self.program, self.index, lines, *lines_asked_for(self.first_line, self.line_count))
