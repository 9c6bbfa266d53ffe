"""Tests notes on Python loops that ran while JAX traced: the line and the code to write instead."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from observed import ENVIRONMENT, traced

from jupyter_jaxpr.build.build import build
from jupyter_jaxpr.document.types.document import Cell, Snapshot
from jupyter_jaxpr.exports.markdown import markdown
from jupyter_jaxpr.exports.page import page
from jupyter_jaxpr.observe.observation import Observation, ObservedFunction, ObservedProgram, Place, StageTimes

FILE = "/tmp/ipykernel_1/1.py"
TIMES = StageTimes(trace=0.012, lower=0.008, compile=0.48)

# The arguments of the cases' calls.
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
    """Return the cell with the loop replaced by its rewrite, as a user would paste it."""
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
    """A cell, the arguments of its f, the place of its loop, and the full rewrite."""

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


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_loop_is_found_and_its_rewrite_computes_the_same(case: Case) -> None:
    document, space = cell_of(case.source, *case.arguments)

    carried = "carried" if case.carried else "independent"
    assert seen(document) == [("unrolled_loop", case.line, case.iterations, carried)]
    assert document.notes[0].code == case.code

    shorter, other = cell_of(rewritten(case.source, document), *case.arguments)
    assert seen(shorter) == []
    assert shorter.programs[0].equations < document.programs[0].equations
    for one, two in zip(
        jax.tree.leaves(space["f"](*case.arguments)), jax.tree.leaves(other["f"](*case.arguments)), strict=True
    ):
        np.testing.assert_allclose(one, two, rtol=2e-5, atol=1e-6)


def test_a_note_says_what_it_saw_what_it_costs_and_what_to_do():
    document, _ = cell_of(CASES["an RNN that appends"].source, V, ROWS, M)
    (note,) = document.notes
    assert note.title == "The for loop was unrolled: 60 equations"
    equations = document.programs[0].equations
    assert note.text == (
        "Python ran 12 iterations of this for loop while JAX traced. "
        f"The iterations left 60 of the program's {equations} equations. "
        "Each iteration needs the result of the previous iteration."
    )
    assert note.cure == (
        "Write the loop with jax.lax.scan. The program then holds the body only once, for any number of iterations."
    )
    assert note.share == pytest.approx(60 / equations, abs=1e-4)
    assert note.price == [
        "Measured for the whole program: trace 12\u00a0ms, lower 8.0\u00a0ms, compile 480\u00a0ms.",
        "A part of these times is the same for a program of any size. The price of one iteration was not measured.",
        "Trace and compile times grow with the number of unrolled iterations. With a loop of JAX they do not. An "
        "unrolled program may run faster, because XLA sees all iterations at once. Run times were not measured here.",
    ]


CALLED = """\
import functools

@functools.partial(jax.jit, static_argnames="n")
def f(x, n):
    # so many times
    for _ in range(n):
        x = jnp.sin(x)
    return x

y = f(
    jnp.linspace(0.1, 0.9, 4), n=12
)
"""


def test_a_cell_compares_a_function_with_its_rewrite():
    document, space = cell_of(CALLED, V, 12, call=Place(FILE, 10))
    (note,) = document.notes
    assert (
        note.trial
        == """\
%%jaxpr --compare f,f_loop
@functools.partial(jax.jit, static_argnames="n")
def f_loop(x, n):
    # so many times
    x = jax.lax.fori_loop(0, n, lambda _, x: jnp.sin(x), x)
    return x

