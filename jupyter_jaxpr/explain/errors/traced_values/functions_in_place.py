"""Explains calls that NumPy or PyTorch would carry out in place or as a view, such as jnp.fill_diagonal(x, 1)."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.refused_assignments import lost_write
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name, module_of, random_name
from ..failing_code.operand_nodes import is_array, operand_types
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt
from ..message_tables.call_messages import RESHAPE, VIEW_WITH_SIZES
from ..message_tables.jax_messages import CHANGE_IN_PLACE
from .writes_without_at import NEW_ARRAY_OF_AT

_IN_PLACE = re.compile(
    r"^jax\.numpy\.\w+ cannot modify arrays in-place|^JAX arrays are immutable, must use inplace=False"
)
_OUT = re.compile(r"^(?:out argument of <jnp\.ufunc|The 'out' argument to jnp\.\w+ is not supported)")
_VIEW = re.compile(r"^`type` argument of array\.view\(\) is not supported|^view .*unrecognized dtype|^Cannot interpret")
_AT = re.compile(r"^first operand must be array")
#: The ufuncs of NumPy whose method `at` changes an array in place -> the method of x.at[index].
METHODS_OF_UFUNCS = {
    "add": "add",
    "subtract": "subtract",
    "multiply": "multiply",
    "divide": "divide",
    "power": "power",
    "minimum": "min",
    "maximum": "max",
}
#: Errors of functions that change their first argument in place and are no functions of JAX.
_WRITTEN = re.compile(
    r"^JAX arrays are immutable and do not support in-place item assignment"
    r"|argument 1 must be (?:a )?numpy\.ndarray, not |^JAX Arrays do not implement the arr\.flat property"
)
#: Functions of NumPy that change an array in place, and whose namesakes in `jax.numpy` take inplace=False.
_WITH_OPTION = frozenset({"put", "place", "fill_diagonal"})
_ORDER = re.compile(r"^transpose permutation isn't a permutation of operand dimensions")


def in_place_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains code for other libraries, such as jnp.fill_diagonal(x, 1), np.put(x, 0, 1), out=y or x.view(2, -1)."""
    call = raised.node if raised is not None else None
    if raised is None or raised.frame is None or not isinstance(call, ast.Call):
        return None
    text = message_of(error).strip()
    if _WRITTEN.search(text):
        return _written(raised, call)
    if _IN_PLACE.search(text):
        return _changes(raised, call)
    if _AT.search(text):
        return _at(raised, call)
    if _OUT.search(text):
        return _out(raised, call)
    if _VIEW.search(text) and _is_method(raised, call, "view"):
        return _view(raised, call)
    if _ORDER.search(text) and _is_method(raised, call, "transpose") and len(call.args) == 2:
        return _two_axes(raised, call)
    return None


def _is_method(raised: RaisedAt, call: ast.Call, name: str) -> bool:
    """Return whether a call calls a method of an array by this name, without keyword arguments."""
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr != name or call.keywords:
        return False
    value = value_of(raised, function.value)
    return value is None or is_array(value)


def _changes(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains jnp.fill_diagonal(x, 1): in NumPy, the function changes x in place."""
    statement = raised.statement_of(call)
    if not call.args:
        return None
    name, array = called(call), call.args[0]
    title = CHANGE_IN_PLACE.format(function=name)
    code = f"{raised.source(call)[:-1].rstrip().rstrip(',')}, inplace=False)"
    words = "inplace=False makes a new array."
    is_named = isinstance(array, ast.Name) and isinstance(statement, ast.Expr) and statement.value is call
    if is_named and isinstance(statement, ast.Expr):
        if (lost := lost_write(raised, statement, array)) is not None:
            cure = FoundCure("inplace=False", None, f"{words} {lost}")
            return Explained(None, title, operand_types(raised), (cure,))
        code = f"{raised.source(array)} = {code}"
    node = statement if is_named and statement is not None else call
    cure = applied(FoundCure("inplace=False", code, words), [edit_of(raised, over(node, code))])
    return Explained(None, title, operand_types(raised), tuple(passed(raised, [cure])))


def _written(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains np.random.shuffle(x), np.put(x, i, y), np.copyto(x, y) and others, which change x in place."""
    name, statement = called(call), raised.statement_of(call)
    if not call.args or not is_array(value_of(raised, call.args[0])):
        return None
    array, jnp = raised.source(call.args[0]), jnp_name(raised)
    source = raised.source(call.func)
    title = CHANGE_IN_PLACE.format(function=source)
    if name == "shuffle":
        draw = f"{random_name(raised)}.permutation"
        words = (
            f"{draw}(key, {array}) makes an array with the same elements in a random order. key is a key of "
            f"{random_name(raised)}.key."
        )
        cure = FoundCure(draw, f"{array} = {draw}(key, {array})", words)
        return Explained(None, title, operand_types(raised), (cure,))
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=module)), args=[ast.Name(), *_]) if (
            module_of(raised, module) == "numpy" and isinstance(statement, ast.Expr) and statement.value is call
        ):
            pass
        case _:
            return None
    others = [raised.source(part) for part in [*call.args[1:], *call.keywords]]
    if name == "copyto" and len(call.args) == 2 and not call.keywords:
        code = f"{jnp}.broadcast_to({others[0]}, {array}.shape).astype({array}.dtype)"
        words = f"broadcast_to makes a new array with the elements of {others[0]} and the shape of {array}."
    elif name in _WITH_OPTION:
        code = f"{jnp}.{name}({', '.join([array, *others, 'inplace=False'])})"
        words = f"{jnp}.{name} with inplace=False makes a new array."
    else:
        return None
    if (lost := lost_write(raised, statement, call.args[0])) is not None:
        return Explained(None, title, operand_types(raised), (FoundCure(f"{jnp}.{name}", None, f"{words} {lost}"),))
    code = f"{array} = {code}"
    cure = applied(FoundCure("a new array", code, words), [edit_of(raised, over(statement, code))])
    tried = tuple(passed(raised, [cure])) or (FoundCure("a new array", None, words),)
    return Explained(None, title, operand_types(raised), tried)


