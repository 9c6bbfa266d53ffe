"""Tests the tools for reading a program: search, filters, the lifetime of a variable, groups, names, and keys."""

import re

import pytest
from page_checks import cut, violations
from playwright.sync_api import expect

LOAD = """\
%load_ext jupyter_jaxpr
import jax, jax.numpy as jnp
from jax import lax
double = jax.jit(lambda x: x * 2.0)
p = {"w": jnp.ones((8, 16)), "b": jnp.ones(16, "bfloat16")}"""

NET = """\
%%jaxpr
@jax.jit
def net(p, xs):
    def step(h, x):
        h = jnp.tanh(x @ p["w"] + h)
        return h, h

    h, hs = lax.scan(step, jnp.zeros(16), xs)
    jnp.sin(hs)
    jax.debug.print("{}", h[0])
    return double(h * p["b"]), hs

net(p, jnp.ones((100, 8)))[0].shape"""

LONG = """\
%%jaxpr
@jax.jit
def long(x):
    x = jnp.exp(x)
    for _ in range(80):
        x = jnp.sin(x)
    return jnp.tanh(jnp.cos(jnp.tanh(x)))

_ = long(jnp.ones(3))
"""


@pytest.fixture
def net(shared_notebook):
    nb = shared_notebook(LOAD, NET)
    nb.page.set_viewport_size({"width": 1540, "height": 1100})
    expect(nb.listing()).to_contain_text("scan")
    nb.panel.get_by_role("button", name="Unfold all").click()
    return nb


@pytest.fixture(params=[320, pytest.param(900, marks=pytest.mark.slow)])
def net_at(net, request):
    net.set_panel_width(request.param)
    return net


def find(nb, text):
    nb.panel.get_by_role("button", name="Find in program").click()
    field = nb.panel.get_by_role("textbox", name="Find in program")
    field.fill(text)
    return field


def levels(nb):
    return nb.panel.get_by_role("group", name="Matches in each level")


def test_a_search_counts_in_every_level_and_goes_there(net_at):
    nb = net_at
    field = find(nb, "tanh")
    expect(levels(nb)).to_have_text(re.compile(r"^jaxpr 1StableHLO: not loadedHLO: not loaded$"))

    levels(nb).get_by_role("button", name="Load and search StableHLO").click()
    expect(nb.listing("StableHLO").locator(".cm-searchMatch")).to_have_text(["tanh"])
    expect(field).to_have_value("tanh")
    levels(nb).get_by_role("button", name="Load and search HLO").click()
    expect(levels(nb)).to_have_text(re.compile(r"^jaxpr 1StableHLO 1HLO [1-9]\d*$"))
    expect(levels(nb).locator('[aria-current="true"]')).to_have_text(re.compile("^HLO"))

    levels(nb).get_by_role("button", name="jaxpr: 1 match. Go to jaxpr").click()
    expect(nb.listing().locator(".cm-searchMatch")).to_have_text(["tanh"])
    assert violations(nb.page) == []
    assert cut(nb.panel, ".jp-JaxprProgram-search *") == []


def test_a_search_finds_types_lines_scopes_and_primitives_in_folds_too(net):
    nb = net
    nb.panel.get_by_role("button", name="Fold all", exact=True).click()
    count = nb.panel.get_by_role("group", name="Search", exact=True).get_by_role("status")

    field = find(nb, "f32[*,16]")
    expect(count).to_have_text(re.compile(r"^[2-9]\d*$"))
    expect(nb.listing().locator(".cm-searchMatch").first).to_have_text("f32[8,16]")

    field.fill("line:5 primitive:dot_general")  # the match is in a fold, which the search unfolds
    expect(nb.listing().locator(".cm-searchMatch-selected")).to_have_text("dot_general")
    expect(count).to_have_text("1 of 1")

    field.fill("scope:step tanh")
    expect(count).to_have_text("1")
    field.fill("scope:net tanh")
    expect(count).to_have_text("1")
    field.fill("scope:other tanh")
    expect(count).to_have_text("no matches")


