"""Saves the state that the Python of a call can change, and restores it after a trace.

Saved is what can be reached from the function and its arguments: the globals that its code names, closure cells,
attributes, lists, dicts, sets, arrays of NumPy, random generators. Containers are copied one level deep each, so that
no object of the user's is copied and every one keeps its identity.
"""

from __future__ import annotations

import array
import collections
import functools
import inspect
import random
import sys
import time
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...interruptions import is_of_a_signal, not_of_a_signal
from .abstract import is_immutable
from .attributes import is_users_module
from .callables import (
    elements_of,
    field_functions,
    functions_inside,
    is_array_of_jax,
    is_jitted,
    is_users_class,
    is_users_code,
)

SECONDS_AT_MOST = 0.05
BYTES_AT_MOST = 64_000_000
_LOOKS_AT_CLOCK = 256

Restore = Callable[[], None]


class TooLarge(Exception):
    """The state exceeds the limit of memory, or finding it exceeds the limit of time."""


class SavedState:
    """A copy of the state that a call can reach.

    Args:
        fun: The called function.
        args: The positional arguments.
        kwargs: The keyword arguments.

    Raises:
        TooLarge: Finding and copying the state took more than 50 ms or more than 64 MB.
    """

    def __init__(self, fun: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        self._restore: list[Restore] = []
        self._seen: set[int] = set()
        self._dicts: set[int] = set()
        self._keep: list[Any] = []
        self._bytes = 0
        self._until = time.thread_time() + SECONDS_AT_MOST
        self._save_generators()
        waiting: list[Any] = [fun, *args, *kwargs.values()]
        while waiting:
            reached = waiting.pop()
            if id(reached) in self._seen or is_immutable(reached) or is_array_of_jax(reached):
                continue
            self._seen.add(id(reached))
            self._keep.append(reached)
            if len(self._keep) % _LOOKS_AT_CLOCK == 0 and time.thread_time() > self._until:
                raise TooLarge
            self._save(reached)
            waiting.extend(_reachable(reached))

    def restore(self) -> None:
        """Restore the whole state; a part that cannot be restored does not stop the others."""
        failures = []
        for restore in self._restore:
            try:
                restore()
            except Exception as error:
                failures.append(error)
        if failures:
            raise next(filter(is_of_a_signal, failures), failures[0])

    def _count(self, size: int) -> None:
        self._bytes += size
        if self._bytes > BYTES_AT_MOST:
            raise TooLarge

    def _save_generators(self) -> None:
        state = random.getstate()
        self._restore.append(lambda: random.setstate(state))
        numpy_random = sys.modules.get("numpy.random")
        if numpy_random is not None:
            legacy = numpy_random.get_state(legacy=False)
            self._restore.append(lambda: numpy_random.set_state(legacy))

    def _save(self, found: Any) -> None:
        """Copy one object, one level deep."""
        if isinstance(found, types.FunctionType):
            self._save_function(found)
        elif isinstance(found, functools._lru_cache_wrapper):
            if not found.cache_info().currsize:
                self._restore.append(found.cache_clear)
        elif isinstance(found, type):
            if is_users_class(found):
                self._restore.append(_class_restored(found))
        elif isinstance(found, types.ModuleType):
            if is_users_module(found):
                self._save_dict(vars(found))
        else:
            self._save_value(found)

    def _save_value(self, found: Any) -> None:
        if isinstance(found, dict):
            self._save_dict(found)
        elif isinstance(found, list):
            self._count(8 * len(found))
            items = list.copy(found)
            self._restore.append(lambda: _put_back_list(found, items))
        elif isinstance(found, set):
            members = set(set.__iter__(found))
            self._restore.append(lambda: _put_back_set(found, members))
        elif isinstance(found, collections.deque):
            entries = list(elements_of(found))
            self._restore.append(lambda: _put_back_deque(found, entries))
        elif isinstance(found, array.array):
            self._count(len(found) * found.itemsize)
            numbers = array.array(found.typecode, bytes(memoryview(found)))
            self._restore.append(lambda: _put_back_numbers(found, numbers))
        elif isinstance(found, bytearray):
            self._count(len(found))
            content = bytes(found)
            self._restore.append(lambda: found.__setitem__(slice(None), content))
        elif isinstance(found, random.Random):
            state = found.getstate()
            self._restore.append(lambda: found.setstate(state))
        elif type(found).__module__.partition(".")[0] == "numpy":
            self._save_numpy(found)
        attributes = _attributes(found)
        if attributes is not None:
            self._save_dict(attributes)
        for descriptor in _slots(type(found)):
            self._restore.append(_slot_restored(found, descriptor))

    def _save_dict(self, found: dict[Any, Any]) -> None:
        if id(found) in self._dicts:
            return
        self._dicts.add(id(found))
        self._count(16 * len(found))
        items = dict(_items(found))
        self._restore.append(lambda: _put_back_dict(found, items))

    def _save_numpy(self, found: Any) -> None:
        import numpy as np

        if isinstance(found, np.ndarray):
            if found.flags.writeable and not found.dtype.hasobject:
                self._count(found.nbytes)
                content = found.copy()
                self._restore.append(lambda: _put_back_array(found, content))
        elif isinstance(found, np.random.Generator):
            state = found.bit_generator.state
            self._restore.append(lambda: setattr(found.bit_generator, "state", state))
        elif isinstance(found, np.random.RandomState):
            legacy = found.get_state(legacy=False)
            self._restore.append(lambda: found.set_state(legacy))

    def _save_function(self, found: types.FunctionType) -> None:
        for cell in found.__closure__ or ():
            self._restore.append(_cell_restored(cell))
        if not is_users_code(found.__code__):
            return
        self._save_dict(found.__globals__)
        self._save_dict(found.__dict__)
        if found.__kwdefaults__:
            self._save_dict(found.__kwdefaults__)


def _reachable(found: Any) -> Iterator[Any]:
    """Yield the objects that an object refers to: parts, attributes, and the names and closure of a function."""
    yield from elements_of(found)
    if isinstance(found, types.FunctionType):
        yield from _reachable_from_function(found)
    elif isinstance(found, types.MethodType):
        yield found.__func__
        yield found.__self__
    elif isinstance(found, functools.partial):
        yield found.func
        yield from found.args
        yield from found.keywords.values()
    elif is_jitted(found) or isinstance(found, functools._lru_cache_wrapper):
        inner = getattr(found, "__wrapped__", None)
        if inner is not None:
            yield inner
    elif type(found).__module__.startswith("jax"):  # a custom derivative rule refers to its functions
        yield from functions_inside(found)
    elif isinstance(found, type):
        if is_users_class(found):
            yield from vars(found).values()
            yield type(found)
            yield from field_functions(found)
    elif isinstance(found, property):
        yield from (part for part in (found.fget, found.fset) if part is not None)
    elif isinstance(found, staticmethod | classmethod):
        yield found.__func__
    elif not isinstance(found, types.ModuleType):
        yield from (_attributes(found) or {}).values()
        for descriptor in _slots(type(found)):
            try:
                yield descriptor.__get__(found)
            except AttributeError:
                continue
        if is_users_class(type(found)):
            yield type(found)


def _reachable_from_function(found: types.FunctionType) -> Iterator[Any]:
    for cell in found.__closure__ or ():
        try:
            yield cell.cell_contents
        except not_of_a_signal(ValueError):
            continue
    yield from found.__defaults__ or ()
    yield from (found.__kwdefaults__ or {}).values()
    yield from vars(found).values()
    if not is_users_code(found.__code__):
        return
    names: set[str] = set()
    waiting = [found.__code__]
    while waiting:
        code = waiting.pop()
        names.update(code.co_names)
        waiting.extend(constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    named = [found.__globals__[name] for name in names if name in found.__globals__]
    yield from named
    for module in named:  # lists, dicts and sets of modules, such as sys.path
        if isinstance(module, types.ModuleType) and not is_users_module(module):
            yield from (vars(module)[name] for name in names if type(vars(module).get(name)) in (list, dict, set))


def _attributes(found: Any) -> dict[Any, Any] | None:
    """Return the attributes of an instance; None for instances of builtin and JAX classes."""
    kind = type(found)
    if kind.__module__.partition(".")[0] in ("builtins", "jaxlib", "jax", "numpy"):
        return None
    try:
        attributes = object.__getattribute__(found, "__dict__")
    except AttributeError:
        return None
    return attributes if type(attributes) is dict else None


def _slots(kind: type) -> tuple[types.MemberDescriptorType, ...]:
    """Return the slots of a class written in Python."""
    if kind.__module__.partition(".")[0] in ("builtins", "jaxlib", "jax", "numpy"):
        return ()
    slots: list[types.MemberDescriptorType] = []
    for base in kind.__mro__:
        if "__slots__" in vars(base):
            slots.extend(value for value in vars(base).values() if inspect.ismemberdescriptor(value))
    return tuple(slots)


def _put_back_dict(found: dict[Any, Any], items: dict[Any, Any]) -> None:
    now = list(_items(found))
    if len(now) == len(items) and all(
        key is saved_key and value is kept for (key, value), (saved_key, kept) in zip(now, items.items(), strict=True)
    ):
        return
    if isinstance(found, collections.OrderedDict):
        collections.OrderedDict.clear(found)
        for key, value in items.items():
            collections.OrderedDict.__setitem__(found, key, value)
    else:
        dict.clear(found)
        dict.update(found, items)


def _items(found: dict[Any, Any]) -> Any:
    """Return the items of a dictionary in its order, without calling methods of a subclass."""
    if isinstance(found, collections.OrderedDict):
        return collections.OrderedDict.items(found)
    return dict.items(found)


def _put_back_list(found: list[Any], items: list[Any]) -> None:
    now = list(elements_of(found))
    if len(now) != len(items) or any(item is not saved_item for item, saved_item in zip(now, items, strict=True)):
        list.__setitem__(found, slice(None), items)


def _put_back_set(found: set[Any], members: set[Any]) -> None:
    kept = {id(member) for member in members}
    if {id(member) for member in elements_of(found)} != kept:
        set.clear(found)
        set.update(found, members)


def _put_back_deque(found: collections.deque[Any], entries: list[Any]) -> None:
    now = list(elements_of(found))
    if len(now) != len(entries) or any(
        entry is not saved_entry for entry, saved_entry in zip(now, entries, strict=True)
    ):
        collections.deque.clear(found)
        collections.deque.extend(found, entries)


def _put_back_numbers(found: array.array[Any], numbers: array.array[Any]) -> None:
    if bytes(memoryview(found)) != bytes(memoryview(numbers)):
        array.array.__setitem__(found, slice(None), numbers)


def _put_back_array(found: Any, content: Any) -> None:
    if found.tobytes() != content.tobytes():
        found[...] = content


def _cell_restored(cell: types.CellType) -> Restore:
    try:
        content = cell.cell_contents
    except not_of_a_signal(ValueError):

        def empty() -> None:
            del cell.cell_contents

        return empty

    def put_back() -> None:
        cell.cell_contents = content

    return put_back


def _slot_restored(found: Any, descriptor: types.MemberDescriptorType) -> Restore:
    try:
        content = descriptor.__get__(found)
    except AttributeError:

        def empty() -> None:
            try:
                descriptor.__get__(found)
            except AttributeError:
                return
            descriptor.__delete__(found)

        return empty

    def put_back() -> None:
        if descriptor.__get__(found) is not content:
            descriptor.__set__(found, content)

    return put_back


def _class_restored(kind: type) -> Restore:
    before = dict(vars(kind))

    def put_back() -> None:
        for name in [name for name in vars(kind) if name not in before]:
            type.__delattr__(kind, name)
        for name, value in before.items():
            if vars(kind).get(name) is not value:
                type.__setattr__(kind, name, value)

    return put_back
