"""Defines the cache key of a call as this package records it: types and static values, never arrays.

JAX's own keys cannot be read from its C++ cache, so this package makes a key at each miss from the arguments that JAX
sees. Making a key is cheap (0.2 us per leaf): avals and shardings are JAX's own objects, and the names of leaves are
computed only when two keys are compared.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ...interruptions import not_of_a_signal
from ...jax.facts import transforming
from ...jax.leaves_and_context_of_key import (
    FlatCall,
    LeafColumns,
    LeafFacts,
    array_type,
    flatten,
    leaf_columns,
    leaf_facts,
    trace_context,
    trace_context_names,
)
from ...jax.transforms_around_call import TransformsOfCall, transforms_of, values_inside, vmaps_around_call
from ...plain_text import FAILURES, Limit, exact, text_of
from ..reprs_of_users_values import NOTHING_CALLED, Reading
from .static_fields_of_pytrees import node_classes
from .static_values import StaticLeaf, StaticValue

LAYOUTS_UP_TO = 32
"""The number of leaves up to which a key records memory layouts: reading a layout takes 1.5 us."""

NO_STATICS: Mapping[str, StaticValue] = {}


class Leaf(NamedTuple):
    """The part of a cache key that comes from one leaf of the dynamic arguments.

    Attributes:
        aval: the ShapedArray that JAX makes of the value; None if JAX does not accept the value.
        holder: the class of the value: 'jax.Array', 'numpy', a Python type such as 'float', 'tracer', ...
        sharding: the jax.sharding.Sharding of a jax.Array; None for other values.
        layout: the major_to_minor tuple of a jax.Array; None if the layout was not read.
    """

    aval: Any
    holder: str
    sharding: Any
    committed: bool | None
    layout: Any

    @property
    def weak(self) -> bool:
        """True if the leaf has a weak type."""
        return bool(getattr(self.aval, "weak_type", False))

    def describe(self) -> str:
        """Return the type as JAX prints it, such as f32[8,4].

        For a leaf without an aval, return the name of its Python type.
        """
        if self.aval is None:
            return str(self.holder)
        return type_text(self.aval)


_OPTIONS = (
    "in_shardings_treedef",
    "in_shardings_leaves",
    "out_shardings_treedef",
    "out_shardings_leaves",
    "in_layouts_treedef",
    "in_layouts_leaves",
    "out_layouts_treedef",
    "out_layouts_leaves",
    "static_argnums",
    "static_argnames",
    "donate_argnums",
    "donate_argnames",
    "device",
    "backend",
    "keep_unused",
    "inline",
    "compiler_options_kvs",
)


class JitOptions:
    """The arguments of a `jax.jit` call, apart from the function.

    JAX's own record of these options compares by identity, although two `jax.jit` of one function share their cache
    entries. JAX's record also keeps the default values of the function's parameters alive, which may be arrays.

    Attributes:
        donates: true if `donate_argnums` or `donate_argnames` is set.
        keeps_unused: the option `keep_unused` of `jax.jit`: the program keeps the arguments that the function does not
            use.
    """

    __slots__ = ("_kind", "_values", "by", "donates", "keeps_unused")

    def __init__(self, options: Any) -> None:
        self.by = "jit"
        self.donates = bool(getattr(options, "donate_argnums", ()) or getattr(options, "donate_argnames", ()))
        self.keeps_unused = bool(getattr(options, "keep_unused", True))
        kind: Any = type(options)
        self._kind = kind
        self._values = _option_reader(kind)(options)

    @classmethod
    def of_pmap(cls, values: tuple[Any, ...]) -> JitOptions:
        """Return the options of a `jax.pmap` call, from the values in its cache key."""
        options = cls.__new__(cls)
        # the cache key of pmap does not show whether pmap donates an argument, so `donates` is True to be safe
        options.by, options._values, options.donates, options.keeps_unused = "pmap", values, True, True
        options._kind = None
        return options

    @property
    def named(self) -> Mapping[str, Any]:
        """Name in JAX's record -> value, for each option; empty for a `jax.pmap` call, whose record has no names."""
        names = () if self._kind is None else _option_names(self._kind)
        return dict(zip(names, self._values if len(names) > 1 else (self._values,), strict=True)) if names else {}

    def equals(self, other: JitOptions) -> bool:
        """Return whether two records hold equal options, even if the options come from two calls of `jax.jit`."""
        try:
            return bool(self._values == other._values)
        # comparing two shardings may call the `__eq__` of a user's class, which may raise
        except not_of_a_signal(Exception):
            return False


def _option_names(kind: Any) -> list[str]:
    return [name for name in _OPTIONS if hasattr(kind, name)]


@functools.lru_cache(maxsize=16)
def _option_reader(kind: Any) -> Callable[[Any], Any]:
    """Return a function that reads the options from JAX's record; the fields of the record depend on JAX's version."""
    names = _option_names(kind)
    if not names:
        return _no_options
    fields = getattr(kind, "_fields", ())
    if issubclass(kind, tuple) and set(names) <= set(fields):
        # A field is read faster by its index than by its name, and the fields are read at every miss.
        return operator.itemgetter(*map(fields.index, names))
    return operator.attrgetter(*names)


