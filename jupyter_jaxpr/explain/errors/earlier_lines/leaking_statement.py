"""Finds the statement that stored a tracer outside of the traced function: in an attribute, list or dict."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Collection, Iterator
from types import FunctionType
from typing import Any, TypeGuard

from ....jax.facts import is_jitted
from ....observe.user_or_library.whose_code import is_installed
from ....plain_text import file_of
from ...loops.kinds_of_python_loops import parsed
from ...trials.refused_assignments import own_names
from ..failing_code.called_names import called
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import AnyFunction, function_of_text

_KEEPING = frozenset({"append", "add", "update", "setdefault", "extend", "insert", "appendleft"})


def writer_of(raised: RaisedAt, error: BaseException, ran: Collection[tuple[str, str]]) -> tuple[str, str] | None:
    """Return (function name, code) for the statement that may have stored the leaked tracer.

    None unless there is exactly one.

    Args:
        raised: The place where the code used a traced value of an earlier trace.
        error: The exception of the later use.
        ran: (file, name) of the functions that computed the value; only these can have stored it.
    """
    read = _names_read(raised.node) | _names_read_in_callees(raised)
    writers = {
        (function.name, text)
        for file, module, lines in modules_of_user(raised)
        for function in ast.walk(module)
        if isinstance(function, ast.FunctionDef) and function is not raised.function and function.name != "__init__"
        if (file, function.name) in ran
        for text in _outside_writes(function, lines, read)
    }
    if len(writers) > 1 and len({name for name, _ in writers}) == 1:
        # several statements of one function assign the same attribute, as in `self.value = ...` of an if and its else
        targets = {text.partition(" = ")[0] for _, text in writers}
        if len(targets) == 1 and all("." in target for target in targets):
            return next(iter(writers))[0], f"{targets.pop()} = …"
    return next(iter(writers)) if len(writers) == 1 else None


def only_writer_of(raised: RaisedAt) -> tuple[str, str] | None:
    """Return (function name, code) for the only statement that stores a value where the failing line reads it.

    The statement is in a function; the failing file is searched before other files. This serves for a leaked value of
    vmap or grad, because JAX does not keep the name of the function that made the value. None unless the first file
    with such a statement has exactly one.
    """
    read = _names_read(raised.node)
    for _, module, lines in modules_of_user(raised):
        writers = [
            (function, text)
            for function in ast.walk(module)
            if isinstance(function, ast.FunctionDef) and function is not raised.function and function.name != "__init__"
            for text in _outside_writes(function, lines, read)
        ]
        # A statement of an inner function is also a statement of the function around the inner function.
        innermost = [
            (function.name, text)
            for function, text in writers
            if not any(other is not function and other in ast.walk(function) for other, _ in writers)
        ]
        if innermost:
            return innermost[0] if len(innermost) == 1 else None
    return None


def _names_read(node: ast.AST | None) -> set[str]:
    """Return the names and attributes that an expression reads: {"model", ".h"} for model.h."""
    nodes = list(ast.walk(node)) if node is not None else []
    names = {part.id for part in nodes if isinstance(part, ast.Name)}
    return names | {f".{part.attr}" for part in nodes if isinstance(part, ast.Attribute)}


def _names_read_in_callees(raised: RaisedAt) -> set[str]:
    """Return the names and attributes that are read in the user's functions that the failing expression calls.

    The functions that these functions call count, too.
    """
    names: set[str] = set()
    found: set[int] = set()
    nodes = [raised.node]
    while nodes:
        node = nodes.pop()
        for called_function in callees(raised, node):
            if id(called_function) not in found:
                found.add(id(called_function))
                names |= _names_read(called_function)
                nodes.append(called_function)
    return names


def callees(raised: RaisedAt, node: ast.AST | None) -> Iterator[AnyFunction]:
    """Yield the functions that the calls in a syntax node call by name, also the __call__ of an object."""
    for call in ast.walk(node) if node is not None else ():
        if isinstance(call, ast.Call):
            function = function_of_text(raised, call.func.attr if isinstance(call.func, ast.Attribute) else call.func)
            if function is not None:
                yield function
            elif raised.loops is not None:
                kind = type(value_of(raised, call.func)).__name__
                for users_class in raised.loops.module.body:
                    if isinstance(users_class, ast.ClassDef) and users_class.name == kind:
                        methods = [part for part in users_class.body if isinstance(part, ast.FunctionDef)]
                        yield from (method for method in methods if method.name == "__call__")


def modules_of_user(raised: RaisedAt) -> Iterator[tuple[str, ast.Module, list[str]]]:
    """Yield (file, syntax tree, lines) for the failing file, and for each file with other functions of the user's."""
    if raised.loops is not None:
        yield raised.place.file, raised.loops.module, raised.loops.lines
    files = {raised.place.file}
    for value in list(raised.frame.f_globals.values()) if raised.frame is not None else ():
        file = _file_of(value)
        if file and file not in files and not is_installed(file):
            files.add(file)
            loops = parsed("".join(linecache.getlines(file)))
            if loops is not None:
                yield file, loops.module, loops.lines


def _file_of(value: Any) -> str:
    function = value.__wrapped__ if is_jitted(value) else value
    return file_of(function.__code__) if type(function) is FunctionType else ""


def _outside_writes(function: ast.FunctionDef, lines: list[str], read: set[str]) -> Iterator[str]:
    """Yield the code of the statements in a function that write to outside names or attributes that are in `read`."""
    local_names = own_names(function)
    for node in ast.walk(function):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and not isinstance(node.value, ast.Constant):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            targets = [part for target in targets for part in ast.walk(target) if _is_written(part)]
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and called(node.value) in _KEEPING:
            targets = [node.value.func.value] if isinstance(node.value.func, ast.Attribute) else []
        if any(_is_outside_write(target, local_names, read) for target in targets):
            text = " ".join((ast.get_source_segment("\n".join(lines), node) or "").split())
            yield text if len(text) <= 60 else f"{text[:59]}…"


def _is_written(node: ast.AST) -> TypeGuard[ast.expr]:
    """Return whether an assignment stores a value in this node, such as model.h or y in `model.h, y = ...`."""
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load)


def _is_outside_write(target: ast.expr, local_names: set[str], read: set[str]) -> bool:
    while isinstance(target, ast.Subscript):
        target = target.value
    if isinstance(target, ast.Attribute):
        return f".{target.attr}" in read
    return isinstance(target, ast.Name) and target.id not in local_names and target.id in read
