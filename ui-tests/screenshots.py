"""Takes the pictures of the README in a browser: program, levels, steps, time and cost, in light and dark themes.

    python ui-tests/screenshots.py [folder]

The pictures are unchanged screenshots: their programs and times come from a real run.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab_server import LabServer, running_lab
from open_notebook import OpenNotebook, open_notebook
from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

FOLDER = Path(__file__).parent / "screenshots"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

CELLS = (
    """\
%load_ext jupyter_jaxpr

import jax
import jax.numpy as jnp
from jax import lax

k = jax.random.split(jax.random.key(0), 8)
p = {"wx": jax.random.normal(k[0], (8, 16)) * 0.3,
     "wh": jax.random.normal(k[1], (16, 16)) * 0.3,
     "b":  jnp.zeros(16), "wo": jax.random.normal(k[2], (16, 4))}
sequences = [jax.random.normal(i, (100, 8)) for i in k[3:7]]""",
    """\
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

for xs in sequences:
    y, hs = rnn(p, xs)""",
    "y",
)
TIMED_CELLS = (
    """\
%load_ext jupyter_jaxpr
import jax, jax.numpy as jnp
xs = jnp.linspace(-3.0, 3.0, 1_000_000)""",
    """\
%%jaxpr --time
@jax.jit
def selu(x, alpha=1.67, scale=1.05):
    return scale * jnp.where(
        x > 0, x, alpha * jnp.exp(x) - alpha)

selu(xs).block_until_ready();""",
)
EQUATION = 4  # the number of the equation of the matrix product on line 6


@contextmanager
def browser_page() -> Iterator[Page]:
    """Open a page in the Chromium of the tests; one pixel of the page is one pixel of the picture."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found,
            args=["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"],
        )
        yield browser.new_page()
        browser.close()


def run_example(page: Page, lab: LabServer) -> OpenNotebook:
    """Open the example, run all its cells, and choose one equation of its program."""
    nb = open_notebook(page, lab, lab.write(CELLS, name="rnn.ipynb"))
    nb.wait_until_idle()
    nb.command("application:toggle-left-area")
    nb.command("notebook:toggle-all-cell-line-numbers")
    nb.run_all()
    expect(nb.equation(EQUATION)).to_contain_text("dot_general")
    expect(nb.prompt(2)).to_have_text("[3]:")
    return nb


def photograph(nb: OpenNotebook, *, window: tuple[int, int], panel: int, theme: str, file: Path) -> None:
    """Take a picture of the notebook with the panel.

    Args:
        nb: The notebook, after its run.
        window: Width and height of the window in pixels.
        panel: Width of the panel in pixels.
        theme: "light" or "dark".
        file: Where the picture goes.
    """
    page = nb.page
    page.set_viewport_size({"width": window[0], "height": window[1]})
    nb.theme(theme)
    nb.set_panel_width(panel)
    equation = nb.equation(EQUATION)
    equation.click(position={"x": 60, "y": 8})
    expect(equation).to_have_attribute("data-linked", "true")
    nb.expect_linked(1, 'h @ p["wh"]')
    page.mouse.move(window[0] / 3, window[1] - 8)
    keep(page, file)


def photograph_steps(nb: OpenNotebook, *, theme: str, file: Path) -> None:
    """Take a picture of the stepper: step 38 of 100 of the scan."""
    page = nb.page
    page.set_viewport_size({"width": 1260, "height": 1000})
    nb.theme(theme)
    nb.set_panel_width(440)
    nb.panel.get_by_role("tab", name="Control flow").click()
    steps = nb.panel.get_by_role("group", name=re.compile("^Steps of "))
    slider = steps.get_by_role("slider", name="Step")
    if not slider.is_visible():
        steps.get_by_role("button", name="Record the steps").click()
    slider.fill("37")
    expect(steps.get_by_role("heading", level=3)).to_have_text("Step 38 of 100")
    page.mouse.move(400, 990)
    keep(page, file)
    nb.panel.get_by_role("tab", name="Program").click()


def photograph_cost(nb: OpenNotebook, *, theme: str, file: Path) -> None:
    """Take a picture of the table "Cost by line", with heat bars in the cell."""
    page = nb.page
    page.set_viewport_size({"width": 1260, "height": 860})
    nb.theme(theme)
    nb.set_panel_width(520)
    nb.panel.get_by_role("tab", name="Cost").click()
    expect(nb.panel.get_by_role("grid", name="Cost by line")).to_be_visible()
    heat = nb.panel.get_by_role("button", name="Heat")
    heat.click()
    expect(heat).to_have_attribute("aria-pressed", "true")
    page.mouse.move(400, 850)
    keep(page, file)
    heat.click()
    nb.panel.get_by_role("tab", name="Program").click()


