"""The request for the text of a file that a run comes from."""

from __future__ import annotations

from typing import Annotated

from ...build.texts.stablehlo_and_hlo import Unavailable
from ...document.types.source_pages import SourcePage
from ...document.types.struct import described
from ..base_of_requests import Request, RequestContext
from ..sentences_of_refusals import NO_SUCH_FILE


class SourceRequest(Request, tag="source"):
    """Return the text of a file that the run's frames refer to; the file is read, nothing runs."""

    path: Annotated[str, described("The path of the file, as in `files` of the run.")]

    def answer(self, context: RequestContext) -> SourcePage:
        # Only files that the run's frames refer to are read.
        page = context.run.sources.source_page(self.path)
        if page is None:
            raise Unavailable(NO_SUCH_FILE)
        return page
