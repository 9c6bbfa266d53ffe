"""Tests the panel in the side area of Notebook 7."""

import pytest
from playwright.sync_api import Page, expect


@pytest.mark.fresh_page
def test_the_panel_opens_at_the_first_run_and_is_linked(notebook, page: Page):
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    nb = notebook(
        "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp",
        "%%jaxpr\njax.jit(lambda x: jnp.sin(x) * 2)(1.0)",
        app="notebook",
    )
    nb.run_all()

    expect(nb.page.get_by_role("region", name="Jaxpr")).to_be_visible()
    expect(nb.equation(1)).to_contain_text("b:f32[]weak = sin a")
    nb.equation(1).click()
    nb.expect_linked(1, "jnp.sin(x)")

    nb.panel.get_by_role("button", name="HLO", exact=True).click()
    expect(nb.listing("HLO")).to_contain_text("ENTRY")
    # Each plugin starts, or does nothing, where JupyterLab's shell is missing.
    assert [error for error in errors if "jaxpr" in error] == []


@pytest.mark.slow
@pytest.mark.fresh_page
def test_the_panel_opens_when_asked_and_closes(notebook):
    nb = notebook("1 + 1", app="notebook")
    button = nb.page.get_by_role("button", name="Show or hide the programs that JAX made")
    button.click()
    expect(nb.panel.get_by_role("heading")).to_have_text("jupyter_jaxpr is not loaded")
    nb.page.keyboard.press("Control+Alt+j")
    expect(nb.panel).to_be_hidden()
    nb.page.get_by_role("menuitem", name="View", exact=True).click()
    nb.page.locator(".lm-Menu").get_by_role("menuitem", name="Jaxpr").click()
    expect(nb.panel).to_be_visible()
