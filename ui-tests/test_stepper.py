"""Tests the stepper: the values of loops and branches step by step, from a kernel and from a saved notebook."""

from __future__ import annotations

import re

import pytest
from page_checks import cut, violations
from playwright.sync_api import expect

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp\nfrom jax import lax\nxs = jnp.arange(1, 6)"

SUM = """\
%%jaxpr
@jax.jit
def cumulative(xs):
    def step(total, x):
        total = total + x
        return total, 2 * total

    return lax.scan(step, 0, xs)

cumulative(xs)"""

NEWTON = """\
%%jaxpr
@jax.jit
def newton(a):
    def far(state):
        return jnp.abs(state["x"] ** 2 - a) > 1e-5

    def improve(state):
        x = state["x"]
        return {"n": state["n"] + 1, "x": 0.5 * (x + a / x)}

    return lax.while_loop(far, improve, {"n": 0, "x": a})

newton(2.0)"""

COND = """\
%%jaxpr
@jax.jit
def f(x):
    return lax.cond(x > 0, lambda x: x * 2, lambda x: x**2, x)

f(-3.0)"""

THREE_CALLS = """\
%%jaxpr --steps
@jax.jit
def relax(x, rate, target):
    return lax.cond(
        x > target,
        lambda x, rate, target: (x - rate, target),
        lambda x, rate, target: (x + rate, target),
        x,
        rate,
        target,
    )

for x in (3.0, -2.0, 0.5):
    relax(x, 0.25, 1.0)"""

SLOW = """\
%%jaxpr
@jax.jit
def powers(a):
    return lax.fori_loop(0, 4000, lambda i, b: a @ b * 0.99, a)

a = jnp.eye(400)
powers(a).block_until_ready();"""

PRINTS = """\
%%jaxpr
@jax.jit
def loud(xs):
    def step(total, x):
        jax.debug.print("at {}", x)
        return total + x, None

    return lax.scan(step, 0, xs)[0]

loud(xs)"""

RNN = """\
%%jaxpr
@jax.jit
def rnn(p, xs):
    def step(h, x):
        a = x @ p["wx"]
        r = h @ p["wh"]
        h = jnp.tanh(a + r + p["b"])
        return h, h

    h, hs = lax.scan(step, jnp.zeros(16), xs)
    return jax.nn.softmax(h @ p["wo"]), hs

k = jax.random.split(jax.random.key(0), 4)
shapes = {"wx": (8, 16), "wh": (16, 16), "b": (16,), "wo": (16, 4)}
p = {name: jax.random.normal(k[0], shape) * 0.3 for name, shape in shapes.items()}
sequence = jax.random.normal(k[3], (100, 8))
y, hs = rnn(p, sequence)"""

WIDE = """\
%%jaxpr
@jax.jit
def wide(xs):
    def step(h, x):
        h = {name: jnp.sin(value + x) for name, value in h.items()}
        return h, None

    return lax.scan(step, {f"h{i}": jnp.full(16, 0.1 * i) for i in range(10)}, xs)[0]

many = jnp.arange(1000.0)
wide(many);"""


COLLATZ = """\
%%jaxpr
@jax.jit
def collatz(xs):
    def one(_, n):
        def go(state):
            n, k = state
            return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), k + 1

        return None, lax.while_loop(lambda state: state[0] != 1, go, (n, 0))[1]

    return lax.scan(one, None, xs)[1]

collatz(xs)"""


def stepper(nb):
    """Return the stepper inside of a card."""
    return nb.panel.get_by_role("group", name=re.compile("^Steps of "))


def step_through(nb, *indices):
    """Run these cells, choose the Control flow tab, and record the steps."""
    for index in indices:
        nb.run(index)
    nb.panel.get_by_role("tab", name="Control flow").click()
    stepper(nb).get_by_role("button", name="Record the steps").click()
    return stepper(nb)


def run_and_step_through(nb):
    step_through(nb, 0, 1)
    expect(heading(stepper(nb))).to_be_visible()


@pytest.fixture
def recorded(shared_notebook):
    """Return a function that opens a shared notebook whose steps are recorded, on the Control flow tab."""

    def make(cell: str):
        nb = shared_notebook(LOAD, cell, prepare=run_and_step_through)
        nb.panel.get_by_role("tab", name="Control flow").click()
        expect(heading(stepper(nb))).to_be_visible()
        return nb, stepper(nb)

    return make


