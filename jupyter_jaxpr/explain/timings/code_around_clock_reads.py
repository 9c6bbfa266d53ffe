"""Reads the syntax around readings of a clock: blocks, names of results, differences of two readings."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ...interruptions import not_of_a_signal


def blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of a loop, an `if` or a `with`. A function yields none, because it has its own scope."""
    if isinstance(statement, ast.For | ast.While | ast.If | ast.With):
        yield statement.body
        yield getattr(statement, "orelse", [])


def named_in(statement: ast.stmt) -> ast.NamedExpr | None:
    """Return the `:=` expression that a statement evaluates first, as in `print(t := now())` or `if (t := now()):`."""
    value = statement.test if isinstance(statement, ast.If) else None
    if isinstance(statement, ast.Expr | ast.Assign):
        value = statement.value
    if isinstance(value, ast.Call) and len(value.args) == 1 and not value.keywords:
        value = value.args[0]
    return value if isinstance(value, ast.NamedExpr) else None


def name_of(body: Sequence[ast.stmt], call: ast.expr) -> str | None:
    """Return the name to which a statement assigns the result of a call or operation. None if it assigns no name."""
    for statement in body:
        if isinstance(statement, ast.Assign) and statement.value is call and len(statement.targets) == 1:
            target = statement.targets[0]
            return target.id if isinstance(target, ast.Name) else None
    return None


def is_difference(node: ast.BinOp, start: str) -> bool:
    """Return whether an expression subtracts the earlier time `start`, as `now - start` does."""
    return isinstance(node.op, ast.Sub) and is_place(node.right) and ast.unparse(node.right) == start


def is_place(node: ast.AST) -> bool:
    """Return whether an expression is a name, or an attribute of a name such as `self.started`."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name))


def in_order(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a block and of its `try` blocks, in the order of a run without an error."""
    statements: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, ast.Try):
            statements += in_order([*statement.body, *statement.orelse, *statement.finalbody])
        else:
            statements.append(statement)
    return statements


def outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that are not inside of a function or class."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield child
            yield from outside_functions(child)


def parsed(text: str) -> ast.Module | None:
    """Return the syntax tree of source code; None if the source code is not valid Python."""
    try:
        return ast.parse(text)
    except not_of_a_signal(SyntaxError, ValueError):
        return None
