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
    """What JAX's caches of traces and lowerings depend on besides arguments."""
    return private("config").trace_context()


def flatten(tree: Any) -> tuple[list[Any], Any]:
    """`jax.tree_util.tree_flatten`."""
    leaves, treedef = _flatten()(tree)
    return leaves, treedef


def structure_of(trees: Sequence[Any]) -> Any:
    """The structure of a tuple of which the items have these structures."""
    import jax

    return jax.tree_util.treedef_tuple(trees)


def is_structure(value: Any) -> bool:
    """Whether a value is the structure of a tree; imports nothing."""
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
    """The arguments of a call as JAX took them: nothing has to be asked of the user's classes again."""

    leaves: Sequence[Any]
    tree: Any
    avals: Callable[[], Sequence[Any]]  # of the leaves, as JAX has them


LeafFacts = tuple[Any, str, Any, bool | None, Any]


def leaf_facts(
    values: Sequence[Any], with_layout: bool, avals: Callable[[], Sequence[Any]] | None = None
) -> list[LeafFacts]:
    """What each leaf gives to the key: its aval, what holds it, its sharding, whether committed, its layout.

    The aval is None for what is no valid argument. Nothing of the result holds an array.

    Args:
        values: The leaves.
        with_layout: Whether to read the layouts.
        avals: Gives JAX's avals of them; None asks JAX about each, which may ask an object of the user's.
    """
    array = array_type()
    if avals is not None and not all(type(value) is array or _is_known_leaf(type(value)) for value in values):
        known = avals()
        return [
            (aval, "jax.Array", value._sharding, value._committed, _layout(value, aval) if with_layout else None)
            if type(value) is array
            else _other_leaf(value)
            if _is_known_leaf(type(value))
            else (aval, plain_text.kind_name(type(value)), None, None, None)
            for value, aval in zip(values, known, strict=True)
        ]
    if with_layout:
        return [
            (aval := value.aval, "jax.Array", value._sharding, value._committed, _layout(value, aval))
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
    """The avals of leaves, their shardings, and whether each is committed; None where one is not JAX's own array.

    Three lists in place of a tuple a leaf: of a thousand, these are a hundred kilobytes, and a garbage collection.
    """
    if list(map(type, values)).count(array_type()) != len(values):
        return None
    return (
        [value.aval for value in values],
        [value._sharding for value in values],
        [value._committed for value in values],
    )


def _layout(value: Any, aval: Any) -> Any:
    if len(aval.shape) < 2:  # there is but one, and to ask takes long
        return None
    try:
        return value.format.layout.major_to_minor
    except not_of_a_signal(Exception):  # key arrays, deleted and non-addressable ones have none
        return None


def _other_leaf(value: Any) -> LeafFacts:
    import jax

    kind = type(value)
    if issubclass(kind, jax.core.Tracer):
        return value.aval, "tracer", None, None, None
    if issubclass(kind, jax.Array):  # such as an array of keys
        return value.aval, "jax.Array", value.sharding, getattr(value, "_committed", None), None
    try:
        aval = jax.typeof(value)
    except not_of_a_signal(*plain_text.FAILURES):
        aval = None
    return aval, "numpy" if _is_numpys(kind) else plain_text.kind_name(kind), None, None, None


def _is_known_leaf(kind: type) -> bool:
    """Whether no code of the user's runs when JAX is asked about a value of this class."""
    if kind in _often_leaves() or (_is_numpys(kind) and not kind.__flags__ & _MADE_BY_A_CLASS_STATEMENT):
        return True
    return (plain_text.own_name(kind, "__module__") or "").startswith(("jax.", "jaxlib."))


_MADE_BY_A_CLASS_STATEMENT = 1 << 9  # Py_TPFLAGS_HEAPTYPE


@functools.cache
def _often_leaves() -> frozenset[type]:
    import numpy as np

    return frozenset({bool, int, float, complex, np.ndarray})


def _is_numpys(kind: type) -> bool:
    return plain_text.own_name(kind, "__module__") == "numpy"


def dataclass_fields(kind: type) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The data fields and meta fields with which a class was registered as a dataclass; None for other classes."""
    entry = getattr(private("tree_util"), "_registry", {}).get(kind)
    flatten: Any = getattr(entry, "to_iter", None)
    names = getattr(getattr(flatten, "__code__", None), "co_freevars", ())
    if not {"data_fields", "meta_fields"} <= set(names):
        return None
    cells = dict(zip(names, flatten.__closure__, strict=True))
    return tuple(cells["data_fields"].cell_contents), tuple(cells["meta_fields"].cell_contents)


@functools.cache
def array_type() -> Any:
    """The type of JAX's own arrays: not of arrays of keys, nor of what a library makes."""
    return private("array").ArrayImpl


def trace_context_names() -> tuple[str, ...]:
    """What the values of `trace_context` are called; a module such as Pallas adds its own at the end."""
    return tuple(private("config").trace_context_names())
