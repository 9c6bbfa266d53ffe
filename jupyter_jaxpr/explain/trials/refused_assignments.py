"""Finds edits of a cure whose assignment would fail, leak a tracer or have no effect, and says why.

An assignment makes a name local to its function, so it fails if the function reads the name from outside. A traced
value leaks if an edit writes it to an object that outlives the trace. A write to a new array has no effect if no line
reads the new array.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...observe.observation import Edit, FoundCure
from ...plain_text import defined, file_of
from ..errors.failing_code.edits import edited
from ..errors.failing_code.origins import value_of
from ..errors.failing_code.place_of_error import RaisedAt
from .parts_of_new_objects import is_part_of_new_object

_SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
#: Methods of a NumPy array that return a view where they can.
_VIEWS = frozenset({"ravel", "reshape", "transpose", "swapaxes", "squeeze"})
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def without_harm(raised: RaisedAt | None, cure: FoundCure) -> FoundCure:
    """Return the cure unchanged if its assignments are safe; otherwise without edits, and with the reason."""
    if raised is None or raised.loops is None or not cure.edits:
        return cure
    reason = _reason_against(raised, cure.edits)
    return cure if reason is None else replace(cure, level="advice", code=None, edits=(), text=reason)


def _reason_against(raised: RaisedAt, edits: Sequence[Edit]) -> str | None:
    assert raised.loops is not None
    source = "\n".join(raised.loops.lines)
    edits_of_file = [edit for edit in edits if edit.place.file == raised.place.file]
    after = ast.parse(edited(source, edits_of_file))
    for edit in edits_of_file:
        shift = sum(
            other_edit.text.count("\n") - (other_edit.place.end_line - other_edit.place.line)
            for other_edit in edits_of_file
            if other_edit.place.end_line < edit.place.line
        )
        first = edit.place.line + shift
        last = first + edit.text.count("\n")
        before_it = _innermost_function(raised.loops.module, edit.place.line, edit.place.end_line)
        after_it = _innermost_function(after, first, last)
        if before_it is None or after_it is None or before_it.name != after_it.name:
            continue
        name = _new_local_name(before_it, after_it)
        if name is not None:
            return (
                f"{name} comes from outside of {before_it.name}. An assignment in {before_it.name} would make {name} a "
                f"new local name without a value. Pass {name} to {before_it.name} as an argument, return the new "
                "value, and assign the result in the caller."
            )
        if raised.in_trace and before_it.name in _running(raised):
            written = _leaking_write(after_it, first, last)
            if written is not None:
                return (
                    f"{written} outlives the trace, and would keep a traced value that no later line can use. Return "
                    f"the new value from {before_it.name}, and assign the result to {written} in the caller."
                )
    return None


def _running(raised: RaisedAt) -> set[str]:
    """Return the names of the user's functions that were running when the error was raised."""
    return {frame.f_code.co_name for frame in (*raised.callers, raised.frame) if frame is not None}


def _innermost_function(module: ast.AST, first: int, last: int) -> ast.FunctionDef | None:
    """Return the innermost def whose body contains the lines `first` to `last`."""
    functions = [
        node
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef)
        and node.body[0].lineno <= first
        and last <= (node.end_lineno or node.lineno)
    ]
    return max(functions, key=lambda node: node.lineno, default=None)


def _new_local_name(before: ast.FunctionDef, after: ast.FunctionDef) -> str | None:
    """Return a name that the function reads from outside, and that an edit would make local. None if there is none."""
    outside = used_names(before) - _bound_names(before)
    return next(iter(sorted((_bound_names(after) - _bound_names(before)) & outside)), None)


def _bound_names(function: ast.FunctionDef) -> set[str]:
    """Return the names that a function binds: parameters, local names, and names declared global or nonlocal."""
    arguments = function.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    names = {parameter.arg for parameter in parameters if parameter is not None}
    for node in own_nodes(function):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Global(names=declared) | ast.Nonlocal(names=declared):
                names.update(declared)
            case ast.Import(names=modules) | ast.ImportFrom(names=modules):
                names.update((alias.asname or alias.name).partition(".")[0] for alias in modules)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                names.add(name)
    return names


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the syntax nodes of a function, without the bodies of nested functions, classes and comprehensions."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, _SCOPES | _COMPREHENSIONS):
            yield from own_nodes(child)


