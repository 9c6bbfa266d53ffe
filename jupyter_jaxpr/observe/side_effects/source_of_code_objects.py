"""Finds the syntax tree of a code object, if the source text compiles to the same bytecode.

Nothing is returned if the file was edited after the import, if another tool rewrote the bytecode, or if the source text
no longer exists.
"""

from __future__ import annotations
import __future__

import ast
import functools
import linecache
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

from ...interruptions import not_of_a_signal
from ...typed.kept_syntax_trees import tree_of
from ...typed.syntax_nodes import add_parts

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_FUTURES = functools.reduce(
    lambda flags, name: flags | getattr(__future__, name).compiler_flag, __future__.all_feature_names, 0
)
_LARGEST_TEXT = 1_000_000


def function_node(code: CodeType) -> FunctionNode | None:
    """Return the definition of the function with this code object.

    Return None if no known source text compiles to the code.
    """
    text = "".join(linecache.getlines(code.co_filename))
    if not text or len(text) > _LARGEST_TEXT:
        return None
    futures = code.co_flags & _FUTURES
    tree = tree_of(text)
    if tree is None:
        return None
    key = (code.co_name, code.co_firstlineno)
    if not _is_of_text(code, text) and not any(
        _is_same(code, compiled)
        for is_whole_file in (True, False)
        for compiled in _codes(text, code.co_filename, futures, is_whole_file).get(key, ())
    ):
        return None
    nodes = [
        node
        for node in _functions_at(tree, code.co_firstlineno)
        if _first_line(node) == code.co_firstlineno and _name(node) == code.co_name
    ]
    if len(nodes) > 1:  # of several lambdas on one line, the code's own is chosen
        nodes = [node for node in nodes if _holds(node, code)]
        nodes.sort(key=lambda node: (node.end_col_offset or 0) - node.col_offset)
    return nodes[0] if nodes else None


#: id -> (code object, source text), for code objects that this package itself compiled.
_of_texts: dict[int, tuple[CodeType, str]] = {}


class CodesOfText:
    """The code objects that this package compiled from a text: their source text is known without a search."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ids: list[int] = []

    def add(self, code: CodeType) -> None:
        """Add a code object that was compiled from statements of the text, and all code objects inside it."""
        for inner in (code, *_inner(code)):
            _of_texts[id(inner)] = inner, self._text
            self._ids.append(id(inner))

    def forget(self) -> None:
        """Forget the code objects that were compiled from the text."""
        for number in self._ids:
            _of_texts.pop(number, None)


@contextmanager
def codes_of_text(text: str) -> Iterator[CodesOfText]:
    """Yield the record of the code objects that are compiled from a text; the record is deleted after the block."""
    codes = CodesOfText(text)
    try:
        yield codes
    finally:
        codes.forget()


def _is_of_text(code: CodeType, text: str) -> bool:
    known, text_of_code = _of_texts.get(id(code), (None, ""))
    return known is code and text_of_code == text


@functools.lru_cache(maxsize=64)
def _codes(text: str, file: str, futures: int, is_whole_file: bool) -> dict[tuple[str, int], list[CodeType]]:
    """Return {(name, first line): code objects} for all functions in a source text.

    Args:
        text: The source text.
        file: The file name of the text.
        futures: The compiler flags of `from __future__` imports.
        is_whole_file: True to compile the text at once, as Python compiles a file. Otherwise the statements are
            compiled one by one, as IPython compiles a cell: the compiler then does not know which names are imported
            modules, and calls their functions by other instructions.
    """
    flags = futures | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    tree = tree_of(text)
    assert tree is not None
    parts = [tree] if is_whole_file else [ast.Module([statement], []) for statement in tree.body]
    codes: dict[tuple[str, int], list[CodeType]] = {}
    for part in parts:
        try:
            compiled = compile(part, file, "exec", flags=flags, dont_inherit=True)
        except not_of_a_signal(SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for code in _inner(compiled):
            codes.setdefault((code.co_name, code.co_firstlineno), []).append(code)
    return codes


def _inner(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inner(constant)


def _is_same(code: CodeType, later: CodeType) -> bool:
    """Return whether two code objects have the same instructions, names, constants and positions."""
    return (
        code.co_code == later.co_code
        and code.co_names == later.co_names
        and code.co_varnames == later.co_varnames
        and code.co_freevars == later.co_freevars
        and code.co_cellvars == later.co_cellvars
        and list(code.co_positions()) == list(later.co_positions())
        and _are_same_constants(code.co_consts, later.co_consts)
    )


def _are_same_constants(constants: tuple[object, ...], later_constants: tuple[object, ...]) -> bool:
    if len(constants) != len(later_constants):
        return False
    return all(
        _is_same_constant(constant, constant_beside)
        for constant, constant_beside in zip(constants, later_constants, strict=True)
    )


def _is_same_constant(constant: object, later: object) -> bool:
    if isinstance(constant, CodeType) and isinstance(later, CodeType):
        return _is_same(constant, later)
    # The reprs of constants are compared: 1, 1.0 and True are equal, and so are 0.0 and -0.0, but their reprs differ.
    return (
        type(constant) is type(later) and (constant == later or constant != constant) and repr(constant) == repr(later)
    )


def _functions_at(tree: ast.Module, line: int) -> Iterator[FunctionNode]:
    """Yield the functions in a syntax tree whose source includes a line."""
    waiting: list[Any] = [tree]
    while waiting:
        node = waiting.pop()
        first = getattr(node, "lineno", None)
        if first is not None:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.decorator_list:
                first = min(first, *(decorator.lineno for decorator in node.decorator_list))
            if not first <= line <= (node.end_lineno or first):
                continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield node
        add_parts(node, waiting)


def _first_line(node: FunctionNode) -> int:
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _name(node: FunctionNode) -> str:
    return "<lambda>" if isinstance(node, ast.Lambda) else node.name


def _holds(node: FunctionNode, code: CodeType) -> bool:
    """Return whether the source of all instructions of a code object is within the body of a lambda."""
    if not isinstance(node, ast.Lambda):
        return True
    first = (node.body.lineno, node.body.col_offset)
    last = (node.body.end_lineno or 0, node.body.end_col_offset or 0)
    for line, end_line, column, end_column in code.co_positions():
        if line is None or end_line is None or column is None or end_column is None or (column, end_column) == (0, 0):
            continue
        if (line, column) < first or (end_line, end_column) > last:
            return False
    return True
