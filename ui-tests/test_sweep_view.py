"""Tests a sweep from the panel's form or the magic's line: the plot by JupyterLab's Vega-Lite, the copied table."""

import re
from pathlib import Path

import pytest
from lab_server import code
from page_checks import clipboard, cut, stop_once_begun, violations
from playwright.sync_api import expect

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp\nx = jnp.ones(1000)"

SELU = """\
%%jaxpr
@jax.jit
def selu(x, alpha=1.67, lmbda=1.05):
    return lmbda * jnp.where(x > 0, x, alpha * jnp.exp(x) - alpha)

y = selu(x)"""

DOUBLE = "def double(x):\n    return x * 2"

TWO = "%jaxpr --sweep n=64,512,4096 --compare selu,double selu(jnp.ones(n))"

# The function waits while JAX traces it, not in a callback: a waiting callback can block JAX's few threads on two
# cores.
SLOW = """\
%%jaxpr
import pathlib, time

@jax.jit
def waits(x):
    while x.size == 2 and not pathlib.Path("go-on").exists():
        time.sleep(0.02)
    return x + 1

y = waits(jnp.ones(1))"""

MIME_TYPE = "application/vnd.jupyter-jaxpr.v1+json"

# `\s` also matches the no-break space between a number and its unit.
DURATION = r"[\d.,]+\s(?:µs|ms|s)"
# On a busy machine, the times may show no difference: then a dash replaces the ratio.
RATIO = r"(?:[\d.,]+×|–)"


def plot(nb):
    """Return the plot, which screen readers read as one picture."""
    return nb.panel.get_by_role("img", name=re.compile("^Plot of "))


def table(nb):
    return nb.panel.get_by_role("table", name="Sweep over n")


def run_and_sweep(nb):
    nb.run_all()
    nb.panel.get_by_role("tab", name="Time").click()
    nb.panel.get_by_role("textbox", name="Values").fill("n=64,512,4096")
    nb.panel.get_by_role("button", name="Run the sweep").click()
    expect(plot(nb)).to_have_attribute("data-drawn", "time", timeout=60_000)


@pytest.fixture
def swept(shared_notebook):
    """Return a notebook with a sweep from the panel's form, in a panel of 700 pixels."""
    nb = shared_notebook(LOAD, SELU, prepare=run_and_sweep)
    nb.page.set_viewport_size({"width": 1500, "height": 1000})
    nb.set_panel_width(700)
    nb.panel.get_by_role("tab", name="Time").click()
    expect(plot(nb)).to_have_attribute("data-drawn", "time")
    return nb


@pytest.mark.slow
def test_the_form_has_a_call_like_the_last_one(notebook):
    nb = notebook(LOAD, SELU)
    nb.run_all()
    nb.panel.get_by_role("tab", name="Time").click()
    expect(nb.panel.get_by_role("textbox", name="Values")).to_have_value("n=10,100,1000")
    expect(nb.panel.get_by_role("textbox", name="Call")).to_have_value("selu(jnp.ones(n))")
    nb.panel.get_by_role("textbox", name="Call").fill("no such call")
    nb.panel.get_by_role("textbox", name="Call").press("Enter")
    expect(nb.panel.get_by_role("alert")).to_be_visible()
    nb.panel.get_by_role("textbox", name="Values").fill("")
    expect(nb.panel.get_by_role("button", name="Run the sweep")).to_have_accessible_description(
        "Type a name and its values, such as n=64,256,1024."
    )


