"""The request for the shardings of a program: the part of each array on each device."""

from __future__ import annotations

from typing import ClassVar

from ...document.types.shardings import ProgramShardings
from ..base_of_requests import Request, RequestContext
from ..indices_in_requests import ProgramIndex


class ShardingsRequest(Request, tag="shardings"):
    """Return the distribution of a program over devices, with its collectives; the HLO is read, nothing runs."""

    into: ClassVar[str | None] = "shardings"
    is_kept: ClassVar[bool] = True

    program: ProgramIndex

    def answer(self, context: RequestContext) -> ProgramShardings:
        return context.run.sources.shardings(self.program)
