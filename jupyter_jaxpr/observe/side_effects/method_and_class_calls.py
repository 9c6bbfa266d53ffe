"""Finds the abstract value of a call of a method or of a class."""

from __future__ import annotations

import abc
import ast
import contextvars
import dataclasses
import inspect
import types
from typing import Any

from ...interruptions import not_of_a_signal
from . import sentences_on_side_effects as texts
from .arguments_bound_to_parameters import Keywords, count_of_parameters
from .attribute_reads import Attributes
from .harmless_functions import (
    CHANGING_METHODS,
    field_functions,
    is_changeable,
    is_consumed,
    is_generated,
    is_read_only,
    is_users_class,
    is_users_code,
    verdict,
)
from .known_and_plain_values import OUTSIDE, PLAIN, Known, Made, Method, Scope, Super, Transformed, Value, as_object
from .side_effect import Kind


class Methods(Attributes):
    """The part of the analysis that examines calls of methods and of classes."""

    # --- calls of methods and classes ---

    def _call_method(
        self, scope: Scope, node: ast.AST, method: Method, values: list[Value], keywords: Keywords
    ) -> Value:
        receiver, name = method.receiver, method.name
        if method.function is not None:
            if isinstance(method.function, types.FunctionType) and is_users_code(method.function.__code__):
                return self._call_function(scope, node, method.function, [receiver, *values], keywords)
            if isinstance(receiver, Known) and not receiver.rebuilt and is_changeable(receiver.value):
                text = texts.sentence(texts.MAY_CHANGE_ITS_OBJECT, call=call_text(node))
                return self.refuse("state", scope, node, text)
            return self._call_library(scope, node, method.function, [receiver, *values], keywords)
        if isinstance(receiver, Transformed):
            self._escaping(values)
            return receiver
        if isinstance(receiver, Known) and type(receiver.value).__module__.partition(".")[0] in ("io", "_io"):
            return self.refuse(
                "outside",
                scope,
                node,
                texts.sentence(texts.METHOD_OF_FILE, call=call_text(node)),
            )
        if isinstance(receiver, Known):
            return self._method_of_object(scope, node, receiver, name, values, keywords)
        if isinstance(receiver, Made):
            return self._method_of_made(scope, node, receiver, name, values, keywords)
        return self._call_unknown(scope, node, [receiver, *values, *keywords.values()])

    def _call_linen(self, scope: Scope, node: ast.AST, kind: type, values: list[Value], keywords: Keywords) -> Value:
        """Analyse `apply` of a flax.linen module, which runs the methods of a copy of the module."""
        method = keywords.get("method")
        if method is not None and not is_none(method):
            text = texts.UNKNOWN_METHOD_OF_FLAX
            return self.refuse("unknown", scope, node, text)
        clone = Made(plain=False, fresh=True, deep=False, of=kind)
        results: list[Value] = []
        for name in ("setup", "__call__"):
            function = from_users_class(kind, name)
            if function is not None:
                passed = values[1:] if name == "__call__" else []
                results.append(self._call_function(scope, node, function, [clone, *passed], {**keywords}))
        result = self.blurred(self._joined(results))
        return Made(result.plain, True, result.deep)

    def _method_of_object(
        self, scope: Scope, node: ast.AST, receiver: Known, name: str, values: list[Value], keywords: Keywords
    ) -> Value:
        value = receiver.value
        bound = object.__getattribute__(value, name) if hasattr(type(value), name) else None
        if is_read_only(value) and name not in ("delete", "copy_to_host_async"):
            self._read_by_method(scope, node, [*values, *keywords.values()])
            return PLAIN
        judgement = verdict(bound) if bound is not None else "unknown"
        if judgement == "random":
            return self.refuse(
                "random",
                scope,
                node,
                advances_generator(call_text(node)),
            )
        container = type(value).__module__ in ("builtins", "collections", "numpy") or isinstance(
            value, dict | list | set
        )
        for argument in (*values, *keywords.values()):
            self.handed_over(scope, node, argument)
        # the second positional argument may be the parameter `out`
        if any(self._may_be_array(value_given) for value_given in values[1:]):
            return self.refuse(
                "state",
                scope,
                node,
                texts.sentence(texts.MAY_WRITE_INTO_ARRAY, call=call_text(node)),
            )
        if name == "at" and hasattr(value, "nin"):
            return self.refuse("state", scope, node, changes_in_place(call_text(node)))
        if is_consumed(value):
            return self.refuse(
                "outside",
                scope,
                node,
                texts.sentence(texts.ADVANCES_ITERATOR, call=call_text(node)),
            )
        if isinstance(value, contextvars.ContextVar) and name != "get":
            return self.refuse(
                "outside",
                scope,
                node,
                texts.sentence(texts.CHANGES_CONTEXT_VARIABLE, call=call_text(node)),
            )
        if name in CHANGING_METHODS or not container:
            if container and receiver.rebuilt:
                return self._changes_fresh(scope, node, [*values, *keywords.values()])
            kind: Kind = "state" if container else "outside" if judgement == "outside" else "unknown"
            if judgement == "harmless" and not container:
                return self._call_library(scope, node, bound, values, keywords)
            text = texts.sentence(texts.UNKNOWN_METHOD, call=call_text(node))
            if container:
                text = texts.sentence(texts.CALL_CHANGES_OBJECT, call=call_text(node))
            return self.refuse(kind, scope, node, text)
        for argument in (*values, *keywords.values()):
            if self._is_function(argument):
                self._escapes(argument)
        if keywords.get("out") is not None:
            return self.refuse(
                "state",
                scope,
                node,
                writes_into_out(call_text(node)),
            )
        if name in ("get", "values", "items", "pop", "copy", "keys"):
            return (
                self.elements(scope, node, Known(list(dict.values(value)), receiver.rebuilt))
                if isinstance(value, dict) and name == "get"
                else self._element_view(receiver, name)
            )
        owner = self.blurred(receiver)
        return Made(owner.plain, owner.fresh, owner.deep)

    def _element_view(self, receiver: Known, name: str) -> Value:
        value = receiver.value
        if isinstance(value, dict) and name in ("values", "items", "keys"):
            if name == "keys":
                return PLAIN
            parts = list(dict.values(value)) if name == "values" else list(dict.items(value))
            self._keep.append(parts)
            return Known(parts, receiver.rebuilt)
        owner = self.blurred(receiver)
        return Made(owner.plain, True, owner.deep)

    def _method_of_made(
        self, scope: Scope, node: ast.AST, receiver: Made, name: str, values: list[Value], keywords: Keywords
    ) -> Value:
        arguments = [*values, *keywords.values()]
        if keywords.get("out") is not None:
            return self.refuse(
                "state",
                scope,
                node,
                writes_into_out(call_text(node)),
            )
        if name in CHANGING_METHODS:
            if name == "delete" or not receiver.fresh:
                text = texts.sentence(texts.CALL_MAY_CHANGE_OBJECT, call=call_text(node))
                return self.refuse("state", scope, node, text)
            return self._changes_fresh(scope, node, arguments)
        if receiver.plain:
            self._read_by_method(scope, node, arguments)
            blurred_arguments = [self.blurred(value) for value in arguments if not self._is_function(value)]
            deep = receiver.deep and all(value.deep for value in blurred_arguments)
            return (
                Made(True, deep or receiver.deep, receiver.deep) if all(m.plain for m in blurred_arguments) else OUTSIDE
            )
        results: list[Value] = []
        kinds = [receiver.of] if receiver.of is not None else [*self._classes, *self._library_classes]
        for kind in kinds:
            function = vars_of(kind).get(name)
            if isinstance(function, staticmethod | classmethod):
                function = function.__func__
            if isinstance(function, types.FunctionType) and is_users_code(function.__code__):
                first: list[Value] = [Made(False, receiver.fresh, receiver.deep, of=kind)]
                results.append(self._call_function(scope, node, function, [*first, *values], keywords))
            elif function is not None:
                results.append(self._call_library(scope, node, function, arguments, {}))
        if results:
            return self._joined(results)
        return self._call_unknown(scope, node, [receiver, *arguments])

    def _changes_fresh(self, scope: Scope, node: ast.AST, arguments: list[Value]) -> Value:
        """Analyse a method that stores values in a container that the call made, or that JAX copied for the call.

        Storing an object that existed before the call is refused.
        """
        for value in arguments:
            self.handed_over(scope, node, value)
            if self._is_function(value):
                self._escapes(value)
            elif not self.blurred(value).deep:
                text = texts.sentence(texts.CALL_MAY_STORE_OBJECT, call=call_text(node))
                return self.refuse("unknown", scope, node, text)
        return PLAIN

    def _read_by_method(self, scope: Scope, node: ast.AST, arguments: list[Value]) -> None:
        for value in arguments:
            self.handed_over(scope, node, value)
            if self._is_function(value):
                self._escapes(value)
            elif isinstance(value, Known) and is_consumed(value.value):
                self.refuse("outside", scope, node, texts.PASSES_ITERATOR)

    def _construct(self, scope: Scope, node: ast.AST, kind: type, values: list[Value], keywords: Keywords) -> Value:
        if not is_users_class(kind):
            return self._call_library(scope, node, kind, values, keywords)
        arguments = [*values, *keywords.values()]
        if type(kind) is not type and is_users_class(type(kind)):
            text = texts.sentence(texts.USERS_METACLASS, kind=kind.__name__)
            return self.refuse("unknown", scope, node, text)
        self._classes[kind] = None
        self._escaping(arguments)
        blurred = [self.blurred(value) for value in arguments]
        instance = Made(plain=False, fresh=True, deep=all(value.deep for value in blurred), of=kind)
        for name in ("__new__", "__init__"):
            function = from_users_class(kind, name)
            if function is not None and not is_generated(function):
                self._call_function(scope, node, function, [instance, *values], keywords)
            elif function is None and (base := _library_base(kind, name)) is not None:
                self._call_library(scope, node, base, arguments, {})
        for name in _AFTER_INIT:
            function = from_users_class(kind, name)
            if function is not None:
                self._call_function(scope, node, function, [instance], {})
        if dataclasses.is_dataclass(kind):
            self.special(scope, node, instance, ("__setattr__",))
            self._call_field_functions(scope, node, kind)
        return instance

    def _call_field_functions(self, scope: Scope, node: ast.AST, kind: type) -> None:
        """Analyse the functions that a dataclass calls for its fields: default factories and converters."""
        for function in field_functions(kind):
            self.call(scope, node, Known(function), [OUTSIDE] * count_of_parameters(Known(function)), {})

    def handed_over(self, scope: Scope, node: ast.AST, value: Value) -> None:
        """Analyse the methods of a user class that a library may call on the argument `value`."""
        value = as_object(value)
        if isinstance(value, Known | Made) and value.key() not in self._analysed:
            self._analysed.add(value.key())
            self._keep.append(value)
            self.special(scope, node, value, IMPLICIT_METHODS)
            iterator = self.special(scope, node, value, ("__iter__",))
            if isinstance(iterator, Made) and iterator.of is not None:
                self.special(scope, node, iterator, ("__next__",))

    def _may_be_array(self, value: Value) -> bool:
        """Return whether an argument may be a NumPy array that existed before the call.

        Writing into such an array is a side effect.
        """
        if isinstance(value, Known):
            return type(value.value).__module__ == "numpy" and not value.rebuilt and hasattr(value.value, "setflags")
        return isinstance(value, Made) and not value.fresh

    def _super(self, scope: Scope, node: ast.AST, values: list[Value]) -> Value:
        owner = scope
        while owner.enclosing is not None and "__class__" not in owner.cells:
            owner = owner.enclosing
        if values and isinstance(values[0], Known) and isinstance(values[0].value, type) and len(values) > 1:
            return Super(values[0].value, values[1])
        cell = owner.cells.get("__class__")
        first = next(iter(owner.names.values()), None)
        if cell is None or first is None:
            return self.refuse("unknown", scope, node, texts.SUPER_OF_UNKNOWN_CLASS)
        return Super(cell.cell_contents, first)

    def _by_name(self, scope: Scope, node: ast.AST, function: Any, values: list[Value]) -> Value:
        """Analyse a call of `getattr`, `hasattr`, `setattr` or `delattr`."""
        if function is setattr or function is delattr:
            name = values[1] if len(values) > 1 else OUTSIDE
            if isinstance(name, Known) and type(name.value) is str and isinstance(values[0], Made):
                self.store(scope, node, values[0], values[2] if len(values) > 2 else PLAIN, name.value, name.value)
                return PLAIN
            return self.refuse(
                "state",
                scope,
                node,
                texts.sentence(texts.CHANGES_ATTRIBUTE, call=call_text(node)),
            )
        name = values[1] if len(values) > 1 else OUTSIDE
        if not isinstance(name, Known) or type(name.value) is not str:
            if isinstance(values[0], Known) and not is_users_class(type(values[0].value)):
                return OUTSIDE
            text = texts.sentence(texts.UNKNOWN_ATTRIBUTE_NAME, call=call_text(node))
            return self.refuse("unknown", scope, node, text)
        if len(values) > 2 and isinstance(values[0], Known) and not hasattr(type(values[0].value), "__getattr__"):
            if inspect.getattr_static(values[0].value, name.value, None) is None:
                return values[2]
        return self.attribute(scope, node, values[0], name.value)

    # --- methods that subclasses define ---

    @abc.abstractmethod
    def call(self, scope: Scope, node: ast.AST, callee: Value, values: list[Value], keywords: Keywords) -> Value:
        """Analyse the call `callee(*values, **keywords)`, and return the abstract value of its result."""

    @abc.abstractmethod
    def store(
        self, scope: Scope, node: ast.AST, owner: Value, value: Value, name: str, attribute: str | None = None
    ) -> None:
        """Analyse the assignment `owner.attribute = value`; if `attribute` is None, `owner[...] = value`."""

    @abc.abstractmethod
    def _call_function(
        self, scope: Scope, node: ast.AST, function: types.FunctionType, values: list[Value], keywords: Keywords
    ) -> Value: ...

    @abc.abstractmethod
    def _call_library(
        self, scope: Scope, node: ast.AST, function: Any, values: list[Value], keywords: Keywords
    ) -> Value: ...

    @abc.abstractmethod
    def _call_unknown(self, scope: Scope, node: ast.AST, values: list[Value]) -> Value: ...

    @abc.abstractmethod
    def _escaping(self, values: list[Value]) -> None: ...


