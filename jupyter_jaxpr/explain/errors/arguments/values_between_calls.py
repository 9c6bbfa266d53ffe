"""Finds the arguments of a jitted function that are arrays in another call, or that take many values in a loop.

Such an argument must not become static: an array has no hash, and JAX compiles once for each static value.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from types import CodeType
from typing import Any, Literal

from ....plain_text import own_name
from ..failing_code.called_names import called
from ..failing_code.module_names import namespace
from ..failing_code.origins import dtype_of, type_of_new_array, value_of
from ..failing_code.place_of_error import RaisedAt, at_caller

Change = Literal["array", "many"]
_Loop = ast.For | ast.While | ast.comprehension
_MOST_VALUES = 4
_MOST_CALLERS = 6
_MODULES = frozenset({"jax.numpy", "jax.random", "jax.lax", "jax.nn"})
#: Functions of Python that make no array.
_OF_PYTHON = frozenset("int float bool str len range round enumerate zip reversed sorted list tuple".split())


def change_between_calls(
    raised: RaisedAt, code: CodeType | None, parameters: Sequence[str], names: Sequence[str]
) -> Change | None:
    """Return how arguments of a jitted function differ between its calls.

    Args:
        raised: Where the error was raised.
        code: The code of the jitted function.
        parameters: The parameters of the jitted function.
        names: The parameters in question.

    Returns:
        "array" if one of the arguments is an array in another call; "many" if a loop around the call gives one of the
        arguments more than a few values; None if neither is visible in the code.
    """
    frames = [*raised.callers, *([raised.frame] if raised.frame is not None else [])]
    place = next((number for number, frame in enumerate(frames) if number and frame.f_code is code), None)
    if place is None:
        return None
    caller = at_caller(raised, frames[place - 1])
    call = _call_at(caller, code)
    return None if call is None else change_at_call(caller, call, parameters, names)


def change_at_call(caller: RaisedAt, call: ast.Call, parameters: Sequence[str], names: Sequence[str]) -> Change | None:
    """Return how arguments of a call differ between the calls of the function, as `change_between_calls` does.

    Args:
        caller: The place of the call.
        call: The call.
        parameters: The parameters of the called function.
        names: The parameters in question.
    """
    if caller.loops is None:
        return None
    found: list[Change] = []
    for name in names:
        passed = _passed(call, parameters, name)
        if passed is not None:
            found += _changes(caller, passed, 0)
        function = ast.unparse(call.func)
        for other in ast.walk(caller.loops.module):
            if isinstance(other, ast.Call) and other is not call and ast.unparse(other.func) == function:
                value = _passed(other, parameters, name)
                found += ["array"] if value is not None and _is_array(caller, value) else []
    return "array" if "array" in found else found[0] if found else None


def _call_at(at: RaisedAt, code: CodeType | None) -> ast.Call | None:
    """Return the call at a place. For a place in a comprehension, Python may report the whole comprehension.

    Args:
        at: The place.
        code: The code of the called function.
    """
    if isinstance(at.node, ast.Call) or at.node is None or code is None:
        return at.node if isinstance(at.node, ast.Call) else None
    calls = [part for part in ast.walk(at.node) if isinstance(part, ast.Call) and called(part) == code.co_name]
    return calls[0] if len(calls) == 1 else None


def _passed(call: ast.Call, parameters: Sequence[str], name: str) -> ast.expr | None:
    """Return the expression that a call passes for a parameter; None if the code does not show the expression."""
    by_name = next((keyword.value for keyword in call.keywords if keyword.arg == name), None)
    if by_name is not None or name not in parameters or any(isinstance(part, ast.Starred) for part in call.args):
        return by_name
    is_method = parameters[0] == "self" and isinstance(call.func, ast.Attribute)
    place = list(parameters).index(name) - is_method
    return call.args[place] if 0 <= place < len(call.args) else None


def _is_array(at: RaisedAt, node: ast.expr) -> bool:
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
        return bool(dtype_of(value_of(at, node)))
    return isinstance(node, ast.Call) and (_is_call_of_jax(at, node) or bool(type_of_new_array(at, node)))


def _is_call_of_jax(at: RaisedAt, call: ast.Call) -> bool:
    """Return whether a call names a function of jax.numpy, jax.random or another module of JAX that makes arrays."""
    match call.func:
        case ast.Attribute(value=ast.Name(id=module)):
            return own_name(namespace(at).get(module), "__name__") in _MODULES
    return False


def _changes(at: RaisedAt, node: ast.expr, depth: int) -> Iterator[Change]:
    """Yield how an expression of the code at a place changes in the loops around the place, and in those of callers."""
    function = at.function
    for loop in _loops(at, function):
        read = _read(node, _assignments(loop))
        targets = _names(getattr(loop, "target", None))
        if read & targets and not _has_few_values(at, loop):
            yield "many"
        for name, value in _assignments(loop):
            if name in read:
                yield "array" if _makes_array(at, value) else "many"
    if function is None or not at.callers or depth == _MOST_CALLERS:
        return
    parameters = [part.arg for part in [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]]
    caller = at_caller(at, at.callers[-1])
    call = _call_at(caller, at.frame.f_code if at.frame is not None else None)
    if call is None or not isinstance(function, ast.FunctionDef):
        return
    for name in parameters:
        if name in _read(node, _assignments(function)) and (passed := _passed(call, parameters, name)) is not None:
            yield from _changes(caller, passed, depth + 1)


def _loops(at: RaisedAt, function: ast.AST | None) -> Iterator[_Loop]:
    """Yield the loops and the comprehensions around a place that are in the same function."""
    node: ast.AST | None = at.node
    while node is not None and node is not function:
        if isinstance(node, ast.For | ast.While):
            yield node
        yield from getattr(node, "generators", ())
        node = at.parents.get(id(node))


def _assignments(around: ast.AST) -> list[tuple[str, ast.expr]]:
    """Return (name, value) for each assignment in a part of the code."""
    found: list[tuple[str, ast.expr]] = []
    for node in ast.walk(around):
        match node:
            case ast.Assign(targets=targets, value=value):
                found += [(name, value) for target in targets for name in sorted(_names(target))]
            case (
                ast.AugAssign(target=ast.Name(id=name), value=value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
            ):
                found.append((name, value))
    return found


def _read(node: ast.expr, assignments: Sequence[tuple[str, ast.expr]]) -> set[str]:
    """Return the names on which an expression depends through assignments."""
    read = _names(node)
    while new := {part for name, value in assignments if name in read for part in _names(value)} - read:
        read |= new
    return read


def _names(node: ast.AST | None) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} if node is not None else set()


def _makes_array(at: RaisedAt, value: ast.expr) -> bool:
    """Return whether the value of an assignment in a loop is an array, or is made of the result of the failing call."""
    calls = [part for part in ast.walk(value) if isinstance(part, ast.Call)]
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in _OF_PYTHON:
        return False
    return any(call is at.node or _is_array(at, call) for call in calls) or any(
        dtype_of(value_of(at, part)) for part in ast.walk(value) if isinstance(part, ast.Name)
    )


def _has_few_values(at: RaisedAt, loop: _Loop) -> bool:
    """Return whether a loop certainly has no more than a few steps."""
    match getattr(loop, "iter", None):
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return len(elements) <= _MOST_VALUES
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(count))]):
            return count <= _MOST_VALUES
        case ast.Name() as name:
            values: Any = value_of(at, name)
            return type(values) in (tuple, list, dict, range) and len(values) <= _MOST_VALUES
    return False
