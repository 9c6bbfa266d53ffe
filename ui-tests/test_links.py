"""Tests links between program and cells: by mouse, by keyboard, across cells; there is none where the text changed."""

import re
import sys

import pytest
from lab_server import markdown
from page_checks import violations
from playwright.sync_api import expect

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp"

DENSE = """\
%%jaxpr
@jax.jit
def dense(w, x):
    h = x @ w
    return jnp.tanh(h) + 1

dense(jnp.ones((8, 16)), jnp.ones(8)).shape"""

PARAMETERS = [
    "While JAX traced, w had the type f32[8,16] at this place.",
    "While JAX traced, x had the type f32[8] at this place.",
]


@pytest.fixture
def dense(shared_notebook):
    nb = shared_notebook(LOAD, DENSE)
    expect(nb.equation(3)).to_contain_text("add")
    return nb


def spans(nb, cell):
    """Return the underlined expressions in a cell."""
    return nb.cell(cell).locator(".jp-JaxprCell-span")


def linked(nb):
    """Return the marked equations."""
    return nb.listing().locator('.cm-line[data-linked="true"]')


def test_an_equation_marks_the_expression_it_came_from(dense):
    dense.equation(1).hover()
    dense.expect_linked(1, "x @ w")
    expect(linked(dense)).to_have_text([re.compile("^c:.* = dot_general")])
    dense.point_at(dense.equation(2))
    dense.expect_linked(1, "jnp.tanh(h)")
    dense.page.mouse.move(1, 1)
    dense.equation(3).click()
    dense.expect_linked(1, "jnp.tanh(h) + 1")

    # When the mouse leaves, the selected equation stays marked; the number of the cell's line shows the link without
    # colour.
    dense.cell(0).hover()
    dense.expect_linked(1, "jnp.tanh(h) + 1")
    expect(linked(dense)).to_have_attribute("data-cell-line", "5")
    expect(dense.cell(1).locator(".jp-JaxprCell-line")).to_have_attribute("data-jaxpr-line", "5")
    detail = dense.panel.get_by_role("group", name="Details of the selection")
    expect(detail).to_contain_text("add")
    expect(detail).to_contain_text("jnp.tanh(h) + 1")
    expect(detail).to_contain_text("d:f32[16], 1.0 → e:f32[16]")


def test_the_caret_and_the_mouse_in_the_cell_mark_its_equations(dense):
    dense.lines(1).nth(3).get_by_text("x", exact=False).first.hover()
    dense.lines(1).nth(3).click()
    dense.page.keyboard.press("End")
    expect(linked(dense)).to_have_text([re.compile("dot_general")])
    dense.expect_linked(1, "x @ w")

    dense.page.keyboard.press("ArrowDown")
    dense.page.keyboard.press("End")
    expect(linked(dense)).to_have_text([re.compile("= add")])
    for _ in range(len("h) + 1")):  # moves the caret into the argument of tanh
        dense.page.keyboard.press("ArrowLeft")
    expect(linked(dense)).to_have_text([re.compile("= tanh")])
    dense.expect_linked(1, "jnp.tanh(h)")

    dense.page.keyboard.press("Control+Home")  # moves the caret to the line of the magic
    expect(linked(dense)).to_have_count(0)
    expect(dense.panel.get_by_role("group", name="Details of the selection")).to_contain_text(
        "No equation of the program in view comes from this place."
    )


def test_from_the_program_to_the_cell_and_back_by_keyboard_alone(dense):
    page = dense.page
    # the shortcut closes the panel; pressed again, it opens the panel with the focus
    page.keyboard.press("Control+Alt+j")
    page.keyboard.press("Control+Alt+j")
    expect(dense.panel.get_by_role("button", name="dense", exact=True)).to_be_focused()
    for stop in (
        dense.panel.get_by_role("tab", name="Program"),
        dense.panel.get_by_role("button", name="Time the calls"),
        dense.panel.get_by_role("button", name="jaxpr", exact=True),
        dense.listing(),
    ):
        page.keyboard.press("Tab")
        expect(stop).to_be_focused()

    page.keyboard.press("ArrowDown")
    dense.expect_linked(1, "x @ w")
    page.keyboard.press("ArrowDown")
    dense.expect_linked(1, "jnp.tanh(h)")
    page.keyboard.press("Enter")
    expect(dense.editor(1)).to_be_focused()
    expect(page.locator("#jp-main-statusbar")).to_contain_text("Ln 5, Col 12")
    expect(linked(dense)).to_have_text([re.compile("= tanh")])
    page.keyboard.press("Escape")
    expect(dense.listing()).to_be_focused()
    page.keyboard.press("ArrowDown")
    dense.expect_linked(1, "jnp.tanh(h) + 1")


