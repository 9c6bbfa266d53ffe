"""Reads the properties of a function object at its first miss: wrappers, bound arguments, outside values."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import CodeType, FunctionType, MappingProxyType, MethodType
from typing import Any, NamedTuple

from ...jax.constructs_outside_jit import Construct
from ...jax.facts import partial_of
from ...plain_text import exact, file_of, kind_name
from ..functions.function_inside_wrappers import code_of, is_unwrapped, without_lines
from ..reprs_of_users_values import Reading
from ..user_or_library.whose_code import is_installed
from .changed_outside_values import is_same
from .closed_over import Outside, values_outside
from .equal_callables import BoundMethod, may_equal_another
from .static_values import is_plain
from .types_and_layouts_of_key import Key
from .wrappers_named_in_reasons import Wrappers, equinox_wrappers, options_of, wrappers_of


class FunctionObject(NamedTuple):
    """The properties of a function object that are read at its first miss.

    Attributes:
        wrappers: the wrappers around the user's function.
        partial: parameter -> repr of the value that a `functools.partial` binds; None if the function is no partial.
        partial_read: true if `partial` has the reprs of the values; false if the values could not be read.
        method: true if the object is a bound method.
        bound_method: weak references to the object and the function of the bound method inside the wrappers; None if
            there is none, or if unknown.
        may_equal: true if the class of a callable object has its own `__eq__` and `__hash__`.
        apart: a hash of all other properties that tell function objects on one line apart.
        callable_class: the class name of a callable object; empty for functions, methods and partials.
        outside: name -> value that the function reads from outside of its arguments.
    """

    wrappers: Wrappers = ()
    partial: dict[str, str] | None = None
    partial_read: bool = True
    method: bool = False
    apart: int = hash(((), ()))
    callable_class: str = ""
    outside: Mapping[str, Outside] = MappingProxyType({})
    bound_method: BoundMethod | None = None
    may_equal: bool = False


class EarlierObject(NamedTuple):
    """An earlier function object: its index in the history, and the values that the object reads from outside."""

    number: int
    outside: Mapping[str, Outside]


class NewestObject(NamedTuple):
    """How many function objects with the same wrappers were seen, and the properties of the newest ones.

    Attributes:
        recent: the newest objects that have the code of the newest one, the newest first.
        code: a copy of the code of the user's function, without line numbers; for a construct, the codes of its
            functions; None for code of a package.
    """

    objects: int
    recent: tuple[EarlierObject, ...]
    code: CodeType | CodesOfConstruct | None


RECENT_OBJECTS = 16
"""The number of function objects whose outside values are kept, to find the closest earlier one."""


def read_function_object(record: Any, fun: Any, key: Key | None, reading: Reading) -> FunctionObject:
    """Read the properties of a function object; `reading` says which methods of the user's objects may be called."""
    equinox = None if key is None else key.function
    name, outside = record.name, read_outside(record, fun, reading)
    # One line may hold several lambdas: the columns of their code tell them apart. The results of a transform with
    # different options, such as in_axes, are told apart by the options.
    if equinox is None and is_unwrapped(fun):
        if name != "<lambda>":
            return FunctionObject(outside=outside)
        return FunctionObject(apart=hash((tuple(fun.__code__.co_positions()), ())), outside=outside)
    code = code_of(fun) if name == "<lambda>" else None
    positions = () if code is None else tuple(code.co_positions())
    wrappers = wrappers_of(fun)
    if key is not None and key.options.by == "pmap" and wrappers[:1] == ("jax.shard_map",):
        wrappers = wrappers[1:]  # JAX itself wraps the function of `jax.pmap` in shard_map, which is left out
    if equinox is not None:
        wrappers = ("equinox.filter_jit", *equinox_wrappers(equinox.type), *wrappers)
    texts = None
    read = True
    if issubclass(type(fun), partial):
        bound = partial_of(fun)
        values: dict[str, Any] = dict(zip(_positional(bound.func, len(bound.args)), bound.args, strict=True))
        values.update((exact(name), value) for name, value in bound.keywords.items())
        texts = {name: reading.text(value) for name, value in values.items()}
        read = reading.calls or all(map(is_plain, values.values()))
    kind, run_code = type(fun), code_of(fun)
    is_callable_object = not wrappers and not issubclass(kind, (FunctionType, MethodType, partial)) and equinox is None
    is_users = run_code is not None and not is_installed(file_of(run_code))
    callable_class = kind_name(kind) if is_callable_object and is_users else ""
    apart = hash((positions, options_of(fun)))
    is_method = kind is MethodType
    may_equal = bool(callable_class) and may_equal_another(kind)
    return FunctionObject(
        wrappers, texts, read, is_method, apart, callable_class, outside, BoundMethod.inside(fun), may_equal
    )


