"""Explains an axis name that the mesh lacks, in a PartitionSpec or in a collective such as psum."""

from __future__ import annotations

import ast
import difflib
import re
from dataclasses import replace
from pathlib import Path

from ....interruptions import not_of_a_signal
from ....observe.observation import Edit, FoundCure
from ....plain_text import file_of, message_of
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over, shown
from ..failing_code.origins import operands, value_of
from ..failing_code.place_of_error import RaisedAt, was_raised_in_jax
from ..message_tables.device_messages import AXES_OF_MESH
from ..message_tables.jax_messages import NAMED_AXES, UNBOUND_AXIS_NAME
from .unnamed_vmap_axes import (
    UNDER_SHARD_MAP,
    call_without_vmap_error,
    unnamed_vmap_axis_error,
    vmap_in_another_cell_error,
)

_NOT_IN_MESH = re.compile(
    r"^Resource axis: (?P<name>\w+) of (?P<spec>.+?) is not found in mesh: (?P<axes>\(.*?\))", re.DOTALL
)
_UNBOUND = re.compile(r"^(?:Found an )?unbound axis name: (\w+)")
#: Collective -> the reduction of jax.numpy that combines the elements in the same way.
_REDUCTIONS = {"pmean": "mean", "psum": "sum", "pmax": "max", "pmin": "min"}
_WORDS = {"mean": "mean", "sum": "sum", "max": "maximum", "min": "minimum"}
_QUOTED = re.compile(r"'(\w+)'")
_COLLECTIVES = frozenset(
    "psum pmean pmax pmin all_gather all_to_all ppermute psum_scatter axis_index axis_size pvary pcast".split()
)


def axis_name_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains `P("j")` or `lax.psum(x, "j")` where no mesh or vmap has an axis of the name j."""
    call = raised.node if raised is not None else None
    if isinstance(error, ValueError) and (match := _NOT_IN_MESH.search(message_of(error).strip())):
        return _not_in_mesh(raised, match["name"], _QUOTED.findall(match["spec"]), match["axes"])
    if isinstance(error, NameError) and (match := _UNBOUND.search(message_of(error).strip())) and raised is not None:
        return (
            _text_as_axis(raised, match[1])
            or unnamed_vmap_axis_error(raised, match[1])
            or vmap_in_another_cell_error(error, raised, match[1])
            or _whole_axis(error, raised, match[1])
            or (None if is_mapped(error) else call_without_vmap_error(raised, match[1]))
        )
    # JAX 0.12 raises an AssertionError without a message if a collective names an unknown axis.
    if not isinstance(error, AssertionError) or message_of(error).strip() or not was_raised_in_jax(error):
        return None
    if not isinstance(call, ast.Call) or called(call) not in _COLLECTIVES:
        return None
    arguments = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "axis_name")]
    names = [
        argument.value for argument in arguments if isinstance(argument, ast.Constant) and type(argument.value) is str
    ]
    if len(names) != 1:
        return None
    axis_name = names[0]
    title = UNBOUND_AXIS_NAME.format(axis_name=axis_name)
    words = f"Write the name of an axis of the mesh in {called(call)}."
    cure = FoundCure("the name", None, words)
    return Explained(None, title, NAMED_AXES, (cure,))


def _text_as_axis(raised: RaisedAt, letter: str) -> Explained | None:
    """Explains x.mean(axis="rows"): JAX reads a string as the axis as a sequence of letters, and names one of them."""
    call = raised.node
    if not isinstance(call, ast.Call) or called(call) in _COLLECTIVES or len(letter) != 1:
        return None
    arguments = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg in ("axis", "axes"))]
    texts = [part.value for part in arguments if isinstance(part, ast.Constant) and type(part.value) is str]
    if len(texts) != 1 or letter not in texts[0] or texts[0] == letter:
        return None
    title = f"The axis of {called(call)} is a number, not the text {texts[0]!r}"
    words = "Write the number of the axis, such as axis=0. The axes of a JAX array have numbers, but no names."
    return Explained(None, title, operands(raised, _array_of_call(call)), (FoundCure("axis", None, words),))


def _array_of_call(call: ast.Call) -> list[ast.expr]:
    """Return the array x of x.mean(...), and the arguments of the call that may be the array."""
    holder = [call.func.value] if isinstance(call.func, ast.Attribute) else []
    return [*holder, *call.args[:1]]


def _not_in_mesh(raised: RaisedAt | None, name: str, used: list[str], axes_text: str) -> Explained:
    """Explains a PartitionSpec with the name of an axis that the mesh lacks.

    Args:
        raised: Where the error was raised.
        name: The unknown name.
        used: The names in the PartitionSpec.
        axes_text: The axes of the mesh, as JAX prints them.
    """
    axes = _QUOTED.findall(axes_text)
    free = [axis for axis in axes if axis not in used]
    title = f"The mesh has no axis {name}"
    explanation = AXES_OF_MESH.format(axes_of_mesh=axes_text)
    close_names = difflib.get_close_matches(name, free, 1, 0.7)
    words = "Write the name of an axis of the mesh, or make the mesh with this axis."
    cure = FoundCure("PartitionSpec", None, words)
    is_only_unknown = all(other in axes for other in used if other != name) and used.count(name) == 1
    axis = close_names[0] if close_names else free[0] if len(free) == 1 else None
    if raised is None or axis is None or not is_only_unknown:
        return Explained(None, title, explanation, (cure,))
    words = f"{axis} is the axis of the mesh with the closest name."
    if not close_names:
        words = f"{axis} is the only axis of the mesh that the PartitionSpec does not name."
    node = _constant(raised, name)
    if node is None:
        return Explained(None, title, explanation, (FoundCure("PartitionSpec", None, f"Write {axis}: {words}"),))
    quote = raised.source(node)[0]
    code = f"{quote}{axis}{quote}"
    edit = applied(FoundCure("PartitionSpec", code, words), [edit_of(raised, over(node, code))])
    if not close_names or not _fits(raised, used, name, axis):
        edit = replace(shown(edit), level="advice", edits=())
    return Explained(None, title, explanation, (edit,))


def _fits(raised: RaisedAt, used: list[str], name: str, axis: str) -> bool:
    """Return whether NamedSharding accepts the PartitionSpec with another axis name.

    A trial of the call is not possible, so JAX makes the object here: that runs no code of the user's.
    """
    import jax

    call = raised.node
    if not isinstance(call, ast.Call) or called(call) != "NamedSharding" or raised.frame is None:
        return False
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    node = call.args[0] if call.args else named.get("mesh")
    mesh = value_of(raised, node) if node is not None else None
    if not isinstance(mesh, jax.sharding.Mesh):
        return False
    try:
        jax.NamedSharding(mesh, jax.P(*(axis if other == name else other for other in used)))
    except not_of_a_signal(Exception):  # an unknown error: the explanation then has its sentences, but no edit
        return False
    return True


def _constant(raised: RaisedAt, text: str) -> ast.Constant | None:
    """Return the only string with the given value in the failing expression, or else in the code's PartitionSpecs."""
    module = raised.loops.module if raised.loops is not None else ast.Module([], [])
    specs = [node for node in ast.walk(module) if isinstance(node, ast.Call) and called(node) in ("P", "PartitionSpec")]
    for roots in ([raised.node] if raised.node is not None else [], specs):
        found = {id(part): part for root in roots for part in ast.walk(root) if isinstance(part, ast.Constant)}
        constants = [part for part in found.values() if part.value == text]
        if constants:
            return constants[0] if len(constants) == 1 else None
    return None


