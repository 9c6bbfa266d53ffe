"""Tests that any text of a document is plain text in an export: it makes no markup, and loads or sends nothing."""

from __future__ import annotations

import copy
import json
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import mistune
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.exports import html_writer, markdown_writer
from jupyter_jaxpr.exports.html_page import page
from jupyter_jaxpr.exports.markdown import markdown
from jupyter_jaxpr.exports.parts_of_saved_output import bundle

pytestmark = pytest.mark.any_jax

EVERYTHING = json.loads((Path(__file__).parent / "fuzz" / "documents" / "everything-0.12.json").read_text())

# The hostile texts begin and end with this mark, by which a test finds them in an export.
MARK = "zq7"
PIECES = st.sampled_from(
    [
        "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</script>", "</style>", "<!--", "-->", "]]>",
        '" onmouseover="alert(1)', "' onclick='alert(1)", "&lt;b&gt;", "&#60;", "<", ">", "&", '"', "'",
        "[a](javascript:alert(1))", "![a](https://evil.example/a.png)", "[a]: https://evil.example", "<https://e.example>",
        "https://evil.example/a", "www.evil.example", "`", "```", "~~~", "|", "| - |", "# ", "- ", "1. ", "> ", "---",
        "===", "**", "__", "~~", "$", "\\", "\\|", "{% raw %}", "\n", "\n\n", "\r\n", "\t", "    ", "\x00", "\x1b[31m",
        "\u2028", "\u202e", "javascript:alert(1)", "data:text/html,x", "\ufffc", "a", " ", "é", "🙂",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=8).map(lambda pieces: MARK + "".join(pieces) + MARK)

# The only elements that an export may have.
TAGS = set(
    "html head meta title style body main h1 h2 h3 h4 p small code pre table caption thead tbody tr th td ul ol li div "
    "section details summary strong button label input output select option span noscript script".split()
)
# The only attributes that an export may have; none of them can load, link, post or run anything.
ATTRIBUTES = set(
    "charset name content http-equiv lang class id type value checked scope start open hidden size role aria-label "
    "data-f data-level data-title data-places data-open data-e data-w".split()
)


def places(value, path=()):
    """Yield the path of each text in a value of JSON."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        if isinstance(inner, str):
            yield (*path, key)
        yield from places(inner, (*path, key))


def changed(fields, path, text):
    *above, last = path
    for key in above:
        fields = fields[key]
    fields[last] = text


@cache
def free():
    """Return the paths of the texts that may be any text; a document with any other text replaced is refused."""
    by_field = {}
    for path in places(EVERYTHING):
        by_field.setdefault(field_of(path), []).append(path)
    collected = []
    for paths in by_field.values():
        fields = copy.deepcopy(EVERYTHING)
        changed(fields, paths[0], "any")
        try:
            read(fields)
        except ValueError:
            continue
        collected += paths
    return collected


def field_of(path):
    return tuple(key for key in path if isinstance(key, str))


def hostile(text):
    """Return the document of `EVERYTHING` with this text in each place that may hold any text."""
    fields = copy.deepcopy(EVERYTHING)
    for path in free():
        changed(fields, path, text)
    return read(fields)


class Reader(HTMLParser):
    """Parses a page like a browser: its elements, its attributes, its text, and separately the text in scripts."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.words, self.scripts = [], [], [], []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        within = self.tags[-1] if self.tags else ""
        (self.scripts if within in ("script", "style") else self.words).append(data)

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data!r}")

    def unknown_decl(self, data):
        raise AssertionError(f"a declaration: {data!r}")


def even(text):
    """Return a text with each white space as one blank, and NUL as browsers show it."""
    return " ".join(text.replace("\x00", "\ufffd").split())


def test_every_field_of_a_document_may_hold_any_text():
    fields = {field_of(path)[-1] for path in free()}
    assert len(free()) > 500
    assert {"title", "message", "name", "call", "value", "text", "cure", "error", "path", "spec", "sentence"} <= fields


@settings(max_examples=examples(100))
@given(TEXTS)
def test_a_saved_page_shows_text_and_loads_nothing(text):
    source = page(hostile(text))
    read_again = Reader(source)
    assert set(read_again.tags) <= TAGS
    assert {name for name, _ in read_again.attributes} <= ATTRIBUTES
    assert read_again.attributes.count(("http-equiv", "Content-Security-Policy")) == 1
    assert any(value.startswith("default-src 'none';") for name, value in read_again.attributes if name == "content")
    # The hostile text is shown in full.
    assert even(text) in even("".join(read_again.words))
    # A script element with data may contain the hostile text, but as JSON in which "<" is escaped.
    hostile_scripts = [script for script in read_again.scripts if "alert(1)" in script or "evil.example" in script]
    assert all(script.startswith("{") and "<" not in script and json.loads(script) for script in hostile_scripts)
    # Only one script is code. The others are data, which a browser does not run.
    data = ("application/json", "application/octet-stream")
    types = [value for name, value in read_again.attributes if name == "type" and value in data]
    assert read_again.tags.count("script") == len(types) + 1


@settings(max_examples=examples(100))
@given(TEXTS)
def test_the_html_of_an_output_shows_text(text):
    read_again = Reader(bundle(hostile(text))["text/html"])
    assert set(read_again.tags) <= TAGS - {"script", "style", "meta", "input", "button"}
    assert {name for name, _ in read_again.attributes} <= {"class", "scope", "open"}
    assert even(text) in even("".join(read_again.words))


@settings(max_examples=examples(100))
@given(TEXTS)
def test_markdown_shows_text(text):
    github = mistune.create_markdown(escape=False, plugins=["table", "url", "strikethrough", "task_lists", "footnotes"])
    read_again = Reader(github(markdown(hostile(text))))
    assert set(read_again.tags) <= set("h1 h2 h3 p ul li pre code table thead tbody tr th td".split())
    assert {name for name, _ in read_again.attributes} <= {"class", "style"}
    assert even(text) in even("".join(read_again.words))


@settings(max_examples=examples(100))
@given(TEXTS)
def test_plain_text_steers_no_terminal(text):
    plain_text = bundle(hostile(text))["text/plain"]
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", plain_text)


def test_what_is_not_written_by_a_writer_is_no_markup():
    with pytest.raises(ValueError, match="holds an end tag or a comment"):
        html_writer.raw("script", "'</script>'")
    assert html_writer.element("p", "<b>", html_writer.element("i", "&")).source == "<p>&lt;b&gt;<i>&amp;</i></p>"
    assert markdown_writer.table(["<img onerror>"], [["a|b"]]).source == "| \\<img onerror\\> |\n| --- |\n| a\\|b |"
    with pytest.raises(AttributeError):
        markdown_writer.page(["# text"])
