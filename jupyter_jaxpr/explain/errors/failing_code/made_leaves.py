"""Finds the code that made an operand: through calls, containers and assignments, also in other functions and cells.

The steps read syntax trees, and values only to see which function a call calls. No code of the user runs.
"""

from __future__ import annotations

import ast
import linecache
from dataclasses import dataclass, replace
from types import FrameType, FunctionType
from typing import Any

from ....jax.facts import is_tracer_type
from ....observe.user_or_library.whose_code import is_installed
from ....plain_text import file_of, own_name
from ...loops.kinds_of_python_loops import parsed
from ...trials.refused_assignments import own_nodes
from .assignments_of_names import Scope, first_stores, is_empty, parameters_in, stores_of
from .called_names import called
from .definitions import at_definition
from .origins import argument_leaves, value_of
from .passing_calls import calls_function
from .place_of_error import RaisedAt, at_caller
from .return_values import result_of
from .values_of_callers import passed_for

_MOST_STEPS = 24
_LONGEST_CODE = 80


@dataclass(frozen=True)
class MadeLeaf:
    """The code that made an operand.

    Attributes:
        at: The place of the code: its file, with the names of the failing code.
        scope: The function or the module that has the code.
        node: The expression, such as jnp.zeros(m).
    """

    at: RaisedAt
    scope: Scope
    node: ast.expr

    @property
    def code(self) -> str:
        """The code of the expression on one line; empty for long code."""
        code = " ".join(self.at.source(self.node).split())
        return code if len(code) <= _LONGEST_CODE else ""

    @property
    def where(self) -> str:
        """The words for the line of the code, such as "line 4 of init" or "line 2 of the cell"."""
        if isinstance(self.scope, ast.FunctionDef):
            return f"line {self.node.lineno} of {self.scope.name}"
        callers = self.at.callers
        cell = file_of(callers[0].f_code) if callers else self.at.place.file
        owner = "the cell" if cell == self.at.place.file else "an earlier cell"
        return f"line {self.node.lineno} of {owner}"


@dataclass(frozen=True)
class _Code:
    """A function or module in which the search goes on.

    Attributes:
        at: The place: for a running function with its frame and its callers, else with those of the failing code.
        scope: The function or the module.
        is_running: True if `at.frame` is the frame of the function.
        caller: Where the function was called, for a function that has returned; with the call.
    """

    at: RaisedAt
    scope: Scope
    is_running: bool
    caller: tuple[_Code, ast.Call] | None = None


def made_leaf(raised: RaisedAt, node: ast.expr) -> MadeLeaf | None:
    """Return the code that made an operand; None if unknown, or if several lines may have made the operand.

    Args:
        raised: Where the error was raised.
        node: The operand in the failing expression.
    """
    if raised.frame is None:
        return None
    code = _running(raised)
    found = _Search().follow(code, node, ()) if code is not None else None
    if found is None and (argument := _argument(raised, node)) is not None:
        at, name, path = argument
        code = _running(at)
        found = _Search().follow(code, name, path) if code is not None else None
    return found if found is not None and found.node is not node else None


def made_part(raised: RaisedAt, node: ast.expr, path: tuple[Any, ...]) -> MadeLeaf | None:
    """Return the code that made a part of the value of an expression; None if unknown.

    Args:
        raised: The place of the expression.
        node: The expression, such as the argument of a call.
        path: The keys and the positions of the part, such as ("layers", 0, "w").
    """
    code = _running(raised) if raised.frame is not None else None
    return _Search().follow(code, node, path) if code is not None else None


def made_by_function(at: RaisedAt, function: ast.FunctionDef | ast.Lambda, node: ast.expr) -> MadeLeaf | None:
    """Return the code that made the value of an expression in a function that does not run now; None if unknown."""
    code = _Code(at, function, False)
    stores = (
        stores_of(function, node.id) if isinstance(node, ast.Name) and isinstance(function, ast.FunctionDef) else []
    )
    last = stores[-1] if stores else None
    if isinstance(node, ast.Name) and isinstance(last, ast.Assign) and last in at_body(function):
        match last.targets[0]:
            case ast.Name():
                return _Search().follow(code, last.value, ())
            case ast.Tuple(elts=elements):
                names = [part.id if isinstance(part, ast.Name) else "" for part in elements]
                return _Search().follow(code, last.value, (names.index(node.id),)) if node.id in names else None
    return _Search().follow(code, node, ())