def used_names(scope: ast.AST) -> set[str]:
    """Return the names that a function or a module reads or binds, without the local names of nested functions."""
    used: set[str] = set()
    if isinstance(scope, ast.FunctionDef):
        used |= {part.arg for part in ast.walk(scope.args) if isinstance(part, ast.arg)}
    for node in own_nodes(scope):
        if isinstance(node, ast.Name):
            used.add(node.id)
        elif isinstance(node, ast.FunctionDef):
            used |= {node.name} | (used_names(node) - own_names(node))
        elif isinstance(node, _SCOPES | _COMPREHENSIONS):
            used |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            used |= {node.name} if isinstance(node, ast.ClassDef | ast.AsyncFunctionDef) else set()
        elif isinstance(node, ast.alias):
            used.add((node.asname or node.name).partition(".")[0])
    return used


def own_names(function: ast.FunctionDef) -> set[str]:
    """Return the local names of a function."""
    declared = {
        name for node in own_nodes(function) if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names
    }
    return _bound_names(function) - declared


def _leaking_write(function: ast.FunctionDef, first: int, last: int) -> str | None:
    """Return the target outside of the function, such as self.h, to which the lines `first` to `last` assign.

    None without one.
    """
    declared = {
        name for node in own_nodes(function) if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names
    }
    local_names = own_names(function)
    for node in own_nodes(function):
        if not first <= getattr(node, "lineno", 0) <= last:
            continue
        match node:
            case ast.Name(id=name, ctx=ast.Store()) if name in declared:
                return name
            case ast.Attribute(ctx=ast.Store()):
                return ast.unparse(node)
            case ast.Subscript(ctx=ast.Store()):
                root: ast.expr = node
                while isinstance(root, ast.Subscript):
                    root = root.value
                if not isinstance(root, ast.Name) or root.id not in local_names:
                    return ast.unparse(node)
    return None


# --- writes that nobody reads ---


def lost_write(raised: RaisedAt, statement: ast.stmt, base: ast.expr) -> str | None:
    """Return why x = x.at[0].set(3) would lose the write x[0] = 3, for example because no line reads x.

    None if nothing would be lost.

    Args:
        raised: The place of the write in the code, and the frame that raised the error.
        statement: The statement that writes into the array.
        base: The expression of the array, such as x of `x[0] = 3`, or self.b.
    """
    root = base
    while isinstance(root, ast.Attribute | ast.Subscript):
        root = root.value
    if not isinstance(root, ast.Name):
        return None
    if not _can_hold(raised, base):
        return (
            f"{raised.source(base)} cannot be assigned. Make a new object with the new array, for example with "
            "dataclasses.replace, equinox.tree_at or a method _replace."
        )
    name = root.id
    function = raised.around(ast.FunctionDef, ast.Lambda)
    loop = _loop_over(raised, statement, name)
    if loop is not None and (_is_view(raised, loop.iter) or not _read_in(loop, statement, name)):
        return (
            f"{name} is a new array at each step of the loop, so a write into {name} does not reach "
            f"{raised.source(_iterated(loop))}. Write into the whole array, as in x = x.at[index].set(value)."
        )
    if not isinstance(function, ast.FunctionDef):
        return None
    if name not in _bound_names(function) or (not raised.in_trace and not isinstance(base, ast.Name)):
        return None
    viewed_array = _view_of(function, statement, name) if isinstance(base, ast.Name) else None
    if viewed_array is not None and _is_copy(raised, name, viewed_array):
        viewed_array = None
    if viewed_array is not None and is_part_of_new_object(function, name, viewed_array):
        viewed_array = None
    if viewed_array is not None and _is_read_after(raised, function, statement, viewed_array):
        return (
            f"{name} is made from {viewed_array}. In NumPy this write also changes {viewed_array}. "
            f"A new JAX array changes {name} only. Write into {viewed_array} as well if {viewed_array} must change."
        )
    if not _is_read_after(raised, function, statement, name):
        return (
            f"No line of {function.name} reads {name} after the write, so the new array would be lost. Return {name} "
            f"from {function.name}, and assign the result in the caller."
        )
    if isinstance(base, ast.Name) and _is_dropped(raised, function):
        return (
            f"The call of {function.name} drops its result, so the new array would be lost. Assign the result in the "
            "caller."
        )
    return None


def _can_hold(raised: RaisedAt, base: ast.expr) -> bool:
    """Return whether the object that contains the array, such as self for self.b, allows an assignment.

    Tuples, frozen objects and properties do not.
    """
    if isinstance(base, ast.Name) or raised.frame is None:
        return True
    assert isinstance(base, ast.Attribute | ast.Subscript)
    holder = value_of(raised, base.value)
    if holder is None:
        return True
    if isinstance(base, ast.Subscript):
        return type(holder) in (list, dict)
    is_plain = defined(type(holder), "__setattr__") is object.__setattr__
    return is_plain and not isinstance(defined(type(holder), base.attr), property)


