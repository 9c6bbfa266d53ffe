import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def mixed(i, h, f):
    a = i * 2.5
    b = h + f
    c = i / i
    d = jnp.mean(h)
    e = h > 0
    g = e * f
    k = jax.random.key(0)
    k, sub = jax.random.split(k)
    noise = jax.random.normal(sub, f.shape)
    q = jnp.asarray(np.arange(3), jnp.bfloat16)
    u = q.astype(jnp.float32) + noise
    z = jax.lax.complex(f, f)
    r = jnp.fft.fft(z).real
    return a, b, c, d, g, u, r


@jax.jit
def matrices(a):
    q, r = jnp.linalg.qr(a)
    values, vectors = jnp.linalg.eigh(a @ a.T)
    u, s, vt = jnp.linalg.svd(a, full_matrices=False)
    x = jax.scipy.linalg.solve_triangular(r, q.T @ a)
    t = jnp.einsum("ij,jk->ik", u * s, vt)
    order = jnp.argsort(s)
    rows = t[order]
    top, index = jax.lax.top_k(values, 2)
    picked = vectors[:, index]
    return rows, x, top, picked


@jax.jit
def calls_jitted(x):
    inside = jax.jit(lambda v: v + 1)(x)
    again = mixed(jnp.arange(3), inside.astype(jnp.bfloat16), inside)
    first = again[0]
    shaped = jax.eval_shape(lambda v: v, x)
    stopped = jax.lax.stop_gradient(first)
    return stopped, shaped.shape


@jax.vmap
def batched(row):
    low, high = row.min(), row.max()
    span = high - low
    return (row - low) / span


mixed(jnp.arange(3), jnp.ones(3, jnp.float16), jnp.ones(3))
matrices(jnp.eye(3) + 1)
calls_jitted(jnp.ones(3))
jax.jit(batched)(jnp.arange(6.0).reshape(2, 3))
