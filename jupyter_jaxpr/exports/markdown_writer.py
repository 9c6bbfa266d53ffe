"""Writes GitHub's Markdown; the only place where text becomes Markdown.

`Markdown` is no `str`: what is not written here cannot get into a page, and what is written here is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# The colon is markup only in an address.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~&$]|:(?=//))")
_LANGUAGE = "text"


@dataclass(frozen=True)
class Markdown:
    """Markdown: a part of a line, or lines."""

    source: str


def text(words: str) -> Markdown:
    """Text on one line, with what Markdown or HTML would read as markup escaped."""
    return Markdown(_SPECIAL.sub(r"\\\1", " ".join(words.split(None))))


def code(words: str) -> Markdown:
    """Text as a code span, fenced by more backticks than it holds in a row."""
    words = " ".join(words.split())
    fence = "`" * (_longest_run(words) + 1)
    pad = " " if words.startswith("`") or words.endswith("`") or not words else ""
    return Markdown(f"{fence}{pad}{words}{pad}{fence}")


def labelled(label: Markdown, words: str) -> Markdown:
    """Text after a label and a colon."""
    return Markdown(f"{label.source}: {text(words).source}")


def heading(level: int, words: Markdown) -> Markdown:
    """A heading."""
    return Markdown(f"{'#' * level} {words.source}")


def block(words: str) -> Markdown:
    """Text as a code block, fenced by more backticks than it holds in a row."""
    fence = "`" * max(3, _longest_run(words) + 1)
    return Markdown(f"{fence}{_LANGUAGE}\n{words}\n{fence}")


def items(words: Iterable[str]) -> Markdown:
    """A list of sentences; empty where there are none."""
    return Markdown("\n".join(f"- {text(each).source}" for each in words))


def item(blocks: Sequence[Markdown]) -> Markdown:
    """Blocks as one entry of a list."""
    first, *others = page(blocks).split("\n")
    return Markdown("\n".join([f"- {first}", *(f"  {row}".rstrip() for row in others)]))


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, left: int | None = None) -> Markdown:
    """A table of texts.

    Args:
        head: The name of each column.
        rows: As long as the head.
        left: How many columns hold words; those after them hold numbers. None: all hold words.
    """
    words = len(head) if left is None else left
    signs = [Markdown("---" if place < words else "---:") for place in range(len(head))]
    lines = [list(map(text, head)), signs, *(list(map(text, row)) for row in rows)]
    return Markdown("\n".join(f"| {' | '.join(cell.source for cell in cells)} |" for cells in lines))


def page(blocks: Iterable[Markdown]) -> str:
    """Blocks one below the other; empty ones are left out."""
    return "\n\n".join(each.source for each in blocks if each.source)


def _longest_run(words: str) -> int:
    return max((len(run) for run in re.findall("`+", words)), default=0)
