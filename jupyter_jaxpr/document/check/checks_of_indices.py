"""Checks that an index of a document is in its range.

If not, raises an error which says that the document is damaged.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..limits import AMOUNT


class Damaged(Exception):
    """Raised for a damaged document; the message names the damaged part."""


def need(condition: bool, message: str) -> None:
    """Raise `Damaged` with `message` unless `condition` holds."""
    if not condition:
        raise Damaged(message)


def index(number: int, pool: Any, message: str, *, none: bool = False) -> None:
    """Raise `Damaged` if `number` is no index into `pool`; -1 is allowed if `none` is true."""
    if not (-1 if none else 0) <= number < len(pool):
        raise Damaged(message)


def indices(numbers: Iterable[int], pool: Any, message: str, *, none: bool = False) -> None:
    """Raise `Damaged` if one of `numbers` is no index into `pool`; -1 is allowed if `none` is true."""
    first, last = (-1 if none else 0), len(pool)
    if not all(first <= number < last for number in numbers):
        raise Damaged(message)


def amounts(numbers: Iterable[float | None], message: str) -> None:
    """Raise `Damaged` if one of `numbers` is negative or too large to be added up; None is allowed."""
    if not all(number is None or 0 <= number <= AMOUNT for number in numbers):
        raise Damaged(message)
