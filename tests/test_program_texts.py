"""Tests the texts of StableHLO and HLO, and the source line of each of their lines."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from observed import in_cell
from test_program_sources import pointed

from jupyter_jaxpr.program.jaxpr.pools import Strings
from jupyter_jaxpr.program.source.positions import Positions
from jupyter_jaxpr.program.texts.hlo_of_executable import executable_text, hlo_lines
from jupyter_jaxpr.program.texts.stablehlo_of_lowered import lowered_text, stablehlo_lines

SOURCE = """\
def helper(x):
    return jnp.tanh(x @ x)
@jax.jit
def f(x):
    y = helper(x)
    return lax.fori_loop(0, 3, lambda i, c: jnp.sin(c) - i, y)
"""


@pytest.fixture(scope="module")
def document():
    built_run, trace = in_cell(SOURCE, "f(jnp.ones((4, 4)))")
    document = built_run.sources.make(0, "hlo")
    assert document.programs[0].levels[1].state == "on_request"
    return built_run.sources.with_texts()


def lines(document, level):
    """Return each line of a level, with the expressions of its frames in the cell."""
    level_text = next(candidate for candidate in document.programs[0].levels if candidate.name == level)
    rows = []
    for line, stack in zip(level_text.text.split("\n"), level_text.line_stacks, strict=True):
        frames = document.stacks[stack].frames if stack >= 0 else []
        cell = [frame for frame in frames if document.files[document.frames[frame].file].kind == "cell"]
        rows.append((line, [pointed(document, frame) for frame in cell]))
    return rows


def find(rows, text):
    return next(frames for line, frames in rows if text in line)


def test_each_operation_of_stablehlo_points_to_its_expression(document):
    rows = lines(document, "stablehlo")
    assert rows[0][0].startswith("module @jit_f")
    assert find(rows, "stablehlo.dot_general") == [("helper", "x @ x"), ("f", "helper(x)")]
    assert find(rows, "stablehlo.tanh") == [("helper", "jnp.tanh(x @ x)"), ("f", "helper(x)")]
    assert find(rows, "stablehlo.sine")[0] == ("f", "jnp.sin(c)")


def test_an_operation_with_regions_points_to_its_expression_from_its_first_line_on(document):
    rows = lines(document, "stablehlo")
    loop = ("f", "lax.fori_loop(0, 3, lambda i, c: jnp.sin(c) - i, y)")
    assert find(rows, "= stablehlo.while(")[0] == loop


def test_locations_are_not_in_the_text(document):
    for line, _ in lines(document, "stablehlo"):
        assert "loc(" not in line


def test_what_belongs_to_no_expression_has_no_stack(document):
    rows = lines(document, "stablehlo")
    assert find(rows, "module @jit_f") == []
    assert find(rows, "func.func public @main") == []
    assert [frames for line, frames in rows if line.startswith("    return")][0] == []


def test_each_instruction_of_hlo_points_to_its_expression(document):
    rows = lines(document, "hlo")
    assert rows[0][0].startswith("HloModule jit_f")
    sines = [frames for line, frames in rows if " sine(" in line]
    assert sines
    assert {frames[0] for frames in sines} == {("f", "jnp.sin(c)")}
    tanhs = [frames for line, frames in rows if " tanh(" in line]
    assert {tuple(frames[:2]) for frames in tanhs} == {(("helper", "jnp.tanh(x @ x)"), ("f", "helper(x)"))}


def test_the_tables_are_read_and_left_out(document):
    text = next(level.text for level in document.programs[0].levels if level.name == "hlo")
    assert "StackFrames" not in text
    assert "stack_frame_id=" in text
    assert "\n\n\n" not in text


def test_large_constants_are_elided():
    table = np.arange(100_000.0, dtype=np.float32)
    lowered = jax.jit(lambda x: x + table).trace(table).lower()
    assert "dense_resource<__elided__>" in lowered_text(lowered)
    assert len(lowered_text(lowered)) < 10_000
    assert len(executable_text(lowered.compile())) < 10_000


def test_a_loaded_executable_has_the_same_text():
    compiled = jax.jit(jnp.sin).trace(1.0).lower().compile()
    assert executable_text(compiled.runtime_executable()) == compiled.as_text()


def positions():
    return Positions(Strings(), {})


def stack_lines(line_stacks, pools):
    return [
        [pools.frames[frame][2] for frame in pools.stacks[stack][0]] if stack >= 0 else None for stack in line_stacks
    ]


def test_the_form_of_hlo_before_the_tables():
    pools = positions()
    text = (
        "HloModule m\n\nENTRY %main (a: f32[]) -> f32[] {\n"
        '  %a = f32[] parameter(0), metadata={op_name="x"}\n'
        '  ROOT %s = f32[] sine(%a), metadata={op_name="jit(f)/sin" source_file="/home/me/m.py" source_line=7}\n}'
    )
    lines_read = hlo_lines(text, pools)
    assert lines_read.text == text
    assert stack_lines(lines_read.line_stacks, pools) == [None, None, None, None, [7], None]
    assert pools.frames[0][3] == -1


TABLES = """\
HloModule m

