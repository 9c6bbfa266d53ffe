"""Holds cells with Python loops that tracing unrolls, reads the notes on them, and holds the full rewrites."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from observed import ENVIRONMENT, traced

from jupyter_jaxpr.build.document_of_run import build
from jupyter_jaxpr.document.types.document import Cell, Snapshot
from jupyter_jaxpr.observe.observation import Observation, ObservedFunction, ObservedProgram, Place, StageTimes

FILE = "/tmp/ipykernel_1/1.py"
TIMES = StageTimes(trace=0.012, lower=0.008, compile=0.48)
# The arguments with which the functions of the cases are called.
V = jnp.linspace(0.1, 0.9, 4)
M = jnp.linspace(-0.5, 0.5, 16).reshape(4, 4)
MANY = [M * (1 + number / 10) for number in range(12)]
LAYERS = [(weight, V) for weight in MANY]
ROWS = jnp.linspace(-1, 1, 48).reshape(12, 4)


def cell_of(
    source: str, *arguments: object, definition: bool = True, call: Place | None = None
) -> tuple[Snapshot, dict[str, object]]:
    """Run a cell that defines a function f, and inspect one call of f."""
    space: dict[str, object] = {"jax": jax, "jnp": jnp, "lax": jax.lax, "np": np}
    exec(compile(source, FILE, "exec"), space)
    trace = traced(space["f"], *arguments)
    place = Place(FILE, 1, "f") if definition else None
    observed = ObservedProgram("ran", trace.jaxpr, stages=TIMES, call=call)
    observation = Observation(functions=[ObservedFunction("f", place, [observed], top_level=True)])
    cell = Cell(id="c", execution_count=1, file=FILE, source=source)
    return build(observation, cell, environment=ENVIRONMENT, run_id="run").document, space


def seen(document: Snapshot) -> list[tuple[str, int, int | None, str]]:
    """Return for each note: kind, line, number of iterations, and whether an iteration needs the previous one."""
    assert not [note.detail for note in document.notes if note.kind == "failed"]
    return [
        (note.kind, document.frames[note.frame].line, note.repetitions, "carried" if note.carried else "independent")
        for note in document.notes
    ]


def rewritten(source: str, document: Snapshot) -> str:
    """Return the cell's source with the loop replaced by its rewrite, as a user would paste it."""
    (note,) = document.notes
    frame = document.frames[note.frame]
    lines = source.split("\n")
    first = lines[frame.line - 1]
    indent = first[: len(first) - len(first.lstrip())]
    assert note.code is not None
    lines[frame.line - 1 : frame.end_line] = textwrap.indent(note.code, indent).split("\n")
    return "\n".join(lines)


@dataclass
class Case:
    """A cell, the arguments of its function f, the position of its loop, and the complete expected rewrite."""

    source: str
    arguments: tuple[object, ...]
    line: int
    iterations: int
    carried: bool
    code: str


