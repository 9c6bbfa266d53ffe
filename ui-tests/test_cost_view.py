"""Tests the Cost tab: operations by line, primitive and scope, XLA's own counts, and heat in cell and program."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from lab_server import code
from page_checks import cut, violations
from playwright.sync_api import expect

MIME = "application/vnd.jupyter-jaxpr.v1+json"

LOAD = """\
%load_ext jupyter_jaxpr
import jax, jax.numpy as jnp
from jax import lax
w = jnp.eye(64)"""

LEAD = (
    "52.4\u00a0M operations and 4,096 transcendental operations per call. 100\u00a0% of the operations are on "
    "line\u00a05, where a transcendental operation counts as 20 operations."
)

ASIDE = (
    "Transcendental operations are counted separately. In the shares, a transcendental operation counts as 20 "
    "operations."
)

POWERS = """\
%%jaxpr
@jax.jit
def powers(x):
    def step(c, _):
        return c @ w, None

    y, _ = lax.scan(step, x, None, length=100)
    return jnp.sin(y)

powers(w)"""

UNEVEN = """\
%%jaxpr
@jax.jit
def uneven(x, n):
    y = lax.cond(
        x.sum() > 0,
        lambda a: a @ w,
        lambda a: a * 2,
        x)
    return lax.fori_loop(0, n, lambda i, a: a + 1, y)

