"""Tests counts of operations: they follow XLA's rules and equal XLA's counts, but all steps of a loop count."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from observed import traced

from jupyter_jaxpr.program.costs import Costs
from jupyter_jaxpr.program.jaxpr.walk import Walk


def cost(function, *arguments):
    walk = Walk()
    return Costs(walk).of(walk.program(traced(function, *arguments).jaxpr))


def xla(function, *arguments):
    """Return XLA's counts of operations and transcendental operations for the lowered, not yet optimised program."""
    analysis = traced(function, *arguments).lower().cost_analysis()
    return int(analysis.get("flops", 0)), int(analysis.get("transcendentals", 0))


A, B, V = np.ones((8, 16), np.float32), np.ones((16, 4), np.float32), np.ones(12, np.float32)
IMAGE, KERNEL = np.ones((2, 3, 10, 10), np.float32), np.ones((5, 3, 3, 3), np.float32)
INTEGERS = np.arange(6, dtype=np.int32)

ALIKE = {
    "arithmetic": (lambda x, y: (x + y) * x - y / x, V, V),
    "comparison and selection": (lambda x, y: jnp.where(x > y, x, -y), V, V),
    "minimum, maximum, sign, floor": (lambda x: lax.max(jnp.floor(x), lax.sign(x)), V),
    "conversion": (lambda x: x.astype(jnp.int32) + 1, V),
    "transcendental": (lambda x: jnp.sin(x) + jnp.exp(x) * jnp.tanh(x) - jnp.log(x), V),
    "roots": (lambda x: lax.rsqrt(x) + jnp.sqrt(x) + lax.cbrt(x), V),
    "power": (lambda x: x**1.5 + lax.atan2(x, x), V),
    "square": (lambda x: lax.integer_pow(x, 2), V),
    "integer powers": (lambda x: lax.integer_pow(x, 3) + lax.integer_pow(x, 4) + lax.integer_pow(x, 7), V),
    "matrix product": (lambda a, b: a @ b, A, B),
    "batched matrix product": (lambda a, b: jnp.einsum("bij,bjk->bik", a, b), np.ones((3, 4, 5)), np.ones((3, 5, 6))),
    "sum": (lambda x: x.sum(), V),
    "sum of an axis": (lambda x: x.sum(axis=1), A),
    "maximum of an axis": (lambda x: x.max(axis=0), A),
    "what only moves data": (lambda a: jnp.concatenate([a.T.reshape(-1), a[2:5, 1]])[::-1], A),
    "gather": (lambda x, i: x[i], V, INTEGERS),
    "scatter": (lambda x, i: x.at[i].add(2.0), V, INTEGERS),
    "convolution": (lambda x, k: lax.conv(x, k, (1, 1), "VALID"), IMAGE, KERNEL),
    "sort": (lambda x: lax.sort(x), V),
    "cond, its dearest branch": (lambda x: lax.cond(x[0] > 0, lambda x: x * x + x, lambda x: x, x), V),
    "a jit inside": (lambda x: jax.jit(lambda x: x * 2)(x) + 1, V),
}


@pytest.mark.parametrize("name", ALIKE)
def test_a_program_without_loops_counts_as_xla_counts_it(name):
    function, *arguments = ALIKE[name]
    total = cost(function, *arguments)
    assert total.exact
    assert (total.flops, total.transcendentals) == xla(function, *arguments)


def test_a_scan_counts_its_body_as_often_as_it_runs():
    def loop(x):
        return lax.scan(lambda x, _: (jnp.sin(x * 2 + 1), None), x, None, length=100)[0]

    total = cost(loop, V)
    assert total.exact
    assert (total.flops, total.transcendentals) == (100 * 24, 100 * 12)


def test_loops_inside_loops_multiply():
    def loop(x):
        return lax.fori_loop(0, 5, lambda i, x: lax.fori_loop(0, 7, lambda j, x: x * 2, x), x)

    # Each step of a loop also increments the loop's index by one addition.
    total = cost(loop, V)
    assert total.exact
    assert total.flops == 5 * (1 + 7 * (1 + 12))


def test_a_while_counts_once_and_says_that_it_is_not_exact():
    total = cost(lambda x: lax.while_loop(lambda x: x.sum() < 10, lambda x: x * 2, x), V)
    assert total.flops == 12 + 12
    assert not total.exact
    assert total.per_trip


def test_a_primitive_without_a_rule_is_not_passed_over_in_silence():
    assert not cost(lambda x: jax.pure_callback(lambda x: x, jax.ShapeDtypeStruct((12,), jnp.float32), x), V).exact


def test_a_symbolic_size_is_unknown():
    (n,) = jax.export.symbolic_shape("n")
    assert not cost(jax.jit(lambda x: x * 2), jax.ShapeDtypeStruct((n,), jnp.float32)).exact
