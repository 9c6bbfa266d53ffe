"""Tests lesson 1, "What jit does": the panel shows claims A1 to A4, and the lesson runs without the panel, too."""

import json
import re
import subprocess
import sys

import nbformat
import pytest
from playwright.sync_api import expect

# On Python 3.11, calls that raise early are not counted, so the count is a lower bound with the sign ≥.
AT_LEAST = "≥" if sys.version_info < (3, 12) else ""


@pytest.fixture
def lesson_file(lessons):
    return lessons / "en" / "01-what-jit-does.ipynb"


@pytest.fixture
def lesson(notebook, lesson_file):
    """Return the open lesson, and a function that runs a cell, given the id of the cell in the file."""
    cells = json.loads(lesson_file.read_text(encoding="utf-8"))["cells"]
    for cell in cells:
        cell["source"] = "".join(cell["source"])
        if "outputs" in cell:
            cell["outputs"] = []  # as after Clear All Outputs, so that all outputs come from this kernel
    names = [cell["id"] for cell in cells]
    nb = notebook(*cells)
    nb.run(names.index("load"))

    def run(name):
        nb.run(names.index(name))
        return names.index(name)

    return nb, run


def notes(nb):
    nb.panel.get_by_role("tab", name=re.compile("^Notes")).click()
    return nb.panel.get_by_role("tabpanel", name=re.compile("^Notes"))


def a1_the_function_becomes_three_equations_each_linked_to_its_line(nb, run):
    cell = run("a1-log2")

    equations = nb.listing().locator('.cm-line[data-kind="equation"]')
    expect(equations).to_have_text(
        ["b:f32[]ln_xweak = log a", "c:f32[]ln_2weak = log 2.0:f32[]", "d:f32[]weak = div b c"]
    )
    expect(nb.listing().locator(".cm-line").first).to_have_text("{ lambda ; a:f32[]xweak. let")
    for equation, line, text in ((0, "4", "jnp.log(x)"), (1, "5", "jnp.log(2.0)"), (2, "6", "ln_x / ln_2")):
        expect(equations.nth(equation)).to_have_attribute("data-cell-line", line)
        nb.point_at(equations.nth(equation))
        nb.expect_linked(cell, text)
    nb.lines(cell).nth(5).click()
    nb.page.keyboard.press("End")
    expect(nb.listing().locator('[data-linked="true"]')).to_have_text("d:f32[]weak = div b c")

    card = nb.page.locator(".jp-JaxprCell-expression")
    nb.lines(cell).nth(5).get_by_text("ln_2").hover()
    expect(card).to_have_count(1)
    # The card that Shift+F1 opens replaces the card at the mouse pointer.
    nb.page.keyboard.press("Shift+F1")
    expect(card).to_have_count(1)
    for words in (
        "ln_x / ln_2",
        "returned a value of the type f32[]{weak}",
        "1 equation",
        "d:f32[] = div b c",
    ):
        expect(card).to_contain_text(words)
    nb.page.keyboard.press("ArrowUp")

    expect(nb.typed_lines(cell).nth(1)).to_have_accessible_description(
        "While JAX traced, ln_x had the type f32[]{weak} at this place."
    )

    head = nb.panel.locator(".jp-JaxprPanel-header")
    expect(head).to_contain_text("x: f32[] weak → f32[] weak")
    expect(nb.panel.get_by_role("img", name="First call")).to_have_accessible_name(
        re.compile(r"trace .+, lower .+, compile .+, first run ")
    )
    for level, text in (("StableHLO", "stablehlo.log"), ("HLO", "ENTRY")):
        nb.panel.get_by_role("button", name=level, exact=True).click()
        expect(nb.listing(level)).to_contain_text(text)
    nb.panel.get_by_role("button", name="jaxpr", exact=True).click()


def a2_the_side_effect_is_not_in_the_program_but_in_the_notes(nb, run):
    run("a2-list")
    cell = run("a2-append")

    expect(nb.listing().locator('.cm-line[data-kind="equation"]')).to_have_text(
        ["b:f32[]ln_xweak = log a", "c:f32[]ln_2weak = log 2.0:f32[]", "d:f32[]weak = div b c"]
    )
    leak = notes(nb).get_by_role("listitem").filter(has_text="global_list")
    expect(leak).to_contain_text("Line 4")
    expect(leak).to_contain_text("1 tracer (f32[]) stayed in global_list after the trace of log2_and_remember.")
    leak.get_by_role("button", name="Line 4").click()
    expect(nb.editor(cell)).to_be_focused()
    expect(nb.outputs(run("a2-look"))).to_contain_text("JitTracer")


