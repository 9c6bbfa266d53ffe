"""Writes notes on index expressions in the user's code that are certainly outside of their array."""

from __future__ import annotations

import ast
import linecache
import re
import traceback
from collections.abc import Sequence
from typing import Any

from ...document.limits import Characters, Listed
from ...document.types.document import Note, Program
from ...interruptions import not_of_a_signal
from ...joined_names import in_a_sentence
from ...observe.observation import ObservedProgram
from ...program.jaxpr.walk import Walk
from ...program.out_of_bounds import OutOfBounds, OutsideReads
from .places_and_cures_of_notes import inside, user_frame

_TITLE = "An index is out of bounds"
_TEXT = (
    "{expression} is out of bounds: {indices}{axis} of the array has the size {size}. JAX raises no error. {outcome}"
)
_TEXT_IN_CALL = (
    "With the recorded values of a call, {expression} is out of bounds: {indices}{axis} of the array has the size "
    "{size}. JAX raises no error. {outcome}"
)
_THE_INDEX = "the index is {indices}, and "
_AMONG_INDICES = "the indices include {indices}, and "
_SLICE = (
    "{expression} is out of bounds: the slice has the length {taken}, and {axis} of the array has the size {size}. "
    "JAX raises no error. {outcome}"
)
_SLICE_IN_CALL = (
    "With the recorded values of a call, {expression} is out of bounds: the slice has the length {taken}, and {axis} "
    "of the array has the size {size}. JAX raises no error. {outcome}"
)
_AXIS = "axis {axis}"
_AN_AXIS = "an axis"
_READS = "The program reads the element {begin} of the axis."
_WRITES = "The program writes to the element {begin} of the axis."
_BEGINS = "JAX moves the slice into the array: the slice begins at {begin}."
_FILLED = "At this index, the result holds a fill value: NaN, or the smallest or the largest number of an integer type."
_DROPPED = "The program leaves out this update of the array."
_NOT_CHECKED = "JAX assumes that indices are in bounds and does not check them."
_UNCHECKED = (
    f"{_NOT_CHECKED} JAX documents for the current XLA that the program reads the nearest element of the axis, and "
    "that gradients are not correct."
)
_UNCHECKED_WRITE = (
    f"{_NOT_CHECKED} JAX documents for the current XLA that the program leaves out this update of the array, and that "
    "gradients are not correct."
)
_INDEX = "Use an index from {least} to {most}."
_BEGIN = "Begin the slice at {most} or before."

#: Functions that take an index as an argument, and that hide an index out of bounds if the call has no `mode`.
_FUNCTIONS = frozenset(
    "dynamic_slice dynamic_slice_in_dim dynamic_index_in_dim dynamic_update_slice dynamic_update_slice_in_dim "
    "dynamic_update_index_in_dim take take_along_axis".split()
)


def index_notes(
    walk: Walk, programs: Sequence[Program], all_observed: Sequence[ObservedProgram], failures: list[str]
) -> list[Note]:
    """Return the notes on indices that are out of bounds, one for each expression.

    Args:
        walk: The `Walk` that has read the equations of the programs.
        programs: The programs of the document.
        all_observed: JAX's own objects of these programs, with the argument values of a call.
        failures: Receives the traceback if a program cannot be checked; the other programs are still checked.
    """
    reads = OutsideReads(walk)
    indices: dict[int, tuple[str, str, bool, OutOfBounds, list[int]]] = {}
    for index, (program, observed) in enumerate(zip(programs, all_observed, strict=False)):
        try:
            constants = getattr(observed.jaxpr, "consts", ())
            scopes = inside(walk, program.scope)
            found = [(False, outside) for outside in reads.of(scopes, constants, observed.numbers)]
            for numbers in _numbers_of_calls(observed):
                if any(number is not None for number in numbers):
                    found += [(True, outside) for outside in reads.in_call(program.scope, constants, numbers)]
            # a derived program may be that of a vmap, and its equations do not show the vmap
            is_vmapped = observed.origin == "derived" or bool(found) and reads.has_call_under_vmap(scopes)
            for is_in_call, outside in found:
                frame = user_frame(walk, outside.scope, outside.equation)
                expression = None if frame < 0 else _expression(walk, frame)
                if expression is not None:
                    text, axes = expression
                    axis = _axis(outside, axes, is_vmapped or outside.is_under_vmap)
                    indices.setdefault(frame, (text, axis, is_in_call, outside, []))[4].append(index)
        except not_of_a_signal(Exception):
            failures.append(traceback.format_exc())
    return [
        Note(
            kind="out_of_bounds",
            text=_text(expression, axis, is_in_call, outside),
            cure=_cure(outside),
            detail=None,
            program=among[0] if len(set(among)) == 1 else -1,
            frame=frame,
            bytes=None,
            title=_TITLE,
        )
        for frame, (expression, axis, is_in_call, outside, among) in indices.items()
    ]


