"""Tests that a saved copy fills its limit, names the parts left out, and is a valid document."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from ledger_documents import ledger

import jupyter_jaxpr as jj
from jupyter_jaxpr.document.check.validate import read, validate
from jupyter_jaxpr.document.copies.saved_copy import saved_copy
from jupyter_jaxpr.document.encoding import encode
from jupyter_jaxpr.document.printed_program import program_text

pytestmark = pytest.mark.any_jax

FIXTURES = Path(__file__).parent / "fixtures"
SAVED = sorted(path for path in FIXTURES.glob("*-*.json") if "page" not in path.name)


def fixture(name):
    return read((FIXTURES / f"{name}.json").read_text())


def held(document):
    return [level.name for program in document.programs for level in program.levels if level.state == "held"]


def size_text(number):
    return f"{number / 1000:.1f}\u00a0kB"


def test_a_small_document_is_saved_as_it_is():
    document = fixture("rnn-0.12")
    assert saved_copy(document, 256_000) is document


def test_hlo_goes_first_then_stablehlo():
    document = fixture("rnn-0.12")
    assert held(document) == ["stablehlo", "hlo"]
    size = len(encode(document))
    without_hlo = saved_copy(document, size - 1)
    assert held(without_hlo) == ["stablehlo"]
    assert without_hlo.cut == (
        f"To keep the notebook under {size_text(size - 1)}, this saved copy leaves out HLO. Run the cell again to see "
        "everything."
    )
    hlo = without_hlo.programs[0].levels[1]
    assert (hlo.state, hlo.text, hlo.line_stacks) == ("on_request", None, None)
    assert hlo.reason is not None
    assert hlo.reason.startswith(
        "This saved copy leaves out the text of this level to keep the notebook small. Run the cell again"
    )
    without_both = saved_copy(document, len(encode(without_hlo)) - 1)
    assert held(without_both) == []
    assert "this saved copy leaves out HLO and StableHLO." in (without_both.cut or "")
    assert program_text(without_both, 0) == program_text(document, 0)


def test_then_equations_beyond_the_first_of_each_scope():
    document = fixture("unrolled-0.12")
    lines_of_all = program_text(document, 0).split("\n")
    copy = saved_copy(document, 7_000)
    (program,) = copy.programs
    assert (program.complete, program.equations) == (False, 300)
    lines_of_copy = program_text(copy, 0).split("\n")
    assert lines_of_copy[:21] == lines_of_all[:21]
    assert lines_of_copy[-2:] == [f"  … {300 - 20} more equations", "in (…,) }"]
    assert copy.cut == (
        "To keep the notebook under 7.0\u00a0kB, this saved copy leaves out StableHLO and equations. Run the cell "
        "again to see everything."
    )


def test_sums_of_costs_stay_when_equations_go():
    document = fixture("unrolled-0.12")
    [full_cost] = document.costs
    copy = saved_copy(document, 7_000)
    validate(copy)
    [cost] = copy.costs
    assert (cost.flops, cost.by_primitive) == (full_cost.flops, full_cost.by_primitive)
    assert [(copy.frames[row.frame].line, row.label, row.flops) for row in cost.by_line] == [
        (document.frames[row.frame].line, row.label, row.flops) for row in full_cost.by_line
    ]
    # The copy leaves out the equations of the scope, so it also leaves out their costs.
    assert len(full_cost.scopes) == 1
    assert cost.scopes == []


def test_costs_go_before_the_programs():
    copy = saved_copy(fixture("unrolled-0.12"), 4_500)
    validate(copy)
    assert copy.costs == []
    assert copy.programs[0].name == "f"
    assert copy.cut == (
        "To keep the notebook under 4.5\u00a0kB, this saved copy leaves out StableHLO, equations, long texts and "
        "costs. Run the cell again to see everything."
    )


def test_the_ledger_keeps_its_lines_when_frames_are_left_out():
    full_document = fixture("unrolled-0.12")
    place = len(full_document.frames) - 1
    document = msgspec.structs.replace(full_document, ledger=ledger(frame=place))
    copy = saved_copy(document, 8_000)
    validate(copy)
    assert copy.ledger is not None
    (function,) = copy.ledger.functions
    lines = [copy.frames[index].line for index in (function.definition, *(miss.frame for miss in function.misses))]
    assert lines == [full_document.frames[place].line] * 3
    assert copy.programs[0].complete is False


def test_functions_that_this_run_did_not_call_go_first():
    full_document = fixture("unrolled-0.12")
    run = ledger(frame=0)
    (called,) = run.functions
    none = msgspec.structs.replace(
        called.run, calls=0, hits=0, misses=0, traces=0, lowerings=0, compiles=0, inlined=0, seconds=0.0
    )
    other_functions = [msgspec.structs.replace(called, name=f"other_{number}", run=none) for number in range(100)]
    document = msgspec.structs.replace(
        full_document, ledger=msgspec.structs.replace(run, functions=[called, *other_functions])
    )
    copy = saved_copy(document, len(encode(full_document)) + 3_000)
    validate(copy)
    assert copy.ledger is not None
    assert [function.name for function in copy.ledger.functions] == ["rnn"]
    assert copy.programs[0].complete
    assert copy.cut is not None
    assert copy.cut.endswith(
        "this saved copy leaves out the cache entries of functions of other cells. Run the cell again to see "
        "everything."
    )


def test_names_of_what_is_left_are_those_of_the_whole():
    document = fixture("shared-0.12")
    copy = next(
        copy
        for limit in range(len(encode(document)), 1_500, -50)
        if not (copy := saved_copy(document, limit)).programs[0].complete
    )
    assert [copy.strings[let.name] for let in copy.programs[0].lets or []] == ["g", "long"]
    assert program_text(copy, 0).startswith(program_text(document, 0).split("\n")[0])


def test_of_many_programs_those_near_the_program_in_focus_keep_their_equations(notebook):
    def cell(number):
        definitions = [f"@jax.jit\ndef f{index}(x):\n    return x * {index} + 1\n" for index in range(number)]
        return "\n".join([*definitions, *(f"f{index}(jnp.ones(2))" for index in range(number))])

    notebook.run(f"%%jaxpr\n{cell(60)}")
    document = jj.last().snapshot.document
    libraries = len(document.programs) - 60
    copy = saved_copy(document, 160_000)
    validate(copy)
    assert [program.name for program in copy.programs] == [f"f{index}" for index in range(40, 60)]
    assert copy.programs[copy.focus].name == "f59"
    assert program_text(copy, copy.focus) == program_text(document, document.focus)
    assert f" and {40 + libraries} other programs." in copy.cut
    only = saved_copy(document, 30_000)
    validate(only)
    assert [program.name for program in only.programs] == ["f59"]
    assert f"{59 + libraries} other programs" in only.cut


def test_the_last_resort_leaves_no_program():
    copy = saved_copy(fixture("rnn-0.12"), 1_000)
    assert copy.programs == []
    assert copy.focus == -1
    assert copy.cut == (
        "To keep the notebook under 1.0\u00a0kB, this saved copy leaves out all programs. Run the cell again to see "
        "everything."
    )
    assert copy.cell is not None and copy.cell.source.startswith("%%jaxpr")


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_every_copy_is_sound_and_under_its_limit(path):
    document = read(path.read_text())
    size = len(encode(document))
    for limit in (size - 1, size * 3 // 4, size // 2, size // 3, 2_500):
        limit = max(limit, 1_500)
        copy = saved_copy(document, limit)
        assert len(encode(copy)) <= limit
        validate(copy)
        for index in range(len(copy.programs)):
            program_text(copy, index)
        assert len(copy.strings) <= len(document.strings) + 5
