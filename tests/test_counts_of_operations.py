"""Tests that the counter of calls skips operations that JAX runs outside of jit, and counts loops and conditions."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from jupyter_jaxpr.jax.constructs_outside_jit import EagerConstructs
from jupyter_jaxpr.observe.calls.call_counter import CallCounter


def test_operations_that_were_compiled_before_the_counter_started_are_in_no_count() -> None:
    x = jnp.arange(8.0)

    def add(carry, element):
        return carry + element, carry

    lax.neg(x)
    lax.scan(add, 0.0, x)
    counter, errors = CallCounter(), []
    constructs = EagerConstructs(lambda: True, counter.constructed, errors.append)
    counter.start()
    constructs.start()
    try:
        for _ in range(5):
            lax.neg(x)
        lax.scan(add, 0.0, x)
        counted = [(called.__name__, times) for called, times, _, _ in counter.drain()]
    finally:
        constructs.stop()
        counter.stop()
    assert counted == [("scan", 1)]
    assert errors == []
