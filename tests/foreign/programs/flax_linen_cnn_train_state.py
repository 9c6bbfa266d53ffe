"""Trains a Flax Linen CNN with a TrainState; one jitted function computes gradients and accuracy, one updates."""

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.training import train_state


class CNN(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.Conv(features=4, kernel_size=(3, 3))(x)
        x = nn.relu(x)
        x = nn.avg_pool(x, window_shape=(2, 2), strides=(2, 2))
        x = x.reshape((x.shape[0], -1))
        x = nn.Dense(features=16)(x)
        x = nn.relu(x)
        return nn.Dense(features=10)(x)


def create_train_state(rng, learning_rate, momentum):
    cnn = CNN()
    params = cnn.init(rng, jnp.ones([1, 8, 8, 1]))["params"]
    return train_state.TrainState.create(apply_fn=cnn.apply, params=params, tx=optax.sgd(learning_rate, momentum))


@jax.jit
def apply_model(state, images, labels):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, images)
        one_hot = jax.nn.one_hot(labels, 10)
        return jnp.mean(optax.softmax_cross_entropy(logits=logits, labels=one_hot)), logits

    (loss, logits), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    return grads, loss, jnp.mean(jnp.argmax(logits, -1) == labels)


@jax.jit
def update_model(state, grads):
    return state.apply_gradients(grads=grads)


rng = jax.random.key(0)
rng, init_rng, image_rng, label_rng = jax.random.split(rng, 4)
state = create_train_state(init_rng, 0.1, 0.9)
images = jax.random.uniform(image_rng, (4, 8, 8, 8, 1))
labels = jax.random.randint(label_rng, (4, 8), 0, 10)
for batch_images, batch_labels in zip(images, labels, strict=True):
    grads, loss, accuracy = apply_model(state, batch_images, batch_labels)
    state = update_model(state, grads)
print(f"loss {loss:.4f}, accuracy {accuracy:.2f}")
state.step
