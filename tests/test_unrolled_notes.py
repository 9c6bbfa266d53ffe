"""Tests what a note on an unrolled loop says, in which programs, and at which line."""

from __future__ import annotations

import textwrap

import jax
import jax.numpy as jnp
import pytest
from observed import ENVIRONMENT, traced
from unrolled_cells import CASES, FILE, LAYERS, ROWS, M, V, cell_of, seen

from jupyter_jaxpr.build.document_of_run import build
from jupyter_jaxpr.document.types.document import Cell
from jupyter_jaxpr.exports.html_page import page
from jupyter_jaxpr.exports.markdown import markdown
from jupyter_jaxpr.observe.observation import Observation, ObservedFunction, ObservedProgram, Place

pytestmark = pytest.mark.any_jax


def test_a_note_says_what_it_saw_what_it_costs_and_what_to_do():
    document, _ = cell_of(CASES["an RNN that appends"].source, V, ROWS, M)
    (note,) = document.notes
    assert note.title == "The for loop was unrolled into 60 equations"
    equations = document.programs[0].equations
    assert note.text == (
        "Python ran 12 iterations of this for loop while JAX traced. The iterations account for 60 of the "
        f"program's {equations} equations. Each iteration needs the result of the previous iteration."
    )
    assert note.cure == (
        "Write the loop with jax.lax.scan. The program then holds the body only once, for any number of iterations."
    )
    assert note.share == pytest.approx(60 / equations, abs=1e-4)
    assert note.price == [
        "The times of the stages of the whole program were measured: trace 12\u00a0ms, lower 8.0\u00a0ms, compile "
        "480\u00a0ms.",
        "A part of these times is the same for a program of any size. The price of one iteration was not measured.",
        "Trace and compile times grow with the number of unrolled iterations. With a loop of JAX, these times do "
        "not grow. An unrolled program may run faster, because XLA sees all iterations at once. Run times were "
        "not measured here.",
    ]


def test_a_gradient_is_one_note_with_the_equations_of_both_passes():
    document, _ = cell_of(CASES["one that is differentiated"].source, V)
    (note,) = document.notes
    assert note.share == 1.0 or note.share > 0.97
    assert "150 of the program's" in note.text


def test_a_training_step_is_one_note_and_its_optimiser_none():
    source = """\
@jax.jit
def f(layers, x):
    def loss(layers):
        h = x + 1.0
        for w, b in layers:
            h = jnp.where(h > 0, h, 0.1 * h)
            h = h + jax.nn.gelu(h @ w + b)
        return (h**2).mean()
    return jax.tree.map(lambda p, g: p - 0.1 * g, layers, jax.grad(loss)(layers))
"""
    document, _ = cell_of(source, LAYERS, V)
    assert seen(document) == [("unrolled_loop", 5, 12, "carried")]
    assert document.notes[0].share > 0.8
    assert document.notes[0].cure.startswith(
        "Stack the parameters, and scan over the stacked parameters with jax.lax.scan"
    )


def test_a_loop_in_a_loop_is_named_with_the_one_around_it():
    document, _ = cell_of(CASES["a loop in a loop"].source, V)
    assert "The inner for loop on line 4 ran 20 iterations in each outer iteration." in document.notes[0].text


def test_a_loop_in_several_programs_is_one_note():
    source = "def f(x):\n    for _ in range(30):\n        x = jnp.sin(x)\n    return x\n"
    space = {"jnp": jnp}
    exec(compile(source, FILE, "exec"), space)
    cell = Cell(id="c", execution_count=1, file=FILE, source=source)
    programs = [ObservedProgram("ran", traced(space["f"], jnp.ones(size)).jaxpr) for size in (3, 4, 5)]
    functions = [ObservedFunction("f", Place(FILE, 1, "f"), programs, top_level=True)]
    document = build(Observation(functions=functions), cell, environment=ENVIRONMENT, run_id="run").document
    assert seen(document) == [("unrolled_loop", 2, 30, "carried")]
    (note,) = document.notes
    assert note.program == -1
    assert note.text.endswith(
        "The loop is in 3 programs of f. The numbers of iterations and equations in this note are those of one of "
        "these programs."
    )
    assert note.price[0] == "The times to trace, lower and compile this program were not measured."


def test_a_captured_array_of_several_programs_is_one_note():
    table = jnp.ones((20, 20))

    def reads(x):
        return x + table[0, :4]

    document = build(
        Observation(
            functions=[
                ObservedFunction(name, None, [ObservedProgram("ran", traced(fun, V).jaxpr)], top_level=True)
                for name, fun in (("f", reads), ("g", lambda x: reads(x) * 2))
            ]
        ),
        None,
        environment=ENVIRONMENT,
        run_id="run",
    ).document
    assert [(note.kind, note.program, note.text) for note in document.notes] == [
        (
            "captured_constant",
            -1,
            "The function reads an array of 1.6\u00a0kB (f32[20,20]) that is not an argument, so the array is a "
            "constant of the programs of f and g. After an assignment to the array's variable, calls that reuse the "
            "program still compute with the old array.",
        )
    ]


