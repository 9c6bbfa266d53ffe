"""Tests exact links: the user agrees to the compile of a twin, then each line is linked to exactly its equations."""

import re

import pytest
from page_checks import cut, violations
from playwright.sync_api import expect
from test_wide_view import open_wide

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp\nfrom jax import lax"

# The loop runs the expressions of one line twice: source lines alone cannot distinguish the two sines or the two
# products.
TWICE = """\
%%jaxpr
@jax.jit
def twice(w, x):
    for _ in range(2):
        x = jnp.sin(x @ w)
    return x + 1

twice(jnp.eye(8), jnp.ones((4, 8))).shape"""

TITLE = "Exact links, in a tagged copy of the program"
PRICE = re.compile(
    r"^JAX lowers and XLA compiles a tagged copy of twice: each equation of the copy has a number, and the "
    r"instructions carry the number\. The tagged copy takes about [\d.]+.m?s, the time that lowering and compiling the "
    r"program took\. "
    r"Nothing runs\. Stop has no effect while XLA compiles\. Compile the tagged copy\?"
)
SAME = re.compile(
    r"XLA made the same instructions for the tagged copy and for the program\. "
    r"\d+ of \d+ instructions come from equations of the program, \d+ of them from exactly one equation\. "
    r"Lowering and compiling took [\d.]+.m?s\."
)


@pytest.fixture
def twice(notebook):
    nb = notebook(LOAD, TWICE)
    nb.page.set_viewport_size({"width": 1600, "height": 1000})
    nb.run_all()
    expect(nb.equation(2)).to_contain_text("sin")
    return nb


def level(nb, name):
    nb.panel.get_by_role("group", name="Level").get_by_role("button", name=name, exact=True).click()


def button(nb):
    return nb.panel.get_by_role("button", name="Exact links", exact=True)


def question(nb):
    return nb.panel.get_by_role("alertdialog", name="Exact links")


def title(nb):
    return nb.panel.get_by_role("heading", name=TITLE)


def own(nb, name="HLO"):
    """Return the text of the program itself, not of the twin."""
    return nb.panel.get_by_role("textbox", name=f"{name} of twice", exact=True)


def twin(nb, name="HLO"):
    """Return the text of the twin."""
    return nb.panel.get_by_role("textbox", name=f"{name} of the tagged copy of twice")


def compile_twin(nb):
    button(nb).click()
    question(nb).get_by_role("button", name="Compile the tagged copy").click()
    expect(title(nb)).to_be_visible()


def lines(listing, text):
    return listing.locator(".cm-line").filter(has_text=text)


def linked(listing):
    return listing.locator('.cm-line[data-linked="true"]')


def test_the_price_is_told_first_and_nothing_is_compiled_without_a_yes(twice):
    level(twice, "HLO")
    expect(own(twice)).to_be_visible()
    expect(button(twice)).to_have_attribute("title", re.compile("The panel asks first\\.$"))
    button(twice).click()
    expect(question(twice)).to_contain_text(PRICE)
    expect(question(twice).get_by_role("button", name="Do not compile the copy")).to_be_focused()
    expect(own(twice)).to_be_visible()  # the text of the program stays visible during the question
    twice.page.keyboard.press("Escape")
    expect(question(twice)).to_have_count(0)
    expect(button(twice)).to_have_attribute("aria-pressed", "false")
    expect(title(twice)).to_have_count(0)

    compile_twin(twice)
    expect(button(twice)).to_have_attribute("aria-pressed", "true")
    expect(twice.panel).to_contain_text(SAME)
    expect(twin(twice)).to_contain_text("ENTRY")
    expect(own(twice)).to_have_count(0)
    assert "~" not in twin(twice).inner_text()
    expect(twice.panel).to_contain_text("1 call, 1 compile")  # the compile of the twin is not counted


