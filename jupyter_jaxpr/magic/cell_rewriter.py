"""Rewrites the syntax tree of an observed cell as IPython compiles the cell, so that the last call is recorded."""

from __future__ import annotations

import ast
import threading
from typing import Any

from ..typed import cell as cells
from .active import Active


class CellRewriter(ast.NodeTransformer):
    """Rewrites the first syntax tree after a cell's start, which is the cell's own; a transformer of IPython."""

    def __init__(self, active: Active) -> None:
        self._active = active
        self._is_done = False
        self._thread = threading.get_ident()

    def visit(self, module: ast.AST) -> Any:
        """Rewrite the cell once; leave the trees of nested magics unchanged."""
        if self._is_done or threading.get_ident() != self._thread or not isinstance(module, ast.Module):
            return module
        self._is_done = True
        self._active.other_calls = cells.rewrite(module, self._active.last, self._active.cell.source)
        return module
