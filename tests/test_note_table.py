"""Compares the cures of each note with the table; each edit that applies ends its note."""

from __future__ import annotations

import re

import pytest
import stable_sample
from conftest import Notebook
from error_table.cards import Row, rows
from note_table.cards import FOLDER, Cells

ROWS = [
    pytest.param(row, id=row.name, marks=stable_sample.marks(row.name, newest=2, older=4, always=row.older is not None))
    for path in sorted(FOLDER.glob("*.txt"))
    for row in rows(path)
]
CARDS = [card for path in FOLDER.glob("*.txt") for row in rows(path) for card in (row.card, row.older) if card]


@pytest.fixture(scope="module")
def cells(notebook_of_module: Notebook) -> Cells:
    return Cells(notebook_of_module)


@pytest.mark.filterwarnings("ignore:Explicitly requested dtype")
@pytest.mark.parametrize("row", ROWS)
def test_the_cures_are_as_the_table_has_them(row: Row, cells: Cells) -> None:
    assert cells.card(row.source) == row.expected


@pytest.mark.any_jax
def test_an_edit_that_applies_leaves_fewer_notes_and_no_error() -> None:
    for card in CARDS:
        notes = len(re.findall("^note: ", card, re.MULTILINE))
        matches = re.findall(r"^    gives: (.*); notes: (.*)$", card, re.MULTILINE)
        assert len(matches) == card.count(" (applies)")
        for value, left in matches:
            assert "Error" not in value
            assert left == "none" or len(left.split(", ")) < notes