FileNames
1 "/home/me/m\\303\\251.py"

FunctionNames
1 "f"
2 "g"

FileLocations
1 {{file_name_id=1 function_name_id=1 line=3 end_line=3 column=4 end_column=9}}
2 {{file_name_id=1 function_name_id=2 line=8 end_line=8 column=4 end_column=9}}

StackFrames
1 {{file_location_id=1 parent_frame_id={first}}}
2 {{file_location_id=2 parent_frame_id={second}}}


ENTRY %main () -> f32[] {{
  ROOT %s = f32[] sine(%a), metadata={{op_name="jit(f)/sin" stack_frame_id=2}}
}}"""


@pytest.mark.parametrize(("first", "second"), [(1, 2), (0, 1)], ids=["printed plus one", "as it is"])
def test_parents_of_frames(first, second):
    pools = positions()
    lines_read = hlo_lines(TABLES.format(first=first, second=second), pools)
    assert lines_read.text.split("\n")[:3] == ["HloModule m", "", "ENTRY %main () -> f32[] {"]
    assert stack_lines(lines_read.line_stacks, pools) == [None, None, None, [8, 3], None]
    assert pools.files[0].path == "/home/me/mé.py"


@pytest.mark.parametrize(
    "broken",
    [
        TABLES.format(first=7, second=9),
        TABLES.format(first=0, second=1).replace("file_location_id=2", "file_location_id=99"),
        TABLES.format(first=0, second=1).replace("stack_frame_id=2", "stack_frame_id=99"),
        "",
        "not HLO at all",
    ],
)
def test_broken_tables_are_unknown_and_no_failure(broken):
    lines_read = hlo_lines(broken, positions())
    assert len(lines_read.line_stacks) == lines_read.text.count("\n") + 1


def test_locations_of_every_kind():
    pools = positions()
    text = "\n".join(
        [
            '#loc1 = loc("/home/me/m.py":3:4 to :9)',
            '#loc2 = loc("/home/me/m.py":8:4 to 9:2)',
            '#loc3 = loc("g"(#loc2))',
            "#loc4 = loc(callsite(#loc1 at #loc3))",
            '#loc5 = loc("jit(f)/sin"(#loc4))',
            "#loc6 = loc(fused[#loc1, #loc2])",
            "#loc7 = loc(#loc7)",
            "  %0 = stablehlo.sine %a : tensor<f32> loc(#loc5)",
            "  %1 = stablehlo.add %a, %a : tensor<f32> loc(#loc6)",
            "  %2 = stablehlo.add %a, %a : tensor<f32> loc(#loc7)",
            "  %3 = stablehlo.add %a, %a : tensor<f32> loc(unknown)",
            "  %4 = stablehlo.add %a, %a : tensor<f32> loc(#loc99)",
            '  %5 = stablehlo.add %a, %a {s = "a loc(b) \\" c"} : tensor<f32> loc("m.py":5:1)',
        ]
    )
    lines_read = stablehlo_lines(text, pools)
    assert stack_lines(lines_read.line_stacks, pools) == [[3, 8], [3], None, None, None, [5]]
    assert lines_read.text.split("\n")[0] == "  %0 = stablehlo.sine %a : tensor<f32>"