def test_a_search_finds_text_of_the_source_scopes_and_names_in_python(net):
    nb = net
    count = nb.panel.get_by_role("group", name="Search", exact=True).get_by_role("status")
    line = nb.listing().locator(".cm-line").filter(has=nb.page.locator(".cm-searchMatch-selected"))

    field = find(nb, 'p["b"]')  # this text is only in the source line of the equation, not in the jaxpr
    nb.page.keyboard.press("Enter")
    expect(count).to_have_text("1 of 1")
    expect(line).to_have_attribute("data-cell-line", "11")

    field.fill("not in the program")
    expect(count).to_have_text("no matches")


@pytest.mark.slow
def test_a_search_goes_to_a_match_that_is_not_on_screen(notebook):
    nb = notebook(LOAD, LONG)
    nb.run_all()
    field = find(nb, "tanh")
    count = nb.panel.get_by_role("group", name="Search", exact=True).get_by_role("status")
    expect(count).to_have_text("1 of 2")
    expect(nb.listing().locator(".cm-searchMatch-selected")).to_be_in_viewport()
    field.fill("cos")  # the match is already visible, so the text does not scroll
    expect(count).to_have_text("1")
    expect(nb.listing().locator(".cm-searchMatch")).to_be_in_viewport()
    field.fill("exp")
    expect(count).to_have_text("1 of 1")
    expect(nb.listing().locator(".cm-searchMatch-selected")).to_be_in_viewport()


def test_a_search_opens_what_is_collapsed_only_where_nothing_else_is_found(net_at):
    nb = net_at
    nb.panel.get_by_role("group", name="Level").get_by_role("button", name="HLO", exact=True).click()
    marked = nb.listing("HLO").locator(".cm-searchMatch-selected")
    field = find(nb, "op_name=")  # always in metadata
    count = nb.panel.get_by_role("group", name="Search", exact=True).get_by_role("status")
    expect(count).to_have_text(re.compile(r"^\d+ of \d+$"))
    expect(marked.first).to_be_in_viewport()
    # the editor marks a match of several tokens token by token
    assert "".join(marked.all_text_contents()) == "op_name="
    field.fill("tanh")  # tanh also occurs in folded metadata; the search shows a match in a visible line
    expect(nb.listing("HLO").locator(".cm-searchMatch").first).to_be_in_viewport()
    field.press("Enter")
    expect(marked).to_have_text(["tanh"])
    expect(marked).to_be_in_viewport()


@pytest.mark.slow
def test_a_search_that_cannot_be_read_says_so(net_at):
    nb = net_at
    field = find(nb, "line:")
    sentence = "Type a line of the cell after the colon, such as line:7 or line:3-7."
    expect(nb.panel.get_by_text(sentence)).to_be_visible()
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill("f32[,")
    expect(nb.panel.get_by_text(sentence)).to_be_hidden()
    field.fill("f32[8,]")
    expect(
        nb.panel.get_by_text(re.compile(r"^f32\[8,\] is not a type\. Write each dimension as a number"))
    ).to_be_visible()
    assert violations(nb.page) == []


def test_noise_is_put_away_by_a_key_and_counted(net_at):
    nb = net_at
    shown = nb.listing().locator('.cm-line[data-kind="equation"]')
    numbers = "lines => lines.map(line => line.dataset.number)"
    before = shown.evaluate_all(numbers)
    hidden = nb.panel.get_by_text(re.compile(r"^\d+ lines? (is|are) hidden: "))
    nb.equation(2).click(position={"x": 60, "y": 8})

    nb.page.keyboard.press("b")
    expect(nb.panel.get_by_text("1 line is hidden: 1 broadcast.")).to_be_visible()
    expect(nb.listing().get_by_text("broadcast_in_dim", exact=True)).to_have_count(0)
    nb.page.keyboard.press("c")
    expect(hidden).to_have_text("2 lines are hidden: 1 convert, 1 broadcast.")
    nb.page.keyboard.press("u")
    expect(hidden).to_have_text("3 lines are hidden: 1 convert, 1 broadcast, 1 unused equation.")
    nb.page.keyboard.press("w")
    expect(hidden).to_have_text("6 lines are hidden: 1 convert, 1 broadcast, 1 jit wrapper, 1 unused equation.")
    assert violations(nb.page) == []

    nb.panel.get_by_role("button", name="Show all hidden lines").click()
    expect(hidden).to_have_count(0)
    assert shown.evaluate_all(numbers) == before

    nb.panel.get_by_role("button", name="Hide lines").click()
    switches = nb.panel.get_by_role("group", name="Hide lines")
    switches.get_by_role("button", name="Broadcasts").click()
    expect(switches.get_by_role("button", pressed=True)).to_have_text(["Broadcasts"])
    expect(hidden).to_have_text("1 line is hidden: 1 broadcast.")
    assert violations(nb.page) == []
    assert cut(nb.panel, ".jp-JaxprProgram-filters *, .jp-JaxprProgram-toolbar *") == []


