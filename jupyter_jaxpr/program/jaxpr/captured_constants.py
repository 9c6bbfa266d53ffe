"""Holds what is known about an array that a program captured as a constant; the array itself is never kept."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Captured:
    """What is known about a constant of a scope; the array itself is never kept.

    Attributes:
        identity: a number that identifies the array: two constants that are the same array have the same number.
    """

    operand: int
    bytes: int
    identity: int
