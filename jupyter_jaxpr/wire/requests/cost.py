"""What a program costs."""

from __future__ import annotations

from typing import ClassVar

from ...document.types.cost import ProgramCost
from ..request import ProgramIndex, Request, RequestContext


class CostRequest(Request, tag="cost"):
    """What a program costs; it is counted, nothing runs."""

    patience: ClassVar[int] = 60
    into: ClassVar[str | None] = "costs"
    is_kept: ClassVar[bool] = True

    program: ProgramIndex

    def answer(self, context: RequestContext) -> ProgramCost:
        return context.run.sources.cost(self.program)
