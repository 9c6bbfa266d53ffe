"""Compares this package's count of operations with XLA's own count, and finds the reasons for the difference.

XLA's count is the `cost_analysis` of the executable that JAX ran; nothing is compiled for it. The reasons are: loops,
because XLA counts body and condition once; functions that a library computes; primitives that XLA counts by another
formula. The rest of the difference is attributed to the compiler, which removes, merges and repeats operations. Reasons
that were only observed on a CPU are only given on a CPU. The numbers of the reasons add up to the whole difference.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Collection, Container, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...document.limits import Listed
from ...interruptions import not_of_a_signal
from ...jax.loop_equations import lowered_scan, scan_parts
from ...joined_names import in_a_sentence
from ...quantities import count, operations_in_words
from ..jaxpr.walk import Walk
from .cost_sums_and_order import Cost
from .cost_table_by_line import unknown
from .costs_of_equations import Call, Costs, Part
from .executions_of_scopes_and_lines import Runs, ScopeRuns, frame_of, times_that_xla_counts
from .operations_xla_adds import expansions
from .unused_and_repeated import Removed, removed_equations, removed_in_scope

#: The most loops that get a row of their own in the table of differences.
LOOPS = 8

#: Primitives that a library computes on a CPU or a GPU.
_LIBRARY = frozenset(
    "cholesky lu geqrf qr householder_product triangular_solve tridiagonal hessenberg tridiagonal_solve top_k".split()
)
#: On a CPU, XLA computes these primitives with a window that is as long as the axis and slides along the axis.
_CUMULATIVE = {"cumsum": 1, "cumprod": 1, "cummax": 1, "cummin": 1, "cumlogsumexp": 8}
#: On a CPU, JAX lowers the rounds of the threefry generator, which these primitives run, to a loop.
_ROUNDS = frozenset("threefry2x32 random_bits random_split random_fold_in".split())
_OTHERWISE = _LIBRARY | _ROUNDS | frozenset(_CUMULATIVE)

_CALLED = "XLA calls a library for {names} and counts only the operations around the calls."
_ROLLED = "XLA compiles {names} to a loop, counts the body of the loop once, and merges some operations."


#: Primitives that XLA runs as a call of Python; XLA's count has -1 operations for each call.
_CALLBACKS_OF_JAX = frozenset("pure_callback io_callback debug_callback debug_print".split())
_CALLBACKS = "XLA does not know the operations of a callback, and subtracts 1 operation for each callback: {calls}."
_BRANCHES = (
    "XLA and jupyter_jaxpr both count the most expensive branches. With the cheapest branches, the program has "
    "{operations}."
)
_OUR_BRANCHES = (
    "jupyter_jaxpr counts the most expensive branches. With the cheapest branches, the program has {operations}."
)
_UNUSED = "JAX or XLA removed {operations}, because nothing uses the results: {places}."
_REPEATED = "XLA merged {operations} with equal earlier operations: {places}."


@dataclass(frozen=True)
class Analysis:
    """XLA's cost analysis of an executable; a number is None if XLA does not report it.

    Attributes:
        loops: Returns the loops in the executable; None if unknown. The text of the executable is printed for it, so it
            is called only if a reason depends on the loops.
    """

    flops: float | None
    transcendentals: float | None
    bytes: float | None
    devices: int = 1
    platform: str | None = None
    loops: Callable[[], LoopsOfExecutable | None] = lambda: None


class LoopsOfExecutable(NamedTuple):
    """The while loops of an executable.

    Attributes:
        loops: The number of loops.
        added: The number of scalar operations that JAX's lowering of a scan adds for counters and indices; the
            operations of a user's while loop have the same names in the executable, and are included.
    """

    loops: int
    added: int


#: The name of a scalar operation that is directly in the body or the condition of a loop. The operations of the
#: function that a scan runs have a longer name, because JAX lowers a scan to a loop that calls the function.
_OF_LOOP = re.compile(
    r" = (?:s32|u32|s64|u64|pred)\[\] (?:add|subtract|multiply|compare|select|clamp|minimum|maximum)\(.*"
    r'op_name="(?:[^"]*/)?while/(?:body|cond)/(?:jit\(dynamic_\w+\)/)?\w+"'
)


@dataclass(frozen=True)
class Difference:
    """One reason for the difference; see `document.types.cost.CostDifference`."""

    kind: str
    text: str
    ours: int | None = None
    xla: int | None = None
    frame: int = -1
    runs: int | None = None


def analysis(executable: Any) -> Analysis | None:
    """Return XLA's own count for a compiled or loaded executable; None if the backend has none."""
    if executable is None or not hasattr(executable, "cost_analysis"):
        return None
    try:
        statistics = executable.cost_analysis()
    # the backend has no cost analysis; the class of the error depends on the backend
    except not_of_a_signal(Exception):
        return None
    if isinstance(statistics, (list, tuple)):  # `cost_analysis` of JAX before version 0.5 returns a list
        statistics = statistics[0] if statistics else None
    if not isinstance(statistics, Mapping) or not statistics:
        return None

    def number(key: str) -> float | None:
        # XLA omits zeros, and may report -1 for a call of a library.
        value = statistics.get(key, 0.0)
        return float(value) if isinstance(value, (int, float)) and math.isfinite(value) and value >= 0 else None

    numbers = number("flops"), number("transcendentals"), number("bytes accessed")
    return Analysis(*numbers, *devices_of(executable), functools.partial(_loops_of, executable))


