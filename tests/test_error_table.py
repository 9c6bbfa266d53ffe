"""Tests the table of errors: each cell has the card in the table, and each cure that applies ends the error."""

from __future__ import annotations

from pathlib import Path

import pytest
import stable_sample
from conftest import Notebook
from error_table.cards import FOLDER, Cells, Row, rows

import jupyter_jaxpr

ERRORS = Path(jupyter_jaxpr.__file__).parent / "explain" / "errors"

# The files of the table. Each is named after a module of `explain/errors` that makes cards; the errors in `no_card` get
# no card, because they are Python's own or unknown.
FILES = (
    "shapes",
    "arguments",
    "transforms",
    "control_flow",
    "traced_values",
    "earlier_lines",
    "random_keys",
    "flax_modules",
    "message_tables",
    "no_card",
)


def marks(row: Row) -> tuple[pytest.MarkDecorator, ...]:
    """Return the marks of a row; a row with a card for the older JAX line runs each day on both lines."""
    if row.schedule == "in full":
        return (pytest.mark.slow,)
    if row.schedule == "on both lines" or row.older is not None:
        return ()
    return stable_sample.marks(row.name, newest=3) or (pytest.mark.any_jax,)


ROWS = [
    pytest.param(row, id=f"{name}: {row.name}", marks=marks(row))
    for name in FILES
    for row in rows(FOLDER / f"{name}.txt")
]


@pytest.fixture(scope="module")
def cells(notebook_of_module: Notebook) -> Cells:
    return Cells(notebook_of_module)


@pytest.mark.parametrize("row", ROWS)
def test_the_card_is_as_the_table_has_it(row: Row, cells: Cells) -> None:
    assert cells.card(row.source) == row.expected


@pytest.mark.any_jax
def test_no_cure_of_the_table_fails() -> None:
    for path in FOLDER.glob("*.txt"):
        for row in rows(path):
            for card in filter(None, (row.card, row.older)):
                outcomes = [line.strip() for line in card.splitlines() if line.startswith("    gives: ")]
                failed = [line for line in outcomes if "Error" in line]
                assert not failed, (path.name, row.name, failed)


@pytest.mark.any_jax
def test_every_row_has_one_card_with_a_title() -> None:
    for name in FILES:
        for row in rows(FOLDER / f"{name}.txt") if name != "no_card" else ():
            assert row.card.splitlines()[1].startswith("title: ") and "title: None" not in row.card, (name, row.name)


@pytest.mark.any_jax
def test_every_room_has_one_file_of_rows_with_different_names() -> None:
    rooms = {path.parent.name for path in ERRORS.glob("*/__init__.py")} - {"failing_code", "trials"}
    assert rooms | {"no_card"} == set(FILES)
    for path in FOLDER.glob("*.txt"):
        names = [row.name for row in rows(path)]
        assert path.stem in FILES and len(names) == len(set(names)), path.stem
