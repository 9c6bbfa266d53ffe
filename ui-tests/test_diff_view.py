"""Tests the Diff tab after a cell was edited and run again: changed equations, all widths, links, the copied diff."""

import re

import pytest
from page_checks import clipboard, cut, violations
from playwright.sync_api import expect

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp\nfrom jax import lax\nx = jnp.arange(8.0)"

BEFORE = """\
%%jaxpr
@jax.jit
def f(x):
    def step(c, _):
        return jnp.sin(c) * 2.0, c.sum()
    c, sums = lax.scan(step, x, length=5)
    a = jnp.tanh(c)
    b = jnp.exp(a) + a
    return jax.nn.relu(b) + sums[0]

y = f(x)"""

AFTER = (
    BEFORE.replace("length=5", "length=6")
    .replace("jnp.exp(a) + a", "jnp.exp(a) * 3.0 + a")
    .replace("jnp.sin(c)", "jnp.cos(c)")
)

RENAMED = BEFORE.replace("c, sums", "state, totals").replace("sums[0]", "totals[0]").replace("tanh(c)", "tanh(state)")

OTHER = """\
%%jaxpr
@jax.jit
def g(x):
    return jnp.sin(x) + 1.0

z = g(x)"""


@pytest.fixture
def edited(notebook):
    """Return a notebook whose second cell ran, was edited, and ran again."""
    nb = notebook(LOAD, BEFORE, OTHER)
    nb.run(0)
    nb.run(1)
    expect(nb.listing()).to_contain_text("scan")
    nb.write(1, AFTER)
    nb.run(1)
    return nb


def rows_of(nb):
    return nb.panel.get_by_role("listbox", name="Both programs, line by line")


def show(nb):
    nb.panel.get_by_role("button", name="Show the diff").click()
    expect(rows_of(nb)).to_be_visible()


def test_after_an_edit_the_panel_says_what_changed_shows_it_and_copies_it(edited):
    expect(edited.panel).to_contain_text("Changes since run [2]: 1 equation was added. 3 equations were changed.")
    show(edited)
    expect(edited.panel.get_by_role("tab", name="Diff")).to_have_attribute("aria-selected", "true")
    rows = rows_of(edited)
    expect(rows.locator(".jp-JaxprDiff-item.jp-mod-changed")).to_have_text(
        [
            re.compile(
                r"^−line before the change: b:.*length=5.*\+line after the change: b:.*length=6.*"
                r"parameter length: 5 → 6 · shape: \[5\] → \[6\]$"
            ),
            re.compile(
                r"^−line before the change: e:f32\[8\] = sin d"
                r"\+line after the change: e:f32\[8\] = cos dprimitive: sin → cos$"
            ),
            re.compile(
                r"^−line before the change: j:f32\[8\] = add i h"
                r"\+line after the change: k:f32\[8\] = add j h"
                r"operand 1 is another value in the second program$"
            ),
        ]
    )
    expect(rows.locator(".jp-JaxprDiff-item.jp-mod-added")).to_have_text(["+added line j:f32[8] = mul i 3.0:f32[]"])
    expect(rows.locator("mark")).to_have_text(["f32[5]", "length=5", "f32[6]", "length=6", "sin", "cos", "i", "j"])

    # The copied diff has the signs of a unified diff.
    edited.panel.get_by_role("button", name="Copy the diff", exact=True).click()
    expect(edited.panel.get_by_role("button", name="Diff copied")).to_be_visible()
    lines = clipboard(edited.page).splitlines()
    assert re.fullmatch(r"--- f · cell \[2\] · \d\d:\d\d", lines[0])
    assert re.fullmatch(r"\+\+\+ f · cell \[3\] · \d\d:\d\d", lines[1])
    assert lines[2:6] == ["1 equation was added. 3 equations were changed.", "", "  a:f32[8]  x", lines[5]]
    assert "-   e:f32[8] = sin d" in lines
    assert "+   e:f32[8] = cos d" in lines
    assert "+ j:f32[8] = mul i 3.0:f32[]" in lines


