"""Tests comparisons, requested by `--compare` or in the panel: their contents, at every width, and in the main area."""

import re

import pytest
from page_checks import cut, stop_once_begun, violations
from playwright.sync_api import expect

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp\nfrom jax import lax\nx = jnp.arange(8.0)"

LOOPS = """\
%%jaxpr --compare unrolled,scanned,whiled,nope
def unrolled(x):
    for _ in range(60):
        x = jnp.sin(x)
    return x

@jax.jit
def scanned(x):
    return lax.scan(lambda c, _: (jnp.sin(c), None), x, length=60)[0]

@jax.jit
def whiled(x):
    step = lambda c: (jnp.sin(c[0]), c[1] + 1)
    return lax.while_loop(lambda c: c[1] < 60, step, (x, 0))[0]

scanned(x)"""

CALLS = "%%jaxpr\nz = scanned(x)\ny = whiled(x)"

EFFECTS = """\
%%jaxpr
told = []

@jax.jit
def loud(x):
    jax.debug.callback(lambda v: told.append(1), x[0])
    return x

@jax.jit
def quiet(x):
    return x

y = loud(x)
z = quiet(x)"""

SLOW = """\
%%jaxpr
import pathlib, time
import numpy as np

def wait(v):
    while len(calls) >= 2 and not pathlib.Path("go-on").exists():
        time.sleep(0.02)
    calls.append(1)
    return np.asarray(v)

calls = []

@jax.jit
def waits(x):
    return jax.pure_callback(wait, x, x)

@jax.jit
def quick(x):
    return x

y = waits(x)
z = quick(x)"""


def panel_of(nb):
    """Return the panel in the side area; a comparison in the main area uses the same class."""
    return nb.page.locator("#jupyter-jaxpr-panel")


def run_loops(nb):
    nb.run(0)
    nb.run(1)


@pytest.fixture
def loops(shared_notebook):
    """Return a shared notebook in which `--compare` has compared the functions of LOOPS."""
    nb = shared_notebook(LOAD, LOOPS, CALLS, prepare=run_loops)
    expect(nb.panel.get_by_role("tab", name="Compare")).to_have_attribute("aria-selected", "true")
    return nb


@pytest.fixture
def loops_alone(notebook):
    """Return a notebook like that of `loops`, in its own kernel."""
    nb = notebook(LOAD, LOOPS, CALLS)
    run_loops(nb)
    return nb


def test_unrolled_scan_and_while_side_by_side(loops):
    page, compare = loops.page, loops.panel.get_by_role("tabpanel", name="Compare")
    expect(loops.panel.get_by_role("tab", name="Compare")).to_have_attribute("aria-selected", "true")
    verdict = compare.get_by_role("list", name="Result of the comparison").get_by_role("listitem")
    expect(verdict.nth(0)).to_have_text(re.compile(r"unrolled .* scanned.*\.$"))
    expect(verdict.nth(2)).to_have_text("All results have the same bits.")
    expect(verdict.nth(3)).to_have_text("jax.grad cannot differentiate whiled; jax.jvp can.")

    functions = compare.get_by_role("list", name="Functions").locator("> li > details > summary")
    expect(functions).to_have_count(4)
    expect(functions.nth(0)).to_have_text(
        re.compile(r"^unrolledjitted by jupyter_jaxprwarm call: .+scompile time: .+s · 60 equations$")
    )
    expect(functions.nth(2)).to_contain_text("derivative: jvp, but not grad · same bits as the reference")
    expect(functions.nth(3)).to_have_text("nopeno function has this name")
    expect(compare).to_contain_text("nope nope is not defined. Define nope in this cell or in an earlier cell.")
    expect(compare).to_contain_text("Each function was called with the arguments of scanned(x).")

    page.set_viewport_size({"width": 1600, "height": 900})
    loops.set_panel_width(900)
    table = compare.get_by_role("table")
    expect(table.get_by_role("columnheader")).to_have_text(
        [re.compile("^unrolled"), "scanned", "whiled", re.compile("^nope")]
    )
    expect(table.get_by_role("row", name="Equations").get_by_role("cell")).to_have_text(["60", "2", "4", "–"])
    expect(table.get_by_role("row", name="Derivative").get_by_role("cell")).to_have_text(
        ["grad and jvp", "grad and jvp", "jvp, but not grad", "–"]
    )
    expect(table.get_by_role("row", name="Number of calls").get_by_role("cell").nth(1)).to_have_text(
        re.compile(r"^[\d,]+ calls$")
    )
    table.get_by_role("button", name="whiled").click()
    expect(loops.panel.get_by_role("tab", name="Program")).to_have_attribute("aria-selected", "true")
    expect(loops.listing()).to_contain_text("while")


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, pytest.param(900, marks=pytest.mark.slow)])
def test_nothing_is_cut_and_axe_finds_nothing(loops, width):
    loops.page.set_viewport_size({"width": width + 640, "height": 800})
    loops.set_panel_width(width)
    expect(loops.panel.get_by_role("tabpanel", name="Compare")).to_contain_text("jax.grad cannot")
    if width < 480:
        loops.panel.locator(".jp-JaxprCompare-narrow summary").first.click()
        expect(loops.panel.get_by_role("button", name="Show the program")).to_be_visible()
    assert cut(loops.panel, ".jp-JaxprCompare *") == []
    for theme in ("light", "dark"):
        loops.theme(theme)
        assert violations(loops.page) == [], theme


