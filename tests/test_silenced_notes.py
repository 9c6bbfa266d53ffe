"""Tests notes that the user silenced for a line, a cell or a notebook; the panel counts them."""

import pytest

pytestmark = pytest.mark.any_jax

DROPPED = "y = 1\nx.at[0].set(9.0){}\nx.at[1].set(9.0)\ny = 2"
BY = "by a comment # jaxpr: ignore, by --ignore, or by %config JaxprMagics.ignore."


@pytest.fixture(autouse=True)
def compiled(notebook):
    """Run the operations of the cells once, so that no test has a note about their compiles."""
    notebook.run(DROPPED.format(""))


@pytest.mark.parametrize(
    "comment",
    ["  # jaxpr: ignore", " # jaxpr:ignore dropped_update", " # the copy # jaxpr: ignore stale_value, dropped_update"],
)
def test_a_line(notebook, comment):
    ran = notebook.run("%%jaxpr\n" + DROPPED.format(comment))
    assert ran.notes == ["dropped_update", "silenced"]
    assert ran.line_of(ran.note("dropped_update")) == 4
    silenced = ran.note("silenced")
    assert (silenced["text"], silenced["detail"]) == (f"1 note is silenced, {BY}", "line 3: dropped_update")


@pytest.mark.parametrize(
    "comment", ["", "  # jaxpr: ignore stale_value", "  # jaxpr", "  # jaxpr: ignored", "; z = '# jaxpr: ignore'"]
)
def test_a_line_that_silences_nothing(notebook, comment):
    ran = notebook.run("%%jaxpr\n" + DROPPED.format(comment))
    assert ran.notes == ["dropped_update", "dropped_update"]


@pytest.mark.parametrize("kinds", ["dropped_update", "all", "stale_value, dropped_update"])
def test_a_cell(notebook, kinds):
    ran = notebook.run(f"%%jaxpr --ignore {kinds}\n" + DROPPED.format(""))
    assert ran.notes == ["silenced"]
    assert ran.note("silenced")["text"] == f"2 notes are silenced, {BY}"
    assert "dropped_update" in notebook.run("%%jaxpr\n" + DROPPED.format("")).notes


def test_a_notebook(notebook):
    notebook.run("%config JaxprMagics.ignore = ['dropped_update']")
    assert notebook.run("%%jaxpr\n" + DROPPED.format("")).notes == ["silenced"]
    notebook.run("%config JaxprMagics.ignore = []")
    assert notebook.run("%%jaxpr\n" + DROPPED.format("")).notes == ["dropped_update", "dropped_update"]


def test_a_note_that_there_is_not(notebook, caplog):
    ran = notebook.run("%%jaxpr --ignore stale\n1")
    assert ran.stderr.startswith("UsageError: --ignore stale: there is no note 'stale'. Write one or more of captured")
    notebook.run("%config JaxprMagics.ignore = ['stale']")
    assert "The 'ignore' trait of a JaxprMagics instance" in caplog.text  # IPython words this message


def test_an_error_is_no_hint(notebook):
    ran = notebook.run("%%jaxpr --ignore all\ny = jax.jit(lambda v: v + (1 if v > 0 else 2))(1.0)  # jaxpr: ignore")
    assert ran.notes == ["trace_raised"]
