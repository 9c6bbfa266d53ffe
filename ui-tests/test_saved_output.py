"""Tests the saved output of a run: two lines that open the panel, even if untrusted, or else static HTML."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbconvert
import nbformat
import pytest
from lab_server import code
from playwright.sync_api import Page, expect

LOAD = "%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp"
DOUBLE = "%%jaxpr\n@jax.jit\ndef double(x):\n    return x * 2\n\ndouble(jnp.ones(3))"
MIME_TYPE = "application/vnd.jupyter-jaxpr.v1+json"
FIXTURES = Path(__file__).parent.parent / "tests" / "fixtures"
UNREADABLE = "This output cannot be shown."

Document = dict[str, Any]


def golden(name: str) -> Document:
    """Return a golden document, made with JAX 0.10; all test suites read these documents."""
    return json.loads((FIXTURES / f"{name}-0.10.json").read_text())


def saved(document: object, source: str = "%%jaxpr", count: int | None = 7) -> dict[str, Any]:
    """Return a cell with the output of an earlier run."""
    data = {MIME_TYPE: document, "text/plain": "saved by an earlier run"}
    return code(source, [{"output_type": "display_data", "data": data, "metadata": {}}], count)


# --- a notebook that was saved earlier ---------------------------------------------------------------------


def test_two_lines_open_the_panel_without_a_kernel(notebook):
    newton, mlp = golden("newton"), golden("mlp")
    nb = notebook(saved(newton, newton["cell"]["source"]), saved(mlp, mlp["cell"]["source"]), kernel=None)
    first, second = (nb.outputs(index).get_by_role("button") for index in (0, 1))
    expect(first).to_have_text(
        "newton (f32[] weak) → (f32[] weak, i32[] weak)"
        "9 equations · 1 while loop · 4 calls, 1 compile · first call 142 ms"
    )
    expect(second).to_contain_text("per_example")
    expect(second).to_contain_text("25 equations")

    first.click()
    expect(nb.listing()).to_contain_text("while")
    expect(nb.panel.get_by_role("button", name="newton", exact=True)).to_be_visible()
    expect(nb.panel).to_contain_text("saved copy")
    expect(nb.panel.locator("[data-status=stale]")).to_have_count(0)
    # A saved output is also opened by keyboard; the output that was open before can be chosen again.
    second.press("Enter")
    expect(nb.listing()).to_contain_text("o:f32[5,2] = sub n f")
    nb.panel.get_by_role("button", name="per_example", exact=True).click()
    nb.panel.get_by_role("option", name="newton").click()
    expect(nb.listing()).to_contain_text("while")


def test_an_older_run_opens_beside_the_one_of_this_kernel(notebook):
    mlp = golden("mlp")
    nb = notebook(LOAD, saved(mlp, mlp["cell"]["source"]), DOUBLE)
    nb.run(0)
    nb.run(2)
    expect(nb.listing()).to_contain_text("b:f32[3] = mul a 2.0:f32[]")

    nb.outputs(1).get_by_role("button").click()
    expect(nb.panel.get_by_role("button", name="per_example", exact=True)).to_be_visible()
    expect(nb.panel).to_contain_text("saved copy")
    expect(nb.panel).to_contain_text("There is a newer run: Cell [2]")
    nb.outputs(2).get_by_role("button").click()
    expect(nb.listing()).to_contain_text("b:f32[3] = mul a 2.0:f32[]")
    expect(nb.panel).not_to_contain_text("saved copy")


def test_what_a_run_saved_is_what_opens_after_the_kernel_is_gone(notebook, lab, page):
    nb = notebook(LOAD, DOUBLE)
    nb.run(0)
    nb.run(1)
    expect(nb.outputs(1)).to_have_count(2)
    file = nb.save()
    (output,) = [output for output in file["cells"][1]["outputs"] if MIME_TYPE in output.get("data", {})]
    assert set(output["data"]) == {MIME_TYPE, "text/html", "text/plain"}

    again = notebook(*[saved(output["data"][MIME_TYPE], DOUBLE)], kernel=None)
    again.outputs(0).get_by_role("button").click()
    expect(again.listing()).to_contain_text("b:f32[3] = mul a 2.0:f32[]")
    for level, text in (("StableHLO", "stablehlo.multiply"), ("HLO", "HloModule jit_double")):
        again.panel.get_by_role("button", name=level, exact=True).click()
        expect(again.listing(level)).to_contain_text(text)


# --- an untrusted notebook ---------------------------------------------------------------------------------

ATTACK = "</script></pre><img src=x onerror=\"window.pwned='img'\"><script>window.pwned='script'</script>"


def with_attacks(value: Any, key: str = "") -> Any:
    """Return a document in which markup with scripts is added to every text that may be any text."""
    fixed = {"id", "origin", "group", "state", "tier", "kind", "sha256", "path", "file"}
    if isinstance(value, dict):
        return {each: with_attacks(of, each) for each, of in value.items()}
    if isinstance(value, list):
        return [with_attacks(each, key) for each in value]
    known = key in fixed or (key == "name" and value in ("stablehlo", "hlo"))
    return f"{value}{ATTACK}" if isinstance(value, str) and not known else value


def test_scripts_in_a_saved_output_are_text(notebook, page: Page):
    document = with_attacks({**golden("mlp"), "title": "t", "cut": "c"})
    notes = [{"kind": "printed_while_tracing", "text": ATTACK, "cure": ATTACK, "detail": ATTACK}]
    document["notes"] = [{**note, "program": 0, "frame": 0, "bytes": None} for note in notes]
    nb = notebook(saved(document), kernel=None)
    lines = nb.outputs(0).get_by_role("button")
    expect(lines).to_contain_text(f"per_example{ATTACK}")
    lines.click()
    expect(nb.listing()).to_contain_text("<script>window.pwned='script'</script>")
    for level in ("StableHLO", "HLO"):
        nb.panel.get_by_role("button", name=level, exact=True).click()
    nb.panel.get_by_role("tab", name="Notes").click()
    expect(nb.panel.get_by_role("article")).to_contain_text(ATTACK)
    nb.panel.get_by_role("button", name=f"per_example{ATTACK}").click()
    expect(nb.panel.get_by_role("option")).to_contain_text(ATTACK)
    # No markup of the document became an element, and no script ran.
    made = "script, img:not(.cm-widgetBuffer)"  # CodeMirror has its own `img` elements, without an address
    expect(nb.panel.locator(made)).to_have_count(0)
    expect(nb.outputs(0).locator(made)).to_have_count(0)
    assert page.evaluate("window.pwned") is None


def changed(change: Callable[[Document], object], name: str = "mlp") -> Document:
    document = copy.deepcopy(golden(name))
    change(document)
    return document


def cycle(document: Document) -> None:
    document["scopes"][0]["children"] = [[0, 0, -1, 0]]


def deep(document: Document) -> None:
    """Change a document to 999 scopes, each inside of the previous one: the deepest document that is accepted."""
    one = {"primitive": [0], "operands": [[]], "output_counts": [0], "parameters": [-1], "stack": [-1]}
    none = {"constants": 0, "inputs": 0, "outputs": [], "variable_avals": [], "dropped": [], "names": None}
    scope = document["scopes"][0] | one | none | {"name_stack": [0], "effects": [], "count": 1, "total": 1}
    depths = range(1, 1000)
    document["scopes"] = [scope | {"children": [[0, 0, -1, depth]]} for depth in depths] + [scope | {"children": []}]
    program = {"scope": 0, "input_names": [], "result_names": [], "equations": 1000, "lets": None}
    document["programs"][0].update(program)
    del document["costs"]


NEWER = (
    "A newer version of jupyter_jaxpr made the document (format 2; this panel reads format 1). Update jupyter_jaxpr "
    "where JupyterLab is installed and reload this page."
)
DAMAGED = "The document is damaged at the field {} (expected: {}). Run the cell again."

BROKEN: dict[str, tuple[object, str]] = {
    "no object": ('{"version": 1, "progr', DAMAGED.format("snapshot", "an object")),
    "a list": ([[[]]], DAMAGED.format("snapshot", "an object")),
    "nothing": (None, DAMAGED.format("snapshot", "an object")),
    "empty": ({}, DAMAGED.format("version", "an integer from 1 to 9007199254740990")),
    "newer": (changed(lambda d: d.update(version=2)), NEWER),
    "older than any": (
        changed(lambda d: d.update(version=0)),
        DAMAGED.format("version", "an integer from 1 to 9007199254740990"),
    ),
    "out of range": (
        changed(lambda d: d.update(focus=12)),
        DAMAGED.format("focus", "an integer from -1 to 0"),
    ),
    "a number for a text": (
        changed(lambda d: d["programs"][0].update(name=3)),
        DAMAGED.format("programs.name", "a text"),
    ),
    "more equations than numbers": (
        changed(lambda d: d["scopes"][0].update(count=10**15)),
        DAMAGED.format("scopes.count", "an integer from 0 to 2147483646"),
    ),
    "scopes in a circle": (
        changed(cycle),
        DAMAGED.format("scopes.children", "scopes that do not hold themselves"),
    ),
}


def test_a_broken_output_says_so_and_harms_nothing(notebook, page: Page):
    nb = notebook(*(saved(document) for document, _ in BROKEN.values()), "harmless = 1", kernel=None)
    for index, (_, why) in enumerate(BROKEN.values()):
        expect(nb.outputs(index)).to_have_text(UNREADABLE + why)
        expect(nb.outputs(index).get_by_role("button")).to_have_count(0)
    # JupyterLab still works: a cell can be edited, and the panel opens.
    nb.write(len(BROKEN), "still = 'here'")
    expect(nb.lines(len(BROKEN))).to_have_text("still = 'here'")
    nb.command("jupyter-jaxpr:toggle-panel")
    expect(nb.panel.get_by_role("heading", name="No kernel")).to_be_visible()


HUGE = "x" * 3_000_000


def huge_texts(document: Document) -> None:
    program = document["programs"][0]
    program["name"] = HUGE
    program["arguments"][0].update(name=HUGE, type=HUGE, summary=HUGE)
    note = {"kind": "failed", "text": HUGE, "cure": HUGE, "detail": HUGE, "program": 0, "frame": -1, "bytes": None}
    document.update(title=HUGE, cut=HUGE, notes=[note])


def huge_numbers(document: Document) -> None:
    program = document["programs"][0]
    program.update(equations=2 * 10**9, complete=False, lets=[])
    del document["costs"]  # costs must cover every equation of a scope, otherwise the document is refused
    document["scopes"][program["scope"]].update(count=2 * 10**9, total=2 * 10**9)
    for scope in document["scopes"]:
        scope["names"] = ["v"] * len(scope["variable_avals"])


def huge_line(document: Document) -> None:
    """Change the StableHLO of a document to one line of three million characters."""
    level = document["programs"][0]["levels"][0]
    level.update(state="held", text=HUGE, line_stacks=[-1], lines=1, characters=len(HUGE), reason=None)


@pytest.mark.parametrize(
    "change",
    [huge_texts, *(pytest.param(change, marks=pytest.mark.slow) for change in (huge_numbers, huge_line, deep))],
)
def test_a_huge_output_is_cut_and_jupyterlab_stays_usable(notebook, change):
    nb = notebook(saved(changed(change)), kernel=None)
    button = nb.outputs(0).get_by_role("button")
    expect(button).to_be_visible(timeout=30_000)
    assert len(button.inner_text()) < 2000
    button.click()
    expect(nb.listing()).to_contain_text("lambda", timeout=30_000)
    if change is huge_line:
        nb.panel.get_by_role("button", name="StableHLO").click()
        expect(nb.listing("StableHLO")).to_contain_text("xxx", timeout=30_000)
    assert nb.panel.locator("*").count() < 5000
    assert nb.panel.evaluate("node => node.textContent.length") < 500_000
    # The page answers a key within a second, so no long work is running.
    nb.write(0, "still = 'here'")
    expect(nb.lines(0)).to_have_text("still = 'here'")


# --- without the labextension ------------------------------------------------------------------------------


@pytest.mark.slow
def test_nbconvert_shows_static_html(notebook, new_context):
    nb = notebook(
        LOAD,
        f"%%jaxpr\ndef plain(x):\n    return x * 2\n\nplain.__name__ = {ATTACK!r}\njax.jit(plain)(jnp.ones(3))",
    )
    nb.run(0)
    nb.run(1)
    expect(nb.outputs(1)).to_have_count(2)
    nb.save()
    file = nbformat.read(nb.lab.root / nb.name, as_version=4)
    # The template "basic" has no scripts and no styles of nbconvert: only the contents of the cells.
    html, _ = nbconvert.HTMLExporter(template_name="basic").from_notebook_node(file)
    static = new_context().new_page()
    static.set_content(html)
    expect(static.get_by_role("heading").first).to_contain_text(ATTACK)
    expect(static.get_by_text("b:f32[3] = mul a 2.0:f32[]")).to_be_visible()
    expect(static.get_by_role("table")).to_have_count(0)
    static.get_by_text("Times of the stages of the call that made the program").click()
    expect(static.get_by_role("table").first).to_contain_text("compile")
    assert static.evaluate("window.pwned") is None
    expect(static.locator(".jjx-static").locator("script, img, style")).to_have_count(0)


@pytest.mark.slow
def test_the_output_is_turned_off_or_cut_by_a_setting(notebook):
    long = (
        "%%jaxpr\n@jax.jit\ndef long(x):\n    for _ in range(400):\n        x = jnp.sin(x)\n    return x\n\nlong(1.0)"
    )
    nb = notebook(
        LOAD + "\n%config JaxprMagics.output = False",
        DOUBLE,
        "%config JaxprMagics.output = True\n%config JaxprMagics.output_bytes = 8_000",
        long,
    )
    nb.run(0)
    nb.run(1)
    # the panel shows the run although the output is switched off
    expect(nb.listing()).to_contain_text("b:f32[3] = mul a 2.0:f32[]")
    expect(nb.outputs(1)).to_have_text("Array([2., 2., 2.], dtype=float32)")
    nb.run(2)
    nb.run(3)
    expect(nb.outputs(3).nth(1)).to_contain_text("400 equations")
    (output,) = [output for output in nb.save()["cells"][3]["outputs"] if MIME_TYPE in output.get("data", {})]
    document = output["data"][MIME_TYPE]
    assert len(json.dumps(document, separators=(",", ":"))) <= 8_000
    assert document["cut"].startswith(
        "To keep the notebook under 8.0\xa0kB, this saved copy leaves out the cache entries of functions of other "
        "cells, the types of the names in your code and equations."
    )

    opened = notebook(saved(document, long), kernel=None)
    opened.outputs(0).get_by_role("button").click()
    expect(opened.panel).to_contain_text(document["cut"])
    expect(opened.panel.get_by_title("400 equations")).to_be_visible()
