"""Checks that the numbers, strings and lists of a document do not exceed the limits."""

from __future__ import annotations

import sys
from typing import Any

import msgspec

from ..limits import AMOUNT, INTEGER, LIST, TEXT
from ..types.document import Snapshot
from .index_ranges import need

#: Fields with counts of operations and bytes. These integers may be larger than the integers that JavaScript
#: represents exactly; their limit is `AMOUNT` instead of `INTEGER`.
_COUNTED = frozenset({"costs", "shardings"})
#: The fields inside of `_COUNTED` that hold no counts of operations or bytes.
_NOT_COUNTED = frozenset({"arrays", "equations", "holders", "line", "mesh", "shape", "shard"})
#: Fields with values of the user's, which may be floats of any size.
_VALUES = frozenset({"recordings", "sweep"})


def check_bounds(document: Snapshot) -> None:
    """Check every value once; lists of numbers and of strings are checked as a whole, which is faster.

    Raises:
        Damaged: A value exceeds its limit.
    """
    for field, value in msgspec.to_builtins(document).items():
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
                is_counted = field in _COUNTED and path.rpartition(".")[2] not in _NOT_COUNTED
                limit = AMOUNT if is_counted else INTEGER
                need(-limit <= min(numbers) and max(numbers) <= limit, f"{path}: a number beyond {limit:,}")