# --- collectives of an array that is not split ---


def _whole_axis(error: BaseException, raised: RaisedAt, name: str) -> Explained | None:
    """Explains lax.pmean(x.mean(0), "batch") outside of vmap and shard_map.

    There, x.mean(0) is already the mean of the batch.
    """
    call = raised.node
    if not isinstance(call, ast.Call) or called(call) not in _REDUCTIONS or is_mapped(error):
        return None
    reduced = _reduced(call)
    if reduced is None:
        return None
    source, operand, array = raised.source(call.func), raised.source(call.args[0]), raised.source(reduced[0])
    reduction = _WORDS[_REDUCTIONS[called(call)]]
    title = UNBOUND_AXIS_NAME.format(axis_name=name)
    explanation = f"No vmap and no shard_map splits {array} here, so {operand} is the {reduction} of the whole {array}."
    if reduced[1] is not None:
        explanation = (
            f"No vmap and no shard_map splits {array} here, so {operand} is the {reduction} over the whole axis 0."
        )
    edits: list[Edit] = []
    for node in ast.walk(raised.function or ast.Module([], [])):
        if isinstance(node, ast.Call) and called(node) in _COLLECTIVES and _names_axis(node, name):
            # An edit replaces a whole collective, so a collective inside another one cannot have its own edit.
            if _reduced(node) is None or _nested_collective(node):
                edits = []
                break
            edits.append(edit_of(raised, over(node, raised.source(node.args[0]))))
    words = f"Leave out {source}: one call computes with the whole array."
    cure = FoundCure(f"without {called(call)}", None, words)
    if edits:
        cure = replace(shown(applied(cure, edits)), level="advice", edits=())
    words = UNDER_SHARD_MAP.format(axis_name=name)
    return Explained(None, title, explanation, (cure, FoundCure("jax.shard_map", None, words)))


def _nested_collective(node: ast.Call) -> bool:
    inner = (part for argument in node.args for part in ast.walk(argument))
    return any(isinstance(part, ast.Call) and called(part) in _COLLECTIVES for part in inner)


def _names_axis(call: ast.Call, name: str) -> bool:
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    return any(isinstance(argument, ast.Constant) and argument.value == name for argument in arguments)


def _reduced(call: ast.Call) -> tuple[ast.expr, ast.expr | None] | None:
    """Return (array, axis) if the operand of a collective is a reduction of the same kind along axis 0.

    For example, (x, 0) for pmean(x.mean(0), "i"). None otherwise.
    """
    match call.args[0] if call.args else None:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="jnp" | "np")), args=[array, *axes]) as reduction:
            pass
        case ast.Call(func=ast.Attribute(value=array), args=axes) as reduction:
            pass
        case _:
            return None
    keywords = {keyword.arg: keyword.value for keyword in reduction.keywords}
    if called(reduction) != _REDUCTIONS.get(called(call)) or keywords.keys() - {"axis"}:
        return None
    axis = keywords.get("axis", axes[0] if axes else None)
    return (array, axis) if axis is None or _has_first(axis) else None


def _has_first(axis: ast.expr) -> bool:
    entries = axis.elts if isinstance(axis, ast.Tuple) else [axis]
    return any(isinstance(entry, ast.Constant) and entry.value == 0 for entry in entries)


def is_mapped(error: BaseException) -> bool:
    """Return whether the code failed under vmap, pmap or shard_map, where an array may be a part of a larger one."""
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_name == "vmap_f" or Path(file_of(code)).name in ("pmap.py", "shard_map.py"):
            return True
        traceback = traceback.tb_next
    return False
