"""Finds the operands of the operation that raised an error, with their shapes, and makes the explanation."""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from typing import Any

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..arguments.static_argument_edits import parameters_of
from ..explanation import Explained
from .module_names import namespace
from .origins import operands, value_of
from .place_of_error import RaisedAt


def explained_with_trials(
    title: str, explanation: str, raised: RaisedAt | None, cures: Sequence[FoundCure]
) -> Explained:
    """Make the explanation of an array operation, with the cures that pass their trials."""
    return Explained(None, title, explanation.strip(), tuple(cures if raised is None else passed(raised, cures)))


def source_suffix(raised: RaisedAt | None, preposition: str = "in") -> str:
    """Return the failing expression for the end of a title, such as " in x @ w"; empty for long code."""
    text = raised.text if raised is not None else None
    return f" {preposition} {text}" if text is not None and len(text) <= 60 else ""


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


def passed_node(raised: RaisedAt | None, argument: str | None) -> ast.expr | None:
    """Return the expression that the failing call passes for an argument, by name or by position; None without one."""
    call = raised.node if raised is not None else None
    if raised is None or argument is None or not isinstance(call, ast.Call):
        return None
    by_name = next((keyword.value for keyword in call.keywords if keyword.arg == argument), None)
    parameters = parameters_of(_function(raised, call.func))
    place = parameters.index(argument) if argument in parameters else len(call.args)
    has_star = any(isinstance(node, ast.Starred) for node in call.args)
    return by_name or (call.args[place] if place < len(call.args) and not has_star else None)


def _function(raised: RaisedAt, node: ast.expr) -> Any:
    """Return the function of a module that an expression such as jax.lax.scan names; None for another expression."""
    if isinstance(node, ast.Name):
        return namespace(raised).get(node.id)
    module = _function(raised, node.value) if isinstance(node, ast.Attribute) else None
    is_of_module = isinstance(node, ast.Attribute) and type(module) is types.ModuleType
    return vars(module).get(node.attr) if is_of_module and isinstance(node, ast.Attribute) else None