def _at(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains np.add.at(x, index, y), which NumPy carries out in place."""
    statement = raised.statement_of(call)
    match call:
        case ast.Call(
            func=ast.Attribute(value=ast.Attribute(attr=name), attr="at"),
            args=[ast.Name() as array, index, value],
            keywords=[],
        ) if name in METHODS_OF_UFUNCS and is_array(value_of(raised, array)):
            pass
        case _:
            return None
    title = CHANGE_IN_PLACE.format(function=raised.source(call.func))
    place = raised.source(index)
    place = f"{jnp_name(raised)}.array({place})" if isinstance(index, ast.List) else place
    code = f"{array.id} = {array.id}.at[{place}].{METHODS_OF_UFUNCS[name]}({raised.source(value)})"
    words = NEW_ARRAY_OF_AT
    cure = FoundCure(".at[...]", code, words)
    if isinstance(statement, ast.Expr) and statement.value is call:
        if (lost := lost_write(raised, statement, array)) is not None:
            return Explained(None, title, operand_types(raised), (FoundCure(".at[...]", code, f"{words} {lost}"),))
        cure = applied(cure, [edit_of(raised, over(statement, code))])
    return Explained(None, title, operand_types(raised), tuple(passed(raised, [cure])))


def _out(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains jnp.add(x, y, out=z): in NumPy, the call writes its result into z."""
    out = next((keyword for keyword in call.keywords if keyword.arg == "out"), None)
    statement = raised.statement_of(call)
    if out is None:
        return None
    title = f"{called(call)} cannot write its result into an array: JAX arrays cannot be changed"
    others = [raised.source(part) for part in [*call.args, *call.keywords] if part is not out]
    code = f"{raised.source(call.func)}({', '.join(others)})"
    words = "Without the argument out, the call returns a new array."
    node: ast.AST = call
    if isinstance(statement, ast.Expr) and statement.value is call:
        if not isinstance(out.value, ast.Name):
            return Explained(None, title, operand_types(raised), (FoundCure("without out", None, words),))
        if (lost := lost_write(raised, statement, out.value)) is not None:
            return Explained(None, title, operand_types(raised), (FoundCure("without out", None, f"{words} {lost}"),))
        node, code = statement, f"{out.value.id} = {code}"
    cure = applied(FoundCure("without out", code, words), [edit_of(raised, over(node, code))])
    return Explained(None, title, operand_types(raised), tuple(passed(raised, [cure])))


def _view(raised: RaisedAt, call: ast.Call) -> Explained:
    """Explains x.view(2, -1), which in PyTorch gives the array another shape. The cure is reshape."""
    array = raised.source(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    code = f"{array}.reshape({', '.join(map(raised.source, call.args))})"
    words = "In JAX, view gives another dtype to the same bytes. reshape gives another shape."
    cure = applied(FoundCure("reshape", code, words), [edit_of(raised, over(call, code))])
    general = FoundCure(RESHAPE[0], None, RESHAPE[1])
    return Explained(None, VIEW_WITH_SIZES, operand_types(raised), tuple(passed(raised, [cure])) or (general,))


def _two_axes(raised: RaisedAt, call: ast.Call) -> Explained:
    """Explains x.transpose(1, 2), which in PyTorch exchanges two axes. The cure is swapaxes."""
    array = raised.source(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    axes = ", ".join(map(raised.source, call.args))
    title = "transpose takes the new order of all axes, but gets two axes"
    words = "swapaxes exchanges two axes."
    code = f"{array}.swapaxes({axes})"
    cure = applied(FoundCure("swapaxes", code, words), [edit_of(raised, over(call, code))])
    return Explained(None, title, operand_types(raised), tuple(passed(raised, [cure])))
