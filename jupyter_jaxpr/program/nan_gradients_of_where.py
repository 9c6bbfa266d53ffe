"""Finds selections (`jnp.where`) whose gradient can be NaN: zero times the infinite derivative of the other branch.

In the gradient of `jnp.where(x > 0, jnp.log(x), 0)`, the branch that is not taken gets the cotangent 0, which is
divided by x. For x = 0 this is 0/0 = NaN.
The search looks for three equations: the comparison of x with a number; in the backward pass, a selection that is zero
where x is 0 or equal to this number; and a product of its result with a value that is infinite or NaN there. In the
place of the comparison there may be a mask that leaves out an x which is 0 for all arguments, such as the differences
of points with themselves.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ..plain_text import Limit
from .jaxpr.joined_equation_lists import InlinedEquation, inlined, inlined_pairs
from .jaxpr.parameters import open_jaxpr
from .jaxpr.walk import Walk
from .values_at_point import ValuesAtPoint
from .zeros_under_masks import ZerosUnderMasks

_BACKWARD = "transpose("
_SELECTS = "select_n"
#: The jitted function of `jnp.where`: its call is treated as one selection.
_KEPT = frozenset({"_where"})
_COMPARED: Mapping[str, Callable[[float, float], bool]] = {
    "gt": operator.gt,
    "ge": operator.ge,
    "lt": operator.lt,
    "le": operator.le,
    "ne": operator.ne,
    "eq": operator.eq,
}
#: Primitives whose result is zero if their operand is zero.
_PASSES_ZEROS = frozenset({"neg", "convert_element_type", "copy"})
_DEPTH = 6
_MOST_POINTS = 100  # how many pairs of a value and a number are tried; each may take a millisecond

#: The number at which the gradient of a selection is NaN; None for a 0 under a mask.
Point = float | None
#: (index of the selection's equation, value in the branch, number at which the gradient is NaN).
Selection = tuple[int, Any, Point]


def masked_derivatives(walk: Walk, scopes: list[int]) -> Iterator[tuple[int, int, Point]]:
    """Yield (scope, equation, number or None) for each selection whose zeros are multiplied by an infinite derivative.

    The number is the compared one; None stands for a 0 under a mask.

    Args:
        walk: The `Walk` that has read the equations of the program.
        scopes: The scopes of the program, the outermost first.
    """
    if _SELECTS not in walk.primitives(scopes) or not any(map(_may_be_backward, walk.name_stacks(scopes))):
        return
    numbers = {id(walk.jaxprs[number]): number for number in reversed(scopes)}
    visited: set[int] = set()
    places: set[tuple[int, int, Point]] = set()
    for number in scopes:
        if id(walk.jaxprs[number]) in visited:
            continue  # the inlined equations of a calling program included the equations of this scope
        equations = inlined(walk.jaxprs[number], _KEPT)
        visited.update(id(equation.jaxpr) for equation in equations)
        places |= set(_places(equations, numbers))
    yield from sorted(places, key=_order)


def masked_derivatives_of_pair(walk: Walk, forward: list[int], backward: list[int]) -> Iterator[tuple[int, int, Point]]:
    """Yield (scope, equation, number or None) as `masked_derivatives` does, for the two programs of one gradient.

    Args:
        walk: The `Walk` that has read the equations of the programs.
        forward: The scopes of the program that computes the results and the residuals, the outermost first.
        backward: The scopes of the program that computes the gradient from the residuals.
    """
    if _SELECTS not in walk.primitives(backward):
        return
    numbers = {id(walk.jaxprs[number]): number for number in (*reversed(forward), *reversed(backward))}
    lists = inlined_pairs(walk.jaxprs[forward[0]], walk.jaxprs[backward[0]], _KEPT)
    places = [set(_places(equations, numbers)) for equations in lists]
    yield from sorted(set.intersection(*places) if places else (), key=_order)


def _order(place: tuple[int, int, Point]) -> tuple[int, int, bool, float]:
    scope, equation, point = place
    return scope, equation, point is None, point or 0.0


def _places(equations: list[InlinedEquation], numbers: Mapping[int, int]) -> Iterator[tuple[int, int, Point]]:
    """Yield (scope, equation, number or None) for each selection of a list whose gradient can be NaN."""
    for at, point in _Scope(equations).found():
        scope = numbers.get(id(equations[at].jaxpr))
        if scope is not None:
            yield scope, equations[at].index, point


def count_masked_derivatives(jaxpr: Any) -> int:
    """Return the number of selections whose gradient can be NaN, in a jaxpr and the jitted functions that it calls."""
    return len(list(_Scope(inlined(jaxpr, _KEPT)).found()))


def _may_be_backward(stack: str) -> bool:
    """Return whether a name stack can belong to a backward pass.

    A long name stack is cut, which may remove the word `transpose`.
    """
    return _BACKWARD in stack or len(stack) >= Limit.POOLED


def _is_backward(equation: InlinedEquation) -> bool:
    return _BACKWARD in equation.name_stack


def _selects(equation: Any) -> bool:
    return bool(equation.primitive.name == _SELECTS or equation.params.get("name") in _KEPT)


class _Scope:
    """A list of equations, and the equation that computes each variable."""

    def __init__(self, equations: list[InlinedEquation]) -> None:
        self._equations = equations
        self._made = {variable: equation for equation in equations for variable in equation.outvars}
        self._at: dict[tuple[Any, Point], ValuesAtPoint] = {}
        self._zeros = ZerosUnderMasks(equations, _is_backward)

    def found(self) -> Iterator[tuple[int, Point]]:
        """Yield (index of the selection's equation, compared number at which the gradient is NaN)."""
        zeros: dict[Any, list[Selection]] = {}  # variable -> the selections that make it 0 or NaN
        visited: set[int] = set()
        for at, equation in enumerate(self._equations):
            name = equation.primitive.name
            if not _is_backward(equation):
                continue
            if _selects(equation):
                for position, variable in enumerate(equation.outvars):
                    zeros[variable] = [(at, value, point) for value, point in self._zero_where(equation, position)]
                continue
            zero_places = [[] if hasattr(operand, "val") else zeros.get(operand, []) for operand in equation.invars]
            if name in _PASSES_ZEROS:
                zeros[equation.outvars[0]] = zero_places[0]
            elif name in ("mul", "div"):
                passing: list[Selection] = []
                for left, right in ((0, 1), (1, 0)) if name == "mul" else ((0, 1),):
                    for selection, value, point in zero_places[left]:
                        if len(self._at) >= _MOST_POINTS and (value, point) not in self._at:
                            return
                        factor = self._values(value, point).of(equation.invars[right])
                        passing.append((selection, value, point))
                        if factor is None or selection in visited:
                            continue
                        if np.isnan(factor) or (np.isinf(factor) if name == "mul" else factor == 0):
                            visited.add(selection)
                            yield selection, point
                zeros[equation.outvars[0]] = passing

    def _values(self, value: Any, point: Point) -> ValuesAtPoint:
        """Return the values of all variables if the variable `value` is the number `point`; 0 for None."""
        if (value, point) not in self._at:
            self._at[value, point] = ValuesAtPoint(self._equations, {value: point or 0.0})
        return self._at[value, point]

    def _zero_where(self, equation: Any, position: int) -> Iterator[tuple[Any, Point]]:
        """Yield (compared value of a selection, number at which its result is 0), or (value that is 0, None)."""
        operands = list(equation.invars)
        if equation.primitive.name != _SELECTS:
            inner = open_jaxpr(equation.params.get("jaxpr"))
            if inner is None:
                return
            outer = dict(zip(inner.invars, operands, strict=True))
            producers = {variable: equation for equation in inner.eqns for variable in equation.outvars}
            result = inner.outvars[position]
            selection = None if hasattr(result, "val") else producers.get(result)
            if selection is None or selection.primitive.name != _SELECTS:
                return
            selected = selection.invars
            is_zero = [_is_constant_zero(operand, producers) for operand in selected[1:]]
            predicate = _before_broadcast(selected[0], producers)
            predicate = None if hasattr(predicate, "val") else outer.get(predicate)
        else:
            is_zero = [_is_constant_zero(operand, self._made) for operand in operands[1:]]
            predicate = operands[0]
        if predicate is None or hasattr(predicate, "val") or len(is_zero) != 2 or is_zero[0] == is_zero[1]:
            return
        comparison = self._made.get(predicate)
        if comparison is None or not _compares_with_number(comparison):
            shape = getattr(equation.outvars[position].aval, "shape", ())
            for variable in self._zeros.under(self._mask(predicate), is_zero[1], shape):
                yield variable, None
            return
        value, number = comparison.invars
        for point in dict.fromkeys((0.0, float(number.val))):
            # `select_n` returns its first case if the predicate is False.
            is_true = _COMPARED[comparison.primitive.name](point, float(number.val))
            if is_zero[int(is_true)]:
                yield value, point

    def _mask(self, predicate: Any) -> Any:
        """Return the mask of a selection, as it was before a call of `jnp.where` in the forward pass broadcast it."""
        equation = self._made.get(predicate)
        inner = None if equation is None else open_jaxpr(equation.params.get("jaxpr"))
        if equation is None or inner is None:
            return predicate
        producers = {variable: row for row in inner.eqns for variable in row.outvars}
        mask = _before_broadcast(inner.outvars[equation.outvars.index(predicate)], producers)
        return predicate if hasattr(mask, "val") else dict(zip(inner.invars, equation.invars, strict=True)).get(mask)


def _compares_with_number(equation: Any) -> bool:
    if equation.primitive.name not in _COMPARED:
        return False
    value, number = equation.invars
    return not hasattr(value, "val") and hasattr(number, "val") and getattr(number.val, "shape", ()) == ()


def _before_broadcast(operand: Any, producers: Mapping[Any, Any]) -> Any:
    """Return the smaller array from which `jnp.where` broadcasts its mask."""
    for _ in range(_DEPTH):
        equation = None if hasattr(operand, "val") else producers.get(operand)
        if equation is None or equation.primitive.name not in ("broadcast_in_dim", "reshape"):
            break
        operand = equation.invars[0]
    return operand


def _is_constant_zero(operand: Any, producers: Mapping[Any, Any]) -> bool:
    for _ in range(_DEPTH):
        if hasattr(operand, "val"):
            return getattr(operand.val, "shape", ()) == () and bool(operand.val == 0)
        equation = producers.get(operand)
        if equation is None or equation.primitive.name not in ("broadcast_in_dim", "convert_element_type"):
            return False
        operand = equation.invars[0]
    return False
