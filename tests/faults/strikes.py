"""Raises a signal at a chosen statement of the package: each statement is compiled with a call before it.

The shell that runs the faults imports this module before the package; the module does not import JAX. A real alarm can
come at any moment, so a test with real alarms tries few moments, and different ones in each run. This module compiles
the package with a call before each statement, also in callbacks of `sys.monitoring`, for which Python reports no lines.
"""

from __future__ import annotations

import ast
import importlib.machinery
import signal
import sys
from collections.abc import Sequence
from types import CodeType, ModuleType
from typing import Any

PACKAGE = "jupyter_jaxpr"
CALL = "__statement_of_ours__"

passed: list[tuple[str, int]] = []  # (file, line) of each statement of a run, where it first ran
_visited: set[tuple[str, int]] = set()
_counts = _main = False
_target: tuple[str, int] | None = None
struck: list[tuple[str, int]] = []


def statement(file: str, line: int) -> None:
    """Raise the signal at the chosen statement; runs before each statement of the package."""
    global _target
    if _counts and (file, line) not in _visited and _on_main_thread():
        _visited.add((file, line))
        passed.append((file, line))
    if _target == (file, line) and _on_main_thread():
        _target = None
        struck.append((file, line))
        signal.raise_signal(signal.SIGALRM)


def _on_main_thread() -> bool:
    import threading

    return threading.current_thread() is threading.main_thread()


def count() -> None:
    """Start to record which statements run."""
    global _counts
    passed.clear()
    _visited.clear()
    _counts = True


def counted() -> list[tuple[str, int]]:
    global _counts
    _counts = False
    return list(passed)


def strike(file: str, line: int) -> None:
    """Raise the signal once, when the statement at this line runs next."""
    global _target
    struck.clear()
    _target = file, line


def stop() -> list[tuple[str, int]]:
    """Raise no more signals; return the file and the line of the statement that raised one, else an empty list."""
    global _target
    _target = None
    return list(struck)


class _Calls(ast.NodeTransformer):
    def __init__(self, file: str) -> None:
        self._file = file

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            statements = getattr(node, name, None)
            if isinstance(statements, list) and statements and isinstance(statements[0], ast.stmt):
                setattr(node, name, [with_call for child in statements for with_call in self._with_call(child)])
        return node

    def _with_call(self, statement: ast.stmt) -> list[ast.stmt]:
        is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if is_text or (isinstance(statement, ast.ImportFrom) and statement.module == "__future__"):
            return [statement]
        call = ast.parse(f"{CALL}({self._file!r}, {statement.lineno})").body[0]
        for node in ast.walk(call):
            ast.copy_location(node, statement)
            if isinstance(node, (ast.expr, ast.stmt)):
                node.end_lineno, node.end_col_offset = node.lineno, node.col_offset
        return [call, statement]


class _Loader(importlib.machinery.SourceFileLoader):
    def source_to_code(self, data: Any, path: Any, *, _optimize: int = -1) -> CodeType:  # type: ignore[override]
        tree = _Calls(path.rpartition(f"/{PACKAGE}/")[2]).visit(ast.parse(data, path))
        return compile(tree, path, "exec", dont_inherit=True, optimize=_optimize)

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)  # bytecode is neither read from disk nor written to it
        return self.source_to_code(self.get_data(path), path)

    def exec_module(self, module: ModuleType) -> None:
        setattr(module, CALL, statement)
        super().exec_module(module)


class _Finder:
    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if name.partition(".")[0] != PACKAGE:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None:
            for finder in sys.meta_path:  # an editable install is found by a finder of its own
                if not isinstance(finder, _Finder) and (spec := finder.find_spec(name, path, target)) is not None:
                    break
        if spec is not None and spec.origin is not None and spec.origin.endswith(".py"):
            spec.loader = _Loader(name, spec.origin)
        return spec


def install() -> None:
    assert PACKAGE not in sys.modules
    sys.meta_path.insert(0, _Finder())
