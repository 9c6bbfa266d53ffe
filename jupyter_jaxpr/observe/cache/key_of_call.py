"""Makes the cache key of a call of `jax.jit`, `jax.pmap`, `equinox.filter_jit` or an eager construct."""

from __future__ import annotations

import contextlib
import inspect
import weakref
from collections.abc import Container, Mapping, Sequence
from types import FunctionType
from typing import Any

from ...interruptions import not_of_a_signal
from ...jax.facts import inside_checkify
from ...jax.leaves_and_context_of_key import (
    FlatCall,
    structure_of,
)
from ...jax.missed_calls import JitCall, PmapCall, pmap_call
from ...plain_text import exact
from ..functions.equinox_filter_jit import equinox_frame
from ..functions.jitted_functions import FunctionRecord
from ..reprs_of_users_values import NOTHING_CALLED, Reading
from .key_texts import positional_names
from .static_argument_places import by_name, static_places
from .static_values import StaticValue
from .types_and_layouts_of_key import NO_STATICS, JitOptions, Key

_NO_KEYWORDS: Mapping[str, Any] = {}


def key_of(
    options: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    fun: Any = None,
    reading: Reading = NOTHING_CALLED,
    flat: FlatCall | None = None,
) -> Key:
    """Return the cache key of one call, with JAX's settings at this moment.

    Args:
        options: JAX's record of the `jax.jit` arguments, with the signature and the static arguments.
        args: positional arguments of the call.
        kwargs: keyword arguments of the call.
        fun: the jitted function; None if unknown.
        reading: says which methods of the user's static values may be called.
        flat: the dynamic leaves and their structure as JAX flattened them. With None the arguments are flattened again,
            which calls the flatten methods of the user's classes.

    Returns:
        The key, which holds no array.
    """
    count = len(args)
    signature = _signature(options, fun)
    if not kwargs and not getattr(options, "static_argnums", ()) and not getattr(options, "static_argnames", ()):
        names = _names_of(fun, count) or positional_names(signature, count)
        dynamic_only = (tuple(args), _NO_KEYWORDS)
        defaults = NO_STATICS if _needs_all(fun) else _left_out(signature, count, _NO_KEYWORDS, reading)
        return Key(JitOptions(options), count, (), NO_STATICS, names, dynamic_only, None, reading, flat, defaults)
    static_positions, static_names = static_places(options, count)
    parameters = positional_names(signature, count)
    statics: dict[str, StaticValue] = {}
    names = []
    dynamic: list[Any] = []
    for position, value in enumerate(args):
        if position in static_positions:
            statics[parameters[position]] = StaticValue(value, reading)
        else:
            names.append(parameters[position])
            dynamic.append(value)
    by_keyword = by_name(kwargs)
    keywords: dict[str, Any] = {}
    for name in sorted(by_keyword):
        if name in static_names:
            statics[name] = StaticValue(by_keyword[name], reading)
        else:
            names.append(name)
            keywords[name] = by_keyword[name]
    return Key(
        JitOptions(options),
        count,
        tuple(sorted(by_keyword)),
        statics,
        names,
        (tuple(dynamic), keywords),
        None,
        reading,
        flat,
        _left_out(signature, count, by_keyword, reading),
    )


def _signature(options: Any, fun: Any) -> inspect.Signature | None:
    """Return the signature of a jitted function.

    A result of `checkify` passes all arguments on to the user's function, which has the signature then.
    """
    if type(fun) is FunctionType:
        wrapped = vars(fun).get("__wrapped__", fun)
        checked = inside_checkify(wrapped) if type(wrapped) is FunctionType else None
        if checked is not None:
            try:
                return inspect.signature(checked)
            except not_of_a_signal(TypeError, ValueError):  # a function without a signature, such as a builtin
                pass
    signature: inspect.Signature | None = getattr(options, "fun_signature", None)
    return signature


def _needs_all(fun: Any) -> bool:
    """Return whether a function has no default values, so that every call passes all arguments; False if unknown."""
    return type(fun) is FunctionType and not fun.__defaults__ and not fun.__kwdefaults__ and not vars(fun)


def _left_out(
    signature: inspect.Signature | None, count: int, keywords: Container[str], reading: Reading
) -> Mapping[str, StaticValue]:
    """Return {parameter: default value} for the parameters that a call left out.

    `count` is the number of positional arguments that the call passed.
    """
    values = {}
    for position, parameter in enumerate(() if signature is None else signature.parameters.values()):
        if parameter.default is parameter.empty or parameter.name in keywords:
            continue
        if position >= count or parameter.kind is parameter.KEYWORD_ONLY:
            values[exact(parameter.name)] = StaticValue(parameter.default, reading)
    return values