def test_the_plot_and_its_table(swept):
    page, panel = swept.page, swept.panel
    expect(panel.get_by_role("heading", name="Sweep over n")).to_contain_text(
        re.compile(rf"The sweep timed the call selu\(jnp\.ones\(n\)\) and took {DURATION}\. The times are medians\.$")
    )
    expect(plot(swept)).to_have_accessible_name(
        re.compile(
            r"^Plot of “Time” against n\. "
            rf"The series “eager” starts with {DURATION} at the value 64 and ends with {DURATION} at the value 4096\. "
            rf"The series “first call” starts with {DURATION} at the value 64 "
            rf"and ends with {DURATION} at the value 4096\. "
            rf"The series “warm” starts with {DURATION} at the value 64 and ends with {DURATION} at the value 4096\.$"
        )
    )
    # Each line of the plot has its name at its end; the axis has the sizes.
    texts = plot(swept).locator("svg text")
    for text in ("eager", "first call", "warm", "64", "512", "4,096", "n"):
        expect(texts.get_by_text(text, exact=True).first).to_be_attached()

    expect(table(swept).get_by_role("columnheader")).to_have_text(["n", "eager", "first call", "warm", "eager / warm"])
    expect(table(swept).get_by_role("rowheader")).to_have_text(["64", "512", "4,096"])
    cells = table(swept).get_by_role("row", name="512").get_by_role("cell")
    for place in range(3):
        expect(cells.nth(place)).to_have_text(re.compile(rf"^{DURATION}$"))
    expect(cells.nth(3)).to_have_text(re.compile(rf"^{RATIO}$"))

    choice = panel.get_by_role("combobox", name="Plotted values")
    choice.select_option("Equations")
    expect(plot(swept)).to_have_attribute("data-drawn", "equations")
    expect(plot(swept)).to_have_accessible_name(
        "Plot of “Equations” against n. "
        "The series “equations” starts with 7 at the value 64 and ends with 7 at the value 4096."
    )
    expect(panel.get_by_role("list", name="Growth of each plotted series").get_by_role("listitem")).to_have_text(
        "The number of equations of selu hardly depends on n."
    )
    expect(table(swept).get_by_role("columnheader")).to_have_text(
        ["n", "trace", "lower", "compile", "equations", "bytes", "operations"]
    )
    choice.select_option("Bytes")
    expect(plot(swept)).to_have_attribute("data-drawn", "bytes")

    panel.get_by_role("button", name="Copy the table as text").click()
    head, *rows = clipboard(page).splitlines()[2:6]
    assert head.split("  ")[-1].strip() == "operations"
    assert [row.split()[0] for row in rows] == ["64", "512", "4,096"]
    panel.get_by_role("button", name="Copy the table as Markdown").click()
    assert clipboard(page).startswith("Sweep of `selu(jnp.ones(n))` over `n`\n\n| `n` | eager | first call | warm |")


def test_it_zooms_tells_its_points_and_is_saved(swept, tmp_path: Path):
    page, panel = swept.page, swept.panel
    line = plot(swept).locator("svg .mark-line path").first
    whole = line.get_attribute("d")
    panel.get_by_role("button", name="Zoom in").click()
    expect(line).not_to_have_attribute("d", whole or "")
    panel.get_by_role("button", name="Show the whole plot").click()
    expect(line).to_have_attribute("d", whole or "")
    # The wheel without the Ctrl key scrolls the panel; with the Ctrl key it zooms the plot.
    plot(swept).hover()
    page.mouse.wheel(0, -120)
    expect(line).to_have_attribute("d", whole or "")
    page.keyboard.down("Control")
    page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    expect(line).not_to_have_attribute("d", whole or "")
    panel.get_by_role("button", name="Show the whole plot").click()
    expect(line).to_have_attribute("d", whole or "")

    points = plot(swept).locator("svg .mark-symbol path")
    expect(points).to_have_count(9)
    points.last.hover()
    expect(page.locator("#vg-tooltip-element.visible")).to_contain_text(
        re.compile(rf"n:\s*4096\s*measured value:\s*{DURATION} \(")
    )

    with page.expect_download() as download:
        panel.get_by_role("button", name="Save the plot as SVG").click()
    assert download.value.suggested_filename == "sweep-time.svg"
    download.value.save_as(tmp_path / "plot.svg")
    svg = (tmp_path / "plot.svg").read_text()
    assert svg.startswith("<svg ") and "first call" in svg and "var(" not in svg
    with page.expect_download() as download:
        panel.get_by_role("button", name="Save the plot as PNG").click()
    assert download.value.suggested_filename == "sweep-time.png"
    download.value.save_as(tmp_path / "plot.png")
    png = (tmp_path / "plot.png").read_bytes()
    assert png.startswith(b"\x89PNG")
    width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
    shown = plot(swept).locator("svg").first.bounding_box()
    assert shown and (width, height) == (2 * round(shown["width"]), 2 * 212)


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, pytest.param(900, marks=pytest.mark.slow)])
def test_nothing_is_cut_and_axe_finds_nothing(swept, width):
    swept.page.set_viewport_size({"width": width + 640, "height": 1000})
    swept.set_panel_width(width)
    points = swept.panel.get_by_role("list", name="Sweep over n").get_by_role("listitem")
    if width < 480:
        expect(points).to_have_text(
            [
                re.compile(
                    rf"^n = {n}warm: {DURATION}eager: {DURATION} · first call: {DURATION} · eager / warm: {RATIO}$"
                )
                for n in ("64", "512", "4,096")
            ]
        )
    else:
        expect(points).to_have_count(0)
        expect(table(swept)).to_be_visible()
    expect(plot(swept).locator("svg")).to_have_attribute("width", str(width - 24))
    assert cut(swept.panel, ".jp-JaxprTime *") == []
    for theme in ("light", "dark"):
        swept.theme(theme)
        assert violations(swept.page) == [], theme