def _loops_of(executable: Any) -> LoopsOfExecutable | None:
    """Return the loops of an executable; None if the backend does not print the executable."""
    try:
        text = executable.as_text()
        return LoopsOfExecutable(len(re.findall(r" while\(", text)), len(_OF_LOOP.findall(text)))
    except not_of_a_signal(Exception):  # the class of the error depends on the backend
        return None


def devices_of(executable: Any) -> tuple[int, str | None]:
    """Return (number of devices of this process that run the executable, their platform)."""
    try:
        loaded = executable.runtime_executable() if hasattr(executable, "runtime_executable") else executable
        devices = loaded.local_devices()
        return max(1, len(devices)), devices[0].platform
    except not_of_a_signal(Exception):  # This version of JAX does not state the devices of the executable.
        return 1, None  # One device of an unknown platform is assumed.


def differences(costs: Costs, scope: int, runs: dict[int, ScopeRuns], xla_analysis: Analysis) -> list[Difference]:
    """Return the reasons why XLA's count of operations differs from this package's; [] if equal or unknown.

    Args:
        costs: The costs of the scopes of the `Walk`.
        scope: The outermost scope of the program.
        runs: Scope -> its executions in one call.
        xla_analysis: XLA's count.
    """
    counted = costs.of(scope)
    if xla_analysis.flops is None or round(xla_analysis.flops) == counted.flops:
        return []
    loops = _Loops(costs)
    rows = loops.rows(scope)
    largest = [_loop(row) for row in rows if row.ours != row.once]
    largest = sorted(largest, key=lambda row: -abs((row.ours or 0) - (row.xla or 0)))
    largest, remaining = largest[:LOOPS], largest[LOOPS:]
    if remaining:
        total = sum(row.ours or 0 for row in remaining), sum(row.xla or 0 for row in remaining)
        largest.append(
            Difference("loop_once", f"XLA counts the bodies of {count(len(remaining), 'more loop')} once.", *total)
        )
    counted_once = counted.flops - sum((row.ours or 0) - (row.xla or 0) for row in largest)
    if xla_analysis.devices > 1:
        largest.append(
            Difference(
                "rest",
                f"XLA counts the operations of one device; the program runs on {xla_analysis.devices} devices.",
                counted_once,
                counted_once // xla_analysis.devices,
            )
        )
        counted_once //= xla_analysis.devices
    left = round(xla_analysis.flops) - counted_once
    callbacks = loops.callbacks(scope) if xla_analysis.platform == "cpu" else 0
    if callbacks:
        largest.append(Difference("custom_call", _CALLBACKS.format(calls=count(callbacks, "callback")), callbacks, 0))
        left += callbacks
    left = _counters(largest, rows, left, xla_analysis)
    removed_in = functools.cache(functools.partial(removed_in_scope, costs.walk))
    in_program = times_that_xla_counts(costs, scope, loops.parts_on_one_device, removed_in)
    if left:
        for row in _formulas(costs, in_program, removed_in, left, xla_analysis.platform == "cpu"):
            largest.append(row)
            left -= (row.xla or 0) - (row.ours or 0)
    largest += _explained(counted, rows, loops.has_other_branch(in_program))
    missing = unknown(costs, runs)
    if left > 0 and not missing and xla_analysis.platform == "cpu":
        for row in _expanded(costs, in_program, removed_in, left):
            largest.append(row)
            left -= row.xla or 0
    if missing:
        named = ", ".join(f"{name} ({number})" for name, number in missing[:5])
        text = f"jupyter_jaxpr counts no operations for primitives without a cost rule: {named}."
        largest.append(Difference("no_rule", text, 0, left) if left > 0 else Difference("no_rule", text))
        left = min(left, 0)
    if left < 0 and xla_analysis.platform == "cpu":
        equations = removed_equations(
            costs, scope, lambda number, call: loops.of_call(number, call).flops, loops.parts_that_xla_counts
        )
        removed = _removed(costs.walk, equations, -left)
        # XLA may also count loop counters, which the jaxpr lacks
        more_removed = _removed(costs.walk, equations, -left + sum(row.counters.most for row in rows))
        added = left + sum(row.ours or 0 for row in more_removed)
        with_counters = list(largest)
        if added > 0 and not _counters(with_counters, rows, added, xla_analysis):
            largest, removed, left = with_counters, more_removed, left - added
        largest += removed
        left += sum(row.ours or 0 for row in removed)
    if left:
        largest.append(_left(left, xla_analysis.platform == "cpu"))
    return largest


