"""Makes a short text (repr) of a user's value, and limits when methods of the user's classes may be called.

Scalars, strings, containers of builtin types, and names of functions and classes can be printed at any time, because
printing them runs no user code. For any other object the text is the name of its class, unless a cell is observed. In
an observed cell the `__repr__` of each object is called at most once, and after a slow `__repr__` no further `__repr__`
is called. No lock of this package is held while a text is made, because a `__repr__` may call jitted functions, or wait
for threads that do.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import time
import types
import weakref
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, Final

from ..interruptions import not_of_a_signal
from ..jax.facts import is_jitted
from ..jax.leaves_and_context_of_key import is_structure
from ..plain_text import (
    FAILURES,
    Limit,
    attribute_of,
    defined,
    exact,
    kind_name,
    mro_of,
    own_name,
    repr_of,
)

SLOW: Final = 0.010
"""The seconds after which a slow __repr__ ends all further calls in the cell."""

_OBJECTS = 10_000
_DEPTH = 6
_PRINTED = 6_000
_BITS = 1_024
_SCALARS = frozenset({bool, int, float, complex, str, bytes, type(None), type(Ellipsis)})
_NAMED = frozenset({FunctionType, types.BuiltinFunctionType, types.MethodType})
_BRACKETS: Final[dict[type, tuple[str, str]]] = {
    tuple: ("(", ")"),
    list: ("[", "]"),
    set: ("{", "}"),
    frozenset: ("frozenset({", "})"),
}


class Reading:
    """Makes texts of values, and remembers them: for each object, a user's `__repr__` is called at most once.

    Args:
        calls: True if methods of the user's classes may be called, as in an observed cell.
    """

    __slots__ = ("_calls_users_code", "_texts", "calls")

    def __init__(self, calls: bool = True) -> None:
        self.calls = calls
        self._calls_users_code = calls  # Changed to False after a slow `__repr__`.
        # Id of an object -> (reference to the object, its text). An object that allows no weak reference is kept alive,
        # because another object could get its id.
        self._texts: dict[int, tuple[Any, str]] = {}

    def text(self, value: Any, limit: int = Limit.VALUE) -> str:
        """Return the text of a value on one line."""
        return exact(self._text(value, limit, _DEPTH), limit)

    def hash_of(self, value: Any) -> int | None:
        """Return the hash of a value; None if it is unhashable, or if user methods may not be called."""
        if not self.calls:
            return None
        try:
            return hash(value)
        except not_of_a_signal(*FAILURES):  # JAX, too, will raise for an unhashable static value
            return None

    def _text(self, value: Any, limit: int, depth: int) -> str:
        kind = type(value)
        if kind in _SCALARS:
            return _scalar(value, limit)
        if kind in _BRACKETS or kind is dict:
            return self._container(value, limit, depth)
        if kind in _NAMED or is_jitted(value):
            return _named(value)
        if issubclass(kind, type):
            return exact(type.__repr__(value))
        if not self.calls or kind is functools.partial or is_structure(value):
            return f"<{kind_name(kind)}>"
        return self._record(value, limit, depth) or self._from_repr(value)

    def _container(self, value: Any, limit: int, depth: int) -> str:
        kind = type(value)
        if not depth:
            return "…"
        if kind is dict:
            items = (
                f"{self._text(key, limit, depth - 1)}: {self._text(item, limit, depth - 1)}"
                for key, item in value.items()
            )
            return f"{{{_joined(items, limit)}}}"
        begin, end = _BRACKETS[kind]
        if not value:
            return "set()" if kind is set else "frozenset()" if kind is frozenset else begin + end
        comma = "," if kind is tuple and len(value) == 1 else ""
        return f"{begin}{_joined((self._text(item, limit, depth - 1) for item in value), limit)}{comma}{end}"

    def _record(self, value: Any, limit: int, depth: int) -> str | None:
        """Return the text of a named tuple or dataclass whose `__repr__` is the one that Python generates; else None.

        Each field is printed separately, so that the `__repr__` of each value is called at most once.
        """
        kind = type(value)
        names = _printed_fields(kind)
        if names is None:
            return None
        if not depth:
            return "…"
        items = (f"{name}={self._text(_field(value, name), limit, depth - 1)}" for name in names)
        name = "__name__" if issubclass(kind, tuple) else "__qualname__"
        return f"{kind_name(kind, name)}({_joined(items, limit)})"

    def printed(self, value: Any) -> str:
        """Return the `str` of an object; the text is remembered, so `str` is called at most once."""
        return self._printed(value, str)

    def _from_repr(self, value: Any) -> str:
        text = " ".join(self._printed(value, repr).split())
        if " at 0x" in text:
            name = attribute_of(value, "__qualname__")
            text = f"<{exact(name) if issubclass(type(name), str) else kind_name(type(value))}>"
        return text

    def _printed(self, value: Any, printer: Callable[[Any], str]) -> str:
        """Return the remembered text of an object; at the first request, `printer` makes the text."""
        kind = kind_name(type(value))
        remembered = self._texts.get(id(value))
        if (
            remembered is not None
            and (remembered[0]() if type(remembered[0]) is weakref.ref else remembered[0]) is value
        ):
            return remembered[1]
        if not self._calls_users_code or len(self._texts) >= _OBJECTS:
            return f"<{kind}>"
        try:
            reference: Any = weakref.ref(value)
        except TypeError:
            reference = value
        # this text is printed where the `__repr__` of the object prints the object itself
        self._texts[id(value)] = reference, f"<{kind}>"
        begun = time.perf_counter()
        try:
            text = exact(printer(value), _PRINTED)
        except not_of_a_signal(*FAILURES):
            text = f"<{kind}>"
        if time.perf_counter() - begun > SLOW:
            self._calls_users_code = False
        self._texts[id(value)] = reference, text
        return text


NOTHING_CALLED = Reading(calls=False)
"""The reading outside of observed cells and blocks, which calls no method of the user's."""


