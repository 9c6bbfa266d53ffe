"""Trains an MLP as the vector field of a Diffrax solve, as in Diffrax's page "Neural ODE"."""

import diffrax
import equinox as eqx
import jax
import jax.nn as jnn
import jax.numpy as jnp
import jax.random as jr
import optax


class Func(eqx.Module):
    out_scale: jax.Array
    mlp: eqx.nn.MLP

    def __init__(self, data_size, width_size, depth, *, key):
        self.out_scale = jnp.ones(())
        self.mlp = eqx.nn.MLP(
            in_size=data_size,
            out_size=data_size,
            width_size=width_size,
            depth=depth,
            activation=jnn.softplus,
            final_activation=jnn.tanh,
            key=key,
        )

    def __call__(self, t, y, args):
        return self.out_scale * self.mlp(y)


class NeuralODE(eqx.Module):
    func: Func

    def __call__(self, ts, y0):
        solution = diffrax.diffeqsolve(
            diffrax.ODETerm(self.func),
            diffrax.Tsit5(),
            t0=ts[0],
            t1=ts[-1],
            dt0=ts[1] - ts[0],
            y0=y0,
            stepsize_controller=diffrax.PIDController(rtol=1e-3, atol=1e-6),
            saveat=diffrax.SaveAt(ts=ts),
            max_steps=64,
        )
        return solution.ys


@eqx.filter_value_and_grad
def grad_loss(model, ti, yi):
    y_pred = jax.vmap(model, in_axes=(None, 0))(ti, yi[:, 0])
    return jnp.mean((yi - y_pred) ** 2)


optim = optax.adabelief(3e-3)


@eqx.filter_jit
def make_step(ti, yi, model, opt_state):
    loss, grads = grad_loss(model, ti, yi)
    updates, opt_state = optim.update(grads, opt_state)
    return loss, eqx.apply_updates(model, updates), opt_state


ts = jnp.linspace(0, 2, 6)
start = jr.uniform(jr.key(0), (4, 2, 1), minval=-0.6, maxval=1)
ys = jnp.concatenate([start[:, :1] * jnp.cos(ts)[:, None], start[:, 1:] * jnp.sin(ts)[:, None]], axis=-1)
model = NeuralODE(Func(2, 8, 1, key=jr.key(1)))
opt_state = optim.init(eqx.filter(model, eqx.is_inexact_array))
for step, length in enumerate((3, 3, 3)):
    loss, model, opt_state = make_step(ts[:length], ys[:, :length], model, opt_state)
    print(f"Step: {step}, Loss: {loss:.5f}")
model.func.out_scale