def test_the_exports_have_the_rewrite_and_the_price():
    case = CASES["layers from the last to the first"]
    document, _ = cell_of(case.source, *case.arguments)
    text = markdown(document)
    assert "- Line 3: The for loop was unrolled into 24 equations\\. Python ran 12 iterations of this for loop" in text
    assert textwrap.indent(f"```text\n{case.code}\n```", "  ", lambda line: bool(line.strip())) in text
    assert "The times of the stages of the whole program were measured: trace 12\u00a0ms" in text.replace(
        " ms", "\u00a0ms"
    )
    text = page(document).replace("\u00a0", " ")
    assert "<strong>Line 3</strong>: <strong>The for loop was unrolled into 24 equations.</strong> Python ran" in text
    assert f"<pre><code>{case.code}</code></pre>" in text
    assert "<p>The times of the stages of the whole program were measured: trace" in text


def test_a_failure_of_ours_on_one_program_hides_no_other(monkeypatch):
    from jupyter_jaxpr.explain.loops.loops_worth_a_note import LoopFinder

    find_loops = LoopFinder.found
    failed = []

    def fails_once(self, blocks):
        if not failed:
            failed.append(True)
            raise RuntimeError("a mistake of ours")
        return find_loops(self, blocks)

    monkeypatch.setattr(LoopFinder, "found", fails_once)
    source = "def f(x):\n    for _ in range(30):\n        x = jnp.sin(x)\n    return x\n"
    space = {"jnp": jnp}
    exec(compile(source, FILE, "exec"), space)
    cell = Cell(id="c", execution_count=1, file=FILE, source=source)
    programs = [ObservedProgram("ran", traced(space["f"], jnp.ones(size)).jaxpr) for size in (3, 4)]
    functions = [ObservedFunction("f", Place(FILE, 1, "f"), programs, top_level=True)]
    document = build(Observation(functions=functions), cell, environment=ENVIRONMENT, run_id="run").document
    assert [(note.kind, note.program) for note in document.notes] == [("unrolled_loop", 1), ("failed", -1)]
    assert "a mistake of ours" in (document.notes[1].detail or "")


def test_a_cell_with_magics_and_other_letters_is_read():
    source = """\
%%jaxpr
%matplotlib inline
!pwd
@jax.jit
def f(x):
    größe = "ü𝄞"; y = jnp.sin(x) if größe else x
    for _ in range(30): größe = "𝄞"; x = jnp.sin(x) + y
    return x
"""
    code = "\n\n\n" + source.split("\n", 3)[3]
    space = {"jax": jax, "jnp": jnp}
    exec(compile(code, FILE, "exec"), space)
    observed = ObservedProgram("ran", space["f"].trace(V).jaxpr)
    cell = Cell(id="c", execution_count=1, file=FILE, source=source)
    function = ObservedFunction("f", Place(FILE, 5, "f"), [observed], top_level=True)
    document = build(Observation(functions=[function]), cell, environment=ENVIRONMENT, run_id="run").document
    assert seen(document) == [("unrolled_loop", 7, 30, "carried")]
    frame = document.frames[document.notes[0].frame]
    assert (frame.line, frame.column, frame.end_line, frame.end_column) == (7, 4, 7, 56)


def test_a_text_that_is_no_longer_what_ran_is_not_believed():
    source = "def g(x):\n    for _ in range(30):\n        x = jnp.sin(x)\n    return x\nf = g\n"
    space = {"jnp": jnp}
    exec(compile(source, FILE, "exec"), space)
    changed = source.replace("def g", "def h")
    cell = Cell(id="c", execution_count=1, file=FILE, source=changed)
    observed = ObservedProgram("ran", traced(space["f"], V).jaxpr)
    function = ObservedFunction("g", None, [observed], top_level=True)
    document = build(Observation(functions=[function]), cell, environment=ENVIRONMENT, run_id="run").document
    assert seen(document) == []


def test_a_loop_whose_first_turn_has_other_types_counts_it():
    source = "@jax.jit\ndef f(x):\n    y = 0.5\n    for _ in range(30):\n        y = y * 2 + x\n    return y\n"
    document, _ = cell_of(source, V)
    assert seen(document) == [("unrolled_loop", 4, 30, "carried")]


def test_a_carry_that_starts_with_another_shape_is_told_of():
    source = "def f(x):\n    s = 0.0\n    for k in range(12):\n        s = s + x * k\n    return s\n"
    document, _ = cell_of(source, V)
    assert document.notes[0].cure.endswith(
        "The first iteration reads a value of another type than the later iterations. "
        "Convert the carry to its final type before the loop."
    )


def test_a_function_of_a_file_is_found_through_inspect(tmp_path, monkeypatch):
    from jupyter_jaxpr import inspect

    path = tmp_path / "mine.py"
    path.write_text(
        "import jax.numpy as jnp\n\ndef sines(x):\n    for _ in range(64):\n        x = jnp.sin(x)\n    return x\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import mine

    (note,) = inspect(mine.sines, V).notes
    assert (note.kind, note.line, note.repetitions, note.carried, note.share) == ("unrolled_loop", 4, 64, True, 1.0)
    assert note.code == "x = jax.lax.fori_loop(0, 64, lambda _, x: jnp.sin(x), x)"
    assert "compile" in note.price[0]
