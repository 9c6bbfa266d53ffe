"""Declares abstract values: what the analysis knows about the value of an expression without running it.

- `Known`: a certain object that exists.
- `Made`: objects that the analysed code makes or receives. `plain`: arrays, numbers, strings, None, and containers of
  them: their operators and attributes run no Python code of the user. `fresh`: code outside of the call cannot see a
  change of the object, because it is immutable or was made in the call. `deep`: all objects that it contains are fresh,
  too.
- `Local`: a function that the analysed code defines. `Transformed`: a function that a library made of other functions,
  such as `jax.vmap(f)`. `Method`: a method of any of these. `Choice`: one of several functions.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from .source import FunctionNode


@dataclass(frozen=True, eq=False)
class Known:
    """An abstract value: a certain object that exists before the analysed call.

    Attributes:
        value: The object.
        rebuilt: True if JAX passes the function a copy of this container, with tracers for its arrays.
    """

    value: Any
    rebuilt: bool = False

    def key(self) -> Any:
        """Return a key for dictionaries; values that the analysis treats alike have equal keys."""
        return ("known", id(self.value), self.rebuilt)


class Made(NamedTuple):
    """Objects of which only these properties are known; the head of the module explains the properties."""

    plain: bool = True
    fresh: bool = True
    deep: bool = True
    of: type | None = None  # the class, if the analysed code makes an instance of it

    def key(self) -> Any:
        """Return a key for dictionaries; values that the analysis treats alike have equal keys."""
        return self


@dataclass(eq=False)
class Scope:
    """The names of one analysed function.

    Attributes:
        names: The local names that have a value.
        own: All local names of the function.
        enclosing: The scope in which a nested function was defined.
        cells: Free variable -> its value, for a function that existed before the call.
        module: The global names of the function.
        file: The file of the code.
        function: The name of the code object.
        returned: The values that the function returns or yields.
        outer: The names that the function declares global or nonlocal.
    """

    names: dict[str, Value]
    own: frozenset[str]
    enclosing: Scope | None
    cells: Mapping[str, types.CellType]
    module: dict[str, Any]
    file: str
    function: str
    returned: list[Value] = field(default_factory=list)
    outer: set[str] = field(default_factory=set)


@dataclass(frozen=True, eq=False)
class Local:
    """A function, lambda or generator that the analysed code defines."""

    node: FunctionNode
    scope: Scope
    defaults: tuple[Value, ...] = ()

    def key(self) -> Any:
        """Return a key for dictionaries; values that the analysis treats alike have equal keys."""
        return ("local", id(self.node), id(self.scope))


@dataclass(frozen=True, eq=False)
class Transformed:
    """A function that a library made of other functions, such as `jax.vmap(f)`; calling it calls those functions."""

    functions: tuple[Value, ...]

    def key(self) -> Any:
        """Return a key for dictionaries; values that the analysis treats alike have equal keys."""
        return ("transformed", tuple(function.key() for function in self.functions))


@dataclass(frozen=True, eq=False)
class Method:
    """A method of a value.

    It is a known function with its receiver, or only a name if the class of the receiver is unknown.
    """

    receiver: Value
    name: str
    function: Any = None

    def key(self) -> Any:
        """Return a key for dictionaries; values that the analysis treats alike have equal keys."""
        return ("method", self.receiver.key(), self.name, id(self.function))


@dataclass(frozen=True, eq=False)
class Choice:
    """One of several functions; the analysis does not know which one is called."""

    functions: tuple[Value, ...]

    def key(self) -> Any:
        """Return a key for dictionaries; values that the analysis treats alike have equal keys."""
        return ("choice", tuple(function.key() for function in self.functions))


@dataclass(frozen=True, eq=False)
class Super:
    """The result of `super()` in a method of a class."""

    owner: type
    receiver: Value

    def key(self) -> Any:
        """Return a key for dictionaries; values that the analysis treats alike have equal keys."""
        return ("super", id(self.owner), self.receiver.key())


Value: TypeAlias = Known | Made | Local | Transformed | Method | Choice | Super

PLAIN = Made()
OUTSIDE = Made(plain=False, fresh=False, deep=False)

_IMMUTABLE = (int, float, complex, bool, str, bytes, type(None), type(...), type(NotImplemented), slice, range)


def is_immutable(value: Any) -> bool:
    """Return whether the class of an object is an immutable builtin; then its operators run no user code."""
    kind = type(value)
    return kind in _IMMUTABLE or (kind in (tuple, frozenset) and all(is_immutable(part) for part in value))


def as_object(value: Value) -> Value:
    """Return a value as it is when code stores or passes it.

    An unknown attribute is then not assumed to be a method.
    """
    if isinstance(value, Method) and value.function is None:
        receiver = as_object(value.receiver)
        return PLAIN if isinstance(receiver, Made) and receiver.plain else OUTSIDE
    return OUTSIDE if isinstance(value, Choice) else value


def is_literal_true_or_false(value: Value) -> bool | None:
    """Return the truth of a condition whose value is a known builtin scalar; None for other conditions."""
    if isinstance(value, Known) and type(value.value) in (bool, int, str, type(None), float):
        return bool(value.value)
    return None


def parameters(node: FunctionNode) -> list[ast.arg]:
    """Return the parameters of a function that take exactly one argument, in order."""
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