ENDS_BEFORE_BADGE = """line => {
  const { right, width } = getComputedStyle(line, '::after');
  return parseFloat(getComputedStyle(line).paddingRight) >= parseFloat(right) + parseFloat(width);
}"""


def test_a_function_of_another_cell_is_linked_to_its_cell(notebook):
    nb = notebook(
        LOAD,
        "def unit(x):\n    return x / jnp.sum(x)",
        "%%jaxpr\n@jax.jit\ndef doubled(x):\n    return 2 * unit(x)\n\ndoubled(jnp.ones(3)).shape",
    )
    nb.run_all()
    expect(nb.equation(1)).to_contain_text("reduce_sum")
    expect(nb.equation(1)).to_have_attribute("data-cell-line", "[2] 2")
    expect(nb.equation(3)).to_have_attribute("data-cell-line", "4")
    assert nb.equation(1).evaluate(ENDS_BEFORE_BADGE)

    nb.equation(1).click()
    nb.expect_linked(1, "jnp.sum(x)")
    nb.expect_linked(2, "unit(x)")  # a dotted line marks the call of the function that is in the other cell
    expect(spans(nb, 2)).to_have_class(re.compile("jp-mod-call"))

    nb.lines(1).nth(1).click()
    nb.page.keyboard.press("End")
    expect(linked(nb)).to_have_text([re.compile("reduce_sum")])
    nb.equation(1).click()
    nb.page.keyboard.press("Enter")
    expect(nb.editor(1)).to_be_focused()


def test_what_is_chosen_in_one_level_is_in_view_in_the_others(dense):
    dense.equation(1).click()
    for level in ("StableHLO", "HLO"):
        dense.panel.get_by_role("button", name=level, exact=True).click()
        line = dense.listing(level).locator('.cm-line[data-linked="true"]').first
        expect(line).to_be_in_viewport()
        expect(line).to_have_attribute("data-cell-line", "4")
        dense.expect_linked(1, "x @ w")


def test_links_move_with_the_text_and_only_edited_text_is_grey(dense):
    dense.equation(1).click()
    dense.expect_linked(1, "x @ w")
    top = dense.equation(1).bounding_box()["y"]
    edited = dense.panel.get_by_text("cell edited after the run", exact=True)

    dense.lines(1).nth(0).click()
    dense.page.keyboard.press("End")
    dense.page.keyboard.press("Enter")
    dense.page.keyboard.type("# a comment")
    expect(edited).to_be_visible()
    assert dense.equation(1).bounding_box()["y"] == top  # the word "edited" does not move the program
    dense.point_at(dense.equation(2))
    dense.expect_linked(1, "jnp.tanh(h)")

    # Enter moves the caret from the equation to the present place of its expression in the edited cell.
    dense.equation(1).click()
    dense.listing().press("Enter")
    expect(dense.page.locator("#jp-main-statusbar")).to_contain_text("Ln 5, Col 9")
    expect(linked(dense)).to_have_text([re.compile("dot_general")])

    # After an edit of an expression, only this expression is grey.
    dense.page.keyboard.press("Delete")
    dense.page.keyboard.type("v")
    dense.expect_linked(1, "")
    expect(dense.cell(1).locator(".jp-JaxprCell-changed")).to_have_text(["v @ w"])
    dense.point_at(dense.equation(2))
    dense.expect_linked(1, "jnp.tanh(h)")

    dense.page.mouse.move(1, 1)
    dense.lines(1).nth(4).click()
    for _ in range(40):
        dense.page.keyboard.press("Control+z")
    expect(dense.lines(1)).to_have_count(len(DENSE.splitlines()))
    expect(edited).to_be_hidden()
    dense.point_at(dense.equation(1))
    dense.expect_linked(1, "x @ w")


@pytest.mark.slow
@pytest.mark.fresh_page
def test_links_of_an_edited_cell_are_there_after_a_reload(notebook):
    nb = notebook(LOAD, DENSE)
    nb.run_all()
    expect(nb.equation(3)).to_contain_text("add")
    nb.write(1, "# first\n" + DENSE.replace("h) + 1", "h) + 2"))
    nb.save()
    nb.reload()
    expect(nb.panel.get_by_text("cell edited after the run", exact=True)).to_be_visible()
    nb.equation(1).click()
    nb.expect_linked(1, "x @ w")
    nb.equation(3).click()
    nb.expect_linked(1, "")
    expect(nb.cell(1).locator(".jp-JaxprCell-changed")).to_have_text(["jnp.tanh(h) + 2"])


