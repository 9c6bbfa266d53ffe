"""Tests the rewrites of Python loops that tracing unrolls: the rewritten code computes the same."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from unrolled_cells import CASES, FILE, Case, V, cell_of, rewritten, seen

from jupyter_jaxpr.observe import advice_without_magics
from jupyter_jaxpr.observe.observation import Place

pytestmark = pytest.mark.any_jax


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_loop_is_found_and_its_rewrite_computes_the_same(case: Case) -> None:
    document, space = cell_of(case.source, *case.arguments)

    carried = "carried" if case.carried else "independent"
    assert seen(document) == [("unrolled_loop", case.line, case.iterations, carried)]
    assert document.notes[0].code == case.code

    shorter, rewritten_space = cell_of(rewritten(case.source, document), *case.arguments)
    assert seen(shorter) == []
    assert shorter.programs[0].equations < document.programs[0].equations
    for result, two in zip(
        jax.tree.leaves(space["f"](*case.arguments)),
        jax.tree.leaves(rewritten_space["f"](*case.arguments)),
        strict=True,
    ):
        np.testing.assert_allclose(result, two, rtol=2e-5, atol=1e-6)


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


def test_a_host_without_magics_is_offered_no_cell_with_a_magic(monkeypatch):
    monkeypatch.setattr(advice_without_magics, "has_magics", lambda: False)
    document, _ = cell_of(CALLED, V, 12, call=Place(FILE, 10))
    assert [note.trial for note in document.notes] == [None]


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
    shorter, rewritten_space = cell_of(f"@jax.jit\ndef f(x):\n    return {code}\n", V)
    assert seen(shorter) == []
    np.testing.assert_allclose(space["f"](V), rewritten_space["f"](V), rtol=1e-5)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("        x = jnp.sin(x) if i % 2 else jnp.cos(x)", "Python evaluates the condition i % 2 at each iteration."),
        (
            "        x = x + x[i % 3 : i % 3 + 1]",
            "depends on the loop counter, which JAX does not know while it traces. Use jax.lax.dynamic_slice.",
        ),
        (
            "        x = x * np.sqrt(i + 1.0)",
            "np.sqrt(i + 1.0) needs a Python number, but the counter of a loop of JAX is a traced value.",
        ),
        ('        x = x * table[f"k{i}"]', 'table[f"k{i}"] is an element of a Python container.'),
        (
            "        state.x = jnp.sin(state.x) + x",
            "The body assigns to state.x. In a loop of JAX, this assignment would happen only once, during the trace: "
            "make the value a part of the carry.",
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
    shorter, rewritten_space = cell_of(rewritten(source, document), *arguments)
    assert shorter.programs[0].equations < document.programs[0].equations
    np.testing.assert_allclose(space["f"](*arguments), rewritten_space["f"](*arguments), rtol=1e-4)
