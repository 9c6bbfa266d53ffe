"""Explains an associative_scan over a list of numbers, over arrays of different lengths, or over an unfit array."""

from __future__ import annotations

import ast
import re
import sys

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import shape_of
from ..failing_code.module_names import jnp_name, namespace
from ..failing_code.operand_nodes import operand_nodes
from ..failing_code.origins import NUMBERS_OF_PYTHON, operands, value_of
from ..failing_code.place_of_error import RaisedAt, at_caller, was_raised_in_jax
from ..failing_code.return_values import function_of_text, result_of
from .scan_lengths import ONE_LENGTH

_NO_AXES = re.compile(r"^'(bool|int|float|complex)' object has no attribute '(?:ndim|shape)'")
_LENGTHS = re.compile(r"^Array inputs to associative_scan must have the same first dimension\. \(saw: \[(.+)\]\)")
_SHAPE = re.compile(r"\([\d, ]*\)")
_MOST = 4
_TREE = (
    "A list is a tree: associative_scan takes each element of the list as one array, and scans each of these arrays."
)


def associative_scan_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains lax.associative_scan(f, [1.0, 2.0]), and a scan over arrays whose lengths differ."""
    call = raised.node if raised is not None and raised.frame is not None else None
    if raised is None or not isinstance(call, ast.Call) or called(call) != "associative_scan":
        return None
    scanned = next(iter([*(part.value for part in call.keywords if part.arg == "elems"), *call.args[1:2]]), None)
    text = message_of(error).strip()
    if isinstance(error, AttributeError) and (number := _NO_AXES.search(text)) and scanned is not None:
        return _numbers(raised, scanned, number[1])
    if isinstance(error, ValueError) and (lengths := _LENGTHS.search(text)):
        return _lengths(raised, scanned, _SHAPE.findall(lengths[1]))
    if isinstance(error, IndexError) and scanned is not None and was_raised_in_jax(error):
        return _one_array(raised, call, scanned)
    return None


def slices_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a function for two elements, such as a product of two matrices, in which JAX passes slices of elements.

    Only where the function under jax.vmap passes its trial.
    """
    if raised is None or not raised.callers or not isinstance(error, TypeError | ValueError):
        return None
    outer = at_caller(raised, raised.callers[-1])
    call = outer.node
    if not isinstance(call, ast.Call) or called(call) != "associative_scan" or not was_raised_in_jax(error):
        return None
    # vmap maps axis 0, so the scan must be along axis 0, too
    if len(call.args) != 2 or isinstance(call.args[0], ast.Call) or any(part.arg == "axis" for part in call.keywords):
        return None
    vmap = "jax.vmap" if namespace(outer).get("jax") is sys.modules.get("jax") else "vmap"
    source = outer.source(call.args[0])
    name = "the lambda" if isinstance(call.args[0], ast.Lambda) else source
    code = f"{vmap}({source})"
    words = f"With {vmap}, {name} combines two elements in each call."
    cure = applied(FoundCure("jax.vmap", code, words), [edit_of(outer, over(call.args[0], code))])
    cures = [cure for cure in passed(outer, [cure]) if cure.edits]
    if not cures:
        return None
    title = "associative_scan passes slices of several elements, not two elements"
    explanation = f"{operands(raised, operand_nodes(raised))} Axis 0 of each slice counts the elements of the scan."
    return Explained(None, title, explanation.strip(), tuple(cures))


def _one_array(raised: RaisedAt, call: ast.Call, scanned: ast.expr) -> Explained | None:
    """Explains a function that takes the parts a[0] and a[1] of its arguments, in a scan over one array.

    The function then gets a slice of the array, and a[0] is the first row of the slice. associative_scan needs slices
    that keep the axis of the scan.
    """
    function = function_of_text(raised, call.args[0]) if call.args else None
    shape = shape_of(raised, scanned)
    if function is None or shape is None or not isinstance(result_of(function), ast.Tuple):
        return None
    parameters = {parameter.arg for parameter in function.args.args}
    parts = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id in parameters
        and isinstance(node.slice, ast.Constant)
    ]
    if not parts:
        return None
    first, source = raised.source(parts[0]), " ".join(raised.source(scanned).split())
    name = "the lambda" if isinstance(function, ast.Lambda) else function.name
    title = f"associative_scan scans one array, but {name} takes pairs of arrays"
    text = (
        f"{operands(raised, [scanned])} A call of {name} gets two slices of this array, so {first} is one row of a "
        f"slice, and {name} returns a tuple."
    )
    words = (
        f"Pass a tuple of arrays in place of {source}: {name} then gets two tuples. Or compute with whole slices in "
        f"{name}, and return one array."
    )
    return Explained(None, title, text.strip(), (FoundCure("a tuple of arrays", None, words),))


def _numbers(raised: RaisedAt, scanned: ast.expr, kind: str) -> Explained:
    source, jnp = " ".join(raised.source(scanned).split()), jnp_name(raised)
    parts = _elements(raised, scanned)
    words = f"Call {jnp}.array, which makes one array from the numbers."
    if not parts or not all(type(part) in NUMBERS_OF_PYTHON for part in parts):
        title = f"associative_scan takes arrays, but gets a Python {kind}"
        return Explained(None, title, "", (FoundCure(f"{jnp}.array", None, words),))
    code = f"{jnp}.array({raised.source(scanned)})"
    cure = applied(FoundCure(f"{jnp}.array", code, words), [edit_of(raised, over(scanned, code))])
    title = f"associative_scan takes arrays, but {source} holds numbers of Python"
    if len(source) > 60:
        title = "associative_scan takes arrays, but gets numbers of Python"
    return Explained(None, title, _TREE, tuple(passed(raised, [cure])))


def _elements(raised: RaisedAt, node: ast.expr) -> list[object]:
    """Return the elements of a list or a tuple, which a name may hold; an empty list for other expressions."""
    if isinstance(node, ast.List | ast.Tuple):
        return [part.value if isinstance(part, ast.Constant) else value_of(raised, part) for part in node.elts]
    value = value_of(raised, node)
    return [*value] if type(value) in (list, tuple) else []


def _lengths(raised: RaisedAt, scanned: ast.expr | None, shapes: list[str]) -> Explained:
    title = f"The arrays of associative_scan have different lengths: their shapes are {in_a_sentence(shapes, _MOST)}"
    explanation = "associative_scan scans all arrays along one axis, so their sizes along this axis must be equal."
    words = ONE_LENGTH
    if isinstance(scanned, ast.List) or (scanned is not None and type(value_of(raised, scanned)) is list):
        explanation = f"{_TREE} {explanation}"
        words = (
            f"{words} To combine the arrays of the list with each other, make arrays of one shape, and pass "
            f"{jnp_name(raised)}.stack(arrays)."
        )
    return Explained(None, title, explanation, (FoundCure("same length", None, words),))
