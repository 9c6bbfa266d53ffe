"""Tests the texts of numbers, also where the unit or the number of digits changes."""

import json
from pathlib import Path

import pytest

from jupyter_jaxpr.joined_names import in_a_sentence, listed
from jupyter_jaxpr.quantities import count, duration, operations, size

pytestmark = pytest.mark.any_jax

# The kernel and the panel share this table; src/__tests__/quantities.spec.ts reads the same file.
TABLE = json.loads((Path(__file__).parent / "quantities.json").read_text())


@pytest.mark.parametrize("write", [duration, size, operations])
def test_the_kernel_and_the_panel_write_the_same(write):
    rows = TABLE[write.__name__]
    assert [[value, write(value).replace("\xa0", " ")] for value, _ in rows] == rows


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (23e-6, "23\xa0µs"),
        (0.15e-3, "0.15\xa0ms"),
        (5.4e-3, "5.4\xa0ms"),
        (142e-3, "142\xa0ms"),
        (1.3, "1.3\xa0s"),
        (41.2, "41\xa0s"),
        # At these values, the unit or the number of digits changes.
        (94.9e-6, "95\xa0µs"),
        (0.095e-3, "0.10\xa0ms"),
        (0.994e-3, "0.99\xa0ms"),
        (0.996e-3, "1.0\xa0ms"),
        (9.94e-3, "9.9\xa0ms"),
        (9.96e-3, "10\xa0ms"),
        (99.6e-3, "100\xa0ms"),
        (0.9994, "999\xa0ms"),
        (0.9996, "1.0\xa0s"),
        (142.4, "142\xa0s"),
        (1234.5, "1,235\xa0s"),
        (1.5e-6, "1.5\xa0µs"),
        (0.05e-6, "0.05\xa0µs"),
        (0.0, "0\xa0µs"),
        (None, "unknown"),
        (float("nan"), "unknown"),
        (float("inf"), "unknown"),
    ],
)
def test_a_time_has_two_figures_below_100_and_whole_units_above(seconds, words):
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (143, "143\xa0op"),
        (51_200, "51.2\xa0kop"),
        (80_143, "80.1\xa0kop"),
        (999, "999\xa0op"),
        (1000, "1.0\xa0kop"),
        (99_960, "100\xa0kop"),
        (999_600, "1.0\xa0Mop"),
        (7 * 10**18, "7,000\xa0Pop"),
        (None, "unknown"),
    ],
)
def test_operations_are_decimal(number, words):
    assert operations(number) == words


def test_a_size_is_decimal():
    assert size(5_120) == "5.1\xa0kB"
    assert size(0) == "0\xa0B"
    assert size(None) == "unknown"


@pytest.mark.parametrize(
    ("number", "exact", "words"),
    [
        (1, True, "1 call"),
        (4, True, "4 calls"),
        (0, True, "0 calls"),
        (11_202, True, "11,202 calls"),
        (4, False, "≥4 calls"),
        (1, False, "≥1 calls"),
        (None, True, "calls unknown"),
    ],
)
def test_a_count_names_what_it_counts(number, exact, words):
    assert count(number, "call", exact=exact) == words


def test_a_noun_may_have_its_own_plural():
    assert count(2, "entry", "entries") == "2 entries"


@pytest.mark.parametrize(
    ("names", "in_a_list", "in_a_text"),
    [
        ([], "", ""),
        (["a"], "a", "a"),
        (["a", "b"], "a, b", "a and b"),
        (["a", "b", "c"], "a, b, c", "a, b and c"),
        (["a", "b", "c", "d"], "a, b, c and 1 more", "a, b, c and 1 more"),
        (list("abcdefgh"), "a, b, c and 5 more", "a, b, c and 5 more"),
    ],
)
def test_names_are_listed_and_the_rest_is_counted(names, in_a_list, in_a_text):
    assert listed(names, 3) == in_a_list
    assert in_a_sentence(names, 3) == in_a_text
    assert in_a_sentence(names).count(",") == max(len(names) - 2, 0)
