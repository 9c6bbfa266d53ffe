"""Reads the value of a path such as `config["opt"].rate` without running user code.

A property, a `__getattr__` or a container class of the user's ends the path, and the value is unknown.
"""

from __future__ import annotations

import collections
import os
import types
from collections.abc import Mapping
from typing import Any

from ...interruptions import not_of_a_signal
from ...plain_text import FAILURES, defined
from .kept_contents import Contents
from .paths_that_code_reads import Read, Step


class Variable:
    """Stands for an environment variable; the value of the variable is not read."""


VARIABLE = Contents("environment variable", "")
#: Stands for the value of a path whose last part does not exist.
ABSENT = Contents("no value", "no value")
DICTS: frozenset[type] = frozenset({dict, collections.OrderedDict, collections.defaultdict})


def value_of_path(read: Read, names: Mapping[str, Any], cells: Mapping[str, Any], arguments: Mapping[str, Any]) -> Any:
    """Return the value of a path.

    Args:
        read: The path.
        names: The global names.
        cells: The closure cells of the variables of enclosing functions, by name.
        arguments: Parameter name -> value, for the parameters whose values are known.

    Raises:
        LookupError: A part of the path does not exist, or only code of the user's can read it.
        ValueError: A variable of an enclosing function has no value yet.
    """
    if read.is_parameter:
        value = arguments[read.root]
    elif read.root in cells:
        value = cells[read.root].cell_contents
    else:
        value = names[read.root]
    for step in read.steps:
        value = _item(value, step) if step.is_item else stored_attribute(value, step.key)
    return value


def getter_on_path(
    read: Read, names: Mapping[str, Any], cells: Mapping[str, Any], arguments: Mapping[str, Any]
) -> types.MethodType | None:
    """Return the getter of the first property of the user's on a path, bound to its object; None if there is none.

    The getter does not run. The arguments are those of `value_of_path`.
    """
    for length, step in enumerate(read.steps):
        try:
            owner = value_of_path(read._replace(steps=read.steps[:length]), names, cells, arguments)
        except not_of_a_signal(LookupError, ValueError):
            return None
        kind = type(owner)
        if step.is_item or issubclass(kind, type) or kind is types.ModuleType:
            continue
        if type(defined(kind, "__getattribute__")) is not types.WrapperDescriptorType:
            return None
        stored = defined(kind, step.key)
        if type(stored) is property:
            return types.MethodType(stored.fget, owner) if type(stored.fget) is types.FunctionType else None
    return None


def is_absent(read: Read, names: Mapping[str, Any], cells: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
    """Return whether the last part of a path certainly does not exist, such as a key that a dict does not have.

    The arguments are those of `value_of_path`.
    """
    if not read.steps:
        return not read.is_parameter and read.root not in cells and read.root not in names
    try:
        owner = value_of_path(read._replace(steps=read.steps[:-1]), names, cells, arguments)
    except not_of_a_signal(LookupError, ValueError):
        return False
    kind, step = type(owner), read.steps[-1]
    if step.is_item:
        return kind in DICTS and not dict.__contains__(owner, step.key)
    if kind is types.ModuleType:
        return step.key not in vars(owner)
    is_plain = type(defined(kind, "__getattribute__")) is types.WrapperDescriptorType
    if not is_plain or any(defined(kind, name) is not None for name in (step.key, "__getattr__")):
        return False
    try:
        stored = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return False
    return type(stored) is dict and step.key not in stored


def _item(owner: Any, step: Step) -> Any:
    if type(owner) in DICTS:
        return dict.__getitem__(owner, step.key)
    if type(owner) in (list, tuple) and type(step.key) is int:
        return owner[step.key]
    if owner is os.environ and type(step.key) is str:
        return Variable()
    raise KeyError(step.key)


def stored_attribute(owner: Any, name: str) -> Any:
    """Return an attribute that an object or its class stores, without running properties or other user code."""
    kind = type(owner)
    if kind is types.ModuleType:
        return vars(owner)[name]
    if issubclass(kind, type):
        if kind is not type:  # the class has a metaclass, which may run user code: not read
            raise KeyError(name)
        return _stored_in_class(owner, name)
    if type(defined(kind, "__getattribute__")) is not types.WrapperDescriptorType:
        raise KeyError(name)
    descriptor = defined(kind, name)
    if type(descriptor) in _READ_BY_PYTHON:
        try:
            return descriptor.__get__(owner)
        except not_of_a_signal(*FAILURES):  # the attribute is a slot without a value
            raise KeyError(name) from None
    # the class defines a data descriptor of this name, such as a property
    if defined(type(descriptor), "__set__") is not None:
        raise KeyError(name)
    try:
        stored = object.__getattribute__(owner, "__dict__")
    except AttributeError:  # the class has `__slots__`, so its objects have no `__dict__`
        stored = None
    if type(stored) is dict and name in stored:
        return stored[name]
    return _stored_in_class(kind, name)


_READ_BY_PYTHON = frozenset({types.MemberDescriptorType, type(vars(collections.namedtuple("_Sample", "a"))["a"])})


def _stored_in_class(kind: type, name: str) -> Any:
    stored = defined(kind, name)
    # Python does not return a function or a property itself when an object's attribute is read
    if stored is None or defined(type(stored), "__get__") is not None:
        raise KeyError(name)
    return stored
