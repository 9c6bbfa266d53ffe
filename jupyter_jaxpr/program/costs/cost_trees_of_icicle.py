"""Sums the costs in two trees: the tree of scopes and their calls, and the tree of name stacks.

The cost of a node includes all nodes below it, in the most expensive call of the program. All calls of one scope from
one line are one node. A tree has a limited number of nodes, the most expensive ones; the cost of a node that is left
out is contained in its parent.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import count

from ...document.limits import Listed
from .cost_sums_and_order import Cost
from .costs_of_equations import Call, Costs, Part
from .executions_of_scopes_and_lines import Runs, ScopeRuns, below, frame_of

_NAMED = frozenset({"jit", "pjit", "closed_call", "core_call"})


@dataclass(slots=True)
class Node:
    """A node of the tree, drawn as a bar of the icicle plot; see `document.types.cost.CostNode`."""

    label: str
    parent: int
    scope: int = -1
    frame: int = -1
    runs: int = 0
    per_trip: bool = False
    flops: int = 0
    transcendentals: int = 0
    bytes: int = 0


@dataclass(slots=True)
class _Waiting:
    """A node of the tree that has not been made yet, with its cost and its executions."""

    label: str
    parent: int
    scope: int
    frame: int
    runs: Runs


def by_scope(costs: Costs, scope: int, label: str, call: int = -1) -> list[Node]:
    """Return the tree of the scopes of a program; a caller comes before the scopes that it calls.

    Args:
        costs: The costs of the scopes in the `Walk`.
        scope: The scope of the program.
        label: The name of the program.
        call: The frame of the line that called the program; -1 if unknown.
    """
    order = count()
    nodes: list[Node] = []
    heap: list[tuple[tuple[int, ...], int, _Waiting]] = []

    def wait(waiting_node: _Waiting) -> None:
        price = costs.of(waiting_node.scope).times(waiting_node.runs.dearest).price()
        heapq.heappush(heap, (tuple(-amount for amount in price), next(order), waiting_node))

    wait(_Waiting(label, -1, scope, call, Runs(1, 1, 1, 1)))
    while heap and len(nodes) < Listed.BARS_OF_COSTS:
        waiting = heapq.heappop(heap)[2]
        cost = costs.of(waiting.scope).times(waiting.runs.dearest)
        nodes.append(_node(waiting, cost))
        for inner in _inside(costs, waiting, len(nodes) - 1):
            wait(inner)
    return nodes


def _node(waiting_node: _Waiting, cost: Cost) -> Node:
    return Node(
        label=waiting_node.label,
        parent=waiting_node.parent,
        scope=waiting_node.scope,
        frame=waiting_node.frame,
        runs=waiting_node.runs.most,
        per_trip=waiting_node.runs.per_trip or cost.per_trip,
        flops=cost.flops,
        transcendentals=cost.transcendentals,
        bytes=cost.read + cost.written,
    )


def _inside(costs: Costs, around: _Waiting, parent: int) -> list[_Waiting]:
    walk = costs.walk
    columns = walk.scopes[around.scope]
    parts: dict[tuple[str, int, int], _Waiting] = {}
    for call in costs.priced(around.scope).calls:
        frame = frame_of(walk, columns.stack[call.equation])
        frame = around.frame if frame < 0 else frame
        for part in call.parts:
            label = _label(costs, call, part)
            key = label, part.scope, frame
            if key not in parts:
                parts[key] = _Waiting(label, parent, part.scope, frame, Runs())
            parts[key].runs.add(around.runs.within(part))
    return list(parts.values())


def _label(costs: Costs, call: Call, part: Part) -> str:
    name = costs.walk.scopes[part.scope].name
    if call.primitive in _NAMED and name >= 0:
        return f"{'jit' if call.primitive == 'pjit' else call.primitive} {costs.walk.strings.items[name]}"
    return f"{call.primitive} {part.label}".rstrip()


def by_name_stack(costs: Costs, runs: dict[int, ScopeRuns], label: str) -> list[Node]:
    """Return the tree of the name stacks; equations without a name stack count only in the root."""
    strings = costs.walk.strings.items
    nodes: dict[tuple[str, ...], Node] = {(): Node(label, -1, runs=1)}
    paths: dict[str, tuple[str, ...]] = {}
    for number, of_scope in runs.items():
        for (price_number, _, name), alike in costs.priced(number).groups.items():
            if price_number < 0:
                continue
            price = costs.owns[price_number]
            for prefix, outer in of_scope.names.items():
                text = below(prefix, strings[name])
                path = paths.get(text)
                if path is None:
                    path = paths[text] = split(text)
                times = alike * outer.dearest
                for depth in range(len(path) + 1):
                    node = nodes.setdefault(path[:depth], Node(path[depth - 1] if depth else label, -1))
                    node.flops += max(price.flops, 0) * times
                    node.transcendentals += max(price.transcendentals, 0) * times
                    node.bytes += max(price.read, 0) * times + max(price.written, 0) * times
                    node.per_trip |= outer.per_trip
                    if depth:
                        node.runs = max(node.runs, outer.most)
    return _dearest(nodes)


def _dearest(nodes: dict[tuple[str, ...], Node]) -> list[Node]:
    """Return the most expensive nodes, parents before children."""

    def price(path: tuple[str, ...]) -> tuple[int, int, int, int]:
        node = nodes[path]
        return -node.flops, -node.transcendentals, -node.bytes, len(path)

    # A parent costs at least as much as its child, and comes first if the costs are equal.
    chosen = sorted(nodes, key=price)[: Listed.BARS_OF_COSTS]
    numbers = {path: number for number, path in enumerate(chosen)}
    for path in chosen:
        if path:
            nodes[path].parent = numbers[path[:-1]]
    return [nodes[path] for path in chosen]


def split(name_stack: str) -> tuple[str, ...]:
    """Return the parts of a name stack: it is split at slashes outside of brackets."""
    parts, depth, start = [], 0, 0
    for place, sign in enumerate(name_stack):
        if sign in "([":
            depth += 1
        elif sign in ")]":
            depth -= 1
        elif sign == "/" and depth <= 0:
            parts.append(name_stack[start:place])
            start = place + 1
    parts.append(name_stack[start:])
    return tuple(part for part in parts if part)
