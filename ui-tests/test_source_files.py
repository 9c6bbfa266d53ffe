"""Tests functions in the user's files: the source beside the program, linked like a cell; library files on request."""

import re

import pytest
from open_notebook import OpenNotebook
from page_checks import cut, violations
from playwright.sync_api import expect
from test_wide_view import Wide, open_wide

WRITE = """\
%%writefile layers.py
import jax


def dense(w, x):
    hidden = x @ w
    return jax.nn.gelu(hidden)"""

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp\nimport layers"

RUN = """\
%%jaxpr
@jax.jit
def model(w, x):
    return layers.dense(w, x) * 2.0

y = model(jnp.ones((8, 4)), jnp.ones((3, 8)))"""


@pytest.fixture
def model(shared_notebook) -> OpenNotebook:
    nb = shared_notebook(WRITE, LOAD, RUN)
    expect(nb.listing()).to_contain_text("dot_general")
    return nb


def of_source(wide: Wide, title: str):
    return wide.column("Source").locator(".jp-JaxprWide-heading").filter(has_text=title)


def test_the_text_of_a_file_is_there_and_linked_like_a_cell(model):
    wide = open_wide(model, alone=True)
    expect(wide.lines("Source", "hidden = x @ w")).to_be_visible()
    expect(of_source(wide, "layers.py")).to_have_text("layers.py")
    expect(wide.count("Source")).to_have_text("12 lines")

    # An equation marks the line of the file, and the line of the cell that calls the function.
    wide.lines("jaxpr", "dot_general").click()
    expect(wide.linked("Source")).to_have_text(["    return layers.dense(w, x) * 2.0", "    hidden = x @ w"])
    expect(wide.count("Source")).to_have_text("2 of 12 lines linked")

    # In the file, the mouse and the caret mark equations, as in a cell.
    wide.lines("Source", "hidden = x @ w").get_by_text("@").hover()
    expect(wide.linked("jaxpr")).to_have_count(1)
    expect(wide.linked("jaxpr")).to_contain_text("dot_general")
    wide.lines("Source", "jax.nn.gelu").get_by_text("gelu", exact=True).click()
    expect(wide.count("jaxpr")).to_have_text(re.compile(r"^\d+ of \d+ equations linked$"))
    expect(wide.linked("StableHLO").first).to_be_in_viewport()
    model.page.keyboard.press("ArrowUp")
    expect(wide.linked("jaxpr")).to_have_count(1)
    expect(wide.linked("jaxpr")).to_contain_text("dot_general")


def test_frames_of_libraries_are_folded_and_can_be_opened(model):
    wide = open_wide(model, alone=True)
    libraries = wide.column("Source").get_by_role("group")
    expect(libraries.locator("summary")).to_have_text(re.compile(r"^Calls through \d+ library files$"))
    expect(libraries.get_by_role("button")).to_have_count(0)
    wide.lines("Source", "jax.nn.gelu").get_by_text("gelu", exact=True).click()
    expect(wide.count("jaxpr")).to_have_text(re.compile(r"^\d+ of \d+ equations linked$"))

    libraries.locator("summary").focus()
    model.page.keyboard.press("Enter")
    button = libraries.get_by_role("button", name="jax/nn/functions.py")
    expect(button).to_have_text("jax/nn/functions.py · has linked lines")
    button.focus()
    model.page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    # The line of the library that the user's line calls is marked and visible.
    expect(wide.linked("Source").filter(has_text="jnp.tanh").first).to_be_in_viewport()

    # A click on the line of the library marks its equations.
    wide.lines("Source", "jnp.tanh").first.click()
    expect(wide.linked("jaxpr")).to_have_count(1)
    expect(wide.linked("jaxpr")).to_contain_text("gelu")
    expect(wide.count("jaxpr")).to_have_text(re.compile(r"^\d of 10 equations linked$"))
    button.click()
    expect(wide.lines("Source", "jnp.tanh")).to_have_count(0)
    expect(wide.count("Source")).to_have_text(re.compile(r"12 lines linked$"))


@pytest.mark.slow
def test_a_file_that_changed_since_it_was_imported_is_not_shown(notebook):
    model = notebook(WRITE, LOAD, RUN)
    model.run_all()
    expect(model.listing()).to_contain_text("dot_general")
    model.write(0, WRITE.replace("x @ w", "(x + 1) @ w"))
    model.run(0)
    model.run(2)
    wide = open_wide(model, alone=True)
    expect(of_source(wide, "layers.py")).to_contain_text(
        "layers.py has changed since its import, so its lines are not the lines that ran. Restart the kernel or "
        "import the module again, then run the cell again. Equations of the program come from lines 5, 6."
    )
    expect(wide.lines("Source", "(x + 1) @ w")).to_have_count(0)


def test_the_narrow_panel_says_what_stands_on_the_line_of_the_file(model):
    model.set_panel_width(320)
    model.listing().locator(".cm-line").filter(has_text="dot_general").click()
    detail = model.panel.get_by_role("group", name="Details of the selection")
    detail.get_by_role("button", name="More details").click()
    expect(detail).to_contain_text("layers.py, line 5, in dense hidden = x @ w")

    # On request, the details show the text of the library lines.
    model.panel.get_by_role("button", name="Unfold all").click()
    model.listing().locator(".cm-line").filter(has_text="tanh").first.click()
    detail.locator("summary").first.click()
    expect(detail.locator("details code").first).to_be_visible()
    assert cut(model.panel, "*", ".jp-JaxprProgram-listing, .jp-JaxprProgram-detail") == []
    assert violations(model.page) == []


def test_lines_of_files_stand_above_what_was_made_of_them(model):
    model.listing().focus()
    model.page.keyboard.press("s")
    expect(model.listing().locator(".jp-JaxprProgram-head")).to_have_text(
        [
            "layers.py, line 5 hidden = x @ w",
            "layers.py, line 6 return jax.nn.gelu(hidden)",
            "4 return layers.dense(w, x) * 2.0",
        ]
    )


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_the_column_is_accessible(model, theme):
    model.theme(theme)
    wide = open_wide(model, alone=True)
    wide.column("Source").locator("summary").click()
    wide.column("Source").get_by_role("button", name="jax/nn/functions.py").click()
    expect(of_source(wide, "jax/_src/nn/functions.py, lines").first).to_be_visible()
    wide.lines("jaxpr", "dot_general").click()
    expect(wide.linked("Source").first).to_be_visible()
    assert violations(model.page, ".jp-JaxprWide") == []
