"""Differentiates solves of Diffrax by checkpoints and by solving backwards, for a batch of start values."""

import equinox as eqx
import jax
import jax.numpy as jnp
from diffrax import BacksolveAdjoint, ODETerm, RecursiveCheckpointAdjoint, SaveAt, Tsit5, diffeqsolve


def lotka_volterra(t, y, args):
    prey, predator = y
    a, b, c, d = args
    return jnp.array([a * prey - b * prey * predator, -c * predator + d * prey * predator])


@eqx.filter_jit
@eqx.filter_grad
def gradient(args, y0, adjoint):
    def end_of(y0):
        solution = diffeqsolve(
            ODETerm(lotka_volterra), Tsit5(), 0.0, 2.0, 0.1, y0, args, saveat=SaveAt(t1=True), adjoint=adjoint
        )
        return solution.ys[0]

    return jnp.sum(jax.vmap(end_of)(y0) ** 2)


args = jnp.array([0.1, 0.02, 0.4, 0.02])
y0 = jnp.array([[10.0, 10.0], [5.0, 2.0]])
checkpoints = gradient(args, y0, RecursiveCheckpointAdjoint())
backwards = gradient(args, y0, BacksolveAdjoint())
print(jnp.abs(checkpoints - backwards).max() < 1e-1)
checkpoints, backwards
