"""Finds the entry of a dict argument that holds no arrays, and leaves an entry that is not read out of the call."""

from __future__ import annotations

import ast
import linecache
from types import FunctionType
from typing import Any

from ....jax.transform_and_inputs_of_tracer import RaisedCall
from ....observe.observation import FoundCure
from ....plain_text import file_of
from ...loops.kinds_of_python_loops import parsed
from ...trials.trial_of_error_cure import passed
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.operand_nodes import passed_node
from ..failing_code.origins import dtype_of
from ..failing_code.place_of_error import RaisedAt

_UNUSED = "{function} does not read {entry}. This call passes {name} without the key {key}."


def entry_without_arrays(value: Any, name: str, path: str) -> str:
    """Return the path of the whole entry if no leaf of the entry of a dict is an array or a number.

    Args:
        value: The argument.
        name: The name of the argument.
        path: The path of the leaf that JAX refused, such as batch['raw'][0].

    Returns:
        A path such as batch['raw']; the given path for other arguments.
    """
    import jax

    key = _key(value, name, path)
    leaves = jax.tree_util.tree_leaves(value[key])[:1_000] if key is not None else []
    is_without = bool(leaves) and not any(dtype_of(leaf) or type(leaf) in _NUMBERS for leaf in leaves)
    return f"{name}[{key!r}]" if is_without else path


_NUMBERS = (bool, int, float, complex)


def _key(value: Any, name: str, path: str) -> str | None:
    """Return the key of a dict that a path starts with."""
    if type(value) is not dict:
        return None
    return next((key for key in value if type(key) is str and path.startswith(f"{name}[{key!r}]")), None)


def without_unused_entry(
    raised: RaisedAt | None, call: RaisedCall, name: str, value: Any, path: str
) -> list[FoundCure]:
    """Return the cure that passes a dict without an entry that the function does not read; empty if it may read it.

    Args:
        raised: Where the error was raised.
        call: The failing call of the jitted function.
        name: The parameter.
        value: The dict.
        path: The path of the leaf that JAX refused.
    """
    key = _key(value, name, path)
    node = passed_node(raised, name) or _passed_by_place(raised, call, name)
    function = _definition(call)
    if raised is None or key is None or not isinstance(node, ast.Name) or function is None:
        return []
    reads = [part for part in ast.walk(function) if isinstance(part, ast.Name) and part.id == name]
    subscripts = [
        part
        for part in ast.walk(function)
        if isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name) and part.value.id == name
    ]
    keys = [part.slice.value if isinstance(part.slice, ast.Constant) else key for part in subscripts]
    if len(reads) != len(subscripts) or key in keys:
        return []
    code = f'{{key: value for key, value in {node.id}.items() if key != "{key}"}}'
    entry = entry_without_arrays(value, name, path)
    words = _UNUSED.format(function=function.name, entry=entry, name=name, key=key)
    cure = applied(FoundCure("without the entry", code, words), [edit_of(raised, over(node, code))])
    return [tried for tried in passed(raised, [cure]) if tried.level == "applies"]


def _passed_by_place(raised: RaisedAt | None, call: RaisedCall, name: str) -> ast.expr | None:
    node = raised.node if raised is not None else None
    if not isinstance(node, ast.Call) or type(call.function) is not FunctionType:
        return None
    parameters = call.function.__code__.co_varnames[: call.function.__code__.co_argcount]
    place = parameters.index(name) if name in parameters else len(node.args)
    has_star = any(isinstance(part, ast.Starred) for part in node.args)
    return node.args[place] if place < len(node.args) and not has_star else None


def _definition(call: RaisedCall) -> ast.FunctionDef | None:
    """Return the def of the called function, which may stand in another cell."""
    if type(call.function) is not FunctionType:
        return None
    code = call.function.__code__
    loops = parsed("".join(linecache.getlines(file_of(code))))
    for node in ast.walk(loops.module) if loops is not None else ():
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            if min([node.lineno, *(part.lineno for part in node.decorator_list)]) == code.co_firstlineno:
                return node
    return None
