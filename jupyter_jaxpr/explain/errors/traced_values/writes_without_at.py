"""Explains writes into arrays, such as `x[i] = y`, and makes the new array with `x.at[i].set(y)` or jnp.where."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from ....observe.observation import FoundCure
from ...trials.refused_assignments import is_read_later, lost_write
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over, shown
from ..failing_code.module_names import jnp_name
from ..failing_code.operand_nodes import explained_with_trials, is_array, operand_types
from ..failing_code.origins import MASK_OF_ROWS, axes_of, dtype_of, masks_elements, operands, value_of
from ..failing_code.place_of_error import RaisedAt
from .branches_as_functions import METHODS_OF_AT, with_new_arrays

#: The advice to write with .at[...]; {method} is the name of a method, such as set.
WRITE_WITH_AT = "Write x = x.at[index].{method}(value), which makes a new array."
NEW_ARRAY_OF_AT = ".at[...] makes a new array. Other names of the old array still hold the old array."
NEW_ARRAYS_OF_AT = "Each .at[...] makes a new array. Other names of the old arrays still hold the old arrays."
_NO_CODE = "No code is suggested for this line."


def item_assignment(raised: RaisedAt | None) -> Explained:
    """Explains `x[i] = y` and offers the new array that x.at[i].set(y) makes."""
    general = f"JAX arrays cannot be changed. {WRITE_WITH_AT.format(method='set')}"
    node = raised.node if raised is not None else None
    statement = raised.statement_of(node) if raised is not None else None
    title = "A JAX array cannot be changed in place"
    if raised is None or not isinstance(node, ast.Subscript):
        return Explained(None, title, "", (FoundCure(".at[...]", None, general),))
    base, indices = node, [raised.source(node.slice)]
    while not is_array(value_of(raised, base.value)) and isinstance(base.value, ast.Subscript):
        base = base.value
        # x[1:][0] = y cannot be written as x.at[1:, 0], which selects other elements
        if not _is_one_index(raised, base.slice):
            return Explained(
                None, title, operand_types(raised), (FoundCure(".at[...]", None, f"{general} {_NO_CODE}"),)
            )
        indices.insert(0, raised.source(base.slice))
    array = raised.source(base.value)
    at = f"{array} = {array}.at[{', '.join(indices)}]"
    lost = lost_write(raised, statement, base.value) if statement is not None else None
    if lost is not None and statement is not None:
        title += _statement_text(raised, statement)
        code = _code_with_at(raised, statement, node, at) if is_read_later(raised, statement, base.value) else None
        # The statement would make the new array, but the old array also has to change: the cure is no edit.
        tried = []
        if code is not None:
            new_array = applied(FoundCure(".at[...]", code, lost), [edit_of(raised, over(statement, code))])
            tried = [cure for cure in passed(raised, [new_array]) if cure.edits]
            tried = [replace(shown(cure), level="advice", edits=()) for cure in tried]
        return Explained(None, title, operand_types(raised), (*tried,) or (FoundCure(".at[...]", None, lost),))
    if (swapped := _several_writes(raised, statement, base.value)) is not None:
        return swapped
    match statement:
        case ast.Assign(targets=[ast.Subscript()], value=value) if _is_mask(raised, node.slice):
            return _mask_assignment(raised, title, statement, node, raised.source(value), value)
        case ast.AugAssign(op=op, value=value) if _is_mask(raised, node.slice):
            new = ast.unparse(ast.BinOp(node.value, op, value))
            return _mask_assignment(raised, title, statement, node, new, value)
    code = _code_with_at(raised, statement, node, at)
    if code is None or statement is None:
        return Explained(None, title, operand_types(raised), (FoundCure(".at[...]", None, f"{general} {_NO_CODE}"),))
    text = NEW_ARRAY_OF_AT
    cure = applied(FoundCure(".at[...]", code, text), [edit_of(raised, over(statement, code))])
    title += _statement_text(raised, statement)
    explanation = operands(raised, [base.value])
    if not isinstance(base.value, ast.Name):
        # The array is part of an object. A trial would assign the new array to the user's object, so there is no trial.
        return Explained(None, title, explanation, (cure,))
    return explained_with_trials(title, explanation, raised, _with_other_writes(raised, statement, cure))


def _with_other_writes(raised: RaisedAt, statement: ast.stmt, cure: FoundCure) -> list[FoundCure]:
    """Return the cure of one write; where its trial fails at another write of the function, the cure of all writes."""
    if raised.function is None or any(tried.edits for tried in passed(raised, [cure])):
        return [cure]
    edits = [*cure.edits]
    for part in ast.walk(raised.function):
        if isinstance(part, ast.Assign | ast.AugAssign) and part is not statement:
            new = with_new_arrays(raised, part)
            edits += [edit_of(raised, over(part, ast.unparse(new)))] if new is not part else []
    tried = passed(raised, [applied(replace(cure, text=NEW_ARRAYS_OF_AT), edits)]) if len(edits) > 1 else []
    return [whole for whole in tried if whole.edits] or [cure]


def _code_with_at(raised: RaisedAt, statement: ast.stmt | None, node: ast.Subscript, at: str) -> str | None:
    """Return the code of a write with a method of .at[...]; None for a statement that is no write of one value.

    Args:
        raised: Where the error was raised.
        statement: The write.
        node: The left side of the write.
        at: The code up to the method, such as x = x.at[0].
    """
    match statement:
        case ast.Assign(targets=[ast.Subscript()], value=value):
            return f"{at}.set({raised.source(value)})"
        case ast.AugAssign(op=op, value=value) if type(op) in METHODS_OF_AT:
            return f"{at}.{METHODS_OF_AT[type(op)]}({raised.source(value)})"
        case ast.AugAssign(op=op, value=value):
            return f"{at}.set({ast.unparse(ast.BinOp(node, op, value))})"
    return None


def _several_writes(raised: RaisedAt, statement: ast.stmt | None, array: ast.expr) -> Explained | None:
    """Explains x[0], x[2] = x[2], x[0], which writes several elements of one array; None for any other statement."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            pass
        case _:
            return None
    source = raised.source(array)
    indices = [
        part.slice for part in targets if isinstance(part, ast.Subscript) and raised.source(part.value) == source
    ]
    if not isinstance(array, ast.Name) or len(indices) != len(targets) or len(values) != len(targets):
        return None
    if any(_is_mask(raised, index) for index in indices) or any(isinstance(value, ast.Starred) for value in values):
        return None
    pairs = zip(indices, values, strict=True)
    writes = "".join(f".at[{raised.source(index)}].set({raised.source(value)})" for index, value in pairs)
    code = f"{source} = {source}{writes}"
    text = f"Each .at[...].set(...) makes a new array. Python computes all values on the right with the old {source}."
    cure = applied(FoundCure(".at[...]", code, text), [edit_of(raised, over(statement, code))])
    title = f"A JAX array cannot be changed in place{_statement_text(raised, statement)}"
    return explained_with_trials(title, operands(raised, [array]), raised, [cure])