f(
    jnp.linspace(0.1, 0.9, 4), n=12
)"""
    )
    exec(note.trial.split("\n", 1)[1], space)
    np.testing.assert_allclose(space["f_loop"](V, 12), space["f"](V, 12), rtol=1e-6)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        pytest.param(CALLED.replace("y = f(", "h = f\ny = h("), 11, id="called by another name"),
        pytest.param(CALLED, 3, id="called on another line"),
        pytest.param(
            "def made():\n    @jax.jit\n    def f(x):\n        for _ in range(12):\n            x = jnp.sin(x)\n"
            "        return x\n    return f\nf = made()\nf(jnp.ones(4))",
            9,
            id="made by a function",
        ),
        pytest.param(
            "@jax.jit\ndef f(x):\n    for _ in range(12):\n        x = jnp.sin(x)\n    return x\n"
            "def call(z):\n    return f(z)\ncall(jnp.ones(4))",
            7,
            id="called with what only another function has",
        ),
    ],
)
def test_there_is_no_such_cell_where_the_text_does_not_give_function_and_call(source, line):
    arguments = (V, 12) if "n=12" in source else (V,)
    document, _ = cell_of(source, *arguments, call=Place(FILE, line))
    assert [note.trial for note in document.notes] == [None]


def test_a_gradient_is_one_note_with_the_equations_of_both_passes():
    document, _ = cell_of(CASES["one that is differentiated"].source, V)
    (note,) = document.notes
    assert note.share == 1.0 or note.share > 0.97
    assert "150 of the program's" in note.text


def test_a_training_step_is_one_note_and_its_optimiser_none():
    source = """\
@jax.jit
def f(layers, x):
    def loss(layers):
        h = x + 1.0
        for w, b in layers:
            h = jnp.where(h > 0, h, 0.1 * h)
            h = h + jax.nn.gelu(h @ w + b)
        return (h**2).mean()
    return jax.tree.map(lambda p, g: p - 0.1 * g, layers, jax.grad(loss)(layers))
"""
    document, _ = cell_of(source, LAYERS, V)
    assert seen(document) == [("unrolled_loop", 5, 12, "carried")]
    assert document.notes[0].share > 0.8
    assert document.notes[0].cure.startswith("Stack the parameters and scan over them with jax.lax.scan")


def test_a_loop_in_a_loop_is_named_with_the_one_around_it():
    document, _ = cell_of(CASES["a loop in a loop"].source, V)
    assert "The inner for loop on line 4 ran 20 iterations in each outer iteration." in document.notes[0].text


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (
            "    return sum([jnp.exp(x * i).sum() for i in range(16)])",
            "jax.vmap(lambda i: jnp.exp(x * i).sum())(jnp.arange(16)).sum(axis=0)",
        ),
        (
            "    return sum(jnp.exp(x * i).sum() for i in range(16))",
            "jax.vmap(lambda i: jnp.exp(x * i).sum())(jnp.arange(16)).sum(axis=0)",
        ),
        (
            "    return jnp.asarray([jnp.sin(x) * i for i in range(16)])",
            "jax.vmap(lambda i: jnp.sin(x) * i)(jnp.arange(16))",
        ),
    ],
    ids=["sum of a list", "sum of a generator", "an array of a list"],
)
def test_a_comprehension_becomes_a_vmap(line, code):
    document, space = cell_of(f"@jax.jit\ndef f(x):\n{line}\n", V)
    assert seen(document) == [("unrolled_loop", 3, 16, "independent")]
    assert document.notes[0].code == code
    shorter, other = cell_of(f"@jax.jit\ndef f(x):\n    return {code}\n", V)
    assert seen(shorter) == []
    np.testing.assert_allclose(space["f"](V), other["f"](V), rtol=1e-5)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("        x = jnp.sin(x) if i % 2 else jnp.cos(x)", "Python evaluates the condition i % 2 at each iteration."),
        (
            "        x = x + x[i % 3 : i % 3 + 1]",
            "depends on the loop counter, which JAX does not know while it traces. Use jax.lax.dynamic_slice.",
        ),
        ("        x = x * np.sqrt(i + 1.0)", "np.sqrt(i + 1.0) needs a Python number, not a traced value."),
        ('        x = x * table[f"k{i}"]', 'table[f"k{i}"] is an element of a Python container.'),
        (
            "        state.x = jnp.sin(state.x) + x",
            "The body assigns to state.x. The body of a loop of JAX cannot do this: make the value a part of the "
            "carry.",
        ),
        ("        x = jnp.sin(x)\n        if i == 29: break", "The body has a break."),
        (
            "        x = jnp.sin(x)\n        if i == 29: continue",
            "The body has a continue. Choose values with jnp.where or jax.lax.cond instead.",
        ),
        (
            "        x = jnp.sin(x)\n        print(end='')",
            "The body runs print(end='') for a side effect.",
        ),
    ],
)
def test_where_the_text_does_not_tell_there_is_no_sketch(body, reason):
    source = f"""\
