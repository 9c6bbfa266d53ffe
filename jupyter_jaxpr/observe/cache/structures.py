"""Finds the static fields, and other data without leaves, that differ between two structures of one argument.

A node of a structure holds its children and, beside them, what its class keeps out of them: the meta fields of a
dataclass, the static fields of an equinox module, the attributes of an nnx module that are no arrays. Where two
structures have the same nodes, that is what differs, and it has a name and two values.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...interruptions import not_of_a_signal
from ...jax.keys import dataclass_fields
from ...plain_text import FAILURES, Limit, exact, kind_name, own_name, text_of
from ..value_texts import Reading


class Changed(NamedTuple):
    """A value in a structure that is another one now."""

    path: str  # such as p.mode, or that of the node where the value has no name
    field: bool  # whether the value is a static field or attribute, or is the node itself
    owner: str  # the class of the node
    before: Any
    after: Any
    library: str | None = None  # 'nnx': an attribute of a module of flax.nnx


def changed(name: str, before: Any, after: Any, reading: Reading) -> list[Changed] | None:
    """What differs in two structures of one argument; None where they are not made of the same nodes.

    Args:
        name: The argument.
        before: One structure.
        after: The other.
        reading: What may be called of the user's objects: the keys of dictionaries are in the paths.
    """
    try:
        return list(_in_nodes(name, before, after, reading))
    except not_of_a_signal(*FAILURES):
        return None


def static_fields(path: str, tree: Any, reading: Reading) -> list[tuple[str, str]]:
    """The static fields in a structure, each with its path and its text; none of a structure that cannot be read."""
    try:
        return list(_static_fields(path, tree, reading))
    except not_of_a_signal(*FAILURES):
        return []


def _static_fields(path: str, tree: Any, reading: Reading) -> Iterator[tuple[str, str]]:
    node = tree.node_data()
    if node is None:
        return
    kind, data = node
    children = tree.children()
    is_others = issubclass(kind, _CONTAINERS) or (own_name(kind, "__module__") or "").startswith("flax.nnx.")
    names = None if is_others else _meta_fields(kind, data)
    for name, value in zip(names or (), data if names else (), strict=True):
        if name is not None:
            yield f"{path}.{text_of(name)}", reading.text(value, Limit.NAME)
    for child, inner in zip(_children(path, kind, data, len(children), reading), children, strict=True):
        yield from _static_fields(exact(child, Limit.PATH), inner, reading)


class _Another(Exception):
    """The nodes are others: keys, containers, or how many there are."""


# Their data are keys and the like: what is in them is told by the paths of the leaves.
_CONTAINERS: tuple[type, ...] = (dict, list, tuple, type(None), collections.OrderedDict, collections.defaultdict)


def _in_nodes(path: str, before: Any, after: Any, reading: Reading) -> Iterator[Changed]:
    old, new = before.node_data(), after.node_data()
    children = before.children(), after.children()
    if old is None and new is None:
        return
    if old is None or new is None or old[0] is not new[0] or len(children[0]) != len(children[1]):
        raise _Another
    kind, was = old
    now = new[1]
    if not is_same(was, now):
        if issubclass(kind, _CONTAINERS):
            raise _Another
        yield from _in_data(path, kind, was, now, reading)
    paths = _children(path, kind, was, len(children[0]), reading)
    for child, child_before, child_after in zip(paths, *children, strict=True):
        yield from _in_nodes(exact(child, Limit.PATH), child_before, child_after, reading)


def _in_data(path: str, kind: type, was: Any, now: Any, reading: Reading) -> Iterator[Changed]:
    owner = kind_name(kind)
    if type(was) is type(now) and hasattr(was, "nodes") and hasattr(was, "attributes"):
        yield from _in_graph(path, was, now, reading)
        return
    names = _meta_fields(kind, was)
    if names is None or not isinstance(now, tuple) or len(now) != len(was):
        yield Changed(path, isinstance(was, kind), owner, was, now)
        return
    for name, *values in zip(names, was, now, strict=True):
        if not is_same(*values):
            yield Changed(path if name is None else f"{path}.{text_of(name)}", name is not None, owner, *values)


def _meta_fields(kind: type, data: Any) -> Sequence[str | None] | None:
    """The names of a node's values that are no children; None where its class does not name them."""
    if not isinstance(data, tuple):
        return None
    known = dataclass_fields(kind)
    if known is not None:
        return known[1] if len(known[1]) == len(data) else None
    static = [field.name for field in _fields(kind) if field.metadata.get("static")]
    if static and len(data) - len(static) in (0, 1):  # equinox puts what wraps a method before them
        return [*[None] * (len(data) - len(static)), *static]
    return None


def _children(path: str, kind: type, data: Any, count: int, reading: Reading) -> list[str]:
    """The paths of a node's children, as JAX writes them."""
    if issubclass(kind, (dict, collections.OrderedDict)) and isinstance(data, (list, tuple)) and len(data) == count:
        return [f"{path}[{reading.text(key, Limit.NAME)}]" for key in data]
    fields = getattr(kind, "_fields", None)
    if fields is None and issubclass(kind, (list, tuple)):
        return [f"{path}[{n}]" for n in range(count)]
    if fields is None:
        known = dataclass_fields(kind)
        dynamic = [field.name for field in _fields(kind) if not field.metadata.get("static")]
        fields = known[0] if known is not None else dynamic
    if len(fields) == count:
        return [f"{path}.{text_of(name)}" for name in fields]
    return [path] if count == 1 else [f"{path}[<flat index {n}>]" for n in range(count)]


