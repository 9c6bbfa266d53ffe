"""Holds programs with control flow of every kind, as users write them: each is a function with arguments.

Their cards are in `golden/`, made by `golden.py`. A test finds a line by its text, so lines may move.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import diffrax
import equinox.internal as eqxi
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {}


def program(*arguments: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that registers a function together with the arguments of its call."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[function.__name__] = (function, arguments)
        return function

    return register


def zeros(*shape: int) -> np.ndarray[Any, Any]:
    return np.zeros(shape, np.float32)


ONE = np.float32(1)
CELL = {"wx": zeros(8, 16), "wh": zeros(16, 16), "b": zeros(16)}


def square(x):
    return x * x


def double(x):
    return 2 * x


# --- branches -------------------------------------------------------------------------------------------


@program(ONE)
def cond(x):
    y = lax.cond(x > 0, double, square, x)
    return y


@program(np.bool_(True), ONE)
def cond_on_a_flag(train, x):
    return lax.cond(train, lambda x: x * 0.5, lambda x: x, x)


@program({"w": zeros(3), "b": zeros(3)}, ONE)
def cond_of_trees(p, x):
    big = jnp.linalg.norm(p["w"]) > x
    out = lax.cond(
        big,
        lambda p: {"w": p["w"] / x, "b": p["b"]},
        lambda p: p,
        p,
    )
    return out["w"]


@program(zeros(3), ONE)
def switch(scores, x):
    def keep(x):
        return x

    out = lax.switch(jnp.argmax(scores), [keep, square, lambda x: jnp.sin(x)], x)
    return out


@program(np.int32(1), ONE)
def switch_on_an_argument(mode, x):
    return lax.switch(mode, [square, double], x)


@program(zeros(4))
def cond_under_vmap(xs):
    def one(x):
        y = lax.cond(x > 0, double, lambda v: jnp.sin(v) + 1, x)
        return y

    return jax.vmap(one)(xs)


@program(np.bool_(True), zeros(4))
def cond_under_vmap_with_one_predicate(train, xs):
    return jax.vmap(lambda x: lax.cond(train, double, square, x))(xs)


@program(np.zeros(3, np.int32), zeros(3))
def switch_under_vmap(modes, xs):
    return jax.vmap(lambda mode, x: lax.switch(mode, [square, double, jnp.sin], x))(modes, xs)


@program(zeros(4))
def cond_in_cond_under_vmap(xs):
    def inner(v):
        return lax.cond(v < -1, double, square, v)

    def one(x):
        return lax.cond(x > 0, double, inner, x)

    return jax.vmap(one)(xs)


@program(ONE)
def grad_of_cond(x):
    return jax.grad(lambda x: lax.cond(x > 0, jnp.sin, square, x))(x)


# --- scans ----------------------------------------------------------------------------------------------


@program(CELL, zeros(100, 8))
def scan(p, xs):
    def step(h, x):
        h = jnp.tanh(x @ p["wx"] + h @ p["wh"] + p["b"])
        return h, h

    h, hs = lax.scan(step, jnp.zeros(16), xs)
    return h, hs


@program({"pos": zeros(3), "vel": zeros(3)}, zeros(10))
def scan_of_trees(state, forces):
    def step(state, f):
        vel = state["vel"] + f
        pos = state["pos"] + vel
        return {"pos": pos, "vel": vel}, {"pos": pos, "energy": (vel**2).sum()}

    state, track = lax.scan(step, state, forces, reverse=True, unroll=3)
    return state, track


@program(zeros(3), zeros(3), zeros(5, 3))
def scan_with_a_constant_in_its_carry(h, w, xs):
    def step(carry, x):
        h, w = carry
        return (jnp.tanh(h * w + x), w), h

    (h, _), hs = lax.scan(step, (h, w), xs)
    return h, hs


@program(ONE)
def scan_of_length_zero(x):
    total, _ = lax.scan(lambda total, _: (total + x, None), x, None, length=0)
    return total


@program(zeros(5))
def scan_with_effects(xs):
    def step(total, x):
        jax.debug.print("{}", x)
        return total + x, None

    total, _ = lax.scan(step, 0.0, xs)
    return total


@program(CELL, zeros(100, 8))
def grad_of_scan(p, xs):
    def loss(p):
        def step(h, x):
            h = jnp.tanh(x @ p["wx"] + h @ p["wh"] + p["b"])
            return h, None

        h, _ = lax.scan(step, jnp.zeros(16), xs)
        return h.sum()

    return jax.grad(loss)(p)


@program(CELL, zeros(7, 100, 8))
def scan_under_vmap(p, batch):
    def rnn(xs):
        def step(h, x):
            h = jnp.tanh(x @ p["wx"] + h @ p["wh"] + p["b"])
            return h, {"out": h}

        h, hs = lax.scan(step, jnp.zeros(16), xs)
        return h, hs

    return jax.vmap(rnn)(batch)


@program(zeros(3))
def jvp_of_scan(x):
    def total(x):
        y, _ = lax.scan(lambda y, t: (y * x * t, None), x, jnp.arange(3.0))
        return y

    return jax.jvp(total, (x,), (x,))


# --- fori_loop and while_loop ---------------------------------------------------------------------------


@program({"a": ONE, "b": ONE})
def fori_loop_with_fixed_bounds(s):
    def body(i, s):
        return {"a": s["a"] * i, "b": s["b"]}

    return lax.fori_loop(2, 7, body, s)


@program(np.int32(5), ONE)
def fori_loop_with_traced_bounds(n, x):
    def body(i, val):
        a, b = val
        return a + i, b * a

    a, b = lax.fori_loop(0, n, body, (x, x))
    return a + b


@program(ONE)
def grad_of_fori_loop(x):
    return jax.grad(lambda x: lax.fori_loop(0, 20, lambda i, x: x * jnp.sin(x), x))(x)


@program(np.zeros(3, np.int32), zeros(3))
def fori_loop_under_vmap(ns, xs):
    return jax.vmap(lambda n, x: lax.fori_loop(0, n, lambda i, x: x * 2, x))(ns, xs)


@program(ONE)
def while_loop(a):
    def unfinished(state):
        return jnp.abs(state["x"] ** 2 - a) > 1e-5

    def newton(state):
        return {"n": state["n"] + 1, "x": 0.5 * (state["x"] + a / state["x"])}

    return lax.while_loop(unfinished, newton, {"n": 0, "x": a})


@program(zeros(4))
def while_loop_under_vmap(xs):
    return jax.vmap(lambda x: lax.while_loop(lambda x: x < 10, lambda x: x * 2, x))(xs)


@program(ONE)
def jvp_of_while_loop(x):
    def f(x):
        return lax.while_loop(lambda x: x < 10, lambda x: x * x, x)

    return jax.jvp(f, (x,), (x,))


# --- map and associative_scan ---------------------------------------------------------------------------


@program(zeros(4, 2))
def map_of_a_function(xs):
    def norm(x):
        return jnp.sqrt((x**2).sum())

    norms = lax.map(norm, xs)
    return norms


@program(zeros(7))
def map_in_batches(xs):
    return lax.map(lambda x: x * x, xs, batch_size=3)


@program(zeros(4))
def grad_of_map(xs):
    return jax.grad(lambda xs: lax.map(jnp.sin, xs).sum())(xs)


@program(zeros(3, 4))
def map_under_vmap(rows):
    return jax.vmap(lambda xs: lax.map(jnp.sin, xs))(rows)


@program(zeros(8))
def associative_scan(xs):
    sums = lax.associative_scan(jnp.add, xs)
    return sums


@program(zeros(8, 3), zeros(8, 3), ONE)
def associative_scan_of_trees(a, b, decay):
    def combine(left, right):
        a1, b1 = left
        a2, b2 = right
        return a1 * a2, decay * a2 * b1 + b2

    gates, states = lax.associative_scan(combine, (a, b), reverse=True)
    return gates, states


@program(zeros(8))
def grad_of_associative_scan(xs):
    return jax.grad(lambda xs: lax.associative_scan(lambda a, b: a * b + 1, xs).sum())(xs)


@program(zeros(3, 8))
def associative_scan_under_vmap(rows):
    return jax.vmap(lambda xs: lax.associative_scan(jnp.maximum, xs))(rows)


# --- constructs inside of constructs -------------------------------------------------------------------------------


@program({"w": zeros(4, 4)}, zeros(4), zeros(3, 5, 4))
def nested(p, h, epochs):
    def epoch(carry, xs):
        h, count = carry

        def step(h, x):
            h = lax.cond(x.sum() > 0, lambda h: jnp.tanh(h @ p["w"]) + x, lambda h: h, h)
            return h, h.sum()

        h, sums = lax.scan(step, h, xs)
        return (h, count + 1), sums

    (h, count), sums = lax.scan(epoch, (h, 0), epochs)
    return h, count, sums


@program(zeros(4), zeros(6, 4))
def while_in_cond_in_fori_loop(x, limits):
    def grow(x):
        return lax.while_loop(lambda x: x.max() < 10, lambda x: x * 2, x)

    def body(i, x):
        return lax.cond(limits[i].sum() > 0, grow, lambda x: x, x)

    return lax.fori_loop(0, 6, body, x)


@program(zeros(2, 4), zeros(2, 5, 4))
def nested_under_vmap(hs, batch):
    def one(h, xs):
        def step(h, x):
            h = lax.cond(x.sum() > 0, double, square, h)
            return h, h.sum()

        return lax.scan(step, h, xs)

    return jax.vmap(one)(hs, batch)


# --- named scopes ---------------------------------------------------------------------------------------


@jax.custom_vjp
def clipped(x):
    return x


def clipped_forward(x):
    return x, None


def clipped_backward(_, g):
    return (jnp.clip(g, -1, 1),)


clipped.defvjp(clipped_forward, clipped_backward)


@jax.custom_jvp
def softsign(x):
    return x / (1 + jnp.abs(x))


@softsign.defjvp
def softsign_jvp(primals, tangents):
    (x,), (dx,) = primals, tangents
    return softsign(x), dx / (1 + jnp.abs(x)) ** 2


@jax.jit
def accumulate(h, xs):
    return lax.scan(lambda h, x: (h + x, h), h, xs)


@program(ONE, zeros(4))
def named_scopes(x, xs):
    y = softsign(x)
    z = clipped(y)
    h, hs = accumulate(z, xs)
    g, gs = accumulate(h, hs * 2)
    block = jax.checkpoint(lambda h, x: (jnp.sin(h) * x, None))
    out, _ = lax.scan(block, g, gs)
    return jax.nn.relu(out)


@program(zeros(3))
def grad_through_remat(x):
    @jax.checkpoint
    def block(x):
        y, _ = lax.scan(lambda y, _: (jnp.sin(y), None), x, None, length=3)
        return y

    return jax.grad(lambda x: block(x).sum())(x)


# --- loops of libraries ---------------------------------------------------------------------------------


@program(ONE)
def equinox_while_loop(x):
    def body(state):
        i, x = state
        return i + 1, x * 2

    return eqxi.while_loop(lambda state: state[1] < 3.0, body, (0, x), kind="lax")


@program(ONE)
def equinox_bounded_while_loop(x):
    def body(state):
        i, x = state
        return i + 1, x * 2

    return eqxi.while_loop(lambda state: state[1] < 3.0, body, (0, x), kind="bounded", max_steps=16)


@program(ONE)
def equinox_checkpointed_while_loop(x):
    def body(state):
        i, x = state
        return i + 1, x * 2

    return eqxi.while_loop(lambda state: state[1] < 3.0, body, (0, x), kind="checkpointed", checkpoints=4)


@program(zeros(2))
def diffrax_solve(y0):
    term = diffrax.ODETerm(lambda t, y, args: -y)
    controller = diffrax.PIDController(rtol=1e-3, atol=1e-3)
    solution = diffrax.diffeqsolve(term, diffrax.Tsit5(), 0.0, 1.0, 0.1, y0, stepsize_controller=controller)
    return solution.ys


@program(zeros(4))
def library_loop(rates):
    return jax.random.poisson(jax.random.key(0), rates)
