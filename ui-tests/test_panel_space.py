"""Tests the sizes in the panel: its first width, its tabs at every width, and how much of a program is visible."""

import re

import pytest
from playwright.sync_api import TimeoutError, expect

LOAD = """\
%load_ext jupyter_jaxpr
import jax, jax.numpy as jnp
p = {
    f"block_{i}": {"bias": jnp.ones(192), "kernel": jnp.ones((256, 192)), "scale": jnp.ones((192, 4))}
    for i in range(8)
}
x = jnp.ones((32, 256))"""
LOSS = """\
%%jaxpr
@jax.jit
def loss(p, x):
    total = 0.0
    for block in p.values():
        h = jnp.tanh(x @ block["kernel"] + block["bias"])
        total += (h @ block["scale"]).sum()
    return jnp.where(total > 0, total, -total)

@jax.jit
def wave(x):
    return jax.lax.scan(lambda c, row: (c + jnp.sin(row).sum(), c), 0.0, x)

wave(x)
loss(p, x)"""

LOOP = """\
%%jaxpr
@jax.jit
def relax(p):
    def body(i, p):
        return jax.tree.map(lambda a: a * 0.9 + 0.1 * jnp.mean(a), p)
    return jax.lax.fori_loop(0, 10, body, p)

relax(p)"""
SGD = """\
%%jaxpr
def loss(p, x):
    total = 0.0
    for block in p.values():
        h = jnp.tanh(x @ block["kernel"] + block["bias"])
        total += (h @ block["scale"]).sum()
    return total

@jax.jit
def sgd(p, xs):
    def step(p, x):
        value, grads = jax.value_and_grad(loss)(p, x)
        return jax.tree.map(lambda a, g: a - 0.01 * g, p, grads), value
    return jax.lax.scan(step, p, xs)

sgd(p, jnp.ones((5, 32, 256)))"""

VIEWS = ("Program", "Flow", "Cache", "Time", "Cost", "Diff", "Compare", "Notes")
WIDTHS = (320, 360, 400, 480, 720, 1200)

# Returns the visible elements that extend beyond the left or right edge of the panel; elements for screen readers, at
# most 1 pixel wide, are left out.
OUTSIDE = """panel => {
  const { left, right } = panel.getBoundingClientRect();
  const isHeard = node => node.getBoundingClientRect().width <= 1;
  return [...panel.querySelectorAll('*')].filter(node => {
    const box = node.getBoundingClientRect();
    return node.getClientRects().length && !isHeard(node) && !isHeard(node.parentElement)
      && (box.right > right + 1 || box.left < left - 1);
  }).map(node => node.outerHTML.slice(0, 200));
}"""
WORDS_ARE_WHOLE = """row => [...row.querySelectorAll('[role=tab]')].every(tab => {
  const word = tab.querySelector('.jp-JaxprPanel-tabWord');
  return !tab.getClientRects().length || (word.clientWidth >= word.scrollWidth && word.clientWidth > 15);
})"""
WHOLE_EQUATIONS = """view => {
  const text = view.querySelector('.cm-scroller').getBoundingClientRect();
  return [...view.querySelectorAll('.cm-line[data-kind="equation"]')].filter(line => {
    const { top, bottom } = line.getBoundingClientRect();
    return top >= text.top && bottom <= text.bottom;
  }).length;
}"""


def expect_as_tall_as_the_text(details):
    """Check that the strip is as high as its text, apart from its padding (2 x 6 pixels) and a border."""
    empty = """strip => {
      const text = strip.firstElementChild.firstElementChild;
      return strip.clientHeight - text.scrollHeight;
    }"""
    assert details.evaluate(empty) <= 2 * 6 + 1


@pytest.fixture
def net(shared_notebook, page):
    nb = shared_notebook(LOAD, LOSS)
    page.set_viewport_size({"width": 1900, "height": 900})
    expect(nb.panel.get_by_role("button", name="loss", exact=True)).to_be_visible()
    return nb


def test_the_tabs_keep_their_words_and_their_place_and_nothing_lies_outside(net, page):
    row = net.panel.get_by_role("tablist", name="Views")
    for width in WIDTHS:
        net.set_panel_width(width)
        place = row.bounding_box()["y"]
        for view in VIEWS:
            net.command(f"jupyter-jaxpr:show-{view.lower()}")
            tab = row.get_by_role("tab", selected=True)
            expect(tab, f"{view} at {width} px").to_have_text(re.compile(f"^{view}"))
            expect(tab).to_be_visible()
            expect(net.panel.locator("[role=tabpanel]:visible > *"), f"{view} at {width} px").not_to_have_count(0)
            try:
                page.wait_for_function(f"panel => ({OUTSIDE})(panel).length === 0", arg=net.panel.element_handle())
            except TimeoutError:
                outside = net.panel.evaluate(OUTSIDE)
                raise AssertionError(f"{view} at {width} px has outside of the panel: {outside}") from None
            assert row.evaluate(WORDS_ARE_WHOLE), f"{view} at {width} px"
            assert row.bounding_box()["y"] == place, f"{view} at {width} px"