def code_to_compare(fun: Any) -> CodeType | None:
    """Return a copy of the code of the user's function in a function object, without line numbers.

    The record of a function object keeps the copy: the code object itself is deleted together with the function.
    Return None for code of a package, and for a callable that is not written in Python.
    """
    code = code_of(fun)
    return None if code is None or is_installed(file_of(code)) else without_lines(code)


class CodesOfConstruct(NamedTuple):
    """`code_to_compare` of each function that the user passed to a construct.

    Attributes:
        codes: The (module, code) of each function; None unless the function is a plain function at the top level of a
            cell or a file.
        body: The index of the function that gives the construct its place: the body of a loop, or the first branch of
            the user's.
    """

    codes: tuple[tuple[str, CodeType] | None, ...]
    body: int

    def same_as(self, earlier: CodesOfConstruct) -> bool | None:
        """Return whether the body has the same code as in an earlier call of the construct; None if unknown."""
        if len(self.codes) != len(earlier.codes):
            return None
        now, before = self.codes[self.body], earlier.codes[self.body]
        return None if now is None or before is None else now[1] == before[1]

    def changed_since(self, earlier: CodesOfConstruct) -> tuple[int, ...]:
        """Return the indices of the functions that the user certainly wrote anew, with other code, in one module."""
        if len(self.codes) != len(earlier.codes):
            return ()
        return tuple(
            index
            for index, (now, before) in enumerate(zip(self.codes, earlier.codes, strict=True))
            if now is not None and before is not None
            if (now[0], now[1].co_name) == (before[0], before[1].co_name) and now[1] != before[1]
        )


def codes_to_compare(construct: Construct) -> CodesOfConstruct | None:
    """Return the codes of the functions that the user passed to a construct; None if the functions are unknown."""
    if not construct.functions:
        return None
    functions = [None if passed.reference is None else passed.reference() for passed in construct.functions]
    codes = tuple(
        _module_and_code(function)
        if type(function) is FunctionType and function.__code__.co_qualname.isidentifier()
        else None
        for function in functions
    )
    bodies = construct.bodies
    own = next((index for index, body in enumerate(bodies) if body.file and not is_installed(body.file)), 0)
    # the condition of a while_loop comes before its body
    body = len(codes) - len(bodies) + own
    return CodesOfConstruct(codes, body) if 0 <= body < len(codes) else None


def _module_and_code(function: FunctionType) -> tuple[str, CodeType] | None:
    code, module = code_to_compare(function), function.__module__
    return None if code is None else (module if type(module) is str else "", code)


def _positional(fun: Any, count: int) -> list[str]:
    """Return names for the first positional arguments of a function: parameter names, or `argument n` if unknown."""
    code = fun.__code__ if type(fun) is FunctionType and "__wrapped__" not in vars(fun) else None
    names = [] if code is None else list(code.co_varnames[: min(code.co_argcount, count)])
    return [*names, *(f"argument {n}" for n in range(len(names), count))]


def read_outside(record: Any, fun: Any, reading: Reading) -> Mapping[str, Outside]:
    """Read the values that a function object, or the functions of a construct, take from outside of their arguments.

    Where two functions of a construct read different values under one name, the key of the second value also has the
    parameter of the construct, such as `k of branches[1]`.
    """
    if record.construct is None:
        return values_outside(fun, reading)
    values: dict[str, Outside] = {}
    for passed in record.construct.functions:
        function = None if passed.reference is None else passed.reference()
        for name, value in values_outside(function, reading).items():
            if name in values and is_same(values[name], value) is not True:
                name = f"{name} of {passed.parameter}"
            values[name] = value
    return values
