"""Finds marks of variables that are shown beside their types: the role in a loop, and a promoted dtype.

Marks are derived from the equations and their types alone.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from ...document.types.control_flow import Control
from ...program.jaxpr.scope_columns import ScopeColumns
from ...program.jaxpr.walk import Walk
from ...program.source.positions import FrameRow

_LOOPS = frozenset({"scan", "while"})
#: Words in code that request a dtype; `asksForDtype` in the browser has the same list.
_DTYPES = re.compile(
    r"\b(?:astype|as_?array|array|float|int|bool|bool_|complex|\w*(?:float|int|complex)\d+\w*|\w*dtype\w*"
    r"|\w*element_type\w*)\b"
)
_CONVERSION = "convert_element_type"
_KINDS = ("bool", "uint", "int", "bfloat", "float", "complex")

#: Operations whose operands JAX converts to the dtype of the result. (Other operations convert indices and predicates,
#: too.)
_ARITHMETIC = frozenset(
    {
        *("add", "add_any", "sub", "mul", "div", "rem", "pow", "max", "min", "atan2"),
        *("dot_general", "conv_general_dilated", "concatenate"),
        *("exp", "exp2", "expm1", "log", "log1p", "sqrt", "rsqrt", "cbrt", "logistic", "erf"),
        *("sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan"),
    }
)

Role = Literal["carry", "xs", "ys"]


class LoopPart(NamedTuple):
    """The role of a variable in a loop.

    Attributes:
        role: The role: carry, xs or ys.
        steps: The number of steps of the loop; None if it is unknown before the loop runs.
        arrays: The number of variables of the loop that have this role.
    """

    role: Role
    steps: int | None
    arrays: int


class ValueMarks:
    """Finds the marks of the variables of a `Walk`: roles in loops, and promoted dtypes.

    Args:
        walk: The `Walk` that has read the equations of the programs.
        loops: The control-flow cards of the document.
    """

    def __init__(self, walk: Walk, loops: Iterable[Control]) -> None:
        self._walk = walk
        self._parts: dict[tuple[int, int], LoopPart | None] = {}
        self._binders: dict[int, Mapping[int, int]] = {}
        self._converts: dict[int, bool] = {}  # scope -> whether it has a `convert_element_type` equation
        for loop in loops:
            if loop.primitive in _LOOPS and loop.equations == 1 and loop.body >= 0:
                self._take(loop)

    def part(self, scope: int, variables: Sequence[int]) -> LoopPart | None:
        """Return the `LoopPart` that all given variables have; None if their roles or loop lengths differ."""
        if not self._parts:
            return None
        parts = {self._parts.get((scope, variable)) for variable in variables}
        return parts.pop() if len(parts) == 1 else None

    def promoted(self, scope: int, variable: int) -> str | None:
        """Return the dtype from which JAX promoted an operand of a variable's equation, such as bf16.

        None if JAX promoted no operand, or if the code asks for the dtype.
        """
        converts = self._converts.get(scope)
        if converts is None:
            converts = self._converts[scope] = _CONVERSION in self._walk.primitives([scope])
        if not converts:
            return None
        columns = self._walk.scopes[scope]
        equation = self._bound_by(scope).get(variable)
        if equation is None or self._walk.strings.items[columns.primitive[equation]] not in _ARITHMETIC:
            return None
        result = self._walk.avals[columns.variable_avals[variable]].dtype
        for operand in columns.operands[equation]:
            conversion = self._bound_by(scope).get(operand)
            if conversion is None or not self._is_unasked(columns, conversion, equation):
                continue
            (before,) = columns.operands[conversion]
            if before >= 0:
                narrow = self._walk.avals[columns.variable_avals[before]]
                wide = self._walk.avals[columns.variable_avals[operand]]
                if wide.dtype == result and _is_wider(narrow.dtype, wide.dtype):
                    return narrow.text.partition("[")[0]
        return None

    def _is_unasked(self, columns: ScopeColumns, conversion: int, equation: int) -> bool:
        """Return whether JAX, not the user, added a conversion.

        This holds if the conversion is in the same expression as `equation`, and the code of both names no dtype.
        """
        if self._walk.strings.items[columns.primitive[conversion]] != _CONVERSION:
            return False
        stacks = self._walk.positions.stacks
        numbers = columns.stack[conversion], columns.stack[equation]
        if min(numbers) < 0:
            return False
        (users, library), (second_users, _) = stacks[numbers[0]], stacks[numbers[1]]
        if not users or users != second_users:
            return False
        frames = self._walk.positions.frames
        if library and _DTYPES.search(self._walk.strings.items[frames[library[0]][1]].rpartition(".")[2]):
            return False
        text = self._text(frames[users[0]])
        return text != "" and not _DTYPES.search(text)

    def _text(self, frame: FrameRow) -> str:
        """Return the source text of a frame's expression; of its whole lines if they are not ASCII; '' if unknown."""
        file, _, line, column, end_line, end_column = frame
        if min(line, column, end_column) < 0:
            return ""
        lines = linecache.getlines(self._walk.positions.files[file].name)[line - 1 : end_line]
        if lines and all(map(str.isascii, lines)):
            lines[-1] = lines[-1][:end_column]
            lines[0] = lines[0][column:]
        return "".join(lines)

    def _take(self, loop: Control) -> None:
        roles = [slot.role for slot in loop.slots]
        carry, xs, ys = (roles.count(role) for role in ("carry", "xs", "ys"))
        carries: list[Role] = ["carry"] * carry
        stacked: list[Role] = ["ys"] * ys
        cut: list[Role] = ["xs"] * xs
        scopes = self._walk.scopes
        columns = scopes[loop.scope]
        first = columns.constants + columns.inputs + sum(columns.output_counts[: loop.equation])
        if columns.output_counts[loop.equation] == carry + ys:
            self._mark(loop, loop.scope, first, [*carries, *stacked])
        for inner in (loop.body, loop.condition):
            if inner >= 0:
                inputs = [*carries, *cut]
                end = scopes[inner].constants + scopes[inner].inputs
                # The inputs of a body or a condition begin with the constants of the loop, which get no mark.
                if scopes[inner].inputs >= len(inputs):
                    self._mark(loop, inner, end - len(inputs), inputs)

    def _mark(self, loop: Control, scope: int, first: int, roles: Sequence[Role]) -> None:
        for number, role in enumerate(roles, first):
            part = LoopPart(role, loop.trips, roles.count(role))
            part_before = self._parts.setdefault((scope, number), part)
            if part_before != part:
                self._parts[scope, number] = None  # loops of different lengths share this body, so it gets no mark

    def _bound_by(self, scope: int) -> Mapping[int, int]:
        """Return {variable: index of the equation that computes it} for a scope."""
        binders = self._binders.get(scope)
        if binders is None:
            columns = self._walk.scopes[scope]
            equations = (equation for equation, count in enumerate(columns.output_counts) for _ in range(count))
            binders = self._binders[scope] = dict(enumerate(equations, columns.constants + columns.inputs))
        return binders


def _is_wider(before: str, after: str) -> bool:
    """Return whether `after` is above `before` in JAX's promotion lattice; `isWider` in the browser does the same."""
    (low, low_bits), (high, many) = _rank(before), _rank(after)
    if min(low, high) < 0:
        return False
    floats = {_KINDS.index("bfloat"), _KINDS.index("float")}
    return many > low_bits if low == high or {low, high} == floats else high > low


def _rank(dtype: str) -> tuple[int, int]:
    match = re.match(r"([a-z]+)(\d*)", dtype)
    if match is None or match[1] not in _KINDS:
        return -1, 0
    return _KINDS.index(match[1]), int(match[2] or 1)
