"""Makes GitHub's Markdown and escapes all texts in it; no other module makes Markdown.

`Markdown` is not a `str`, so that a text which is not escaped cannot be used as Markdown by mistake.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# Of all colons, only that of an address (before //) has a meaning in Markdown, so only this one is escaped.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~&$]|:(?=//))")
_LANGUAGE = "text"


@dataclass(frozen=True)
class Markdown:
    """Markdown whose texts are escaped: a part of a line, or several lines."""

    source: str


def text(words: str) -> Markdown:
    """Return a text on one line, with the characters of Markdown and HTML escaped."""
    return Markdown(_SPECIAL.sub(r"\\\1", " ".join(words.split(None))))


def code(words: str) -> Markdown:
    """Return a text as a code span.

    Its fence is longer than any run of backticks in the text.
    """
    words = " ".join(words.split())
    fence = "`" * (_longest_run(words) + 1)
    pad = " " if words.startswith("`") or words.endswith("`") or not words else ""
    return Markdown(f"{fence}{pad}{words}{pad}{fence}")


def labelled(label: Markdown, words: str) -> Markdown:
    """Return a label, a colon and a text."""
    return Markdown(f"{label.source}: {text(words).source}")


def heading(level: int, words: Markdown) -> Markdown:
    """Return a heading."""
    return Markdown(f"{'#' * level} {words.source}")


def block(words: str) -> Markdown:
    """Return a text as a code block.

    Its fence is longer than any run of backticks in the text.
    """
    fence = "`" * max(3, _longest_run(words) + 1)
    return Markdown(f"{fence}{_LANGUAGE}\n{words}\n{fence}")


def items(words: Iterable[str]) -> Markdown:
    """Return sentences as a list; empty if there are none."""
    return Markdown("\n".join(f"- {text(sentence).source}" for sentence in words))


def item(blocks: Sequence[Markdown]) -> Markdown:
    """Return blocks as one entry of a list."""
    first, *more_rows = page(blocks).split("\n")
    return Markdown("\n".join([f"- {first}", *(f"  {row}".rstrip() for row in more_rows)]))


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, left: int | None = None) -> Markdown:
    """Return a table of texts.

    Args:
        head: The names of the columns.
        rows: The rows, each as long as the head.
        left: How many of the first columns contain words; the others contain numbers. None means that all contain
            words.
    """
    words = len(head) if left is None else left
    signs = [Markdown("---" if place < words else "---:") for place in range(len(head))]
    lines = [list(map(text, head)), signs, *(list(map(text, row)) for row in rows)]
    return Markdown("\n".join(f"| {' | '.join(cell.source for cell in cells)} |" for cells in lines))


def page(blocks: Iterable[Markdown]) -> str:
    """Return the blocks, one below the other, without the empty ones."""
    return "\n\n".join(block_of_page.source for block_of_page in blocks if block_of_page.source)


def _longest_run(words: str) -> int:
    return max((len(run) for run in re.findall("`+", words)), default=0)
