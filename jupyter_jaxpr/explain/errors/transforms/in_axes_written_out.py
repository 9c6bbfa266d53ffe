"""Explains errors about an in_axes whose entries are dicts, lists or tuples with an axis for each array."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ....jax.transform_and_inputs_of_tracer import type_of
from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import function_of_text
from .in_axes_beside_trees import PASSED_WHOLE
from .transformed_calls import Applied

UNMAPPED_AXIS = "vmap cannot map axis {axis} of {name}, which has {number_of_axes}"


@dataclass(frozen=True)
class _Entry:
    """An axis that the code writes in in_axes, and the path and the value of the array to which the axis belongs."""

    node: ast.Constant
    axis: int
    path: str
    value: Any
    is_written_out: bool

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(getattr(self.value, "shape", ()))


def entries_without_axis(call: Applied, axis: int, rank: int) -> Explained | None:
    """Explains in_axes=({'w': 0, 'b': 0}, None) where b is a number, which has no axis to map."""
    entries = _entries(call)
    lacking = [entry for entry in entries if entry.axis == axis and len(entry.shape) == rank and entry.is_written_out]
    if call.raised is None or not lacking or rank > axis >= 0:
        return None
    paths = in_a_sentence([entry.path for entry in lacking], 4)
    number_of_axes = "no axis" if rank == 0 else f"only {count(rank, 'axis', 'axes')}"
    title = UNMAPPED_AXIS.format(axis=axis, name=paths, number_of_axes=number_of_axes)
    if len(lacking) > 1:
        title = f"vmap cannot map axis {axis} of {paths}, which have {number_of_axes}"
    kinds = [f"{entry.path} is {type_of(entry.value)}." for entry in lacking[:4] if type_of(entry.value)]
    words = PASSED_WHOLE.format(code="None in in_axes", names=paths)
    edits = [edit_of(call.raised, over(entry.node, "None")) for entry in lacking]
    return call.explained(title, " ".join(kinds), [applied(FoundCure("in_axes", "None", words), edits)])


def entry_of_other_size(call: Applied) -> FoundCure | None:
    """Return the cure None in in_axes for the only array whose size differs.

    None if it is unclear which array that is.
    """
    entries = _entries(call)
    if call.raised is None or any(entry.axis >= len(entry.shape) or entry.axis < 0 for entry in entries):
        return None
    sizes = Counter(entry.shape[entry.axis] for entry in entries)
    others = [entry for entry in entries if sizes[entry.shape[entry.axis]] == 1]
    if len(sizes) != 2 or len(others) != 1 or len(entries) < 3 or not others[0].is_written_out:
        return None
    (other,) = others
    words = (
        f"All mapped arrays but {other.path} have the same size along the mapped axis. With None in in_axes, vmap "
        f"passes {other.path} whole to each call."
    )
    return applied(FoundCure("in_axes", "None", words), [edit_of(call.raised, over(other.node, "None"))])


def _entries(call: Applied) -> list[_Entry]:
    """Return the axes in in_axes.

    Empty unless the code writes each of them, and the values of all arguments are known.
    """
    option = call.option("in_axes")
    nodes = call.call.args if call.call is not None else []
    if not isinstance(option, ast.Tuple) or len(option.elts) != len(nodes):
        return []
    entries: list[_Entry] = []
    for number, (axes, node) in enumerate(zip(option.elts, nodes, strict=True)):
        if isinstance(axes, ast.Constant) and axes.value is None:
            continue
        value = call.value(node)
        if value is None:
            return []
        try:
            entries += _parts(axes, value, call.argument(number), is_written_out=False)
        except _UnknownError:
            return []
    return entries


class _UnknownError(Exception):
    """Raised if the code does not write a part of in_axes as an axis, or if the part belongs to no array."""


def _parts(axes: ast.expr, value: Any, path: str, *, is_written_out: bool) -> Iterator[_Entry]:
    import jax

    match axes:
        case ast.Constant(value=None):
            return
        case ast.Constant(value=int(axis)):
            leaves = jax.tree_util.tree_flatten_with_path(value)[0]
            is_leaf = len(leaves) == 1 and not leaves[0][0]
            for leaf_path, leaf in leaves[:1_000]:
                leaf_name = f"{path}{jax.tree_util.keystr(leaf_path)}"
                yield _Entry(axes, axis, leaf_name, leaf, is_written_out and is_leaf)
        case ast.Dict(keys=keys, values=values) if type(value) is dict:
            for key, inner in zip(keys, values, strict=True):
                if not isinstance(key, ast.Constant) or key.value not in value:
                    raise _UnknownError
                inner_path = f"{path}[{key.value!r}]"
                yield from _parts(inner, value[key.value], inner_path, is_written_out=True)
        case ast.List(elts=elements) | ast.Tuple(elts=elements) if type(value) in (list, tuple):
            if len(elements) != len(value) or any(isinstance(element, ast.Starred) for element in elements):
                raise _UnknownError
            for number, inner in enumerate(elements):
                yield from _parts(inner, value[number], f"{path}[{number}]", is_written_out=True)
        case _:
            raise _UnknownError


def entries_by_name(raised: RaisedAt | None) -> Explained | None:
    """Explains in_axes={'p': None, 'x': 0}, a dict from parameters to axes, which vmap does not accept.

    None for others.
    """
    call = raised.node if raised is not None else None
    if raised is None or raised.frame is None or not isinstance(call, ast.Call) or called(call) != "vmap":
        return None
    option = next((keyword.value for keyword in call.keywords if keyword.arg == "in_axes"), None)
    if not isinstance(option, ast.Dict) or not call.args:
        return None
    function = function_of_text(raised, call.args[0])
    names = [key.value for key in option.keys if isinstance(key, ast.Constant)]
    parameters = [part.arg for part in [*function.args.posonlyargs, *function.args.args]] if function else []
    if not parameters or set(names) != set(parameters) or len(names) != len(option.keys):
        return None
    title = "in_axes takes its entries by position, not by the names of the parameters"
    entries = [raised.source(option.values[names.index(parameter)]) for parameter in parameters]
    code = f"({', '.join(entries)}{',' * (len(entries) == 1)})"
    words = "Write a tuple with one entry for each argument, in the order of the arguments."
    cure = applied(FoundCure("a tuple", code, words), [edit_of(raised, over(option, code))])
    return Explained(None, title, "", tuple(passed(raised, [cure])))
