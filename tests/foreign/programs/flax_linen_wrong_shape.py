"""Makes a common mistake in Flax Linen: parameters made for one input shape are applied to another."""

import jax
import jax.numpy as jnp
from flax import linen as nn

model = nn.Dense(features=5)
params = model.init(jax.random.key(0), jnp.ones((1, 8)))


@jax.jit
def predict(params, x):
    return model.apply(params, x)


print(predict(params, jnp.ones((2, 8))).shape)
predict(params, jnp.ones((2, 9)))
print("not reached")
