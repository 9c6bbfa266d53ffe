"""Compares saved documents for JupyterLab where no kernel runs: the extension of the Jupyter server.

A request holds both documents. The documents are untrusted: the reader of documents checks both, as it checks every
document. The server evaluates no text of a document and reads no file.
"""

from __future__ import annotations

import asyncio
from typing import Any, Literal

import msgspec

from ..build.diff import diff_runs
from ..build.levels import Unavailable
from ..document.check.validate import read
from ..document.encoding import encode
from ..interruptions import not_of_a_signal

ADDRESS = "jupyter-jaxpr/diff"
_NO_QUESTION = "The server does not know this request. Reload the page and try again."
_NO_SUCH = "A run has no such program. Choose another program."


class Question(msgspec.Struct):
    """Two documents, the program of each, and the level at which the programs are compared."""

    before: dict[str, Any]
    before_program: int
    after: dict[str, Any]
    after_program: int
    level: Literal["jaxpr", "stablehlo", "hlo"]


def answer(body: bytes) -> bytes:
    """Return the difference as JSON, or the reason for which there is none: `{"diff": ...}` or `{"reason": "..."}`."""
    try:
        question = msgspec.json.decode(body, type=Question)
        before, after = read(question.before), read(question.after)
        programs = (question.before_program, question.after_program)
        if not all(
            0 <= index < len(document.programs) for index, document in zip(programs, (before, after), strict=True)
        ):
            return _refusal(_NO_SUCH)
        diff = diff_runs((before, None), programs[0], (after, None), programs[1], question.level)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return _refusal(_NO_QUESTION)
    except Unavailable as reason:
        return _refusal(str(reason))
    except not_of_a_signal(ValueError) as reason:
        return _refusal(str(reason))
    return b'{"diff": ' + encode(diff) + b"}"


def _refusal(reason: str) -> bytes:
    return msgspec.json.encode({"reason": reason})


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "jupyter_jaxpr.server"}]


def _load_jupyter_server_extension(server: Any) -> None:
    """Add the address to a Jupyter server, which calls this function at its start."""
    from jupyter_server.base.handlers import APIHandler
    from jupyter_server.utils import url_path_join
    from tornado.web import authenticated

    class Handler(APIHandler):
        """Answers the requests of a page in a thread, so that the server goes on with its other work."""

        @authenticated
        async def post(self) -> None:
            loop = asyncio.get_running_loop()
            self.finish(await loop.run_in_executor(None, answer, self.request.body))

    base = server.web_app.settings["base_url"]
    server.web_app.add_handlers(".*$", [(url_path_join(base, ADDRESS), Handler)])
