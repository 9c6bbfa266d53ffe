"""Solves one ODE outside of any function, without a jit of the user, as in Diffrax's page "Getting started"."""

import jax.numpy as jnp
from diffrax import ODETerm, PIDController, SaveAt, Tsit5, diffeqsolve


def f(t, y, args):
    return -y


term = ODETerm(f)
solution = diffeqsolve(
    term,
    Tsit5(),
    t0=0,
    t1=2,
    dt0=0.1,
    y0=jnp.array([2.0, 3.0]),
    saveat=SaveAt(ts=jnp.linspace(0, 2, 5)),
    stepsize_controller=PIDController(rtol=1e-5, atol=1e-5),
)
print(solution.ts)
print(solution.stats["num_accepted_steps"])
solution.ys