_AFTER_INIT = ("__post_init__", "__check_init__", "_missing_", "__del__")
# Special methods that a library, an operator or a statement may call on an object.
IMPLICIT_METHODS = tuple(
    """__lt__ __le__ __gt__ __ge__ __eq__ __ne__ __hash__ __bool__ __len__ __length_hint__ __iter__ __getitem__
    __contains__ __reversed__ __missing__ __index__ __int__ __float__ __complex__ __round__ __add__ __radd__ __mul__
    __rmul__ __neg__ __abs__ __array__ __array_ufunc__ __array_function__ __jax_array__ __array_interface__ __copy__
    __deepcopy__ __reduce__ __reduce_ex__ __getstate__ __setstate__ __instancecheck__ __subclasscheck__ __fspath__ keys
    shape dtype ndim size tree_flatten tree_flatten_with_keys""".split()
)


def _library_base(kind: type, name: str) -> Any:
    """Return the `__new__` or `__init__` that a user class inherits from a library class.

    Return None if the class inherits the method of `object` or of a class that is known to be harmless.
    """
    for base in kind.__mro__:
        method = vars(base).get(name)
        if method is None:
            continue
        package = base.__module__.partition(".")[0]
        if is_users_class(base) or package in ("builtins", "abc", "enum", "typing", "collections", "equinox", "flax"):
            return None
        return method
    return None


