"""Tests that each equation has the expression of the user's that made it, in the columns of an editor."""

from __future__ import annotations

import linecache
import sys
import textwrap

import jax
import jax.numpy as jnp
import pytest
from observed import built, in_cell, program, traced

from jupyter_jaxpr.document.types.document import Cell
from jupyter_jaxpr.program.jaxpr.pools import Strings
from jupyter_jaxpr.program.source.positions import Positions

FILE = "/tmp/ipykernel_1/1.py"


def spans(document, scope=0):
    """Return, for each equation of a scope, the primitive, and (function, expression) for each of its user frames."""
    rows = []
    columns = document.scopes[scope]
    for primitive, stack in zip(columns.primitive, columns.stack, strict=True):
        frames = document.stacks[stack].frames if stack >= 0 else []
        rows.append((document.strings[primitive], *(pointed(document, frame) for frame in frames)))
    return rows


def pointed(document, number):
    frame = document.frames[number]
    file = document.files[frame.file]
    source = document.cell.source if document.cell and file.path == document.cell.file else file.source
    function = document.strings[frame.function].removesuffix(".<locals>.<lambda>")
    if source is None:
        return function, f"{file.path}:{frame.line}"
    lines = source.split("\n")
    if frame.column < 0:
        return function, f"line {frame.line}"
    if frame.line != frame.end_line:
        return function, f"lines {frame.line} to {frame.end_line}"
    encoded = lines[frame.line - 1].encode("utf-16-le")
    return function, encoded[2 * frame.column : 2 * frame.end_column].decode("utf-16-le")


def library(document, scope=0):
    """Return, for each equation of a scope, the primitive and the functions of its library frames."""
    rows = []
    columns = document.scopes[scope]
    for primitive, stack in zip(columns.primitive, columns.stack, strict=True):
        frames = document.stacks[stack].library if stack >= 0 else []
        names = [document.strings[document.frames[frame].function] for frame in frames]
        rows.append((document.strings[primitive], names))
    return rows


def test_an_equation_points_to_its_expression():
    built_run, _ = in_cell(
        "# a comment\n@jax.jit\ndef f(x):\n    y = jnp.sin(x) * x\n    return y + 1\n", "f(jnp.ones(3))"
    )
    assert spans(built_run.document) == [
        ("sin", ("f", "jnp.sin(x)")),
        ("mul", ("f", "jnp.sin(x) * x")),
        ("add", ("f", "y + 1")),
    ]


def test_columns_count_utf16_units_and_not_bytes():
    source = '@jax.jit\ndef f(é, 数):\n    "🎉é"; return jnp.sin(é) * 数\n'
    built_run, _ = in_cell(source, "f(jnp.ones(3), jnp.ones(3))")
    assert spans(built_run.document) == [("sin", ("f", "jnp.sin(é)")), ("mul", ("f", "jnp.sin(é) * 数"))]
    frame = built_run.document.frames[0]
    # Columns are counted in UTF-16 units. The expression begins after 4 spaces, `"🎉é"; return ` (14 columns with two
    # for 🎉).
    assert (frame.column, frame.end_column) == (18, 28)


def test_a_helper_is_called_from_its_callers():
    source = textwrap.dedent("""\
        def inner(x):
            return x * 3
        def outer(x):
            return inner(x) + 1
        @jax.jit
        def f(x):
            return outer(x)
        """)
    built_run, _ = in_cell(source, "f(jnp.ones(3))")
    assert spans(built_run.document) == [
        ("mul", ("inner", "x * 3"), ("outer", "inner(x)"), ("f", "outer(x)")),
        ("add", ("outer", "inner(x) + 1"), ("f", "outer(x)")),
    ]


def test_a_comprehension_points_inside():
    built_run, _ = in_cell("@jax.jit\ndef f(x):\n    return [jnp.sin(x + i) for i in range(2)]\n", "f(jnp.ones(3))")
    assert [row[1][1] for row in spans(built_run.document)] == ["x + i", "jnp.sin(x + i)"] * 2


def test_an_expression_over_several_lines():
    built_run, _ = in_cell("@jax.jit\ndef f(x):\n    return (x +\n            x)\n", "f(jnp.ones(3))")
    assert spans(built_run.document) == [("add", ("f", "lines 3 to 4"))]


def test_the_body_of_a_loop_points_to_the_body():
    source = "@jax.jit\ndef f(x):\n    return lax.fori_loop(0, 3, lambda i, c: c * 2, x)\n"
    built_run, _ = in_cell(source, "f(jnp.ones(3))")
    assert spans(built_run.document)[0] == ("scan", ("f", "lax.fori_loop(0, 3, lambda i, c: c * 2, x)"))
    assert spans(built_run.document, 1)[1] == ("mul", ("f", "c * 2"))


def test_library_frames_are_folded_under_the_call_of_the_user():
    built_run, _ = in_cell("@jax.jit\ndef f(x):\n    return jax.nn.softmax(x) + x\n", "f(jnp.ones(3))")
    assert {row[1] for row in spans(built_run.document)[:-1]} == {("f", "jax.nn.softmax(x)")}
    assert {names[0] for _, names in library(built_run.document)[:-1]} == {"softmax"}
    assert spans(built_run.document)[-1] == ("add", ("f", "jax.nn.softmax(x) + x"))
    assert library(built_run.document)[-1] == ("add", [])


