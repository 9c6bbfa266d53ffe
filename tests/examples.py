"""The number of random examples of a test: all in `nox -s full`; every day about a tenth, always the same examples.

`--hypothesis-profile=full` takes them all, and others in each run.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

FEWEST = 5  # hypothesis draws the smallest examples first
# An example may compile, so that its time says nothing about the code.
LONG = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
FULL = settings(max_examples=100, print_blob=True, **LONG)

settings.register_profile("full", FULL)
settings.register_profile("everyday", max_examples=10, derandomize=True, **LONG)
settings.load_profile("everyday")  # pytest reads the option, if there is one, later


def examples(number: int) -> int:
    """Return the number of examples of a test that takes `number` of them in `nox -s full`."""
    if settings().max_examples == FULL.max_examples:
        return number
    return max(FEWEST, number // 10)
