"""Tests that the program's lines do not move while a cell is edited or runs, under the mouse, or during stepping."""

import re

import pytest
from playwright.sync_api import Locator, expect

LOAD = "%load_ext jupyter_jaxpr\nimport pathlib, time\nimport jax, jax.numpy as jnp"
GROWING = """\
%%jaxpr
@jax.jit
def growing(x):
    for step in range(100_000):
        x = x * step
        time.sleep(0.002)
        if pathlib.Path("go").exists():
            break
    return jnp.tanh(x)

growing(1.0)"""
RNN = """\
%%jaxpr
@jax.jit
def rnn(h, xs):
    return jax.lax.scan(lambda h, x: (jnp.tanh(h + x), h), h, xs)

rnn(h, xs)"""


def places(lines: Locator) -> list[dict[str, float]]:
    """Return the position and the size of the first 20 lines."""
    return lines.evaluate_all(
        """lines => lines.slice(0, 20).map(line => {
          const { x, y, width, height } = line.getBoundingClientRect();
          return { x, y, width, height };
        })"""
    )


def assert_stays(lines: Locator, before: list[dict[str, float]], when: str) -> None:
    now = places(lines)
    moved = [key for old, new in zip(before, now, strict=True) for key in old if abs(old[key] - new[key]) > 1]
    assert moved == [], when


def test_the_last_program_stays_in_its_place_while_the_cell_runs_again(notebook, lab):
    nb = notebook(LOAD, GROWING)
    go = lab.root / "go"
    go.touch()
    try:
        nb.run_all()
        nb.set_panel_width(360)
        lines = nb.listing().locator(".cm-line")
        expect(nb.equation(1)).to_contain_text("mul")
        before = places(lines)
        nb.point_at(nb.equation(1))
        assert_stays(lines, before, "under the mouse")

        nb.write(1, GROWING.replace("2)", "3)"))
        assert_stays(lines, before, "while the cell is edited")

        go.unlink()
        nb.run(1, wait=False)
        progress = nb.panel.locator('[data-stage="trace"]')
        expect(progress.get_by_role("status")).to_have_text("Tracing: growing")
        expect(progress).to_contain_text(re.compile(r"Tracing: growing, \d+\xa0s, \d+ equations"))
        expect(progress).to_contain_text(
            "Interrupt the kernel to stop the cell. Line 4: Python runs this for loop while JAX traces. "
            "Every iteration adds equations to the program."
        )
        shown = progress.locator(".jp-JaxprPanel-aboveLines")
        height, line = shown.evaluate("box => [box.clientHeight, parseFloat(getComputedStyle(box).lineHeight)]")
        assert height % line < 0.5, "a line is cut"
        assert height >= 2 * line
        expect(nb.listing()).to_contain_text("tanh")
        assert_stays(lines, before, "while JAX traces")

        go.touch()
        nb.wait_for_end(1)
        expect(progress).to_have_count(0)
        assert_stays(nb.listing().locator(".cm-line").first, before[:1], "after the run")
    finally:
        go.unlink(missing_ok=True)


@pytest.mark.slow
def test_after_an_interrupt_the_program_that_jax_traced_stays(notebook):
    nb = notebook(LOAD, GROWING)
    nb.run(0)
    nb.command("jupyter-jaxpr:toggle-panel")
    nb.run(1, wait=False)
    expect(nb.panel.locator('[data-stage="trace"]')).to_contain_text(re.compile(r"\d\d equations are traced so far\."))
    nb.command("notebook:interrupt-kernel")
    nb.wait_for_end(1)
    expect(nb.panel).to_contain_text("The trace of growing raised KeyboardInterrupt.")
    expect(nb.equation(1)).to_contain_text("mul")


def test_a_run_again_and_a_step_move_nothing(notebook):
    nb = notebook(LOAD + "\nh, xs = jnp.ones(4), jnp.ones((9, 4)) * jnp.arange(9.0)[:, None] ** 9", RNN)
    nb.run_all()
    lines = nb.listing().locator(".cm-line")
    expect(nb.equation(1)).to_contain_text("scan")
    before = places(lines)
    for count in (3, 4):
        nb.run(1)
        expect(nb.panel).to_contain_text(f"Changes since run [{count - 1}]: All equations are equal except for names.")
        assert_stays(lines, before, f"in run {count}")

    nb.panel.get_by_role("tab", name="Control flow").click()
    steps = nb.panel.get_by_role("group", name=re.compile("^Steps of "))
    nb.panel.get_by_role("button", name="Record the steps").click()
    slider = steps.get_by_role("slider", name="Step")
    slider.fill("0")
    controls = steps.locator("h3 ~ * button, input, select")
    expect(steps.get_by_role("heading", level=3)).to_have_text("Step 1 of 9")
    before = places(controls)
    for step in range(1, 9):
        slider.fill(str(step))
        expect(steps.get_by_role("heading", level=3)).to_have_text(f"Step {step + 1} of 9")
        assert_stays(controls, before, f"at step {step + 1}")