def a3_print_runs_once_and_shows_a_tracer(nb, run):
    cell = run("a3-print")

    printed = nb.outputs(cell).first
    expect(printed).to_have_text(re.compile(r"^x is JitTracer\(~?float32\[\]\)\s*$"))
    expect(nb.panel.locator(".jp-JaxprPanel-header")).to_contain_text(f"{AT_LEAST}2 calls, 1 compile")
    expect(nb.listing()).not_to_contain_text("print")
    note = notes(nb).get_by_role("listitem").filter(has_text="printed while JAX traced")
    expect(note).to_contain_text("Line 4")
    note.get_by_text("Printed text").click()
    expect(note.get_by_role("group").locator("pre")).to_have_text(re.compile(r"^x is JitTracer\(~?float32\[\]\)\s*$"))


def a4_only_the_branch_that_was_taken_is_recorded(nb, run):
    cell = run("a4-branch")

    expect(nb.listing().locator(".cm-line")).to_have_text(["{ lambda ; a:i32[3]x. let", "in (a,) }"])
    expect(nb.panel.get_by_title("0 equations")).to_be_visible()
    untraced = nb.cell(cell).locator(".jp-JaxprCell-untraced")
    if sys.version_info >= (3, 12):  # from Python 3.12 on, the lines that a trace did not reach are known
        expect(untraced).to_have_text(
            ["        ln_x = jnp.log(x)", "        ln_2 = jnp.log(2.0)", "        return ln_x / ln_2"]
        )

    run("a4-matrix")
    expect(nb.panel.locator(".jp-JaxprPanel-header")).to_contain_text("x: f32[2,2] → f32[2,2]")
    expect(nb.listing().locator('.cm-line[data-kind="equation"]')).to_have_text(
        [
            "b:f32[2,2]ln_x = log a",
            "c:f32[]ln_2weak = log 2.0:f32[]",
            re.compile(r"^d:f32\[\] = convert_element_type.* c$"),
            "e:f32[2,2] = div b d",
        ]
    )
    # A line above the program states the differences from the previous run; it appears later and moves the program
    # down.
    expect(nb.panel.get_by_role("button", name="Show the diff")).to_be_visible()
    nb.listing().locator('.cm-line[data-number="1"]').hover()
    nb.expect_linked(cell, "jnp.log(x)")


def a7_the_first_call_is_the_slow_one_and_another_shape_has_its_own(nb, run):
    run("a7-first")

    nb.panel.get_by_role("tab", name=re.compile("^Time")).click()
    time = nb.panel.get_by_role("tabpanel", name=re.compile("^Time"))
    again = time.get_by_role("table", name="Times of eager and warm calls")
    expect(again.get_by_role("rowheader")).to_have_text(["eager", "warm"])

    run("a7-shape")
    expect(nb.panel.locator(".jp-JaxprPanel-header")).to_contain_text(f"{AT_LEAST}2 calls, 1 compile")
    nb.panel.get_by_role("tab", name=re.compile("^Cache")).click()
    cache = nb.panel.get_by_role("tabpanel", name=re.compile("^Cache"))
    expect(cache).to_contain_text("x: f32[1000000] → f32[2000000]")


CLAIMS = (
    a1_the_function_becomes_three_equations_each_linked_to_its_line,
    a2_the_side_effect_is_not_in_the_program_but_in_the_notes,
    a3_print_runs_once_and_shows_a_tracer,
    a4_only_the_branch_that_was_taken_is_recorded,
    a7_the_first_call_is_the_slow_one_and_another_shape_has_its_own,
)


def test_every_claim_is_to_be_seen(lesson, subtests):
    nb, run = lesson
    for claim in CLAIMS:
        with subtests.test(claim.__name__):
            if nb.panel.is_visible():
                nb.panel.get_by_role("tab", name="Program").click()
            claim(nb, run)


@pytest.mark.slow
def test_it_runs_from_top_to_bottom_without_a_panel(lesson_file, tmp_path):
    subprocess.run(
        [
            sys.executable,
            "-m",
            "nbconvert",
            "--execute",
            "--to",
            "notebook",
            "--output-dir",
            str(tmp_path),
            lesson_file,
        ],
        check=True,
        capture_output=True,
        timeout=120,
    )
    cells = {cell["id"]: cell for cell in nbformat.read(tmp_path / lesson_file.name, as_version=4).cells}
    assert [c["id"] for c in cells.values() if c["cell_type"] == "code" and c["execution_count"] is None] == []
    (branch,) = [out for out in cells["a4-branch"]["outputs"] if "text/html" in out.get("data", {})]
    assert "{ lambda ; a:i32[3]. let" in branch["data"]["text/html"]
