"""Uses filter_vmap over several models, and batch norm with its state, as in two of Equinox's tutorials."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr


class Network(eqx.Module):
    first: eqx.nn.Linear
    norm: eqx.nn.BatchNorm
    dropout: eqx.nn.Dropout
    last: eqx.nn.Linear

    def __init__(self, key):
        first_key, last_key = jr.split(key)
        self.first = eqx.nn.Linear(3, 8, key=first_key)
        self.norm = eqx.nn.BatchNorm(8, axis_name="batch", mode="batch")
        self.dropout = eqx.nn.Dropout(0.25)
        self.last = eqx.nn.Linear(8, 1, key=last_key)

    def __call__(self, x, state, *, key):
        x, state = self.norm(self.first(x), state)
        return self.last(self.dropout(jax.nn.relu(x), key=key)), state


@eqx.filter_jit
def train(model, state, xs, ys, key):
    @eqx.filter_grad(has_aux=True)
    def loss(model, state, x, y, keys):
        batched = jax.vmap(model, axis_name="batch", in_axes=(0, None), out_axes=(0, None))
        predicted, state = batched(x, state, key=keys)
        return jnp.mean((predicted[:, 0] - y) ** 2), state

    params, static = eqx.partition(model, eqx.is_inexact_array)

    def step(carry, batch):
        params, state, key = carry
        key, subkey = jr.split(key)
        x, y = batch
        grads, state = loss(eqx.combine(params, static), state, x, y, jr.split(subkey, x.shape[0]))
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, eqx.filter(grads, eqx.is_inexact_array))
        return (params, state, key), optax_norm(grads)

    (params, state, _), norms = jax.lax.scan(step, (params, state, key), (xs, ys))
    return eqx.combine(params, static), state, norms


def optax_norm(tree):
    return jnp.sqrt(sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(tree) if eqx.is_inexact_array(leaf)))


@eqx.filter_vmap
def make_ensemble(key):
    return eqx.nn.MLP(3, 1, width_size=4, depth=1, key=key)


@eqx.filter_vmap(in_axes=(eqx.if_array(0), None))
def evaluate_ensemble(model, x):
    return jax.vmap(model)(x)


model, state = eqx.nn.make_with_state(Network)(jr.key(0))
xs = jr.normal(jr.key(1), (4, 8, 3))
model, state, norms = train(model, state, xs, xs.sum(-1), jr.key(2))
ensemble = make_ensemble(jr.split(jr.key(3), 5))
predictions = eqx.filter_jit(evaluate_ensemble)(ensemble, xs[0])
print(jax.tree.map(jnp.shape, eqx.filter(ensemble, eqx.is_array)))
norms, predictions.shape
