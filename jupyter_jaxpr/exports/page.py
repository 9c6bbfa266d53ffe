"""A document in, one HTML file out that needs nothing else: its programs beside the cell, linked, folded and searched.

Below them is what the static output says.
The script is ours alone: the page's policy names it by its hash, and forbids everything else and every connection. Text
of the document is never markup. Without scripts all lines are there, unfolded; those of long texts are packed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from functools import cache
from html import escape
from importlib.resources import files
from itertools import chain

from ..snapshot.document import Frame, Snapshot
from . import summary
from .html import Markup, about, after, before, element
from .linked_text import LinkedText, linked_texts

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hash}'"

#: Longer texts, in characters, are packed.
_PACKED_FROM = 200_000


@cache
def _own(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def page(document: Snapshot) -> str:
    """The document as an HTML file of its own, texts in full; light or dark as the reader's system is."""
    program = summary.shown_first(document)
    title = document.title or (str(summary.signature(program)) if program else "jupyter_jaxpr")
    script = _own("page.js")
    hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    head = element(
        "head",
        Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY.format(hash=hashed))}">'),
        element("title", title),
        element("style", Markup(_own("page.css"))),
    )
    order = sorted(range(len(document.programs)), key=lambda index: index != document.focus)
    texts = {index: linked_texts(document, index) for index in order}
    benches = [
        element("section", *about(document, document.programs[index], 2), _bench(document, texts[index], number == 0))
        for number, index in enumerate(order)
    ]
    body = element(
        "body",
        element("main", element("h1", title), _theme(), *before(document, 2), *benches, *after(document, 2)),
        Markup(f'<script type="application/json" id="places">{_places(document, chain(*texts.values()))}</script>'),
        Markup(f"<script>{script}</script>"),
    )
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _theme() -> Markup:
    return element("p", element("button", "Theme: system", id="theme", type="button"))


def _places(document: Snapshot, texts: chain[LinkedText]) -> str:
    """Frame -> first line, last line, columns, for those in the cell: JSON that is safe inside a script."""
    used = {frame for text in texts for frame in text.frames if frame >= 0}
    own = {str(number): _span(document.frames[number]) for number in sorted(used) if _is_own(document, number)}
    return json.dumps(own, separators=(",", ":"))


def _span(frame: Frame) -> tuple[int, int, int, int]:
    return frame.line, frame.end_line, frame.column, frame.end_column


def _is_own(document: Snapshot, number: int) -> bool:
    cell = document.cell
    return cell is not None and document.files[document.frames[number].file].path == cell.file


def _bench(document: Snapshot, texts: list[LinkedText], opened: bool) -> Markup:
    """The texts of a program side by side, the cell's first."""
    badges = _badges(document, texts)
    columns = [_column(document, text, badges) for text in texts]
    names = [(text.name, text.title) for text in texts]
    if document.cell is not None:
        columns.insert(0, _source(document.cell.source))
        names.insert(0, ("source", "Source"))
    buttons = [element("button", title, type="button", aria_pressed="true", data_column=name) for name, title in names]
    tools = element(
        "div",
        element("label", "Find ", Markup('<input type="search" size="16">')),
        element("output", aria_label="Found"),
        element("button", "Fold all", type="button", data_act="fold"),
        element("button", "Unfold all", type="button", data_act="unfold"),
        *buttons,
        element("span", role="status", aria_label="Linked"),
        class_="jjx-tools",
    )
    bench = element("div", tools, element("div", *columns, class_="jjx-columns"), class_="jjx-bench")
    state = Markup(" open") if opened else Markup("")
    return Markup(f'<details class="jjx-program"{state}><summary>Program</summary>{bench}</details>')


def _source(source: str) -> Markup:
    lines = Markup(
        "".join(
            f"<li data-n={number}>{escape(line, quote=False) or ' '}"
            for number, line in enumerate(source.split("\n"), 1)
        )
    )
    return _section("source", "Source", "", Markup(f'<ol data-level="source" data-title="Source">{lines}</ol>'))


def _column(document: Snapshot, text: LinkedText, badges: dict[int, str]) -> Markup:
    if text.absent is not None:
        return _section(text.name, text.title, "", element("p", text.absent))
    if sum(map(len, text.lines)) > _PACKED_FROM:
        return _section(text.name, text.title, text.size, _packed(document, text))
    lines = []
    for number, (line, frame) in enumerate(zip(text.lines, text.frames, strict=True)):
        place = f" data-p={frame} data-l={badges[frame]}" if frame >= 0 else ""
        fold = f" data-f={text.folds[number]}" if number in text.folds else ""
        lines.append(f"<li data-n={number + 1}{place}{fold}>{escape(line, quote=False) or ' '}")
    listing = Markup(f'<ol data-level="{text.name}" data-title="{text.title}">{"".join(lines)}</ol>')
    return _section(text.name, text.title, text.size, listing)


def _packed(document: Snapshot, text: LinkedText) -> Markup:
    """A long text as base64 of zlib: the script writes its lines when the program is opened."""
    held = {
        "lines": text.lines,
        "places": text.frames,
        "badges": {frame: _badge(document, frame) for frame in set(text.frames) if frame >= 0},
        "folds": text.folds,
    }
    packed = base64.b64encode(zlib.compress(json.dumps(held, separators=(",", ":")).encode(), 9)).decode()
    listing = f'<ol data-level="{text.name}" data-title="{text.title}"></ol>'
    without = element("noscript", element("p", "This text is long, and packed. Allow scripts to read it."))
    return Markup(f'{listing}<script type="application/octet-stream">{packed}</script>{without}')


def _section(name: str, title: str, size: str, inside: Markup) -> Markup:
    heading = element("h3", f"{title} ", element("span", size))
    return element("section", heading, inside, data_level=name, aria_label=title)


def _badges(document: Snapshot, texts: list[LinkedText]) -> dict[int, str]:
    """Frame -> its line, with the cell or the file where that is not the cell that ran; quoted as an attribute."""
    found = {frame for text in texts for frame in text.frames if frame >= 0}
    return {frame: f'"{escape(_badge(document, frame))}"' for frame in found}


def _badge(document: Snapshot, number: int) -> str:
    frame = document.frames[number]
    file = document.files[frame.file]
    if _is_own(document, number):
        return str(frame.line)
    if file.kind == "cell":
        return f"[{'?' if file.execution_count is None else file.execution_count}]:{frame.line}"
    return f"{file.path.rsplit('/', 1)[-1]}:{frame.line}"
