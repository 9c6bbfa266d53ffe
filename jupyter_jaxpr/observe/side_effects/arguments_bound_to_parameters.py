"""Binds the abstract arguments of a call to the parameters of the function."""

from __future__ import annotations

import types
from typing import Any

from .harmless_functions import is_array_of_jax
from .known_and_plain_values import (
    OUTSIDE,
    PLAIN,
    Choice,
    Known,
    Local,
    Made,
    Method,
    Super,
    Transformed,
    Value,
    is_immutable,
)
from .source_of_code_objects import FunctionNode

Keywords = dict[str | None, Value]


def rebuilt(value: Value) -> Value:
    """Return the abstract value of an argument after JAX has copied its pytree containers."""
    if not isinstance(value, Known) or value.rebuilt or is_immutable(value.value):
        return value
    return as_argument(value.value)


def as_argument(value: Any) -> Value:
    """Return the abstract value of an argument of a traced function.

    JAX copies pytree containers and replaces arrays by tracers.
    """
    import jax

    if is_array_of_jax(value):
        return PLAIN
    if isinstance(value, types.FunctionType | types.MethodType):
        return Known(value)
    leaves = jax.tree_util.tree_leaves(value)
    if len(leaves) == 1 and leaves[0] is value:
        return PLAIN if type(value).__module__ == "numpy" and hasattr(value, "dtype") else Known(value)
    return Known(value, rebuilt=True)


def bind_parameters(
    node: FunctionNode, values: list[Value], keywords: Keywords, defaults: dict[str, Value], joined: Any
) -> dict[str, Value]:
    """Return {parameter: abstract value} for the arguments of a call.

    If starred arguments hide the order of the arguments, all parameters get one value that is true of all arguments.
    """
    arguments = node.args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    only = [argument.arg for argument in arguments.kwonlyargs]
    bound: dict[str, Value] = dict(defaults)
    if None in keywords:  # the call passes keyword arguments as `**values`, whose names are unknown
        together = joined([*values[1:], *keywords.values()])
        bound = dict.fromkeys((*names, *only), together)
        bound.update(zip(names, values[:1], strict=False))
    else:
        bound.update(zip(names, values, strict=False))
        bound.update({name: value for name, value in keywords.items() if name is not None and name in (*names, *only)})
    extra_values = values[len(names) :]
    if arguments.vararg is not None:
        bound[arguments.vararg.arg] = _packed(extra_values, joined)
    if arguments.kwarg is not None:
        extra_keywords = {name: value for name, value in keywords.items() if name not in (*names, *only)}
        bound[arguments.kwarg.arg] = _packed_by_name(extra_keywords, joined)
    return {name: bound.get(name, OUTSIDE) for name in (*names, *only, *_starred(node))}


def _starred(node: FunctionNode) -> list[str]:
    return [star.arg for star in (node.args.vararg, node.args.kwarg) if star is not None]


def _packed(values: list[Value], joined: Any) -> Value:
    if any(isinstance(value, Local | Transformed | Method | Choice | Super) for value in values):
        joined(values if len(values) > 1 else [*values, PLAIN])
        return Made(plain=False, fresh=True, deep=False)
    objects = [value for value in values if isinstance(value, Known)]
    if len(objects) == len(values):
        return Known(tuple(value.value for value in objects), all(value.rebuilt for value in objects))
    together = joined(values)
    return Made(together.plain, True, together.deep) if isinstance(together, Made) else Made(False, True, False)


def _packed_by_name(values: Keywords, joined: Any) -> Value:
    objects = {name: value.value for name, value in values.items() if isinstance(value, Known) and name is not None}
    if len(objects) == len(values):
        return Known(objects, all(value.rebuilt for value in values.values() if isinstance(value, Known)))
    packed = _packed(list(values.values()), joined)
    return packed if isinstance(packed, Made) else Made(plain=False, fresh=True, deep=False)


def defaults_of(function: types.FunctionType) -> dict[str, Value]:
    """Return {parameter: abstract value of its default value}."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    positional = function.__defaults__ or ()
    values: dict[str, Value] = {
        name: Known(value) for name, value in zip(names[len(names) - len(positional) :], positional, strict=True)
    }
    values.update((name, Known(value)) for name, value in (function.__kwdefaults__ or {}).items())
    return values


def count_of_parameters(function: Value) -> int:
    """Return the number of positional parameters of a function; 1 if unknown."""
    if isinstance(function, Local):
        return len(function.node.args.posonlyargs) + len(function.node.args.args)
    function_object = function.value if isinstance(function, Known) else getattr(function, "function", None)
    code = getattr(function_object, "__code__", None)
    count = code.co_argcount if isinstance(code, types.CodeType) else 1
    return count - 1 if isinstance(function_object, types.MethodType) or isinstance(function, Method) else count
