"""Tests the levels side by side in the main area: links in every direction, order of columns, reloads, new runs."""

import re

import pytest
from open_notebook import OpenNotebook
from page_checks import violations
from playwright.sync_api import Locator, expect

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp\nfrom jax import lax\nx = jnp.arange(8.0)"

HELPER = """\
def readout(h, w):
    scores = h @ w
    return jax.nn.softmax(scores)"""

RNN = """\
%%jaxpr
@jax.jit
def rnn(p, xs):
    def step(h, x):
        a = x @ p["wx"]
        r = h @ p["wh"]
        h = jnp.tanh(a + r + p["b"])
        return h, h

    h, hs = lax.scan(step, jnp.zeros(16), xs)
    return readout(h, p["wo"]), hs

p = {"wx": jnp.ones((8, 16)), "wh": jnp.ones((16, 16)), "b": jnp.zeros(16), "wo": jnp.ones((16, 4))}
y, hs = rnn(p, jnp.ones((100, 8)))"""

TANH = 'jnp.tanh(a + r + p["b"])'

LONG = """\
%%jaxpr
@jax.jit
def long(x):
    x = jnp.sin(x)
    for _ in range(150):
        x = x * 2
    x = jnp.cos(x)
    return x

y = long(x)"""

TRACED = """\
%%jaxpr slope(f32[8])
def slope(x):
    return 2 * x"""


# Returns the words of visible lines that the editor breaks over two lines.
BROKEN_WORDS = r"""column => [...column.querySelectorAll('.cm-line')].flatMap(line => {
  const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  const broken = [];
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    for (const word of text.data.matchAll(/\w+/g)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const tops = [...range.getClientRects()].map(({ top }) => Math.round(top));
      if (new Set(tops).size > 1) broken.push(word[0]);
    }
  }
  return broken;
})"""


class Wide:
    """The wide view of a notebook's page."""

    def __init__(self, nb: OpenNotebook) -> None:
        self.nb = nb
        self.root = nb.page.locator(".jp-JaxprWide")

    def column(self, name: str) -> Locator:
        """Return the column with this name: Source, jaxpr, StableHLO or HLO."""
        return self.root.get_by_role("group", name=name, exact=True)

    def toggle(self, name: str) -> Locator:
        """Return the button that shows or hides a column."""
        return self.root.get_by_role("toolbar", name="Columns").get_by_role("button", name=name, exact=True)

    def show(self, *names: str) -> None:
        """Show exactly these columns, by their buttons."""
        wanted = {name: str(name in names).lower() for name in ("Source", "jaxpr", "StableHLO", "HLO")}
        for name, pressed in sorted(wanted.items(), key=lambda one: one[1], reverse=True):
            if self.toggle(name).get_attribute("aria-pressed") != pressed:
                self.toggle(name).click()
            expect(self.toggle(name)).to_have_attribute("aria-pressed", pressed)

    def lines(self, column: str, text: str) -> Locator:
        """Return the visible lines of a column that contain a text."""
        return self.column(column).locator(".cm-line").filter(has_text=text)

    def linked(self, column: str) -> Locator:
        """Return the visible marked lines of a column."""
        if column == "Source":
            return self.column(column).locator(".jp-JaxprCell-line")
        return self.column(column).locator(".cm-line[data-linked='true']")

    def count(self, column: str) -> Locator:
        """Return the count in the head of a column, such as `17 equations`."""
        return self.column(column).locator(".jp-JaxprWide-count")


# Returns the text of the notebook's third cell; the columns hide the notebook.
CELL_TEXT = """() => {
  const [notebook] = [...window.jupyterapp.shell.widgets('main')].filter(({ content }) => content?.widgets);
  return notebook.content.widgets[2].model.sharedModel.getSource();
}"""

DELETE_CELL = """() => {
  const [notebook] = [...window.jupyterapp.shell.widgets('main')].filter(({ content }) => content?.widgets);
  notebook.content.model.sharedModel.deleteCell(2);
}"""

BESIDE = """() => {
  const { shell } = window.jupyterapp;
  const [levels] = [...shell.widgets('main')].filter(widget => widget.id === 'jupyter-jaxpr-wide');
  shell.add(levels, 'main', { mode: 'split-right' });
  shell.activateById(levels.id);
}"""


