"""Decides what a recording keeps of a value: all elements of a small array, a few numbers for a large one.

- `Sketch.take` is traced into the loop and gives arrays of fixed shapes for the buffers.
- `Sketch.read` converts a row of the buffers, on the host, to a `Seen`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

# An array with at most this many elements is kept completely.
WHOLE = 64
# An array with at most this many elements is printed completely.
IN_FULL = 8
# How many elements of a longer array are printed.
_FIRST = 2


@dataclass(frozen=True)
class Seen:
    """One recorded value as the stepper shows it."""

    text: str
    number: float | None
    minimum: float | None
    mean: float | None
    maximum: float | None
    nans: int
    infinities: int
    # the elements of an array that is kept completely, such as `-0.8284 NaN inf 1`, for its picture; None for other
    # values
    elements: str | None = None


class Sketch:
    """Decides which parts of the values of one type are kept.

    Args:
        aval: The type.
    """

    def __init__(self, aval: Any) -> None:
        import jax
        import jax.numpy as jnp

        self.aval = aval
        self.type = str(aval.str_short(short_dtypes=True))
        self.is_key = jnp.issubdtype(aval.dtype, jax.dtypes.prng_key)
        self.shape: tuple[int, ...] = tuple(int(size) for size in aval.shape)
        self.elements = math.prod(self.shape)
        self.dtype = aval.dtype
        self._is_full = self.is_key or self.elements <= WHOLE
        self._inexact = not self.is_key and jnp.issubdtype(aval.dtype, np.inexact)
        self._complex = not self.is_key and jnp.issubdtype(aval.dtype, np.complexfloating)
        self._bool = not self.is_key and aval.dtype == np.bool_

    @property
    def number_name(self) -> str:
        """The name of the number in `Seen.number`: value, |value| for a complex scalar, or norm for an array."""
        if self.is_key:
            return ""
        if self.elements == 1 and not self.shape:
            return "|value|" if self._complex else "value"
        return "norm"

    @property
    def summarised(self) -> bool:
        """True if minimum, mean and maximum are shown instead of the elements."""
        return not self.is_key and not self._complex and not self._bool and self.elements > IN_FULL

    @property
    def is_drawn(self) -> bool:
        """True if a picture shows more than the text: the array is kept completely, but printed only in part."""
        return self._is_full and not self.is_key and not self._complex and self.elements > IN_FULL

    def take(self, value: Any) -> tuple[Any, ...]:
        """Return the parts of a value that are kept; called while JAX traces."""
        import jax
        import jax.numpy as jnp

        if self.is_key:
            data = jax.random.key_data(value).reshape(-1)
            return (data[:WHOLE],)
        flat = jnp.reshape(value, (-1,))
        if self._is_full:
            return (flat,)
        if self._bool:
            return (flat[:_FIRST], jnp.sum(flat, dtype=jnp.int32))
        size = jnp.abs(flat) if self._complex else flat
        wide = size.astype(jnp.promote_types(size.dtype, jnp.float32))
        if not self._inexact:
            ends = jnp.stack([jnp.min(flat), jnp.max(flat)])
            return (flat[:_FIRST], ends, jnp.stack([jnp.mean(wide), jnp.sqrt(jnp.sum(wide * wide))]))
        finite = jnp.isfinite(wide)
        count = jnp.sum(finite, dtype=jnp.int32)
        clean = jnp.where(finite, wide, 0)
        lowest, highest = jnp.min(jnp.where(finite, wide, jnp.inf)), jnp.max(jnp.where(finite, wide, -jnp.inf))
        mean, norm = jnp.sum(clean) / jnp.maximum(count, 1), jnp.sqrt(jnp.sum(clean * clean))
        nans = jnp.sum(jnp.isnan(flat), dtype=jnp.int32)
        # Each kept part of a value needs a buffer, which makes the compile slower, so only few parts are kept.
        return (flat[:_FIRST], jnp.stack([lowest, highest]), jnp.stack([mean, norm]), jnp.stack([count, nans]))

    def read(self, parts: tuple[Any, ...]) -> Seen:
        """Return the value as the stepper shows it, from its kept parts as NumPy arrays."""
        if self.is_key:
            (data,) = parts
            return Seen(f"key[{' '.join(str(int(word)) for word in data)}]", None, None, None, None, 0, 0)
        if self._is_full:
            return self._read_whole(parts[0])
        first = parts[0]
        if self._bool:
            return Seen(_text(first, self.elements), float(math.sqrt(int(parts[1]))), None, None, None, 0, 0)
        text = _text(first, self.elements)
        low, high, mean, norm = (_finite(number) for part in parts[1:3] for number in part)
        if not self._inexact:
            return Seen(text, norm, low, mean, high, 0, 0)
        count, nans = (int(number) for number in parts[3])
        if not count:
            low = high = mean = None
        if self._complex:
            low = high = mean = None
        return Seen(text, norm, low, mean, high, nans, self.elements - count - nans)

    def _read_whole(self, flat: Any) -> Seen:
        text = scalar_text(flat[0]) if not self.shape else _text(flat, self.elements)
        wide = np.abs(flat) if self._complex else flat
        with np.errstate(all="ignore"):
            numbers = wide.astype(np.float64)
        finite = numbers[np.isfinite(numbers)]
        nans = int(np.isnan(numbers).sum())
        infinities = len(numbers) - len(finite) - nans
        number = _finite(numbers[0]) if not self.shape else _finite(np.sqrt(np.sum(finite * finite)))
        elements = " ".join(f"{element:.4g}" for element in numbers) if self.is_drawn else None
        if not self.summarised or not len(finite):
            return Seen(text, number, None, None, None, nans, infinities, elements)
        low, mean, high = (_finite(statistic) for statistic in (finite.min(), finite.mean(), finite.max()))
        return Seen(text, number, low, mean, high, nans, infinities, elements)


def _text(first: Any, elements: int) -> str:
    limit = elements if elements <= IN_FULL else _FIRST
    words = [scalar_text(value) for value in first[:limit]]
    if elements > limit:
        words.append(f"… +{elements - limit}")
    return f"[{' '.join(words)}]"


def array_text(array: Any) -> str:
    """Return a NumPy array as text, in the form that the stepper shows."""
    return scalar_text(array[()]) if not array.shape else _text(array.reshape(-1), array.size)


def scalar_text(value: Any) -> str:
    """Return a number as NumPy prints it in its own dtype; NaN and inf have these names."""
    text = str(value)
    return {"nan": "NaN"}.get(text, text)


def _finite(value: Any) -> float | None:
    number = float(value)
    return number if math.isfinite(number) else None
