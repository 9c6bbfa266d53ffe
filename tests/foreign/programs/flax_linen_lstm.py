"""Runs nn.RNN over an LSTM cell, and nn.scan over a GRU cell whose parameters all steps share, in Flax Linen."""

import jax
import jax.numpy as jnp
from flax import linen as nn


class Encoder(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.RNN(nn.LSTMCell(6))(x)
        Scanned = nn.scan(nn.GRUCell, variable_broadcast="params", split_rngs={"params": False}, in_axes=1, out_axes=1)
        gru = Scanned(features=6)
        carry, y = gru(gru.initialize_carry(jax.random.key(0), x[:, 0].shape), x)
        return nn.Dense(1)(nn.Dropout(0.1, deterministic=False)(y))


model = Encoder()
x = jax.random.normal(jax.random.key(1), (2, 7, 3))
variables = jax.jit(model.init)({"params": jax.random.key(2), "dropout": jax.random.key(3)}, x)


@jax.jit
def loss(variables, x, key):
    return jnp.mean(model.apply(variables, x, rngs={"dropout": key}) ** 2)


value, gradient = jax.jit(jax.value_and_grad(loss))(variables, x, jax.random.key(4))
print(jax.tree.map(jnp.shape, variables["params"]["Dense_0"]))
value, loss(variables, x, jax.random.key(5))