def heading(steps):
    return steps.get_by_role("heading", level=3)


def test_a_cumulative_sum_is_walked_with_the_keyboard(notebook):
    nb = notebook(LOAD, SUM)
    nb.run(0)
    nb.run(1)
    nb.panel.get_by_role("tab", name="Control flow").click()
    steps = stepper(nb)
    expect(steps).to_contain_text(
        "The kernel runs cumulative again with the values of the last call whose values are known. "
        "The panel then shows each step."
    )
    steps.get_by_role("button", name="Record the steps").click()
    expect(heading(steps)).to_have_text("Step 1 of 5")

    slider = steps.get_by_role("slider", name="Step")
    slider.focus()
    nb.page.keyboard.press("ArrowRight")
    expect(heading(steps)).to_have_text("Step 2 of 5")
    expect(slider).to_have_attribute("aria-valuetext", "Step 2 of 5, total: 3, xs[1]: 2, step output: 6")
    nb.page.keyboard.press("End")
    expect(heading(steps)).to_have_text("Step 5 of 5")
    total = steps.get_by_role("table").nth(0).get_by_role("row", name="total")
    expect(total.get_by_role("cell")).to_have_text(["10", "15"])

    every = steps.get_by_role("group", name="All steps").get_by_role("row")
    expect(every).to_have_text(["steptotalxsstep output", "1012", "2126", "33312", "46420", "510530", "at end15"])
    expect(every.nth(5)).to_have_attribute("aria-current", "step")
    nb.page.keyboard.press("Home")
    expect(every.nth(1)).to_have_attribute("aria-current", "step")
    expect(steps).to_contain_text("The recorded results equal the original function's results, bit for bit.")
    expect(steps).to_contain_text(re.compile("The recorded run took .*, including its own compilation."))


def test_newton_takes_three_steps_to_its_tolerance(recorded):
    _, steps = recorded(NEWTON)
    expect(heading(steps)).to_have_text("Step 1 of 3")
    expect(steps.get_by_role("img")).to_have_accessible_name(
        re.compile(
            r"^The plot shows jnp\.abs.* at each step\. Smallest value 6e-6, largest value 2\. "
            r"The axis of the values is logarithmic\. The dashed line shows the limit 1e-5\.$"
        )
    )
    next_ = steps.get_by_role("button", name="Next")
    next_.click()
    next_.click()
    expect(heading(steps)).to_have_text("Step 3 of 3")
    expect(steps.get_by_role("status").filter(has_text="Step 3 of 3, ")).to_be_attached()
    values = steps.get_by_role("table").nth(0)
    expect(values.get_by_role("row", name="condition").get_by_role("cell")).to_have_text(["True", "False"])
    expect(values.get_by_role("row", name="state['n']").get_by_role("cell")).to_have_text(["2", "3"])
    expect(next_).to_have_attribute("aria-disabled", "true")


def test_the_branch_that_was_taken_is_marked_on_the_card(notebook):
    nb = notebook(LOAD, COND)
    nb.run(0)
    steps = step_through(nb, 1)
    expect(steps.get_by_role("row", name="branch taken")).to_contain_text("False")
    taken, other = (nb.panel.get_by_role("group", name=f"Branch {label} of cond") for label in ("False", "True"))
    expect(taken).to_contain_text("the recorded run took this branch 1 time · branch taken")
    expect(other).to_contain_text("the recorded run did not take this branch")
    expect(other).not_to_contain_text("· branch taken")


@pytest.mark.slow
def test_the_branch_of_each_call_is_in_sight_in_a_narrow_panel(notebook):
    nb = notebook(LOAD, THREE_CALLS)
    nb.run_all()
    nb.panel.get_by_role("tab", name="Control flow").click()
    nb.set_panel_width(320)
    table = nb.panel.get_by_role("table", name="Calls of the cell and their branches")
    expect(table.get_by_role("row")).to_have_text(
        ["callbranchxratetargetresult", "1True3.00.251.02.75", "2False-2.00.251.0-1.75", "3False0.50.251.00.75"]
    )
    # The columns with values may be outside of the visible part, because the table has a scroll bar.
    assert cut(nb.panel, "table[aria-label*='branches'] tr > :nth-child(-n+2)") == []