def photograph_levels(nb: OpenNotebook, *, file: Path) -> None:
    """Take a picture of the levels side by side, with a line of the cell selected and its linked lines marked."""
    page = nb.page
    page.set_viewport_size({"width": 1540, "height": 800})
    levels = page.locator(".jp-JaxprWide")
    line = levels.get_by_role("group", name="Source", exact=True).locator(".cm-line").filter(has_text="jnp.tanh")
    line.first.click(position={"x": 120, "y": 8})
    hlo = levels.get_by_role("group", name="HLO", exact=True)
    expect(hlo.locator(".cm-line[data-linked='true']").first).to_be_visible()
    page.mouse.move(700, 795)
    keep(page, file)


def open_levels(nb: OpenNotebook) -> None:
    """Open the levels side by side in the main area; this closes the panel."""
    nb.command("jupyter-jaxpr:open-levels")
    nb.page.evaluate("window.jupyterapp.shell.mode = 'single-document'")
    expect(nb.page.locator(".jp-JaxprWide").get_by_role("group", name="Source", exact=True)).to_be_visible()


def run_timed_example(page: Page, lab: LabServer) -> OpenNotebook:
    """Run the second example, time its program, and sweep over its size."""
    nb = open_notebook(page, lab, lab.write(TIMED_CELLS, name="selu.ipynb"))
    nb.wait_until_idle()
    nb.command("application:toggle-left-area")
    nb.run_all()
    panel = nb.panel
    panel.get_by_role("tab", name="Time").click()
    panel.get_by_role("textbox", name="Values").fill("n=100,1000,10000,100000,1000000,10000000")
    panel.get_by_role("textbox", name="Call").fill("selu(jnp.ones(n))")
    panel.get_by_role("button", name="Run the sweep").click()
    expect(panel.get_by_role("heading", name="Sweep over n")).to_be_visible(timeout=120_000)
    return nb


def photograph_time(nb: OpenNotebook, *, theme: str, file: Path) -> None:
    """Take a picture of the Time view: the stages, the timed calls, and the plot of the sweep."""
    page = nb.page
    page.set_viewport_size({"width": 1260, "height": 1220})
    nb.theme(theme)
    nb.set_panel_width(640)
    expect(nb.panel.get_by_role("img", name=re.compile("^Plot of "))).to_have_attribute("data-drawn", "time")
    page.mouse.move(300, 1100)
    keep(page, file)


def keep(page: Page, file: Path) -> None:
    """Save a screenshot of the page as a PNG with at most 256 colours."""
    picture = Image.open(io.BytesIO(page.screenshot(animations="disabled")))
    few = picture.convert("RGB").quantize(256, kmeans=2, dither=Image.Dither.NONE)
    few.save(file, optimize=True)
    print(f"{file} {file.stat().st_size / 1000:.0f} kB")


def main(folder: Path) -> None:
    folder.mkdir(exist_ok=True, parents=True)
    with tempfile.TemporaryDirectory() as work, running_lab(Path(work)) as lab, browser_page() as page:
        nb = run_example(page, lab)
        for theme in ("light", "dark"):
            photograph(nb, window=(1260, 800), panel=360, theme=theme, file=folder / f"narrow-{theme}.png")
            photograph(nb, window=(1640, 800), panel=900, theme=theme, file=folder / f"wide-{theme}.png")
            photograph_steps(nb, theme=theme, file=folder / f"flow-{theme}.png")
            photograph_cost(nb, theme=theme, file=folder / f"cost-{theme}.png")
        nb.page.set_viewport_size({"width": 1540, "height": 800})
        open_levels(nb)
        for theme in ("light", "dark"):
            nb.theme(theme)
            photograph_levels(nb, file=folder / f"levels-{theme}.png")
        nb.page.evaluate("window.jupyterapp.shell.mode = 'multiple-document'")
        nb.command("jupyter-jaxpr:toggle-panel")
        nb = run_timed_example(page, lab)
        for theme in ("light", "dark"):
            photograph_time(nb, theme=theme, file=folder / f"time-{theme}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
