"""Formats seconds, bytes and counts, as every text of this package writes them.

Times have two figures below 100 and whole units above; counts and sizes are decimal. The space before a unit does not
break. An unknown quantity is written "unknown", never 0 or a dash.
"""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_UP, Decimal

NO_BREAK = "\u00a0"
UNKNOWN = "unknown"

# A shorter time is written in microseconds; 0.095 ms is the smallest time that is easy to read in milliseconds.
_MILLISECONDS_FROM = 0.095e-3
# A longer time would round to 1000 ms, so it is written in seconds, as 1.0 s.
_SECONDS_FROM = 0.9995


def duration(seconds: float | None) -> str:
    """Return a time, such as ``23 µs``, ``0.15 ms``, ``142 ms`` or ``1.3 s``.

    Args:
        seconds: The time; None and what is not finite read as unknown.
    """
    if seconds is None or not math.isfinite(seconds):
        return UNKNOWN
    if seconds < _MILLISECONDS_FROM:
        return _two_figures(seconds * 1e6) + NO_BREAK + "µs"
    if seconds < _SECONDS_FROM:
        return _two_figures(seconds * 1e3) + NO_BREAK + "ms"
    return _two_figures(seconds) + NO_BREAK + "s"


def size(number: int | None) -> str:
    """Return a size in bytes, decimal: ``143 B``, ``5.1 kB``, ``420 MB``."""
    return _scaled(number, "B")


def operations(number: int | None) -> str:
    """Return a number of operations on numbers of any type, short: ``143 op``, ``51.2 kop``."""
    return _scaled(number, "op")


def operations_in_words(least: int, most: int) -> str:
    """Return a number of operations in words: ``1 operation``, ``143 operations``, ``2.0 to 51.2 k operations``."""
    if least == most == 1:
        return count(1, "operation")
    text = operations(most) if least == most else " to ".join(ends(operations(least), operations(most)))
    return re.sub(rf"{NO_BREAK}(\w?)op\b", _in_words, text)


def _in_words(match: re.Match[str]) -> str:
    return f"{NO_BREAK}{match[1]} operations" if match[1] else " operations"


def factor(value: float) -> str:
    """Return a factor, with two figures below 100: ``0.85``, ``7.8``, ``19``, ``140``."""
    return _two_figures(value)


def ends(low: str, high: str) -> tuple[str, str]:
    """Return both ends of a range of quantities as text.

    A unit that both have is written once: ``5.2`` and ``6.9 ms``.
    """
    number, _, unit = low.partition(NO_BREAK)
    once = number == "0" or high.endswith(f"{NO_BREAK}{unit}")
    return number if once else low, high


def count(number: int | None, one: str, many: str | None = None, *, exact: bool = True) -> str:
    """Return a number of things: ``1 call``, ``11,202 equations``, ``≥4 calls``; ``calls unknown`` in place of ≥0.

    Args:
        number: The number; None if it is unknown.
        one: The noun in the singular.
        many: The noun in the plural; by default `one` with an s.
        exact: False if the number is a lower bound.
    """
    many = many or one + "s"
    if number is None or (number == 0 and not exact):
        return f"{many} {UNKNOWN}"
    return f"{'' if exact else '≥'}{number:,} {one if number == 1 and exact else many}"


def _two_figures(value: float) -> str:
    """Return a number as text with two significant figures below 100, and as an integer from there on."""
    if value < 0.095:
        return f"{value:.2g}" if value else "0"
    if value < 0.995:
        return _rounded(value, 2)
    if value < 9.95:
        return _rounded(value, 1)
    return _rounded(value, 0)


def _rounded(value: float, decimals: int) -> str:
    """Return a number as text with `decimals` decimals; a half is rounded up, as in the browser."""
    return f"{Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):,}"


def _scaled(number: int | None, unit: str) -> str:
    if number is None:
        return UNKNOWN
    value, prefix = float(number), ""
    for larger in ("k", "M", "G", "T", "P"):
        # A value that would round to 1000 gets the next larger unit.
        if value < 999.5:
            break
        value, prefix = value / 1000, larger
    figures = _rounded(value, 0 if not prefix or value >= 99.95 else 1)
    return f"{figures}{NO_BREAK}{prefix}{unit}"
