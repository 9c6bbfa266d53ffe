import contextlib

import jax
import jax.numpy as jnp


def outer(scale):
    offset = jnp.ones(3)

    def inner(v, *rest, bias=0.0, **named):
        nonlocal offset
        moved = v * scale + offset + bias
        for value in named.values():
            moved = moved + value
        for item in rest:
            moved += item
        return moved

    return inner


@contextlib.contextmanager
def scope(x):
    y = x * 2
    yield y


def pieces(x):
    for size in (1, 2, 3):
        part = x[:size]
        yield part


@jax.jit
def kinds(x):
    act = outer(2.0)
    a = act(x, x, bias=1.0, extra=x)
    b = c = a - 1
    d, (e, *f) = b, (c, a, b)
    with scope(d) as doubled:
        g = doubled + e
    total = 0
    for part in pieces(g):
        total = total + part.sum()
    try:
        h = g.reshape(7)
    except TypeError:
        h = g[::-1]
    if (top := h.max()).ndim == 0:
        h = h - top
    else:
        h = h * 100
    match x.ndim:
        case 1:
            m = h[None]
        case _:
            m = h
    count = 0
    while count < 3:
        m = jnp.concatenate([m, m], axis=0)
        count += 1
    n: jax.Array = m.T
    n @= m
    k = n if n.shape[0] == 3 else m
    del a
    wide = k + 1.0
    x = wide
    y = x * 2
    return y, f, total


def fib(n, x):
    if n < 2:
        return x
    left = fib(n - 1, x)
    right = fib(n - 2, x)
    both = left + right
    return both


@jax.jit
def recursive(x):
    s = fib(5, x)
    return s


kinds(jnp.ones(3))
recursive(jnp.ones(2))
recursive(jnp.int32(1))
