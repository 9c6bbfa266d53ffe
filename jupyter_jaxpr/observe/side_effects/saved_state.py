"""Saves the Python state that a call can change, and restores the state after a trace.

The saved state is everything that can be reached from the function and its arguments: globals that the code of the
function names, closure cells, attributes, lists, dicts, sets, NumPy arrays, random generators. Each container is copied
one level deep: the user's own objects inside are not copied, so the restored container has the same objects.
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
from .attribute_reads import is_users_module
from .harmless_functions import (
    elements_of,
    field_functions,
    functions_inside,
    is_array_of_jax,
    is_jitted,
    is_users_class,
    is_users_code,
)
from .known_and_plain_values import is_immutable
from .limits_of_saved_state import BYTES_AT_MOST, SECONDS_AT_MOST

_LOOKS_AT_CLOCK = 256

Restore = Callable[[], None]


class TooLarge(Exception):
    """Raised if the state takes too much memory, or if finding the state takes too long."""


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
        self._visited: set[int] = set()
        self._dicts: set[int] = set()
        self._keep: list[Any] = []
        self._bytes = 0
        self._until = time.thread_time() + SECONDS_AT_MOST
        self._save_generators()
        waiting: list[Any] = [fun, *args, *kwargs.values()]
        while waiting:
            reached = waiting.pop()
            if id(reached) in self._visited or is_immutable(reached) or is_array_of_jax(reached):
                continue
            self._visited.add(id(reached))
            self._keep.append(reached)
            if len(self._keep) % _LOOKS_AT_CLOCK == 0 and time.thread_time() > self._until:
                raise TooLarge
            self._save(reached)
            waiting.extend(_reachable(reached))

    def restore(self) -> None:
        """Restore the whole state.

        If one part cannot be restored, the other parts are still restored.
        """
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

    def _save(self, value: Any) -> None:
        """Save one object: containers are copied one level deep."""
        if isinstance(value, types.FunctionType):
            self._save_function(value)
        elif isinstance(value, functools._lru_cache_wrapper):
            if not value.cache_info().currsize:
                self._restore.append(value.cache_clear)
        elif isinstance(value, type):
            if is_users_class(value):
                self._restore.append(_class_restored(value))
        elif isinstance(value, types.ModuleType):
            if is_users_module(value):
                self._save_dict(vars(value))
        else:
            self._save_value(value)

    def _save_value(self, value: Any) -> None:
        if isinstance(value, dict):
            self._save_dict(value)
        elif isinstance(value, list):
            self._count(8 * len(value))
            items = list.copy(value)
            self._restore.append(lambda: _put_back_list(value, items))
        elif isinstance(value, set):
            members = set(set.__iter__(value))
            self._restore.append(lambda: _put_back_set(value, members))
        elif isinstance(value, collections.deque):
            entries = list(elements_of(value))
            self._restore.append(lambda: _put_back_deque(value, entries))
        elif isinstance(value, array.array):
            self._count(len(value) * value.itemsize)
            numbers = array.array(value.typecode, bytes(memoryview(value)))
            self._restore.append(lambda: _put_back_numbers(value, numbers))
        elif isinstance(value, bytearray):
            self._count(len(value))
            content = bytes(value)
            self._restore.append(lambda: value.__setitem__(slice(None), content))
        elif isinstance(value, random.Random):
            state = value.getstate()
            self._restore.append(lambda: value.setstate(state))
        elif type(value).__module__.partition(".")[0] == "numpy":
            self._save_numpy(value)
        attributes = _attributes(value)
        if attributes is not None:
            self._save_dict(attributes)
        for descriptor in _slots(type(value)):
            self._restore.append(_slot_restored(value, descriptor))

    def _save_dict(self, contents: dict[Any, Any]) -> None:
        if id(contents) in self._dicts:
            return
        self._dicts.add(id(contents))
        self._count(16 * len(contents))
        items = dict(_items(contents))
        self._restore.append(lambda: _put_back_dict(contents, items))

    def _save_numpy(self, value: Any) -> None:
        import numpy as np

        if isinstance(value, np.ndarray):
            if value.flags.writeable and not value.dtype.hasobject:
                self._count(value.nbytes)
                content = value.copy()
                self._restore.append(lambda: _put_back_array(value, content))
        elif isinstance(value, np.random.Generator):
            state = value.bit_generator.state
            self._restore.append(lambda: setattr(value.bit_generator, "state", state))
        elif isinstance(value, np.random.RandomState):
            legacy = value.get_state(legacy=False)
            self._restore.append(lambda: value.set_state(legacy))

    def _save_function(self, function: types.FunctionType) -> None:
        for cell in function.__closure__ or ():
            self._restore.append(_cell_restored(cell))
        if not is_users_code(function.__code__):
            return
        self._save_dict(function.__globals__)
        self._save_dict(function.__dict__)
        if function.__kwdefaults__:
            self._save_dict(function.__kwdefaults__)


def _reachable(value: Any) -> Iterator[Any]:
    """Yield the objects that an object refers to: elements, attributes, and the globals and closure of a function."""
    yield from elements_of(value)
    if isinstance(value, types.FunctionType):
        yield from _reachable_from_function(value)
    elif isinstance(value, types.MethodType):
        yield value.__func__
        yield value.__self__
    elif isinstance(value, functools.partial):
        yield value.func
        yield from value.args
        yield from value.keywords.values()
    elif is_jitted(value) or isinstance(value, functools._lru_cache_wrapper):
        inner = getattr(value, "__wrapped__", None)
        if inner is not None:
            yield inner
    # the object may be a function with a custom derivative, which refers to the rules
    elif type(value).__module__.startswith("jax"):
        yield from functions_inside(value)
    elif isinstance(value, type):
        if is_users_class(value):
            yield from vars(value).values()
            yield type(value)
            yield from field_functions(value)
    elif isinstance(value, property):
        yield from (part for part in (value.fget, value.fset) if part is not None)
    elif isinstance(value, staticmethod | classmethod):
        yield value.__func__
    elif not isinstance(value, types.ModuleType):
        yield from (_attributes(value) or {}).values()
        for descriptor in _slots(type(value)):
            try:
                yield descriptor.__get__(value)
            except AttributeError:
                continue
        if is_users_class(type(value)):
            yield type(value)


def _reachable_from_function(function: types.FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except not_of_a_signal(ValueError):
            continue
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    yield from vars(function).values()
    if not is_users_code(function.__code__):
        return
    names: set[str] = set()
    waiting = [function.__code__]
    while waiting:
        code = waiting.pop()
        names.update(code.co_names)
        waiting.extend(constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    named = [function.__globals__[name] for name in names if name in function.__globals__]
    yield from named
    for module in named:  # also containers in other modules that the function names, such as sys.path
        if isinstance(module, types.ModuleType) and not is_users_module(module):
            yield from (vars(module)[name] for name in names if type(vars(module).get(name)) in (list, dict, set))


def _attributes(value: Any) -> dict[Any, Any] | None:
    """Return the attributes of an instance; None for an instance of a builtin class or of a class of JAX or NumPy."""
    kind = type(value)
    if kind.__module__.partition(".")[0] in ("builtins", "jaxlib", "jax", "numpy"):
        return None
    try:
        attributes = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return attributes if type(attributes) is dict else None


def _slots(kind: type) -> tuple[types.MemberDescriptorType, ...]:
    """Return the descriptors of the slots of a Python class."""
    if kind.__module__.partition(".")[0] in ("builtins", "jaxlib", "jax", "numpy"):
        return ()
    slots: list[types.MemberDescriptorType] = []
    for base in kind.__mro__:
        if "__slots__" in vars(base):
            slots.extend(value for value in vars(base).values() if inspect.ismemberdescriptor(value))
    return tuple(slots)


def _put_back_dict(users_dict: dict[Any, Any], items: dict[Any, Any]) -> None:
    current = list(_items(users_dict))
    if len(current) == len(items) and all(
        key is saved_key and value is saved_value
        for (key, value), (saved_key, saved_value) in zip(current, items.items(), strict=True)
    ):
        return
    if isinstance(users_dict, collections.OrderedDict):
        collections.OrderedDict.clear(users_dict)
        for key, value in items.items():
            collections.OrderedDict.__setitem__(users_dict, key, value)
    else:
        dict.clear(users_dict)
        dict.update(users_dict, items)


def _items(contents: dict[Any, Any]) -> Any:
    """Return the items of a dict in order, without calling methods that a subclass defines."""
    if isinstance(contents, collections.OrderedDict):
        return collections.OrderedDict.items(contents)
    return dict.items(contents)


def _put_back_list(users_list: list[Any], items: list[Any]) -> None:
    current = list(elements_of(users_list))
    if len(current) != len(items) or any(
        item is not saved_item for item, saved_item in zip(current, items, strict=True)
    ):
        list.__setitem__(users_list, slice(None), items)


def _put_back_set(users_set: set[Any], members: set[Any]) -> None:
    member_ids = {id(member) for member in members}
    if {id(member) for member in elements_of(users_set)} != member_ids:
        set.clear(users_set)
        set.update(users_set, members)


def _put_back_deque(users_deque: collections.deque[Any], entries: list[Any]) -> None:
    current = list(elements_of(users_deque))
    if len(current) != len(entries) or any(
        entry is not saved_entry for entry, saved_entry in zip(current, entries, strict=True)
    ):
        collections.deque.clear(users_deque)
        collections.deque.extend(users_deque, entries)


def _put_back_numbers(users_numbers: array.array[Any], numbers: array.array[Any]) -> None:
    if bytes(memoryview(users_numbers)) != bytes(memoryview(numbers)):
        array.array.__setitem__(users_numbers, slice(None), numbers)


def _put_back_array(users_array: Any, content: Any) -> None:
    if users_array.tobytes() != content.tobytes():
        users_array[...] = content


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


def _slot_restored(owner: Any, descriptor: types.MemberDescriptorType) -> Restore:
    try:
        content = descriptor.__get__(owner)
    except AttributeError:

        def empty() -> None:
            try:
                descriptor.__get__(owner)
            except AttributeError:
                return
            descriptor.__delete__(owner)

        return empty

    def put_back() -> None:
        if descriptor.__get__(owner) is not content:
            descriptor.__set__(owner, content)

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
