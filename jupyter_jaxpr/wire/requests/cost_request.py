"""The request for the costs of a program: operations, bytes, memory."""

from __future__ import annotations

from typing import ClassVar

from ...document.types.cost import ProgramCost
from ..base_of_requests import Request, RequestContext
from ..indices_in_requests import ProgramIndex


class CostRequest(Request, tag="cost"):
    """Count the operations and bytes of a program; nothing runs."""

    into: ClassVar[str | None] = "costs"
    is_kept: ClassVar[bool] = True

    program: ProgramIndex

    def answer(self, context: RequestContext) -> ProgramCost:
        return context.run.sources.cost(self.program)
