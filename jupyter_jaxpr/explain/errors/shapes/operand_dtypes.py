"""Explains a function of jax.lax whose operands have different dtypes, and converts the operand that can change."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.operand_nodes import explained_with_trials, operand_nodes, passed_node
from ..failing_code.origins import dtype_of, operands, value_of
from ..failing_code.place_of_error import RaisedAt
from ..message_tables.lax_messages import ONE_DTYPE, TWO_DTYPES

_DTYPES = re.compile(r"^lax\.(\w+) requires arguments to have the same dtypes, got (\w+), (\w+)\.")
_UPDATES = frozenset({"dynamic_update_slice", "dynamic_update_slice_in_dim", "dynamic_update_index_in_dim"})
_CONVOLUTIONS = frozenset({"conv", "conv_with_general_padding"})
_OPERATORS = {"add": "+", "sub": "-", "mul": "*"}


def operand_dtype_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains operands of different dtypes in a function of jax.lax.

    None if the code does not show which expressions are the operands.
    """
    match = _DTYPES.search(message_of(error)) if isinstance(error, TypeError) else None
    call = raised.node if raised is not None else None
    if match is None or raised is None or raised.frame is None or not isinstance(call, ast.Call):
        return None
    name, dtypes = match[1], (match[2], match[3])
    title = TWO_DTYPES.format(function=name, first_dtype=dtypes[0], second_dtype=dtypes[1])
    if name == "dynamic_update_slice" and called(call) in _UPDATES:
        return _update(raised, call, title, dtypes)
    if called(call) != name and (name != "conv_general_dilated" or called(call) not in _CONVOLUTIONS):
        return None
    nodes = _nodes_by_dtype(raised, call, dtypes)
    if nodes is None:
        return None
    text = f"{ONE_DTYPE} {operands(raised, [node for part in nodes for node in part])}"
    return explained_with_trials(title, text, raised, _conversions(raised, call, name, dtypes, nodes))


def _update(raised: RaisedAt, call: ast.Call, title: str, dtypes: tuple[str, str]) -> Explained | None:
    """Explains dynamic_update_slice with an update whose dtype is not that of the array, and thus of the result."""
    array, update = passed_node(raised, "operand"), passed_node(raised, "update")
    if array is None or update is None or isinstance(update, ast.Constant | ast.List | ast.Tuple):
        return None
    if _is_of_complex(dtypes[1]) and not _is_of_complex(dtypes[0]):
        return None
    text = f"{ONE_DTYPE} {operands(raised, [array, update])}"
    words = f"The result has the dtype of the array, {dtypes[0]}, so astype gives the update this dtype."
    changes = [over(update, _converted(raised, update, _dtype_code(raised, array, dtypes[0])))]
    for other in _other_updates(raised, call):
        is_known = dtype_of(value_of(raised, other.args[0])) and dtype_of(value_of(raised, other.args[1]))
        if is_known and dtype_of(value_of(raised, other.args[0])) != dtype_of(value_of(raised, other.args[1])):
            dtype = _dtype_code(raised, other.args[0], dtype_of(value_of(raised, other.args[0])))
            changes.append(over(other.args[1], _converted(raised, other.args[1], dtype)))
    if _loses_numbers(*dtypes):
        words = (
            f"The result has the dtype of the array, {dtypes[0]}. astype changes each number of the update that "
            f"{dtypes[0]} cannot hold. To keep the numbers, make the array with the dtype {dtypes[1]}."
        )
        return Explained(None, title, text, (FoundCure("one dtype", changes[0][2], words),))
    cure = applied(FoundCure("one dtype", changes[0][2], words), [edit_of(raised, change) for change in changes])
    return explained_with_trials(title, text, raised, [cure])


def _is_of_complex(dtype: str) -> bool:
    return dtype.startswith("complex")


def _loses_numbers(dtype: str, of_update: str) -> bool:
    """Return whether an array's dtype cannot represent all values of an update, apart from rounding to fewer bits."""
    import jax.numpy as jnp

    are_floats = all(jnp.issubdtype(one, jnp.inexact) for one in (dtype, of_update))
    return not are_floats and str(jnp.promote_types(dtype, of_update)) != dtype


def _other_updates(raised: RaisedAt, call: ast.Call) -> list[ast.Call]:
    """Return the later calls of the same function, such as dynamic_update_slice, which may raise the same error."""
    function = raised.function
    nodes = ast.walk(function) if function is not None else ()
    return [
        node
        for node in nodes
        if isinstance(node, ast.Call)
        and node.lineno > call.lineno
        and ast.unparse(node.func) == ast.unparse(call.func)
        and len(node.args) > 1
    ]


def _nodes_by_dtype(
    raised: RaisedAt, call: ast.Call, dtypes: tuple[str, str]
) -> tuple[list[ast.expr], list[ast.expr]] | None:
    """Return the operands of one dtype, and those of the other dtype. None if the dtype of an operand is unknown."""
    found = [*operand_nodes(raised), *(keyword.value for keyword in call.keywords)]
    nodes: tuple[list[ast.expr], list[ast.expr]] = ([], [])
    for node in found:
        dtype = dtype_of(value_of(raised, node))
        if dtype in dtypes:
            nodes[dtypes.index(dtype)].append(node)
    if not all(nodes) and len(call.args) == 2 and not call.keywords and len(found) == 2:
        nodes = ([call.args[0]], [call.args[1]])
    is_array = not any(isinstance(node, ast.Constant | ast.List | ast.Tuple) for part in nodes for node in part)
    return nodes if all(nodes) and is_array else None


def _conversions(
    raised: RaisedAt, call: ast.Call, name: str, dtypes: tuple[str, str], nodes: tuple[list[ast.expr], list[ast.expr]]
) -> list[FoundCure]:
    """Return the cures that convert the operands of one dtype to the other, wider dtype.

    Another cure uses the operator, such as `+`, in place of the function of jax.lax.
    """
    import jax.numpy as jnp

    common = str(jnp.promote_types(*dtypes))
    if common not in dtypes:
        words = f"{dtypes[0]} and {dtypes[1]} have the common dtype {common}. Convert both operands to one dtype."
        return [FoundCure("one dtype", None, words)]
    kept, changed = nodes if common == dtypes[0] else nodes[::-1]
    dtype = _dtype_code(raised, kept[0], common)
    changes = [over(node, _converted(raised, node, dtype)) for node in changed]
    words = f"The type promotion of JAX gives {common} for {dtypes[0]} and {dtypes[1]}."
    cures = [applied(FoundCure("one dtype", changes[0][2], words), [edit_of(raised, change) for change in changes])]
    if name in _OPERATORS and len(call.args) == 2 and not call.keywords:
        left, right = (_enclosed(raised, node) for node in call.args)
        code = f"{left} {_OPERATORS[name]} {right}"
        cures.append(FoundCure(_OPERATORS[name], code, "The operator of Python converts the operands to one dtype."))
    return cures


def _converted(raised: RaisedAt, node: ast.expr, dtype: str) -> str:
    return f"{_enclosed(raised, node)}.astype({dtype})"


def _dtype_code(raised: RaisedAt, node: ast.expr, dtype: str) -> str:
    """Return the code of an operand's dtype: `x.dtype` for a name or an item, else, for example, `jnp.float32`."""
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
        return f"{raised.source(node)}.dtype"
    return f"{jnp_name(raised)}.{dtype}"


def _enclosed(raised: RaisedAt, node: ast.expr) -> str:
    """Return the code of an operand, in parentheses if needed before an operator or a method: `(a + b)`."""
    simple = isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.Attribute)
    return raised.source(node) if simple else f"({raised.source(node)})"
