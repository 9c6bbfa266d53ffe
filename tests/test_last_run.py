"""Tests `jupyter_jaxpr.last()`, which gives the last run to a check in the next cell."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from conftest import Notebook

import jupyter_jaxpr
from jupyter_jaxpr import LastRun, Snapshot, observe

pytestmark = pytest.mark.any_jax

NOTHING = (
    "Nothing was observed yet. Run a cell that has %%jaxpr as its first line, or a block under "
    "`with jupyter_jaxpr.observe():`."
)
DOUBLE = "{ lambda ; a:f32[8]. let\n  b:f32[8] = mul a 2.0:f32[]\nin (b,) }"
NEG = "{ lambda ; a:f32[8]. let\n  b:f32[8] = neg a\nin (b,) }"


@pytest.fixture(autouse=True)
def nothing_observed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Reset `observe.last`, as in a new kernel."""
    monkeypatch.setattr(observe, "last", None)
    yield


@pytest.fixture
def cells(notebook: Notebook) -> Notebook:
    """Return a notebook with `double`, which is jitted, and `f`, which is not."""
    notebook.run(
        "import jupyter_jaxpr as jj\nfrom jupyter_jaxpr import last, observe\n"
        "@jax.jit\ndef double(v):\n    return v * 2\ndef f(v):\n    return lax.neg(v)"
    )
    return notebook


def raised(notebook: Notebook, call: str) -> str:
    """Return the message of the error that a call raises."""
    error = notebook.run(call).result.error_in_exec
    assert type(error) is LookupError
    return str(error)


def test_a_script_has_no_magics_and_is_offered_none() -> None:
    script = (
        "import jupyter_jaxpr\nfor cell in (None, 3):\n    try:\n        jupyter_jaxpr.last(cell)\n"
        "    except LookupError as error:\n        print(error)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == (
        "Nothing was observed yet. Run a block under `with jupyter_jaxpr.observe():`, or inspect a call with "
        "`jupyter_jaxpr.inspect(f, x)`, which returns the snapshot of the call.\n"
        "The kernel holds no run of cell [3]: only a cell under %%jaxpr has a run, and this host has no magics. "
        "Inspect a call with `jupyter_jaxpr.inspect(f, x)`, which returns the snapshot of the call.\n"
    )


def test_before_anything_was_observed_it_says_what_to_do(cells: Notebook) -> None:
    assert raised(cells, "last()") == NOTHING
    assert raised(cells, "last(3)") == (
        "The kernel holds no run of cell [3]. The kernel holds the %%jaxpr runs of these cells: none. "
        "Run the cell again."
    )


def test_it_gives_the_snapshot_and_the_ledger_of_the_last_cell(cells: Notebook) -> None:
    cells.run("%%jaxpr --title first\ny = double(x)")
    ran = cells.run("%%jaxpr\ny = double(x); z = double(x)")
    last_run = cells.run("last()").result.result
    assert type(last_run) is LastRun
    assert type(last_run.snapshot) is Snapshot
    assert last_run.snapshot.text() == DOUBLE
    assert last_run.snapshot.document.cell.execution_count == ran.result.execution_count
    assert [(function.name, function.misses, function.compiles) for function in last_run.ledger.functions] == [
        ("double", (), 0)
    ]


def test_a_widget_without_an_argument_shows_the_run_of_the_last_cell(cells: Notebook) -> None:
    assert raised(cells, "import jupyter_jaxpr as jj; jj.widget()") == NOTHING
    cells.run("%%jaxpr --title first\ny = double(x)")
    assert cells.run("jj.widget().document == jj.widget(last()).document").result.result
    assert cells.run("jj.widget().document['title']").result.result == "first"


def test_it_unpacks(cells: Notebook) -> None:
    cells.run("%%jaxpr\ny = double(x)")
    cells.run("snapshot, ledger = last()")
    assert cells["snapshot"].text() == DOUBLE
    assert [function.name for function in cells["ledger"].functions] == ["double"]


def test_it_gives_a_cell_by_its_number(cells: Notebook) -> None:
    first = cells.run("%%jaxpr\ny = double(x)").result.execution_count
    cells.run("1 + 1")
    third = cells.run("%%jaxpr\ny = f(x)").result.execution_count
    assert cells.run(f"last({first})").result.result.snapshot.text() == DOUBLE
    snapshot = cells.run(f"last({third})").result.result.snapshot
    assert [program.origin for program in snapshot.document.programs] == ["traced", "recorded"]
    assert [snapshot.text(program=number) for number in range(2)] == [NEG, NEG]
    assert raised(cells, f"last({first + 1})") == (
        f"The kernel holds no run of cell [{first + 1}]. The kernel holds the %%jaxpr runs of these cells: "
        f"[{first}], [{third}]. Run the cell again."
    )


def test_the_recording_can_be_compared_with_the_trace(cells: Notebook) -> None:
    cells.run("%%jaxpr\ny = f(x)")
    cells.run("texts = {last().snapshot.text(program=n) for n in range(len(last().snapshot.document.programs))}")
    assert cells["texts"] == {NEG}


def test_it_holds_the_runs_of_eight_cells(cells: Notebook) -> None:
    numbers = [cells.run(f"%%jaxpr\ny = f(x[:{n}])").result.execution_count for n in range(1, 11)]
    held_cells = ", ".join(f"[{number}]" for number in numbers[2:])
    assert raised(cells, f"last({numbers[1]})") == (
        f"The kernel holds no run of cell [{numbers[1]}]. The kernel holds the %%jaxpr runs of these cells: "
        f"{held_cells}. Run the cell again."
    )
    assert cells.run(f"last({numbers[2]})").result.result.snapshot.text() == NEG.replace("8", "3")


