"""Tests recordings of a cell without a last call, and the options `--eager` and `--focus`."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Notebook
from dispatch_recordings import MORE, NO_JIT, RAN_CELL, TOO_MANY, lines, program, recorded, recorded_in, recordings

from jupyter_jaxpr import last
from jupyter_jaxpr.exports.cost_table import cost_text
from jupyter_jaxpr.magic.cell_observer import CellObserver
from jupyter_jaxpr.observe.outside_jit import recording_limits


def test_a_loop_of_python_is_recorded_as_the_cell(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr\nfor k in range(3):\n    y = lax.mul(lax.tanh(x), x)")
    assert recordings(ran)[0][0] == f"cell [{ran.result.execution_count}]"
    expected = """
{ lambda ; a:f32[8]. let
  b:f32[8] = tanh a
  c:f32[8] = mul b a
  d:f32[8] = tanh a
  e:f32[8] = mul d a
  f:f32[8] = tanh a
  g:f32[8] = mul f a
in (c, e, g) }
"""
    assert recorded(ran) == expected
    assert lines(ran) == [("tanh", [3]), ("mul", [3])] * 3
    assert program(ran)["origin_note"] == f"{RAN_CELL.format(ran='6 dispatches')} {NO_JIT}"
    second_run = notebook.run("%%jaxpr\nfor k in range(3):\n    y = lax.mul(lax.tanh(x), x)")
    assert program(second_run)["origin_note"] == program(ran)["origin_note"]


@pytest.mark.parametrize(
    ("cell", "primitives"),
    [
        ("if True:\n    y = lax.neg(x)", ["neg"]),
        ("def g(v):\n    return lax.neg(v)\nfor _ in range(2):\n    y = g(x)", ["neg", "neg"]),
        ("y = lax.neg(x); z = 3", ["neg"]),
        ("w = lax.neg(lax.sin(x))", ["sin", "neg"]),
        ("w = -x", ["jit"]),
        ("total = sum(lax.neg(v) for v in (x, x))", ["neg", "jit", "neg", "jit"]),
        ("ys = list(map(lax.neg, (x, x)))", ["neg", "neg"]),
        ("with jax.default_matmul_precision('float32'):\n    y = lax.neg(x)", ["neg"]),
        ("%timeit -n 1 -r 2 lax.neg(x)\nz = 1", ["neg", "neg"]),
        ("%%time\ny = lax.neg(x)", ["neg"]),
        ("%%capture held\ny = lax.neg(x)\nprint(y)", ["neg"]),
        ("import jax.random\nw = lax.neg(x)", ["neg"]),
        # The operations in an argument belong to the cell; the call itself dispatches nothing.
        (
            "import numpy as np\ndef put(v):\n    return np.asarray(v).sum()\ny = put(lax.neg(lax.sin(x)))",
            ["sin", "neg"],
        ),
        ("jax.vmap(lambda v: print('mapped'))(lax.neg(x))", ["neg"]),
    ],
)
def test_each_cell_that_computes_without_jit_is_recorded(notebook: Notebook, cell: str, primitives: list[str]) -> None:
    built = notebook.builds()
    notebook.run(f"%%jaxpr\n{cell}")
    document = built[-1].document
    ((name, _),) = recorded_in(document)
    assert name.startswith("cell [")
    scope = document.scopes[document.programs[-1].scope]
    assert [document.strings[number] for number in scope.primitive] == primitives


def test_the_operations_of_an_argument_are_not_those_of_the_call(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --no-trace\ndef g(v, w):\n    return lax.neg(lax.add(v, w))\ny = g(lax.sin(x), w=lax.cos(x))"
    )
    expected = """
{ lambda ; a:f32[8] b:f32[8]. let
  c:f32[8] = add a b
  d:f32[8] = neg c
in (d,) }
"""
    assert recorded(ran) == expected
    assert lines(ran) == [("add", [3, 4]), ("neg", [3, 4])]


def test_the_programs_that_jax_compiled_for_an_argument_are_listed(notebook: Notebook) -> None:
    built = notebook.builds()
    notebook.run(
        "%%jaxpr\ndef put(v):\n    return jax.device_put(v)\ny = put(jax.random.normal(jax.random.key(0), (9, 8)))"
    )
    shown = [program for program in built[-1].document.programs if program.group == "eager"]
    assert [(program.name, program.how) for program in shown][-1] == ("_normal", "jitted by jax, line 4")


@pytest.mark.parametrize("cell", ["import math", "1 + 1", "y = jnp.shape(x)", "def f(v):\n    return v * 2"])
def test_a_cell_in_which_jax_ran_nothing_has_no_recording(notebook: Notebook, cell: str) -> None:
    built = notebook.builds()
    notebook.run(f"%%jaxpr\n{cell}")
    assert built[-1].document.programs == []


def test_a_setup_cell_shows_the_first_two_hundred_dispatches(notebook: Notebook) -> None:
    built = notebook.builds()
    notebook.run("%%jaxpr\nfor _ in range(250):\n    y = lax.neg(x)")
    (shown_program,) = built[-1].document.programs
    limit = TOO_MANY.format(count="200")
    assert shown_program.origin_note == f"{RAN_CELL.format(ran='200 dispatches')} {limit} {MORE} {NO_JIT}"


def test_the_cell_itself_may_import_jax(make_notebook: Any) -> None:
    notebook = make_notebook()
    ran = notebook.run("%%jaxpr\nimport jax.numpy as jnp\nfrom jax import lax\ny = lax.neg(jnp.ones(3))")
    assert [name for name, _ in lines(ran)][-1] == "neg"


def test_eager_records_the_whole_cell(notebook: Notebook) -> None:
    ran = notebook.run(
        "%%jaxpr --eager\n@jax.jit\ndef g(v):\n    return v * 2\ndef f(v):\n    return lax.neg(g(v))\n"
        "a = f(x)\nb = f(a)"
    )
    assert ran.programs == [
        "ran g(v: f32[8]) -> f32[8]: mul",
        f"recorded cell [{ran.result.execution_count}]() -> f32[8]: jit neg jit neg",
    ]
    assert ran.document["focus"] == 1
    expected = """
