"""Computes floats of a program by NumPy, with a bound for their difference from the floats that the device computes.

XLA may join two operations, for example a product and a sum without a rounding between them, or two constant factors.
The result of the first rounded operation is certain; later results have a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_SINGLE, _DOUBLE = 4, 8  # the sizes in bytes of the floats that NumPy has
_LARGEST = float(2**30)  # a float that is further from zero than this may not fit into an integer type
_UNITS = 4  # the most units in the last place by which one operation on a rounded float may differ
Rule = Callable[[Sequence[Any], Mapping[str, Any]], Any]


@dataclass(frozen=True, eq=False)
class Floats:
    """An array of floats.

    Attributes:
        array: The floats as NumPy computes them.
        bound: For each float, the largest difference from the float of the run; 0 for a float that is certain.
        is_rounded: For each float, whether an operation that made the float rounded it.
        is_sum: True if an addition or a subtraction made the array.
    """

    array: Any
    bound: Any
    is_rounded: Any
    is_sum: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        shape: tuple[int, ...] = self.array.shape
        return shape

    @property
    def ndim(self) -> int:
        """The number of axes of the array."""
        return len(self.shape)


def certain(value: Any) -> Floats | None:
    """Return the floats of an array whose values the run certainly has; None if NumPy lacks the type of the floats."""
    import numpy as np

    array = np.asarray(value)
    if array.dtype.kind != "f" or array.dtype.itemsize not in (_SINGLE, _DOUBLE):
        return None
    return Floats(array, np.zeros(array.shape), np.zeros(array.shape, bool))


def result_of(name: str, operands: Sequence[Any], params: Mapping[str, Any], rules: Mapping[str, Rule]) -> Any:
    """Return the result of an equation that reads or makes floats.

    Args:
        name: The name of the primitive.
        operands: The operands: `Floats`, or a NumPy array of integers or booleans.
        params: The parameters of the equation.
        rules: The rules of the primitives that only move elements, for NumPy arrays.

    Returns:
        `Floats`; a NumPy array of integers or booleans if all its elements are certain; None if the result is unknown.
    """
    import numpy as np

    with np.errstate(all="ignore"):
        if name == "convert_element_type":
            return _converted(operands[0], np.dtype(params["new_dtype"]))
        if name == "select_n":
            return _selected(*operands)
        if not all(isinstance(operand, Floats) for operand in operands):
            return None
        if name in _MOVES:
            return _moved(operands, params, rules[name])
        if name in ("add", "sub", "mul", "div"):
            return _computed(name, *operands)
        if name in ("max", "min"):
            return _larger_or_smaller(name, *operands)
        if name in ("lt", "gt", "le", "ge"):
            return _compared(name, *operands)
        if name in ("floor", "ceil", "round"):
            return _whole(name, operands[0], params)
        if name in ("neg", "abs"):
            (value,) = operands
            array = -value.array if name == "neg" else np.abs(value.array)
            return Floats(array, value.bound, value.is_rounded, value.is_sum)
    return None


NAMES = frozenset("convert_element_type add sub mul div max min lt gt le ge floor ceil round neg abs".split())
_PARTS = ("array", "bound", "is_rounded")
_MOVES = frozenset("broadcast_in_dim reshape squeeze concatenate stage".split())


def _moved(operands: Sequence[Floats], params: Mapping[str, Any], rule: Rule) -> Floats | None:
    array, bound, is_rounded = (rule([getattr(value, part) for value in operands], params) for part in _PARTS)
    return None if array is None else Floats(array, bound, is_rounded, any(value.is_sum for value in operands))


def _selected(which: Any, *choices: Any) -> Any:
    import numpy as np

    if which.ndim == 0:
        return choices[int(which)]
    if len(choices) != 2 or not all(isinstance(choice, Floats) for choice in choices):
        return None
    array, bound, is_rounded = (
        np.where(which, *(getattr(choice, part) for choice in reversed(choices))) for part in _PARTS
    )
    return Floats(array, bound, is_rounded, any(choice.is_sum for choice in choices))


def _computed(name: str, left: Floats, right: Floats) -> Floats:
    """Return a sum, a difference, a product or a quotient."""
    import numpy as np

    operation = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}[name]
    array = operation(left.array, right.array)
    a, b = left.array.astype(float), right.array.astype(float)
    exact = operation(a, b)
    unit = np.spacing(np.abs(array)).astype(float)
    is_sum = name in ("add", "sub")
    if is_sum:
        # XLA may add a product before the product is rounded
        unit = np.maximum(unit, np.maximum(np.spacing(np.abs(left.array)), np.spacing(np.abs(right.array))))
        bound = left.bound + right.bound
    elif name == "mul":
        bound = np.abs(a) * right.bound + np.abs(b) * left.bound + left.bound * right.bound
    else:
        bound = (left.bound + np.abs(exact) * right.bound) / np.maximum(np.abs(b) - right.bound, 0)
        # XLA divides by a constant as a product with the reciprocal; other devices than the CPU divide less exactly
        reciprocal = left.array * (np.ones_like(right.array) / right.array)
        bound = bound + (np.abs(array - reciprocal) if _divides_exactly() else _UNITS * unit)
    is_later = left.is_rounded | right.is_rounded | (is_sum and (left.is_sum or right.is_sum))
    bound = bound + np.where(is_later | (bound > 0), _UNITS * unit, 0.0)
    is_rounded = is_later | (exact != array) | (array.dtype.itemsize == _DOUBLE)
    return Floats(array, bound, is_rounded, is_sum)


def _divides_exactly() -> bool:
    import jax

    return jax.default_backend() == "cpu"


def _larger_or_smaller(name: str, left: Floats, right: Floats) -> Floats:
    import numpy as np

    is_left = left.array > right.array if name == "max" else left.array < right.array
    is_clear = np.abs(left.array.astype(float) - right.array) > left.bound + right.bound
    bound = np.where(is_clear, np.where(is_left, left.bound, right.bound), np.maximum(left.bound, right.bound))
    is_rounded = np.where(is_left, left.is_rounded, right.is_rounded) | ~is_clear & (left.is_rounded | right.is_rounded)
    array = np.maximum(left.array, right.array) if name == "max" else np.minimum(left.array, right.array)
    return Floats(array, bound, is_rounded, left.is_sum or right.is_sum)


def _compared(name: str, left: Floats, right: Floats) -> Any:
    import numpy as np

    bound = left.bound + right.bound
    if not ((np.abs(left.array.astype(float) - right.array) > bound) | (bound == 0)).all():
        return None
    comparison = {"lt": np.less, "gt": np.greater, "le": np.less_equal, "ge": np.greater_equal}[name]
    return comparison(left.array, right.array)


def _whole(name: str, value: Floats, params: Mapping[str, Any]) -> Floats | None:
    """Return the floats rounded to whole numbers."""
    import numpy as np

    rounding: Any = {"floor": np.floor, "ceil": np.ceil}.get(name, np.rint)
    if name == "round" and getattr(params["rounding_method"], "name", "") != "TO_NEAREST_EVEN":
        return None
    array, exact = rounding(value.array), value.array.astype(float)
    least, most = rounding(exact - value.bound), rounding(exact + value.bound)
    return Floats(array, np.maximum(most - array, array - least), np.zeros(array.shape, bool))


def _converted(value: Any, dtype: Any) -> Any:
    import numpy as np

    if not isinstance(value, Floats):
        return certain(value.astype(dtype)) if dtype.kind == "f" else value.astype(dtype)
    if dtype == value.array.dtype:
        return value
    if dtype.kind not in "iu":
        return None
    exact = value.array.astype(float)
    least, most = np.trunc(exact - value.bound), np.trunc(exact + value.bound)
    limits = np.iinfo(dtype)
    fits = (least >= max(-_LARGEST, limits.min)) & (most <= min(_LARGEST, limits.max))
    return exact.astype(dtype) if (fits & (least == most)).all() else None