def test_what_is_hidden_is_seen_when_it_is_linked(net):
    nb = net
    nb.equation(2).click(position={"x": 60, "y": 8})
    nb.page.keyboard.press("u")
    sine = nb.listing().get_by_text("sin", exact=True)
    expect(sine).to_have_count(0)

    nb.lines(1).nth(8).get_by_text("sin").click()  # clicks on `jnp.sin(hs)` in the cell
    expect(sine).to_be_visible()
    expect(nb.panel.get_by_text("No line is hidden. No line matches the filters: Unused equations.")).to_be_visible()

    # The arrow keys skip hidden lines, and a search shows a hidden line.
    nb.listing().focus()
    nb.page.keyboard.press("b")
    nb.page.keyboard.press("Home")
    nb.page.keyboard.press("ArrowDown")
    expect(nb.equation(2)).to_have_attribute("data-linked", "true")
    find(nb, "broadcast_in_dim").press("Enter")
    expect(nb.equation(1)).to_be_visible()


def test_a_variable_leads_to_its_definition_and_its_uses(net_at):
    nb = net_at
    keys = nb.page.keyboard
    nb.equation(3).click(position={"x": 60, "y": 8})
    keys.press("ArrowDown")
    expect(nb.equation(4)).to_contain_text("add")
    keys.press("Control+ArrowRight")
    keys.press("Control+ArrowRight")
    words = nb.panel.get_by_text(
        re.compile(r"^Equation 3 defines ([a-z]+)\. \1 is used once\. \1 is live over equations 3 to 4\.$")
    )
    expect(words).to_be_visible()
    alive = nb.listing().locator(".cm-line[data-life]")
    expect(alive).to_have_count(2)
    assert alive.evaluate_all("lines => lines.map(line => line.dataset.life)") == ["start", "end"]
    assert violations(nb.page) == []

    keys.press("F12")
    expect(nb.equation(3)).to_have_attribute("data-linked", "true")
    keys.press("Shift+F12")
    expect(nb.equation(4)).to_have_attribute("data-linked", "true")
    nb.panel.get_by_role("button", name="Definition").click()
    expect(nb.equation(3)).to_have_attribute("data-linked", "true")
    keys.press("ArrowDown")
    expect(words).to_be_hidden()
    expect(alive).to_have_count(0)


def test_names_of_python_weak_types_promotions_and_effects_stand_beside_the_text(net):
    nb = net
    nb.set_panel_width(900)  # wide enough to show the tags of all variables
    tags = nb.listing().locator(".jp-JaxprProgram-tag")
    expect(nb.listing().locator('.cm-line[data-kind="open"]').first.locator(".jp-JaxprProgram-tag")).to_have_text(
        ["p['b']", "p['w']", "xs"]
    )
    expect(tags.filter(has_text="promoted bf16 → f32")).to_have_count(1)
    expect(tags.filter(has_text=re.compile("^effect: "))).to_have_count(1)
    body = nb.listing().locator('.cm-line[data-kind="open"]').nth(1)
    expect(body.locator(".jp-JaxprProgram-tag")).to_have_text(["p['w']", "h", "xs"])
    assert violations(nb.page) == []


def test_a_primitive_says_what_it_does_and_where_that_is_documented(net):
    nb = net
    nb.listing().get_by_text("tanh", exact=True).hover()
    tip = nb.page.locator(".jp-JaxprProgram-tip")
    expect(tip).to_contain_text("hyperbolic tangent")
    link = tip.get_by_role("link", name="jax.lax.tanh")
    expect(link).to_have_attribute("href", "https://docs.jax.dev/en/latest/_autosummary/jax.lax.tanh.html")
    expect(link).to_have_attribute("target", "_blank")
    expect(link).to_have_attribute("rel", "noopener")


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_all_keys_are_listed(net_at, theme):
    nb = net_at
    nb.theme(theme)
    nb.equation(2).click(position={"x": 60, "y": 8})
    nb.page.keyboard.press("?")
    dialog = nb.page.get_by_role("dialog", name="Keys of the Program view")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text("F12")
    expect(dialog.get_by_role("button", name="Close the list of keys")).to_be_focused()
    assert violations(nb.page, ".jp-JaxprHelp") == []
    for _ in range(3):
        nb.page.keyboard.press("Tab")
        assert dialog.evaluate(
            "dialog => dialog.contains(document.activeElement) || document.activeElement === document.body"
        )
    nb.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(nb.listing()).to_be_focused()