def _no_options(options: Any) -> tuple[()]:
    return ()


_NO_FACTS: LeafFacts = (None, "", None, None, None)


class Key:
    """The cache key of one call, as this package records it.

    Attributes:
        positional: the number of positional arguments.
        keywords: the sorted names of the keyword arguments.
        statics: parameter name -> static value.
        defaults: parameter name -> default value, for parameters that the call left out.
        names: the parameter name of each dynamic positional argument, then of each keyword argument.
        treedef: the pytree structure of the dynamic arguments, (positional, keywords).
        count: the number of dynamic leaves.
        context: the values of JAX's trace context.
        options: the arguments of the `jax.jit` call.
        function: the user's function, for `equinox.filter_jit`, which passes it as a static argument.
        transforms: the transforms around the call; None for a call outside of transforms, or if unknown.
        traced: True if the call was under a transform; its arguments need not be tracers, as in
            `jax.vmap(lambda x: x * f(constant))`.
    """

    __slots__ = (
        "_classes",
        "_columns",
        "_facts",
        "_facts_inside",
        "_leaves",
        "context",
        "count",
        "defaults",
        "function",
        "keywords",
        "names",
        "options",
        "positional",
        "statics",
        "traced",
        "transforms",
        "treedef",
    )

    def __init__(
        self,
        options: JitOptions,
        positional: int,
        keywords: tuple[str, ...],
        statics: Mapping[str, StaticValue],
        names: Sequence[str],
        dynamic: tuple[tuple[Any, ...], Mapping[str, Any]],
        function: StaticValue | None = None,
        reading: Reading = NOTHING_CALLED,
        flat: FlatCall | None = None,
        defaults: Mapping[str, StaticValue] | None = None,
    ) -> None:
        values, self.treedef = flatten(dynamic) if flat is None else (flat.leaves, flat.tree)
        self.count = len(values)
        many = self.count > LAYOUTS_UP_TO
        self._columns: LeafColumns | None = leaf_columns(values) if many else None
        self._facts: Sequence[LeafFacts] = ()
        if self._columns is None:
            facts = leaf_facts(values, not many, None if flat is None else flat.avals)
            self._facts = facts if function is None else _equinox_facts(facts, values, reading)
        has_tracers = any(facts_of_leaf[1] == "tracer" for facts_of_leaf in self._facts)
        self.traced = has_tracers or transforming()
        self.transforms: TransformsOfCall | None = None
        if self.traced:
            self.transforms = transforms_of(values) if has_tracers else vmaps_around_call(self.count)
        self._facts_inside: Sequence[LeafFacts] = ()
        if has_tracers and self.transforms is not None:
            array = array_type()
            self._facts_inside = [
                leaf_facts([value], False)[0] if type(value) is array else _NO_FACTS for value in values_inside(values)
            ]
        self._leaves: tuple[Leaf, ...] | None = None
        self._classes: tuple[type, ...] | None = None
        self.context: Sequence[Any] = trace_context()
        self.options = options
        self.positional = positional
        self.keywords = keywords
        self.statics = statics
        self.defaults = NO_STATICS if defaults is None else defaults
        self.names = names
        self.function = function

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """One `Leaf` for each leaf of the dynamic arguments; computed at the first access."""
        if self._leaves is None:
            if self._columns is None:
                self._leaves = tuple(map(Leaf._make, self._facts))
            else:
                self._leaves = tuple(
                    Leaf(aval, "jax.Array", sharding, committed, None)
                    for aval, sharding, committed in zip(*self._columns, strict=True)
                )
        return self._leaves

    @property
    def leaves_inside(self) -> tuple[Leaf, ...]:
        """One `Leaf` for the value that each tracer stands for; empty for a call without tracers, or if unknown."""
        return tuple(map(Leaf._make, self._facts_inside))

    @property
    def classes(self) -> tuple[type, ...]:
        """The class of each node of `treedef` that is no dict, list, tuple or None; computed at the first access."""
        if self._classes is None:
            self._classes = node_classes(self.treedef)
        return self._classes

    @property
    def context_names(self) -> Sequence[str]:
        """The names of the values in `context`, the trace context of JAX at the call.

        JAX only ever appends to its list of names, so the names of an earlier context stay valid.
        """
        return trace_context_names()[: len(self.context)]

    @property
    def is_of_now(self) -> bool:
        """True if JAX's trace context (settings such as x64, and the mesh) is the same now as at the call."""
        return tuple(self.context) == tuple(trace_context())


def type_text(aval: Any) -> str:
    """Return the text of an aval as JAX prints it, such as f32[8,4]."""
    try:
        return exact(aval.str_short(short_dtypes=True), Limit.TYPE)
    except not_of_a_signal(*FAILURES):  # an aval of another library may lack `str_short`; its `str` is used
        return text_of(aval, Limit.TYPE)


def _equinox_facts(facts: Sequence[LeafFacts], values: Sequence[Any], reading: Reading) -> list[LeafFacts]:
    return [
        facts_of_leaf
        if facts_of_leaf[1] in ("jax.Array", "tracer", "numpy")
        else (None, StaticLeaf.of(value, reading), None, None, None)
        for facts_of_leaf, value in zip(facts, values, strict=True)
    ]