def _names_of(fun: Any, count: int) -> Sequence[str]:
    """Return the names of the first `count` parameters of a Python function, from its code object.

    Return () if only the signature shows the names.
    """
    if type(fun) is not FunctionType or count > fun.__code__.co_argcount or vars(fun):
        return ()
    return fun.__code__.co_varnames[:count]


def pmap_key_of(call: PmapCall, reading: Reading) -> Key:
    """Return the cache key of a `jax.pmap` call.

    The key cannot be made at the jit that pmap calls: this jit receives only the flat leaves.
    """
    key = key_of(call, call.args, call.kwargs, reading=reading, flat=None if reading.calls else call.flat)
    key.options = JitOptions.of_pmap(call.options)
    return key


def equinox_key_of(
    options: Any,
    wrapper: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    reading: Reading,
    inner: Sequence[Any] = (),
) -> Key:
    """Return the cache key of a call of `equinox.filter_jit`, whose inner jit gets the arguments in other groups.

    A leaf that is no array is static in filter_jit: its `aval` is None and its `holder` is a `StaticLeaf`.

    Args:
        options: JAX's record of the inner jit.
        wrapper: The called object.
        args: The positional arguments as the user wrote them.
        kwargs: The keyword arguments as the user wrote them.
        reading: Says which methods of the user's objects may be called.
        inner: The arguments of the inner jit: the leaves and structures that equinox made.
    """
    kwargs = by_name(kwargs)
    # equinox makes the same key for an argument passed by position and by keyword
    with contextlib.suppress(TypeError):
        bound = wrapper._signature.bind(*args, **kwargs)
        args, kwargs = bound.args, bound.kwargs
    names = [*positional_names(wrapper._signature, len(args)), *sorted(kwargs)]
    function = StaticValue(wrapper._static_fun, reading)
    # If the user's function is an object of a pytree class, `filter_jit` stores the object's pytree node.
    node = getattr(wrapper._static_fun[1], "node_data", lambda: None)()
    if node is not None:
        function.type = node[0]
    with contextlib.suppress(TypeError):
        function.owner = weakref.ref(wrapper)
    dynamic = (tuple(args), dict(kwargs))
    flat = None if reading.calls else _equinox_flat(inner)
    keywords = tuple(sorted(kwargs))
    defaults = _left_out(wrapper._signature, len(args), keywords, reading)
    return Key(JitOptions(options), len(args), keywords, {}, names, dynamic, function, reading, flat, defaults)


def _equinox_flat(inner: Sequence[Any]) -> FlatCall | None:
    """Return the leaves and the structure of a `filter_jit` call.

    Return None if this version of equinox passes the arguments to its inner jit in another form.
    """
    try:
        donated, not_donated, (_, *statics) = inner
        dynamic = {**donated, **not_donated}
        leaves: list[Any] = []
        for name, (fixed, _) in zip(("first", "rest"), statics, strict=True):
            leaves += [value if static is None else static for value, static in zip(dynamic[name], fixed, strict=True)]
        (_, first), (_, other_arguments) = statics
        positional_others, keywords = other_arguments.children()
        # the last child is the None that equinox's `filter_jit` adds
        positional = [first, *positional_others.children()][:-1]
        tree = structure_of([structure_of(positional), keywords])
    except not_of_a_signal(AttributeError, KeyError, TypeError, ValueError):
        return None
    return FlatCall(leaves, tree, lambda: [None] * len(leaves))


def key_of_miss(call: JitCall, function: FunctionRecord, reading: Reading, flat: FlatCall | None = None) -> Key:
    """Return the cache key of a call that missed.

    Args:
        call: The call.
        function: The record of the called function.
        reading: Says which methods of the user's objects may be called.
        flat: The dynamic leaves as JAX flattened them, if known.
    """
    pmapped = pmap_call(call.frame) if function.pmap and call.frame is not None else None
    if pmapped is not None:
        return pmap_key_of(pmapped, reading)
    if function.construct is not None:
        key = key_of(call.options, call.args, call.kwargs, call.fun, reading, flat)
        key.names = function.construct.operands(len(key.names))
        return key
    equinox = equinox_frame(call.frame) if function.equinox and call.frame is not None else None
    if equinox is None:
        return key_of(call.options, call.args, call.kwargs, call.fun, reading, flat)
    variables = equinox.f_locals
    called = variables["jit_wrapper"], variables["args"], variables["kwargs"]
    return equinox_key_of(call.options, *called, reading, call.args)
