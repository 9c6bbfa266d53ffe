"""Tests warm times: the number of calls, the copies, the limits, and the values."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jupyter_jaxpr.measure.times.repeated_calls import SLOW, Timed, copied, take_turns, warm_time
from jupyter_jaxpr.measure.times.significant_time_difference import is_slower

pytestmark = pytest.mark.any_jax


class Clock:
    """A clock that moves only when a call moves it; it replaces `time.perf_counter`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.calls = 0
        monkeypatch.setattr(time, "perf_counter", lambda: self.now)

    def taking(self, *seconds: float) -> Callable[..., int]:
        """Return a call that takes these seconds in order, and then always the last of them."""

        def call(*args: Any, **kwargs: Any) -> int:
            self.now += seconds[min(self.calls, len(seconds) - 1)]
            self.calls += 1
            return 1

        return call


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_a_call_of_milliseconds_is_timed_one_by_one(clock: Clock) -> None:
    warm = warm_time(clock.taking(0.5, 0.004), (), {})
    assert warm is not None
    assert (warm.median, warm.minimum, warm.lower, warm.upper, warm.dispatch) == pytest.approx((0.004,) * 5)
    assert (warm.runs, warm.batch) == (62, 1)
    assert warm.calls == clock.calls == 64


def test_a_call_of_microseconds_is_timed_in_batches(clock: Clock) -> None:
    warm = warm_time(clock.taking(5e-6), (), {})
    assert warm is not None
    assert warm.median == pytest.approx(5e-6)
    assert (warm.runs, warm.batch) == (25 * 2000, 2000)
    assert warm.calls == clock.calls == 25 * 2000 + 25 + 6


def test_a_call_of_half_a_second_is_made_five_more_times(clock: Clock) -> None:
    warm = warm_time(clock.taking(0.5), (), {})
    assert warm is not None
    assert (warm.runs, clock.calls) == (5, 7)


def test_a_call_of_more_than_a_second_is_not_repeated(clock: Clock) -> None:
    warm = warm_time(clock.taking(SLOW + 0.01), (), {})
    assert warm is not None
    assert (warm.runs, clock.calls) == (1, 1)
    assert warm.median == warm.lower == warm.upper == pytest.approx(1.01)


def test_quartiles_are_of_the_runs(clock: Clock) -> None:
    first = [0.060, 0.060]  # the times of the first call, and of the call from which the number of runs is chosen
    warm = warm_time(clock.taking(*first, 0.1, 0.2, 0.3, 0.4, 0.5), (), {}, budget=0.3)
    assert warm is not None
    assert warm.runs == 5
    assert (warm.minimum, warm.lower, warm.median, warm.upper) == pytest.approx((0.1, 0.2, 0.3, 0.4))


def test_stop_keeps_what_was_measured(clock: Clock) -> None:
    call = clock.taking(0.005)
    warm = warm_time(call, (), {}, stop=lambda: clock.calls >= 12)
    assert warm is not None
    assert (warm.runs, clock.calls) == (10, 12)


def test_stopped_before_the_first_run_there_is_nothing(clock: Clock) -> None:
    assert warm_time(clock.taking(0.005), (), {}, stop=lambda: True) is None
    assert clock.calls == 0


def test_several_calls_are_timed_by_turns(clock: Clock) -> None:
    order: list[str] = []

    def call(name: str) -> None:
        order.append(name)
        clock.now += 0.1

    timed = [Timed(call, (name,), {}) for name in "ab"]
    take_turns(timed, lambda: False)
    assert "".join(order) == "aabb" + "ab" * 5


def test_the_clock_waits_for_the_result_and_tells_when_the_call_returned() -> None:
    """JAX returns from the call of a product of large matrices long before the product is computed."""
    x = jnp.ones((700, 700))
    f = jax.jit(lambda x: x @ x @ x @ x)
    f(x).block_until_ready()
    warm = warm_time(f, (x,), {})
    assert warm is not None
    assert warm.dispatch < warm.median
    assert warm.minimum <= warm.lower <= warm.median <= warm.upper


def test_it_says_what_a_loop_written_by_hand_says() -> None:
    x = jnp.ones((200, 200))
    f = jax.jit(lambda x: jnp.tanh(x @ x).sum())
    f(x).block_until_ready()

    def by_hand() -> float:
        seconds = []
        for _ in range(50):
            start = time.perf_counter()
            f(x).block_until_ready()
            seconds.append(time.perf_counter() - start)
        return statistics.median(seconds)

    ratios = []
    for _ in range(5):
        warm = warm_time(f, (x,), {}, budget=0.05)
        assert warm is not None
        ratios.append(warm.median / by_hand())
    # Other work on the machine may disturb a measurement, so only the ratio closest to 1 is checked.
    assert 0.5 < min(ratios, key=lambda ratio: abs(math.log(ratio))) < 2.0


def test_donated_arguments_are_copied_and_stay_whole() -> None:
    x, y = jnp.arange(1000.0), jnp.arange(1000.0)
    f = jax.jit(lambda x, y: x + y, donate_argnums=0)
    f(x.copy(), y)
    warm = warm_time(f, (x, y), {}, donated=(True, False))
    assert warm is not None
    assert warm.runs > 1
    assert not x.is_deleted()
    assert x[3] == 3.0


@pytest.mark.parametrize(
    "make",
    [
        lambda: jnp.arange(4.0),
        lambda: jax.jit(lambda a: a * 1)(2.0),  # a weakly typed array
        lambda: jax.device_put(jnp.ones(3), jax.devices()[0]),  # a committed array
        lambda: jax.random.key(0),
    ],
)
def test_a_copy_is_the_same_kind_of_array(make: Callable[[], Any]) -> None:
    value = make()
    f = jax.jit(lambda x: x)
    f(value)
    f({"x": 1}["x"])
    before = f._cache_size()
    copy = copied({"of": value})["of"]
    assert copy is not value
    f(copy)
    assert f._cache_size() == before


def test_a_busy_machine_hides_no_large_difference() -> None:
    quiet = [0.7e-3 + 1e-6 * number for number in range(20)]
    busy_warm = [*quiet[:14], *[0.0171] * 6]  # six of the twenty runs were slow, because the machine was busy
    eager = [0.012, 0.013, *[0.017 + 1e-5 * number for number in range(18)]]
    assert is_slower(eager, busy_warm, in_turns=False)
    assert not is_slower(busy_warm, eager, in_turns=False)
    assert not is_slower(busy_warm, quiet, in_turns=False)


def test_a_small_difference_needs_samples_that_are_nearly_all_apart() -> None:
    # Times of two equal functions, measured on a busy machine.
    equal = [10e-6] * 6 + [11e-6] * 12 + [12e-6] * 7
    collected = [7e-6] * 4 + [12.5e-6] * 21
    assert not is_slower(collected, equal)
    slower = [1.2 * sample for sample in equal]
    assert not is_slower(slower, [*equal[:20], *[13e-6] * 5])
    assert is_slower([1.3 * sample for sample in equal], equal)
    assert is_slower([1.6 * entry for entry in collected[4:]], [*equal, *[30e-6] * 4])
