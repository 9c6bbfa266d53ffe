"""The request for equations of a scope that is too large for the document."""

from __future__ import annotations

from typing import Annotated

from ...document.types.pages import ScopePage
from ...document.types.struct import described
from ..base_of_requests import Request, RequestContext
from ..indices_in_requests import ScopeIndex

EQUATIONS_AT_MOST = 5_000


class ScopeRequest(Request, tag="scope"):
    """Return equations of a scope that was too large to send whole."""

    scope: ScopeIndex
    first_equation: Annotated[int, described("The index of the first requested equation, from 0.")]
    equation_count: Annotated[
        int, described("The number of requested equations, at most 5,000, including the equations of inner scopes.")
    ]

    def answer(self, context: RequestContext) -> ScopePage:
        count = min(max(self.equation_count, 1), EQUATIONS_AT_MOST)
        return context.run.sources.scope_page(self.scope, max(self.first_equation, 0), count)