def open_wide(nb: OpenNotebook, *, alone: bool = False, beside: bool = False) -> Wide:
    """Open the wide view with the panel's button.

    Args:
        nb: The notebook.
        alone: Close the file browser, and show all columns.
        beside: Drag the view to the side of the notebook.
    """
    nb.page.locator("#jupyter-jaxpr-panel").get_by_role("button", name="Open levels side by side").click()
    wide = Wide(nb)
    expect(wide.root).to_be_visible()
    if beside:
        nb.page.evaluate(BESIDE)
    if alone:
        nb.command("application:toggle-left-area")
        nb.page.evaluate("window.jupyterapp.shell.mode = 'single-document'")
        wide.show("Source", "jaxpr", "StableHLO", "HLO")
    return wide


@pytest.fixture
def rnn(shared_notebook) -> OpenNotebook:
    nb = shared_notebook(LOAD, HELPER, RNN)
    expect(nb.listing()).to_contain_text("scan")
    return nb


@pytest.mark.fresh_page  # in a shared page, the side areas may have other widths
def test_it_opens_over_the_notebook_with_as_many_columns_as_there_is_room_for(notebook):
    rnn = notebook(LOAD, HELPER, RNN)
    rnn.run_all()
    expect(rnn.listing()).to_contain_text("scan")
    page = rnn.page
    page.set_viewport_size({"width": 1440, "height": 800})
    wide = open_wide(rnn)
    # the panel closes, so that the program is shown only once
    expect(page.locator("#jupyter-jaxpr-panel")).to_be_hidden()
    columns = wide.root.locator(".jp-JaxprWide-column")
    expect(columns).to_have_count(4)
    expect(wide.column("Source").get_by_role("heading")).to_have_text("Cell [3]")
    expect(wide.count("Source")).to_have_text("17 lines")
    expect(wide.count("jaxpr")).to_have_text("17 equations")
    # The function of the other cell has its source at the time of the run.
    expect(wide.column("Source")).to_contain_text("Cell [2]")
    expect(wide.lines("Source", "scores = h @ w")).to_be_visible()
    expect(wide.column("jaxpr")).to_contain_text("scan")
    expect(wide.column("HLO")).to_contain_text("HloModule")
    for column in ("jaxpr", "StableHLO"):
        assert wide.column(column).evaluate(BROKEN_WORDS) == [], column
    # Neither `%iterArg_9` nor the long names of operations further down are broken.
    wide.column("StableHLO").locator(".cm-scroller").evaluate(
        "scroller => (scroller.scrollTop = scroller.scrollHeight)"
    )
    expect(wide.lines("StableHLO", "stablehlo.exponential")).to_be_visible()
    assert wide.column("StableHLO").evaluate(BROKEN_WORDS) == []

    page.set_viewport_size({"width": 1000, "height": 800})
    expect(columns).to_have_count(2)
    expect(wide.column("jaxpr")).to_be_visible()
    expect(wide.column("HLO")).to_be_visible()
    page.set_viewport_size({"width": 1440, "height": 800})
    expect(columns).to_have_count(4)

    # A second request brings the same view to the front.
    rnn.command("jupyter-jaxpr:open-levels")
    expect(rnn.page.locator(".jp-JaxprWide")).to_have_count(1)

    # When the view is closed, the panel opens again.
    rnn.command("application:close")
    expect(page.locator("#jupyter-jaxpr-panel")).to_be_visible()


def test_what_is_pointed_at_in_one_column_is_marked_in_all(rnn):
    rnn.page.set_viewport_size({"width": 1400, "height": 1000})
    wide = open_wide(rnn, alone=True)

    # From the jaxpr.
    wide.lines("jaxpr", "tanh").click()
    expect(wide.linked("Source")).to_have_text([f"        h = {TANH}"])
    expect(wide.column("Source").locator(".jp-JaxprCell-span")).to_have_text(TANH)
    expect(wide.linked("StableHLO").filter(has_text="tanh")).to_be_in_viewport()
    expect(wide.linked("HLO").first).to_be_in_viewport()
    expect(wide.count("Source")).to_have_text("1 of 17 lines linked")
    expect(wide.count("jaxpr")).to_have_text("1 of 17 equations linked")
    expect(wide.count("StableHLO")).to_have_text(re.compile(r"^1 of \d+ lines linked$"))

    # The mouse over a line of StableHLO marks the equation.
    wide.lines("StableHLO", "stablehlo.tanh").hover()
    expect(wide.linked("jaxpr")).to_have_count(1)
    expect(wide.linked("jaxpr")).to_contain_text("tanh")

    # An expression of the source marks its equations: under the mouse, and at the caret.
    span = wide.lines("Source", "lax.scan").get_by_text("scan", exact=True)
    span.hover()
    expect(wide.linked("jaxpr").first).to_contain_text("scan")
    wide.lines("Source", 'r = h @ p["wh"]').click(position={"x": 100, "y": 8})
    expect(wide.linked("jaxpr")).to_have_count(1)
    expect(wide.linked("jaxpr")).to_contain_text("dot_general")
    expect(wide.column("Source").locator(".jp-JaxprCell-span")).to_have_text('h @ p["wh"]')

    # An expression of the function in the other cell marks the equation, too.
    wide.lines("Source", "scores = h @ w").click(position={"x": 110, "y": 8})
    expect(wide.linked("jaxpr")).to_have_count(1)
    expect(wide.linked("jaxpr")).to_contain_text("dot_general")

    # A whole line marks all of its equations; the head of the column has their number, and a sentence explains the
    # selection.
    wide.lines("Source", TANH).click()
    rnn.page.keyboard.press("Home")
    expect(wide.count("jaxpr")).to_have_text("3 of 17 equations linked")
    expect(wide.linked("jaxpr")).to_have_count(3)
    expect(wide.root).to_contain_text(
        "The whole line is selected. Put the caret into an expression to select the expression alone."
    )