def test_a_deleted_cell_is_said(notebook):
    nb = notebook(LOAD, DENSE)
    nb.run_all()
    expect(nb.equation(3)).to_contain_text("add")
    nb.editor(1).click()
    nb.command("notebook:enter-command-mode")
    nb.command("notebook:delete-cell")
    expect(nb.panel.get_by_text("cell deleted", exact=True)).to_be_visible()
    nb.command("notebook:undo-cell-action")
    expect(nb.panel.get_by_text("cell deleted", exact=True)).to_be_hidden()


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.11 cannot tell which lines a trace reached")
@pytest.mark.slow
def test_lines_that_no_trace_reached_are_marked(notebook):
    nb = notebook(
        LOAD,
        "%%jaxpr\n@jax.jit\ndef halve(x):\n    if x.ndim == 2:\n        return x.T / 2\n    return x / 2\n\n"
        "halve(jnp.ones(3)).shape",
    )
    nb.run_all()
    expect(nb.equation(1)).to_contain_text("div")
    untraced = nb.cell(1).locator(".jp-JaxprCell-untraced")
    expect(untraced).to_have_text(["        return x.T / 2"])
    expect(untraced).to_have_attribute("title", "The trace did not reach this line.")


def test_the_types_of_the_names_stand_beside_the_code(dense):
    types = dense.typed_lines(1)
    said = [
        "\n".join(PARAMETERS),
        "While JAX traced, h had the type f32[16] at this place.",
        "While JAX traced, this line returned a value of the type f32[16].",
    ]
    for at, sentence in enumerate(said):
        expect(types.nth(at)).to_have_accessible_description(sentence)
    expect(types).to_have_count(len(said))
    # The types are not part of the cell's text, so they are not copied.
    expect(dense.lines(1).nth(3)).to_have_text("    h = x @ w")
    dense.editor(1).click()
    dense.page.keyboard.press("Control+Alt+T")
    expect(types).to_have_count(0)
    dense.page.keyboard.press("Control+Alt+T")
    expect(types).to_have_count(len(said))
    # If a line was edited after the run, its type is grey.
    dense.lines(1).nth(3).click()
    dense.page.keyboard.press("End")
    dense.page.keyboard.type("2")
    expect(types).to_have_count(len(said))
    grey = dense.cell(1).locator(".jp-JaxprCell-typed.jp-mod-changed")
    expect(grey).to_have_accessible_description(f"This part of the cell was edited after the cell ran.\n{said[1]}")
    dense.page.keyboard.press("Backspace")
    expect(grey).to_have_count(0)


def test_the_pointer_at_the_types_of_a_line_shows_them_in_whole_sentences(dense):
    line = dense.lines(1).nth(2)
    code = line.evaluate(
        """line => {
          const code = document.createRange();
          code.selectNodeContents(line);
          return code.getBoundingClientRect().right - line.getBoundingClientRect().left;
        }"""
    )
    line.hover(position={"x": code + 30, "y": 8})
    expect(line).to_have_attribute("title", "\n".join(PARAMETERS))
    line.hover(position={"x": code - 10, "y": 8})
    expect(line).not_to_have_attribute("title", re.compile(""))


def test_a_button_of_the_notebook_hides_the_types(dense):
    types = dense.typed_lines(1)
    expect(types).to_have_count(3)
    button = dense.page.get_by_role("button", name="Show the types that the names in the cell had")
    expect(button).to_have_attribute("aria-pressed", "true")
    button.click()
    expect(types).to_have_count(0)
    expect(button).to_have_attribute("aria-pressed", "false")
    button.click()
    expect(types).to_have_count(3)


@pytest.mark.slow
@pytest.mark.fresh_page
def test_a_setting_puts_the_types_after_the_names(notebook, lab):
    plugin = lab.settings / "jupyter-jaxpr"
    plugin.mkdir(parents=True, exist_ok=True)
    (plugin / "plugin.jupyterlab-settings").write_text('{"typesPlace": "name"}')
    nb = notebook(LOAD, DENSE)
    nb.run_all()
    types = nb.cell(1).get_by_role("note")
    expect(types).to_have_count(4)  # the types of two parameters, one assigned name and the returned value
    for at, shown in enumerate((": f32[8,16]", ": f32[8]", ": f32[16]", "→ f32[16]")):
        expect(types.nth(at)).to_have_attribute("data-jaxpr-types", shown)
    # The types take no columns of the code: one press moves the caret from the name to the next character.
    nb.lines(1).nth(3).click()
    nb.page.keyboard.press("Home")
    for _ in range(2):
        nb.page.keyboard.press("ArrowRight")
    expect(nb.page.locator("#jp-main-statusbar")).to_contain_text("Ln 4, Col 7")
    nb.page.keyboard.press("Home")
    nb.page.keyboard.press("Shift+End")
    nb.page.keyboard.press("Control+c")
    nb.page.keyboard.press("End")
    nb.page.keyboard.press("Enter")
    nb.page.keyboard.press("Control+v")
    expect(nb.lines(1).nth(4)).to_have_text(re.compile(r"^\s+h = x @ w$"))


