"""What a function reads from outside of its arguments, read when JAX traces the function and again later.

A program holds such values as constants: a call that finds a cache entry does not read them again. Names, and
constant parts of what stands under a name (`config["rate"]`, `model.rate`, `self.rate`), are read. No code of the
user's runs, and no array is held.
"""

from __future__ import annotations

import dis
import functools
import types
import weakref
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from ..plain_text import FAILURES, defined, file_of
from .cache.closed_over import ChangedValue, Outside, named_values, read_value, values_outside
from .cache.keys import is_plain
from .functions import is_installed, unwrap
from .value_texts import NOTHING_CALLED

_NAMES = 64
_DEPTH = 2
_LOADS = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF"})
_STORES = frozenset({"STORE_GLOBAL", "STORE_DEREF", "DELETE_GLOBAL"})


class ValuesAtTrace(NamedTuple):
    """What a function read from outside when JAX last traced the function."""

    function: weakref.ref[Any]
    values: Mapping[str, Outside]


def values_at_trace(fun: Any) -> ValuesAtTrace | None:
    """What a function that JAX is about to trace reads from outside; None where that cannot be kept."""
    try:
        reference = weakref.ref(fun)
    except TypeError:
        return None
    return ValuesAtTrace(reference, _read(fun))


def changed_since(traced: ValuesAtTrace) -> list[ChangedValue]:
    """The names whose values are surely other ones now.

    A name to which the function itself assigns is left out: a counter of traces is no mistake. So are objects of the
    user's: whether two of them are equal is for the user's code to say.
    """
    fun = traced.function()
    if fun is None:
        return []
    assigned = _assigned(fun, traced.values)
    return [
        value
        for value in _changed(traced.values, _read(fun))
        if value.name.partition("[")[0].partition(".")[0] not in assigned and _is_comparable(value)
    ]


def _changed(before: Mapping[str, Outside], after: Mapping[str, Outside]) -> Iterator[ChangedValue]:
    for name, now in after.items():
        old = before.get(name)
        if old is None:
            continue
        if old.code is not None and old.code == now.code:  # a function that the function calls
            yield from _changed(old.inside or {}, now.inside or {})
        elif old.is_same(now) is False:
            yield ChangedValue(name, old, now)


def _is_comparable(value: ChangedValue) -> bool:
    if value.before.text is not None and value.after.text is not None:
        return True
    if value.before.code is not None and value.after.code is not None:
        return True
    return value.before.kind == value.after.kind == "array"


def _read(fun: Any) -> dict[str, Outside]:
    values = {
        name: value
        for name, value in values_outside(fun, NOTHING_CALLED).items()
        if not name.startswith("self.")  # of an object that can be called, the parts that its code reads are below
    }
    for name, value in _parts(fun):
        if len(values) >= _NAMES:
            break
        values[name] = read_value(value, NOTHING_CALLED)
    return values


def _assigned(fun: Any, values: Mapping[str, Outside]) -> set[str]:
    inner = unwrap(fun)
    found: set[str] = set()
    left = [inner.__code__] if type(inner) is FunctionType else []
    left += [value.code for value in values.values() if value.code is not None]
    while left:
        code = left.pop()
        found.update(_stored(code))
        left += [constant for constant in code.co_consts if type(constant) is CodeType]
    return found


@functools.lru_cache(maxsize=256)
def _stored(code: CodeType) -> frozenset[str]:
    return frozenset(each.argval for each in _instructions(code) if each.opname in _STORES)


# --- the parts of what stands under a name ---


class _Part(NamedTuple):
    name: str
    is_item: bool
    key: Any
    of_first_parameter: bool

    def __str__(self) -> str:
        return f"{self.name}[{self.key!r}]" if self.is_item else f"{self.name}.{self.key}"


