"""Answers the requests of the panel; each file of `requests/` answers one request.

Most answers run no user code: they are read from what JAX has already made. A long request runs user code, because the
user pressed a button; a worker thread answers it (see `work`) with replies on the progress and then the last reply.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import msgspec

from ..build.texts.stablehlo_and_hlo import Unavailable
from ..observe.calls.held_or_gone_values import ValuesGone
from ..observe.silenced_warnings import silenced_warnings
from .base_of_requests import Request, RequestContext, read_request
from .indices_in_requests import no_such_index
from .kept_runs import Run, Runs
from .messages import Answered, Confirm, LastReply, Refused, Reply
from .queue_of_long_requests import Work, Worker
from .sentences_of_refusals import GONE, TRACED_ANEW, UNREADABLE, could_not_answer
from .state_of_kernel import Kernel


class Answers:
    """Answers requests about the kept runs; several threads may call it at once.

    Args:
        runs: The runs that the kernel holds.
        namespace: Returns the user's namespace, in which text that the user types in the panel is evaluated. The
            namespace itself is never changed.
    """

    def __init__(self, runs: Runs, namespace: Callable[[], dict[str, Any]] = dict) -> None:
        self._runs = runs
        self._namespace = namespace
        self._making = threading.Lock()
        self._worker = Worker()
        self.kernel = Kernel(self._worker)

    def answer(self, data: object, page: str = "", send: Callable[[Reply], None] | None = None) -> LastReply | None:
        """Answer a request and return the last reply.

        Args:
            data: The request.
            page: The page that asks, such as the id of its comm; a page can stop only its own requests.
            send: Called with each reply to a long request, from another thread.

        Returns:
            None in three cases: the request has no id for a reply, its replies go to `send`, or it is `stop`.
        """
        identifier = data.get("id") if isinstance(data, dict) else None
        if not isinstance(data, dict) or not isinstance(identifier, int):
            return None
        if data.get("type") == "stop":
            self._worker.stop(page, identifier)
            return None
        try:
            request = read_request(data)
        except msgspec.ValidationError as error:
            return Refused(id=identifier, reason=UNREADABLE.format(why=error))
        except Exception as error:  # a module of the request's handler could not be imported
            return Refused(id=identifier, reason=could_not_answer(error))
        run = self._runs.get(request.snapshot)
        if run is None:
            if request.is_of_kernel:
                return self._reply(request, None, Work(identifier, lambda reply: None))
            return Refused(id=identifier, reason=GONE)
        missing = no_such_index(request, run.document)
        if missing is not None:
            return Refused(id=identifier, reason=missing)
        if request.is_long and send is not None:
            self._worker.begin(page, identifier, lambda work: self._reply(request, run, work), send)
            return None
        return self._reply(request, run, Work(identifier, lambda reply: None))

    def leave(self, page: str | None = None) -> None:
        """Stop the long requests of a page that was closed; with None, of all pages."""
        self._worker.leave(page)

    def _reply(self, request: Request, run: Run | None, work: Work) -> LastReply:
        """Return the last reply to a request; if it raises, a refusal with the reason."""
        try:
            with silenced_warnings():  # Python already showed the warnings of the user's code, when the cell ran
                answer = request.answer(
                    RequestContext(self._runs, run, work, self._namespace, self._making, self.kernel)
                )
                if run is not None and not isinstance(answer, Confirm):
                    self._keep(request, run, answer)
        except (Unavailable, ValuesGone) as error:
            return Refused(id=request.id, reason=str(error))
        # This clause also catches the error that a user's signal handler raises: no cell is running, and the panel
        # waits for an answer.
        except BaseException as error:
            # Raised here, a SystemExit from user code would end the thread that answers requests.
            return Refused(id=request.id, reason=could_not_answer(error))
        if isinstance(answer, Confirm):
            return answer
        return Answered(id=request.id, result=answer)

    def _keep(self, request: Request, run: Run, answer: Any) -> None:
        """Put the answer into the run's document, for pages that connect later.

        Raises:
            Unavailable: The run was traced again while the answer was made.
        """
        if request.into is None:
            return
        if not request.is_kept:
            run.sources.merge(request.into, answer)
        if not self._runs.renew(run):
            raise Unavailable(TRACED_ANEW)
