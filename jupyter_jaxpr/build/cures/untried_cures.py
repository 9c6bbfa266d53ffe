"""Holds the cures of a run for which it is still unknown whether they work."""

from __future__ import annotations

from typing import NamedTuple

from ...observe.observation import ErrorToTry
from ..cache_ledger import MissNumbers
from ..notes.unrolled_loop_notes import NotedLoop
from .edits_proposed_by_notes import SketchedNote


class CuresToTry(NamedTuple):
    """The cures of a run for which it is still unknown whether they work.

    Attributes:
        misses: (index of the function, index of the miss) -> number of the miss in the kernel.
        loops: The unrolled loops of the run.
        own: The number of programs of the user's functions, which come first in the document.
        left: The loops whose rewrites are still to be tried; None means all loops.
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
