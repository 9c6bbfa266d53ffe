"""Tests the program in the panel: its names, its three levels, folding, search, and the tip on a variable."""

import re

import pytest
from playwright.sync_api import expect

LOAD = """\
%load_ext jupyter_jaxpr
import jax, jax.numpy as jnp
from jax import lax"""

RNN = """\
%%jaxpr
@jax.jit
def rnn(w, xs):
    def step(h, x):
        h = jnp.tanh(x @ w["x"] + h @ w["h"])
        return h, h

    h, hs = lax.scan(step, jnp.zeros(16), xs)
    return jax.nn.softmax(h), hs

w = {"x": jnp.ones((8, 16)), "h": jnp.ones((16, 16))}
rnn(w, jnp.ones((100, 8)))[0].shape"""

# Matches the results and the primitive of an equation: `e:f32[16] f:f32[100,16] = scan`.
EQUATION = re.compile(r"((?:\b[a-z]+:\w+\[[\d,]*\] )+)= (\w+)")


@pytest.fixture
def rnn(shared_notebook):
    nb = shared_notebook(LOAD, RNN, "print(rnn.trace(w, jnp.ones((100, 8))).jaxpr)")
    expect(nb.equation(2)).to_contain_text("scan")
    return nb


def test_the_equations_have_the_names_that_print_gives_them(rnn):
    printed = EQUATION.findall(" ".join(rnn.outputs(2).text_content().split()))

    rnn.panel.get_by_role("button", name="Unfold all").click()
    expect(rnn.listing().get_by_role("button", name=re.compile("^Unfold"))).to_have_count(0)
    shown = (
        rnn.listing()
        .locator('.cm-line[data-kind="equation"]')
        .evaluate_all("""lines => lines.map(line => {
            const text = line.cloneNode(true);
            text.querySelectorAll('.jp-JaxprProgram-tag').forEach(tag => tag.remove());
            return [text.textContent.split('= ')[0], text.querySelector('.jp-JaxprProgram-primitive').textContent];
        })""")
    )

    assert [tuple(equation) for equation in shown] == printed
    assert len(printed) == int(
        rnn.panel.get_by_title(re.compile("^[0-9]+ equations$")).inner_text().removesuffix(" eq")
    )


def test_the_program_is_numbered_and_coloured_and_cannot_be_written_to(rnn):
    scan = rnn.equation(2)
    expect(scan).to_have_text(re.compile(r"^e:f32\[16\]h f:f32\[100,16\]hs = scan"))
    expect(scan).to_have_attribute("data-cell-line", "8")
    expect(scan.locator(".jp-JaxprProgram-type")).to_have_text(["f32[16]", "f32[100,16]"])
    expect(scan.locator(".jp-JaxprProgram-primitive")).to_have_text("scan")
    # equation 3 is in the body of the scan; the numbering continues there
    expect(rnn.equation(3)).to_have_attribute("data-cell-line", "5")

    # The inputs of the body are folded once the editor knows its width, one frame after the text appears.
    expect(rnn.listing()).to_contain_text("w: 2 arrays, 384")
    before = rnn.listing().inner_text()
    scan.click()
    rnn.page.keyboard.type("x")
    rnn.page.keyboard.press("Delete")
    assert rnn.listing().inner_text() == before


def test_stablehlo_and_hlo_are_those_that_ran(rnn):
    levels = rnn.panel.get_by_role("group", name="Level")
    levels.get_by_role("button", name="StableHLO").click()
    expect(rnn.listing("StableHLO")).to_contain_text("stablehlo.while")
    expect(rnn.listing("StableHLO")).to_contain_text("tensor<100x16xf32>")
    expect(rnn.panel.get_by_text(re.compile(r"^\d+ lines$"))).to_be_visible()
    expect(rnn.listing()).to_be_hidden()

    levels.get_by_role("button", name="HLO", exact=True).click()
    expect(rnn.listing("HLO")).to_contain_text("ENTRY")
    expect(levels.get_by_role("button", pressed=True)).to_have_text("HLO")

    # A click on a line of HLO with a source line marks this line in the cell.
    line = rnn.listing("HLO").locator(".cm-line[data-cell-line]").first
    line.click()
    expect(rnn.cell(1).locator(".jp-JaxprCell-line").first).to_be_visible()


