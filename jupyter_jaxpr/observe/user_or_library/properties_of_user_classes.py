"""Finds values of a call that JAX could read only by running code of a user's class."""

from __future__ import annotations

import collections
import functools
import sys
from collections.abc import Iterable
from types import FunctionType
from typing import Any

from ...jax import dispatch_types
from ...plain_text import defined, file_of, kind_name, own_name
from ..reprs_of_users_values import is_of_users
from .whose_code import is_installed

_CONTAINERS = frozenset({tuple, list, set, frozenset})
_MAPPINGS = frozenset({dict, collections.OrderedDict, collections.defaultdict})


def read_by_users_code(tree: Any, checked_classes: set[type]) -> str | None:
    """Return the name of the first user class in a tree of values whose objects JAX reads by running user code.

    Python containers and dataclasses that a library flattens are searched; other objects are not. Return None if there
    is no such class.

    Args:
        tree: The values, in Python containers.
        checked_classes: Classes that are known to run no user code; the function adds to the set.
    """
    left = [tree]
    while left:
        value = left.pop()
        kind = type(value)
        if kind in checked_classes:
            continue
        if kind in _CONTAINERS:
            left += value
        elif kind in _MAPPINGS:
            left += value.values()
            names = map(comparing_class, {type(key) for key in value} - checked_classes)
            if (name := next(filter(None, names), None)) is not None:
                return name
        elif issubclass(kind, tuple) and "_fields" in vars(kind) and not _is_taken_apart_by_user(kind):
            left += tuple.__iter__(value)
        elif issubclass(kind, functools.partial):
            left += (value.func, value.args, value.keywords)
        elif _is_defined_by_user(kind) and (dispatch_types.is_registered(kind) or _runs_when_read(kind)):
            fields = _fields(value, kind)
            if fields is None:
                return kind_name(kind)
            left += fields
        else:
            checked_classes.add(kind)
    return None


def comparing_class(kind: type) -> str | None:
    """Return the name of a class if comparing or hashing its objects runs user code; else None."""
    if kind is FunctionType or not _is_defined_by_user(kind):
        return None
    methods = [defined(kind, name) for name in ("__hash__", "__eq__", "__lt__")]
    codes = [method.__code__ for method in methods if type(method) is FunctionType]
    return kind_name(kind) if any(not is_installed(file_of(code)) for code in codes) else None


_READ = (
    *("__hash__", "__eq__", "__getattr__", "__getattribute__", "__jax_array__", "__array__", "__bool__", "__len__"),
    *("__iter__", "__index__", "__int__", "__float__", "__complex__", "aval", "dtype", "ndim", "shape", "weak_type"),
)
"""The methods and attributes that JAX may read of an object that is one leaf or a static argument."""


def _runs_when_read(kind: type) -> bool:
    """Return whether a user class defines, in Python, a method or property that JAX may call on an object."""
    return any(type(defined(kind, name)) in (FunctionType, property, classmethod, staticmethod) for name in _READ)


def _is_taken_apart_by_user(kind: type) -> bool:
    code = dispatch_types.flatten_code(kind)
    return code is not None and not is_installed(file_of(code))


def _fields(value: Any, kind: type) -> Iterable[Any] | None:
    """Return the field values of a dataclass object that JAX or a library flattens; None for other objects."""
    code = dispatch_types.flatten_code(kind)
    if code is None or not is_installed(file_of(code)):
        return None
    try:
        attributes: dict[str, Any] = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return attributes.values() if type(attributes) is dict else None


def _is_defined_by_user(kind: type) -> bool:
    if not is_of_users(kind):
        return False
    module = sys.modules.get(own_name(kind, "__module__") or "")
    file = getattr(module, "__file__", None)
    return file is None or not is_installed(file)
