"""Tests thirty tasks of a user, with the clicks and keys that each takes after the cell has run.

A click, a key, a choice in a list and a typed text count one each; to point with the mouse counts nothing. Each task
has the shortest known way. No task takes more than four, and the sum may only fall. A task that takes more after a
change is a reason to change the panel, not the table.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from open_notebook import OpenNotebook
from playwright.sync_api import Locator, expect

pytestmark = pytest.mark.slow

LOAD = "%load_ext jupyter_jaxpr\nimport functools\nimport jax, jax.numpy as jnp\nfrom jax import lax"
CELL = """\
%%jaxpr
def layer(p, h):
    return jnp.tanh(h @ p["w"] + p["b"])

@functools.partial(jax.jit, static_argnums=2)
def rnn(p, xs, rate):
    def step(h, x):
        h = layer(p, h + x)
        return h, h.sum()

    h, ys = lax.scan(step, jnp.zeros(16), xs)
    for i in range(6):
        h = jnp.tanh(h @ p["w"]) * rate
    return jax.nn.softmax(h), ys

p = {"w": jnp.ones((16, 16)) * 0.1, "b": jnp.ones(16)}
xs = jnp.ones((10, 16))
for rate in (1.0, 2.0):
    y = rnn(p, xs, rate)"""

MOST = 4
STEPS = "^Record the steps of scan step and show"
SUM = 27

Find = Callable[[OpenNotebook], Locator]
Act = Callable[[OpenNotebook], None]


def press(role: Any, name: str) -> Act:
    """Return an action: click the control of the panel with this role and a name that matches a pattern."""
    return lambda nb: nb.panel.get_by_role(role, name=re.compile(name)).first.click()


def point(number: int) -> Act:
    """Return an action: point at an equation."""
    return lambda nb: nb.equation(number).hover(position={"x": 60, "y": 8})


def point_at_tab(name: str) -> Act:
    """Return an action: point at a tab, whose tooltip then shows the main facts of the view."""
    return lambda nb: nb.panel.get_by_role("tab", name=re.compile(name)).hover()


def line_number(number: int) -> Act:
    """Return an action: click on the number of the cell's line at the right edge of an equation."""

    def act(nb: OpenNotebook) -> None:
        box = nb.equation(number).bounding_box()
        nb.page.mouse.click(box["x"] + box["width"] - 12, box["y"] + 8)

    return act


def typed(text: str) -> Act:
    """Return an action: type a text at the focus."""
    return lambda nb: nb.page.keyboard.type(text)


def choose(label: str, option: str) -> Act:
    """Return an action: choose an option of a list."""
    return lambda nb: nb.panel.get_by_role("combobox", name=label).select_option(label=option)


def shown(text: str) -> Find:
    """Return a function that finds the text of the panel that matches a pattern."""
    return lambda nb: nb.panel.get_by_text(re.compile(text)).locator("visible=true").first


def caret(line: int) -> Find:
    """Return a function that finds the place in the status bar that says that the caret is on a line."""
    return lambda nb: nb.page.locator("#jp-main-statusbar").get_by_text(re.compile(rf"^Ln {line},"))


def tooltip(text: str) -> Find:
    """Return a function that finds the tab or the button of the panel whose tooltip contains the text."""
    return lambda nb: nb.panel.locator(f'[role="tab"][title*="{text}"], [role="button"][title*="{text}"]').first


def control(role: Any, name: str) -> Find:
    """Return a function that finds the control of the panel with this role and a name that matches a pattern."""
    return lambda nb: nb.panel.get_by_role(role, name=re.compile(name)).first


@dataclass(frozen=True)
class Task:
    """A task of a user: its tab, its goal, the actions, and the element that is visible at the end.

    `points` is the place at which the user points first; it counts as no press.
    """

    tab: str
    want: str
    acts: tuple[Act, ...]
    sees: Find
    points: Act | None = None