def _removed(walk: Walk, equations: list[Removed], left: int) -> list[Difference]:
    """Return the differences by equations whose results nothing uses, and by repeated equations.

    There is no difference of a kind if the equations of the kind have more operations than XLA counts fewer.
    """
    unused = [row for row in equations if row.first is None]
    repeated = [row for row in equations if row.first is not None]
    differences_left: list[Difference] = []
    for kind_rows in (unused, repeated):
        total = sum(row.operations for row in kind_rows)
        if 0 < total <= left:
            left -= total
            largest = sorted(kind_rows, key=lambda row: -row.operations)
            places = dict.fromkeys(_place(walk, row) for row in largest)
            named = in_a_sentence(list(places), Listed.REMOVED_EQUATIONS)
            text = (_UNUSED if kind_rows is unused else _REPEATED).format(
                operations=operations_in_words(total, total), places=named
            )
            differences_left.append(Difference("fused_away", text, total, 0))
    return differences_left


def _place(walk: Walk, row: Removed) -> str:
    """Return the name of an equation with its line, and the line of the equation that computes the same."""
    lines = [walk.positions.frames[frame][2] for frame in (row.frame, row.first) if frame is not None and frame >= 0]
    if not lines or row.first is not None and len(lines) < 2:
        return row.name
    at = f"{row.name} on line {lines[0]}"
    return at if row.first is None else f"{at} (as on line {lines[1]})" if lines[0] != lines[1] else f"{at} (repeated)"


def _left(left: int, on_cpu: bool) -> Difference:
    operations = operations_in_words(abs(left), abs(left))
    if left < 0:
        text = f"JAX or XLA removed, merged or simplified {operations} of the jaxpr."
        if not on_cpu:  # only CPUs were measured: on another device XLA may omit the work of a library
            text = (
                f"XLA counts {operations} fewer than the jaxpr has. XLA may remove or merge operations, or call "
                "a library."
            )
        return Difference("fused_away", text, -left, 0)
    text = (
        f"XLA counts {operations} more than the jaxpr has. XLA may compute a value again in each fusion that needs the "
        "value, and may compute one operation of the jaxpr with several simpler operations."
    )
    return Difference("fused_away", text, 0, left)


def _expanded(
    costs: Costs, counted: Mapping[int, int], removed_in: Callable[[int], Container[int]], left: int
) -> list[Difference]:
    """Return the differences that XLA's expansions explain; the last row names expansions with an unknown effect."""
    differences_left, texts = [], []
    for expansion in expansions(costs, counted, removed_in):
        if expansion.most is None:
            texts.append(expansion.text)
        elif added := min(left, expansion.most):
            differences_left.append(Difference("rest", expansion.text, 0, added))
            left -= added
    if left and texts:
        differences_left.append(Difference("rest", " ".join(texts), 0, left))
    return differences_left


