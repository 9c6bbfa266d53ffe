"""Tests that short loops get a short note, and that code without an unrolled loop gets none."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest
from observed import ENVIRONMENT
from unrolled_cells import FILE, V, cell_of, seen

from jupyter_jaxpr.build.document_of_run import build
from jupyter_jaxpr.document.types.document import Cell
from jupyter_jaxpr.observe.observation import Observation, ObservedFunction, ObservedProgram, Place

pytestmark = pytest.mark.any_jax


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