def test_a_line_leads_to_exactly_its_equation_and_back(twice):
    level(twice, "StableHLO")
    sines = lines(own(twice, "StableHLO"), "stablehlo.sine")
    sines.first.click()
    level(twice, "jaxpr")
    expect(linked(twice.listing())).to_have_count(2)  # by source lines, the instruction is linked to both sines

    level(twice, "StableHLO")
    compile_twin(twice)
    text = twin(twice, "StableHLO")
    expect(lines(text, "stablehlo.sine")).to_have_count(2)
    lines(text, "stablehlo.sine").nth(1).click()
    expect(linked(text)).to_have_count(1)
    expect(twice.panel.get_by_role("group", name="Details of the selection")).to_contain_text("sin")
    twice.expect_linked(1, "jnp.sin(x @ w)")
    level(twice, "jaxpr")
    expect(linked(twice.listing())).to_have_count(1)
    expect(linked(twice.listing())).to_have_attribute("data-number", "4")
    expect(twice.panel).to_contain_text("1 of 5 eq")

    # A selected equation marks exactly its line; StableHLO and HLO show the same twin.
    twice.equation(1).click()
    level(twice, "HLO")
    expect(twin(twice)).to_be_visible()
    twice.panel.get_by_role("button", name="Unfold all").click()
    level(twice, "StableHLO")
    expect(linked(text)).to_have_count(1)
    expect(linked(text)).to_contain_text("stablehlo.dot_general")
    # A selected expression marks the lines of all its equations.
    twice.editor(1).get_by_text("sin", exact=True).click()
    expect(linked(text)).to_have_count(2)

    title(twice).locator("..").get_by_role("button", name="Back to the program").click()
    expect(title(twice)).to_have_count(0)
    expect(own(twice, "StableHLO")).to_be_visible()
    button(twice).click()  # the twin is kept: the panel neither asks nor compiles again
    expect(text).to_be_visible()
    expect(question(twice)).to_have_count(0)


def test_by_keyboard_alone(twice):
    level(twice, "HLO")
    own(twice).focus()
    twice.page.keyboard.press("x")
    expect(question(twice)).to_contain_text(PRICE)
    twice.page.keyboard.press("Tab")
    expect(question(twice).get_by_role("button", name="Compile the tagged copy")).to_be_focused()
    twice.page.keyboard.press("Enter")
    expect(title(twice)).to_be_visible()
    twin(twice).focus()
    twice.page.keyboard.press("?")
    expect(twice.page.get_by_role("dialog")).to_contain_text("open the tagged copy of the program")
    twice.page.keyboard.press("Escape")
    expect(twice.page.get_by_role("dialog")).to_have_count(0)

    # Searching, and jumping to a linked line, work as in every text.
    twin(twice).focus()
    twice.page.keyboard.press("Control+f")
    field = twice.panel.get_by_role("textbox", name="Find in program")
    field.fill(" sine(")
    expect(twice.panel.get_by_role("group", name="Search", exact=True).get_by_role("status")).to_have_text(
        re.compile(r"^2$|^\d of 2$")
    )
    field.press("Enter")
    field.press("Escape")
    twice.page.keyboard.press("ArrowDown")
    twice.page.keyboard.press("ArrowUp")
    expect(linked(twin(twice))).not_to_have_count(0)
    level(twice, "StableHLO")
    expect(twin(twice, "StableHLO")).to_be_visible()  # waits until the text has arrived, so that it can get the focus
    level(twice, "HLO")
    twin(twice).focus()
    twice.page.keyboard.press("Alt+ArrowLeft")
    expect(twin(twice, "StableHLO")).to_be_focused()
    twice.page.keyboard.press("Alt+ArrowLeft")
    expect(twice.listing()).to_be_focused()
    expect(linked(twice.listing())).to_have_count(1)
    expect(linked(twice.listing())).to_contain_text("sin")
    twice.page.keyboard.press("Alt+ArrowRight")
    twice.page.keyboard.press("x")
    expect(title(twice)).to_have_count(0)
    expect(own(twice, "StableHLO")).to_be_visible()


@pytest.mark.slow
def test_side_by_side(twice):
    wide = open_wide(twice, alone=True)
    wide.show("jaxpr", "StableHLO", "HLO")
    wide.column("HLO").get_by_role("button", name="Exact links", exact=True).click()
    asked = wide.root.get_by_role("alertdialog", name="Exact links")
    expect(asked).to_have_count(1)  # only the view in which the button was pressed asks the question
    asked.get_by_role("button", name="Compile the tagged copy").click()
    for column in ("StableHLO", "HLO"):
        expect(wide.column(column).get_by_role("heading", name=TITLE)).to_be_visible()
    expect(wide.column("HLO")).to_contain_text(SAME)
    expect(wide.column("StableHLO")).to_contain_text("JAX made the same lines for the tagged copy and for the program.")

    wide.lines("StableHLO", "stablehlo.dot_general").nth(1).click()
    expect(wide.linked("StableHLO")).to_have_count(1)
    expect(wide.linked("jaxpr")).to_have_count(1)
    expect(wide.linked("jaxpr")).to_have_attribute("data-number", "3")
    expect(wide.count("jaxpr")).to_have_text("1 of 5 equations linked")
    expect(wide.count("StableHLO")).to_have_text(re.compile(r"^1 of \d+ lines linked$"))
    wide.lines("jaxpr", "sin").first.hover()
    expect(wide.linked("StableHLO")).to_have_count(1)
    expect(wide.linked("StableHLO")).to_contain_text("stablehlo.sine")
    for theme in ("light", "dark"):
        twice.theme(theme)
        assert violations(twice.page, ".jp-JaxprWide") == [], theme

    wide.column("StableHLO").get_by_role("button", name="Back to the program").click()
    expect(wide.root.get_by_role("heading", name=TITLE)).to_have_count(0)


