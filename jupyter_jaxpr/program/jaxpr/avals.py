"""Reads the type of a value: its text, shape, dtype and sharding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...interruptions import not_of_a_signal
from ...plain_text import FAILURES, Limit, exact, text_of, unreadable


@dataclass(frozen=True)
class AvalRow:
    """The type of a value; see `document.types.document.Aval`."""

    text: str
    shape: tuple[int | str, ...]
    dtype: str
    weak: bool
    sharding: str | None


def aval_row(aval: Any) -> AvalRow:
    """Return the `AvalRow` of a value, of an aval or of a `jax.ShapeDtypeStruct`."""
    try:
        return _aval_row(aval)
    except not_of_a_signal(*FAILURES) as error:  # one type that cannot be read must not hide the other types
        return AvalRow(unreadable(aval, error), (), "", False, None)


def _aval_row(aval: Any) -> AvalRow:
    try:
        text = exact(aval.str_short(short_dtypes=True), Limit.TYPE)
    except not_of_a_signal(*FAILURES):  # this kind of aval has no `str_short`: its `str` is used
        text = text_of(aval, Limit.TYPE)
    shape = tuple(
        axis if type(axis) is int and axis < _LARGEST else _axis(axis) for axis in getattr(aval, "shape", None) or ()
    )
    dtype = getattr(aval, "dtype", None)
    return AvalRow(
        text=text,
        shape=shape,
        dtype="" if dtype is None else text_of(dtype),
        weak=bool(getattr(aval, "weak_type", False)),
        sharding=_sharding(aval),
    )


def _axis(axis: Any) -> int | str:
    try:
        size = int(axis)
        return size if -_LARGEST < size < _LARGEST else text_of(size)
    except not_of_a_signal(*FAILURES):  # a symbolic size is stored as its text
        return text_of(axis)


_LARGEST = 2**63  # a size from this number on is stored as text


def _sharding(aval: Any) -> str | None:
    try:
        spec = aval.sharding.spec
        if all(axis is None for axis in spec):
            return None
        return text_of(spec)
    except not_of_a_signal(*FAILURES):  # the type states no sharding: None is stored
        return None
