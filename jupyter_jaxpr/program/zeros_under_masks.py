"""Finds values that are 0 for all arguments where a mask may leave them out, as on the diagonal of x[:, None] - x.

The equations are computed by NumPy with random numbers in place of the arguments. A value that is 0 at a place for
several draws of these numbers is 0 there for all arguments: no rule of this module rounds a number to 0, and no rule
chooses between two numbers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..interruptions import not_of_a_signal

_DRAWS = 3
_LARGEST = 1 << 20  # the most elements of an array that is computed
_MOST_ELEMENTS = 1 << 23  # the most elements that are computed for one list of equations
_MOST_VALUES = 60  # the most values that are computed for one mask
_DEPTH = 40

Rule = Callable[[Sequence[Any], Mapping[str, Any]], Any]


def _of(function: Callable[..., Any]) -> Rule:
    return lambda operands, _: function(*operands)


def _broadcast(operands: Sequence[Any], params: Mapping[str, Any]) -> Any:
    (array,) = operands
    sizes = [1] * len(params["shape"])
    for axis, size in zip(params["broadcast_dimensions"], np.shape(array), strict=True):
        sizes[axis] = size
    return np.broadcast_to(np.reshape(array, sizes), params["shape"])


def _iota(_: Sequence[Any], params: Mapping[str, Any]) -> Any:
    shape, axis = params["shape"], params["dimension"]
    sizes = [size if place == axis else 1 for place, size in enumerate(shape)]
    return np.broadcast_to(np.arange(shape[axis]).reshape(sizes), shape)


_ELEMENTWISE: Mapping[str, Callable[..., Any]] = {
    "add": operator.add,
    "add_any": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": np.divide,
    "neg": operator.neg,
    "abs": np.abs,
    "square": np.square,
    "sqrt": np.sqrt,
    "pow": np.power,
    "sin": np.sin,
    "tanh": np.tanh,
    "round": np.round,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "not": np.logical_not,
    "and": np.logical_and,
    "or": np.logical_or,
}
_SAME = frozenset({"copy", "stop_gradient"})
_RULES: Mapping[str, Rule] = {
    **{name: _of(function) for name, function in _ELEMENTWISE.items()},
    **dict.fromkeys(_SAME, _of(lambda array: array)),
    "convert_element_type": lambda operands, params: np.asarray(operands[0]).astype(
        params["new_dtype"] if np.dtype(params["new_dtype"]).kind != "f" else "f8"
    ),
    "integer_pow": lambda operands, params: np.asarray(operands[0], dtype="f8") ** params["y"],
    "broadcast_in_dim": _broadcast,
    "iota": _iota,
    "reshape": lambda operands, params: np.reshape(operands[0], params["new_sizes"]),
    "squeeze": lambda operands, params: np.squeeze(operands[0], tuple(params["dimensions"])),
    "expand_dims": lambda operands, params: np.expand_dims(operands[0], tuple(params["dimensions"])),
    "transpose": lambda operands, params: np.transpose(operands[0], params["permutation"]),
    "reduce_sum": lambda operands, params: np.sum(operands[0], axis=tuple(params["axes"])),
}


def _is_broadcast(shape: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    return len(shape) == len(whole) and all(size in (1, full) for size, full in zip(shape, whole, strict=True))


class ZerosUnderMasks:
    """The values of a list of equations that are 0 for all arguments."""

    def __init__(self, equations: Sequence[Any], is_backward: Callable[[Any], bool]) -> None:
        """Keep the equations; nothing is computed yet.

        Args:
            equations: The equations, in their order.
            is_backward: Returns whether an equation belongs to a backward pass, whose values are left out.
        """
        self._made = {variable: equation for equation in equations for variable in equation.outvars}
        self._forward = [equation for equation in equations if not is_backward(equation)]
        self._draws: dict[Any, np.ndarray[Any, Any] | None] = {}
        self._random = np.random.default_rng(0)
        self._elements = 0

    def under(self, mask: Any, case: bool, shape: tuple[int, ...]) -> Iterator[Any]:
        """Yield the variables that are 0 for all arguments at a place where a mask may have a given value.

        Args:
            mask: The variable of the mask.
            case: The value of the mask at the place.
            shape: The shape of the selection.
        """
        draws = None if mask is None or hasattr(mask, "val") else self._drawn(mask, _DEPTH)
        if draws is None or draws.dtype != bool or not shape:
            return
        try:
            is_left_out = np.broadcast_to((draws == case).any(axis=0), shape)
        except not_of_a_signal(ValueError):
            return
        tried = 0
        for equation in self._forward:
            for variable in equation.outvars:
                aval = variable.aval
                if not _is_broadcast(getattr(aval, "shape", ()), shape) or getattr(aval.dtype, "kind", "") != "f":
                    continue
                tried += 1
                if tried > _MOST_VALUES:
                    return
                values = self._drawn(variable, _DEPTH)
                if values is None:
                    continue
                is_zero = (values == 0).all(axis=0)
                if (is_zero & is_left_out).any() and not is_zero.all() and (values[0] != values[1]).any():
                    yield variable

    def _drawn(self, operand: Any, depth: int) -> np.ndarray[Any, Any] | None:
        """Return the values of a variable, one array for each draw of the arguments; None if unknown."""
        if hasattr(operand, "val"):
            value = np.asarray(operand.val)
            return None if value.dtype.kind not in "biuf" else np.stack([value] * _DRAWS)
        if operand not in self._draws:
            self._draws[operand] = None  # until its value is known
            with np.errstate(all="ignore"):
                self._draws[operand] = self._computed(operand, depth)
        return self._draws[operand]

    def _computed(self, variable: Any, depth: int) -> np.ndarray[Any, Any] | None:
        shape = getattr(variable.aval, "shape", None)
        dtype = getattr(variable.aval, "dtype", None)
        if type(shape) is not tuple or not isinstance(dtype, np.dtype) or not all(type(size) is int for size in shape):
            return None
        size = int(np.prod(shape, dtype=np.int64))
        self._elements += size * _DRAWS
        if size > _LARGEST or self._elements > _MOST_ELEMENTS or not depth:
            return None
        equation = self._made.get(variable)
        if equation is None:
            return self._argument((_DRAWS, *shape), dtype)
        rule = _RULES.get(equation.primitive.name)
        if rule is None or len(equation.outvars) != 1:
            return None
        operands = [self._drawn(operand, depth - 1) for operand in equation.invars]
        draws = []
        for draw in range(_DRAWS):
            known = [operand[draw] for operand in operands if operand is not None]
            if len(known) < len(operands):
                return None
            try:
                draws.append(np.asarray(rule(known, equation.params)))
            except not_of_a_signal(TypeError, ValueError, KeyError, OverflowError):
                return None
        return np.stack(draws) if all(array.shape == shape for array in draws) else None

    def _argument(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any] | None:
        if dtype.kind == "b":
            return self._random.random(shape) < 0.5
        return self._random.normal(size=shape) if dtype.kind == "f" else None
