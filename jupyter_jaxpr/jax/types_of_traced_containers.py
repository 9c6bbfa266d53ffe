"""Finds the type and the variables of a Python value while JAX traces."""

from __future__ import annotations

import dataclasses
from types import MemberDescriptorType
from typing import Any, NamedTuple
from weakref import ref

from ..plain_text import exact, mro_of
from .facts import private
from .transform_and_inputs_of_tracer import under

# The most leaves of a container that are read; a larger container is not described.
LEAVES = 64
_DEPTH = 6


class TracedArray(NamedTuple):
    """A traced array.

    Attributes:
        aval: The type as the user's code sees it; under vmap, the mapped axis is missing.
        variable: JAX's variable of the array in the program, below the tracers of vmap, grad and jvp.
        traceback: JAX's traceback of the equation that computes the array; equations that vmap and grad derive from
            it keep the same traceback object; None for an input.
        trace: A weak reference to JAX's trace, one object for all arrays of one traced function.
    """

    aval: Any
    variable: Any
    traceback: Any
    trace: ref[Any]


class TracedTree(NamedTuple):
    """A Python container with at least one traced array.

    Attributes:
        kind: The class, such as `dict`, or the name of the class of a named tuple or a dataclass.
        keys: The keys of a dict, a named tuple or a dataclass, as text; () for other containers.
        items: The items; in place of a value that is not traced, the name of its type.
    """

    kind: str
    keys: tuple[str, ...]
    items: tuple[TracedArray | TracedTree | str, ...]


class ValueReader:
    """Reads the values of the user's names while JAX traces, without running user code.

    Raises:
        AttributeError: This version of JAX has another kind of tracers.
    """

    def __init__(self) -> None:
        self._tracer: type = private("core").Tracer
        self._trace: type = private("interpreters.partial_eval").DynamicJaxprTrace
        self._plain: type = private("interpreters.partial_eval").DynamicJaxprTracer
        self._left = 0

    def read(self, value: Any) -> TracedArray | TracedTree | None:
        """Return the record of a traced array, or of a container that holds one; None for any other value."""
        kind = type(value)
        if kind is self._plain:
            try:
                trace, variable, parent = value._trace, value.val, value.parent
                if type(trace) is self._trace and variable is not None:
                    traceback = None if parent is None else parent.source_info.traceback
                    # This line runs for each name of a trace. `tuple.__new__` takes half as long as `TracedArray(...)`.
                    return tuple.__new__(TracedArray, (value.aval, variable, traceback, ref(trace)))
            except AttributeError:  # another version of JAX: its tracers lack these attributes
                pass
        if issubclass(kind, self._tracer):
            return self._array(value)
        if _is_container(kind) or _fields(value) is not None:
            self._left = LEAVES
            tree = self._tree(value, 0)
            return tree if tree is not None and _has_array(tree) else None
        return None

    def _array(self, value: Any) -> TracedArray | None:
        inner = value if type(value) is self._plain else under(value)
        trace = getattr(inner, "_trace", None)
        if type(trace) is not self._trace:
            return None
        variable = getattr(inner, "val", None)
        if variable is None:
            return None
        source = getattr(getattr(inner, "parent", None), "source_info", None)
        return TracedArray(value.aval, variable, getattr(source, "traceback", None), ref(trace))

    def _tree(self, value: Any, depth: int) -> TracedTree | None:
        kind = type(value)
        fields_of_dataclass = None if _is_container(kind) else _fields(value)
        if depth > _DEPTH or (len(value) if fields_of_dataclass is None else len(fields_of_dataclass)) > LEAVES:
            return None
        if fields_of_dataclass is not None:
            keys, values = tuple(map(exact, fields_of_dataclass)), list(fields_of_dataclass.values())
        elif kind is dict:
            keys, values = tuple(map(_key, value)), list(value.values())
        else:
            fields = vars(kind).get("_fields", ()) if kind not in _CONTAINERS else ()
            keys, values = (
                tuple(map(exact, fields)),
                list(kind.__iter__(value) if kind is list else tuple.__iter__(value)),
            )
        items: list[TracedArray | TracedTree | str] = []
        for item in values:
            self._left -= 1
            if self._left < 0:
                return None
            described = self._item(item, depth)
            if described is None:
                return None
            items.append(described)
        return TracedTree(exact(kind.__name__), keys, tuple(items))

    def _item(self, item: Any, depth: int) -> TracedArray | TracedTree | str | None:
        kind = type(item)
        if issubclass(kind, self._tracer):
            return self._array(item)
        if _is_container(kind) or _fields(item) is not None:
            return self._tree(item, depth + 1)
        return exact(kind.__name__)


