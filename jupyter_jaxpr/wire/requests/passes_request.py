"""The request for the list of XLA's passes that changed a program."""

from __future__ import annotations

from typing import ClassVar

from ...build.texts.questions_before_compiling import passes_question
from ...build.texts.xla_passes_of_program import find_passes, passes_document
from ...document.types.passes import ProgramPasses
from ..base_of_requests import LongRequest, RequestContext
from ..indices_in_requests import ProgramIndex
from ..messages import Confirm


class PassesRequest(LongRequest, tag="passes"):
    """Compile a program once more, to see what each of XLA's passes does: the user pressed the button."""

    into: ClassVar[str | None] = "passes"

    program: ProgramIndex

    def answer(self, context: RequestContext) -> ProgramPasses | Confirm:
        run, program = context.run, self.program
        observed = run.sources.observed(program)
        if not self.confirmed:
            return self.confirm(passes_question(observed, run.document.programs[program].name))
        context.work.tell("compiling the program again", always=True)
        pass_texts, seconds = find_passes(observed)
        run.sources.add_passes(program, pass_texts)
        return passes_document(program, pass_texts, seconds)
