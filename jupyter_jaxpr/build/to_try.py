"""Holds the cures of a run that are not decided yet."""

from __future__ import annotations

from typing import NamedTuple

from ..observe.observation import ErrorToTry
from .ledger import MissNumbers
from .note_cures import SketchedNote
from .notes import NotedLoop


class ToTry(NamedTuple):
    """The cures of a run that are not decided yet.

    Attributes:
        misses: Which call of the kernel each miss of the document was.
        loops: The loops that were unrolled.
        own: How many programs of the document, the first ones, are of the user's functions.
        left: Those of the loops that are not decided yet; None for all of them.
        tried: The misses that were tried before, and not decided.
        notes: Whose cures may be edits.
        error: That ended the cell, where its cures were not all tried.
    """

    misses: MissNumbers
    loops: tuple[NotedLoop, ...]
    own: int
    left: tuple[NotedLoop, ...] | None = None
    tried: frozenset[tuple[int, int]] = frozenset()
    notes: tuple[SketchedNote, ...] = ()
    error: ErrorToTry | None = None
