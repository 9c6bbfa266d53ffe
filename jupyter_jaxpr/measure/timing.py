"""A call that has run before in, the seconds that one takes warm out.

As timeit does: as many calls as fit into a fraction of a second, Python's garbage collector at rest, each call waited
for until its result is ready. A call of microseconds is timed in batches, for the clock's own reading would be a part
of it. What a call takes away from its caller (donated arguments) is copied before the clock starts.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import repeat
from typing import Any

#: A call that takes longer than this many seconds is not repeated without asking.
SLOW = 1.0
#: Seconds that the runs of one call take together, roughly.
BUDGET = 0.25

_BATCH_BELOW = 50e-6
_BATCHES = 25
_RUNS_AT_MOST = 1_000
_RUNS_AT_LEAST = 5
_RUNS_OF_LONG_CALLS = 3
_LONG = 0.2
_DISPATCHES = 31
_COPIED_BYTES = 64_000_000

Stop = Callable[[], bool]


@dataclass(frozen=True)
class Warm:
    """Seconds of one warm call.

    Attributes:
        median, minimum, lower, upper: of the runs, or of the means of the batches; lower and upper are quartiles.
        runs: calls that were timed.
        batch: calls between two readings of the clock.
        dispatch: median until the call returned, its work perhaps not done.
    """

    median: float
    minimum: float
    lower: float
    upper: float
    runs: int
    batch: int
    dispatch: float


def warm_time(
    call: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    *,
    donated: Sequence[bool] = (),
    stop: Stop = lambda: False,
    budget: float = BUDGET,
) -> Warm | None:
    """Time a call that is compiled already; raises what the call raises.

    Args:
        call: What to time.
        args: Its arguments; those that it takes away stay whole, copies are given to it.
        kwargs: Likewise.
        donated: Of each leaf of `(args, kwargs)`, whether the call takes it away; empty where it takes none.
        stop: Asked between runs; what was measured until then counts.
        budget: Seconds that the runs take together, roughly.

    Returns:
        None where it was stopped before the first run had ended. A first run of over `SLOW` seconds is the only one.
    """
    inputs = _Inputs(args, kwargs, donated)
    with _without_collection():
        if stop():
            return None
        seconds, dispatch, result = _one(call, inputs.fresh(1)[0])
        if seconds > SLOW:
            return _warm([seconds], [dispatch], batch=1)
        wait = _waiter(result)
        del result
        if stop():
            return _warm([seconds], [dispatch], batch=1)
        # The first run after a compilation is slower than those that follow.
        estimate = min(seconds, _one(call, inputs.fresh(1)[0])[0])
        if estimate < _BATCH_BELOW:
            return _in_batches(call, inputs, wait, stop, budget)
        least = _RUNS_AT_LEAST if estimate < _LONG else _RUNS_OF_LONG_CALLS
        return _one_by_one(call, inputs, stop, min(max(int(budget / estimate), least), _RUNS_AT_MOST))


def copied(value: Any) -> Any:
    """A copy of each array of JAX in a tree, the very same kind of array; other leaves as they are."""
    import jax

    return jax.tree_util.tree_map(lambda leaf: leaf.copy() if isinstance(leaf, jax.Array) else leaf, value)


Given = tuple[Sequence[Any], Mapping[str, Any]]


class _Inputs:
    """What each run is called with."""

    def __init__(self, args: Sequence[Any], kwargs: Mapping[str, Any], donated: Sequence[bool]) -> None:
        import jax

        self._given: Given = (tuple(args), dict(kwargs))
        self._leaves, self._tree = jax.tree_util.tree_flatten(self._given)
        self._donated = [
            flag and isinstance(leaf, jax.Array)
            for flag, leaf in zip(donated or [False] * len(self._leaves), self._leaves, strict=True)
        ]
        size = sum(leaf.nbytes for flag, leaf in zip(self._donated, self._leaves, strict=True) if flag)
        #: How many runs may have their copies made at once.
        self.at_once = max(1, _COPIED_BYTES // max(size, 1))

    def fresh(self, count: int) -> list[Given]:
        """Arguments of some runs, copies ready."""
        import jax

        if not any(self._donated):
            return [self._given] * count
        made: list[Given] = []
        for _ in range(count):
            leaves = [leaf.copy() if flag else leaf for flag, leaf in zip(self._donated, self._leaves, strict=True)]
            made.append(jax.tree_util.tree_unflatten(self._tree, leaves))
        jax.block_until_ready([given for given in made])
        return made


def _one(call: Callable[..., Any], given: Given) -> tuple[float, float, Any]:
    """Seconds of one run, and those until it returned; and its result."""
    import jax

    args, kwargs = given
    clock, wait = time.perf_counter, jax.block_until_ready
    start = clock()
    result = call(*args, **kwargs)
    returned = clock()
    wait(result)
    return clock() - start, returned - start, result


def _one_by_one(call: Callable[..., Any], inputs: _Inputs, stop: Stop, runs: int) -> Warm:
    seconds: list[float] = []
    dispatches: list[float] = []
    while len(seconds) < runs and not (seconds and stop()):
        for given in inputs.fresh(min(runs - len(seconds), inputs.at_once, 10)):
            took, dispatch, _ = _one(call, given)
            seconds.append(took)
            dispatches.append(dispatch)
            if stop():
                break
    return _warm(seconds, dispatches, batch=1)


def _in_batches(call: Callable[..., Any], inputs: _Inputs, wait: Wait, stop: Stop, budget: float) -> Warm:
    batch = 1
    while True:  # as timeit finds its number: 1, 2, 5, 10, 20, ...
        took = _batch(call, inputs.fresh(batch), wait)
        if took >= budget / _BATCHES / 2 or batch >= inputs.at_once or stop():
            break
        following = batch * (2 if str(batch)[0] in "15" else 5) // (1 if str(batch)[0] in "15" else 2)
        batch = min(following, inputs.at_once)
    seconds = [took / batch]
    while len(seconds) < _BATCHES and not stop():
        seconds.append(_batch(call, inputs.fresh(batch), wait) / batch)
    dispatches = [_one(call, given)[1] for given in inputs.fresh(min(_DISPATCHES, inputs.at_once))]
    return _warm(seconds, dispatches, batch)


Wait = Callable[[Any], Any]


def _batch(call: Callable[..., Any], batch: list[Given], wait: Wait) -> float:
    """Seconds of some runs together."""
    clock = time.perf_counter
    args, kwargs = batch[0]
    if all(given is batch[0] for given in batch):
        # The shortest loop that can be written: each operation in it counts as the call's.
        times = repeat(None, len(batch))
        if not kwargs and len(args) == 1:
            (argument,) = args
            start = clock()
            for _ in times:
                wait(call(argument))
            return clock() - start
        start = clock()
        for _ in times:
            wait(call(*args, **kwargs))
        return clock() - start
    start = clock()
    for args, kwargs in batch:
        wait(call(*args, **kwargs))
    return clock() - start


def _waiter(result: Any) -> Wait:
    """What waits for results like this one, and costs least."""
    import jax

    if isinstance(result, jax.Array):
        return _wait_for_array
    return jax.block_until_ready


def _wait_for_array(result: Any) -> Any:
    return result.block_until_ready()


def _warm(seconds: list[float], dispatches: list[float], batch: int) -> Warm:
    lower = upper = seconds[0]
    if len(seconds) > 1:
        lower, _, upper = statistics.quantiles(seconds, n=4, method="inclusive")
    return Warm(
        median=statistics.median(seconds),
        minimum=min(seconds),
        lower=lower,
        upper=upper,
        runs=len(seconds) * batch,
        batch=batch,
        dispatch=statistics.median(dispatches),
    )


@contextmanager
def _without_collection() -> Iterator[None]:
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
