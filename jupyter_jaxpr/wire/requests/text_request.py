"""The request for lines of a text that JAX has made."""

from __future__ import annotations

from typing import Annotated, Literal

from ...document.types.pages import TextPage
from ...document.types.struct import described
from ...observe.process_observer import observer
from ..base_of_requests import Request, RequestContext
from ..indices_in_requests import ProgramIndex
from ..lines_in_a_reply import FirstLine, LineCount, lines_asked_for


class TextRequest(Request, tag="text"):
    """Return lines of a text that JAX has made."""

    program: ProgramIndex
    level: Annotated[Literal["stablehlo", "hlo"], described("The kind of the text.")]
    first_line: FirstLine
    line_count: LineCount
    platform: Annotated[
        str | None,
        described(
            "The platform to lower the StableHLO for: cuda, rocm or tpu; null for the StableHLO of the program that "
            "ran."
        ),
    ] = None
    twin: Annotated[
        bool, described("True to return the text of the program's twin, which an exact_links request made before.")
    ] = False

    def answer(self, context: RequestContext) -> TextPage:
        first, count = lines_asked_for(self.first_line, self.line_count)
        # JAX lowers the program for the other platform now; no code of the user runs.
        with observer().looking_away():
            return context.run.sources.text_page(self.program, self.level, first, count, self.platform, twin=self.twin)
