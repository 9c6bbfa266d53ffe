"""Checks that the numbers, texts and lists of a document are within the limits."""

from __future__ import annotations

import sys
from typing import Any

import msgspec

from ..limits import AMOUNT, INTEGER, LIST, TEXT
from ..types.document import Snapshot
from .index_ranges import need

#: The fields whose integers count operations and bytes; for a large program, JavaScript cannot hold them exactly.
_COUNTED = frozenset({"costs", "shardings"})
#: The fields with values of the user's, of any size.
_VALUES = frozenset({"recordings", "sweep"})


def check_bounds(document: Snapshot) -> None:
    """Look at every value once; columns of numbers and of texts are looked at as a whole.

    Raises:
        Damaged: One is beyond the limits.
    """
    for field, value in msgspec.to_builtins(document).items():
        limit = AMOUNT if field in _COUNTED else INTEGER
        largest = sys.float_info.max if field in _VALUES else AMOUNT
        todo: list[tuple[str, Any]] = [(field, value)]
        while todo:
            path, node = todo.pop()
            if type(node) is dict:
                todo += [(f"{path}.{key}", inner) for key, inner in node.items()]
                continue
            entries = node if type(node) is list else (node,)
            need(len(entries) <= LIST, f"{path}: a list of more than {LIST:,} entries")
            kinds = set(map(type, entries))
            if kinds <= {int}:
                numbers = entries
            else:
                if str in kinds:
                    longest = max(len(entry) for entry in entries if type(entry) is str)
                    need(longest <= TEXT, f"{path}: a text of more than {TEXT:,} characters")
                if list in kinds or dict in kinds:
                    todo += [(path, entry) for entry in entries if type(entry) in (list, dict)]
                numbers = [entry for entry in entries if type(entry) is int]
                if float in kinds:
                    small = all(-largest <= entry <= largest for entry in entries if type(entry) is float)
                    need(small, f"{path}: a number beyond {largest:g}")
            if numbers:
                need(-limit <= min(numbers) and max(numbers) <= limit, f"{path}: a number beyond {limit:,}")
