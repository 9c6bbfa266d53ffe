"""Explains a collective such as lax.pmean(x, "batch") under a vmap that gives its axis no name, or another name."""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterator
from dataclasses import replace
from types import FrameType

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....observe.user_or_library.whose_code import is_jax, is_users_frame
from ....plain_text import file_of
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

_UNNAMED = f"{NAMED_AXES} The vmap that calls this function has no axis_name."
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
            explanation = _UNNAMED
        if len(unnamed) > 1:
            explanation = f"{NAMED_AXES} {count(len(unnamed), 'vmap')} around this function have no axis_name."
        cures = [_named(call, node, axis_name) for node in unnamed[:1]]
        if len(unnamed) > 1:
            words = f'Write axis_name="{axis_name}" in the vmap that maps the axis over which the collective computes.'
            cures = [FoundCure("axis_name", None, words)]
        return Explained(None, title, explanation, tuple(passed(call, cures)))
    return None


def vmap_in_another_cell_error(error: BaseException, raised: RaisedAt, axis_name: str) -> Explained | None:
    """Explains an axis name that the vmap around the failing expression does not give; None without a vmap.

    The traceback shows the vmap where the code of the failing call does not: another cell may have made the function.

    Args:
        error: The exception.
        raised: Where the error was raised.
        axis_name: The name that JAX does not know.
    """
    maps = list(_running_maps(error))
    if not maps:
        return None
    title = UNBOUND_AXIS_NAME.format(axis_name=axis_name)
    names = [name for name, _ in maps if name is not None]
    collective = called(raised.node) or "the collective"
    if not names:
        explanation = _UNNAMED
        words = f'Write axis_name="{axis_name}" in this vmap: {collective} then computes over the axis that vmap maps.'
        return Explained(None, title, explanation, (FoundCure("axis_name", f'axis_name="{axis_name}"', words),))
    explanation = f"{NAMED_AXES} The vmap that calls this function gives its axis the name {names[0]}."
    if len(names) > 1:
        explanation = f"{NAMED_AXES} The axes of the vmaps that call this function are {in_a_sentence(names, 4)}."
    words = f'Write "{names[0]}" as the axis name in {collective}, or axis_name="{axis_name}" in the vmap.'
    advice = FoundCure("axis_name", None, words)
    if len(names) > 1:
        words = f"Write the name of one of these axes in {collective}."
        return Explained(None, title, explanation, (FoundCure("axis_name", None, words),))
    frame = next(frame for name, frame in maps if name is not None)
    nodes = [
        name
        for node in ast.walk(raised.loops.module if raised.loops is not None else ast.Module([], []))
        if isinstance(node, ast.expr) and _is_map(node) and isinstance(name := _axis_name(node), ast.Constant)
        if name.value == names[0]
    ]
    if len(nodes) != 1 or frame not in raised.callers:
        return Explained(None, title, explanation, (advice,))
    cure = _renamed(raised, nodes[0], axis_name)
    tried = [cure for cure in passed(at_caller(raised, frame), [cure]) if cure.level == "applies"]
    return Explained(None, title, explanation, tuple(tried) or (advice,))


_NEW_VMAP = (
    "{code} calls {function} for each element along axis 0 of the arguments, and {collective} computes over these "
    "elements. Write None in in_axes for an argument that all elements share."
)
UNDER_SHARD_MAP = (
    "For an array that is split over devices, call the function under jax.shard_map, on a mesh with the axis "
    "{axis_name}."
)


def call_without_vmap_error(raised: RaisedAt, axis_name: str) -> Explained | None:
    """Explains a collective in a function that the code calls without vmap; the advice is a vmap with this axis.

    Args:
        raised: Where the error was raised.
        axis_name: The name that JAX does not know.

    Returns:
        None if the call does not name the function, or if JAX cannot trace the call with the vmap.
    """
    function = raised.function
    if not isinstance(function, ast.FunctionDef) or not raised.callers:
        return None
    call = at_caller(raised, raised.callers[-1])
    node = behind_name(call, call.node.func) if isinstance(call.node, ast.Call) else ast.Constant(None)
    names = [part for part in ast.walk(node) if isinstance(part, ast.Name) and part.id == function.name]
    if len(names) != 1 or namespace(call).get("jax") is not sys.modules.get("jax"):
        return None
    code = f'jax.vmap({function.name}, axis_name="{axis_name}")'
    words = _NEW_VMAP.format(code=code, function=function.name, collective=called(raised.node))
    cure = applied(FoundCure("axis_name", code, words), [edit_of(call, over(names[0], code))])
    # Only the user knows which arguments have a batch axis.
    tried = [replace(one, level="advice", edits=()) for one in passed(call, [cure]) if one.level == "applies"]
    on_devices = FoundCure("jax.shard_map", None, UNDER_SHARD_MAP.format(axis_name=axis_name))
    title = UNBOUND_AXIS_NAME.format(axis_name=axis_name)
    return Explained(None, title, NAMED_AXES, (*tried, on_devices)) if tried else None


def _running_maps(error: BaseException) -> Iterator[tuple[str | None, FrameType | None]]:
    """Yield the axis name of each vmap in the traceback, and the frame of the user's code that called the vmap."""
    frame = None
    traceback = error.__traceback__
    while traceback is not None:
        here = traceback.tb_frame
        if is_users_frame(here):
            frame = here
        elif here.f_code.co_name == "vmap_f" and is_jax(file_of(here.f_code)):
            name = here.f_locals.get("axis_name")
            yield (name if type(name) is str else None), frame
        traceback = traceback.tb_next


def _renamed(raised: RaisedAt, name: ast.expr, axis_name: str) -> FoundCure:
    """Return the cure that gives the axis of a vmap the name that a collective uses."""
    code = f'"{axis_name}"'
    words = f"The axis that vmap maps then has the name {axis_name}, which the collective uses."
    return applied(FoundCure("axis_name", code, words), [edit_of(raised, over(name, code))])


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
    return Explained(None, title, explanation, tuple(passed(call, [_renamed(call, name, axis_name)])))


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