def test_a_nested_program_folds_by_mouse_and_by_keyboard(rnn):
    listing = rnn.listing()
    body = rnn.equation(5)
    expect(body).to_contain_text("add")
    listing.get_by_role("button", name="Fold 4 equations").click()
    expect(body).to_be_hidden()
    expect(rnn.equation(2)).to_contain_text("4 equations")
    listing.get_by_role("button", name="Unfold 4 equations").first.click()
    expect(body).to_be_visible()

    rnn.equation(2).click(position={"x": 80, "y": 8})
    rnn.page.keyboard.press("ArrowLeft")
    expect(body).to_be_hidden()
    rnn.page.keyboard.press("ArrowRight")
    expect(body).to_be_visible()

    # A library call is one folded line with the range of its equations, until it is unfolded.
    softmax = listing.get_by_text(re.compile(r"^jax\.nn\.softmax · 7 to \d+$"))
    softmax.click()
    expect(softmax).to_be_hidden()
    expect(rnn.equation(8)).to_be_visible()
    rnn.panel.get_by_role("button", name="Fold all", exact=True).click()
    expect(softmax).to_be_visible()
    expect(body).to_be_hidden()


def test_search_counts_and_goes_from_match_to_match(rnn):
    rnn.equation(1).click()
    rnn.page.keyboard.press("Control+f")
    field = rnn.panel.get_by_role("textbox", name="Find in program")
    expect(field).to_be_focused()
    count = rnn.panel.get_by_role("group", name="Search", exact=True).get_by_role("status")

    field.fill("dot_general")
    expect(count).to_have_text("2")
    field.press("Enter")
    expect(count).to_have_text("1 of 2")
    expect(rnn.listing().locator(".cm-searchMatch-selected")).to_have_text("dot_general")
    field.press("Enter")
    expect(count).to_have_text("2 of 2")
    field.press("Shift+Enter")
    expect(count).to_have_text("1 of 2")
    field.fill("no such thing")
    expect(count).to_have_text("no matches")
    rnn.panel.get_by_role("button", name="Regular expression").click()
    field.fill("^[a-z]+:f32.16. = ")
    expect(count).to_have_text(re.compile(r"^[1-9]\d*$"))

    field.press("Escape")
    expect(field).to_be_hidden()
    expect(rnn.listing()).to_be_focused()


def test_a_variable_and_a_primitive_say_what_they_are(rnn):
    tip = rnn.page.get_by_role("tooltip").or_(rnn.page.locator(".jp-JaxprProgram-tip"))
    rnn.equation(6).get_by_text("tanh", exact=True).hover()
    expect(tip).to_contain_text("tanh")
    expect(tip).to_contain_text("line 5")

    # The middle of the first letter of the binder: the variable's name at the start of the line.
    box = rnn.equation(6).bounding_box()
    text = rnn.equation(6).evaluate("""line => {
        const range = document.createRange();
        const text = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
        for (let node = text.nextNode(); node; node = text.nextNode()) {
            if (/^\\w+:$/.test(node.data)) {
                range.setStart(node, 0);
                range.setEnd(node, 1);
                const box = range.getBoundingClientRect();
                return [box.x + box.width / 2, box.y + box.height / 2];
            }
        }
    }""")
    assert box and text
    rnn.page.mouse.move(*text, steps=3)
    expect(tip).to_contain_text("shape 16, dtype float32")
    expect(tip).to_contain_text("defined by equation 6")
    expect(tip).to_contain_text("a result")


def test_a_program_of_6000_equations_is_read_from_end_to_end(notebook):
    nb = notebook(
        LOAD,
        "def long(x):\n    for _ in range(3000):\n        x = jnp.sin(x) + x\n    return x",
        "%jaxpr long(f32[8])",
    )
    nb.page.keyboard.press("Control+Alt+j")
    nb.run_all()
    expect(nb.panel.get_by_title("6,000 equations")).to_have_text("6,000 eq")
    expect(nb.equation(1)).to_contain_text("sin")
    lines = nb.listing().locator(".cm-line")
    assert lines.count() < 200  # the page contains no elements for lines outside of the visible part

    nb.equation(1).click()
    nb.page.keyboard.press("End")
    expect(nb.equation(6000)).to_be_in_viewport()
    nb.equation(6000).locator(".jp-JaxprProgram-primitive").click()
    nb.expect_linked(1, "jnp.sin(x) + x")
    assert lines.count() < 200

    # Scroll to the top in forty steps; at each step the visible lines exist, and few others.
    shown = nb.listing().evaluate("""async content => {
        const scroller = content.closest('.cm-scroller');
        const frame = () => new Promise(done => requestAnimationFrame(done));
        const shown = [];
        for (let left = 40; left > 0; left--) {
            scroller.scrollTop = ((left - 1) / 40) * scroller.scrollHeight;
            await frame();
            await frame();
            const { top, bottom } = scroller.getBoundingClientRect();
            const lines = [...content.querySelectorAll('.cm-line')];
            const seen = lines.filter(line => {
                const box = line.getBoundingClientRect();
                return box.bottom > top && box.top < bottom;
            });
            shown.push([seen.length, lines.length]);
        }
        return shown;
    }""")
    assert all(5 < seen <= made < 200 for seen, made in shown), shown
    expect(nb.equation(1)).to_be_in_viewport()
