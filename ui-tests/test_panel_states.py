"""What the panel shows where there is no program, while JAX works, and what it notes of a run."""

import re

import pytest
from playwright.sync_api import expect

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp"

SLOW_TRACE = """\
%%jaxpr
import pathlib, time

@jax.jit
def unrolled(x):
    while not pathlib.Path("go").exists():
        time.sleep(0.02)
    return jnp.sin(x)

unrolled(1.0)"""

NOTED = """\
%%jaxpr
@jax.jit
def look_up(i):
    print("tracing with", i)
    return table[i] + small.sum()

look_up(3)
look_up(4)"""


@pytest.mark.fresh_page
def test_from_nothing_to_a_first_program_by_two_buttons(notebook, page):
    nb = notebook("# my notebook")
    page.keyboard.press("Control+Alt+j")
    expect(nb.panel.get_by_role("heading")).to_have_text("jupyter_jaxpr is not loaded")
    expect(nb.panel).to_contain_text("Run this in the notebook, once for each kernel:")
    nb.panel.get_by_role("button", name="Insert in a new cell").click()
    expect(nb.editor(1)).to_have_text("%load_ext jupyter_jaxpr")
    nb.run(1)

    expect(nb.panel.get_by_role("heading")).to_have_text("No program yet")
    expect(nb.panel).to_contain_text("Put %%jaxpr on top of a cell that calls a jitted function, and run the cell.")
    expect(nb.panel).to_contain_text(re.compile(r"JAX [\d.]+"))
    nb.panel.get_by_role("button", name="Insert in a new cell").click()
    expect(nb.lines(2)).to_have_text(["%%jaxpr", "import jax", "import jax.numpy as jnp", "", "jax.jit(jnp.sin)(1.0)"])
    expect(nb.prompt(2)).to_have_text("[ ]:")  # nothing runs that a person did not run
    nb.run(2)

    expect(nb.listing()).to_contain_text("b:f32[]weak = sin a")


def test_a_long_trace_is_seen_while_it_goes_on(notebook, lab):
    nb = notebook(LOAD, SLOW_TRACE)
    nb.run(0)
    nb.page.keyboard.press("Control+Alt+j")
    go = lab.root / "go"
    try:
        nb.run(1, wait=False)

        running = nb.panel.locator('[data-stage="trace"]')
        expect(running.get_by_role("status")).to_have_text("Tracing")
        expect(running).to_contain_text("unrolled")
        expect(running).to_contain_text(re.compile(r"Tracing, [1-9]\d*\xa0s"))
        expect(running).to_contain_text("Interrupt the kernel to stop the cell.")
        expect(running.get_by_role("row", name=re.compile("^trace"))).to_contain_text(re.compile(r"\d+\xa0s"))
        expect(running.get_by_role("row", name=re.compile("^compile"))).to_contain_text("waits")
        go.touch()
        nb.wait_for_end(1)

        expect(running).to_be_hidden()
        expect(nb.listing()).to_contain_text("b:f32[]weak = sin a")
    finally:
        go.touch()  # else the kernel would wait for ever
        go.unlink()


def test_notes_of_what_was_printed_and_of_a_captured_array(notebook, page):
    nb = notebook(LOAD + "\ntable = jnp.arange(1000.0)\nsmall = jnp.arange(3.0)", NOTED)
    nb.run_all()
    tab = nb.panel.get_by_role("tab", name=re.compile("^Notes"))
    expect(tab).to_have_accessible_name("Notes, 2 notes")
    tab.click()
    notes = nb.panel.get_by_role("tabpanel", name=re.compile("^Notes")).get_by_role("listitem")

    printed = notes.filter(has_text="printed while JAX traced it")
    expect(printed).to_contain_text(
        "Line 4: look_up printed while JAX traced it. Python's print runs once for each trace, not for each call, "
        "and shows tracers in place of values."
    )
    expect(printed).to_contain_text("To print values at every call, use jax.debug.print.")
    printed.get_by_text("Printed text").click()
    expect(printed.get_by_role("group").locator("pre")).to_contain_text("tracing with JitTracer")

    captured = notes.filter(has_text="captured")
    expect(captured).to_contain_text(
        "Line 5: An array of 4.0 kB, f32[1000], is captured from outside the function and is a constant of the "
        "program. Later calls do not see a new value of the array's variable."
    )
    expect(captured).to_contain_text("Pass the array as an argument.")

    captured.get_by_role("button", name="Line 5").click()
    expect(nb.editor(1)).to_be_focused()
    expect(page.locator("#jp-main-statusbar")).to_contain_text("Ln 5")


def test_a_run_without_notes_says_so(notebook):
    nb = notebook(LOAD, "%%jaxpr\njax.jit(jnp.sin)(1.0)")
    nb.run_all()
    tab = nb.panel.get_by_role("tab", name="Notes", exact=True)
    tab.click()
    expect(tab).to_have_attribute("aria-selected", "true")
    expect(nb.panel.get_by_role("tabpanel", name="Notes")).to_have_text("No notes on this run.")
    tab.press("Home")
    expect(nb.panel.get_by_role("tab", name="Program")).to_be_focused()
