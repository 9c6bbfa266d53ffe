"""Runs Optax's L-BFGS in lax.while_loop, and reuses the values and gradients that the line search has stored."""

import jax
import jax.numpy as jnp
import optax
import optax.tree_utils as otu


def run_opt(init_params, fun, opt, max_iter, tol):
    value_and_grad_fun = optax.value_and_grad_from_state(fun)

    def step(carry):
        params, state = carry
        value, grad = value_and_grad_fun(params, state=state)
        updates, state = opt.update(grad, state, params, value=value, grad=grad, value_fn=fun)
        params = optax.apply_updates(params, updates)
        return params, state

    def continuing_criterion(carry):
        _, state = carry
        iter_num = otu.tree_get(state, "count")
        grad = otu.tree_get(state, "grad")
        err = otu.tree_norm(grad)
        return (iter_num == 0) | ((iter_num < max_iter) & (err >= tol))

    return jax.lax.while_loop(continuing_criterion, step, (init_params, opt.init(init_params)))


def rosenbrock(w):
    return jnp.sum(100.0 * (w[1:] - w[:-1] ** 2) ** 2 + (1.0 - w[:-1]) ** 2)


@jax.jit
def solve(w):
    return run_opt(w, rosenbrock, optax.lbfgs(), max_iter=20, tol=1e-3)


final, state = solve(jnp.zeros(4))
print(f"after {otu.tree_get(state, 'count')} steps")
final
