"""Tests the panel without a program, while JAX works, and with notes on a run."""

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
    expect(nb.panel).to_contain_text("Run this line in the notebook, once for each kernel:")
    nb.panel.get_by_role("button", name="Run in the notebook").click()

    expect(nb.panel.get_by_role("heading")).to_have_text("No program yet")
    expect(nb.editor(0)).to_have_text("%load_ext jupyter_jaxpr")
    expect(nb.editor(1)).to_have_text("# my notebook")
    expect(nb.panel).to_contain_text("Put %%jaxpr on top of a cell that calls a jitted function, and run the cell.")
    expect(nb.panel).to_contain_text(re.compile(r"JAX [\d.]+"))
    nb.panel.get_by_role("button", name="Run in the notebook").click()

    expect(nb.listing()).to_contain_text("b:f32[]weak = sin a")
    last = "jax.jit(jnp.sin)(1.0)1 call1 compile"  # the last line with its counts: 1 call, 1 compile
    expect(nb.lines(1)).to_have_text(["%%jaxpr", "import jax", "import jax.numpy as jnp", "", last])
    expect(nb.editor(2)).to_have_text("# my notebook")


def test_without_a_program_the_button_runs_the_cell_that_is_there(notebook):
    nb = notebook(LOAD, "x = 1.0", "%%jaxpr\njax.jit(jnp.cos)(2.0)")
    nb.page.keyboard.press("Control+Alt+j")
    nb.run(0)
    expect(nb.panel.get_by_role("heading")).to_have_text("No program yet")
    expect(nb.panel).to_contain_text("The notebook has a cell with %%jaxpr. Run the cell:")
    expect(nb.panel.locator("pre")).to_have_text("%%jaxpr\njax.jit(jnp.cos)(2.0)")
    nb.write(2, "y = 2.0")
    nb.panel.get_by_role("button", name="Run in the notebook").wait_for()
    nb.write(2, "%%jaxpr\njax.jit(jnp.sin)(2.0)")
    nb.panel.get_by_role("button", name="Run the cell", exact=True).click()

    expect(nb.listing()).to_contain_text("b:f32[]weak = sin a")
    expect(nb.prompt(2)).to_have_text("[2]:")
    expect(nb.prompt(1)).to_have_text("[ ]:")
    expect(nb.page.locator(".jp-Notebook .jp-Cell")).to_have_count(3)


def test_one_command_loads_the_extension_and_runs_the_cell_with_the_magic(notebook):
    nb = notebook("import jax\njax.jit(lambda x: x + 1)(2.0)", "import math\n%load_ext jupyter_jaxpr")
    nb.page.keyboard.press("Control+Alt+j")
    expect(nb.panel.get_by_role("heading")).to_have_text("jupyter_jaxpr is not loaded")
    nb.cell(0).click(button="right")
    nb.page.get_by_role("menuitem", name="Run Cell with %%jaxpr").click()

    expect(nb.listing()).to_contain_text("b:f32[]weak = add a 1.0:f32[]")
    last = "jax.jit(lambda x: x + 1)(2.0)1 call1 compile"  # the last line with its counts: 1 call, 1 compile
    expect(nb.lines(0)).to_have_text(["%%jaxpr", "import jax", last])
    expect(nb.prompt(1)).to_have_text("[1]:")  # the existing cell with `%load_ext` ran first
    expect(nb.prompt(0)).to_have_text("[2]:")
    expect(nb.page.locator(".jp-Notebook .jp-Cell")).to_have_count(2)
    nb.page.evaluate("window.jupyterapp.commands.execute('jupyter-jaxpr:show-compare')")
    expect(nb.panel).to_contain_text("The Compare view has nothing to show for this run.")


