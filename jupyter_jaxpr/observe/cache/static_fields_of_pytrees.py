"""Finds the static fields and other auxiliary data that differ between two pytree structures of one argument.

A node of a pytree has children and auxiliary data. Auxiliary data are, for example, the meta fields of a dataclass, the
static fields of an equinox module, and the attributes of an nnx module that are no arrays. If two structures have the
same nodes, they can differ only in auxiliary data; each such difference has a name and two values.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...interruptions import not_of_a_signal
from ...jax.leaves_and_context_of_key import dataclass_fields
from ...plain_text import FAILURES, Limit, exact, kind_name, own_name, text_of
from ..reprs_of_users_values import Reading


class Changed(NamedTuple):
    """A static field or other auxiliary datum of a pytree structure that changed between two calls.

    Attributes:
        path: the path of the datum, such as p.mode; if it has no name, the path of its node.
        field: true if the datum has a name (a static field or an attribute), or if the node itself is static.
        owner: the class name of the node.
        library: 'nnx' for an attribute of a flax.nnx module.
    """

    path: str
    field: bool
    owner: str
    before: Any
    after: Any
    library: str | None = None


def changed(name: str, before: Any, after: Any, reading: Reading) -> list[Changed] | None:
    """Return the auxiliary data that differ between two structures of one argument; None if their nodes differ.

    Args:
        name: The name of the argument.
        before: The structure in the earlier call.
        after: The structure in the later call.
        reading: Says which methods of the user's objects may be called: paths contain the keys of dictionaries.
    """
    try:
        return list(_in_nodes(name, before, after, reading))
    except not_of_a_signal(*FAILURES):
        return None


def static_fields(path: str, tree: Any, reading: Reading) -> list[tuple[str, str]]:
    """Return (path, text) for each static field in a structure; [] if the structure cannot be read."""
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
    """Raised if two structures have different nodes: other keys, other containers or another number of nodes."""


# Pytree classes without static fields; their auxiliary data are only dict keys and the factory of a defaultdict.
_CONTAINERS: tuple[type, ...] = (dict, list, tuple, type(None), collections.OrderedDict, collections.defaultdict)


def _in_nodes(path: str, before: Any, after: Any, reading: Reading) -> Iterator[Changed]:
    old, new = before.node_data(), after.node_data()
    children = before.children(), after.children()
    if old is None and new is None:
        return
    if old is None or new is None or old[0] is not new[0] or len(children[0]) != len(children[1]):
        raise _Another
    kind, was = old
    became = new[1]
    if not is_same(was, became):
        if issubclass(kind, _CONTAINERS):
            raise _Another
        yield from _in_data(path, kind, was, became, reading)
    paths = _children(path, kind, was, len(children[0]), reading)
    for child, child_before, child_after in zip(paths, *children, strict=True):
        yield from _in_nodes(exact(child, Limit.PATH), child_before, child_after, reading)


def _in_data(path: str, kind: type, was: Any, became: Any, reading: Reading) -> Iterator[Changed]:
    owner = kind_name(kind)
    if type(was) is type(became) and hasattr(was, "nodes") and hasattr(was, "attributes"):
        yield from _in_graph(path, was, became, reading)
        return
    names = _meta_fields(kind, was)
    if names is None or not isinstance(became, tuple) or len(became) != len(was):
        yield Changed(path, isinstance(was, kind), owner, was, became)
        return
    for name, *values in zip(names, was, became, strict=True):
        if not is_same(*values):
            yield Changed(path if name is None else f"{path}.{text_of(name)}", name is not None, owner, *values)


def _meta_fields(kind: type, data: Any) -> Sequence[str | None] | None:
    """Return the names of a node's auxiliary data; None if its class does not name them."""
    if not isinstance(data, tuple):
        return None
    fields = dataclass_fields(kind)
    if fields is not None:
        return fields[1] if len(fields[1]) == len(data) else None
    static = [field.name for field in _fields(kind) if field.metadata.get("static")]
    # For a wrapped method, equinox puts the wrappers in front of the static fields: a datum without a name.
    if static and len(data) - len(static) in (0, 1):
        return [*[None] * (len(data) - len(static)), *static]
    return None


def _children(path: str, kind: type, data: Any, count: int, reading: Reading) -> list[str]:
    """Return the paths of a node's children, as JAX writes them."""
    if issubclass(kind, (dict, collections.OrderedDict)) and isinstance(data, (list, tuple)) and len(data) == count:
        return [f"{path}[{reading.text(key, Limit.NAME)}]" for key in data]
    fields = getattr(kind, "_fields", None)
    if fields is None and issubclass(kind, (list, tuple)):
        return [f"{path}[{n}]" for n in range(count)]
    if fields is None:
        registered = dataclass_fields(kind)
        dynamic = [field.name for field in _fields(kind) if not field.metadata.get("static")]
        fields = registered[0] if registered is not None else dynamic
    if len(fields) == count:
        return [f"{path}.{text_of(name)}" for name in fields]
    return [path] if count == 1 else [f"{path}[<flat index {n}>]" for n in range(count)]


def _fields(kind: type) -> Sequence[Any]:
    return dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()


# --- modules of flax.nnx ------------------------------------------------------------------------------------


