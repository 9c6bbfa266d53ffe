"""Finds the selections whose gradient can be NaN: zero times the infinite derivative of the other branch.

The gradient of `jnp.where(x > 0, jnp.log(x), 0)` is a selection of zeros, divided by x. Where x is 0, that is 0/0. All
of this is looked for in the equations: the comparison of x with a number that leaves 0 to the zeros, the selection in
the backward pass, and the product with a value that is infinite where the same x is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .jaxpr.parameters import open_jaxpr
from .jaxpr.walk import Walk

_BACKWARD = "transpose("
#: Whether the comparison of 0 with a number holds.
_OF_ZERO: Mapping[str, Callable[[float], bool]] = {
    "gt": lambda number: number < 0,
    "ge": lambda number: number <= 0,
    "lt": lambda number: number > 0,
    "le": lambda number: number >= 0,
    "ne": lambda number: number != 0,
    "eq": lambda number: number == 0,
}
#: What a zero stays a zero in.
_PASSES_ZEROS = frozenset({"neg", "convert_element_type", "copy"})
_DEPTH = 6


def masked_derivatives(walk: Walk, scopes: list[int]) -> Iterator[tuple[int, int]]:
    """The scope and the equation of each selection in a backward pass whose zeros meet an infinite derivative."""
    for number in scopes:
        equations = walk.jaxprs[number].eqns
        if any(_is_backward(equation) and _selects(equation) for equation in equations):
            yield from ((number, at) for at in _Scope(equations).found())


def count_masked_derivatives(jaxpr: Any) -> int:
    """How many such selections the equations of a jaxpr, not those inside of them, have."""
    return len(list(_Scope(jaxpr.eqns).found()))


def _is_backward(equation: Any) -> bool:
    return _BACKWARD in str(equation.source_info.name_stack)


def _selects(equation: Any) -> bool:
    return bool(equation.primitive.name == "select_n" or equation.params.get("name") == "_where")


class _Scope:
    """The equations of one scope, by the variables that they define."""

    def __init__(self, equations: Any) -> None:
        self._equations = equations
        self._made = {variable: equation for equation in equations for variable in equation.outvars}

    def found(self) -> Iterator[int]:
        """The selections, by the numbers of their equations."""
        zeros: dict[Any, tuple[int, Any]] = {}  # variables that are 0 where some value is: the selection, the value
        given: set[int] = set()
        for at, equation in enumerate(self._equations):
            name = equation.primitive.name
            if not _is_backward(equation):
                continue
            if _selects(equation):
                for position, variable in enumerate(equation.outvars):
                    value = self._zero_where_zero(equation, position)
                    if value is not None:
                        zeros[variable] = at, value
                continue
            known = [None if hasattr(operand, "val") else zeros.get(operand) for operand in equation.invars]
            if name in _PASSES_ZEROS and known[0] is not None:
                zeros[equation.outvars[0]] = known[0]
            elif name in ("mul", "div"):
                for left, right in ((0, 1), (1, 0)) if name == "mul" else ((0, 1),):
                    selection = known[left]
                    if selection is None:
                        continue
                    other = equation.invars[right]
                    if hasattr(other, "val"):
                        zeros[equation.outvars[0]] = selection
                    elif (self._is_infinite if name == "mul" else self._is_zero)(other, selection[1], _DEPTH):
                        if selection[0] not in given:
                            given.add(selection[0])
                            yield selection[0]

    def _zero_where_zero(self, equation: Any, position: int) -> Any:
        """The value of which a selection's result is 0 where the value is 0; None where that is not known."""
        operands = list(equation.invars)
        if equation.primitive.name != "select_n":
            inner = open_jaxpr(equation.params.get("jaxpr"))
            if inner is None:
                return None
            outer = dict(zip(inner.invars, operands, strict=True))
            made = {variable: each for each in inner.eqns for variable in each.outvars}
            result = inner.outvars[position]
            selection = None if hasattr(result, "val") else made.get(result)
            if selection is None or selection.primitive.name != "select_n":
                return None
            selected = selection.invars
            is_zero = [_is_constant_zero(operand, made) for operand in selected[1:]]
            predicate = None if hasattr(selected[0], "val") else outer.get(selected[0])
        else:
            is_zero = [_is_constant_zero(operand, self._made) for operand in operands[1:]]
            predicate = operands[0]
        comparison = None if predicate is None or hasattr(predicate, "val") else self._made.get(predicate)
        if comparison is None or len(is_zero) != 2 or comparison.primitive.name not in _OF_ZERO:
            return None
        value, number = comparison.invars
        if hasattr(value, "val") or not hasattr(number, "val") or getattr(number.val, "shape", ()) != ():
            return None
        # `select_n` takes its first case where the predicate is False.
        holds = _OF_ZERO[comparison.primitive.name](float(number.val))
        return value if is_zero[int(holds)] and not is_zero[int(not holds)] else None

    def _is_zero(self, variable: Any, value: Any, depth: int) -> bool:
        """Whether a variable is surely 0 where a value is."""
        if variable is value:
            return True
        made = None if hasattr(variable, "val") or not depth else self._made.get(variable)
        if made is None:
            return False
        name = made.primitive.name
        if name in ("sqrt", "abs", "neg", "square") or (name == "integer_pow" and made.params["y"] > 0):
            return self._is_zero(made.invars[0], value, depth - 1)
        if name == "mul":
            return all(self._is_zero(operand, value, depth - 1) for operand in made.invars)
        return False

    def _is_infinite(self, variable: Any, value: Any, depth: int) -> bool:
        """Whether a variable is surely infinite where a value is 0."""
        made = None if hasattr(variable, "val") or not depth else self._made.get(variable)
        if made is None:
            return False
        name, operands = made.primitive.name, made.invars
        if name == "div":
            is_number = hasattr(operands[0], "val") and getattr(operands[0].val, "shape", ()) == ()
            return is_number and bool(operands[0].val != 0) and self._is_zero(operands[1], value, depth - 1)
        if name == "rsqrt" or (name == "integer_pow" and made.params["y"] < 0):
            return self._is_zero(operands[0], value, depth - 1)
        return name == "neg" and self._is_infinite(operands[0], value, depth - 1)


def _is_constant_zero(operand: Any, made: Mapping[Any, Any]) -> bool:
    for _ in range(_DEPTH):
        if hasattr(operand, "val"):
            return getattr(operand.val, "shape", ()) == () and bool(operand.val == 0)
        equation = made.get(operand)
        if equation is None or equation.primitive.name not in ("broadcast_in_dim", "convert_element_type"):
            return False
        operand = equation.invars[0]
    return False