def from_users_class(kind: type, name: str) -> types.FunctionType | None:
    """Return the method of a user class, if the user's code defines it; None if a library class defines it."""
    for base in kind.__mro__:
        method = vars(base).get(name)
        if isinstance(method, staticmethod):
            method = method.__func__
        if method is not None:
            method = getattr(method, "__wrapped__", method)
            return method if isinstance(method, types.FunctionType) and is_users_code(method.__code__) else None
    return None


def vars_of(kind: type) -> dict[str, Any]:
    """Return the attributes of a class and its bases, in one dictionary."""
    attributes: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        attributes.update(vars(base))
    return attributes


def is_none(value: Value) -> bool:
    """Return whether an abstract value is known to be None."""
    return isinstance(value, Known) and value.value is None


def advances_generator(name: str) -> str:
    """Return the sentence about a call of a random generator; `name` is the called function or the code of the call."""
    return texts.sentence(texts.ADVANCES_GENERATOR, name=name)


def changes_in_place(name: str) -> str:
    """Return the sentence about a call that writes into an array; `name` is as for `advances_generator`."""
    return texts.sentence(texts.CHANGES_IN_PLACE, name=name)


def writes_into_out(name: str) -> str:
    """Return the sentence about a call that writes into the array `out`; `name` is as for `advances_generator`."""
    return texts.sentence(texts.WRITES_INTO_OUT, name=name)


def call_text(node: ast.AST) -> str:
    """Return the source text of the called expression, at most 60 characters.

    For a statement, return "a function".
    """
    if isinstance(node, ast.stmt):
        return "a function"
    try:
        text = ast.unparse(node.func if isinstance(node, ast.Call) else node)
    except not_of_a_signal(Exception):
        return "…"
    return text if len(text) <= 60 else text[:59] + "…"
