"""The request to try the cures of a run: edits of the user's text for misses, notes and unrolled loops."""

from __future__ import annotations

from typing import ClassVar

from ...build.cures.cure_trials import try_cures
from ...document.types.document import Snapshot
from ...observe.process_observer import observer
from ..base_of_requests import DOCUMENT, Request, RequestContext


class CuresRequest(Request, tag="cures"):
    """Try the cures of a run's misses, notes and loops; JAX traces the edited code with types, and nothing runs."""

    into: ClassVar[str | None] = DOCUMENT
    is_kept: ClassVar[bool] = True

    def answer(self, context: RequestContext) -> Snapshot:
        with context.alone() as run:
            return try_cures(observer(), run.sources, context.namespace())
