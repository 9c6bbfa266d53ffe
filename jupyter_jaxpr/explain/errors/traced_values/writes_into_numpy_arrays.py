"""Writes the cure for a write of a traced value into a NumPy array: a write into a copy with `x.at[...].set`."""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass

from ....observe.observation import FoundCure
from ...trials.refused_assignments import lost_write, own_names
from ..failing_code.called_names import called
from ..failing_code.edits import Change, applied, edit_of, over
from ..failing_code.module_names import jnp_name, module_of
from ..failing_code.only_assignments import only_value
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt
from .functions_in_place import METHODS_OF_UFUNCS

_HOLDS_NO_TRACER = "A NumPy array cannot hold a traced value."
_AT_NEEDS_VALUES = "{function} needs the values of its arguments."
_COPY = "Make {name} with jax.numpy, and write into a copy with .at[...].{method}."
#: The same where an edit of all lines that write into {name} is unknown, or failed its trial.
_COPIES = _COPY + " Each line that writes into {name} needs .at[...]."
_OF_VIEW = (
    "In NumPy, {name} is a view of {whole}: a write into {name} changes {whole}. Make {whole} with jax.numpy, and "
    "write the new {name} into a copy of {whole} with .at[...].set."
)
_NEW_ARRAY = "This line makes a new array. The caller of {function} still holds the old array."
_NEW_ARRAYS = "Each write makes a new array. The caller of {function} still holds the old array."


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
    reason, method = _reason_and_method(raised, statement)
    name_of_cure = f".at[...].{method}"
    text = f"{reason} {_COPY.format(name=name, method=method)}"
    if (of_view := _write_into_view(raised, name, f"{reason} {_OF_VIEW}")) is not None:
        return [of_view]
    lost = lost_write(raised, statement, array)
    if lost is not None:
        return [FoundCure(name_of_cure, None, f"{text} {lost}")]
    function_around = raised.around(ast.FunctionDef)
    as_array = f"{jnp}.asarray({name})"
    if isinstance(function_around, ast.FunctionDef) and name not in own_names(function_around):
        new = _new_array(raised, statement, name, as_array)
        words = (
            f"{name} comes from outside of {function_around.name}, so {function_around.name} cannot assign a new "
            f"array to {name}. Return the new array {new} from {function_around.name}, and assign the result in "
            "the caller."
        )
        return [FoundCure(name_of_cure, None, words)]
    array_call = _array_call(raised, name)
    if array_call is None and not isinstance(function_around, ast.FunctionDef):
        return [FoundCure(name_of_cure, line, text)]
    writes = _writes(raised, name)
    old = name if array_call is not None else as_array
    new_arrays = [_new_array(raised, write, name, old) for write in writes]
    if None in new_arrays:
        return [FoundCure(name_of_cure, None, f"{reason} {_COPIES.format(name=name, method=method)}")]
    edits = [edit_of(raised, over(write, f"{name} = {new}")) for write, new in zip(writes, new_arrays, strict=True)]
    if array_call is not None:
        function = f"{jnp}.{called(array_call)}"
        return [
            applied(FoundCure(name_of_cure, line, text), [edit_of(raised, over(array_call.func, function)), *edits])
        ]
    assert isinstance(function_around, ast.FunctionDef)
    words = (_NEW_ARRAY if len(edits) == 1 else _NEW_ARRAYS).format(function=function_around.name)
    return [applied(FoundCure(name_of_cure, edits[0].text, f"{reason} {words}"), edits)]


