"""Tests the Control flow tab: the cards of real programs, used by mouse and by keyboard."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from page_checks import violations
from playwright.sync_api import Locator, expect

LOAD = """\
%load_ext jupyter_jaxpr
import jax, jax.numpy as jnp
from jax import lax"""

RNN = """\
%%jaxpr
@jax.jit
def rnn(w, xs):
    def step(h, x):
        h = jnp.tanh(w @ h + x)
        return h, h

    h, hs = lax.scan(step, jnp.zeros(4), xs)
    return h.sum(), hs

rnn(jnp.eye(4), jnp.ones((50, 4)))"""

NEWTON = """\
%%jaxpr
@jax.jit
def newton(a):
    def far(s):
        return jnp.abs(s["x"] ** 2 - a) > 1e-5

    def improve(s):
        return {"x": 0.5 * (s["x"] + a / s["x"]), "n": s["n"] + 1}

    return lax.while_loop(far, improve, {"x": a, "n": 0})

newton(2.0)"""

COND = """\
%%jaxpr
def double(x):
    return 2.0 * x

def square(x):
    return x * x

@jax.jit
def f(x):
    return lax.cond(x > 0, double, square, x)

f(3.0)"""

NESTED = """\
%%jaxpr
@jax.jit
def nest(m):
    def outer(total, row):
        def inner(s, v):
            s = lax.cond(v > 0.5, lambda: s + v, lambda: s)
            return s, s * 2

        s, ys = lax.scan(inner, 0.0, row)
        return total + s, ys

    return lax.scan(outer, 0.0, m, reverse=True)

nest(jnp.ones((5, 7)))"""

PLAIN = """\
%%jaxpr
@jax.jit
def plain(x):
    for _ in range(3):
        x = x * 2
    return x

