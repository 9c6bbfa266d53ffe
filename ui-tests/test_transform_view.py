"""Tests programs that JAX derives by transforms: one at a time in the panel, side by side in the main area."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from open_notebook import OpenNotebook
from page_checks import cut, violations
from playwright.sync_api import Locator, Page, expect

SETUP = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp\nx = jnp.ones((4, 8)); w = jnp.ones((8, 3))"
LOSS = """
@jax.jit
def loss(w, x):
    h = jnp.tanh(x @ w)
    return (h * h).sum()

loss(w, x)"""


@pytest.fixture
def derived(shared_notebook: Callable[..., OpenNotebook]) -> OpenNotebook:
    """Return a shared notebook whose cell requests two transforms and has run."""
    opened = shared_notebook(SETUP, "%%jaxpr --transform grad,linearize" + LOSS)
    expect(opened.panel).to_contain_text("dot_general")
    return opened


@pytest.fixture
def derived_alone(notebook: Callable[..., OpenNotebook]) -> OpenNotebook:
    """Return the same notebook in its own kernel, for tests that request further transforms."""
    opened = notebook(SETUP, "%%jaxpr --transform grad,linearize" + LOSS)
    opened.run_all()
    expect(opened.panel).to_contain_text("dot_general")
    return opened


def side(notebook: OpenNotebook) -> Locator:
    """Return the panel in the side area; the columns in the main area have the same class."""
    return notebook.page.locator("#jupyter-jaxpr-panel")


def columns(notebook: OpenNotebook) -> Locator:
    """Return the columns in the main area."""
    return notebook.page.locator("#jupyter-jaxpr-transforms")


def column(notebook: OpenNotebook, name: str) -> Locator:
    return columns(notebook).get_by_role("group", name=name, exact=True)


def line(place: Locator, number: int) -> Locator:
    return place.locator(f'.cm-line[data-number="{number}"]')


def marked(place: Locator) -> Callable[[list[str]], None]:
    """Return a function that waits until exactly the equations with these numbers are marked."""

    def expect_numbers(numbers: list[str]) -> None:
        expect(place.locator(".cm-line[data-linked]")).to_have_count(len(numbers))
        found = place.locator(".cm-line[data-linked]").evaluate_all("lines => lines.map(line => line.dataset.number)")
        assert found == numbers

    return expect_numbers


def test_the_panel_shows_one_program_at_a_time(derived: OpenNotebook) -> None:
    panel = side(derived)
    row = panel.get_by_role("group", name="Transforms")
    expect(row.get_by_role("button", name="loss")).to_have_attribute("aria-pressed", "true")
    row.get_by_role("button", name="grad").click()
    expect(panel).to_contain_text(
        "grad(loss): traced by jupyter_jaxpr, not run. jax.grad of loss. The derivative is with respect to w and x."
    )
    expect(line(panel, 1)).to_contain_text("→ fwd")
    expect(line(panel, 2)).to_contain_text("tanh")
    expect(line(panel, 2)).to_contain_text(re.compile(r"residual, 48\sB"))
    expect(line(panel, 13)).to_contain_text("← bwd")
    row.get_by_role("button", name="linearize: linear program").click()
    expect(line(panel, 1)).to_contain_text("∂ tangent")
    row.get_by_role("button", name="loss").click()
    expect(line(panel, 4)).to_contain_text("reduce_sum")


def test_a_derived_equation_is_linked_to_the_cell(derived: OpenNotebook) -> None:
    panel = side(derived)
    panel.get_by_role("group", name="Transforms").get_by_role("button", name="grad").click()
    line(panel, 10).click()
    derived.expect_linked(1, "jnp.tanh(x @ w)")


def test_it_is_asked_for_by_a_button_and_listed_under_its_program(
    notebook: Callable[..., OpenNotebook],
) -> None:
    opened = notebook(SETUP, "%%jaxpr" + LOSS)
    opened.run_all()
    panel = side(opened)
    expect(panel).to_contain_text("dot_general")
    panel.get_by_role("button", name="Transforms", exact=True).click()
    panel.get_by_role("group", name="Transforms").get_by_role("button", name="vmap").click()
    expect(panel).to_contain_text("with in_axes=0. Each array has a new first axis of size 8.")
    expect(line(panel, 1)).to_contain_text("f32[8,4,3]")
    panel.get_by_role("button", name=re.compile("^vmap\\(loss\\)")).click()
    options = panel.get_by_role("listbox", name="Programs").get_by_role("option")
    expect(options).to_have_text([re.compile(r"^loss"), re.compile(r"^vmap\(loss\)")])
    # The ledger has the call of the cell, and no work of the transforms.
    opened.page.keyboard.press("Escape")
    expect(panel.get_by_role("tab", name=re.compile("Cache"))).to_contain_text("1")


@pytest.mark.slow
def test_why_there_is_none(notebook: Callable[..., OpenNotebook]) -> None:
    opened = notebook(SETUP, "%%jaxpr\nf = jax.jit(lambda n: n + 1)\nf(3)")
    opened.run_all()
    panel = side(opened)
    expect(panel).to_contain_text("add")
    panel.get_by_role("button", name="Transforms", exact=True).click()
    panel.get_by_role("group", name="Transforms").get_by_role("button", name="grad").click()
    expect(panel.get_by_role("status").filter(has_text="grad needs")).to_have_text(
        "grad needs an argument of a float type, but the call of <lambda> passes i32[]. Pass floats, such as "
        "x.astype(float)."
    )


def test_columns_side_by_side_with_one_selection(derived_alone: OpenNotebook, page: Page) -> None:
    page.set_viewport_size({"width": 1900, "height": 900})
    side(derived_alone).get_by_role("button", name="Transforms side by side").click()
    loss, grad = column(derived_alone, "loss"), column(derived_alone, "grad")
    expect(grad).to_contain_text(re.compile(r"→ fwd: 5 · ← bwd: 8 · residuals: 96\sB"))
    line(loss, 2).click()
    marked(grad)(["2", "3", "10"])
    marked(column(derived_alone, "linearize: primal program"))(["2", "3"])
    expect(loss).to_contain_text("1 of 4 eq")
    derived_alone.expect_linked(1, "jnp.tanh(x @ w)")
    marked(side(derived_alone))(["2"])
    line(grad, 13).click()
    marked(loss)(["1"])
    derived_alone.expect_linked(1, "x @ w")
    columns(derived_alone).get_by_role("button", name="linearize", exact=True).click()
    expect(columns(derived_alone).get_by_role("group", name=re.compile("linearize"))).to_have_count(0)
    columns(derived_alone).get_by_role("button", name="jvp", exact=True).click()
    expect(line(column(derived_alone, "jvp"), 2)).to_contain_text("∂ tangent")


@pytest.mark.slow
def test_the_columns_by_the_keyboard(derived: OpenNotebook, page: Page) -> None:
    derived.command("jupyter-jaxpr:open-transforms")
    loss, grad = column(derived, "loss"), column(derived, "grad")
    expect(line(grad, 1)).to_be_visible()
    switch = columns(derived).get_by_role("button", name="linearize", exact=True)
    columns(derived).get_by_role("button", name="grad", exact=True).focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(switch).to_be_focused()
    page.keyboard.press("Space")
    expect(switch).to_have_attribute("aria-pressed", "false")
    loss.get_by_role("textbox").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    marked(loss)(["2"])
    page.keyboard.press("Alt+ArrowRight")
    expect(grad.get_by_role("textbox")).to_be_focused()
    marked(grad)(["2", "3", "10"])
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    expect(derived.editor(1)).to_be_focused()


@pytest.mark.slow
def test_the_next_run_has_its_columns(derived_alone: OpenNotebook) -> None:
    derived_alone.command("jupyter-jaxpr:open-transforms")
    expect(line(column(derived_alone, "grad"), 1)).to_be_visible()
    derived_alone.write(1, "%%jaxpr\n@jax.jit\ndef other(x):\n    return jnp.cos(x).sum()\nother(x)")
    derived_alone.run(1)
    expect(column(derived_alone, "other")).to_contain_text("cos")
    expect(column(derived_alone, "grad")).to_contain_text("← bwd")


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_it_is_accessible(derived: OpenNotebook, page: Page, theme: str) -> None:
    derived.theme(theme)
    derived.set_panel_width(320)
    panel = side(derived)
    panel.get_by_role("group", name="Transforms").get_by_role("button", name="grad").click()
    expect(line(panel, 13)).to_contain_text("← bwd")
    line(panel, 2).click()
    assert violations(page, "#jupyter-jaxpr-panel") == []
    assert cut(panel, "button, .jp-JaxprProgram-tag") == []
    panel.get_by_role("button", name="Transforms side by side").click()
    expect(line(column(derived, "grad"), 1)).to_be_visible()
    assert violations(page, "#jupyter-jaxpr-transforms") == []