def at_body(function: ast.FunctionDef | ast.Lambda) -> list[ast.stmt]:
    """Return the statements of a function that run at each call, outside of loops and conditions."""
    return function.body if isinstance(function, ast.FunctionDef) else []


def _running(at: RaisedAt) -> _Code | None:
    if at.loops is None:
        return None
    return _Code(at, at.function or at.loops.module, True)


def _argument(raised: RaisedAt, node: ast.expr) -> tuple[RaisedAt, ast.Name, tuple[Any, ...]] | None:
    """Return the argument of a running function that holds an operand, by the identity of the value, and the path."""
    value = value_of(raised, node)
    if not is_tracer_type(type(value)):
        return None
    frames: list[FrameType] = [frame for frame in (*raised.callers, raised.frame) if frame is not None]
    for frame in reversed(frames):
        paths = [path for path, leaf in argument_leaves(frame) if leaf is value]
        if len(paths) != 1:
            continue
        root, steps = _steps_of(ast.parse(paths[0], mode="eval").body)
        if root is not None and steps:
            at = raised if frame is raised.frame else at_caller(raised, frame)
            return at, root, steps
    return None


def _steps_of(node: ast.expr) -> tuple[ast.Name | None, tuple[Any, ...]]:
    match node:
        case ast.Name():
            return node, ()
        case ast.Subscript(value=inner, slice=ast.Constant(value=key)):
            root, steps = _steps_of(inner)
            return root, (*steps, key)
        case ast.Attribute(value=inner, attr=name):
            root, steps = _steps_of(inner)
            return root, (*steps, f".{name}")
    return None, ()


