"""Makes HTML and escapes all texts in it; no other module makes HTML.

`Markup` is not a `str`, so that a text which is not escaped cannot be used as markup by mistake.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape


@dataclass(frozen=True)
class Markup:
    """HTML whose texts are escaped: elements and texts."""

    source: str


NOTHING = Markup("")


def element(tag: str, /, *children: str | Markup, **attributes: str | bool) -> Markup:
    """Return an element with texts and elements inside.

    The name of an attribute that is a Python keyword has an underscore at its end, as `class_`; other underscores
    become hyphens. An attribute with the value True has no value in HTML, an attribute with the value False is left
    out.
    """
    return Markup(f"<{tag}{_attributes(attributes)}>{join(*children).source}</{tag}>")


def void(tag: str, /, **attributes: str | bool) -> Markup:
    """Return an element that has no content in HTML, such as `input`."""
    return Markup(f"<{tag}{_attributes(attributes)}>")


def unclosed(tag: str, words: str, /, **attributes: int | str) -> Markup:
    """Return an element without an end tag, such as `li`, which HTML closes at the next `li`.

    An attribute that is a number has no quotes, because a page has many of them.
    """
    numbers = "".join(f" {_name(key)}={value:d}" for key, value in attributes.items() if isinstance(value, int))
    texts = _attributes({key: value for key, value in attributes.items() if isinstance(value, str)})
    return Markup(f"<{tag}{numbers}{texts}>{escape(words, quote=False) or ' '}")


def raw(tag: str, source: str, /, **attributes: str | bool) -> Markup:
    """Return a `script` or `style` element; HTML does not escape the text in these.

    Raises:
        ValueError: The text contains the end tag of the element.
    """
    if "</" in source or "<!--" in source:
        raise ValueError(f"the text of the HTML element {tag} holds an end tag or a comment")
    return Markup(f"<{tag}{_attributes(attributes)}>{source}</{tag}>")


def join(*parts: str | Markup) -> Markup:
    """Return one piece of HTML that consists of these texts and elements, one after the other."""
    return Markup("".join(part.source if isinstance(part, Markup) else escape(part, quote=False) for part in parts))


def page(*parts: Markup) -> str:
    """Return the text of a complete HTML file that consists of these elements."""
    return f"<!doctype html>\n{join(*parts).source}\n"


def _attributes(attributes: Mapping[str, str | bool]) -> str:
    return "".join(
        f" {_name(key)}" if value is True else f' {_name(key)}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not False
    )


@cache
def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")
