"""Tests that a document from anywhere is valid, or is refused with a sentence."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.document.copies.saved_copy import saved_copy
from jupyter_jaxpr.document.limits import LINES
from jupyter_jaxpr.document.printed_program import program_text
from jupyter_jaxpr.exports.html_page import page
from jupyter_jaxpr.exports.markdown import markdown
from jupyter_jaxpr.scripts.snapshot import Snapshot

pytestmark = pytest.mark.any_jax

FIXTURES = Path(__file__).parent / "fixtures"
RNN = json.loads((FIXTURES / "rnn-0.12.json").read_text())
SOLVE = json.loads((FIXTURES / "solve-0.12.json").read_text())


def changed(fields, *path, to):
    """Return a deep copy with one field changed."""
    fields = copy.deepcopy(fields)
    inner = fields
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = to
    return fields


def refusal(fields):
    with pytest.raises(ValueError) as caught:
        Snapshot.from_json(json.dumps(fields))
    return str(caught.value)


def test_what_was_written_is_read():
    assert json.loads(Snapshot.from_json(json.dumps(RNN)).to_json()) == RNN


def test_unknown_fields_are_ignored():
    newer = changed(RNN, "made_by_a_later_release", to=[1, 2])
    newer["programs"][0]["cost"] = {"flops": 3}
    assert json.loads(Snapshot.from_json(json.dumps(newer)).to_json()) == RNN


@pytest.mark.parametrize("seconds", [-1.0, 1e30, 10**30])
def test_the_seconds_of_a_recording_can_be_added_up(seconds):
    everything = json.loads((FIXTURES.parent / "fuzz" / "documents" / "everything-0.12.json").read_text())
    assert "recording 0: seconds" in refusal(changed(everything, "recordings", 0, "seconds", to=seconds))


@pytest.mark.parametrize("field", ["first_equation", "first_variable"])
def test_a_scope_begins_with_its_first_equation(field):
    assert "scope 0: first_equation and first_variable" in refusal(changed(RNN, "scopes", 0, field, to=1))


def test_a_byte_order_mark_as_editors_of_windows_write_it_is_skipped():
    marked = "\ufeff" + json.dumps(RNN)
    assert json.loads(Snapshot.from_json(marked).to_json()) == RNN
    assert json.loads(Snapshot.from_json(marked.encode()).to_json()) == RNN


def test_a_higher_version_is_refused_before_anything_else():
    assert refusal({"version": 2, "everything": "else"}) == (
        "This snapshot was written by a newer jupyter_jaxpr (format 2; this version reads format 1). "
        "Upgrade with `pip install -U jupyter_jaxpr`."
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "This is not a snapshot of jupyter_jaxpr: the text is not JSON."),
        ("{", "This is not a snapshot of jupyter_jaxpr: the text is not JSON."),
        ("[" * 100_000, "This is not a snapshot of jupyter_jaxpr: the text is not JSON."),
        ("[]", "This is not a snapshot of jupyter_jaxpr: the field `version` is missing or is not a number from 1."),
        (
            '{"version": true}',
            "This is not a snapshot of jupyter_jaxpr: the field `version` is missing or is not a number from 1.",
        ),
        (
            '{"version": "1"}',
            "This is not a snapshot of jupyter_jaxpr: the field `version` is missing or is not a number from 1.",
        ),
        (
            '{"version": 1}',
            "This snapshot is damaged (Object missing required field `id`) and cannot be shown. Run the cell again.",
        ),
    ],
)
def test_what_is_no_snapshot(text, sentence):
    with pytest.raises(ValueError) as caught:
        Snapshot.from_json(text)
    assert str(caught.value) == sentence


def test_bytes_that_are_no_text():
    with pytest.raises(ValueError, match="the text is not JSON"):
        Snapshot.from_json(b'{"version": 1, "id": "\xff"}')


@pytest.mark.parametrize(
    ("path", "to", "why"),
    [
        (("focus",), 1, "focus"),
        (("programs", 0, "scope"), 2, "program 0: scope"),
        (("programs", 0, "definition"), 10_000, "program 0: definition"),
        (("programs", 0, "equations"), -1, "program 0: equations"),
        (("programs", 0, "levels", 0, "line_stacks"), [0], "program 0: stablehlo: line_stacks"),
        (("programs", 0, "levels", 0, "text"), None, "program 0: stablehlo"),
        (("programs", 0, "levels", 0, "inferred_lines"), [10_000], "program 0: stablehlo: inferred_lines"),
        (("programs", 0, "levels", 0, "other_stacks"), [[0]], "program 0: stablehlo: other_stacks"),
        (("programs", 0, "levels", 0, "other_stacks"), [[0, 10_000]], "program 0: stablehlo: other_stacks"),
        (("scopes", 0, "primitive", 0), 10_000, "scope 0: primitive"),
        (("scopes", 0, "primitive", 0), -1, "scope 0: primitive"),
        (("scopes", 0, "operands", 0), [-2_000], "scope 0: operands"),
        (("scopes", 0, "operands", 0), [7], "scope 0: operands"),
        (("scopes", 0, "operands"), [], "scope 0: columns of different lengths"),
        (("scopes", 0, "output_counts", 0), 10**9, "scope 0: variable_avals"),
        (("scopes", 0, "outputs"), [10_000], "scope 0: outputs"),
        (("scopes", 0, "count"), 3, "scope 0: count"),
        (("scopes", 0, "count"), 10**9, "scope 0: count"),
        (("scopes", 0, "dropped"), [-1], "scope 0: dropped"),
        (("scopes", 0, "first_equation"), 5, "scope 0: first_equation and first_variable"),
        (("scopes", 0, "names"), ["a"], "scope 0: names"),
        (("scopes", 0, "children", 0, 0), 99, "scope 0: a child's equation"),
        (("scopes", 0, "children", 0, 3), 0, "scope 0 is inside itself"),
        (("scopes", 0, "children", 0, 3), 9, "scope 0: a child's scope"),
        (("stacks", 0, 0), [10_000], "a stack's frame"),
        (("frames", 0, 0), -1, "a frame's file"),
        (("frames", 0, 4), 0, "a frame's lines"),
        (("literals", 0, 1), 10_000, "a literal's aval"),
        (("avals", 0, "shape"), [-1], "an aval's shape"),
        (("parameter_lists", 0, 0, 0), 10_000, "a parameter's name"),
    ],
)
def test_an_index_out_of_its_range_is_damage(path, to, why):
    sentence = refusal(changed(RNN, *path, to=to))
    assert sentence.startswith("This snapshot is damaged (")
    assert why in sentence


def test_programs_inside_each_other_without_end_are_refused():
    fields = copy.deepcopy(RNN)
    body = fields["scopes"][1]
    equation, parameter = 0, fields["scopes"][0]["children"][0][1]
    fields["scopes"] = []
    for number in range(1_200):
        scope = copy.deepcopy(body)
        if number < 1_199:
            scope["children"] = [[equation, parameter, -1, number + 1]]
        fields["scopes"].append(scope)
    fields["programs"][0]["scope"] = 0
    assert "more than 1,000 programs inside each other" in refusal(fields)


def shared_programs(*, in_text, complete):
    """Return a document of 40 scopes, each of which calls the next one twice.

    If each call printed its scope, 2**40 programs would be printed.
    """
    fields = copy.deepcopy(SOLVE)
    strings = fields["strings"]
    strings.append("(\ufffc, \ufffc)")
    holder = len(fields["parameter_lists"])
    fields["parameter_lists"].append([[0, len(strings) - 1 if in_text else -1]])
    scope = {
        "name": -1, "constants": 0, "inputs": 0, "outputs": [], "count": 1, "total": 1, "first_equation": 0,
        "first_variable": 0, "variable_avals": [], "dropped": [], "names": None if complete else [], "primitive": [0],
        "operands": [[]], "output_counts": [0], "parameters": [holder], "stack": [-1], "name_stack": [0],
        "children": [], "effects": [],
    }  # fmt: skip
    fields["scopes"] = []
    for number in range(40):
        children = [[0, 0, place, number + 1] for place in (0, 1)] if number < 39 else []
        fields["scopes"].append(scope | {"children": children})
    fields |= {"control_flow": [], "costs": []}
    fields["programs"][0] |= {"scope": 0, "complete": complete, "lets": None if complete else [], "equations": 40}
    return fields


@pytest.mark.parametrize(("in_text", "complete"), [(True, True), (True, False), (False, False)])
def test_programs_that_share_each_other_are_printed_to_a_limit(in_text, complete):
    document = read(json.dumps(shared_programs(in_text=in_text, complete=complete)))
    lines = program_text(document, 0).split("\n")
    assert LINES / 2 < len(lines) < LINES + 2_000
    assert "… 1 more " in "\n".join(lines[-500:])
    assert lines[-1].endswith("in () }")
    assert markdown(document).count("\n") < 2 * LINES
    assert page(document).count("<li>") < 2 * LINES


def test_a_date_that_no_calendar_has_is_damage():
    for created in (1e300, -1.0, 253_402_300_800):
        assert refusal(changed(RNN, "created", to=created)) == (
            "This snapshot is damaged (created: a date from 1970 to 9999, in seconds) and cannot be shown. "
            "Run the cell again."
        )


def test_a_number_beyond_what_javascript_holds_is_damage():
    assert refusal(changed(RNN, "frames", 0, 4, to=10**17)) == (
        "This snapshot is damaged (frames: a number beyond 9,007,199,254,740,990) and cannot be shown. "
        "Run the cell again."
    )
    assert "cost 0: totals" in refusal(changed(RNN, "costs", 0, "flops", to=10**31))


def test_a_refusal_quotes_little_of_what_was_found():
    sentence = refusal(changed(RNN, "programs", 0, "origin", to="a\n" * 10_000))
    assert len(sentence) < 500
    assert "\n" not in sentence


def paths(fields, prefix=()):
    """Yield the path of every part of a JSON value."""
    items = fields.items() if isinstance(fields, dict) else enumerate(fields) if isinstance(fields, list) else ()
    for key, value in items:
        yield (*prefix, key)
        yield from paths(value, (*prefix, key))


PLACES = list(paths(SOLVE))
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**60), 2**60),
    st.integers(-3, 60),
    st.floats(),
    st.text(max_size=5),
    st.just("<script>alert(1)</script>"),
    st.just([]),
    st.just({}),
    st.lists(st.integers(-3, 9), max_size=4),
)


@settings(max_examples=examples(300), suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.integers(0, len(PLACES) - 1), JUNK), min_size=1, max_size=3))
def test_a_document_with_junk_in_it_is_refused_or_can_be_shown(changes):
    fields = SOLVE
    for place, junk in changes:
        try:
            fields = changed(fields, *PLACES[place], to=junk)
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change has removed the part at this path
    try:
        document = read(json.dumps(fields))
    except ValueError as error:
        assert str(error).startswith("This ")
        return
    for index in range(len(document.programs)):
        program_text(document, index)
    saved_copy(document, 3_000)


_NO_COUNTS = {
    **dict.fromkeys(("calls", "hits", "misses", "traces", "lowerings", "compiles"), 0),
    "from_disk": 0,
    "inlined": 0,
    "raised": 0,
    "calls_exact": True,
    "seconds": 0.0,
}
_MISS = {
    "outcome": "compiled",
    "reasons": [],
    "signature": "x: f32[]",
    "frame": 0,
    "this_run": True,
    "entry": -1,
    **dict.fromkeys(("trace", "lower", "compile", "total"), 0.1),
}
_FUNCTION = {
    "name": "f",
    "definition": 0,
    "function_objects": 1,
    "run": _NO_COUNTS,
    "kernel": _NO_COUNTS,
    "entries": [],
    "misses": [_MISS],
    "misses_left_out": 0,
}
_LEDGER = {
    "functions": [_FUNCTION],
    "seconds": 0.3,
    "compiles": 1,
    "cell_seconds": None,
    "library_functions": [],
    "lines": [{"line": 1, "calls": 1, "calls_exact": True, "hits": 0, "compiles": 1}],
    "library_misses": 0,
    "calls_note": None,
}


def with_ledger(*path, to=None):
    document = changed(RNN, "ledger", to=_LEDGER)
    return changed(document, "ledger", *path, to=to) if path else document


def test_a_ledger_is_read():
    ledger = read(json.dumps(with_ledger())).ledger
    assert ledger is not None
    assert ledger.functions[0].misses[0].signature == "x: f32[]"


@pytest.mark.parametrize(
    ("path", "to", "why"),
    [
        (("functions", 0, "definition"), 10_000, "ledger: a definition"),
        (("functions", 0, "misses", 0, "frame"), -2, "ledger: a miss's frame"),
        (("functions", 0, "misses", 0, "entry"), 0, "ledger: a miss's entry"),
        (("seconds",), -1.0, "the ledger's seconds"),
        (("lines", 0, "line"), 0, "ledger: lines"),
    ],
)
def test_a_ledger_that_points_nowhere_is_damage(path, to, why):
    assert why in refusal(with_ledger(*path, to=to))


# --- costs, times, sweeps, the machine --------------------------------------------------------------------

_WARM = {"median": 1e-3, "minimum": 1e-3, "lower": 1e-3, "upper": 2e-3, "runs": 5, "dispatch": 1e-5}
_TIMING = {
    "program": 0,
    "warm": _WARM,
    "eager": _WARM,
    "ratio": [1.0, 2.0],
    "pays_after": 3,
    "sentence": "first 214 ms, then 1.0 ms.",
    "notes": [],
    "stopped": None,
}
_POINT = {
    "function": "f",
    "value": "64",
    "number": 64.0,
    "eager": None,
    "warm": _WARM,
    "first": 0.1,
    "trace": None,
    "lower": None,
    "compile": 0.09,
    "from_disk": False,
    "equations": 3,
    "bytes": 100,
    "flops": 524_288,
    "error": None,
}
_FIT = {"function": "f", "series": "warm", "exponent": 2.9, "factor": 1e-9, "error": 0.1, "first_number": 64.0}
_SWEEP = {
    "name": "n",
    "call": "f(make(n))",
    "functions": ["f"],
    "points": [_POINT],
    "fits": [_FIT],
    "total": 1,
    "stopped": None,
    "notes": [],
    "seconds": 1.5,
}
_MACHINE = {"device": "cpu", "flops": 1e11, "bandwidth": 1e10, "dtype": "float32", "how": "A matmul.", "seconds": 1.0}
_XLA = {
    "flops": 945.0,
    "transcendentals": None,
    "bytes": 10.0,
    "differences": [{"kind": "loop_once", "text": "Once.", "ours": 80_000, "xla": 802, "frame": 0, "runs": 100}],
}
_BUFFER = {"name": "argument xs", "type": "f32[100,8]", "bytes": 3_200, "frame": -1, "scope": 0, "equation": -1}
_RESIDUAL = {"type": "f32[16]", "count": 1, "bytes": 64, "name": "tanh", "frame": 0}


def full():
    """Return the fields of the golden RNN, with a measurement of every kind."""
    fields = copy.deepcopy(RNN)
    fields |= {"timings": [_TIMING], "sweep": _SWEEP, "machine": _MACHINE}
    cost = fields["costs"][0]
    cost["xla"] = _XLA
    cost["memory"] |= {"live": [_BUFFER], "residuals": [_RESIDUAL]}
    return json.loads(json.dumps(fields))  # the copy has no object that occurs at two places


def test_costs_times_sweeps_and_the_machine_are_read():
    document = Snapshot.from_json(json.dumps(full())).document
    assert document.costs[0].flops == 80_143
    assert document.costs[0].xla is not None and document.costs[0].xla.flops == 945.0
    assert document.timings[0].warm is not None and document.timings[0].warm.runs == 5
    assert document.sweep is not None and document.sweep.points[0].number == 64.0
    assert document.machine is not None and document.machine.flops == 1e11


@pytest.mark.parametrize(
    ("path", "to", "why"),
    [
        (("costs", 0, "program"), 1, "cost 0: program"),
        (("costs", 0, "program"), -1, "cost 0: program"),
        (("costs", 0, "flops"), -1, "cost 0: totals"),
        (("costs", 0, "flops_min"), 80_144, "cost 0: flops_min"),
        (("costs", 0, "bytes_read"), -5, "cost 0: totals"),
        (("costs", 0, "scopes", 0, "scope"), 10_000, "cost 0: a scope"),
        (("costs", 0, "scopes", 0, "runs"), -1, "cost 0: a scope's runs"),
        (("costs", 0, "scopes", 0, "runs_min"), 10**9, "cost 0: a scope's runs"),
        (("costs", 0, "scopes", 0, "flops"), [1], "cost 0: columns of different lengths"),
        (("costs", 0, "scopes", 1, "bytes"), [], "cost 0: columns of different lengths"),
        (("costs", 0, "scopes", 1, "transcendentals", 0), -2, "cost 0: a number of a scope"),
        (("costs", 0, "by_line", 0, "frame"), 10_000, "cost 0: a row's frame"),
        (("costs", 0, "by_line", 0, "equations"), -1, "cost 0: a row's numbers"),
        (("costs", 0, "by_line", 0, "if_taken"), -1, "cost 0: a row's numbers"),
        (("costs", 0, "by_primitive", 0, "bytes_written"), -1, "cost 0: a row's numbers"),
        (("costs", 0, "by_scope", 1, "parent"), 1, "cost 0: a node's parent"),
        (("costs", 0, "by_scope", 0, "parent"), 0, "cost 0: a node's parent"),
        (("costs", 0, "by_scope", 1, "scope"), 10_000, "cost 0: a node's scope"),
        (("costs", 0, "by_scope", 1, "frame"), -2, "cost 0: a node's frame"),
        (("costs", 0, "by_scope", 1, "bytes"), -1, "cost 0: a node's numbers"),
        (("costs", 0, "by_name_stack", 0, "runs"), -1, "cost 0: a node's numbers"),
        (("costs", 0, "xla", "flops"), -1.0, "cost 0: XLA's numbers"),
        (("costs", 0, "xla", "differences", 0, "frame"), 10_000, "cost 0: a difference's frame"),
        (("costs", 0, "xla", "differences", 0, "ours"), -1, "cost 0: a difference's numbers"),
        (("costs", 0, "xla", "differences", 0, "runs"), -1, "cost 0: a difference's numbers"),
        (("costs", 0, "memory", "arguments"), -1, "cost 0: bytes of memory"),
        (("costs", 0, "memory", "constants"), -1, "cost 0: bytes of memory"),
        (("costs", 0, "memory", "peak_frame"), 10_000, "cost 0: peak_frame"),
        (("costs", 0, "memory", "live", 0, "bytes"), -1, "cost 0: a buffer's bytes"),
        (("costs", 0, "memory", "live", 0, "frame"), 10_000, "cost 0: a buffer's frame"),
        (("costs", 0, "memory", "live", 0, "scope"), -1, "cost 0: a buffer's scope"),
        (("costs", 0, "memory", "live", 0, "equation"), 10_000, "cost 0: a buffer's equation"),
        (("costs", 0, "memory", "residuals", 0, "count"), -1, "cost 0: a residual's numbers"),
        (("costs", 0, "memory", "residuals", 0, "frame"), 10_000, "cost 0: a residual's frame"),
        (("timings", 0, "program"), 1, "timing 0: program"),
        (("timings", 0, "warm", "median"), -1.0, "timing 0: seconds"),
        (("timings", 0, "eager", "dispatch"), -1.0, "timing 0: seconds"),
        (("timings", 0, "warm", "runs"), 0, "timing 0: runs"),
        (("timings", 0, "warm", "batch"), 0, "timing 0: runs"),
        (("timings", 0, "ratio"), [-1.0, 1.0], "timing 0: ratio"),
        (("timings", 0, "pays_after"), -1, "timing 0: pays_after"),
        (("sweep", "total"), -1, "sweep: a number"),
        (("sweep", "seconds"), -0.1, "sweep: a number"),
        (("sweep", "points", 0, "warm", "upper"), -1.0, "sweep: seconds"),
        (("sweep", "points", 0, "first"), -1.0, "sweep: seconds"),
        (("sweep", "points", 0, "bytes"), -1, "sweep: a point's numbers"),
        (("sweep", "fits", 0, "error"), -1.0, "sweep: a fit"),
        (("machine", "bandwidth"), -1.0, "machine: a number"),
        (("machine", "seconds"), -1.0, "machine: a number"),
    ],
)
def test_a_number_of_a_measurement_out_of_its_range_is_damage(path, to, why):
    sentence = refusal(changed(full(), *path, to=to))
    assert sentence.startswith("This snapshot is damaged (")
    assert why in sentence


@pytest.mark.parametrize(
    ("path", "why"),
    [
        (("machine", "flops"), "machine: a number"),
        (("timings", 0, "warm", "median"), "timing 0: seconds"),
        (("sweep", "points", 0, "number"), "sweep: a value"),
        (("sweep", "fits", 0, "exponent"), "sweep: a fit"),
        (("costs", 0, "xla", "bytes"), "cost 0: XLA's numbers"),
    ],
)
@pytest.mark.parametrize("number", [float("inf"), float("nan")])
def test_what_is_no_number_is_damage(path, why, number):
    with pytest.raises(ValueError) as caught:
        read(changed(full(), *path, to=number))
    assert str(caught.value) == f"This snapshot is damaged ({why}) and cannot be shown. Run the cell again."
