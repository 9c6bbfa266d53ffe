"""Explains a list of dicts, such as the parameters of each layer, over which scan or vmap does not iterate."""

from __future__ import annotations

import ast
import re
from typing import Any

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.only_assignments import behind_name
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt, at_caller

_KEY_OF_LIST = re.compile(r"^(list|tuple) indices must be integers or slices, not str")


def listed_layers_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains layer["w"] where scan or vmap gets a list of dicts, so that `layer` is a list.

    The cure stacks the dicts.
    """
    match = _KEY_OF_LIST.match(message_of(error).strip()) if isinstance(error, TypeError) else None
    node = raised.node if raised is not None else None
    if match is None or raised is None or not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        return None
    within = value_of(raised, node.value)
    if type(within) not in (list, tuple) or not _are_alike(within) or not raised.callers:
        return None
    caller = at_caller(raised, raised.callers[-1])
    call = caller.node
    if not isinstance(call, ast.Call):
        return None
    transform = "scan" if called(call) == "scan" else "vmap" if _is_vmap(caller, call) else ""
    arguments = call.args[2:3] if transform == "scan" else call.args
    lists = [argument for argument in arguments if _same(value_of(caller, argument), within)]
    if not transform or len(lists) != 1:
        return None
    source = " ".join(caller.source(lists[0]).split())
    name, kind = node.value.id, type(within).__name__
    title = f"{name} is a {kind}, because {source} is a {kind} of {len(within)} dicts"
    text = (
        f"{transform} takes one element of each array in {source}, so the function gets a {kind} of dicts again. "
        "From one dict of stacked arrays, the function gets the dict of one layer."
    )
    jnp = jnp_name(raised)
    code = f"jax.tree.map(lambda *leaves: {jnp}.stack(leaves), *{source})"
    words = f"{jnp}.stack joins the arrays of the same key along a new axis 0, and {transform} runs over this axis."
    edits = [edit_of(caller, over(lists[0], code))]
    return Explained(None, title, text, tuple(passed(caller, [applied(FoundCure("one dict", code, words), edits)])))


def _is_vmap(caller: RaisedAt, call: ast.Call) -> bool:
    return called(behind_name(caller, call.func)) == "vmap"


def _are_alike(trees: Any) -> bool:
    """Return whether the elements of a list are dicts with the same keys."""
    return len(trees) > 1 and all(type(tree) is dict and tree.keys() == trees[0].keys() for tree in trees)


def _same(value: Any, within: Any) -> bool:
    """Return whether a value is a list of as many dicts as `within`, with the same keys and arrays of equal shapes."""
    if type(value) is not type(within) or len(value) != len(within) or not _are_alike(value):
        return False
    if value[0].keys() != within[0].keys():
        return False
    shapes = [{key: getattr(leaf, "shape", None) for key, leaf in tree.items() if dtype_of(leaf)} for tree in value]
    return all(shape == shapes[0] for shape in shapes)
