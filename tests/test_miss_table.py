"""Tests that each miss has the card in the table, and that each cure that applies ends the miss."""

from __future__ import annotations

import re
from typing import get_args

import pytest
import stable_sample
from conftest import Notebook
from error_table.cards import Row, rows
from miss_table.cards import FOLDER, Cells, names_of_cures

from jupyter_jaxpr.explain.misses.cures_of_misses import NAMES
from jupyter_jaxpr.observe.cache.reason import ReasonKind

FILES = {
    "arguments": (),
    "functions": (pytest.mark.slow,),
    "further": (pytest.mark.slow,),
    "values": (pytest.mark.slow,),
}
ROWS = [
    pytest.param(
        row,
        id=f"{name}: {row.name}",
        marks=marks or (() if row.older else stable_sample.marks(row.name, newest=2, older=4)),
    )
    for name, marks in FILES.items()
    for row in rows(FOLDER / f"{name}.txt")
]
CARDS = [card for name in FILES for row in rows(FOLDER / f"{name}.txt") for card in (row.card, row.older) if card]

# Kinds of reasons without a row: they need several cells or devices, or have no edit; test_ledger_*.py test them.
_ELSEWHERE = {
    "first_call",
    "first_observed",
    "sharding",
    "layout",
    "cell_rerun",
    "reloaded",
    "redefined",
    "unknown",
}


@pytest.fixture(scope="module")
def cells(notebook_of_module: Notebook) -> Cells:
    return Cells(notebook_of_module)


@pytest.mark.parametrize("row", ROWS)
def test_the_card_is_as_the_table_has_it(row: Row, cells: Cells) -> None:
    assert cells.card(row.source) == row.expected


@pytest.mark.any_jax
def test_every_cure_of_the_table_ends_compiles_or_misses_and_keeps_the_values() -> None:
    for card in CARDS:
        cures = re.findall(r"^    cure: .*\(applies\)$", card, re.MULTILINE)
        ran = re.findall(r"compiles: (\d+) -> (\d+), misses: (\d+) -> (\d+), equal values$", card, re.MULTILINE)
        assert len(ran) == len(cures), card
        for compiles, compiles_then, misses, misses_then in ran:
            assert int(compiles_then) <= int(compiles), card
            assert int(misses_then) <= int(misses), card
            # Each edit ends a compile or a miss. If it only makes types equal, a call with a NumPy array stays a slow
            # hit.
            assert (int(compiles_then), int(misses_then)) < (int(compiles), int(misses)), card


@pytest.mark.any_jax
def test_every_kind_of_cure_and_of_reason_has_a_row() -> None:
    assert {name for card in CARDS for name in names_of_cures(card)} == set(NAMES)
    matches = {kind for card in CARDS for kind in re.findall(r"^    ([a-z_]+): ", card, re.MULTILINE)}
    assert matches - {"advice", "cure"} == set(get_args(ReasonKind)) - _ELSEWHERE


@pytest.mark.any_jax
def test_the_files_of_the_table_are_all_read() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(FILES)
    assert sum(len(list(rows(path))) for path in FOLDER.glob("*.txt")) >= 60
