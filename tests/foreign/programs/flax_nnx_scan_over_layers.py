"""Makes layers by nnx.vmap, applies them by nnx.scan, and trains them with nnx.grad and remat, in Flax NNX."""

import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, dim, rngs: nnx.Rngs):
        self.norm = nnx.LayerNorm(dim, rngs=rngs)
        self.linear = nnx.Linear(dim, dim, rngs=rngs)

    def __call__(self, x):
        return x + jax.nn.gelu(self.linear(self.norm(x)))


class Stack(nnx.Module):
    def __init__(self, dim, num_layers, rngs: nnx.Rngs):
        @nnx.split_rngs(splits=num_layers)
        @nnx.vmap(in_axes=(0,), out_axes=0)
        def create_block(rngs: nnx.Rngs):
            return Block(dim, rngs=rngs)

        self.blocks = create_block(rngs)
        self.num_layers = num_layers

    def __call__(self, x):
        @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)
        def forward(x, block):
            return nnx.remat(lambda block, x: block(x))(block, x)

        return forward(x, self.blocks)


@nnx.jit
def step(model, x):
    loss, grads = nnx.value_and_grad(lambda model: jnp.mean(model(x) ** 2))(model)
    _, params, rest = nnx.split(model, nnx.Param, ...)
    params = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)
    nnx.update(model, params, rest)
    return loss


model = Stack(8, num_layers=4, rngs=nnx.Rngs(0))
x = jnp.linspace(-1, 1, 16).reshape(2, 8)
losses = [step(model, x) for _ in range(3)]
jnp.array(losses)
