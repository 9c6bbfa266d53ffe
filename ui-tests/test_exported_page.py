"""Tests a run saved from the panel as an HTML file: it loads no other file, and has links, folds and a search."""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import pytest
from axe_playwright_python.sync_playwright import Axe
from page_checks import clipboard
from playwright.sync_api import expect

import jupyter_jaxpr as jj

LOAD = "%load_ext jupyter_jaxpr\nimport jax\nimport jax.numpy as jnp"
RNN = """%%jaxpr
@jax.jit
def rnn(w, xs):
    def step(h, x):
        h = jnp.tanh(w @ h + x)
        return h, h

    return jax.nn.softmax(jax.lax.scan(step, jnp.zeros(4), xs)[0])

rnn(jnp.eye(4), jnp.ones((10, 4)));"""


# A program that is long enough for the page to compress its texts and to draw them in chunks.
LONG = """%%jaxpr
@jax.jit
def long(x):
    for _ in range(1_000):
        x = jnp.sin(x) * 2.0
    return jnp.tanh(x)

long(jnp.ones(3));"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return the folder and the dictionary of the exported files; the first test that needs a file makes it."""
    return tmp_path_factory.mktemp("exported"), {}


@pytest.fixture
def saved(request, files, new_context):
    """Open the exported file of an RNN in a page without a network."""
    yield from opened(request, files, new_context, RNN, "rnn")


@pytest.fixture
def long(request, files, new_context):
    """Open the exported file of a program with 2,001 equations."""
    yield from opened(request, files, new_context, LONG, "long")


def save(notebook, folder, cell, name):
    nb = notebook(LOAD, cell)
    nb.run_all()
    expect(nb.listing()).to_contain_text("f32[")
    nb.panel.get_by_role("button", name="More actions", exact=True).click()
    with nb.page.expect_download() as download:
        nb.page.get_by_role("menuitem", name="Save as HTML").click()
    assert download.value.suggested_filename == f"{name}.html"
    download.value.save_as(folder / f"{name}.html")
    return folder / f"{name}.html"


def opened(request, files, new_context, cell, name):
    folder, made = files
    if name not in made:
        made[name] = save(request.getfixturevalue("notebook"), folder, cell, name)
    file = made[name]
    saved = new_context(offline=True).new_page()
    saved.set_viewport_size({"width": 1400, "height": 900})
    asked: list[str] = []
    saved.on("request", lambda request: asked.append(request.url))
    errors: list[str] = []
    saved.on("pageerror", lambda error: errors.append(str(error)))
    saved.goto(file.as_uri())
    expect(saved.locator(".jjx-bench")).to_have_attribute("aria-busy", "false")
    yield saved
    assert asked == [file.as_uri()]
    assert errors == []


def lines(page, level):
    return page.get_by_role("region", name=level, exact=True).get_by_role("listitem")


def test_an_equation_and_its_expression_are_linked_both_ways(saved):
    tanh = lines(saved, "jaxpr").filter(has_text=re.compile(r"= tanh "))
    tanh.click()
    expect(saved.locator("mark")).to_have_text("jnp.tanh(w @ h + x)")
    expect(saved.locator(".linked").filter(has_text="stablehlo.tanh")).to_have_count(1)
    status = saved.get_by_role("status", name="Linked")
    expect(status).to_contain_text("Source 1 · jaxpr 1 · StableHLO 1")

    lines(saved, "Source").filter(has_text="softmax").click()
    marked = lines(saved, "jaxpr").and_(saved.locator(".linked"))
    expect(marked.filter(has_text=re.compile(r"= exp "))).to_have_count(1)
    expect(marked.filter(has_text="tanh")).to_have_count(0)


@pytest.mark.slow
def test_names_and_code_in_tables_start_at_the_left_and_numbers_end_at_the_right(saved):
    cost = saved.locator(".jjx-cost tbody tr").first.get_by_role("cell")
    expect(cost.nth(1)).to_have_css("text-align", "left")
    expect(cost.nth(2)).to_have_css("text-align", "right")
    cache = saved.locator(".jjx-cache tbody tr").first.get_by_role("cell")
    expect(cache.nth(0)).to_have_css("text-align", "left")
    expect(cache.nth(1)).to_have_css("text-align", "right")


@pytest.mark.slow
def test_by_keyboard(saved):
    first = lines(saved, "Source").first
    first.focus()
    for _ in range(4):
        saved.keyboard.press("ArrowDown")
    saved.keyboard.press("Enter")
    expect(lines(saved, "Source").nth(4)).to_have_attribute("aria-current", "true")
    expect(lines(saved, "jaxpr").filter(has_text="= tanh ")).to_have_class(re.compile("linked"))

    scan = lines(saved, "jaxpr").filter(has_text=re.compile(r"= scan\["))
    scan.focus()
    saved.keyboard.press("ArrowLeft")
    expect(lines(saved, "jaxpr").filter(has_text="= tanh ")).to_be_hidden()
    saved.keyboard.press("ArrowRight")
    expect(lines(saved, "jaxpr").filter(has_text="= tanh ")).to_be_visible()


