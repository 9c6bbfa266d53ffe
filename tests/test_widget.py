"""Tests the kernel's side of the widget: its traits, its answers, and its saved state. ui-tests/ test its views."""

import base64
import gzip
import json
import re
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import jax.numpy as jnp
import msgspec
import pytest
import traitlets
from jax import lax

import jupyter_jaxpr as jj
from jupyter_jaxpr.build.document_of_run import Built
from jupyter_jaxpr.magic.widget_or_static_output import shows_widget
from jupyter_jaxpr.widgets import jaxpr_widget
from jupyter_jaxpr.wire.answers_to_requests import Answers
from jupyter_jaxpr.wire.kept_runs import Runs
from jupyter_jaxpr.wire.messages_of_widget import WidgetMessages, own_messages

pytestmark = pytest.mark.any_jax

ROOT = Path(__file__).parents[1]


def total(xs):
    return lax.scan(lambda carry, x: (carry + x, x), 0.0, xs)[0]


@pytest.fixture(autouse=True)
def built(tmp_path, monkeypatch):
    """Replace the script with the views, which only the build makes, by a short script."""
    script = tmp_path / "views.js"
    script.write_text("export const render = () => undefined;")
    monkeypatch.setattr(jaxpr_widget, "VIEWS", script)
    jaxpr_widget.views.cache_clear()
    yield
    jaxpr_widget.views.cache_clear()


@pytest.fixture
def shown():
    """Yield a widget of an inspection, and the list of messages that it sends."""
    widget = jj.widget(jj.inspect(total, jnp.ones(3), stage="trace"))
    sent = []
    widget.send = sent.append  # replaces the method that would send the message on the comm
    widget._messages._send = sent.append
    yield widget, sent
    widget.close()


def say(opened, **message):
    opened._handle_custom_msg(message, [])


def test_a_host_saves_the_document_and_a_short_script_but_never_the_views(shown):
    import anywidget

    opened, _ = shown
    assert isinstance(opened, anywidget.AnyWidget)
    state = opened.get_state()
    assert jj.Snapshot.from_json(json.dumps(state["document"])).programs[0].name == "total"
    assert (state["program"], state["tab"], state["level"], state["selection"]) == (0, "program", "jaxpr", None)
    assert state["_summary"].startswith("total (f32[3]) → f32[]")
    assert len(state["_esm"]) < 5_000
    assert sum(len(json.dumps(state[key])) for key in state if key not in ("document", "_esm")) < 2_000


def test_the_views_come_as_a_message(shown):
    opened, sent = shown
    say(opened, type="views")
    (message,) = sent
    assert message["version"] == opened._views
    assert gzip.decompress(base64.b64decode(message["gzip"])) == b"export const render = () => undefined;"


def test_the_kernel_says_hello_sends_the_run_and_answers(shown):
    opened, sent = shown
    say(opened, type="resend", protocol=2, version="0.1.0")
    hello, snapshot = sent
    assert (hello["type"], hello["seq"], snapshot["type"], snapshot["seq"]) == ("hello", 1, "snapshot", 2)
    run = snapshot["snapshot"]["id"]
    say(opened, type="cost", id=7, snapshot=run, program=0)
    assert (sent[2]["type"], sent[2]["id"], sent[2]["result"]["program"]) == ("answered", 7, 0)
    say(opened, type="cost", id=8, snapshot="another", program=0)
    assert sent[3]["type"] == "refused"
    assert "The kernel no longer holds this run" in sent[3]["reason"]


def test_a_call_is_traced_while_the_kernel_holds_the_run_and_does_nothing_else(shown):
    opened, _ = shown
    sent, traced = [], []
    snapshot = jj.inspect(total, jnp.ones(3), stage="trace")
    built = Built(snapshot.document, snapshot.sources, retrace=lambda: traced.append(1))
    messages = own_messages(built, dict, sent.append, lambda document: None)
    messages.receive({"type": "trace", "snapshot": "another"}, "page")
    messages._answers.kernel.cells = Mock(is_measuring=lambda: True)
    messages.receive({"type": "trace", "snapshot": snapshot.document.id}, "page")
    assert [(message["text"], message["cure"]) for message in sent] == [
        ("The kernel no longer holds this run.", "Run the cell again."),
        (
            "The kernel does not trace the call while a cell or a measurement runs.",
            "Wait until the cell or the measurement ends, and trace the call again.",
        ),
    ]
    assert traced == []
    messages._answers.kernel.cells = None
    messages.receive({"type": "trace", "snapshot": snapshot.document.id}, "page")
    assert (traced, sent[2]["type"]) == ([1], "snapshot")


def test_the_run_of_the_widget_comes_first_and_earlier_runs_for_the_diff_follow():
    runs, documents = Runs(), []
    for created, function in enumerate([jnp.sin, jnp.cos, jnp.tan]):
        snapshot = jj.inspect(function, jnp.ones(3), stage="trace")
        documents.append(msgspec.structs.replace(snapshot.document, created=float(created)))
        runs.keep(Built(documents[-1], snapshot.sources))
    sent = []
    messages = WidgetMessages(documents[1], runs, Answers(runs, dict), sent.append, lambda document: None)
    messages.receive({"type": "resend"}, "page")
    assert [message["type"] for message in sent] == ["hello", "snapshot", "snapshot"]
    assert [message["snapshot"]["id"] for message in sent[1:]] == [documents[1].id, documents[0].id]


