"""Stores each repeated value once and gives it an index."""

from __future__ import annotations

from ...plain_text import Limit, exact


class Strings:
    """A pool of strings: each string is stored once and named by its index."""

    def __init__(self) -> None:
        self.items: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        """Return the index of a string in the pool; a new string is added as a plain `str` of bounded length."""
        number = self._numbers.get(text) if type(text) is str else None
        if number is None:
            text = exact(text, Limit.POOLED)
            number = self._numbers.setdefault(text, len(self.items))
            if number == len(self.items):
                self.items.append(text)
        return number
