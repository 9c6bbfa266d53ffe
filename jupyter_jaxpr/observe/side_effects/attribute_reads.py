"""Finds the value of an attribute (`owner.name`) without running user code."""

from __future__ import annotations

import abc
import ast
import functools
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

from ...interruptions import not_of_a_signal
from . import sentences_on_side_effects as texts
from .harmless_functions import (
    elements_of,
    functions_inside,
    is_array_of_jax,
    is_class_of_numbers,
    is_consumed,
    is_users_callable,
    is_users_class,
    is_users_code,
)
from .known_and_plain_values import (
    OUTSIDE,
    PLAIN,
    Choice,
    Known,
    Local,
    Made,
    Method,
    Scope,
    Super,
    Transformed,
    Value,
    as_object,
    is_immutable,
)
from .side_effect import Kind, NotProven, SideEffect

_MOST_OBJECTS = 2_000
_MOST_EFFECTS = 200
_PLAIN_TYPES = (int, float, complex, bool, str, bytes, type(None), slice, range, list, tuple, dict, set, frozenset)


class Attributes(abc.ABC):
    """The base class of the analysis: collects side effects and classes, and finds the values of attributes.

    Args:
        first: True to stop at the first side effect: `NotProven` is then raised.

    Attributes:
        refusals: how often `refuse` was called, also for a side effect that was recorded before.
        is_live: true to refuse also the code that is forbidden while Live traces a cell that has not run.
        here: the scope and the statement that the analysis examines at present.
    """

    def __init__(self, first: bool) -> None:
        self.effects: dict[SideEffect, None] = {}
        self.refusals = 0
        self._first = first
        self.is_live = False
        self.is_unmade: Callable[[str, str], bool] | None = None
        self._classes: dict[type, None] = {}  # User classes whose instances an unknown value may be.
        # Library classes whose instances an unknown value may be; classes of containers and arrays are left out.
        self._library_classes: dict[type, None] = {}
        # false if an unknown value may be an iterator, whose elements a second run would not find again
        self._restartable = True
        # true if an unknown value may be a dict that adds a key when code reads it, such as a defaultdict
        self._read_adds_keys = False
        self._analysed: set[Any] = set()  # Keys of abstract values whose special methods were already analysed.
        self._last_module: types.ModuleType | None = None  # The module of which an attribute was read last.
        self._is_users_module = False
        self.here: tuple[Scope, ast.AST] | None = None
        # id of a callable of a library -> the user's functions inside this callable
        self._functions: dict[int, list[Any]] = {}
        # objects whose ids are used as dictionary keys: while they are alive, no other object gets their ids
        self._keep: list[Any] = []

    def refuse(self, kind: Kind, scope: Scope, node: ast.AST, sentence: str) -> Made:
        """Record a side effect: a line that may change an object outside of the call.

        In `sentence`, `sentences_on_side_effects.LINE_OF_SIDE_EFFECT` stands for the text of the line.
        """
        self.refusals += 1
        effect = SideEffect(kind, scope.file, getattr(node, "lineno", 0), scope.function, sentence)
        self.effects[effect] = None
        if self._first or len(self.effects) >= _MOST_EFFECTS:
            raise NotProven(effect)
        return OUTSIDE

    def raises(self, scope: Scope, name: str) -> bool:
        """Return whether the code surely raises a NameError when it reads `name`, so that no later code runs."""
        return self.is_unmade is not None and self.is_unmade(scope.file, name)

    # --- properties of a known object ---

    def blurred(self, value: Value) -> Made:
        """Return what is known of a value if it is passed to code that the analysis cannot follow.

        The classes and the functions inside the value are recorded.
        """
        if isinstance(value, Made):
            return value
        if not isinstance(value, Known):
            return Made(plain=False, fresh=True, deep=False)
        if is_immutable(value.value) or is_array_of_jax(value.value):
            return PLAIN
        plain, deep = True, True
        for part in self._inside(value.value):
            kind = type(part)
            if is_array_of_jax(part) or is_immutable(part) or is_class_of_numbers(part):
                continue
            if kind.__module__ == "numpy.dtypes":
                continue
            if callable(part) and not isinstance(part, type):
                plain = deep = False
            if is_consumed(part):
                self._restartable = False
            if hasattr(kind, "__missing__") and kind.__name__ != "Counter":
                self._read_adds_keys = True
            if is_users_class(kind):
                self._classes[kind] = None
                plain = False
            elif kind not in _PLAIN_TYPES and kind.__module__.partition(".")[0] not in ("numpy", "jax", "jaxlib"):
                self._library_classes[kind] = None
                plain = plain and issubclass(kind, _PLAIN_TYPES)
            if kind is not tuple and not issubclass(kind, tuple):
                deep = deep and value.rebuilt and kind in _PLAIN_TYPES
        return Made(plain, value.rebuilt, deep)

    def _inside(self, value: Any) -> Iterator[Any]:
        """Yield an object and all its parts.

        If there are too many parts, an unknown object is yielded in place of the rest.
        """
        waiting, visited = [value], {id(value)}
        while waiting:
            item = waiting.pop()
            yield item
            for part in _parts_of(item):
                if id(part) not in visited and not isinstance(part, types.ModuleType):
                    visited.add(id(part))
                    waiting.append(part)
            if len(visited) > _MOST_OBJECTS:
                yield _Unknown()
                return

    # --- attributes ---

    def attribute(self, scope: Scope, node: ast.AST, owner: Value, name: str) -> Value:
        """Return the abstract value of the expression `owner.name`."""
        match owner:
            case Known():
                return self._of_object(scope, node, owner, name)
            case Super():
                mro = type(self._receiver_object(owner)).__mro__ if isinstance(owner.receiver, Known) else None
                classes = (mro or owner.owner.__mro__)[(mro or owner.owner.__mro__).index(owner.owner) + 1 :]
                for kind in classes:
                    if name in vars(kind):
                        return self._bound(scope, node, owner.receiver, vars(kind)[name], name)
                text = texts.sentence(texts.NO_ATTRIBUTE_OF_SUPER, name=name)
                return self.refuse("unknown", scope, node, text)
            case Transformed() if name in ("defvjp", "defjvp", "defjvps", "def_vmap", "__wrapped__", "defpartition"):
                return Method(owner, name)
            case Choice():
                return self._joined([self.attribute(scope, node, function, name) for function in owner.functions])
            case Made() if owner.of is not None:
                return self._of_class(scope, node, owner, owner.of, name)
            case Made():
                return self._of_unknown(scope, node, owner, name)
            case _:
                return Method(owner, name)

    def _receiver_object(self, owner: Super) -> Any:
        return owner.receiver.value if isinstance(owner.receiver, Known) else None

    def _of_object(self, scope: Scope, node: ast.AST, owner: Known, name: str) -> Value:
        value = owner.value
        if isinstance(value, types.ModuleType):
            if value is not self._last_module:
                self._last_module, self._is_users_module = value, is_users_module(value)
            try:
                attribute = getattr(value, name) if not self._is_users_module else vars(value)[name]
            except (AttributeError, KeyError):
                has_getattr = self._is_users_module and "__getattr__" in vars(value)
                if isinstance(node, ast.Attribute) and not has_getattr and self.raises(scope, name):
                    return PLAIN
                text = texts.sentence(texts.NO_ATTRIBUTE_OF_MODULE, name=name)
                return self.refuse("unknown", scope, node, text)
            return Known(attribute)
        if is_immutable(value) or is_array_of_jax(value):
            return Method(PLAIN, name) if callable(getattr(type(value), name, None)) else PLAIN
        kind = type(value)
        attribute = inspect.getattr_static(value, name, _MISSING)
        if attribute is _MISSING:
            own_getattr = inspect.getattr_static(kind, "__getattr__", None)
            if isinstance(own_getattr, types.FunctionType) and _has_own_getattr(kind):
                return self._user_call(scope, node, own_getattr, [owner, Known(name)])
            if own_getattr is not None:
                return self._read(value, name)
            return self.refuse(
                "unknown",
                scope,
                node,
                texts.sentence(texts.NO_ATTRIBUTE_OF_OBJECT, name=name),
            )
        if isinstance(value, type):
            if isinstance(attribute, staticmethod | classmethod):
                return (
                    Method(owner, name, attribute.__func__)
                    if isinstance(attribute, classmethod)
                    else Known(attribute.__func__)
                )
            return Known(attribute)
        if _own_getattribute(kind):
            text = texts.sentence(texts.READS_BY_GETATTRIBUTE, name=name)
            return self.refuse("unknown", scope, node, text)
        in_instance = name in instance_dict(value)
        if in_instance and not inspect.isdatadescriptor(attribute):
            return self._element(owner, attribute)
        return self._bound(scope, node, owner, attribute, name)

    def _element(self, owner: Known, part: Any) -> Value:
        """Return the abstract value of an element or an attribute of an object that existed before the call."""
        if is_array_of_jax(part) or is_immutable(part):
            return Known(part)
        self._keep.append(part)
        return Known(part, owner.rebuilt and type(owner.value) in _PLAIN_TYPES)

    def _read(self, value: Any, name: str) -> Value:
        """Return the abstract value of an attribute of a library's object: the attribute is read."""
        try:
            attribute = getattr(value, name)
        except not_of_a_signal(Exception):
            return OUTSIDE
        self._keep.append(attribute)
        return Known(attribute)

    def _bound(self, scope: Scope, node: ast.AST, receiver: Value, attribute: Any, name: str) -> Value:
        """Return the abstract value of a class attribute that is read from an instance, such as a bound method."""
        if isinstance(attribute, types.FunctionType):
            return Method(receiver, name, attribute)
        if isinstance(attribute, staticmethod):
            return Known(attribute.__func__)
        if isinstance(attribute, classmethod):
            kind = type(receiver.value) if isinstance(receiver, Known) else getattr(receiver, "of", None)
            return Method(Known(kind) if kind else OUTSIDE, name, attribute.__func__)
        if isinstance(attribute, property):
            getter = attribute.fget
            if isinstance(getter, types.FunctionType) and is_users_code(getter.__code__):
                return self._user_call(scope, node, getter, [receiver])
            return self._read(receiver.value, name) if isinstance(receiver, Known) else OUTSIDE
        if isinstance(attribute, functools.cached_property):
            text = texts.sentence(texts.COMPUTES_CACHED_PROPERTY, name=name)
            return self.refuse("state", scope, node, text)
        if isinstance(attribute, types.MemberDescriptorType | types.GetSetDescriptorType):
            return self._read(receiver.value, name) if isinstance(receiver, Known) else OUTSIDE
        if isinstance(attribute, types.MethodDescriptorType | types.BuiltinFunctionType | types.WrapperDescriptorType):
            return Method(receiver, name)
        if isinstance(attribute, functools.partialmethod):
            return Method(receiver, name, attribute.func)
        if callable(getattr(type(attribute), "__get__", None)):
            if is_users_class(type(attribute)):
                text = texts.sentence(texts.READS_BY_DESCRIPTOR, name=name)
                return self.refuse("unknown", scope, node, text)
            inner = getattr(attribute, "__wrapped__", None) or getattr(attribute, "fun", None)
            if isinstance(
                inner, types.FunctionType
            ):  # `jax.jit` or equinox has wrapped a method: the wrapper is a method of the receiver
                return Method(receiver, name, attribute)
            return self._read(receiver.value, name) if isinstance(receiver, Known) else OUTSIDE
        self._keep.append(attribute)
        return Known(attribute)

    def _of_class(self, scope: Scope, node: ast.AST, owner: Made, kind: type, name: str) -> Value:
        """Return the abstract value of an attribute of an instance of a user class that the analysed code made."""
        attribute = inspect.getattr_static(kind, name, _MISSING)
        if attribute is _MISSING or isinstance(attribute, types.MemberDescriptorType) or _is_field(attribute):
            return Made(plain=False, fresh=owner.deep, deep=owner.deep)
        if isinstance(attribute, functools.cached_property):
            return Made(plain=False, fresh=True, deep=owner.deep)
        return self._bound(scope, node, owner, attribute, name)

    def _of_unknown(self, scope: Scope, node: ast.AST, owner: Made, name: str) -> Value:
        if owner.plain:
            return Method(owner, name) if name in _plain_methods() else Made(True, owner.deep, owner.deep)
        for kind in list(self._classes):
            attribute = inspect.getattr_static(kind, name, None)
            if isinstance(attribute, property) and isinstance(attribute.fget, types.FunctionType):
                self._user_call(scope, node, attribute.fget, [OUTSIDE])
            elif isinstance(attribute, functools.cached_property):
                text = texts.sentence(texts.MAY_COMPUTE_CACHED_PROPERTY, name=name)
                return self.refuse("state", scope, node, text)
            if _own_getattribute(kind) or _has_own_getattr(kind):
                owner_class = kind.__name__
                text = texts.sentence(texts.MAY_READ_BY_GETATTR, name=name, owner=owner_class)
                return self.refuse("unknown", scope, node, text)
        return Method(owner, name)

    # --- iteration ---

    def elements(self, scope: Scope, node: ast.AST, value: Value) -> Value:
        """Return one abstract value for all elements that a loop takes from a value."""
        value = as_object(value)
        if isinstance(value, Known):
            iterated = value.value
            if is_consumed(iterated):
                return self.refuse("outside", scope, node, texts.TAKES_ELEMENTS)
            if is_immutable(iterated) or is_array_of_jax(iterated):
                return PLAIN
            if type(iterated) in _PLAIN_TYPES or isinstance(iterated, tuple):
                parts = list(dict.__iter__(iterated) if isinstance(iterated, dict) else elements_of(iterated))[
                    :_MOST_OBJECTS
                ]
                return self._joined([self._element(value, part) for part in parts])
            if is_users_class(type(iterated)):
                return self._iterated(scope, node, value)
            element = self.blurred(value)
            return Made(element.plain, element.deep, element.deep)
        if isinstance(value, Made):
            if not value.plain and not value.fresh and not self._restartable:
                text = texts.MAY_TAKE_ELEMENTS
                return self.refuse("outside", scope, node, text)
            if not value.plain:
                self._iterated(scope, node, value)
            return Made(value.plain, value.deep, value.deep)
        return OUTSIDE

    def _iterated(self, scope: Scope, node: ast.AST, value: Value) -> Value:
        """Return one abstract value for the elements of an instance of a user class.

        The methods `__iter__` and `__next__`, or `__getitem__`, are analysed.
        """
        iterator = self.special(scope, node, value, ("__iter__", "__getitem__", "__next__"))
        if isinstance(iterator, Made) and iterator.of is not None:
            return self.special(scope, node, iterator, ("__next__",))
        return iterator

    def special(self, scope: Scope, node: ast.AST, value: Value, names: tuple[str, ...]) -> Value:
        """Analyse the special methods (`names`) that an operator or a statement calls on an object of a user class."""
        value = as_object(value)
        if isinstance(value, Known) and (is_immutable(value.value) or not is_users_class(type(value.value))):
            value = self.blurred(value)
        if isinstance(value, Made) and value.plain:
            return value if value == PLAIN or not value.deep else PLAIN
        kinds: list[type]
        if isinstance(value, Known):
            kinds = [type(value.value)]
        elif isinstance(value, Made):
            kinds = [value.of] if value.of is not None else list(self._classes)
        else:
            return OUTSIDE
        results: list[Value] = []
        for kind in kinds:
            for name in names:
                method = inspect.getattr_static(kind, name, None)
                if isinstance(method, types.FunctionType) and is_users_code(method.__code__):
                    results.append(self._user_call(scope, node, method, [value], unknown_rest=True))
        return self._joined(results) if results else Made(plain=False, fresh=True, deep=False)

    def _joined(self, values: list[Value]) -> Value:
        """Return one abstract value that is true of all given values, such as those of two branches."""
        if not values:
            return PLAIN
        first = values[0]
        if all(value.key() == first.key() for value in values[1:]):
            return first
        if all(self._is_function(value) or _is_callable(value) for value in values):
            return Choice(tuple({value.key(): value for value in values}.values()))
        if any(isinstance(value, Local | Transformed | Method | Choice | Super) for value in values):
            for value in values:
                self._escapes(value)
            return OUTSIDE
        parts = [self.blurred(value) for value in values]
        kinds = {value.of for value in parts}
        return Made(
            all(value.plain for value in parts),
            all(value.fresh for value in parts),
            all(value.deep for value in parts),
            kinds.pop() if len(kinds) == 1 else None,
        )

    # --- methods that subclasses define ---

    @abc.abstractmethod
    def _user_call(
        self, scope: Scope, node: ast.AST, function: types.FunctionType, values: list[Value], unknown_rest: bool = False
    ) -> Value: ...

    @abc.abstractmethod
    def _escapes(self, value: Value) -> None: ...

    @abc.abstractmethod
    def _is_function(self, value: Value) -> bool: ...

    def functions_of(self, value: Any) -> list[Any]:
        """Return the user's functions inside a callable of a library."""
        functions = self._functions.get(id(value))
        if functions is None:
            self._keep.append(value)
            functions = [inner for inner in functions_inside(value) if is_users_callable(inner)]
            self._functions[id(value)] = functions
        return list(functions)


