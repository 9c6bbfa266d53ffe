"""Tests the SVG file of a selection: its lines at every level, the links between them, and the colours of the theme."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from page_checks import violations
from playwright.sync_api import expect

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp"

CELL = """\
%%jaxpr
@jax.jit
def f(x, w):
    h = jnp.tanh(x @ w)
    return h.sum() * 2.0

y = f(jnp.ones((4, 8)), jnp.ones((8, 2)))"""

SVG = "{http://www.w3.org/2000/svg}"


def texts(path: str | Path) -> list[str]:
    return [each.text or "" for each in ElementTree.parse(path).iter(f"{SVG}text")]


@pytest.mark.parametrize(("width", "theme"), [(320, "light"), pytest.param(900, "dark", marks=pytest.mark.slow)])
def test_the_linked_excerpt_is_saved_from_the_menu(shared_notebook, tmp_path, width, theme):
    nb = shared_notebook(LOAD, CELL)
    nb.theme(theme)
    nb.set_panel_width(width)
    nb.listing().locator(".cm-line").filter(has_text="tanh").click()
    nb.panel.get_by_role("button", name="More actions", exact=True).click()
    item = nb.page.get_by_role("menuitem", name="Save the Selection and Its Links as SVG")
    with nb.page.expect_download() as download:
        item.click()
    assert download.value.suggested_filename == "f-excerpt.svg"
    file = tmp_path / "f-excerpt.svg"
    download.value.save_as(file)
    written = texts(file)
    assert written[:2] == ["f · cell [2]", "Source"]
    assert "h = jnp.tanh(x @ w)" in written
    assert {"jaxpr", "StableHLO", "HLO"} <= set(written)
    assert any(re.match(r"^[a-z]+:f32\[4,2\] = tanh [a-z]+$", each) for each in written)
    assert any("stablehlo.tanh" in each for each in written)
    assert any(" tanh(" in each for each in written)
    root = ElementTree.parse(file).getroot()
    assert len(root.findall(f"{SVG}path")) >= 3
    grounds = [each.get("fill") for each in root.findall(f"{SVG}rect")]
    assert grounds[0] == {"light": "rgb(255, 255, 255)", "dark": "rgb(33, 33, 33)"}[theme]
    assert violations(nb.page) == []

    # The command of the palette saves the same file, and leaves no element behind in the page.
    with nb.page.expect_download() as download:
        nb.command("jupyter-jaxpr:save-excerpt")
    assert texts(download.value.path()) == written
    expect(nb.page.locator(".jp-JaxprExcerpt-place")).to_have_count(0)

    # If nothing is selected, the menu entry is disabled.
    nb.listing().focus()
    nb.page.keyboard.press("Escape")
    nb.panel.get_by_role("button", name="More actions", exact=True).click()
    expect(nb.page.locator(".lm-Menu-item.lm-mod-disabled").filter(has_text="Save the Selection")).to_be_visible()
