"""Counts the cost ("price") of each equation of a scope.

The cost is computed once for all equations with equal primitive, parameters and types. The counting takes one to two
microseconds per equation. The cost of an equation with inner programs is the sum of the costs of
these programs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...document.transcendental_weight import TRANSCENDENTAL_WEIGHT
from ...interruptions import not_of_a_signal
from ...jax.facts import only_platform
from ...jax.loop_equations import scan_parts
from ..jaxpr.bytes_of_types import Sizes
from ..jaxpr.high_primitives import named
from ..jaxpr.parameters import COMBINERS
from ..jaxpr.programs_that_run import has_rules, is_run
from ..jaxpr.scope_columns import ScopeColumns
from ..jaxpr.walk import Walk
from ..jaxpr.while_step_counts import counted_trips
from .branches_of_platform import BranchesOfPlatform
from .bytes_moved import traffic
from .cost_sums_and_order import NOTHING, Cost, Own, plain
from .operations_of_primitives import is_relabelling, operations

#: (scope, equation) of a while loop -> number of steps that another source than the jaxpr states, such as XLA.
Trips = Mapping[tuple[int, int], int]

_ONCE = frozenset(
    """jit pjit custom_jvp_call custom_vjp_call custom_vjp_call_jaxpr remat remat2 checkpoint closed_call eval_jaxpr
    core_call core_closed_call custom_lin composite custom_vmap_call run_state call
    RematTraced CustomJVPTraced CustomVJPTraced""".split()
)


@dataclass(frozen=True, slots=True)
class Part:
    """An inner program of an equation, and how often it runs in one execution of the equation.

    Attributes:
        scope: The scope of the program.
        label: The role of the program, such as `body`; empty if the equation has one program.
        most: The largest number of executions.
        least: The smallest number of executions.
        dearest: The number of executions in the most expensive execution of the equation.
        cheapest: The number of executions in the cheapest execution of the equation.
        per_trip: True for a loop with an unknown number of steps; the numbers are then for one step.
        loop: True if XLA runs the program in a loop.
    """

    scope: int
    label: str
    most: int
    least: int
    dearest: int
    cheapest: int
    per_trip: bool = False
    loop: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """An equation whose inner programs run, such as a jit or a scan."""

    equation: int
    primitive: str
    parts: tuple[Part, ...]


@dataclass(slots=True)
class Priced:
    """The costs of the equations of a scope.

    Attributes:
        own: For each equation, the index into `Costs.owns`; -1 for an equation with inner programs.
        calls: The equations with inner programs, in order.
        groups: (index into `Costs.owns`, stack, name stack) -> number of such equations.
        total: The cost of one execution of the scope.
    """

    own: list[int]
    calls: list[Call] = field(default_factory=list)
    groups: Counter[tuple[int, int, int]] = field(default_factory=Counter)
    total: Cost = NOTHING


class Costs:
    """The costs of the scopes in a `Walk`; each is computed once."""

    def __init__(
        self,
        walk: Walk,
        trips: Trips | None = None,
        weight: int = TRANSCENDENTAL_WEIGHT,
        platform: str | None = None,
    ) -> None:
        """Store the scopes, the known step counts of their loops, and the weight of transcendental functions.

        Args:
            walk: The `Walk` that has read the scopes.
            trips: The known step counts of while loops.
            weight: The weight of a transcendental function in the comparison of branches.
            platform: The platform of the executable; None if it is unknown. The only platform that JAX has started is
                then assumed, and without one, no branch of a platform is known to be dropped.
        """
        self.walk = walk
        self._platform = platform or only_platform()
        self._of_platform = BranchesOfPlatform(walk, self._platform)
        self.owns: list[Own] = []
        self._trips: Trips = trips or {}
        self._sizes = Sizes(walk)
        self._priced: dict[int, Priced] = {}
        self._numbers: dict[tuple[int, ...], int] = {}
        self._weight = weight

    def as_xla_weighs(self) -> Costs:
        """Return these costs, but with the most expensive branches as XLA chooses them.

        XLA ignores transcendental functions when it compares branches.
        """
        return Costs(self.walk, self._trips, weight=0, platform=self._platform)

    def scope(self, number: int) -> int | None:
        """Return the largest number of operations in one execution of a scope.

        The result is None if the count of some equation is unknown or not exact.
        """
        cost = self.of(number)
        return cost.flops_most if cost.exact else None

    def of(self, number: int) -> Cost:
        """Return the cost of one execution of a scope; unknown parts count as 0."""
        return self.priced(number).total

    def priced(self, number: int) -> Priced:
        """Return the costs of the equations of a scope."""
        price = self._priced.get(number)
        if price is None:
            price = self._priced[number] = self._price(number)
        return price

    def call(self, call: Call) -> Cost:
        """Return the cost of one execution of an equation with inner programs."""
        total = NOTHING
        for part in call.parts:
            inner = self.of(part.scope)
            if part.dearest or part.cheapest:
                total = total + inner.times(part.dearest, part.cheapest)
            elif not inner.exact:
                total = total + Cost(exact=False)
            if part.per_trip:
                total = total + Cost(exact=False, per_trip=True)
        return self._bounded(call, total) if call.primitive == "cond" else total

    def is_skipped_loop(self, scope: int, call: Call) -> bool:
        """Return whether a while loop has no step in the recorded call, and other calls may have steps.

        XLA removes a loop only if no call has a step.
        """
        if call.primitive != "while" or self._trips.get((scope, call.equation)) != 0:
            return False
        body, condition = call.parts
        return counted_trips(self.walk, scope, call.equation, condition.scope, body.scope) != 0

    def is_of_unknown_platform(self, scope: int, call: Call) -> bool:
        """Return whether the platform decides which branch of a cond JAX compiles, and the platform is unknown."""
        equation = self.walk.jaxprs[scope].eqns[call.equation]
        return len(call.parts) > 1 and equation.params.get("branches_platforms") is not None

    def _bounded(self, call: Call, total: Cost) -> Cost:
        """Return the cost of a cond with its bounds.

        Each bound may come from another branch than the most expensive one.
        """
        inside = [self.of(part.scope) for part in call.parts]
        return replace(
            total,
            transcendentals_min=min(part.transcendentals_min for part in inside),
            flops_most=max(part.flops_most for part in inside),
            transcendentals_most=max(part.transcendentals_most for part in inside),
        )

    # --- one scope -----------------------------------------------------------------------------

    def _price(self, number: int) -> Priced:
        columns = self.walk.scopes[number]
        children_of: dict[int, list[tuple[str, int, int]]] = {}
        strings = self.walk.strings.items
        for equation, parameter, position, child in columns.children:
            children_of.setdefault(equation, []).append((strings[parameter], position, child))
        # The type of a literal is not needed, because literals cost no bytes; a negative operand (a literal) indexes
        # from the end.
        types = columns.variable_avals + [-1] * len(self.walk.literals)
        get, numbers_of_keys, variables = types.__getitem__, self._numbers, columns.variable_avals
        first = columns.constants + columns.inputs
        price_numbers: list[int] = []
        keys: list[tuple[int, ...]] = []
        missing = []
        rows = zip(columns.primitive, columns.parameters, columns.output_counts, columns.operands, strict=True)
        key: tuple[int, ...]
        for index, (primitive, parameters, count, operands) in enumerate(rows):
            after = first + count
            if count == 1 and len(operands) == 1:  # the same key as below, in half of the time
                key = primitive, parameters, variables[first], -2, types[operands[0]]
            else:
                key = (primitive, parameters, *variables[first:after], -2, *map(get, operands))
            first = after
            price_number = numbers_of_keys.get(key, -1)
            price_numbers.append(price_number)
            keys.append(key)
            if price_number < 0:
                missing.append(index)
        priced = Priced(price_numbers)
        equations = self.walk.jaxprs[number].eqns
        for index in missing:
            if index not in children_of:
                price_number = numbers_of_keys.get(keys[index], -1)
                if price_number < 0:
                    price_number = numbers_of_keys[keys[index]] = self._leaf(
                        equations[index], columns, index, keys[index], []
                    )
                price_numbers[index] = price_number
        for index in self._of_platform.dropped(number):
            children_of.pop(index, None)
            price_numbers[index] = self._no_cost(columns.primitive[index])
        total = NOTHING
        for index, programs in children_of.items():
            call = self._call(number, index, equations[index], programs)
            if call is None:
                inside = [(name, self.of(child)) for name, _, child in programs]
                price_numbers[index] = self._leaf(equations[index], columns, index, keys[index], inside)
            else:
                price_numbers[index] = -1
                priced.calls.append(call)
                total = total + self.call(call)
        priced.groups = Counter(zip(price_numbers, columns.stack, columns.name_stack, strict=True))
        alike = Counter(price_numbers)
        for price_number, times in alike.items():
            if price_number >= 0:
                total = total + _of_own(self.owns[price_number]).times(times)
        priced.total = total
        return priced

    def _leaf(
        self, equation: Any, columns: ScopeColumns, index: int, key: tuple[int, ...], inside: list[tuple[str, Cost]]
    ) -> int:
        """Return the index in `owns` of the cost of an equation that has no inner programs, or only a combiner."""
        name = self.walk.strings.items[columns.primitive[index]]
        counted = operations(equation, inside)
        flops, functions = (-1, -1) if counted is None else counted
        table = self._sizes.table()
        split = key.index(-2, 2)
        written = [table[aval] for aval in key[2:split]]
        read = [table[aval] if aval >= 0 else 0 for aval in key[split + 1 :]]
        moved = -1, -1
        if is_relabelling(equation):
            moved = 0, 0
        elif None not in written and None not in read:
            moved = traffic(name, [byte_count or 0 for byte_count in read], [byte_count or 0 for byte_count in written])
        self.owns.append(Own(flops, functions, *moved, columns.primitive[index]))
        return len(self.owns) - 1

    def _no_cost(self, primitive: int) -> int:
        """Return the index in `owns` of the cost of an equation that JAX does not compile for the platform."""
        number = self._numbers.get((primitive,))
        if number is None:
            self.owns.append(Own(0, 0, 0, 0, primitive))
            number = self._numbers[(primitive,)] = len(self.owns) - 1
        return number

    # --- equations with inner programs -----------------------------------------------------------

    def _call(self, scope: int, index: int, equation: Any, programs: list[tuple[str, int, int]]) -> Call | None:
        """Return the inner programs of an equation that run, and how often.

        None if the equation's cost rule includes its inner programs, or if it is unknown how often they run.
        """
        primitive, parameters = named(equation)
        try:
            parts = self._parts(primitive, scope, index, parameters, programs)
        except not_of_a_signal(Exception):  # another version of JAX: the cost is unknown
            return None
        return None if parts is None else Call(index, primitive, tuple(parts))

    def _parts(
        self, primitive: str, scope: int, index: int, parameters: Any, programs: list[tuple[str, int, int]]
    ) -> list[Part] | None:
        if any((primitive, name) in COMBINERS for name, *_ in programs):
            return None
        if primitive in _ONCE:
            return [_times(programs[0][2], 1)]
        if primitive == "scan":
            length = scan_parts(parameters).length
            return None if length is None else [_times(programs[0][2], length, loop=True)]
        if primitive == "cond":
            kept = self._of_platform.branch(self.walk.jaxprs[scope].eqns[index])
            if kept is not None:
                [child] = [child for name, position, child in programs if (name, position) == ("branches", kept)]
                return [_times(child, 1, f"branch {kept}")]
            return self._branches([child for name, _, child in sorted(programs) if name == "branches"])
        if primitive == "while":
            inside = {name: child for name, _, child in programs}
            return self._while(scope, index, inside["cond_jaxpr"], inside["body_jaxpr"])
        if has_rules(primitive):
            return [_times(child, 1) for name, position, child in programs if is_run(primitive, name, position)]
        times = None
        if primitive == "shard_map":
            times = _devices(parameters)
        elif primitive == "pallas_call":
            times = math.prod(int(size) for size in parameters["grid_mapping"].grid)
        return None if times is None else [_times(programs[0][2], times)]

    def _branches(self, scopes: list[int]) -> list[Part]:
        costs = [self.of(child) for child in scopes]
        places = range(len(scopes))
        dearest = max(places, key=lambda place: costs[place].price(self._weight))
        cheapest = min(places, key=lambda place: (costs[place].flops_min, *costs[place].amounts[1:]))
        only = len(set(scopes)) == 1
        return [
            Part(child, f"branch {place}", 1, int(only), int(place == dearest), int(place == cheapest))
            for place, child in enumerate(scopes)
        ]

    def _while(self, scope: int, index: int, condition: int, body: int) -> list[Part]:
        trips = self._trips.get((scope, index))
        if trips is None:
            trips = counted_trips(self.walk, scope, index, condition, body)
        if trips is None:
            return [
                Part(body, "body", 1, 0, 1, 1, per_trip=True, loop=True),
                Part(condition, "condition", 1, 1, 1, 1, per_trip=True, loop=True),
            ]
        # The condition of a while loop runs once more than the body.
        return [
            _times(body, trips, "body", loop=True),
            _times(condition, trips + 1, "condition", loop=True),
        ]


def _times(scope: int, count: int, label: str = "", *, loop: bool = False) -> Part:
    return Part(scope, label, count, count, count, count, loop=loop)


def _devices(parameters: Any) -> int:
    """Return the number of devices on which a shard_map runs its program."""
    mesh = parameters["mesh"]
    axes = parameters.get("manual_axes")
    shape = dict(mesh.shape)
    return math.prod(int(size) for name, size in shape.items() if axes is None or name in axes)


def _of_own(price: Own) -> Cost:
    return plain(
        max(price.flops, 0),
        max(price.transcendentals, 0),
        exact=price.flops >= 0,
        read=max(price.read, 0),
        written=max(price.written, 0),
    )
