"""A request of the panel in, its reply out.

Nothing of the user's runs for an answer: texts and equations are read off what JAX already made, and `make`
lowers or compiles a program that was traced before.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import msgspec

from .messages import MakeRequest, Reply, ScopeRequest, TextRequest
from .runs import KEPT, Run, Runs
from .snapshot.levels import Unavailable

if TYPE_CHECKING:
    from .snapshot.document import Snapshot

Request = TextRequest | ScopeRequest | MakeRequest

LINES_AT_MOST = 5_000
EQUATIONS_AT_MOST = 5_000

_GONE = f"The kernel no longer holds this run: it keeps the last {KEPT}. Run the cell again."
_NO_SUCH = "This run has no such {what}. Run the cell again."
_UNREADABLE = (
    "This kernel's jupyter_jaxpr does not understand what the panel asked ({why}). Install the same version of "
    "jupyter_jaxpr for JupyterLab and for the kernel, then restart both."
)
_BROKE = "The kernel could not answer: {error}. Run the cell again."


class Answers:
    """Answers requests about the kept runs; may be asked from several threads at once."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        # One compilation at a time: two tabs may press the same button, and the second one finds it made.
        self._making = threading.Lock()

    def answer(self, data: object) -> Reply | None:
        """The reply to a request as it came off the wire; None where it has no id that a reply could carry."""
        identifier = data.get("id") if isinstance(data, dict) else None
        if not isinstance(identifier, int):
            return None
        try:
            # Fields that a newer browser added are ignored.
            request: Request = msgspec.convert(data, Request)
        except msgspec.ValidationError as error:
            return _error(identifier, _UNREADABLE.format(why=error))
        run = self._runs.get(request.snapshot)
        if run is None:
            return _error(identifier, _GONE)
        try:
            match request:
                case TextRequest():
                    return self._text(request, run)
                case ScopeRequest():
                    return self._scope(request, run)
                case MakeRequest():
                    return self._make(request)
        except Unavailable as error:
            return _error(identifier, str(error))
        except Exception as error:
            return _error(identifier, _BROKE.format(error=_first_line(error)))

    def _text(self, request: TextRequest, run: Run) -> Reply:
        if not 0 <= request.program < len(run.document.programs):
            return _error(request.id, _NO_SUCH.format(what="program"))
        page = run.sources.text_page(
            request.program,
            request.level,
            max(request.first_line, 0),
            min(max(request.line_count, 0), LINES_AT_MOST),
        )
        return Reply(id=request.id, error=None, text=page, scope=None, snapshot=None)

    def _scope(self, request: ScopeRequest, run: Run) -> Reply:
        if not 0 <= request.scope < len(run.document.scopes):
            return _error(request.id, _NO_SUCH.format(what="scope"))
        page = run.sources.scope_page(
            request.scope,
            max(request.first_equation, 0),
            min(max(request.equation_count, 0), EQUATIONS_AT_MOST),
        )
        return Reply(id=request.id, error=None, text=None, scope=page, snapshot=None)

    def _make(self, request: MakeRequest) -> Reply:
        with self._making:
            run = self._runs.get(request.snapshot)
            if run is None:
                return _error(request.id, _GONE)
            if not 0 <= request.program < len(run.document.programs):
                return _error(request.id, _NO_SUCH.format(what="program"))
            document: Snapshot = run.document
            level = next(each for each in document.programs[request.program].levels if each.name == request.level)
            if level.state == "absent":
                return _error(request.id, level.reason or _NO_SUCH.format(what="text"))
            if level.state == "not_made":
                document = run.sources.make(request.program, request.level)
                self._runs.renew(document)
        return Reply(id=request.id, error=None, text=None, scope=None, snapshot=document)


def _error(identifier: int, text: str) -> Reply:
    return Reply(id=identifier, error=text, text=None, scope=None, snapshot=None)


def _first_line(error: Exception) -> str:
    """The name of an exception and the first line of what it says, without a full stop."""
    text = str(error).strip().partition("\n")[0].rstrip(".")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