def _explained(counted: Cost, rows: list[_Row], has_other_branch: bool) -> list[Difference]:
    """Return the reasons for the difference from XLA's count for which no number is known."""
    differences = [
        Difference(
            "unknown_trips",
            "The number of steps of this loop is unknown before the loop runs. XLA and jupyter_jaxpr both count one "
            "step.",
            row.once,
            row.once,
            row.frame,
        )
        for row in rows
        if row.per_trip
    ]
    if counted.flops_min != counted.flops:
        least_operations = operations_in_words(counted.flops_min, counted.flops_min)
        text = _OUR_BRANCHES if has_other_branch else _BRANCHES
        differences.append(Difference("branches", text.format(operations=least_operations)))
    return differences


# --- loops ----------------------------------------------------------------------------------------


class _Counters(NamedTuple):
    """The operations that JAX adds to scans: a step counter, and the index of a scan in reverse.

    Attributes:
        most: The largest number of operations that XLA's count can have.
        least: The smallest number: XLA computes no counter where the body counts the steps already, as in a
            `fori_loop`. XLA computes the index of a scan in reverse in each fusion that needs the index, so only the
            executable tells the number of these operations.
        scans: The number of scans.
        reverse: The number of scans in reverse.
        shared: The number of scans whose body may count the steps already.
    """

    most: int = 0
    least: int = 0
    scans: int = 0
    reverse: int = 0
    shared: int = 0

    def plus(self, other: _Counters, times: int = 1) -> _Counters:
        """Return the sum of these operations and `times` times the operations of other scans."""
        return _Counters(*(mine + yours * times for mine, yours in zip(self, other, strict=True)))


_NO_COUNTERS = _Counters()


@dataclass(slots=True)
class _Row:
    """The outermost loops on one line: the count with all steps, and the count with each body once.

    Attributes:
        loops: the number of loops in the row, inner ones included.
        counters: the operations that JAX adds to these loops for step counters and reverse indices.
        beside: true if partial unrolling leaves some steps outside of the loop.
        other_branch: true if the row is a cond of which XLA counts another branch, because XLA counts bodies once.
    """

    frame: int
    trips: int | None
    ours: int = 0
    once: int = 0
    loops: int = 0
    counters: _Counters = _NO_COUNTERS
    inner: bool = False
    unrolled: bool = False
    beside: bool = False
    other_branch: bool = False
    per_trip: bool = False


@dataclass(frozen=True, slots=True)
class _Once:
    """The counts of one execution in which each loop body counts once, as in XLA.

    These are the operations, the loops, and the operations that JAX adds to the loops.
    """

    flops: int
    loops: int
    counters: _Counters


