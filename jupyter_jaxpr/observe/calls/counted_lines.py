"""Counts the calls, hits and compiles of each line in the user's source.

The ledger has the same counts by function; here they are by line. A line whose calls only hit is counted, too.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..observation import LineReading, Outcome, Place

LINES = 2_000
"""The number of lines that are counted separately; no cell has more."""


@dataclass(slots=True)
class _Line:
    """The counts of one line.

    Attributes:
        calls: the calls that the counter saw.
        unseen: true if the line may have made calls that the counter did not see.
        raised_seen: the calls that the counter saw and that raised.
        raised: the misses whose call raised.
    """

    calls: int = 0
    unseen: bool = False
    raised_seen: int = 0
    misses: int = 0
    dispatch_only: int = 0
    inlined: int = 0
    raised: int = 0
    compiles: int = 0

    def reading(self, place: Place, counted: bool, exact: bool) -> LineReading:
        """Return the counts of the line as a `LineReading`.

        A hit is a call that made JAX neither trace nor lower nor compile.
        """
        if not counted:
            return LineReading(place.file, place.line, None, False, None, self.compiles)
        missed = self.misses + self.inlined
        calls = max(self.calls, missed)
        # the number of calls that raised before JAX looked for a cache entry
        raised_early = max(self.raised_seen - self.raised, 0)
        hits = max(calls - raised_early - missed + self.dispatch_only, 0)
        exact = exact and not self.unseen and self.calls >= missed
        return LineReading(place.file, place.line, calls, exact, hits, self.compiles)


class CallLines:
    """The counts of the lines of one run."""

    def __init__(self) -> None:
        self._lines: dict[tuple[str, int], _Line] = {}

    def called(self, place: Place | None, times: int) -> None:
        """Count `times` calls of a jitted user function on a line."""
        if (line := self._at(place)) is not None:
            line.calls += times

    def raised(self, place: Place | None, times: int) -> None:
        """Count `times` calls that raised an exception on a line."""
        if (line := self._at(place)) is not None:
            line.raised_seen += times

    def unseen(self, place: Place | None) -> None:
        """Record that a line may have made calls that the counter did not see, such as calls from C code."""
        if (line := self._at(place)) is not None:
            line.unseen = True

    def missed(self, place: Place | None, outcome: Outcome, compiles: int = 0) -> None:
        """Count a call on a line that missed JAX's fast path or that JAX inlined, and the compiles of this call."""
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
        """Count compiles on a line that belong to no missed call, such as those of `f.lower(x).compile()`."""
        if times and (line := self._at(place)) is not None:
            line.compiles += times

    def readings(self, counted: bool, exact: bool) -> tuple[LineReading, ...]:
        """Return the counts of each line that has a call or a compile.

        Args:
            counted: True if calls could be counted at all.
            exact: True if the counter saw every call from Python code.
        """
        return tuple(line.reading(Place(*at), counted, exact) for at, line in sorted(self._lines.items()))

    def _at(self, place: Place | None) -> _Line | None:
        if place is None:
            return None
        key = (place.file, place.line)
        line = self._lines.get(key)
        if line is None and len(self._lines) < LINES:
            line = self._lines[key] = _Line()
        return line
