"""Makes the rows of a diff from two compared programs, with remarks on equations that moved into or out of a function.

A row has a function that prints each side, not the text, because most rows of a large program are never shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..sentences.diff_sentences import moved_remark, too_different
from ..types.diff import DiffSide, Noise, Sign, What
from .match.changes import Change
from .match.compared_programs import ProgramsDiff, ScopeDiff, Wrapped
from .match.keys import is_combiner
from .match.side import Child
from .row_sides import Written

#: A function that prints one side of a row, and marks the parts that differ.
Write = Callable[[Sequence[Change]], DiffSide]

#: (scope, equation in this scope); the equation -1 stands for the heading and the results of the scope.
At = tuple[int, int]


@dataclass
class Hideable:
    """The reasons why one side of a row may be hidden; `document.types.diff.DiffSide` describes them."""

    noise: list[Noise] = field(default_factory=list)
    outside: str = ""


@dataclass
class Row:
    """A row of the diff; see `document.types.diff.DiffRow`."""

    sign: Sign
    what: What
    depth: int
    before: Write | None
    after: Write | None
    changes: list[Change] = field(default_factory=list)
    primitive: str = ""
    partner: int = -1
    at_before: At | None = None
    at_after: At | None = None
    hide_before: Hideable | None = None
    hide_after: Hideable | None = None


class Listing:
    """Makes the rows of a diff."""

    def __init__(self, diff: ProgramsDiff, before: Written, after: Written) -> None:
        self.rows: list[Row] = []
        self.remarks: list[str] = []
        self._diff = diff
        self._before, self._after = before, after
        self._printed: set[tuple[int, int]] = set()
        self._apart: set[tuple[str, int]] = set()
        #: rows of moved equations whose partners have no row yet
        self._moved: dict[tuple[int, int, int, int], int] = {}
        #: (side, scope, equation) of an equation that moved into or out of an inner program -> its (scope, equation) on
        #: side a and on side b
        self._crossed: dict[tuple[str, int, int], tuple[int, int, int, int]] = {}
        for wrapped in diff.wrapped:
            self._cross(wrapped)
        if diff.coarse:
            self.remarks.append(too_different("programs", "equations"))
        self._arguments(diff.root)
        self._scope((diff.a.root, diff.b.root), 0)

    def _cross(self, wrapped: Wrapped) -> None:
        beside, inner = ("a", "b") if wrapped.into else ("b", "a")
        outer = wrapped.pair[0] if wrapped.into else wrapped.pair[1]
        around = wrapped.pair[1] if wrapped.into else wrapped.pair[0]
        for inside, outside in zip(wrapped.inside, wrapped.outside, strict=True):
            key = (outer, outside, wrapped.scope, inside) if wrapped.into else (wrapped.scope, inside, outer, outside)
            self._crossed[beside, outer, outside] = key
            self._crossed[inner, wrapped.scope, inside] = key
        side = self._diff.b if wrapped.into else self._diff.a
        scope = side.scopes[around]
        primitive = side.strings[scope.primitive[wrapped.equation]]
        length = side.parameter_texts(scope, wrapped.equation).get("length")
        holder = f"{primitive} (length {length})" if length else primitive
        self.remarks.append(moved_remark(len(wrapped.outside), holder, wrapped.turns, into=wrapped.into))

    # --- rows -----------------------------------------------------------------------------------------------

    def _arguments(self, root: ScopeDiff) -> None:
        a, b = self._before, self._after
        scope_a, scope_b = root.matched.a, root.matched.b

        def one(writer: Written, scope: int, variable: int) -> Write:
            return lambda changes: writer.argument(scope, variable, changes)

        for i, j in root.matched.inputs:
            before = one(a, scope_a, i) if i is not None else None
            after = one(b, scope_b, j) if j is not None else None
            changes = root.inputs.get(j, []) if i is not None and j is not None else []
            sign: Sign = "added" if i is None else "removed" if j is None else "changed" if changes else "same"
            self.rows.append(Row(sign, "argument", 0, before, after, changes))

    def _scope(self, pair: tuple[int, int], depth: int) -> None:
        self._printed.add(pair)
        self._apart |= {("a", pair[0]), ("b", pair[1])}
        difference = self._diff.scopes[pair]
        matched = difference.matched
        start_a = start_b = 0
        count_a, count_b = len(matched.partner_a), len(matched.partner_b)
        for i, j in [*matched.in_order, (count_a, count_b)]:
            for left in range(start_a, i):
                partner = matched.partner_a[left]
                self._alone("a", pair[0], left, depth, (pair[1], partner) if partner >= 0 else None)
            for right in range(start_b, j):
                partner = matched.partner_b[right]
                self._alone("b", pair[1], right, depth, (pair[0], partner) if partner >= 0 else None)
            if i < count_a:
                self._both(difference, i, j, depth)
            start_a, start_b = i + 1, j + 1
        self._results(pair, depth, difference.results)

    def _both(self, scope_diff: ScopeDiff, i: int, j: int, depth: int) -> None:
        self._pair((scope_diff.matched.a, scope_diff.matched.b), i, j, depth, scope_diff.changes.get(i, []))
        pairs = scope_diff.children.get(i)
        if pairs is None and scope_diff.same:
            pairs = self._same_programs(scope_diff.matched.a, i, scope_diff.matched.b, j)
        for before, after in pairs or []:
            self._inside(before, after, depth + 1)

    def _pair(self, pair: tuple[int, int], i: int, j: int, depth: int, changes: list[Change]) -> None:
        side = self._diff.b
        self.rows.append(
            Row(
                "changed" if changes else "same",
                "equation",
                depth,
                lambda changes: self._before.equation(pair[0], i, changes),
                lambda changes: self._after.equation(pair[1], j, changes),
                changes,
                side.strings[side.scopes[pair[1]].primitive[j]],
                at_before=(pair[0], i),
                at_after=(pair[1], j),
            )
        )

    def _results(self, pair: tuple[int, int], depth: int, changes: list[Change]) -> None:
        self.rows.append(
            Row(
                "changed" if changes else "same",
                "result",
                depth,
                lambda changes: self._before.results(pair[0], changes),
                lambda changes: self._after.results(pair[1], changes),
                changes,
                at_before=(pair[0], -1),
                at_after=(pair[1], -1),
            )
        )

    def _same_programs(self, a: int, i: int, b: int, j: int) -> list[tuple[Child | None, Child | None]]:
        """Return the pairs of inner programs of two equal equations."""
        return list(zip(self._programs("a", a, i), self._programs("b", b, j), strict=True))

    def _inside(self, child_before: Child | None, child_after: Child | None, depth: int) -> None:
        if child_before is not None and child_after is not None:
            pair = child_before.scope, child_after.scope
            if pair in self._printed:
                return
            difference = self._diff.scopes.get(pair)
            if difference is None:
                self._equal(child_before, child_after, depth)
                return
            self._headings(child_before, child_after, depth, difference)
            self._scope(pair, depth)
        elif child_before is not None:
            self._program_alone("a", child_before, depth, None)
        elif child_after is not None:
            self._program_alone("b", child_after, depth, None)

    def _headings(self, child_before: Child, child_after: Child, depth: int, scope_diff: ScopeDiff) -> None:
        changes = [child for input_changes in scope_diff.inputs.values() for child in input_changes]
        removed_inputs = {i for i, j in scope_diff.matched.inputs if i is not None and j is None}
        added_inputs = {j for i, j in scope_diff.matched.inputs if j is not None and i is None}
        retyped = set(scope_diff.inputs)
        retyped_before = {i for i, j in scope_diff.matched.inputs if i is not None and j in retyped}
        sign: Sign = "changed" if changes or removed_inputs or added_inputs else "same"
        self.rows.append(
            Row(
                sign,
                "heading",
                depth,
                lambda _: self._before.heading(
                    child_before.scope, _label(child_before), removed_inputs | retyped_before
                ),
                lambda _: self._after.heading(child_after.scope, _label(child_after), added_inputs | retyped),
                changes,
                at_before=(child_before.scope, -1),
                at_after=(child_after.scope, -1),
            )
        )

    def _equal(self, child_before: Child, child_after: Child, depth: int) -> None:
        """Add a row for an inner program that is equal on both sides."""
        self._printed.add((child_before.scope, child_after.scope))
        self._apart |= {("a", child_before.scope), ("b", child_after.scope)}
        self.rows.append(
            Row(
                "same",
                "heading",
                depth,
                lambda _: self._before.heading(child_before.scope, _label(child_before), set()),
                lambda _: self._after.heading(child_after.scope, _label(child_after), set()),
                at_before=(child_before.scope, -1),
                at_after=(child_after.scope, -1),
            )
        )
        pair = child_before.scope, child_after.scope
        for number in range(len(self._diff.b.scopes[child_after.scope].primitive)):
            self._pair(pair, number, number, depth, [])
            for left, right in self._same_programs(child_before.scope, number, child_after.scope, number):
                self._inside(left, right, depth + 1)
        self._results(pair, depth, [])

    def _alone(self, side: str, scope: int, equation: int, depth: int, twin_equation: tuple[int, int] | None) -> None:
        """Add a row for an equation that has no partner in this row: it was added, removed or moved.

        Args:
            side: The side of the equation: a or b.
            scope: The scope of the equation.
            equation: The index of the equation in the scope.
            depth: The nesting depth: how many programs enclose the equation.
            twin_equation: (scope, index) of the equation's partner, if the whole enclosing program moved; else
                None.
        """
        is_before = side == "a"
        key = self._crossed.get((side, scope, equation))
        if key is None and twin_equation is not None:
            key = (scope, equation, *twin_equation) if is_before else (*twin_equation, scope, equation)
        own_side = self._diff.a if is_before else self._diff.b
        sign: Sign = "moved" if key is not None else "removed" if is_before else "added"
        row = self._one_sided(sign, "equation", depth, side, (scope, equation), self._equation(side, scope, equation))
        row.primitive = own_side.strings[own_side.scopes[scope].primitive[equation]]
        if key is not None:
            partner = self._moved.pop(key, None)
            if partner is None:
                self._moved[key] = len(self.rows) - 1
            else:
                row.partner = partner
                self.rows[partner].partner = len(self.rows) - 1
        # A moved equation and its partner have equal inner programs, which are paired here one by one.
        twins: list[Child] = []
        if key is not None:
            twins = self._programs("b", *key[2:]) if is_before else self._programs("a", *key[:2])
        for place, child in enumerate(self._programs(side, scope, equation)):
            self._program_alone(side, child, depth + 1, twins[place] if place < len(twins) else None)

    def _equation(self, side: str, scope: int, equation: int) -> Write:
        writer = self._before if side == "a" else self._after
        return lambda changes: writer.equation(scope, equation, changes)

    def _one_sided(self, sign: Sign, row_kind: What, depth: int, side: str, at: At, write: Write) -> Row:
        if side == "a":
            row = Row(sign, row_kind, depth, write, None, at_before=at)
        else:
            row = Row(sign, row_kind, depth, None, write, at_after=at)
        self.rows.append(row)
        return row

    def _program_alone(self, side: str, child: Child, depth: int, twin: Child | None) -> None:
        """Add a row for an inner program that only one side has, or whose partner is in another place."""
        if (side, child.scope) in self._apart:
            return
        self._apart.add((side, child.scope))
        sign: Sign = "moved" if twin is not None else "removed" if side == "a" else "added"
        writer, own_side = (self._before, self._diff.a) if side == "a" else (self._after, self._diff.b)
        at = child.scope, -1
        self._one_sided(sign, "heading", depth, side, at, lambda _: writer.heading(child.scope, _label(child), set()))
        for equation in range(len(own_side.scopes[child.scope].primitive)):
            twin_equation = (twin.scope, equation) if twin is not None else None
            self._alone(side, child.scope, equation, depth, twin_equation)
        self._one_sided(sign, "result", depth, side, at, lambda changes: writer.results(child.scope, changes))

    def _programs(self, side: str, scope: int, equation: int) -> list[Child]:
        own_side = self._diff.a if side == "a" else self._diff.b
        columns = own_side.scopes[scope]
        primitive = own_side.strings[columns.primitive[equation]]
        return [child for child in columns.children.get(equation, ()) if not is_combiner(primitive, child)]


def _label(child: Child) -> str:
    return child.parameter if child.position < 0 else f"{child.parameter}[{child.position}]"