def test_a_cell_that_raised_is_the_last_one_too(cells: Notebook) -> None:
    cells.run("%%jaxpr\ny = double(x)")
    cells.run("%%jaxpr\n1 / 0")
    snapshot = cells.run("last().snapshot").result.result
    assert snapshot.document.programs == []
    assert snapshot.document.message == (
        "The cell raised ZeroDivisionError before a jitted function ran. Correct the cell and run the cell again."
    )


def test_a_line_with_a_mistake_and_a_line_magic_are_no_runs(cells: Notebook) -> None:
    number = cells.run("%%jaxpr\ny = double(x)").result.execution_count
    cells.run("%%jaxpr --no-such-option\n1")
    cells.run("%jaxpr f(x)")
    assert cells.run("last().snapshot.document.cell.execution_count").result.result == number


def test_within_a_cell_it_gives_the_run_before(cells: Notebook) -> None:
    number = cells.run("%%jaxpr\ny = double(x)").result.execution_count
    cells.run("%%jaxpr\nbefore = last().snapshot.document.cell.execution_count\ny = f(x)")
    assert cells["before"] == number


def test_a_later_run_does_not_change_an_earlier_one(cells: Notebook) -> None:
    cells.run("%%jaxpr\ny = double(x)")
    cells.run("kept = last()")
    before = [(function.name, function.compiles, function.calls) for function in cells["kept"].ledger.functions]
    cells.run("double(x[:3]); double(x[:4])")
    cells.run("%%jaxpr\ny = double(x[:5])")
    assert [(function.name, function.compiles, function.calls) for function in cells["kept"].ledger.functions] == before
    assert cells["kept"].snapshot.text() == DOUBLE


def test_a_trace_that_was_asked_for_later_is_in_the_run(cells: Notebook) -> None:
    built = cells.builds()
    cells.run("held = []\ndef effect(v):\n    held.append(1)\n    return lax.neg(v)")
    cells.run("%%jaxpr\neffect(x)")
    assert [program.origin for program in cells.run("last()").result.result.snapshot.document.programs] == ["recorded"]
    built[-1].retrace()
    origins = [program.origin for program in cells.run("last()").result.result.snapshot.document.programs]
    assert sorted(origins) == ["recorded", "traced"]


# --- observe() ---


def test_after_a_block_it_gives_the_ledger_and_no_snapshot(cells: Notebook) -> None:
    cells.run("with observe() as seen:\n    double(x)")
    last_run = cells.run("last()").result.result
    assert last_run == LastRun(None, cells["seen"])
    assert [(function.name, function.compiles) for function in last_run.ledger.functions] == [("double", 1)]


def test_a_block_that_raises_is_the_last_one(cells: Notebook) -> None:
    cells.run("with observe() as seen:\n    double(x)\n    1 / 0")
    assert cells.run("last()").result.result.ledger is cells["seen"]


def test_a_block_that_compiles_too_often_is_the_last_one(cells: Notebook) -> None:
    cells.run("with observe(max_compiles={'double': 0}) as seen:\n    double(x)")
    assert cells.run("last()").result.result.ledger is cells["seen"]


def test_in_a_notebook_the_last_cell_counts_and_not_the_last_block(cells: Notebook) -> None:
    number = cells.run("%%jaxpr\ny = double(x)").result.execution_count
    cells.run("with observe():\n    double(x)")
    assert cells.run("last()").result.result.snapshot.document.cell.execution_count == number


def test_after_the_extension_was_unloaded_the_cells_are_forgotten(cells: Notebook) -> None:
    cells.run("%%jaxpr\ny = double(x)")
    cells.run("%unload_ext jupyter_jaxpr")
    assert raised(cells, "last()") == NOTHING
    cells.run("with observe() as seen:\n    double(x)")
    assert cells.run("last()").result.result == LastRun(None, cells["seen"])


def test_a_second_shell_has_runs_of_its_own(make_notebook: Callable[..., Notebook]) -> None:
    first = make_notebook()
    first.run("import jax.numpy as jnp\nfrom jupyter_jaxpr import last\nx = jnp.ones(3)")
    first.run("%%jaxpr\ny = -x")
    second = make_notebook()
    second.run("from jupyter_jaxpr import last")
    assert raised(second, "last()") == NOTHING


def test_in_a_script_without_ipython() -> None:
    import jax

    with observe() as caught:
        jax.jit(lambda v: v * 3)(1.0)
    assert jupyter_jaxpr.last() == LastRun(None, caught)


# --- widget ---


def test_the_widget_takes_a_last_run(cells: Notebook) -> None:
    cells.run("%%jaxpr\ny = f(x)")
    document = cells.run("jj.widget(last()).document").result.result
    assert [program["name"] for program in document["programs"]] == ["f", "f"]


def test_the_widget_refuses_a_block(cells: Notebook) -> None:
    cells.run("with observe():\n    double(x)")
    error = cells.run("jj.widget(last())").result.error_in_exec
    assert type(error) is ValueError
    assert str(error) == (
        "A block under observe() has no programs to show. Give the snapshot of a cell or of jupyter_jaxpr.inspect."
    )


def test_a_cell_that_ipython_rewrote_is_shown_as_typed(cells: Notebook) -> None:
    plain = "import jax.numpy as jnp\ndef plain(x):\n    return jnp.sin(x)"
    typed = "path = %pwd\ndef f(x):\n    return plain(x) * 2"
    cells.run(plain)
    cells.run(typed)
    cells.run("snapshot = jj.inspect(f, 1.0, stage='trace')")
    files = [file for file in cells["snapshot"].document.files if file.kind == "cell"]
    assert sorted((file.source or "").rstrip() for file in files) == sorted([plain, typed])
