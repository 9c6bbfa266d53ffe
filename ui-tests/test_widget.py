"""Tests the widget: the views of the panel in hosts without the labextension."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from axe_playwright_python.sync_playwright import Axe
from page_checks import cut, violations
from playwright.sync_api import Dialog, Locator, Page, TimeoutError, expect
from test_hostile_document import Hostile

import jupyter_jaxpr as jj

pytestmark = pytest.mark.fresh_page  # these tests disable the labextension, or use a page without JupyterLab

FIXTURES = Path(__file__).parent.parent / "tests" / "fixtures"
VIEWS = Path(jj.__file__).parent / "widgets" / "views.js"
# VS Code starts kernels itself, so Jupyter's variable JPY_PARENT_PID is missing.
VSCODE = "import os; os.environ['VSCODE_PID'] = '1'; del os.environ['JPY_PARENT_PID']"
WIDGET = ".jp-JaxprWidget[role=region]"

LOAD = """%load_ext jupyter_jaxpr
import jax, jax.numpy as jnp, jupyter_jaxpr as jj
w, xs = jnp.ones((4, 4)), jnp.ones((3, 4))"""
RNN = """%%jaxpr
@jax.jit
def rnn(w, xs):
    def cell(h, x):
        h = jnp.tanh(w @ h + x)
        return h, h.sum()
    return jax.lax.scan(cell, jnp.zeros(4), xs)

rnn(w, xs)[0]"""


def source_line(widget: Locator, text: str) -> Locator:
    return widget.get_by_role("textbox", name="Source of rnn").locator(".cm-line", has_text=text)


def test_in_jupyterlab_it_draws_links_asks_and_follows_its_traits(notebook, lab, page: Page):
    with lab.without_labextension():
        nb = notebook(LOAD, RNN, "widget = jj.widget()\nwidget", "widget.tab, widget.level, widget.selection['kind']")
        for index in range(3):
            nb.run(index)
    widget = page.locator(WIDGET)
    expect(widget.get_by_role("tab")).to_have_text(["Program", "Flow", "Cache1", "Time", "Cost", "Notes"])

    # A selected equation marks its expression in the widget's column with the source.
    widget.locator('.cm-line[data-number="5"]').click()
    expect(source_line(widget, "jnp.tanh(").locator(".jp-JaxprCell-span").first).to_be_visible()

    # The kernel answers.
    widget.get_by_role("tab", name="Flow").click()
    widget.get_by_role("button", name="Record the steps").click()
    expect(widget.get_by_role("heading", name="Step 1 of 3")).to_be_visible()
    assert violations(page, WIDGET) == []

    # Code of the notebook reads and sets the traits of the widget.
    nb.run(3)
    expect(nb.outputs(3)).to_have_text("('flow', 'jaxpr', 'equations')")
    nb.write(3, "widget.tab, widget.level = 'program', 'hlo'")
    nb.run(3)
    expect(widget.get_by_role("tab", name="Program")).to_have_attribute("aria-selected", "true")
    expect(widget.get_by_role("textbox", name="HLO of rnn", exact=True)).to_contain_text("ENTRY")


@pytest.mark.slow
@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_below_the_cell_by_itself_where_the_host_has_no_panel(notebook, lab, page: Page, app):
    lab.add_kernel("vscode", prelude=VSCODE)
    with lab.without_labextension():
        changed = RNN.replace("+ x)", "+ x) * 2")
        nb = notebook(LOAD, RNN, changed, kernel="vscode", app=app)
        for index in range(3):
            nb.run(index)
    expect(page.locator(WIDGET)).to_have_count(2)
    widget = page.locator(WIDGET).last

    widget.get_by_role("tab", name="Diff").click()
    expect(widget.get_by_role("status").filter(has_text="1 equation was added.")).to_be_visible()
    assert violations(page, WIDGET) == []
    widget.get_by_role("tab", name="Program").click()
    widget.get_by_role("button", name="Side by side").click()
    expect(widget.get_by_role("textbox", name="jaxpr of rnn")).to_be_visible()
    expect(widget.get_by_role("textbox", name="HLO of rnn", exact=True)).to_be_visible()
    widget.get_by_role("button", name="Back to the tabs of the widget").click()
    expect(widget.locator(":focus")).to_have_count(1)

    # The saved notebook has static output for readers without widgets, and does not contain the script with the views.
    saved = nb.save()
    assert len(json.dumps(saved)) < 150_000
    (bundle,) = [out["data"] for out in saved["cells"][2]["outputs"] if out["output_type"] == "display_data"]
    assert {"application/vnd.jupyter.widget-view+json", "text/html"} <= set(bundle)


@pytest.mark.slow
def test_where_the_panel_answers_the_output_is_two_lines(notebook, lab, page: Page):
    lab.add_kernel("vscode", prelude=VSCODE)
    nb = notebook(LOAD, RNN, kernel="vscode")
    nb.run(0)
    nb.reload()
    nb.run(1)
    expect(page.locator(".jp-JaxprOutput")).to_be_visible()
    expect(page.locator(WIDGET)).to_have_count(0)


# --- the saved state of a widget, without a kernel ---

# Acts as a host of anywidget: imports the module, and passes a model and an element to `render`.
HOST = """async ({ views, document: saved, traits }) => {
  const state = { ...traits, document: JSON.parse(saved) };
  const { render } = await import(URL.createObjectURL(new Blob([views], { type: 'text/javascript' })));
  window.sent = [];
  const model = {
    get: name => state[name],
    set: (name, value) => { state[name] = value; },
    save_changes: () => undefined,
    send: message => window.sent.push(message),
    on: () => undefined,
    off: () => undefined
  };
  window.leave = render({ model, el: document.querySelector('main') });
}"""


# A cell with a line that is so long with its types that the editor wraps it.
LONG = RNN.replace(
    "jnp.tanh(w @ h + x)", "jnp.tanh(w @ h + x) + jnp.sin(w @ h).sum() * jnp.cos(h).sum() + jnp.exp(h).sum()"
)
IN_A_SHELL = """import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for cell in sys.argv[1:]:
    shell.run_cell(cell)
