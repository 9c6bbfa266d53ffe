"""Makes thousands of random calls, and compares the ledger with JAX's own events and with a count of its own.

    python at_random.py EXAMPLES

prints, as JSON, how often each outcome and reason was seen; two devices are needed.
"""

from __future__ import annotations

import contextlib
import functools
import json
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from jupyter_jaxpr import observe
from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING

#: The examples are the same in each run, also after a change of this file.
SEED = 1
TRACE, COMPILE = "/jax/core/compile/jaxpr_trace_duration", "/jax/core/compile/backend_compile_duration"


class Events:
    """The number of JAX's own events for each function name."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()

    def __call__(self, event: str, seconds: float, **facts: Any) -> None:
        name = str(facts.get("fun_name"))
        self.counts[event, name.removeprefix("jit(").removesuffix(")")] += 1


@dataclass(frozen=True)
class Call:
    """The random choices that make up one call."""

    tree: str = "dict"
    shape: tuple[int, ...] = (2,)
    dtype: str = "float32"
    holder: str = "jax"
    device: int | None = None  # the device to which the array argument is committed, or None
    scalar: str = "none"
    n: Any = 1
    keyword: bool = False
    static_keyword: bool = True
    precision: str | None = None
    x64: bool = False


def value(call: Call) -> Any:
    if call.scalar == "python":
        return 1.0
    if call.scalar == "strong":
        return jnp.float32(1)
    array: Any = np.ones(call.shape, call.dtype)
    if call.holder == "jax":
        array = jnp.asarray(array) if call.device is None else jax.device_put(array, jax.devices()[call.device])
    return array


ONE = jnp.ones(())


def tree(call: Call, leaf: Any) -> Any:
    return {
        "dict": lambda: {"w": leaf},
        "more": lambda: {"w": leaf, "b": ONE},
        "none": lambda: {"w": leaf, "b": None},
        "tuple": lambda: (leaf,),
        "list": lambda: [leaf],
    }[call.tree]()


def make(call: Call, function: Any, x: Any, p: Any) -> None:
    """Make one call, in its context."""
    with contextlib.ExitStack() as stack:
        if call.precision is not None:
            stack.enter_context(jax.default_matmul_precision(call.precision))
        if call.x64:
            stack.enter_context(jax.enable_x64(True))
        static = {"n": call.n} if call.static_keyword else {}
        if call.keyword:
            assert call.static_keyword
            function(p, x=x, **static)
        elif call.static_keyword:
            function(p, x, **static)
        else:
            function(p, x, call.n)


def prepared(call: Call) -> tuple[Any, Any]:
    """Return the arguments before the call: making them calls jitted functions of JAX's."""
    return value(call), tree(call, ONE)


CALLS = st.builds(
    Call,
    tree=st.sampled_from(["dict", "more", "none", "tuple", "list"]),
    shape=st.sampled_from([(2,), (3,)]),
    dtype=st.sampled_from(["float32", "int32"]),
    holder=st.sampled_from(["jax", "numpy"]),
    device=st.sampled_from([None, None, 0, 1]),
    scalar=st.sampled_from(["none", "none", "none", "python", "strong"]),
    n=st.sampled_from([1, 2, (1, "a")]),
    keyword=st.booleans(),
    precision=st.sampled_from([None, None, None, "highest"]),
    x64=st.sampled_from([False, False, False, True]),
)


def functions() -> dict[str, Callable[..., Any]]:
    """Return three functions: a pure one, one that raises for some arguments, and one with side effects."""

    @functools.partial(jax.jit, static_argnames="n")
    def plain(p: Any, x: Any, n: Any = 1) -> Any:
        return x

    @functools.partial(jax.jit, static_argnames="n")
    def picky(p: Any, x: Any, n: Any = 1) -> Any:
        if x.dtype == jnp.int32:
            raise TypeError("no integers")
        return x

    @functools.partial(jax.jit, static_argnames="n")
    def loud(p: Any, x: Any, n: Any = 1) -> Any:
        jax.debug.callback(lambda: None)
        return x

    @functools.partial(jax.jit, static_argnames="n")
    def nested(p: Any, x: Any, n: Any = 1) -> Any:
        return plain(p, x, n=n)

    return {"plain": plain, "picky": picky, "loud": loud, "nested": nested}


counted = Counter[str]()
events = Events()
NAMES = st.sampled_from(["plain", "picky", "loud", "nested"])


@given(
    st.lists(st.tuples(NAMES, CALLS), min_size=24, max_size=24),
    st.lists(st.integers(0, 24), min_size=120, max_size=120),
)
def check(different: list[tuple[str, Call]], order: list[int]) -> None:
    """Make calls in the given order, each a few times; the index 24 clears one function's cache instead."""
    jitted = functions()
    arguments = [prepared(call) for _, call in different]
    calls: Counter[str] = Counter()
    raised: Counter[str] = Counter()
    cleared = False
    events.counts.clear()
    with observe() as ledger:
        for number in order:
            if number == 24:
                jitted["plain"].clear_cache()
                cleared = True
                continue
            (name, call), (x, p) = different[number], arguments[number]
            calls[name] += 1
            try:
                make(call, jitted[name], x, p)
            except TypeError:
                raised[name] += 1
        jax.effects_barrier()
    event_counts = events.counts.copy()
    counted["calls"] += sum(calls.values())
    for name in calls:
        record = ledger[name]
        assert record.traces == event_counts[TRACE, name], name
        assert record.compiles == event_counts[COMPILE, name], name
        assert record.raised == raised[name], name
        outcomes = Counter(miss.outcome for miss in record.misses)
        counted.update(outcomes)
        assert outcomes["compiled"] == record.compiles, name
        assert outcomes["raised"] == record.raised, name
        if HAS_MONITORING:
            assert record.calls_exact, name
            assert record.calls == calls[name] + record.inlined, name
            worked = record.compiles + record.raised + outcomes["lowered"]
            assert record.hits == calls[name] - worked, name
            counted["fast_hit"] += record.hits - outcomes["dispatch_only"]
        else:
            assert (record.calls, record.hits) == (None, None), name
        for miss in record.misses:
            kinds = [reason.kind for reason in miss.reasons]
            counted.update(kinds)
            if miss.outcome in ("raised", "inlined"):
                assert kinds == [], (name, miss)
            else:
                assert kinds, (name, miss)
                assert "unknown" not in kinds, (name, miss)
                assert cleared or "cleared" not in kinds, (name, miss)
        assert all(entry.misses or not entry.made_here for entry in record.entries), name


if __name__ == "__main__":
    jax.monitoring.register_event_duration_secs_listener(events)
    settings(
        max_examples=int(sys.argv[1]),
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
    )(seed(SEED)(check))()
    print(json.dumps(counted))
