"""Tests the page of a document: every line has its source place, the page loads nothing, and only our script runs.

ui-tests/test_exported_page.py tests the script in a browser.
"""

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import zlib
from html.parser import HTMLParser
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from msgspec.structs import replace

import jupyter_jaxpr as jj
from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.document.printed_program import program_lines, program_text
from jupyter_jaxpr.document.printed_variable_names import pools_of
from jupyter_jaxpr.document.read.equation_numbers import equation_numbers
from jupyter_jaxpr.exports.html_page import page

pytestmark = pytest.mark.any_jax

FIXTURES = Path(__file__).parent / "fixtures"


def golden(name):
    return read((FIXTURES / f"{name}-0.12.json").read_bytes())


def unpacked(text):
    return zlib.decompress(base64.b64decode(text)).decode()


def hashed(script):
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


class Page(HTMLParser):
    """Parses a page: its lines by level, and its scripts; checks that nothing in it loads or runs anything else."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.lines, self.places, self.folds, self.scripts = {}, {}, {}, []
        self.numbers = {}
        self._level = self._script = self._last = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        by_name = dict(attributes)
        assert tag not in {"a", "base", "embed", "form", "iframe", "img", "link", "object", "svg"}, tag
        assert not {name for name in by_name if name in {"src", "href", "style"} or name.startswith("on")}, by_name
        self._script = None
        if tag == "ol":
            assert by_name["start"] == str(len(self.lines[self._last]) + 1)
            self._level = self._last
        elif "data-title" in by_name:
            self._level = self._last = by_name["data-level"]
            self.lines[self._level], self.folds[self._level] = [], {}
            self.places[self._level] = [int(place) for place in by_name["data-places"].split()]
        elif tag == "li" and self._level is not None:
            lines = self.lines[self._level]
            if "data-e" in by_name:
                self.numbers.setdefault(self._level, []).append(int(by_name["data-e"]))
            if "data-f" in by_name:
                self.folds[self._level][len(lines)] = int(by_name["data-f"])
            lines.append("")
        elif tag == "script":
            self._script = by_name.get("id", "text" if "type" in by_name else "")
            self.scripts.append([self._script, ""])

    def handle_endtag(self, tag):
        if tag == "script" and self._script == "text":
            facts = json.loads(unpacked(self.scripts[-1][1]))
            assert facts["longest"] >= max(map(len, facts["lines"]))
            before = len(self.lines[self._last])
            self.lines[self._last] += facts["lines"]
            self.places[self._last] += facts["places"]
            self.folds[self._last] |= {before + int(line): count for line, count in facts["folds"].items()}
        self._script = None
        if tag in {"ol", "div"}:
            self._level = None

    def handle_data(self, data):
        if self._script is not None:
            self.scripts[-1][1] += data
        elif self._level is not None:
            self.lines[self._level][-1] += data

    def script(self, name):
        [text] = [text for script_name, text in self.scripts if script_name == name]
        return text

    def where(self, place):
        """Return (first line, last line, first and last column) of a place in the cell; else the text of its line."""
        return json.loads(self.script("places"))[str(place)]


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*-0.1?.json")), ids=lambda path: path.stem)
def test_every_line_of_every_text_is_there(path):
    document = read(path.read_bytes())
    read_page = Page(page(document))
    if document.programs:
        last = sorted(range(len(document.programs)), key=lambda index: index != document.focus)[-1]
        assert [line.rstrip() for line in read_page.lines["jaxpr"]] == [
            line.rstrip() for line in program_text(document, last).split("\n")
        ]
        for level in document.programs[last].levels:
            if level.text is not None:
                assert [line.strip() for line in read_page.lines[level.name]] == [
                    line.strip() for line in level.text.split("\n")
                ]
    if document.cell is not None and document.programs:
        assert [line.rstrip() for line in read_page.lines["source"]] == [
            line.rstrip() for line in document.cell.source.split("\n")
        ]


def test_lines_of_one_expression_have_one_place_in_every_text():
    read_page = Page(page(golden("rnn")))
    tanh = {
        level: [
            place for line, place in zip(read_page.lines[level], read_page.places[level], strict=True) if "tanh" in line
        ]
        for level in ("jaxpr", "stablehlo")
    }
    assert tanh["jaxpr"] == tanh["stablehlo"]
    [place] = tanh["jaxpr"]
    line, end, column, end_column = read_page.where(place)
    assert (line, end) == (7, 7)
    assert read_page.lines["source"][6][column:end_column] == 'jnp.tanh(a + r + p["b"])'


def test_what_a_library_does_has_the_place_of_the_users_call():
    read_page = Page(page(golden("rnn")))
    lines = zip(read_page.lines["jaxpr"], read_page.places["jaxpr"], strict=True)
    [place] = [place for line, place in lines if "exp" in line]
    assert read_page.where(place)[0] == 11  # the line of the cell whose call reaches `exp` inside of jax.nn.softmax


def test_equations_of_several_lines_fold():
    document = golden("rnn")
    read_page = Page(page(document))
    assert read_page.folds["jaxpr"] == {2: 10}
    assert read_page.lines["jaxpr"][2].endswith("scan[")
    assert read_page.lines["jaxpr"][12].strip().startswith("]")
    module, function = sorted(read_page.folds["stablehlo"].items())[:2]
    assert read_page.lines["stablehlo"][module[0]].startswith("module @")
    assert read_page.lines["stablehlo"][function[0]].strip().startswith("func.func public @main")


def test_equations_have_the_numbers_of_the_panel():
    read_page = Page(page(golden("rnn")))
    numbered = [
        (number, line.strip().split("[")[0])
        for number, line in zip(read_page.numbers["jaxpr"], read_page.lines["jaxpr"], strict=True)
        if number
    ]
    assert numbered[:8] == [
        (1, "f:f32"),
        (2, "g:f32"),
        (3, "n:f32"),
        (4, "o:f32"),
        (5, "p:f32"),
        (6, "q:f32"),
        (7, "r:f32"),
        (8, "s:f32"),
    ]
    assert [number for number, _ in numbered] == list(range(1, 18))


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*-0.1?.json")), ids=lambda path: path.stem)
def test_every_equation_of_a_complete_program_has_one_number(path):
    document = read(path.read_bytes())
    for index, program in enumerate(document.programs):
        numbers = list(equation_numbers(document, index, pools_of(document)).values())
        assert numbers == (list(range(1, program.equations + 1)) if program.complete else [])


SCRIPT = """\
import jax
import jax.numpy as jnp
import jupyter_jaxpr as jj


