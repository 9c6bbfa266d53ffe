"""Tests the HLO in the panel: fusions and loops, links to called computations, XLA's passes, and other platforms."""

import re

import pytest
from page_checks import violations
from playwright.sync_api import expect

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp\nfrom jax import lax"

RNN = """\
%%jaxpr
@jax.jit
def rnn(w, xs):
    def step(h, x):
        h = jnp.tanh(x @ w["x"] + h @ w["h"])
        return h, h

    h, hs = lax.scan(step, jnp.zeros(16), xs)
    return jax.nn.softmax(h) * 0.5, hs

w = {"x": jnp.ones((8, 16)), "h": jnp.ones((16, 16))}
rnn(w, jnp.ones((100, 8)))[0].shape"""


@pytest.fixture
def rnn(shared_notebook):
    nb = shared_notebook(LOAD, RNN)
    nb.page.set_viewport_size({"width": 1600, "height": 1000})
    expect(nb.equation(2)).to_contain_text("scan")
    return nb


@pytest.fixture
def rnn_alone(notebook):
    """Return a notebook with the same cell in its own kernel, for requests about passes and other platforms."""
    nb = notebook(LOAD, RNN)
    nb.page.set_viewport_size({"width": 1600, "height": 1000})
    nb.run_all()
    expect(nb.equation(2)).to_contain_text("scan")
    return nb


def level(nb, name):
    nb.panel.get_by_role("group", name="Level").get_by_role("button", name=name, exact=True).click()
    expect(nb.listing(name)).to_be_visible()
    return nb.listing(name)


def line(listing, text):
    return listing.locator(".cm-line").filter(has_text=text).first


def found(nb, text):
    """Search for a text, go to a line that contains it, and close the search."""
    nb.page.keyboard.press("Control+f")
    field = nb.panel.get_by_role("textbox", name="Find in program")
    count = nb.panel.get_by_role("group", name="Search", exact=True).get_by_role("status")
    field.fill("what no text has")  # first a text without matches, so that the count of an earlier search disappears
    expect(count).to_have_text("no matches")
    field.fill(text)
    expect(count).to_have_text(re.compile(r"^[1-9]\d*( of \d+)?$"))
    # a match was already visible, so the search did not scroll; Enter selects a match
    if " of " not in count.inner_text():
        field.press("Enter")
    expect(count).to_have_text(re.compile(r"^\d+ of "))
    field.press("Escape")
    expect(field).to_be_hidden()


def unfolded(nb):
    nb.panel.get_by_role("button", name="Unfold all").click()


def test_a_fusion_a_loop_and_the_entry_say_what_they_are(rnn):
    hlo = level(rnn, "HLO")
    rnn.set_panel_width(700)
    expect(line(hlo, re.compile("ENTRY %"))).to_be_in_viewport()  # reading begins there
    unfolded(rnn)
    hlo.focus()
    rnn.page.keyboard.press("Home")
    hlo.get_by_role("button", name="Go to the entry computation").click()
    entry = hlo.locator(".cm-line.jp-JaxprProgram-current")
    expect(entry).to_contain_text("ENTRY")

    found(rnn, "kind=kLoop")
    fusion = line(hlo, "kLoop")
    expect(fusion.get_by_text("kLoop", exact=True)).to_have_attribute(
        "title", "kLoop: the fusion is one loop over the elements of its result."
    )
    expect(fusion.get_by_text(re.compile(r"^\d+ instructions?, \d+ equations?$"))).to_be_visible()

    found(rnn, " while(")
    expect(line(hlo, " while(").get_by_text("× 100", exact=True)).to_have_attribute(
        "title", "XLA knows that this loop runs 100 steps."
    )


def test_what_is_called_is_a_click_or_a_key_away_and_back(rnn):
    hlo = level(rnn, "HLO")
    rnn.set_panel_width(700)
    unfolded(rnn)
    found(rnn, " while(")  # the body of a loop stays a separate computation of the HLO text
    called = line(hlo, " while(").get_by_role("button", name=re.compile("^Go to the HLO computation "))
    name = called.inner_text().removeprefix("→ ")
    called.click()
    expect(hlo.locator(".cm-line.jp-JaxprProgram-current")).to_contain_text(f"%{name}")
    rnn.page.keyboard.press("F12")  # F12 goes back from the computation to the only instruction that calls it
    expect(hlo.locator(".cm-line.jp-JaxprProgram-current")).to_contain_text(f"→ {name}")