def _write_into_view(raised: RaisedAt, name: str, text: str) -> FoundCure | None:
    """Return the cure of a write into row after row = x[0]: the edit writes the new row into the new array x, too.

    None if row is no such view of an array that the function makes, or if the function writes into x itself.
    """
    view = only_value(raised.function, name)
    match view:
        case ast.Subscript(value=ast.Name(id=whole), slice=index) if _is_basic(raised, index):
            pass
        case _:
            return None
    array_call, writes = _array_call(raised, whole), _writes(raised, name)
    views = [node for node in ast.walk(raised.function or view) if isinstance(node, ast.Subscript)]
    is_only_view = [_name_of(node.value) for node in views].count(whole) == 1
    new_arrays = [_new_array(raised, write, name, name) for write in writes]
    has_alias = any(
        isinstance(node, ast.Assign) and _name_of(node.value) in (name, whole)
        for node in ast.walk(raised.function or view)
    )
    if array_call is None or not is_only_view or None in new_arrays or has_alias or _is_renamed(raised, index):
        return None
    jnp, place = jnp_name(raised), raised.source(index)
    changes = [over(array_call.func, f"{jnp}.{called(array_call)}")]
    changes += [
        over(write, f"{name} = {new}\n{whole} = {whole}.at[{place}].set({name})")
        for write, new in zip(writes, new_arrays, strict=True)
    ]
    text = text.format(name=name, whole=whole)
    return applied(FoundCure(".at[...].set", None, text), [edit_of(raised, change) for change in changes])


def _name_of(node: ast.expr) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def _is_renamed(raised: RaisedAt, index: ast.expr) -> bool:
    """Return whether the function assigns twice to a name that an index reads."""
    names = [part.id for part in ast.walk(index) if isinstance(part, ast.Name)]
    stores = [
        node.id
        for node in ast.walk(raised.function or index)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    return any(stores.count(name) > 1 for name in names)


def changes_of_writes(raised: RaisedAt, name: str) -> list[Change]:
    """Return the changes of all writes into the array of a name to x = x.at[i].set(y), or to jnp.where for a mask.

    Empty if there is no write, or if one of the writes has another form.
    """
    writes = _writes(raised, name)
    new_arrays = [_new_array(raised, write, name, name) for write in writes]
    if None in new_arrays:
        return []
    return [over(write, f"{name} = {new}") for write, new in zip(writes, new_arrays, strict=True)]


def written_array(raised: RaisedAt) -> ast.Name | None:
    """Return the name x if the failing statement is x[i] = y or np.add.at(x, i, y) with a NumPy array x; else None."""
    match raised.statement_of(raised.node):
        case ast.Assign(targets=[ast.Subscript() as target]) | ast.AugAssign(target=ast.Subscript() as target):
            root: ast.expr = target
            while isinstance(root, ast.Subscript):
                root = root.value
            if not isinstance(root, ast.Name):
                return None
            array = root
        case ast.Expr(value=call) if call is raised.node and (of_ufunc := _at_of_ufunc(raised, call)) is not None:
            array = of_ufunc.array
        case _:
            return None
    is_numpy = raised.frame is not None and type(value_of(raised, array)).__name__ == "ndarray"
    return array if is_numpy else None


def advice_on_write(raised: RaisedAt | None) -> FoundCure | None:
    """Return the advice on a write into a NumPy array whose edit failed its trial; None for any other statement."""
    if raised is None or (array := written_array(raised)) is None:
        return None
    statement = raised.statement_of(raised.node)
    if statement is None or (isinstance(raised.node, ast.Call) and not isinstance(statement, ast.Expr)):
        return None
    reason, method = _reason_and_method(raised, statement)
    return FoundCure(f".at[...].{method}", None, f"{reason} {_COPIES.format(name=array.id, method=method)}")


@dataclass(frozen=True)
class _AtOfUfunc:
    """A call such as np.add.at(x, i, y), which adds y to the elements of x at the indices i.

    Attributes:
        array: The name x.
        index: The expression of the indices.
        method: The method of x.at[i] that does the same, such as add.
        value: The expression of the values.
    """

    array: ast.Name
    index: ast.expr
    method: str
    value: ast.expr


def _at_of_ufunc(raised: RaisedAt, node: ast.expr) -> _AtOfUfunc | None:
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Attribute(value=ast.Name(id=module), attr=name), attr="at"),
            args=[ast.Name() as array, index, value],
            keywords=[],
        ) if name in METHODS_OF_UFUNCS and module_of(raised, module) == "numpy":
            return _AtOfUfunc(array, index, METHODS_OF_UFUNCS[name], value)
    return None


