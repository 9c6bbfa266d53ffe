"""Explains an axis that an array does not have, and names the caller that passed the axis."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....quantities import count
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.expression_shapes import integer_of, shape_of
from ..failing_code.operand_nodes import explained_with_trials, operand_types
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.values_of_callers import argument_with_value, origin_of_argument

AXES_OF_ARRAY = "Axes count from 0. Write an axis from 0 to {last_axis}."

#: Function whose error on a missing axis names no axis -> the position of its argument axis.
_AXES_AT = {"mean": 1, "var": 1, "std": 1, "argmax": 1, "argmin": 1, "split": 2}
_NO_SIZE = re.compile(r"^tuple index out of range$")


def missing_axis(raised: RaisedAt | None, axis: int, number_of_axes: int) -> Explained:
    """Explain an axis that an array does not have.

    Args:
        raised: Where the error was raised.
        axis: The axis.
        number_of_axes: The number of axes of the array, or of the result of expand_dims and stack.
    """
    title = f"An array of {count(number_of_axes, 'axis', 'axes')} has no axis {axis}"
    if number_of_axes == 0:
        title = f"A single number has no axis {axis}"
    elif called(raised.node if raised is not None else None) in ("expand_dims", "stack"):
        axes = count(number_of_axes, "axis", "axes")
        title = f"The result has {axes}, so the result has no axis {axis}"
    last_axis = number_of_axes - 1
    words = AXES_OF_ARRAY.format(last_axis=last_axis) if last_axis else "Write axis 0, the only axis."
    explanation = operand_types(raised)
    name = argument_with_value(raised, axis) if raised is not None else None
    if raised is not None and name is not None:
        origin = origin_of_argument(raised, name)
        explanation = explanation if origin is None else f"{explanation} {origin.sentence}"
        range_of_axes = f"an axis from 0 to {last_axis}" if last_axis else "axis 0, the only axis"
        words = words if origin is None else f"{origin.words}: {range_of_axes}."
    cures = [FoundCure("axis", None, words)]
    if number_of_axes == 0:
        words = "Pass an array that has at least one axis."
        if "is one element of" in explanation:
            words = "vmap takes the mapped axis away. Map an array of more axes, or call the function without vmap."
        cures = [FoundCure("an axis", None, words)]
    return explained_with_trials(title, explanation, raised, cures)


def axis_of_call(raised: RaisedAt, text: str) -> tuple[int, int] | None:
    """Return the axis of a call such as jnp.mean(x, axis=2) that the array lacks, and the array's number of axes.

    JAX's message on such a call names neither. None for another call, or if the array has the axis.

    Args:
        raised: Where the error was raised.
        text: The message of the error.
    """
    call = raised.node
    if not _NO_SIZE.match(text) or raised.frame is None or not isinstance(call, ast.Call):
        return None
    place = _AXES_AT.get(called(call))
    if place is None or not isinstance(call.func, ast.Attribute):
        return None
    shape = shape_of(raised, call.func.value)
    if shape is None and call.args:
        shape = shape_of(raised, call.args[0])
    else:
        place -= 1  # x.mean(2)
    node = next((keyword.value for keyword in call.keywords if keyword.arg == "axis"), None)
    node = node or (call.args[place] if place < len(call.args) else None)
    axis = integer_of(raised, node) if node is not None else None
    if shape is None or axis is None or -len(shape) <= axis < len(shape):
        return None
    return axis, len(shape)
