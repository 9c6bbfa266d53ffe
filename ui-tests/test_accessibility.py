"""Tests that axe-core finds no violation in any state and theme, and that the keyboard reaches all controls."""

import re

import pytest
from keyboard_walk import controls_on_screen, reached_by_keyboard
from page_checks import violations
from playwright.sync_api import expect

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp\ntable = jnp.arange(1000.0)"

NOTED = """\
%%jaxpr
@jax.jit
def look_up(i):
    print("tracing with", i)
    return jax.nn.softmax(table)[i] + jax.lax.fori_loop(0, 3, lambda _, x: x * 2, 1.0)

look_up(3)"""

SLOW = """\
%%jaxpr
import pathlib, time

@jax.jit
def waits(x):
    while not pathlib.Path("go-on").exists():
        time.sleep(0.02)
    return jnp.sin(x)

waits(1.0)"""


def in_both_themes(nb, state: str) -> None:
    for theme in ("light", "dark"):
        nb.theme(theme)
        assert violations(nb.page, ".jp-JaxprPanel", ".jp-JaxprOutput") == [], f"{state}, {theme}"


def test_no_violation_in_the_program_and_the_notes(shared_notebook):
    nb = shared_notebook(LOAD, NOTED)
    expect(nb.outputs(1).locator(".jp-JaxprOutput-lines")).to_be_visible()
    nb.equation(1).click()
    in_both_themes(nb, "an equation is chosen")

    nb.equation(1).click()  # clicked again, because the change of the theme may have taken the focus
    expect(nb.listing()).to_be_focused()
    nb.page.keyboard.press("Control+f")
    nb.panel.get_by_role("textbox", name="Find in program").fill("f32")
    expect(nb.listing().locator(".cm-searchMatch").first).to_be_visible()
    in_both_themes(nb, "search")

    nb.panel.get_by_role("button", name="look_up", exact=True).click()
    expect(nb.panel.get_by_role("listbox")).to_be_visible()
    assert violations(nb.page, ".jp-JaxprPanel", ".jp-JaxprOutput") == [], "list of programs"
    nb.page.keyboard.press("Escape")

    nb.panel.get_by_role("button", name="HLO", exact=True).click()
    expect(nb.listing("HLO")).to_contain_text("HloModule jit_look_up")
    in_both_themes(nb, "HLO")

    nb.panel.get_by_role("tab", name="Notes").click()
    expect(nb.panel.get_by_role("listitem").first).to_be_visible()
    nb.panel.get_by_text("Printed text").click()
    in_both_themes(nb, "notes")


def test_a_line_says_its_equation_its_source_and_its_text(shared_notebook):
    nb = shared_notebook(LOAD, NOTED)
    expect(nb.equation(1)).to_be_visible()
    names = [
        node["name"]["value"]
        for node in nb.page.context.new_cdp_session(nb.page).send("Accessibility.getFullAXTree")["nodes"]
        if node.get("name", {}).get("value")
    ]
    lines = [name for name in names if name.startswith("equation ")]
    assert lines[0] == "equation 1, line 5, c: f32[] = reduce_max a"
    assert lines[-1] == "equation 20, line 5, x: f32[] = add q w"
    # The accessible name of a line contains the numbers at its two edges, so a screen reader must not read them again.
    listing = nb.listing().aria_snapshot()
    assert re.findall(r"(?m)^ *- text: [\d ]+$", listing) == []


@pytest.mark.slow
def test_no_violation_before_a_run_in_one_and_after_a_restart(notebook, lab):
    nb = notebook(LOAD, SLOW)
    nb.page.keyboard.press("Control+Alt+j")
    expect(nb.panel.get_by_role("heading")).to_have_text("jupyter_jaxpr is not loaded")
    in_both_themes(nb, "not loaded")
    nb.run(0)
    expect(nb.panel.get_by_role("heading")).to_have_text("No program yet")
    in_both_themes(nb, "empty")

    go_on = lab.root / "go-on"
    try:
        nb.run(1, wait=False)
        expect(nb.panel.locator('[data-stage="trace"]')).to_be_visible()
        in_both_themes(nb, "running")
    finally:
        go_on.touch()
    nb.wait_for_end(1)
    go_on.unlink()
    expect(nb.equation(1)).to_contain_text("sin")

    nb.restart_kernel()
    expect(nb.panel.locator('[data-status="stale"]')).to_be_visible()
    in_both_themes(nb, "stale")


def test_the_keyboard_reaches_every_control(shared_notebook):
    nb = shared_notebook(LOAD, NOTED)
    expect(nb.equation(1)).to_be_visible()
    page = nb.page
    page.keyboard.press("Control+Alt+j")
    page.keyboard.press("Control+Alt+j")
    expect(nb.panel.get_by_role("button", name="look_up", exact=True)).to_be_focused()

    reached = reached_by_keyboard(page)
    assert controls_on_screen(nb.panel) - set(reached) == set()
    assert {"look_up", "Pin this program", "Copy the program", "jaxpr", "Fold all", "jaxpr of look_up"} <= set(reached)


@pytest.mark.slow
def test_every_width_has_its_words_and_scrolls_nothing_sideways(shared_notebook):
    nb = shared_notebook(LOAD, NOTED)
    nb.page.set_viewport_size({"width": 1800, "height": 800})
    expect(nb.equation(1)).to_be_visible()

    for width in (900, 480, 320):
        nb.set_panel_width(width)
        for tab in ("Notes", "Program"):
            nb.panel.get_by_role("tab", name=re.compile(f"^{tab}")).click()
            assert wider_than_their_place(nb) == [], f"{tab} at {width} px"
            assert violations(nb.page, ".jp-JaxprPanel", ".jp-JaxprOutput") == [], f"{tab} at {width} px"


def wider_than_their_place(nb) -> list[str]:
    """Return the classes of elements in the panel whose content is so wide that they would scroll sideways."""
    return nb.panel.evaluate("""panel => [...panel.querySelectorAll('*')]
        .filter(node => node.scrollWidth > node.clientWidth + 1)
        .filter(node => !['visible', 'hidden', 'clip'].includes(getComputedStyle(node).overflowX))
        .map(node => node.className)""")


EVERYTHING = """\
%%jaxpr --steps --time --transform grad
@jax.jit
def settle(x, target):
    def step(x, _):
        x = jax.lax.cond(x.sum() > target, lambda x: x * 0.5, lambda x: x + 1.0, x)
        return x, x.max()
    for _ in range(4):
        x = jnp.sin(x)
    return jax.lax.scan(step, x, None, length=12)[1].sum()

for target in (1.0, 2.0):
    settle(jnp.arange(16.0), target)"""


@pytest.mark.slow
def test_no_violation_in_any_tab(notebook):
    nb = notebook(LOAD, EVERYTHING)
    nb.page.set_viewport_size({"width": 1500, "height": 900})
    nb.run_all()
    expect(nb.panel.get_by_role("button", name="settle", exact=True)).to_be_visible()
    nb.set_panel_width(400)
    for tab in ("program", "flow", "cache", "time", "cost", "diff", "compare", "notes"):
        nb.command(f"jupyter-jaxpr:show-{tab}")
        expect(nb.panel.get_by_role("tabpanel")).to_have_text(re.compile(r"\S"))
        in_both_themes(nb, tab)