def test_the_line_below_the_program_moves_nothing_and_is_whole(notebook):
    """The program under the mouse pointer does not move when the sentence on the differences appears below it."""
    nb = notebook(LOAD, BEFORE)
    nb.run_all()
    expect(nb.listing()).to_contain_text("scan")
    # Records in every frame the vertical position of the new program's listing.
    nb.page.evaluate(
        """() => {
          window.tops = new Set();
          const look = () => {
            if (!document.querySelector('.jp-NotebookPanel')) return; // the test is over
            const text = document.querySelector('.jp-JaxprPanel .cm-content');
            if (text?.textContent.includes('cos')) {
              window.tops.add(Math.round(text.getBoundingClientRect().top));
            }
            requestAnimationFrame(look);
          };
          look();
        }"""
    )
    nb.write(1, AFTER)
    nb.run(1)
    expect(nb.panel).to_contain_text("Changes since run [2]: 1 equation was added. 3 equations were changed.")
    assert len(nb.page.evaluate("[...window.tops]")) == 1

    # In a panel of 320 pixels, the whole sentence and its button "Show the diff" are visible.
    nb.set_panel_width(320)
    line = nb.panel.locator(".jp-JaxprDiff-since p")
    box, link = line.bounding_box(), line.get_by_role("button", name="Show the diff").bounding_box()
    assert box and link and link["x"] + link["width"] <= box["x"] + box["width"]
    place = nb.panel.locator(".jp-JaxprDiff-sincePlace")
    assert place.evaluate("({ clientHeight, scrollHeight }) => scrollHeight <= clientHeight")
    assert place.evaluate("({ clientWidth, scrollWidth }) => scrollWidth <= clientWidth")
    assert violations(nb.page) == []


@pytest.mark.slow
def test_renaming_changes_nothing(notebook):
    nb = notebook(LOAD, BEFORE)
    nb.run_all()
    expect(nb.listing()).to_contain_text("scan")
    nb.write(1, RENAMED)
    nb.run(1)
    expect(nb.panel).to_contain_text("Changes since run [2]: All equations are equal except for names.")


RULE = """\
%%jaxpr
@jax.custom_vjp
def halved(x):
    return jnp.sin(x)

halved.defvjp(lambda x: (halved(x), None), lambda kept, given: (given * 0.5,))

@jax.jit
def f(x):
    return halved(x) * 2.0

y = f(x)"""


@pytest.mark.slow
def test_a_rule_that_changed_is_not_compared_and_that_is_said(notebook):
    nb = notebook(LOAD, RULE)
    nb.run_all()
    expect(nb.listing()).to_contain_text("custom_vjp_call")
    nb.write(1, RULE.replace("given * 0.5", "given * 0.25"))
    nb.run(1)
    expect(nb.panel).to_contain_text("Changes since run [2]: All equations are equal except for names.")
    nb.panel.get_by_role("button", name="Show the diff").click()
    expect(nb.panel).to_contain_text(
        "The diff does not compare the derivative rules of custom_vjp halved: a program holds only the names of the "
        "rules. Compare the programs of jax.grad to see a change of a rule."
    )
    assert violations(nb.page) == []


def test_the_keyboard_goes_from_difference_to_difference_and_the_cell_follows(edited):
    show(edited)
    page, rows = edited.page, rows_of(edited)
    rows.focus()
    active = rows.locator('[aria-selected="true"]')
    page.keyboard.press("n")
    expect(active).to_contain_text("length=6")
    page.keyboard.press("n")
    expect(active).to_contain_text("cos d")
    edited.expect_linked(1, "jnp.cos(c)")
    page.keyboard.press("n")
    expect(active).to_contain_text("mul i 3.0")
    page.keyboard.press("p")
    expect(active).to_contain_text("cos d")
    page.keyboard.press("End")
    expect(active).to_have_text("Show 8 equal lines")
    page.keyboard.press("Enter")
    expect(active).not_to_have_text("Show 8 equal lines")
    expect(rows).to_contain_text("squeeze")


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, pytest.param(900, marks=pytest.mark.slow)])
def test_nothing_is_cut_and_axe_finds_nothing(edited, width):
    edited.page.set_viewport_size({"width": width + 640, "height": 800})
    edited.set_panel_width(width)
    assert violations(edited.page) == []
    show(edited)
    halves = rows_of(edited).locator(".jp-JaxprDiff-half")
    if width == 900:
        expect(halves.first).to_be_visible()
    else:
        expect(halves).to_have_count(0)
    assert cut(edited.panel, ".jp-JaxprDiff *", ".jp-JaxprDiff-said") == []
    for theme in ("light", "dark"):
        edited.theme(theme)
        assert violations(edited.page) == [], theme