import types
state = types.SimpleNamespace(x=0.5)
table = {{f"k{{i}}": i + 1.0 for i in range(30)}}
@jax.jit
def f(x):
    state.x = x
    for i in range(30):
{body}
    return x + state.x
"""
    document, _ = cell_of(source, V)
    (note,) = document.notes
    assert (note.kind, document.frames[note.frame].line, note.code) == ("unrolled_loop", 7, None)
    assert "No code is suggested for this loop." in note.cure.replace("\n", " ")
    assert reason in note.cure.replace("'k", '"k').replace("}'", '}"')


# --- loops without a rewrite or a note -----------------------------------------------------------------------


@pytest.mark.parametrize("iterations", [4, 7, 10])
def test_a_short_loop_is_mentioned_and_not_advised_against(iterations):
    document, _ = cell_of(
        f"@jax.jit\ndef f(x):\n    for _ in range({iterations}):\n        x = jnp.sin(x)\n    return x\n", V
    )
    assert seen(document) == [("short_loop", 3, iterations, "carried")]
    (note,) = document.notes
    assert (note.title, note.cure, note.code, note.price) == (
        f"A for loop of {iterations} iterations was unrolled",
        "Unrolling up to about 10 iterations is fine: it costs little, and the program may run faster.",
        None,
        [],
    )


NOTHING = {
    "straight lines": """
def f(x):
    a = jnp.sin(x); b = jnp.sin(a); c = jnp.sin(b); d = jnp.sin(c)
    return a * b * c * d * x * x * x * x * x * x * x * x * x * x * x * x
""",
    "a helper on many lines": """
def step(x):
    return jnp.tanh(x) * 0.5 + x
def f(x):
    x = step(x)
    x = step(x)
    x = step(x)
    x = step(x)
    x = step(x)
    x = step(x)
    x = step(x)
    x = step(x)
    x = step(x)
    x = step(x)
    x = step(x)
    x = step(x)
    return x
""",
    "a helper many times on one line": """
def s(x):
    return jnp.tanh(x) * 0.5 + x
def f(x):
    return s(s(s(s(s(s(s(s(s(s(s(s(s(s(s(s(x))))))))))))))))
""",
    "shrinking shapes": """
def f(x):
    x = jnp.concatenate([x] * 10)
    for _ in range(20):
        x = x[:-1] * 2
    return x
""",
    "growing shapes": """
def f(x):
    for _ in range(12):
        x = jnp.concatenate([x, x[:1]])
    return x
""",
    "a fori_loop": """
def f(x):
    return lax.fori_loop(0, 100, lambda i, x: jnp.sin(x) * i, x)
""",
    "a scan": """
def f(x):
    return lax.scan(lambda c, y: (c + y, c), 0.0, x)
""",
    "a while_loop": """
def f(x):
    return lax.while_loop(lambda x: x.sum() < 100, lambda x: x * 2 + 1, x)
""",
    "a cond of many branches": """
def f(x):
    return lax.switch(x[0].astype(int), [lambda x, k=k: x * k for k in range(20)], x)
""",
    "a recursion": """
def down(x, n):
    return x if n == 0 else down(jnp.sin(x) * 2, n - 1)
def f(x):
    return down(x, 14)
""",
    "a recursion deeper than the frames that are kept": """
def down(x, n):
    return x if n == 0 else down(jnp.sin(x) * 2, n - 1)
def f(x):
    return down(x, 60)
