"""Encodes a struct of the document or of the messages as UTF-8 JSON, whatever its strings contain."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import msgspec

from ..interruptions import not_of_a_signal
from ..plain_text import FAILURES, Limit, could_not, exact, kind_name

_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


def encode(struct: Any) -> bytes:
    """Return the UTF-8 JSON of a struct; NaN and infinite numbers become null.

    A Python string may contain half of a surrogate pair, which UTF-8 cannot encode: it is written as U+FFFD. A value
    that does not belong in a struct, such as an instance of a subclass of `str`, is written as the plain value; an
    object without a plain value is written as a sentence.
    """
    try:
        return msgspec.json.encode(struct, enc_hook=_plain)
    except UnicodeEncodeError:
        plain = _finite(msgspec.to_builtins(struct, enc_hook=_plain))
        return printable(json.dumps(plain, ensure_ascii=False)).encode()


def refused(struct: Any) -> str | None:
    """Return a sentence on the first value of a struct that JSON cannot represent; None if there is none."""
    try:
        msgspec.json.encode(struct)
    except UnicodeEncodeError:
        return None
    except not_of_a_signal(*FAILURES) as error:
        return could_not(error)
    return None


def printable(text: str) -> str:
    """Return the text with every half of a surrogate pair replaced by U+FFFD, so that it can be encoded."""
    return _LONE_SURROGATES.sub("\ufffd", text)


def _plain(value: Any) -> Any:
    """Return a str, int, float or NumPy number as a plain value; for other values, a string with the type's name."""
    kind = type(value)
    try:
        if issubclass(kind, str):
            return exact(value, Limit.PRINTED)
        if issubclass(kind, int):
            return int.__add__(value, 0)
        if issubclass(kind, float):
            return float.__add__(value, 0.0)
        return value.item()  # a NumPy number becomes a Python number
    except not_of_a_signal(*FAILURES):
        return f"<{kind_name(kind)}: {could_not(TypeError('the value is not plain data'))}>"


def _finite(value: Any) -> Any:
    """Return plain Python data with None in place of NaN and infinite numbers, which JSON lacks."""
    if type(value) is float:
        return value if math.isfinite(value) else None
    if type(value) is list:
        return [_finite(item) for item in value]
    if type(value) is dict:
        return {key: _finite(item) for key, item in value.items()}
    return value