let g = { lambda ; a:f32[8]. let
  b:f32[8] = mul a 2.0:f32[]
in (b,) } in
{ lambda ; c:f32[8]. let
  d:f32[8] = jit[name=g jaxpr=g] c
  e:f32[8] = neg d
  f:f32[8] = jit[name=g jaxpr=g] e
  h:f32[8] = neg f
in (h,) }
"""
    assert recorded(ran) == expected
    assert lines(ran) == [("jit", [6, 7]), ("neg", [6, 7]), ("jit", [6, 8]), ("neg", [6, 8])]
    note, _, took = program(ran)["origin_note"].partition(" The recording took ")
    assert note == RAN_CELL.format(ran="4 dispatches")
    assert took.endswith("s of the cell's time.")


def test_eager_has_a_limit_too(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    assert recording_limits.CELL_DISPATCHES == 20_000
    monkeypatch.setattr(recording_limits, "CELL_DISPATCHES", 3)
    ran = notebook.run("%%jaxpr --eager\nfor _ in range(5):\n    y = lax.neg(x)")
    assert [name for name, _ in lines(ran)] == ["neg", "neg", "neg"]
    assert TOO_MANY.format(count=3) in program(ran)["origin_note"]
    assert MORE not in program(ran)["origin_note"]


def test_eager_and_a_target_exclude_each_other(notebook: Notebook) -> None:
    ran = notebook.run("%%jaxpr --eager f(x)\ny = 1")
    assert ran.stderr.strip() == (
        "UsageError: --eager records a cell that runs, and a target is only traced. Leave out the option or the target."
    )
    assert "y" not in notebook.shell.user_ns


def test_eager_with_an_error_shows_what_ran_until_then(notebook: Notebook) -> None:
    built = notebook.builds()
    notebook.run("%%jaxpr --eager\ny = lax.neg(x)\n1 / 0")
    document = built[-1].document
    assert recorded_in(document) == [
        (f"cell [{document.cell.execution_count}]", "{ lambda ; a:f32[8]. let\n  b:f32[8] = neg a\nin (b,) }")
    ]


FUNCTIONS = (
    "@jax.jit\ndef step(v):\n    return v * 2\n@jax.jit\ndef stepper(v):\n    return v + 2\n"
    "def f(v):\n    return lax.neg(step(stepper(v)))\n"
)


@pytest.mark.parametrize(
    ("name", "first_name"),
    [("step", "step"), ("stepper", "stepper"), ("stepp", "stepper"), ("ste", "step"), ("f", "f")],
)
def test_focus_shows_the_program_of_a_name_first(notebook: Notebook, name: str, first_name: str) -> None:
    ran = notebook.run(f"%%jaxpr --focus {name}\n{FUNCTIONS}y = f(x)")
    assert ran.document["programs"][ran.document["focus"]]["name"] == first_name
    assert "focus" not in ran.notes


def test_focus_on_a_name_that_is_not_there_says_which_are(notebook: Notebook) -> None:
    plain = notebook.run(f"%%jaxpr\n{FUNCTIONS}y = f(x)")
    ran = notebook.run(f"%%jaxpr --focus train\n{FUNCTIONS}y = f(x)")
    assert ran.document["focus"] == plain.document["focus"]
    assert ran.note("focus")["text"] == (
        "--focus train: the run has no program of train. Its programs are: stepper, step, f."
    )


def test_focus_where_there_are_no_programs(notebook: Notebook) -> None:
    built = notebook.builds()
    notebook.run("%%jaxpr --focus train\n1 + 1")
    (note,) = built[-1].document.notes
    assert note.text == "--focus train: the run has no program of train. Its programs are: none."


def test_focus_needs_a_name(notebook: Notebook) -> None:
    assert notebook.run("%%jaxpr --focus\n1").stderr.strip() == "UsageError: argument --focus: expected one argument"


def test_eager_says_before_the_cell_runs_that_the_cell_takes_longer(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: list[Any] = []
    publisher = CellObserver.of(notebook.shell).publisher
    monkeypatch.setattr(publisher, "progress", lambda **facts: rows.append((facts["stage"], facts["warning"])))
    notebook.shell.user_ns["said"] = rows
    notebook.run("%%jaxpr\nbefore = list(said)\nlax.neg(x)")
    assert notebook["before"] == []
    notebook.run("%%jaxpr --eager\nbefore = list(said)\nlax.neg(x)")
    warning = "--eager records each dispatch of JAX, so the cell takes up to 20 times as long."
    assert notebook["before"] == [("running", warning)]


def test_an_operation_that_a_loop_used_first_has_the_line_that_calls_it_now(notebook: Notebook) -> None:
    notebook.run("jax.clear_caches()\nsummed = jax.jit(lambda v: lax.scan(lambda c, a: (c + a, c), 0.0, v))(x)")
    ran = notebook.run("%%jaxpr\nthree = jnp.array(3)\n\nfour = three + 1")
    assert ran.result.success
    costs = cost_text(last().snapshot.document)
    assert costs is not None
    assert [row[:3] for row in costs.rows] == [
        ("2", "three = jnp.array(3)", "0\N{NO-BREAK SPACE}op"),
        ("4", "four = three + 1", "1\N{NO-BREAK SPACE}op"),
    ]