@pytest.mark.slow
def test_no_count_pushes_a_button_out_of_the_panel(notebook, page):
    page.set_viewport_size({"width": 1900, "height": 848})
    nb = notebook(
        "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp",
        "%%jaxpr\n@jax.jit\ndef many(x):\n    for i in range(1200):\n        x = jnp.sin(x)\n    return x\n\nmany(1.0)",
    )
    nb.run_all()
    count = nb.panel.locator(".jp-JaxprProgram-count:visible")
    expect(count).to_have_text("1,200 eq")
    expect(count).to_have_attribute("title", "1,200 equations")
    expect(count).to_have_attribute("data-compact", "1.2K")
    for size in ("13px", "16.25px"):
        page.evaluate("size => document.documentElement.style.setProperty('--jp-ui-font-size1', size)", size)
        for width in WIDTHS:
            nb.set_panel_width(width)
            outside = nb.panel.evaluate(OUTSIDE)
            assert outside == [], f"{size} at {width} px"
    page.evaluate("document.documentElement.style.removeProperty('--jp-ui-font-size1')")


def test_a_tab_without_a_place_is_in_a_menu(net, page):
    net.set_panel_width(320)
    more = net.panel.get_by_role("button", name=re.compile("^More views: "))
    expect(more).to_have_accessible_name(re.compile("Compare"))
    expect(net.panel.get_by_role("tab", name="Compare")).to_be_hidden()

    more.click()
    page.get_by_role("menuitem", name="Compare").click()

    chosen = net.panel.get_by_role("tab", name="Compare")
    expect(chosen).to_have_attribute("aria-selected", "true")
    expect(chosen).to_be_focused()
    before = chosen.bounding_box()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    expect(net.panel.get_by_role("tab", name="Program")).to_have_attribute("aria-selected", "true")
    assert chosen.bounding_box() == before  # no tab moves
    more.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem", name="Compare")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(more).to_be_focused()


def test_a_large_program_is_seen_and_not_its_parameters(net):
    net.set_panel_width(360)
    assert net.panel.bounding_box()["height"] == 848
    first = net.listing().locator('.cm-line[data-kind="open"]').first
    expect(first).to_contain_text("p: 24 arrays, 401\u00a0k")
    signature = net.panel.get_by_text(re.compile(r"^p: 24 arrays, 401\sk, x: f32\[32,256\] → f32\[\]"))
    expect(signature).to_be_visible()

    assert first.bounding_box()["height"] <= 2 * 20
    assert signature.bounding_box()["height"] <= 2 * 16
    assert net.listing().locator("xpath=ancestor::*[contains(@class, 'cm-editor')]").evaluate(WHOLE_EQUATIONS) >= 24

    first.get_by_role("button", name=re.compile("^p: 24 arrays.*: show all$")).click()
    expect(first).to_contain_text("p['block_7']['scale']")
    net.panel.get_by_role("button", name="Show the whole signature").click()
    expect(net.panel.get_by_text(re.compile(r"block_7: \{bias: f32\[192\], kernel: f32\[256,192\]"))).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize(("cell", "name"), [(LOOP, "relax"), (SGD, "sgd")])
def test_a_loop_over_many_parameters_is_seen_and_not_its_parameters(notebook, page, cell, name):
    page.set_viewport_size({"width": 1900, "height": 900})
    nb = notebook(LOAD, cell)
    nb.run_all()
    expect(nb.panel.get_by_role("button", name=name, exact=True)).to_be_visible()
    nb.set_panel_width(360)
    assert nb.panel.bounding_box()["height"] == 848
    listing = nb.listing()
    heads = listing.locator('.cm-line[data-kind="open"]')
    expect(heads.nth(0)).to_contain_text("p: 24 arrays, 401\u00a0k")
    expect(heads.nth(1)).to_contain_text("p: 24 arrays, 401\u00a0k")
    expect(nb.equation(1)).to_contain_text("+23")
    for line in (heads.nth(0), heads.nth(1), nb.equation(1)):
        assert line.bounding_box()["height"] <= 2 * 20
    assert listing.locator("xpath=ancestor::*[contains(@class, 'cm-editor')]").evaluate(WHOLE_EQUATIONS) >= 24


