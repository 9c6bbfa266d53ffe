"""Defines the base of all requests of the panel; each file of `requests/` defines one request.

The name of a file of `requests/` is the name of the request in the messages, followed by `_request`. The class in the
file is a struct of the request's parameters, with:

- the docstring: the question of the request, and whether the request runs code of the user;
- `answer`: does the work; its return annotation is the type of the answer, in the schema and in the browser;
- `into`: the field of the document that receives the answer;
- `is_of_kernel`: whether the request is about the kernel, not about a run.

`waiting_times_of_page.py` holds how long the page waits for each answer. No other file lists the requests: the schema,
the browser's types and the worker read these classes.
"""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, ClassVar, get_type_hints

import msgspec

from ..build.texts.stablehlo_and_hlo import Unavailable
from ..document.types.struct import Struct
from ..document.types.struct import described as _text
from . import requests
from .kept_runs import Run, Runs
from .messages import Confirm
from .queue_of_long_requests import Work
from .sentences_of_refusals import GONE, unknown_request
from .state_of_kernel import Kernel

DOCUMENT = "document"


class RequestContext:
    """What the handler of a request needs besides the request.

    Attributes:
        runs: The runs that the kernel holds.
        kernel: The present state of the kernel.
        work: Sends the progress of a long request, and says whether to stop.
        namespace: Returns the user's namespace, in which text that the user typed in the panel is evaluated. The
            namespace itself is never changed.
    """

    def __init__(
        self,
        runs: Runs,
        run: Run | None,
        work: Work,
        namespace: Callable[[], dict[str, Any]],
        making: threading.Lock,
        kernel: Kernel,
    ) -> None:
        self.runs = runs
        self._run = run
        self.kernel = kernel
        self.work = work
        self.namespace = namespace
        self._making = making

    @property
    def run(self) -> Run:
        """The run that the request is about.

        Raises:
            Unavailable: The request is not about a run.
        """
        if self._run is None:
            raise Unavailable(GONE)
        return self._run

    @contextmanager
    def alone(self) -> Iterator[Run]:
        """Let only one request at a time change a run.

        If two pages request the same, the second gets the first's result.

        Yields:
            The present state of the run.

        Raises:
            Unavailable: The kernel has dropped the run.
        """
        with self._making:
            run = self.runs.get(self.run.document.id)
            if run is None:
                raise Unavailable(GONE)
            yield run


class Request(Struct):
    """The base of all requests: asks something about one run, or about the kernel.

    Attributes:
        into: the field of the document that receives the answer; DOCUMENT: the answer replaces the document.
        is_kept: true if the handler itself has put the answer into the document.
        is_of_kernel: true for a request about the kernel rather than a run; its `snapshot` is then empty.
        is_long: true if a worker thread answers; it reports progress and can be stopped.
    """

    into: ClassVar[str | None] = None
    is_kept: ClassVar[bool] = False
    is_of_kernel: ClassVar[bool] = False
    is_long: ClassVar[bool] = False

    id: Annotated[int, _text("The id of the request, chosen by the browser.")]
    snapshot: Annotated[str, _text("The id of the run; empty if the request is not about a run.")]

    def answer(self, context: RequestContext) -> Any:
        """Return the answer, or a question that the user has to confirm.

        Raises:
            Unavailable: There is no answer; the message is a sentence with what to do.
        """
        # abstract; `abc.abstractmethod` is impossible, because a struct has its own metaclass
        raise NotImplementedError

    def confirm(self, question: str) -> Confirm:
        """Return the reply that asks the user first."""
        return Confirm(id=self.id, question=question)


class LongRequest(Request):
    """A request whose answer takes long, and may run the user's code again, after the user pressed a button."""

    is_long: ClassVar[bool] = True

    confirmed: Annotated[bool, _text("True if the user answered yes to the question of an earlier reply.")]


_SUFFIX = "_request"
NAMES = tuple(sorted(module.name.removesuffix(_SUFFIX) for module in pkgutil.iter_modules(requests.__path__)))


def request_type(name: str) -> type[Request]:
    """Return the class of the request with this name; the first call imports the module that defines it."""
    module = importlib.import_module(f"{requests.__name__}.{name}{_SUFFIX}")
    (found_type,) = (
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Request) and value.__module__ == module.__name__
    )
    return found_type


def answer_type(request: type[Request]) -> Any:
    """Return the type of a request's answer, without the question (`Confirm`) that may come first."""
    returned = get_type_hints(request.answer)["return"]
    kinds = [kind for kind in getattr(returned, "__args__", ()) if kind is not Confirm]
    return kinds[0] if kinds else returned


def read_request(data: Any) -> Request:
    """Parse a message of the browser into a request; fields that a newer browser added are ignored.

    Raises:
        msgspec.ValidationError: The message is no request.
    """
    name = data.get("type")
    if name not in NAMES:
        raise unknown_request(name)
    return msgspec.convert(data, request_type(name))