def is_of_users(kind: type) -> bool:
    """Return whether a class belongs to neither Python, JAX nor NumPy: its `__repr__` may run any code."""
    return (own_name(kind, "__module__") or "").partition(".")[0] not in _KNOWN_PACKAGES


_KNOWN_PACKAGES = frozenset({"builtins", "functools", "jax", "jaxlib", "ml_dtypes", "numpy", "types"})


def _scalar(value: Any, limit: int) -> str:
    if type(value) is int and value.bit_length() > _BITS:
        return f"<int of {value.bit_length()} bits>"  # Python refuses to print such a long int
    if type(value) in (str, bytes):
        return " ".join(repr(value if len(value) <= limit else value[: limit + 1]).split())
    return repr(value)


def _joined(items: Iterable[str], limit: int) -> str:
    """Return the items joined by commas, cut to `limit` characters."""
    texts: list[str] = []
    room = limit
    for item in items:
        texts.append(item)
        room -= len(item) + 2
        if room < 0:
            break
    return ", ".join(texts)


def _named(value: Any) -> str:
    """Return the name of a function or a class in the form of its repr, such as <step>."""
    name = own_name(value, "__qualname__") or own_name(value)
    if type(value) is types.BuiltinFunctionType:
        return repr_of(value) if type(value.__self__) in (types.ModuleType, type(None)) else f"<{name}>"
    return f"<{name or kind_name(type(value))}>" if name != "<lambda>" else name


def _printed_fields(kind: type) -> list[str] | None:
    """Return the names of the fields that a generated `__repr__` prints, of a dataclass or a named tuple.

    Return None if the class has another `__repr__`.
    """
    try:
        return _named_tuple_fields(kind) if issubclass(kind, tuple) else _dataclass_fields(kind)
    except not_of_a_signal(*FAILURES):  # the class has a metaclass, which may hide attributes
        return None


def _named_tuple_fields(kind: type) -> list[str] | None:
    repr_method, names = defined(kind, "__repr__"), defined(kind, "_fields")
    if type(repr_method) is not FunctionType or repr_method.__code__.co_filename != _NAMED_TUPLE_FILE:
        return None
    return [exact(name) for name in names]


def _dataclass_fields(kind: type) -> list[str] | None:
    # `dataclass` wraps its `__repr__` to prevent endless recursion; `__wrapped__` is the generated method
    repr_method = attribute_of(defined(kind, "__repr__"), "__wrapped__")
    if (
        type(repr_method) is not FunctionType
        or repr_method.__code__.co_filename != "<string>"
        or repr_method.__name__ != "__repr__"
    ):
        return None
    owner: Any = next(base for base in mro_of(kind) if "__repr__" in vars(base))
    return [exact(field.name) for field in dataclasses.fields(owner) if field.repr]


_NAMED_TUPLE_FILE: Final = vars(collections.namedtuple("_Sample", ""))["__repr__"].__code__.co_filename


def _field(value: Any, name: str) -> Any:
    try:
        return getattr(value, name)
    except not_of_a_signal(*FAILURES):
        return ...
