"""Makes the programs whose links are measured: jitted functions with arguments, as notebooks have them.

Programs that use a library are made only if the library is installed; the others need only JAX.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from sized_programs import mixed, sines, transformer

Made = tuple[Callable[..., Any], tuple[Any, ...]]


def linked_programs() -> Iterator[tuple[str, Callable[[], Made]]]:
    """Yield the name of each program, with a function that makes the program."""
    yield "control flow of every kind", control
    yield "scan of scan", scan_of_scan
    yield "vmap of grad, MLP", vmap_of_grad
    yield "sin, 100 times", lambda: (sines(100), (jnp.ones(8),))
    yield "mixed, 100 equations", lambda: (mixed(100), (jnp.ones(8),))
    yield "transformer step, 2 layers", lambda: transformer(2)
    yield "transformer step, 12 layers", lambda: transformer(12)
    yield "transformer, scan over layers", layers_by_scan
    yield "RNN", rnn
    yield "Newton's method", newton
    yield "convolutions", convolutions
    yield "softmax and logsumexp", losses
    yield "custom derivatives", custom_derivatives
    yield "random numbers", random_numbers
    for library, make in (("equinox", of_equinox), ("flax", of_flax), ("diffrax", of_diffrax)):
        if importlib.util.find_spec(library) is not None:
            yield f"{library} model", make


def control() -> Made:
    """Return a function with cond, while, fori_loop, sort, scatter and random numbers, and its arguments."""

    def f(x, i):
        y = lax.cond(i > 2, lambda v: jnp.sin(v) * 2, lambda v: jnp.cos(v) + 1, x)
        z = lax.while_loop(lambda s: s[0] < 10, lambda s: (s[0] + 1, jnp.tanh(s[1]) + 0.1), (0, y))[1]
        w = lax.fori_loop(0, 5, lambda k, v: v.at[k].add(1.0), z)
        s = jnp.sort(w) + jax.random.normal(jax.random.key(0), w.shape)
        return lax.switch(i, [jnp.sum, jnp.max, lambda v: v[0]], s)

    return f, (jnp.arange(8.0), 1)


def scan_of_scan() -> Made:
    """Return a function with a scan inside of a scan, and its arguments."""

    def f(x):
        def outer(carry, row):
            def inner(c, v):
                c = c * 0.9 + v
                return c, jnp.exp(-c)

            last, out = lax.scan(inner, 0.0, row)
            return carry + last, out.sum()

        return lax.scan(outer, 0.0, x)

    return f, (jnp.ones((6, 5)),)


def vmap_of_grad() -> Made:
    """Return a function that computes the gradient of an MLP for each example, and its arguments."""

    def loss(params, x, y):
        h = jnp.tanh(x @ params["w1"] + params["b1"])
        return jnp.sum((h @ params["w2"] - y) ** 2)

    params = {"w1": jnp.ones((4, 8)), "b1": jnp.zeros(8), "w2": jnp.ones((8, 2))}
    return jax.vmap(jax.grad(loss), in_axes=(None, 0, 0)), (params, jnp.ones((16, 4)), jnp.ones((16, 2)))


def layers_by_scan() -> Made:
    """Return a training step in which one scan runs all layers, and its arguments."""

    def block(x, p):
        h = x @ p["w1"]
        h = jax.nn.gelu(h) @ p["w2"]
        x = x + h
        mean = x.mean(-1, keepdims=True)
        return (x - mean) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5), None

    def step(params, x):
        def loss(params):
            return (lax.scan(block, x, params)[0] ** 2).mean()

        return jax.tree.map(lambda p, g: p - 0.1 * g, params, jax.grad(loss)(params))

    return step, ({"w1": jnp.ones((12, 16, 32)), "w2": jnp.ones((12, 32, 16))}, jnp.ones((4, 16)))


def rnn() -> Made:
    """Return a recurrent network with a softmax, and its arguments."""

    def f(w, xs):
        def step(h, x):
            h = jnp.tanh(x @ w["x"] + h @ w["h"])
            return h, h

        h, hs = lax.scan(step, jnp.zeros(16), xs)
        return jax.nn.softmax(h), hs

    return f, ({"x": jnp.ones((8, 16)), "h": jnp.ones((16, 16))}, jnp.ones((100, 8)))


def newton() -> Made:
    """Return a while loop that ends when Newton's method has converged, and its arguments."""

    def f(x):
        def value(v):
            return v**3 - 2 * v - 5

        def going(state):
            v, old = state
            return jnp.abs(v - old) > 1e-6

        def better(state):
            v, _ = state
            return v - value(v) / jax.grad(value)(v), v

        return lax.while_loop(going, better, (x, x + 1))[0]

    return f, (2.0,)


