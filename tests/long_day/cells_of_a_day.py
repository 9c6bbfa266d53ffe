"""Makes the numbered cells of a long day in a notebook, no two cells the same.

Each cell defines functions with the same names as the earlier cells, so that Python frees the earlier functions.
"""

from __future__ import annotations

SETUP = """
import jax, jax.numpy as jnp, numpy as np
from jax import lax
from functools import partial
x = jnp.arange(8.0)
"""

KINDS = (
    # a jitted function of the cell, called with an array of a new shape
    """
@jax.jit
def f(x):
    return jnp.sin(x) * {n} + x.sum()
y = f(jnp.arange({size}.0))
""",
    # a training step
    """
def loss(weights, batch):
    for weight in weights:
        batch = jnp.tanh(batch @ weight)
    return jnp.mean((batch - {n}) ** 2)

@jax.jit
def step(weights, batch):
    slopes = jax.grad(loss)(weights, batch)
    return [weight - 0.01 * slope for weight, slope in zip(weights, slopes)]

weights = [jnp.ones((4, 4)) / {size}] * {layers}
for _ in range(3):
    weights = step(weights, jnp.ones(({size}, 4)))
""",
    # a scan
    """
@jax.jit
def run(x, xs):
    def body(carry, x):
        carry = carry * 0.5 + x * {n}
        return carry, carry.sum()
    return lax.scan(body, x, xs)
carry, sums = run(jnp.zeros({size}), jnp.ones((5, {size})))
""",
    # no jit
    """
def g(x):
    return jnp.cumsum(jnp.cos(x) + {n})[::-1]
g(jnp.arange({size}.0))
""",
    # a cell that raises an error while JAX traces
    """
@jax.jit
def f(x):
    if x.sum() > {n}:
        return x
    return -x
f(jnp.arange({size}.0))
""",
    # a vmap of a derivative that reads an array from outside, called with two shapes
    """
scale = jnp.arange({size}.0) + {n}
h = jax.jit(jax.vmap(jax.grad(lambda x: jnp.sum(jnp.exp(-x * scale)))))
h(jnp.ones((3, {size})))
h(jnp.ones((4, {size})))
""",
    # while and cond
    """
@jax.jit
def newton(x):
    def more(state):
        return (jnp.abs(state[0] ** 2 - {n}) > 1e-3) & (state[1] < 20)
    def body(state):
        x, steps = state
        return lax.cond(x > 0, lambda x: x - (x * x - {n}) / (2 * x), lambda x: x + 1.0, x), steps + 1
    return lax.while_loop(more, body, (x, 0))
newton({size}.0)
""",
    # misses of every kind
    """
@partial(jax.jit, static_argnames="power")
def f(x, power):
    return (x ** power).sum() * {n}
for power in (2, 3):
    f(jnp.ones({size}), power)
    f(jnp.ones({size}, int), power=power)
for number in range(3):
    jax.jit(lambda x: x + number)(jnp.ones({size}))
""",
    # a cell that raises an error after its computation
    """
a = jax.jit(lambda x: x * {n})(jnp.ones({size}))
raise ValueError("of cell {n}")
""",
    # a jitted method, with arrays that stay alive until the next cell of this kind
    """
class Model:
    def __init__(self, width):
        self.weight = jnp.ones((width, width)) * {n}
        self.apply = jax.jit(self.scores)
    def scores(self, x):
        return jax.nn.softmax(self.weight @ x)
model = Model({size})
out = model.apply(jnp.ones({size}))
""",
    # a cell whose Python loop is unrolled into many equations
    """
@jax.jit
def deep(x):
    for layer in range({deep}):
        x = jnp.sin(x) + layer * {n}
    return x
deep(jnp.ones({size})).block_until_ready()
""",
    # a cell that also uses NumPy, and that prints
    """
data = np.random.default_rng({n}).normal(size=({size}, 3))
@jax.jit
def centred(x):
    print("tracing")
    return x - x.mean(0)
print(centred(data).shape)
""",
)

# The options of the magic by number of the cell: they request work that the plain cells do not do.
OPTIONS = {7: " --time", 13: " --steps", 19: " --transform grad", 29: " --no-trace"}
COMPARED = """
def first(x):
    return (x * {n}).sum()
def second(x):
    return jnp.dot(x, jnp.full_like(x, {n}))
first(jnp.ones({size}))
"""
SIZES = (4, 8, 16, 6)


def cell(number: int, magic: bool, options: bool = False) -> str:
    """Return one cell: with the magic (sometimes with an option), or with a comment on the magic's line."""
    text, line_options = KINDS[number % len(KINDS)], OPTIONS.get(number % 31, "")
    if number % 50 == 49:
        text, line_options = COMPARED, " --compare first,second"
    line = "# without" if not magic else f"%%jaxpr{line_options}" if options else "%%jaxpr"
    size = SIZES[number // len(KINDS) % len(SIZES)]
    return line + text.format(n=number, size=size, layers=number % 5 + 1, deep=20 + number % 60)
