"""The request for the text of a file that a run comes from."""

from __future__ import annotations

from typing import Annotated, ClassVar

from ...build.texts.stablehlo_and_hlo import Unavailable
from ...document.types.source_pages import SourcePage
from ...document.types.struct import described
from ..request import Request, RequestContext


class SourceRequest(Request, tag="source"):
    """Return the text of a file that the run's frames refer to; the file is read, nothing runs."""

    patience: ClassVar[int] = 30

    path: Annotated[str, described("The path of the file, as in `files` of the run.")]

    def answer(self, context: RequestContext) -> SourcePage:
        # Only files that the run's frames refer to are read.
        page = context.run.sources.source_page(self.path)
        if page is None:
            raise Unavailable("This run does not have the text of the file. Run the cell again.")
        return page
