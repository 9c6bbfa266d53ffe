"""Tests recorded calls with NumPy arrays: each array is one operand, unless the call changes it."""

from __future__ import annotations

import pytest
from conftest import Notebook, Ran
from dispatch_recordings import RAN, program, recorded


def inputs(ran: Ran) -> int:
    """Return the number of inputs of the only recording: first other arrays, then the arguments."""
    number: int = ran.document["scopes"][program(ran)["scope"]]["inputs"]
    return number


def run(notebook: Notebook, body: str, call: str = "h(np.ones(8))") -> Ran:
    notebook.run(f"import numpy as np\ndef h(v, w=0):\n    {body}")
    return notebook.run(f"%%jaxpr --no-trace\ny = [{call}]")


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool"])
@pytest.mark.parametrize(
    "conversion",
    [
        "v",
        "jnp.asarray(v)",
        "jnp.array(v)",
        "jax.device_put(v)",
        "jax.device_put(v, jax.devices()[0])",
        "jax.device_put({'a': v, 'b': (w, 3.0)})['a']",
        "jnp.asarray(jax.device_put(jnp.asarray(v)))",
    ],
)
def test_an_array_of_numpy_is_the_operand_that_jax_made_of_it(notebook: Notebook, dtype: str, conversion: str) -> None:
    call = f"h(np.ones(8, np.{dtype}), np.zeros(3))"
    assert inputs(run(notebook, f"return lax.eq({conversion}, {conversion})", call)) == 2


def test_an_array_of_jax_that_is_put_on_a_device_is_the_same_operand(notebook: Notebook) -> None:
    ran = run(notebook, "return lax.neg(jax.device_put(v, jax.devices()[0]))", "h(x)")
    expected = """
{ lambda ; a:f32[8]. let
  b:f32[8] = neg a
in (b,) }
"""
    assert recorded(ran) == expected


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_array_of_numpy_that_changes_is_another_operand(notebook: Notebook, dtype: str) -> None:
    ran = run(notebook, "a = lax.sin(v)\n    v[0] = 7\n    return a, lax.cos(v)", f"h(np.ones(8, np.{dtype}))")
    expected = """
{ lambda ; a:f32[8] b:f32[8]. let
  c:f32[8] = sin b
  d:f32[8] = cos a
in (c, d) }
"""
    assert recorded(ran) == expected


def test_an_argument_that_changes_before_its_first_use_is_no_operand(notebook: Notebook) -> None:
    ran = run(notebook, "v[0] = 7\n    return lax.sin(v), lax.cos(v)")
    expected = """
{ lambda ; a:f32[8] b:f32[8]. let
  c:f32[8] = sin a
  d:f32[8] = cos a
in (c, d) }
"""
    assert recorded(ran) == expected


def test_arrays_with_the_same_numbers_are_not_taken_for_each_other(notebook: Notebook) -> None:
    ran = run(notebook, "return lax.sub(v, w), lax.sub(w, v)", "h(np.ones(8, np.float32), np.ones(8, np.float32))")
    expected = """
{ lambda ; a:f32[8] b:f32[8]. let
  c:f32[8] = sub a b
  d:f32[8] = sub b a
in (c, d) }
"""
    assert recorded(ran) == expected
    ran = run(notebook, "return lax.sub(v, w)", "h(np.ones(8), np.ones(8))")
    assert inputs(ran) == 4  # JAX converted each array to float32, and two equal arrays cannot be told apart


def test_an_array_in_a_container(notebook: Notebook) -> None:
    ran = run(notebook, "return lax.sin(v['a'][0]), lax.cos(v['a'][0])", "h({'a': [np.ones(8)]})")
    assert inputs(ran) == 1


def test_an_array_that_no_equation_uses_is_no_input(notebook: Notebook) -> None:
    ran = run(notebook, "jax.device_put(table)\n    return lax.neg(v)", "h(x)")
    notebook.run("table = np.ones(3)")
    ran = notebook.run("%%jaxpr --no-trace\ny = [h(x)]")
    assert inputs(ran) == 1


def test_a_large_array_that_is_used_twice_is_said_to_be_unread(notebook: Notebook) -> None:
    ran = run(notebook, "return lax.sin(v), lax.cos(v)", "h(np.ones(65_537, np.float32))")
    assert inputs(ran) == 1
    assert program(ran)["origin_note"] == RAN.format(call="h(np.ones(65_537, np.float32))", ran="2 dispatches") + (
        " Your code gave JAX 1 NumPy array of more than 256 KiB more than once. The recording shows such an array as "
        "one input, also where your code changed the array in between."
    )
    single = run(notebook, "return v, lax.sin(v)", "h(np.ones(65_537, np.float32))")
    assert program(single)["origin_note"] == RAN.format(call="h(np.ones(65_537, np.float32))", ran="1 dispatch")


def test_the_arrays_of_numpy_are_not_held(notebook: Notebook) -> None:
    notebook.run("import weakref\ngone = []")
    run(notebook, "gone.append(weakref.ref(made := np.ones(8)))\n    return lax.sin(made)", "h(x)")
    assert notebook["gone"][0]() is None
