"""Tests sentences on certain kinds of cells, for which earlier versions had vague or false sentences."""

from __future__ import annotations

import pytest
from conftest import Notebook, Ran

from jupyter_jaxpr.observe.calls.sys_monitoring import HAS_MONITORING

pytestmark = pytest.mark.any_jax


def reasons(ran: Ran, name: str) -> list[list[str]]:
    """Return the full reasons of each miss of a function in this run."""
    (function,) = (function for function in ran.document["ledger"]["functions"] if function["name"] == name)
    return [[reason["text"] for reason in miss["reasons"]] for miss in function["misses"] if miss["this_run"]]


def test_an_argument_that_was_none_is_said_to_have_been_none(notebook: Notebook) -> None:
    notebook.run("@jax.jit\ndef blend(v, mask=None):\n    return v if mask is None else v * mask")
    ran = notebook.run("%%jaxpr\nblend(x, None), blend(x, x), blend(x, None)\njax.clear_caches()\nblend(x, None)")
    assert reasons(ran, "blend")[1] == ["The value of mask was None in the earlier call and is not None in this call."]
    notebook.run("@jax.jit\ndef mix(v, mask=None):\n    return v if mask is None else v * mask")
    ran = notebook.run("%%jaxpr\nmix(x[:3], x[:3])\nmix(x[:3], None)")
    assert reasons(ran, "mix")[1] == ["The value of mask was not None in the earlier call and is None in this call."]


def test_an_entry_that_was_cleared_is_gone_also_where_another_call_traced_meanwhile(notebook: Notebook) -> None:
    notebook.run("@jax.jit\ndef twice(v):\n    return v * 2\nfar = jax.device_put(x, jax.devices()[0])")
    notebook.run("%%jaxpr\ntwice(x)")
    notebook.run("jax.clear_caches()")
    ran = notebook.run("%%jaxpr\ntwice(far)\ntwice(x)")  # both calls use the trace that the first call makes
    text = "The cache entry made from line 2 of cell [3] is gone: jax.clear_caches() cleared the caches."
    assert reasons(ran, "twice")[1] == [text]


NAMED = (
    "The cell names the jitted function {name}, and no call of {name} was seen. A call in another thread or by C code "
    "that reuses a program is not seen. "
)
if not HAS_MONITORING:
    NAMED += "On Python 3.11, a call that raises before JAX looks for a cache entry is not seen either. "
NAMED += "To see the program, call {name} in the cell itself, or write %jaxpr {name}(x)."


def test_a_call_that_raised_before_jax_looked_for_an_entry_is_said_to_have_raised(notebook: Notebook) -> None:
    notebook.run(
        "from functools import partial\n@partial(jax.jit, static_argnums=1)\ndef pick(v, at):\n    return v[at]"
    )
    ran = notebook.run("%%jaxpr\ntry:\n    pick(x, [1])\nexcept ValueError:\n    pass")
    if not HAS_MONITORING:  # on Python 3.11, this call is not seen
        assert ran.document["message"] == NAMED.format(name="pick")
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
    assert reasons(ran, "fade")[1] == ["This is another partial of fade: rate changed from 0.5 to 0.25."]


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


def test_a_function_given_to_map_is_not_said_to_be_uncalled(notebook: Notebook) -> None:
    notebook.run("@jax.jit\ndef twice(v):\n    return v * 2\ntwice(1.0)")
    ran = notebook.run("%%jaxpr\nys = list(map(twice, [1.0, 2.0]))")
    if not HAS_MONITORING:  # JAX reports the hits
        assert ran.programs == ["seen_before twice(v: f32[] weak) -> f32[] weak: mul"]
        return
    assert ran.document["message"] == (
        "The cell passes twice to C code such as map(), which may have called twice and reused a program: such calls "
        "are not seen. To see the program, call twice in Python, such as in [twice(x) for x in xs], or write %jaxpr "
        "twice(x)."
    )
    assert ran.document["ledger"]["lead"] == "No call of a jitted function of yours was seen."


def test_a_function_that_another_thread_may_have_called_is_named(notebook: Notebook) -> None:
    notebook.run("import threading\n@jax.jit\ndef twice(v):\n    return v * 2\ntwice(x)")
    ran = notebook.run("%%jaxpr\nt = threading.Thread(target=twice, args=(x,))\nt.start()\nt.join()")
    assert ran.document["message"] == NAMED.format(name="twice")


