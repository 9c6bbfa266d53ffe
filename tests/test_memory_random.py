"""Compares the liveness walk with a slow walk that follows the rules, on random programs."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import lax
from observed import traced

from jupyter_jaxpr.document.limits import Listed
from jupyter_jaxpr.jax.loop_equations import scan_parts
from jupyter_jaxpr.program.costs.memory_of_program import memory_of
from jupyter_jaxpr.program.jaxpr.walk import Walk

pytestmark = pytest.mark.any_jax

# The names of the operations; `applied` applies each operation to one or two earlier vectors.
OPERATIONS = ["sin", "join", "square", "total", "jit", "scan", "while", "cond"]
STEPS = st.lists(
    st.tuples(st.sampled_from(OPERATIONS), st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=12
)


def program(steps, results):
    """Return a function of a vector with these operations."""

    def function(x):
        values = [x]
        for operation, first, second in steps:
            values.append(applied(operation, values[first % len(values)], values[second % len(values)]))
        return [values[result % len(values)] for result in results]

    return function


def applied(operation, a, b):
    match operation:
        case "sin":
            return jnp.sin(a)
        case "join":
            return jnp.concatenate([a, b])[:64]
        case "square":
            return jnp.outer(a, b).sum(axis=1)
        case "total":
            return a + b.sum()
        case "jit":
            return jax.jit(lambda a: jnp.outer(a, a) @ a)(a)
        case "scan":
            return lax.scan(lambda c, t: (jnp.sin(c) * t, c), a, b)[1].sum(axis=0)
        case "while":
            return lax.while_loop(lambda c: c.sum() < 1, lambda c: jnp.outer(c, c).sum(axis=0), a)
        case "cond":
            return lax.cond(a[0] > 0, lambda a: jnp.outer(a, a).sum(axis=0), jnp.cos, a)


def size(variable):
    return int(np.prod(variable.aval.shape, dtype=np.int64)) * variable.aval.dtype.itemsize


def slow_peak(jaxpr):
    """Return the largest number of bytes alive at once, by a search of the whole program at each equation."""
    peak = 0
    for place, equation in enumerate(jaxpr.eqns):
        alive = 0
        for earlier_place, earlier in enumerate(jaxpr.eqns[:place]):
            for variable in earlier.outvars:
                readers = [at for at, eqn in enumerate(jaxpr.eqns) if variable in set_of(eqn.invars)]
                last = len(jaxpr.eqns) if variable in set_of(jaxpr.outvars) else max(readers, default=earlier_place)
                alive += size(variable) if last >= place and last > earlier_place else 0
        results = sum(size(variable) for variable in equation.outvars)
        inside = [inner_peak(equation, inner) for inner in programs(equation)]
        loop = equation.primitive.name in ("scan", "while")
        during = results + max(inside, default=0) if loop else max([results, *inside])
        peak = max(peak, alive + during)
    return peak


def inner_peak(equation, inner):
    peak = slow_peak(inner)
    if equation.primitive.name == "scan":
        parts = scan_parts(equation.params)
        peak += sum(size(variable) for variable in inner.invars[parts.consts + parts.carry :])
    return peak


def set_of(variables):
    return {variable for variable in variables if not hasattr(variable, "val")}


def programs(equation):
    inners = []
    for value in equation.params.values():
        for item in value if isinstance(value, tuple) else (value,):
            inner = getattr(item, "jaxpr", item)
            if hasattr(inner, "eqns"):
                inners.append(inner)
    return inners


@given(steps=STEPS, results=st.lists(st.integers(0, 30), min_size=1, max_size=3))
@settings(max_examples=examples(60))
def test_the_peak_is_that_of_the_slow_walk(steps, results):
    trace = traced(program(steps, results), np.ones(8, np.float32))
    walk = Walk()
    memory_found = memory_of(walk, walk.program(trace.jaxpr))
    opened = getattr(trace.jaxpr, "jaxpr", trace.jaxpr)
    given_bytes = sum(size(variable) for variable in opened.invars)
    assert memory_found.peak == given_bytes + slow_peak(opened)


@given(steps=STEPS, results=st.lists(st.integers(0, 30), min_size=1, max_size=3))
@settings(max_examples=examples(60))
def test_what_is_alive_at_the_peak_adds_up_to_it(steps, results):
    trace = traced(program(steps, results), np.ones(8, np.float32))
    walk = Walk()
    memory_found = memory_of(walk, walk.program(trace.jaxpr))
    named = sum(buffer.bytes for buffer in memory_found.live)
    sizes = [buffer.bytes for buffer in memory_found.live]
    assert sizes == sorted(sizes, reverse=True)
    assert named == memory_found.peak or (len(memory_found.live) == Listed.LIVE_ARRAYS and named < memory_found.peak)
