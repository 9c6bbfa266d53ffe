import functools

import jax
import jax.numpy as jnp


@jax.custom_vjp
def clipped(x):
    y = jnp.clip(x, -1, 1)
    return y


def forward(x):
    y = clipped(x)
    return y, (x,)


def backward(kept, g):
    (x,) = kept
    inside = jnp.abs(x) < 1
    gx = jnp.where(inside, g, 0)
    return (gx,)


clipped.defvjp(forward, backward)


@jax.custom_jvp
def log1pexp(x):
    return jnp.log1p(jnp.exp(x))


@log1pexp.defjvp
def log1pexp_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    out = log1pexp(x)
    slope = 1 - 1 / (1 + jnp.exp(x))
    return out, slope * t


def loss(w, x):
    h = clipped(x @ w)
    z = log1pexp(h)
    return z.mean()


def smooth(w, x):
    z = log1pexp(x @ w)
    return z.mean()


@jax.jit
def step(w, x):
    value, grad = jax.value_and_grad(loss)(w, x)
    norm = jnp.sqrt(jnp.sum(grad**2))
    scaled = grad / jnp.maximum(norm, 1e-6)
    w = w - 0.1 * scaled
    return w, value


@jax.jit
def second_order(w, x):
    f = functools.partial(smooth, x=x)
    h = jax.hessian(f)(w)
    jac = jax.jacfwd(lambda v: log1pexp(x @ v))(w)
    out, push = jax.linearize(f, w)
    t = push(w)
    primal, tangent = jax.jvp(f, (w,), (w,))
    back, pull = jax.vjp(f, w)
    (g,) = pull(jnp.ones_like(back))
    return h, jac, t, tangent, g, out, primal


@jax.jit
@functools.partial(jax.checkpoint, policy=jax.checkpoint_policies.nothing_saveable)
def remembered(x):
    a = jnp.sin(x)
    b = jnp.sin(a)
    return b.sum()


w, x = jnp.ones(3), jnp.ones((5, 3))
step(w, x)
second_order(w, x)
jax.jit(jax.grad(remembered))(w)
jax.jit(jax.vmap(jax.grad(loss), in_axes=(None, 0)))(w, x[:, None])
