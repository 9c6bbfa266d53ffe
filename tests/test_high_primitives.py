"""Tests primitives that JAX writes in terms of others: they have their own name and the programs inside."""

from __future__ import annotations

import contextlib
import re

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import jupyter_jaxpr as jj

VERSION = tuple(int(part) for part in re.findall(r"\d+", jax.__version__)[:2])
from_0_11 = pytest.mark.skipif(VERSION < (0, 11), reason="JAX 0.10 has no such primitives in what it makes public")


def root(x):
    def newton(f, guess):
        return lax.fori_loop(0, 10, lambda _, v: v - f(v) / (2 * v), guess)

    return lax.custom_root(lambda y: y**2 - x, x, newton, lambda g, y: y / g(1.0))


@contextlib.contextmanager
def switched_on(*names):
    for name in names:
        jax.config.update(name, True)
    try:
        yield
    finally:
        for name in names:
            jax.config.update(name, False)


def words(text):
    """Return a text with single blanks, because JAX breaks long lines and this package does not."""
    return re.sub(r"\s+", " ", text).strip()


@pytest.mark.parametrize(
    ("function", "printed"),
    [
        (
            lambda x: jnp.searchsorted(jnp.arange(3.0), x),
            "SearchSorted[side=left dimension=0 batch_dims=0 method=scan]",
        ),
        (lambda x: jnp.frexp(x), "Frexp[x_aval=f32[]]"),
        (root, "CustomRoot["),
    ],
    ids=["searchsorted", "frexp", "custom_root"],
)
@from_0_11
def test_it_is_named_and_printed_as_jax_prints_it(function, printed):
    text = jj.inspect(function, 2.0, stage="trace").text()
    assert words(text) == words(str(jax.make_jaxpr(function)(2.0)))
    assert printed in text
    assert "call_hi_primitive" not in text


def test_a_loop_inside_a_solver_has_its_card_and_its_cost():
    snapshot = jj.inspect(root, 2.0, stage="trace")
    (loop,) = snapshot.control_flow
    assert (loop.kind, loop.trips, loop.carry) == ("fori_loop", 10, (("v", "f32[]", "f32[]"),))
    # Each of the ten steps has six operations: y**2, - x, 2 * v, f(v) / ..., v - ..., and the increment of the index.
    assert (snapshot.cost.flops, snapshot.cost.exact) == (60, True)


@from_0_11
def test_the_solver_that_the_stepper_does_not_go_into_is_named():
    with pytest.raises(ValueError, match=r"^The construct is inside CustomRoot, which the stepper does not enter\."):
        jj.inspect(root, 2.0, stage="trace").steps(0)


@from_0_11
def test_the_next_forms_of_remat_and_custom_rules_are_the_scopes_they_are():
    @jax.custom_jvp
    def twice(x):
        return lax.fori_loop(0, 2, lambda i, h: h * x, 1.0)

    twice.defjvp(lambda primals, tangents: (twice(*primals), tangents[0]))

    def both(x):
        y = twice(x)
        return jax.checkpoint(lambda y: lax.fori_loop(0, 3, lambda i, h: h + y, y))(y)

    with switched_on("jax_remat3", "jax_custom_jvp3"):
        snapshot = jj.inspect(both, 2.0)
        printed = str(jax.make_jaxpr(both)(2.0))
        assert words(snapshot.text()) == words(printed)
        assert "RematTraced" in printed
        assert "CustomJVPTraced" in printed
        assert [card.kind for card in snapshot.document.control_flow if card.kind in ("remat", "custom_jvp")] == [
            "custom_jvp",
            "remat",
        ]
        assert [snapshot.steps(card).step for card in (0, 1)] == [[0, 1], [0, 1, 2]]
