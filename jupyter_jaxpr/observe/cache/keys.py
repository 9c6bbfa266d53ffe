"""A call of a jitted function in, the ingredients of its cache key out: types and static values, never arrays.

JAX's own keys cannot be read from its C++ cache, so a key is taken at each miss from the same arguments JAX sees.
It is cheap (0.2 us a leaf): avals and shardings are JAX's own objects, and names of leaves are worked out only when
two keys are compared.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import inspect
import operator
import weakref
from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from types import FunctionType
from typing import Any, NamedTuple

from ...interruptions import not_of_a_signal
from ...jax.calls import PmapCall
from ...jax.keys import (
    FlatCall,
    LeafColumns,
    LeafFacts,
    flatten,
    is_structure,
    leaf_columns,
    leaf_facts,
    structure_of,
    trace_context,
    trace_context_names,
)
from ...plain_text import FAILURES, Limit, defined, exact, kind_name, text_of
from ..value_texts import NOTHING_CALLED, Reading
from .structures import nnx_variables

LAYOUTS_UP_TO = 32
"""Leaves up to which the memory layout is recorded: reading it costs 1.5 us a leaf."""

UNKNOWN = object()


class Leaf(NamedTuple):
    """The part of the key that one dynamic leaf gives."""

    aval: Any  # jax's ShapedArray as JAX abstracts the value, or None where it is no valid argument
    holder: str  # what held the value: 'jax.Array', 'numpy', 'float', 'tracer', ...
    sharding: Any  # jax.sharding.Sharding of a jax.Array, else None
    committed: bool | None
    layout: Any  # major-to-minor order of a jax.Array, None where not read

    @property
    def weak(self) -> bool:
        """Whether the leaf is weakly typed."""
        return bool(getattr(self.aval, "weak_type", False))

    def describe(self) -> str:
        """The type as JAX prints it, such as f32[8,4], or the Python type where it has none."""
        if self.aval is None:
            return str(self.holder)
        return type_text(self.aval)


class StaticValue:
    """A static argument, to be compared later: held only where it is plain, else by weak reference and hash.

    Outside of observed cells and blocks a class of the user's is not asked for a hash: `read` is False then, and of two
    different objects it is not known whether they are equal.
    """

    __slots__ = ("_hash", "_held", "_reference", "owner", "read", "text", "type")

    def __init__(self, value: Any, reading: Reading = NOTHING_CALLED) -> None:
        self.type = type(value)
        self.text = reading.text(value)
        self._held = value if is_plain(value) or (reading.calls and issubclass(self.type, _SCALAR_LIKE)) else UNKNOWN
        self._reference: Any = None
        self._hash: int | None = None
        self.read = True
        self.owner: Any = None  # a weak reference to what holds the value, where that tells two apart
        if self._held is UNKNOWN:
            self._hash = hash(value) if _hashes_plainly(value) else reading.hash_of(value)
            self.read = self._hash is not None
            try:
                self._reference = weakref.ref(value)
            except TypeError:  # no weak references: the hash must do
                self._reference = None

    @property
    def value(self) -> Any:
        """The value, or UNKNOWN where it is gone."""
        if self._held is not UNKNOWN or self._reference is None:
            return self._held
        value = self._reference()
        return UNKNOWN if value is None else value

    @property
    def plain(self) -> Hashable:
        """The value where comparing it calls nothing; else None."""
        return self._held if is_plain(self._held) else None

    @property
    def mark(self) -> Hashable:
        """Another one for every other value, and for most equal objects the same."""
        return self.type, self._hash if self._held is UNKNOWN else self._held, self.text

    def equals(self, other: StaticValue) -> bool:
        """Whether JAX takes the two for one; of two that were not both read, whether they are one object."""
        if self.type is not other.type:
            return False
        mine, its = self.value, other.value
        same = mine is its is not UNKNOWN
        if not (self.read and other.read):
            return same or (self.owner is not None and other.owner is not None and self.owner() is other.owner())
        if same and self._held is UNKNOWN:
            return self._hash == other._hash  # JAX finds it by its hash, which changes with its contents
        if self._hash != other._hash or mine is UNKNOWN or its is UNKNOWN:
            return self._hash is not None and self._hash == other._hash
        try:
            return bool(mine == its)
        except not_of_a_signal(*FAILURES):  # an __eq__ that raises makes JAX miss as well
            return False

    def is_changed(self, later: StaticValue) -> bool:
        """Whether it is one object whose hash has changed."""
        if self._reference is None or not (self.read and later.read):
            return False
        return self.value is later.value is not UNKNOWN and self._hash != later._hash

    def is_surely_other(self, later: StaticValue) -> bool:
        """Whether the two are two objects, or values that differ; False where that cannot be told."""
        if (self.read and later.read) or self.type is not later.type:
            return True
        return self._reference is not None and later._reference is not None

    @property
    def by_identity(self) -> bool:
        """Whether its class compares objects by identity."""
        return defined(self.type, "__eq__") is _IDENTITY


def _hashes_plainly(value: Any) -> bool:
    """Whether nothing of the user's runs for the hash of a value: Python's own, of the object or what a tuple holds."""
    kind = type(value)
    if kind in _PLAIN or defined(kind, "__hash__") is _IDENTITY_HASH:
        return True
    if kind is tuple:
        return all(map(_hashes_plainly, value))
    return is_structure(value) and value.num_nodes == 1


_IDENTITY = object.__dict__["__eq__"]
_IDENTITY_HASH = object.__dict__["__hash__"]


class StaticLeaf(str):
    """The text of a leaf that is static in `equinox.filter_jit`, and the value to compare it by."""

    __slots__ = ("value",)
    value: StaticValue

    @classmethod
    def of(cls, value: Any, reading: Reading) -> StaticLeaf:
        """The leaf of a value."""
        static = StaticValue(value, reading)
        made = cls(static.text)
        made.value = static
        return made


_PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes})
_SCALAR_LIKE = (int, float, complex, str, bytes, enum.Enum)


def is_plain(value: Any) -> bool:
    """Whether holding a value holds nothing else and comparing it calls nothing: numbers, texts, tuples of those."""
    if type(value) in _PLAIN:
        return True
    return type(value) in (tuple, frozenset) and all(map(is_plain, value))


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
    """What `jax.jit` was called with, besides the function.

    JAX's own record compares by identity, though two jits of a function share their entries, and it holds the default
    values of the function's parameters, which may be arrays.
    """

    __slots__ = ("_values", "by", "donates")

    def __init__(self, options: Any) -> None:
        self.by = "jit"
        #: Whether a call gives an argument away.
        self.donates = bool(getattr(options, "donate_argnums", ()) or getattr(options, "donate_argnames", ()))
        kind: Any = type(options)
        self._values = _option_reader(kind)(options)

    @classmethod
    def of_pmap(cls, values: tuple[Any, ...]) -> JitOptions:
        """What `jax.pmap` was called with."""
        made = cls.__new__(cls)
        made.by, made._values, made.donates = "pmap", values, True  # as far as is known
        return made

    def equals(self, other: JitOptions) -> bool:
        """Whether the two are the same options, of one `jax.jit` or of two."""
        try:
            return bool(self._values == other._values)
        except not_of_a_signal(Exception):  # a sharding of the user's own that cannot be compared
            return False


@functools.lru_cache(maxsize=16)
def _option_reader(kind: Any) -> Callable[[Any], Any]:
    """Reads the options off JAX's record at once; JAX's of another version may have others."""
    names = [name for name in _OPTIONS if hasattr(kind, name)]
    if not names:
        return _no_options
    fields = getattr(kind, "_fields", ())
    if issubclass(kind, tuple) and set(names) <= set(fields):
        return operator.itemgetter(*map(fields.index, names))  # by number: no look-up by name at every miss
    return operator.attrgetter(*names)


def _no_options(options: Any) -> tuple[()]:
    return ()


class Key:
    """The ingredients of one call's cache key.

    Attributes:
        positional: how many arguments were given by position.
        keywords: names of those given by keyword, sorted.
        statics: static values by parameter name.
        defaults: the default values of the parameters that the call left out.
        names: parameter name of each dynamic positional argument, then of each keyword.
        treedef: structure of (positional, keywords), dynamic ones only.
        count: how many dynamic leaves there are.
        context: values of JAX's trace context.
        options: what `jax.jit` was called with.
        function: equinox: the user's function, which is a static argument there.
    """

    __slots__ = (
        "_columns",
        "_facts",
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
        self._leaves: tuple[Leaf, ...] | None = None
        self.context: Sequence[Any] = trace_context()
        self.options = options
        self.positional = positional
        self.keywords = keywords
        self.statics = statics
        self.defaults = _NO_STATICS if defaults is None else defaults
        self.names = names
        self.function = function

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """What each dynamic leaf gives to the key; made of what was read off the call when first asked for."""
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
    def context_names(self) -> Sequence[str]:
        """What the values of `context` are called; JAX's list of them only grows."""
        return trace_context_names()[: len(self.context)]

    @property
    def is_of_now(self) -> bool:
        """Whether a call that is made now is made in the same context."""
        return tuple(self.context) == tuple(trace_context())

    @property
    def traced(self) -> bool:
        """Whether the call was made with tracers: under a transformation or while another jit traced."""
        return any(leaf.holder == "tracer" for leaf in self.leaves)


