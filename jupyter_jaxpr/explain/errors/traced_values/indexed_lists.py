"""Finds the cures of a list or tuple that a traced index reads: jax.lax.switch or an array."""

from __future__ import annotations

import ast

from ....observe.observation import FoundCure
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name, lax_name
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt

INDEX_OF_STRING = (
    "Return the index, and look the string up outside of the function: a JAX program cannot compute strings."
)
INDEX_OF_ARRAY = "A traced index can read an array, but not a list."
SWITCH = "switch calls one of several functions by a traced index. All functions must return the same types."


def indexed_list_cures(raised: RaisedAt) -> list[FoundCure]:
    """Return the cures of a list with a traced index: jax.lax.switch or an array."""
    node = raised.around(ast.Subscript)
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.List | ast.Tuple | ast.Name):
        return []
    container = value_of(raised, node.value) if raised.frame is not None else None
    parts = node.value.elts if isinstance(node.value, ast.List | ast.Tuple) else []
    call = raised.parents.get(id(node))
    is_called = isinstance(call, ast.Call) and call.func is node
    if is_called or (type(container) in (list, tuple) and container and all(map(callable, container))):
        name = f"{lax_name(raised)}.switch"
        words = SWITCH
        if not isinstance(call, ast.Call) or call.func is not node or call.keywords or not (container or parts):
            return [FoundCure(name, None, words)]
        arguments = [raised.source(argument) for argument in (node.slice, node.value, *call.args)]
        code = f"{name}({', '.join(arguments)})"
        return [applied(FoundCure(name, code, words), [edit_of(raised, over(call, code))])]
    texts = [element.value if isinstance(element, ast.Constant) else None for element in parts] or container
    if type(texts) in (list, tuple) and texts and all(type(element) is str for element in texts):
        return [FoundCure("the index", None, INDEX_OF_STRING)]
    code = f"{jnp_name(raised)}.asarray({raised.source(node.value)})[{raised.source(node.slice)}]"
    cure = FoundCure(f"{jnp_name(raised)}.asarray", code, INDEX_OF_ARRAY)
    return [applied(cure, [edit_of(raised, over(node, code))])]
