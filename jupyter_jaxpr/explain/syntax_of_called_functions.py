"""Finds the syntax tree of a user function and the objects that its names refer to, without running user code."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import textwrap
from collections.abc import Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any, overload

from ..interruptions import not_of_a_signal
from ..observe.kept_texts import text_kept
from ..observe.user_or_library.whose_code import is_installed
from ..plain_text import FAILURES, file_of

#: Functions with more lines than this are not examined.
_LINES = 60


@overload
def tree_of(function: Any) -> ast.FunctionDef | None: ...
@overload
def tree_of(function: Any, asynchronous: bool) -> ast.FunctionDef | ast.AsyncFunctionDef | None: ...
def tree_of(function: Any, asynchronous: bool = False) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """Return the `def` statement of a plain Python function.

    None for a lambda, a generator, or a function without known source.

    Args:
        function: Any object.
        asynchronous: True to return an `async def`, too.
    """
    if type(function) is not FunctionType:
        return None
    node = _statement_of(function.__code__, file_of(function.__code__))
    if asynchronous and isinstance(node, ast.AsyncFunctionDef):
        return node
    return node if isinstance(node, ast.FunctionDef) else None


@functools.lru_cache(maxsize=256)
def _statement_of(code: CodeType, file: str) -> ast.stmt | None:
    """Return the statement that defines a function. None if the source is unknown, or is not exactly one statement.

    Args:
        code: The code of the function.
        file: The file of the code, needed because equal code objects may come from different files.
    """
    statements: list[ast.stmt] = []
    try:
        statements = ast.parse(textwrap.dedent("".join(_lines_of(code)))).body
    # None if the source is unknown, or if the function is a lambda in the middle of a line, which does not parse alone
    except not_of_a_signal(*FAILURES):
        return None
    return statements[0] if len(statements) == 1 else None


def _lines_of(code: CodeType) -> Sequence[str]:
    """Return the source lines of a function; [] if the function is too long."""
    if is_installed(file_of(code)):
        return _installed_lines(code)
    with text_kept(file_of(code)):
        lines, _ = inspect.getsourcelines(code)
    return lines if len(lines) <= _LINES else ()


@functools.lru_cache(maxsize=256)
def _installed_lines(code: CodeType) -> Sequence[str]:
    """Return the source lines of a function in a package.

    `linecache` is not used, because it would keep whole files until the kernel ends: 1.4 MB for `jax.numpy` alone.
    """
    file = file_of(code)
    is_kept = file in linecache.cache
    try:
        lines, _ = inspect.getsourcelines(code)
    finally:
        if not is_kept:
            linecache.cache.pop(file, None)
    return tuple(lines) if len(lines) <= _LINES else ()


def names_of(function: FunctionType) -> Mapping[str, Any]:
    """Return the values of the names that a function reads from outside of itself: {name: value}."""
    names = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            names[name] = cell.cell_contents
        except not_of_a_signal(ValueError):  # the variable of the closure has no value yet
            names.pop(name, None)
    return names


def manager_parts(manager: Any) -> tuple[list[ast.stmt], list[ast.stmt], Mapping[str, Any]] | None:
    """Return the statements of a context manager before and after its block, and the values of the names in them.

    Args:
        manager: The object that the `with` calls: a class, or a function of `contextlib.contextmanager`.
    """
    if isinstance(manager, type):
        enter, leave = (inspect.getattr_static(manager, name, None) for name in ("__enter__", "__exit__"))
        begins, ends = tree_of(enter), tree_of(leave)
        if begins is None or ends is None or type(leave) is not FunctionType:
            return None
        return begins.body, ends.body, names_of(leave)
    function = vars(manager).get("__wrapped__") if type(manager) is FunctionType else None
    tree = tree_of(function)
    if tree is None or function is None:
        return None
    for place, statement in enumerate(tree.body):
        if any(isinstance(node, ast.Yield) for node in ast.walk(statement)):
            after = [*getattr(statement, "finalbody", []), *tree.body[place + 1 :]]
            return tree.body[:place], after, names_of(function)
    return None
