"""Finds code that makes a new function object in each call, and the statement before which an edit moves the code."""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from .calls_in_source_code import Text, is_in_loop, is_jit, jitted_here, value_of

_TRANSFORMS = ("grad", "value_and_grad", "vmap", "jacfwd", "jacrev", "hessian", "checkpoint")
#: Transforms that differentiate only the first argument, so the edit may give the function more arguments.
_TAKES_MORE = ("grad", "value_and_grad")


@dataclass(frozen=True)
class Making:
    """The code that makes the jitted function, and the code that replaces it after the edit.

    Attributes:
        old: The expression that makes the jitted function, or its def.
        new: The new expression or def, with the names in `passed` as parameters.
        name: The name of the jitted function.
        passed: The local names that become arguments, after the call's own arguments.
        first: The arguments that a partial bound by position; the edited call passes them first.
        named: The arguments that a partial bound by keyword.
        statement: The statement that the edit moves; None for `jax.jit(f)(x)`, where the call contains `old`.
    """

    old: ast.expr | ast.FunctionDef
    new: ast.expr | ast.FunctionDef
    name: str
    passed: tuple[str, ...]
    first: tuple[ast.expr, ...]
    named: tuple[ast.keyword, ...]
    statement: ast.stmt | None


def left_of(text: Text, call: ast.Call) -> ast.stmt | None:
    """Return the statement before which an edit makes the function: the outermost loop or function around the call."""
    around = text.function_around(call)
    if isinstance(around, ast.FunctionDef):
        return around if around in text.module.body else None
    if not isinstance(around, ast.Module):
        return None
    loops = is_in_loop(text, call, around)
    return text.statement_of(loops[-1]) if loops else None


def making_of(text: Text, call: ast.Call, left: ast.stmt, names: Mapping[str, Any]) -> Making | None:
    """Return the code that makes the called jitted function.

    None if no edit can move the code before the statement `left`.
    """
    if isinstance(call.func, ast.Call):
        return _of_expression(text, call.func, None, left, names, _free_name(text, call.func, names))
    if not isinstance(call.func, ast.Name):
        return None
    statement = jitted_here(text, call, call.func.id, names)
    if statement is None or not is_inside(text, statement, left) or _calls_of(text, call.func.id, left) != [call]:
        return None
    # If the statement is in an `if`, Python may not run it, so the edit must not move it.
    if next_statement(text, statement) is None or text.parents[id(statement)] is not left:
        return None
    if isinstance(left, ast.FunctionDef) and _is_taken(text, call.func.id, statement, names):
        return None
    if isinstance(statement, ast.Assign):
        assert isinstance(statement.value, ast.Call)
        return _of_expression(text, statement.value, statement, left, names, call.func.id)
    assert isinstance(statement, ast.FunctionDef)
    return _of_def(text, statement, left, names)


def _of_expression(
    text: Text, call: ast.Call, statement: ast.stmt | None, left: ast.stmt, names: Mapping[str, Any], name: str
) -> Making | None:
    if not is_jit(call.func, names) or len(call.args) != 1 or not _is_plain_making(call.args[0], names):
        return None
    if not all(is_constant(keyword.value) for keyword in call.keywords):
        return None
    passed = sorted(free_names(call) & bound_in(text, left, call))
    inside = call.args[0]
    if not passed:
        return Making(call, call, name, (), (), (), statement)
    if call.keywords:
        return None
    new = copy.deepcopy(call)
    if isinstance(inside, ast.Call) and value_of(inside.func, names) is partial:
        if set(passed) & free_names(inside.args[0]):
            return None
        new.args[0] = copy.deepcopy(inside.args[0])
        return Making(call, new, name, (), tuple(inside.args[1:]), tuple(inside.keywords), statement)
    function = new.args[0]
    while isinstance(function, ast.Call):
        if getattr(value_of(function.func, names), "__name__", "") not in _TAKES_MORE or len(function.args) != 1:
            return None
        function = function.args[0]
    if not isinstance(function, ast.Lambda) or not _add_parameters(function.args, passed):
        return None
    return Making(call, new, name, tuple(passed), (), (), statement)


def _of_def(text: Text, definition: ast.FunctionDef, left: ast.stmt, names: Mapping[str, Any]) -> Making | None:
    (decorator,) = definition.decorator_list
    if definition.args.defaults or definition.args.kw_defaults or not _is_plain_decorator(decorator):
        return None
    if definition.returns is not None or any(
        isinstance(parameter, ast.arg) and parameter.annotation for parameter in ast.walk(definition)
    ):
        return None
    passed = sorted(free_names(definition) & bound_in(text, left, definition))
    if not passed:
        return Making(definition, definition, definition.name, (), (), (), definition)
    new = copy.deepcopy(definition)
    if isinstance(decorator, ast.Call) or not _add_parameters(new.args, passed):
        return None
    return Making(definition, new, definition.name, tuple(passed), (), (), definition)


def _add_parameters(parameters: ast.arguments, names: list[str]) -> bool:
    if parameters.vararg or parameters.kwarg or parameters.kwonlyargs or parameters.defaults:
        return False
    parameters.args += [ast.arg(name) for name in names]
    return True