class _Loops:
    """Finds the loops of a program that XLA counts only once."""

    def __init__(self, costs: Costs) -> None:
        self.costs = costs
        self._once: dict[int, _Once] = {}

    def rows(self, scope: int) -> list[_Row]:
        """Return the outermost loops; loops on one line with the same number of steps are one row."""
        rows: dict[tuple[int, int | None], _Row] = {}
        self._in_scope(scope, -1, Runs(1, 1, 1, 1), rows)
        return list(rows.values())

    def _in_scope(self, scope: int, around: int, runs: Runs, rows: dict[tuple[int, int | None], _Row]) -> None:
        walk = self.costs.walk
        columns = walk.scopes[scope]
        for call in self.costs.priced(scope).calls:
            frame = frame_of(walk, columns.stack[call.equation])
            frame = around if frame < 0 else frame
            branch = self.branch_of_xla(call)
            if branch is not None and not branch.dearest:
                row = rows.setdefault((frame, -1), _Row(frame, None, other_branch=True))
                self._add(row, scope, call, runs)
                continue
            if not any(part.loop for part in call.parts):
                for part in call.parts:
                    if part.dearest and self._has_rows(part.scope):
                        self._in_scope(part.scope, frame, runs.within(part), rows)
                continue
            per_trip = call.parts[0].per_trip
            trips = None if per_trip else call.parts[0].dearest
            row = rows.setdefault((frame, trips), _Row(frame, trips, per_trip=per_trip))
            call_once = self._add(row, scope, call, runs)
            row.inner |= call_once.loops > 1
            iterations, remainder = self._lowered(scope, call)
            row.unrolled |= iterations < (trips or 0)
            row.beside |= iterations > 0 and remainder > 0

    def _add(self, row: _Row, scope: int, call: Call, runs: Runs) -> _Once:
        """Add the counts of an equation to a row; return one execution of the equation as XLA counts it."""
        row.ours += self.costs.call(call).flops * runs.dearest
        call_once = self.of_call(scope, call)
        row.once += call_once.flops * runs.dearest
        row.loops += call_once.loops * runs.dearest
        row.counters = row.counters.plus(call_once.counters, runs.dearest)
        return call_once

    def branch_of_xla(self, call: Call) -> Part | None:
        """Return the branch of a cond that XLA counts: the most expensive one if each loop body counts once.

        Return None for an equation that is no cond.
        """
        if call.primitive != "cond":
            return None
        return max(call.parts, key=lambda part: (self.once(part.scope).flops, part.dearest))

    def callbacks(self, scope: int) -> int:
        """Return how many callbacks XLA counts in one execution of a scope."""
        strings, columns = self.costs.walk.strings.items, self.costs.walk.scopes[scope]
        own = sum(
            strings[primitive] in _CALLBACKS_OF_JAX
            and bool(equation.effects or any(type(variable).__name__ != "DropVar" for variable in equation.outvars))
            for primitive, equation in zip(columns.primitive, self.costs.walk.jaxprs[scope].eqns, strict=True)
        )
        return own + sum(
            self.callbacks(inner) * times
            for call in self.costs.priced(scope).calls
            for inner, times in self.parts_that_xla_counts(scope, call)
        )

    def has_other_branch(self, scopes: Collection[int]) -> bool:
        """Return whether XLA may count another branch of a cond than this package, in some scopes."""
        for scope in scopes:
            for call in self.costs.priced(scope).calls:
                branch = self.branch_of_xla(call)
                if branch is not None and (not branch.dearest or self.costs.is_of_unknown_platform(scope, call)):
                    return True
        return False

    def _has_rows(self, scope: int) -> bool:
        once = self.once(scope)
        return once.loops > 0 or once.flops != self.costs.of(scope).flops

    def once(self, scope: int) -> _Once:
        """Return one execution of a scope in which each loop body counts once, as in XLA."""
        scope_once = self._once.get(scope)
        if scope_once is None:
            total, loops, counters = self.costs.of(scope).flops, 0, _NO_COUNTERS
            for call in self.costs.priced(scope).calls:
                inside = self.of_call(scope, call)
                total += inside.flops - self.costs.call(call).flops
                loops += inside.loops
                counters = counters.plus(inside.counters)
            scope_once = self._once[scope] = _Once(total, loops, counters)
        return scope_once

    def of_call(self, scope: int, call: Call) -> _Once:
        """Return one execution of an equation in which each loop body counts once, as in XLA."""
        total = loops = 0
        counters = _NO_COUNTERS
        turns = self._turns(scope, call)
        is_skipped_loop = self.costs.is_skipped_loop(scope, call)
        for inner, times in self.parts_that_xla_counts(scope, call):
            inside = self.once(inner)
            total += inside.flops * times
            loops += inside.loops * times
            counters = counters.plus(inside.counters, times)
        # XLA removes a loop with one step, and a completely unrolled loop does not exist in the HLO.
        is_loop = is_skipped_loop or (any(part.loop for part in call.parts) and call.parts[0].dearest > turns)
        # The counter of a while loop is part of its jaxpr and already counted.
        if is_loop and call.primitive == "scan":
            counters = counters.plus(self._counters(scope, call))
        return _Once(total, loops + is_loop, counters)

    def parts_that_xla_counts(self, scope: int, call: Call) -> list[tuple[int, int]]:
        """Return (inner scope, how often XLA counts the scope) for an equation with inner programs."""
        branch = self.branch_of_xla(call)
        if branch is not None:
            return [(branch.scope, 1)]
        is_skipped_loop = self.costs.is_skipped_loop(scope, call)
        turns = self._turns(scope, call)
        return [
            (part.scope, turns if part.loop else part.dearest) for part in call.parts if part.dearest or is_skipped_loop
        ]

    def parts_on_one_device(self, scope: int, call: Call) -> list[tuple[int, int]]:
        """Return (inner scope, how often XLA counts the scope) as `parts_that_xla_counts`, on one device."""
        parts = self.parts_that_xla_counts(scope, call)
        return [(inner, 1) for inner, _ in parts] if call.primitive == "shard_map" else parts

    def _counters(self, scope: int, call: Call) -> _Counters:
        """Return the operations that JAX adds to one scan.

        The counter is an addition and a comparison. The index of a scan in reverse is one or more subtractions, if the
        scan reads or makes arrays along its steps.
        """
        jaxpr = self.costs.walk.jaxprs[scope]
        equation = jaxpr.eqns[call.equation]
        parts = scan_parts(equation.params)
        carry = equation.invars[parts.consts : parts.consts + parts.carry]
        # The dtype of a random key has no kind.
        may_count = any(
            not variable.aval.shape and getattr(variable.aval.dtype, "kind", None) in ("i", "u") for variable in carry
        )
        has_arrays = len(equation.invars) > parts.consts + parts.carry or len(equation.outvars) > parts.carry
        reverse = int(parts.reverse and has_arrays)
        return _Counters(2 + 2 * reverse, 0 if may_count else 2, 1, reverse, int(may_count))

    def _turns(self, scope: int, call: Call) -> int:
        """Return how many steps of a loop XLA counts.

        For a partly unrolled scan, these are the steps of one iteration plus the steps after the loop.
        """
        if call.primitive != "scan":
            return 1
        length = call.parts[0].dearest
        iterations, remainder = self._lowered(scope, call)
        # XLA removes a loop with a single iteration.
        return length if iterations <= 1 else (length - remainder) // iterations + remainder

    def _lowered(self, scope: int, call: Call) -> tuple[int, int]:
        """Return (iterations of the loop to which JAX lowers an equation, steps outside of this loop)."""
        length = call.parts[0].dearest
        if call.primitive != "scan":
            return length, 0
        return lowered_scan(length, scan_parts(self.costs.walk.jaxprs[scope].eqns[call.equation].params).unroll)


