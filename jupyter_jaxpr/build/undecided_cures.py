"""Holds the cures of a run that are not decided yet."""

from __future__ import annotations

from typing import NamedTuple

from ..observe.observation import ErrorToTry
from .ledger import MissNumbers
from .note_cures import SketchedNote
from .notes import NotedLoop


class UndecidedCures(NamedTuple):
    """The cures of a run that are not decided yet.

    Attributes:
        misses: The kernel's call number of each miss in the document.
        loops: The unrolled loops of the run.
        own: The number of programs of the user's functions, which come first in the document.
        left: The loops whose rewrites are not decided yet; None for all of them.
        tried: The misses whose cures an earlier request tried and did not decide.
        notes: The notes with edits to try.
        error: The error that ended the cell, if some of its cures are still to try.
    """

    misses: MissNumbers
    loops: tuple[NotedLoop, ...]
    own: int
    left: tuple[NotedLoop, ...] | None = None
    tried: frozenset[tuple[int, int]] = frozenset()
    notes: tuple[SketchedNote, ...] = ()
    error: ErrorToTry | None = None
