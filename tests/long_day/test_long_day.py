"""Tests a long day in a shell and in a kernel: the extension keeps no more objects alive than plain cells do.

The test checks counts and bytes, never seconds. `python tests/long_day` prints them as a table.
"""

from __future__ import annotations

from typing import Any

import pytest
from day import day, growth

CELLS, EVERY = {"shell": 250, "kernel": 1_000}, 50
# Growth is counted from this cell on: earlier cells import modules, and fill the bounded lists of runs and functions.
BEGIN = 150


def figures(place: str, way: str) -> tuple[list[Any], dict[str, Any]]:
    """Return the counts of live objects every fifty cells, and the counts at the end of the day."""
    *through, (_, end) = day(place, way, CELLS[place], EVERY)
    return through, end


@pytest.mark.slow
@pytest.mark.parametrize("place", ["shell", "kernel"])
def test_a_long_day(place: str) -> None:
    plain, plain_end = figures(place, "plain")
    observed, observed_end = figures(place, "magic")
    for (number, before), (_, after) in zip(plain, observed, strict=True):
        assert (number, after["arrays"]) == (number, before["arrays"])
        # For the panel, the extension keeps the programs of the last eight runs and of their functions.
        assert before["executables"] <= after["executables"] <= before["executables"] + 16
        assert after["functions"] <= before["functions"] + 8
        assert after["comms"] <= before["comms"] + 1
        assert after["temporary"] <= before["temporary"]
    # From cell 150 on, the memory may grow by 5 % more than with the same cells without the extension.
    within = 0.05 * plain[-1][1]["rss"]
    assert growth(observed, "rss", BEGIN) <= growth(plain, "rss", BEGIN) + within
    for name in ("arrays", "executables", "functions", "comms", "temporary"):
        assert observed_end[name] <= plain_end[name], (name, plain_end, observed_end)
    # In a kernel, the first message above 64 kB makes pyzmq start a thread, which keeps running with its open files.
    allowance = {"shell": (0, 0), "kernel": (1, 8)}[place]
    assert observed_end["threads"] <= plain_end["threads"] + allowance[0]
    assert observed_end["files"] <= plain_end["files"] + allowance[1]
