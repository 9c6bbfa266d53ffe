"""Runs Metropolis chains by scan and vmap, with random keys of every kind: split, folded, typed and legacy."""

import jax
import jax.numpy as jnp
from jax import lax, random


def log_density(x):
    return jnp.logaddexp(-0.5 * jnp.sum((x - 2) ** 2), -0.5 * jnp.sum((x + 2) ** 2))


@jax.jit
def chain(key):
    def step(carry, key):
        x, accepted = carry
        propose_key, accept_key = random.split(key)
        proposal = x + random.normal(propose_key, x.shape)
        accept = jnp.log(random.uniform(accept_key)) < log_density(proposal) - log_density(x)
        x = lax.select(jnp.broadcast_to(accept, x.shape), proposal, x)
        return (x, accepted + accept), x

    start = random.truncated_normal(random.fold_in(key, 7), -1.0, 1.0, (2,))
    (_, accepted), xs = lax.scan(step, (start, 0), random.split(key, 50))
    return xs, accepted


def draw(key):
    keys = random.split(key, 5)
    return {
        "gamma": random.gamma(keys[0], 2.0, (3,)),
        "poisson": random.poisson(keys[1], 4.0, (3,)),
        "categorical": random.categorical(keys[2], jnp.log(jnp.array([0.2, 0.8])), shape=(4,)),
        "choice": random.choice(keys[3], 10, (4,), replace=False),
        "rademacher": random.rademacher(keys[4], (5,)),
    }


xs, accepted = jax.jit(jax.vmap(chain))(random.split(random.key(0), 3))
legacy, legacy_accepted = chain(random.PRNGKey(1))
draws = jax.jit(draw)(random.key(2))
bits = jax.jit(random.bits)(random.key(3, impl="rbg"))
print(accepted, legacy_accepted)
xs[:, -1], draws, bits