""",
    "a tree of parameters": """
def f(x):
    params = {f"w{i}": x * 1.5 for i in range(0)} | dict.fromkeys("abcdefghijklmnop", x)
    return jax.tree.map(lambda p: p - 0.1 * p, params)
""",
    "a tree and a function of a library's": """
def f(x):
    return jax.tree.map(jnp.sin, [x] * 20)
""",
    "a stack of many": """
def f(x):
    return jnp.stack([x] * 30)
""",
    "elements of an array": """
def f(x):
    a, b, c, d = x
    return a * b + c * d
""",
    "a loop that computes nothing with JAX": """
def f(x):
    total = 0
    for i in range(100):
        total += i
    return x + total
""",
    "a loop around the call": """
def g(x):
    return jnp.sin(x) * 2
def f(x):
    return g(x)
for _ in range(30):
    jax.jit(f)(jnp.ones(4))
""",
    "a vmap and a gradient": """
def f(x):
    return jax.grad(lambda v: jax.vmap(lambda e: jnp.sin(e) ** 3)(v).sum())(x)
""",
    "a tree in a loop of two iterations": """
def f(x):
    tree = [x] * 12
    for _ in range(2):
        tree = jax.tree.map(lambda leaf: leaf * 0.9 + 1, tree)
    return tree
""",
    "a loop of two iterations around a tree, its count not in the text": """
def f(x, n=2):
    tree = [x] * 12
    for _ in range(n):
        tree = jax.tree.map(lambda leaf: leaf * 0.9 + 1, tree)
    return tree
""",
    "a loop of two iterations, most of it straight, with a tree": """
def f(x, n=2):
    tree = [x] * 12
    for _ in range(n):
        x = jnp.sin(x) + 1
        x = jnp.cos(x) - 2
        x = jnp.tan(x) * 3
        x = jnp.exp(x) / 4
        x = jnp.log(x) ** 2
        x = jnp.sin(x) + 1
        x = jnp.cos(x) - 2
        x = jnp.tan(x) * 3
        x = jnp.exp(x) / 4
        tree = jax.tree.map(lambda leaf: leaf * 0.9, tree)
    return x, tree
""",
}


@pytest.mark.parametrize("source", NOTHING.values(), ids=NOTHING)
def test_no_note_where_no_loop_was_unrolled(source):
    document, _ = cell_of(source, V)
    assert seen(document) == []


def test_a_loop_of_pythons_around_the_jitted_call_is_not_the_programs():
    source = """\
@jax.jit
def f(x):
    return jax.tree.map(lambda leaf: leaf * 0.9 + 1, [x] * 20)

def train(x):
    for _ in range(30):
        y = f.trace(x)
    return y

