"""Tests the same stories in both hosts of the views: JupyterLab's panel and the widget.

A table of the README lists the parts that the widget lacks, with the reasons.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from open_notebook import OpenNotebook
from playwright.sync_api import Locator, expect

pytestmark = pytest.mark.fresh_page  # the page that shows the widget has no labextension

LOAD = """%load_ext jupyter_jaxpr
import jax, jax.numpy as jnp, jupyter_jaxpr as jj
w, xs = jnp.eye(4), jnp.ones((3, 4))"""
BEFORE = """%%jaxpr
@jax.jit
def loss(w, xs):
    return jnp.tanh(xs @ w).sum()

loss(w, xs)"""
LOSS = """%%jaxpr --transform grad
@jax.jit
def loss(w, xs):
    def step(h, x):
        h = jnp.tanh(w @ h + x)
        return h, h.sum()

    h, ys = jax.lax.scan(step, jnp.zeros(4), xs)
    return h.astype("bfloat16").sum()

@jax.jit
def mean(w, xs):
    return (xs @ w).mean()

mean(w, xs)
loss(w, xs)"""

# Returns the middle of a name, relative to the corner of its line; a click in the middle of the line would hit another
# expression.
MIDDLE_OF_NAME = """(line, name) => {
  const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const start = text.data.indexOf(name);
    if (start >= 0) {
      const range = document.createRange();
      range.setStart(text, start);
      range.setEnd(text, start + name.length);
      const box = range.getBoundingClientRect(), corner = line.getBoundingClientRect();
      return {x: box.x + box.width / 2 - corner.x, y: box.y + box.height / 2 - corner.y};
    }
  }
}"""


@dataclass(frozen=True)
class Host:
    """The views in one host: JupyterLab's panel or the widget."""

    notebook: OpenNotebook
    #: The panel, or the widget below its cell.
    views: Locator
    #: The element with the levels side by side.
    columns: Locator
    #: The source of the run: the text of the cell, or the widget's column with the source.
    source: Locator

    def tab(self, name: str) -> None:
        """Choose a tab, and wait for its view."""
        self.views.get_by_role("tab", name=name).click()
        expect(self.views.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")

    def listing(self, level: str) -> Locator:
        """Return the text of the program at a level."""
        return self.views.get_by_role("textbox", name=f"{level} of loss", exact=True)

    def click_in_source(self, name: str) -> None:
        """Click on a name in the source."""
        line = self.source.locator(".cm-line", has_text=name).first
        line.click(position=line.evaluate(MIDDLE_OF_NAME, name))


@pytest.fixture
def host(request, notebook, lab, page) -> Host:
    """Return the host that the test's parameter names; it shows a run, and has an earlier run."""
    page.set_viewport_size({"width": 1500, "height": 1000})
    if request.param == "panel":
        nb = notebook(LOAD, BEFORE, LOSS)
        nb.run_all()
        panel = page.locator("#jupyter-jaxpr-panel")
        expect(panel.get_by_role("button", name="loss", exact=True)).to_be_visible()
        nb.set_panel_width(640)
        return Host(nb, panel, page.locator("#jupyter-jaxpr-wide"), nb.cell(2))
    with lab.without_labextension():
        nb = notebook(LOAD, BEFORE, LOSS, "jj.widget()")
        for index in range(4):
            nb.run(index)
    widget = page.locator(".jp-JaxprWidget[role=region]")
    expect(widget.get_by_role("button", name="loss", exact=True)).to_be_visible()
    return Host(nb, widget, widget, widget.get_by_role("textbox", name="Source of loss"))


def in_hosts(*everyday: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test in both hosts: every day in the named hosts, and in the other host only in the slow set."""
    names = [name if name in everyday else pytest.param(name, marks=pytest.mark.slow) for name in ("panel", "widget")]
    return pytest.mark.parametrize("host", names, indirect=True)


@in_hosts("widget")
def test_all_tabs_and_levels_are_there(host: Host) -> None:
    expect(host.views.get_by_role("tab")).to_have_text(
        ["Program", "Flow", "Cache2", "Time", "Cost", "Diff", "Compare", "Notes"]
    )
    for level, text in (("StableHLO", "stablehlo.while"), ("HLO", "HloModule jit_loss"), ("jaxpr", "scan")):
        host.views.get_by_role("button", name=level, exact=True).click()
        expect(host.listing(level)).to_contain_text(text)


@in_hosts()
def test_a_click_on_an_expression_marks_its_equation(host: Host) -> None:
    linked = host.listing("jaxpr").locator(".cm-line[data-linked]")
    for name, equation in (("tanh", "tanh"), ("scan", "scan"), ("astype", "convert_element_type")):
        host.click_in_source(name)
        expect(linked).to_contain_text([equation])


@in_hosts()
def test_a_program_is_searched_and_its_conversions_are_hidden(host: Host) -> None:
    host.views.get_by_role("button", name="Find in program").click()
    host.views.get_by_role("textbox", name="Find in program").fill("tanh")
    expect(host.listing("jaxpr").locator(".cm-searchMatch").first).to_have_text("tanh")
    host.notebook.page.keyboard.press("Escape")

    expect(host.listing("jaxpr")).to_contain_text("convert_element_type")
    host.views.get_by_role("button", name="Hide lines").click()
    host.views.get_by_role("group", name="Hide lines").get_by_role("button", name="Converts").click()
    expect(host.listing("jaxpr")).not_to_contain_text("convert_element_type")


@in_hosts()
def test_the_kernel_answers_for_steps_and_comparisons(host: Host) -> None:
    host.tab("Control flow")
    host.views.get_by_role("button", name="Record the steps").click()
    expect(host.views.get_by_role("heading", name="Step 1 of 3")).to_be_visible()

    host.tab("Compare")
    for name in ("^mean", "^loss"):
        host.views.get_by_role("checkbox", name=re.compile(name)).check()
    host.views.get_by_role("button", name="Compare", exact=True).click()
    expect(host.views.get_by_role("table").first).to_contain_text("mean")


@in_hosts()
def test_a_derived_program_and_the_levels_side_by_side(host: Host) -> None:
    host.views.get_by_role("group", name="Transforms").get_by_role("button", name="grad").click()
    expect(host.views).to_contain_text("grad(loss): traced by jupyter_jaxpr, not run. jax.grad of loss.")
    host.views.get_by_role("group", name="Transforms").get_by_role("button", name="loss").click()

    host.views.get_by_role("button", name="Open levels side by side").click()
    # In a widget as wide as a cell, two columns fit side by side.
    for level in ("jaxpr", "HLO"):
        expect(host.columns.get_by_role("textbox", name=f"{level} of loss", exact=True)).to_be_visible()
