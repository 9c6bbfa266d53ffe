"""Tests Live: while the user edits a cell, the panel shows the program of its function."""

import re

import pytest
from playwright.sync_api import expect

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp\nx = jnp.arange(8.0)"
CELL = """\
%%jaxpr
@jax.jit
def f(x):
    return jnp.sin(x)

f(x);"""
WORDS = (
    "While you type, your function's Python runs on tracers. Nothing is compiled, and none of your calls is executed."
)
TYPED = "{}:f32[8] = {} "


@pytest.fixture
def nb(notebook):
    opened = notebook(LOAD, CELL)
    opened.run_all()
    expect(opened.equation(1)).to_contain_text("sin")
    yield opened
    if switch(opened).get_attribute("aria-checked") == "true":
        switch(opened).click()
        expect(switch(opened)).to_have_attribute("aria-checked", "false")


def switch(nb):
    return nb.panel.get_by_role("switch", name="Live")


def live(nb):
    return nb.panel.get_by_role("group", name="Live")


def turn_on(nb):
    expect(switch(nb)).to_have_attribute("aria-checked", "false")
    expect(switch(nb)).to_have_attribute("title", WORDS)
    switch(nb).click()
    expect(switch(nb)).to_have_attribute("aria-checked", "true")


def trace_now(nb):
    nb.page.keyboard.press("Control+Shift+C")
    nb.page.get_by_role("textbox", name="Search").last.fill("without running")
    nb.page.locator(".lm-CommandPalette-item", has_text="Trace the Cell Without Running It").click()


def type_at_end_of(nb, line, text):
    """Type at the end of a line of the second cell; lines are counted from 0."""
    nb.lines(1).nth(line).click()
    nb.page.keyboard.press("End")
    nb.page.keyboard.type(text)


def test_the_program_follows_what_is_typed_and_a_run_replaces_it(nb):
    turn_on(nb)
    type_at_end_of(nb, 3, " * 2")
    expect(nb.equation(2)).to_contain_text("mul")
    expect(live(nb)).to_contain_text("The code as written was traced, not run.")
    expect(nb.panel).to_contain_text("Changes since run [2]: 1 equation was added.")
    type_at_end_of(nb, 3, " + jnp.cos(x)")
    expect(nb.equation(4)).to_contain_text("add")
    expect(nb.panel).to_contain_text("traced as written, not run")
    nb.run(1)
    expect(nb.panel).not_to_contain_text("traced as written, not run")
    expect(live(nb)).to_contain_text("Live is on.")
    expect(nb.equation(4)).to_contain_text("add")


def test_an_error_comes_and_goes(nb):
    turn_on(nb)
    type_at_end_of(nb, 3, " @ x[:3]")
    expect(live(nb)).to_contain_text("As written, f raises an error.")
    expect(live(nb)).to_contain_text(
        "A matrix product sums over two axes of the same size, but these axes have 8 and 3 elements."
    )
    expect(nb.editor(1).locator(".jp-JaxprCell-raises").first).to_have_text(re.compile(r"jnp\.sin"))
    expect(nb.equation(1)).to_contain_text("sin")
    for _ in range(len("[:3]")):
        nb.page.keyboard.press("Backspace")
    expect(live(nb)).to_contain_text("The code as written was traced, not run.")
    expect(nb.editor(1).locator(".jp-JaxprCell-raises")).to_have_count(0)
    type_at_end_of(nb, 3, " @ (")
    expect(live(nb)).to_contain_text("The code is incomplete.")


def test_off_nothing_is_traced_but_on_request(nb):
    type_at_end_of(nb, 3, " * 2")
    nb.page.wait_for_function("() => new Promise(done => setTimeout(() => done(true), 1000))")
    expect(nb.equation(2)).to_have_count(0)
    expect(live(nb)).to_have_count(0)
    # The command runs without a key or a click of the user, as another extension could run it; then it traces nothing.
    nb.page.wait_for_function("() => new Promise(done => setTimeout(() => done(true), 1100))")
    nb.command("jupyter-jaxpr:trace-now")
    expect(live(nb)).to_have_count(0)
    trace_now(nb)
    expect(nb.equation(2)).to_contain_text("mul")
    expect(live(nb)).to_contain_text("The code as written was traced, not run.")
    type_at_end_of(nb, 3, " * 3")
    expect(nb.equation(3)).to_have_count(0)


def test_argument_types_are_asked_for(nb):
    turn_on(nb)
    nb.lines(1).nth(5).click()
    nb.page.keyboard.press("End")
    nb.page.keyboard.type("\n\ndef g(a, b):\nreturn a * b")
    expect(live(nb)).to_contain_text("Live does not know the argument types of g.")
    field = live(nb).get_by_role("textbox", name="Argument types")
    field.fill("f32[2,3], 4")
    field.press("Enter")
    expect(nb.panel.get_by_role("toolbar", name="Program", exact=True)).to_contain_text("g")
    expect(nb.equation(2)).to_contain_text("mul")


@pytest.mark.slow
def test_what_live_does_not_trace_is_named(nb):
    turn_on(nb)
    type_at_end_of(nb, 3, "\nopen('never', 'w')")
    type_at_end_of(nb, 2, "\nopen('never')")
    expect(live(nb)).to_contain_text("f is not traced live. Line 4 calls open")
    expect(nb.equation(1)).to_contain_text("sin")


@pytest.mark.slow
def test_a_restart_while_a_trace_is_on_its_way(nb):
    turn_on(nb)
    type_at_end_of(nb, 3, " * 2")
    nb.restart_kernel()
    type_at_end_of(nb, 3, " * 3")
    expect(live(nb)).to_contain_text("The code was not traced.")
    nb.run_all()
    expect(nb.equation(3)).to_contain_text("mul")
    type_at_end_of(nb, 3, " * 4")
    expect(nb.equation(4)).to_contain_text("mul")
