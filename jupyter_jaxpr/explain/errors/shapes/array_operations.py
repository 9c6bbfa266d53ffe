"""Explains an error of an array operation: which operand does not fit and where both operands come from."""

from __future__ import annotations

import ast
import math
import re
from dataclasses import replace

from ....jax.transform_and_inputs_of_tracer import type_of
from ....observe.observation import FoundCure
from ....plain_text import message_of
from ..control_flow.exchanged_parameters import exchanged_inside
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import integer_of, shape_of
from ..failing_code.module_names import jnp_name
from ..failing_code.only_assignments import behind_name
from ..failing_code.operand_nodes import explained_with_trials, operand_types, shapes_of_operands, source_suffix
from ..failing_code.origins import operands, value_of
from ..failing_code.place_of_error import RaisedAt
from ..message_tables.jax_messages import CONCATENATE_OF_NUMBERS
from ..message_tables.lax_messages import EQUAL_ROWS, OPERANDS_OF_LAX, PADDED_ROWS
from ..traced_values.array_conditions import array_as_condition
from ..traced_values.array_indices import index_dtype, index_of_list
from ..traced_values.missing_array_methods import no_method
from ..traced_values.writes_without_at import item_assignment
from .broadcasts import broadcast_error, broadcast_to_cures
from .einsum_letters import einsum_error, letters_error
from .functions_of_one_example import with_batch
from .joined_arrays import first_with_fewer_axes, first_without_axes, join_cures, new_axis_cures
from .leaves_of_trees import with_leaves
from .missing_axes import axis_of_call, missing_axis
from .reshapes_into_blocks import block_cure
from .stacked_arrays import stack_cures
from .unmapped_arguments import with_unmapped
from .vmap_or_transpose import transpose_cures, vmap_cures

DIFFERENT_AXES = "Arrays with different numbers of axes cannot be joined: {shapes}"
UNEQUAL_SIZES = "The sizes {sizes} do not fit together{in_expression}"
_BROADCAST = re.compile(
    r"^(?:(?P<op>\w+) got incompatible shapes for broadcasting: |Incompatible shapes for broadcasting: (?:shapes=\[)?)"
    r"(?P<shapes>\([\d, ]*\)(?:,? (?:and )?\([\d, ]*\))+)"
)
_DOT = re.compile(
    r"^dot_general requires contracting dimensions to have the same shape, got \((\d+),?\) and \((\d+),?\)"
)
_RESHAPE = re.compile(r"^cannot reshape array of shape (\(.*?\)) \(size (\d+)\) into shape (.*?) \(size (\d+)\)")
_JOIN = re.compile(r"^Cannot concatenate arrays with shapes that differ in dimensions other than the one")
_RANKS = re.compile(r"^Cannot concatenate arrays with different numbers of dimensions: got ")
_NO_AXES = re.compile(r"^Zero-dimensional arrays cannot be concatenated")
_STACK = re.compile(r"^All input arrays must have the same shape")
_IMMUTABLE = re.compile(r"^(?:'?.{0,80}'? object does not support item assignment\. )?JAX arrays are immutable")
_INDEXER = re.compile(r"^Indexer must have integer or boolean type, got indexer with type (\w+)")
_LIST_INDEX = re.compile(r"^Using a non-tuple sequence for multidimensional indexing is not allowed")
_DEVICES = re.compile(
    r"^Received incompatible devices for jitted computation\. Got argument x of \S+ with shape \S+ and with device ids "
    r"(\[.*?\]) on platform \w+ and argument y of \S+ with shape \S+ and with device ids (\[.*?\])"
)
_AXIS = re.compile(r"^axis (-?\d+) is out of bounds for array of dimension (\d+)")
_INDICES = re.compile(r"^Too many indices: array is (\d+)-dimensional, but (\d+) were indexed")
_NOT_ARRAY = re.compile(
    r"^(?:\w+\.)*(\w+) requires ndarray or scalar arguments, got <class '(list|tuple)'> at position (\d+)"
)
_NO_ATTRIBUTE = re.compile(
    r"^(?:'?jaxlib\.\w+\.ArrayImpl'?|'?ArrayImpl'?|'?\w*Tracer'?)(?: object)? has no attribute '?(\w+)"
)
_AMBIGUOUS = re.compile(r"^The truth value of an array with more than one element is ambiguous")
_BROADCAST_TO = re.compile(
    r"^Incompatible (?:types|shapes) for broadcasting: (?:input type=\w+\[|\()([\d, ]*)[\])] and requested "
    r"(?:type=\w+\[|shape \()([\d, ]*)[\])]"
)
_EINSUM = re.compile(r"^Size of label '(\w)' for operand \d+ \((\d+)\) does not match previous terms \((\d+)\)")
_LETTERS = re.compile(
    r"^Einstein sum subscript '(.*?)' does not contain the correct number of indices for operand (\d+)"
)
_SELECT = re.compile(
    r"^(?:lax\.)?select (?:cases must have|requires arguments to have) the same (shapes|dtypes), got (.+?)\.?$"
)
_SHAPE = re.compile(r"\([\d, ]*\)")
_OF_TWO_AXES = frozenset({"fft2", "ifft2", "rfft2", "irfft2"})
#: JAX prints some sizes in the form of NumPy's integers: (np.int64(3),).
_NUMPY_SIZE = re.compile(r"\bnp\.int64\((\d+)\)")
#: Functions that accept arrays, but no lists.
_ELEMENTWISE = frozenset(
    "add subtract multiply divide power maximum minimum where equal not_equal greater less arctan2 hypot logaddexp "
    "logical_and logical_or matmul dot vdot inner outer isclose allclose".split()
)


