"""Writes the notes into the table; with --check, only those of the older JAX line that differ.

Run from the repository: `PYTHONPATH=tests:. python tests/note_table/make.py [--check] [file ...]`.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from error_table.make import make

from note_table.cards import FOLDER, Cells

if __name__ == "__main__":
    make(Cells, FOLDER)