@pytest.mark.slow
def test_a_loop_inside_another_is_chosen_by_the_outer_step(notebook):
    nb = notebook(LOAD, COLLATZ)
    nb.run(0)
    nb.run(1)
    nb.panel.get_by_role("tab", name="Control flow").click()
    steps = nb.panel.get_by_role("group", name="Steps of while_loop go")
    steps.get_by_role("button", name="Record the steps").click()
    expect(heading(steps)).to_have_text("The loop ran no step")
    expect(steps).to_contain_text("The loop returned its inputs unchanged.")
    entries = steps.get_by_role("combobox", name="Choose an entry into the loop")
    expect(entries.get_by_role("option")).to_have_text(
        [
            "outer step 1 · 0 steps",
            "outer step 2 · 1 step",
            "outer step 3 · 7 steps",
            "outer step 4 · 2 steps",
            "outer step 5 · 5 steps",
        ]
    )
    entries.select_option("outer step 3 · 7 steps")
    expect(heading(steps)).to_have_text("Step 1 of 7")
    n = steps.get_by_role("table").nth(0).get_by_role("row", name=re.compile("^n "))
    expect(n.get_by_role("cell")).to_have_text(["3", "10"])
    steps.get_by_role("slider").focus()
    nb.page.keyboard.press("End")
    expect(n.get_by_role("cell")).to_have_text(["2", "1"])
    steps.get_by_role("button", name="Next").click()
    expect(heading(steps)).to_have_text("Step 1 of 2")
    expect(n.get_by_role("cell")).to_have_text(["4", "2"])


def positions(panel):
    """Return the positions of the parts of a stepper: left edge, top, width and height, in pixels."""
    return panel.evaluate(
        """panel => Object.fromEntries(
          ['h3', 'button', 'input', 'select', '.jp-JaxprStepper-axis > *', 'th', 'td', 'summary', 'header']
            .flatMap(kind => [...panel.querySelectorAll(kind)].map((node, at) => {
              const { x, y, width, height } = node.getBoundingClientRect();
              return [`${kind} ${at}`, [x, y, width, height].map(Math.round)];
            })))"""
    )


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 400, 900])
def test_longer_numbers_move_nothing(notebook, width):
    nb = notebook(LOAD, RNN)
    nb.run(0)
    steps = step_through(nb, 1)
    expect(heading(steps)).to_have_text("Step 1 of 100")
    nb.set_panel_width(width)
    steps.get_by_role("slider", name="Step").focus()
    before = positions(nb.panel)
    for step in range(2, 14):
        nb.page.keyboard.press("ArrowRight")
        expect(heading(steps)).to_have_text(f"Step {step} of 100")
        assert positions(nb.panel) == before, f"step {step} at {width} px"
    nb.page.keyboard.press("End")
    expect(heading(steps)).to_have_text("Step 100 of 100")
    assert positions(nb.panel) == before


@pytest.mark.slow
def test_title_diagram_and_values_of_a_step_are_on_one_screen(notebook, page):
    nb = notebook(LOAD, RNN)
    page.set_viewport_size({"width": 1280, "height": 720})
    nb.run(0)
    steps = step_through(nb, 1)
    expect(heading(steps)).to_have_text("Step 1 of 100")
    assert nb.panel.bounding_box()["width"] == pytest.approx(400, abs=2)
    head = nb.panel.get_by_role("button", name="scan step, line 10").bounding_box()
    values = steps.get_by_role("table").nth(0).bounding_box()
    view = nb.panel.get_by_role("tabpanel", name="Control flow").bounding_box()
    assert head["y"] >= view["y"]
    assert values["y"] + values["height"] <= view["y"] + view["height"]
    # The button "Types" shows the types of the values.
    nb.panel.get_by_role("button", name="Types").click()
    expect(nb.panel.get_by_role("table", name=re.compile("^Values of scan step"))).to_contain_text("xsf32[8]f32[100,8]")


@pytest.mark.slow
def test_play_goes_on_to_the_end_and_not_where_motion_is_unwanted(recorded):
    nb, steps = recorded(SUM)
    steps.get_by_role("button", name="Play", exact=True).click()
    expect(steps.get_by_role("button", name="Pause")).to_be_visible()
    expect(heading(steps)).to_have_text("Step 5 of 5")
    play = steps.get_by_role("button", name="Play", exact=True)
    expect(play).to_be_visible()

    play.click()
    expect(heading(steps)).to_have_text("Step 1 of 5")
    nb.panel.get_by_role("tab", name="Program").click()
    expect(steps).not_to_be_visible()
    # A hidden element cannot be found by its role, so it is found by a selector.
    expect(nb.panel.locator('.jp-JaxprStepper button[aria-label="Play"]')).to_be_attached()

    nb.page.emulate_media(reduced_motion="reduce")
    nb.panel.get_by_role("tab", name="Control flow").click()
    calm = steps.get_by_role("button", name="Play is off, because your system is set to reduce motion")
    expect(calm).to_have_attribute("aria-disabled", "true")


