"""The request for a run as a file: an HTML page, or a document that JupyterLab opens."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ...document.copies.whole_file import whole_file
from ...document.types.struct import described
from ...exports.html_page import page
from ..base_of_requests import Request, RequestContext
from ..indices_in_requests import ProgramIndex


class ExportRequest(Request, tag="export"):
    """Export a run as a file that needs nothing else, with this program first; nothing runs."""

    program: ProgramIndex
    format: Annotated[
        Literal["html", "document"],
        described("The format of the file: an HTML page, or the JSON of a .jaxpr.json file (document)."),
    ] = "html"

    def answer(self, context: RequestContext) -> str:
        with_texts = context.run.sources.with_texts
        if self.format == "document":
            return whole_file(lambda equations: with_texts(whole=equations), self.program)
        document = msgspec.structs.replace(with_texts(whole=True), focus=self.program)
        return page(document, context.run.sources.source_page)
