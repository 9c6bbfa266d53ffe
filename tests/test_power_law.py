"""Tests power laws through series with a known exponent, with a fixed cost and without."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_jaxpr.document.types.timing import Sweep, SweepFit, SweepPoint
from jupyter_jaxpr.exports.growth_sentence import unclear_growth
from jupyter_jaxpr.measure.times.power_law import power_law

pytestmark = pytest.mark.any_jax


def fit(*points):
    law = power_law(points)
    assert law is not None
    return round(law.exponent, 6), round(law.factor, 6), round(law.error, 6), law.first_number


def test_a_cube():
    assert fit((10, 5_000.0), (20, 40_000.0), (40, 320_000.0), (80, 2_560_000.0)) == (3.0, 5.0, 0.0, 20)


def test_two_points_show_no_law():
    assert power_law([(10, 3.0), (100, 300.0)]) is None
    assert power_law([(1, 5.0), (10, 5.0), (100, 5.0), (1_000, 500.0), (10_000, 50_000.0)]) is None


def test_a_flat_series_has_the_exponent_0_and_all_points():
    assert fit((100, 7.0), (1_000, 7.0), (10_000, 7.0)) == (0.0, 7.0, 0.0, 100)


def test_the_line_leaves_the_fixed_cost_out():
    # The first four times are dispatch, because they are below twice the smallest time, 5 us. The fit uses the others.
    dispatch = [(1, 5.0), (10, 6.0), (100, 5.5), (1_000, 9.9)]
    assert fit(*dispatch, (10_000, 100.0), (100_000, 1_000.0), (1e6, 1e4)) == (1.0, 0.01, 0.0, 10_000)


def test_the_interval_around_the_exponent():
    # Without the fixed cost, log10 gives x = 1, 2, 3 and y = 2, 3.01, 4: the slope is 1, and the residuals are -1/300,
    # 1/150, -1/300. Their squares sum to 1/15,000 with one degree of freedom, and the squared distances of x sum to 2.
    # For one degree of freedom, the 95 % interval has 12.71 standard errors.
    exponent, _, error, first = fit((1, 1.0), (10, 1e2), (100, 10**3.01), (1_000, 1e4))
    assert (exponent, error, first) == (1.0, round(12.71 * math.sqrt(1 / 30_000), 6), 10)


def test_points_that_lie_on_no_line_show_no_law():
    # On log-log axes the slope is 1.5, but between the first two points it is 1, and between the last two it is 2.
    assert power_law([(1, 1.0), (10, 1e2), (100, 1e3), (1_000, 1e5)]) is None


def test_samples_that_differ_show_no_law():
    points = [(10, 100.0), (20, 200.0), (40, 400.0), (80, 800.0)]
    assert power_law(points) is not None
    assert power_law(points, [0.05] * 4) is not None
    assert power_law(points, [0.5] * 4) is None


def test_points_may_come_in_any_order():
    assert fit((80, 6_400.0), (10, 100.0), (40, 1_600.0), (20, 400.0)) == (2.0, 1.0, 0.0, 20)


@pytest.mark.parametrize(
    "points",
    [
        [],
        [(10, 5.0)],
        [(10, 5.0), (10, 6.0), (10, 7.0)],
        [(0, 1.0), (1, 1.0), (2, 1.0)],
        [(1, 0.0), (2, 0.0), (3, 0.0)],
        [(-2, 1.0), (-1, 1.0), (1, 1.0)],
    ],
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
    if law is not None and max(numbers) / min(numbers) > 1.01:
        assert math.isclose(law.exponent, exponent, rel_tol=1e-4, abs_tol=1e-4)


def test_series_that_do_not_show_how_they_grow_are_named() -> None:
    fit = SweepFit(function="f", series="warm", exponent=1.0, factor=1.0, error=None, first_number=1.0)
    points = [
        SweepPoint(
            function="f",
            value=str(number),
            number=float(number),
            eager=None,
            warm=None,
            first=0.1,
            trace=None,
            lower=None,
            compile=None,
            from_disk=False,
            equations=None,
            bytes=None,
            flops=None,
            error=None,
        )
        for number in (1, 2, 4)
    ]

    def note(fits: list[SweepFit], points: list[SweepPoint]) -> str | None:
        return unclear_growth(
            Sweep(
                name="n",
                call="f(n)",
                functions=["f"],
                points=points,
                fits=fits,
                total=3,
                stopped=None,
                notes=[],
                seconds=1.0,
            )
        )

    text = (
        "The points of the sweep do not show how these times grow: the first-call time of f. Sweep more values, or "
        "larger values."
    )
    assert note([fit], points) == text
    first = SweepFit(function="f", series="first", exponent=1.0, factor=1.0, error=None, first_number=1.0)
    assert note([fit, first], points) is None
    assert note([], points[:2]) is None  # with only two values, there is no note
