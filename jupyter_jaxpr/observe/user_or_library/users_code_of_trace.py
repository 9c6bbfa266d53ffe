"""Finds the code objects of user functions that a trace of a function may call.

No code of the user's runs: attributes are read directly from the `__dict__` of objects.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Iterator, Mapping
from types import CodeType, FrameType, FunctionType
from typing import Any

from ...interruptions import not_of_a_signal
from ...jax.facts import is_jitted
from ...plain_text import file_of
from .whose_code import is_installed

# The most values that the search for one trace examines.
_VALUES = 20_000
# Objects with more attributes than this, and containers with more items, are not searched.
_ATTRIBUTES = 64


class UsersCodes:
    """Finds the code objects of user functions.

    A namespace is searched once, and again when its number of names has changed.
    """

    def __init__(self) -> None:
        self._looked_through: dict[int, int] = {}  # id of a namespace -> its number of names at the last search
        self._left = 0

    def reached_from(self, fun: Any, frame: FrameType | None) -> Iterator[CodeType]:
        """Yield the code objects of the function, of its module, and of the cell or file that starts the trace.

        Args:
            fun: The function.
            frame: The frame where the search for the user's frame begins; its callers follow.
        """
        self._left = _VALUES
        waiting: list[Any] = [fun]
        namespaces: list[dict[str, Any]] = []
        caller = _users_frame(frame)
        if caller is not None:
            namespaces.append(caller.f_globals)
            yield from _defined_in(caller)
        visited: set[int] = set()
        while (waiting or namespaces) and self._left > 0:
            while namespaces:
                names = namespaces.pop()
                if self._looked_through.get(id(names)) != len(names):
                    self._looked_through[id(names)] = len(names)
                    waiting += list(names.values())
            if not waiting:
                break
            self._left -= 1
            value = waiting.pop()
            if type(value) in _PLAIN or id(value) in visited:
                continue
            visited.add(id(value))
            if type(value) in _CONTAINERS:
                # Containers are searched, too: libraries keep a wrapped function in a tuple, and users keep functions
                # in lists.
                if len(value) <= _ATTRIBUTES:
                    waiting += value.values() if type(value) is dict else value
                continue
            if type(value) is FunctionType and not is_installed(file_of(value.__code__)):
                yield from with_nested(value.__code__)
                namespaces.append(value.__globals__)
            waiting += _inside(value)


def _users_frame(frame: FrameType | None) -> FrameType | None:
    while frame is not None and is_installed(file_of(frame.f_code)):
        frame = frame.f_back
    return frame


def _defined_in(frame: FrameType) -> Iterator[CodeType]:
    """Yield the code objects that the cell or the file of `frame` defines.

    These include methods that a library class wraps.
    """
    while frame.f_back is not None and not is_installed(file_of(frame.f_back.f_code)):
        frame = frame.f_back
    for constant in frame.f_code.co_consts:
        if isinstance(constant, CodeType):
            yield from with_nested(constant)


def _inside(value: Any) -> list[Any]:
    """Return the objects that a value may call: functions in a closure, methods of a class, attributes of an object."""
    kind = type(value)
    if kind is FunctionType:
        wrapped = [value.__dict__["__wrapped__"]] if "__wrapped__" in value.__dict__ else []
        return wrapped + [inner for cell in value.__closure__ or () if (inner := _content(cell)) is not None]
    if kind in _METHODS:
        return [value.__func__]
    if kind is functools.partial:
        return [value.func, *value.args]
    if is_jitted(value):
        return [value.__wrapped__]
    if issubclass(kind, type):
        return list(_namespace(value).values()) if _is_users_class(value) else []
    stored = _stored(value)
    if stored is None or len(stored) > _ATTRIBUTES:
        return [] if _holds_no_users_code(kind) else [kind]
    return [
        attribute
        for attribute in stored.values()
        if type(attribute) not in _PLAIN and not _holds_no_users_code(type(attribute))
    ] + [kind]


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except not_of_a_signal(ValueError):  # the closure cell is empty: its variable has no value yet
        return None


def _namespace(kind: type) -> Mapping[str, Any]:
    """Return the `__dict__` of a class without running code of its metaclass."""
    namespace: Mapping[str, Any] = type.__dict__["__dict__"].__get__(kind)
    return namespace


def _is_users_class(kind: type) -> bool:
    module = sys.modules.get(_namespace(kind).get("__module__", ""))
    file = vars(module).get("__file__") if type(module) is types.ModuleType else None
    return type(module) is types.ModuleType and not (isinstance(file, str) and is_installed(file))


def _stored(value: Any) -> dict[str, Any] | None:
    try:
        stored = object.__getattribute__(value, "__dict__")
    except (AttributeError, TypeError):
        return None
    return stored if type(stored) is dict else None


def _holds_no_users_code(kind: type) -> bool:
    """Return whether a class belongs to JAX, NumPy, the kernel or this package.

    Objects of these classes refer to many objects of the session, so their attributes are not searched.
    """
    module = _namespace(kind).get("__module__")
    return isinstance(module, str) and module.partition(".")[0] in _WITHOUT_USERS_CODE


def with_nested(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and the code objects of the functions inside it."""
    if sys.version_info < (3, 13) and "locals" in code.co_names:
        return  # if a frame's variables were read, the user's `locals()` would return other values
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from with_nested(constant)


_WITHOUT_USERS_CODE = frozenset(
    {"jax", "jaxlib", "numpy", "IPython", "ipykernel", "traitlets", "weakref", __name__.partition(".")[0]}
)
_CONTAINERS = frozenset({list, tuple, dict})
_METHODS = (types.MethodType, staticmethod, classmethod)
_PLAIN = frozenset(
    {
        str,
        bytes,
        int,
        float,
        bool,
        complex,
        type(None),
        set,
        types.ModuleType,
        types.BuiltinFunctionType,
    }
)
