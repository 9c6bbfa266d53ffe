"""Computes per-example gradients, Jacobians, a Hessian and a Hessian-vector product under jit."""

import jax
import jax.numpy as jnp
from jax import grad, hessian, jacfwd, jacrev, jit, jvp, vmap


def predict(params, x):
    for w, b in params:
        x = jnp.tanh(x @ w + b)
    return x.sum()


@jit
def loss(params, x, y):
    return (predict(params, x) - y) ** 2


sizes = [3, 4, 2]
keys = jax.random.split(jax.random.key(0), len(sizes))
params = [
    (jax.random.normal(key, (m, n)), jnp.zeros(n)) for key, m, n in zip(keys, sizes[:-1], sizes[1:], strict=False)
]
x = jax.random.normal(keys[-1], (5, 3))
y = jnp.arange(5.0)

per_example = jit(vmap(grad(loss), in_axes=(None, 0, 0)))(params, x, y)


@jit
def hvp(x, v):
    return jvp(grad(lambda x: predict(params, x)), (x,), (v,))[1]


jacobian = jit(jacrev(lambda x: jnp.stack([predict(params, x), x[0] * x[1]])))(x[0])
forward = jit(jacfwd(jnp.sin))(x[0])
print(jax.tree.map(jnp.shape, per_example))
jacobian, forward, jit(hessian(predict, argnums=1))(params, x[0]), hvp(x[0], x[1])