def _loop(row: _Row) -> Difference:
    text = "XLA counts the body of a loop once, however many steps the loop has."
    if row.other_branch:
        text += " XLA then counts another branch than jupyter_jaxpr as the most expensive branch."
    if row.inner:
        text = (
            "XLA counts the body of a loop once, however many steps the loop has, and likewise the body of each inner "
            "loop."
        )
    if row.beside:
        text += " JAX unrolls the loop: one body holds several steps, and the remaining steps are outside of the loop."
    elif row.unrolled:
        text += " JAX unrolls the loop, so one body holds several steps."
    return Difference("loop_once", text, row.ours, row.once, row.frame, row.trips)


def _counters(explained: list[Difference], rows: list[_Row], left: int, xla_analysis: Analysis) -> int:
    """Add the operations for the step counters of scans to the rows of the scans; return the rest of the difference."""
    added = {(row.frame, row.trips): row.counters for row in rows if row.counters.most and row.ours != row.once}
    most = sum(counters.most for counters in added.values())
    least = sum(counters.least for counters in added.values())
    if not 0 < left:
        return left
    has_index = any(counters.reverse for counters in added.values())
    if not has_index and (left == most or (least <= left < most and len(added) == 1)):
        by_row = {key: min(counters.most, left) for key, counters in added.items()}
    elif (
        xla_analysis.platform == "cpu"
        and (found := xla_analysis.loops())
        and found.loops == sum(row.loops for row in rows)
    ):
        # XLA has removed no loop, so each loop has its counter. Other operations explain the rest of the difference,
        # which is negative if XLA removed more operations.
        by_row = {key: counters.least for key, counters in added.items() if not counters.reverse}
        with_index = [key for key, counters in added.items() if counters.reverse]
        only_scans = all(row.counters.scans == row.loops and not row.counters.shared for row in rows)
        if with_index and only_scans and set(added) == {(row.frame, row.trips) for row in rows if row.loops}:
            remaining = max(found.added - sum(by_row.values()), 0)
            if len(with_index) == 1:
                by_row[with_index[0]] = remaining
            elif remaining:
                # The executable does not tell which loop has how many of these operations.
                total = functools.reduce(_Counters.plus, (added[key] for key in with_index))
                explained.append(Difference("rest", _added_by_counters(remaining, total), 0, remaining))
                left -= remaining
    else:
        return left
    for index, row in enumerate(explained):
        extra = by_row.get((row.frame, row.runs), 0) if row.kind == "loop_once" else 0
        if extra:
            text = f"{row.text} {_added_by_counters(extra, added[row.frame, row.runs])}"
            explained[index] = Difference(row.kind, text, row.ours, (row.xla or 0) + extra, row.frame, row.runs)
            left -= extra
    return left