def test_the_cell_shows_what_the_step_in_view_computes(recorded):
    nb, steps = recorded(SUM)
    source = nb.save()["cells"][1]["source"]
    notes = nb.cell(1).get_by_role("note", name=re.compile("^Values (before|after) step"))
    steps.get_by_role("button", name="Next").click()
    expect(notes.nth(0)).to_have_accessible_name("Values before step 2: total = 1, xs[1] = 2")
    expect(notes.nth(1)).to_have_accessible_name("Values after step 2: total = 3, step output = 6")
    expect(nb.lines(1).nth(3).get_by_role("note", name="Values before step 2")).to_have_count(1)
    computed = nb.cell(1).locator(".jp-JaxprCell-stepSpan")
    expect(computed).to_have_text(["total + x", "2 * total"])
    steps.get_by_role("button", name="Next").click()
    expect(notes.nth(0)).to_have_accessible_name("Values before step 3: total = 3, xs[2] = 3")

    nb.panel.get_by_role("tab", name="Program").click()
    expect(notes).to_have_count(0)
    nb.panel.get_by_role("tab", name="Control flow").click()
    expect(notes).to_have_count(2)
    nb.panel.get_by_role("button", name=re.compile("^scan step")).first.click()
    expect(notes).to_have_count(0)
    expect(computed).to_have_count(0)
    assert nb.save()["cells"][1]["source"] == source