CASES = {
    "a sine, a hundred times": Case(
        """\
@jax.jit
def f(x):
    for _ in range(100):
        x = jnp.sin(x)
    return x
""",
        (V,),
        *(3, 100, True),
        "x = jax.lax.fori_loop(0, 100, lambda _, x: jnp.sin(x), x)",
    ),
    "an augmented assignment that counts": Case(
        """\
from jax import lax
@jax.jit
def f(x, n):
    for i in range(3, 15):
        x += n * i
    return x
""",
        (V, V),
        *(4, 12, True),
        "x = lax.fori_loop(3, 15, lambda i, x: x + n * i, x)",
    ),
    "two values, with a comment and a helper": Case(
        """\
def advance(position, velocity, dt):
    return position + dt * velocity, velocity - dt * position

@jax.jit
def f(position, velocity, dt=0.1):
    for _ in range(20):
        # explicit Euler
        position, velocity = advance(position, velocity, dt)
        velocity = velocity * 0.99
    return position + velocity
""",
        (V, V),
        *(6, 20, True),
        """\
def body(_, carry):
    position, velocity = carry
    # explicit Euler
    position, velocity = advance(position, velocity, dt)
    velocity = velocity * 0.99
    return position, velocity

position, velocity = jax.lax.fori_loop(0, 20, body, (position, velocity))""",
    ),
    "an RNN that appends": Case(
        """\
@jax.jit
def f(h, xs, w):
    ys = []
    for t in range(12):
        h = jnp.tanh(xs[t] + h @ w)
        ys.append(h)
    return h, jnp.asarray(ys)
""",
        (V, ROWS, M),
        *(4, 12, True),
        """\
def step(h, t):
    h = jnp.tanh(xs[t] + h @ w)
    return h, h

# ys is stacked along axis 0 already
h, ys = jax.lax.scan(step, h, jnp.arange(12))""",
    ),
    "what is appended changes afterwards": Case(
        """\
@jax.jit
def f(h, xs):
    outs = []
    for x in xs:
        outs.append(h * 2)
        h = h + x
    return h, jnp.asarray(outs)
""",
        (V, ROWS),
        *(4, 12, True),
        """\
def step(h, x):
    out_now = h * 2
    h = h + x
    return h, out_now

# outs is stacked along axis 0 already
h, outs = jax.lax.scan(step, h, xs)""",
    ),
    "layers of parameters": Case(
        """\
@jax.jit
def f(layers, x):
    for w, b in layers:
        x = jax.nn.relu(x @ w + b)
    return jnp.sum(x)
""",
        (LAYERS, V),
        *(3, 12, True),
        """\
stacked_layers = jax.tree.map(lambda *leaves: jnp.stack(leaves), *layers)

def step(x, each):
    w, b = each
    x = jax.nn.relu(x @ w + b)
    return x, None

x, _ = jax.lax.scan(step, x, stacked_layers)""",
    ),
    "layers by their number": Case(
        """\
@jax.jit
def f(params, x):
    for i in range(len(params["ws"])):
        x = jnp.tanh(x @ params["ws"][i])
    return x
""",
        ({"ws": MANY}, V),
        *(3, 12, True),
        """\
stacked_ws = jax.tree.map(lambda *leaves: jnp.stack(leaves), *params['ws'])

def step(x, w_i):
    x = jnp.tanh(x @ w_i)
    return x, None

x, _ = jax.lax.scan(step, x, stacked_ws)""",
    ),
    "layers that are counted": Case(
        """\
@jax.jit
def f(ws, x):
    for i, w in enumerate(ws):
        x = jnp.tanh(x @ w) * i
    return x
""",
        (MANY, V),
        *(3, 12, True),
        """\
stacked_ws = jax.tree.map(lambda *leaves: jnp.stack(leaves), *ws)

def step(x, each):
    i, w = each
    x = jnp.tanh(x @ w) * i
    return x, None

x, _ = jax.lax.scan(step, x, (jnp.arange(len(ws)), stacked_ws))""",
    ),
    "layers from the last to the first": Case(
        """\
@jax.jit
def f(ws, x):
    for w in reversed(ws):
        x = jnp.tanh(x @ w)
    return x
""",
        (MANY, V),
        *(3, 12, True),
        """\
stacked_ws = jax.tree.map(lambda *leaves: jnp.stack(leaves), *ws)

def step(x, w):
    x = jnp.tanh(x @ w)
    return x, None

x, _ = jax.lax.scan(step, x, stacked_ws, reverse=True)""",
    ),
    "elements of an array that are counted": Case(
        """\
@jax.jit
def f(h, xs):
    for t, x in enumerate(xs):
        h = jnp.tanh(h + x) * t
    return h
""",
        (V, ROWS),
        *(3, 12, True),
        """\
def step(h, each):
    t, x = each
    h = jnp.tanh(h + x) * t
    return h, None

h, _ = jax.lax.scan(step, h, (jnp.arange(len(xs)), xs))""",
    ),
    "two arrays at once": Case(
        """\
@jax.jit
def f(h, xs, ys):
    for x, y in zip(xs, ys):
        h = h * x + y
    return h
""",
        (V, ROWS, ROWS),
        *(3, 12, True),
        """\
def step(h, each):
    x, y = each
    h = h * x + y
    return h, None

h, _ = jax.lax.scan(step, h, (jax.numpy.asarray(xs), jax.numpy.asarray(ys)))""",
    ),
    "a while that counts": Case(
        """\
@jax.jit
def f(x):
    i = 0
    while i < 40:
        x = x * 1.1 + i
        i += 1
    return x
""",
        (V,),
        *(4, 40, True),
        """\
def body(i, x):
    x = x * 1.1 + i
    return x

x = jax.lax.fori_loop(i, 40, body, x)""",
    ),
    "a while that halves": Case(
        """\
@jax.jit
def f(x):
    h = 2.0 ** 20
    while h > 1:
        x = x + h
        h = h / 2
    return x
""",
        (V,),
        *(4, 20, True),
        """\
def condition(carry):
    x, h = carry
    return h > 1

def body(carry):
    x, h = carry
    x = x + h
    h = h / 2
    return x, h

x, h = jax.lax.while_loop(condition, body, (x, h))""",
    ),
    "a loop in a loop": Case(
        """\
@jax.jit
def f(x):
    for i in range(5):
        for k in range(20):
            x = jnp.cos(x) + k * i
        x = x / x.sum()
    return x
""",
        (V,),
        *(3, 5, True),
        """\
def body(i, x):
    x = jax.lax.fori_loop(0, 20, lambda k, x: jnp.cos(x) + k * i, x)
    x = x / x.sum()
    return x

x = jax.lax.fori_loop(0, 5, body, x)""",
    ),
    "nothing but a loop in a loop": Case(
        """\
@jax.jit
def f(x):
    for i in range(5):
        for k in range(20):
            x = jnp.cos(x) + k
    return x
""",
        (V,),
        *(3, 5, True),
        """\
def body(_, x):
    x = jax.lax.fori_loop(0, 20, lambda k, x: jnp.cos(x) + k, x)
    return x

x = jax.lax.fori_loop(0, 5, body, x)""",
    ),
    "independent iterations that append": Case(
        """\
@jax.jit
def f(xs):
    out = []
    for i in range(12):
        y = jnp.sin(xs[i])
        out.append(y * i)
    return jnp.asarray(out)
""",
        (ROWS,),
        *(4, 12, False),
        """\
def one(i):
    y = jnp.sin(xs[i])
    return y * i

# out is stacked along axis 0 already
out = jax.vmap(one)(jnp.arange(12))""",
    ),
    "an inner function under jit": Case(
        """\
@jax.jit
def layer(x, w):
    return jnp.tanh(x @ w)

@jax.jit
def f(x, w):
    for _ in range(12):
        x = layer(x, w)
    return x
""",
        (V, M),
        *(7, 12, True),
        "x = jax.lax.fori_loop(0, 12, lambda _, x: layer(x, w), x)",
    ),
    "one that is differentiated": Case(
        """\
@jax.jit
def f(x):
    def loss(v):
        for _ in range(50):
            v = jnp.sin(v)
        return v.sum()
    return jax.grad(loss)(x)
""",
        (V,),
        *(4, 50, True),
        "v = jax.lax.fori_loop(0, 50, lambda _, v: jnp.sin(v), v)",
    ),
}
