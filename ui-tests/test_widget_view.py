"""The widget's view in a browser, without JupyterLab: as VS Code and Colab load it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

import jupyter_jaxpr

pytestmark = pytest.mark.fresh_page  # it is no page of JupyterLab's

FOLDER = Path(jupyter_jaxpr.__file__).parent / "scripts" / "widget_view"

# What a host of anywidgets does: import the module, give `render` a model and an element.
HOST = """async ({ module, shown }) => {
  const blob = new Blob([module], { type: 'text/javascript' });
  const { default: widget } = await import(URL.createObjectURL(blob));
  const listeners = {};
  window.model = {
    shown,
    get: () => window.model.shown,
    on: (event, listener) => { listeners[event] = listener; },
    off: event => { delete listeners[event]; },
    set: value => { window.model.shown = value; listeners['change:shown']?.(); }
  };
  window.leave = widget.render({ model: window.model, el: document.querySelector('main') });
  window.listeners = listeners;
}"""


def program(name: str, **fields: Any) -> dict[str, Any]:
    level = {"title": "jaxpr", "text": f"{{ lambda ; {name} }}", "note": None, "lines": "1 line"}
    missing = {"title": "HLO", "text": None, "note": "JAX has not compiled it. Compile it.", "lines": None}
    return {
        "signature": f"{name} (f32[3]) → f32[3]",
        "full_signature": f"{name} (x: f32[3]) → f32[3]",
        "counts": "1 equation · 1 call, 1 compile · first call 142 ms",
        "origin": None,
        "stages": [
            {"kind": "trace", "name": "trace", "seconds": 0.02, "time": "20 ms"},
            {"kind": "compile", "name": "compile", "seconds": 0.12, "time": "120 ms"},
        ],
        "levels": [level, missing],
        **fields,
    }


def shown(*programs: dict[str, Any], **fields: Any) -> dict[str, Any]:
    focus = len(programs) - 1
    base = {
        "title": None,
        "message": None,
        "focus": focus,
        "programs": programs,
        "notes": [],
        "cache": None,
        "made_with": "jax 0.12.0",
    }
    return base | fields


@pytest.fixture
def view(page: Page):
    """Shows data in the widget's view on a white page."""

    def show(data: dict[str, Any], colours: str = "color: #222; background: #fff") -> Page:
        style = (FOLDER / "view.css").read_text(encoding="utf-8")
        page.set_content(
            f'<!doctype html><html lang="en"><title>Host</title><style>{style}</style>'
            f'<body style="{colours}"><main></main></body></html>'
        )
        page.evaluate(HOST, {"module": (FOLDER / "view.js").read_text(encoding="utf-8"), "shown": data})
        return page

    return show


def test_it_shows_the_program_its_stages_and_its_levels(view):
    page = view(shown(program("double")))
    expect(page.get_by_text("double (f32[3]) → f32[3]")).to_be_visible()
    expect(page.get_by_text("1 equation · 1 call, 1 compile · first call 142 ms")).to_be_visible()
    trace, compile_ = (part.bounding_box()["width"] for part in page.locator(".jjx-part").all())
    assert compile_ / trace == pytest.approx(6, rel=0.05)
    expect(page.get_by_role("img", name="trace 20 ms, compile 120 ms")).to_be_visible()
    expect(page.locator("pre")).to_have_text("{ lambda ; double }")
    expect(page.get_by_role("button", name="jaxpr")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="HLO").click()
    expect(page.get_by_role("status")).to_have_text("JAX has not compiled it. Compile it.")
    expect(page.locator("pre")).to_be_hidden()


def test_of_several_programs_the_one_in_focus_is_shown_first(view):
    page = view(shown(program("first"), program("second")))
    expect(page.locator("pre")).to_have_text("{ lambda ; second }")
    page.get_by_label("Program").select_option("first (f32[3]) → f32[3]")
    expect(page.locator("pre")).to_have_text("{ lambda ; first }")


def test_it_follows_its_model_until_it_is_taken_away(view):
    page = view(shown(message="No jitted function was called."))
    expect(page.locator("main")).to_contain_text("No jitted function was called.")
    page.evaluate("data => window.model.set(data)", shown(program("late")))
    expect(page.locator("pre")).to_have_text("{ lambda ; late }")
    page.evaluate("() => window.leave()")
    assert page.evaluate("() => Object.keys(window.listeners)") == []


CACHE = {
    "head": ["function", "calls", "hits", "entries", "compiles", "price"],
    "sentence": "2 compiles: tracing, lowering and compiling took 240 ms.",
    "rows": [["rnn", "12", "10", "2", "2", "240 ms"]],
    "misses": ["rnn, line 4: compiled, 120 ms: first call of rnn."],
    "left_out": "and 1 more miss",
    "note": None,
}


def test_it_shows_what_the_cache_did(view):
    page = view(shown(program("rnn"), cache=CACHE))
    expect(page.get_by_text("2 compiles: tracing, lowering and compiling took 240 ms.")).to_be_visible()
    expect(page.get_by_role("row")).to_have_text(["functioncallshitsentriescompilesprice", "rnn121022240 ms"])
    expect(page.get_by_role("list", name="Misses")).to_have_text("rnn, line 4: compiled, 120 ms: first call of rnn.")
    expect(page.get_by_text("and 1 more miss")).to_be_visible()


def test_text_is_never_markup(view):
    text = '<img src=x onerror="window.ran = true"><script>window.ran = true</script>'
    note = {"where": text, "text": text, "cure": text, "detail": text}
    cache = {"head": [text], "sentence": text, "rows": [[text]], "misses": [text], "left_out": text, "note": text}
    hostile = program(text, origin=text, counts=text)
    page = view(shown(hostile, program(text), title=text, message=text, notes=[note], cache=cache, made_with=text))
    expect(page.get_by_text(text).first).to_be_visible()
    assert page.locator("main img, main script").count() == 0
    assert page.evaluate("() => window.ran === undefined")


@pytest.mark.parametrize("colours", ["color: #222; background: #fff", "color: #ddd; background: #1e1e1e"])
def test_axe_finds_nothing_on_white_and_on_black(view, colours):
    note = {"where": "line 3", "text": "A constant was captured.", "cure": "Pass it.", "detail": "f32[3]"}
    page = view(shown(program("first"), program("second"), title="Run", notes=[note], cache=CACHE), colours)
    found = Axe().run(page, options={"rules": {"page-has-heading-one": {"enabled": False}}})
    assert found.response["violations"] == []
