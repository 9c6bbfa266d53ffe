"""Tests that each text keeps its scroll position when the user reads another program, and after a reload."""

import re

import pytest
from playwright.sync_api import TimeoutError, expect

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp"
CELL = """\
%%jaxpr
@jax.jit
def long(x):
    for _ in range(60):
        x = jnp.sin(jnp.cos(x))
    return x

@jax.jit
def looping(x):
    return jax.lax.fori_loop(0, 9, lambda i, x: jnp.tanh(x) + i, x)

long(1.0)
looping(1.0)"""

LATER = """\
%%jaxpr
jax.jit(jnp.tan)(1.0)"""

FOLDED = """\
%%jaxpr
@jax.jit
def long(x):
    x = jax.lax.fori_loop(0, 9, lambda i, x: jnp.tanh(x) + i, x)
    for _ in range(60):
        x = jnp.sin(jnp.cos(x))
    return x

long(1.0)"""

TIMED = """\
%%jaxpr --time
@jax.jit
def long(p, x):
    for _ in range(40):
        for w in p.values():
            x = jnp.sin(x.astype(jnp.bfloat16)).astype(jnp.float32) * w
    return x

long(p, jnp.ones(4));"""

# A JavaScript expression that finds the scrolling element anew, because the editor is made anew with its program.
SCROLLER = "[...document.querySelectorAll('.jp-JaxprPanel .cm-scroller')].find(node => node.offsetParent !== null)"
# Returns the number of the first visible equation, and its distance from the top of the text.
TOP = f"""() => {{
  const scroller = {SCROLLER};
  const top = scroller?.getBoundingClientRect().top;
  const line = [...(scroller?.querySelectorAll('.cm-line[data-number]') ?? [])]
    .find(line => line.getBoundingClientRect().top >= top);
  return line && [Number(line.dataset.number), Math.round(line.getBoundingClientRect().top - top)];
}}"""


def scroll_to(nb, number: int) -> list[int]:
    """Scroll until an equation is near the top, and wait until the text stays there."""
    nb.page.wait_for_function(
        f"""number => {{
          const [first, at] = ({TOP})() ?? [0, 0];
          const stays = first === number && at === window.wasAt;
          window.wasAt = at;
          if (first !== number) {SCROLLER}?.scrollBy(0, 7);
          return stays;
        }}""",
        arg=number,
    )
    return nb.page.evaluate(TOP)


def expect_top(nb, top: list[int]) -> None:
    try:
        nb.page.wait_for_function(
            f"""([number, at]) => {{
              const [first, now] = ({TOP})() ?? [0, 0];
              return first === number && Math.abs(now - at) <= 1;
            }}""",
            arg=top,
            timeout=10_000,
        )
    except TimeoutError:
        assert nb.page.evaluate(TOP) == top


def go(nb, command: str) -> None:
    nb.command(f"jupyter-jaxpr:{command}-program")


@pytest.mark.slow
@pytest.mark.fresh_page
def test_each_program_has_its_place_and_all_of_it_is_there_after_a_reload(notebook):
    nb = notebook(LOAD, CELL, LATER)
    nb.run_all()
    expect(nb.listing()).to_contain_text("tan")
    nb.lines(1).nth(4).click()
    expect(nb.equation(1)).to_contain_text("cos")
    nb.panel.get_by_role("button", name="Pin this program").click()
    top = scroll_to(nb, 40)
    go(nb, "next")
    expect(nb.listing()).to_contain_text("scan")
    nb.listing().get_by_role("button", name=re.compile("^Fold ")).first.click()
    expect(nb.listing()).not_to_contain_text("tanh")
    go(nb, "previous")
    expect_top(nb, top)
    nb.page.mouse.move(1, 1)
    nb.wait_until_workspace(
        """data => Object.entries(data).some(([key, value]) =>
          key.startsWith('jupyter-jaxpr:place:') && value.program === 0
          && Object.entries(value.texts).some(([text, place]) =>
            text.endsWith(' 1 jaxpr') && place.closed.length === 1))"""
    )

    nb.reload()
    expect(nb.panel.get_by_role("button", name="long", exact=True)).to_be_visible()
    expect(nb.panel.get_by_role("button", name="Pin this program")).to_have_attribute("aria-pressed", "true")
    expect_top(nb, top)
    go(nb, "next")
    expect(nb.listing()).to_contain_text("scan")
    expect(nb.listing()).not_to_contain_text("tanh")

    nb.panel.get_by_role("tab", name="Cost").click()
    nb.reload()
    expect(nb.panel.get_by_role("tab", name="Cost")).to_have_attribute("aria-selected", "true")
    expect(nb.panel.get_by_role("button", name="looping", exact=True)).to_be_visible()


