"""Parses source texts once, and keeps the trees of the last texts.

A cell may have 3,000 lines, which Python takes 30 ms to parse.
"""

from __future__ import annotations

import ast
import functools
from collections import deque

from ..interruptions import not_of_a_signal
from .tree_of_edited_text import Edit, edited_tree

#: The last parsed texts with their trees. The text of a cell before an edit is one of them, so its tree can be reused.
_latest: deque[tuple[str, ast.Module]] = deque(maxlen=4)


def tree_of(text: str) -> ast.Module | None:
    """Return the tree of a text, which no one may change; None if the text is not Python."""
    return _parsed(text)[0]


def edit_of(text: str) -> Edit | None:
    """Return the difference of a text from an earlier text with whose tree it shares statements; None without one."""
    return _parsed(text)[1]


@functools.lru_cache(maxsize=32)
def _parsed(text: str) -> tuple[ast.Module | None, Edit | None]:
    for earlier_text, earlier_tree in list(_latest):
        edited = edited_tree(text, earlier_text, earlier_tree)
        if edited is not None:
            _latest.appendleft((text, edited[0]))
            return edited
    try:
        tree = ast.parse(text)
    except not_of_a_signal(SyntaxError, ValueError, RecursionError, MemoryError):
        return None, None
    _latest.appendleft((text, tree))
    return tree, None