def _is_one_index(raised: RaisedAt, index: ast.expr) -> bool:
    """Return whether an index selects a single element of an axis."""
    value: Any = index.value if isinstance(index, ast.Constant) else value_of(raised, index)
    return type(value) is int or ("int" in dtype_of(value) and value.ndim == 0)


def _is_mask(raised: RaisedAt, index: ast.expr) -> bool:
    """Return whether an index is an array of booleans."""
    if isinstance(index, ast.Compare):
        return True
    if isinstance(index, ast.UnaryOp):
        return isinstance(index.op, ast.Invert) and _is_mask(raised, index.operand)
    if isinstance(index, ast.BinOp):
        return _is_mask(raised, index.left) and _is_mask(raised, index.right)
    if isinstance(index, ast.Call) and called(index).startswith(("is", "logical_")):
        return True
    return dtype_of(value_of(raised, index)) == "bool"


def _mask_assignment(
    raised: RaisedAt, title: str, statement: ast.stmt, node: ast.Subscript, new: str, value: ast.expr
) -> Explained:
    """Explains `x[mask] = y`, and offers jnp.where.

    Args:
        raised: Where the error was raised.
        title: The start of the title.
        statement: The write.
        node: The left side of the write.
        new: The code of the new elements.
        value: The right side of the write.
    """
    array, jnp = raised.source(node.value), jnp_name(raised)
    title += _statement_text(raised, statement)
    text = f"{jnp}.where makes a new array: the new value where the mask is true, and the old value elsewhere."
    mask = raised.source(node.slice) if masks_elements(raised, node) else _mask_of_rows(raised, node, value)
    if mask is None:
        cure = FoundCure(f"{jnp}.where", None, f"{text} {MASK_OF_ROWS}")
        return explained_with_trials(title, operands(raised, [node.value]), raised, [cure])
    new_array = f"{jnp}.where({mask}, {new}, {array})"
    code = f"{array} = {new_array}"
    cure = applied(FoundCure(f"{jnp}.where", code, text), [edit_of(raised, over(statement, code))])
    if isinstance(node.value, ast.Name):
        return explained_with_trials(title, operands(raised, [node.value]), raised, [cure])
    # The array is part of an object. A trial would change the user's object, so only the new array is traced.
    tried = passed(raised, [applied(replace(cure, code=new_array), [edit_of(raised, over(statement, new_array))])])
    if not tried or not tried[0].edits:
        # The trial of the new array failed, or a later line raised an error: the cure is advice.
        is_shown = bool(tried) and tried[0].code is not None
        cure = replace(cure, level="advice", code=code if is_shown else None, edits=())
    return Explained(None, title, operands(raised, [node.value]), (cure,))


def _mask_of_rows(raised: RaisedAt, node: ast.Subscript, value: ast.expr) -> str | None:
    """Return the code, such as mask[:, None], that gives a mask of rows the number of axes of the array.

    None if the new value may have a row for each selected row: jnp.where does not accept such a value.
    """
    array, axes, axes_of_value = value_of(raised, node.value), axes_of(raised, node.slice), axes_of(raised, value)
    if not dtype_of(array) or not axes or axes_of_value is None or axes + axes_of_value > array.ndim:
        return None
    source = raised.source(node.slice)
    source = source if isinstance(node.slice, ast.Name | ast.Attribute | ast.Call | ast.Subscript) else f"({source})"
    return f"{source}[{', '.join([':'] * axes + ['None'] * (array.ndim - axes))}]"


def _statement_text(raised: RaisedAt, statement: ast.stmt) -> str:
    """Return the code of a statement in one line, for the end of a title."""
    text = " ".join(raised.source(statement).split())
    return f": {text}" if len(text) <= 60 else ""
