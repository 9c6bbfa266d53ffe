import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def nested(x):
    def outer(carry, row):
        def inner(total, item):
            total = total + item
            return total, total * carry

        last, seen = lax.scan(inner, 0.0, row)
        carry = carry + last
        return carry, seen

    end, table = lax.scan(outer, jnp.float32(0), x)
    return end, table


@jax.jit
def many(x, n):
    def grow(i, state):
        v, count = state
        v = v * 1.5
        count += i
        return v, count

    v, count = lax.fori_loop(0, 4, grow, (x, 0))
    w, _ = lax.fori_loop(0, n, grow, (v, count))

    def unfinished(pair):
        left, value = pair
        big = value.sum() > 1
        return (left > 0) & big

    def step(pair):
        left, value = pair
        smaller = value / 2
        return left - 1, smaller

    left, value = lax.while_loop(unfinished, step, (n, w))
    mapped = lax.map(lambda e: jnp.exp(e), value)
    folded = lax.reduce(mapped, 0.0, lax.add, (0,))
    summed = lax.associative_scan(lambda a, b: a + b, mapped)
    return folded, summed


@jax.jit
def choose(i, x):
    def first(v):
        a = v + 1
        return a

    def second(v):
        b = jnp.cos(v)
        return b

    chosen = lax.switch(i, [first, second, lambda v: v * 3], x)
    z = lax.cond(chosen.sum() > 0, first, second, chosen)
    picked = jnp.where(z > 0, z, -z)
    return picked


nested(jnp.ones((3, 5)))
many(jnp.ones(4), 3)
choose(1, jnp.ones(3))
jax.vmap(choose, in_axes=(0, None))(jnp.arange(2), jnp.ones(3))
jax.grad(lambda x: nested(x)[0])(jnp.ones((2, 2)))