plain(1.0)"""


@pytest.fixture
def flow(shared_notebook):
    """Return a function that opens a notebook whose cells have run, and chooses the Control flow tab."""

    def make(*cells: str):
        nb = shared_notebook(LOAD, *cells)
        nb.panel.get_by_role("tab", name="Control flow").click()
        # The panel loads the code of the view when the tab is first chosen.
        expect(view(nb).get_by_role("listitem").or_(view(nb).get_by_role("heading")).first).to_be_visible()
        return nb

    return make


def view(nb) -> Locator:
    return nb.panel.get_by_role("tabpanel", name="Control flow")


def values(nb, card: str) -> list[str]:
    rows = view(nb).get_by_role("table", name=f"Values of {card}").get_by_role("row")
    return [" | ".join(row.locator("th, td").all_inner_texts()) for row in rows.all()]


def lines(program: Locator) -> list[str]:
    return [re.sub(r"\s+", " ", text).strip() for text in program.locator(".jp-JaxprFlow-code").all_inner_texts()]


def focused(nb) -> str:
    return nb.page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.textContent")


def test_a_scan_says_what_goes_in_around_and_out(flow):
    nb = flow(RNN)
    card = view(nb).get_by_role("list", name="Control flow").get_by_role("listitem")
    expect(card).to_contain_text("50 steps · 1.8\u00a0kop")
    expect(card.get_by_role("img")).to_have_attribute(
        "aria-label",
        "Drawing of scan. The carry h passes through 50 steps. "
        "Each step takes a row of xs. Each step returns a row of hs.",
    )
    assert values(nb, "scan step, line 8") == [
        "role | leaf | type in one step | type in all steps",
        "carry | h | f32[4] | f32[4]",
        "xs | xs | f32[4] | f32[50,4]",
        "ys | hs | f32[4] | f32[50,4]",
        "const | w | f32[4,4] | same type",
    ]

    # The button of the card marks the expression in the cell; a line of the cell marks the equations in the card.
    expect(card).not_to_have_attribute("data-marked", "true")
    card.get_by_role("button", name="line 8", exact=True).click()
    nb.expect_linked(1, "lax.scan(step, jnp.zeros(4), xs)")
    expect(card).to_have_attribute("data-marked", "true")
    expect(nb.editor(1)).to_be_focused()
    nb.lines(1).nth(4).click()
    # Home selects the whole statement of the line, regardless of where the click put the caret
    nb.page.keyboard.press("Home")
    program = card.get_by_role("listbox", name="Program of scan step, line 8")
    expect(program.get_by_role("option", selected=True)).not_to_have_count(0)
    expect(card).not_to_have_attribute("data-marked", "true")

    # The card prints the same lines, with the same variable names, as the Program view.
    add = program.get_by_role("option").filter(has_text="add")
    text = re.sub(r"\s+5$", "", add.inner_text())
    add.click()
    nb.expect_linked(1, "w @ h + x")
    card.get_by_role("button", name="Show line in Program", exact=True).click()
    expect(nb.panel.get_by_role("tab", name="Program")).to_have_attribute("aria-selected", "true")
    linked = nb.listing().locator('.cm-line[data-linked="true"]')
    expect(linked).to_have_text(text)
    expect(nb.listing()).to_be_focused()


def test_a_while_has_its_condition_and_a_cond_its_branches(flow):
    nb = flow(NEWTON, COND)
    expect(view(nb).get_by_role("listitem")).to_contain_text("2 branches")
    expect(view(nb).get_by_role("img")).to_have_attribute(
        "aria-label", "Drawing of cond. x > 0 chooses one branch of: False (square), True (double)."
    )
    false = view(nb).get_by_role("group", name="Branch False of cond, line 10")
    true = view(nb).get_by_role("group", name="Branch True of cond, line 10")
    expect(false).to_contain_text("index 0 in the jaxpr · square at line 5")
    expect(true).to_contain_text("index 1 in the jaxpr · double at line 2")
    assert [re.sub(r"^\w+:", "", line) for line in lines(true)] == ["f32[] = mul 2.0:f32[] g"]

    # The branches stand side by side from 480 pixels on, and below each other in a narrower panel.
    nb.page.set_viewport_size({"width": 1800, "height": 900})
    for width, beside in ((900, True), (480, True), (320, False)):
        nb.set_panel_width(width)
        one, two = false.bounding_box(), true.bounding_box()
        assert one and two
        assert (one["y"] == two["y"]) is beside, width

    view(nb).get_by_role("button", name="x > 0").click()
    nb.expect_linked(2, "x > 0")

    nb.panel.get_by_role("button", name="f", exact=True).click()
    nb.panel.get_by_role("option").filter(has_text="newton").click()
    card = view(nb).get_by_role("listitem")
    expect(card).to_contain_text("unknown number of steps")
    expect(card.get_by_role("img")).to_have_attribute(
        "aria-label",
        "Drawing of while_loop. The carry s['n'], s['x'] passes through an unknown number of steps. "
        'The loop continues while jnp.abs(s["x"] ** 2 - a) > 1e-5.',
    )
    condition = view(nb).get_by_role("listbox", name="Condition of while_loop improve, line 10")
    assert len(lines(condition)) == 6  # a line for lambda, four equations, and a line for the result
    expect(condition).to_contain_text("gt")
    view(nb).get_by_role("button", name="Condition", exact=True).click()
    expect(condition).to_have_count(0)


def test_loops_nest_and_fold(flow):
    nb = flow(NESTED)
    fold = view(nb).get_by_role("button", expanded=True)
    outer = view(nb).get_by_role("group", name="scan outer, line 12")
    inner = outer.get_by_role("group", name="scan inner, line 9")
    cond = inner.get_by_role("group", name="cond, line 6", exact=True)
    expect(cond).to_contain_text("Equation that decides the branch")
    expect(outer.get_by_role("img").first).to_contain_text("scan")  # the drawing shows one level of inner constructs
    expect(outer.get_by_role("img").first).to_contain_text("×7")
    expect(outer).to_contain_text("each step takes a row, the last row first")
    view(nb).get_by_role("button", name="scan inner, line 9").click()
    expect(cond).to_have_count(0)

    # If the equation is inside of a folded card, the card is marked.
    nb.lines(1).nth(5).click()
    # Home selects the whole statement of the line, regardless of where the click put the caret
    nb.page.keyboard.press("Home")
    marked = view(nb).locator('[data-marked="true"]')
    expect(marked).to_have_count(1)
    expect(marked).to_have_attribute("data-card", "1")

    view(nb).get_by_role("button", name="Fold all", exact=True).click()
    expect(fold).to_have_count(0)
    view(nb).get_by_role("button", name="Unfold all").click()
    expect(cond).to_be_visible()


def test_the_keyboard_does_everything(flow):
    nb = flow(RNN)
    page = nb.page
    nb.panel.get_by_role("tab", name="Control flow").focus()
    reached = []
    while "Show equation in Program" not in reached:
        page.keyboard.press("Tab")
        reached.append(focused(nb))
        assert len(reached) < 30, reached
    for name in (
        "scan step, line 8",
        "line 8",
        "Save the diagram as SVG",
        "Copy the diagram as SVG",
        "Program of one step",
        "Program of scan step, line 8",
        "Show line in Program",
        "Which control-flow function to choose",
    ):
        assert name in reached

    page.keyboard.press("Shift+Tab")
    assert focused(nb) == "Which control-flow function to choose"
    page.keyboard.press("Enter")
    assert focused(nb) == "Back to control flow"
    table = view(nb).get_by_role("table", name="Decision table")
    expect(table.locator('[aria-current="true"]')).to_contain_text("A loop with an output at each step")
    expect(view(nb)).to_contain_text("For scan step, line 8, use jax.lax.scan.")
    page.keyboard.press("Escape")
    assert focused(nb) == "Which control-flow function to choose"

    program = view(nb).get_by_role("listbox", name="Program of scan step, line 8")
    program.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(program.get_by_role("option", selected=True)).to_contain_text("add")
    nb.expect_linked(1, "w @ h + x")
    page.keyboard.press("Enter")
    expect(nb.editor(1)).to_be_focused()

    fold = view(nb).get_by_role("button", name="scan step, line 8")
    fold.focus()
    page.keyboard.press("Enter")
    expect(fold).to_have_attribute("aria-expanded", "false")
    expect(view(nb).get_by_role("img")).to_have_count(0)


def test_a_drawing_can_be_taken_along(flow):
    nb = flow(RNN)
    with nb.page.expect_download() as download:
        view(nb).get_by_role("button", name="Save the diagram as SVG").click()
    assert download.value.suggested_filename == "scan-step.svg"
    root = ElementTree.parse(download.value.path()).getroot()
    svg = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{svg}svg"
    title = root.find(f"{svg}title")
    assert title is not None
    assert title.text and title.text.startswith("Drawing of scan. The carry h passes through 50 steps.")
    texts = {"".join(text.itertext()): text for text in root.iter(f"{svg}text")}
    assert texts["f32[50,4]"].get("fill") == "rgb(0, 115, 74)"
    assert texts["× 50"].get("font-weight") == "600"
    ground = root.find(f"{svg}rect")
    assert ground is not None and ground.get("fill") == "rgb(255, 255, 255)"
    assert "var(--" not in ElementTree.tostring(root, encoding="unicode")

    nb.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    view(nb).get_by_role("button", name="Copy the diagram as SVG").click()
    expect(view(nb).get_by_text("The diagram was copied as SVG.")).to_be_visible()
    assert nb.page.evaluate("navigator.clipboard.readText()").startswith("<svg ")


@pytest.mark.slow
def test_a_program_without_control_flow_says_what_to_do(flow):
    nb = flow(PLAIN)
    expect(view(nb).get_by_role("heading")).to_have_text("This program has no control flow")
    view(nb).get_by_role("button", name="Which control-flow function to choose").click()
    rows = view(nb).get_by_role("table", name="Decision table").get_by_role("row")
    expect(rows).to_have_count(8)
    expect(view(nb).locator('[aria-current="true"]')).to_have_count(0)
    view(nb).get_by_role("button", name="Back to control flow").click()
    expect(view(nb).get_by_role("button", name="Which control-flow function to choose")).to_be_focused()


@pytest.mark.slow
def test_no_violation_and_nothing_to_scroll_sideways(flow):
    nb = flow(NEWTON, NESTED)
    nb.page.set_viewport_size({"width": 1800, "height": 900})
    view(nb).get_by_role("button", name="Unfold all").click()
    for width in (900, 480, 320):
        nb.set_panel_width(width)
        assert wider_than_their_place(nb) == [], width
        for theme in ("light", "dark"):
            nb.theme(theme)
            assert violations(nb.page) == [], f"cards at {width} px, {theme}"
    nb.lines(2).nth(5).click()
    # Home selects the whole statement of the line, regardless of where the click put the caret
    nb.page.keyboard.press("Home")
    expect(view(nb).locator('[data-marked="true"]').first).to_be_visible()
    assert violations(nb.page) == [], "a card is marked"
    view(nb).get_by_role("button", name="Which control-flow function to choose").first.click()
    for width in (320, 900):
        nb.set_panel_width(width)
        assert wider_than_their_place(nb) == [], width
        for theme in ("light", "dark"):
            nb.theme(theme)
            assert violations(nb.page) == [], f"choices at {width} px, {theme}"


def wider_than_their_place(nb) -> list[str]:
    """Return the classes of elements in the panel whose content is so wide that they would scroll sideways."""
    return nb.panel.evaluate("""panel => [...panel.querySelectorAll('*')]
        .filter(node => node.scrollWidth > node.clientWidth + 1)
        .filter(node => !['visible', 'hidden', 'clip'].includes(getComputedStyle(node).overflowX))
        .map(node => node.className)""")