def _numbers_of_calls(observed: ObservedProgram) -> list[list[Any]]:
    """Return the numbers that each recorded call of the run passed to a program."""
    if observed.calls is not None:
        return [call.values.numbers() for call in observed.calls.calls]
    return [] if observed.values is None else observed.values.numbers_since(observed.values_since)


def _expression(walk: Walk, frame: int) -> tuple[str, list[int]] | None:
    """Return the source of an expression that indexes an array without a `mode`; None for any other expression.

    The second value are the axes of the user's array that the expression indexes; an empty list if these are unknown.
    """
    file, _, line, column, end_line, end_column = walk.positions.frames[frame]
    source = walk.positions.files[file]
    if column < 0 or end_line != line:
        return None
    text = linecache.getline(source.name, line)[column:end_column]
    try:
        value = ast.parse(text, mode="eval").body
    except not_of_a_signal(SyntaxError, ValueError):
        return None
    if isinstance(value, ast.Call):
        function = value.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        is_update = isinstance(function, ast.Attribute) and isinstance(function.value, ast.Subscript)
        if any(keyword.arg in ("mode", None) for keyword in value.keywords) or not (is_update or name in _FUNCTIONS):
            return None
    elif not isinstance(value, ast.Subscript):
        return None
    return text if len(
        text
    ) <= Characters.INDEX_IN_NOTE else f"{text[: Characters.INDEX_IN_NOTE - 3]}...", _indexed_axes(value)


def _indexed_axes(value: ast.expr) -> list[int]:
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        value = value.func.value  # `x.at[i]` of `x.at[i].set(v)`
    if not isinstance(value, ast.Subscript):
        return []
    parts = value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
    if any(
        isinstance(part, ast.Constant) and part.value in (None, ...) or isinstance(part, ast.Starred) for part in parts
    ):
        return []
    return [axis for axis, part in enumerate(parts) if not isinstance(part, ast.Slice)]


def _axis(outside: OutOfBounds, axes: list[int], may_be_vmapped: bool) -> str:
    """Return the words for the axis of the user's array.

    Under a vmap, the axes of the program's array have other numbers. A slice then has an index for each axis of the
    user's array. The indices of other equations are those of the expression, in order, if both have equally many.

    Args:
        outside: The access outside of the array.
        axes: The axes that the expression indexes; empty if these are unknown.
        may_be_vmapped: False if the array of the program certainly is the user's array.
    """
    if not may_be_vmapped:
        return _AXIS.format(axis=outside.axis)
    if outside.is_slice:
        return _AXIS.format(axis=outside.place)
    return _AXIS.format(axis=axes[outside.place]) if len(axes) == outside.indices else _AN_AXIS


def _text(expression: str, axis: str, is_in_call: bool, outside: OutOfBounds) -> str:
    is_index = outside.taken == 1
    if outside.outcome == "moved":
        outcome = _BEGINS if not is_index else _WRITES if outside.is_write else _READS
    elif outside.outcome == "unchecked":
        outcome = _UNCHECKED_WRITE if outside.is_write else _UNCHECKED
    else:
        outcome = _DROPPED if outside.outcome == "dropped" else _FILLED
    sentences = (_TEXT, _TEXT_IN_CALL) if is_index else (_SLICE, _SLICE_IN_CALL)
    return sentences[is_in_call].format(
        expression=expression,
        indices=_indices(expression, outside),
        axis=axis,
        size=outside.size,
        taken=outside.taken,
        outcome=outcome.format(begin=outside.begin),
    )


def _indices(expression: str, outside: OutOfBounds) -> str:
    """Return the words for the indices that are outside; '' for a single index that the expression shows."""
    indices = in_a_sentence([str(index) for index in outside.outside], Listed.INDICES_OF_NOTE)
    if outside.is_among_others:
        return _AMONG_INDICES.format(indices=indices)
    if re.search(rf"(?<![\w.-]){re.escape(indices)}(?![\w.])", expression):
        return ""
    return _THE_INDEX.format(indices=indices)


def _cure(outside: OutOfBounds) -> str | None:
    if outside.size < outside.taken or not outside.size:
        return None
    if outside.taken == 1:
        return _INDEX.format(least=-outside.size, most=outside.size - 1)
    return _BEGIN.format(most=outside.size - outside.taken)