@pytest.mark.parametrize("message", [{"type": "trace"}, {"type": "trace", "snapshot": 3}, {"type": ["cost"], "id": 1}])
def test_a_message_of_a_wrong_shape_prints_nothing(shown, capfd, monkeypatch, message):
    opened, _ = shown
    failures = []
    monkeypatch.setattr(type(opened._msg_callbacks), "__call__", called_with(failures))
    say(opened, **message)
    assert (failures, capfd.readouterr()) == ([], ("", ""))


def called_with(failures):
    """Return a function that calls ipywidgets' handlers and keeps their errors, which ipywidgets would print."""

    def call(handlers, *args):
        for handler in handlers.callbacks:
            try:
                handler(*args)
            except Exception as error:
                failures.append(error)

    return call


def test_an_answer_is_in_the_document_that_a_host_saves(shown):
    opened, sent = shown
    before = opened.document
    say(opened, type="transform", id=1, snapshot=before["id"], program=0, kind="vmap")
    assert sent[-1]["type"] == "answered"
    assert (before.get("transforms", []), len(opened.document["transforms"])) == ([], 1)


def test_the_traits_take_what_the_views_have_and_nothing_else(shown):
    opened, _ = shown
    opened.tab, opened.level = "cost", "hlo"
    with pytest.raises(traitlets.TraitError, match="'nothing'"):
        opened.tab = "nothing"
    with pytest.raises(traitlets.TraitError, match="read-only"):
        opened.document = {}
    views = re.search(r"VIEW_NAMES.*?= \[([^\]]*)\]", (ROOT / "src/panel/shell/view-names.ts").read_text(), re.DOTALL)
    assert tuple(re.findall(r"'(\w+)'", views[1])) == jaxpr_widget.TABS


def test_layouts_of_ipywidgets_take_it(shown):
    import ipywidgets

    opened, _ = shown
    tabs = []
    opened.observe(lambda change: tabs.append(change["new"]), "tab")
    box = ipywidgets.VBox([opened])
    opened.tab = "time"
    assert (box.children, tabs) == ((opened,), ["time"])
    box.close()


def test_a_snapshot_of_a_file_has_no_kernel_behind_it():
    saved = jj.Snapshot.from_json(jj.inspect(total, jnp.ones(3), stage="trace").to_json())
    widget = jj.widget(saved)
    sent = widget.send = []
    say(widget, type="resend", protocol=2, version="0.1.0")
    assert (sent, widget.document["programs"][0]["name"]) == ([], "total")
    widget.close()


def test_values_that_are_not_saved_are_not_in_the_state():
    scale = float("1234" + ".5")
    snapshot = jj.inspect(lambda x: x * scale, jnp.ones(3), stage="trace")
    widget = jj.widget(snapshot)
    value = str(scale)  # the document contains this value, which the function reads from outside
    assert value in json.dumps(widget.document)
    widget.close()
    # This document is as with `%config JaxprMagics.values = False`.
    widget = jj.widget(jj.Snapshot(msgspec.structs.replace(snapshot.document, values="live")))
    assert value not in json.dumps(widget.get_state(["document", "_summary"]))
    widget.close()


def test_a_host_without_widgets_has_the_static_output(shown):
    opened, _ = shown
    data, _ = opened._repr_mimebundle_()
    assert set(data) == {
        "application/vnd.jupyter.widget-view+json",
        "application/vnd.jupyter-jaxpr.v1+json",
        "text/html",
        "text/plain",
    }


def test_what_widget_takes():
    with pytest.raises(
        TypeError,
        match=r"^widget shows a snapshot, not int. Pass jupyter_jaxpr.last\(\) or jupyter_jaxpr.inspect\(f, x\).$",
    ):
        jj.widget(3)


def test_without_anywidget_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "jupyter_jaxpr.widgets.jaxpr_widget")
    with pytest.raises(
        ImportError,
        match=r"^The widget needs anywidget, which the extra `lab` brings. Run `pip install anywidget`, restart the "
        r"kernel, and try again.$",
    ):
        jj.widget(jj.inspect(total, jnp.ones(3), stage="trace"))


def test_views_that_were_not_built_are_named(monkeypatch, tmp_path):
    monkeypatch.setattr(jaxpr_widget, "VIEWS", tmp_path / "none.js")
    jaxpr_widget.views.cache_clear()
    with pytest.raises(FileNotFoundError, match="Run `jlpm build` in the checkout"):
        jj.widget(jj.inspect(total, jnp.ones(3), stage="trace"))


def test_nobody_who_does_not_ask_for_it_imports_anywidget():
    program = "import sys, jupyter_jaxpr.widgets, jupyter_jaxpr.magic; print('anywidget' in sys.modules)"
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert process.stdout == "False\n"


@pytest.mark.parametrize(
    ("choice", "has_panel", "host", "expected"),
    [
        ("auto", False, "none", False),
        ("auto", False, "colab", True),
        ("auto", False, "code", True),
        ("auto", True, "code", False),
        ("auto", False, "JupyterLab in a terminal of code", False),
        ("always", True, "none", True),
        ("never", False, "colab", False),
    ],
)
def test_when_a_cell_shows_a_widget_by_itself(monkeypatch, choice, has_panel, host, expected):
    monkeypatch.delenv("VSCODE_PID", raising=False)
    monkeypatch.delenv("JPY_PARENT_PID", raising=False)
    if host == "colab":
        monkeypatch.setitem(sys.modules, "google.colab", object())
    elif host != "none":
        monkeypatch.setenv("VSCODE_PID", "1")
        if host != "code":
            monkeypatch.setenv("JPY_PARENT_PID", "2")
    assert shows_widget(choice, has_panel) is expected