def _updated_part(raised: RaisedAt | None, shape: str) -> str:
    """Return the sentence on the part of x that x.at[i].set(...) writes; empty for another expression."""
    match raised.node if raised is not None else None:
        case ast.Call(
            func=ast.Attribute(value=ast.Subscript(value=ast.Attribute(value=array, attr="at"), slice=index))
        ) if raised is not None and raised.frame is not None and (type_ := type_of(value_of(raised, array))):
            source = f"{raised.source(array)}[{raised.source(index)}]"
            return f"({shape}) is the shape of {source}, a part of {raised.source(array)} ({type_})."
    return ""


def array_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains shapes that do not fit together, and reads and writes that JAX arrays do not allow."""
    if not isinstance(error, TypeError | ValueError | IndexError | AttributeError):
        return None
    text = _NUMPY_SIZE.sub(r"\1", message_of(error).strip())
    in_expression = source_suffix(raised)
    if match := _BROADCAST.search(text):
        shapes = _SHAPE.findall(match["shapes"])
        title = f"The shapes {' and '.join(shapes)} do not fit together{in_expression}"
        explained = broadcast_error(title, raised, [_sizes(shape) for shape in shapes])
        return with_leaves(with_unmapped(explained, raised, _sizes(match["shapes"])), raised, shapes)
    if match := _DOT.search(text):
        sizes = f"{match[1]} and {match[2]}"
        explanation = f"A matrix product sums over two axes of the same size, but these axes have {sizes} elements."
        title = UNEQUAL_SIZES.format(sizes=sizes, in_expression=in_expression)
        cures = vmap_cures(raised, match.groups()) or transpose_cures(raised)
        explained = explained_with_trials(title, f"{explanation} {operand_types(raised)}", raised, cures)
        both = [int(match[1]), int(match[2])]
        with_entries = with_unmapped(explained, raised, both)
        return with_batch(explained, raised, both) if with_entries is explained else with_entries
    if match := _RESHAPE.search(text):
        arrays = operands(raised, [node for node, _ in shapes_of_operands(raised)])
        shape_of_array, size_of_array, new_shape_text, size_of_new_shape = match.groups()
        explanation = f"The new shape {new_shape_text} holds {size_of_new_shape} elements. {arrays}"
        title = f"An array of the shape {shape_of_array} has {size_of_array} elements, not {size_of_new_shape}"
        new_shape = [int(size) for size in re.findall(r"-?\d+", new_shape_text)]
        others = math.prod(new_shape[1:])
        cures = []
        if raised is not None and raised.frame is not None and (blocks := block_cure(raised)) is not None:
            return Explained(None, title, explanation.strip(), (blocks,))
        if len(new_shape) > 1 and min(new_shape) > 0 and int(size_of_array) % others == 0:
            first_size = int(size_of_array) // others
            words = f"With -1 as the first size, JAX computes the size {first_size}."
            cures = [FoundCure("-1", None, words)]
        elif raised is not None and (rounded := _rounded_down(raised)) is not None:
            cures = [FoundCure("a divisor", None, rounded)]
        else:
            words = f"Write sizes whose product is {size_of_array}. JAX computes one size that is written as -1."
            cures = [FoundCure("the sizes", None, words)]
        return explained_with_trials(title, explanation, raised, cures)
    if _LIST_INDEX.search(text):
        return index_of_list(raised)
    if raised is not None and isinstance(raised.node, ast.BinOp) and (match := _DEVICES.search(text)):
        left, right = (" ".join(raised.source(operand).split()) for operand in (raised.node.left, raised.node.right))
        words = f"Move {right} to the device of {left}, or {left} to the device of {right}, with jax.device_put."
        devices_of_left, devices_of_right = match.groups()
        explanation = f"{left} is on the devices {devices_of_left}, and {right} is on the devices {devices_of_right}."
        title = f"The arrays {left} and {right} are on different devices"
        return Explained(None, title, explanation, (FoundCure("jax.device_put", None, words),))
    if _JOIN.search(text) and _makes_array(raised):
        title = f"The rows{source_suffix(raised, 'of')} have different lengths"
        return explained_with_trials(title, EQUAL_ROWS, raised, [FoundCure(PADDED_ROWS[0], None, PADDED_ROWS[1])])
    if _JOIN.search(text):
        title = f"The shapes {' and '.join(_SHAPE.findall(text)[:4])} cannot be joined{in_expression}"
        explanation = f"The arrays must have equal sizes along all axes but the joined axis. {operand_types(raised)}"
        cures = join_cures(raised, [_sizes(shape) for shape in _SHAPE.findall(text)])
        return Explained(None, title, explanation.strip(), tuple(cures))
    if _RANKS.search(text):
        shapes = _SHAPE.findall(text)
        title = DIFFERENT_AXES.format(shapes=", ".join(shapes))
        return Explained(None, title, operand_types(raised), tuple(new_axis_cures(raised, list(map(_sizes, shapes)))))
    if _NO_AXES.search(text) and (with_axis := first_without_axes(raised)):
        return Explained(None, CONCATENATE_OF_NUMBERS, operand_types(raised), tuple(with_axis))
    if _STACK.search(text):
        title = f"The shapes {' and '.join(_SHAPE.findall(text)[:4])} cannot be stacked{in_expression}"
        explanation = f"A stack needs arrays of one shape. {operand_types(raised)}"
        return explained_with_trials(title, explanation, raised, stack_cures(raised))
    if match := _SELECT.search(text):
        return _select_types(raised, match[1], match[2])
    if _IMMUTABLE.search(text):
        return item_assignment(raised)
    if isinstance(error, AttributeError):
        match = _NO_ATTRIBUTE.search(text)
        # In lowered.compile(x), the error is JAX's own: JAX reads x as a dict of options.
        if match is not None and (raised is None or called(raised.node) != "compile"):
            return no_method(raised, match[1])
        return no_method(raised, text) if text == "__delitem__" else None
    if _AMBIGUOUS.search(text):
        return array_as_condition(raised)
    if match := _BROADCAST_TO.search(text):
        shape, target = match.groups()
        title = f"An array of the shape ({shape}) does not broadcast to the shape ({target})"
        explanation = (
            "Shapes are compared from the last axis. An axis of size 1 can grow, other axes cannot. "
            f"{_updated_part(raised, target)} {operand_types(raised)}"
        )
        explanation = " ".join(explanation.split())
        if cures := broadcast_to_cures(raised, _sizes(shape), _sizes(target)):
            return Explained(None, title, explanation, tuple(cures))
        words = f"Give the array on each axis the size that the shape ({target}) has there, or the size 1."
        cure = FoundCure("same shape", None, words)
        if _fits_with_new_axis(shape, target):
            cure = FoundCure(
                "[:, None]",
                None,
                "Add an axis of size 1 to the array, at the position of the axis that the array lacks.",
            )
        return explained_with_trials(title, explanation, raised, [cure])
    if match := _EINSUM.search(text):
        return einsum_error(raised, match[1], [match[2], match[3]])
    if match := _LETTERS.search(text):
        return letters_error(raised, match[1], int(match[2]))
    if match := _INDEXER.search(text):
        return index_dtype(raised, match[1])
    if (match := _AXIS.search(text)) and (option := _out_axes(raised)) is not None:
        title = f"{option} of vmap names an axis that a result does not have"
        explanation = f"With the mapped axis, the result has {_axes_text(match[2])}."
        last_axis = int(match[2]) - 1
        words = "Axis 0 is the only axis of the result."
        if last_axis:
            words = f"Write in out_axes an axis from 0 to {last_axis}."
        return explained_with_trials(title, explanation, raised, [FoundCure("out_axes", None, words)])
    if (match := _AXIS.search(text)) and raised is not None and called(raised.node) in _OF_TWO_AXES:
        name = called(raised.node)
        title = f"{name} transforms two axes, but the array has no axis {match[1]}"
        words = f"Pass an array of at least two axes. {name.rstrip('2')} of jnp.fft transforms one axis."
        return Explained(None, title, operand_types(raised), (FoundCure("two axes", None, words),))
    if _AXIS.search(text) and (fewer := first_with_fewer_axes(raised)) is not None:
        title = DIFFERENT_AXES.format(shapes=", ".join(map(str, fewer[0])))
        return Explained(None, title, operand_types(raised), tuple(fewer[1]))
    if match := _AXIS.search(text):
        return missing_axis(raised, int(match[1]), int(match[2]))
    if raised is not None and isinstance(error, IndexError) and (unnamed := axis_of_call(raised, text)) is not None:
        return missing_axis(raised, *unnamed)
    if match := _INDICES.search(text):
        number_of_indices = match[2]
        if match[1] == "0" and raised is not None and (exchanged := exchanged_inside(raised)) is not None:
            return exchanged
        title = f"An array of {_axes_text(match[1])} cannot take {number_of_indices} indices"
        words = "Write at most one index for each axis of the array."
        if match[1] == "0":
            title, words = "A single number has no axes and takes no index", "Remove the index after the number."
        cure = FoundCure("fewer indices", None, words)
        return explained_with_trials(title, operand_types(raised), raised, [cure])
    if match := _NOT_ARRAY.search(text):
        return _no_array(raised, match[1], match[2], int(match[3]))
    return None


def _rounded_down(raised: RaisedAt) -> str | None:
    """Return sentences about a division in the new shape that rounds down, such as d // heads.

    None if there is none.
    """
    for node in ast.walk(raised.node) if raised.node is not None else ():
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.FloorDiv):
            continue
        sizes = [integer_of(raised, side) for side in (node.left, node.right)]
        if sizes[0] is None or not sizes[1] or sizes[0] % sizes[1] == 0:
            continue
        source, divisor = raised.source(node), raised.source(node.right)
        number = f"{divisor} ({sizes[1]})" if not isinstance(node.right, ast.Constant) else divisor
        rounded = f"{source} rounds {sizes[0]} / {sizes[1]} down to {sizes[0] // sizes[1]}."
        return f"{rounded} Divide by a divisor of {sizes[0]}, not by {number}."
    return None


def _select_types(raised: RaisedAt | None, attributes: str, values: str) -> Explained:
    """Explains lax.select with two values of different shapes or dtypes. The cure is jnp.where."""
    shape_or_dtype, passed_ones = attributes[:-1], values.strip("[]")
    title = f"lax.select takes two values of the same {shape_or_dtype}, but gets {passed_ones}"
    call = raised.node if raised is not None else None
    if raised is None or not isinstance(call, ast.Call) or called(call) != "select":
        return Explained(None, title, OPERANDS_OF_LAX.format(dtype_or_shape=shape_or_dtype))
    code = f"{jnp_name(raised)}.where"
    cure = FoundCure(code, code, "jnp.where takes the same arguments, and gives both values one shape and one type.")
    if len(call.args) == 3:
        cure = applied(cure, [edit_of(raised, over(call.func, code))])
    return explained_with_trials(
        title,
        f"{OPERANDS_OF_LAX.format(dtype_or_shape=shape_or_dtype)} {operands(raised, call.args)}",
        raised,
        [cure],
    )


def _out_axes(raised: RaisedAt | None) -> str | None:
    """Return the option out_axes of the called function's vmap as code, such as out_axes=1. None without the option."""
    call = raised.node if raised is not None else None
    if raised is None or not isinstance(call, ast.Call):
        return None
    vmap_call = behind_name(raised, call.func)
    if not isinstance(vmap_call, ast.Call) or called(vmap_call) != "vmap":
        return None
    return next(
        (f"out_axes={raised.source(keyword.value)}" for keyword in vmap_call.keywords if keyword.arg == "out_axes"),
        None,
    )


