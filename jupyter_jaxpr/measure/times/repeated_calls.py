"""Measures how long a warm call takes, by repeating it.

As with timeit, the call is repeated for a fraction of a second with Python's garbage collector off; each call lasts
until its result is ready. Calls of less than a millisecond are timed in batches, because reading the clock takes time,
too. Donated arguments are copied before the clock starts.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

from ...interruptions import not_of_a_signal
from ...observe.garbage_collection import without_collection
from .significant_time_difference import FEWEST

# A call that takes more seconds than this is not repeated without asking the user.
SLOW = 1.0
# About how many seconds all repetitions of one call take together.
BUDGET = 0.25

_BATCH_BELOW = 1e-3
_BATCHES = 25
_RUNS_AT_MOST = 1_000
_PROBES = 5
_PROBES_BELOW = 1e-3
_COPIED_BYTES = 64_000_000

Stop = Callable[[], bool]
Given = tuple[Sequence[Any], Mapping[str, Any]]
Wait = Callable[[Any], Any]


@dataclass(frozen=True)
class Warm:
    """The measured seconds of a warm call.

    Attributes:
        median, minimum, lower, upper: statistics of the samples; lower and upper are the quartiles.
        runs: the number of timed calls.
        calls: the number of all calls, with those that were made to choose the number of samples.
        batch: the number of calls between two readings of the clock.
        dispatch: the median time until the call returned, which may be before its result was ready.
        samples: the seconds of each call, or the mean of each batch.
    """

    median: float
    minimum: float
    lower: float
    upper: float
    runs: int
    batch: int
    dispatch: float
    calls: int
    samples: tuple[float, ...] = ()


def warm_time(
    call: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    *,
    donated: Sequence[bool] = (),
    stop: Stop = lambda: False,
    budget: float = BUDGET,
) -> Warm | None:
    """Time a call that is already compiled; raises the errors of the call.

    Args:
        call: The call.
        args: The positional arguments; donated arguments are copied for each call.
        kwargs: The keyword arguments.
        donated: For each leaf of `(args, kwargs)`: true if the call donates the leaf; empty if the call donates none.
        stop: Called between samples; returns True to stop and keep the results so far.
        budget: About how many seconds all repetitions of the call take together.

    Returns:
        The times; None if stopped before the first call ended. If the first call takes more than `SLOW` seconds, the
            call is not repeated.
    """
    timed = Timed(call, args, kwargs, donated=donated, budget=budget)
    take_turns([timed], stop)
    return timed.warm()


def take_turns(timed: Sequence[Timed], stop: Stop) -> None:
    """Time several calls alternately, sample by sample, so that a slow phase of the machine affects all calls.

    Args:
        timed: The calls, not timed yet.
        stop: Called between samples; returns True to end the timing.
    """
    with without_collection():
        while (left := [waiting for waiting in timed if waiting.goes_on]) and not stop():
            for next_call in left:
                if not stop():
                    next_call.turn()


def take_blocks(timed: Sequence[Timed], stop: Stop, blocks: int = 4) -> None:
    """Time calls that disturb each other, in alternating blocks of several samples.

    Args:
        timed: The calls, not timed yet.
        stop: Called between samples; returns True to end the timing.
        blocks: How many blocks each call gets.
    """
    with without_collection():
        for block in range(blocks):
            for timed_call in timed:
                first = True
                while timed_call.goes_on and (first or timed_call.share < (block + 1) / blocks) and not stop():
                    timed_call.turn()
                    first = False


class Timed:
    """A call that is timed sample by sample; `warm_time` describes the arguments.

    Args:
        slow: If the first call takes more seconds than this, the call is not repeated.

    Attributes:
        goes_on: True if samples are still to be taken.
    """

    def __init__(
        self,
        call: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        *,
        donated: Sequence[bool] = (),
        budget: float = BUDGET,
        slow: float = SLOW,
    ) -> None:
        self._call = call
        self._slow = slow
        self._inputs = _Inputs(args, kwargs, donated)
        self._budget = budget
        self._wait: Wait | None = None
        self._batch = 1
        self._turns = 0
        self._seconds: list[float] = []
        self._dispatches: list[float] = []
        self.goes_on = True

    def turn(self) -> None:
        """Take one sample. The first call of `turn` also chooses the number of samples."""
        if self._wait is None:
            self._begin()
        elif self._batch > 1:
            batch = self._inputs.fresh(self._batch)
            self._seconds.append(_batch(self._call, batch, self._wait) / self._batch)
            self._single(keep=False)
        else:
            self._single(keep=True)
        self.goes_on = self.goes_on and len(self._seconds) < self._turns

    @property
    def share(self) -> float:
        """The share of the samples that have been taken, from 0 to 1."""
        return len(self._seconds) / self._turns if self._turns else 0.0

    def warm(self) -> Warm | None:
        """Return the times until now; None before the first sample."""
        seconds = self._seconds
        if not seconds:
            return None
        lower = upper = seconds[0]
        if len(seconds) > 1:
            lower, _, upper = statistics.quantiles(seconds, n=4, method="inclusive")
        return Warm(
            median=statistics.median(seconds),
            minimum=min(seconds),
            lower=lower,
            upper=upper,
            runs=len(seconds) * self._batch,
            batch=self._batch,
            dispatch=statistics.median(self._dispatches),
            calls=self._inputs.calls,
            samples=tuple(seconds),
        )

    def _begin(self) -> None:
        """Make the first call, and a few trial calls from which the number of samples and the batches are chosen."""
        result = self._single(keep=True)
        self._wait = _waiter(result)
        if self._seconds[0] > self._slow:
            self.goes_on = False
            return
        self._turns = 2
        for _ in range(_PROBES if self._seconds[0] < _PROBES_BELOW else 1):
            self._single(keep=True)
        estimate = min(self._seconds)
        self._seconds.clear()
        if estimate < _BATCH_BELOW:
            self._turns = _BATCHES
            self._batch = min(max(int(self._budget / _BATCHES / estimate), 2), max(self._inputs.at_once, 1))
        else:
            self._turns = min(max(int(self._budget / estimate), FEWEST), _RUNS_AT_MOST)

    def _single(self, keep: bool) -> Any:
        seconds, dispatch, result = _timed_call(self._call, self._inputs.fresh(1)[0])
        if keep:
            self._seconds.append(seconds)
        self._dispatches.append(dispatch)
        return result


class Guarded(Timed):
    """A call that is timed sample by sample. If the call raises an error, the timing of other calls goes on."""

    error: BaseException | None = None

    def turn(self) -> None:
        """Take one sample; store an error of the call."""
        try:
            super().turn()
        except not_of_a_signal(Exception) as error:
            self.error, self.goes_on = error, False


def copied(value: Any) -> Any:
    """Return a tree with a copy of each JAX array; other leaves are not copied."""
    import jax

    return jax.tree_util.tree_map(lambda leaf: leaf.copy() if isinstance(leaf, jax.Array) else leaf, value)


class _Inputs:
    """Makes the arguments of each call: donated arrays are copied before the call."""

    def __init__(self, args: Sequence[Any], kwargs: Mapping[str, Any], donated: Sequence[bool]) -> None:
        import jax

        self._arguments: Given = (tuple(args), dict(kwargs))
        self.calls = 0
        self._leaves, self._tree = jax.tree_util.tree_flatten(self._arguments)
        self._donated = [
            flag and isinstance(leaf, jax.Array)
            for flag, leaf in zip(donated or [False] * len(self._leaves), self._leaves, strict=True)
        ]
        size = sum(leaf.nbytes for flag, leaf in zip(self._donated, self._leaves, strict=True) if flag)
        # the number of calls whose copies of donated arguments may exist at the same time
        self.at_once = max(1, _COPIED_BYTES // max(size, 1))

    def fresh(self, count: int) -> list[Given]:
        """Return the arguments for `count` calls; all copies are finished."""
        import jax

        self.calls += count
        if not any(self._donated):
            return [self._arguments] * count
        calls: list[Given] = []
        for _ in range(count):
            leaves = [leaf.copy() if flag else leaf for flag, leaf in zip(self._donated, self._leaves, strict=True)]
            calls.append(jax.tree_util.tree_unflatten(self._tree, leaves))
        jax.block_until_ready(calls)
        return calls


def _timed_call(call: Callable[..., Any], arguments: Given) -> tuple[float, float, Any]:
    """Return (seconds of one call, seconds until the call returned, result)."""
    import jax

    args, kwargs = arguments
    clock = time.perf_counter
    wait: Wait = jax.block_until_ready
    start = clock()
    result = call(*args, **kwargs)
    returned = clock()
    wait(result)
    return clock() - start, returned - start, result


def _batch(call: Callable[..., Any], batch: list[Given], wait: Wait) -> float:
    """Return the seconds of several calls together."""
    clock = time.perf_counter
    args, kwargs = batch[0]
    if all(arguments is batch[0] for arguments in batch):
        # The loop is as short as possible, because each further operation would count as time of the call.
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
    """Return the fastest function that waits until a result of this kind is ready."""
    import jax

    if isinstance(result, jax.Array):
        return _wait_for_array
    return jax.block_until_ready


def _wait_for_array(result: Any) -> Any:
    return result.block_until_ready()