def _is_plain_making(node: ast.expr, names: Mapping[str, Any]) -> bool:
    """Return whether evaluating an expression only makes a function, with no other effect."""
    import jax

    match node:
        case ast.Lambda(args=parameters):
            return not parameters.defaults and not any(parameters.kw_defaults)
        case ast.Name() | ast.Constant():
            return True
        case ast.Call(func=called, args=args, keywords=keywords):
            function = value_of(called, names)
            is_known = function is partial or any(function is getattr(jax, transform) for transform in _TRANSFORMS)
            inside = [*args, *(keyword.value for keyword in keywords)]
            return is_known and all(_is_plain_making(element, names) for element in inside)
    return False


def is_constant(node: ast.expr) -> bool:
    """Return whether an expression is a number, a string, or a tuple or list of these."""
    if isinstance(node, ast.Tuple | ast.List):
        return all(map(is_constant, node.elts))
    if isinstance(node, ast.UnaryOp):
        return is_constant(node.operand)
    return isinstance(node, ast.Constant)


def _is_plain_decorator(node: ast.expr) -> bool:
    """Return whether a decorator is `jax.jit` alone, or has only constants as options."""
    return not isinstance(node, ast.Call) or all(
        is_constant(argument) for argument in (*node.args[1:], *(keyword.value for keyword in node.keywords))
    )


def _is_taken(text: Text, name: str, apart: ast.stmt, names: Mapping[str, Any]) -> bool:
    """Return whether a name is also used by the notebook, by other code of the file, or by a Python builtin."""
    if name in names or hasattr(builtins, name):
        return True
    inside = set(map(id, ast.walk(apart)))
    return any(
        name_node.id == name and isinstance(name_node.ctx, ast.Store)
        for name_node in ast.walk(text.module)
        if isinstance(name_node, ast.Name) and id(name_node) not in inside
    )


def free_names(node: ast.AST) -> set[str]:
    """Return the names that a node reads and does not bind."""
    used = [name_node for name_node in ast.walk(node) if isinstance(name_node, ast.Name)]
    bound = {name_node.id for name_node in used if not isinstance(name_node.ctx, ast.Load)}
    bound |= {parameter.arg for parameter in ast.walk(node) if isinstance(parameter, ast.arg)}
    bound |= {definition.name for definition in ast.walk(node) if isinstance(definition, ast.FunctionDef)}
    return {name_node.id for name_node in used if isinstance(name_node.ctx, ast.Load)} - bound


def bound_in(text: Text, left: ast.stmt, without: ast.AST) -> set[str]:
    """Return the names that are bound in a statement, except those that are only bound in its part `without`."""
    apart = set(map(id, ast.walk(without)))
    names: set[str] = set()
    for node in ast.walk(left):
        if id(node) in apart or node is left:
            continue
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                names |= {(alias.asname or alias.name).partition(".")[0] for alias in aliases}
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                names.add(name)
    return names


def is_inside(text: Text, node: ast.AST, left: ast.stmt) -> bool:
    """Return whether a node is a part of a statement."""
    return any(node_around is left for node_around in text.around(node))


def _calls_of(text: Text, name: str, left: ast.stmt) -> list[ast.Call]:
    """Return, for each use of a name, the call if the use is a call inside of the statement `left`, else None."""
    calls: list[Any] = []
    for node in ast.walk(text.module):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            parent = text.parents[id(node)]
            is_call = isinstance(parent, ast.Call) and parent.func is node and is_inside(text, node, left)
            calls.append(parent if is_call else None)
    return calls


def next_statement(text: Text, statement: ast.stmt) -> ast.stmt | None:
    """Return the next statement in the same block.

    None if there is none: moving the statement could empty the block.
    """
    parent = text.parents[id(statement)]
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, None)
        if isinstance(block, list) and statement in block:
            place = block.index(statement)
            if place + 1 < len(block) and block[place + 1].lineno > (statement.end_lineno or 0):
                next_in_block: ast.stmt = block[place + 1]
                return next_in_block
    return None


def _free_name(text: Text, call: ast.Call, names: Mapping[str, Any]) -> str:
    """Return a name that the user's code does not use, for the jitted function that an edit makes."""
    inside = call.args[0] if call.args else None
    first = f"jitted_{inside.id}" if isinstance(inside, ast.Name) else "jitted"
    nodes = list(ast.walk(text.module))
    used = {name_node.id for name_node in nodes if isinstance(name_node, ast.Name)} | set(names) | set(vars(builtins))
    used |= {
        definition.name
        for definition in nodes
        if isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    used |= {parameter.arg for parameter in nodes if isinstance(parameter, ast.arg)}
    used |= {alias.asname or alias.name for alias in nodes if isinstance(alias, ast.alias)}
    return next(name for name in _numbered(first) if name not in used)


def _numbered(first: str) -> Iterator[str]:
    yield first
    number = 2
    while True:
        yield f"{first}_{number}"
        number += 1