def type_text(aval: Any) -> str:
    """An aval as JAX prints it, such as f32[8,4]."""
    try:
        return exact(aval.str_short(short_dtypes=True), Limit.TYPE)
    except not_of_a_signal(*FAILURES):  # an aval class of a library: its own text is better than none
        return text_of(aval, Limit.TYPE)


def key_of(
    options: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    fun: Any = None,
    reading: Reading = NOTHING_CALLED,
    flat: FlatCall | None = None,
) -> Key:
    """Take the key of one call, in the context it is made in.

    Args:
        options: JAX's record of what jit was called with; its signature and static arguments are read.
        args: positional arguments of the call.
        kwargs: keyword arguments of the call.
        fun: what was jitted, where it is known.
        reading: what may be called of the user's static values.
        flat: the dynamic leaves and their structure as JAX took them; None takes them again, which runs what the
            user's classes define for it.

    Returns:
        The key. It holds no array.
    """
    count = len(args)
    signature = getattr(options, "fun_signature", None)
    if not kwargs and not getattr(options, "static_argnums", ()) and not getattr(options, "static_argnames", ()):
        names = _names_of(fun, count) or positional_names(signature, count)
        dynamic_only = (tuple(args), _NO_KEYWORDS)
        defaults = _NO_STATICS if _needs_all(fun) else _left_out(signature, count, _NO_KEYWORDS, reading)
        return Key(JitOptions(options), count, (), _NO_STATICS, names, dynamic_only, None, reading, flat, defaults)
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
    given = by_name(kwargs)
    keywords: dict[str, Any] = {}
    for name in sorted(given):
        if name in static_names:
            statics[name] = StaticValue(given[name], reading)
        else:
            names.append(name)
            keywords[name] = given[name]
    return Key(
        JitOptions(options),
        count,
        tuple(sorted(given)),
        statics,
        names,
        (tuple(dynamic), keywords),
        None,
        reading,
        flat,
        _left_out(signature, count, given, reading),
    )