@pytest.mark.slow
def test_what_is_found_is_counted_and_unfolded(saved):
    saved.get_by_role("button", name="Fold all", exact=True).click()
    tanh = lines(saved, "jaxpr").filter(has_text="= tanh ")
    expect(tanh).to_be_hidden()
    search = saved.get_by_role("searchbox", name="Find")
    search.fill("= tanh")
    expect(saved.get_by_role("status", name="Found")).to_contain_text("Source 0 · jaxpr 1 · StableHLO 0")
    expect(tanh).to_be_visible()
    search.fill("no such thing")
    expect(saved.get_by_role("status", name="Found")).to_have_text(
        re.compile("^Source 0 · jaxpr 0 · StableHLO 0 · Optimised HLO 0$")
    )


@pytest.mark.slow
def test_a_far_line_of_a_long_text_is_found_shown_and_linked(long):
    tanh = lines(long, "jaxpr").filter(has_text="= tanh ")
    expect(tanh).to_have_count(1)
    expect(tanh).not_to_be_in_viewport()
    long.get_by_role("searchbox", name="Find").fill("= tanh")
    expect(long.get_by_role("status", name="Found")).to_contain_text("Source 0 · jaxpr 1 · StableHLO 0")
    expect(tanh).to_be_in_viewport()
    expect(tanh).to_have_attribute("data-n", "2001")

    tanh.click()
    expect(long.locator("mark")).to_have_text("jnp.tanh(x)")
    there = lines(long, "StableHLO").filter(has_text="stablehlo.tanh")
    expect(there).to_have_class("linked")
    expect(there).to_be_in_viewport()
    expect(long.get_by_role("status", name="Linked")).to_contain_text("Source 1 · jaxpr 1 · StableHLO 1")

    lines(long, "Source").filter(has_text="jnp.sin").click()
    expect(lines(long, "jaxpr").and_(long.locator(".linked"))).to_have_count(2_000)
    expect(lines(long, "jaxpr").nth(1)).to_be_in_viewport()


@pytest.mark.slow
def test_all_of_a_long_text_is_selected_found_by_the_browser_and_printed(long):
    text = long.evaluate(
        """() => {
          getSelection().selectAllChildren(document.querySelector('[data-title="jaxpr"]'));
          return getSelection().toString();
        }"""
    )
    assert text.count("= sin ") == 1_000
    assert text.count("= tanh ") == 1
    long.evaluate("getSelection().removeAllRanges()")
    assert long.evaluate("window.find('= tanh ')")
    assert long.evaluate("getSelection().anchorNode.parentElement.closest('li').dataset.n") == "2001"
    long.emulate_media(media="print")
    expect(lines(long, "jaxpr").first.locator("..")).to_have_css("content-visibility", "visible")


@pytest.mark.slow
def test_four_columns_stand_beside_each_other_and_types_have_their_colour(saved):
    saved.set_viewport_size({"width": 1280, "height": 800})
    columns = saved.locator(".jjx-columns > section")
    expect(columns).to_have_count(4)
    assert len({column.bounding_box()["y"] for column in columns.all()}) == 1
    coloured = saved.evaluate(
        """() => [...CSS.highlights.get('jjx-type')].map(({ startContainer, startOffset, endOffset }) =>
          startContainer.data.slice(startOffset, endOffset))"""
    )
    assert {"f32[4]", "f32[10,4]", "tensor<10x4xf32>"} <= set(coloured)


@pytest.mark.slow
def test_the_address_of_a_line_leads_to_the_line(saved):
    tanh = lines(saved, "jaxpr").filter(has_text="= tanh ")
    tanh.click()
    number = tanh.get_attribute("data-n")
    expect(saved).to_have_url(re.compile(rf"#program-0:jaxpr:{number}$"))
    address = saved.url

    tanh.click()  # let go
    expect(tanh).not_to_have_attribute("aria-current", "true")
    saved.get_by_role("button", name="Fold all", exact=True).click()
    saved.evaluate("address => { location.hash = new URL(address).hash; }", address)
    expect(tanh).to_have_attribute("aria-current", "true")
    expect(tanh).to_be_in_viewport()
    expect(saved.locator("mark")).to_have_text("jnp.tanh(w @ h + x)")
    saved.evaluate("location.hash = '#program-7:jaxpr:1'")  # no such line
    expect(tanh).to_have_attribute("aria-current", "true")


