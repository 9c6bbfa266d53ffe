"""Solves an SDE of two terms, with a Brownian tree for each key and vmap over the keys, as in Diffrax's page "SDEs"."""

import diffrax
import jax
import jax.numpy as jnp
import jax.random as jr
from diffrax import ControlTerm, Euler, MultiTerm, ODETerm, SaveAt, VirtualBrownianTree, diffeqsolve


@jax.jit
def path(key):
    def drift(t, y, args):
        return -y

    def diffusion(t, y, args):
        return 0.1 * t

    brownian_motion = VirtualBrownianTree(0.0, 1.0, tol=1e-3, shape=(), key=key)
    terms = MultiTerm(ODETerm(drift), ControlTerm(diffusion, brownian_motion))
    solution = diffeqsolve(terms, Euler(), 0.0, 1.0, dt0=0.05, y0=1.0, saveat=SaveAt(ts=jnp.linspace(0, 1, 5)))
    return solution.ys


paths = jax.jit(jax.vmap(path))(jr.split(jr.key(0), 6))
print(f"diffrax {diffrax.__name__}: {paths.shape}")
paths.mean(axis=0), paths.std(axis=0)
