"""Tests `.jaxpr.json` files: a file has the whole run, and the Jupyter server compares two files without a kernel."""

from __future__ import annotations

import json
from pathlib import Path

import jax.numpy as jnp
import msgspec
import pytest

import jupyter_jaxpr as jj
from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.document.copies import whole_file
from jupyter_jaxpr.server.diff_request import answer

pytestmark = pytest.mark.any_jax

FIXTURES = Path(__file__).parent / "fixtures"


def test_save_writes_a_document_that_the_panel_opens(tmp_path):
    snapshot = jj.inspect(lambda x: jnp.sin(x) * 2, 1.0)
    snapshot.save(tmp_path / "f.jaxpr.json")
    document = read((tmp_path / "f.jaxpr.json").read_bytes())
    assert document.focus == 0
    assert [(level.name, level.state) for level in document.programs[0].levels] == [
        ("stablehlo", "held"),
        ("hlo", "held"),
    ]
    assert jj.Snapshot.from_json((tmp_path / "f.jaxpr.json").read_text()).text("jaxpr") == snapshot.text("jaxpr")
    snapshot.save(tmp_path / "f.json")
    assert read((tmp_path / "f.json").read_bytes()).programs[0].name == document.programs[0].name


def test_equations_beyond_the_limit_of_the_readers_are_left_to_a_first_page(monkeypatch):
    document = read((FIXTURES / "mlp-0.10.json").read_bytes())
    paged = msgspec.structs.replace(document, title="paged")

    def whole(equations):
        return document if equations else paged

    assert read(whole_file.whole_file(whole, 0)).title == document.title
    monkeypatch.setattr(whole_file, "HELD", 5)
    assert read(whole_file.whole_file(whole, 0)).title == "paged"


def asked(**changes):
    document = json.loads((FIXTURES / "mlp-0.10.json").read_text())
    question = {"before": document, "before_program": 0, "after": document, "after_program": 0, "level": "jaxpr"}
    return json.loads(answer(json.dumps(question | changes).encode()))


def test_the_server_compares_two_documents():
    diff = asked()["diff"]
    assert (diff["level"], diff["added"], diff["removed"], diff["changed"]) == ("jaxpr", 0, 0, 0)
    newton = json.loads((FIXTURES / "newton-0.10.json").read_text())
    assert asked(after=newton)["diff"]["added"] > 0


def test_the_server_refuses_what_it_cannot_read_with_a_sentence():
    assert asked(before_program=3) == {
        "reason": "One of the two runs does not have the chosen program. Choose another program."
    }
    assert asked(level="ptx") == {"reason": "The server does not know this request. Reload the page and try again."}
    newer = json.loads((FIXTURES / "mlp-0.10.json").read_text()) | {"version": 9}
    assert asked(before=newer)["reason"].startswith(
        "This snapshot was written by a newer jupyter_jaxpr (format 9; this version reads format 1)."
    )
    assert "reason" in asked(before={})
    assert json.loads(answer(b"\xff")) == asked(level="ptx")
    assert json.loads(answer(b"[" * 100_000)) == asked(level="ptx")
