"""Finds names that an edited cell reads but no statement of it assigns.

If they have no value, running the cell raises.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from typing import Any

from ..typed.edited_cell import WrittenCell
from ..typed.syntax_nodes import nodes_of
from .allowed_expressions import value_of
from .executed_statements import Definitions

#: Names in code that may assign other names without writing them, such as `exec`.
_MAKE_NAMES = frozenset("exec eval globals locals vars setattr get_ipython __import__ import_module".split())


class UnmadeNames:
    """The names that a cell, as it is written, reads and does not make.

    Args:
        written: The cell.
        file: The file name of the code of the cell.
        definitions: The definitions of the cell that ran.
    """

    def __init__(self, written: WrittenCell, file: str, definitions: Definitions) -> None:
        self._written = written
        self._file = file
        self._definitions = definitions
        self._made: frozenset[str] | None = None

    def is_unmade(self, file: str, name: str) -> bool:
        """Return whether a name that has no value at present will still have none when the cell runs.

        Args:
            file: The file name of the code that reads the name.
            name: The name, or the name of an attribute of a module.
        """
        if file != self._file or any(skipped.is_import for skipped in self._definitions.skipped.values()):
            return False
        if self._made is None:
            self._made = frozenset(_names_made(self._written.module))
        return name not in self._made and self._made.isdisjoint(_MAKE_NAMES)

    def error_of(self, statement: ast.stmt, text: str) -> BaseException | None:
        """Return the error that Python will raise at a definition because of a name; None if this is uncertain.

        Args:
            statement: The definition that did not run.
            text: The part of the statement that has no value: a name, or an attribute of a module.
        """
        parts = (node for node in nodes_of(statement) if isinstance(node, ast.Name | ast.Attribute))
        node = next((node for node in parts if ast.unparse(node) == text), None)
        names = self._definitions.namespace
        if node is None or not self.is_unmade(self._file, node.attr if isinstance(node, ast.Attribute) else node.id):
            return None
        if isinstance(node, ast.Attribute) and not _raises_only(value_of(node.value, names)):
            return None
        try:
            eval(compile(ast.Expression(node), self._file, "eval"), names)
        except (NameError, AttributeError) as error:
            return error
        return None


def _raises_only(owner: Any) -> bool:
    """Return whether reading a missing attribute of an object raises without running user code."""
    is_of_jax = getattr(owner, "__name__", "").partition(".")[0] == "jax"
    return isinstance(owner, types.ModuleType) and ("__getattr__" not in vars(owner) or is_of_jax)


def _names_made(tree: ast.AST) -> Iterator[str]:
    """Yield each name and attribute that code assigns, and names such as `exec` that may assign others."""
    for node in nodes_of(tree):
        match node:
            case ast.Name(id=name):
                if not isinstance(node.ctx, ast.Load) or name in _MAKE_NAMES:
                    yield name
            case ast.Attribute(attr=name):
                if not isinstance(node.ctx, ast.Load) or name in _MAKE_NAMES:
                    yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.arg(arg=name):
                yield name
            case ast.Global(names=names):
                yield from names
            case ast.alias(name=name):
                yield node.asname or name.partition(".")[0]
            case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar():
                if node.name is not None:
                    yield node.name
            case ast.MatchMapping():
                if node.rest is not None:
                    yield node.rest
