"""Trains an MLP in a Python loop, as in Equinox's page "Train a network"."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import optax


def dataloader(arrays, batch_size, *, key):
    dataset_size = arrays[0].shape[0]
    indices = jnp.arange(dataset_size)
    while True:
        key, subkey = jr.split(key)
        permuted = jr.permutation(subkey, indices)
        for start in range(0, dataset_size - batch_size + 1, batch_size):
            batch = permuted[start : start + batch_size]
            yield tuple(array[batch] for array in arrays)


@eqx.filter_value_and_grad
def compute_loss(model, x, y):
    predicted = jax.vmap(model)(x)
    return jnp.mean((y - predicted) ** 2)


optim = optax.adam(1e-2)


@eqx.filter_jit
def make_step(model, x, y, opt_state):
    loss, grads = compute_loss(model, x, y)
    updates, opt_state = optim.update(grads, opt_state)
    model = eqx.apply_updates(model, updates)
    return loss, model, opt_state


data_key, loader_key, model_key = jr.split(jr.key(5678), 3)
inputs = jr.uniform(data_key, (64, 2))
targets = inputs.sum(axis=1, keepdims=True)
model = eqx.nn.MLP(in_size=2, out_size=1, width_size=8, depth=2, key=model_key)
opt_state = optim.init(eqx.filter(model, eqx.is_inexact_array))
for step, (x, y) in zip(range(10), dataloader((inputs, targets), 16, key=loader_key), strict=False):
    loss, model, opt_state = make_step(model, x, y, opt_state)
    if step % 3 == 0:
        print(f"step={step}, loss={loss.item():.4f}")
jax.vmap(model)(inputs[:4])
