"""Writes the cure for a write of a traced value into a NumPy array: a write into a copy with `x.at[...].set`."""

from __future__ import annotations

import ast
import sys

from ....observe.observation import FoundCure
from ...trials.refused_assignments import lost_write, own_names
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over, replacing
from ..failing_code.module_names import jnp_name, module_of
from ..failing_code.only_assignments import only_value
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt


def write_into_numpy_array(raised: RaisedAt) -> list[FoundCure]:
    """Return the cure for a write of a traced value into a NumPy array: x.at[...].set on an array of jax.numpy."""
    statement, jnp = raised.statement_of(raised.node), jnp_name(raised)
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name)) as target], value=value):
            pass
        case _:
            return []
    if raised.frame is None or type(value_of(raised, target.value)).__name__ != "ndarray":
        return []
    line = f"{name} = {name}.at[{raised.source(target.slice)}].set({raised.source(value)})"
    text = (
        f"A NumPy array cannot hold a traced value. Make {name} with jax.numpy, and write into a copy with "
        ".at[...].set."
    )
    lost = lost_write(raised, statement, target.value)
    if lost is not None:
        return [FoundCure(".at[...].set", None, f"{text} {lost}")]
    function_around = raised.around(ast.FunctionDef)
    if isinstance(function_around, ast.FunctionDef) and name not in own_names(function_around):
        new = f"{jnp}.asarray({name}).at[{raised.source(target.slice)}].set({raised.source(value)})"
        words = (
            f"{name} comes from outside of {function_around.name}, so {function_around.name} cannot assign a new "
            f"array to {name}. Return the new array {new} from {function_around.name}, and assign the result in "
            "the caller."
        )
        return [FoundCure(".at[...].set", None, words)]
    array_call = _array_call(raised, name)
    cure = FoundCure(".at[...].set", line, text)
    if array_call is None:
        if not isinstance(function_around, ast.FunctionDef):
            return [cure]
        new_line = line.replace(f"{name} = {name}.", f"{name} = {jnp}.asarray({name}).", 1)
        words = (
            "A NumPy array cannot hold a traced value. This line makes a new array. The caller of "
            f"{function_around.name} still holds the old array."
        )
        return [replacing(raised, statement, ".at[...].set", new_line, words)]
    function = f"{jnp}.{called(array_call)}"
    edits = [edit_of(raised, over(array_call.func, function)), edit_of(raised, over(statement, line))]
    return [applied(cure, edits)]


def _array_call(raised: RaisedAt, name: str) -> ast.Call | None:
    """Return the NumPy call, such as np.zeros(3), whose result is assigned to a name.

    None if jax.numpy has no such function.
    """
    match only_value(raised.function, name):
        case ast.Call(func=ast.Attribute(value=ast.Name(id=module))) as call:
            if module_of(raised, module) == "numpy" and hasattr(sys.modules.get("jax.numpy"), called(call)):
                return call
    return None