@pytest.mark.parametrize(("width", "theme"), [(320, "light"), pytest.param(900, "dark", marks=pytest.mark.slow)])
def test_a_fusion_is_opened_where_it_stands(rnn, width, theme):
    rnn.theme(theme)
    rnn.set_panel_width(width)
    hlo = level(rnn, "HLO")
    keys = rnn.page.keyboard
    unfolded(rnn)
    found(rnn, " exponential(")

    # The instruction is indented below its fusion; the arrow keys fold and unfold the fusion.
    exponential = line(hlo, " exponential(")
    expect(exponential).to_be_visible()
    exponential.click(position={"x": 80, "y": 8})
    current = hlo.locator(".cm-line.jp-JaxprProgram-current")
    expect(current).to_contain_text("exponential(")
    depth = "line => Number(line.style.getPropertyValue('--jjx-depth'))"
    inside = current.evaluate(depth)
    keys.press("ArrowLeft")
    expect(current).to_contain_text(" fusion(")
    assert current.evaluate(depth) == inside - 1
    expect(hlo.get_by_text(" exponential(")).to_have_count(0)
    expect(current).to_have_attribute("data-linked", "true")
    assert violations(rnn.page) == []

    keys.press("ArrowRight")
    expect(hlo.get_by_text("exponential").first).to_be_visible()

    # If a linked instruction is inside of a folded fusion, the line of the fusion is marked.
    current.get_by_role("button", name=re.compile("^Fold ")).click()
    rnn.lines(1).nth(8).get_by_text("softmax").click()
    expect(hlo.locator(".cm-line[data-linked='true']").filter(has_text=" fusion(").first).to_be_visible()


def test_an_instruction_belongs_to_its_own_equation_and_one_without_a_place_says_inferred(rnn):
    hlo = level(rnn, "HLO")
    unfolded(rnn)
    found(rnn, " exponential(")
    line(hlo, " exponential(").click()
    details = rnn.panel.get_by_role("group", name="Details of the selection")
    expect(details).to_contain_text("exponentialexponential function")
    expect(details.get_by_role("link", name="XLA documentation: operations")).to_have_attribute(
        "href", "https://openxla.org/xla/operation_semantics"
    )
    expect(details).to_contain_text(
        "Inferred: several equations come from this source line. Only this equation has the name and the type of the "
        "instruction. XLA does not state the equation."
    )
    rnn.panel.get_by_role("group", name="Level").get_by_role("button", name="jaxpr", exact=True).click()
    unfolded(rnn)
    expect(rnn.listing().locator('.cm-line[data-linked="true"] .jp-JaxprProgram-primitive')).to_have_text(["exp"])

    # XLA states no source line for its broadcast of the constant 0.5, so the link is inferred.
    hlo = level(rnn, "HLO")
    found(rnn, "constant(0.5)")
    inferred = hlo.locator('.cm-line[data-badge="inferred"]').first
    expect(inferred).to_contain_text("broadcast(%constant")
    inferred.click()
    expect(rnn.panel.get_by_role("group", name="Details of the selection")).to_contain_text(
        "Inferred: XLA does not state"
    )
    rnn.expect_linked(1, "jax.nn.softmax(h) * 0.5")


