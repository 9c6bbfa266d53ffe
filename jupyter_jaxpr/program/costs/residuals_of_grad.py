"""Finds the residuals of `grad`: the values that the forward part of a program keeps for its backward part.

The name stack of an equation shows its part: `jvp(...)` is the forward part, `transpose(jvp(...))` the backward part;
if a gradient is differentiated again, there is one more `transpose`. A residual is a variable that an equation of a
forward part computes and an equation of the same scope with more transposes reads. A scan's stacked residuals are
results of the scan equation. A value that remat computes again is in a scope of the backward part and is no residual;
an argument is none either.

A residual that a loop or a call computes is attributed to the line inside the loop or call. The search takes less than
a microsecond per equation.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...document.control_constructs import SCAN, WHILE
from ..jaxpr.bytes_of_types import Sizes
from ..jaxpr.scope_columns import ScopeColumns
from ..jaxpr.walk import Walk

_FORWARD = "jvp("
_BACKWARD = "transpose("
_PRECISION = {"float16": (5, 10), "bfloat16": (8, 7), "float32": (8, 23), "float64": (11, 52)}


@dataclass(frozen=True)
class Residual:
    """Residuals of one type from one line; `document.types.cost.Residual` describes the fields."""

    type: str
    count: int
    bytes: int
    name: str
    frame: int


@dataclass(frozen=True)
class _Source:
    """Where a variable comes from: an equation of a scope, or an input of a scope."""

    scope: int
    equation: int
    variable: int


@dataclass(frozen=True)
class KeptValue:
    """A residual, and the equation that computes it.

    Attributes:
        scope, equation: The scope, and the index of the equation that computes the residual.
        output: The index of the result of this equation.
        type: The type of the kept array: for a loop, of the stacked values of all steps.
        bytes: The size of the kept array.
    """

    scope: int
    equation: int
    output: int
    type: str
    bytes: int


def kept_for_backward(walk: Walk, scope: int, backward: Mapping[int, Sequence[bool]]) -> list[KeptValue]:
    """Return the values that the forward part of a program keeps for its backward part, each with its equation.

    Args:
        walk: The `Walk` that has read the equations of the program.
        scope: The scope of the program.
        backward: Scope -> for each of its equations, True if the equation belongs to the backward part.
    """
    residuals = _Residuals(walk)

    def depths(number: int) -> list[int]:
        return [int(is_backward) for is_backward in backward[number]]

    return [
        value for number, variables in residuals.scopes(scope, depths) for value in residuals.values(number, variables)
    ]


def made_values(walk: Walk, scope: int, operands: Sequence[int]) -> list[KeptValue]:
    """Return the values of some operands, each with the innermost equation that computes it.

    Inputs, constants and literals of the scope are left out.
    """
    residuals = _Residuals(walk)
    return residuals.values(scope, [operand for operand in dict.fromkeys(operands) if operand >= 0])


def residuals(walk: Walk, scope: int) -> list[Residual]:
    """Return the residuals of a program and its inner programs, grouped by line, type and primitive, the largest first.

    Args:
        walk: The `Walk` that has read the equations of the program.
        scope: The scope of the program.
    """
    return _Residuals(walk).of(scope)


class _Residuals:
    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._sizes = Sizes(walk).table()
        self._made: dict[int, list[int]] = {}
        self._children: dict[int, dict[int, int]] = {}
        # Name stack -> its number of transposes; -1 if it is not part of a derivative. There are few different name
        # stacks.
        self._depths: dict[int, int] = {}

    def of(self, scope: int) -> list[Residual]:
        rows: dict[tuple[str, str, tuple[int, int]], Residual] = {}
        for number, variables in self.scopes(scope, self._depths_of):
            for row in self._rows(number, variables):
                # Residuals of two expressions on one line share a row; the row gets the frame of the first expression.
                key = row.type, row.name, self._line(row.frame)
                first = rows.get(key)
                if first is not None:
                    row = Residual(row.type, first.count + 1, first.bytes + row.bytes, row.name, first.frame)
                rows[key] = row
        return sorted(rows.values(), key=lambda row: -row.bytes)

    def scopes(self, scope: int, depths_of: Callable[[int], list[int]]) -> Iterator[tuple[int, list[int]]]:
        """Yield each scope that contains both parts, with the variables that are kept for the backward part."""
        waiting, visited = [scope], {scope}
        while waiting:
            number = waiting.pop()
            columns = self._walk.scopes[number]
            depths = depths_of(number)
            yield number, self._in_scope(number, columns, depths)
            combined = set(columns.counted)
            for equation, _, _, child in columns.children:
                # The programs inside a backward equation belong to the backward part: their values are no residuals.
                if depths[equation] < 1 and child in combined and child not in visited:
                    visited.add(child)
                    waiting.append(child)

    def _depths_of(self, number: int) -> list[int]:
        return [self._depth(name) for name in self._walk.scopes[number].name_stack]

    def _line(self, frame: int) -> tuple[int, int]:
        """Return the file and the line of a frame."""
        if frame < 0:
            return -1, -1
        row = self._walk.positions.frames[frame]
        return row[0], row[2]

    def _depth(self, name: int) -> int:
        depth = self._depths.get(name)
        if depth is None:
            text = self._walk.strings.items[name]
            backward = text.count(_BACKWARD)
            depth = self._depths[name] = backward if backward or _FORWARD in text else -1
        return depth

    def _in_scope(self, number: int, columns: ScopeColumns, depths: list[int]) -> list[int]:
        deepest = max(depths, default=-1)
        if deepest < 1:
            return []
        variables: dict[int, None] = {}
        makers = self._makers(number)
        for index, row in enumerate(columns.operands):
            depth = depths[index]
            if depth < 1:
                continue
            for operand in row:
                if operand >= 0 and makers[operand] >= 0 and 0 <= depths[makers[operand]] < depth:
                    variables[operand] = None
        return list(variables)

    def _rows(self, number: int, variables: Sequence[int]) -> list[Residual]:
        rows = []
        for value in self.values(number, variables):
            maker = self._walk.scopes[value.scope]
            name = self._walk.strings.items[maker.primitive[value.equation]]
            frame = self._frame(maker.stack[value.equation])
            rows.append(Residual(value.type, 1, value.bytes, name, frame))
        return rows

    def values(self, number: int, variables: Sequence[int]) -> list[KeptValue]:
        """Return the variables of a scope that have a known size, each with the innermost equation that computes it."""
        values = []
        makers = self._makers(number)
        for variable in variables:
            aval = self._walk.scopes[number].variable_avals[variable]
            size = self._sizes[aval]
            source = self._source(_Source(number, makers[variable], variable)) if makers[variable] >= 0 else None
            if size is None or source is None:
                continue
            output = source.variable - bisect_left(self._makers(source.scope), source.equation)
            values.append(KeptValue(source.scope, source.equation, output, self._walk.avals[aval].text, size))
        return values

    def _makers(self, number: int) -> list[int]:
        """Return, for each variable of a scope, the equation that computes it; -1 for an input or a constant."""
        makers = self._made.get(number)
        if makers is None:
            columns = self._walk.scopes[number]
            makers = [-1] * (columns.constants + columns.inputs)
            for index, count in enumerate(columns.output_counts):
                makers += [index] * count
            self._made[number] = makers
        return makers

    def _source(self, source: _Source) -> _Source | None:
        """Return the innermost equation that computes a variable.

        None for an argument that a call only passed through.
        """
        columns = self._walk.scopes[source.scope]
        child = self._only_child(source.scope, source.equation)
        if child < 0:
            return self._marked(source)
        inner = self._walk.scopes[child]
        makers = self._makers(source.scope)
        place = source.variable - bisect_left(makers, source.equation)
        if len(inner.outputs) != columns.output_counts[source.equation]:
            return source
        operand = inner.outputs[place]
        if operand < 0:  # the inner program returns a literal, so the call is the source
            return source
        maker = self._makers(child)[operand]
        if maker >= 0:
            return self._source(_Source(child, maker, operand))
        primitive = self._walk.strings.items[columns.primitive[source.equation]]
        if primitive in (SCAN, WHILE) or operand < inner.constants:
            return source  # the loop passes a constant or an unchanged carry on, so the loop's equation is the source
        outer_operand = columns.operands[source.equation][operand - inner.constants]
        if outer_operand < 0:
            return source
        outer = makers[outer_operand]
        return None if outer < 0 else self._source(_Source(source.scope, outer, outer_operand))

    def _marked(self, source: _Source) -> _Source:
        """Return the operand of a `reduce_precision` that rounds nothing, by which remat marks a kept value."""
        columns = self._walk.scopes[source.scope]
        if self._walk.strings.items[columns.primitive[source.equation]] != "reduce_precision":
            return source
        parameters = self._walk.jaxprs[source.scope].eqns[source.equation].params
        kind = self._walk.avals[columns.variable_avals[source.variable]].dtype
        if _PRECISION.get(kind) != (parameters.get("exponent_bits"), parameters.get("mantissa_bits")):
            return source
        (marked_operand,) = columns.operands[source.equation]
        maker = self._makers(source.scope)[marked_operand] if marked_operand >= 0 else -1
        origin = self._source(_Source(source.scope, maker, marked_operand)) if maker >= 0 else None
        return origin or source

    def _only_child(self, scope: int, equation: int) -> int:
        """Return the single program that an equation runs; for a while loop, its body; -1 for other equations."""
        children = self._children.get(scope)
        if children is None:
            columns, strings = self._walk.scopes[scope], self._walk.strings.items
            counted = set(columns.counted)
            children = self._children[scope] = {}
            for index, parameter, _, child in columns.children:
                if child in counted and strings[parameter] != "cond_jaxpr":
                    children[index] = -1 if index in children else child
        return children.get(equation, -1)

    def _frame(self, stack: int) -> int:
        if stack < 0:
            return -1
        frames = self._walk.positions.stacks[stack][0]
        return frames[0] if frames else -1
