"""Aligns two sequences of keys: pairs equal keys that are in the same order, as many as the budget allows to find.

Equal ends are removed first. Myers' O(ND) algorithm aligns the rest, which is fast if few keys differ. If it would take
too long, the n-th occurrence of a key is paired with the n-th occurrence on the other side, and the longest rising
subsequence of these pairs is the alignment. This takes linear time, but the alignment may be shorter than the best one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Sequence

Pairs = list[tuple[int, int]]


class Budget:
    """The number of steps that exact alignments may take, shared by all alignments of a diff. 1.5 million take 0.6 s.

    Attributes:
        exceeded: True if an alignment had to use pairs of n-th occurrences.
    """

    def __init__(self, steps: int = 1_500_000) -> None:
        self.steps = steps
        self.exceeded = False


def align(a: Sequence[Hashable], b: Sequence[Hashable], budget: Budget) -> Pairs:
    """Return pairs (index in a, index in b) of equal keys; the indices ascend in both a and b."""
    start = 0
    end_a, end_b = len(a), len(b)
    while start < end_a and start < end_b and a[start] == b[start]:
        start += 1
    while end_a > start and end_b > start and a[end_a - 1] == b[end_b - 1]:
        end_a -= 1
        end_b -= 1
    tail = [(end_a + i, end_b + i) for i in range(len(a) - end_a)]
    middle = _middle(a[start:end_a], b[start:end_b], budget)
    return [*((i, i) for i in range(start)), *((start + i, start + j) for i, j in middle), *tail]


def by_occurrence(a: Sequence[Hashable], b: Sequence[Hashable]) -> Pairs:
    """Pair the n-th occurrence of a key in `a` with the n-th in `b`; the pairs ascend in `a` only."""
    places: defaultdict[Hashable, list[int]] = defaultdict(list)
    for j in range(len(b) - 1, -1, -1):
        places[b[j]].append(j)
    return [(i, places[key].pop()) for i, key in enumerate(a) if places.get(key)]


def rising(pairs: Pairs) -> Pairs:
    """Return the longest subsequence of the pairs, ordered by first members, whose second members rise, too."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, j) in enumerate(pairs):
        at = bisect_left(ends, j)
        before.append(last[at - 1] if at else -1)
        if at == len(ends):
            ends.append(j)
            last.append(number)
        else:
            ends[at] = j
            last[at] = number
    result: Pairs = []
    number = last[-1] if last else -1
    while number >= 0:
        result.append(pairs[number])
        number = before[number]
    return result[::-1]


def _middle(a: Sequence[Hashable], b: Sequence[Hashable], budget: Budget) -> Pairs:
    if not a or not b:
        return []
    # Keys that only one side has are removed: they are in no pair, and each would cost the search a step.
    in_a, in_b = set(a), set(b)
    at_a = [i for i, key in enumerate(a) if key in in_b]
    at_b = [j for j, key in enumerate(b) if key in in_a]
    pairs = _myers([a[i] for i in at_a], [b[j] for j in at_b], budget)
    return [(at_a[i], at_b[j]) for i, j in pairs]


def _myers(a: list[Hashable], b: list[Hashable], budget: Budget) -> Pairs:
    """Return the pairs of Myers' shortest edit script; the frontiers of the search are kept to trace the path back.

    The frontier of distance d has, for each diagonal k = -d, -d + 2, ..., d, the farthest index reached in a.
    """
    length_a, length_b = len(a), len(b)
    frontiers: list[list[int]] = []
    before: list[int] = []
    for distance in range(length_a + length_b + 1):
        budget.steps -= distance + 1
        if budget.steps < 0:
            budget.exceeded = True
            return rising(by_occurrence(a, b))
        frontier: list[int] = []
        for place in range(distance + 1):
            # This is `_entered`, without the call: the search takes most of the time of a large diff.
            if place == 0:
                x = before[0] if distance else 0
            elif place != distance and before[place - 1] < before[place]:
                x = before[place]
            else:
                x = before[place - 1] + 1
            y = x - (2 * place - distance)
            while x < length_a and y < length_b and a[x] == b[y]:
                x += 1
                y += 1
            frontier.append(x)
            if x >= length_a and y >= length_b:
                return _walk_back(frontiers, place, length_a, length_b)
        frontiers.append(frontier)
        before = frontier
    return []


def _entered(before: list[int], place: int, distance: int) -> int:
    """Return where the search enters a diagonal from the previous frontier: one step down or one step to the right."""
    if distance == 0:
        return 0
    if place == 0 or (place != distance and before[place - 1] < before[place]):
        return before[place]
    return before[place - 1] + 1


def _walk_back(frontiers: list[list[int]], place: int, x: int, y: int) -> Pairs:
    pairs: Pairs = []
    for distance in range(len(frontiers), -1, -1):
        before = frontiers[distance - 1] if distance else []
        entered = _entered(before, place, distance)
        while x > entered:
            x -= 1
            y -= 1
            pairs.append((x, y))
        if distance:
            down = place == 0 or (place != distance and before[place - 1] < before[place])
            if down:
                y -= 1
            else:
                x -= 1
                place -= 1
    return pairs[::-1]
