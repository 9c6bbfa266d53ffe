"""Power laws through series whose exponent is known, with a fixed cost and without."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_jaxpr.measure.times.power_law import power_law

pytestmark = pytest.mark.any_jax


def fit(*points):
    law = power_law(points)
    assert law is not None
    error = None if law.error is None else round(law.error, 6)
    return round(law.exponent, 6), round(law.factor, 6), error, law.first_number


def test_a_cube():
    assert fit((10, 5_000.0), (20, 40_000.0), (40, 320_000.0), (80, 2_560_000.0)) == (3.0, 5.0, 0.0, 20)


def test_two_points_have_no_error():
    assert fit((10, 3.0), (100, 300.0)) == (2.0, 0.03, None, 10)


def test_a_flat_series_has_the_exponent_0_and_all_points():
    assert fit((100, 7.0), (1_000, 7.0), (10_000, 7.0)) == (0.0, 7.0, 0.0, 100)


def test_the_line_leaves_the_fixed_cost_out():
    # 5 us of dispatch until the work is more than that: 5, 6, 5.5, 9.9 are below twice the smallest.
    dispatch = [(1, 5.0), (10, 6.0), (100, 5.5), (1_000, 9.9)]
    assert fit(*dispatch, (10_000, 100.0), (100_000, 1_000.0)) == (1.0, 0.01, None, 10_000)


def test_with_one_point_beyond_the_fixed_cost_the_last_of_it_is_taken_too():
    assert fit((1, 5.0), (10, 5.0), (100, 5.0), (1_000, 500.0)) == (2.0, 0.0005, None, 100)


def test_the_standard_error_of_the_exponent():
    # log10: x = 0, 1, 2, 3 and y = 0, 2, 3, 5, the first of them the fixed cost. Of the rest: slope 1.5, residuals
    # 1/6, -1/3, 1/6, so a variance of 1/6 over a spread of 2.
    exponent, _, error, first = fit((1, 1.0), (10, 1e2), (100, 1e3), (1_000, 1e5))
    assert (exponent, error, first) == (1.5, round(math.sqrt(1 / 12), 6), 10)


def test_points_may_come_in_any_order():
    assert fit((80, 6_400.0), (10, 100.0), (40, 1_600.0), (20, 400.0)) == (2.0, 1.0, 0.0, 20)


@pytest.mark.parametrize(
    "points",
    [[], [(10, 5.0)], [(10, 5.0), (10, 6.0)], [(0, 1.0), (1, 1.0)], [(1, 0.0), (2, 0.0)], [(-2, 1.0), (-1, 1.0)]],
    ids=["nothing", "one point", "one number", "0 has no logarithm", "values of 0", "negative numbers"],
)
def test_where_there_is_no_line(points):
    assert power_law(points) is None


@given(
    exponent=st.floats(0.2, 4),
    factor=st.floats(1e-6, 1e3),
    numbers=st.lists(st.integers(1, 10**6), min_size=2, max_size=8, unique=True),
)
def test_a_power_law_is_found_whatever_the_numbers(exponent, factor, numbers):
    law = power_law([(number, factor * number**exponent) for number in numbers])
    assert law is not None
    if max(numbers) / min(numbers) > 1.01:
        assert math.isclose(law.exponent, exponent, rel_tol=1e-4, abs_tol=1e-4)