def test_commands_lead_to_each_view_and_to_the_next_program(notebook):
    nb = notebook(LOAD, "%%jaxpr\nfirst = jax.jit(jnp.sin)\nsecond = jax.jit(jnp.cos)\nfirst(1.0), second(2.0)")
    nb.run(0)
    nb.run(1)
    expect(nb.listing()).to_contain_text("cos a")

    def run(command: str) -> None:
        nb.page.evaluate("command => window.jupyterapp.commands.execute(command)", f"jupyter-jaxpr:{command}")

    run("previous-program")
    expect(nb.listing()).to_contain_text("sin a")
    assert not nb.page.evaluate("window.jupyterapp.commands.isEnabled('jupyter-jaxpr:previous-program')")
    run("next-program")
    expect(nb.listing()).to_contain_text("cos a")
    for view in ("flow", "cache", "time", "cost", "diff", "compare", "notes", "program"):
        run(f"show-{view}")
        expect(nb.panel.get_by_role("tab", selected=True)).to_have_id(f"jupyter-jaxpr-panel-tab-{view}")


@pytest.mark.slow
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
        expect(running.get_by_role("row", name=re.compile("^compile"))).to_contain_text("not started")
        go.touch()
        nb.wait_for_end(1)

        expect(running).to_be_hidden()
        expect(nb.listing()).to_contain_text("b:f32[]weak = sin a")
    finally:
        go.touch()  # otherwise the kernel would wait forever
        go.unlink()


@pytest.mark.slow
def test_notes_of_what_was_printed_and_of_a_captured_array(notebook, page):
    nb = notebook(LOAD + "\ntable = jnp.arange(1000.0)\nsmall = jnp.arange(3.0)", NOTED)
    nb.run_all()
    tab = nb.panel.get_by_role("tab", name=re.compile("^Notes"))
    expect(tab).to_have_accessible_name("Notes, 2 notes")
    tab.click()
    notes = nb.panel.get_by_role("tabpanel", name=re.compile("^Notes")).get_by_role("listitem")

    printed = notes.filter(has_text="printed while JAX traced look_up")
    expect(printed).to_contain_text(
        "Line 4: look_up printed while JAX traced look_up. Python's print runs once for each trace, not for each call, "
        "and shows tracers in place of values."
    )
    expect(printed).to_contain_text("To print values at every call, use jax.debug.print.")
    printed.get_by_text("Printed text").click()
    expect(printed.get_by_role("group").locator("pre")).to_contain_text("tracing with JitTracer")

    captured = notes.filter(has_text="a constant of the program")
    expect(captured).to_contain_text(
        "Line 5: The function reads an array of 4.0 kB (f32[1000]) that is not an argument, so the array is a constant "
        "of the program. After an assignment to the array's variable, calls that reuse the program still compute "
        "with the old array."
    )
    expect(captured).to_contain_text("Pass the array as an argument.")

    captured.get_by_role("button", name="Line 5").click()
    expect(nb.editor(1)).to_be_focused()
    expect(page.locator("#jp-main-statusbar")).to_contain_text("Ln 5")


@pytest.mark.slow
def test_a_run_without_notes_says_so(notebook):
    nb = notebook(LOAD, "%%jaxpr\njax.jit(jnp.sin)(1.0)")
    nb.run_all()
    tab = nb.panel.get_by_role("tab", name="Notes", exact=True)
    tab.click()
    expect(tab).to_have_attribute("aria-selected", "true")
    expect(nb.panel.get_by_role("tabpanel", name="Notes")).to_have_text("No notes on this run.")
    tab.press("Home")
    expect(nb.panel.get_by_role("tab", name="Program")).to_be_focused()


def test_a_kernel_is_chosen_from_the_panel(notebook):
    nb = notebook(LOAD, kernel=None)
    nb.command("jupyter-jaxpr:toggle-panel")
    expect(nb.panel.get_by_role("heading")).to_have_text("No kernel")
    nb.panel.get_by_role("button", name="Choose a kernel").click()
    nb.page.get_by_role("dialog").get_by_role("combobox").select_option(label="Python 3 (ipykernel)")
    nb.page.get_by_role("dialog").get_by_role("button", name="Select").click()
    expect(nb.panel.get_by_role("heading")).to_have_text("jupyter_jaxpr is not loaded", timeout=60_000)