def static_places(options: Any, count: int) -> tuple[set[int], set[str]]:
    """Positions and names of the static arguments of a call with so many positional ones, from JAX's record."""
    positions = {n + count if n < 0 else n for n in getattr(options, "static_argnums", ()) or ()}
    return positions, set(map(exact, getattr(options, "static_argnames", ()) or ()))


def by_name(kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
    """Keyword arguments by plain names: a name may be of a subclass of `str`."""
    if all(type(name) is str for name in kwargs):
        return kwargs
    return {exact(name): value for name, value in kwargs.items()}


_NO_STATICS: Mapping[str, StaticValue] = {}
_NO_KEYWORDS: Mapping[str, Any] = {}


def _needs_all(fun: Any) -> bool:
    """Whether a plain function has no default values, so that no call leaves a parameter out."""
    return type(fun) is FunctionType and not fun.__defaults__ and not fun.__kwdefaults__ and not vars(fun)


def _left_out(
    signature: inspect.Signature | None, count: int, keywords: Container[str], reading: Reading
) -> Mapping[str, StaticValue]:
    """The default values of the parameters that a call left out; `count` arguments were given by position."""
    found = {}
    for position, parameter in enumerate(() if signature is None else signature.parameters.values()):
        if parameter.default is parameter.empty or parameter.name in keywords:
            continue
        if position >= count or parameter.kind is parameter.KEYWORD_ONLY:
            found[exact(parameter.name)] = StaticValue(parameter.default, reading)
    return found


def _names_of(fun: Any, count: int) -> Sequence[str]:
    """The names of a plain function's first parameters, off its code; none where the signature has to be asked."""
    if type(fun) is not FunctionType or count > fun.__code__.co_argcount or vars(fun):
        return ()
    return fun.__code__.co_varnames[:count]


def pmap_key_of(call: PmapCall, reading: Reading) -> Key:
    """The key of a call of what `jax.pmap` gave, whose inner jit is given the leaves alone."""
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
    """The key of a call of `equinox.filter_jit`, whose inner jit is given the arguments regrouped.

    Leaves that are no arrays are static there; they have no aval, and a `StaticLeaf` as holder.

    Args:
        options: JAX's record of the inner jit.
        wrapper: What was called.
        args: Of the call, as the user wrote it.
        kwargs: Likewise.
        reading: What may be called of the user's objects.
        inner: What the inner jit is given: leaves and structures, as equinox took them.
    """
    kwargs = by_name(kwargs)
    with contextlib.suppress(TypeError):  # as equinox does: by position or by keyword is one call to it
        bound = wrapper._signature.bind(*args, **kwargs)
        args, kwargs = bound.args, bound.kwargs
    names = [*positional_names(wrapper._signature, len(args)), *sorted(kwargs)]
    function = StaticValue(wrapper._static_fun, reading)
    node = getattr(wrapper._static_fun[1], "node_data", lambda: None)()  # what equinox made of the function's class
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
    """The leaves of a call of `filter_jit` by position and their structure; None for another equinox."""
    try:
        donated, kept, (_, *statics) = inner
        dynamic = {**donated, **kept}
        leaves: list[Any] = []
        for name, (fixed, _) in zip(("first", "rest"), statics, strict=True):
            leaves += [value if static is None else static for value, static in zip(dynamic[name], fixed, strict=True)]
        (_, first), (_, rest) = statics
        others, keywords = rest.children()
        positional = [first, *others.children()][:-1]  # the last one is equinox's own, and None
        tree = structure_of([structure_of(positional), keywords])
    except not_of_a_signal(AttributeError, KeyError, TypeError, ValueError):
        return None
    return FlatCall(leaves, tree, lambda: [None] * len(leaves))


def _equinox_facts(facts: Sequence[LeafFacts], values: Sequence[Any], reading: Reading) -> list[LeafFacts]:
    return [
        each if each[1] in ("jax.Array", "tracer", "numpy") else (None, StaticLeaf.of(value, reading), None, None, None)
        for each, value in zip(facts, values, strict=True)
    ]


def signature_text(key: Key, reading: Reading) -> str:
    """The argument types and static values of a key, such as x: f32[10], n=3."""
    leaves = [
        f"{path}: {leaf.describe()}{' weak' * leaf.weak}"
        for path, leaf in zip(paths(key, reading), key.leaves, strict=True)
    ]
    if len(leaves) > 12:
        leaves = [*leaves[:10], f"and {len(leaves) - 10} more"]
    return ", ".join([*leaves, *(f"{name}={value.text}" for name, value in key.statics.items())])


def paths(key: Key, reading: Reading) -> list[str]:
    """A path for each leaf of a key, such as p['w'], by parameter name however the argument was given."""
    from jax.tree_util import tree_flatten_with_path, tree_unflatten

    dynamic_positional = len(key.names) - sum(name not in key.statics for name in key.keywords)
    found: list[str] = []
    try:
        tree = tree_unflatten(key.treedef, list(range(len(key.leaves))))
        with_paths, _ = tree_flatten_with_path(tree)
    except not_of_a_signal(*FAILURES):  # a node class that cannot be rebuilt from integers
        return [f"leaf {n}" for n in range(len(key.leaves))]
    for path, _ in with_paths:
        side, place, *inner = path
        if getattr(side, "idx", 0) == 0:
            name = key.names[place.idx] if place.idx < dynamic_positional else f"argument {place.idx}"
        else:
            name = exact(place.key)
        found.append(exact(name + "".join(step_text(step, reading) for step in inner), Limit.PATH) if inner else name)
    if len(found) != len(key.leaves):
        return [f"leaf {n}" for n in range(len(key.leaves))]
    for first, variables in nnx_variables(key.treedef, reading):
        for number, variable in enumerate(variables):
            at = first + number
            found[at] = exact(found[at].removesuffix(f".states[0][{number}]") + variable, Limit.PATH)
    return found


def step_text(step: Any, reading: Reading) -> str:
    """One step of a path as JAX prints it, such as ['w'] or .weight."""
    kind = kind_name(type(step))
    if kind == "DictKey":
        return f"[{reading.text(step.key, Limit.NAME)}]"
    if kind == "SequenceKey":
        return f"[{step.idx}]"
    return text_of(step)


def positional_names(signature: inspect.Signature | None, count: int) -> list[str]:
    """A name for each of `count` positional arguments: the parameter's, args[0] for a variadic one."""
    names: list[str] = []
    for parameter in signature.parameters.values() if signature is not None else ():
        if parameter.kind is parameter.VAR_POSITIONAL:
            names.extend(f"{exact(parameter.name)}[{i}]" for i in range(count - len(names)))
            break
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD):
            break
        names.append(exact(parameter.name))
    names.extend(f"argument {i}" for i in range(len(names), count))
    return names[:count]