def _in_graph(path: str, was: Any, became: Any, reading: Reading) -> Iterator[Changed]:
    """Yield the attributes that differ between two nnx graphs.

    A graph lists its nodes and attributes in the order in which nnx visits them.
    """
    path = path.removesuffix("._graphdef")  # the user does not know `_graphdef`, a node that nnx adds
    before, after = _attributes(path, was, reading), _attributes(path, became, reading)
    if [place for place, _ in before] != [place for place, _ in after]:
        raise _Another
    for (place, old), (_, new) in zip(before, after, strict=True):
        if not is_same(old, new):
            before_it, after_it = (getattr(value, "value", value) for value in (old, new))
            yield Changed(place, True, "", before_it, after_it, library="nnx")


def _attributes(path: str, graph: Any, reading: Reading) -> list[tuple[str, Any]]:
    """Return (path, value) for the attributes of an nnx graph."""
    return [(place, node) for place, node in _walked(path, graph, reading) if not _is_node(node)]


def _is_node(value: Any) -> bool:
    return kind_name(type(value)) in ("NodeDef", "NodeRef") or _is_variable(value)


def _walked(path: str, graph: Any, reading: Reading) -> list[tuple[str, Any]]:
    """Return (path, node or attribute) for an nnx graph, in the order in which nnx visits them."""
    items: list[tuple[str, Any]] = []
    nodes, attributes = iter(graph.nodes), iter(graph.attributes)

    def walk(path: str) -> None:
        node = next(nodes)
        items.append((path, node))
        for _ in range(getattr(node, "num_attributes", 0)):
            name, value = next(attributes)
            inner = f"{path}.{exact(name)}" if isinstance(name, str) else f"{path}[{reading.text(name)}]"
            inner = exact(inner, Limit.PATH)
            items.append((inner, value))
            if kind_name(type(value)) == "NodeAttr":
                walk(inner)

    try:
        walk(path)
    except StopIteration:
        raise _Another from None
    if next(nodes, None) is not None or next(attributes, None) is not None:
        raise _Another
    return items


def nnx_variables(tree: Any, reading: Reading) -> list[tuple[int, list[str]]]:
    """Return (index of its first leaf, paths such as `.lin.bias`) for the variables of each nnx module in a tree.

    nnx passes a module to JAX as a graph and a list of the variables' values, in the order of the graph.
    """
    variables: list[tuple[int, list[str]]] = []
    _find_variables(tree, 0, reading, variables)
    return variables


def nnx_module(tree: Any, reading: Reading) -> tuple[str, list[str]] | None:
    """Return the class and the paths of the variables of an nnx module, such as `('Linear', ['bias', 'kernel'])`.

    Args:
        tree: The `PyTreeDef` of the structure that nnx passes to JAX for a module.
        reading: Says which methods of the user's objects may be called.

    Returns:
        None for any other tree, or if nnx split the variables into several states.
    """
    node = tree.node_data()
    if node is None or kind_name(node[0]) != "NodeStates":
        return None
    variables = [path.removeprefix(".") for path in _variables(tree, reading)]
    if not variables or len(variables) != tree.num_leaves:
        return None
    try:
        kind = tree.children()[0].node_data()[1].nodes[0].type
    except not_of_a_signal(AttributeError, TypeError, IndexError):
        return None
    return exact(own_name(kind) or kind_name(kind), Limit.NAME), variables


def _find_variables(tree: Any, first: int, reading: Reading, variables_of_nodes: list[tuple[int, list[str]]]) -> None:
    node = tree.node_data()
    if node is None:
        return
    if kind_name(node[0]) == "NodeStates":
        variables = _variables(tree, reading)
        if len(variables) == tree.num_leaves:
            variables_of_nodes.append((first, variables))
        return
    for child in tree.children():
        _find_variables(child, first, reading, variables_of_nodes)
        first += child.num_leaves


def _variables(tree: Any, reading: Reading) -> list[str]:
    """Return the paths of the variables of one nnx module; [] if nnx split them into several states."""
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
    """Return the text of a structure as JAX prints it.

    An auxiliary object is printed once per cell; `reading` remembers its text.

    Args:
        tree: A `PyTreeDef`.
        reading: The remembered texts of the user's objects.
        limit: The most characters of the text of one object.
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


def is_same_tree(old: Any, new: Any) -> bool:
    """Return whether two structures are equal for JAX's cache.

    JAX's `==` does not compare the classes of registered dataclasses, but the hashes of structures with different
    classes differ, so JAX's cache takes the structures for different ones. The classes are compared in place of the
    hashes, because hashing calls methods of the user's objects.
    """
    return old is new or (is_same(old, new) and node_classes(old) == node_classes(new))


def node_classes(tree: Any) -> tuple[type, ...]:
    """Return the class of each node of a structure, outer nodes first; dicts, lists, tuples and None are left out."""
    classes: list[type] = []
    left = [tree]
    while left:
        node = left.pop()
        data = node.node_data()
        if data is not None:
            if data[0] not in _BUILT_IN:
                classes.append(data[0])
            left += node.children()
    return tuple(classes)


_BUILT_IN = frozenset({dict, list, tuple, type(None)})


def is_same(old: Any, new: Any) -> bool:
    """Return whether two objects are equal by the comparison that JAX uses; False if the comparison raises."""
    try:
        return bool(old is new or old == new)
    except not_of_a_signal(*FAILURES):
        return False
