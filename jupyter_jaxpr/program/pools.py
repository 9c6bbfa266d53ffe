"""Values that repeat in, their indices out."""

from __future__ import annotations


class Strings:
    """A pool of strings: each once, named by its index."""

    def __init__(self) -> None:
        self.items: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        """Index of a string, put into the pool where it is new."""
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = len(self.items)
            self.items.append(text)
        return number
