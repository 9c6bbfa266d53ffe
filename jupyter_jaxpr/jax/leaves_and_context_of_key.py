"""Reads the parts of a cache key from arguments: leaves, structure, avals, shardings, and JAX's trace context."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .. import plain_text
from ..interruptions import not_of_a_signal
from .facts import imported, private


def trace_context() -> Any:
    """Return the settings of JAX that are part of its cache keys, such as x64, mesh and precision."""
    return private("config").trace_context()


def flatten(tree: Any) -> tuple[list[Any], Any]:
    """Return the leaves and the structure of a tree, by `jax.tree_util.tree_flatten`."""
    leaves, treedef = _flatten()(tree)
    return leaves, treedef


def structure_of(trees: Sequence[Any]) -> Any:
    """Return the pytree structure of a tuple whose items have these structures."""
    import jax

    return jax.tree_util.treedef_tuple(trees)


def is_structure(value: Any) -> bool:
    """Return whether a value is a pytree structure (`PyTreeDef`); imports nothing."""
    return imported() and type(value) is _structure_type()


@functools.cache
def _structure_type() -> Any:
    import jax

    return jax.tree_util.PyTreeDef


@functools.cache
def _flatten() -> Any:
    import jax

    return jax.tree_util.tree_flatten


@dataclass(frozen=True)
class FlatCall:
    """The arguments of a call as JAX flattened them, so that no method of the user's classes runs again.

    Attributes:
        avals: a function that returns JAX's avals of the leaves.
    """

    leaves: Sequence[Any]
    tree: Any
    avals: Callable[[], Sequence[Any]]


LeafFacts = tuple[Any, str, Any, bool | None, Any]


def leaf_facts(
    values: Sequence[Any], with_layout: bool, avals: Callable[[], Sequence[Any]] | None = None
) -> list[LeafFacts]:
    """Return for each leaf (aval, kind such as `jax.Array`, `numpy` or `tracer`, sharding, whether committed, layout).

    The aval is None for a value that is no valid argument. The result keeps no array alive.

    Args:
        values: The leaves.
        with_layout: True to read the layouts.
        avals: A function that returns JAX's avals of the leaves; with None, JAX is asked for each leaf, which may run
            user code.
    """
    array = array_type()
    if avals is not None and not all(type(value) is array or _is_known_leaf(type(value)) for value in values):
        given_avals = avals()
        return [
            (value.aval, "jax.Array", value._sharding, value._committed, _layout(value) if with_layout else None)
            if type(value) is array
            else _other_leaf(value)
            if _is_known_leaf(type(value))
            else (aval, plain_text.kind_name(type(value)), None, None, None)
            for value, aval in zip(values, given_avals, strict=True)
        ]
    if with_layout:
        return [
            (value.aval, "jax.Array", value._sharding, value._committed, _layout(value))
            if type(value) is array
            else _other_leaf(value)
            for value in values
        ]
    return [
        (value.aval, "jax.Array", value._sharding, value._committed, None)
        if type(value) is array
        else _other_leaf(value)
        for value in values
    ]


LeafColumns = tuple[list[Any], list[Any], list[bool]]


def leaf_columns(values: Sequence[Any]) -> LeafColumns | None:
    """Return the avals, the shardings and the committed flags of leaves; None if a leaf is no JAX array.

    Three lists take less memory than one tuple for each leaf: 100 kB less for a thousand leaves. They also do not
    trigger a garbage collection.
    """
    if list(map(type, values)).count(array_type()) != len(values):
        return None
    return (
        [value.aval for value in values],
        [value._sharding for value in values],
        [value._committed for value in values],
    )


def _layout(value: Any) -> Any:
    if len(value.aval.shape) < 2:  # a scalar or a vector has only one possible layout
        return None
    try:
        return value.format.layout.major_to_minor
    # arrays of random keys, deleted arrays and non-addressable arrays have no layout
    except not_of_a_signal(Exception):
        return None


def _other_leaf(value: Any) -> LeafFacts:
    import jax

    kind = type(value)
    if issubclass(kind, jax.core.Tracer):
        return value.aval, "tracer", None, None, None
    if issubclass(kind, jax.Array):  # another class of JAX arrays, such as that of random keys
        return value.aval, "jax.Array", value.sharding, getattr(value, "_committed", None), None
    try:
        aval = jax.typeof(value)
    except not_of_a_signal(*plain_text.FAILURES):
        aval = None
    return aval, "numpy" if _is_numpys(kind) else plain_text.kind_name(kind), None, None, None


def _is_known_leaf(kind: type) -> bool:
    """Return whether JAX can make an aval of an object of this class without running user code."""
    if kind in _often_leaves() or (_is_numpys(kind) and not kind.__flags__ & _MADE_BY_A_CLASS_STATEMENT):
        return True
    return (plain_text.own_name(kind, "__module__") or "").startswith(("jax.", "jaxlib."))


_MADE_BY_A_CLASS_STATEMENT = 1 << 9  # CPython's flag Py_TPFLAGS_HEAPTYPE of classes that Python code defines


@functools.cache
def _often_leaves() -> frozenset[type]:
    import numpy as np

    return frozenset({bool, int, float, complex, np.ndarray})


def _is_numpys(kind: type) -> bool:
    return plain_text.own_name(kind, "__module__") == "numpy"


def dataclass_fields(kind: type) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return (data fields, meta fields) of a class registered by `jax.tree_util.register_dataclass`.

    None for others.
    """
    entry = getattr(private("tree_util"), "_registry", {}).get(kind)
    flatten: Any = getattr(entry, "to_iter", None)
    names = getattr(getattr(flatten, "__code__", None), "co_freevars", ())
    if not {"data_fields", "meta_fields"} <= set(names):
        return None
    cells = dict(zip(names, flatten.__closure__, strict=True))
    return tuple(cells["data_fields"].cell_contents), tuple(cells["meta_fields"].cell_contents)


@functools.cache
def array_type() -> Any:
    """Return the class of JAX's ordinary arrays.

    Arrays of random keys and arrays of libraries have other classes.
    """
    return private("array").ArrayImpl


AXIS_NAMES = "axis_env_state"
"""The name under which `trace_context` has the named axes around a call, as of `jax.vmap(f, axis_name="batch")`."""


def named_axes(value: Any) -> dict[Any, Any] | None:
    """Return {axis name: size} from the value that `trace_context` has under `AXIS_NAMES`; None if unknown."""
    sizes = getattr(value, "axis_sizes", None)
    return None if sizes is None else dict(sizes)


def trace_context_names() -> tuple[str, ...]:
    """Return the names of the settings in `trace_context`.

    Modules such as Pallas append names of their own.
    """
    return tuple(private("config").trace_context_names())
