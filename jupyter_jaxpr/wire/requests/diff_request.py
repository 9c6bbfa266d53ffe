"""The request to compare a program with another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from ...build.texts.diff_of_two_programs import diff_runs
from ...build.texts.stablehlo_and_hlo import Unavailable
from ...document.check.validate import validate
from ...document.types.diff import ProgramDiff
from ...document.types.document import Snapshot
from ...document.types.struct import described
from ...interruptions import not_of_a_signal
from ..base_of_requests import Request, RequestContext
from ..indices_in_requests import ProgramIndex
from ..sentences_of_refusals import EARLIER_RUN_GONE, NO_SUCH_EARLIER_PROGRAM

if TYPE_CHECKING:
    from ...build.document_of_run import Sources


class DiffRequest(Request, tag="diff"):
    """Compare a program with another one, of the same run or of a later run; both are read, nothing runs."""

    into: ClassVar[str | None] = "diffs"

    program: ProgramIndex
    before: Annotated[str, described("The id of the run of the earlier program; may be the same run.")]
    before_program: Annotated[int, described("The index of the earlier program in the programs of the earlier run.")]
    level: Annotated[Literal["jaxpr", "stablehlo", "hlo"], described("The kind of the compared text.")]
    before_document: Annotated[
        Snapshot | None,
        described(
            "The document of the earlier run, if this kernel did not make the run: a saved copy, or a run from "
            "before a restart."
        ),
    ] = None

    def answer(self, context: RequestContext) -> ProgramDiff:
        document, sources = self._earlier(context)
        if not 0 <= self.before_program < len(document.programs):
            raise Unavailable(NO_SUCH_EARLIER_PROGRAM)
        run = context.run
        return diff_runs(
            (document, sources), self.before_program, (run.document, run.sources), self.program, self.level
        )

    def _earlier(self, context: RequestContext) -> tuple[Snapshot, Sources | None]:
        if self.before_document is not None:
            # A document that the page read from a file is never looked up by its id, because a kept run may have the
            # same id.
            try:
                validate(self.before_document)
            except not_of_a_signal(ValueError) as error:
                raise Unavailable(str(error)) from None
            return self.before_document, None
        earlier = context.runs.get(self.before)
        if earlier is None:
            raise Unavailable(EARLIER_RUN_GONE)
        return earlier.document, earlier.sources
