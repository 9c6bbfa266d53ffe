"""Declares abstract values: what the analysis knows about the value of an expression without running it.

- `Known`: a certain object that exists.
- `Made`: objects that the analysed code makes or receives. The flag `plain` is set for arrays, numbers, strings,
  None, and containers of them: their operators and attributes run no Python code of the user. `fresh` is set if code
  outside of the call cannot see a change of the object, because the object is immutable or was made in the call. `deep`
  is set if all objects inside the object are fresh, too.
- `Local`: a function that the analysed code defines.
- `Transformed`: a function that a library made of other functions, such as `jax.vmap(f)`.
- `Method`: a method of a value.
- `Choice`: one of several functions.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from .source_of_code_objects import FunctionNode


@dataclass(frozen=True, eq=False)
class Known:
    """An abstract value: a certain object that existed before the analysed call.

    Attributes:
        value: The object.
        rebuilt: True if the function does not get this container, but a copy that JAX makes, with tracers for arrays.
    """

    value: Any
    rebuilt: bool = False

    def key(self) -> Any:
        """Return a dictionary key, which is equal for abstract values that the analysis does not distinguish."""
        return ("known", id(self.value), self.rebuilt)


class Made(NamedTuple):
    """An abstract value: objects of which only a few properties are known.

    The docstring of the module explains the properties.

    Attributes:
        of: the class, if the object is an instance that the analysed code makes.
    """

    plain: bool = True
    fresh: bool = True
    deep: bool = True
    of: type | None = None

    def key(self) -> Any:
        """Return a dictionary key, which is equal for abstract values that the analysis does not distinguish."""
        return self


@dataclass(eq=False)
class Scope:
    """The names of one analysed function.

    Attributes:
        names: The local names that have a value.
        own: All local names of the function, with and without a value.
        enclosing: The scope in which a nested function was defined.
        cells: Free variable -> its closure cell, for a function that existed before the call.
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
    """An abstract value: a function, a lambda or a generator expression that the analysed code defines."""

    node: FunctionNode
    scope: Scope
    defaults: tuple[Value, ...] = ()

    def key(self) -> Any:
        """Return a dictionary key, which is equal for abstract values that the analysis does not distinguish."""
        return ("local", id(self.node), id(self.scope))


@dataclass(frozen=True, eq=False)
class Transformed:
    """An abstract value: a function that a library made of other functions, such as `jax.vmap(f)`.

    A call of the function calls the other functions.
    """

    functions: tuple[Value, ...]

    def key(self) -> Any:
        """Return a dictionary key, which is equal for abstract values that the analysis does not distinguish."""
        return ("transformed", tuple(function.key() for function in self.functions))


@dataclass(frozen=True, eq=False)
class Method:
    """An abstract value: a method of another value, the receiver.

    If the class of the receiver is unknown, only the name of the method is known.
    """

    receiver: Value
    name: str
    function: Any = None

    def key(self) -> Any:
        """Return a dictionary key, which is equal for abstract values that the analysis does not distinguish."""
        return ("method", self.receiver.key(), self.name, id(self.function))


@dataclass(frozen=True, eq=False)
class Choice:
    """An abstract value: one of several functions; the analysis does not know which one."""

    functions: tuple[Value, ...]

    def key(self) -> Any:
        """Return a dictionary key, which is equal for abstract values that the analysis does not distinguish."""
        return ("choice", tuple(function.key() for function in self.functions))


@dataclass(frozen=True, eq=False)
class Super:
    """An abstract value: the result of `super()` in a method of a class."""

    owner: type
    receiver: Value

    def key(self) -> Any:
        """Return a dictionary key, which is equal for abstract values that the analysis does not distinguish."""
        return ("super", id(self.owner), self.receiver.key())


Value: TypeAlias = Known | Made | Local | Transformed | Method | Choice | Super

PLAIN = Made()
OUTSIDE = Made(plain=False, fresh=False, deep=False)

_IMMUTABLE = (int, float, complex, bool, str, bytes, type(None), type(...), type(NotImplemented), slice, range)


def is_immutable(value: Any) -> bool:
    """Return whether an object is a number, a string or another immutable builtin, whose operators run no user code."""
    kind = type(value)
    return kind in _IMMUTABLE or (kind in (tuple, frozenset) and all(is_immutable(part) for part in value))


def as_object(value: Value) -> Value:
    """Return an abstract value as the object that code stores or passes.

    A `Method` without a known function may be any attribute, so it becomes an unknown object.
    """
    if isinstance(value, Method) and value.function is None:
        receiver = as_object(value.receiver)
        return PLAIN if isinstance(receiver, Made) and receiver.plain else OUTSIDE
    return OUTSIDE if isinstance(value, Choice) else value


def is_literal_true_or_false(value: Value) -> bool | None:
    """Return the truth of a condition whose value is a known number, string or None; else None."""
    if isinstance(value, Known) and type(value.value) in (bool, int, str, type(None), float):
        return bool(value.value)
    return None


def parameters(node: FunctionNode) -> list[ast.arg]:
    """Return the parameters of a function in order, without `*args` and `**kwargs`."""
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
