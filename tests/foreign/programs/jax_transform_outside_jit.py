"""Applies vmap and grad, outside of any jit, to a jitted function."""

import jax
import jax.numpy as jnp


@jax.jit
def selu(x, alpha=1.67, lambda_=1.05):
    return lambda_ * jnp.where(x > 0, x, alpha * jnp.exp(x) - alpha)


def total(x):
    return selu(x).sum()


x = jnp.arange(5.0)
print(selu(x))
slopes = jax.grad(total)(x)
batched = jax.vmap(selu)(jnp.ones((2, 5)))
for order in range(3):
    derivative = selu
    for _ in range(order):
        derivative = jax.grad(derivative)
    print(order, derivative(1.0))
slopes, batched