print()
print(shell.user_ns["jj"].last().snapshot.to_json())"""
# Returns the top edges of the line numbers and of the lines in the source column, without the hidden first number.
TOPS = """widget => ['.cm-lineNumbers .cm-gutterElement:not([style*="visibility"])', '.cm-line'].map(part =>
  [...widget.querySelectorAll('.jp-JaxprWidget-source ' + part)]
    .map(one => Math.round(one.getBoundingClientRect().y)))"""


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    def double(x):
        return x * 2.0

    text = jj.inspect(jax.jit(double), jnp.ones(3), stage="lower").to_json()
    return json.loads(text)


@pytest.fixture
def saved(page: Page):
    """Return a function that shows the saved state of a widget on a page without JupyterLab."""

    def show(document: object, body: str = "", **traits: object) -> Locator:
        return show_text(json.dumps(document), body, **traits)

    def show_text(document: str, body: str = "", **traits: object) -> Locator:
        page.set_content(f'<!doctype html><html lang="en"><title>Host</title><body {body}><main></main></body></html>')
        traits = {"program": 0, "tab": "program", "level": "jaxpr", "selection": None} | traits
        page.evaluate(HOST, {"views": VIEWS.read_text(encoding="utf-8"), "document": document, "traits": traits})
        return page.locator(WIDGET)

    show.text = show_text

    return show


def test_a_saved_document_is_shown_and_nothing_is_asked(saved, page: Page, document):
    hostile = {"kind": "equations", "equations": [{"scope": 99, "equation": -1}]}
    widget = saved(document, program=7, tab="constructor", level="hlo", selection=hostile)
    expect(widget.get_by_role("button", name="HLO", exact=True)).to_have_attribute("aria-pressed", "true")
    widget.get_by_role("button", name="jaxpr", exact=True).click()
    expect(widget.get_by_role("textbox", name="jaxpr of double")).to_contain_text("mul a 2.0")
    assert [message["type"] for message in page.evaluate("window.sent")] == ["resend"]
    page.evaluate("window.leave()")
    expect(widget).to_have_count(0)


def test_in_a_box_it_takes_the_free_room_and_cuts_no_tool(saved, page: Page, document):
    page.set_viewport_size({"width": 1000, "height": 800})
    widget = saved(document, 'style="display: flex; margin: 0"')
    page.evaluate("document.body.append(Object.assign(document.createElement('button'), {textContent: 'b'}))")
    expect(widget.get_by_role("button", name="Open levels side by side")).to_be_visible()
    assert 900 < widget.evaluate("widget => widget.offsetWidth") < 1000
    page.set_viewport_size({"width": 280, "height": 800})
    expect(widget).to_have_css("width", "280px")
    assert cut(widget, "button, [role=tab], select, input") == []


@pytest.mark.slow
def test_made_in_a_closed_section_the_numbers_stand_beside_their_lines(saved, page: Page):
    ran = subprocess.run([sys.executable, "-c", IN_A_SHELL, LOAD, LONG], capture_output=True, text=True, check=True)
    widget = saved(json.loads(ran.stdout.splitlines()[-1]), 'style="display: none; width: 1284px"')
    expect(widget.locator(".jp-JaxprWidget-source .cm-line").first).to_be_attached()
    page.evaluate("document.body.style.display = 'block'")
    expect(widget.locator(".jp-JaxprWidget-source .cm-line").first).to_be_visible()
    # The editor measures its lines in the next frames.
    beside = f"""widget => {{
      const [numbers, lines] = ({TOPS})(widget);
      return lines.length > 3 && `${{numbers}}` === `${{lines}}`;
    }}"""
    with contextlib.suppress(TimeoutError):
        page.wait_for_function(beside, arg=widget.element_handle())
    numbers, lines = widget.evaluate(TOPS)
    assert len(lines) > 3
    assert len({later - earlier for earlier, later in pairwise(lines)}) > 1  # a line wraps
    assert numbers == lines


def test_a_damaged_document_is_refused(saved, document):
    damaged = {**document, "focus": 12}
    alert = saved(damaged).get_by_role("alert")
    expect(alert).to_contain_text("This output cannot be shown.")
    expect(alert).to_contain_text("The document is damaged at the field focus")


class Markup(Hostile):
    """Makes texts of markup: an image on another server, scripts, and a link that runs a script."""

    def text(self, field: str) -> str:
        return (
            f'</title></style></script><img src="https://example.com/{field}" onerror="alert(1)">'
            f'<svg onload="alert(2)"></svg><script>alert(3)</script><a href="javascript:alert(4)">{field}</a>'
        )


@pytest.fixture
def watched(page: Page) -> list[str]:
    """Return a list to which scripts that ran, uncaught errors, and requests to servers are added."""
    seen: list[str] = []

    def dialog(shown: Dialog) -> None:
        seen.append(f"a script ran: {shown.message}")
        shown.dismiss()

    page.on("dialog", dialog)
    page.on("pageerror", lambda error: seen.append(f"uncaught: {error.stack}"))
    page.on("request", lambda asked: None if asked.url.startswith(("blob:", "data:")) else seen.append(asked.url))
    return seen


def test_tampered_state_runs_nothing_and_asks_nothing(saved, page: Page, watched, tmp_path):
    harmless = json.loads((FIXTURES / "rnn-0.12.json").read_text(encoding="utf-8"))
    text = Markup(tmp_path).text("trait")
    selection = {"kind": "equations", "equations": [{"scope": text, "equation": {"__proto__": {"x": 1}}}]}
    tampered = Markup(tmp_path).document(harmless)
    widget = saved(tampered, tab=text, level="__proto__", program=text, selection=selection, _summary=text)
    tabs = widget.get_by_role("tab")
    expect(tabs.first).to_be_visible()
    assert tabs.count() > 4
    for tab in tabs.all():
        tab.click()
        expect(widget.locator(".jp-JaxprPanel")).to_contain_text("<script>alert(3)</script>")
        widget.locator("details").evaluate_all("folded => folded.forEach(one => { one.open = true; })")
    widget.get_by_role("tab", name="Program").click()
    widget.get_by_role("button", name="Open levels side by side").click()
    expect(widget.get_by_role("button", name="Back to the tabs of the widget")).to_be_visible()
    # CodeMirror has its own `img` elements, without an address.
    made = "img:not(.cm-widgetBuffer), script, iframe, object, [onload], [onerror], [href^='javascript:']"
    assert widget.locator(made).count() == 0
    assert page.evaluate("window.sent.map(message => message.type)") == ["resend"]
    assert watched == []


NO_DOCUMENTS = (
    "null",
    "3",
    "[]",
    "{}",
    '"<script>alert(1)</script>"',
    '{"version": 1, "__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}',
    '{"version": "1", "programs": {"length": 1e9}}',
)


@pytest.mark.parametrize(
    "document",
    [
        '{"version": 99, "id": "<img src=x onerror=alert(1)>"}',
        *(pytest.param(text, marks=pytest.mark.slow) for text in NO_DOCUMENTS),
        pytest.param(
            '{"version": 1, "programs": ' + "[" * 100_000 + "]" * 100_000 + "}", id="nested", marks=pytest.mark.slow
        ),
    ],
)
def test_state_that_is_no_document_is_refused(saved, page: Page, watched, document):
    alert = saved.text(document).get_by_role("alert")
    expect(alert).to_contain_text("This output cannot be shown.")
    assert page.evaluate("[{}.polluted, window.sent.map(message => message.type)]") == [None, ["resend"]]
    assert watched == []


# Acts as a host of anywidget that shows the saved state of a widget, and has no kernel.
LOADER_HOST = """async ({ loader, state }) => {
  document.body.innerHTML = '<main></main>';
  const { default: widget } = await import(URL.createObjectURL(new Blob([loader], { type: 'text/javascript' })));
  const model = { get: name => state[name], on: () => undefined, off: () => undefined, send: () => undefined };
  await widget.render({ model, el: document.querySelector('main') });
}"""
NO_VIEWS = (
    "The kernel has not sent the views of this run yet. If a cell is running, wait until the cell ends. "
    "If no kernel is running, run the cell again."
)


@pytest.mark.parametrize(
    ("summary", "shown"),
    [
        ("<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"),
        pytest.param("double (f32[3]) -> f32[3]", "double (f32[3]) -> f32[3]", marks=pytest.mark.slow),
        pytest.param("A" * 1_000_000, "A" * 2000 + "…", id="1 MB", marks=pytest.mark.slow),
        pytest.param({"toString": 3}, "", marks=pytest.mark.slow),
        pytest.param(None, "", marks=pytest.mark.slow),
    ],
)
def test_tampered_state_of_a_widget_without_views_is_text(page: Page, watched, summary, shown):
    state = {"_summary": summary, "_views": {"x": [1]}, "document": summary, "tab": summary}
    page.evaluate(LOADER_HOST, {"loader": VIEWS.with_name("loader.js").read_text(encoding="utf-8"), "state": state})
    expect(page.get_by_role("status")).to_have_text(shown + NO_VIEWS)
    assert page.locator("main img").count() == 0
    assert watched == []


@pytest.mark.parametrize(
    ("body", "ground"),
    [
        ('class="vscode-dark" style="background: #1e1e1e"', "rgb(33, 33, 33)"),
        pytest.param("", "rgb(255, 255, 255)", marks=pytest.mark.slow),
    ],
)
def test_on_a_page_without_jupyterlabs_colours(saved, page: Page, document, body, ground):
    widget = saved(document, body)
    expect(widget.get_by_role("tab", name="Program")).to_be_visible()
    expect(widget).to_have_css("background-color", ground)
    found = Axe().run(page, context={"include": [[WIDGET]]})
    assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found.response["violations"]] == []
    # The styles of the widget do not change elements outside of it.
    outside = page.evaluate(
        """() => {
          const probe = document.createElement('div');
          probe.className = 'lm-Widget jp-JaxprPanel lm-mod-hidden';
          document.body.append(probe);
          const { position, display } = getComputedStyle(probe);
          return [position, display, getComputedStyle(document.body).getPropertyValue('--jjx-ink2')];
        }"""
    )
    assert outside == ["static", "block", ""]


def test_the_licences_of_what_the_script_holds_come_with_it():
    text = VIEWS.with_name("third-party-licenses.txt").read_text(encoding="utf-8")
    names = set(re.findall(r"^(\S+) \S+ \((?:MIT|BSD-3-Clause)\)\n=", text, re.MULTILINE))
    assert {"@codemirror/view", "@lumino/widgets", "react", "react-dom", "style-mod", "w3c-keyname"} <= names
    grants = text.count("Permission is hereby granted") + text.count(
        "Redistribution and use in source and binary forms"
    )
    assert grants == len(names)
