"""Compiles and runs a cell inside of another cell, with the line numbers that its code has in the outer cell."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

from ..typed import observed_cell as cells

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


_RUNS_A_CELL = "run_cell_async"  # the method of an IPython shell that runs a cell; its frames on the stack are counted


def is_within_a_cell() -> bool:
    """Return whether another cell started this cell, so that the frames of both are on the stack."""
    frame: FrameType | None = sys._getframe()
    cells_under_way = 0
    while frame is not None:
        cells_under_way += frame.f_code.co_name == _RUNS_A_CELL
        frame = frame.f_back
    return cells_under_way > 1


def lines_above(outer: cells.RunningCell | None, source: str) -> int:
    """Return how many lines of the outermost cell are above a nested cell, the line of its magic included."""
    text = outer.source.rstrip() if outer is not None else ""
    body = source.rstrip()
    return text[: len(text) - len(body)].count("\n") if text.endswith("\n" + body) else 1


def run_body(shell: InteractiveShell, source: str, above: int) -> tuple[str, Callable[..., Any]]:
    """Compile the body of a cell magic, as IPython does; return (its file name, a function that runs it).

    The function returns the value of the last expression.
    """
    # One blank line replaces each line above the body, so that line numbers fit the notebook's cell. Leading blank
    # lines of the body are counted, because IPython removes them.
    lines = source.splitlines()
    leading = next((number for number, line in enumerate(lines) if line.strip()), 0)
    text = "\n" * (above + leading) + shell.transform_cell(source)
    name = shell.compile.cache(text, shell.execution_count, raw_code="%%jaxpr\n" + source)
    parsed = shell.compile.ast_parse(text, filename=name)

    def run() -> Any:
        __tracebackhide__ = True
        module = shell.transform_ast(parsed)
        assert isinstance(module, ast.Module)
        last = module.body.pop() if module.body and isinstance(module.body[-1], ast.Expr) else None
        compiler: Any = shell.compile
        exec(compiler(module, name, "exec"), shell.user_global_ns, shell.user_ns)
        if not isinstance(last, ast.Expr):
            return None
        return eval(compiler(ast.Expression(last.value), name, "eval"), shell.user_global_ns, shell.user_ns)

    return name, run
