"""Finds the code object, the name and the place of the user's function inside a callable.

The callable can be `jit(vmap(grad(f)))`, a method, a partial, or a wrapper of equinox or flax: all wrappers are
removed.
"""

from __future__ import annotations

import functools
import types
from types import CodeType, FunctionType
from typing import Any

from ...interruptions import not_of_a_signal
from ...jax.facts import inside_checkify, partial_of
from ...plain_text import FAILURES, attribute_of, defined, file_of, function_of, kind_name, own_name
from ..observation import Place
from ..user_or_library.whose_code import is_installed


def same_code(code: CodeType, other: CodeType) -> bool:
    """Return whether two code objects compute the same, also if an edit moved one of them to other lines.

    Python's own comparison counts code on other lines as different.
    """
    return code is other or code == other or without_lines(code) == without_lines(other)


def without_lines(code: CodeType) -> CodeType:
    """Return a copy of a code object without line numbers, file and name, so that copies with equal code are equal.

    Python also compares the types of the constants: code with 1 differs from code with 1.0.
    """
    constants = tuple(without_lines(value) if type(value) is CodeType else value for value in code.co_consts)
    return code.replace(
        co_firstlineno=1, co_linetable=b"", co_filename="", co_name="", co_qualname="", co_consts=constants
    )


def is_unwrapped(value: Any) -> bool:
    """Return whether a callable is a Python function that wraps no other function."""
    return type(value) is FunctionType and "__wrapped__" not in vars(value) and inside_checkify(value) is None


def unwrap(value: Any) -> Any:
    """Return the innermost function of a callable; a callable that wraps nothing is returned unchanged."""
    if is_unwrapped(value):
        return value
    for _ in range(50):
        inner = next_inside(value)
        if inner is None:
            break
        value = inner
    return value


def next_inside(value: Any) -> Any:
    """Return the callable that a callable wraps directly; None if it wraps none.

    Properties of the user's classes do not run.
    """
    kind = type(value)
    if kind is FunctionType:
        inner = vars(value).get("__wrapped__") or inside_checkify(value)
    elif kind is types.MethodType:
        return value.__func__
    elif issubclass(kind, functools.partial):
        return partial_of(value).func
    else:
        inner = _stored(value, "__wrapped__")
    return inner if callable(inner) else None


def _stored(value: Any, name: str) -> Any:
    """Return an attribute that the object stores, or that a property of an installed package computes."""
    stored = attribute_of(value, name)
    if type(stored) is not property:
        return stored
    if type(stored.fget) is not FunctionType or not is_installed(file_of(stored.fget.__code__)):
        return None
    try:
        return getattr(value, name)
    except not_of_a_signal(*FAILURES):
        return None


def code_of(fun: Any) -> CodeType | None:
    """Return the code object of the function that a callable runs; None for a callable not written in Python."""
    inner = unwrap(fun)
    if type(inner) is FunctionType:
        return inner.__code__
    code = _stored(inner, "__code__")
    if code is None and not issubclass(type(inner), type):
        code = _call_code(inner)
    return code if type(code) is CodeType else None


def _call_code(value: Any) -> Any:
    """Return the code object of the `__call__` method of an object, such as an equinox module."""
    called = unwrap(defined(type(value), "__call__"))
    return called.__code__ if type(called) is FunctionType else None


def name_of(fun: Any) -> str:
    """Return the name that the author of a function gave it."""
    inner = unwrap(fun)
    return own_name(inner) or kind_name(type(inner))


def place_of(code: CodeType | None) -> Place | None:
    """Return the place of the def statement that made a code object."""
    if code is None:
        return None
    file, name = code.co_filename, code.co_qualname
    # The file and the name are plain strings in nearly all calls; this short path is for speed, because it runs at each
    # miss.
    if type(file) is str and type(name) is str:
        return Place(file, code.co_firstlineno, name)
    return Place(file_of(code), code.co_firstlineno, function_of(code))
