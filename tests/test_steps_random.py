"""Tests random loops: the values in the stepper are those that a Python loop over the same body computes.

Integers and booleans must be equal. Floats may differ by 2 units in the last place for each step, because XLA may fuse
a multiplication and an addition in the loop that it does not fuse outside. The stepper itself compares the final
results with the function's results bit by bit; if they differ, the difference must be within the same tolerance.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import lax
from stepping import record

pytestmark = pytest.mark.any_jax

EVERY = settings(max_examples=examples(12), derandomize=True)
OPERATIONS = {
    "add": lambda h, t: h + t,
    "multiply": lambda h, t: h * t,
    "subtract": lambda h, t: t - h,
    "square": lambda h, t: h * h - t,
    "maximum": jnp.maximum,
    "where": lambda h, t: jnp.where(h > t, h - 1, h + t),
}
operations = st.lists(st.sampled_from(sorted(OPERATIONS)), min_size=1, max_size=3)
floats = st.floats(width=32, allow_nan=True, allow_infinity=True)
integers = st.integers(-(2**31), 2**31 - 1)


def body(names):
    def apply(h, t):
        for name in names:
            h = OPERATIONS[name](h, t)
        return h

    return apply


def assert_close(values, expected, steps):
    values, expected = np.asarray(values), np.asarray(expected)
    if expected.dtype.kind != "f":
        assert values.tolist() == expected.tolist()
        return
    is_equal = (values == expected) | (np.isnan(values) & np.isnan(expected))
    assert np.all(is_equal | (np.abs(values - expected) <= 2 * (steps + 1) * np.spacing(np.abs(expected)))), (
        values,
        expected,
    )


def shown(leaf, dtype):
    """Return the scalars of a recorded leaf as numbers, parsed from the texts that the user sees."""
    return np.array([np.array(text, dtype=dtype) for text in leaf.texts], dtype)


def assert_agrees(recording, steps):
    assert recording.stopped is None
    for comparison in recording.comparisons:
        if not comparison.equal:
            assert_close(np.float32(comparison.recorded), np.float32(comparison.real), steps)


@EVERY
@given(
    names=operations,
    start=st.one_of(floats.map(np.float32), integers.map(np.int32)),
    length=st.integers(0, 6),
    reverse=st.booleans(),
    data=st.data(),
)
@pytest.mark.slow
def test_scans(names, start, length, reverse, data):
    dtype = start.dtype
    numbers = floats if dtype.kind == "f" else integers
    xs = jnp.array(data.draw(st.lists(numbers, min_size=length, max_size=length)), dtype)
    step = body(names)
    recording = record(
        lambda h, xs: lax.scan(lambda h, t: (step(h, t), h), h, xs, reverse=reverse), start, xs, kind="scan"
    )
    assert_agrees(recording, length)
    carry = shown(recording.leaves[0], dtype)
    rows_in_order = np.asarray(xs)[::-1] if reverse else np.asarray(xs)
    assert_close(shown(recording.leaves[1], dtype), rows_in_order, 0)
    assert len(carry) == length + 1
    assert_close(carry[0], start, 0)
    with jax.numpy_dtype_promotion("standard"):
        for before, t, after in zip(carry, rows_in_order, carry[1:], strict=False):
            assert_close(after, step(jnp.asarray(before), jnp.asarray(t)), 1)


@EVERY
@given(names=operations, start=floats.map(np.float32), end=st.integers(0, 9), bound=floats.map(np.float32))
@pytest.mark.slow
def test_whiles(names, start, end, bound):
    step = body(names)

    def loop(h, end, bound):
        return lax.while_loop(
            lambda s: (s[1] < end) & ~(s[0] > bound), lambda s: (step(s[0], jnp.float32(1.5)), s[1] + 1), (h, 0)
        )

    recording = record(loop, start, np.int32(end), bound, kind="while_loop")
    assert_agrees(recording, end)
    h, counted = (leaf for leaf in recording.leaves if leaf.role == "carry")
    values, trips = shown(h, np.float32), recording.visits[0].trips
    assert [int(text) for text in counted.texts] == list(range(trips + 1))
    going = [bool((n < end) and not (value > bound)) for n, value in enumerate(values)]
    assert going == [True] * trips + [False]
    for before, after in zip(values, values[1:], strict=False):
        assert_close(after, step(jnp.asarray(before), jnp.float32(1.5)), 1)


@EVERY
@given(names=operations, start=integers.map(np.int32), counts=st.lists(st.integers(0, 4), min_size=1, max_size=4))
def test_loops_in_loops(names, start, counts):
    step = body(names)

    def nested(h, counts):
        return lax.scan(lambda h, n: (lax.fori_loop(0, n, lambda i, s: step(s, i), h), h), h, counts)

    recording = record(nested, start, jnp.array(counts, jnp.int32), kind="fori_loop")
    assert_agrees(recording, 0)
    assert [visit.trips for visit in recording.visits] == counts
    assert [visit.outer for visit in recording.visits] == [[number] for number in range(len(counts))]
    carry = shown([leaf for leaf in recording.leaves if leaf.role == "carry"][-1], np.int32)
    h, place = jnp.asarray(start), 0
    for number in counts:
        for i in range(number + 1):
            assert int(carry[place]) == int(h)
            place += 1
            h = step(h, jnp.int32(i)) if i < number else h
    assert place == len(carry)


@EVERY
@given(start=floats.map(np.float32), indices=st.lists(st.integers(-2, 5), min_size=1, max_size=5))
@pytest.mark.slow
def test_switches(start, indices):
    branches = [lambda h: h + 1, lambda h: h * 2, jnp.negative]

    def choose(h, indices):
        return lax.scan(lambda h, i: (lax.switch(i, branches, h), None), h, indices)[0]

    recording = record(choose, start, jnp.array(indices, jnp.int32), kind="switch")
    assert_agrees(recording, len(indices))
    assert recording.branch_taken == [str(min(max(i, 0), 2)) for i in indices]