LAYERS = """\
%%jaxpr
@jax.jit
def layers(x):
    with jax.named_scope("encoder"):
        with jax.named_scope("dense"):
            h = x * 2.0
            h = h + 1.0
        h = jnp.sin(h)
    with jax.named_scope("decoder"):
        h = jnp.cos(h)
        h = h - 3.0
    return h

y = layers(jnp.ones(4))"""


@pytest.fixture
def layers(notebook):
    nb = notebook(LOAD, LAYERS)
    nb.run(0)
    nb.run(1)
    expect(nb.listing()).to_contain_text("cos")
    return nb


@pytest.mark.slow
@pytest.mark.parametrize(("width", "theme"), [(320, "light"), pytest.param(900, "dark", marks=pytest.mark.slow)])
def test_equations_under_one_name_fold_to_a_line(layers, width, theme):
    nb = layers
    nb.theme(theme)
    nb.set_panel_width(width)
    keys = nb.page.keyboard
    chips = nb.listing().locator(".jp-JaxprProgram-folded.jp-mod-names .jp-JaxprProgram-chip")
    expect(chips).to_have_count(0)  # off until asked for
    nb.equation(1).click(position={"x": 60, "y": 8})

    keys.press("g")
    expect(chips).to_have_text(["encoder · 1 to 3", "decoder · 4 to 5"])
    words = nb.panel.get_by_role("status").filter(has_text="groups of equations")
    expect(words).to_have_text("2 groups of equations are folded. Hidden lines: 5.")
    assert violations(nb.page) == []

    # If a linked equation is inside of a folded group, the line of the group is marked.
    nb.lines(1).nth(9).get_by_text("cos").click()
    expect(nb.listing().locator(".cm-line[data-linked='true']")).to_contain_text("decoder")

    # The right arrow key unfolds the outer group; the inner group stays folded.
    nb.listing().focus()
    keys.press("Home")
    keys.press("ArrowDown")
    keys.press("ArrowRight")
    expect(chips).to_have_text(["dense · 1 to 2", "decoder · 4 to 5"])
    expect(words).to_have_text("2 groups of equations are folded. Hidden lines: 4.")
    keys.press("o")
    expect(chips).to_have_count(0)
    expect(nb.panel.get_by_text("3 groups of equations, all unfolded.")).to_be_visible()
    keys.press("f")
    expect(chips).to_have_text(["encoder · 1 to 3", "decoder · 4 to 5"])

    # The buttons fold and unfold all groups; after a run, the groups stay as the user left them.
    nb.panel.get_by_role("button", name="Unfold groups").click()
    expect(chips).to_have_count(0)
    nb.write(1, LAYERS.replace("encoder", "reader"))
    nb.run(1)
    expect(nb.listing()).to_contain_text("cos")
    expect(nb.panel.get_by_text("3 groups of equations, all unfolded.")).to_be_visible()
    nb.panel.get_by_role("button", name="Fold groups", exact=True).click()
    expect(chips).to_have_text(["reader · 1 to 3", "decoder · 4 to 5"])
    nb.write(1, LAYERS)
    nb.run(1)
    expect(chips).to_have_text(["encoder · 1 to 3", "decoder · 4 to 5"])
    nb.panel.get_by_role("button", name="Hide lines").click()
    switch = nb.panel.get_by_role("group", name="Hide lines").get_by_role("button", name="Named groups")
    expect(switch).to_have_attribute("aria-pressed", "true")
    assert cut(nb.panel, ".jp-JaxprProgram-filters *, .jp-JaxprProgram-toolbar *, .jp-JaxprProgram-noise *") == []
    switch.click()
    expect(chips).to_have_count(0)
    expect(nb.equation(1)).to_be_visible()


