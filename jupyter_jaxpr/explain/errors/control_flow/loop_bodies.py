"""Finds the def or lambda that is the body of a loop, even inside a method, a functools.partial or a transform."""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ....jax.facts import is_jitted
from ....observe.observation import FoundCure
from ....plain_text import file_of
from ...trials.trial_of_error_cure import passed
from ..failing_code.definitions import at_definition
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import AnyFunction, function_of_text

_KEEPING_THE_PARAMETERS = frozenset({"checkpoint", "remat", "jit"})


@dataclass(frozen=True)
class Body:
    """The function that a JAX loop calls at each step.

    Attributes:
        function: The function in the code.
        bound: How many of the first parameters are already bound: self, and arguments of a partial.
    """

    function: AnyFunction
    bound: int = 0

    @property
    def parameters(self) -> list[str]:
        """The names of the positional parameters that the loop passes."""
        arguments = self.function.args
        return [parameter.arg for parameter in [*arguments.posonlyargs, *arguments.args][self.bound :]]


def body_of(raised: RaisedAt, node: ast.expr) -> Body | None:
    """Return the body that an argument of a loop names. None if the body is not defined in the file of the error."""
    function = function_of_text(raised, node)
    if function is not None:
        return Body(function)
    match node:
        case ast.Call(func=maker, args=[inner, *values]) if not any(isinstance(v, ast.Starred) for v in values):
            name = maker.attr if isinstance(maker, ast.Attribute) else getattr(maker, "id", "")
            if name not in _KEEPING_THE_PARAMETERS and name != "partial":
                return _of_new_object(raised, maker)
            body = body_of(raised, inner)
            if body is None or (values and name != "partial"):
                return None
            return Body(body.function, body.bound + len(values))
        case ast.Call(func=maker):
            return _of_new_object(raised, maker)
        case ast.Attribute(value=holder, attr=name) if raised.frame is not None:
            return _of_attribute(raised, value_of(raised, holder), name)
        case ast.Name() if raised.frame is not None:
            return _of_value(raised, value_of(raised, node))
    return None


def body_and_place(raised: RaisedAt, node: ast.expr) -> tuple[RaisedAt, Body] | None:
    """Return the body that an argument of a loop names, and the place of the body, which may be in another cell.

    Args:
        raised: Where the loop raised the error.
        node: The argument.
    """
    body = body_of(raised, node)
    if body is not None or raised.frame is None:
        return None if body is None else (raised, body)
    value, bound = value_of(raised, node), 0
    if isinstance(node, ast.Attribute) and value is None:
        holder = value_of(raised, node.value)
        value = next((vars(kind)[node.attr] for kind in type(holder).__mro__ if node.attr in vars(kind)), None)
        bound = int(type(value) is types.FunctionType)
    found = at_definition(raised, value)
    if found is None:
        return None
    if type(value) is functools.partial:
        bound = len(value.args)
    return found[0], Body(found[1], bound + (type(value) is types.MethodType))


def is_method(raised: RaisedAt, function: AnyFunction | None) -> bool:
    """Return whether a function is a method."""
    return isinstance(raised.parents.get(id(function)), ast.ClassDef)


def passed_in_body(
    raised: RaisedAt, function: AnyFunction | None, cures: Sequence[FoundCure], at: RaisedAt | None = None
) -> list[FoundCure]:
    """Return the cures that edit a body and pass their trials.

    A cure in a method that has no trial becomes advice without an edit.

    Args:
        raised: Where the error was raised.
        function: The body.
        cures: The cures.
        at: The place of the body; None if the body is in the file of the error.
    """
    if not is_method(at or raised, function):
        return passed(raised, cures)
    tried = [(cure, passed(raised, [cure])) for cure in cures]
    return [replace(new, code=cure.code) for cure, passing in tried for new in passing]


def _of_attribute(raised: RaisedAt, holder: Any, name: str) -> Body | None:
    member = next((vars(kind)[name] for kind in type(holder).__mro__ if name in vars(kind)), None)
    if isinstance(member, staticmethod):
        return _of_value(raised, member.__func__)
    return _with_self(_of_value(raised, member))


def _of_value(raised: RaisedAt, value: Any) -> Body | None:
    if type(value) is functools.partial:
        body = _of_value(raised, value.func)
        return None if body is None else Body(body.function, body.bound + len(value.args))
    if type(value) is types.MethodType:
        return _with_self(_of_value(raised, value.__func__))
    if is_jitted(value):
        return _of_value(raised, value.__wrapped__)
    if type(value) is types.FunctionType:
        return _of_code(raised, value.__code__)
    return _of_class(raised, type(value))


def _of_new_object(raised: RaisedAt, maker: ast.expr) -> Body | None:
    """Return the method __call__ of LSTM in scan(LSTM(3), ...), where an object is the body of the loop."""
    kind = value_of(raised, maker) if raised.frame is not None else None
    return _of_class(raised, kind) if isinstance(kind, type) else None


def _of_class(raised: RaisedAt, kind: type) -> Body | None:
    member = next((vars(base)["__call__"] for base in kind.__mro__ if "__call__" in vars(base)), None)
    return _with_self(_of_code(raised, member.__code__)) if type(member) is types.FunctionType else None


def _with_self(body: Body | None) -> Body | None:
    return None if body is None else Body(body.function, body.bound + 1)


def _of_code(raised: RaisedAt, code: types.CodeType) -> Body | None:
    if raised.loops is None or file_of(code) != raised.place.file:
        return None
    for node in ast.walk(raised.loops.module):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            if min([node.lineno, *(part.lineno for part in node.decorator_list)]) == code.co_firstlineno:
                return Body(node)
    return None
