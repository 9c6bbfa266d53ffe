"""Chooses which rows of a long table the everyday set runs: always the same rows, by a hash of their names."""

from __future__ import annotations

import zlib

import pytest


def order(row: object) -> int:
    """Return a number that is the same in each run and says nothing about the row's place in the table."""
    return zlib.crc32(repr(row).encode())


def marks(row: object, *, newest: int = 1, older: int = 1, always: bool = False) -> tuple[pytest.MarkDecorator, ...]:
    """Return the marks of a row of a table.

    Args:
        row: The name of the row.
        newest: The everyday set runs one of so many rows on the newest JAX line.
        older: It runs one of so many of these on the older line, too.
        always: Whether the row runs each day on both lines, because the lines differ in it.

    Returns:
        `slow` for a row that only `nox -s full` runs, `any_jax` for a row of the newest line alone, else no mark.
    """
    if always:
        return ()
    if order(row) % newest:
        return (pytest.mark.slow,)
    return (pytest.mark.any_jax,) if order(row) // newest % older else ()
