"""Finds the names that no statement of a cell makes: a run of the cell raises where it reads one without a value."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from typing import Any

from ..typed.syntax_nodes import nodes_of
from ..typed.written_cell import WrittenCell
from .allowed_code import value_of
from .copied_names import Definitions

#: Names of code that may make names which the text does not write.
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
        """Return whether a name that code of a file reads, and that has no value now, has none when the cell runs.

        Args:
            file: The file name of the code.
            name: The name, or the name of an attribute of a module.
        """
        if file != self._file or any(skipped.is_import for skipped in self._definitions.skipped.values()):
            return False
        if self._made is None:
            self._made = frozenset(_names_made(self._written.module))
        return name not in self._made and self._made.isdisjoint(_MAKE_NAMES)

    def error_of(self, statement: ast.stmt, text: str) -> BaseException | None:
        """Return the error that Python raises at a name of a definition; None if this is unknown.

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
    """Return whether the read of an attribute that an object does not have runs no code of the user."""
    is_of_jax = getattr(owner, "__name__", "").partition(".")[0] == "jax"
    return isinstance(owner, types.ModuleType) and ("__getattr__" not in vars(owner) or is_of_jax)


def _names_made(tree: ast.AST) -> Iterator[str]:
    """Yield each name and attribute that the code of a tree gives a value, and the names of code that makes others."""
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
