"""Scans a GRU cell over a sequence, in a custom module, as in Equinox's page "Train an RNN"."""

import equinox as eqx
import jax
import jax.lax as lax
import jax.numpy as jnp
import jax.random as jr
import optax


class RNN(eqx.Module):
    hidden_size: int
    cell: eqx.Module
    linear: eqx.nn.Linear
    bias: jax.Array

    def __init__(self, in_size, out_size, hidden_size, *, key):
        cell_key, linear_key = jr.split(key)
        self.hidden_size = hidden_size
        self.cell = eqx.nn.GRUCell(in_size, hidden_size, key=cell_key)
        self.linear = eqx.nn.Linear(hidden_size, out_size, use_bias=False, key=linear_key)
        self.bias = jnp.zeros(out_size)

    def __call__(self, sequence):
        def step(carry, x):
            return self.cell(x, carry), None

        final, _ = lax.scan(step, jnp.zeros((self.hidden_size,)), sequence)
        return jax.nn.sigmoid(self.linear(final) + self.bias)


def spirals(key, count, length=12):
    t = jnp.linspace(0, 2 * jnp.pi, length)
    offset = jr.uniform(key, (count, 1), minval=0, maxval=2 * jnp.pi)
    x = jnp.stack([jnp.sin(t + offset) / (1 + t), jnp.cos(t + offset) / (1 + t)], axis=-1)
    sign = jnp.where(jnp.arange(count) < count // 2, 1.0, -1.0)
    return x.at[:, :, 0].multiply(sign[:, None]), (sign > 0).astype(jnp.float32)


@eqx.filter_value_and_grad
def compute_loss(model, x, y):
    predicted = jax.vmap(model)(x)[:, 0]
    return -jnp.mean(y * jnp.log(predicted) + (1 - y) * jnp.log(1 - predicted))


@eqx.filter_jit
def make_step(model, x, y, opt_state, optim):
    loss, grads = compute_loss(model, x, y)
    updates, opt_state = optim.update(grads, opt_state)
    return loss, eqx.apply_updates(model, updates), opt_state


x, y = spirals(jr.key(0), 16)
model = RNN(in_size=2, out_size=1, hidden_size=8, key=jr.key(1))
optim = optax.adam(3e-3)
opt_state = optim.init(eqx.filter(model, eqx.is_inexact_array))
losses = []
for _ in range(5):
    loss, model, opt_state = make_step(model, x, y, opt_state, optim)
    losses.append(loss)
jnp.stack(losses)
