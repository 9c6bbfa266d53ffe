"""Finds an argument that has the structure of only a part of another argument, and the line that made the argument."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ....observe.observation import FoundCure
from ..failing_code.module_names import namespace
from ..failing_code.only_assignments import only_assignment
from ..failing_code.origins import value_in, value_of
from ..failing_code.place_of_error import RaisedAt

_DEPTH = 4
_ELEMENTS = 100
_MOST_PARTS = 2_000


@dataclass(frozen=True)
class Part:
    """A pytree in a call that has the same structure as a part of another argument.

    Attributes:
        sentence: The sentences that name the part, and the line that made the tree.
        cure: The cure with the changed line; None if the source code does not show what to change.
    """

    sentence: str
    cure: FoundCure | None


def part_of_tree(raised: RaisedAt) -> Part | None:
    """Return which argument of a failing jax.tree.map has the structure of a part of the other argument.

    For example, state.mu has the structure of grads["dense"] in jax.tree.map(f, state.mu, grads). None if neither
    argument has the structure of a part of the other.
    """
    call = raised.node
    if not isinstance(call, ast.Call) or len(call.args) != 3 or raised.frame is None:
        return None
    nodes = call.args[1:]
    values = [value_of(raised, node) for node in nodes]
    if any(value is None for value in values):
        return None
    for small, large in ((0, 1), (1, 0)):
        parts = itertools.islice(_parts(values[large], "", _DEPTH), _MOST_PARTS)
        paths = [path for path, part in parts if _is_like(part, values[small])]
        if len(paths) != 1:
            continue
        source = raised.source(nodes[small])
        part_of_larger_tree = f"{raised.source(nodes[large])}{paths[0]}"
        sentence = f"{source} has the same structure as {part_of_larger_tree}."
        made = _made(raised, values[small])
        if made is None:
            return Part(sentence, None)
        sentence = f"{sentence} Line {made.lineno} made {source}: {' '.join(raised.source(made).split())}."
        # Without a call, the line only gives a part of a tree another name: the part may be intended, and the call
        # wrong. So only a line with a call, which made a new pytree from the part, gets a cure.
        is_new = isinstance(made.value, ast.Call)
        return Part(sentence, _whole(raised, made, paths[0], values[large]) if is_new else None)
    return None


def _is_like(one: Any, other: Any) -> bool:
    import jax

    structures: list[Any] = [jax.tree_util.tree_structure(tree) for tree in (one, other)]
    return bool(structures[0] == structures[1])


def _parts(value: Any, path: str, depth: int) -> Iterator[tuple[str, Any]]:
    """Return the containers inside a container, with their paths."""
    pairs: list[tuple[str, Any]] = []
    if type(value) is dict:
        pairs = [(f"[{key!r}]", part) for key, part in value.items() if type(key) in (str, int)]
    elif hasattr(type(value), "_fields") and isinstance(value, tuple):
        pairs = [(f".{name}", part) for name, part in zip(getattr(type(value), "_fields", ()), value, strict=False)]
    elif type(value) in (list, tuple):
        pairs = [(f"[{number}]", part) for number, part in enumerate(value)]
    for step, part in pairs[:_ELEMENTS]:
        if type(part) in (dict, list, tuple) and part:
            yield path + step, part
            if depth:
                yield from _parts(part, path + step, depth - 1)


def _made(raised: RaisedAt, value: Any) -> ast.Assign | None:
    """Return the assignment that gave this pytree its name; None if there is no such assignment, or more than one."""
    names = {name for name, held in namespace(raised).items() if held is value}
    names |= {name for frame in raised.callers for name, held in frame.f_locals.items() if held is value}
    return only_assignment(raised.loops.module if raised.loops is not None else None, names)


def _whole(raised: RaisedAt, made: ast.Assign, path: str, large: Any) -> FoundCure | None:
    """Return the cure that makes a pytree from the whole container, not from a part of the container.

    An example is opt.init(params) in place of opt.init(params["dense"]).
    """
    wanted = ast.unparse(ast.parse(f"_{path}", mode="eval").body)[1:]
    parts = [
        node
        for node in ast.walk(made.value)
        if isinstance(node, ast.Subscript | ast.Attribute) and ast.unparse(node).endswith(wanted)
    ]
    if len(parts) != 1:
        return None
    whole: ast.expr = parts[0]
    for _ in range(_steps(path)):
        if not isinstance(whole, ast.Subscript | ast.Attribute):
            return None
        whole = whole.value
    if ast.unparse(parts[0]) != f"{ast.unparse(whole)}{wanted}":
        return None
    frame = raised.callers[-1] if raised.callers else raised.frame
    value = value_in({**frame.f_globals, **frame.f_locals}, whole) if frame is not None else None
    if value is None or not _is_like(value, large):
        return None
    source, part = raised.source(made), raised.source(parts[0])
    if source.count(part) != 1:
        return None
    whole_source = raised.source(whole)
    words = f"Make the tree from {whole_source}, not from its part {part}."
    return FoundCure("whole tree", source.replace(part, whole_source), words)


def _steps(path: str) -> int:
    node: ast.expr = ast.parse(f"_{path}", mode="eval").body
    steps = 0
    while isinstance(node, ast.Subscript | ast.Attribute):
        node, steps = node.value, steps + 1
    return steps
