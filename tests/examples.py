"""Sets how many random examples a test runs: all of them in `nox -s full`; else about a tenth, always the same ones.

`--hypothesis-profile=full` runs all examples, and different ones in each run.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

FEWEST = 5  # hypothesis draws the smallest examples first
# An example may compile a program, so its time says nothing about our code.
LONG = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
FULL = settings(max_examples=100, print_blob=True, **LONG)

settings.register_profile("full", FULL)
settings.register_profile("everyday", max_examples=10, derandomize=True, **LONG)
settings.load_profile("everyday")  # if the pytest option is given, pytest loads its profile later


def examples(number: int) -> int:
    """Return how many examples a test should run now, given their number in `nox -s full`."""
    if settings().max_examples == FULL.max_examples:
        return number
    return max(FEWEST, number // 10)
