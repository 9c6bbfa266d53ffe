"""Tests the address of an equation: copied from the panel, as a link in a Markdown cell, and opened in a new page."""

import pytest
from lab_server import markdown
from page_checks import clipboard
from playwright.sync_api import expect

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp"
CELL = """\
%%jaxpr
@jax.jit
def wave(x):
    return jnp.cos(jnp.sin(x) * 2)

@jax.jit
def other(x):
    return x + 1

wave(1.0)
other(1.0)"""


@pytest.mark.slow
@pytest.mark.fresh_page
def test_an_address_is_copied_and_chooses_the_equation_again(notebook, lab):
    nb = notebook(LOAD, CELL, markdown("Here it is."))
    nb.run_all()
    nb.command("jupyter-jaxpr:previous-program")
    expect(nb.equation(3)).to_contain_text("cos")
    nb.equation(3).click(position={"x": 60, "y": 8})
    expect(nb.equation(3)).to_have_attribute("data-linked", "true")
    nb.panel.get_by_role("button", name="More actions", exact=True).click()
    nb.page.get_by_role("menuitem", name="Copy Link to the Equation").click()
    address = clipboard(nb.page)
    assert f"/lab/tree/{nb.name}#jaxpr?cell=" in address
    assert address.endswith("&program=0&name=wave&equation=3&primitive=cos")
    nb.save()

    # A link in a Markdown cell shows the equation, although another program is in view.
    nb.command("jupyter-jaxpr:next-program")
    expect(nb.listing()).to_contain_text("add")
    nb.page.evaluate(
        """text => {
          const { content } = window.jupyterapp.shell.currentWidget;
          content.model.cells.get(2).sharedModel.setSource(text);
        }""",
        f"[the cosine](#{address.split('#')[1]})",
    )
    nb.cell(2).get_by_role("link", name="the cosine").click()
    expect(nb.equation(3)).to_contain_text("cos")
    expect(nb.equation(3)).to_have_attribute("data-linked", "true")

    # A newly loaded page shows the equation, although another program was last in view.
    nb.command("jupyter-jaxpr:next-program")
    expect(nb.listing()).to_contain_text("add")
    nb.page.goto("about:blank")
    nb.page.goto(address)
    expect(nb.equation(3)).to_contain_text("cos")
    expect(nb.equation(3)).to_have_attribute("data-linked", "true")