uneven(w, 5)"""


def choose_cost(nb):
    """Enlarge the window and choose the Cost tab."""
    nb.page.set_viewport_size({"width": 1540, "height": 1400})
    nb.panel.get_by_role("tab", name="Cost").click()
    expect(nb.panel.get_by_role("grid", name="Cost by line")).to_be_visible()
    return nb


@pytest.fixture
def costed(shared_notebook):
    """Return a shared notebook in which POWERS has run, with the Cost tab chosen."""
    return choose_cost(shared_notebook(LOAD, POWERS))


@pytest.fixture
def costed_alone(notebook):
    """Return a notebook in which POWERS has run, in its own kernel, with the Cost tab chosen."""
    nb = notebook(LOAD, POWERS)
    nb.run_all()
    return choose_cost(nb)


def run_and_measure_the_machine(nb):
    nb.run_all()
    nb.panel.get_by_role("tab", name="Cost").click()
    nb.panel.get_by_role("button", name="Measure this machine").click()
    expect(nb.panel.get_by_role("button", name="Measure this machine again")).to_be_visible()


@pytest.fixture
def measured(shared_notebook):
    """Return a shared notebook in which POWERS has run and the machine was measured, with the Cost tab chosen."""
    nb = choose_cost(shared_notebook(LOAD, POWERS, prepare=run_and_measure_the_machine))
    expect(nb.panel.get_by_role("button", name="Measure this machine again")).to_be_visible()
    return nb


def cost_of(nb):
    return nb.panel.get_by_role("tabpanel", name="Cost")


def texts(nb, rows) -> list[str]:
    """Return the texts of rows, with each white space as one ordinary space."""
    return [" ".join(row.split()) for row in rows.all_inner_texts()]


def test_a_loop_is_counted_with_its_trips_and_xla_s_count_stands_beside_it(costed):
    cost = cost_of(costed)
    # A product takes 2 x 64 x 64 x 64 operations, and runs in each of 100 steps.
    expect(cost).to_contain_text(LEAD)
    expect(cost).to_contain_text(
        "Transcendental operations are counted separately. In the shares, a transcendental operation counts as 20 "
        "operations."
    )
    costed.set_panel_width(900)
    rows = cost.get_by_role("grid", name="Cost by line").get_by_role("row")
    assert texts(costed, rows) == [
        "line expression operations op × executions transcendentals bytes share",
        "5 return c @ w, None 52.4 Mop 524 k × 100 0 4.9 MB 100 %",
        "8 return jnp.sin(y) 0 op 4.1 k 32.8 kB 0.2 %",
        "powers 52.4 Mop 4.1 k 4.9 MB",
    ]

    expect(cost.get_by_role("heading", name="XLA's count")).to_be_visible()
    expect(cost).to_contain_text("XLA counts 524,290 operations. jupyter_jaxpr counts 52,428,800 operations.")
    table = cost.get_by_role("table", name="Operations counted by this panel and by XLA").get_by_role("row")
    assert texts(costed, table) == [
        "operations this panel XLA",
        "XLA counts the body of a loop once, however many steps the loop has. The loop counter adds 2 operations to "
        "XLA's count. line 7 524,288 × 100 524,290 × 1",
        "total 52,428,800 524,290",
    ]


@pytest.mark.slow
def test_what_depends_on_the_data_is_a_range_and_per_trip(notebook):
    nb = notebook(LOAD, UNEVEN)
    nb.run_all()
    nb.panel.get_by_role("tab", name="Cost").click()
    cost = cost_of(nb)
    expect(cost).to_contain_text(
        "The total counts one step of each loop with an unknown number of steps: while_loop, line 9."
    )
    expect(cost.get_by_role("row", name="lambda a: a @ w")).to_contain_text("0 to 524\u00a0kop")
    expect(cost.get_by_role("row", name="lambda a: a * 2")).to_contain_text("0 to 4.1\u00a0kop")
    expect(cost.get_by_role("row", name="lax.fori_loop")).to_contain_text("4.1\u00a0kop per step")


def test_the_arrows_walk_the_rows_and_mark_line_and_equation(costed):
    page, cost = costed.page, cost_of(costed)
    cost.get_by_role("row", name="c @ w").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    row = cost.get_by_role("row", name="c @ w")
    expect(row).to_be_focused()
    expect(row).to_have_attribute("aria-selected", "true")
    costed.expect_linked(1, "c @ w")
    page.keyboard.press("Enter")
    expect(costed.editor(1)).to_be_focused()

    # The row is also marked when the caret is in the row's line of the cell.
    page.keyboard.press("Control+End")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    expect(cost.get_by_role("row", name="jnp.sin")).to_have_attribute("data-linked", "true")

    costed.panel.get_by_role("tab", name="Program").click()
    costed.panel.get_by_role("tab", name="Cost").click()
    row.click()
    costed.panel.get_by_role("tab", name="Program").click()
    linked = costed.listing().locator(".cm-line[data-linked]")
    expect(linked).to_have_count(1)
    expect(linked).to_contain_text("dot_general")


def test_sums_by_primitive_and_scope_and_the_bars_lead_to_the_program(costed):
    page, cost = costed.page, cost_of(costed)
    cost.get_by_role("button", name="primitive", exact=True).click()
    first = cost.get_by_role("grid", name="Cost by primitive").get_by_role("row").nth(1)
    expect(first).to_contain_text("dot_general")
    cost.get_by_role("button", name="transcendentals").click()
    expect(cost.get_by_role("grid", name="Cost by primitive").get_by_role("row").nth(1)).to_contain_text("sin")
    cost.get_by_role("button", name="scope", exact=True).click()
    expect(cost.get_by_role("treegrid", name="Cost by scope").get_by_role("row", name="scan")).to_have_attribute(
        "aria-level", "2"
    )

    cost.get_by_role("columnheader", name="transcendentals").get_by_role("button").click()
    cost.get_by_role("columnheader", name="operations").get_by_role("button").click()
    bars = cost.get_by_role("group", name="Cost by scope").get_by_role("button")
    expect(bars).to_have_count(2)
    bars.first.focus()
    page.keyboard.press("ArrowDown")
    expect(bars.nth(1)).to_be_focused()
    expect(bars.nth(1)).to_have_accessible_name("scan ×\u00a0100: 52.4\u00a0Mop, 100\u00a0%")
    page.keyboard.press("Enter")
    expect(costed.listing().locator(".cm-line[data-linked]")).to_contain_text("dot_general")


@pytest.mark.slow
def test_the_table_is_copied(costed):
    page, cost = costed.page, cost_of(costed)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    cost.get_by_role("button", name="Copy the table as text").click()
    expect(cost.get_by_text("The table was copied as text.")).to_be_attached()
    text = page.evaluate("navigator.clipboard.readText()")
    assert text == (
        f"{LEAD}\n".replace("\u00a0", " ") + "\n"
        "line  expression          operations  transcendentals    bytes  share\n"
        "   5  return c @ w, None    52.4 Mop                0   4.9 MB  100 %\n"
        "   8  return jnp.sin(y)         0 op            4.1 k  32.8 kB  0.2 %\n"
        "\n"
        f"{ASIDE}\n"
        "Bytes are counted for each equation alone. Fusion by XLA saves some of these bytes.\n"
    )


@pytest.mark.fresh_page
def test_heat_is_drawn_in_the_cell_and_in_the_program_and_stays_at_its_lines(costed_alone):
    cost = cost_of(costed_alone)
    heat = cost.get_by_role("button", name="Heat")
    bars = costed_alone.cell(1).locator(".jp-JaxprCell-heatBar")
    expect(bars).to_have_count(0)
    heat.click()
    expect(heat).to_have_attribute("aria-pressed", "true")
    expect(bars).to_have_count(2)  # one bar for the matrix product, one for the sine
    expect(bars.first).to_have_attribute("title", "52.4\u00a0Mop, 100\u00a0% of the total cost")
    expect(costed_alone.lines(1).nth(4).get_by_role("img", name="52.4\u00a0Mop")).to_be_visible()

    costed_alone.panel.get_by_role("tab", name="Program").click()
    equations = costed_alone.listing().get_by_role("img", name="52.4\u00a0Mop, 100\u00a0% of the total cost")
    expect(equations).to_have_count(2)  # the scan, and the matrix product in its body
    expect(bars).to_have_count(2)

    costed_alone.editor(1).click()
    costed_alone.page.keyboard.press("Control+Home")
    costed_alone.page.keyboard.type("#")
    costed_alone.page.keyboard.press("Enter")
    expect(bars).to_have_count(2)
    expect(costed_alone.lines(1).nth(5).get_by_role("img", name="52.4\u00a0Mop")).to_be_visible()
    expect(equations).to_have_count(2)
    costed_alone.page.keyboard.press("Backspace")
    costed_alone.page.keyboard.press("Backspace")
    expect(bars).to_have_count(2)

    # The choice is kept.
    costed_alone.save()
    costed_alone.reload()
    expect(equations).to_have_count(2)
    expect(bars).to_have_count(2)


@pytest.mark.slow
def test_the_roofline_is_measured_when_asked_and_the_warm_time_is_placed_on_it(costed_alone):
    cost = cost_of(costed_alone)
    cost.get_by_role("button", name="Measure this machine").click()
    expect(cost.get_by_role("button", name="Measure this machine again")).to_be_visible()
    expect(cost.get_by_role("img", name="Roofline: memory limits the speed of a program")).to_be_visible()
    expect(cost).to_contain_text("at 11 operations per byte, the roof is")
    expect(cost).to_contain_text("Time the program in the Time tab to compare its speed with the roof.")
    expect(cost.locator("circle")).to_have_count(0)

    costed_alone.panel.get_by_role("tab", name="Time").click()
    time = costed_alone.panel.get_by_role("tabpanel", name="Time")
    time.get_by_role("button", name="Time the calls").click()
    expect(time.get_by_role("row", name="warm")).to_be_visible()
    costed_alone.panel.get_by_role("tab", name="Cost").click()
    expect(cost).to_contain_text(re.compile(r"A warm call takes \d.* and reaches \d.*op/s, \d+\s% of the roof\."))
    expect(cost.locator("circle")).to_have_count(1)


@pytest.mark.slow
def test_a_saved_notebook_shows_what_the_document_has_and_says_what_is_missing(costed, notebook):
    saved = costed.save()["cells"][1]
    nb = opened_from(notebook, saved)
    cost = cost_of(nb)
    expect(cost).to_contain_text(LEAD)
    expect(cost).to_contain_text("524,288 × 100")
    expect(cost).to_contain_text("This machine was not measured, and no kernel is available to measure the machine.")
    expect(cost.get_by_role("button", name="Measure this machine")).to_have_count(0)

    cut = copy.deepcopy(saved)
    document_of(cut)["costs"] = []
    nb = opened_from(notebook, cut)
    expect(cost_of(nb).get_by_role("heading")).to_have_text("The cost of this program was not counted")
    expect(cost_of(nb)).to_contain_text("no kernel is available to count the cost. Run the cell again.")


def document_of(cell: dict[str, Any]) -> dict[str, Any]:
    return next(output["data"][MIME] for output in cell["outputs"] if MIME in output.get("data", {}))


def opened_from(notebook, saved: dict[str, Any]):
    """Open the saved output of a cell in the panel, on the Cost tab; the notebook has no kernel."""
    nb = notebook(code(saved["source"], saved["outputs"], saved["execution_count"]), kernel=None)
    nb.outputs(0).get_by_role("button").click()
    nb.panel.get_by_role("tab", name="Cost").click()
    return nb


@pytest.mark.slow
def test_a_large_program_is_counted_when_the_tab_is_opened(notebook):
    nb = notebook(
        LOAD,
        """\