def test_any_two_programs_and_their_texts_are_compared(edited):
    edited.run(2)
    panel = edited.panel
    panel.get_by_role("tab", name="Diff").click()
    expect(panel.get_by_label("Program after")).to_have_value("0")
    before = panel.get_by_label("Program before")
    expect(before.locator("option")).to_have_text(
        [
            re.compile(r"^Cell \[4\] · [\d:]+ · g\(f32\[8\]\)$"),
            re.compile(r"^Cell \[3\] · [\d:]+ · f"),
            re.compile(r"^Cell \[2\] · [\d:]+ · f"),
        ]
    )
    panel.get_by_label("Program after").select_option("1")
    before.select_option("2")
    expect(
        panel.get_by_role("status").filter(has_text="1 equation was added. 3 equations were changed")
    ).to_be_visible()
    panel.get_by_role("combobox", name="Level").select_option("stablehlo")
    rows = rows_of(edited)
    added = rows.locator(".jp-JaxprDiff-item.jp-mod-added")
    expect(added.filter(has_text="stablehlo.constant dense<3.000000e+00>")).to_be_visible()
    expect(rows.locator(".jp-mod-changed mark").get_by_text("stablehlo.cosine", exact=True)).to_be_visible()
    panel.get_by_role("combobox", name="Level").select_option("hlo")
    expect(rows).to_contain_text("HloModule")
    # A click on a line of the diff that belongs to the earlier run raises no error.
    rows.get_by_role("option").first.click()


@pytest.mark.slow
def test_it_is_kept_beside_the_notebook(edited):
    show(edited)
    edited.page.set_viewport_size({"width": 1800, "height": 800})
    edited.panel.get_by_role("button", name="Open in main area").click()
    beside = edited.page.get_by_role("main").get_by_role("tabpanel", name="Diff of f")
    expect(beside.get_by_role("listbox")).to_contain_text("length=6")
    expect(beside).to_contain_text(re.compile(r"Before: f · cell \[2\]"))
    assert violations(edited.page) == []


NOISY = """\
%%jaxpr
wave = jax.jit(lambda y: jnp.sin(y))

@jax.jit
def f(x):
    jnp.exp(x)
    a = wave(x)
    b = a.astype("float16") + 1.0
    c = jnp.broadcast_to(b, (2, 8))
    return jnp.cos(c.astype("float32")), wave(x * 2.0)

y = f(x)"""

LESS_NOISY = (
    NOISY.replace("jnp.exp(x)", "jnp.log(x)")
    .replace("jnp.sin(y)", "jnp.tanh(y)")
    .replace("(2, 8)", "(4, 8)")
    .replace('a.astype("float16")', "a")
)


@pytest.fixture
def noisy(notebook):
    """Return a notebook whose cell ran, was edited and ran again; the shown diff has lines of every filter."""
    nb = notebook(LOAD, NOISY)
    nb.run_all()
    expect(nb.listing()).to_contain_text("sin")
    nb.write(1, LESS_NOISY)
    nb.run(1)
    show(nb)
    return nb


def filters_of(place):
    return place.get_by_role("group", name="Hide lines")


def test_noise_is_put_away_on_both_sides_by_a_key_and_counted(noisy):
    noisy.set_panel_width(320)
    page, panel = noisy.page, noisy.panel
    hidden = panel.get_by_text(re.compile(r"^(\d+ lines? (is|are) hidden: |No line is hidden\. )"))
    said = "2 equations were added. 4 equations were removed. 3 equations were changed."
    counts = panel.get_by_role("status").filter(has_text=said).first
    every = rows_of(noisy).inner_text()

    rows_of(noisy).focus()
    page.keyboard.press("c")
    expect(hidden).to_have_text(
        "2 lines are hidden: 2 converts. 2 differences are hidden. The count above includes these differences."
    )
    page.keyboard.press("b")
    expect(hidden).to_have_text(
        "4 lines are hidden: 2 converts, 2 broadcasts. "
        "4 differences are hidden. The count above includes these differences."
    )
    page.keyboard.press("w")
    expect(hidden).to_have_text(re.compile(r"^7 lines are hidden: 2 converts, 2 broadcasts, 1 jit wrapper\. "))
    page.keyboard.press("u")
    expect(hidden).to_have_text(
        "8 lines are hidden: 2 converts, 2 broadcasts, 1 jit wrapper, 1 unused equation. "
        "5 differences are hidden. The count above includes these differences."
    )
    expect(filters_of(panel).get_by_role("button", pressed=True)).to_have_count(4)
    expect(rows_of(noisy).locator(".jp-JaxprDiff-line")).to_have_text(
        [
            "c:f32[8]  x",
            re.compile(r"^−line before the change: .* = sin "),
            re.compile(r"^\+line after the change: .* = tanh "),
            re.compile(r"^−removed line .* = add . 1\.0:f16\[\]$"),
            re.compile(r"^\+added line .* = add . 1\.0:f32\[\]$"),
            re.compile(r"^−line before the change: .*:f32\[2,8\] = cos "),
            re.compile(r"^\+line after the change: .*:f32\[4,8\] = cos "),
            re.compile(r"= mul . 2\.0:f32\[\]$"),
            re.compile(r"= jit\[name=<lambda>\] .$"),
            re.compile(r"return ., .$"),
        ]
    )
    assert violations(page) == []
    assert cut(panel, ".jp-JaxprDiff *", ".jp-JaxprDiff-said") == []
    noisy.theme("dark")
    assert violations(page) == []
    # The counts of differences are the same as before the filters.
    expect(counts).to_have_text(said)

    panel.get_by_role("button", name="Show all hidden lines").click()
    expect(hidden).to_have_count(0)
    assert rows_of(noisy).inner_text() == every
    rows_of(noisy).focus()
    page.keyboard.press("w")
    page.keyboard.press("a")
    expect(hidden).to_have_count(0)

    # The diff of StableHLO or HLO compares the complete texts, so it has no filters.
    page.keyboard.press("c")
    panel.get_by_role("combobox", name="Level").select_option("stablehlo")
    expect(rows_of(noisy)).to_contain_text("stablehlo.convert")
    expect(filters_of(panel)).to_have_count(0)
    expect(hidden).to_have_count(0)