def test_the_body_of_a_library_jit_has_no_user_frame():
    built_run, _ = in_cell("@jax.jit\ndef f(x):\n    return jax.nn.selu(x)\n", "f(jnp.ones(3))")
    assert spans(built_run.document) == [("jit", ("f", "jax.nn.selu(x)"))]
    assert spans(built_run.document, 1) == [("jit",), ("mul",)]
    assert library(built_run.document, 1) == [("jit", ["selu"]), ("mul", ["selu"])]


def test_files_are_told_apart():
    built_run, _ = in_cell("@jax.jit\ndef f(x):\n    return jax.nn.relu(x)\n", "f(jnp.ones(3))")
    files = {file.path: (file.kind, file.cell_id, file.execution_count) for file in built_run.document.files}
    assert files[FILE] == ("cell", "cell-1", 1)
    assert files["jax/_src/nn/functions.py"] == ("library", None, None)
    document = built(program(traced(lambda x: x * 2, jnp.ones(3)))).document
    assert [(file.path, file.kind) for file in document.files] == [(__file__, "user")]


def test_a_function_of_an_earlier_cell_brings_the_text_of_that_cell():
    earlier = Cell(id="cell-0", execution_count=4, file="/tmp/ipykernel_1/0.py", source="def g(x):\n    return x * 2\n")
    space = {}
    exec(compile(earlier.source, earlier.file, "exec"), space)
    cell = Cell(id="cell-1", execution_count=5, file=FILE, source="%%jaxpr\njax.jit(g)(x)\n")
    built_run = built(program(traced(space["g"], jnp.ones(3))), cell=cell, cells={earlier.file: earlier})
    assert spans(built_run.document) == [("mul", ("g", "x * 2"))]
    (file,) = built_run.document.files
    assert (file.cell_id, file.execution_count, file.source) == ("cell-0", 4, earlier.source)


@pytest.mark.parametrize("name", ["/tmp/ipykernel_77/123456.py", "<ipython-input-7-1a2b3c>"])
def test_a_cell_that_no_one_told_us_of_is_a_cell_all_the_same(name):
    source = "def g(x):\n    return x * 2\n"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    space = {}
    exec(compile(source, name, "exec"), space)
    built_run = built(program(traced(space["g"], jnp.ones(3))))
    (file,) = built_run.document.files
    assert (file.kind, file.cell_id, file.source) == ("cell", None, source)
    assert file.execution_count == (7 if "input" in name else None)
    assert spans(built_run.document) == [("mul", ("g", "x * 2"))]


def test_a_line_that_ipython_rewrote_has_no_columns():
    """IPython runs `y = %timeit -o f(x)` as another text, in which the columns differ from those of the cell."""
    name = "/tmp/ipykernel_1/9.py"
    linecache.cache[name] = (9, None, ["def g(x):\n", "    return run(x * 2)\n"], name)
    cell = Cell(id="c", execution_count=1, file=name, source="def g(x):\n    return %run x * 2\n")
    space = {"run": lambda x: x}
    exec(compile("def g(x):\n    return run(x * 2)\n", name, "exec"), space)
    built_run = built(program(traced(space["g"], jnp.ones(3))), cell=cell)
    assert spans(built_run.document) == [("mul", ("g", "line 2"))]


def test_a_line_whose_text_is_not_known_has_no_columns():
    space = {}
    exec(compile("def g(x):\n    return x * 2\n", "<string>", "exec"), space)
    built_run = built(program(traced(space["g"], jnp.ones(3))))
    frame = built_run.document.frames[0]
    assert (frame.line, frame.column, frame.end_line, frame.end_column) == (2, -1, 2, -1)


@pytest.mark.parametrize("module", ["IPython/core/interactiveshell.py", "marimo/_runtime/app/script_runner.py"])
def test_what_runs_cells_is_nobodys_program(module):
    positions = Positions(Strings(), {})
    runner = f"{sys.prefix}/lib/python3/site-packages/{module}"
    stack = positions.stack(
        [
            (FILE, "f", 3, -1, 3, -1),
            (runner, "run_code", 10, -1, 10, -1),
            ("/home/me/launcher.py", "<module>", 1, -1, 1, -1),
        ]
    )
    assert [positions.frames[frame][2] for frame in positions.stacks[stack][0]] == [3]


def test_no_stack_without_frames():
    positions = Positions(Strings(), {})
    assert positions.traceback(None) == -1
    assert positions.stack([]) == -1


def test_a_traceback_of_another_jax_is_unknown():
    positions = Positions(Strings(), {})
    assert positions.traceback("not a traceback") == -1


def test_an_unrolled_loop_is_one_stack():
    built_run, _ = in_cell(
        "@jax.jit\ndef f(x):\n    for _ in range(50):\n        x = jnp.sin(x)\n    return x\n", "f(jnp.ones(3))"
    )
    assert len(built_run.document.scopes[0].stack) == 50
    assert len(set(built_run.document.scopes[0].stack)) == 1


def test_name_scopes_are_kept():
    source = "@jax.jit\ndef f(x):\n    with jax.named_scope('enc'):\n        return jnp.sin(x)\n"
    built_run, _ = in_cell(source, "f(jnp.ones(3))")
    scope = built_run.document.scopes[0]
    assert [built_run.document.strings[number] for number in scope.name_stack] == ["enc"]


def test_forward_and_backward_of_a_line_differ_by_their_name_stack():
    document = built(program(traced(jax.grad(lambda x: jnp.sin(x)), 1.0))).document
    scope = document.scopes[0]
    names = {document.strings[number] for number in scope.name_stack}
    assert names == {"jvp()", "transpose(jvp())"}
