"""Writes HTML; the only place where text becomes HTML.

`Markup` is no `str`: what is not written here is text, and is escaped.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Markup:
    """HTML: elements and text, escaped."""

    source: str


NOTHING = Markup("")


def element(tag: str, /, *children: str | Markup, **attributes: str | bool) -> Markup:
    """An element with text and elements inside.

    An attribute that is also a Python keyword ends with an underscore: `class_`; other underscores are hyphens. One
    that is True has no value, one that is False is left out.
    """
    return Markup(f"<{tag}{_attributes(attributes)}>{join(*children).source}</{tag}>")


def void(tag: str, /, **attributes: str | bool) -> Markup:
    """An element that has nothing inside, such as `input`."""
    return Markup(f"<{tag}{_attributes(attributes)}>")


def unclosed(tag: str, words: str, /, **numbers: int) -> Markup:
    """An element with a text inside, which the next one closes: `li`, where there are many. Attributes are numbers."""
    given = "".join(f" {_name(key)}={number:d}" for key, number in numbers.items())
    return Markup(f"<{tag}{given}>{escape(words, quote=False) or ' '}")


def raw(tag: str, source: str, /, **attributes: str | bool) -> Markup:
    """A `script` or a `style`, whose text a browser takes as it is.

    Raises:
        ValueError: The text would end the element.
    """
    if "</" in source or "<!--" in source:
        raise ValueError(f"the text of a {tag} holds a tag")
    return Markup(f"<{tag}{_attributes(attributes)}>{source}</{tag}>")


def join(*parts: str | Markup) -> Markup:
    """Texts and elements one after the other."""
    return Markup("".join(part.source if isinstance(part, Markup) else escape(part, quote=False) for part in parts))


def page(*parts: Markup) -> str:
    """A whole file."""
    return f"<!doctype html>\n{join(*parts).source}\n"


def _attributes(attributes: dict[str, str | bool]) -> str:
    return "".join(
        f" {_name(key)}" if value is True else f' {_name(key)}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not False
    )


def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")
