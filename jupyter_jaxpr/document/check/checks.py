"""Checks that an index of a document is in range; raises an error that says the document is damaged otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..limits import AMOUNT


class Damaged(Exception):
    """An error that names the damaged part of a document."""


def need(condition: bool, what: str) -> None:
    """Something that holds in every sound document."""
    if not condition:
        raise Damaged(what)


def index(number: int, pool: Any, what: str, *, none: bool = False) -> None:
    """An index into a pool, or -1 where there may be none."""
    if not (-1 if none else 0) <= number < len(pool):
        raise Damaged(what)


def indices(numbers: Iterable[int], pool: Any, what: str, *, none: bool = False) -> None:
    """Indices into a pool."""
    first, last = (-1 if none else 0), len(pool)
    if not all(first <= number < last for number in numbers):
        raise Damaged(what)


def amounts(numbers: Iterable[float | None], what: str) -> None:
    """Numbers from 0 that can be added up, or none."""
    if not all(number is None or 0 <= number <= AMOUNT for number in numbers):
        raise Damaged(what)
