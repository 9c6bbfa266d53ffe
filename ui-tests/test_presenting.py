"""Tests the presentation mode: a larger panel with one tab, and Page Up and Page Down for steps and programs."""

import re

import pytest
from keyboard_walk import controls_on_screen, reached_by_keyboard
from page_checks import violations
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp\nfrom jax import lax\nxs = jnp.arange(1, 6)"
CELL = """\
%%jaxpr
@jax.jit
def cumulative(xs):
    def step(total, x):
        total = total + x
        return total, 2 * total

    return lax.scan(step, 0, xs)

@jax.jit
def double(xs):
    return xs + xs

double(xs)
cumulative(xs)"""


@pytest.fixture
def talk(shared_notebook, page):
    nb = shared_notebook(LOAD, CELL)
    page.set_viewport_size({"width": 1280, "height": 720})
    expect(nb.panel.get_by_role("button", name="cumulative", exact=True)).to_be_visible()
    return nb


def width_of(nb, name):
    return nb.panel.get_by_role("img", name=re.compile(name)).first.bounding_box()["height"]


def test_presentation_mode_scales_the_panel_with_its_drawings(talk):
    talk.panel.get_by_role("tab", name="Control flow").click()
    before = width_of(talk, "^Drawing of scan")
    room = talk.panel.bounding_box()
    talk.command("application:toggle-presentation-mode")
    assert width_of(talk, "^Drawing of scan") == pytest.approx(before * 1.23, rel=0.01)
    shell = talk.panel.locator(".jp-JaxprPanel-shell").bounding_box()
    assert [shell["width"], shell["height"]] == pytest.approx([room["width"], room["height"]], abs=2)
    talk.command("application:toggle-presentation-mode")
    assert width_of(talk, "^Drawing of scan") == pytest.approx(before)


def test_a_remote_control_goes_through_steps_and_programs(talk, page):
    talk.panel.get_by_role("tab", name="Control flow").click()
    steps = talk.panel.get_by_role("group", name=re.compile("^Steps of "))
    steps.get_by_role("button", name="Record the steps").click()
    heading = steps.get_by_role("heading", level=3)
    expect(heading).to_have_text("Step 1 of 5")

    talk.panel.get_by_role("button", name="Start the presentation").click()
    expect(talk.panel.get_by_role("tab")).to_have_text(["Flow"])
    expect(talk.panel.get_by_role("button", name="Pin this program")).to_have_count(0)
    expect(page.get_by_role("region", name="File Browser Section")).to_have_count(0)
    assert violations(page, ".jp-JaxprPanel") == []
    # Page Down works even while the focus is in a cell.
    talk.editor(1).click()
    page.keyboard.press("PageDown")
    expect(heading).to_have_text("Step 2 of 5")
    talk.theme("dark")
    page.keyboard.press("PageDown")
    expect(heading).to_have_text("Step 3 of 5")
    page.keyboard.press("PageUp")
    expect(heading).to_have_text("Step 2 of 5")

    talk.command("jupyter-jaxpr:show-program")
    expect(talk.panel.get_by_role("tab")).to_have_text(["Program"])
    page.keyboard.press("PageUp")
    expect(talk.panel.get_by_role("button", name="double", exact=True)).to_be_visible()
    page.keyboard.press("PageDown")
    expect(talk.panel.get_by_role("button", name="cumulative", exact=True)).to_be_visible()

    talk.editor(1).click()
    page.keyboard.press("Escape")  # leaves the cell
    expect(talk.panel.get_by_role("tab")).to_have_text(["Program"])
    page.keyboard.press("Escape")
    expect(talk.panel.get_by_role("button", name="Pin this program")).to_be_visible()
    expect(talk.panel.get_by_role("tab", name="Control flow")).to_be_visible()
    expect(page.get_by_role("region", name="File Browser Section")).to_be_visible()
    assert page.locator(".jp-mod-presentationMode").count() == 0


def test_the_keyboard_reaches_every_control_of_a_presentation(talk, page):
    # Before the presentation, the focus was on a button and on a tab that the presentation hides.
    talk.panel.get_by_role("button", name="Pin this program").focus()
    talk.panel.get_by_role("tab", name="Cost").focus()
    talk.command("jupyter-jaxpr:present")
    talk.panel.get_by_role("button", name="cumulative", exact=True).focus()
    reached = reached_by_keyboard(page)
    assert controls_on_screen(talk.panel) - set(reached) == set()
    assert {"cumulative", "End the presentation (Escape)", "Program", "jaxpr of cumulative"} <= set(reached)
    assert {"Pin this program", "Live", "Copy the program", "More actions", "Control flow", "Cost"}.isdisjoint(reached)

    end = talk.panel.get_by_role("button", name="End the presentation (Escape)")
    end.focus()
    page.keyboard.press("Enter")
    expect(talk.panel.get_by_role("button", name="Pin this program")).to_be_visible()
    expect(talk.panel.get_by_role("button", name="Start the presentation")).to_be_focused()


def test_presentation_mode_scales_the_levels_side_by_side_and_nothing_leaves_their_frame(talk, page):
    talk.command("jupyter-jaxpr:open-levels")
    wide = page.locator("#jupyter-jaxpr-wide")
    line = wide.locator('.cm-line[data-number="1"]').first
    expect(line).to_be_visible()
    before = line.bounding_box()["height"]
    talk.command("application:toggle-presentation-mode")
    assert line.bounding_box()["height"] == pytest.approx(before * 1.23, rel=0.02)
    frame = wide.bounding_box()
    rest = wide.locator(".jp-JaxprWide-rest").bounding_box()
    assert rest["x"] >= frame["x"] - 1
    assert rest["x"] + rest["width"] <= frame["x"] + frame["width"] + 1
    assert rest["y"] + rest["height"] <= frame["y"] + frame["height"] + 1
    talk.command("application:toggle-presentation-mode")
    assert line.bounding_box()["height"] == pytest.approx(before)
