"""Tests the Cache tab, for saved outputs and for real runs: the compiles, the hits, and the reasons of misses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from lab_server import code
from page_checks import cut, violations
from playwright.sync_api import expect

MIME = "application/vnd.jupyter-jaxpr.v1+json"
FIXTURES = Path(__file__).parent.parent / "tests" / "fixtures"

LEAD = "2 compiles: tracing, lowering and compiling took 314\u00a0ms of the cell's 553\u00a0ms."

CELL = """\
%%jaxpr
@jax.jit
def train_step(batch):
    return jnp.sin(batch).sum()

for batch in batches:
    loss = train_step(batch)"""


def counts(**changes: Any) -> dict[str, Any]:
    names = ("calls", "hits", "misses", "traces", "lowerings", "compiles", "from_disk", "inlined", "raised")
    return {**dict.fromkeys(names, 0), "calls_exact": True, "seconds": 0.0, **changes}


def reason(kind: str, text: str, *change: str, cure: str | None = None) -> dict[str, Any]:
    argument, before, after = change or (None, None, None)
    return {"kind": kind, "text": text, "argument": argument, "before": before, "after": after, "cure": cure}


def miss(signature: str, entry: int, why: dict[str, Any], seconds: float, **changes: Any) -> dict[str, Any]:
    return {
        "outcome": "compiled",
        "reasons": [why],
        "signature": signature,
        "frame": 1,
        "this_run": True,
        "entry": entry,
        "trace": 0.1 * seconds,
        "lower": 0.2 * seconds,
        "compile": 0.7 * seconds,
        "total": 1.1 * seconds,
        "outcome_text": "compiled",
        **changes,
    }


def saved_snapshot() -> dict[str, Any]:
    """Return a golden document, with the ledger of a cell that called one function with two shapes."""
    document = json.loads((FIXTURES / "rnn-0.10.json").read_text())
    path = document["cell"]["file"]
    document["cell"] = {"id": "cell-0", "execution_count": 7, "file": path, "source": CELL}
    for file in document["files"]:
        if file["path"] == path:
            file["cell_id"] = "cell-0"
    here = next(n for n, file in enumerate(document["files"]) if file["path"] == path)
    document["frames"][:2] = [[here, 0, 3, 0, 4, 31], [here, 0, 7, 4, 7, 28]]
    run = counts(calls=12, hits=10, misses=2, traces=2, lowerings=2, compiles=2, seconds=0.314)
    first, shape = "This is the first call of train_step.", "The type of batch changed from f32[32,3] to f32[17,3]."
    document["ledger"] = {
        "functions": [
            {
                "name": "train_step",
                "definition": 0,
                "function_objects": 1,
                "run": run,
                "kernel": run,
                "entries": [
                    {"signature": f"batch: f32[{n},3]", "hits": hits, "misses": 1, "this_run": True, "fast_path": True}
                    for n, hits in ((32, 8), (17, 2))
                ],
                "misses": [
                    miss("batch: f32[32,3]", 0, reason("first_call", first), 0.155),
                    miss(
                        "batch: f32[17,3]",
                        1,
                        reason("shape", shape, "batch", "f32[32,3]", "f32[17,3]", cure="Pad the array to one shape."),
                        0.159,
                    ),
                ],
                "misses_left_out": 0,
            }
        ],
        "lines": [{"line": 7, "calls": 12, "calls_exact": True, "hits": 10, "compiles": 2}],
        "seconds": 0.314,
        "compiles": 2,
        "cell_seconds": 0.553,
        "library_functions": ["_threefry_split"],
        "library_misses": 3,
        "calls_note": None,
        "lead": LEAD,
    }
    return document


@pytest.fixture
def saved(notebook):
    """Return a notebook without a kernel, with its saved output open in the panel on the Cache tab."""
    nb = notebook(
        code(CELL, [{"output_type": "display_data", "data": {MIME: saved_snapshot()}, "metadata": {}}], 7), kernel=None
    )
    nb.outputs(0).get_by_role("button").click()
    nb.panel.get_by_role("tab", name="Cache, 2 compiles").click()
    expect(nb.panel.get_by_role("treegrid", name="Functions")).to_be_visible()
    return nb


def test_a_saved_ledger_says_what_it_cost_and_why(saved):
    cache = saved.panel.get_by_role("tabpanel", name="Cache")
    expect(cache).to_contain_text(LEAD)
    rows = cache.get_by_role("row")
    expect(rows.nth(2)).to_contain_text("first call batch: f32[32,3] · 8 later hits")
    expect(rows.nth(3)).to_contain_text("shape batch: f32[32,3] → f32[17,3] · 2 later hits")
    expect(rows.nth(3)).to_contain_text("Pad the array to one shape.")
    expect(rows.nth(3).locator("b")).to_have_text(["batch", "32", "17"])
    expect(rows.nth(5)).to_have_text("batch: f32[32,3]8 hits · 1 miss · entry made in this run")

    cache.get_by_role("button", name="Show the library functions").click()
    expect(cache.get_by_role("listitem")).to_have_text("_threefry_split")


def test_the_cell_has_the_counts_at_its_line_grey_where_the_line_was_edited(saved):
    at_line_7 = saved.lines(0).nth(6).get_by_role("img", name="12 calls, 2 compiles, 10 hits")
    expect(at_line_7).to_be_visible()
    saved.panel.get_by_role("tab", name="Program").click()
    expect(at_line_7).to_be_visible()
    saved.editor(0).click()
    saved.page.keyboard.press("Control+Home")
    saved.page.keyboard.type("#")
    expect(at_line_7).not_to_have_class(re.compile("jp-mod-changed"))
    saved.lines(0).nth(6).click()
    saved.page.keyboard.press("End")
    saved.page.keyboard.type("#")
    expect(at_line_7).to_have_class(re.compile("jp-mod-changed"))


def test_the_arrows_walk_the_rows_and_mark_the_line_in_the_cell(saved):
    page = saved.page
    row = saved.panel.get_by_role("row", name="train_step")
    row.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    shape = saved.panel.get_by_role("row", name="shape")
    expect(shape).to_be_focused()
    expect(shape).to_have_attribute("aria-selected", "true")
    expect(shape).to_contain_text("line 7 · trace 16\u00a0ms · lower 32\u00a0ms · compile 111\u00a0ms")
    expect(saved.lines(0).nth(6)).to_have_attribute("data-jaxpr-line", "7")

    page.keyboard.press("Enter")
    expect(saved.editor(0)).to_be_focused()
    shape.focus()
    page.keyboard.press("ArrowLeft")
    expect(row).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(row).to_have_attribute("aria-expanded", "false")
    expect(shape).not_to_be_attached()


def test_outcomes_are_guessed_by_the_keyboard(saved):
    page, cache = saved.page, saved.panel.get_by_role("tabpanel", name="Cache")
    counts_in_cell = saved.lines(0).nth(6).get_by_role("img", name="12 calls")
    expect(counts_in_cell).to_be_visible()
    cache.get_by_role("button", name="Predict").click()
    expect(cache).to_contain_text("Guess whether each call hit or missed the cache.")
    expect(cache).not_to_contain_text("shape")
    expect(counts_in_cell).not_to_be_attached()
    # While the Predict mode hides the counts, the other parts of the page do not show them either.
    tab = saved.panel.get_by_role("tab", name="Cache")
    expect(tab).to_have_accessible_name("Cache")
    header = saved.panel.locator(".jp-JaxprPanel-header")
    expect(header).not_to_contain_text("compile")
    expect(saved.outputs(0).get_by_text("4 calls")).to_be_hidden()

    cache.get_by_role("row", name="train_step").focus()
    for key in ("m", "h", "h", "h"):
        page.keyboard.press("ArrowDown")
        page.keyboard.press(key)
    expect(cache.get_by_text("3 of 4 guesses are right")).to_be_visible()
    expect(cache).to_contain_text(LEAD)
    expect(cache.get_by_role("row", name="shape")).to_contain_text("your guess of hit or miss was wrong")
    expect(counts_in_cell).to_be_visible()
    expect(tab).to_have_accessible_name("Cache, 2 compiles")
    expect(header).to_contain_text("4 calls, 1 compile")
    expect(saved.outputs(0).get_by_text("4 calls")).to_be_visible()


def test_the_table_is_filtered_and_copied(saved):
    page, cache = saved.page, saved.panel.get_by_role("tabpanel", name="Cache")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    cache.get_by_role("button", name="Copy the table as text").click()
    expect(cache.get_by_text("The table was copied as text.")).to_be_attached()
    assert page.evaluate("navigator.clipboard.readText()") == (
        "2 compiles: tracing, lowering and compiling took 314 ms of the cell's 553 ms.\n"
        "\n"
        "function             calls  hits  entries  compiles   price\n"
        "train_step (line 3)     12    10        2         2  314 ms\n"
        "  ◆ batch: f32[32,3] · 8 later hits · 155 ms\n"
        "    This is the first call of train_step.\n"
        "  ◆ batch: f32[17,3] · 2 later hits · 159 ms\n"
        "    The type of batch changed from f32[32,3] to f32[17,3].\n"
        "    Pad the array to one shape.\n"
    )

    search = cache.get_by_role("searchbox")
    search.fill("shape")
    expect(cache.get_by_role("row", name="shape")).to_be_visible()
    expect(cache.get_by_role("row", name="first call")).not_to_be_attached()
    search.press("Escape")
    expect(cache.get_by_role("row", name="first call")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(saved, theme):
    saved.theme(theme)
    saved.panel.get_by_role("row", name="shape").click()
    assert violations(saved.page) == []
    saved.panel.get_by_role("button", name="Predict").click()
    expect(saved.panel.get_by_text("outcomes left to guess: 4")).to_be_visible()
    assert violations(saved.page) == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 361, 900])
def test_nothing_is_cut(saved, width):
    saved.page.set_viewport_size({"width": width + 640, "height": 800})
    saved.set_panel_width(width)
    saved.panel.get_by_role("row", name="shape").click()
    assert cut(saved.panel, ".jp-JaxprCache *, [role=tab]") == []
    columns = saved.panel.get_by_role("gridcell", name="12", exact=True)
    expect(columns).to_have_count(1 if width >= 480 else 0)
    if width < 480:
        expect(saved.panel.get_by_role("gridcell", name="12 calls", exact=True)).to_be_visible()


LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp\nbatches = [jnp.ones((n, 3)) for n in (32, 32, 17, 32)]"


def test_a_real_run_and_the_same_cell_again(notebook):
    nb = notebook(LOAD, CELL)
    nb.run(0)
    nb.run(1)
    nb.panel.get_by_role("tab", name="Cache, 2 compiles").click()
    cache = nb.panel.get_by_role("tabpanel", name="Cache")
    expect(cache).to_contain_text("2 compiles: tracing, lowering and compiling took")
    expect(cache.get_by_role("row", name="shape")).to_contain_text("shape batch: f32[32,3] → f32[17,3]")
    expect(nb.lines(1).nth(6).get_by_role("img", name="2 compiles")).to_be_visible()

    nb.run(1)
    expect(cache.get_by_role("row", name="cell run again")).to_contain_text("train_step is a new function")
    cache.get_by_role("row", name="2 earlier misses").click()
    expect(cache.get_by_role("row", name="first call")).to_be_visible()


LONG_LINE = """\
%%jaxpr
total = jax.jit(lambda x: x.sum())
first = total(batches[0]) + total(batches[1]) + total(batches[3]) * 2.0 - total(batches[0]) / 4.0 + total(batches[1])
second = total(batches[2])"""


@pytest.mark.slow
def test_counts_stand_at_their_own_line_or_behind_its_code_and_no_code_ends_below_them(notebook):
    nb = notebook(LOAD, LONG_LINE)
    nb.run(0)
    nb.run(1)
    lines = nb.lines(1)
    counted = [(2, lines.nth(2).get_by_role("img")), (3, lines.nth(3).get_by_role("img"))]
    scroller = nb.cell(1).locator(".cm-scroller")
    for at_the_end in (False, True):
        scroller.evaluate("(each, end) => { each.scrollLeft = end ? each.scrollWidth : 0; }", at_the_end)
        for number, counts in counted:
            if number == 2 and not at_the_end:
                expect(counts).not_to_be_in_viewport()  # the code of the line fills the visible width
                continue
            expect(counts).to_be_in_viewport(ratio=0.99)
            line, beside = lines.nth(number).bounding_box(), counts.bounding_box()
            assert line and beside
            assert abs(beside["y"] - line["y"]) < line["height"] / 2, (number, at_the_end)
    code_ends = lines.nth(2).evaluate(
        """line => {
          const code = document.createRange();
          code.setStart(line, 0);
          code.setEndBefore(line.querySelector('[role=img]'));
          return Math.max(...[...code.getClientRects()].map(box => box.right));
        }"""
    )
    beside = counted[0][1].bounding_box()
    assert beside and code_ends <= beside["x"], (code_ends, beside)


SCALED = """\
%%jaxpr
@jax.jit
def scaled(x, s):
    return x * s

