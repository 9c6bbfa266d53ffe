"""Tests the number of iterations in notes on unrolled loops, and loops for which no price is stated."""

from __future__ import annotations

import pytest
from observed import in_cell

from jupyter_jaxpr.explain.loops import sentences_on_loops
from jupyter_jaxpr.observe.observation import StageTimes

pytestmark = pytest.mark.any_jax

X = "jnp.float32(2)"
IMPORTS = "import functools, itertools\nfrom functools import reduce\n"


def note_of(body, setup=""):
    """Return the only note on a loop in a function with this body."""
    lines = "".join(f"    {line}\n" for line in body.strip().split("\n"))
    document = in_cell(f"{IMPORTS}{setup}@jax.jit\ndef f(x):\n{lines}", f"f({X})")[0].document
    [note] = [note for note in document.notes if note.kind in ("unrolled_loop", "short_loop")]
    return note


def seen(body, setup=""):
    """Return the number of iterations in the note's words, without the rest of the sentence."""
    return note_of(body, setup).text.partition(" The iterations account for ")[0]


REPEATS = "The same equations repeat {} times: some iterations added other equations to the program, or no equations."


@pytest.mark.parametrize(
    ("body", "repeated"),
    [
        ("for i in range(24):\n    if i % 2:\n        continue\n    x = jnp.sin(x) + i\nreturn x", 12),
        ("for i in range(24):\n    if i % 3 == 0:\n        x = jnp.sin(x) + i\nreturn x", 8),
        ("for i in range(24):\n    x = jnp.sin(x) + i if i % 2 else jnp.cos(x)\nreturn x", 12),
        ("for i in range(24):\n    x = step(i, x)\nreturn x", 12),
        ("return functools.reduce(lambda c, i: jnp.sin(c) + i if i % 2 else c, range(24), x)", 12),
    ],
    ids=["continue", "if", "either", "a function that skips", "reduce"],
)
def test_iterations_that_left_nothing_ran_all_the_same(body, repeated):
    skipping = "def step(i, x):\n    return jnp.sin(x) + i if i % 2 else x\n"
    word = "call of reduce" if "reduce" in body else "for loop"
    expected = f"Python ran 24 iterations of this {word} while JAX traced. {REPEATS.format(repeated)}"
    assert seen(body, skipping) == expected
    assert note_of(body, skipping).repetitions == 24


def test_an_if_of_a_comprehension_skips_elements_of_its_range():
    expected = f"Python ran 24 iterations of this comprehension while JAX traced. {REPEATS.format(12)}"
    assert seen("return sum([jnp.sin(x + i) for i in range(24) if i % 2])") == expected


@pytest.mark.parametrize(
    ("body", "word", "least"),
    [
        ("for i in filter(lambda i: i % 3, range(24)):\n    x = jnp.sin(x) + i\nreturn x", "for loop", 16),
        ("for i in [i for i in range(24) if i % 2]:\n    x = jnp.sin(x) + i\nreturn x", "for loop", 12),
        ("for i in range(100):\n    if i == 20:\n        break\n    x = jnp.sin(x) + i\nreturn x", "for loop", 20),
        (
            "i = 0\nwhile i < 24:\n    i += 1\n    if i % 2:\n        continue\n    x = jnp.sin(x)\nreturn x",
            "while loop",
            12,
        ),
        ("for i in numbers:\n    x = step(i, x)\nreturn x", "for loop", 12),
    ],
    ids=["filter", "filtered list", "break", "while", "a function that may skip"],
)
def test_a_number_that_only_the_equations_tell_is_at_least_so_much(body, word, least):
    setup = "numbers = list(range(12))\ndef step(i, x):\n    return jnp.sin(x) + i\n"
    assert seen(body, setup) == f"Python ran at least {least} iterations of this {word} while JAX traced."


def test_where_nothing_decides_each_iteration_left_equations():
    body = "for i in numbers:\n    x = jnp.sin(x) + i\nreturn x"
    assert seen(body, "numbers = list(range(12))\n") == "Python ran 12 iterations of this for loop while JAX traced."
    assert note_of("for i in range(5):\n    x = jnp.sin(x) + i\nreturn x").title == (
        "A for loop of 5 iterations was unrolled"
    )
    short = note_of("for i in numbers:\n    x = jnp.sin(x) + i if i >= 0 else x\nreturn x", "numbers = range(5)\n")
    assert short.title == "A for loop of at least 5 iterations was unrolled"


def test_an_iteration_of_other_equations_makes_the_number_a_lower_bound():
    body = "u = x * jnp.arange(24.0)\nreturn jnp.stack([(u[i + 1] - u[i]) / 2 for i in range(u.shape[0])])"
    assert seen(body) == "Python ran at least 23 iterations of this comprehension while JAX traced."
    body = "u = x * jnp.arange(24.0)\nreturn jnp.stack([(u[i + 1] - u[i]) / jnp.int32(2) for i in range(u.shape[0])])"
    assert seen(body) == "Python ran at least 23 iterations of this comprehension while JAX traced."
    body = "x = 0 * jnp.int32(x)\nfor i in numbers:\n    x = jnp.sin(x) + i\nreturn x"
    assert seen(body, "numbers = list(range(12))\n") == "Python ran 12 iterations of this for loop while JAX traced."
    body = "x = jnp.int32(x)\nfor i in numbers:\n    x = x * 2 + i\n    x = x * 0.5\nreturn x"
    assert seen(body, "numbers = list(range(12))\n") == (
        "Python ran at least 11 iterations of this for loop while JAX traced."
    )


@pytest.mark.parametrize(
    ("body", "called", "cure"),
    [
        ("return functools.reduce(lambda c, i: jnp.sin(c) + i, range(24), x)", "reduce", "scan"),
        ("return reduce(lambda c, i: jnp.sin(c) + i, [x] * 25)", "reduce", "scan"),
        (
            "return list(itertools.accumulate(range(24), lambda c, i: jnp.sin(c) + i, initial=x))[-1]",
            "accumulate",
            "scan",
        ),
        ("return sum(map(lambda i: jnp.sin(x + i), range(24)))", "map", "vmap"),
        ("return jnp.stack(list(map(lambda i: jnp.sin(x + i), range(24))))", "map", "vmap"),
    ],
)
def test_a_call_that_applies_a_function_to_each_element_is_a_loop(body, called, cure):
    note = note_of(body)
    assert note.text.startswith(
        f"Python ran {'at least ' if '[x]' in body else ''}24 iterations of this call of {called}"
    )
    assert note.title.startswith(f"The call of {called} was unrolled into ")
    assert f"jax{'.lax' if cure == 'scan' else ''}.{cure}." in note.cure
    assert (note.carried, note.code, note.trial) == (cure == "scan", None, None)


def test_functions_of_jax_with_those_names_are_no_loops_of_python():
    cell = f"{IMPORTS}@jax.jit\ndef f(x):\n    return jax.tree.map(lambda y: jnp.sin(y) + 1, [x] * 24)\n"
    assert [note.kind for note in in_cell(cell, f"f({X})")[0].document.notes] == []


def test_the_price_of_an_iteration_is_not_told_from_the_times_of_the_program():
    # Most of a small program's time is not spent on the loop, so the note does not divide the time by the iterations.
    stages = StageTimes(trace=0.012, lower=0.008, compile=0.48)
    assert sentences_on_loops.price(stages)[:2] == [
        "The times of the stages of the whole program were measured: trace 12\xa0ms, lower 8.0\xa0ms, compile "
        "480\xa0ms.",
        "A part of these times is the same for a program of any size. The price of one iteration was not measured.",
    ]