@pytest.mark.slow
def test_groups_by_name_in_the_main_area(layers):
    nb = layers
    nb.panel.get_by_role("button", name="Open levels side by side").click()
    wide = nb.page.locator(".jp-JaxprWide")
    wide.locator('.cm-line[data-kind="equation"]').first.click(position={"x": 60, "y": 8})
    nb.page.keyboard.press("g")
    chips = wide.locator(".jp-JaxprProgram-folded.jp-mod-names .jp-JaxprProgram-chip")
    expect(chips).to_have_text(["encoder · 1 to 3", "decoder · 4 to 5"])
    assert violations(nb.page, ".jp-JaxprWide") == []
    chips.first.click()
    expect(chips).to_have_text(["dense · 1 to 2", "decoder · 4 to 5"])


def test_the_keyboard_says_at_which_of_the_linked_places_it_is(net_at):
    nb = net_at
    nb.lines(1).nth(4).click()  # Home selects the whole line, `h = jnp.tanh(...)`
    nb.page.keyboard.press("Home")
    nb.listing().focus()
    nb.page.keyboard.press("n")
    said = nb.panel.get_by_role("status").filter(has_text="linked place")
    expect(said).to_have_text(re.compile(r"^linked place \d of 3$"))
    box, body = said.bounding_box(), nb.panel.locator(".jp-JaxprProgram-body").bounding_box()
    assert box and body and body["x"] <= box["x"] and box["x"] + box["width"] <= body["x"] + body["width"]
    before = said.inner_text()
    nb.page.keyboard.press("n")
    expect(said).not_to_have_text(before)
    assert violations(nb.page) == []
    nb.page.keyboard.press("Escape")
    expect(said).to_have_count(0)
    nb.page.keyboard.press("p")
    expect(nb.panel.get_by_text("no linked place in this text")).to_be_visible()


def heads(listing):
    return listing.locator(".jp-JaxprProgram-head")


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_lines_of_source_stand_above_what_was_made_of_them(net_at, theme):
    nb = net_at
    nb.theme(theme)
    nb.listing().focus()
    nb.page.keyboard.press("s")
    expect(heads(nb.listing())).to_have_text(
        [
            "8 h, hs = lax.scan(step, jnp.zeros(16), xs)",
            '5 h = jnp.tanh(x @ p["w"] + h)',
            "9 jnp.sin(hs)",
            '10 jax.debug.print("{}", h[0])',
            '11 return double(h * p["b"]), hs',
            "another cell, line 4 double = jax.jit(lambda x: x * 2.0)",
        ]
    )
    # If the equations of a source line are hidden or folded, the source line has no heading.
    nb.page.keyboard.press("u")
    expect(heads(nb.listing()).filter(has_text="jnp.sin")).to_have_count(0)
    nb.page.keyboard.press("u")
    nb.page.keyboard.press("f")
    expect(heads(nb.listing()).filter(has_text="jnp.tanh")).to_have_count(0)
    nb.page.keyboard.press("o")

    heads(nb.listing()).filter(has_text="jnp.tanh").click()
    expect(nb.listing().locator(".cm-line[data-linked='true']")).to_have_text(
        [re.compile("= dot_general"), re.compile("= add"), re.compile("= tanh")]
    )
    expect(nb.cell(1).locator(".jp-JaxprCell-span").filter(has_text="jnp.tanh").first).to_be_visible()
    assert violations(nb.page) == []
    assert cut(nb.panel, ".jp-JaxprProgram-head") == []

    nb.listing().focus()
    nb.page.keyboard.press("s")
    expect(heads(nb.listing())).to_have_count(0)


@pytest.mark.slow
def test_lines_of_source_in_every_level(net):
    nb = net
    nb.panel.get_by_role("button", name="Hide lines").click()
    nb.panel.get_by_role("button", name="Source lines").click()
    expect(nb.panel.get_by_role("button", name="Source lines")).to_have_attribute("aria-pressed", "true")
    nb.panel.get_by_role("button", name="StableHLO").click()
    nb.panel.get_by_role("button", name="Unfold all").click()
    expect(heads(nb.listing("StableHLO")).filter(has_text="jnp.tanh").first).to_have_text(
        '5 h = jnp.tanh(x @ p["w"] + h)'
    )
    nb.panel.get_by_role("button", name="HLO", exact=True).click()
    expect(heads(nb.listing("HLO")).first).to_be_visible()