a = scaled(jnp.ones(3), 1.0)
b = scaled(jnp.ones(3), jnp.float32(2))"""


@pytest.mark.slow
def test_a_miss_that_is_chosen_has_the_edit_that_ends_the_miss(notebook):
    nb = notebook("%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp", SCALED)
    nb.run(0)
    nb.run(1)
    nb.panel.get_by_role("tab", name="Cache").click()
    miss = nb.panel.get_by_role("row", name="weak type")
    expect(miss).not_to_contain_text("Applies without changes")
    miss.click()
    expect(miss).to_contain_text("one type Applies without changes")
    expect(miss).to_contain_text("a = scaled(jnp.ones(3), jnp.asarray(1.0, dtype=jnp.float32))")
    expect(miss).to_contain_text(
        "With the edit, both calls pass arguments of the same types: JAX uses one compiled program for both calls."
    )


def test_the_cure_of_a_miss_is_applied_and_ends_the_miss(notebook):
    cell = """\
%%jaxpr
@jax.jit
def scaled(x, s):
    return x * s

scaled(jnp.ones(3), 1.0)
scaled(jnp.ones(3), jnp.float32(2))"""
    # On a busy machine the trial of a cure may take long, so its time limit is raised.
    patient = "from jupyter_jaxpr.explain.trials import trial_time_limit\ntrial_time_limit.SECONDS = 60.0"
    nb = notebook(f"%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp\n{patient}", cell)
    nb.run(0)
    nb.command("jupyter-jaxpr:toggle-panel")
    nb.run(1)
    nb.panel.get_by_role("tab", name="Cache").click()
    miss = nb.panel.get_by_role("row", name="weak type")
    miss.click()
    expect(miss).to_contain_text("Cell [2], line 6")
    miss.get_by_role("button", name="Apply to the cell").click()
    expect(nb.lines(1).nth(5)).to_contain_text("scaled(jnp.ones(3), jnp.asarray(1.0, dtype=jnp.float32))")
    expect(nb.editor(1)).to_be_focused()
    nb.page.keyboard.press("Shift+Enter")
    nb.wait_for_end(1, before="[2]:")
    # Running the cell again defined a new function object; this is the only miss.
    misses = nb.panel.locator("[data-kind=miss][data-this-run=true]")
    expect(misses).to_have_count(1)
    expect(misses).to_contain_text("cell run again")
