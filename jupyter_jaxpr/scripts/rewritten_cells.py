"""Finds the original source of cells that IPython rewrote before they ran, such as a cell with `%load_ext`.

`linecache` only has the rewritten source. (For a run under `%%jaxpr`, the cell observer knows the cells.)
"""

from __future__ import annotations

import functools
import linecache
import re
import sys
from dataclasses import dataclass
from typing import Any

from ..interruptions import not_of_a_signal
from ..program.source.positions import CellText

#: IPython replaces a magic, a shell command or a question mark by code that begins with this.
_REWRITTEN = "get_ipython()."
_TO_REWRITE = re.compile(r"^\s*[%!?]|=\s*[%!]|\?\s*$", re.MULTILINE)


@dataclass(frozen=True)
class _TypedCell:
    execution_count: int
    source: str
    id: str | None = None


def rewritten_cells() -> dict[str, CellText]:
    """Return {`co_filename`: cell as typed} for the cells in the shell's history that IPython rewrote."""
    shell = _shell()
    if shell is None or shell.history_manager is None:
        return {}
    files: dict[str, str] = {}
    for file, entry in list(linecache.cache.items()):
        # entries with the time None are cells and other texts that never were files
        text = "".join(entry[2]) if len(entry) == 4 and entry[1] is None else ""
        if _REWRITTEN in text:
            files[text.strip()] = file
    cells: dict[str, CellText] = {}
    for count, typed in enumerate(list(shell.history_manager.input_hist_raw) if files else []):
        if _TO_REWRITE.search(typed):
            found = files.get(_rewritten(typed))
            if found is not None:
                cells[found] = _TypedCell(count, typed)
    return cells


def _shell() -> Any:
    interactive = sys.modules.get("IPython")
    return interactive.get_ipython() if interactive is not None else None


@functools.lru_cache(maxsize=512)
def _rewritten(typed: str) -> str:
    try:
        text: str = _shell().transform_cell(typed)
    except not_of_a_signal(Exception):  # IPython cannot transform the text, so it did not rewrite it
        return ""
    return text.strip()
