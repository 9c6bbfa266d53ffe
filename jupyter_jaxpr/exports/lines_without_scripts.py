"""Shortens the long texts of a saved page: the first lines stand in the page, the other lines are compressed.

A reader whose browser runs no scripts sees the first lines only.
"""

from __future__ import annotations

import base64
import json
import zlib

from .html_writer import NOTHING, Markup, element, join, raw
from .program_texts_of_page import LinkedText

# A text of more characters than this is compressed after its first lines.
_PACKED_FROM = 2_500
# The number of first lines of a long text that are not compressed, so that they are visible at once.
_STANDING = 50


def standing_lines(text: LinkedText) -> int:
    """Return the number of first lines of a text that are not compressed."""
    return min(len(text.lines), _STANDING) if sum(map(len, text.lines)) > _PACKED_FROM else len(text.lines)


def other_lines(text: LinkedText) -> Markup:
    """Return the compressed other lines of a text; the script shows them when the reader opens the program."""
    first = standing_lines(text)
    if first == len(text.lines):
        return NOTHING
    lines = {
        "longest": max(map(len, text.lines)),
        "lines": text.lines[first:],
        "places": text.frames[first:],
        "numbers": None if text.numbers is None else text.numbers[first:],
        "folds": {line - first: count for line, count in text.folds.items() if line >= first},
        "words": {line - first: words.data for line, words in text.folded_words.items() if line >= first},
    }
    without = element("noscript", element("p", "The rest of this text is compressed. Allow scripts to read the rest."))
    return join(packed(compact(lines)), without)


def packed(text: str, **attributes: str) -> Markup:
    """Return a script element with a compressed text in base64; the page's script decompresses it."""
    in_base64 = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
    return raw("script", in_base64, type="application/octet-stream", **attributes)


def compact(value: object) -> str:
    """Return JSON without spaces."""
    return json.dumps(value, separators=(",", ":"))
