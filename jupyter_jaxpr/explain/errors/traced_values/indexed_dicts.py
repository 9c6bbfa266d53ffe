"""Makes the cures of a dict that a traced index reads: jax.numpy.where, an array, or jax.lax.switch."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.edits import applied, chosen, edit_of, over
from ..failing_code.module_names import jnp_name, lax_name
from ..failing_code.origins import dtype_of, operands, value_of
from ..failing_code.place_of_error import RaisedAt
from ..message_tables.setting_messages import ARRAY_AS_KEY
from .indexed_lists import SWITCH


@dataclass(frozen=True)
class _Read:
    """An expression that reads an element of a dict, such as table[i] or table.get(i, 0).

    Attributes:
        node: The expression.
        dict_node: The dict: a name, an attribute or a display such as {0: a, 1: b}.
        index: The traced index.
        default: The second argument of `get`; None without one.
        elements: The code of each element, by the element's key.
    """

    node: ast.expr
    dict_node: ast.expr
    index: ast.expr
    default: ast.expr | None
    elements: dict[int, str]


def index_of_dict(raised: RaisedAt | None) -> ast.expr | None:
    """Return the index with which the failing expression reads a dict, such as i in table[i]. None without one."""
    read = _read(raised) if raised is not None and raised.frame is not None else None
    return read[1] if read is not None else None


def indexed_dict_cures(raised: RaisedAt) -> list[FoundCure]:
    """Return the cures of a dict with a traced index: jax.numpy.where, an array, or a construct of JAX.

    Empty if the keys of the dict are no integers and no booleans.
    """
    read = _integer_read(raised)
    if read is None:
        return []
    elements, index = list(read.elements.values()), raised.source(read.index)
    outer = raised.parents.get(id(read.node))
    if isinstance(outer, ast.Call) and outer.func is read.node:
        return _of_functions(raised, read, outer)
    lax, jnp, lambdas = lax_name(raised), jnp_name(raised), [f"lambda: {element}" for element in elements]
    if read.elements.keys() == {0, 1} and _is_condition(raised, read):
        no, yes = read.elements[0], read.elements[1]
        where = FoundCure(
            f"{jnp}.where",
            f"{jnp}.where({index}, {yes}, {no})",
            f"{jnp}.where chooses between two values by a traced condition.",
        )
        cond = FoundCure(
            f"{lax}.cond",
            f"{lax}.cond({index}, lambda: {yes}, lambda: {no})",
            "cond chooses between two values of the same type by a traced condition.",
        )
        return _first_that_runs(raised, read.node, [where, cond])
    if list(read.elements) == list(range(len(elements))) and read.default is None:
        words = (
            "A traced index can read an array, but not a dict. An index that is no key reads another element, where "
            "the dict would raise an error."
        )
        values = f"{raised.source(read.dict_node)}.values()"
        listed = f"list({values})" if not isinstance(read.dict_node, ast.Dict) else f"[{', '.join(elements)}]"
        stack = FoundCure(f"{jnp}.stack", f"{jnp}.stack({listed})[{index}]", words)
        words = SWITCH
        switch = FoundCure(f"{lax}.switch", f"{lax}.switch({index}, [{', '.join(lambdas)}])", words)
        return _first_that_runs(raised, read.node, [stack, switch])
    default = raised.source(read.default) if read.default is not None else "FILL"
    conditions = ", ".join(f"{_operand(raised, read.index)} == {key}" for key in read.elements)
    code = f"{jnp}.select([{conditions}], [{', '.join(elements)}], {default})"
    words = f"{jnp}.select chooses the element whose condition is true."
    words = words if read.default is not None else f"{words} Set FILL to the value for an index that is no key."
    cure = FoundCure(f"{jnp}.select", code, words)
    edit = edit_of(raised, over(read.node, code))
    return passed(raised, [applied(cure, [edit]) if read.default is not None else chosen(cure, [edit])])


_HASHED_ARRAY = re.compile(r"unhashable type: '[\w.]*ArrayImpl'")


def array_key_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains an array that is an index of a dict outside of a trace: item() gives the number in the array."""
    if not isinstance(error, TypeError) or not _HASHED_ARRAY.search(message_of(error)):
        return None
    index = index_of_dict(raised)
    if raised is None or index is None or getattr(value_of(raised, index), "shape", None) != ():
        return None
    code = f"{_operand(raised, index)}.item()"
    words = "item() gives the number in the array as a Python number, which can be a key."
    cure = applied(FoundCure(".item()", code, words), [edit_of(raised, over(index, code))])
    return Explained(None, ARRAY_AS_KEY, operands(raised, [index]), tuple(passed(raised, [cure])))


