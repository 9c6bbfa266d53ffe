"""Writes the cure for a write of a traced value into a NumPy array: a write into a copy with `x.at[...].set`."""

from __future__ import annotations

import ast
import sys

from ....observe.observation import FoundCure
from ...trials.refused_assignments import lost_write, own_names
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name, module_of
from ..failing_code.only_assignments import only_value
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt

#: What the cure says of the array {name}.
_COPY = "A NumPy array cannot hold a traced value. Make {name} with jax.numpy, and write into a copy with .at[...].set."
#: The same where an edit of all lines that write into {name} is unknown, or failed its trial.
_COPIES = _COPY + " Each line that writes into {name} needs .at[...].set."
_NEW_ARRAY = (
    "A NumPy array cannot hold a traced value. This line makes a new array. The caller of {function} still holds the "
    "old array."
)
_NEW_ARRAYS = (
    "A NumPy array cannot hold a traced value. Each write makes a new array. The caller of {function} still holds the "
    "old array."
)


def write_into_numpy_array(raised: RaisedAt) -> list[FoundCure]:
    """Return the cure for a write of a traced value into a NumPy array: x.at[...].set on an array of jax.numpy.

    An array of jax.numpy takes no write in place, so the edits change each write into the array.
    """
    statement, jnp = raised.statement_of(raised.node), jnp_name(raised)
    array = written_array(raised)
    if array is None or statement is None:
        return []
    name = array.id
    new_array = _new_array(raised, statement, name, name)
    if new_array is None:
        return []
    line = f"{name} = {new_array}"
    text = _COPY.format(name=name)
    lost = lost_write(raised, statement, array)
    if lost is not None:
        return [FoundCure(".at[...].set", None, f"{text} {lost}")]
    function_around = raised.around(ast.FunctionDef)
    as_array = f"{jnp}.asarray({name})"
    if isinstance(function_around, ast.FunctionDef) and name not in own_names(function_around):
        new = _new_array(raised, statement, name, as_array)
        words = (
            f"{name} comes from outside of {function_around.name}, so {function_around.name} cannot assign a new "
            f"array to {name}. Return the new array {new} from {function_around.name}, and assign the result in "
            "the caller."
        )
        return [FoundCure(".at[...].set", None, words)]
    array_call = _array_call(raised, name)
    if array_call is None and not isinstance(function_around, ast.FunctionDef):
        return [FoundCure(".at[...].set", line, text)]
    writes = _writes(raised, name)
    old = name if array_call is not None else as_array
    new_arrays = [_new_array(raised, write, name, old) for write in writes]
    if None in new_arrays:
        return [fallback_of_write(name)]
    edits = [edit_of(raised, over(write, f"{name} = {new}")) for write, new in zip(writes, new_arrays, strict=True)]
    if array_call is not None:
        function = f"{jnp}.{called(array_call)}"
        return [
            applied(FoundCure(".at[...].set", line, text), [edit_of(raised, over(array_call.func, function)), *edits])
        ]
    assert isinstance(function_around, ast.FunctionDef)
    words = (_NEW_ARRAY if len(edits) == 1 else _NEW_ARRAYS).format(function=function_around.name)
    return [applied(FoundCure(".at[...].set", edits[0].text, words), edits)]


def written_array(raised: RaisedAt) -> ast.Name | None:
    """Return the name x if the failing statement writes into an element of the NumPy array x; else None."""
    match raised.statement_of(raised.node):
        case (
            ast.Assign(targets=[ast.Subscript(value=ast.Name() as array)])
            | ast.AugAssign(target=ast.Subscript(value=ast.Name() as array))
        ) if raised.frame is not None and type(value_of(raised, array)).__name__ == "ndarray":
            return array
    return None


def fallback_of_write(name: str) -> FoundCure:
    """Return the advice for writes into an array of this name, without an edit."""
    return FoundCure(".at[...].set", None, _COPIES.format(name=name))


def _writes(raised: RaisedAt, name: str) -> list[ast.stmt]:
    """Return the statements of the function that write into elements of the array of a name, in their order."""
    function = raised.around(ast.FunctionDef, ast.Lambda)
    writes: list[ast.stmt] = []
    for node in ast.walk(function) if function is not None else ():
        if not isinstance(node, ast.Subscript) or isinstance(node.ctx, ast.Load):
            continue
        root: ast.expr = node
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        statement = raised.statement_of(node)
        if isinstance(root, ast.Name) and root.id == name and statement is not None and statement not in writes:
            writes.append(statement)
    return sorted(writes, key=lambda write: write.lineno)


def _new_array(raised: RaisedAt, write: ast.stmt, name: str, old: str) -> str | None:
    """Return the code of the new array that a write such as x[i] = y makes; None for a write of another form.

    Args:
        raised: Where the error was raised.
        write: The statement.
        name: The name of the array, such as x.
        old: The code of the old array.
    """
    match write:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=written), slice=index)], value=value):
            new = raised.source(value)
        case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=written), slice=index) as target, op=op, value=value):
            # .at[i].add adds once for each repeated index of an array of indices, but += of NumPy adds only once
            new = ast.unparse(ast.BinOp(target, op, value))
        case _:
            return None
    is_inside = raised.around(ast.FunctionDef, ast.Lambda) is _scope_of(raised, write)
    return f"{old}.at[{raised.source(index)}].set({new})" if written == name and is_inside else None


def _scope_of(raised: RaisedAt, node: ast.AST) -> ast.AST | None:
    """Return the innermost function around a node; None at the top level of a cell."""
    scope = raised.parents.get(id(node))
    while scope is not None and not isinstance(scope, ast.FunctionDef | ast.Lambda):
        scope = raised.parents.get(id(scope))
    return scope


def _array_call(raised: RaisedAt, name: str) -> ast.Call | None:
    """Return the NumPy call, such as np.zeros(3), whose result is assigned to a name.

    None if jax.numpy has no such function.
    """
    match only_value(raised.function, name):
        case ast.Call(func=ast.Attribute(value=ast.Name(id=module))) as call:
            if module_of(raised, module) == "numpy" and hasattr(sys.modules.get("jax.numpy"), called(call)):
                return call
    return None
