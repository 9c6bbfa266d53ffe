"""Finds blocks of equations in a program that repeat directly one after the other.

A Python loop that runs while JAX traces leaves its body in the program once for each iteration: the same primitives,
from the same expressions, with results of the same types. This module searches each scope for such repetitions:

- the token of an equation is its primitive, its stack and the types of its results; parameters and literals are left
out, because the bounds of a slice and constants differ from iteration to iteration;
- candidate periods are the most frequent gaps between equal tokens;
- a run of equal tokens at that distance is a repeated block; where runs overlap, the one that covers more is kept, then
  the one with the shorter period.

This module does not decide whether a Python loop made the block: see `explain.loops.unrolled_loops`. The search runs
for every `%%jaxpr` cell and takes well below a microsecond per equation.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate, islice
from operator import eq
from typing import Any

from .scope_columns import ScopeColumns
from .walk import Walk

#: The fewest repetitions of a block.
REPETITIONS = 3
_PERIODS = 24  # The most different periods that are tried for a scope.
_SAMPLED_BLOCKS = 8  # The most repetitions of a block whose data flow is examined.
_SAMPLED_EQUATIONS = 20_000
_EQUAL = re.compile(rb"\x01+")


@dataclass(frozen=True)
class RepeatedBlock:
    """A block of equations that repeats in a scope.

    Attributes:
        scope: The index of the scope.
        first: The index of the first equation.
        period: The number of equations of one repetition.
        repetitions: The number of whole repetitions.
        length: The number of all equations; the last repetition may be incomplete.
        carried: True if a repetition reads a value that an earlier repetition computed.
        sequential: True if each repetition reads a value that the previous repetition computed.
    """

    scope: int
    first: int
    period: int
    repetitions: int
    length: int
    carried: bool
    sequential: bool


class RepeatedBlocks:
    """The repeated blocks in the scopes of a `Walk`; each scope is searched once."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._found: dict[int, tuple[ScopeColumns, list[RepeatedBlock]]] = {}
        self._tokens: dict[int, _Tokens] = {}
        self._kinds: list[int] = []
        self._kind_numbers: dict[tuple[object, str], int] = {}

    def of(self, scope: int) -> list[RepeatedBlock]:
        """Return the outermost repeated blocks of a scope, in order."""
        columns = self._walk.scopes[scope]
        stored = self._found.get(scope)
        if stored is not None and stored[0] is columns:
            return stored[1]
        blocks: list[RepeatedBlock] = []
        if _may_repeat(columns):
            tokens = self._tokens[scope] = _Tokens(columns, self._aval_kinds())
            blocks = _runs(tokens, scope, 0, columns.count)
        self._found[scope] = columns, blocks
        return blocks

    def inside(self, block: RepeatedBlock) -> list[RepeatedBlock]:
        """Return the repeated blocks inside the first repetition of a block."""
        return _runs(self._tokens[block.scope], block.scope, block.first, block.first + block.period)

    def _aval_kinds(self) -> list[int]:
        """Return a number for the shape and dtype of each aval, without the weak type.

        Only a first iteration may have weak types.
        """
        for aval in self._walk.avals[len(self._kinds) :]:
            key = (aval.shape, aval.dtype)
            self._kinds.append(self._kind_numbers.setdefault(key, len(self._kind_numbers)))
        return self._kinds


def _may_repeat(columns: ScopeColumns) -> bool:
    """Return whether a stack occurs often enough for a loop.

    Most scopes are small and contain no loop, so this saves time.
    """
    if columns.count < REPETITIONS:
        return False
    if columns.count > 200:
        return True
    return max(Counter(columns.stack).values()) >= REPETITIONS


class _Tokens:
    """The equations of a scope as numbers: equal numbers mean that two equations may come from one line of a loop.

    This module does not use NumPy: most calls of NumPy release the GIL, and while the user's cell runs, a thread that
    released the GIL waits for five milliseconds.
    """

    def __init__(self, columns: ScopeColumns, aval_kinds: list[int]) -> None:
        self.columns = columns
        self.first_variable = columns.constants + columns.inputs
        kinds = [aval_kinds[aval] for aval in columns.variable_avals[self.first_variable :]]
        counts = columns.output_counts
        results: list[int] | list[tuple[int, ...]] = kinds
        if len(kinds) != len(counts) or max(counts, default=1) > 1:
            ends = list(accumulate(counts))
            results = [tuple(kinds[end - count : end]) for count, end in zip(counts, ends, strict=True)]
        numbers: dict[tuple[Any, ...], int] = {}
        tokens = zip(columns.stack, columns.primitive, results, strict=True)
        self.numbers = [numbers.setdefault(token, len(numbers)) for token in tokens]
        # The index of the equation that computes each variable; -1 for inputs and constants.
        self.producers = [-1] * self.first_variable
        self.producers += [equation for equation, count in enumerate(counts) for _ in range(count)]


def _runs(tokens: _Tokens, scope: int, first: int, end: int) -> list[RepeatedBlock]:
    numbers = tokens.numbers[first:end]
    count = len(numbers)
    last: dict[int, int] = {}
    gaps: Counter[int] = Counter()
    for index, number in enumerate(numbers):
        before = last.get(number)
        if before is not None:
            gaps[index - before] += 1
        last[number] = index
    often = sorted((-how_often, gap) for gap, how_often in gaps.items() if gap * REPETITIONS <= count)
    candidates: list[tuple[int, int, int]] = []
    for _, period in often[:_PERIODS]:
        is_equal = bytes(map(eq, numbers, islice(numbers, period, None)))
        for run in _EQUAL.finditer(is_equal):
            length = run.end() - run.start() + period
            if length >= REPETITIONS * period:
                candidates.append((-length, period, run.start()))
    free = [True] * count
    blocks = []
    for minus_length, period, start in sorted(candidates):
        stop = start - minus_length
        if all(free[start:stop]):
            free[start:stop] = [False] * (stop - start)
            blocks.append(_block(tokens, scope, first + start, period, -minus_length))
    return sorted(blocks, key=lambda block: block.first)


def _block(tokens: _Tokens, scope: int, first: int, period: int, length: int) -> RepeatedBlock:
    repetitions = length // period
    sampled = min(repetitions, max(3, min(_SAMPLED_BLOCKS, _SAMPLED_EQUATIONS // period)))
    # The boundary between two repetitions may be at any place of the period. The repetitions are independent if there
    # is a place across which no value passes.
    passed: set[int] = set()
    linked: set[int] = set()
    operands, producers = tokens.columns.operands, tokens.producers
    for equation in range(first, first + sampled * period):
        for operand in operands[equation]:
            producer = producers[operand] if operand >= 0 else -1
            if producer < first:
                continue
            if len(passed) < period:
                if equation - producer >= period:
                    passed.update(range(period))
                elif equation - producer == 1:
                    passed.add((equation - first) % period)
                else:
                    passed.update(place % period for place in range(producer - first + 1, equation - first + 1))
            if (equation - first) // period - (producer - first) // period == 1:
                linked.add((equation - first) // period)
    carried = len(passed) == period
    return RepeatedBlock(
        scope=scope,
        first=first,
        period=period,
        repetitions=repetitions,
        length=length,
        carried=carried,
        sequential=carried and len(linked) == sampled - 1,
    )
