"""Uses control flow of many kinds in JAX: switch, cond, fori_loop, while_loop, associative_scan and map."""

import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def evolve(grid, rule, steps):
    def neighbours(grid):
        shifts = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
        return sum(jnp.roll(grid, shift, (0, 1)) for shift in shifts)

    def life(grid):
        n = neighbours(grid)
        return ((n == 3) | ((grid == 1) & (n == 2))).astype(jnp.int32)

    def high_life(grid):
        n = neighbours(grid)
        return ((n == 3) | ((grid == 0) & (n == 6)) | ((grid == 1) & (n == 2))).astype(jnp.int32)

    def still(grid):
        return grid

    def body(_, grid):
        return lax.switch(rule, [life, high_life, still], grid)

    return lax.fori_loop(0, steps, body, grid)


@jax.jit
def first_repetition(grid):
    def unseen(carry):
        step, grid, previous = carry
        return (step < 30) & jnp.any(grid != previous)

    def advance(carry):
        step, grid, _ = carry
        return step + 1, evolve(grid, 0, 1), grid

    step, _, _ = lax.while_loop(unseen, advance, (0, grid, 1 - grid))
    return lax.cond(step < 30, lambda: step, lambda: -1)


grid = jnp.zeros((8, 8), jnp.int32).at[1:4, 2].set(1).at[5:7, 5:7].set(1)
after = [evolve(grid, rule, steps) for rule in range(3) for steps in (1, 4)]
running = jax.jit(lambda xs: lax.associative_scan(jnp.maximum, xs))(jnp.array([3, 1, 4, 1, 5]))
sums = jax.jit(lambda xs: lax.map(lambda row: row.sum(), xs))(grid)
print(first_repetition(grid), [int(g.sum()) for g in after])
running, sums