def test_marks_in_the_notebook_follow_too(rnn):
    wide = open_wide(rnn, beside=True)
    wide.lines("jaxpr", "tanh").click()
    rnn.expect_linked(2, TANH)
    rnn.editor(2).get_by_text('"wx"', exact=True).first.click()
    expect(wide.linked("jaxpr")).to_have_count(1)
    expect(wide.linked("jaxpr")).to_contain_text("dot_general")

    wide.lines("jaxpr", "tanh").click()
    rnn.page.keyboard.press("Enter")
    expect(rnn.editor(2)).to_be_focused()
    rnn.page.keyboard.press("Escape")
    expect(wide.column("jaxpr").get_by_role("textbox", name="jaxpr of rnn")).to_be_focused()


def test_by_keyboard_from_place_to_place_and_from_level_to_level(rnn):
    wide = open_wide(rnn, alone=True)
    page = rnn.page
    wide.lines("Source", TANH).click()
    page.keyboard.press("Home")
    expect(wide.count("jaxpr")).to_have_text("3 of 17 equations linked")
    page.keyboard.press("Alt+ArrowRight")
    jaxpr = wide.column("jaxpr")
    expect(jaxpr.get_by_role("textbox", name="jaxpr of rnn")).to_be_focused()
    expect(jaxpr.locator(".jp-JaxprProgram-current")).to_contain_text("add")
    page.keyboard.press("n")
    page.keyboard.press("n")
    expect(jaxpr.locator(".jp-JaxprProgram-current")).to_contain_text("tanh")
    expect(wide.root.get_by_role("status").filter(has_text="linked place")).to_have_text("linked place 3 of 3")
    page.keyboard.press("n")
    expect(jaxpr.locator(".jp-JaxprProgram-current")).to_contain_text("add")
    expect(wide.count("jaxpr")).to_have_text("3 of 17 equations linked")  # the selection stays
    page.keyboard.press("Alt+ArrowRight")
    expect(wide.column("StableHLO").get_by_role("textbox", name="StableHLO of rnn")).to_be_focused()
    page.keyboard.press("Alt+ArrowLeft")
    page.keyboard.press("Alt+ArrowLeft")
    expect(wide.column("Source").get_by_role("textbox", name="Source of rnn")).to_be_focused()
    page.keyboard.press("Escape")
    expect(jaxpr.get_by_role("textbox", name="jaxpr of rnn")).to_be_focused()
    page.keyboard.press("Escape")
    expect(wide.count("jaxpr")).to_have_text("17 equations")


def test_the_source_column_is_the_cell(rnn):
    page = rnn.page
    wide = open_wide(rnn)
    wide.show("Source", "jaxpr")
    source = wide.column("Source").get_by_role("textbox", name="Source of rnn")

    # The source column edits the text of the cell; the marks move with the text.
    wide.lines("Source", TANH).click()
    page.keyboard.press("End")
    page.keyboard.type(" * 2")
    expect(wide.lines("Source", f"{TANH} * 2")).to_be_visible()
    assert page.evaluate(CELL_TEXT) == RNN.replace(TANH, f"{TANH} * 2")
    expect(wide.root.get_by_text("cell edited after the run")).to_be_visible()
    expect(wide.linked("Source")).to_contain_text(TANH)

    # In the source column, `?` is typed as text and does not open the help of the views.
    page.keyboard.type("?")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Backspace")

    # Shift+Enter runs the cell, and the caret stays in the column.
    page.keyboard.press("Shift+Enter")
    expect(wide.lines("jaxpr", "mul")).to_be_visible()
    expect(wide.column("Source").get_by_role("heading")).to_have_text("Cell [4]")
    expect(wide.root.get_by_text("cell edited after the run", exact=True)).to_have_count(0)
    expect(source).to_be_focused()
    page.keyboard.type(" + 1")
    expect(wide.lines("Source", f"{TANH} * 2 + 1")).to_be_visible()

    # Undo in the column undoes the edit of the cell.
    page.keyboard.press("Control+z")
    expect(wide.lines("Source", "* 2 + 1")).to_have_count(0)
    assert "* 2 + 1" not in page.evaluate(CELL_TEXT)