def card(nb):
    """Return the card with the facts on an expression in the cell."""
    return nb.page.locator(".jp-JaxprCell-expression")


PRODUCT = [
    "x @ w",
    "While JAX traced, h had the type f32[16] at this place.",
    "1 equation comes from the expression.",
    "The cost of the equations is 256 op, 43 % of the total cost of the program.",
    "c:f32[16] = dot_general b a",
]


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_the_mouse_over_an_expression_shows_its_type_its_equations_and_its_operations(dense, theme):
    dense.theme(theme)
    dense.set_panel_width(320)
    product = dense.lines(1).nth(3).get_by_text("@", exact=True)
    dense.point_at(product)
    expect(card(dense).locator("div, li")).to_have_text(PRODUCT)
    box, code = card(dense).bounding_box(), product.bounding_box()
    assert box["y"] + box["height"] <= code["y"] + 1 or box["y"] >= code["y"] + code["height"] - 1
    assert 0 <= box["x"] and box["x"] + box["width"] <= dense.page.viewport_size["width"]
    assert violations(dense.page, ".jp-JaxprCell-expression") == []
    dense.page.mouse.move(1, 1)
    expect(card(dense)).to_have_count(0)

    # New lines above an expression do not change its card; an edited expression has no card.
    dense.lines(1).nth(0).click()
    dense.page.keyboard.press("End")
    dense.page.keyboard.press("Enter")
    dense.point_at(dense.lines(1).nth(4).get_by_text("@", exact=True))
    expect(card(dense).locator("div, li")).to_have_text(PRODUCT)


@pytest.mark.slow
def test_without_room_above_the_card_leaves_the_line_of_the_pointer_and_the_next_line_free(notebook, page):
    nb = notebook(LOAD, DENSE, markdown("A long text." + "\n\nA paragraph." * 80))
    nb.run_all()
    expect(nb.listing()).to_contain_text("dot_general")
    page.set_viewport_size({"width": 1400, "height": 700})
    line = nb.lines(1).nth(3)
    line.evaluate("line => line.scrollIntoView({ block: 'start' })")
    nb.point_at(line.get_by_text("@", exact=True))
    expect(card(nb).locator("div, li")).to_have_text(PRODUCT)
    box, pointed, following = card(nb).bounding_box(), line.bounding_box(), nb.lines(1).nth(4).bounding_box()
    below = following["y"] + following["height"]
    assert box["y"] + box["height"] <= pointed["y"] + 1 or box["y"] >= below - 1


def test_a_key_shows_the_expression_at_the_caret_and_says_it(dense):
    dense.lines(1).nth(3).click()
    dense.page.keyboard.press("End")
    dense.page.keyboard.press("Shift+F1")
    expect(card(dense).locator("div, li")).to_have_text(PRODUCT)
    expect(dense.cell(1).locator(".cm-announced")).to_have_text("\n".join(PRODUCT))
    # Opening the card changes neither the text nor the caret; the card closes when the caret moves.
    expect(dense.lines(1).nth(3)).to_have_text("    h = x @ w")
    dense.page.keyboard.press("ArrowUp")
    expect(card(dense)).to_have_count(0)
    # A place without an expression has the types of its line.
    dense.page.keyboard.press("End")
    dense.page.keyboard.press("Shift+F1")
    expect(card(dense).locator("div")).to_have_text(PARAMETERS)
    expect(dense.cell(1).locator(".cm-announced")).to_have_text("\n".join(PARAMETERS))
    dense.page.keyboard.press("ArrowUp")
    dense.page.keyboard.press("Shift+F1")
    expect(card(dense)).to_have_text("The run has no type and no equation for this place in the code.")


@pytest.mark.slow
@pytest.mark.fresh_page
def test_the_expression_is_shown_in_notebook_7_too(notebook):
    nb = notebook(LOAD, DENSE, app="notebook")
    nb.run_all()
    expect(nb.typed_lines(1)).to_have_count(3)
    nb.point_at(nb.lines(1).nth(3).get_by_text("@", exact=True))
    expect(card(nb).locator("div, li")).to_have_text(PRODUCT)
