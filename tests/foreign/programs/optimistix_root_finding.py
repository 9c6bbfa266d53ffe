"""Computes a root, a least-squares fit and a linear solve with Optimistix and Lineax, each in a jitted function."""

import equinox as eqx
import jax
import jax.numpy as jnp
import lineax as lx
import optimistix as optx


@eqx.filter_jit
def implicit_euler(y0):
    def fn(y, args):
        return y0 + 0.1 * jnp.tanh(y) - y

    solver = optx.Newton(rtol=1e-5, atol=1e-5)
    return optx.root_find(fn, solver, y0, max_steps=32).value


@jax.jit
def fit(x, y):
    def residuals(params, args):
        a, b = params
        return a * jnp.exp(b * x) - y

    solver = optx.LevenbergMarquardt(rtol=1e-4, atol=1e-4)
    return optx.least_squares(residuals, solver, (jnp.array(1.0), jnp.array(0.0)), max_steps=64).value


@eqx.filter_jit
def solve(matrix, vector):
    operator = lx.MatrixLinearOperator(matrix)
    return lx.linear_solve(operator, vector, lx.AutoLinearSolver(well_posed=True)).value


x = jnp.linspace(0, 1, 12)
print(implicit_euler(jnp.array([0.5, 1.0])))
a, b = fit(x, 2.0 * jnp.exp(0.7 * x))
print(f"{a:.2f} {b:.2f}")
solve(jnp.array([[2.0, 1.0], [1.0, 3.0]]), jnp.array([1.0, 2.0]))
