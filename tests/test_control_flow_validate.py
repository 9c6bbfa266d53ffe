"""Tests that each index in the cards and recordings of an untrusted document is checked before they are shown."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from jupyter_jaxpr.document.check.validate import read

sys.path.insert(0, str(Path(__file__).parent / "control_flow"))

import golden  # a module beside the golden files

pytestmark = pytest.mark.any_jax


@cache
def saved() -> bytes:
    return msgspec.json.encode(golden.document_of("nested").document)


def document() -> dict[str, Any]:
    data: dict[str, Any] = msgspec.json.decode(saved())
    return data


def recording() -> dict[str, Any]:
    leaf = {
        "role": "carry",
        "path": "h",
        "type": "f32[]",
        "elements": 1,
        "texts": ["0", "1", "2"],
        "numbers": [0.0, 1.0, 2.0],
        "number_name": "value",
        "minimum": None,
        "mean": None,
        "maximum": None,
        "nans": [],
        "infinities": [],
    }
    return {
        "snapshot": "run",
        "control": 0,
        "visits": [{"first_point": 0, "points": 2, "trips": 2, "outer": [], "finished": True}],
        "visits_total": 1,
        "step": [0, 1],
        "leaves": [leaf],
        "branch_taken": [],
        "stopped": None,
        "thinned": None,
        "comparisons": [],
        "verdict": "The recorded results equal the original function's results, bit for bit.",
        "notes": [],
        "seconds": 0.1,
    }


def test_the_kernels_own_cards_are_read():
    assert [card.kind for card in read(document()).control_flow] == ["scan", "scan", "cond"]


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("kind", "goto", "kind"),
        ("program", 1, "program"),
        ("program", -1, "program"),
        ("scope", 99, "scope"),
        ("equation", 99, "equation"),
        ("equation", -1, "equation"),
        ("equations", 0, "equations"),
        ("predicate_equation", 99, "predicate_equation"),
        ("parent", 0, "parent"),
        ("depth", -1, "depth"),
        ("unroll", 0, "unroll"),
        ("trips", -1, "trips"),
        ("frame", 9_999, "frame"),
        ("body_frame", 9_999, "body_frame"),
        ("body", 99, "body"),
        ("condition", 99, "condition"),
        ("no_operand", -1, "no_operand"),
        ("predicate", 9_999, "operand"),
    ],
)
def test_a_card_with_an_index_out_of_its_range_is_refused(field, value, message):
    data = document()
    data["control_flow"][0][field] = value
    with pytest.raises(ValueError, match=message):
        read(data)


@pytest.mark.parametrize(
    ("place", "field", "value", "message"),
    [
        ("slots", "step", 9_999, "a slot's type"),
        ("slots", "whole", -1, "a slot's type"),
        ("slots", "operand", 9_999, "operand"),
        ("slots", "role", "guest", "role"),
        ("branches", "scope", 99, "a branch's scope"),
        ("branches", "frame", 9_999, "a branch's frame"),
        ("branches", "equations", -1, r"branches\[0\]\.equations"),
    ],
)
def test_a_slot_or_a_branch_with_an_index_out_of_its_range_is_refused(place, field, value, message):
    data = document()
    data["control_flow"][2][place][0][field] = value
    with pytest.raises(ValueError, match=message):
        read(data)


def test_a_recording_is_read():
    (read_back,) = read(document() | {"recordings": [recording()]}).recordings
    assert read_back.leaves[0].texts == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"control": 3}, "control"),
        ({"visits": [{"first_point": 1, "points": 2, "trips": 2, "outer": [], "finished": True}]}, "visits"),
        ({"visits": []}, "points"),
        ({"visits_total": 0}, "points"),
        ({"step": [0]}, "points"),
        ({"branch_taken": ["True"]}, "branch_taken"),
        ({"seconds": -1}, "seconds"),
        ({"leaves": [recording()["leaves"][0] | {"texts": ["0", "1"]}]}, "a leaf's values"),
        ({"leaves": [recording()["leaves"][0] | {"numbers": [0.0]}]}, "a leaf's numbers"),
        ({"leaves": [recording()["leaves"][0] | {"nans": [1]}]}, "a leaf's NaNs"),
    ],
)
def test_a_recording_that_does_not_add_up_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        read(document() | {"recordings": [recording() | change]})