def convolutions() -> Made:
    """Return the gradient of a network with two convolutions, pooling and a dense layer, and its arguments."""

    def loss(params, x):
        for kernel in params["kernels"]:
            x = lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
            x = jax.nn.relu(x)
            x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return jax.nn.log_softmax(x.reshape(x.shape[0], -1) @ params["dense"]).sum()

    params = {"kernels": [jnp.ones((3, 3, 3, 4)), jnp.ones((3, 3, 4, 8))], "dense": jnp.ones((128, 10))}
    return jax.grad(loss), (params, jnp.ones((2, 16, 16, 3)))


def losses() -> Made:
    """Return a function whose lines call library functions with many equations, and its arguments."""

    def f(logits, labels):
        p = jax.nn.softmax(logits)
        entropy = -(p * jnp.log(p + 1e-9)).sum(-1)
        cross = jax.nn.logsumexp(logits, axis=-1) - jnp.take_along_axis(logits, labels[:, None], 1)[:, 0]
        return jnp.mean(cross) + 0.1 * jnp.std(entropy), jnp.linalg.norm(logits)

    return f, (jnp.ones((8, 10)), jnp.zeros(8, jnp.int32))


def custom_derivatives() -> Made:
    """Return a function with a custom gradient and with a checkpoint, and its arguments."""

    @jax.custom_vjp
    def clipped(x):
        return jnp.clip(x, -1, 1)

    clipped.defvjp(lambda x: (clipped(x), x), lambda x, g: (jnp.where(jnp.abs(x) < 2, g, 0.0),))

    @jax.checkpoint
    def layer(w, x):
        return jnp.sin(jnp.cos(x @ w))

    def loss(w, x):
        return clipped(layer(w, layer(w, x))).sum()

    return jax.value_and_grad(loss), (jnp.ones((8, 8)), jnp.ones((4, 8)))


def random_numbers() -> Made:
    """Return a function that makes random keys and draws numbers with them, and its arguments."""

    def f(key):
        a, b = jax.random.split(key)
        x = jax.random.normal(a, (8,))
        return x + jax.random.uniform(b, (8,)), jax.random.permutation(a, 8)

    return f, (jax.random.PRNGKey(0),)


def of_equinox() -> Made:
    """Return the gradient of an MLP of equinox, and its arguments."""
    import equinox as eqx

    arrays, static = eqx.partition(eqx.nn.MLP(4, 2, 16, 2, key=jax.random.key(0)), eqx.is_array)

    def loss(arrays, x):
        model = eqx.combine(arrays, static)
        return jnp.mean(jax.vmap(model)(x) ** 2)

    return jax.value_and_grad(loss), (arrays, jnp.ones((8, 4)))


def of_flax() -> Made:
    """Return a training step of a small flax network with normalisation, and its arguments."""
    import flax.linen as nn

    class Net(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.LayerNorm()(nn.relu(nn.Dense(16)(x)))
            return nn.Dense(2)(x)

    net = Net()
    x = jnp.ones((8, 4))
    variables = net.init(jax.random.PRNGKey(0), x)

    def step(variables, x):
        gradient = jax.grad(lambda v: (net.apply(v, x) ** 2).mean())(variables)
        return jax.tree.map(lambda p, g: p - 0.1 * g, variables, gradient)

    return step, (variables, x)


def of_diffrax() -> Made:
    """Return a function that solves an ordinary differential equation with diffrax, and its arguments."""
    import diffrax

    def f(y):
        term = diffrax.ODETerm(lambda t, y, args: -0.5 * y + jnp.sin(t))
        return diffrax.diffeqsolve(term, diffrax.Tsit5(), 0.0, 1.0, 0.1, y, max_steps=16).ys

    return f, (jnp.ones(3),)
