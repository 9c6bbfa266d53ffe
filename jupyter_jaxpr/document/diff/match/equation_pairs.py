"""Pairs the equations of two scopes, each from one of two programs.

Pairing is done in stages, from certain to likely. Each stage uses only the equations that the earlier ones left
unpaired, between the pairs that are in the same order on both sides:

1. equations that compute the same from the same inputs; where such an equation has another position, it moved;
2. equations whose results are used in the same way;
3. equal equations, first those on lines with the same text;
4. remaining equal equations with the same operands, in any order: moved;
5. remaining equations of the same primitive: changed;
6. remaining equations that bind the same types from the same operands: another primitive in the same place.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from .key_alignment import Budget, Pairs, align, by_occurrence, rising
from .keys import Keys, ScopeKeys, is_combiner
from .side import ScopeSide

Gap = tuple[list[int], list[int]]
#: A function: equation -> key by which it is compared.
Key = Callable[[int], Hashable]


@dataclass
class Matched:
    """The paired equations and inputs of scope `a` and scope `b`.

    Attributes:
        inputs: pairs (constant or input of a, constant or input of b) in the order of b; None in place of a missing
            partner. An input of a without a partner stays at its position.
        partner_a: for each equation of scope `a`, its partner in scope `b`; -1 without a partner.
        partner_b: for each equation of scope `b`, its partner in scope `a`; -1 without a partner.
        in_order: the pairs that are in the same order on both sides, ascending.
        moved: the equations of scope `a` whose partners are in another order.
        variable: variable of side a -> its partner on side b, for variables that have one.
        same_operand: a function (operand of a, operand of b) -> True if they are paired variables, equal literals or
            the same value.
    """

    a: int
    b: int
    inputs: list[tuple[int | None, int | None]]
    partner_a: list[int]
    partner_b: list[int]
    in_order: Pairs = field(default_factory=list)
    moved: set[int] = field(default_factory=set)
    variable: dict[int, int] = field(default_factory=dict)
    same_operand: Callable[[int, int], bool] = operator.eq


class Matcher:
    """Pairs the equations of scopes of two programs."""

    def __init__(self, a: Keys, b: Keys, budget: Budget) -> None:
        self.a = a
        self.b = b
        self.budget = budget

    def match(self, a: int, b: int, inputs: list[tuple[int | None, int | None]]) -> Matched:
        """Pair the equations of two scopes whose constants and inputs are already paired."""
        return _Match(self, a, b, inputs).run()


class _Match:
    def __init__(self, matcher: Matcher, a: int, b: int, inputs: list[tuple[int | None, int | None]]) -> None:
        self._all_a, self._all_b = matcher.a, matcher.b
        self._budget = matcher.budget
        self._a: ScopeSide = matcher.a.side.scopes[a]
        self._b: ScopeSide = matcher.b.side.scopes[b]
        self.matched = Matched(a, b, inputs, [-1] * len(self._a.primitive), [-1] * len(self._b.primitive))
        self._inner_a, self._inner_b = _holding(matcher.a, self._a), _holding(matcher.b, self._b)
        self.matched.variable = {i: j for i, j in inputs if i is not None and j is not None}
        self._keys_a, self._keys_b = self._keys(matcher, a, b, inputs)
        self._uses_a, self._uses_b = matcher.a.uses(a), matcher.b.uses(b)

    def _keys(
        self, matcher: Matcher, a: int, b: int, inputs: list[tuple[int | None, int | None]]
    ) -> tuple[ScopeKeys, ScopeKeys]:
        """Return the keys of both scopes; paired inputs get equal keys."""
        keys_a, keys_b = matcher.a.of(a), matcher.b.of(b)
        if all(i == j for i, j in inputs if i is not None and j is not None):
            return keys_a, keys_b
        input_keys = list(keys_b.values[: self._b.constants + self._b.inputs])
        for place in range(len(input_keys)):
            input_keys[place] = -1 - place
        for i, j in inputs:
            if i is not None and j is not None:
                input_keys[j] = keys_a.values[i]
        return keys_a, matcher.b.entered_with(b, input_keys)

    def run(self) -> Matched:
        keys_a, keys_b = self._keys_a, self._keys_b
        self._same_values()
        self._occurrences(self._uses_a.__getitem__, self._uses_b.__getitem__)
        place_a, place_b = self._place(self._all_a, self._a), self._place(self._all_b, self._b)
        self._in_gaps(
            lambda i: (keys_a.alone[i], place_a(i)),
            lambda j: (keys_b.alone[j], place_b(j)),
        )
        self._in_gaps(keys_a.alone.__getitem__, keys_b.alone.__getitem__)
        self._moved()
        called_a, called_b = self._called(self._all_a, self._a), self._called(self._all_b, self._b)
        # Equations with the same primitive from lines with equal text are paired, even if everything else differs.
        self._in_gaps(
            lambda i: (called_a(i), keys_a.bound[i], place_a(i)),
            lambda j: (called_b(j), keys_b.bound[j], place_b(j)),
            lambda i, j: place_a(i) != "" or self._alike(i, j),
        )
        self._in_gaps(
            lambda i: (called_a(i), place_a(i)),
            lambda j: (called_b(j), place_b(j)),
            lambda i, j: place_a(i) != "" or self._alike(i, j),
        )
        primitive_a = self._primitive(self._all_a, self._a)
        primitive_b = self._primitive(self._all_b, self._b)
        for key_a, key_b in (
            (lambda i: (called_a(i), keys_a.kind[i]), lambda j: (called_b(j), keys_b.kind[j])),
            (lambda i: (called_a(i), keys_a.bound[i]), lambda j: (called_b(j), keys_b.bound[j])),
            (called_a, called_b),
            (primitive_a, primitive_b),
        ):
            self._in_gaps(key_a, key_b, self._alike)
        self._in_gaps(
            lambda i: (keys_a.bound[i], len(self._a.operands[i]), i in self._inner_a),
            lambda j: (keys_b.bound[j], len(self._b.operands[j]), j in self._inner_b),
            self._in_place_of,
        )
        self._moved()
        matched = self.matched
        matched.same_operand = self._same_operand
        matched.in_order = [(i, j) for i, j in enumerate(matched.partner_a) if j >= 0 and i not in matched.moved]
        return matched

    # --- pairs ----------------------------------------------------------------------------------------------

    def _pair(self, i: int, j: int, moved: bool = False) -> None:
        matched = self.matched
        matched.partner_a[i], matched.partner_b[j] = j, i
        if moved:
            matched.moved.add(i)
        first_a, first_b = self._a.first[i], self._b.first[j]
        for place in range(min(self._a.output_counts[i], self._b.output_counts[j])):
            matched.variable[first_a + place] = first_b + place

    def _same_values(self) -> None:
        a, b = self._keys_a.value, self._keys_b.value
        pairs = by_occurrence(a, b)
        pairs_in_order = set(rising(pairs))
        once_a, once_b = _once(a), _once(b)
        for i, j in pairs:
            if (i, j) in pairs_in_order:
                self._pair(i, j)
            elif a[i] in once_a and a[i] in once_b:
                self._pair(i, j, moved=True)

    def _gaps(self) -> Iterator[Gap]:
        """Yield the ranges of unpaired equations between neighbouring pairs, in order."""
        matched = self.matched
        start_a = start_b = 0
        anchors = [(i, j) for i, j in enumerate(matched.partner_a) if j >= 0 and i not in matched.moved]
        for i, j in [*anchors, (len(matched.partner_a), len(matched.partner_b))]:
            left = [equation for equation in range(start_a, i) if matched.partner_a[equation] < 0]
            right = [equation for equation in range(start_b, j) if matched.partner_b[equation] < 0]
            if left and right:
                yield left, right
            start_a, start_b = i + 1, j + 1

    def _occurrences(self, key_a: Key, key_b: Key) -> None:
        for left, right in list(self._gaps()):
            pairs = rising(by_occurrence([key_a(i) for i in left], [key_b(j) for j in right]))
            for i, j in pairs:
                self._pair(left[i], right[j])

    def _in_gaps(self, key_a: Key, key_b: Key, accept: Callable[[int, int], bool] | None = None) -> None:
        for left, right in list(self._gaps()):
            for i, j in align([key_a(i) for i in left], [key_b(j) for j in right], self._budget):
                if accept is None or accept(left[i], right[j]):
                    self._pair(left[i], right[j])

    def _moved(self) -> None:
        """Pair unpaired equations that are equal and have the same operands, at any position."""
        matched = self.matched
        waiting: dict[Hashable, list[int]] = {}
        for j in range(len(matched.partner_b) - 1, -1, -1):
            if matched.partner_b[j] < 0:
                key = self._keys_b.alone[j], tuple(self._operand_b(o) for o in self._b.operands[j])
                waiting.setdefault(key, []).append(j)
        if not waiting:
            return
        for i, partner in enumerate(matched.partner_a):
            if partner >= 0:
                continue
            key = self._keys_a.alone[i], tuple(self._operand_a(o) for o in self._a.operands[i])
            if waiting.get(key):
                self._pair(i, waiting[key].pop(), moved=True)

    # --- comparing operands and equations -------------------------------------------------------------------

    def _operand_a(self, operand: int) -> Hashable:
        """Return the operand of side b that is the partner of an operand of side a.

        If there is no partner, return a value that is equal to no operand of side b.
        """
        if operand < 0:
            return "literal", self._all_a.literal(operand)
        partner = self.matched.variable.get(operand)
        return ("gone", operand) if partner is None else partner

    def _operand_b(self, operand: int) -> Hashable:
        return operand if operand >= 0 else ("literal", self._all_b.literal(operand))

    def _same_operand(self, a: int, b: int) -> bool:
        """Return whether an operand of a and one of b are paired variables, equal literals, or the same value."""
        if self._operand_a(a) == self._operand_b(b):
            return True
        return a >= 0 and b >= 0 and self._keys_a.values[a] == self._keys_b.values[b]

    def _shared_operands(self, i: int, j: int) -> int:
        return sum(self._same_operand(a, b) for a, b in zip(self._a.operands[i], self._b.operands[j], strict=False))

    def _alike(self, i: int, j: int) -> bool:
        """Return whether two equations of one primitive have equal types and parameters, or a common operand.

        True for equations with inner programs or without operands.
        """
        if i in self._inner_a or not self._a.operands[i]:
            return True
        if self._keys_a.bound[i] == self._keys_b.bound[j] and self._keys_a.kind[i] == self._keys_b.kind[j]:
            return True
        return self._shared_operands(i, j) > 0

    def _in_place_of(self, i: int, j: int) -> bool:
        operands = self._a.operands[i]
        if i in self._inner_a or j in self._inner_b or not operands:
            return False
        return self._shared_operands(i, j) == len(operands)

    def _place(self, keys: Keys, scope: ScopeSide) -> Key:
        places, stack = keys.side.places, scope.stack
        return lambda equation: places[stack[equation]] if stack[equation] >= 0 else ""

    def _primitive(self, keys: Keys, scope: ScopeSide) -> Key:
        strings, primitive, children = keys.side.strings, scope.primitive, scope.children
        return lambda equation: (strings[primitive[equation]], equation in children)

    def _called(self, keys: Keys, scope: ScopeSide) -> Key:
        """Return a key of (primitive, name of the function that the equation calls)."""
        plain = self._primitive(keys, scope)

        def called(equation: int) -> Hashable:
            if equation not in scope.children:
                return plain(equation)
            return plain(equation), keys.side.parameter_texts(scope, equation).get("name")

        return called


def _holding(keys: Keys, scope: ScopeSide) -> set[int]:
    """Return the equations that have inner programs other than combiners."""
    return {
        equation
        for equation, children in scope.children.items()
        if not all(is_combiner(keys.side.strings[scope.primitive[equation]], child) for child in children)
    }


def _once(keys: Sequence[int]) -> set[int]:
    seen_keys: set[int] = set()
    twice: set[int] = set()
    for key in keys:
        (twice if key in seen_keys else seen_keys).add(key)
    return seen_keys - twice
