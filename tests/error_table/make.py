"""Runs the cells of the table, writes their cards into the files, and prints the names of the changed rows.

With --check on the older JAX line, it writes only the cards that differ there, in addition to the rows' usual cards.

Run from the repository: `PYTHONPATH=tests:. python tests/error_table/make.py [--check] [room ...]`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from conftest import Notebook, new_shell

from error_table.cards import FOLDER, Cells, Row, rows, written
from jupyter_jaxpr.explain.trials import trial_time_limit


def make(cells_of: Callable[[Notebook], Any], folder: Path) -> None:
    """Run every cell of a table, and write its card into the file.

    Args:
        cells_of: A function: notebook -> object with a method `card`, which returns the card of a cell.
        folder: The folder of the table.
    """
    trial_time_limit.SECONDS = trial_time_limit.SECONDS_AT_ERROR = 60.0
    is_check = "--check" in sys.argv
    names = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    shell = new_shell()
    shell.run_line_magic("load_ext", "jupyter_jaxpr")
    cells = cells_of(Notebook(shell))
    for path in sorted(folder.glob("*.txt")):
        if names and path.stem not in names:
            continue
        rows_made: list[Row] = []
        for row in rows(path):
            card = cells.card(row.source)
            if is_check:
                rows_made.append(replace(row, older=card if card != row.card else None))
            else:
                rows_made.append(replace(row, card=card))
            if (row.card if not is_check else rows_made[-1].card) != card:
                print(f"{path.name}: {row.name}", file=sys.stderr)
        path.write_text(written(rows_made))


if __name__ == "__main__":
    make(Cells, FOLDER)