@pytest.mark.slow
def test_its_colours_are_those_of_the_theme(swept):
    label = plot(swept).locator("svg text").get_by_text("warm", exact=True)
    expect(label).to_have_attribute("fill", "rgba(0, 0, 0, 0.87)")
    swept.theme("dark")
    expect(label).to_have_attribute("fill", "rgba(255, 255, 255, 0.87)")


@pytest.mark.slow
def test_several_functions_on_the_magic_line(notebook, lab):
    nb = notebook(LOAD, SELU, DOUBLE, TWO)
    nb.run_all()
    nb.page.set_viewport_size({"width": 1500, "height": 1000})
    nb.set_panel_width(700)
    expect(nb.panel.get_by_role("tab", name="Time")).to_have_attribute("aria-selected", "true", timeout=60_000)
    expect(plot(nb)).to_have_attribute("data-drawn", "time")
    labels = plot(nb).locator("svg text")
    for function in ("selu", "double"):
        for series in ("eager", "first call", "warm"):
            expect(labels.get_by_text(f"{function} {series}", exact=True)).to_be_attached()
    time = nb.panel.get_by_role("tabpanel", name="Time")
    for function in ("selu", "double"):  # the panel states the growth of each series, or that the points do not show it
        for series in ("eager time", "first-call time", "warm time"):
            expect(time).to_contain_text(f"{series} of {function}")
    nb.panel.get_by_role("combobox", name="Plotted values").select_option("Time of warm calls only")
    expect(plot(nb)).to_have_attribute("data-drawn", "warm")
    expect(labels.get_by_text("double", exact=True)).to_be_attached()
    expect(table(nb).get_by_role("rowheader")).to_have_text(["64", "64", "512", "512", "4,096", "4,096"])
    rows = table(nb).inner_text()

    # The saved output has the sweep, which can be read without a kernel.
    outputs = nb.save()["cells"][3]["outputs"]
    document = next(output["data"][MIME_TYPE] for output in outputs if MIME_TYPE in output.get("data", {}))
    data = {MIME_TYPE: document, "text/plain": "saved by an earlier run"}
    later = notebook(code(TWO, [{"output_type": "display_data", "data": data, "metadata": {}}], 4), kernel=None)
    later.outputs(0).get_by_role("button").click()
    later.set_panel_width(700)
    expect(plot(later)).to_have_attribute("data-drawn", "time")
    expect(table(later)).to_be_visible()
    assert table(later).inner_text() == rows
    later.panel.get_by_text("Run another sweep …").click()
    expect(later.panel).to_contain_text(
        "The saved sweep called selu(jnp.ones(n)) with n=64,512,4096. To repeat the sweep, type the call."
    )
    for name in ("Values", "Call", "Functions"):
        expect(later.panel.get_by_role("textbox", name=name)).to_have_value("")
    expect(later.panel.get_by_role("button", name="Run the sweep")).to_have_attribute("aria-disabled", "true")


@pytest.mark.slow
@pytest.mark.fresh_page
def test_notebook_7_draws_it_too(notebook):
    nb = notebook(LOAD, SELU, "%jaxpr --sweep n=64,512,4096 selu(jnp.ones(n))", app="notebook")
    nb.run_all()
    expect(plot(nb)).to_have_attribute("data-drawn", "time", timeout=60_000)
    expect(plot(nb).locator("svg text").get_by_text("warm", exact=True)).to_be_visible()


@pytest.mark.slow
def test_stop_keeps_what_was_done(notebook):
    nb = notebook(LOAD, SLOW, "pathlib.Path('go-on').write_text('')")
    nb.run(0)
    nb.run(1)
    nb.panel.get_by_role("tab", name="Time").click()
    # The form for a sweep is open if the call contains a name that can vary; here it may be open or folded.
    sizes = nb.panel.get_by_text("Sweep over sizes …")
    expect(sizes).to_be_visible()
    if not nb.panel.get_by_role("textbox", name="Values").is_visible():
        sizes.click()
    nb.panel.get_by_role("textbox", name="Values").fill("n=1,2,3")
    nb.panel.get_by_role("textbox", name="Call").fill("waits(jnp.ones(n))")
    nb.panel.get_by_role("button", name="Run the sweep").click()
    expect(nb.panel.get_by_text(re.compile("^n=2"))).to_be_visible()
    stop_once_begun(nb.panel)
    expect(nb.panel.get_by_text("Stopping. The measurements made so far are kept.")).to_be_visible()
    nb.run(2)
    expect(nb.panel.get_by_role("list", name="Sweep over n").get_by_role("listitem").first).to_contain_text("n = 1")
    expect(nb.panel.get_by_role("tabpanel", name="Time")).to_contain_text(re.compile("[Ss]topped"))
