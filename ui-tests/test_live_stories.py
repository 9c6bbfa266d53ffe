"""Tests Live in both themes, at three widths, by keyboard alone, beside a second tab, and up to a later level."""

import re

import pytest
from open_notebook import open_notebook
from page_checks import violations
from playwright.sync_api import expect
from test_live import CELL, LOAD, live, switch, turn_on, type_at_end_of

pytestmark = pytest.mark.slow


@pytest.fixture
def nb(notebook):
    opened = notebook(LOAD, CELL)
    opened.run_all()
    expect(opened.equation(1)).to_contain_text("sin")
    yield opened
    if switch(opened).get_attribute("aria-checked") == "true":
        switch(opened).click()
        expect(switch(opened)).to_have_attribute("aria-checked", "false")


def from_the_palette(nb, name):
    nb.page.keyboard.press("Control+Shift+C")
    nb.page.get_by_role("textbox", name="Search").last.fill(name)
    nb.page.keyboard.press("Enter")


@pytest.mark.parametrize("width", [320, 480, 900])
def test_every_state_in_both_themes(nb, width):
    nb.set_panel_width(width)
    turn_on(nb)

    def looks_well(state):
        for theme in ("light", "dark"):
            nb.theme(theme)
            assert violations(nb.page, ".jp-JaxprPanel") == [], f"{state}, {theme}"
            line = live(nb).bounding_box()
            panel = nb.panel.bounding_box()
            assert line["x"] >= panel["x"] and line["x"] + line["width"] <= panel["x"] + panel["width"] + 1, state
            assert live(nb).evaluate("it => it.scrollWidth <= it.clientWidth"), f"{state}, {theme}: cut off"

    type_at_end_of(nb, 3, " * 2")
    expect(live(nb)).to_contain_text("The code as written was traced, not run.")
    expect(live(nb)).to_contain_text("One call takes 8 operations and 8 transcendental operations and moves 128 B.")
    expect(live(nb)).to_contain_text("In run [2], one call took 8 transcendental operations and moved 64 B.")
    looks_well("traced")
    type_at_end_of(nb, 3, " @ x[:3]")
    expect(live(nb)).to_contain_text("As written, f raises an error.")
    looks_well("raised")
    nb.lines(1).nth(5).click()
    nb.page.keyboard.press("End")
    nb.page.keyboard.type("\n\ndef g(a, b):\nreturn a * b")
    expect(live(nb).get_by_role("textbox", name="Argument types")).to_be_visible()
    looks_well("argument types")


def test_by_keyboard_alone(nb):
    nb.lines(1).nth(3).click()  # the only click: it selects the cell for the keys that follow
    from_the_palette(nb, "Live: Trace While You Type")
    expect(switch(nb)).to_have_attribute("aria-checked", "true")
    nb.page.keyboard.press("Enter")
    nb.page.keyboard.press("End")
    nb.page.keyboard.type(" * 2")
    expect(nb.equation(2)).to_contain_text("mul")
    expect(live(nb).get_by_role("status")).to_contain_text("The code as written was traced, not run.")
    switch(nb).focus()
    nb.page.keyboard.press("Space")
    expect(switch(nb)).to_have_attribute("aria-checked", "false")
    expect(live(nb)).to_have_count(0)


def test_up_to_the_hlo(nb):
    turn_on(nb)
    nb.page.get_by_role("menuitem", name="View", exact=True).click()
    nb.page.locator(".lm-Menu-item", has_text="Live: Show Levels up to HLO (XLA Compiles)").click()
    expect(switch(nb)).to_have_attribute("title", re.compile("and XLA compiles the program"))
    type_at_end_of(nb, 3, " * 2")
    expect(live(nb)).to_contain_text(
        "Live compiled the program to show the HLO. No ledger counts this compile, and JAX does not cache the "
        "executable."
    )
    nb.panel.get_by_role("button", name="HLO", exact=True).click()
    expect(nb.listing("HLO")).to_contain_text("multiply")
    # The run of the cell compiles the program itself, and is counted once.
    nb.run(1)
    expect(nb.panel.locator(".jp-JaxprPanel-header")).to_contain_text("1 call, 1 compile")
    nb.command("jupyter-jaxpr:last-level-of-live", level="jaxpr")
    expect(switch(nb)).to_have_attribute("title", re.compile("Nothing is compiled"))


@pytest.mark.fresh_page
def test_a_second_tab_traces_nothing(nb, lab):
    turn_on(nb)
    other = open_notebook(nb.page.context.new_page(), lab, nb.name)
    other.wait_until_idle()
    nb.page.bring_to_front()
    type_at_end_of(nb, 3, " * 2")
    expect(nb.equation(2)).to_contain_text("mul")
    other.page.bring_to_front()
    # Without real-time collaboration, the other page does not get the cell's text; in any case no key was pressed
    # there.
    expect(other.panel).not_to_contain_text("traced as written, not run")
    other.page.close()