trace = train(jnp.ones(4))
"""
    space = {"jax": jax, "jnp": jnp}
    exec(compile(source, FILE, "exec"), space)
    cell = Cell(id="c", execution_count=1, file=FILE, source=source)
    observed = ObservedProgram("ran", space["trace"].jaxpr, call=Place(FILE, 7, "train"))
    for definition in (Place(FILE, 2, "f"), None):
        function = ObservedFunction("f", definition, [observed], top_level=True)
        document = build(Observation(functions=[function]), cell, environment=ENVIRONMENT, run_id="run").document
        assert seen(document) == []


# --- the places of the notes ---------------------------------------------------------------------------


def test_a_loop_in_several_programs_is_one_note():
    source = "def f(x):\n    for _ in range(30):\n        x = jnp.sin(x)\n    return x\n"
    space = {"jnp": jnp}
    exec(compile(source, FILE, "exec"), space)
    cell = Cell(id="c", execution_count=1, file=FILE, source=source)
    programs = [ObservedProgram("ran", traced(space["f"], jnp.ones(size)).jaxpr) for size in (3, 4, 5)]
    functions = [ObservedFunction("f", Place(FILE, 1, "f"), programs, top_level=True)]
    document = build(Observation(functions=functions), cell, environment=ENVIRONMENT, run_id="run").document
    assert seen(document) == [("unrolled_loop", 2, 30, "carried")]
    (note,) = document.notes
    assert note.program == -1
    assert note.text.endswith("The loop is in 3 programs of f; the numbers are of the first program.")
    assert note.price[0] == "The times to trace, lower and compile this program were not measured."


def test_a_captured_array_of_several_programs_is_one_note():
    table = jnp.ones((20, 20))

    def reads(x):
        return x + table[0, :4]

    document = build(
        Observation(
            functions=[
                ObservedFunction(name, None, [ObservedProgram("ran", traced(fun, V).jaxpr)], top_level=True)
                for name, fun in (("f", reads), ("g", lambda x: reads(x) * 2))
            ]
        ),
        None,
        environment=ENVIRONMENT,
        run_id="run",
    ).document
    assert [(note.kind, note.program, note.text) for note in document.notes] == [
        (
            "captured_constant",
            -1,
            "An array of 1.6\u00a0kB, f32[20,20], is captured from outside the function and is a constant of the "
            "programs of f and g. Later calls do not see a new value of the array's variable.",
        )
    ]


def test_the_exports_have_the_rewrite_and_the_price():
    case = CASES["layers from the last to the first"]
    document, _ = cell_of(case.source, *case.arguments)
    shown = markdown(document)
    assert "- Line 3: The for loop was unrolled: 24 equations\\. Python ran 12 iterations of this for loop" in shown
    assert textwrap.indent(f"```text\n{case.code}\n```", "  ", lambda line: bool(line.strip())) in shown
    assert "Measured for the whole program: trace 12\u00a0ms" in shown.replace(" ms", "\u00a0ms")
    shown = page(document).replace("\u00a0", " ")
    assert "<strong>Line 3</strong>: <strong>The for loop was unrolled: 24 equations.</strong> Python ran" in shown
    assert f"<pre><code>{case.code}</code></pre>" in shown
    assert "<p>Measured for the whole program: trace" in shown


def test_a_failure_of_ours_on_one_program_hides_no_other(monkeypatch):
    from jupyter_jaxpr.explain.loops.find import LoopFinder

    found = LoopFinder.found
    failed = []

    def fails_once(self, blocks):
        if not failed:
            failed.append(True)
            raise RuntimeError("a mistake of ours")
        return found(self, blocks)

    monkeypatch.setattr(LoopFinder, "found", fails_once)
    source = "def f(x):\n    for _ in range(30):\n        x = jnp.sin(x)\n    return x\n"
    space = {"jnp": jnp}
    exec(compile(source, FILE, "exec"), space)
    cell = Cell(id="c", execution_count=1, file=FILE, source=source)
    programs = [ObservedProgram("ran", traced(space["f"], jnp.ones(size)).jaxpr) for size in (3, 4)]
    functions = [ObservedFunction("f", Place(FILE, 1, "f"), programs, top_level=True)]
    document = build(Observation(functions=functions), cell, environment=ENVIRONMENT, run_id="run").document
    assert [(note.kind, note.program) for note in document.notes] == [("unrolled_loop", 1), ("failed", -1)]
    assert "a mistake of ours" in (document.notes[1].detail or "")


def test_a_cell_with_magics_and_other_letters_is_read():
    source = """\
%%jaxpr
%matplotlib inline
!pwd
@jax.jit
def f(x):
    größe = "ü𝄞"; y = jnp.sin(x) if größe else x
    for _ in range(30): größe = "𝄞"; x = jnp.sin(x) + y
    return x
