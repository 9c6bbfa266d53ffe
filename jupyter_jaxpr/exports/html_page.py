"""Writes a document as a self-contained HTML file: the cell beside its programs, with links, folds and search.

Below the programs is the same content as in `html_of_saved_output.py`. The content security policy of the page allows
only this package's scripts, by their hashes, and forbids every connection. All texts of the document are escaped. Long
texts and the script are compressed. With scripts disabled, a reader sees the first lines of long texts and all lines of
the others.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain

from ..document.copies.without_values import as_saved
from ..document.printed_program import Budget
from ..document.read.named_types import LineTypes, types_of_lines
from ..document.types.document import Cell, Frame, Snapshot
from ..document.types.pages import SourcePage
from . import short_texts_of_run
from .html_of_saved_output import about, after, before
from .html_writer import Markup, element, raw, unclosed, void
from .html_writer import page as html_page
from .lines_without_scripts import compact, other_lines, packed, standing_lines
from .program_texts_of_page import LinkedText, linked_texts

# The number of lines in a chunk; a browser lays out only the chunks near the visible part.
_CHUNK = 50
# The page lists at most this many calls of the stack of a place.
_MOST_CALLS = 12


@cache
def _own(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def page(document: Snapshot, source_of: Callable[[str], SourcePage | None] = lambda path: None) -> str:
    """Return the document as an HTML file with complete texts; its colours follow the reader's light or dark setting.

    Args:
        document: The document.
        source_of: A function: path -> text of the source file. Used for a run outside of a cell.
    """
    document = as_saved(document)
    own_file, source = _own_source(document, source_of)
    program = short_texts_of_run.shown_first(document)
    title = document.title or (str(short_texts_of_run.signature(program)) if program else "jupyter_jaxpr")
    # the heading has no signature, because the page shows the signature below the heading
    heading = document.title or (program.name if program else "jupyter_jaxpr")
    style = json.dumps(_own("with_script.css"))
    script = f"'use strict';\nconst STYLE = {style};\n" + _own("lines.js") + _own("page.js")
    first = _own("unpack.js")
    head = element(
        "head",
        void("meta", charset="utf-8"),
        void("meta", name="viewport", content="width=device-width, initial-scale=1"),
        void("meta", http_equiv="Content-Security-Policy", content=_policy(first, script)),
        element("title", title),
        raw("style", _own("without_script.css")),
    )
    order = sorted(short_texts_of_run.exported(document), key=lambda index: index != document.focus)
    budget = Budget()
    texts = {index: linked_texts(document, index, budget, own_file) for index in order}
    benches = [
        element(
            "section",
            # The name of the first program is the heading of the page, so it is not repeated.
            *about(document, document.programs[index], 2, named=number > 0 or heading != document.programs[index].name),
            _bench(document, texts[index], source, index, number == 0),
        )
        for number, index in enumerate(order)
    ]
    body = element(
        "body",
        element("main", element("h1", heading), _theme(), *before(document, 2), *benches, *after(document, 2)),
        raw("script", _places(document, own_file, chain(*texts.values())), type="application/json", id="places"),
        raw("script", _calls(document, own_file, chain(*texts.values())), type="application/json", id="calls"),
        packed(script, id="script"),
        raw("script", first),
    )
    return html_page(element("html", head, body, lang="en"))


def _policy(*scripts: str) -> str:
    hashes = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    named = " ".join(f"'sha256-{script_hash}'" for script_hash in hashes)
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src {named}"


def _theme() -> Markup:
    options = [element("option", name, value=name) for name in ("system", "light", "dark")]
    return element("p", element("label", "Theme ", element("select", *options, id="theme")))


def _own_source(
    document: Snapshot, source_of: Callable[[str], SourcePage | None]
) -> tuple[str | None, LinkedText | None]:
    """Return (path of the source beside the texts, its text); for the cell's own source the text is None."""
    if document.cell is not None:
        return document.cell.file, None
    frames = Counter(document.frames[stack.frames[0]].file for stack in document.stacks if stack.frames)
    for file, _ in frames.most_common():
        path = document.files[file].path
        source_page = source_of(path) if document.files[file].kind == "user" else None
        if source_page is not None and source_page.stretches:
            return path, _stretches(path, source_page)
    return None, None


def _stretches(path: str, source_page: SourcePage) -> LinkedText:
    lines: list[str] = []
    numbers: list[int] = []
    for stretch in source_page.stretches:
        text = stretch.text.split("\n")
        if lines or stretch.first_line > 1:
            lines.append("…")
            numbers.append(0)
        lines += text
        numbers += range(stretch.first_line, stretch.first_line + len(text))
    return LinkedText("source", "Source", path.rsplit("/", 1)[-1], lines, [-1] * len(lines), {}, numbers)


def _places(document: Snapshot, own_file: str | None, texts: chain[LinkedText]) -> str:
    """Return JSON, safe inside a script: {frame: its span in the shown source, or its file and line}."""
    used = {frame for text in texts for frame in text.frames if frame >= 0}
    spans: dict[str, tuple[int, int, int, int] | str] = {}
    for number in sorted(used):
        is_own = _is_own(document, number, own_file)
        spans[str(number)] = _span(document.frames[number]) if is_own else _badge(document, number, own_file)
    return _json(spans)


