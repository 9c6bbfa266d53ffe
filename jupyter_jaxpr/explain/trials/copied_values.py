"""Copies a user's value for a trial, so that the trial cannot change the value or reach a cache of JAX.

- The copies include Python containers and NumPy arrays, because a statement such as `values += [1]` changes them.
- JAX caches the trace of each jitted function by the function object. A trial that called the user's jitted function
  would leave a trace in the cache, and the user's next call would find it. So the copy of a function calls a copy of
  the plain Python function in place of each jitted function.
- There is no trial with a value that has no such copy, with a large value, or with a function that handles exceptions:
  its `except` could catch the exception that ends a trial.
"""

from __future__ import annotations

import dis
import functools
import types
from collections.abc import Iterator, Mapping
from types import CellType, CodeType, FunctionType, MappingProxyType
from typing import Any

from ...interruptions import not_of_a_signal
from ...jax.facts import is_jitted, is_tracer_type
from ...observe.cache.static_values import is_plain
from ...observe.side_effects.attribute_reads import instance_dict
from ...observe.side_effects.harmless_functions import functions_inside, is_users_callable, is_users_class
from ...observe.user_or_library.library_functions import is_of_jax
from ...observe.user_or_library.whose_code import is_installed
from ...plain_text import file_of, mro_of

_ELEMENTS = 1_000
_ARRAY_ELEMENTS = 100_000
_DEPTH = 6


class NotCopied(Exception):
    """Raised for a value that has no copy, and that a trial must not use itself."""


def copied(
    value: Any,
    copies: dict[int, Any],
    depth: int = _DEPTH,
    codes: Mapping[CodeType, CodeType] = MappingProxyType({}),
) -> Any:
    """Return a copy of a container, a NumPy array or a function of the user; any other value unchanged.

    Args:
        value: The value of a name in the traced code.
        copies: The copies so far, by the ids of their originals; a recursive function finds its own copy here.
        depth: The number of levels of nested containers that may be copied.
        codes: Code objects for the copies, such as edited code, by the code objects of the originals.

    Raises:
        NotCopied: The value has no copy.
    """
    import jax
    import numpy as np

    kind = type(value)
    if is_plain(value) or is_tracer_type(kind) or issubclass(kind, jax.Array | types.ModuleType):
        return value
    if id(value) in copies:
        return copies[id(value)]
    if kind in (list, tuple, dict):
        if len(value) > _ELEMENTS or not depth:
            raise NotCopied
        parts = [copied(part, copies, depth - 1, codes) for part in (value.values() if kind is dict else value)]
        copies[id(value)] = dict(zip(value, parts, strict=True)) if kind is dict else kind(parts)
        return copies[id(value)]
    if issubclass(kind, np.ndarray):
        if kind is not np.ndarray or value.size > _ARRAY_ELEMENTS or value.dtype.hasobject:
            raise NotCopied
        copies[id(value)] = value.copy()
        return copies[id(value)]
    if is_jitted(value) and not is_of_jax(value):
        value = value.__wrapped__
        if type(value) is not FunctionType:
            raise NotCopied
    if kind is functools.partial:
        function, *arguments = (copied(part, copies, codes=codes) for part in (value.func, *value.args))
        keywords = {name: copied(part, copies, codes=codes) for name, part in value.keywords.items()}
        return functools.partial(function, *arguments, **keywords)
    if kind is jax.custom_vjp and codes and value.bwd is not None:
        # The rules may be edited, so the trial gets its own function of custom_vjp.
        function, forward, backward = (
            copied(inner, copies, codes=codes) for inner in (value.fun, value.fwd, value.bwd)
        )
        copies[id(value)] = jax.custom_vjp(function, nondiff_argnums=value.nondiff_argnums)
        copies[id(value)].defvjp(forward, backward, symbolic_zeros=value.symbolic_zeros)
        return copies[id(value)]
    if type(value) is not FunctionType or is_installed(file_of(value.__code__)):
        if type(value) is FunctionType and any(map(is_users_callable, _functions_inside(value))):
            return _copied_wrapper(value, copies, codes)
        if any(is_jitted(inside) and not is_of_jax(inside) for inside in _functions_inside(value)):
            return _copied_object(value, copies, depth, codes)
        return value
    if id(value) in copies:
        return copies[id(value)]
    code = codes.get(value.__code__, value.__code__)
    originals = dict(zip(value.__code__.co_freevars, value.__closure__ or (), strict=True))
    if has_handler(code) or not originals.keys() >= set(code.co_freevars):
        raise NotCopied
    names = dict(value.__globals__)
    # without the record of past warnings: a warning in a trial must not count as shown to the user
    names.pop("__warningregistry__", None)
    cells = tuple(CellType() for _ in code.co_freevars)
    copy = FunctionType(code, names, value.__name__, value.__defaults__, cells)
    copy.__kwdefaults__ = value.__kwdefaults__
    copies[id(value)] = copy
    for name in set(_global_names(code)) & names.keys():
        names[name] = copied(names[name], copies, codes=codes)
    for name, cell in zip(code.co_freevars, cells, strict=True):
        try:
            cell.cell_contents = copied(originals[name].cell_contents, copies, codes=codes)
        except not_of_a_signal(ValueError):  # the variable of the closure has no value yet
            continue
    return copy