@pytest.mark.slow
def test_a_long_decimal_is_short_in_a_narrow_panel_until_it_is_pressed(notebook):
    nb = notebook(LOAD, LOOP)
    nb.run_all()
    expect(nb.equation(3)).to_contain_text("mul")
    nb.set_panel_width(900)
    expect(nb.equation(3)).to_contain_text("= mul b 0.8999999761581421:f32[]")
    nb.set_panel_width(360)
    short = nb.equation(3).get_by_role("button", name="0.9: show all")
    short.click()
    expect(nb.equation(3)).to_contain_text("0.8999999761581421:f32[]")


@pytest.mark.fresh_page
def test_a_fresh_jupyterlab_opens_the_panel_at_400_pixels_and_keeps_the_width_of_a_person(notebook):
    nb = notebook("%load_ext jupyter_jaxpr")
    nb.command("jupyter-jaxpr:toggle-panel")
    nb.page.wait_for_function(
        "() => Math.round(document.querySelector('.jp-JaxprPanel').getBoundingClientRect().width) === 400"
    )

    nb.set_panel_width(340)
    nb.command("jupyter-jaxpr:toggle-panel")
    expect(nb.panel).to_be_hidden()
    nb.command("jupyter-jaxpr:toggle-panel")
    expect(nb.panel).to_be_visible()
    nb.page.wait_for_function("() => Math.abs(document.querySelector('.jp-JaxprPanel').clientWidth - 340) <= 3")


def test_the_details_are_as_tall_as_their_text_and_move_nothing(net, page):
    net.set_panel_width(360)
    details = net.panel.get_by_role("group", name="Details of the selection")
    hint = details.get_by_text("Point at an equation").bounding_box()["height"]
    assert hint <= 2 * 18
    assert details.bounding_box()["height"] <= hint + 2 * 6 + 1
    first = net.equation(2).bounding_box()

    net.equation(1).click(position={"x": 60, "y": 8})
    expect(details).to_contain_text("3.1\u00a0Mop, 254\u00a0kB, 12\u00a0% of the total cost")
    assert details.bounding_box()["height"] <= 3 * 18 + 2 * 6 + 1
    page.mouse.move(1, 1)
    expect_as_tall_as_the_text(details)
    for number in (2, 3, 4, 5):
        net.point_at(net.equation(number))
        expect(net.equation(number)).to_have_attribute("data-linked", "true")
        expect_as_tall_as_the_text(details)
        assert abs(net.equation(2).bounding_box()["y"] - first["y"]) <= 1


@pytest.mark.slow
def test_at_the_end_of_a_program_the_details_move_no_line_and_leave_the_line_under_the_pointer(net, page):
    net.set_panel_width(360)
    details = net.panel.get_by_role("group", name="Details of the selection")
    listing = net.panel.locator(".jp-JaxprProgram-listing .cm-scroller").first
    net.equation(1).click(position={"x": 60, "y": 8})
    expect(details).to_contain_text("of the total cost")
    page.mouse.move(1, 1)
    listing.evaluate("text => text.scrollTo(0, text.scrollHeight)")
    # The editor draws the last lines only after the scroll.
    last = net.panel.locator(".cm-line[data-number='59']")
    expect(last).to_be_in_viewport(ratio=1)
    place = last.bounding_box()

    page.mouse.move(place["x"] + 60, place["y"] + 8)  # hover() would scroll
    expect(last).to_have_attribute("data-linked", "true")
    assert abs(last.bounding_box()["y"] - place["y"]) <= 1
    assert details.bounding_box()["y"] >= place["y"] + 8
    page.mouse.move(1, 1)
    expect(last).not_to_have_attribute("data-linked", "true")
    assert abs(last.bounding_box()["y"] - place["y"]) <= 1
    expect_as_tall_as_the_text(details)


@pytest.mark.parametrize("width", [320, *(pytest.param(width, marks=pytest.mark.slow) for width in (560, 720))])
def test_names_and_arguments_of_the_cache_stay_on_one_line(net, width):
    net.set_panel_width(width)
    net.command("jupyter-jaxpr:show-cache")
    table = net.panel.get_by_role("treegrid")
    expect(table).to_contain_text("first call")
    for name in ("wave", "loss"):
        assert table.get_by_text(name, exact=True).bounding_box()["height"] <= 18
    call = table.get_by_role("row").filter(has_text="p['block_0']['bias']")
    arguments = call.locator("code")
    one = call.get_by_text(re.compile(r"^p\['block_0'\]\['bias'\]: f32\[192\],$")).last
    assert one.bounding_box()["height"] <= 18
    lines = 3 if width == 320 else 2  # the lines of an argument that is too long for one line
    assert arguments.bounding_box()["height"] <= lines * 15  # of 25 arguments
    call.click()
    expect(call).to_have_attribute("aria-selected", "true")
    expect(arguments.first).to_contain_text("and 15 more")
    assert arguments.first.bounding_box()["height"] > 2 * 18
