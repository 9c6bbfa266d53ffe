"""Tests the ledger in the outputs for readers without the panel: HTML, Markdown and plain text."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from ledger_documents import counts, ledger

from jupyter_jaxpr.document.sentences.cache_tab_sentences import lead
from jupyter_jaxpr.document.types.document import Snapshot
from jupyter_jaxpr.document.types.ledger import LedgerCounts
from jupyter_jaxpr.exports.html_of_saved_output import fragment
from jupyter_jaxpr.exports.markdown import markdown
from jupyter_jaxpr.exports.terminal_text import plain
from jupyter_jaxpr.quantities import count

pytestmark = pytest.mark.any_jax

RNN = Path(__file__).parent / "fixtures" / "rnn-0.12.json"


@pytest.fixture
def document() -> Snapshot:
    rnn = msgspec.convert(json.loads(RNN.read_text(encoding="utf-8")), Snapshot)
    return msgspec.structs.replace(rnn, ledger=ledger())


def test_plain_text_tells_what_compiled_again(document):
    assert plain(document).splitlines()[2:] == [
        "rnn compiled again. The type of xs changed from f32[100,8] to f32[60,8].",
        "80.1 k operations and 1,604 transcendental operations per call. "
        "46 % of the operations are on line 6, where a transcendental operation counts as 20 operations.",
    ]


def test_markdown_has_a_table_and_the_reasons(document):
    text = markdown(document).replace("\N{NO-BREAK SPACE}", " ")
    start = text.index("## Cache")
    end = text.index("\n\nCell", start)
    assert text[start:end] == (
        "## Cache\n\n"
        "2 compiles: tracing, lowering and compiling took 240 ms of the cell's 310 ms\\.\n\n"
        "| function | calls | hits | entries | compiles | price |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: |\n"
        "| rnn | 4 | 2 | 2 | 2 | 240 ms |\n\n"
        "- rnn · compiled · 120 ms\\. Reason: This is the first call of rnn\\.\n"
        "- rnn · compiled · 120 ms\\. Reason: The type of xs changed from f32\\[100,8\\] to f32\\[60,8\\]\\. "
        "Pad the array to one shape, or expect one compile for each shape\\."
    )


def test_html_has_the_same(document):
    html = fragment(document, characters=1_000).replace("\N{NO-BREAK SPACE}", " ")
    assert "<p>2 compiles: tracing, lowering and compiling took 240 ms of the cell's 310 ms.</p>" in html
    assert "<tr><td>rnn</td><td>4</td><td>2</td><td>2</td><td>2</td><td>240 ms</td></tr>" in html
    assert "<li>rnn · compiled · 120 ms. Reason: The type of xs changed from f32[100,8] to f32[60,8]. Pad the" in html


def test_the_words_of_the_document_are_shown(document):
    assert document.ledger is not None
    document = msgspec.structs.replace(document, ledger=msgspec.structs.replace(document.ledger, lead="As it says."))
    assert "<p>As it says.</p>" in fragment(document, characters=1_000)


def _run(**changes: object) -> LedgerCounts:
    none = dict.fromkeys(("misses", "traces", "lowerings", "compiles"), 0)
    return msgspec.structs.replace(counts(4), **(none | changes))


def test_a_run_that_called_only_functions_from_before_the_observation_does_not_deny_the_calls():
    document = msgspec.structs.replace(ledger(), functions=[], compiles=0)
    unlisted = "The ledger leaves out 3 calls of f: JAX compiled f before the observation began."
    assert lead(document, None, unlisted) == f"No jitted function of yours compiled. {unlisted}"


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([], "No call of a jitted function of yours was seen."),
        ([_run(calls=0)], "No call of a jitted function of yours was seen."),
        ([_run(calls=0, raised=1, hits=None)], "{} The number of calls is unknown."),
        ([_run(hits=0, raised=1)], "{} 1 call raised an error."),
        ([_run(hits=0, inlined=2)], "{} JAX inlined 2 calls into the trace of another function."),
        ([_run(hits=4)], "{} 4 calls reused a compiled program."),
        ([_run(hits=1), _run(hits=3, calls_exact=False)], "{} ≥4 calls reused a compiled program."),
        ([_run(hits=1), _run(hits=None)], "{} ≥1 calls reused a compiled program."),
        ([_run(hits=0, calls_exact=False)], "{} The number of calls is unknown."),
        ([_run(traces=1)], "{} Tracing and lowering took 40 ms of the cell's 310 ms."),
        (
            [_run(from_disk=1), _run(from_disk=1)],
            "{} Tracing, lowering and loading 2 executables from the persistent cache took 40 ms of the cell's 310 ms.",
        ),
    ],
)
def test_a_run_that_compiled_nothing_says_so(runs: list[LedgerCounts], expected: str):
    function = ledger().functions[0]
    functions = [msgspec.structs.replace(function, run=run) for run in runs]
    document = msgspec.structs.replace(ledger(), functions=functions, compiles=0, seconds=0.04)
    none = "No jitted function of yours compiled."
    assert lead(document).replace("\N{NO-BREAK SPACE}", " ") == expected.format(none)


def test_what_was_compiled_ahead_of_time_is_no_call_and_is_told():
    document = msgspec.structs.replace(ledger(), functions=[], compiles=1, cell_seconds=None)
    assert lead(document).replace("\N{NO-BREAK SPACE}", " ") == (
        "1 compile: tracing, lowering and compiling took 240 ms."
    )


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"cell_seconds": 9.2, "seconds": 1.2, "small_programs": 14, "small_seconds": 6.6},
            "2 compiles: tracing, lowering and compiling took 1.2 s of the cell's 9.2 s. Compiling 14 small programs "
            "for operations outside of jitted functions took 6.6 s. The rest of the cell took 1.4 s.",
        ),
        (  # with threads, JAX compiles at the same time, so the parts take longer than the cell
            {"cell_seconds": 1.3, "seconds": 1.2, "small_programs": 1, "small_seconds": 0.4},
            "2 compiles: tracing, lowering and compiling took 1.2 s of the cell's 1.3 s. Compiling 1 small program "
            "for operations outside of jitted functions took 400 ms.",
        ),
    ],
)
def test_the_parts_of_the_cells_time_add_up(changes, expected):
    sentence = lead(msgspec.structs.replace(ledger(), **changes))
    assert sentence.replace("\N{NO-BREAK SPACE}", " ") == expected


def test_a_lower_bound_of_zero_is_unknown():
    unseen = msgspec.structs.replace(counts(0, exact=False), hits=0)
    assert (unseen.calls, unseen.hits) == (0, 0)
    document = ledger()
    functions = [msgspec.structs.replace(document.functions[0], run=msgspec.structs.replace(unseen, misses=1))]
    rnn = msgspec.convert(json.loads(RNN.read_text(encoding="utf-8")), Snapshot)
    rnn = msgspec.structs.replace(rnn, ledger=msgspec.structs.replace(document, functions=functions))
    assert "| rnn | unknown | unknown |" in markdown(rnn)
    assert count(0, "call", exact=False) == "calls unknown"


def test_names_and_reasons_are_text(document):
    assert document.ledger is not None
    hostile = msgspec.structs.replace(document.ledger.functions[0], name="<script>pwned=1</script>")
    document = msgspec.structs.replace(document, ledger=msgspec.structs.replace(document.ledger, functions=[hostile]))
    assert "<script" not in fragment(document, characters=1_000)
    assert r"\<script\>" in markdown(document)