def _copied_wrapper(value: FunctionType, copies: dict[int, Any], codes: Mapping[CodeType, CodeType]) -> FunctionType:
    """Return a copy of a function that a library made of the user's function, such as jax.vmap(f)."""
    cells = tuple(CellType() for _ in value.__closure__ or ())
    copy = FunctionType(value.__code__, value.__globals__, value.__name__, value.__defaults__, cells)
    copy.__kwdefaults__ = value.__kwdefaults__
    copies[id(value)] = copy
    for original, cell in zip(value.__closure__ or (), cells, strict=True):
        try:
            cell.cell_contents = copied(original.cell_contents, copies, codes=codes)
        except not_of_a_signal(ValueError):  # the variable of the closure has no value yet
            continue
    return copy


def _copied_object(value: Any, copies: dict[int, Any], depth: int, codes: Mapping[CodeType, CodeType]) -> Any:
    """Return a copy of an object with jitted methods, whose class has plain functions in place of these methods.

    The class of the copy is no subclass: Python would list the subclass in the `__subclasses__()` of the user's class.

    Raises:
        NotCopied: The value is a class, or the class has a base class or a method that could notice the other class.
    """
    kind = type(value)
    if not is_users_class(kind) or kind.__bases__ != (object,) or type(kind) is not type or not depth:
        raise NotCopied
    members = dict(vars(kind))
    if _NOTICING & members.keys():
        raise NotCopied
    for name in ("__dict__", "__weakref__"):
        members.pop(name, None)
    plain: dict[str, Any] = {}
    for name, member in members.items():
        inner = member.__func__ if type(member) in (staticmethod, classmethod) else member
        if type(inner) is FunctionType and "__class__" in inner.__code__.co_freevars:
            raise NotCopied  # super() and __class__ stand for the user's class
        if is_jitted(inner):
            if inner is not member:
                raise NotCopied
            plain[name] = copied(inner, copies, codes=codes)
    copy: Any = object.__new__(type(kind.__name__, (), {**members, **plain}))
    copies[id(value)] = copy
    vars(copy).update({name: copied(field, copies, depth - 1, codes) for name, field in instance_dict(value).items()})
    return copy


#: Members of a class that see how an object of the class is made or read.
_NOTICING = frozenset({"__slots__", "__getattribute__", "__getattr__", "__del__", "__new__"})


def has_handler(code: CodeType) -> bool:
    """Return whether code, or a function inside it, catches exceptions.

    A bare `except` would catch TooLong, which ends a trial.
    """
    if any(instruction.opname == "PUSH_EXC_INFO" for instruction in dis.get_instructions(code)):
        return True
    return any(has_handler(constant) for constant in code.co_consts if isinstance(constant, CodeType))


def _functions_inside(value: Any) -> Iterator[Any]:
    """Yield the functions that an object, a class, or a function made by a library refers to."""
    for inside in functions_inside(value):
        yield inside
        yield getattr(inside, "__wrapped__", None)
    kind = value if issubclass(type(value), type) else type(value)
    for base in mro_of(kind):
        if is_users_class(base):
            for member in vars(base).values():
                yield member.__func__ if type(member) in (staticmethod, classmethod) else member


def _global_names(code: CodeType) -> Iterator[str]:
    """Yield the global names that code and its nested functions read."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _global_names(constant)
