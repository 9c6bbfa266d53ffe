"""Parses the source of a cell while the user edits it, and finds the function at the caret.

Nothing of the text runs here. No line number changes: the line of `%%jaxpr` becomes a comment, and magics on other
lines become function calls, as in IPython.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..interruptions import not_of_a_signal
from .kept_syntax_trees import tree_of
from .magics_below_jaxpr import PYTHON_CELL_MAGICS
from .observed_cell import magic_line

FunctionStatement = ast.FunctionDef | ast.AsyncFunctionDef


class NoPython(ValueError):
    """Raised for a cell that is in another language, or that asks for a help text with a question mark."""


@dataclass(frozen=True)
class WrittenCell:
    """The parsed source of a cell.

    Attributes:
        source: The source in the form that Python can compile.
        module: The syntax tree of the source; it is shared and must not be changed.
        magic: The text after `%%jaxpr`; None if the cell does not begin with the magic.
    """

    source: str
    module: ast.Module
    magic: str | None

    @property
    def functions(self) -> list[FunctionStatement]:
        """The functions that the cell defines at its top level, in source order."""
        return [node for node in self.module.body if isinstance(node, FunctionStatement)]

    def function_at(self, line: int) -> FunctionStatement | None:
        """Return the top-level function whose lines (decorators included) contain a line; None if there is none."""
        return next((node for node in self.functions if first_line(node) <= line <= (node.end_lineno or 0)), None)

    def calls(self) -> Iterator[ast.Call]:
        """Yield the calls in the cell that are outside of functions, the last one first."""
        for statement in reversed(self.module.body):
            yield from reversed(list(_calls(statement)))


def read_cell(text: str) -> WrittenCell:
    """Parse the source of a cell.

    Raises:
        SyntaxError: The text does not parse.
        NoPython: The text is not Python.
    """
    magic = magic_line(text)
    source = _without_cell_magics(text)
    try:
        # other code parses the same text by `tree_of` and gets this same tree
        module = tree_of(source) or _parsed(source)
    except SyntaxError:
        source = _without_line_magics(source)
        module = tree_of(source) or _parsed(source)
    except not_of_a_signal(ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error)) from None
    return WrittenCell(source, module, magic)


def first_line(node: FunctionStatement | ast.ClassDef) -> int:
    """Return the first line of a definition: the line of its first decorator."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _parsed(source: str) -> ast.Module:
    module = compile(source, "<cell>", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    assert isinstance(module, ast.Module)
    return module


def _without_cell_magics(text: str) -> str:
    """Return the source with comments in place of `%%jaxpr` and of cell magics that run Python."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        words = line.split()
        if not words:
            continue
        if not words[0].startswith("%%"):
            break
        name = words[0].removeprefix("%%")
        if name != "jaxpr" and name not in PYTHON_CELL_MAGICS:
            raise NoPython(words[0])
        lines[number] = "#"
    return "\n".join(lines)


def _without_line_magics(source: str) -> str:
    """Return the text that IPython would compile, by IPython's own transformations, without those of the user.

    Raises:
        SyntaxError: A magic has several lines, which would change the line numbers below.
    """
    from IPython.core.inputtransformer2 import TransformerManager

    body = source.lstrip("\n")
    above = len(source) - len(body)
    transformed = "\n" * above + TransformerManager().transform_cell(body)
    if len(transformed.splitlines()) != len(source.splitlines()):
        raise SyntaxError("the cell has a magic of several lines")
    return transformed


def _calls(statement: ast.stmt) -> Iterator[ast.Call]:
    """Yield the calls of a statement in source order; calls inside of functions and classes are left out."""
    waiting: list[ast.AST] = [statement]
    calls = []
    while waiting:
        node = waiting.pop()
        if isinstance(node, FunctionStatement | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.Call):
            calls.append(node)
        waiting.extend(ast.iter_child_nodes(node))
    yield from sorted(calls, key=lambda call: (call.lineno, call.col_offset))


def names_stored(statements: Sequence[ast.stmt]) -> Iterator[str]:
    """Yield the names that statements assign, define or import; names inside of functions are left out."""
    waiting: list[ast.AST] = list(statements)
    while waiting:
        node = waiting.pop()
        if isinstance(node, FunctionStatement | ast.ClassDef):
            yield node.name
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.name
        waiting.extend(ast.iter_child_nodes(node))
