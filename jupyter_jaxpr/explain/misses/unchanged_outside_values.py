"""Decides whether each trace of a function reads the same values from outside of its arguments.

A cure of a miss lets calls share one trace. If each trace reads another value (the time, a global that changed), the
cure changes the results, and a comparison of types does not show this.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from ...interruptions import not_of_a_signal
from ...jax.facts import is_jitted
from ...observe.cache.changed_outside_values import is_same
from ...observe.cache.closed_over import Outside, values_outside
from ...observe.cache.history_of_one_function import FunctionHistory
from ...observe.cache.static_values import is_plain
from ...observe.cache.values_of_the_machine import CHANGING_MODULES, is_of_the_machine
from ...observe.functions.function_inside_wrappers import unwrap
from ...observe.reprs_of_users_values import NOTHING_CALLED
from ...observe.side_effects.harmless_functions import is_users_class
from ...observe.user_or_library.library_functions import is_of_jax
from ...observe.user_or_library.whose_code import is_installed
from ...plain_text import file_of

_DESCRIPTORS = (FunctionType, staticmethod, classmethod, property)


def reads_the_same(fun: Any, history: FunctionHistory) -> bool:
    """Return whether a function object certainly reads the same values from outside now as at an earlier miss."""
    current = values_outside(fun, NOTHING_CALLED)
    return any(_all_same(last.recent[0].outside, current) for last in history.wrapped.values())


def _all_same(before: Mapping[str, Outside], current: Mapping[str, Outside]) -> bool:
    return before.keys() == current.keys() and all(_is_same(before[name], current[name]) for name in current)


def _is_same(before: Outside, current: Outside) -> bool:
    """Return whether a value is certainly the same as before.

    For a function, the values that it reads must be the same, too.
    """
    return is_same(before, current) is True and _all_same(before.inside or {}, current.inside or {})


def names_read(fun: Any) -> set[str]:
    """Return the global names that a user's function reads, directly or in the functions that it calls."""
    return {
        name
        for function in _functions(fun, set())
        for name in _names(function.__code__)
        if name in function.__globals__
    }


def reads_what_may_change(fun: Any) -> bool:
    """Return whether a function, also through its callees, reads an object that can be changed in place."""
    for function in _functions(fun, set()):
        for value in _values(function):
            kind = type(value)
            if is_plain(value) or is_jitted(value) or is_of_jax(value) or _is_array(value):
                continue
            if kind not in (FunctionType, ModuleType, BuiltinFunctionType) and not issubclass(kind, type):
                return True
    return False


def reads_the_machine(fun: Any) -> bool:
    """Return whether a user's function, also through its callees, reads the time, files, random numbers or a class."""
    return any(
        _is_of_the_machine(value, set(_names(function.__code__)))
        for function in _functions(fun, set())
        for value in _values(function)
    )


def _is_of_the_machine(value: Any, names: set[str]) -> bool:
    kind = type(value)
    if kind is ModuleType:
        name = value.__dict__.get("__name__", "")
        if (
            name.partition(".")[0] in CHANGING_MODULES
            or name == "numpy.random"
            or (name == "numpy" and "random" in names)
        ):
            return True
        return _is_users_module(value) and any(
            not isinstance(value.__dict__[name], FunctionType | ModuleType | type)
            for name in names & value.__dict__.keys()
        )
    if issubclass(kind, type):
        if is_of_the_machine(value):
            return True
        # any code can set the attributes of a class at any time, so two calls may read different values
        return is_users_class(value) and any(
            not name.startswith("__") and not isinstance(stored, _DESCRIPTORS) for name, stored in vars(value).items()
        )
    return is_of_the_machine(value)


def _is_users_module(module: ModuleType) -> bool:
    file = module.__dict__.get("__file__")
    if file is None:
        return module.__dict__.get("__name__") not in sys.builtin_module_names
    return not is_installed(file)


def _functions(fun: Any, seen_ids: set[int]) -> Iterator[FunctionType]:
    """Yield a user's function and, recursively, the functions that it reads from outside of its arguments."""
    fun = unwrap(fun)
    if type(fun) is not FunctionType or id(fun) in seen_ids or is_installed(file_of(fun.__code__)):
        return
    seen_ids.add(id(fun))
    yield fun
    for value in _values(fun):
        if type(value) is ModuleType:
            names = set(_names(fun.__code__)) & value.__dict__.keys() if _is_users_module(value) else ()
            inside = [value.__dict__[name] for name in names]
        else:
            inside = [value]
        for part in inside:
            if type(part) is FunctionType or is_jitted(part):
                yield from _functions(part, seen_ids)


def _values(fun: FunctionType) -> list[Any]:
    """Return the values of the globals and closure variables that a function reads."""
    values = [fun.__globals__[name] for name in set(_names(fun.__code__)) & fun.__globals__.keys()]
    for cell in fun.__closure__ or ():
        try:
            values.append(cell.cell_contents)
        except not_of_a_signal(ValueError):  # the variable of the closure has no value yet (an empty cell)
            continue
    return values


def _names(code: CodeType) -> Iterator[str]:
    """Yield the global names and the attributes that code and its inner functions read."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _is_array(value: Any) -> bool:
    import jax

    return issubclass(type(value), jax.Array)
