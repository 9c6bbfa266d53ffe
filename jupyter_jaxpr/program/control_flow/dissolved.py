"""A scope in, the cards of what left no primitive of its own out: a cond under vmap, an associative_scan.

Both are found from the frames: JAX's batching rule of cond is on the stack of the selects that it makes, and
`associative_scan` on that of the slices it takes. Equations of one call have the same user frames around them.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..jaxpr import ScopeColumns, Walk
from .callers import BATCHED_COND, Caller, Callers
from .card import Card
from .place import Paths, Place
from .written import Written


class Dissolved:
    """Finds constructs by frames."""

    def __init__(self, walk: Walk, written: Written, callers: Callers, paths: Paths) -> None:
        """The columns, the user's texts, the frames and the paths."""
        self._walk = walk
        self._written = written
        self._callers = callers
        self._paths = paths
        self._kinds: dict[int, str | None] = {}

    def any_in(self, columns: ScopeColumns) -> bool:
        """Whether a scope has equations of such a construct."""
        return any(self._kind(stack) is not None for stack in set(columns.stack))

    def cards(self, place: Place, program: int, depth: int) -> list[Card]:
        """Their cards."""
        return []

    def _kind(self, stack: int) -> str | None:
        if stack not in self._kinds:
            functions = self._callers.functions(stack)
            self._kinds[stack] = next(
                (
                    kind
                    for name, kind in ((BATCHED_COND, "select"), ("associative_scan", "associative_scan"))
                    if any(function.partition(".<locals>")[0] == name for function in functions)
                ),
                None,
            )
        return self._kinds[stack]


_ = (Iterable, Caller)
