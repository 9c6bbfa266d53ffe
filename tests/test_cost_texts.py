"""Tests the sentences on a cost, which exports and the panel share, with the costs of a golden document."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from jupyter_jaxpr.document.check.validate import read
from jupyter_jaxpr.document.sentences.cost_tab_sentences import lead, peak_text, xla_text

pytestmark = pytest.mark.any_jax

RNN = read((Path(__file__).parent / "fixtures" / "rnn-0.12.json").read_text(encoding="utf-8"))
[COST] = RNN.costs
WEIGHED = ", where a transcendental operation counts as 20 operations."
AMOUNT = "80.1 k operations and 1,604 transcendental operations per call."
WHERE = f"46 % of the operations are on line 6{WEIGHED}"
PLAIN = [replace(row, transcendentals=0) for row in COST.by_line]
NO_FUNCTIONS = {"transcendentals": 0, "transcendentals_min": 0, "transcendentals_most": 0}
MOVED = [replace(row, flops=0, transcendentals=0) for row in COST.by_line]
NO_OPERATIONS = {
    "flops": 0,
    "flops_min": 0,
    "flops_most": 0,
    "by_line": [replace(row, flops=0, flops_min=0, if_taken=0) for row in COST.by_line],
}
# The fields that a document of an older version lacks, with their default values.
OLDER = {"flops_most": 0, "transcendentals_min": None, "transcendentals_most": 0}


def said(document=RNN, **changes):
    return [text.replace("\xa0", " ") for text in lead(document, replace(COST, **changes))]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, [AMOUNT, WHERE]),
        (OLDER, [AMOUNT, WHERE]),
        (
            {"flops_min": 2000},
            [
                "2.0 to 80.1 k operations and 1,604 transcendental operations per call.",
                f"With the most expensive branches, {WHERE}",
            ],
        ),
        (
            {"flops_most": 90_000, "transcendentals_min": 4},
            [
                "80.1 to 90.0 k operations and 4 to 1,604 transcendental operations per call.",
                f"With the most expensive branches, {WHERE}",
            ],
        ),
        (
            {**NO_FUNCTIONS, "by_line": PLAIN},
            ["80.1 k operations per call.", "64 % of the operations are on line 6."],
        ),
        (
            {"per_trip": ["while_loop, line 7", "scan"]},
            [
                AMOUNT,
                WHERE,
                "The total counts one step of each loop with an unknown number of steps: while_loop, line 7; scan.",
            ],
        ),
        (
            {"unknown": ["a (1)", "b (2)", "c (1)", "d (4)", "e (1)"]},
            [
                f"At least {AMOUNT}",
                f"46 % of the counted operations are on line 6{WEIGHED}",
                "The total leaves out primitives without a cost rule: a (1); b (2); c (1); 2 more.",
            ],
        ),
        ({"by_line": []}, [AMOUNT]),
        (
            NO_OPERATIONS,
            [
                "1,604 transcendental operations per call.",
                "100 % of the transcendental operations are on line 7.",
            ],
        ),
        (
            {**NO_OPERATIONS, **NO_FUNCTIONS, "by_line": MOVED},
            [
                "The program has no arithmetic operations.",
                "One call reads and writes 228 kB.",
                "51 % of the bytes moved are on line 6.",
            ],
        ),
        (
            {**NO_OPERATIONS, **NO_FUNCTIONS, "unknown": ["ffi_call (2)"], "by_line": []},
            [
                "One call reads and writes at least 228 kB.",
                "The total leaves out primitives without a cost rule: ffi_call (2).",
            ],
        ),
    ],
    ids=[
        "line",
        "older",
        "branches",
        "both bounds",
        "no functions",
        "loops",
        "unknown",
        "nowhere",
        "transcendentals",
        "bytes",
        "bytes, unknown",
    ],
)
def test_the_lead_says_how_much_and_where(changes, expected):
    assert said(**changes) == expected


@pytest.mark.parametrize(
    ("cell", "kind", "path", "place"),
    [
        (RNN.cell, "user", "/home/me/model.py", "line 6 of model.py"),
        (RNN.cell, "user", r"C:\work\model.py", "line 6 of model.py"),
        (None, "cell", "/tmp/ipykernel_1/3.py", "line 6 of cell [3]"),
    ],
)
def test_a_line_that_is_not_of_the_cell_says_of_which_file(cell, kind, path, place):
    files = [replace(file, path=path, kind=kind, execution_count=3) for file in RNN.files]
    document = replace(RNN, cell=cell, files=files)
    assert said(document)[1] == f"46 % of the operations are on {place}{WEIGHED}"


def test_the_documents_of_this_version_hold_the_texts():
    assert COST.lead == lead(RNN, COST)
    assert COST.memory is not None
    assert COST.memory.peak is not None
    assert COST.memory.peak_text == peak_text(COST.memory.peak)


def test_the_two_counts_are_beside_each_other():
    texts = [xla_text(1234, xla_flops).replace("\xa0", " ") for xla_flops in (None, 1234.0, 5678.0)]
    assert texts == [
        "XLA gives no number of operations for this program.",
        "XLA and jupyter_jaxpr both count 1,234 operations.",
        "XLA counts 5,678 operations. jupyter_jaxpr counts 1,234 operations.",
    ]
