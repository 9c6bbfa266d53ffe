"""The cures of the misses of a run that are edits of the user's text."""

from __future__ import annotations

from typing import ClassVar

from ...build.miss_cures import try_cures
from ...document.types.document import Snapshot
from ...observe.kernel import observer
from ..request import DOCUMENT, Asked, Request


class CuresRequest(Request, tag="cures"):
    """Try the cures of the misses of a run; JAX traces the edited code with types, and nothing runs."""

    patience: ClassVar[int] = 60
    into: ClassVar[str | None] = DOCUMENT
    is_kept: ClassVar[bool] = True

    def answer(self, asked: Asked) -> Snapshot:
        with asked.alone() as run:
            return try_cures(observer(), run.sources, asked.namespace())
