"""Tests that the panel shows the program of the line with the caret, until the user pins a program."""

import re

import pytest
from playwright.sync_api import expect

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp"
TWO_FUNCTIONS = """\
%%jaxpr
@jax.jit
def double(x):
    return x * 2

@jax.jit
def halve(x):
    return x / 2

double(jnp.ones(3)), halve(jnp.ones(3));"""
LOOP = """\
%%jaxpr
@jax.jit
def total(x):
    y = 0.0
    for row in x:
        y = y + jnp.sin(row)
    return y * 3

total(jnp.ones((2, 4))).shape"""

PRINTED = """\
%%jaxpr
@jax.jit
def shown(x):
    print("x is", x)
    return x + 1

shown(jnp.ones(3));"""


@pytest.fixture
def two_cells(shared_notebook):
    nb = shared_notebook(LOAD, TWO_FUNCTIONS, LOOP)
    expect(nb.equation(1)).to_be_visible()
    # the types come from the kernel's run, not from the saved copy
    expect(nb.typed_lines(2).first).to_be_visible()
    return nb


def caret_in(nb, cell, line):
    """Put the caret at the end of a line of a cell; lines are counted from 0."""
    nb.lines(cell).nth(line).click()
    nb.page.keyboard.press("End")


def linked(nb):
    return nb.listing().locator('.cm-line[data-linked="true"]')


def test_the_panel_shows_the_program_of_the_caret(two_cells):
    nb = two_cells
    program = nb.panel.get_by_role("toolbar", name="Program", exact=True)
    expect(program).to_contain_text("total")
    caret_in(nb, 1, 7)
    expect(program).to_contain_text("halve")
    expect(linked(nb)).to_have_text([re.compile("= div")])
    caret_in(nb, 1, 3)
    expect(program).to_contain_text("double")
    expect(linked(nb)).to_have_text([re.compile("= mul")])
    caret_in(nb, 2, 6)
    expect(program).to_contain_text("total")
    # The program also follows the caret while a view is shown that marks no lines in the cells.
    nb.panel.get_by_role("tab", name="Time").click()
    caret_in(nb, 1, 7)
    expect(program).to_contain_text("halve")
    nb.panel.get_by_role("tab", name="Notes").click()
    caret_in(nb, 2, 6)
    expect(program).to_contain_text("total")
    nb.panel.get_by_role("tab", name="Program").click()
    expect(linked(nb)).to_have_text([re.compile("= mul")])

    pin = nb.panel.get_by_role("button", name="Pin this program")
    pin.click()
    caret_in(nb, 1, 3)
    expect(nb.page.locator("#jp-main-statusbar")).to_contain_text("Ln 4")
    expect(program).to_contain_text("total")
    pin.click()
    caret_in(nb, 1, 7)
    expect(program).to_contain_text("halve")


def test_a_loop_of_python_leads_to_the_equations_of_its_body(two_cells):
    nb = two_cells
    caret_in(nb, 2, 4)
    program = nb.panel.get_by_role("toolbar", name="Program", exact=True)
    expect(program).to_contain_text("total")
    for primitive, times in (("sin", 2), ("add", 2), ("mul", 0)):
        expect(linked(nb).filter(has_text=re.compile(f"= {primitive}\\b"))).to_have_count(times)


def test_the_line_of_a_def_leads_to_the_equations_of_its_body(two_cells):
    nb = two_cells
    caret_in(nb, 1, 3)
    expect(linked(nb)).to_have_text([re.compile("= mul")])
    caret_in(nb, 1, 2)
    expect(linked(nb)).to_have_text([re.compile("= mul")])
    caret_in(nb, 1, 6)
    program = nb.panel.get_by_role("toolbar", name="Program", exact=True)
    expect(program).to_contain_text("halve")
    expect(linked(nb)).to_have_text([re.compile("= div")])


def test_the_types_of_each_cell_are_those_of_its_newest_run(two_cells):
    nb = two_cells
    expect(nb.typed_lines(1).first).to_have_accessible_description(
        "While JAX traced, x had the type f32[3] at this place."
    )
    expect(nb.typed_lines(2).first).to_have_accessible_description(
        "While JAX traced, x had the type f32[2,4] at this place."
    )
    # The types beside the code stay when the panel is closed.
    nb.page.keyboard.press("Control+Alt+j")
    expect(nb.panel).to_be_hidden()
    expect(nb.typed_lines(1).first).to_be_visible()


def test_the_counts_lead_to_the_cache_and_the_sign_of_a_note_to_the_notes(notebook):
    nb = notebook(LOAD, PRINTED, TWO_FUNCTIONS)
    nb.run_all()
    expect(nb.cell(2).get_by_role("img", name="2 calls, 2 compiles")).to_be_visible()
    nb.cell(2).get_by_text("2 compiles", exact=True).click()
    expect(nb.panel.get_by_role("tab", name="Cache")).to_have_attribute("aria-selected", "true")

    # A click on the sign of a note shows the run of its own cell, although another run was in view.
    nb.panel.get_by_role("tab", name="Program").click()
    caret_in(nb, 1, 4)
    note = nb.cell(1).locator(".jp-JaxprCell-note").first
    note.click()
    expect(nb.panel.get_by_role("tab", name="Notes")).to_have_attribute("aria-selected", "true")
    program = nb.panel.get_by_role("toolbar", name="Program", exact=True)
    expect(program).to_contain_text("shown")
