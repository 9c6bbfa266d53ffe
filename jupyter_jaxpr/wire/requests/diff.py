"""The request to compare a program with another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from ...build.diff_of_runs import diff_runs
from ...build.levels import Unavailable
from ...document.check.validate import validate
from ...document.types.diff import ProgramDiff
from ...document.types.document import Snapshot
from ...document.types.struct import described
from ...interruptions import not_of_a_signal
from ..document_index import ProgramIndex
from ..request import Request, RequestContext
from ..runs import KEPT

if TYPE_CHECKING:
    from ...build.document_of_run import Sources

_GONE = f"The kernel no longer holds the earlier run: the kernel keeps the last {KEPT} runs. Choose another run."
_NO_SUCH = "The earlier run has no such program. Choose another program."


class DiffRequest(Request, tag="diff"):
    """Compare a program with another one, of the same run or of a later run; both are read, nothing runs."""

    patience: ClassVar[int] = 60
    into: ClassVar[str | None] = "diffs"

    program: ProgramIndex
    before: Annotated[str, described("Id of the run of the earlier one; may be the same run.")]
    before_program: Annotated[int, described("Index into the programs of that run.")]
    level: Annotated[Literal["jaxpr", "stablehlo", "hlo"], described("What is compared.")]
    before_document: Annotated[
        Snapshot | None,
        described("The earlier run, where this kernel did not make it: a saved copy, or from before a restart."),
    ] = None

    def answer(self, context: RequestContext) -> ProgramDiff:
        document, sources = self._earlier(context)
        if not 0 <= self.before_program < len(document.programs):
            raise Unavailable(_NO_SUCH)
        run = context.run
        return diff_runs(
            (document, sources), self.before_program, (run.document, run.sources), self.program, self.level
        )

    def _earlier(self, context: RequestContext) -> tuple[Snapshot, Sources | None]:
        if self.before_document is not None:
            # A document from a file may have the id of a held run; it is compared by itself.
            try:
                validate(self.before_document)
            except not_of_a_signal(ValueError) as error:
                raise Unavailable(str(error)) from None
            return self.before_document, None
        earlier = context.runs.get(self.before)
        if earlier is None:
            raise Unavailable(_GONE)
        return earlier.document, earlier.sources
