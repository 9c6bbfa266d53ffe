"""Tests `%%jaxpr --steps`: the document has the steps of the last call."""

from __future__ import annotations

import gc
import weakref

import jax
import pytest
from conftest import Notebook

pytestmark = pytest.mark.any_jax

SCAN = "@jax.jit\ndef f(x, xs):\n    return jax.lax.scan(step, x, xs)\ndef step(h, t):\n    return h * t, h\n"
GIVES_AWAY = (
    "import functools\n@functools.partial(jax.jit, donate_argnums=0)\n"
    "def f(x):\n    return jax.lax.fori_loop(0, 2, lambda i, h: h * 2, x)\n"
)


def carries(ran):
    """Return, for each recording, the texts of its last carry leaf."""
    return [
        [leaf["texts"] for leaf in recording["leaves"] if leaf["role"] == "carry"][-1]
        for recording in ran.document.get("recordings", [])
    ]


def test_the_steps_are_recorded_with_the_cell(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr --steps\n" + SCAN + "y = f(2.0, jnp.arange(1.0, 4.0))")
    assert carries(ran) == [["2.0", "2.0", "4.0", "12.0"]]
    (recording,) = ran.document["recordings"]
    assert recording["verdict"] == "The recorded results equal the original function's results, bit for bit."
    assert (recording["control"], recording["notes"]) == (0, [])


def test_they_are_those_of_the_last_call_which_hit(notebook: Notebook) -> None:
    notebook.run("%%jaxpr\n" + SCAN + "f(1.0, jnp.arange(3.0))")
    ran = notebook.run(
        "%%jaxpr --steps\nfor i in range(4):\n    f(float(i), jnp.arange(1.0, 3.0) + i)\n    y = jnp.ones(3) + i"
    )
    assert carries(ran) == [["3.0", "12.0", "60.0"]]
    assert ran.document["recordings"][0]["notes"] == []


def test_a_call_from_c_code_is_the_last_one_too(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr --steps\n" + SCAN + "y = list(map(f, [1.0, 5.0], [jnp.ones(1), jnp.ones(1)]))")
    assert carries(ran) == [["5.0", "5.0"]]


def test_arguments_that_are_given_away_are_copied_first(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr --steps\n" + GIVES_AWAY + "y = f(jnp.ones(2))")
    assert carries(ran) == [["[1.0 1.0]", "[2.0 2.0]", "[4.0 4.0]"]]
    assert ran.document["recordings"][0]["notes"] == []


def test_of_later_calls_that_give_their_arguments_away_the_first_one_is_told(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr --steps\n" + GIVES_AWAY + "y = f(jnp.ones(2))\ny = f(y)")
    assert carries(ran) == [["[1.0 1.0]", "[2.0 2.0]", "[4.0 4.0]"]]
    assert ran.document["recordings"][0]["notes"] == [
        "The steps use the values of the call that compiled, because later calls donated their arguments."
    ]


def test_a_plain_function_and_a_target(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr --steps\ndef g(x):\n    return jax.lax.fori_loop(0, 2, lambda i, h: h * 2, x)\ng(x)")
    (carry,) = carries(ran)
    assert len(carry) == 3
    ran = notebook.run("%jaxpr g(jnp.ones(1)) --steps")
    assert carries(ran) == [["[1.0]", "[2.0]", "[4.0]"]]


def test_effects_are_left_to_the_panel(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --steps\nseen = []\n@jax.jit\ndef g(x):\n"
        "    def body(i, h):\n        jax.debug.callback(seen.append, i)\n        return h * 2\n"
        "    return jax.lax.fori_loop(0, 2, body, x)\ng(1.0).block_until_ready()\njax.effects_barrier()"
    )
    assert [int(step) for step in notebook["seen"]] == [0, 1]
    assert "recordings" not in ran.document
    assert [(note["kind"], note["text"], note["cure"]) for note in ran.document["notes"]] == [
        (
            "steps",
            "The steps of fori_loop body were not recorded.",
            "The program has effects, and the stepper would repeat the effects. Press “Record the steps” on the card "
            "of the construct: the panel asks you before the effects happen again.",
        )
    ]


def test_nothing_runs_a_second_time_without_it(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\nseen = []\n@jax.jit\ndef g(x):\n    jax.debug.callback(seen.append, x)\n    return step(x)\n"
        "def step(x):\n    return jax.lax.fori_loop(0, 2, lambda i, h: h * 2, x)\ng(1.0)\njax.effects_barrier()"
    )
    assert len(notebook["seen"]) == 1
    assert "recordings" not in ran.document


@pytest.mark.parametrize("options", ["", " --steps"])
def test_no_array_is_kept_alive_after_the_cell(notebook: Notebook, options: str) -> None:
    notebook.run("%%jaxpr" + options + "\n" + SCAN + "big = jnp.arange(1.0, 4.0)\ny = f(2.0, big)\ny = f(3.0, big)")
    array = weakref.ref(notebook["big"])
    notebook.run("del big, y")
    gc.collect()
    assert array() is None


def test_jax_calls_no_hook_of_ours_after_the_cell(notebook: Notebook) -> None:
    notebook.run("%%jaxpr --steps\n" + SCAN + "y = f(2.0, jnp.arange(3.0))\n1 / 0")
    notebook.run("jax.config.update('jax_debug_nans', True)")
    try:
        ran = notebook.run("%%jaxpr --steps\nf(jnp.nan, jnp.ones(2))")
        # JAX's own check for NaN still works, although the stepper uses the same hook of JAX.
        assert isinstance(ran.result.error_in_exec, FloatingPointError)
    finally:
        jax.config.update("jax_debug_nans", False)


def test_jax_s_hook_is_as_it_was_where_a_thread_has_a_check_for_nan_of_its_own(notebook: Notebook) -> None:
    from jax._src import api, config  # noqa: TID251  # what must be as it was

    place = api._post_hook_state
    notebook.run(SCAN + "f(jnp.nan, jnp.ones(2))\nwith jax.debug_nans(True):\n    pass")
    # after the block, JAX has no hook in this place, so it does not check hits for NaN
    assert place.get_local() is None
    try:
        for cell in ("jax.config.update('jax_debug_nans', True)", "f(jnp.nan, jnp.ones(2))", "f(jnp.nan, jnp.ones(2))"):
            ran = notebook.run("%%jaxpr --steps\n" + cell)
            assert ran.result.success
            assert place.get_local() is None
    finally:
        jax.config.update("jax_debug_nans", False)
        place.set_local(config.config_ext.unset)


def test_what_does_not_go_together_is_a_usage_error(notebook: Notebook) -> None:
    assert str(notebook.run("%jaxpr f(f32[3]) --steps").result.error_in_exec) == (
        "--steps calls the function and needs values, but the arguments of 'f(f32[3])' are types. Write arrays, such "
        "as f(jnp.ones(8))."
    )
    assert str(notebook.run("%%jaxpr --compare f,g --steps\n1").result.error_in_exec) == (
        "--compare and --steps exclude each other: --steps records one program. Leave out one of the two options."
    )
