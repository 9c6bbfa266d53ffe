"""Finds the calls that passed an operand to the failing function, from its direct caller outwards to the cell."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType, FunctionType, MethodType
from typing import Any

from ....observe.side_effects.attribute_reads import instance_dict
from .called_names import called
from .origins import value_of
from .place_of_error import RaisedAt, at_caller
from .values_of_callers import is_assigned, passed_for


@dataclass(frozen=True)
class Passing:
    """A call that passes an operand.

    Attributes:
        at: The place of the call.
        node: The expression that the call passes.
    """

    at: RaisedAt
    node: ast.expr


def passing_calls(raised: RaisedAt, node: ast.expr) -> Iterator[Passing]:
    """Yield the calls that passed the value of an operand unchanged, the innermost call first.

    A name of the failing function may hold an argument under another name, as h after h = images. The steps end where
    the code computes the value.

    Args:
        raised: Where the error was raised.
        node: The operand, a name in the failing expression.
    """
    at = raised
    while at.callers and at.frame is not None and at.function is not None:
        parameter = _parameter(at, node)
        caller = at_caller(at, at.callers[-1])
        if parameter is None or not isinstance(caller.node, ast.Call) or caller.frame is None:
            return
        if any(isinstance(part, ast.Starred) for part in caller.node.args) or not calls_function(caller, at.frame):
            return
        passed = passed_for(at.function, caller.node, parameter)
        if passed is None:
            return
        yield Passing(caller, passed)
        at, node = caller, passed


def _parameter(at: RaisedAt, node: ast.expr) -> str | None:
    """Return the parameter of a function that holds the value of a name; None if no parameter does, or several."""
    function, value = at.function, value_of(at, node)
    if function is None or at.frame is None or not isinstance(node, ast.Name) or value is None:
        return None
    parameters = [part.arg for part in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    held = [name for name in parameters if at.frame.f_locals.get(name) is value]
    return held[0] if len(held) == 1 and not is_assigned(function, held[0]) else None


def calls_function(caller: RaisedAt, frame: FrameType) -> bool:
    """Return whether a call names the function of a frame, or the function that jax.jit or jax.vmap made of it."""
    assert isinstance(caller.node, ast.Call)
    if called(caller.node.func) in _TRANSFORMS and isinstance(caller.node.func, ast.Call):
        # The call makes the transformed function itself, as in jax.jit(forward)(params, x).
        made_of = caller.node.func.args[0] if caller.node.func.args else None
        return isinstance(made_of, ast.Name | ast.Attribute) and _last_name(made_of) == frame.f_code.co_name
    function: Any = value_of(caller, caller.node.func)
    if function is None:
        return called(caller.node) == frame.f_code.co_name
    for _ in range(_MOST_WRAPPERS):
        function = function.__func__ if type(function) is MethodType else function
        if type(function) is FunctionType and function.__code__ is frame.f_code:
            return True
        function = instance_dict(function).get("__wrapped__")
    return False


def _last_name(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


_MOST_WRAPPERS = 4
#: Transforms whose function gets the positional arguments of the call, each whole or one element.
_TRANSFORMS = frozenset("jit grad value_and_grad vmap jacobian jacfwd jacrev hessian checkpoint remat".split())
