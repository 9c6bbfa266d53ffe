"""Compares the card of each unrolled loop with the table; each rewrite that applies gives equal values."""

from __future__ import annotations

import re

import pytest
import stable_sample
from conftest import Notebook
from error_table.cards import Row, rows
from loop_table.cards import FOLDER, Cells

FILES = {"everyday": (), "further": (pytest.mark.slow,), "values": (pytest.mark.slow,)}
ROWS = [
    pytest.param(
        row,
        id=f"{name}: {row.name}",
        marks=marks or stable_sample.marks(row.name, newest=2, older=4, always=row.older is not None),
    )
    for name, marks in FILES.items()
    for row in rows(FOLDER / f"{name}.txt")
]
CARDS = [card for name in FILES for row in rows(FOLDER / f"{name}.txt") for card in (row.card, row.older) if card]


@pytest.fixture(scope="module")
def cells(notebook_of_module: Notebook) -> Cells:
    return Cells(notebook_of_module)


@pytest.mark.parametrize("row", ROWS)
def test_the_card_is_as_the_table_has_it(row: Row, cells: Cells) -> None:
    assert cells.card(row.source) == row.expected


@pytest.mark.any_jax
def test_every_rewrite_that_applies_ends_its_loop_and_keeps_the_values() -> None:
    for card in CARDS:
        applies = card.count("code (applies):")
        ran = re.findall(r"^    loops: (\d+) -> (\d+), fewer equations, equal values$", card, re.MULTILINE)
        assert len(ran) == applies and all(int(after) < int(before) for before, after in ran), card


@pytest.mark.any_jax
def test_every_form_of_rewrite_has_a_row_that_applies() -> None:
    applied = "\n".join(card for card in CARDS if "code (applies):" in card)
    for form in ("jax.lax.fori_loop(", "jax.lax.scan(", "jax.lax.while_loop(", "jax.vmap("):
        assert form in applied


@pytest.mark.any_jax
def test_the_files_of_the_table_are_all_read() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(FILES)
    assert sum(len(list(rows(path))) for path in FOLDER.glob("*.txt")) >= 40
