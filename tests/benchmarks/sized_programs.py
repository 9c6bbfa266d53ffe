"""Makes JAX functions with a given number of equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

# A cell as in a lesson: a few layers, a loop, a gradient. `{number}` makes it a cell that JAX has not seen.
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

# A larger cell: a Python loop over layers, forward and backward, with a few hundred equations for six layers.
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
    """Return a function that repeats one operation: its equations are the cheapest, for JAX and for this package."""

    def sines(x):
        for _ in range(count):
            x = jnp.sin(x)
        return x

    return sines


def mixed(count: int) -> Callable[..., Any]:
    """Return a function with ten kinds of equations on few lines, with parameters, literals and two operands."""

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


def transformer(layers: int) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return a training step of a small unrolled transformer with its arguments: about 220 equations a layer."""
    width, heads, length = 32, 4, 16

    def normed(x, scale):
        centred = x - x.mean(-1, keepdims=True)
        return centred * jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * scale

    def attended(p, x):
        q, k, v = ((x @ p[name]).reshape(*x.shape[:2], heads, -1) for name in ("wq", "wk", "wv"))
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / jnp.sqrt(width / heads)
        scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
        return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v).reshape(x.shape) @ p["wo"]

    def loss(blocks, x, y):
        for p in blocks:
            x = x + attended(p, normed(x, p["s1"]))
            x = x + jax.nn.gelu(normed(x, p["s2"]) @ p["w1"]) @ p["w2"]
        return ((x - y) ** 2).mean()

    def step(blocks, moments, x, y):
        value, gradients = jax.value_and_grad(loss)(blocks, x, y)
        moments = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments, gradients)
        return value, jax.tree.map(lambda p, m: p - 0.01 * m, blocks, moments), moments

    square = jnp.eye(width)
    block = {"wq": square, "wk": square, "wv": square, "wo": square, "s1": jnp.ones(width), "s2": jnp.ones(width)}
    block |= {"w1": jnp.ones((width, 4 * width)), "w2": jnp.ones((4 * width, width))}
    x = jnp.ones((2, length, width))
    return step, ([block] * layers, [block] * layers, x, x)
