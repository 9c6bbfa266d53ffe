"""A function in, whether each trace of the function reads the same from outside of its arguments out.

A cure of a miss lets calls share one trace. Where each trace reads another value (the time, a global that changed), the
calls give other results with the cure, and no types tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from ...jax.facts import is_jitted
from ...observe.cache.closed_over import changed_values, unread_values, values_outside
from ...observe.cache.history import FunctionHistory
from ...observe.functions import is_installed, unwrap
from ...observe.value_texts import NOTHING_CALLED
from ...plain_text import file_of

_CHANGING = frozenset({"time", "datetime", "random", "os", "sys", "secrets", "uuid", "tempfile", "pathlib", "io"})


def reads_the_same(fun: Any, history: FunctionHistory) -> bool:
    """Whether a function object reads now what it read at its first miss, as far as that can be told."""
    now = values_outside(fun, NOTHING_CALLED)
    return any(
        not changed_values(last.outside, now) and not unread_values(last.outside, now)
        for last in history.wrapped.values()
    )


def reads_the_machine(fun: Any) -> bool:
    """Whether a function, or one of the user's that it calls, uses a module that reads the time, files or chance."""
    return _reads(unwrap(fun), set())


def _reads(fun: Any, seen: set[int]) -> bool:
    if is_jitted(fun):
        fun = unwrap(fun)
    if type(fun) is not FunctionType or id(fun) in seen or is_installed(file_of(fun.__code__)):
        return False
    seen.add(id(fun))
    names = set(_names(fun.__code__))
    values = [fun.__globals__[name] for name in names & fun.__globals__.keys()]
    for cell in fun.__closure__ or ():
        try:
            values.append(cell.cell_contents)
        except ValueError:  # not assigned yet
            continue
    for value in values:
        if type(value) is ModuleType:
            name = value.__dict__.get("__name__", "")
            if name.partition(".")[0] in _CHANGING or name == "numpy.random":
                return True
            if name == "numpy" and "random" in names:
                return True
        elif getattr(type(value), "__module__", "").startswith("numpy.random"):
            return True
        elif callable(value) and getattr(value, "__module__", None) in _CHANGING:
            return True
        elif _reads(value, seen):
            return True
    return False


def _names(code: CodeType) -> Iterator[str]:
    """The global names and the attributes that code reads, and those of the functions within it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