@pytest.mark.slow
def test_passes_are_asked_for_with_their_price_and_read_by_keyboard(rnn_alone):
    level(rnn_alone, "HLO")
    toggle = rnn_alone.panel.get_by_role("button", name="Passes", exact=True)
    toggle.click()
    expect(toggle).to_have_attribute("aria-pressed", "true")
    see = rnn_alone.panel.get_by_role("button", name=re.compile("^See the XLA passes"))
    see.click()
    question = rnn_alone.panel.get_by_role("alertdialog", name="See the XLA passes")
    expect(question).to_contain_text(re.compile(r"XLA compiles rnn once more .* The first compile took [\d.]+.m?s\."))
    expect(question.get_by_role("button", name="Do not compile the program")).to_be_focused()
    rnn_alone.page.keyboard.press("Escape")
    expect(question).to_have_count(0)

    see.click()
    question.get_by_role("button", name="Compile the program again").click()
    passes = rnn_alone.panel.get_by_role("listbox", name="Passes of XLA that changed the program")
    expect(passes).to_be_visible()
    expect(rnn_alone.panel).to_contain_text(re.compile(r"\d+ passes changed the program\. Compiling once more took"))
    expect(passes.get_by_role("option", selected=True)).to_have_count(1)
    passes.focus()
    rnn_alone.page.keyboard.press("Home")
    first = passes.get_by_role("option").first
    expect(first).to_have_attribute("aria-selected", "true")
    rnn_alone.page.keyboard.press("ArrowDown")
    expect(first).to_have_attribute("aria-selected", "false")
    expect(passes.get_by_role("option").nth(1)).to_have_attribute("aria-selected", "true")

    passes.get_by_role("option", name=re.compile("^fusion ")).click()
    diff = rnn_alone.panel.get_by_role("group", name="Changes by the pass fusion")
    expect(diff).to_contain_text("kind=kLoop")
    expect(diff.locator(".jp-mod-added").filter(has_text="fusion(").first).to_have_text(re.compile(r"^\+ "))
    expect(diff.locator(".jp-mod-removed").first).to_have_text(re.compile("^-"))

    toggle.click()  # hides the passes; the HLO text is the same as before
    expect(rnn_alone.listing("HLO")).to_be_visible()
    toggle.click()  # shows the passes again, without another request
    expect(passes).to_be_visible()


@pytest.mark.slow
def test_stablehlo_for_a_platform_that_is_not_there(rnn_alone):
    level(rnn_alone, "StableHLO")
    stablehlo = rnn_alone.panel.get_by_role("textbox", name="StableHLO of rnn", exact=True)
    platform = rnn_alone.panel.get_by_role("combobox", name=re.compile("^Platform"))
    expect(platform.locator("option")).to_have_text(["cpu (platform of the run)", "cuda", "rocm", "tpu"])
    platform.select_option("tpu")
    expect(
        rnn_alone.panel.get_by_text(
            "JAX lowered the program for the platform tpu, without compiling or running the program."
        )
    ).to_be_visible()
    lowered = rnn_alone.panel.get_by_role("textbox", name="StableHLO of rnn for the platform tpu")
    expect(lowered).to_contain_text("stablehlo.while")
    expect(stablehlo).to_be_hidden()

    # The editor draws only the visible lines, and the searched line may be below them.
    lowered.hover()
    rnn_alone.page.mouse.wheel(0, 300)
    line(lowered, "stablehlo.tanh").click()
    rnn_alone.expect_linked(1, 'jnp.tanh(x @ w["x"] + h @ w["h"])')
    platform.select_option("")
    expect(stablehlo).to_be_visible()
    expect(lowered).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, pytest.param(900, marks=pytest.mark.slow)])
def test_no_violation_and_nothing_sideways(rnn_alone, width):
    rnn_alone.set_panel_width(width)
    for theme in ("light", "dark"):
        rnn_alone.theme(theme)
        level(rnn_alone, "HLO")
        assert violations(rnn_alone.page, ".jp-JaxprPanel") == [], f"HLO, {theme}, {width}"
    rnn_alone.panel.get_by_role("button", name="Passes", exact=True).click()
    rnn_alone.panel.get_by_role("button", name=re.compile("^See the XLA passes")).click()
    rnn_alone.panel.get_by_role("button", name="Compile the program again").click()
    expect(rnn_alone.panel.get_by_role("group", name=re.compile("^Changes by the pass "))).to_contain_text("@@")
    for theme in ("light", "dark"):
        rnn_alone.theme(theme)
        assert violations(rnn_alone.page, ".jp-JaxprPanel") == [], f"passes, {theme}, {width}"
    box = rnn_alone.panel.get_by_role("group", name=re.compile("^Changes by the pass "))
    assert box.evaluate("node => node.scrollWidth <= node.clientWidth + 1")
    level_button = rnn_alone.panel.get_by_role("group", name="Level").get_by_role(
        "button", name="StableHLO", exact=True
    )
    level_button.click()
    rnn_alone.panel.get_by_label("Platform").select_option("cuda")
    expect(rnn_alone.panel.get_by_role("textbox", name="StableHLO of rnn for the platform cuda")).to_be_visible()
    assert violations(rnn_alone.page, ".jp-JaxprPanel") == [], f"cuda, {width}"
