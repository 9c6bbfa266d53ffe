import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp


class State(NamedTuple):
    mean: jax.Array
    scale: jax.Array


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Params:
    w: jax.Array
    b: jax.Array


class Layer:
    def __init__(self, size):
        self.w = jnp.ones((size, size))

    def __call__(self, x):
        h = x @ self.w
        out = self.act(h)
        return out

    @staticmethod
    def act(h):
        low = jnp.minimum(h, 1)
        return jnp.maximum(low, 0)


layers = [Layer(4), Layer(4)]
activations = {"soft": lambda v: jax.nn.softplus(v), "hard": lambda v: jnp.clip(v, 0, 1)}


@jax.jit
def forward(params, x):
    h = x
    for layer in layers:
        h = layer(h)
    state = State(h.mean(), h.std())
    first, *rest = [h, h * 2, h[:1]]
    both = {"state": state, "rest": rest}
    soft = activations["soft"](first)
    w, b = params.w, params.b
    out = soft @ w + b
    return out, both


@jax.jit
def generic(tree):
    doubled = jax.tree.map(lambda leaf: leaf * 2, tree)
    leaves, structure = jax.tree.flatten(doubled)
    total = sum(jnp.sum(leaf) for leaf in leaves)
    pairs = [(leaf, leaf + 1) for leaf in leaves]
    (one, other), second = pairs
    return total, one, other, second


params = Params(jnp.ones((4, 4)), jnp.zeros(4))
forward(params, jnp.ones(4))
generic({"a": jnp.ones(2), "b": jnp.ones((2, 3), jnp.int32)})