def _is_container(kind: type) -> bool:
    return kind in _CONTAINERS or (issubclass(kind, tuple) and "_fields" in vars(kind))


def _fields(value: Any) -> dict[str, Any] | None:
    """Return the fields of a dataclass, such as a module of equinox; None for other values.

    A field that is not stored as a plain attribute is not read, because reading it would run a property or method.
    """
    kind = type(value)
    if kind in _PLAIN or not any("__dataclass_fields__" in _namespace(base) for base in mro_of(kind)):
        return None
    try:
        stored = object.__getattribute__(value, "__dict__")
    except AttributeError:  # the class has `__slots__`, so the object has no `__dict__`
        stored = {}
    if type(stored) is not dict:
        return None
    values = {field.name: _stored(value, stored, field.name) for field in dataclasses.fields(kind)}
    return None if any(part is _ABSENT for part in values.values()) else values


def _stored(value: Any, stored: dict[str, Any], name: str) -> Any:
    """Return the value of a field that is in the `__dict__` or a slot of an object; `_ABSENT` if it is in neither."""
    if name in stored:
        return stored[name]
    for base in mro_of(type(value)):
        slot = _namespace(base).get(name, _ABSENT)
        if slot is _ABSENT:
            continue
        if type(slot) is not MemberDescriptorType:
            return _ABSENT
        try:
            return slot.__get__(value)
        except AttributeError:  # the slot has no value
            return _ABSENT
    return _ABSENT


def _namespace(kind: type) -> Any:
    """Return the `__dict__` of a class without running code of its metaclass."""
    return type.__dict__["__dict__"].__get__(kind)


def _has_array(tree: TracedTree) -> bool:
    return any(type(item) is TracedArray or (type(item) is TracedTree and _has_array(item)) for item in tree.items)


def _key(key: Any) -> str:
    return repr(key) if type(key) in (str, int) else "…"


_ABSENT = object()
_CONTAINERS = frozenset({dict, list, tuple})
_PLAIN = frozenset({int, float, bool, complex, str, bytes, type(None), type, type(_key)})


def type_text(described: TracedArray | TracedTree | str) -> str:
    """Return the type of a traced value as text; arrays as JAX prints them in programs: f32[16], f32[]{weak}."""
    if isinstance(described, TracedArray):
        text = exact(described.aval.str_short(short_dtypes=True))
        if not getattr(described.aval, "weak_type", False):
            return text
        return f"{text.lstrip('~')}{{weak}}"
    if isinstance(described, str):
        return described
    items = [type_text(item) for item in described.items]
    if described.kind == "dict":
        return "{" + ", ".join(f"{key}: {item}" for key, item in zip(described.keys, items, strict=True)) + "}"
    if described.kind == "list":
        return f"[{', '.join(items)}]"
    if described.kind == "tuple":
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    named = [f"{key}={item}" for key, item in zip(described.keys, items, strict=True)]
    return f"{described.kind}({', '.join(named)})"


def arrays_of(described: TracedArray | TracedTree | str) -> list[TracedArray]:
    """Return all traced arrays in a value, in the order of its containers."""
    if isinstance(described, TracedArray):
        return [described]
    if isinstance(described, str):
        return []
    return [array for item in described.items for array in arrays_of(item)]
