"""Compares two results of one call: equal bit for bit, within a stated tolerance, or where they differ.

- `agreement`: compares a result with the expected result.
- `result_text`: a short text for a result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ...interruptions import not_of_a_signal

Agrees = Literal["same_bits", "close", "differs", "other_types"]

# The largest difference that counts as close, relative to the largest value. Differences of this size arise when
# operations are done in another order.
TOLERANCES = {"float64": 1e-12, "float32": 1e-5, "float16": 1e-2, "bfloat16": 3e-2}
_OTHER_FLOATS = 0.1  # the tolerance for floats with eight bits or fewer
_TEXT = 120
_OTHER_TYPE = "The type of the result is {type}, the type of the reference is {expected}."
_OTHER_VALUE = "The value of the result is {value}, the value of the reference is {expected}."


@dataclass(frozen=True)
class Agreement:
    """How far two results agree. `difference` is a sentence on the difference; None if all bits are equal."""

    agrees: Agrees
    difference: str | None


def agreement(reference: Any, result: Any) -> Agreement:
    """Compare two results leaf by leaf, and return the agreement of the leaves that differ most.

    Args:
        reference: The expected result.
        result: A tree of arrays or numbers.
    """
    import jax

    expected, actual = (jax.tree_util.tree_flatten_with_path(tree)[0] for tree in (reference, result))
    structures: list[Any] = [jax.tree_util.tree_structure(tree) for tree in (reference, result)]
    if structures[0] != structures[1]:
        return Agreement("other_types", _OTHER_TYPE.format(type=type_text(result), expected=type_text(reference)))
    worst = Agreement("same_bits", None)
    severity = 0.0
    for (path, left), (_, right) in zip(expected, actual, strict=True):
        leaf_agreement, size = _leaf(jax.tree_util.keystr(path), left, right)
        if (_ORDER.index(leaf_agreement.agrees), size) > (_ORDER.index(worst.agrees), severity):
            worst, severity = leaf_agreement, size
    return worst


_ORDER = ("same_bits", "close", "differs", "other_types")


def _leaf(path: str, left: Any, right: Any) -> tuple[Agreement, float]:
    """Compare one leaf; return the agreement and the size of the difference."""
    if _type(left) != _type(right):
        right_type, left_type = _type(right), _type(left)
        text = (
            f"The type of {path} is {right_type} in the result, and {left_type} in the reference."
            if path
            else _OTHER_TYPE.format(type=right_type, expected=left_type)
        )
        return Agreement("other_types", text), 0.0
    if _type(left) is None:
        is_equal = bool(left == right)
        text = f"The two results are not equal at {path}." if path else "The two results are not equal."
        return Agreement("same_bits" if is_equal else "differs", None if is_equal else text), 0.0
    import numpy as np

    a, b = _values(left), _values(right)
    if a.tobytes() == b.tobytes():
        return Agreement("same_bits", None), 0.0
    name = a.dtype.name
    inexact = name.startswith(("float", "bfloat", "complex"))
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    x, y = (a.astype(wide), b.astype(wide)) if inexact else (a.astype(object), b.astype(object))
    if not inexact:
        return _counts(path, x, y)
    with np.errstate(all="ignore"):
        difference = np.abs(x - y)
        # Two values that are both NaN, or are the same infinity, count as equal.
        difference = np.where((x == y) | (np.isnan(x) & np.isnan(y)), 0.0, difference)
        difference = np.where(np.isnan(difference), np.inf, difference)
        size = float(difference.max())
        finite = np.abs(x)[np.isfinite(x)]
        scale = float(finite.max()) if finite.size else 0.0
    tolerance = TOLERANCES.get({"complex64": "float32", "complex128": "float64"}.get(name, name), _OTHER_FLOATS)
    at = np.unravel_index(int(np.argmax(difference)), difference.shape)
    place = f"{path}{_index(at)}"
    if not size:
        return Agreement(
            "close", "The numbers of the two results are equal, but their bits differ, as for -0.0 and 0.0."
        ), size
    if size <= tolerance * scale:
        largest = (
            f"The largest difference is {size:.2g} at {place}."
            if place
            else f"The difference of the two values is {size:.2g}."
        )
        return Agreement(
            "close", f"{largest} A difference of up to {tolerance:g} of the largest value counts as close."
        ), size
    actual_value, expected_value = _number(y[at]), _number(x[at])
    text = (
        f"The largest difference is at {place}: the result has {actual_value}, the reference has {expected_value}."
        if place
        else _OTHER_VALUE.format(value=actual_value, expected=expected_value)
    )
    return Agreement("differs", text), size


def _counts(path: str, x: Any, y: Any) -> tuple[Agreement, float]:
    """Compare integers or booleans; the size of the difference is the number of values that differ."""
    import numpy as np

    wrong = np.asarray(x != y, bool)
    at = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    place, many = f"{path}{_index(at)}", int(wrong.sum())
    actual_value, expected_value = y[at], x[at]
    text = (
        f"One value differs, at {place}: the result has {actual_value}, the reference has {expected_value}."
        if place
        else _OTHER_VALUE.format(value=actual_value, expected=expected_value)
    )
    if many > 1:
        text = (
            f"{many:,} values differ, the first of them at {place}: the result has {actual_value}, the reference has "
            f"{expected_value}."
        )
    return Agreement("differs", text), float(many)


def _index(at: Any) -> str:
    return f"[{', '.join(str(int(number)) for number in at)}]" if len(at) else ""


def _number(value: Any) -> str:
    return f"{value:.7g}"


def _type(leaf: Any) -> str | None:
    """Return the type of a leaf as JAX prints it; None for an object that is no array."""
    import jax

    try:
        aval = jax.typeof(leaf)
    except not_of_a_signal(Exception):  # JAX has no type for the leaf, which may be a string
        return None
    return str(aval.str_short(short_dtypes=True)) if hasattr(aval, "str_short") else str(aval)


def type_text(value: Any) -> str:
    """Return the types of the leaves in a tree, such as `(f32[8], i32[])`."""
    import jax

    class Named:
        def __init__(self, name: str) -> None:
            self.name = name

        def __repr__(self) -> str:
            return self.name

    text = repr(jax.tree_util.tree_map(lambda leaf: Named(_type(leaf) or type(leaf).__name__), value))
    return _shortened(text)


def result_text(value: Any) -> str:
    """Return a text of at most 120 characters for a result: its values if they are few, else its types."""
    import jax
    import numpy as np

    leaves = jax.tree_util.tree_leaves(value)
    if len(leaves) != 1 or value is not leaves[0] or _type(value) is None:
        return type_text(value)
    numbers = _values(value)
    kind = _type(value) or ""
    if numbers.ndim == 0:
        return _shortened(f"{numbers} ({kind})")
    array_text = np.array2string(
        numbers, precision=4, threshold=6, edgeitems=2, separator=", ", max_line_width=10_000
    ).replace("\n", "")
    text = f"{array_text} ({kind})"
    return text if numbers.ndim == 1 and len(text) <= _TEXT else kind


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"


def _values(leaf: Any) -> Any:
    """Return the values of a leaf as a NumPy array; for random keys, their integers."""
    import jax
    import numpy as np

    if isinstance(leaf, jax.Array) and jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return np.asarray(jax.random.key_data(leaf))
    return np.asarray(leaf, jax.typeof(leaf).dtype)  # a Python number gets the dtype that JAX would give it