@functools.cache
def _plain_methods() -> frozenset[str]:
    """Return the names of the methods of arrays, numbers, strings, containers, `x.at[i]` and named tuples."""
    import jax
    import numpy as np

    kinds = (jax.Array, np.ndarray, np.generic, list, dict, set, frozenset, tuple, str, bytes, int, float, complex)
    return frozenset(
        name for kind in kinds for name in dir(kind) if callable(inspect.getattr_static(kind, name, None))
    ) | {"set", "add", "multiply", "divide", "power", "min", "max", "apply", "get", "_replace", "_asdict"}


class _Unknown:
    """Stands for the remaining parts of an object that has too many parts to examine."""

    def __next__(self) -> None:
        raise StopIteration


_MISSING = object()


def _parts_of(value: Any) -> Iterator[Any]:
    if is_array_of_jax(value) or is_immutable(value):
        return
    yield from elements_of(value)
    if isinstance(value, type) or type(value).__module__.partition(".")[0] in ("jaxlib", "numpy", "builtins"):
        return
    if isinstance(value, types.FunctionType | types.MethodType | functools.partial):
        return
    yield from instance_dict(value).values()
    for kind in type(value).__mro__:
        for name in vars(kind).get("__slots__", ()) if isinstance(vars(kind).get("__slots__"), tuple | list) else ():
            slot = inspect.getattr_static(kind, name, None)
            if isinstance(slot, types.MemberDescriptorType):
                try:
                    yield slot.__get__(value)
                except AttributeError:
                    continue


def _is_callable(value: Value) -> bool:
    return isinstance(value, Known) and callable(value.value)


def instance_dict(value: Any) -> dict[str, Any]:
    """Return the `__dict__` of an instance without calling the `__getattribute__` of its class."""
    try:
        stored = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return stored if isinstance(stored, dict) else dict(stored)


def _is_field(attribute: Any) -> bool:
    """Return whether a class attribute is only the default of a field: each instance may have its own value."""
    return not callable(getattr(type(attribute), "__get__", None))


def _own_getattribute(kind: type) -> bool:
    method = inspect.getattr_static(kind, "__getattribute__", None)
    return isinstance(method, types.FunctionType) and is_users_code(method.__code__)


def _has_own_getattr(kind: type) -> bool:
    method = inspect.getattr_static(kind, "__getattr__", None)
    return isinstance(method, types.FunctionType) and is_users_code(method.__code__)


def is_users_module(module: types.ModuleType) -> bool:
    """Return whether the file of a module is the user's, not a package's."""
    from ..user_or_library.whose_code import is_installed

    file = getattr(module, "__file__", None)
    return file is None and module.__name__ == "__main__" or isinstance(file, str) and not is_installed(file)