def _fields(kind: type) -> Sequence[Any]:
    return dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()


# --- flax.nnx ---------------------------------------------------------------------------------------------


def _in_graph(path: str, was: Any, now: Any, reading: Reading) -> Iterator[Changed]:
    """Two graphs of nnx modules: lists of nodes and, in the order of a walk through them, of their attributes."""
    path = path.removesuffix("._graphdef")  # nnx's own node, not the user's
    before, after = _attributes(path, was, reading), _attributes(path, now, reading)
    if [place for place, _ in before] != [place for place, _ in after]:
        raise _Another
    for (place, old), (_, new) in zip(before, after, strict=True):
        if not is_same(old, new):
            before_it, after_it = (getattr(value, "value", value) for value in (old, new))
            yield Changed(place, True, "", before_it, after_it, library="nnx")


def _attributes(path: str, graph: Any, reading: Reading) -> list[tuple[str, Any]]:
    """The attributes of a graph by their paths."""
    return [(place, found) for place, found in _walked(path, graph, reading) if not _is_node(found)]


def _is_node(found: Any) -> bool:
    return kind_name(type(found)) in ("NodeDef", "NodeRef") or _is_variable(found)


def _walked(path: str, graph: Any, reading: Reading) -> list[tuple[str, Any]]:
    """The nodes and the attributes of a graph by their paths, in the order of nnx's walk."""
    found: list[tuple[str, Any]] = []
    nodes, attributes = iter(graph.nodes), iter(graph.attributes)

    def walk(path: str) -> None:
        node = next(nodes)
        found.append((path, node))
        for _ in range(getattr(node, "num_attributes", 0)):
            name, value = next(attributes)
            inner = f"{path}.{exact(name)}" if isinstance(name, str) else f"{path}[{reading.text(name)}]"
            inner = exact(inner, Limit.PATH)
            found.append((inner, value))
            if kind_name(type(value)) == "NodeAttr":
                walk(inner)

    try:
        walk(path)
    except StopIteration:
        raise _Another from None
    if next(nodes, None) is not None or next(attributes, None) is not None:
        raise _Another
    return found


def nnx_variables(tree: Any, reading: Reading) -> list[tuple[int, list[str]]]:
    """The variables of each nnx module in a structure: the index of the first leaf, and paths such as `.lin.bias`.

    nnx hands a module to JAX as a graph and a list of what the variables of the graph hold, in the order of the graph.
    """
    found: list[tuple[int, list[str]]] = []
    _find_variables(tree, 0, reading, found)
    return found


def _find_variables(tree: Any, first: int, reading: Reading, found: list[tuple[int, list[str]]]) -> None:
    node = tree.node_data()
    if node is None:
        return
    if kind_name(node[0]) == "NodeStates":
        variables = _variables(tree, reading)
        if len(variables) == tree.num_leaves:
            found.append((first, variables))
        return
    for child in tree.children():
        _find_variables(child, first, reading, found)
        first += child.num_leaves


def _variables(tree: Any, reading: Reading) -> list[str]:
    """The paths of the variables of one module; empty where nnx split them into several states."""
    try:
        graph, states = tree.children()
        if len(states.children()) != 1:
            return []
        return [path for path, node in _walked("", graph.node_data()[1], reading) if _is_variable(node)]
    except not_of_a_signal(AttributeError, TypeError, ValueError, _Another):
        return []


def _is_variable(node: Any) -> bool:
    return kind_name(type(node)) == "VariableDef"


def structure_text(tree: Any, reading: Reading, limit: int) -> str:
    """A structure as JAX prints it; what a class keeps beside its leaves says its text once a cell.

    Args:
        tree: A `PyTreeDef`.
        reading: What the objects in the structure said already.
        limit: The longest text of one such object.
    """
    node = tree.node_data()
    if node is None:
        return "*"
    kind, beside = node
    parts = [structure_text(child, reading, limit) for child in tree.children()]
    inside = ", ".join(parts)
    if kind is type(None):
        return "None"
    if kind is dict:
        keys = (reading.text(key, limit) for key in beside)
        return f"{{{', '.join(f'{key}: {part}' for key, part in zip(keys, parts, strict=True))}}}"
    if kind is list:
        return f"[{inside}]"
    if kind is tuple:
        return f"({inside}{',' * (len(parts) == 1)})"
    if issubclass(kind, tuple) and beside is None:
        return f"CustomNode(namedtuple[{kind_name(kind)}], [{inside}])"
    return f"CustomNode({kind_name(kind)}[{reading.text(beside, limit)}], [{inside}])"


def is_same(old: Any, new: Any) -> bool:
    """Whether two objects that JAX compares are equal; objects that cannot be compared are not."""
    try:
        return bool(old is new or old == new)
    except not_of_a_signal(*FAILURES):
        return False