@pytest.mark.slow
def test_live_follows_the_source_column(rnn):
    rnn.command("jupyter-jaxpr:toggle-live")
    page = rnn.page
    wide = open_wide(rnn)
    wide.show("Source", "jaxpr")
    wide.lines("Source", TANH).click()
    page.keyboard.press("End")
    page.keyboard.type(" * 2")
    expect(wide.lines("jaxpr", "mul")).to_be_visible()
    page.keyboard.type(" + 1")  # the caret has stayed
    expect(wide.lines("jaxpr", "= add s 1.0")).to_be_visible()
    assert f"{TANH} * 2 + 1\n" in page.evaluate(CELL_TEXT)
    # The card of an error is above the columns, and the source marks the expression.
    live = wide.root.get_by_role("group", name="Live")
    expect(live).to_contain_text("The code as written was traced, not run.")
    page.keyboard.insert_text(" + x")
    expect(live).to_contain_text("As written, rnn raises an error.")
    expect(wide.column("Source").locator(".jp-JaxprCell-raises")).to_have_count(1)
    page.keyboard.press("Control+z")  # JupyterLab undoes edits within half a second of each other together
    expect(live).to_contain_text("The code as written was traced, not run.")
    # After the cell is deleted, the column keeps the traced text, read-only.
    page.evaluate(DELETE_CELL)
    source = wide.column("Source").get_by_role("textbox", name="Source of rnn")
    expect(source).to_have_attribute("aria-readonly", "true")
    expect(wide.lines("Source", TANH)).to_be_visible()
    rnn.command("jupyter-jaxpr:toggle-live")


@pytest.mark.slow
def test_the_source_column_shows_the_text_of_an_earlier_run_that_no_cell_has(rnn):
    wide = open_wide(rnn)
    wide.show("Source", "jaxpr")
    wide.lines("Source", TANH).click()
    rnn.page.keyboard.press("End")
    rnn.page.keyboard.type(" * 2")
    rnn.page.keyboard.press("Shift+Enter")
    expect(wide.column("Source").get_by_role("heading")).to_have_text("Cell [4]")
    rnn.page.keyboard.press("Escape")
    wide.root.get_by_role("button", name="rnn").click()
    wide.root.get_by_role("group", name=re.compile(r"^Cell \[3\]")).get_by_role("option", name="rnn").click()
    source = wide.column("Source").get_by_role("textbox", name="Source of rnn")
    expect(source).to_have_attribute("aria-readonly", "true")
    expect(wide.lines("Source", TANH)).not_to_contain_text("* 2")


@pytest.mark.slow
def test_the_key_of_the_types_hides_them_in_the_column_of_the_source_too(rnn):
    wide = open_wide(rnn)
    wide.show("Source", "jaxpr")
    types = wide.column("Source").locator(".cm-line[data-jaxpr-types]")
    expect(types.first).to_be_visible()
    rnn.page.keyboard.press("Control+Alt+T")
    expect(types).to_have_count(0)
    rnn.page.keyboard.press("Control+Alt+T")
    expect(types.first).to_be_visible()


