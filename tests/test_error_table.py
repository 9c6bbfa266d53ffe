"""The table of errors: each cell's card is as the table has it, and each cure that applies ends the error."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conftest import Notebook
from error_table.cards import FOLDER, Cells, Row, rows

# The cards of `statements` are equal on both lines: they show how statements are rewritten.
FILES = {
    "section_six": (),
    "at_least": (),
    "meaning": (),
    "reported": (),
    "other_causes": (),
    "others": (pytest.mark.slow,),
    "statements": (pytest.mark.any_jax,),
    "further": (pytest.mark.slow,),
    "written_for_one": (pytest.mark.slow,),
    "lax_and_objects": (pytest.mark.slow,),
    "calls": (pytest.mark.slow,),
    "settings": (pytest.mark.slow,),
    "misuses": (pytest.mark.slow,),
    "integers_and_squares": (pytest.mark.slow,),
    "models_and_steps": (pytest.mark.slow,),
    "users": (),
    "what_the_user_meant": (pytest.mark.slow,),
    "whole_results": (pytest.mark.slow,),
    "objects_and_states": (pytest.mark.slow,),
    "shapes_and_axes": (pytest.mark.slow,),
    "of_bodies_and_libraries": (pytest.mark.slow,),
    "of_shapes_and_sizes": (pytest.mark.slow,),
    "of_bodies_keys_and_numbers": (pytest.mark.slow,),
}
# Of the files that run each day, the older line runs the rows whose cards differ there, and the first file.
ROWS = [
    pytest.param(
        row,
        id=f"{name}: {row.name}",
        marks=marks if marks or row.older is not None or name == "section_six" else (pytest.mark.any_jax,),
    )
    for name, marks in FILES.items()
    for row in rows(FOLDER / f"{name}.txt")
]


@pytest.fixture(scope="module")
def cells() -> Iterator[Cells]:
    """Yield one notebook for all cells: no cell needs the state of another."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config({"HistoryManager": {"hist_file": ":memory:"}, "InteractiveShell": {"colors": "nocolor"}})
    shell = InteractiveShell.instance(config=config)
    shell.run_line_magic("load_ext", "jupyter_jaxpr")
    yield Cells(Notebook(shell))
    shell.run_line_magic("unload_ext", "jupyter_jaxpr")
    shell.restore_sys_module_state()
    InteractiveShell.clear_instance()


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
    # The errors of `other_causes` are Python's own or of no known kind: a card says no more than the message does.
    for path in FOLDER.glob("*.txt"):
        for row in rows(path) if path.stem != "other_causes" else ():
            assert row.card.splitlines()[1].startswith("title: ") and "title: None" not in row.card, (path, row.name)


@pytest.mark.any_jax
def test_the_files_of_the_table_are_all_read() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(FILES)