@pytest.mark.slow
def test_the_filters_hold_in_the_main_area_and_for_the_next_run(noisy):
    page = noisy.page
    page.set_viewport_size({"width": 1800, "height": 900})
    noisy.panel.get_by_role("button", name="Open in main area").click()
    beside = page.get_by_role("main").get_by_role("tabpanel", name="Diff of f")
    filters_of(beside).get_by_role("button", name="Converts").click()
    filters_of(beside).get_by_role("button", name="Jit wrappers").click()
    expect(beside).to_contain_text("5 lines are hidden: 2 converts, 1 jit wrapper.")
    lines = beside.locator(".jp-JaxprDiff-line")
    expect(lines.filter(has_text="convert_element_type")).to_have_count(0)
    # If the filter hides the equation of a call, a line in its body names the outer variables: `a = c, b = d`.
    expect(lines.filter(has_text="tanh")).to_have_text(re.compile(r"= tanh a\s*a = c, b = d$"))
    panel = noisy.page.locator("#jupyter-jaxpr-panel")
    expect(filters_of(panel).get_by_role("button", pressed=True)).to_have_text(["Converts", "Jit wrappers"])
    assert violations(page) == []
    noisy.theme("dark")
    assert violations(page) == []

    beside.get_by_role("listbox").focus()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys of the Diff view")
    expect(dialog).to_contain_text(
        re.compile(
            "c b w uIn both programs, hide or show changes of dtype, broadcasts, calls that hold one equation, "
            "unused equations"
        )
    )
    page.keyboard.press("Escape")
    expect(beside.get_by_role("listbox")).to_be_focused()

    # After another edit and run, the filters are still on.
    noisy.write(1, NOISY)
    noisy.run(1)
    expect(panel).to_contain_text("4 equations were added. 2 equations were removed. 3 equations were changed")
    expect(filters_of(panel).get_by_role("button", pressed=True)).to_have_text(["Converts", "Jit wrappers"])


@pytest.mark.slow
def test_what_is_hidden_is_not_copied_and_said(noisy):
    panel = noisy.panel
    filters_of(panel).get_by_role("button", name="Converts").click()
    panel.get_by_role("button", name="Copy the diff", exact=True).click()
    expect(panel.get_by_role("button", name="Diff copied")).to_be_visible()
    lines = clipboard(noisy.page).splitlines()
    assert lines[2:4] == [
        "2 equations were added. 4 equations were removed. 3 equations were changed.",
        "2 lines are hidden: 2 converts. 2 differences are hidden. The count above includes these differences.",
    ]
    assert not any("convert_element_type" in line for line in lines)


@pytest.mark.slow
def test_a_run_from_before_a_restart_is_still_compared(notebook):
    nb = notebook(LOAD, BEFORE)
    nb.run_all()
    expect(nb.listing()).to_contain_text("scan")
    nb.restart_kernel()
    nb.write(1, AFTER)
    nb.run(0)
    nb.run(1)
    expect(nb.panel).to_contain_text("Changes since run [2]: 1 equation was added. 3 equations were changed.")