%%jaxpr
@jax.jit
def many(x):
    for _ in range(2100):
        x = x + 1
    return x

many(1.0)""",
    )
    nb.run_all()
    nb.panel.get_by_role("tab", name="Cost").click()
    expect(cost_of(nb)).to_contain_text(
        "2.1\u00a0k operations per call. 100\u00a0% of the operations are on line 5.", timeout=60_000
    )


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_nothing(measured, theme):
    measured.theme(theme)
    cost = cost_of(measured)
    cost.get_by_role("row", name="c @ w").click()
    cost.get_by_role("button", name="Heat").click()
    assert violations(measured.page) == []
    cost.get_by_role("button", name="scope", exact=True).click()
    cost.get_by_role("row", name="scan ×").click()
    assert violations(measured.page) == []
    measured.panel.get_by_role("tab", name="Program").click()
    expect(measured.listing().get_by_role("img").first).to_be_visible()
    assert violations(measured.page) == []
    measured.panel.get_by_role("tab", name="Cost").click()
    # switches the heat off, because the shared page would keep the setting
    cost.get_by_role("button", name="Heat").click()


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, pytest.param(900, marks=pytest.mark.slow)])
def test_nothing_is_cut(measured, width):
    cost = cost_of(measured)
    measured.set_panel_width(width)
    for group in ("line", "primitive", "scope"):
        cost.get_by_role("button", name=group, exact=True).click()
        assert cut(measured.panel, ".jp-JaxprCost *") == [], group
    cost.get_by_role("button", name="line", exact=True).click()
    # In a narrow panel one column shows the amount that the rows are sorted by; a wide table shows all amounts.
    shown = cost.get_by_role("row", name="c @ w").get_by_role("gridcell", name="4.9\u00a0MB")
    expect(shown).to_have_count(1 if width >= 480 else 0)