def _calls(document: Snapshot, own_file: str | None, texts: chain[LinkedText]) -> str:
    """Return JSON, safe inside a script: {frame: the calls of its stack as text, innermost first}."""
    used = {frame for text in texts for frame in text.frames if frame >= 0}
    calls: dict[str, str] = {}
    for stack in document.stacks:
        frame = next((number for number in stack.frames if number in used), -1)
        if frame >= 0 and len(stack.frames) > 1:
            named = [
                f"{document.strings[document.frames[number].function]}, line {_badge(document, number, own_file)}"
                for number in stack.frames[:_MOST_CALLS]
            ]
            calls.setdefault(str(frame), " ← ".join(named))
    return _json(calls)


def _json(value: object) -> str:
    return compact(value).replace("<", "\\u003c")


def _span(frame: Frame) -> tuple[int, int, int, int]:
    return frame.line, frame.end_line, frame.column, frame.end_column


def _is_own(document: Snapshot, number: int, own_file: str | None) -> bool:
    return document.files[document.frames[number].file].path == own_file


def _bench(document: Snapshot, texts: list[LinkedText], source: LinkedText | None, index: int, opened: bool) -> Markup:
    """Return the source and the texts of a program side by side."""
    texts = texts if source is None else [source, *texts]
    columns = [_column(text) for text in texts]
    names = [(text.name, text.title) for text in texts]
    if document.cell is not None:
        columns.insert(0, _source(document.cell, types_of_lines(document, index, document.cell.file)))
        names.insert(0, ("source", "Source"))
    bench = element(
        "div",
        element("div", _tools(tuple(names)), class_="jjx-tools"),
        element("div", *columns, class_="jjx-columns"),
        class_="jjx-bench",
    )
    # The address of a line has the program, the level and the shown number: #program-0:jaxpr:7 is equation 7.
    name = f"program-{index}"
    return element("details", element("summary", "Program"), bench, class_="jjx-program", id=name, open=opened)


@lru_cache(maxsize=8)
def _tools(names: tuple[tuple[str, str], ...]) -> Markup:
    """Return the controls above columns with these names and titles.

    A document may have thousands of small programs, whose controls are mostly equal, so the markup is made once.
    """
    boxes = [
        element("label", void("input", type="checkbox", checked="", data_level=name), f" {title}")
        for name, title in names
    ]
    return element(
        "div",
        element("label", "Find ", void("input", type="search", size="16")),
        element("output", aria_label="Found"),
        element("button", "Fold all", type="button", data_open="false"),
        element("button", "Unfold all", type="button", data_open="true"),
        *boxes,
        element("span", role="status", aria_label="Linked"),
        element("span", role="status", aria_label="Calls"),
        hidden="",
    )


def _source(cell: Cell, types: Mapping[int, LineTypes]) -> Markup:
    lines = [
        element("li", line, data_t=at.text, title=at.whole) if (at := types.get(number)) else unclosed("li", line)
        for number, line in enumerate(cell.source.split("\n"), 1)
    ]
    return _section("source", "Source", "", _listing("source", "Source", lines, []))


def _column(text: LinkedText) -> Markup:
    if text.absent is not None:
        return _section(text.name, text.title, "", element("p", text.absent))
    standing = standing_lines(text)
    lines = []
    for number, line in enumerate(text.lines[:standing]):
        facts: dict[str, int | str] = {}
        if number in text.folds:
            facts["data_f"] = text.folds[number]
        if text.numbers is not None:
            facts["data_e"] = text.numbers[number]
        if number in text.folded_words:
            facts["data_w"] = compact(text.folded_words[number].data)
        lines.append(unclosed("li", line, **facts))
    listing = _listing(text.name, text.title, lines, text.frames[:standing])
    return _section(text.name, text.title, text.size, listing, other_lines(text))


def _listing(name: str, title: str, lines: list[Markup], frames: list[int]) -> Markup:
    """Return the lines of one level of a program as HTML lists, one for each chunk of lines."""
    chunks = [
        element("ol", *lines[first : first + _CHUNK], start=str(first + 1)) for first in range(0, len(lines), _CHUNK)
    ]
    places = " ".join(map(str, frames))
    return element("div", *chunks, data_level=name, data_title=title, data_places=places)


def _section(name: str, title: str, size: str, *inside: Markup) -> Markup:
    heading = element("h3", f"{title} ", element("span", size))
    return element("section", heading, *inside, data_level=name, aria_label=title)


def _badge(document: Snapshot, number: int, own_file: str | None) -> str:
    """Return the line of a frame as text, such as `4`; `[2]:4` or `model.py:4` if another cell or file has the line."""
    frame = document.frames[number]
    file = document.files[frame.file]
    if _is_own(document, number, own_file):
        return str(frame.line)
    if file.kind == "cell":
        return f"[{'?' if file.execution_count is None else file.execution_count}]:{frame.line}"
    return f"{file.path.rsplit('/', 1)[-1]}:{frame.line}"
