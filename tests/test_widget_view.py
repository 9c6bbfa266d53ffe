"""Tests the data of the widget for hosts without the labextension."""

import json
import subprocess
import sys

import jax.numpy as jnp
import pytest
from jax import lax

import jupyter_jaxpr as jj
from jupyter_jaxpr.scripts.widget_view import shown

pytestmark = pytest.mark.any_jax


def total(xs):
    return lax.scan(lambda carry, x: (carry + x, x), 0.0, xs)[0]


def test_what_the_view_is_given():
    view = shown(jj.inspect(total, jnp.ones(3), stage="lower"))
    (program,) = view.pop("programs")
    jaxpr, stablehlo, hlo = program.pop("levels")
    made_with = view.pop("made_with")
    assert view == {"title": None, "message": None, "focus": 0, "notes": [], "cache": None}
    assert program == {
        "signature": "total (f32[3]) → f32[]",
        "full_signature": "total (xs: f32[3]) → f32[]",
        "counts": "3 equations · 1 scan ×3 · lowered, not run",
        "origin": "jupyter_jaxpr.inspect traced this program.",
        "stages": [],
    }
    assert jaxpr["title"] == "jaxpr"
    assert jaxpr["text"].startswith("{ lambda ; a:f32[3]. let\n  b:f32[] ")
    assert stablehlo["title"] == "StableHLO"
    assert stablehlo["text"].startswith("module @jit_total ")
    assert hlo == {
        "title": "HLO",
        "text": None,
        "note": "This snapshot does not hold the HLO. JAX has not made the text. Inspect with stage='compile'.",
        "lines": None,
    }
    assert made_with.endswith(f"on cpu, jupyter_jaxpr {jj.__version__}")


def test_a_saved_snapshot_is_shown_too():
    saved = jj.Snapshot.from_json(jj.inspect(total, jnp.ones(3)).to_json())
    assert [level["title"] for level in shown(saved)["programs"][0]["levels"] if level["text"]] == [
        "jaxpr",
        "StableHLO",
        "HLO",
    ]


def test_the_cache_of_a_cell_is_shown_as_in_its_saved_output(kernel_documents):
    (document,) = kernel_documents(
        "%%jaxpr\nimport jax, jax.numpy as jnp\n@jax.jit\ndef f(y):\n    return y + 1\nf(jnp.ones(2)), f(jnp.ones(3))"
    )
    view = shown(jj.Snapshot.from_json(json.dumps(document)))["cache"]
    assert view["head"] == ("function", "calls", "hits", "entries", "compiles", "price")
    ((name, _, _, entries, compiles, _),) = view["rows"]
    assert (name, entries, compiles) == ("f", "2", "2")
    assert [miss.split(": ", 2)[-1].split(". ")[0].removesuffix(".") for miss in view["misses"]] == [
        "first call of f",
        "the type of y changed from f32[2] to f32[3]",
    ]


def test_it_is_an_anywidget_with_the_view_in_it():
    import anywidget

    snapshot = jj.inspect(total, jnp.ones(3), stage="trace")
    made = jj.widget(snapshot)
    assert isinstance(made, anywidget.AnyWidget)
    assert made.shown == shown(snapshot)
    state = made.get_state()
    assert state["_esm"].endswith("export default { render };\n")
    assert ".jjx-widget" in state["_css"]


def test_without_anywidget_a_sentence_says_what_to_install(monkeypatch):
    from jupyter_jaxpr.scripts import widget_view

    monkeypatch.setitem(sys.modules, "anywidget", None)
    widget_view._widget_class.cache_clear()
    with pytest.raises(
        ImportError,
        match=r"^The widget needs anywidget. Run `pip install anywidget`, restart the kernel, and try again.$",
    ):
        jj.widget(jj.inspect(total, jnp.ones(3), stage="trace"))


def test_nobody_who_does_not_ask_for_it_imports_anywidget():
    program = "import sys, jupyter_jaxpr.scripts.display, jupyter_jaxpr.magic; print('anywidget' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