class _Search:
    """Follows an operand from expression to expression, for a limited number of steps."""

    def __init__(self) -> None:
        self._steps = 0

    def follow(self, code: _Code, node: ast.expr, path: tuple[Any, ...]) -> MadeLeaf | None:
        """Return the code that made the part of an expression at a path.

        Args:
            code: The function or module that has the expression.
            node: The expression.
            path: The keys, the positions and the fields (with a dot) from the value of the expression to the operand.
        """
        self._steps += 1
        if self._steps > _MOST_STEPS:
            return None
        match node:
            case ast.Name(id=name):
                return self._name(code, name, path)
            case ast.Subscript(value=inner, slice=ast.Constant(value=key)) if type(key) in (int, str):
                return self.follow(code, inner, (key, *path))
            case ast.Subscript(value=inner, slice=ast.Name(id=index)) if code.is_running and code.at.frame is not None:
                key = code.at.frame.f_locals.get(index)
                return self.follow(code, inner, (key, *path)) if type(key) in (int, str) else None
            case ast.Attribute(value=ast.Name() as owner, attr=field) if code.is_running and _is_of_cell(
                value_of(code.at, owner)
            ):
                return self._set_by_init(code, value_of(code.at, owner), field, path)
            case ast.Attribute(value=inner, attr=field) if isinstance(inner, ast.Name | ast.Attribute):
                return self.follow(code, inner, (f".{field}", *path)) if field not in _OF_ARRAYS else None
            case ast.Dict(keys=keys, values=values) if path:
                found = [
                    value
                    for key, value in zip(keys, values, strict=True)
                    if isinstance(key, ast.Constant) and key.value == path[0]
                ]
                return self.follow(code, found[0], path[1:]) if len(found) == 1 and None not in keys else None
            case ast.List(elts=elements) | ast.Tuple(elts=elements) if path and type(path[0]) is int:
                is_plain = not any(isinstance(element, ast.Starred) for element in elements)
                is_inside = -len(elements) <= path[0] < len(elements)
                return self.follow(code, elements[path[0]], path[1:]) if is_plain and is_inside else None
            case ast.ListComp(elt=element) if path and type(path[0]) is int:
                return self.follow(code, element, path[1:])
            case ast.DictComp(value=element) if path:
                return self.follow(code, element, path[1:])
            case ast.Call():
                return self._call(code, node, path)
        return None if path else MadeLeaf(code.at, code.scope, node)

    def _call(self, code: _Code, node: ast.Call, path: tuple[Any, ...]) -> MadeLeaf | None:
        if called(node) == "dict" and path and not node.args:
            found = [keyword.value for keyword in node.keywords if keyword.arg == path[0]]
            return self.follow(code, found[0], path[1:]) if len(found) == 1 else None
        value = _value(code, node.func)
        if type(value) is FunctionType and (definition := at_definition(code.at, value)) is not None:
            at, function = definition
            result = result_of(function)
            if result is None:
                return None
            return self.follow(_Code(at, function, False, (code, node)), result, path)
        if isinstance(value, type) and path and not is_installed_class(value):
            return self._field(code, node, value, path)
        return None if path else MadeLeaf(code.at, code.scope, node)

    def _set_by_init(self, code: _Code, value: Any, field: str, path: tuple[Any, ...]) -> MadeLeaf | None:
        """Follow a field of an object to the only statement self.field = ... of the __init__ of its class."""
        init = vars(type(value)).get("__init__")
        definition = at_definition(code.at, init) if type(init) is FunctionType else None
        if definition is None:
            return None
        at, function = definition
        stores = [
            part
            for part in ast.walk(function)
            if isinstance(part, ast.Assign)
            and isinstance(part.targets[0], ast.Attribute)
            and part.targets[0].attr == field
        ]
        return self.follow(_Code(at, function, False), stores[0].value, path) if len(stores) == 1 else None

    def _field(self, code: _Code, node: ast.Call, kind: type, path: tuple[Any, ...]) -> MadeLeaf | None:
        """Follow a field of a new object: the statement self.field = ... of __init__, or the argument of the call."""
        init = vars(kind).get("__init__")
        field = str(path[0]).removeprefix(".")
        if type(init) is FunctionType and (definition := at_definition(code.at, init)) is not None:
            at, function = definition
            stores = [
                part
                for part in ast.walk(function)
                if isinstance(part, ast.Assign)
                and isinstance(part.targets[0], ast.Attribute)
                and part.targets[0].attr == field
            ]
            if len(stores) != 1:
                return None
            return self.follow(_Code(at, function, False, (code, node)), stores[0].value, path[1:])
        by_name = [keyword.value for keyword in node.keywords if keyword.arg == field]
        fields = list(vars(kind).get("__annotations__", {})) or list(getattr(kind, "_fields", ()))
        place = fields.index(field) if field in fields else path[0] if type(path[0]) is int else len(node.args)
        by_position = node.args[place : place + 1]
        found = by_name or by_position
        return self.follow(code, found[0], path[1:]) if found else None

    def _name(self, code: _Code, name: str, path: tuple[Any, ...]) -> MadeLeaf | None:
        scope = code.scope
        if not isinstance(scope, ast.Module) and name in parameters_in(scope) and not stores_of(scope, name):
            return self._parameter(code, name, path)
        stores = first_stores(scope, name) if not isinstance(scope, ast.Lambda) else []
        if not stores and isinstance(scope, ast.Module):
            return self._earlier_cell(code, name, path)
        if not stores:
            return self._global(code, name, path)
        if len(stores) != 1:
            return None
        match stores[0]:
            case ast.Assign(targets=[ast.Name()], value=value) | ast.AnnAssign(value=ast.expr() as value):
                if is_empty(value) and path:
                    return self._filled(code, name, path)
                is_own = any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(value))
                return self.follow(code, value, path) if not is_own else None
            case ast.Assign(targets=[ast.Tuple(elts=elements)], value=value):
                places = [
                    place for place, part in enumerate(elements) if isinstance(part, ast.Name) and part.id == name
                ]
                is_plain = all(isinstance(part, ast.Name) for part in elements)
                if len(places) != 1 or not is_plain:
                    return None
                return self.follow(code, value, (places[0], *path))
        return None

    def _filled(self, code: _Code, name: str, path: tuple[Any, ...]) -> MadeLeaf | None:
        """Follow a list or a dict that the code fills after it made it empty: by append, or by assigned items."""
        found: list[ast.expr] = []
        for part in own_nodes(code.scope) if isinstance(code.scope, ast.FunctionDef) else ast.walk(code.scope):
            match part:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="append"), args=[element]):
                    found += [element] if owner == name and type(path[0]) is int else []
                case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=owner), slice=key)], value=value):
                    is_key = not isinstance(key, ast.Constant) or key.value == path[0]
                    found += [value] if owner == name and is_key else []
        return self.follow(code, found[0], path[1:]) if len(found) == 1 else None

    def _parameter(self, code: _Code, name: str, path: tuple[Any, ...]) -> MadeLeaf | None:
        """Follow a parameter to the expression that the call of the function passes."""
        scope = code.scope
        assert not isinstance(scope, ast.Module)
        if code.caller is not None:
            caller, call = code.caller
        elif code.is_running and code.at.callers and code.at.frame is not None:
            at = at_caller(code.at, code.at.callers[-1])
            running = _running(at)
            if running is None or not isinstance(at.node, ast.Call) or not calls_function(at, code.at.frame):
                return None
            caller, call = running, at.node
        else:
            return None
        if any(isinstance(part, ast.Starred) for part in call.args) or any(part.arg is None for part in call.keywords):
            return None
        passed = passed_for(scope, call, name)
        return self.follow(caller, passed, path) if passed is not None else None

    def _global(self, code: _Code, name: str, path: tuple[Any, ...]) -> MadeLeaf | None:
        """Follow a name from outside of the function: of the function around it, of the file, or of another cell."""
        if code.at.loops is None:
            return None
        around = code.at.parents.get(id(code.scope))
        while around is not None and not isinstance(around, ast.FunctionDef | ast.Lambda):
            around = code.at.parents.get(id(around))
        if isinstance(around, ast.FunctionDef | ast.Lambda):
            for frame in reversed(code.at.callers if code.is_running else ()):
                if code.at.frame is not None and code.at.frame.f_code in frame.f_code.co_consts:
                    return self._name(_Code(at_caller(code.at, frame), around, True), name, path)
            return None
        if not _is_free(code, name):
            return None
        return self._name(_Code(code.at, code.at.loops.module, False), name, path)

    def _earlier_cell(self, code: _Code, name: str, path: tuple[Any, ...]) -> MadeLeaf | None:
        """Follow a name that one other cell assigns at its top level; None if several cells do."""
        found = []
        for file, entry in list(linecache.cache.items()):
            if len(entry) != 4 or is_installed(file) or file == code.at.place.file or name not in "".join(entry[2]):
                continue
            loops = parsed("".join(entry[2]))
            if loops is not None and stores_of(loops.module, name):
                found.append((file, loops))
        if len(found) != 1:
            return None
        file, loops = found[0]
        parents = {id(child): parent for parent in ast.walk(loops.module) for child in ast.iter_child_nodes(parent)}
        place = code.at.place._replace(file=file)
        at = replace(code.at, place=place, loops=loops, parents=parents, node=None, text=None)
        return self._name(_Code(at, loops.module, False), name, path)


#: Attributes of arrays, whose values are no fields.
_OF_ARRAYS = frozenset("T mT at real imag shape size ndim dtype".split())


def _is_free(code: _Code, name: str) -> bool:
    frame = code.at.frame
    return frame is not None and name in frame.f_globals


def _value(code: _Code, node: ast.expr) -> Any:
    """Return the value of a function in a call; names of a function that has returned are looked up globally."""
    if code.is_running:
        return value_of(code.at, node)
    frame = code.at.frame
    return frame.f_globals.get(node.id) if isinstance(node, ast.Name) and frame is not None else None


def _is_of_cell(value: Any) -> bool:
    return own_name(type(value), "__module__") == "__main__"


def is_installed_class(kind: type) -> bool:
    """Return whether a library defines a class."""
    return (own_name(kind, "__module__") or "") != "__main__"
