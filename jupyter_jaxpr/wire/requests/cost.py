"""The request for the costs of a program: operations, bytes, memory."""

from __future__ import annotations

from typing import ClassVar

from ...document.types.cost import ProgramCost
from ..document_index import ProgramIndex
from ..request import Request, RequestContext


class CostRequest(Request, tag="cost"):
    """Count the operations and bytes of a program; nothing runs."""

    patience: ClassVar[int] = 60
    into: ClassVar[str | None] = "costs"
    is_kept: ClassVar[bool] = True

    program: ProgramIndex

    def answer(self, context: RequestContext) -> ProgramCost:
        return context.run.sources.cost(self.program)
