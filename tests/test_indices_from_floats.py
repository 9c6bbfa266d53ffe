"""Tests indices that a program computes from floats: a note says only what is certain in each program of XLA."""

import random
import re

import pytest

pytestmark = pytest.mark.any_jax

BINS = (
    "With the recorded values of a call, jnp.zeros(10).at[i].add(1.0) is out of bounds: the indices include {}, and "
    "axis 0 of the array has the size 10. JAX raises no error. The program leaves out this update of the array."
)


@pytest.mark.parametrize(
    ("index", "last", "outside"),
    [
        ("(v * 10).astype(int)", 1.0, 10),
        ("jnp.floor(v * 10).astype(jnp.int32)", 1.0, 10),
        ("((v - 0.0) / (1.0 - 0.0) * 10).astype(int)", 1.0, 10),
        ("jnp.floor((v + 1.0) * 0.25 * 21).astype(int)", 2.25, 17),
        ("(v * 0.3 + 0.5).astype(int)", 33.0, 10),
        ("(v * 10).astype(int)", 0.99, None),
        ("jnp.clip((v * 10).astype(int), 0, 9)", 1.0, None),
        ("jnp.minimum(v * 10, 9.0).astype(int)", 1.0, None),
        # XLA may multiply by the product of the two factors: the index is 9 or 10
        ("(v * 0.1 * 100.1001).astype(int)", 0.999, None),
    ],
)
def test_bins_of_values(notebook, index, last, outside):
    ran = notebook.run(
        f"%%jaxpr\n@jax.jit\ndef bins(v):\n    i = {index}\n    return jnp.zeros(10).at[i].add(1.0)\n"
        f"counts = bins(jnp.array([0.05, 0.31, {last}]))"
    )
    texts = [note["text"] for note in ran.document["notes"] if note["kind"] == "out_of_bounds"]
    assert texts == ([] if outside is None else [BINS.format(outside)])


def _expression(choice, depth):
    if not depth:
        return choice.choice("vw")
    numbers = ["0.1", "0.3", "0.05", "10.0", "7.0", "1.1"]
    left = _expression(choice, depth - 1)
    right = choice.choice([_expression(choice, depth - 1), *numbers])
    operations = ["({} + {})", "({} - {})", "({} * {})", "({} / {})", "jnp.maximum({}, {})"]
    return choice.choice(operations).format(left, right)


@pytest.mark.parametrize("seed", range(4))
def test_an_index_in_a_note_is_an_index_that_jax_computes(notebook, seed):
    choice = random.Random(seed)
    expressions = [_expression(choice, choice.randint(1, 3)) for _ in range(16)]
    values = [choice.randint(1, 40) / choice.choice([10, 8, 20, 3]) for _ in range(8)]
    lines = "".join(f"        x[({expression}).astype(int)],\n" for expression in expressions)
    indices = "".join(f"        jnp.ravel(({expression}).astype(int)),\n" for expression in expressions)
    notebook.run(f"x = jnp.ones(3); v = jnp.array({values}); w = jnp.array({values[::-1]})")
    ran = notebook.run(f"%%jaxpr\n@jax.jit\ndef f(v, w):\n    return (\n{lines}    )\nr = f(v, w)")
    computed = notebook.run(f"def f(v, w):\n    return (\n{indices}    )\njax.jit(f)(v, w)").result.result
    notes = {ran.line_of(note) - 5: note["text"] for note in ran.document["notes"] if note["kind"] == "out_of_bounds"}
    assert len(notes) >= 4
    for place, text in notes.items():
        told = text.split(" is out of bounds: ")[1].split(", and axis")[0].split(" and ", 1 if " more" in text else -1)
        assert set(re.findall(r"-?\d+", told[0])) <= set(map(str, computed[place].tolist()))
