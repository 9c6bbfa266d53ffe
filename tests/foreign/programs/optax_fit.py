"""Fits a model with one Optax step for each batch; the optimizer is a chain with clipping and a schedule."""

import jax
import jax.numpy as jnp
import numpy as np
import optax

BATCH_SIZE = 5
NUM_TRAIN_STEPS = 12
RAW_TRAINING_DATA = np.random.RandomState(0).randint(256, size=(NUM_TRAIN_STEPS, BATCH_SIZE, 1))
TRAINING_DATA = np.unpackbits(RAW_TRAINING_DATA.astype(np.uint8), axis=-1)
LABELS = jax.nn.one_hot(RAW_TRAINING_DATA % 2, 2).astype(jnp.float32).reshape(NUM_TRAIN_STEPS, BATCH_SIZE, 2)

initial_params = {
    "hidden": jax.random.normal(shape=[8, 16], key=jax.random.key(0)),
    "output": jax.random.normal(shape=[16, 2], key=jax.random.key(1)),
}


@jax.jit
def net(x, params):
    x = jnp.dot(x, params["hidden"])
    x = jax.nn.relu(x)
    return jnp.dot(x, params["output"])


def loss(params, batch, labels):
    y_hat = net(batch, params)
    return optax.sigmoid_binary_cross_entropy(y_hat, labels).sum(axis=-1).mean()


def fit(params, optimizer):
    opt_state = optimizer.init(params)

    @jax.jit
    def step(params, opt_state, batch, labels):
        loss_value, grads = jax.value_and_grad(loss)(params, batch, labels)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        params = optax.apply_updates(params, updates)
        return params, opt_state, loss_value

    for i, (batch, labels) in enumerate(zip(TRAINING_DATA, LABELS, strict=True)):
        params, opt_state, loss_value = step(params, opt_state, batch, labels)
        if i % 5 == 0:
            print(f"step {i}, loss: {loss_value}")
    return params


schedule = optax.warmup_cosine_decay_schedule(
    init_value=0.0, peak_value=0.1, warmup_steps=4, decay_steps=NUM_TRAIN_STEPS, end_value=0.0
)
optimizer = optax.chain(
    optax.clip(1.0),
    optax.adamw(learning_rate=schedule),
)
params = fit(initial_params, optimizer)
params = fit(params, optax.sgd(learning_rate=1e-2, momentum=0.9, nesterov=True))
params["output"].sum()
