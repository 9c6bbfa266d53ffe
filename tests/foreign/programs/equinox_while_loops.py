"""Differentiates Equinox's checkpointed and bounded while loops in reverse mode, and runs loops of lax."""

import equinox as eqx
import equinox.internal as eqxi
import jax
import jax.numpy as jnp
from jax import lax


@eqx.filter_jit
def newton_sqrt(x):
    def unfinished(carry):
        step, guess = carry
        return (step < 20) & (jnp.abs(guess * guess - x) > 1e-6)

    def improve(carry):
        step, guess = carry
        return step + 1, 0.5 * (guess + x / guess)

    return lax.while_loop(unfinished, improve, (0, x))


@eqx.filter_jit
@eqx.filter_value_and_grad
def power(x, n, kind):
    def unfinished(carry):
        step, _ = carry
        return step < n

    def multiply(carry):
        step, value = carry
        return step + 1, value * jnp.sin(x)

    _, value = eqxi.while_loop(unfinished, multiply, (0, jnp.array(1.0)), max_steps=16, kind=kind)
    return value


@jax.jit
def collatz(start):
    def next_of(n):
        return lax.cond(n % 2 == 0, lambda n: n // 2, lambda n: 3 * n + 1, n)

    return lax.fori_loop(0, 8, lambda _, n: next_of(n), start)


steps, root = newton_sqrt(jnp.array(2.0))
print("steps", steps)
checkpointed = power(jnp.array(1.2), jnp.array(5), "checkpointed")
bounded = power(jnp.array(1.2), jnp.array(5), "bounded")
root, checkpointed, bounded, collatz(jnp.array(7))
