"""Compares the two saved documents in a request of a page.

The documents are untrusted, so both are checked like any document from a file. The server evaluates no text of a
document and reads no file.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from ..build.texts.diff_of_two_programs import diff_runs
from ..build.texts.stablehlo_and_hlo import Unavailable
from ..document.check.validate import read
from ..document.encoding import encode
from ..interruptions import not_of_a_signal

_UNKNOWN_REQUEST = "The server does not know this request. Reload the page and try again."
_NO_SUCH = "One of the two runs does not have the chosen program. Choose another program."


class DiffOfFiles(msgspec.Struct):
    """A request: two documents, a program in each, and the level at which the programs are compared."""

    before: dict[str, Any]
    before_program: int
    after: dict[str, Any]
    after_program: int
    level: Literal["jaxpr", "stablehlo", "hlo"]


def answer(body: bytes) -> bytes:
    """Return the diff as JSON, `{"diff": ...}`, or the reason why there is none, `{"reason": "..."}`."""
    try:
        request = msgspec.json.decode(body, type=DiffOfFiles)
        before, after = read(request.before), read(request.after)
        programs = (request.before_program, request.after_program)
        if not all(
            0 <= index < len(document.programs) for index, document in zip(programs, (before, after), strict=True)
        ):
            return _refusal(_NO_SUCH)
        diff = diff_runs((before, None), programs[0], (after, None), programs[1], request.level)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return _refusal(_UNKNOWN_REQUEST)
    except Unavailable as reason:
        return _refusal(str(reason))
    except not_of_a_signal(ValueError) as reason:
        return _refusal(str(reason))
    return b'{"diff": ' + encode(diff) + b"}"


def _refusal(reason: str) -> bytes:
    return msgspec.json.encode({"reason": reason})
