"""Computes the integers, booleans and certain floats of a program by NumPy, as far as they follow from known values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import float_values
from .float_values import Floats

Rule = Callable[[Sequence[Any], Mapping[str, Any]], Any]

LONGEST = 64
"""The most elements of an array whose values are kept."""


def is_of_numpy(value: Any) -> bool:
    """Return whether a value is an array or a number of NumPy, or a constant that JAX keeps as one."""
    import numpy as np

    return isinstance(value, np.ndarray | np.generic) or type(value).__name__ == "TypedNdArray"


def keep(values: dict[Any, Any], variable: Any, value: Any) -> None:
    """Keep the value of a variable, if it is a small array of integers, booleans or certain floats."""
    import numpy as np

    if isinstance(value, Floats):
        values[variable] = value
    elif is_of_numpy(value):
        array = np.asarray(value)
        if array.size <= LONGEST:
            kept = array if array.dtype.kind in "biu" else float_values.certain(array)
            if kept is not None:
                values[variable] = kept


def value_of(operand: Any, values: Mapping[Any, Any]) -> Any:
    """Return the value of a variable or a literal; None if it is unknown."""
    import numpy as np

    if hasattr(operand, "val"):
        literal = operand.val
        if isinstance(literal, bool | int | np.generic):
            literal = np.asarray(literal)
        if not isinstance(literal, np.ndarray) or literal.size > LONGEST:
            return None
        return float_values.certain(literal) if literal.dtype.kind == "f" else literal
    return values.get(operand)


def computed(name: str, operands: Sequence[Any], params: Mapping[str, Any]) -> Any:
    """Return the result of an equation; None if the primitive has no rule, or if a needed operand is unknown."""
    import numpy as np

    rule = _RULES.get(name)
    if rule is None and name in float_values.NAMES:
        rule = _of_floats_alone
    known = operands[:1] if name == "select_n" else operands
    if rule is None or any(operand is None for operand in known):
        return None
    result = _result_of(name, rule, operands, params)
    return np.asarray(result) if isinstance(result, np.generic) else result


def element_of(array: Any, place: int) -> Any:
    """Return one element, or one row, of a known array."""
    import numpy as np

    if isinstance(array, Floats):
        numbers, bound, is_rounded = (np.asarray(part[place]) for part in (array.array, array.bound, array.is_rounded))
        return Floats(numbers, bound, is_rounded, array.is_sum)
    return np.asarray(array[place])


def _result_of(name: str, rule: Rule, operands: Sequence[Any], params: Mapping[str, Any]) -> Any:
    if name == "convert_element_type" or any(isinstance(operand, Floats) for operand in operands):
        return float_values.result_of(name, operands, params, _RULES)
    return rule(operands, params)


def _of_floats_alone(_: Sequence[Any], __: Mapping[str, Any]) -> None:
    """Return no result for operands that are no floats."""


def _broadcast(operands: Sequence[Any], params: Mapping[str, Any]) -> Any:
    import numpy as np

    (operand,), shape = operands, tuple(params["shape"])
    if int(np.prod(shape)) > LONGEST:
        return None
    sizes = [1] * len(shape)
    for axis, to in enumerate(params["broadcast_dimensions"]):
        sizes[to] = operand.shape[axis]
    return np.broadcast_to(operand.reshape(sizes), shape)


def _selected(operands: Sequence[Any], _: Mapping[str, Any]) -> Any:
    import numpy as np

    if len(operands) != 3:
        return None
    which, *choices = operands
    if which.ndim == 0 and choices[int(which)] is not None:
        return choices[int(which)]
    return None if any(choice is None for choice in choices) else np.where(which, choices[1], choices[0])


def _chosen(operands: Sequence[Any], is_first: Any) -> Any:
    import numpy as np

    return np.where(is_first, *operands)


def _dynamic_slice(operands: Sequence[Any], sizes: Sequence[int]) -> Any:
    array, *begins = operands
    lasts = [length - size for length, size in zip(array.shape, sizes, strict=True)]
    inside = [min(max(int(begin), 0), last) for begin, last in zip(begins, lasts, strict=True)]
    return array[tuple(slice(begin, begin + size) for begin, size in zip(inside, sizes, strict=True))]


def _joined(operands: Sequence[Any], params: Mapping[str, Any]) -> Any:
    import numpy as np

    return np.concatenate(operands, params["dimension"])


def _counted(_: Sequence[Any], params: Mapping[str, Any]) -> Any:
    import numpy as np

    shape, axis = tuple(params["shape"]), params["dimension"]
    if int(np.prod(shape)) > LONGEST or np.dtype(params["dtype"]).kind not in "iu":
        return None
    sizes = [size if place == axis else 1 for place, size in enumerate(shape)]
    return np.broadcast_to(np.arange(shape[axis], dtype=params["dtype"]).reshape(sizes), shape)


_RULES: Mapping[str, Rule] = {
    "lt": lambda operands, _: operands[0] < operands[1],
    "gt": lambda operands, _: operands[0] > operands[1],
    "le": lambda operands, _: operands[0] <= operands[1],
    "ge": lambda operands, _: operands[0] >= operands[1],
    "add": lambda operands, _: operands[0] + operands[1],
    "sub": lambda operands, _: operands[0] - operands[1],
    "mul": lambda operands, _: operands[0] * operands[1],
    "max": lambda operands, _: _chosen(operands, operands[0] > operands[1]),
    "min": lambda operands, _: _chosen(operands, operands[0] < operands[1]),
    "select_n": _selected,
    "broadcast_in_dim": _broadcast,
    "concatenate": _joined,
    "iota": _counted,
    "reshape": lambda operands, params: (
        operands[0].reshape(params["new_sizes"]) if params.get("dimensions") is None else None
    ),
    "slice": lambda operands, params: operands[0][
        tuple(map(slice, params["start_indices"], params["limit_indices"], params["strides"] or [1] * operands[0].ndim))
    ],
    "dynamic_slice": lambda operands, params: _dynamic_slice(operands, params["slice_sizes"]),
    "squeeze": lambda operands, params: operands[0].squeeze(tuple(params["dimensions"])),
    "stage": lambda operands, _: operands[0],  # outside of jit, JAX puts a Python number onto a device by `stage`
}