def scaled(x):
    return jnp.sin(x) * 2


def model(x):
    return scaled(x) + 1


jj.inspect(model, 1.0, stage="trace").save("model.html")
"""


def test_the_page_of_a_script_has_its_source_and_the_calls_that_led_to_an_equation(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    subprocess.run([sys.executable, "script.py"], cwd=tmp_path, check=True, env={**os.environ, "JAX_PLATFORMS": "cpu"})
    read_page = Page((tmp_path / "model.html").read_text(encoding="utf-8"))
    assert [line.rstrip() for line in read_page.lines["source"]] == SCRIPT.splitlines()
    assert read_page.numbers["source"] == list(range(1, len(read_page.lines["source"]) + 1))
    [sin] = [
        place for line, place in zip(read_page.lines["jaxpr"], read_page.places["jaxpr"], strict=True) if "sin" in line
    ]
    line, _, column, end_column = read_page.where(sin)
    assert (line, read_page.lines["source"][line - 1][column:end_column]) == (7, "jnp.sin(x)")
    assert json.loads(read_page.script("calls"))[str(sin)] == "scaled, line 7 ← model, line 11"


def test_a_line_knows_the_equations_it_is_part_of():
    printed = program_lines(golden("rnn"), 0)
    [tanh] = [equations for line, equations in zip(printed.lines, printed.equations, strict=True) if "tanh" in line]
    assert tanh == ((1, 4), (0, 1))


def test_only_our_script_may_run_and_nothing_is_loaded():
    text = page(golden("rnn"))
    read_page = Page(text)
    first, viewer = read_page.script(""), unpacked(read_page.script("script"))
    [policy] = re.findall('Content-Security-Policy" content="([^"]*)"', text)
    assert policy.replace("&#x27;", "'") == (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hashed(first)}' 'sha256-{hashed(viewer)}'"
    )
    for loads in ("@import", "url(", "fetch(", "XMLHttpRequest", "innerHTML", "eval("):
        assert loads not in text + viewer


def test_text_of_a_document_is_never_markup():
    attack = "</script><script>alert(1)</script><img src=x onerror=alert(1)>'\"&"
    document = golden("rnn")
    cell = replace(document.cell, source=f"{document.cell.source}\n{attack}")
    strings = [attack if text == "tanh" else text for text in document.strings]
    levels = [replace(level, text=f"{attack}\n{level.text}") for level in document.programs[0].levels]
    program = replace(document.programs[0], name=attack, levels=levels)
    read_page = Page(page(replace(document, title=attack, cell=cell, strings=strings, programs=[program])))
    assert read_page.lines["source"][-1] == attack
    assert read_page.lines["hlo"][0] == attack
    packed = [kind for kind, _ in read_page.scripts if kind == "text"]
    assert [kind for kind, _ in read_page.scripts] == [*packed, "places", "calls", "script", ""]
    assert "alert(1)" not in "".join(text for _, text in read_page.scripts)


def test_the_name_of_a_file_is_never_markup():
    document = golden("rnn")
    files = [replace(file, kind="file", path="/tmp/<!--<script>.py") for file in document.files]
    read_page = Page(page(replace(document, files=files)))
    places = {read_page.where(place) for place in read_page.places["jaxpr"] if place >= 0}
    assert "<!--<script>.py:7" in places
    assert "<" not in read_page.script("places")


def test_long_texts_are_packed():
    def f(x):
        for _ in range(5_000):
            x = jnp.sin(x)
        return x

    snapshot = jj.inspect(jax.jit(f), 1.0, stage="lower")
    text = page(snapshot._full_document())
    read_page = Page(text)
    assert [kind for kind, _ in read_page.scripts] == ["text", "text", "places", "calls", "script", ""]
    assert "\n".join(read_page.lines["stablehlo"]) == snapshot.text("stablehlo")
    assert len(read_page.places["stablehlo"]) == len(read_page.lines["stablehlo"])
    assert len(text) < 200_000


@pytest.mark.slow
def test_a_page_holds_all_equations_of_a_program_however_many_there_are(tmp_path):
    def f(x):
        for _ in range(21_000):
            x = jnp.sin(x)
        return x

    snapshot = jj.inspect(f, 1.0, stage="trace")
    snapshot.save(tmp_path / "f.html")
    read_page = Page((tmp_path / "f.html").read_text(encoding="utf-8"))
    lines = [line.removesuffix("  # x") for line in read_page.lines["jaxpr"]]
    assert "\n".join(lines) == snapshot.text("jaxpr")
    assert len(lines) == 21_002


def test_a_level_that_was_not_made_says_why(tmp_path):
    jj.inspect(lambda x: x * 2, 1.0, stage="trace").save(tmp_path / "double.html")
    text = (tmp_path / "double.html").read_text(encoding="utf-8")
    assert 'data-level="hlo" aria-label="Optimised HLO"' in text
    assert set(Page(text).lines) == {"source", "jaxpr"}