def _added_by_counters(operations: int, counters: _Counters) -> str:
    """Return the sentence on the operations that JAX adds to the scans of a row."""
    added = count(operations, "operation")
    if counters.reverse and operations > counters.least:
        if counters.scans == 1:
            return f"The loop counter and the index of the reverse scan add {added} to XLA's count."
        return f"Loop counters and the indices of reverse scans add {added} to XLA's count."
    if counters.scans == 1:
        return f"The loop counter adds {added} to XLA's count."
    return f"Loop counters add {added} to XLA's count."


# --- other formulas ---------------------------------------------------------------------------------


def _formulas(
    costs: Costs, counted: Mapping[int, int], removed_in: Callable[[int], Container[int]], left: int, on_cpu: bool
) -> list[Difference]:
    """Return the operations that XLA counts by another formula, if this explains a part of the remaining difference."""
    by_formula = _by_formula(costs, counted, removed_in)
    differences = []
    for name in _CUMULATIVE:
        mine, xla_flops = by_formula.pop(name, (0, 0))
        if on_cpu and xla_flops > mine and left > 0:
            added = min(left, xla_flops - mine)
            text = f"XLA computes {name} with sliding windows as long as the axis, and counts each window whole."
            if added < xla_flops - mine:
                text = f"XLA computes {name} with sliding windows, and counts each window whole."
            differences.append(Difference("rest", text, mine, mine + added))
            left -= added
    rolled = _ROUNDS if on_cpu else frozenset[str]()
    for kind, names, text in (("custom_call", _LIBRARY, _CALLED), ("loop_once", rolled, _ROLLED)):
        names_counted = [name for name in by_formula if name in names]
        mine = sum(by_formula[name][0] for name in names_counted)
        if mine and left < 0:
            removed = min(mine, -left)
            differences.append(Difference(kind, text.format(names=", ".join(names_counted)), mine, mine - removed))
            left += removed
    return differences


def _by_formula(
    costs: Costs, counted: Mapping[int, int], removed_in: Callable[[int], Container[int]]
) -> dict[str, tuple[int, int]]:
    """Return {primitive: (this package's count, XLA's count)} for primitives with another formula in XLA.

    As XLA does, the body of a loop is counted once, and a function as often as the program calls it.
    """
    counts: dict[str, tuple[int, int]] = {}
    strings = costs.walk.strings.items
    for number, times in counted.items():
        removed = removed_in(number)
        for equation, index in enumerate(costs.priced(number).own):
            name = strings[costs.owns[index].primitive] if index >= 0 else ""
            if name in _OTHERWISE and equation not in removed:
                mine, xla_flops = counts.get(name, (0, 0))
                slid = _windows(costs.walk.jaxprs[number].eqns[equation], name)
                counts[name] = mine + max(costs.owns[index].flops, 0) * times, xla_flops + slid * times
    return counts


def _windows(equation: Any, name: str) -> int:
    """Return XLA's count of a cumulative operation, such as cumsum.

    XLA computes the operation with a window that is as long as the axis.
    """
    if name not in _CUMULATIVE:
        return 0
    shape = equation.invars[0].aval.shape
    return _CUMULATIVE[name] * int(math.prod(shape)) * (int(shape[equation.params["axis"]]) - 1)