"""
    code = "\n\n\n" + source.split("\n", 3)[3]
    space = {"jax": jax, "jnp": jnp}
    exec(compile(code, FILE, "exec"), space)
    observed = ObservedProgram("ran", space["f"].trace(V).jaxpr)
    cell = Cell(id="c", execution_count=1, file=FILE, source=source)
    function = ObservedFunction("f", Place(FILE, 5, "f"), [observed], top_level=True)
    document = build(Observation(functions=[function]), cell, environment=ENVIRONMENT, run_id="run").document
    assert seen(document) == [("unrolled_loop", 7, 30, "carried")]
    frame = document.frames[document.notes[0].frame]
    assert (frame.line, frame.column, frame.end_line, frame.end_column) == (7, 4, 7, 56)


def test_a_text_that_is_no_longer_what_ran_is_not_believed():
    source = "def g(x):\n    for _ in range(30):\n        x = jnp.sin(x)\n    return x\nf = g\n"
    space = {"jnp": jnp}
    exec(compile(source, FILE, "exec"), space)
    changed = source.replace("def g", "def h")
    cell = Cell(id="c", execution_count=1, file=FILE, source=changed)
    observed = ObservedProgram("ran", traced(space["f"], V).jaxpr)
    function = ObservedFunction("g", None, [observed], top_level=True)
    document = build(Observation(functions=[function]), cell, environment=ENVIRONMENT, run_id="run").document
    assert seen(document) == []


def test_a_loop_whose_first_turn_has_other_types_counts_it():
    source = "@jax.jit\ndef f(x):\n    y = 0.5\n    for _ in range(30):\n        y = y * 2 + x\n    return y\n"
    document, _ = cell_of(source, V)
    assert seen(document) == [("unrolled_loop", 4, 30, "carried")]


def test_a_carry_that_starts_with_another_shape_is_told_of():
    source = "def f(x):\n    s = 0.0\n    for k in range(12):\n        s = s + x * k\n    return s\n"
    document, _ = cell_of(source, V)
    assert document.notes[0].cure.endswith(
        "The first iteration reads a value of another type than the later iterations. "
        "Convert the carry to its final type before the loop."
    )


KEYS = "jax.random.split(jax.random.key(0), 12)"
MORE = {
    "elements that are set": ("        x = x.at[i].set(jnp.sin(x[i]) * 2)", "range(4, 16)", "x"),
    "keys that are split": (
        "        x = x + jax.random.normal(i, (16,))",
        "jax.random.split(jax.random.key(0), 12)",
        "x",
    ),
    "two names that take iterations": ("        x, y = y, x + y", "range(12)", "x"),
    "a static if": (
        "        if len(y) > 3:\n            x = x * 2 + i\n        else:\n            x = x",
        "range(12)",
        "x",
    ),
    "a loop of JAX's inside": ("        x = lax.fori_loop(0, 3, lambda k, z: z * k + i, x)", "range(12)", "x"),
    "numbers of NumPy's": ("        x = x * i + 1", "np.linspace(0, 1, 12)", "x"),
}


@pytest.mark.parametrize(("body", "over", "result"), MORE.values(), ids=MORE)
def test_other_rewrites_compute_the_same(body, over, result):
    source = f"def f(x, y):\n    for i in {over}:\n{body}\n    return {result}\n"
    arguments = jnp.arange(16.0) / 16, jnp.ones(16)
    document, space = cell_of(source, *arguments)
    shorter, other = cell_of(rewritten(source, document), *arguments)
    assert shorter.programs[0].equations < document.programs[0].equations
    np.testing.assert_allclose(space["f"](*arguments), other["f"](*arguments), rtol=1e-4)


def test_a_function_of_a_file_is_found_through_inspect(tmp_path, monkeypatch):
    from jupyter_jaxpr import inspect

    path = tmp_path / "mine.py"
    path.write_text(
        "import jax.numpy as jnp\n\ndef sines(x):\n    for _ in range(64):\n        x = jnp.sin(x)\n    return x\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import mine

    (note,) = inspect(mine.sines, V).notes
    assert (note.kind, note.line, note.repetitions, note.carried, note.share) == ("unrolled_loop", 4, 64, True, 1.0)
    assert note.code == "x = jax.lax.fori_loop(0, 64, lambda _, x: jnp.sin(x), x)"
    assert "compile" in note.price[0]
