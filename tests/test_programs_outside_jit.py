"""Tests programs without a call of a jitted function: constructs outside of jit, and traces ahead of calls."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from conftest import Notebook, Ran

from jupyter_jaxpr.magic.cells_without_program import WHAT_TO_TYPE

STEP = "def step(carry, x):\n    return carry + x, carry * 2\n"


def activity(ran: Ran, number: int = 0) -> tuple[int, int, int]:
    """Return the numbers of calls, misses and compiles of the function of a program."""
    counts = ran.document["programs"][number]["activity"]
    assert counts["calls_exact"]
    return counts["calls"], counts["misses"], counts["compiles"]


def hows(ran: Ran) -> list[str | None]:
    return [program["how"] for program in ran.own_programs]


def reasons(ran: Ran, name: str) -> list[tuple[str, str]]:
    """Return the kind and the cure of the first reason of each miss of a function in this run."""
    functions = ran.document["ledger"]["functions"]
    (function,) = (function for function in functions if function["name"] == name and function["run"]["misses"])
    return [(miss["reasons"][0]["kind"], miss["reasons"][0]["cure"]) for miss in function["misses"] if miss["this_run"]]


# --- constructs ---


def test_a_scan_outside_of_jit_is_the_program_that_ran(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\n" + STEP + "total, history = lax.scan(step, 0.0, x)")
    assert ran.programs == ["ran scan(step)(carry: f32[] weak, xs: f32[8]) -> [f32[], f32[8] weak]: scan"]
    assert hows(ran) == ["ran as an eager scan"]
    assert activity(ran) == (1, 1, 1)
    (card,) = ran.document["control_flow"]
    assert (card["kind"], card["title"], card["trips"]) == ("scan", "step", 8)
    assert ran.document["frames"][card["frame"]][2] == 4
    assert [(slot["role"], slot["path"]) for slot in card["slots"]] == [
        ("carry", "carry"),
        ("xs", "xs"),
        ("ys", "history"),
    ]
    assert [level["state"] for level in ran.document["programs"][0]["levels"]] == ["held", "held"]
    assert notebook["total"] == 28.0


SOLVERS = """\
def root(v):
    def solve(g, start):
        return lax.fori_loop(0, 20, lambda i, u: u - g(u) / (2 * u), start)
    return lax.custom_root(lambda u: u * u - v, 1.0, solve, lambda g, y: y / g(1.0))
def linear(v):
    def solve(matvec, b):
        return lax.while_loop(lambda u: u.sum() < 9.0, lambda u: u + b, v)
    return lax.custom_linear_solve(lambda u: 2.0 * u, v, solve)
