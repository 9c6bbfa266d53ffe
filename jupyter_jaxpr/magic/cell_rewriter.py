"""Changes the syntax tree of an observed cell before IPython compiles it, so that the cell reports its last call."""

from __future__ import annotations

import ast
import threading
from typing import Any

from ..typed import cell as cells
from .cell_states import ActiveCell


class CellRewriter(ast.NodeTransformer):
    """Changes the first syntax tree that IPython compiles after a cell's start, which is the cell's own.

    An AST transformer of IPython.
    """

    def __init__(self, active: ActiveCell) -> None:
        self._active = active
        self._is_done = False
        self._thread = threading.get_ident()

    def visit(self, module: ast.AST) -> Any:
        """Change the tree of the cell once.

        Later trees, such as those of magics in the cell, are returned unchanged.
        """
        if self._is_done or threading.get_ident() != self._thread or not isinstance(module, ast.Module):
            return module
        self._is_done = True
        self._active.other_calls = cells.rewrite(module, self._active.last, self._active.cell.source)
        return module
