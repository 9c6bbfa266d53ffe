"""Decides which C functions may call a function that is passed to them; finds the function in a method or partial."""

from __future__ import annotations

import collections
import functools
import types
from typing import Any

from ...jax.facts import jit_type
from ...plain_text import defined


def carried_by(called: Any) -> Any:
    """Return the jitted function inside bound methods and partials.

    If there is another function or object inside, return the `__call__` method of its class.
    """
    while type(called) in CARRIERS:
        called = called.__func__ if type(called) is types.MethodType else called.func
    if type(called) is jit_type():
        return called
    return defined(type(called), "__call__")


CARRIERS = frozenset({types.MethodType, functools.partial})

# Ids of C functions that often get a function as an argument and never call it; any other C function may call it.
DO_NOT_CALL = frozenset(
    map(id, (callable, dir, getattr, hasattr, hash, id, isinstance, print, repr, setattr, str, type, vars))
) | {id(functools.partial), id(staticmethod), id(classmethod)}
_C_FUNCTIONS = (types.BuiltinFunctionType, types.MethodDescriptorType)
_C_MODULES = frozenset({"builtins", "functools", "itertools"})


def is_of_container(called: Any) -> bool:
    """Return whether an object is a method of a Python container, such as `list.append`.

    Such a method does not call a function that it gets.
    """
    return type(called) is types.BuiltinFunctionType and type(called.__self__) in _CONTAINERS


_CONTAINERS = (list, dict, set, tuple, collections.deque)


def is_c_code(called: Any) -> bool:
    """Return whether an object is a C function or a C class such as `map`; the check runs no user code."""
    return type(called) in _C_FUNCTIONS or (type(called) is type and called.__module__ in _C_MODULES)