def _parts(fun: Any) -> Iterator[tuple[str, Any]]:
    """Plain values and arrays that the code reads as a constant item or as an attribute of what stands under a name."""
    import jax

    method = fun if type(fun) is types.MethodType else _call_of(fun)
    inner = unwrap(fun) if method is None else method.__func__
    for function in _with_called(inner, _DEPTH):
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=False))
        for part in _read_parts(function.__code__):
            try:
                if part.of_first_parameter:
                    if method is None or function is not inner:
                        continue
                    owner = method.__self__
                elif part.name in cells:
                    owner = cells[part.name].cell_contents
                else:
                    owner = function.__globals__[part.name]
                value = _item(owner, part.key) if part.is_item else _attribute(owner, part.key)
            except (LookupError, ValueError):  # not there, or not assigned yet
                continue
            if is_plain(value) or issubclass(type(value), jax.Array):
                yield str(part), value


def _with_called(function: Any, depth: int) -> Iterator[FunctionType]:
    """A function of the user's, and those of the user's that the function reads by name."""
    if type(function) is not FunctionType or is_installed(file_of(function.__code__)):
        return
    yield function
    if depth:
        for _, value in named_values(function):
            if type(value) is FunctionType and value is not function:
                yield from _with_called(value, depth - 1)


def _call_of(fun: Any) -> Any:
    """The `__call__` of an object of the user's, bound to the object; None of other callables."""
    call = vars(type(fun)).get("__call__")
    return types.MethodType(call, fun) if type(call) is FunctionType else None


def _item(owner: Any, key: Any) -> Any:
    if type(owner) is dict or (type(owner) in (list, tuple) and type(key) is int):
        return owner[key]
    raise KeyError(key)


def _attribute(owner: Any, name: str) -> Any:
    """An attribute that an object of a plain class stores; no property is asked, and no module is looked into."""
    kind = type(owner)
    looked_up_by = type(defined(kind, "__getattribute__"))
    if issubclass(kind, types.ModuleType | type) or looked_up_by is not types.WrapperDescriptorType:
        raise KeyError(name)
    if defined(type(defined(kind, name)), "__set__") is not None:  # such as a property
        raise KeyError(name)
    try:
        stored = object.__getattribute__(owner, "__dict__")
    except AttributeError:  # a class with slots
        raise KeyError(name) from None
    if type(stored) is not dict:
        raise KeyError(name)
    return stored[name]


@functools.lru_cache(maxsize=256)
def _read_parts(code: CodeType) -> tuple[_Part, ...]:
    """The constant items and attributes that a code and the functions within it load."""
    found: dict[_Part, None] = {}
    instructions = _instructions(code)
    first = code.co_varnames[0] if code.co_argcount else None
    for at, load in enumerate(instructions[:-1]):
        name, of_parameter = load.argval, False
        if load.opname.startswith("LOAD_FAST"):
            # Newer Pythons load two variables at once; the attribute is of the second.
            name = name[-1] if type(name) is tuple else name
            of_parameter = name == first
        if load.opname not in _LOADS and not of_parameter:
            continue
        following = instructions[at + 1]
        if following.opname == "LOAD_ATTR" and not following.argrepr.startswith("NULL|self"):
            if not following.argrepr.endswith("NULL|self"):
                found[_Part(name, False, following.argval, of_parameter)] = None
        elif following.opname in ("LOAD_CONST", "LOAD_SMALL_INT") and at + 2 < len(instructions):
            taken = instructions[at + 2]
            is_item = taken.opname == "BINARY_SUBSCR" or (taken.opname == "BINARY_OP" and taken.argrepr == "[]")
            if is_item and type(following.argval) in (str, int):
                found[_Part(name, True, following.argval, of_parameter)] = None
    for constant in code.co_consts:
        if type(constant) is CodeType:
            found.update(dict.fromkeys(part for part in _read_parts(constant) if not part.of_first_parameter))
    return tuple(found)


def _instructions(code: CodeType) -> list[dis.Instruction]:
    try:
        return [each for each in dis.get_instructions(code) if each.opname not in ("CACHE", "EXTENDED_ARG")]
    except FAILURES:  # code that another tool wrote
        return []
