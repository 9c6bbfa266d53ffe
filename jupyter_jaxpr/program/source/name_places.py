"""Finds the place of each name that gets a value in a source file; places are looked up by line and name."""

from __future__ import annotations

import ast
import copy
import functools
import linecache
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ...typed.kept_syntax_trees import edit_of, tree_of
from ...typed.syntax_nodes import add_parts, nodes_of
from ...typed.tree_of_edited_text import Edit


class Span(NamedTuple):
    """A range in a source file: lines count from 1, columns are UTF-8 bytes from 0."""

    line: int
    column: int
    end_line: int
    end_column: int


class NamePlaces:
    """The places in one file at which names get values.

    Attributes:
        assigned: (line, name) -> place of the assigned name; names that a line assigns twice are left out.
        parameters: (first line of the function, decorators included; name) -> place of the parameter; without
            functions that share a line.
        returned: First line -> `return` statement; line of a lambda -> its body.
    """

    def __init__(self, nodes: Iterable[ast.AST]) -> None:
        assigned: list[tuple[_Key, Span]] = []
        parameters: list[tuple[_Key, Span]] = []
        returned: list[tuple[_Key, Span]] = []
        for node in nodes:
            if isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Store):
                    assigned.append(((node.lineno, node.id), _span(node)))
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                parameters.extend(_parameters(node))
            elif isinstance(node, ast.Return) and node.value is not None:
                returned.append(((node.lineno, ""), _span(node)))
        self.assigned = _once(assigned)
        self.parameters = _once(parameters)
        self.returned = _once(returned)

    def edited(self, edit: Edit) -> NamePlaces:
        """Return the places in the text after an edit; `self` has the places in the text before the edit."""
        lines = range(edit.first, edit.last + 1)
        changed = NamePlaces(node for statement in edit.statements for node in nodes_of(statement))
        edited = copy.copy(self)
        edited.assigned = _replaced(self.assigned, lines, changed.assigned)
        edited.parameters = _replaced(self.parameters, lines, changed.parameters)
        edited.returned = _replaced(self.returned, lines, changed.returned)
        return edited


def name_places(file: str) -> NamePlaces | None:
    """Return the places of names in a file as it was when it ran; None if the source is unknown or is no Python."""
    return _parsed("".join(linecache.getlines(file)))


#: A cache: the texts that were read last, each with its places.
_latest: deque[tuple[str, NamePlaces]] = deque(maxlen=4)


@functools.lru_cache(maxsize=32)
def _parsed(text: str) -> NamePlaces | None:
    if not text or len(text) > _LONGEST:
        return None
    tree, edit = tree_of(text), edit_of(text)
    if tree is None:
        return None
    earlier = None
    if edit is not None:
        earlier = next((places for known, places in list(_latest) if known == edit.earlier_text), None)
    places = NamePlaces(_nodes(tree, text)) if edit is None or earlier is None else earlier.edited(edit)
    _latest.appendleft((text, places))
    return places


_LONGEST = 500_000
#: Matches what a line must contain if an expression on the line binds a name.
_BINDS = re.compile(r":=|\blambda\b|\bfor\b")
#: The statements that bind only the names in their targets, if no expression in them binds a name.
_SIMPLE = frozenset([ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return])


def _nodes(tree: ast.Module, text: str) -> Iterator[ast.AST]:
    """Yield the syntax nodes that may bind a name.

    Values of simple statements are skipped, which saves most of the time in a long cell.
    """
    waiting: list[Any] = [tree]
    is_counted = "\r" not in text  # `split` below, unlike Python, does not end a line at a carriage return
    binding = {number for number, line in enumerate(text.split("\n"), 1) if _BINDS.search(line)}
    while waiting:
        node = waiting.pop()
        kind = type(node)
        if is_counted and kind in _SIMPLE and node.lineno == node.end_lineno and node.lineno not in binding:
            yield node
            if kind is ast.Assign:
                waiting += node.targets
            elif kind is ast.AnnAssign or kind is ast.AugAssign:
                waiting.append(node.target)
        elif add_parts(node, waiting):
            yield node


_Key = tuple[int, str]


def _once(places: Iterable[tuple[_Key, Span]]) -> Mapping[_Key, Span]:
    spans: dict[_Key, Span | None] = {}
    for key, span in places:
        spans[key] = None if key in spans else span
    return {key: span for key, span in spans.items() if span is not None}


def _replaced(places: Mapping[_Key, Span], lines: range, changed: Mapping[_Key, Span]) -> Mapping[_Key, Span]:
    return {**{key: span for key, span in places.items() if key[0] not in lines}, **changed}


def _span(node: ast.expr | ast.stmt | ast.arg) -> Span:
    end_line = node.end_lineno if node.end_lineno is not None else node.lineno
    end_column = node.end_col_offset if node.end_col_offset is not None else node.col_offset
    return Span(node.lineno, node.col_offset, end_line, end_column)


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Iterator[tuple[_Key, Span]]:
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    arguments = node.args
    listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    for argument in filter(None, listed):
        yield (first, argument.arg), _span(argument)