@pytest.mark.slow
def test_columns_scroll_together_until_that_is_switched_off(notebook):
    nb = notebook(LOAD, LONG)
    nb.run(0)
    nb.run(1)
    wide = open_wide(nb, alone=True)
    wide.show("Source", "jaxpr", "StableHLO")
    together = wide.root.get_by_role("button", name="Scroll to linked lines")
    expect(together).to_have_attribute("aria-pressed", "true")

    wide.lines("Source", "jnp.cos").get_by_text("cos", exact=True).click()
    expect(wide.linked("jaxpr")).to_contain_text("cos")
    expect(wide.linked("jaxpr")).to_be_in_viewport()
    expect(wide.linked("StableHLO")).to_be_in_viewport()

    wide.lines("Source", "jnp.sin").get_by_text("sin", exact=True).hover()
    expect(wide.linked("jaxpr")).to_contain_text("sin")
    expect(wide.linked("jaxpr")).to_be_in_viewport()

    together.click()
    expect(together).to_have_attribute("aria-pressed", "false")
    wide.lines("Source", "jnp.cos").get_by_text("cos", exact=True).click()
    expect(wide.count("jaxpr")).to_have_text("1 of 152 equations linked")
    expect(wide.lines("jaxpr", "sin")).to_be_in_viewport()  # where it was


@pytest.mark.fresh_page
@pytest.mark.slow
def test_columns_are_hidden_moved_and_made_wider_and_stay_so_over_a_reload(notebook):
    rnn = notebook(LOAD, HELPER, RNN)
    rnn.run_all()
    expect(rnn.listing()).to_contain_text("scan")
    wide = open_wide(rnn, beside=True)
    page = rnn.page
    rnn.command("application:toggle-left-area")
    wide.show("Source", "jaxpr", "HLO")
    expect(wide.column("StableHLO")).to_have_count(0)

    divider = wide.root.get_by_role("separator", name="Width of Source beside jaxpr, in per cent")
    before = wide.column("Source").bounding_box()
    divider.focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(divider).to_have_attribute("aria-valuenow", "40")
    after = wide.column("Source").bounding_box()
    assert before and after and after["width"] < 0.85 * before["width"]

    box = divider.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 30, box["y"] + 100, steps=4)
    page.mouse.up()
    expect(divider).not_to_have_attribute("aria-valuenow", "40")
    share = divider.get_attribute("aria-valuenow")

    wide.column("HLO").get_by_role("button", name="Move HLO to the left").focus()
    page.keyboard.press("Enter")
    wide.root.get_by_role("button", name="Scroll to linked lines").click()
    headings = wide.root.get_by_role("heading")
    expect(headings).to_have_text(["Cell [3]", "HLO", "jaxpr"])

    rnn.editor(0).click()  # brings the notebook to the front again
    rnn.wait_until_workspace(
        """data => {
          const kept = data['jupyter-jaxpr:levels'];
          const layout = JSON.stringify(data['layout-restorer:data']?.main ?? null);
          return kept?.together === false && kept.order[1] === 'hlo' && layout.includes('jupyter-jaxpr-levels');
        }"""
    )
    rnn.reload()
    expect(headings).to_have_text(["Cell [3]", "HLO", "jaxpr"])
    expect(wide.root.get_by_role("button", name="Scroll to linked lines")).to_have_attribute("aria-pressed", "false")
    wide.column("jaxpr").get_by_role("heading").hover()
    wide.column("jaxpr").get_by_role("button", name="Move jaxpr to the left").click()
    expect(divider).to_have_attribute("aria-valuenow", share or "")


def test_a_level_that_was_not_made_has_a_button_and_another_run_is_followed(notebook):
    nb = notebook(LOAD, TRACED, "%%jaxpr\n@jax.jit\ndef other(x):\n    return jnp.cos(x)\n\ny = other(x)")
    nb.run(0)
    nb.run(1)
    wide = open_wide(nb, beside=True)
    wide.show("jaxpr", "StableHLO")
    expect(wide.column("StableHLO").get_by_role("button", name="Lower the program")).to_be_visible()
    wide.column("StableHLO").get_by_role("button", name="Lower the program").click()
    expect(wide.lines("StableHLO", "stablehlo.multiply")).to_be_visible()
    wide.lines("StableHLO", "stablehlo.multiply").click()
    expect(wide.linked("jaxpr")).to_contain_text("mul")

    nb.run(2)
    expect(wide.root.get_by_role("button", name="other")).to_be_visible()
    expect(wide.lines("jaxpr", "cos")).to_be_visible()
    expect(wide.lines("StableHLO", "stablehlo.cosine")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_it_is_accessible(rnn, theme):
    rnn.theme(theme)
    wide = open_wide(rnn, alone=True)
    wide.lines("jaxpr", "tanh").click()
    expect(wide.linked("Source")).to_have_count(1)
    expect(wide.linked("HLO").first).to_be_visible()
    assert violations(rnn.page, ".jp-JaxprWide") == []
    rnn.page.set_viewport_size({"width": 900, "height": 700})
    wide.show("jaxpr", "HLO")
    assert violations(rnn.page, ".jp-JaxprWide") == []