def test_a_call_that_raised_is_no_call_before_a_jitted_function(notebook: Notebook) -> None:
    notebook.run("@jax.jit\ndef together(v, w):\n    return v + w\ntogether(x, x)")
    ran = notebook.run("%%jaxpr\nw = x[:3] * 2\ntogether(x, w)")
    assert ran.own_programs[0]["origin_note"].endswith(
        "The call of together raised TypeError before JAX ran a program of the call. Correct the cell and run the cell "
        "again."
    )


WHOLE = (
    "JAX compiles no program for the whole of {0}: JAX runs the parts of {0} one by one, and this {1} is one of the "
    "parts."
)


def test_a_solver_that_is_no_program_of_its_own_says_so(notebook: Notebook) -> None:
    notebook.run(
        "def solve(g, v):\n    return lax.fori_loop(0, 3, lambda i, w: w - g(w) / (2 * w), v)\n"
        "def root():\n    return lax.custom_root(lambda v: v ** 2 - 2.0, 1.0, solve, lambda g, y: y / g(1.0))\n"
        "from jax.scipy.sparse.linalg import cg"
    )
    ran = notebook.run("%%jaxpr\ny = root()\nz = root()")
    notes = {program["origin_note"] for program in ran.own_programs if program["origin"] == "ran"}
    assert notes == {WHOLE.format("custom_root", "scan")}
    (loop,) = (record for record in ran.document["ledger"]["functions"] if record["name"] == "scan(<lambda>)")
    assert [(reason["text"], reason["cure"]) for reason in loop["misses"][1]["reasons"]] == [
        (
            "JAX traced and compiled the scan again: <lambda> is a new function object in each call of custom_root.",
            "Call custom_root within a function under jax.jit: JAX compiles that function once.",
        )
    ]
    notebook.run("%%jaxpr\ny, _ = cg(lambda v: 2 * v, x)")
    ran = notebook.run("%%jaxpr\ny, _ = cg(lambda v: 2 * v, x)")
    assert [program["origin_note"] for program in ran.own_programs] == [WHOLE.format("cg", "while")]
    assert reasons(ran, "while(body_fun)") == [
        ["JAX traced and compiled the while again: body_fun is a new function object in each call of cg."]
    ]


def test_a_recording_names_what_is_no_program_of_its_own(notebook: Notebook) -> None:
    for call, name in (
        ("lax.associative_scan(jnp.add, x)", "associative_scan"),
        ("lax.custom_linear_solve(lambda v: 2 * v, x, lambda mv, b: b / 2)", "custom_linear_solve"),
    ):
        (program,) = notebook.run(f"%%jaxpr\ny = {call}").own_programs
        note = (
            f"JAX compiles no program for the whole of {name} outside of jit: each operation of {name} is a program of "
            "its own."
        )
        assert note in (program["origin_note"] or "") or program["origin"] == "traced"


def test_programs_that_differ_by_a_static_field_name_the_field(notebook: Notebook) -> None:
    notebook.run(
        "from dataclasses import dataclass\nfrom functools import partial\n"
        "@partial(jax.tree_util.register_dataclass, data_fields=['w'], meta_fields=['act'])\n@dataclass\n"
        "class Net:\n    w: jax.Array\n    act: str\n"
        "@jax.jit\ndef forward(net, v):\n    return getattr(jnp, net.act)(net.w * v)"
    )
    ran = notebook.run("%%jaxpr\nforward(Net(x, 'sin'), x)\nforward(Net(x, 'cos'), x)\nforward(Net(x[:1], 'cos'), x)")
    assert ran.programs == [
        "ran forward(net: Net(w: f32[8], act='sin'), v: f32[8]) -> f32[8]: mul sin",
        "ran forward(net: Net(w: f32[8], act='cos'), v: f32[8]) -> f32[8]: mul cos",
        "ran forward(net: Net(w: f32[1]), v: f32[8]) -> f32[8]: mul cos",
    ]
    assert [program["arguments"][0]["summary"] for program in ran.own_programs] == [
        "Net(w: f32[8]), act='sin'",
        "Net(w: f32[8]), act='cos'",
        "Net(w: f32[1])",
    ]
