"""Trains with Optax in one jitted function: a scan over epochs around a scan over batches, with donated inputs."""

from functools import partial

import jax
import jax.numpy as jnp
import optax
from jax import lax

optimizer = optax.chain(
    optax.clip_by_global_norm(1.0),
    optax.scale_by_adam(),
    optax.add_decayed_weights(1e-4),
    optax.scale_by_schedule(optax.exponential_decay(-1e-2, transition_steps=4, decay_rate=0.9)),
)


def loss(params, batch):
    x, y = batch
    predicted = jnp.tanh(x @ params["w"] + params["b"]) @ params["v"]
    return optax.huber_loss(predicted, y).mean()


@partial(jax.jit, static_argnames=("epochs",), donate_argnums=(0, 1))
def train(params, state, data, key, *, epochs):
    def batch_step(carry, batch):
        params, state = carry
        value, grads = jax.value_and_grad(loss)(params, batch)
        updates, state = optimizer.update(grads, state, params)
        return (optax.apply_updates(params, updates), state), value

    def epoch(carry, key):
        order = jax.random.permutation(key, data[0].shape[0])
        shuffled = jax.tree.map(lambda a: a[order].reshape(4, -1, *a.shape[1:]), data)
        carry, values = lax.scan(batch_step, carry, shuffled)
        return carry, values.mean()

    (params, state), history = lax.scan(epoch, (params, state), jax.random.split(key, epochs))
    return params, state, history


x_key, w_key, v_key, train_key = jax.random.split(jax.random.key(0), 4)
x = jax.random.normal(x_key, (32, 3))
params = {
    "w": jax.random.normal(w_key, (3, 8)) * 0.5,
    "b": jnp.zeros(8),
    "v": jax.random.normal(v_key, (8,)) * 0.5,
}
params, state, history = train(params, optimizer.init(params), (x, jnp.sin(x).sum(-1)), train_key, epochs=6)
print(f"{history[0]:.3f} -> {history[-1]:.3f}")
history
