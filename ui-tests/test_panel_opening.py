"""Tests the ways to open the panel, and when a run opens it by itself."""

import re
import uuid

import pytest
from playwright.sync_api import Page, expect

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp"
SINE = "%%jaxpr\njax.jit(jnp.sin)(1.0)"
COSINE = "%%jaxpr\njax.jit(jnp.cos)(1.0)"


def by_the_palette(page: Page) -> None:
    page.keyboard.press("Control+Shift+C")
    page.get_by_role("textbox", name="Search").last.fill("jaxpr")
    page.locator(".lm-CommandPalette-item", has_text="Show or hide the program").click()


def by_the_view_menu(page: Page) -> None:
    page.get_by_role("menuitem", name="View", exact=True).click()
    page.locator(".lm-Menu").get_by_role("menuitem", name=re.compile("^Jaxpr")).click()


def by_the_shortcut(page: Page) -> None:
    page.keyboard.press("Control+Alt+j")


def by_the_toolbar(page: Page) -> None:
    page.get_by_role("button", name=re.compile("^Show or hide the programs that JAX made")).click()


def by_its_place_in_the_side_bar(page: Page) -> None:
    page.get_by_role("tab", name="Jaxpr: the programs that JAX made of a cell").click()


@pytest.mark.fresh_page
def test_it_opens_when_asked(notebook, page):
    nb = notebook(SINE)
    panel = page.get_by_role("region", name="Jaxpr")
    for open_it in (by_the_palette, by_the_view_menu, by_the_shortcut, by_the_toolbar, by_its_place_in_the_side_bar):
        expect(nb.panel).to_be_hidden()

        open_it(page)

        expect(panel.get_by_role("heading"), open_it.__name__).to_have_text("jupyter_jaxpr is not loaded")
        by_the_shortcut(page)  # closes it


def test_the_first_run_opens_it_and_the_next_does_not(notebook, page):
    nb = notebook(LOAD, SINE, COSINE)
    nb.run(0)
    expect(nb.panel).to_be_hidden()

    nb.run(1)
    expect(nb.panel.get_by_role("button", name="sin", exact=True)).to_be_visible()
    expect(nb.cell(1)).to_be_focused()  # the focus stays in the notebook when the run opens the panel

    by_the_shortcut(page)
    expect(nb.panel).to_be_hidden()
    nb.run(2)
    expect(nb.outputs(2).last).to_contain_text("cos")
    expect(nb.panel).to_be_hidden()


@pytest.mark.slow
@pytest.mark.fresh_page
def test_it_is_there_again_after_a_reload(notebook):
    nb = notebook(LOAD, SINE)
    nb.run(0)
    nb.run(1)
    expect(nb.panel.get_by_role("button", name="sin", exact=True)).to_be_visible()
    nb.save()

    nb.reload()

    expect(nb.panel.get_by_role("button", name="sin", exact=True)).to_be_visible()
    expect(nb.listing()).to_contain_text("b:f32[]weak = sin a")


@pytest.mark.slow
def test_it_follows_the_notebook_in_front(notebook, lab, page):
    one = notebook(LOAD, SINE, name=f"one-{uuid.uuid4().hex[:8]}.ipynb")
    one.run_all()
    expect(one.panel.get_by_role("button", name="sin", exact=True)).to_be_visible()

    other = lab.write([LOAD, COSINE])
    one.command("docmanager:open", path=other)
    one.wait_until_idle()
    expect(one.panel.get_by_role("heading")).to_have_text("jupyter_jaxpr is not loaded")
    one.run_all()
    expect(one.panel.get_by_role("button", name="cos", exact=True)).to_be_visible()

    page.locator(".lm-TabBar-tab", has_text=one.name).click()
    expect(one.panel.get_by_role("button", name="sin", exact=True)).to_be_visible()
    page.locator(".lm-TabBar-tab", has_text=other).click()
    expect(one.panel.get_by_role("button", name="cos", exact=True)).to_be_visible()


@pytest.mark.slow
@pytest.mark.fresh_page
def test_the_settings_say_whether_a_run_opens_it_with_which_tabs_and_what_is_below_the_cell(notebook, lab):
    settings = lab.settings / "jupyter-jaxpr" / "plugin.jupyterlab-settings"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text('{"openOnRun": false, "firstTab": "cache", "tabs": "simple", "output": "none"}')
    nb = notebook(LOAD, SINE)
    nb.run(0)

    nb.run(1)
    expect(nb.outputs(1).last).to_contain_text("sin")
    expect(nb.outputs(1).last).to_be_hidden()
    expect(nb.panel).to_be_hidden()

    by_the_shortcut(nb.page)
    expect(nb.panel.get_by_role("tab")).to_have_text(["Program", "Cache1", "Time", "Notes"])
    expect(nb.panel.get_by_role("tab", name=re.compile("^Cache"))).to_have_attribute("aria-selected", "true")
    expect(nb.panel.get_by_role("tabpanel", name=re.compile("^Cache"))).to_contain_text("sin")
