"""Checks that the numbers, strings and lists of a document do not exceed the limits."""

from __future__ import annotations

import sys
from itertools import chain
from typing import Any

import msgspec

from ..limits import AMOUNT, INTEGER, LIST, TEXT
from ..types.document import Snapshot
from .checks_of_indices import need

#: Fields with counts of operations and bytes. These integers may be larger than the integers that JavaScript
#: represents exactly; their limit is `AMOUNT` instead of `INTEGER`.
_COUNTED = frozenset({"costs", "shardings"})
#: The fields inside of `_COUNTED` that hold no counts of operations or bytes.
_NOT_COUNTED = frozenset({"arrays", "equations", "holders", "line", "mesh", "shape", "shard"})
#: Fields with values of the user's, which may be floats of any size.
_VALUES = frozenset({"recordings", "sweep"})


def check_bounds(document: Snapshot) -> None:
    """Check every value once; all values with the same path are checked together, which is faster.

    Raises:
        Damaged: A value exceeds its limit.
    """
    for field, field_value in msgspec.to_builtins(document).items():
        largest = sys.float_info.max if field in _VALUES else AMOUNT
        todo: list[tuple[str, list[Any]]] = [(field, [field_value])]
        while todo:
            path, values = todo.pop()
            kinds = set(map(type, values))
            if list in kinds:
                lists = _of_type(list, values, kinds)
                need(max(map(len, lists)) <= LIST, f"{path}: a list of more than {LIST:,} entries")
                todo.append((path, list(chain.from_iterable(lists))))
            if dict in kinds:
                by_name: dict[str, list[Any]] = {}
                for struct in _of_type(dict, values, kinds):
                    for name, value in struct.items():
                        by_name.setdefault(name, []).append(value)
                todo += [(f"{path}.{name}", named) for name, named in by_name.items()]
            if str in kinds:
                longest = max(map(len, _of_type(str, values, kinds)))
                need(longest <= TEXT, f"{path}: a text of more than {TEXT:,} characters")
            if float in kinds:
                small = all(-largest <= number <= largest for number in _of_type(float, values, kinds))
                need(small, f"{path}: a number beyond {largest:g}")
            if int in kinds:
                numbers = _of_type(int, values, kinds)
                is_counted = field in _COUNTED and path.rpartition(".")[2] not in _NOT_COUNTED
                limit = AMOUNT if is_counted else INTEGER
                need(-limit <= min(numbers) and max(numbers) <= limit, f"{path}: a number beyond {limit:,}")


def _of_type(kind: type, values: list[Any], kinds: set[type]) -> list[Any]:
    """Return the values of exactly one type; `kinds` holds the types of all values."""
    return values if len(kinds) == 1 else [value for value in values if type(value) is kind]