def _reason_and_method(raised: RaisedAt, statement: ast.stmt) -> tuple[str, str]:
    """Return why NumPy cannot carry out a write, and the method of x.at[i] that does the same."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    of_ufunc = _at_of_ufunc(raised, call) if call is not None else None
    if of_ufunc is None or not isinstance(call, ast.Call):
        return _HOLDS_NO_TRACER, "set"
    return _AT_NEEDS_VALUES.format(function=raised.source(call.func)), of_ufunc.method


def _writes(raised: RaisedAt, name: str) -> list[ast.stmt]:
    """Return the statements of the function that write into elements of the array of a name, in their order."""
    function = raised.around(ast.FunctionDef, ast.Lambda)
    writes: list[ast.stmt] = []
    for node in ast.walk(function) if function is not None else ():
        of_ufunc = _at_of_ufunc(raised, node) if isinstance(node, ast.Call) else None
        if of_ufunc is not None and of_ufunc.array.id == name:
            statement = raised.statement_of(node)
            writes += [statement] if statement is not None else []
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
    method = "set"
    match write:
        case (
            ast.Assign(targets=[ast.Subscript(value=ast.Subscript()) as target], value=value)
            | ast.AugAssign(target=ast.Subscript(value=ast.Subscript()) as target, value=value)
        ):
            new = raised.source(value)
            if isinstance(write, ast.AugAssign):
                new = ast.unparse(ast.BinOp(target, write.op, value))
            while isinstance(inner := target.value, ast.Subscript):
                if not _is_basic(raised, inner.slice):
                    return None
                new, target = f"{raised.source(inner)}.at[{raised.source(target.slice)}].set({new})", inner
            if not isinstance(target.value, ast.Name):
                return None
            written, index = target.value.id, target.slice
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=written), slice=index)], value=value):
            new = raised.source(value)
        case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=written), slice=index) as target, op=op, value=value):
            # .at[i].add adds once for each repeated index of an array of indices, but += of NumPy adds only once
            new = ast.unparse(ast.BinOp(target, op, value))
        case ast.Expr(value=call) if (of_ufunc := _at_of_ufunc(raised, call)) is not None:
            written, index, method = of_ufunc.array.id, of_ufunc.index, of_ufunc.method
            new = raised.source(of_ufunc.value)
        case _:
            return None
    is_inside = raised.around(ast.FunctionDef, ast.Lambda) is _scope_of(raised, write)
    place = raised.source(index)
    if _compares_elements(index, name) and method == "set":
        # .at[...] takes no traced mask
        return f"{jnp_name(raised)}.where({place}, {new}, {old})" if written == name and is_inside else None
    if isinstance(index, ast.List):  # .at[...] takes no list
        place = f"{jnp_name(raised)}.array({place})"
    return f"{old}.at[{place}].{method}({new})" if written == name and is_inside else None


def _compares_elements(index: ast.expr, name: str) -> bool:
    """Return whether an index is a mask of the elements of an array, such as x < 0 for the array x."""
    match index:
        case ast.Compare(left=ast.Name(id=compared), comparators=[ast.Constant() | ast.Name() | ast.UnaryOp()]):
            return compared == name
        case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr(), right=right):
            return _compares_elements(left, name) and _compares_elements(right, name)
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            return _compares_elements(operand, name)
        case ast.Call(func=ast.Attribute(attr=function), args=[ast.Name(id=tested)], keywords=[]):
            return tested == name and function in ("isnan", "isinf", "isfinite")
    return False


def _is_basic(raised: RaisedAt, index: ast.expr) -> bool:
    """Return whether an index consists of integers and slices, so that NumPy's x[index] is a view of x."""
    match index:
        case ast.Tuple(elts=parts):
            return all(_is_basic(raised, part) for part in parts)
        case ast.Slice(lower=lower, upper=upper, step=step):
            return all(part is None or _is_basic(raised, part) for part in (lower, upper, step))
        case ast.Constant(value=value):
            return type(value) is int
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _is_basic(raised, operand)
        case ast.BinOp(left=left, right=right):
            return _is_basic(raised, left) and _is_basic(raised, right)
    return isinstance(index, ast.Name) and type(value_of(raised, index)) is int


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