def test_it_is_read_by_the_keyboard(loops):
    page, panel = loops.page, loops.panel
    panel.get_by_role("button", name="Open in main area").focus()
    page.keyboard.press("Tab")
    first = panel.locator(".jp-JaxprCompare-narrow summary").first
    expect(first).to_be_focused()
    page.keyboard.press("Enter")
    expect(panel.locator(".jp-JaxprCompare-narrow details").first).to_have_attribute("open", "")
    page.keyboard.press("Tab")
    expect(panel.get_by_role("button", name="Show the program")).to_be_focused()
    page.keyboard.press("Enter")
    expect(panel.get_by_role("tab", name="Program")).to_have_attribute("aria-selected", "true")
    expect(loops.listing()).to_contain_text("sin")


@pytest.mark.slow
def test_it_is_kept_beside_the_notebook(loops_alone):
    loops_alone.panel.get_by_role("button", name="Open in main area").click()
    main = loops_alone.page.get_by_role("main")
    beside = main.get_by_role("tabpanel", name="Compare unrolled, scanned, whiled, nope")
    expect(beside).to_contain_text("jax.grad cannot differentiate whiled; jax.jvp can.")
    expect(beside.get_by_role("button", name="unrolled")).to_have_count(0)
    assert violations(loops_alone.page) == []
    loops_alone.run(2)
    expect(panel_of(loops_alone).get_by_role("tab", name="Program")).to_have_attribute("aria-selected", "true")
    expect(beside).to_contain_text("Each function was called with the arguments of scanned(x).")


def test_programs_of_a_run_are_chosen_and_compared(loops_alone):
    loops_alone.run(2)
    panel = loops_alone.panel
    panel.get_by_role("tab", name="Compare").click()
    choice = panel.get_by_role("group", name="Programs of this run to compare")
    expect(choice.get_by_role("checkbox", name="scanned (f32[8])")).to_be_checked()
    button = panel.get_by_role("button", name="Compare", exact=True)
    choice.get_by_role("checkbox", name="whiled (f32[8])").uncheck()
    expect(button).to_have_attribute("aria-disabled", "true")
    expect(panel).to_contain_text("Choose two or more programs.")
    choice.get_by_role("checkbox", name="whiled (f32[8])").check()
    assert violations(loops_alone.page) == []
    button.click()
    compare = panel.get_by_role("tabpanel", name="Compare")
    expect(compare).to_contain_text("All results have the same bits.", timeout=60_000)
    expect(compare).to_contain_text("jax.grad cannot differentiate whiled; jax.jvp can.")
    expect(compare).to_contain_text(
        "Each function was called with the arguments of the call of scanned whose values were recorded."
    )


@pytest.mark.slow
def test_effects_are_repeated_only_where_that_is_confirmed(notebook):
    nb = notebook(LOAD, EFFECTS, "jax.effects_barrier(); len(told)")
    nb.run_all()
    expect(nb.outputs(2)).to_contain_text("1")
    nb.panel.get_by_role("tab", name="Compare").click()
    nb.panel.get_by_role("button", name="Compare", exact=True).click()
    question = nb.panel.get_by_role("alertdialog", name="Repeat the effects of the programs?")
    expect(question).to_contain_text(
        "Some of these programs have effects (Debug): loud. The comparison runs each program many times, and each run "
        "repeats the effects. Run the programs?"
    )
    expect(question.get_by_role("button", name="Do not run the programs")).to_be_focused()
    assert violations(nb.page) == []
    nb.page.keyboard.press("Escape")
    expect(question).not_to_be_attached()
    nb.run(2)
    expect(nb.outputs(2)).to_have_text(re.compile(r"\b1\s*$"))

    nb.panel.get_by_role("button", name="Compare", exact=True).click()
    nb.panel.get_by_role("button", name="Run the programs and repeat the effects").click()
    compare = nb.panel.get_by_role("tabpanel", name="Compare")
    expect(compare).to_contain_text("All results have the same bits.", timeout=60_000)
    nb.run(2)
    expect(nb.outputs(2)).not_to_have_text(re.compile(r"\b1\s*$"))


@pytest.mark.slow
def test_stop_keeps_what_was_measured(notebook):
    nb = notebook(LOAD, SLOW, "pathlib.Path('go-on').write_text('')")
    nb.run(0)
    nb.run(1)
    nb.panel.get_by_role("tab", name="Compare").click()
    nb.panel.get_by_role("button", name="Compare", exact=True).click()
    expect(nb.panel.get_by_text("timing the warm calls")).to_be_visible()
    stop_once_begun(nb.panel)
    expect(nb.panel.get_by_text("Stopping the comparison. The results so far are kept.")).to_be_visible()
    nb.run(2)
    compare = nb.panel.get_by_role("tabpanel", name="Compare")
    expect(compare).to_contain_text("The comparison was stopped before this step: differentiating waits.")
    expect(compare).to_contain_text("All results have the same bits.")