def _loop_over(raised: RaisedAt, statement: ast.AST, name: str) -> ast.For | None:
    """Return the for loop around a statement whose loop variable has this name. None if there is none."""
    node: ast.AST | None = statement
    while node is not None and not isinstance(node, _SCOPES):
        if isinstance(node, ast.For) and name in {
            part.id for part in ast.walk(node.target) if isinstance(part, ast.Name)
        }:
            return node
        node = raised.parents.get(id(node))
    return None


def _iterated(loop: ast.For) -> ast.expr:
    """Return x of `for row in x` and of `for i, row in enumerate(x)`."""
    match loop.iter:
        case ast.Call(func=ast.Name(id="enumerate"), args=[iterated, *_]):
            return iterated
    return loop.iter


def _is_view(raised: RaisedAt, iterated: ast.expr) -> bool:
    """Return whether later code reads the array over which a for loop iterates.

    Such code expects writes to the loop variable to change the array.
    """
    module = raised.around(ast.FunctionDef) or (raised.loops.module if raised.loops is not None else None)
    roots = {part.id for part in ast.walk(iterated) if isinstance(part, ast.Name)}
    end = max((getattr(part, "end_lineno", 0) or 0 for part in ast.walk(iterated)), default=0)
    return module is not None and any(
        isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part.id in roots and part.lineno > end
        for part in ast.walk(module)
    )


def _read_in(loop: ast.For, statement: ast.stmt, name: str) -> bool:
    return any(
        _is_load_after(node, statement, name) for body_statement in loop.body for node in ast.walk(body_statement)
    )


def _is_load_after(node: ast.AST, statement: ast.stmt, name: str) -> bool:
    end = (statement.end_lineno or statement.lineno, statement.end_col_offset or 0)
    return (
        isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Load)
        and (node.lineno, node.col_offset) >= end
    )


def _is_read_after(raised: RaisedAt, function: ast.FunctionDef, statement: ast.stmt, name: str) -> bool:
    """Return whether a name is read in a line that may run after a statement."""
    if any(_is_load_after(node, statement, name) for node in ast.walk(function)):
        return True
    node: ast.AST | None = statement
    # In a loop, an earlier line may read the name in the next iteration.
    while node is not None and node is not function:
        if isinstance(node, ast.For | ast.While):
            inside = {id(part) for part in ast.walk(statement)}
            if any(
                isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load)
                for part in ast.walk(node)
                if id(part) not in inside
            ):
                return True
        node = raised.parents.get(id(node))
    declared = [statement for statement in own_nodes(function) if isinstance(statement, ast.Global | ast.Nonlocal)]
    return any(name in statement.names for statement in declared)


def is_read_later(raised: RaisedAt, statement: ast.stmt, base: ast.expr) -> bool:
    """Return whether code of the function reads the name of an array after a statement that writes into the array."""
    function = raised.around(ast.FunctionDef, ast.Lambda)
    if not isinstance(function, ast.FunctionDef) or not isinstance(base, ast.Name):
        return False
    return _is_read_after(raised, function, statement, base.id)


def _view_of(function: ast.FunctionDef, statement: ast.stmt, name: str) -> str | None:
    """Return the name x if the code assigned `y = x`, `y = x[0]` or `y = x.ravel()`, where y is the given name."""
    for node in own_nodes(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if (
                target == name and node.lineno < statement.lineno
            ):
                root = value
                match value:
                    case ast.Call(func=ast.Attribute(value=array, attr=method)) if method in _VIEWS:
                        root = array
                    case _:
                        while isinstance(root, ast.Attribute | ast.Subscript):
                            root = root.value
                if isinstance(root, ast.Name) and root.id != name:
                    return root.id
    return None


def _is_copy(raised: RaisedAt, name: str, other: str) -> bool:
    """Return whether two names hold NumPy arrays without common memory."""
    import numpy as np

    values = raised.frame.f_locals if raised.frame is not None else {}
    one, two = values.get(name), values.get(other)
    if type(one) is not np.ndarray or type(two) is not np.ndarray:
        return False
    return not np.may_share_memory(one, two)


def _is_dropped(raised: RaisedAt, function: ast.FunctionDef) -> bool:
    """Return whether the call of a function is a statement of its own, so that its result is not used."""
    if not raised.callers or raised.loops is None:
        return False
    frame = raised.callers[-1]
    body = raised.loops.module.body
    for node in ast.walk(raised.loops.module):
        if isinstance(node, ast.Expr) and node.lineno <= frame.f_lineno <= (node.end_lineno or node.lineno):
            value = node.value
            if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == function.name:
                return file_of(frame.f_code) == raised.place.file and node is not body[-1]
    return False
