"""Changes the syntax tree of an observed cell before IPython compiles it, so that the cell reports its last call."""

from __future__ import annotations

import ast
import threading
from typing import Any

from IPython.core.interactiveshell import InteractiveShell

from ..interruptions import not_of_a_signal
from ..typed import observed_cell as cells
from .cell_states import ActiveCell


def transformed_cell(shell: InteractiveShell, info: Any) -> str:
    """Return the cell's text in which IPython has replaced its own syntax, such as magics, by Python."""
    return getattr(info, "transformed_cell", None) or str(shell.transform_cell(info.raw_cell))


class CellRewriter(ast.NodeTransformer):
    """Changes the first syntax tree that IPython compiles after a cell's start, which is the cell's own.

    An AST transformer of IPython.
    """

    def __init__(self, active: ActiveCell, shell: InteractiveShell) -> None:
        self._active = active
        self._shell = shell
        self._tree: ast.Module | None = None
        self._thread = threading.get_ident()

    def visit(self, module: ast.AST) -> Any:
        """Change the tree of the cell once.

        Later trees, such as those of magics in the cell, are returned unchanged.
        """
        # IPython would drop an error that leaves this method, and print only a warning.
        try:
            if self._tree is not None or threading.get_ident() != self._thread or not isinstance(module, ast.Module):
                return module
            self._tree = module
            self._active.other_calls = cells.rewrite(module, self._active.last, self._active.cell.source)
        except not_of_a_signal(Exception) as error:
            self._active.run.fail(error)
            return self._written(module)
        except Exception as error:  # a signal handler of the user raised the error, so the cell must raise it
            written = self._written(module)
            if isinstance(written, ast.Module):
                cells.raise_first(written, self._active.last, error)
            return written
        return module

    def _written(self, module: ast.AST) -> ast.AST:
        """Return a tree as the user wrote it; an error may have left the cell's tree half changed."""
        if module is not self._tree:
            return module
        text = transformed_cell(self._shell, self._active.info)
        return self._shell.compile.ast_parse(text, self._active.cell.file)
