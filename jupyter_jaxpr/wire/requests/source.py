"""The text of a file that a run comes from."""

from __future__ import annotations

from typing import Annotated, ClassVar

from ...build.levels import Unavailable
from ...document.types.pages import SourcePage
from ...document.types.struct import described
from ..request import Request, RequestContext


class SourceRequest(Request, tag="source"):
    """The text of a file that the run's frames point into; it is read, nothing runs."""

    patience: ClassVar[int] = 30

    path: Annotated[str, described("As in its files.")]

    def answer(self, context: RequestContext) -> SourcePage:
        # Only what the run came from is ever read.
        page = context.run.sources.source_page(self.path)
        if page is None:
            raise Unavailable("This run has no such file. Run the cell again.")
        return page
