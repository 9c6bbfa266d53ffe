"""Runs the cells of the table, writes their cards into the files, and prints the names of the changed rows.

With --check on the older JAX line, it writes only the cards that differ there, in addition to the rows' usual cards.

Run from the repository: `PYTHONPATH=tests:. python tests/loop_table/make.py [--check] [file ...]`.
"""

from __future__ import annotations

from error_table.make import make

from loop_table.cards import FOLDER, Cells

if __name__ == "__main__":
    make(Cells, FOLDER)