def test_the_place_and_the_folds_stay_when_the_cell_runs_again_and_when_live_traces_it(notebook):
    nb = notebook(LOAD, FOLDED)
    nb.run_all()
    nb.listing().get_by_role("button", name=re.compile("^Fold ")).first.click()
    expect(nb.listing()).not_to_contain_text("tanh")
    top = scroll_to(nb, 40)

    nb.run(1)
    expect(nb.panel).to_contain_text("Changes since run [2]: All equations are equal except for names.")
    expect_top(nb, top)

    live = nb.panel.get_by_role("switch", name="Live")
    live.click()
    nb.lines(1).filter(has_text="def long").click()
    nb.page.keyboard.press("End")
    nb.page.keyboard.type("  # long")
    expect(nb.panel).to_contain_text("The code as written was traced, not run.")
    expect_top(nb, top)
    nb.run(1)
    expect(nb.panel).not_to_contain_text("The code as written was traced, not run.")
    expect_top(nb, top)
    nb.page.evaluate(f"() => {SCROLLER}.scrollTo(0, 0)")
    expect(nb.listing()).to_contain_text("scan")
    expect(nb.listing()).not_to_contain_text("tanh")
    live.click()
    expect(live).to_have_attribute("aria-checked", "false")


@pytest.mark.slow
@pytest.mark.fresh_page
def test_what_was_chosen_hidden_and_unfolded_is_there_after_a_reload(notebook):
    nb = notebook(
        LOAD + "\np = {f'w{i}': jnp.ones(4) for i in range(6)}",
        TIMED,
    )
    nb.run_all()
    expect(nb.panel.get_by_role("tab", name="Time")).to_have_attribute("aria-selected", "true", timeout=30_000)
    nb.panel.get_by_role("tab", name="Program").click()
    nb.listing().get_by_role("button", name=re.compile("^p: 6 arrays.*: show all$")).click()
    expect(nb.listing()).to_contain_text("p['w5']")
    nb.panel.get_by_role("button", name="Hide lines").click()
    nb.panel.get_by_role("button", name="Converts").click()
    expect(nb.listing()).not_to_contain_text("convert_element_type")
    chosen = nb.equation(6)
    chosen.click(position={"x": 60, "y": 8})
    expect(chosen).to_have_attribute("data-linked", "true")
    nb.page.mouse.move(1, 1)
    nb.wait_until_workspace(
        """data => Object.entries(data).some(([key, value]) => key.startsWith('jupyter-jaxpr:place:')
          && value.selection?.kind === 'equations' && value.filters.panel?.hidden.length === 1)"""
    )

    nb.reload()
    expect(nb.panel.get_by_role("tab", name="Program")).to_have_attribute("aria-selected", "true")
    expect(nb.equation(6)).to_have_attribute("data-linked", "true")
    expect(nb.listing()).not_to_contain_text("convert_element_type")
    expect(nb.listing()).to_contain_text("p['w5']")

    nb.panel.get_by_role("tab", name="Cost").click()
    cost = nb.panel.get_by_role("tabpanel", name="Cost").locator("> *")
    expect(nb.panel.get_by_text("Memory", exact=True)).to_be_attached()
    nb.page.set_viewport_size({"width": 1200, "height": 400})
    cost.evaluate("view => view.scrollTo(0, 120)")
    nb.wait_until_workspace(
        """data => Object.entries(data).some(([key, value]) => key.startsWith('jupyter-jaxpr:place:')
          && Object.entries(value.texts).some(([text, place]) => text.endsWith('view cost') && place.above === 120))"""
    )
    nb.reload()
    expect(nb.panel.get_by_role("tab", name="Cost")).to_have_attribute("aria-selected", "true")
    nb.page.wait_for_function("view => view.scrollTop === 120", arg=cost.element_handle())