FLOW, CACHE, TIME, COST, DIFF, COMPARE, NOTES = (
    press("tab", name) for name in ("^Control flow", "^Cache", "^Time", "^Cost", "^Diff", "^Compare", "^Notes")
)
TASKS = (
    Task("Program", "see the equations", (), lambda nb: nb.equation(1)),
    Task("Program", "see what changed since the run before", (), shown(r"^Changes since run \[")),
    Task("Program", "see what an equation does", (), shown("^matrix product$"), points=point(4)),
    Task(
        "Program",
        "see the expression of an equation",
        (),
        lambda nb: nb.page.locator(".jp-JaxprCell-span", has_text='h @ p["w"]'),
        points=point(4),
    ),
    Task(
        "Program", "hide the body of the loop", (press("button", "^Fold 5 equations"),), control("button", "^Unfold 5")
    ),
    Task(
        "Program",
        "see the parameters of an equation",
        (),
        tooltip("reverse=False"),
        points=lambda nb: nb.panel.get_by_role("button", name="length=10 …: show all").hover(),
    ),
    Task(
        "Program",
        "find tanh",
        (press("button", "^Find in program"), typed("tanh")),
        lambda nb: nb.panel.locator(".cm-searchMatch, .jp-JaxprSearch-match, mark").first,
    ),
    Task("Program", "see what XLA runs", (press("button", "^HLO$"),), lambda nb: nb.listing("HLO")),
    Task("Flow", "see the carry of the loop", (), lambda nb: nb.cell(2).locator('.cm-line[data-jaxpr-types*="carry"]')),
    Task("Flow", "go to the line of the loop", (line_number(2),), caret(11)),
    Task("Flow", "see the values of the first step", (press("button", STEPS),), shown("^Step 1 of 10$")),
    Task("Flow", "see the second step", (press("button", STEPS),), control("row", r"^2 \[0\.989")),
    Task("Flow", "play the steps", (press("button", STEPS), press("button", "^Play")), shown("^Step [3-9] of 10$")),
    Task(
        "Cache",
        "see why rnn compiled twice",
        (),
        tooltip("The static argument rate changed from 1.0 to 2.0."),
        points=point_at_tab("^Cache"),
    ),
    Task("Cache", "see the entries of the cache", (CACHE,), control("row", r"rate=2\.0.*entry made in this run")),
    Task("Cache", "sort by price", (CACHE, press("button", "^price")), control("button", "^price")),
    Task("Cache", "find a function", (CACHE, press("searchbox", "^Filter"), typed("rnn")), control("row", "^rnn")),
    # The bar of the stages stands above the program.
    Task("Time", "see the slowest stage", (), shown("^compile$")),
    Task(
        "Time",
        "measure the call again",
        # The button stands beside the total of the stages.
        (press("button", "^Time the calls"),),
        lambda nb: nb.panel.get_by_role("table").first,
    ),
    Task(
        "Time",
        "open the sweep",
        (TIME,),
        control("button", "^Run the sweep"),
    ),
    Task("Cost", "see the dearest line", (), tooltip("of the operations are on"), points=point_at_tab("^Cost")),
    Task("Cost", "see the cost by primitive", (COST,), shown("^Cost by primitive: dot_general [0-9]+")),
    Task(
        "Cost",
        "see the heat beside the code",
        (COST, press("button", "^Heat$")),
        lambda nb: nb.panel.get_by_role("button", name="Heat", pressed=True),
    ),
    Task("Diff", "compare with the run before", (), shown("^Changes since run .*: All equations are equal")),
    Task(
        "Diff",
        "hide the conversions",
        (DIFF, press("button", "^Converts$")),
        lambda nb: nb.panel.get_by_role("button", name="Converts", pressed=True),
    ),
    # The last task of the tab, because the level stays chosen and the diff of HLO has no such filters.
    Task("Diff", "compare the HLO", (DIFF, choose("Level", "HLO")), shown("^All lines are equal except for names")),
    Task(
        "Compare",
        "see what can be compared",
        (),
        tooltip("rnn ({b, w}, f32[10,16], 2.0)"),
        points=point_at_tab("^Compare"),
    ),
    Task(
        "Compare",
        "see what a comparison does",
        (),
        tooltip("runs each program many times"),
        points=point_at_tab("^Compare"),
    ),
    Task(
        "Compare",
        "time two programs",
        # The form has already chosen both programs, because they can run on the same values.
        (COMPARE, press("button", "^Compare$")),
        lambda nb: nb.panel.get_by_role("table").first,
    ),
    Task(
        "Notes",
        "read why the loop was unrolled",
        (),
        lambda nb: nb.cell(2).locator('.jp-JaxprCell-note[title*="while JAX traced"]'),
        points=lambda nb: nb.cell(2).locator(".jp-JaxprCell-note").first.hover(),
    ),
    Task(
        "Notes",
        "go to the line of the note",
        (lambda nb: nb.cell(2).locator(".jp-JaxprCell-note").first.click(),),
        caret(12),
    ),
    Task("Notes", "see the code of the note", (), tooltip("for i in range"), points=point_at_tab("^Notes")),
)


def test_no_task_takes_more_than_four_presses_and_the_sum_does_not_grow(notebook):
    nb = notebook(LOAD, CELL, CELL)
    nb.run_all()
    expect(nb.panel.get_by_role("button", name="rnn", exact=True)).to_be_visible()
    nb.set_panel_width(560)
    taken = {}
    for task in TASKS:
        nb.command("jupyter-jaxpr:show-program")
        level = nb.panel.get_by_role("button", name="jaxpr", exact=True)
        if level.get_attribute("aria-pressed") != "true":
            level.click()
        if task.points is not None:
            task.points(nb)
        for act in task.acts:
            act(nb)
        expect(task.sees(nb).first, f"{task.tab}: {task.want}").to_be_visible(timeout=60_000)
        taken[f"{task.tab}: {task.want}"] = len(task.acts)
    assert len(TASKS) >= 30
    for tab in ("Program", "Flow", "Cache", "Time", "Cost", "Diff", "Compare", "Notes"):
        assert sum(task.tab == tab for task in TASKS) >= 3, tab
    assert max(taken.values()) <= MOST, taken
    assert sum(taken.values()) == SUM, taken
