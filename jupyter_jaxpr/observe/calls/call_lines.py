"""Counts the calls, hits and compiles of each line of the user's text.

The same sums as for a function (`ledger`), by the user's line instead: a line that only hit is here too.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..observation import LineReading, Outcome, Place

LINES = 2_000
"""Lines that are told apart; a program with more is no cell."""


@dataclass(slots=True)
class _Line:
    """What happened at one line."""

    calls: int = 0  # seen where they were made
    unseen: bool = False  # there may have been more
    raised_seen: int = 0  # of `calls`
    misses: int = 0
    dispatch_only: int = 0
    inlined: int = 0
    raised: int = 0  # of `misses`
    compiles: int = 0

    def reading(self, place: Place, counted: bool, exact: bool) -> LineReading:
        """What is known of it; hits are the calls that compiled and lowered nothing."""
        if not counted:
            return LineReading(place.file, place.line, None, False, None, self.compiles)
        missed = self.misses + self.inlined
        calls = max(self.calls, missed)
        raised_early = max(self.raised_seen - self.raised, 0)  # before JAX looked for an entry
        hits = max(calls - raised_early - missed + self.dispatch_only, 0)
        exact = exact and not self.unseen and self.calls >= missed
        return LineReading(place.file, place.line, calls, exact, hits, self.compiles)


class CallLines:
    """The lines of one run."""

    def __init__(self) -> None:
        self._lines: dict[tuple[str, int], _Line] = {}

    def called(self, place: Place | None, times: int) -> None:
        """A jitted function of the user's was called."""
        if (line := self._at(place)) is not None:
            line.calls += times

    def raised(self, place: Place | None, times: int) -> None:
        """Of those calls, so many raised."""
        if (line := self._at(place)) is not None:
            line.raised_seen += times

    def unseen(self, place: Place | None) -> None:
        """A jitted function was or may have been called unseen: it was given to C code, or a site is not watched."""
        if (line := self._at(place)) is not None:
            line.unseen = True

    def missed(self, place: Place | None, outcome: Outcome, compiles: int = 0) -> None:
        """A call missed JAX's fast path, or was inlined; XLA compiled so often for it."""
        if (line := self._at(place)) is None:
            return
        if outcome == "inlined":
            line.inlined += 1
            return
        line.misses += 1
        line.compiles += compiles
        line.dispatch_only += outcome == "dispatch_only"
        line.raised += outcome == "raised"

    def compiled(self, place: Place | None, times: int) -> None:
        """XLA compiled."""
        if times and (line := self._at(place)) is not None:
            line.compiles += times

    def readings(self, counted: bool, exact: bool) -> tuple[LineReading, ...]:
        """Each line at which something happened.

        Args:
            counted: whether calls could be counted at all.
            exact: whether every call that Python code makes was seen.
        """
        return tuple(line.reading(Place(*at), counted, exact) for at, line in sorted(self._lines.items()))

    def _at(self, place: Place | None) -> _Line | None:
        if place is None:
            return None
        key = (place.file, place.line)
        found = self._lines.get(key)
        if found is None and len(self._lines) < LINES:
            found = self._lines[key] = _Line()
        return found
