"""Finds the equations that belong to the stack of a line, by the same rules as src/model/links."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from ..jaxpr.walk import Equation, Walk


class Groups:
    """The equations of a program, grouped by the source stack to which they belong.

    Args:
        walk: The `Walk` that has read the equations of the program.
        scope: The scope of the program in the `Walk`.
    """

    def __init__(self, walk: Walk, scope: int) -> None:
        self._positions = walk.positions
        self._exact: dict[Any, set[Equation]] = defaultdict(set)
        self._chain: dict[Any, set[Equation]] = defaultdict(set)
        self._span: dict[Any, set[Equation]] = defaultdict(set)
        self._add(walk, scope)

    def _add(self, walk: Walk, program: int) -> None:
        visited: set[tuple[int, frozenset[int]]] = set()
        pending: list[tuple[int, frozenset[int]]] = [(program, frozenset())]
        while pending:
            scope, scope_stacks = pending.pop()
            if (scope, scope_stacks) in visited:
                continue
            visited.add((scope, scope_stacks))
            columns = walk.scopes[scope]
            children = defaultdict(list)
            for equation, _, _, child in columns.children:
                children[equation].append(child)
            for equation, stack in enumerate(columns.stack):
                has_user_frame = stack >= 0 and bool(self._positions.stacks[stack][0])
                stacks = frozenset((stack,)) if has_user_frame else scope_stacks
                for stack_number in stacks:
                    exact, chain, span = self._keys(stack_number)
                    for index, key in ((self._exact, exact), (self._chain, chain), (self._span, span)):
                        index[key].add((scope, equation))
                pending += [(child, stacks) for child in children[equation]]

    def _keys(self, stack: int) -> tuple[Any, Any, Any]:
        user, library = self._positions.stacks[stack]
        frames = self._positions.frames
        chain = tuple((frames[frame][0], *frames[frame][2:]) for frame in user)
        inner = tuple((frames[frame][0], *frames[frame][2:]) for frame in library)
        return (chain, inner), chain, chain[0]

    def of(self, *stacks: int) -> set[Equation]:
        """Return the equations that belong to the stacks of a line; empty if the line is linked to no equation."""
        return {equation for stack in stacks for equation in self._of(stack)}

    def _of(self, stack: int) -> set[Equation]:
        if stack < 0 or not self._positions.stacks[stack][0]:
            return set()
        exact, chain, span = self._keys(stack)
        named = self._exact.get(exact) if exact[1] else None
        return named or self._chain.get(chain) or self._span.get(span) or set()
