"""Tests that a recorded run gives the same bits as the function, for each construct at any depth."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import stable_sample
from jax import lax
from stepping import record

pytestmark = pytest.mark.any_jax

SAME = "The recorded results equal the original function's results, bit for bit."
X = jnp.array([0.5, -1.5, 2.0])
XS = jnp.linspace(-1.0, 1.0, 7)
KEY = jax.random.key(7)


def cumulative(x, xs):
    return lax.scan(lambda h, t: (jnp.tanh(h * t) + 0.1, h.sum()), x, xs)


def newton(a):
    def condition(state):
        return jnp.abs(state[0] ** 2 - a) > 1e-3

    return lax.while_loop(condition, lambda state: (0.5 * (state[0] + a / state[0]), state[1] + 1), (a, 0))


def collatz(n):
    def step(state):
        n, count = state
        return lax.cond(n % 2 == 0, lambda n: n // 2, lambda n: 3 * n + 1, n), count + 1

    return lax.while_loop(lambda state: state[0] != 1, step, (n, 0))


def three_deep(x):
    def inner(c, t):
        return c * 0.9 + lax.fori_loop(0, 3, lambda i, s: s + i * t, 0.0), c

    def middle(h, t):
        c, ys = lax.scan(inner, h, jnp.arange(4.0))
        return lax.cond(c > t, lambda c: c - 1.0, lambda c: c * 2.0, c), ys.sum()

    return lax.scan(middle, x, jnp.arange(5.0))


def whiles_in_a_scan(x):
    def step(h, t):
        end, trips = lax.while_loop(lambda s: s[0] > t, lambda s: (s[0] * 0.7, s[1] + 1), (h, 0))
        return end + 1.0, trips

    return lax.scan(step, x, jnp.array([0.5, 9.0, 0.01, 2.0]))


@jax.custom_jvp
def clipped(x):
    return lax.fori_loop(0, 3, lambda i, h: jnp.minimum(h * 1.5, 2.0), x)


clipped.defjvp(lambda primals, tangents: (clipped(*primals), tangents[0]))


@jax.custom_vjp
def halved(x):
    return lax.fori_loop(0, 3, lambda i, h: h / 2, x)


halved.defvjp(lambda x: (halved(x), None), lambda _, g: (g / 8,))


def in_a_branch(x):
    return lax.cond(x.sum() > 0, lambda x: lax.fori_loop(0, 4, lambda i, h: h + jnp.sin(h), x), lambda x: x, x)


def in_the_other_branch(x):
    return lax.cond(x.sum() < 0, lambda x: lax.fori_loop(0, 4, lambda i, h: h + jnp.sin(h), x), lambda x: x * 3, x)


def walk(key):
    def step(carry, _):
        key, place = carry
        key, subkey = jax.random.split(key)
        return (key, place + jax.random.normal(subkey)), place

    return lax.scan(step, (key, 0.0), length=6)


def tree(p, xs):
    def step(state, x):
        return {"w": state["w"] * x, "n": state["n"] + 1}, {"seen": state["w"].sum(), "x": x}

    return lax.scan(step, p, xs)


def loss(x):
    return cumulative(x, XS)[1].sum()


def loss_of_remat(x):
    step = jax.checkpoint(lambda h, t: (jnp.tanh(h * t) + 0.1, h.sum()))
    return lax.scan(step, x, XS)[1].sum()


PROGRAMS = {
    "scan": (cumulative, (X, XS), "scan"),
    "scan, reverse": (lambda x: lax.scan(lambda h, t: (h + t, h), x, XS, reverse=True), (0.0,), "scan"),
    "scan, all steps unrolled": (lambda x: lax.scan(lambda h, t: (h + t * h, h), x, XS, unroll=True), (0.5,), "scan"),
    "scan, unrolled": (lambda x: lax.scan(lambda h, t: (h + t * h, h), x, XS, unroll=3), (0.5,), "scan"),
    "scan without xs": (lambda x: lax.scan(lambda h, _: (h * 2, h), x, length=5), (1.0,), "scan"),
    "scan, length 0": (lambda x: lax.scan(lambda h, t: (h + t, h), x, jnp.zeros(0)), (1.0,), "scan"),
    "scan, length 1": (lambda x: lax.scan(lambda h, t: (h + t, h), x, jnp.ones(1)), (1.0,), "scan"),
    "scan of a tree": (tree, ({"w": X, "n": 0}, XS), "scan"),
    "scan of keys": (walk, (KEY,), "scan"),
    "scan that captures": (lambda x: lax.scan(lambda h, t: (h @ jnp.outer(X, X) * t, t), x, XS), (X,), "scan"),
    "scan of nothing": (lambda xs: lax.scan(lambda h, t: (None, t * 2), None, xs), (XS,), "scan"),
    "map": (lambda xs: lax.map(lambda x: jnp.sin(x) * 2, xs), (XS,), "map"),
    "map in batches": (lambda xs: lax.map(lambda x: jnp.sin(x) * 2, xs, batch_size=3), (XS,), "map"),
    "while": (newton, (2.0,), "while_loop"),
    "while, no step": (lambda x: lax.while_loop(lambda s: s < 0, lambda s: s - 1, x), (1.0,), "while_loop"),
    "while of integers": (collatz, (27,), "while_loop"),
    "while, counted": (
        lambda x: lax.while_loop(lambda s: (s[1] < 5) & (s[0] < 9), lambda s: (s[0] * 2, s[1] + 1), (x, 0)),
        (1.0,),
        "while_loop",
    ),
    "while under vmap": (jax.vmap(newton), (jnp.array([2.0, 3.0, 100.0]),), "while_loop"),
    "fori that is a scan": (lambda x: lax.fori_loop(0, 5, lambda i, h: h * i + 1, x), (X,), "fori_loop"),
    "fori that is a while": (lambda n, x: lax.fori_loop(0, n, lambda i, h: h * i + 1, x), (5, X), "fori_loop"),
    "fori, no step": (lambda x: lax.fori_loop(3, 3, lambda i, h: h + 1, x), (X,), "fori_loop"),
    "cond, True": (lambda x: lax.cond(x.sum() > 0, jnp.sin, jnp.cos, x), (X,), "cond"),
    "cond, False": (lambda x: lax.cond(x.sum() < 0, jnp.sin, jnp.cos, x), (X,), "cond"),
    "switch": (lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.tan], x), (1, X), "switch"),
    "switch, clamped": (lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.tan], x), (9, X), "switch"),
    "cond in a while": (collatz, (27,), "cond"),
    "while in a scan": (whiles_in_a_scan, (10.0,), "while_loop"),
    "three deep: scan": (three_deep, (0.5,), "scan"),
    "three deep: scan in a scan": (three_deep, (0.5,), ("scan", 1)),
    "three deep: fori in scans": (three_deep, (0.5,), "fori_loop"),
    "three deep: cond in a scan": (three_deep, (0.5,), "cond"),
    "in a jit": (lambda x: jax.jit(newton)(x)[0] * 2, (2.0,), "while_loop"),
    "in a branch": (in_a_branch, (X,), "fori_loop"),
    "in the branch that is not taken": (in_the_other_branch, (X,), "fori_loop"),
    "in a custom_jvp": (clipped, (X,), "fori_loop"),
    "in a custom_vjp": (halved, (X,), "fori_loop"),
    "vmap of a scan": (jax.vmap(cumulative, (0, None)), (jnp.stack([X, X * 2]), XS), "scan"),
    "grad of a scan, forward": (jax.grad(loss), (X,), "scan"),
    "grad of a scan, backward": (jax.grad(loss), (X,), ("scan", 1)),
    "grad of a remat scan": (jax.grad(loss_of_remat), (X,), ("scan", 1)),
    "a scan of bfloat16": (cumulative, (X.astype(jnp.bfloat16), XS.astype(jnp.bfloat16)), "scan"),
    "a scan of complex numbers": (lambda x: lax.scan(lambda h, t: (h * (t + 1j), h), x, XS), (1 + 2j,), "scan"),
    "a scan of booleans": (lambda xs: lax.scan(lambda h, t: (h ^ t, h), False, xs), (XS > 0,), "scan"),
    "integers that overflow": (lambda n: lax.fori_loop(0, 40, lambda i, h: h * 3, n), (7,), "fori_loop"),
    "small integers that overflow": (
        lambda n: lax.fori_loop(0, 40, lambda i, h: h + 9, n),
        (np.int8(3),),
        "fori_loop",
    ),
    "NaN and infinities": (lambda x: lax.fori_loop(0, 9, lambda i, h: h * h - h, x), (X * 1e30,), "fori_loop"),
    "a large carry": (lambda x: lax.fori_loop(0, 9, lambda i, h: jnp.sin(h), x), (jnp.ones((40, 50)),), "fori_loop"),
    "an empty carry": (lambda x: lax.fori_loop(0, 3, lambda i, h: h + 1, x), (jnp.zeros((0, 3)),), "fori_loop"),
}


@pytest.mark.parametrize("name", [pytest.param(name, marks=stable_sample.marks(name, newest=2)) for name in PROGRAMS])
def test_the_recorded_run_gives_the_same_bits(name):
    function, arguments, kind = PROGRAMS[name]
    kind, number = kind if isinstance(kind, tuple) else (kind, 0)
    recording = record(jax.jit(function), *arguments, kind=kind, number=number)
    assert recording.verdict.startswith(SAME), recording.comparisons
    assert "cannot be told" not in recording.verdict and "recorded run took" not in recording.verdict
    assert recording.stopped is None
    assert len(recording.comparisons) == len(jax.tree.leaves(jax.eval_shape(function, *arguments)))
    points = sum(visit.points for visit in recording.visits)
    assert points == len(recording.step)
    at_the_end = ("carry", "condition", "compared")
    for leaf in recording.leaves:
        assert len(leaf.texts) == points + (len(recording.visits) if leaf.role in at_the_end else 0)
