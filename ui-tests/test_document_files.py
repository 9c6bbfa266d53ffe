"""Tests files of saved runs: a double click opens the views without a kernel, and two selected files open as a diff."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from open_notebook import OpenNotebook
from page_checks import violations
from playwright.sync_api import Locator, expect

FIXTURES = Path(__file__).parent.parent / "tests" / "fixtures"
LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp"
DOUBLE = "%%jaxpr\n@jax.jit\ndef double(x):\n    return x * 2\n\ndouble(jnp.ones(3))"


def write(nb: OpenNotebook, name: str, text: str) -> None:
    (nb.lab.root / name).write_text(text)


def golden(name: str) -> str:
    return (FIXTURES / f"{name}-0.10.json").read_text()


def file(nb: OpenNotebook, name: str) -> Locator:
    """Refresh the file browser, and return the entry of a file."""
    nb.page.get_by_role("tab", name="File Browser", exact=False).first.wait_for()
    if not nb.page.locator("#filebrowser").is_visible():
        nb.command("filebrowser:toggle-main")
    nb.command("filebrowser:refresh")
    return nb.page.locator("#filebrowser").get_by_role("listitem", name=name)


@pytest.mark.slow
def test_a_double_click_opens_the_run_without_a_kernel_and_its_copy_compares(notebook):
    nb = notebook(LOAD, DOUBLE)
    nb.run_all()
    expect(nb.listing()).to_contain_text("mul a 2.0")
    nb.command("jupyter-jaxpr:save-copy")
    expect(nb.page.get_by_text("The run was saved as double.jaxpr.json.")).to_be_visible()
    write(nb, "newton.jaxpr.json", golden("newton"))
    write(nb, "broken.jaxpr.json", golden("newton")[:900])
    write(nb, "newer.jaxpr.json", json.dumps(json.loads(golden("newton")) | {"version": 2}))

    kernels = len(nb.lab.request("GET", "kernels"))
    file(nb, "double.jaxpr.json").dblclick()
    view = nb.page.get_by_role("region", name="Saved document")
    expect(view).to_contain_text("This is a saved document.")
    expect(view).to_contain_text("b:f32[3] = mul a 2.0:f32[]")
    view.get_by_role("button", name="HLO", exact=True).click()
    expect(view).to_contain_text("HloModule jit_double")
    # JupyterLab started no kernel for the file.
    assert len(nb.lab.request("GET", "kernels")) == kernels

    # The menu entry of two selected files opens their diff.
    file(nb, "double.jaxpr.json").click()
    file(nb, "newton.jaxpr.json").click(modifiers=["Control"])
    file(nb, "double.jaxpr.json").click(button="right")
    nb.page.get_by_role("menuitem", name="Compare Jaxpr Documents").click()
    diff = nb.page.get_by_role("tabpanel", name="Diff of double.jaxpr.json and newton.jaxpr.json")
    expect(diff.get_by_role("tab", name="Diff", exact=True)).to_have_attribute("aria-selected", "true")
    expect(diff).to_contain_text("1 equation was added. 9 equations were removed.")

    # An open document can also be compared with a file that the user chooses in a dialog; a file and its copy hold
    # the same run.
    write(nb, "again.jaxpr.json", golden("newton"))
    file(nb, "newton.jaxpr.json").dblclick()
    opened = nb.page.get_by_role("tabpanel", name="newton.jaxpr.json", exact=True)
    opened.get_by_role("button", name="More actions", exact=True).click()
    nb.page.get_by_role("menuitem", name="Compare With…").click()
    dialog = nb.page.get_by_role("dialog")
    dialog.get_by_text("again.jaxpr.json").click()
    dialog.get_by_role("button", name="Select").click()
    same = nb.page.get_by_role("tabpanel", name="Diff of newton.jaxpr.json and again.jaxpr.json")
    expect(same.get_by_role("tab", name="Diff", exact=True)).to_have_attribute("aria-selected", "true")
    expect(same).to_contain_text("All equations are equal except for names.")
    assert violations(nb.page, ".jp-MainAreaWidget:not(.lm-mod-hidden) .jp-JaxprPanel-shell") == []

    # A damaged file and a file of a newer version are refused with a sentence.
    for name, sentence in (
        ("broken.jaxpr.json", "The file holds no JSON."),
        ("newer.jaxpr.json", "A newer version of jupyter_jaxpr made the document (format 2"),
    ):
        file(nb, name).dblclick()
        refused = nb.page.get_by_role("alert").filter(has_text=sentence, visible=True)
        expect(refused).to_be_visible()
        expect(refused.get_by_role("heading")).to_have_text("This file cannot be shown.")