"""


@pytest.mark.parametrize(
    ("call", "name", "origin"),
    [
        ("root(2.0)", "scan(<lambda>)", "eager scan, run by custom_root"),
        ("linear(z)", "while(<lambda>)", "eager while, run by custom_linear_solve"),
    ],
)
def test_the_loop_of_a_solver_outside_of_jit(notebook: Notebook, call: str, name: str, origin: str) -> None:
    notebook.run(f"{SOLVERS}z = x + 1")
    first, second = (notebook.run(f"%%jaxpr --no-trace\nout = [{call}]") for _ in range(2))
    for ran in (first, second):
        programs_run = [program for program in ran.document["programs"] if program["origin"] == "ran"]
        assert [(output["name"], output["how"]) for output in programs_run] == [(name, origin)]
        assert [level["state"] for level in programs_run[0]["levels"]] == ["held", "held"]
    assert reasons(first, name) == [("first_call", None)]
    assert [kind for kind, _ in reasons(second, name)] == ["new_function"]


@pytest.mark.parametrize(
    ("call", "name", "kind"),
    [
        ("lax.fori_loop(0, 10, lambda i, v: v + i, 1.0)", "fori_loop(<lambda>)", "fori_loop"),
        ("lax.while_loop(lambda v: v < 10, lambda v: v + 1, 1)", "while_loop(<lambda>)", "while_loop"),
        ("lax.cond(True, jnp.sin, jnp.cos, 1.0)", "cond(sin, cos)", "cond"),
        ("lax.switch(1, [jnp.sin, jnp.cos, jnp.tan], 1.0)", "switch(sin, cos, tan)", "switch"),
        ("lax.map(lambda v: v * 2, x)", "map(<lambda>)", "map"),
    ],
)
def test_each_construct_has_the_name_that_the_user_called(notebook: Notebook, call: str, name: str, kind: str) -> None:
    ran = notebook.run(f"%%jaxpr\ny = {call}")
    assert [program["name"] for program in ran.own_programs] == [name]
    assert [card["kind"] for card in ran.document["control_flow"]] == [kind]
    assert hows(ran) == [f"ran as an eager {kind}"]
    assert activity(ran) == (1, 1, 1)


def test_a_construct_that_was_compiled_before_hits(notebook: Notebook) -> None:
    notebook.run(STEP)
    notebook.run("%%jaxpr\ny = lax.scan(step, 0.0, x)")
    ran = notebook.run("%%jaxpr\nfor _ in range(3):\n    y = lax.scan(step, 0.0, x)")
    assert ran.programs == ["seen_before scan(step)(carry: f32[] weak, xs: f32[8]) -> [f32[], f32[8] weak]: scan"]
    assert hows(ran) == ["eager scan, compiled earlier"]
    assert activity(ran) == (3, 0, 0)


WRAPPED = (
    "JAX traced and compiled this lax.map again: each call of lax.map wraps {} in a new function object, and JAX "
    "caches programs by function object."
)


def texts(ran: Ran, name: str) -> list[list[str]]:
    """Return the full reasons of each miss of a function in this run."""
    functions = ran.document["ledger"]["functions"]
    (function,) = (function for function in functions if function["name"] == name and function["run"]["misses"])
    return [[reason["text"] for reason in miss["reasons"]] for miss in function["misses"] if miss["this_run"]]


@pytest.mark.parametrize("body", ["halve", "<lambda>"])
def test_lax_map_compiles_in_each_call_because_it_wraps_the_function_anew(notebook: Notebook, body: str) -> None:
    written = "lambda v: v / 2" if body == "<lambda>" else body
    notebook.run("def halve(v):\n    return v / 2")
    ran = notebook.run(f"%%jaxpr\nfor size in (3, 3, 5):\n    y = lax.map({written}, jnp.ones(size))")
    assert activity(ran) == (3, 3, 3)
    wrapped = WRAPPED.format(body)
    assert texts(ran, f"map({body})") == [
        [f"This is the first call of map({body})."],
        [wrapped],
        [wrapped, "The type of xs changed from f32[3] to f32[5]."],
    ]
    assert reasons(ran, f"map({body})")[1][1] == (
        "Call lax.map within a function under jax.jit: JAX compiles that function once."
    )
    under_jit = notebook.run(
        f"%%jaxpr\nhalved = jax.jit(lambda v: lax.map({written}, v))\nfor _ in range(3):\n    y = halved(jnp.ones(3))"
    )
    counts = under_jit.document["programs"][0]["activity"]
    assert (counts["misses"], counts["compiles"]) == (1, 1)


def test_a_body_made_anew_and_another_shape_are_both_said(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\nfor size in (3, 4, 3):\n    y = lax.scan(lambda c, v: (c + v, c), 0.0, jnp.ones(size))"
    )
    anew = "JAX traced and compiled the scan again: <lambda> is a new function object."
    assert texts(ran, "scan(<lambda>)") == [
        ["This is the first call of scan(<lambda>)."],
        [anew, "The type of xs changed from f32[3] to f32[4]."],
        [anew],
    ]


def test_other_settings_are_compared_with_the_call_that_is_closest(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\ndef glide(c, v):\n    return c + v, c\nfor size, unroll in ((3, 1), (4, 1), (3, 3)):\n"
        "    y = lax.scan(glide, 0.0, jnp.ones(size), unroll=unroll)"
    )
    assert texts(ran, "scan(glide)")[2] == ["The setting unroll of the scan changed from 1 to 3."]


def test_a_body_that_is_made_anew_in_each_call_compiles_anew_and_the_reason_says_so(notebook: Notebook) -> None:
    notebook.run("def total(v):\n    def add(c, e):\n        return c + e, None\n    return lax.scan(add, 0.0, v)[0]")
    ran = notebook.run("%%jaxpr --no-trace\nfor _ in range(3):\n    y = total(x)")
    assert activity(ran) == (3, 3, 3)
    cure = "Define add once, outside of the code that calls scan: JAX caches by function object."
    assert reasons(ran, "scan(add)") == [("first_call", None), ("new_function", cure), ("new_function", cure)]
    # The cure works.
    notebook.run("def add(c, e):\n    return c + e, None\ndef total(v):\n    return lax.scan(add, 0.0, v)[0]")
    cured = notebook.run("%%jaxpr --no-trace\nfor _ in range(3):\n    y = total(x)")
    assert activity(cured) == (3, 1, 1)


def test_other_types_other_settings_and_cleared_caches_have_their_own_reasons(notebook: Notebook) -> None:
    notebook.run(STEP.replace("step", "move"))
    ran = notebook.run(
        "%%jaxpr --no-trace\n"
        "lax.scan(move, 0.0, x); lax.scan(move, 0.0, x[:4]); lax.scan(move, 0.0, x, unroll=2)\n"
        "jax.clear_caches()\ny = lax.scan(move, 0.0, x)"
    )
    assert [kind for kind, _ in reasons(ran, "scan(move)")] == ["first_call", "shape", "static_value", "cleared"]


def test_the_trace_and_the_recording_of_a_plain_call_stand_beside_the_construct_that_ran_in_it(
    notebook: Notebook,
) -> None:
    notebook.run("def total(v):\n    def add(c, e):\n        return c + e, None\n    return lax.scan(add, 0.0, v)[0]")
    ran = notebook.run("%%jaxpr\ntotal(x)")
    assert ran.programs == [
        "ran scan(add)(carry: f32[] weak, xs: f32[8]) -> [f32[]]: scan",
        "traced total(v: f32[8]) -> f32[]: scan",
        "recorded total(v: f32[8]) -> f32[]: scan",
    ]
    assert hows(ran) == ["ran as an eager scan", "as jit would trace it", "recorded as it ran"]
    assert ran.document["focus"] == 1


def test_a_construct_that_ends_the_cell_is_not_traced_again(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\n" + STEP + "lax.scan(step, 0.0, x)")
    assert [program["name"] for program in ran.own_programs] == ["scan(step)"]


def test_counts_agree_with_the_events_of_jax(notebook: Notebook) -> None:
    events: Counter[str] = Counter()

    def heard(event: str, seconds: float, **_: Any) -> None:
        events[event.rsplit("/", 1)[-1]] += 1

    cell = STEP + (
        "for n in (3, 4, 3):\n    lax.scan(step, 0.0, x[:n])\n"
        "lax.fori_loop(0, 3, lambda i, v: v + 1, 0)\n"
        "y = jax.grad(lambda c: lax.scan(step, c, x)[0])(1.0)"
    )
    definition = "def other(c, e):\n    return c * e, c\nfor n in (3, 4):\n    x[:n]\n"
    # compiles all operations around the construct, so that only the construct compiles in the observed cell
    notebook.run(definition + "jax.grad(lambda c: lax.scan(other, c, x)[0])(1.0)")
    jax.monitoring.register_event_duration_secs_listener(heard)
    try:
        ran = notebook.run("%%jaxpr --no-trace\n" + cell)
    finally:
        jax.monitoring.unregister_event_duration_listener(heard)
    counted = [function["run"] for function in ran.document["ledger"]["functions"]]
    assert sum(function["compiles"] for function in counted) == events["backend_compile_duration"]
    assert sum(function["traces"] for function in counted) == events["jaxpr_trace_duration"]


def test_jax_is_as_it_was_after_the_cell_and_other_threads_are_not_watched(notebook: Notebook) -> None:
    from jax._src import dispatch, stages  # noqa: TID251  # what must be as it was

    evaluation, initializer = dispatch.xla_primitive_callable, stages.Traced.__dict__["__init__"]

    def in_a_thread() -> None:
        thread = threading.Thread(target=lambda: jax.lax.fori_loop(0, 3, lambda i, v: v + 1, 0))
        thread.start()
        thread.join()

    notebook.shell.user_ns["in_a_thread"] = in_a_thread
    ran = notebook.run("%%jaxpr --no-trace\nin_a_thread()\ny = lax.map(lambda v: v + 1, x)")
    assert [program["name"] for program in ran.own_programs] == ["map(<lambda>)"]
    assert dispatch.xla_primitive_callable is evaluation
    assert stages.Traced.__dict__["__init__"] is initializer


def test_no_frame_of_ours_is_in_the_traceback_of_an_error(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\ny = lax.scan(lambda c, v: (c, 1 / 0), 0.0, x)")
    assert "ZeroDivisionError" in ran.stdout
    assert "jupyter_jaxpr/" not in ran.stdout


# --- traces without a call ---


def test_make_jaxpr_in_a_print_is_a_program(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\ndef log2(v):\n    return jnp.log(v) / jnp.log(2.0)\nprint(jax.make_jaxpr(log2)(3.0))")
    assert [program.rpartition(":")[0] for program in ran.programs] == ["traced log2(v: f32[] weak) -> f32[] weak"]
    assert hows(ran) == ["traced by make_jaxpr, line 4"]
    assert (
        ran.document["programs"][0]["origin_note"] == "jax.make_jaxpr traced log2. JAX ran no program for this trace."
    )
    assert ran.document["message"] is None
    assert ran.stdout.startswith("{ lambda")


@pytest.mark.parametrize(
    ("statement", "origin"),
    [
        ("y = jax.jit(f).trace(x)", "traced on line 4"),
        ("y = jax.jit(f).lower(x)", "lowered on line 4"),
        ("y = jax.jit(f).lower(x).compile()", "lowered on line 4"),
        ("y = jax.jit(f).eval_shape(x)", "traced by eval_shape, line 4"),
        ("y = jax.eval_shape(f, x)", "traced by eval_shape, line 4"),
        ("import jax.export\ny = jax.export.export(jax.jit(f))(x)", "exported on line 5"),
        (
            "from jax.experimental.xla_metadata import set_xla_metadata\n"
            "y = set_xla_metadata(a=1)(jax.jit(f)).lower(x)",
            "lowered on line 5",
        ),
    ],
)
def test_each_way_to_a_trace_is_named(notebook: Notebook, statement: str, origin: str) -> None:
    ran = notebook.run(f"%%jaxpr\ndef f(v):\n    return jnp.sin(v)\n{statement}")
    assert ran.programs == ["traced f(v: f32[8]) -> f32[8]: sin"]
    assert hows(ran) == [origin]


def test_print_saved_residuals_shows_the_forward_pass(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\nfrom jax.ad_checkpoint import print_saved_residuals\ndef f(v):\n    return jnp.sin(v)\n"
        "print_saved_residuals(f, x)"
    )
    assert ran.stdout.startswith("f32[8] output of cos from ")
    assert ran.programs == ["traced f(args[0]: f32[8]) -> (f32[8], VJP([<flat index 1>][0]: f32[8])): sin cos"]
    assert hows(ran) == ["traced by print_saved_residuals, line 5"]
    assert ran.document["programs"][0]["origin_note"] == (
        "print_saved_residuals traced the forward pass of f under vjp. JAX ran no program for this trace."
    )


def test_make_jaxpr_can_be_named_as_a_target(notebook: Notebook) -> None:
    notebook.run("def f(v, n):\n    return jnp.sin(v) * n")
    ran = notebook.run("%jaxpr jax.make_jaxpr(f, static_argnums=1)(x, 3)")
    assert ran.programs == ["traced f(v: f32[8], n: 3) -> f32[8]: sin mul"]


def test_a_function_that_was_lowered_and_then_called_is_one_program(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\n@jax.jit\ndef f(v):\n    return jnp.sin(v)\nlowered = f.lower(x)\nf(x)")
    assert ran.programs == ["ran f(v: f32[8]) -> f32[8]: sin"]


def test_programs_stand_in_the_order_in_which_they_came_about(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef f(v):\n    return jnp.sin(v)\n"
        "a = jax.make_jaxpr(lambda v: v + 1)(x)\nf(x)\nb = lax.map(lambda v: v * 2, x)\nc = jax.eval_shape(jnp.tanh, x)"
    )
    assert [program["name"] for program in ran.own_programs] == ["<lambda>", "f", "map(<lambda>)", "tanh"]


def test_a_trace_within_a_trace_is_no_program_of_its_own(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\n@jax.jit\ndef f(v):\n    jax.eval_shape(jnp.sin, v)\n    return lax.map(jnp.cos, v)\nf(x)"
    )
    assert [program["name"] for program in ran.own_programs] == ["f"]


def test_the_arguments_of_a_trace_are_not_kept_alive(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\nimport weakref\nbig = jnp.ones(100)\nalive = weakref.ref(big)\n"
        "y = jax.make_jaxpr(jnp.sin)(big)\ndel big"
    )
    assert len(ran.programs) == 1
    assert notebook["alive"]() is None


# --- the last call of a cell ---


@pytest.mark.parametrize(
    "end",
    [
        "y = f(x)",
        "y = f(x); y",
        "y = f(x)\ny",
        "a, b = f(x), 1",
        "y: object = f(x)",
        "y, *_ = f(x)",
        "print(f(x))",
        "f'{f(x)}'",
        "f(x).shape",
        "f(x)[0]",
        "f(x).sum()",
        "(1, f(x))",
        "-f(x)",
        "len(f(x))",
        "float(f(x)[0])",
        "f(x) + 1",
        "f(x);",
    ],
)
def test_the_call_that_the_cell_ends_with_is_found_however_it_stands(notebook: Notebook, end: str) -> None:
    ran = notebook.run(f"%%jaxpr\ndef f(v):\n    return jnp.sin(v) * 2\n{end}")
    assert ran.programs == [
        "traced f(v: f32[8]) -> f32[8]: sin mul",
        # the recording does not contain what the statement does with the result
        "recorded f(v: f32[8]) -> f32[8]: jit jit",
    ]
    assert ran.document["focus"] == 0
    jnp.zeros(1)


@pytest.mark.parametrize(
    ("end", "programs"),
    [
        ("y = jnp.sin(x)", ["recorded cell [2]() -> f32[8]: jit"]),
        ("y = x + 1", ["recorded cell [2]() -> f32[8]: jit"]),
        ("y = sorted([3, 1])", []),
        ("y = [f(x) for _ in range(2)]", ["recorded f(v: f32[8]) -> f32[8]: jit jit"] * 2),
    ],
)
def test_a_part_of_a_statement_that_calls_no_function_of_the_user_is_not_traced(
    notebook: Notebook, end: str, programs: list[str]
) -> None:
    ran = notebook.run(f"%%jaxpr\ndef f(v):\n    return jnp.sin(v) * 2\n{end}")
    assert ran.programs == programs
    # For a cell without other programs, the sentence is the origin note of the cell's recording.
    sentence = ran.document["message"] or ran.document["programs"][0]["origin_note"]
    assert sentence.endswith(WHAT_TO_TYPE) == ("f(x)" not in end)
    assert (ran.document["message"] is None) == bool(programs)


@pytest.mark.parametrize(
    ("cell", "programs"),
    [
        (
            "d = {'a': x}\ndef f(v):\n    return jnp.sin(v['a'])\nd['b'] = f(d)",
            ["recorded f(v: {a: f32[8]}) -> f32[8]: jit"],
        ),
        (
            "d = {'a': x}\ndef f(v):\n    return jnp.sin(v['a'])\nd['b'] = y = f(d)\ny",
            ["recorded cell [2]() -> f32[8]: jit"],
        ),
        (
            "total = x\ndef f(v):\n    return jnp.sin(v)\ntotal += f(x)",
            ["recorded f(v: f32[8]) -> f32[8]: jit"],
        ),
        (
            "class Net:\n    pass\nnet = Net()\ndef f(v):\n    return jnp.sin(v)\nnet.out = f(x)",
            ["recorded f(v: f32[8]) -> f32[8]: jit"],
        ),
        ("async def f(v):\n    return jnp.sin(v)\ny = await f(x)", ["recorded cell [2]() -> f32[8]: jit"]),
    ],
)
def test_a_call_whose_statement_then_changes_an_object_is_recorded_and_not_traced(
    notebook: Notebook, cell: str, programs: list[str]
) -> None:
    assert notebook.run(f"%%jaxpr\n{cell}").programs == programs


def test_a_call_is_not_traced_where_the_assigned_name_decides_what_the_call_does(notebook: Notebook) -> None:
    notebook.run("cache = None\ndef f(v):\n    return jnp.sin(v) if cache is None else jnp.cos(v) * cache")
    ran = notebook.run("%%jaxpr\ncache = f(x)")
    assert ran.programs == ["recorded f(v: f32[8]) -> f32[8]: jit"]
    assert ran.document["message"] is None
    assert ran.document["programs"][0]["origin_note"].endswith(
        " f was not traced. The cell assigned to cache after the call, and a function of the notebook reads cache. To "
        "see the program that runs, call f under jax.jit."
    )


def test_a_slow_call_in_an_assignment_is_recorded_and_not_traced_unasked(notebook: Notebook) -> None:
    notebook.run("import time\ndef f(v):\n    time.sleep(0.6)\n    return jnp.sin(v)")
    ran = notebook.run("%%jaxpr\ny = f(x)")
    assert ran.programs == ["recorded f(v: f32[8]) -> f32[8]: jit"]
    assert ran.document["message"] is None
    assert ran.document["programs"][0]["origin_note"].endswith("was not traced. To see the program, write %jaxpr f(x).")


def test_a_construct_that_a_transform_derived_says_so_and_blames_nobody(notebook: Notebook) -> None:
    notebook.run("def glide(carry, x):\n    return carry + x, carry * 2")
    ran = notebook.run(
        "%%jaxpr --no-trace\ny = lax.scan(glide, 0.0, x)\n"
        "z = jax.linearize(lambda c: lax.scan(glide, c, x)[0], 0.0)\n"
        "w = jax.vmap(lambda c: lax.scan(glide, c, x)[0])(x)"
    )
    reasons_found = set(reasons(ran, "scan(glide)"))
    assert reasons_found == {("first_call", None)}
    assert hows(ran)[0] == "ran as an eager scan"
    derived, recorded = (
        "eager scan, derived by a transform",
        ["recorded as it ran under linearize", "recorded as it ran under vmap"],
    )
    assert [origin for origin in hows(ran)[1:] if origin != derived] == recorded
    assert derived in hows(ran)


def test_a_construct_compiled_earlier_that_ends_a_cell_is_not_traced_again(notebook: Notebook) -> None:
    notebook.run(STEP)
    notebook.run("%%jaxpr\nlax.scan(step, 0.0, x)")
    ran = notebook.run("%%jaxpr\n# another line\nlax.scan(step, 0.0, x)")
    assert [program["name"] for program in ran.own_programs] == ["scan(step)"]


def test_a_construct_compiled_before_the_extension_was_loaded(make_notebook: Callable[..., Notebook]) -> None:
    notebook = make_notebook(False)
    notebook.run("import jax, jax.numpy as jnp\nfrom jax import lax\nx = jnp.arange(8.0)\n" + STEP)
    notebook.run("y = lax.scan(step, 0.0, x)")
    notebook.run("%load_ext jupyter_jaxpr")
    ran = notebook.run("%%jaxpr\ny = lax.scan(step, 0.0, x)")
    assert ran.programs == ["recorded cell [4]() -> (f32[], f32[8]): scan"]
    assert ran.document["message"] is None
    assert ran.document["programs"][0]["origin_note"].endswith(
        " JAX compiled scan(step) before %load_ext jupyter_jaxpr, so the program is not known. To see the program, "
        "write %jaxpr lax.scan(step, 0.0, x)."
    )
    ran = notebook.run("%%jaxpr\nfor _ in range(2):\n    y = lax.scan(step, 0.0, x)")
    assert ran.programs == ["recorded cell [5]() -> (f32[], f32[8], f32[], f32[8]): scan scan"]
    assert ran.document["message"] is None
    assert ran.document["programs"][0]["origin_note"].endswith(
        " JAX compiled scan(step) before %load_ext jupyter_jaxpr, so the program is not known. Load the extension "
        "before the first call."
    )


def test_a_trace_that_cannot_be_described_hides_no_other(notebook: Notebook) -> None:
    notebook.run(
        "class Strict:\n    def __init__(self, a):\n        assert isinstance(a, jax.Array)\n        self.a = a\n"
        "jax.tree_util.register_pytree_node(Strict, lambda s: ((s.a,), None), lambda _, leaves: Strict(*leaves))\n"
        "def strict(s):\n    return s.a + 1"
    )
    ran = notebook.run(
        "%%jaxpr\na = jax.make_jaxpr(jnp.sin)(1.0)\nb = jax.make_jaxpr(strict)(Strict(x))\n"
        "c = jax.eval_shape(jnp.cos, x)"
    )
    assert [program["name"] for program in ran.own_programs] == ["sin", "strict", "cos"]
    assert ran.notes == []


def test_the_trace_of_a_call_that_is_one_eager_scan_denies_no_program(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr\ndef running(v):\n    return lax.scan(lambda c, a: (c + a, c), 0.0, v)\nlast, sums = running(x)"
    )
    (traced,) = (program for program in ran.own_programs if program["origin"] == "traced")
    assert traced["origin_note"] == (
        "jupyter_jaxpr traced the whole call running(x) as jit would trace it: the call ran without jit."
    )
