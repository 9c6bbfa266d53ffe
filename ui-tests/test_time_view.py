"""Tests the Time tab: the stages of the first call, the times of warm and eager calls, every width, saved outputs."""

import re

import pytest
from lab_server import code
from page_checks import cut, stop_once_begun, violations
from playwright.sync_api import expect

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp\nx = jnp.arange(100_000.0)"

SELU = """\
%%jaxpr
@jax.jit
def selu(x, alpha=1.67, lmbda=1.05):
    return lmbda * jnp.where(x > 0, x, alpha * jnp.exp(x) - alpha)

y = selu(x)"""

TIMED = SELU.replace("%%jaxpr", "%%jaxpr --time")

LOUD = """\
%%jaxpr
told = []

@jax.jit
def loud(x):
    jax.debug.callback(lambda v: told.append(1), x[0])
    return x

y = loud(x)"""

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

y = waits(x)"""

MIME_TYPE = "application/vnd.jupyter-jaxpr.v1+json"

# `\s` also matches the no-break space between a number and its unit.
DURATION = r"[\d.,]+\s(?:µs|ms|s)"
MEASURED = re.compile(
    rf"^The first call (took|returned after) {DURATION} .+ A warm call takes {DURATION}\. A call without jit takes "
    rf"{DURATION}(\. The times with and without jit show no difference|, [\d., to]+ times as long as a warm call\. "
    r"(With the first call included, jit saves time from [\d,]+ calls on|jit saves time from the first call on|"
    r"jit saves no time: a call without jit is not slower than a warm call))\.$"
)


def lead(nb):
    """The one sentence."""
    return nb.panel.get_by_role("tabpanel", name="Time").locator(".jp-JaxprTime-lead")


def again(nb):
    """Eager and warm."""
    return nb.panel.get_by_role("table", name="Times of eager and warm calls")


@pytest.fixture
def selu(notebook):
    nb = notebook(LOAD, SELU, TIMED)
    nb.run(0)
    nb.run(1)
    nb.panel.get_by_role("tab", name="Time").click()
    return nb


def test_the_first_call_by_its_stages_and_the_same_call_again_by_a_button(selu):
    expect(lead(selu)).to_have_text(
        re.compile(rf"^The first call took {DURATION}\. The longest stage is “.+”, with \d+\s% of that time\.$")
    )
    stages = selu.panel.get_by_role("table", name="Stages of the first call")
    expect(stages.get_by_role("rowheader")).to_have_text(
        ["trace", "lower", "compile", "first run", "rest", "first call"]
    )
    compile = stages.get_by_role("row", name="compile")
    expect(compile.get_by_role("cell").nth(0)).to_have_text(re.compile(rf"^{DURATION}$"))
    expect(compile.get_by_role("cell").nth(1)).to_have_text(re.compile(r"^(<\s)?\d+\s%$"))
    expect(selu.panel.get_by_role("img", name=re.compile("^The first call took .*: trace "))).to_be_visible()
    # The head of the panel does not repeat the stage times while the Time tab is shown.
    expect(selu.panel.get_by_text("total", exact=True)).to_have_count(0)

    panel = selu.panel
    expect(panel).to_contain_text(
        "The kernel calls selu many times with the recorded values of a call, with and without jit."
    )
    panel.get_by_role("button", name="Time the calls").click()
    expect(lead(selu)).to_have_text(MEASURED, timeout=60_000)

    rows = again(selu).get_by_role("row")
    expect(rows.nth(1).get_by_role("rowheader")).to_have_text("eager")
    expect(rows.nth(2).get_by_role("rowheader")).to_have_text("warm")
    expect(panel).to_contain_text(re.compile(rf"A warm call returns after {DURATION}, (before|when) its work is done"))
    expect(panel).to_contain_text(
        re.compile(
            r"[\d,]+ warm calls were timed(\. The fastest call| in batches of [\d,]+\. In the fastest batch, a call)"
            rf" took {DURATION}\."
        )
    )
    expect(panel.get_by_role("button", name="Time the calls again")).to_be_visible()

    # The times stay with their run; on the other tabs, the head of the panel shows the time of a warm call.
    warm = again(selu).get_by_role("row", name="warm").get_by_role("cell").nth(0).inner_text()
    panel.get_by_role("tab", name="Program").click()
    expect(panel.locator(".jp-JaxprPanel-stageNumbers .jp-mod-warm")).to_have_text(f"warm call{warm}")


def test_asked_for_on_the_magic_line_it_is_in_front(selu):
    panel = selu.panel
    panel.get_by_role("tab", name="Flow").click()
    selu.run(2)
    expect(panel.get_by_role("tab", name="Time")).to_have_attribute("aria-selected", "true")
    expect(lead(selu)).to_have_text(MEASURED)
    selu.run(1)
    expect(panel.get_by_role("tab", name="Control flow")).to_have_attribute("aria-selected", "true")


@pytest.mark.slow
def test_a_saved_notebook_has_it_without_a_kernel(selu, notebook, lab):
    selu.run(2)
    expect(lead(selu)).to_have_text(MEASURED)
    said, rows = lead(selu).inner_text(), again(selu).inner_text()
    outputs = selu.save()["cells"][2]["outputs"]
    document = next(output["data"][MIME_TYPE] for output in outputs if MIME_TYPE in output.get("data", {}))

    data = {MIME_TYPE: document, "text/plain": "saved by an earlier run"}
    nb = notebook(code(TIMED, [{"output_type": "display_data", "data": data, "metadata": {}}], 3), kernel=None)
    nb.outputs(0).get_by_role("button").click()
    expect(nb.panel.get_by_role("tab", name="Time")).to_have_attribute("aria-selected", "true")
    expect(lead(nb)).to_have_text(said.replace("\xa0", " "))
    assert again(nb).inner_text() == rows
    for name in ("Time the calls again", "Run the sweep"):
        if name == "Run the sweep":
            sizes = nb.panel.get_by_text("Sweep over sizes …")
            expect(sizes).to_be_visible()
            if not nb.panel.get_by_role("button", name=name).is_visible():
                sizes.click()
        button = nb.panel.get_by_role("button", name=name)
        expect(button).to_have_attribute("aria-disabled", "true")
        expect(button).to_have_accessible_description(
            "This run comes from a saved copy. Run the cell again to measure times."
        )


@pytest.mark.slow
def test_values_that_are_gone_are_told_of(notebook):
    nb = notebook(LOAD, SELU.replace("selu(x)", "selu(jnp.ones(8))"))
    nb.run_all()
    nb.panel.get_by_role("tab", name="Time").click()
    nb.panel.get_by_role("button", name="Time the calls").click()
    expect(nb.panel.get_by_role("alert")).to_have_text(
        "The recorded argument values of selu are gone, so selu cannot be called again. "
        "Run the cell again with %%jaxpr --time, which keeps the values, or keep the arguments in variables."
    )
    expect(nb.panel.get_by_role("button", name="Time the calls")).to_be_focused()


@pytest.mark.slow
def test_effects_are_repeated_only_where_that_is_confirmed(notebook):
    nb = notebook(LOAD, LOUD, "jax.effects_barrier(); len(told)")
    nb.run_all()
    expect(nb.outputs(2)).to_contain_text("1")
    nb.panel.get_by_role("tab", name="Time").click()
    nb.panel.get_by_role("button", name="Time the calls").click()
    question = nb.panel.get_by_role("alertdialog", name="Measure the time of loud?")
    expect(question).to_contain_text("loud has effects (Debug). Timing calls loud many times")
    expect(question.get_by_role("button", name="Do not run the measurement")).to_be_focused()
    assert violations(nb.page) == []
    nb.page.keyboard.press("Escape")
    expect(question).not_to_be_attached()
    expect(nb.panel.get_by_role("button", name="Time the calls")).to_be_focused()
    nb.run(2)
    expect(nb.outputs(2)).to_have_text(re.compile(r"\b1\s*$"))

    nb.panel.get_by_role("button", name="Time the calls").click()
    nb.panel.get_by_role("button", name="Run the measurement").click()
    expect(lead(nb)).to_have_text(MEASURED, timeout=60_000)
    nb.run(2)
    expect(nb.outputs(2)).not_to_have_text(re.compile(r"\b1\s*$"))


def test_stop_keeps_what_was_measured(notebook):
    nb = notebook(LOAD, SLOW, "pathlib.Path('go-on').write_text('')")
    nb.run(0)
    nb.run(1)
    nb.panel.get_by_role("tab", name="Time").click()
    nb.panel.get_by_role("button", name="Time the calls").click()
    stop_once_begun(nb.panel)
    expect(nb.panel.get_by_text("Stopping. The measurements made so far are kept.")).to_be_visible()
    nb.run(2)
    expect(nb.panel.get_by_role("tabpanel", name="Time")).to_contain_text(
        "Timing was stopped. The times are of the calls that ended before the stop."
    )
    expect(nb.panel.get_by_role("button", name="Time the calls again")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, pytest.param(900, marks=pytest.mark.slow)])
def test_nothing_is_cut_and_axe_finds_nothing(selu, width):
    selu.page.set_viewport_size({"width": width + 640, "height": 800})
    selu.set_panel_width(width)
    assert violations(selu.page) == []
    selu.panel.get_by_role("button", name="Time the calls").click()
    expect(lead(selu)).to_have_text(MEASURED, timeout=60_000)
    # From 640 pixels on, the table has all columns; the sentence has its numbers at every width.
    wide = again(selu).get_by_role("columnheader", name="time until the call returns")
    expect(wide).to_be_visible() if width >= 640 else expect(wide).to_have_count(0)
    assert cut(selu.panel, ".jp-JaxprTime *", "svg") == []
    for theme in ("light", "dark"):
        selu.theme(theme)
        assert violations(selu.page) == [], theme


@pytest.mark.slow
def test_it_is_used_by_the_keyboard(selu):
    page, panel = selu.page, selu.panel
    panel.get_by_role("tab", name="Time").focus()
    page.keyboard.press("Tab")
    expect(panel.get_by_role("button", name="Time the calls")).to_be_focused()
    page.keyboard.press("Enter")
    expect(lead(selu)).to_have_text(MEASURED, timeout=60_000)
    expect(panel.get_by_role("button", name="Time the calls again")).to_be_focused()
    page.keyboard.press("Tab")
    expect(panel.get_by_text("Sweep over sizes …")).to_be_focused()
    page.keyboard.press("Tab")
    expect(panel.get_by_role("textbox", name="Values")).to_be_focused()
    page.keyboard.press("Tab")
    expect(panel.get_by_role("textbox", name="Call")).to_be_focused()
