"""The ledger of a run in the outputs that need no panel: HTML, Markdown and plain text."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from jupyter_jaxpr.exports.html import fragment
from jupyter_jaxpr.exports.markdown import markdown
from jupyter_jaxpr.exports.plain import plain
from jupyter_jaxpr.snapshot.document import Snapshot
from jupyter_jaxpr.snapshot.ledger import (
    Ledger,
    LedgerCounts,
    LedgerEntry,
    LedgerFunction,
    LedgerMiss,
    LedgerReason,
)

RNN = Path(__file__).parent / "fixtures" / "rnn-0.12.json"


def counts(calls: int | None, exact: bool = True) -> LedgerCounts:
    return LedgerCounts(
        calls=calls,
        calls_exact=exact,
        hits=None if calls is None else calls - 2,
        misses=2,
        traces=2,
        lowerings=2,
        compiles=2,
        from_disk=0,
        inlined=0,
        raised=0,
        seconds=0.24,
    )


def miss(reason: LedgerReason, signature: str, entry: int) -> LedgerMiss:
    return LedgerMiss(
        outcome="compiled",
        reasons=[reason],
        signature=signature,
        frame=-1,
        this_run=True,
        entry=entry,
        trace=0.005,
        lower=0.015,
        compile=0.1,
        total=0.13,
    )


@pytest.fixture
def document() -> Snapshot:
    first = LedgerReason(kind="first_call", text="first call of rnn", argument=None, before=None, after=None, cure=None)
    shape = LedgerReason(
        kind="shape",
        text="xs: f32[100,8] -> f32[60,8]",
        argument="xs",
        before="f32[100,8]",
        after="f32[60,8]",
        cure="Pad to one shape, or expect one compile for each shape.",
    )
    entries = [
        LedgerEntry(signature=text, hits=None, misses=1, this_run=True, fast_path=True)
        for text in ("xs: f32[100,8]", "xs: f32[60,8]")
    ]
    function = LedgerFunction(
        name="rnn",
        definition=-1,
        function_objects=1,
        run=counts(4),
        kernel=counts(None),
        entries=entries,
        misses=[miss(first, "xs: f32[100,8]", 0), miss(shape, "xs: f32[60,8]", 1)],
        misses_left_out=0,
    )
    ledger = Ledger(
        functions=[function],
        lines=[],
        seconds=0.24,
        compiles=2,
        cell_seconds=0.31,
        library_functions=[],
        library_misses=0,
        calls_note=None,
    )
    rnn = msgspec.convert(json.loads(RNN.read_text(encoding="utf-8")), Snapshot)
    return msgspec.structs.replace(rnn, ledger=ledger)


def test_plain_text_tells_what_compiled_again(document):
    assert plain(document).splitlines()[2:] == ["rnn compiled again: xs: f32[100,8] -> f32[60,8]"]


def test_markdown_has_a_table_and_the_reasons(document):
    text = markdown(document).replace("\N{NO-BREAK SPACE}", " ")
    start = text.index("## Cache")
    end = text.index("\n\nCell", start)
    assert text[start:end] == (
        "## Cache\n\n"
        "2 compiles took 240 ms of this cell's 310 ms\\.\n\n"
        "| function | calls | hits | entries | compiles | price |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: |\n"
        "| rnn | 4 | 2 | 2 | 2 | 240 ms |\n\n"
        "- rnn: compiled, 120 ms: first call of rnn\\.\n"
        "- rnn: compiled, 120 ms: xs: f32\\[100,8\\] \\-\\> f32\\[60,8\\]\\. "
        "Pad to one shape, or expect one compile for each shape\\."
    )


def test_html_has_the_same(document):
    html = fragment(document, characters=1_000).replace("\N{NO-BREAK SPACE}", " ")
    assert "<p>2 compiles took 240 ms of this cell's 310 ms.</p>" in html
    assert "<tr><td>rnn</td><td>4</td><td>2</td><td>2</td><td>2</td><td>240 ms</td></tr>" in html
    assert "<li>rnn: compiled, 120 ms: xs: f32[100,8] -&gt; f32[60,8]. Pad to one shape" in html


def test_names_and_reasons_are_text(document):
    assert document.ledger is not None
    hostile = msgspec.structs.replace(document.ledger.functions[0], name="<script>pwned=1</script>")
    document = msgspec.structs.replace(document, ledger=msgspec.structs.replace(document.ledger, functions=[hostile]))
    assert "<script" not in fragment(document, characters=1_000)
    assert r"\<script\>" in markdown(document)