#: A dict with more elements gets no cure that writes the elements one by one.
_MOST_ELEMENTS = 8


def _read(raised: RaisedAt) -> tuple[ast.expr, ast.expr, ast.expr | None] | None:
    """Return the dict, the index and the default of the failing expression; None if the expression reads no dict."""
    match raised.node:
        case ast.Subscript(value=dict_node, slice=index, ctx=ast.Load()):
            default = None
        case ast.Call(func=ast.Attribute(value=dict_node, attr="get"), args=[index, *rest], keywords=[]) if (
            len(rest) <= 1
        ):
            default = rest[0] if rest else None
        case _:
            return None
    is_dict = isinstance(dict_node, ast.Dict) or type(value_of(raised, dict_node)) is dict
    return (dict_node, index, default) if is_dict else None


def _integer_read(raised: RaisedAt) -> _Read | None:
    """Return the read of a dict whose keys are integers or booleans; None for any other expression."""
    read = _read(raised) if raised.frame is not None else None
    if read is None or not isinstance(raised.node, ast.expr):
        return None
    dict_node, index, default = read
    if isinstance(raised.node, ast.Call) and default is None:
        return None
    if isinstance(dict_node, ast.Dict):
        pairs = [
            (key.value if isinstance(key, ast.Constant) else None, raised.source(value))
            for key, value in zip(dict_node.keys, dict_node.values, strict=True)
        ]
    else:
        source = raised.source(dict_node)
        pairs = [(key, f"{source}[{key}]") for key in value_of(raised, dict_node) if type(key) in (int, bool)]
        if len(pairs) != len(value_of(raised, dict_node)):
            return None
    if not 0 < len(pairs) <= _MOST_ELEMENTS or any(type(key) not in (int, bool) for key, _ in pairs):
        return None
    elements = {int(key): text for key, text in pairs if isinstance(key, int)}
    return _Read(raised.node, dict_node, index, default, elements) if len(elements) == len(pairs) else None


def _is_condition(raised: RaisedAt, read: _Read) -> bool:
    """Return whether the index is a boolean."""
    if isinstance(read.index, ast.Compare) or dtype_of(value_of(raised, read.index)) == "bool":
        return True
    keys = read.dict_node.keys if isinstance(read.dict_node, ast.Dict) else []
    texts = [key.value for key in keys if isinstance(key, ast.Constant)]
    return any(type(key) is bool for key in texts or value_of(raised, read.dict_node) or ())


def _of_functions(raised: RaisedAt, read: _Read, call: ast.Call) -> list[FoundCure]:
    """Return the cure of {0: f, 1: g}[i](x): switch or cond calls one of the functions by a traced index."""
    if call.keywords or read.default is not None:
        return []
    lax, index = lax_name(raised), raised.source(read.index)
    arguments = [raised.source(argument) for argument in call.args]
    if read.elements.keys() == {0, 1} and _is_condition(raised, read):
        code = f"{lax}.cond({', '.join([index, read.elements[1], read.elements[0], *arguments])})"
        words = "cond calls one of two functions by a traced condition. Both functions must return the same types."
        cure = FoundCure(f"{lax}.cond", code, words)
    elif list(read.elements) == list(range(len(read.elements))):
        functions = f"[{', '.join(read.elements.values())}]"
        code = f"{lax}.switch({', '.join([index, functions, *arguments])})"
        words = SWITCH
        cure = FoundCure(f"{lax}.switch", code, words)
    else:
        return []
    return passed(raised, [applied(cure, [edit_of(raised, over(call, code))])])


def _operand(raised: RaisedAt, node: ast.expr) -> str:
    simple = isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.Attribute)
    return raised.source(node) if simple else f"({raised.source(node)})"


def _first_that_runs(raised: RaisedAt, node: ast.expr, cures: list[FoundCure]) -> list[FoundCure]:
    """Return the first cure whose edit passes its trial; an empty list if none does."""
    for cure in cures:
        tried = passed(raised, [applied(cure, [edit_of(raised, over(node, cure.code or ""))])])
        if tried:
            return tried
    return []
