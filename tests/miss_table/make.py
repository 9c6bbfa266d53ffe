"""Writes the cards of the table anew, or with --check those of the older JAX line that differ.

Run from the repository: `PYTHONPATH=tests:. python tests/miss_table/make.py [--check] [file ...]`.
"""

from __future__ import annotations

from error_table.make import make

from miss_table.cards import FOLDER, Cells

if __name__ == "__main__":
    make(Cells, FOLDER)
