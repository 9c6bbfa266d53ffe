"""The request to lower or compile a program that was only traced."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from ...build.texts.stablehlo_and_hlo import Unavailable
from ...document.types.document import Snapshot
from ...document.types.struct import described
from ..base_of_requests import DOCUMENT, Request, RequestContext
from ..indices_in_requests import ProgramIndex
from ..sentences_of_refusals import NO_SUCH_TEXT


class MakeRequest(Request, tag="make"):
    """Lower or compile a program that was only traced, after the user pressed the button; no user code runs."""

    into: ClassVar[str | None] = DOCUMENT
    is_kept: ClassVar[bool] = True

    program: ProgramIndex
    level: Annotated[
        Literal["stablehlo", "hlo"], described("The last text to make: StableHLO, or optimised HLO (hlo).")
    ]

    def answer(self, context: RequestContext) -> Snapshot:
        with context.alone() as run:
            level = next(level for level in run.document.programs[self.program].levels if level.name == self.level)
            if level.state == "absent":
                raise Unavailable(level.reason or NO_SUCH_TEXT)
            if level.state != "not_made":
                return run.document
            return run.sources.make(self.program, self.level)
