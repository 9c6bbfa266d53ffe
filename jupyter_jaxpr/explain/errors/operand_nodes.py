"""Finds the operands of the operation that raised an error, with their shapes, and makes the explanation."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ...observe.observation import FoundCure
from .explanation import Explained
from .origins import operands, value_of
from .raised import RaisedAt
from .trial_of_cure import passed


def explained_with_trials(
    title: str, explanation: str, raised: RaisedAt | None, cures: Sequence[FoundCure]
) -> Explained:
    """Make the explanation of an array operation, with the cures that pass their trials."""
    return Explained(None, title, explanation.strip(), tuple(cures if raised is None else passed(raised, cures)))


def source_suffix(raised: RaisedAt | None) -> str:
    """Return the failing expression for the end of a title, such as " in x @ w"; empty for long code."""
    text = raised.text if raised is not None else None
    return f" in {text}" if text is not None and len(text) <= 60 else ""


def operand_nodes(raised: RaisedAt | None) -> list[ast.expr]:
    """Return the expressions of the operands of the operation that raised the error."""
    node = raised.node if raised is not None else None
    match node:
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            return [left, right]
        case ast.AugAssign(target=ast.Name() as target, value=value):
            return [target, value]
        case ast.Call(func=function, args=args):
            operand_list = (
                [function.value]
                if isinstance(function, ast.Attribute)
                and raised is not None
                and is_array(value_of(raised, function.value) if raised.frame is not None else None)
                else []
            )
            for argument in args:
                operand_list += argument.elts if isinstance(argument, ast.List | ast.Tuple) else [argument]
            return operand_list
        case ast.Subscript(value=value):
            return [value]
    return []


def is_array(value: Any) -> bool:
    """Return whether the class of a value has a shape and a dtype."""
    return hasattr(type(value), "shape") and hasattr(type(value), "dtype")


def operand_types(raised: RaisedAt | None) -> str:
    """Return one sentence for each operand, with its type and its origin."""
    return operands(raised, operand_nodes(raised))


def shapes_of_operands(raised: RaisedAt | None) -> list[tuple[ast.expr, tuple[int, ...]]]:
    """Return the operands that are arrays, with their shapes."""
    if raised is None or raised.frame is None:
        return []
    values = [(node, value_of(raised, node)) for node in operand_nodes(raised)]
    return [(node, tuple(value.shape)) for node, value in values if is_array(value)]