def _makes_array(raised: RaisedAt | None) -> bool:
    """Return whether the expression is a call of array or asarray."""
    call = raised.node if raised is not None else None
    return isinstance(call, ast.Call) and called(call) in ("array", "asarray")


def _sizes(shape: str) -> tuple[int, ...]:
    """Return the sizes in a shape that a message contains as text, such as (3, 4) of "(3, 4)"."""
    return tuple(map(int, re.findall(r"\d+", shape)))


def _fits_with_new_axis(before: str, after: str) -> bool:
    """Return whether shape `before` broadcasts to shape `after` with an additional last axis of size 1."""
    old, new = ([size.strip() for size in shape.split(",") if size.strip()] for shape in (before, after))
    widened = [*old, "1"]
    return len(widened) <= len(new) and all(
        a in (b, "1") for a, b in zip(reversed(widened), reversed(new), strict=False)
    )


def _axes_text(number: str) -> str:
    return "1 axis" if number == "1" else f"{number} axes"


def _no_array(raised: RaisedAt | None, name: str, list_or_tuple: str, place: int) -> Explained:
    title = f"{name} takes an array, not a {list_or_tuple}"
    text = f"jnp.asarray makes one array from the {list_or_tuple}."
    node = raised.node if raised is not None else None
    if raised is None or not isinstance(node, ast.Call) or called(node) != name or len(node.args) <= place:
        return Explained(None, title, "", (FoundCure("jnp.asarray", None, text),))
    jnp = jnp_name(raised)
    # JAX names only the first argument that is a list; later arguments may be lists as well.
    kinds = (list, tuple)
    lists = [
        argument
        for argument in node.args[place:]
        if isinstance(argument, ast.List | ast.Tuple) or type(value_of(raised, argument)) in kinds
    ]
    # Messages of `jax.random` number the arguments without the key, so `place` may be one too small.
    place = node.args.index(lists[0]) if lists and node.args[place] not in lists else place
    lists = lists if node.args[place] in lists and name in _ELEMENTWISE else [node.args[place]]
    edits = [edit_of(raised, over(argument, f"{jnp}.asarray({raised.source(argument)})")) for argument in lists]
    cure = applied(FoundCure(f"{jnp}.asarray", edits[0].text, text), edits)
    explained = explained_with_trials(title, operand_types(raised), raised, [cure])
    if explained.cures:
        return explained
    if any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in ast.walk(node.args[place])):
        cure = FoundCure(
            "an index",
            None,
            "JAX has no arrays of strings: compute an index in JAX, and read the string from a Python list with the "
            "index.",
        )
    listed = node.args[place]
    elements = value_of(raised, listed)
    shapes = [getattr(part, "shape", None) for part in elements] if type(elements) in (list, tuple) else []
    if isinstance(listed, ast.List | ast.Tuple):
        shapes = [shape_of(raised, element) for element in listed.elts]
    if None not in shapes and len(set(shapes)) > 1:
        words = (
            f"The arrays in the {list_or_tuple} have different shapes, and one array has one length along each axis. "
            f"Pad the arrays to one shape, or call {name} for each array."
        )
        return replace(explained, cures=(FoundCure("one shape", None, words),))
    # No trial passed. A trial cannot compute some values, such as random numbers, so the cure stays as advice.
    return replace(explained, cures=(replace(cure, level="advice", code=None, edits=()),))
