"""Tests the Notes tab: an unrolled loop with its rewrite, and the expression at which a trace raised an error."""

import pytest
from playwright.sync_api import expect

LOAD = """\
%load_ext jupyter_jaxpr
import jax, jax.numpy as jnp
x = jnp.ones(8)"""

SINES = """\
%%jaxpr
@jax.jit
def sines(x):
    for _ in range(100):
        x = jnp.sin(x)
    return x

sines(x)"""

REWRITTEN = "x = jax.lax.fori_loop(0, 100, lambda _, x: jnp.sin(x), x)"


def notes_of(nb):
    nb.panel.get_by_role("tab", name="Notes").click()
    return nb.panel.get_by_role("article")


def test_an_unrolled_loop_is_shown_beside_its_rewrite_which_can_be_copied_and_run(notebook, page):
    nb = notebook(
        LOAD, SINES, SINES.replace("    for _ in range(100):\n        x = jnp.sin(x)\n", f"    {REWRITTEN}\n")
    )
    nb.run(0)
    nb.run(1)
    note = notes_of(nb).filter(has_text="unrolled")
    expect(note).to_contain_text("Line 4: The for loop was unrolled into 100 equations")
    expect(note).to_contain_text("100 of the program's 100 equations.")
    expect(note).to_contain_text("Each iteration needs the result of the previous iteration.")
    expect(note.get_by_role("group", name="Code as written")).to_have_text("4for _ in range(100):5    x = jnp.sin(x)")
    expect(note.get_by_role("group", name="Rewritten code")).to_have_text(f"4{REWRITTEN}")
    expect(note).to_contain_text("The times of the stages of the whole program were measured: trace")

    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    note.get_by_role("button", name="Copy rewrite").click()
    expect(note.get_by_role("status")).to_have_text("The rewrite was copied.")
    assert page.evaluate("navigator.clipboard.readText()") == REWRITTEN

    note.get_by_role("button", name="Line 4").click()
    expect(nb.panel.get_by_role("tab", name="Notes")).to_have_attribute("aria-selected", "true")

    nb.run(2)
    expect(notes_of(nb).filter(has_text="unrolled")).to_have_count(0)


@pytest.mark.slow
def test_the_rewrite_of_an_unrolled_loop_is_tried_when_the_user_asks(notebook):
    nb = notebook(LOAD, SINES)
    nb.run(0)
    nb.run(1)
    note = notes_of(nb).filter(has_text="unrolled")
    expect(note).not_to_contain_text("Applies without changes")
    note.get_by_role("button", name="Try the rewrite").click()
    expect(note).to_contain_text("Applies without changes")
    expect(note.get_by_role("button", name="Try the rewrite")).to_have_count(0)
    expect(note.get_by_role("group", name="Rewritten code")).to_have_text(f"4{REWRITTEN}")


@pytest.mark.slow
def test_an_unrolled_loop_is_compared_with_its_rewrite_in_a_cell_of_its_own(notebook):
    nb = notebook(LOAD, SINES)
    nb.run(0)
    nb.run(1)
    note = notes_of(nb).filter(has_text="unrolled")
    note.get_by_role("button", name="Insert a cell with a comparison").click()
    expect(note.get_by_role("status")).to_have_text(
        "A new cell has the code as written and the rewrite. Run the cell to see the comparison."
    )
    expect(nb.lines(2)).to_have_text(
        [
            "%%jaxpr --compare sines,sines_loop",
            "@jax.jit",
            "def sines_loop(x):",
            f"    {REWRITTEN}",
            "    return x",
            "",
            "sines(x)",
        ]
    )
    expect(nb.prompt(2)).to_have_text("[ ]:")  # the inserted cell does not run by itself

    nb.run(2)
    compare = nb.panel.get_by_role("tabpanel", name="Compare")
    expect(compare).to_contain_text("sines_loop")
    expect(compare).to_contain_text("All results have the same bits.")