@pytest.mark.slow
def test_play_stops_when_the_keyboard_goes_to_the_cell(recorded):
    nb, steps = recorded(RNN)
    steps.get_by_role("combobox", name="Speed of Play").select_option("5 steps/s")
    steps.get_by_role("slider", name="Step").focus()
    nb.page.keyboard.press("Space")
    expect(steps.get_by_role("button", name="Pause")).to_be_visible()
    expect(heading(steps)).to_have_text(re.compile(r"^Step ([2-9]|[1-9]\d) of 100$"))
    nb.editor(1).click()
    expect(steps.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_all_steps_are_copied_for_a_spreadsheet(recorded):
    nb, steps = recorded(SUM)
    nb.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    steps.get_by_role("button", name="Copy the steps for a spreadsheet").click()
    expect(steps.get_by_text("The steps were copied for a spreadsheet.")).to_be_attached()
    assert nb.page.evaluate("navigator.clipboard.readText()") == (
        "step\ttotal\txs\tstep output\n1\t0\t1\t2\n2\t1\t2\t6\n3\t3\t3\t12\n4\t6\t4\t20\n5\t10\t5\t30\nat end\t15\t\t\n"
    )


@pytest.mark.slow
def test_stop_keeps_what_was_recorded(notebook):
    nb = notebook(LOAD, SLOW)
    nb.run(0)
    steps = step_through(nb, 1)
    expect(steps.get_by_role("progressbar")).to_be_visible()
    steps.get_by_role("button", name="Stop").click()
    expect(steps).to_contain_text(re.compile(r"You stopped the stepper after [\d,]+ steps"))
    expect(heading(steps)).to_have_text(re.compile(r"^Step 1 of [\d,]+$"))
    steps.get_by_role("slider").focus()
    nb.page.keyboard.press("End")
    expect(heading(steps)).not_to_have_text(re.compile("^Step 1 of"))


@pytest.mark.slow
def test_effects_are_repeated_only_when_that_is_wanted(notebook):
    nb = notebook(LOAD, PRINTS)
    nb.run(0)
    steps = step_through(nb, 1)
    question = steps.get_by_role("alertdialog", name="Repeat the effects of the function?")
    expect(question).to_contain_text("Both runs repeat the prints and callbacks of the function.")
    no = question.get_by_role("button", name="Do not run the function")
    expect(no).to_be_focused()
    assert violations(nb.page, ".jp-JaxprStepper") == []
    nb.page.keyboard.press("Escape")
    expect(question).not_to_be_attached()
    expect(heading(steps)).not_to_be_attached()

    steps.get_by_role("button", name="Record the steps").click()
    question.get_by_role("button", name="Run the function and repeat the effects").click()
    expect(heading(steps)).to_have_text("Step 1 of 5")
    expect(steps).to_contain_text("The recorded results equal the original function's results, bit for bit.")


@pytest.mark.slow
def test_after_a_restart_the_recording_stays_and_the_button_says_what_to_do(notebook):
    nb = notebook(LOAD, SUM)
    nb.run(0)
    steps = step_through(nb, 1)
    expect(heading(steps)).to_have_text("Step 1 of 5")
    nb.restart_kernel()
    again = steps.get_by_role("button", name="Record the steps again")
    expect(again).to_have_attribute("aria-disabled", "true")
    expect(again).to_have_accessible_description(
        "Kernel restarted. Run %load_ext jupyter_jaxpr, then run cell [2] again to refresh the panel."
    )
    steps.get_by_role("button", name="Next").click()
    expect(heading(steps)).to_have_text("Step 2 of 5")


@pytest.mark.slow
def test_steps_that_came_with_a_saved_notebook_need_no_kernel(notebook, lab):
    nb = notebook(LOAD, SUM.replace("%%jaxpr", "%%jaxpr --steps"))
    nb.run(0)
    nb.run(1)
    nb.panel.get_by_role("tab", name="Control flow").click()
    expect(heading(stepper(nb))).to_have_text("Step 1 of 5")
    nb.save()
    saved = notebook(*lab.read(nb.name)["cells"], kernel=None)
    saved.outputs(1).get_by_role("button").first.click()
    saved.panel.get_by_role("tab", name="Control flow").click()
    steps = stepper(saved)
    expect(heading(steps)).to_have_text("Step 1 of 5")
    expect(steps).to_contain_text("This run comes from a saved copy. Run the cell to step through the construct.")


@pytest.mark.slow
def test_a_thousand_steps_of_ten_leaves_answer_at_once(notebook):
    nb = notebook(LOAD, WIDE)
    nb.run(0)
    steps = step_through(nb, 1)
    expect(heading(steps)).to_have_text("Step 1 of 1,000")
    steps.get_by_text("All 1,000 steps").click()
    expect(steps.get_by_role("group", name="All steps").get_by_role("row").nth(1)).to_be_visible()
    # The handler of the slider's event changes only a few nodes, independent of the number of steps.
    changes = nb.page.evaluate(
        """async () => {
          const slider = document.querySelector('.jp-JaxprStepper input[type=range]');
          const heading = document.querySelector('.jp-JaxprStepper h3');
          const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
          const observer = new MutationObserver(() => {});
          observer.observe(document.querySelector('.jp-JaxprStepper'), {
            attributes: true, characterData: true, childList: true, subtree: true
          });
          const changes = [];
          for (const value of [999, 0, 500, ...Array.from({ length: 20 }, (_, i) => 40 * i)]) {
            set.call(slider, value);
            slider.dispatchEvent(new Event('input', { bubbles: true }));
            if (!heading.textContent.startsWith(`Step ${(value + 1).toLocaleString('en')} of`)) {
              throw new Error(heading.textContent);
            }
            changes.push(observer.takeRecords().length);
            await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
            changes.push(observer.takeRecords().length);
          }
          return changes;
        }"""
    )
    # The bound: 100 nodes, and pictures of 16 numbers for ten arrays before and after the step.
    assert 0 < max(changes) < 100 + 10 * 2 * 16, changes


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_nothing(recorded, theme):
    nb, steps = recorded(NEWTON)
    nb.theme(theme)
    expect(heading(steps)).to_have_text("Step 1 of 3")
    # axe-core does not measure the contrast of a row that the edge of the panel cuts, so the last row is scrolled into
    # view.
    steps.get_by_role("group", name="All steps").get_by_role("row").last.scroll_into_view_if_needed()
    assert violations(nb.page, ".jp-JaxprStepper") == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, pytest.param(900, marks=pytest.mark.slow)])
def test_nothing_is_cut(recorded, width):
    nb, steps = recorded(SUM)
    nb.page.set_viewport_size({"width": width + 640, "height": 900})
    expect(heading(steps)).to_have_text("Step 1 of 5")
    nb.set_panel_width(width)
    assert cut(nb.panel, ".jp-JaxprStepper *", ".jp-JaxprStepper-scroller, .jp-JaxprStepper-said") == []
