"""A run as an HTML file."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from ...exports.page import page
from ..request import Asked, ProgramIndex, Request


class ExportRequest(Request, tag="export"):
    """A run as an HTML file that needs nothing else, this program first; nothing runs."""

    patience: ClassVar[int] = 60

    program: ProgramIndex

    def answer(self, asked: Asked) -> str:
        return page(msgspec.structs.replace(asked.run.sources.with_texts(whole=True), focus=self.program))
