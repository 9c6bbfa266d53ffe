"""A struct of the document or of the wire in, its UTF-8 JSON out, whatever its strings hold."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


def encode(struct: Any) -> bytes:
    """The UTF-8 JSON of a struct; numbers that are not finite become null.

    A Python string may hold half of a surrogate pair, which UTF-8 cannot: such a half is written as U+FFFD.
    """
    try:
        return msgspec.json.encode(struct)
    except UnicodeEncodeError:
        return printable(json.dumps(msgspec.to_builtins(struct), ensure_ascii=False)).encode()


def printable(text: str) -> str:
    """The text with every half of a surrogate pair replaced by U+FFFD, so that it can be encoded."""
    return _LONE_SURROGATES.sub("\ufffd", text)