@pytest.mark.slow
def test_a_platform_is_not_lowered_for_behind_the_twin(twice):
    level(twice, "StableHLO")
    platform = twice.panel.get_by_label("Platform")
    platform.select_option("tpu")
    expect(twice.panel.get_by_role("textbox", name="StableHLO of twice for the platform tpu")).to_be_visible()
    compile_twin(twice)
    expect(twin(twice, "StableHLO")).to_be_visible()
    expect(platform).to_have_value("")
    expect(platform).to_be_disabled()
    button(twice).click()
    expect(platform).to_be_enabled()
    expect(own(twice, "StableHLO")).to_be_visible()


@pytest.mark.slow
def test_the_passes_stand_in_its_place_and_it_in_theirs(twice):
    level(twice, "HLO")
    passes = twice.panel.get_by_role("button", name="Passes", exact=True)
    passes.click()
    expect(own(twice)).to_be_hidden()
    compile_twin(twice)
    expect(twin(twice)).to_be_visible()
    expect(passes).to_have_attribute("aria-pressed", "false")
    passes.click()  # the passes are those of the program, so the heading of the twin disappears
    expect(title(twice)).to_be_hidden()
    expect(twin(twice)).to_be_hidden()
    passes.click()
    expect(title(twice)).to_be_visible()
    expect(twin(twice)).to_be_visible()


@pytest.mark.slow
def test_without_a_kernel_the_way_back_is_there(twice):
    level(twice, "HLO")
    compile_twin(twice)
    expect(twin(twice)).to_be_visible()
    twice.restart_kernel()
    expect(twice.panel).to_contain_text("Kernel restarted")
    expect(title(twice)).to_be_visible()
    twice.panel.get_by_role("button", name="Back to the program").click()
    expect(own(twice)).to_be_visible()


@pytest.mark.slow
def test_a_twin_that_cannot_be_had_is_a_sentence(notebook):
    broken = """\
from jupyter_jaxpr.measure.compiled_again import compile_for_exact_links

def refuse(*_):
    raise RuntimeError("RESOURCE_EXHAUSTED: Out of memory.")

compile_for_exact_links.lower_twin = refuse"""
    nb = notebook(LOAD, broken, TWICE)
    nb.run_all()
    expect(nb.equation(2)).to_contain_text("sin")
    level(nb, "HLO")
    button(nb).click()
    question(nb).get_by_role("button", name="Compile the tagged copy").click()
    expect(nb.panel.get_by_role("alert")).to_have_text(
        "JAX could not lower the tagged copy of the program (RuntimeError: RESOURCE_EXHAUSTED: Out of memory). "
        "The links that the panel already shows do not change."
    )
    expect(own(nb)).to_be_visible()
    expect(button(nb)).to_have_attribute("aria-pressed", "false")


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, pytest.param(900, marks=pytest.mark.slow)])
def test_no_violation_and_nothing_sideways(twice, width):
    twice.set_panel_width(width)
    level(twice, "HLO")
    button(twice).click()
    expect(question(twice)).to_be_visible()
    for theme in ("light", "dark"):
        twice.theme(theme)
        assert violations(twice.page) == [], f"question, {theme}, {width}"
    assert cut(twice.panel, ".jp-JaxprExact *") == []
    question(twice).get_by_role("button", name="Compile the tagged copy").click()
    expect(twin(twice)).to_be_visible()
    for theme in ("light", "dark"):
        twice.theme(theme)
        assert violations(twice.page) == [], f"twin, {theme}, {width}"
    assert cut(twice.panel, ".jp-JaxprExact *") == []
