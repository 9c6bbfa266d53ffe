"""The request for the exact links of a program: a tagged twin is compiled beside the program."""

from __future__ import annotations

from typing import ClassVar

from ...build.texts.exact_links_of_program import find_exact_links
from ...build.texts.questions_before_compiling import exact_links_question
from ...document.types.exact_links import ExactLinks
from ..base_of_requests import LongRequest, RequestContext
from ..indices_in_requests import ProgramIndex
from ..messages import Confirm


class ExactLinksRequest(LongRequest, tag="exact_links"):
    """Compile a tagged twin of a program, to find the equations of each line, after the user pressed the button."""

    into: ClassVar[str | None] = "exact_links"

    program: ProgramIndex

    def answer(self, context: RequestContext) -> ExactLinks | Confirm:
        sources, work, program = context.run.sources, context.work, self.program
        if not self.confirmed and sources.twin(program) is None:
            name = context.run.document.programs[program].name
            return self.confirm(exact_links_question(sources.observed(program), name))
        return find_exact_links(sources, program, lambda text: work.tell(text, always=True), stopped=work.is_stopped)
