"""Checks that an index of a document is in range; raises an error that says the document is damaged otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..limits import AMOUNT


class Damaged(Exception):
    """An error that names the damaged part of a document."""


def need(condition: bool, message: str) -> None:
    """Something that holds in every sound document."""
    if not condition:
        raise Damaged(message)


def index(number: int, pool: Any, message: str, *, none: bool = False) -> None:
    """Check an index into a pool; -1 is allowed if `none` is true."""
    if not (-1 if none else 0) <= number < len(pool):
        raise Damaged(message)


def indices(numbers: Iterable[int], pool: Any, message: str, *, none: bool = False) -> None:
    """Indices into a pool."""
    first, last = (-1 if none else 0), len(pool)
    if not all(first <= number < last for number in numbers):
        raise Damaged(message)


def amounts(numbers: Iterable[float | None], message: str) -> None:
    """Numbers from 0 that can be added up, or none."""
    if not all(number is None or 0 <= number <= AMOUNT for number in numbers):
        raise Damaged(message)