@pytest.mark.slow
def test_the_parameters_of_a_long_lambda_fold(tmp_path, new_context):
    def total(arrays):
        return sum(jnp.sum(array) for array in arrays)

    jj.inspect(jax.jit(total), [jnp.ones(n) for n in range(1, 13)], stage="lower").save(tmp_path / "total.html")
    page = new_context(offline=True).new_page()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto((tmp_path / "total.html").as_uri())
    expect(page.locator(".jjx-bench")).to_have_attribute("aria-busy", "false")

    first = lines(page, "jaxpr").first
    unfold = first.get_by_role("button", name="Unfold 10 parameters")
    assert first.inner_text() == "{ lambda ; a:f32[1] l:f32[12]. let"
    assert page.locator("[data-title=jaxpr]").evaluate("text => text.scrollWidth < 800")
    unfold.click()
    whole = "{ lambda ; " + " ".join(f"{name}:f32[{n}]" for n, name in enumerate("abcdefghijkl", 1)) + ". let"
    assert first.inner_text() == whole

    # The left arrow key folds the parameters, and a search that matches among them unfolds them.
    first.focus()
    page.keyboard.press("ArrowLeft")
    expect(unfold).to_be_visible()

    # A copy of the folded line has all parameters, and the line is folded again.
    first.select_text()
    page.keyboard.press("Control+C")
    expect(unfold).to_be_visible()
    assert clipboard(page).strip() == whole

    page.get_by_role("searchbox", name="Find").fill("k:f32[11]")
    expect(first.get_by_role("button", name="Fold 10 parameters")).to_be_visible()
    page.get_by_role("button", name="Fold all", exact=True).click()
    page.emulate_media(media="print")
    assert first.inner_text() == whole


@pytest.mark.slow
def test_the_parameters_of_equations_fold_as_in_the_panel(tmp_path, new_context):
    @jax.jit
    def rnn(w, xs):
        def step(h, x):
            return jnp.tanh(w @ h + x), None

        return jax.lax.scan(step, jnp.zeros(4), xs)[0].sum()

    jj.inspect(rnn, jnp.eye(4), jnp.ones((10, 4)), stage="lower").save(tmp_path / "rnn.html")
    page = new_context(offline=True).new_page()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto((tmp_path / "rnn.html").as_uri())
    expect(page.locator(".jjx-bench")).to_have_attribute("aria-busy", "false")

    def labels():
        return [(button.get_attribute("data-label"), button.get_attribute("aria-label")) for button in buttons.all()]

    buttons = page.locator("[data-title=jaxpr] .more")
    assert labels() == [
        ("…", "Unfold the parameters of scan"),
        ("…", "Unfold the parameters of dot_general"),
        ("length=10 …", "Unfold the parameters of scan"),
        ("axes=(0,) …", "Unfold the parameters of reduce_sum"),
    ]
    line = lines(page, "jaxpr").filter(has_text="dot_general")
    folded = re.compile(r"^\w+:f32\[4\] = dot_general\[\] \w+ \w+$")
    assert folded.match(line.inner_text().strip())
    line.get_by_role("button").click()
    whole = r"= dot_general\[dimension_numbers=\(\(\[1\], \[0\]\), \(\[\], \[\]\)\) preferred_element_type=float32\]"
    assert re.search(whole, line.inner_text())
    page.get_by_role("button", name="Fold all", exact=True).click()
    page.get_by_role("button", name="Unfold all", exact=True).click()
    assert re.search(whole, line.inner_text())


@pytest.mark.slow
def test_a_column_is_put_away(saved):
    column = saved.get_by_role("region", name="StableHLO", exact=True)
    saved.get_by_role("checkbox", name="StableHLO", exact=True).uncheck()
    expect(column).to_be_hidden()

    # A match in the column brings the column back.
    saved.get_by_role("searchbox", name="Find").fill("stablehlo.tanh")
    expect(column).to_be_visible()
    expect(saved.get_by_role("checkbox", name="StableHLO", exact=True)).to_be_checked()


@pytest.mark.slow
def test_light_and_dark(saved):
    theme = saved.get_by_role("combobox", name="Theme")
    for name, ground in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(17, 17, 17)")):
        theme.select_option(name)
        expect(saved.locator("body")).to_have_css("background-color", ground)
    theme.select_option("system")
    for scheme, ground in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(17, 17, 17)")):
        saved.emulate_media(color_scheme=scheme)
        expect(saved.locator("body")).to_have_css("background-color", ground)


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_has_nothing_against_it(saved, scheme):
    saved.emulate_media(color_scheme=scheme)
    lines(saved, "jaxpr").filter(has_text="= tanh ").click()
    # The page's policy allows no other script, so axe checks a copy of the shown page.
    found = Axe().run(saved)
    assert [(rule["id"], node["html"]) for rule in found.response["violations"] for node in rule["nodes"]] == []


@pytest.mark.slow
def test_on_a_narrow_page_the_columns_stand_below_each_other(saved):
    saved.set_viewport_size({"width": 360, "height": 800})
    left = {
        level: saved.get_by_role("region", name=level, exact=True).bounding_box()["x"]
        for level in ("Source", "jaxpr", "StableHLO", "Optimised HLO")
    }
    assert len(set(left.values())) == 1
    assert saved.evaluate("document.documentElement.scrollWidth") <= 360
