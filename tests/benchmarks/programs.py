"""A number of equations in, a JAX function that has them out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

# The cell of a lesson: a few layers, a loop, a gradient. `{number}` makes it one that JAX has not seen.
LESSON = """
@jax.jit
def step_{number}(params, xs, ys):
    def loss(params):
        def cell(carry, x):
            h = jnp.tanh(x @ params["w"] + carry @ params["u"] + {number}.0)
            return h, h.sum()
        _, out = lax.scan(cell, jnp.zeros(16), xs)
        return ((out - ys) ** 2).mean()
    value, grads = jax.value_and_grad(loss)(params)
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

step_{number}({{"w": jnp.ones((8, 16)), "u": jnp.eye(16)}}, jnp.ones((20, 8)), jnp.zeros(20))[0].block_until_ready()
"""

# A larger one: a Python loop over layers, forward and backward, a few hundred equations for six of them.
LAYERS = """
@jax.jit
def train_{number}(layers, x):
    def loss(layers):
        h = x + {number}.0
        for w, b in layers:
            h = jnp.where(h > 0, h, 0.1 * h)
            h = h + jax.nn.gelu(h @ w + b)
            h = (h - h.mean(-1, keepdims=True)) / jnp.sqrt(h.var(-1, keepdims=True) + 1e-5)
        return (h ** 2).mean()
    return jax.tree.map(lambda p, g: p - 0.1 * g, layers, jax.grad(loss)(layers))

layers_{number} = [(jnp.eye(8) * 0.1, jnp.zeros(8))] * {layers}
jax.block_until_ready(train_{number}(layers_{number}, jnp.ones((4, 8))))
"""


def sines(count: int) -> Callable[..., Any]:
    """One operation over and over: the cheapest equations there are, for JAX and for us."""

    def sines(x):
        for _ in range(count):
            x = jnp.sin(x)
        return x

    return sines


def mixed(count: int) -> Callable[..., Any]:
    """Ten kinds of equations on a handful of lines, with parameters, literals and two operands."""

    def mixed(x):
        w = x
        for _ in range(count // 10):
            y = jnp.sin(x) * 2.0
            z = y + w
            w = jax.lax.max(z, 0.5)
            v = jax.lax.dot_general(w, x, (((0,), (0,)), ((), ())))
            u = jax.lax.broadcast_in_dim(v, x.shape, ())
            t = jax.lax.select_n(jax.lax.gt(u, y), y, w)
            x = jax.lax.cumsum(t, axis=0)
        return x

    return mixed
