"""Compares two programs scope by scope: each equation is equal, changed, moved, added or removed.

Bodies of loops, branches and called functions are scopes of their own. If an equation with an inner scope has a
partner, the two inner scopes are compared, too, once for each pair.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from ....interruptions import not_of_a_signal
from .changes import Change, equation_changes, type_changes
from .equation_pairs import Matched, Matcher
from .key_alignment import Budget, align
from .keys import Keys, Numbers, is_combiner
from .side import Child, ScopeSide, Side

Inputs = list[tuple[int | None, int | None]]


@dataclass
class ScopeDiff:
    """The result of comparing the equations of two scopes.

    Attributes:
        changes: changed equation of side a -> its differences; inner programs are not included.
        inputs: constant or input of side b -> its differences, if its partner has another type.
        results: the differences of the scope's results, in the order of the results.
        children: paired equation of side a -> pairs of its inner programs; None in place of a missing partner.
        same: true if the scopes are equal except for the names of variables and functions.
    """

    matched: Matched
    changes: dict[int, list[Change]] = field(default_factory=dict)
    inputs: dict[int, list[Change]] = field(default_factory=dict)
    results: list[Change] = field(default_factory=list)
    children: dict[int, list[tuple[Child | None, Child | None]]] = field(default_factory=dict)
    same: bool = False


@dataclass(frozen=True)
class Wrapped:
    """Equations that moved into the inner program of an equation, or out of it.

    Attributes:
        pair: (scope of a, scope of b) that contain the equation and the moved equations.
        into: True if the equation is in b, and the moved equations went into its inner program. False if the equation
            is in a, and the moved equations came out of its inner program.
        equation: The equation with the inner program.
        scope: The scope of the inner program of `equation`.
        inside: The moved equations in `scope`.
        outside: The same equations outside of `equation`, in the other program, in the same order.
        turns: How often the equations repeat outside, one after the other; 1 without a repetition.
    """

    pair: tuple[int, int]
    into: bool
    equation: int
    scope: int
    inside: tuple[int, ...]
    outside: tuple[int, ...]
    turns: int


@dataclass
class ProgramsDiff:
    """The result of comparing two programs.

    Attributes:
        coarse: true if the search exceeded its budget somewhere, so that the diff may be longer than necessary.
    """

    a: Side
    b: Side
    scopes: dict[tuple[int, int], ScopeDiff]
    wrapped: list[Wrapped]
    coarse: bool

    @property
    def root(self) -> ScopeDiff:
        """The result of comparing the outermost scopes of the two programs."""
        return self.scopes[self.a.root, self.b.root]


def compare(a: Side, b: Side, budget: Budget | None = None) -> ProgramsDiff:
    """Compare two programs.

    The time grows linearly with the number of equations, except in ranges that differ; there the budget limits the
    time.
    """
    numbers = Numbers()
    keys_a, keys_b = Keys(a, numbers), Keys(b, numbers)
    matcher = Matcher(keys_a, keys_b, budget or Budget())
    diff = ProgramsDiff(a, b, {}, [], False)
    waiting: deque[tuple[int, int, Inputs]] = deque()
    waiting.append((a.root, b.root, _root_inputs(keys_a, keys_b, matcher.budget)))
    while waiting:
        scope_a, scope_b, inputs = waiting.popleft()
        if (scope_a, scope_b) in diff.scopes:
            continue
        difference = _scope(matcher, scope_a, scope_b, inputs)
        diff.scopes[scope_a, scope_b] = difference
        if difference.same:
            continue
        diff.wrapped += _wrapped(matcher, difference)
        for i, pairs in difference.children.items():
            for child_a, child_b in pairs:
                if child_a is not None and child_b is not None:
                    entered = _inputs(matcher, difference, i, child_a, child_b)
                    waiting.append((child_a.scope, child_b.scope, entered))
    diff.coarse = matcher.budget.exceeded
    return diff


def _scope(matcher: Matcher, number_a: int, number_b: int, inputs: Inputs) -> ScopeDiff:
    keys_a, keys_b = matcher.a, matcher.b
    a, b = keys_a.side.scopes[number_a], keys_b.side.scopes[number_b]
    if keys_a.of(number_a).scope == keys_b.of(number_b).scope and all(i == j for i, j in inputs):
        count = len(a.primitive)
        equations = list(range(count))
        return ScopeDiff(
            Matched(number_a, number_b, inputs, equations, equations, [(i, i) for i in range(count)]), same=True
        )
    difference = ScopeDiff(matcher.match(number_a, number_b, inputs))
    matched = difference.matched
    one_a, one_b = keys_a.of(number_a), keys_b.of(number_b)
    for i, j in enumerate(matched.partner_a):
        if j < 0:
            continue
        if i in a.children or j in b.children:
            difference.children[i] = _children(keys_a.side, a, b, i, j)
        operands = zip(a.operands[i], b.operands[j], strict=False)
        if one_a.alone[i] != one_b.alone[j] or not all(matched.same_operand(x, y) for x, y in operands):
            changes = equation_changes(keys_a, keys_b, a, b, i, j, matched.same_operand)
            if changes:
                difference.changes[i] = changes
    for before, after in inputs:
        if before is not None and after is not None:
            changes = type_changes(keys_a.side.type_of(a, before), keys_b.side.type_of(b, after))
            if changes:
                difference.inputs[after] = changes
    for place in range(max(len(a.outputs), len(b.outputs))):
        if place >= len(a.outputs) or place >= len(b.outputs):
            difference.results.append(Change("results", "", str(len(a.outputs)), str(len(b.outputs)), place))
        elif not matched.same_operand(a.outputs[place], b.outputs[place]):
            difference.results.append(Change("operand", str(place + 1), "", "", place))
    return difference


def _children(side: Side, a: ScopeSide, b: ScopeSide, i: int, j: int) -> list[tuple[Child | None, Child | None]]:
    """Return the pairs of inner programs of two equations, by parameter and position.

    Combiners are compared as parameters and left out here.
    """
    primitive = side.strings[a.primitive[i]]
    children_a = [child for child in a.children.get(i, ()) if not is_combiner(primitive, child)]
    children_b = {
        (child.parameter, child.position): child for child in b.children.get(j, ()) if not is_combiner(primitive, child)
    }
    pairs: list[tuple[Child | None, Child | None]] = [
        (child, children_b.pop((child.parameter, child.position), None)) for child in children_a
    ]
    return [*pairs, *((None, child) for child in children_b.values())]


# --- inputs -----------------------------------------------------------------------------------------------


def _root_inputs(a: Keys, b: Keys, budget: Budget) -> Inputs:
    """Pair the constants and inputs of two programs by position, or by name if an argument was added or removed."""
    scope_a, scope_b = a.side.scopes[a.side.root], b.side.scopes[b.side.root]
    constants = _by_types(a, b, scope_a, scope_b, range(scope_a.constants), range(scope_b.constants), budget)
    inputs_a = range(scope_a.constants, scope_a.constants + scope_a.inputs)
    inputs_b = range(scope_b.constants, scope_b.constants + scope_b.inputs)
    names_a, names_b = list(a.side.input_names), list(b.side.input_names)
    types_a = [a.type_of(scope_a, variable) for variable in inputs_a]
    types_b = [b.type_of(scope_b, variable) for variable in inputs_b]
    all_named = len(names_a) == len(inputs_a) and len(names_b) == len(inputs_b) and all(names_a) and all(names_b)
    if types_a == types_b or not all_named or not set(names_a) & set(names_b):
        return constants + _by_types(a, b, scope_a, scope_b, inputs_a, inputs_b, budget)
    return constants + _filled(inputs_a, inputs_b, align(names_a, names_b, budget))


def _by_types(
    a: Keys, b: Keys, scope_a: ScopeSide, scope_b: ScopeSide, inputs_a: range, inputs_b: range, budget: Budget
) -> Inputs:
    """Pair inputs by position if both programs have equally many inputs, else by their types."""
    if len(inputs_a) == len(inputs_b):
        return [(i, j) for i, j in zip(inputs_a, inputs_b, strict=True)]
    types_a = [a.type_of(scope_a, variable) for variable in inputs_a]
    types_b = [b.type_of(scope_b, variable) for variable in inputs_b]
    return _filled(inputs_a, inputs_b, align(types_a, types_b, budget))


def _filled(inputs_a: range, inputs_b: range, pairs: list[tuple[int, int]]) -> Inputs:
    """Add the variables between the given pairs.

    The variables between two pairs are paired by position if both sides have equally many; else they get no partner.
    """
    filled: Inputs = []
    before_a = before_b = 0
    for i, j in [*pairs, (len(inputs_a), len(inputs_b))]:
        left, right = list(inputs_a[before_a:i]), list(inputs_b[before_b:j])
        if len(left) == len(right):
            filled += zip(left, right, strict=True)
        else:
            filled += [(variable, None) for variable in left]
            filled += [(None, variable) for variable in right]
        if i < len(inputs_a):
            filled.append((inputs_a[i], inputs_b[j]))
        before_a, before_b = i + 1, j + 1
    return filled


def _inputs(matcher: Matcher, scope_diff: ScopeDiff, i: int, child_a: Child, child_b: Child) -> Inputs:
    """Pair the constants and inputs of the inner programs of two paired equations, by the operands passed to them."""
    matched = scope_diff.matched
    a, b = matcher.a.side.scopes[child_a.scope], matcher.b.side.scopes[child_b.scope]
    constants = _by_types(matcher.a, matcher.b, a, b, range(a.constants), range(b.constants), matcher.budget)
    inputs_a, inputs_b = range(a.constants, a.constants + a.inputs), range(b.constants, b.constants + b.inputs)
    outer_a, outer_b = matcher.a.side.scopes[matched.a], matcher.b.side.scopes[matched.b]
    j = matched.partner_a[i]
    given_a = _handed(matcher.a.side, outer_a, i, child_a, a.inputs)
    given_b = _handed(matcher.b.side, outer_b, j, child_b, b.inputs)
    if a.inputs == b.inputs or given_a is None or given_b is None:
        return constants + _by_types(matcher.a, matcher.b, a, b, inputs_a, inputs_b, matcher.budget)
    operands_a = [
        (matched.variable.get(operand, ("gone", operand)) if operand >= 0 else ("literal", matcher.a.literal(operand)))
        for operand in given_a
    ]
    operands_b = [operand if operand >= 0 else ("literal", matcher.b.literal(operand)) for operand in given_b]
    # The pairing starts from the end, because new constants come before the carries, and a constant may be the same
    # variable as a carry.
    pairs = align(operands_a[::-1], operands_b[::-1], matcher.budget)
    last_a, last_b = len(operands_a) - 1, len(operands_b) - 1
    return constants + _filled(inputs_a, inputs_b, [(last_a - i, last_b - j) for i, j in reversed(pairs)])


def _handed(side: Side, scope: ScopeSide, equation: int, child: Child, inputs: int) -> list[int] | None:
    """Return the operands that an equation passes to the inputs of an inner program; None if unknown."""
    operands = list(scope.operands[equation])
    primitive = side.strings[scope.primitive[equation]]
    if primitive == "cond":
        operands = operands[1:]
    elif primitive == "while":
        counts = side.parameter_texts(scope, equation)
        try:
            tests, bodies = int(counts["cond_nconsts"]), int(counts["body_nconsts"])
        except not_of_a_signal(KeyError, ValueError):
            return None
        carry = operands[tests + bodies :]
        operands = (operands[:tests] if child.parameter == "cond_jaxpr" else operands[tests : tests + bodies]) + carry
    return operands if len(operands) == inputs else None


# --- equations that moved into or out of an inner program ---------------------------------------------------


def _wrapped(matcher: Matcher, scope_diff: ScopeDiff) -> list[Wrapped]:
    """Return groups of unpaired equations that form the inner program of an unpaired equation of the other side."""
    matched = scope_diff.matched
    a, b = matcher.a, matcher.b
    into = _gone_into(matcher, a, b, matched.a, matched.b, matched.partner_a, matched.partner_b)
    out = _gone_into(matcher, b, a, matched.b, matched.a, matched.partner_b, matched.partner_a)
    pair = matched.a, matched.b
    return [
        *(Wrapped(pair, True, *wrapped) for wrapped in into),
        *(Wrapped(pair, False, *unwrapped) for unwrapped in out),
    ]


def _gone_into(
    matcher: Matcher,
    plain: Keys,
    holder: Keys,
    beside: int,
    around: int,
    plain_partners: list[int],
    holder_partners: list[int],
) -> list[tuple[int, int, tuple[int, ...], tuple[int, ...], int]]:
    """Return the fields of `Wrapped` for each equation of `holder` that contains unpaired equations of `plain`."""
    outer, plain_scope = holder.side.scopes[around], plain.side.scopes[beside]
    left = [i for i, partner in enumerate(plain_partners) if partner < 0]
    candidates = []
    for equation in sorted(outer.children):
        if holder_partners[equation] >= 0 or not left:
            continue
        for child in outer.children[equation]:
            inner = holder.side.scopes[child.scope]
            kinds = holder.of(child.scope).kind
            before = plain.of(beside).kind
            pairs = align([before[i] for i in left], kinds, matcher.budget)
            if not pairs or (2 * len(pairs) < len(inner.primitive) and len(pairs) < max(3, len(left))):
                continue
            outside = tuple(left[i] for i, _ in pairs)
            inside = tuple(j for _, j in pairs)
            first = holder.side.strings[inner.primitive[inside[0]]]
            turns = sum(plain.side.strings[plain_scope.primitive[i]] == first for i in left) // max(
                1, sum(holder.side.strings[inner.primitive[j]] == first for j in inside)
            )
            candidates.append((equation, child.scope, inside, outside, max(1, turns)))
            left = [i for i in left if i not in set(outside)]
            break
    return candidates
