"""Tests the texts for kinds of cells whose texts were once vague or false."""

from __future__ import annotations

import pytest
from conftest import Notebook, Ran

from jupyter_jaxpr.observe.calls.monitoring import HAS_MONITORING


def reasons(ran: Ran, name: str) -> list[list[str]]:
    """Return the full reasons of each miss of a function in this run."""
    (function,) = (function for function in ran.document["ledger"]["functions"] if function["name"] == name)
    return [[reason["text"] for reason in miss["reasons"]] for miss in function["misses"] if miss["this_run"]]


def test_an_argument_that_was_none_is_said_to_have_been_none(notebook: Notebook) -> None:
    notebook.run("@jax.jit\ndef blend(v, mask=None):\n    return v if mask is None else v * mask")
    ran = notebook.run("%%jaxpr\nblend(x, None), blend(x, x), blend(x, None)\njax.clear_caches()\nblend(x, None)")
    assert reasons(ran, "blend")[1] == ["mask was None in the earlier call and has a value in this call"]
    ran = notebook.run("%%jaxpr\nblend.clear_cache()\nblend(x[:3], x[:3])\nblend(x[:3], None)")
    assert reasons(ran, "blend")[1] == ["mask had a value in the earlier call and is None in this call"]


def test_an_entry_that_was_cleared_is_gone_also_where_another_call_traced_meanwhile(notebook: Notebook) -> None:
    notebook.run("@jax.jit\ndef twice(v):\n    return v * 2\nfar = jax.device_put(x, jax.devices()[0])")
    notebook.run("%%jaxpr\ntwice(x)")
    notebook.run("jax.clear_caches()")
    ran = notebook.run("%%jaxpr\ntwice(far)\ntwice(x)")  # the first call makes the trace of both
    gone = "the cache entry made from line 2 of cell [3] is gone: the caches were cleared, or JAX evicted the entry"
    assert reasons(ran, "twice")[1] == [gone]


def test_a_call_that_raised_before_jax_looked_for_an_entry_is_said_to_have_raised(notebook: Notebook) -> None:
    notebook.run(
        "from functools import partial\n@partial(jax.jit, static_argnums=1)\ndef pick(v, at):\n    return v[at]"
    )
    ran = notebook.run("%%jaxpr\ntry:\n    pick(x, [1])\nexcept ValueError:\n    pass")
    if not HAS_MONITORING:  # the counter does not see the call
        assert ran.document["message"].startswith("The cell ran no program that JAX compiled.")
        return
    assert ran.document["message"] == (
        "The call of pick raised an error, and the cell caught the error, so no program is known. Remove the code that "
        "catches the error, and run the cell again to see the error."
    )


OFF = (
    "Where jax.disable_jit or the setting jax_disable_jit turns jit off, JAX runs a jitted function operation by "
    "operation, as plain Python. To see the program of the function, call the function with jit on."
)


def test_a_cell_that_turns_jit_off_is_not_said_to_call_no_jitted_function(notebook: Notebook) -> None:
    notebook.run("@jax.jit\ndef twice(v):\n    return v * 2")
    ran = notebook.run("%%jaxpr\nwith jax.disable_jit():\n    y = twice(x)")
    (program,) = ran.own_programs
    assert (program["name"], program["origin"]) == ("cell [3]", "recorded")
    assert program["origin_note"].endswith(OFF)


def test_a_function_that_a_library_jits_is_not_recorded_beside_its_program(notebook: Notebook) -> None:
    pytest.importorskip("equinox")
    notebook.run(
        "import equinox as eqx\nclass Scale(eqx.Module):\n    by: jax.Array\n    def __call__(self, v):\n"
        "        return v * self.by\nscale = Scale(jnp.float32(2))\n@eqx.filter_jit\n@eqx.filter_grad\n"
        "def slope(model, v):\n    return model(v).sum()"
    )
    for _ in range(2):
        ran = notebook.run("%%jaxpr\nslope(scale, x)")
        assert [program["name"] for program in ran.own_programs] == ["slope"]
        assert "not_recorded" not in ran.notes


def test_a_partial_says_the_name_of_what_it_binds(notebook: Notebook) -> None:
    notebook.run("from functools import partial\ndef fade(rate, v, *more):\n    return v * rate")
    ran = notebook.run("%%jaxpr\nfor rate in (0.5, 0.25):\n    jax.jit(partial(fade, rate))(x)")
    assert reasons(ran, "fade")[1] == ["another partial of fade: rate changed from 0.5 to 0.25"]


def test_a_jitted_method_is_not_said_to_run_code_of_its_class(notebook: Notebook) -> None:
    notebook.run(
        "from functools import partial\nclass Shift:\n    def __init__(self, by):\n        self.by = by\n"
        "    @partial(jax.jit, static_argnums=0)\n    def __call__(self, v):\n        return v + self.by\n"
        "    @partial(jax.jit, static_argnums=0)\n    def back(self, v):\n        return v - self.by\n"
        "shift = Shift(2)\ndef both(v):\n    return lax.neg(shift.back(v))"
    )
    for _ in range(2):
        ran = notebook.run("%%jaxpr\nshift.back(x)")
        assert [program["name"] for program in ran.own_programs] == ["back"]
        assert "not_recorded" not in ran.notes
    ran = notebook.run("%%jaxpr --no-trace\ny = both(x)")
    recorded = [program for program in ran.own_programs if program["origin"] == "recorded"]
    assert [program["name"] for program in recorded] == ["both"]
    assert "would run code of your class" not in recorded[0]["origin_note"]
