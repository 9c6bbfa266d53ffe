"""Explains a collective such as lax.pmean(x, "batch") under a vmap that gives its axis no name, or another name."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

from ....observe.observation import FoundCure
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import namespace
from ..failing_code.only_assignments import behind_name
from ..failing_code.place_of_error import RaisedAt, at_caller
from ..failing_code.return_values import function_of_text
from ..message_tables.jax_messages import NAMED_AXES, UNBOUND_AXIS_NAME

_MAPS = frozenset({"vmap", "filter_vmap"})


def unnamed_vmap_axis_error(raised: RaisedAt, axis_name: str) -> Explained | None:
    """Explains an axis name that no vmap around the failing expression gives; None without a vmap in the code.

    Args:
        raised: Where the error was raised.
        axis_name: The name that JAX does not know.
    """
    for frame in reversed(raised.callers):
        call = at_caller(raised, frame)
        maps = list(_maps_of(call))
        if not maps:
            continue
        title = UNBOUND_AXIS_NAME.format(axis_name=axis_name)
        unnamed = [node for node in maps if _axis_name(node) is None]
        if not unnamed:
            return _other_name(call, maps, axis_name, title)
        explanation = f"{NAMED_AXES} The vmap in line {unnamed[0].lineno} has no axis_name."
        if call.place.file != raised.place.file:
            explanation = f"{NAMED_AXES} The vmap that calls this function has no axis_name."
        if len(unnamed) > 1:
            explanation = f"{NAMED_AXES} {count(len(unnamed), 'vmap')} around this function have no axis_name."
        cures = [_named(call, node, axis_name) for node in unnamed[:1]]
        if len(unnamed) > 1:
            words = f'Write axis_name="{axis_name}" in the vmap that maps the axis over which the collective computes.'
            cures = [FoundCure("axis_name", None, words)]
        return Explained(None, title, explanation, tuple(passed(call, cures)))
    return None


def _named(call: RaisedAt, node: ast.expr, axis_name: str) -> FoundCure:
    """Return the cure that adds axis_name to a vmap; as advice where a decorator needs a partial that is not imported.

    Args:
        call: The call of the mapped function.
        node: The vmap: a call, or the name of vmap as a decorator.
        axis_name: The name of the axis.
    """
    keyword = f'axis_name="{axis_name}"'
    words = f"The axis that vmap maps then has the name {axis_name}."
    source = call.source(node)
    code = f"partial({source}, {keyword})"
    if isinstance(node, ast.Call):
        code = f"{source[:-1].rstrip().rstrip(',')}, {keyword})"
    cure = FoundCure("axis_name", code, words)
    if not isinstance(node, ast.Call) and namespace(call).get("partial") is not functools.partial:
        return FoundCure("axis_name", f"@functools.{code}", words)
    return applied(cure, [edit_of(call, over(node, code))])


def _other_name(call: RaisedAt, maps: list[ast.expr], axis_name: str, title: str) -> Explained | None:
    """Explains lax.pmean(x, "batch") under one vmap with axis_name="b"; None for several vmaps or an unknown name."""
    name = _axis_name(maps[0])
    if len(maps) != 1 or not isinstance(name, ast.Constant) or type(name.value) is not str:
        return None
    explanation = f"{NAMED_AXES} The vmap in line {maps[0].lineno} gives its axis the name {name.value}."
    code = f'"{axis_name}"'
    words = f"The axis that vmap maps then has the name {axis_name}, which the collective uses."
    cure = applied(FoundCure("axis_name", code, words), [edit_of(call, over(name, code))])
    return Explained(None, title, explanation, tuple(passed(call, [cure])))


def _axis_name(node: ast.expr) -> ast.expr | None:
    keywords = node.keywords if isinstance(node, ast.Call) else []
    return next((keyword.value for keyword in keywords if keyword.arg == "axis_name"), None)


def _maps_of(call: RaisedAt) -> Iterator[ast.expr]:
    """Yield each vmap that a call calls, as in jax.jit(jax.vmap(f))(x), outermost first."""
    if not isinstance(call.node, ast.Call):
        return
    node: ast.expr = call.node.func
    for _ in range(8):  # a name may stand for itself, as in f = jax.vmap(f)
        function = function_of_text(call, node) if isinstance(node, ast.Name) else None
        if isinstance(function, ast.FunctionDef):
            yield from filter(_is_map, function.decorator_list)
            return
        node = behind_name(call, node)
        if not isinstance(node, ast.Call) or not node.args:
            return
        if _is_map(node):
            yield node
        node = node.args[0]


def _is_map(node: ast.expr) -> bool:
    """Return whether an expression is vmap as a decorator, a call of vmap, or a partial of vmap."""
    if called(node) == "partial" and isinstance(node, ast.Call) and node.args:
        node = node.args[0]
    return called(node) in _MAPS or ast.unparse(node).rpartition(".")[2] in _MAPS
