"""Checks the costs, timings, sweep, machine, passes, exact links and diffs of a document."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..types.cost import CostNode, CostRow, Memory, ProgramCost, XlaCost
from ..types.document import Snapshot
from ..types.timing import ProgramTiming, Sweep, WarmTime
from .checks import amounts, index, need


def check_costs(document: Snapshot) -> None:
    """Check every index and number of these parts.

    Raises:
        Damaged: One is out of its range.
    """
    for number, cost in enumerate(document.costs):
        _cost(document, cost, f"cost {number}")
    for number, timing in enumerate(document.timings):
        _timing(document, timing, f"timing {number}")
    for passes in document.passes:
        index(passes.program, document.programs, "passes: program")
        amounts((passes.seconds, passes.left_out), "passes: a number")
        for xla_pass in passes.passes:
            amounts((xla_pass.before, xla_pass.after, xla_pass.added, xla_pass.removed), f"passes: {xla_pass.name}")
    for links in document.exact_links:
        index(links.program, document.programs, "exact links: program")
        amounts((links.lower_seconds, links.compile_seconds, links.equations, links.reached), "exact links: a number")
        for level in links.levels:
            amounts(
                (level.lines, level.instructions, level.linked, level.single, level.inferred), "exact links: a level"
            )
    for diff in document.diffs:
        index(diff.after.program, document.programs, "diffs: program")
        amounts((diff.added, diff.removed, diff.changed, diff.moved, diff.skipped, diff.left_out), "diffs: a number")
    for name in ("passes", "exact_links"):
        programs = [row.program for row in getattr(document, name)]
        need(len(programs) == len(set(programs)), f"{name}: a program is there twice")
    if document.sweep is not None:
        _sweep(document.sweep)
    machine = document.machine
    if machine is not None:
        amounts((machine.flops, machine.bandwidth, machine.seconds), "machine: a number")


def _cost(document: Snapshot, cost: ProgramCost, path: str) -> None:
    index(cost.program, document.programs, f"{path}: program")
    totals = (cost.flops, cost.flops_min, cost.transcendentals, cost.bytes_read, cost.bytes_written)
    bounds = (cost.flops_most, cost.transcendentals_min or 0, cost.transcendentals_most)
    amounts((*totals, *bounds), f"{path}: totals")
    for control in cost.recordings:
        index(control, document.control_flow, f"{path}: a recording")
    need(cost.flops_min <= cost.flops, f"{path}: flops_min")
    for scope in cost.scopes:
        index(scope.scope, document.scopes, f"{path}: a scope")
        equations = len(document.scopes[scope.scope].primitive)
        amounts((scope.runs, scope.runs_min), f"{path}: a scope's runs")
        need(scope.runs_min <= scope.runs, f"{path}: a scope's runs")
        for column in (scope.flops, scope.transcendentals, scope.bytes):
            need(len(column) == equations, f"{path}: columns of different lengths")
            need(all(number >= -1 for number in column), f"{path}: a number of a scope")
    for rows in (cost.by_line, cost.by_primitive):
        _rows(document, rows, path)
    for nodes in (cost.by_scope, cost.by_name_stack):
        _nodes(document, nodes, path)
    if cost.xla is not None:
        _xla(document, cost.xla, path)
    if cost.memory is not None:
        _memory(document, cost.memory, path)


def _rows(document: Snapshot, rows: Sequence[CostRow], path: str) -> None:
    for row in rows:
        index(row.frame, document.frames, f"{path}: a row's frame", none=True)
        numbers = (row.flops, row.flops_min, row.if_taken, row.transcendentals, row.bytes_read, row.bytes_written)
        amounts((row.equations, *numbers), f"{path}: a row's numbers")


def _nodes(document: Snapshot, nodes: Sequence[CostNode], path: str) -> None:
    for number, node in enumerate(nodes):
        need(-1 <= node.parent < number, f"{path}: a node's parent")
        index(node.scope, document.scopes, f"{path}: a node's scope", none=True)
        index(node.frame, document.frames, f"{path}: a node's frame", none=True)
        amounts((node.runs, node.flops, node.transcendentals, node.bytes), f"{path}: a node's numbers")


def _xla(document: Snapshot, xla: XlaCost, path: str) -> None:
    amounts((xla.flops, xla.transcendentals, xla.bytes), f"{path}: XLA's numbers")
    for difference in xla.differences:
        index(difference.frame, document.frames, f"{path}: a difference's frame", none=True)
        amounts((difference.ours, difference.xla, difference.runs), f"{path}: a difference's numbers")


def _memory(document: Snapshot, memory: Memory, path: str) -> None:
    amounts(
        (
            memory.arguments,
            memory.results,
            memory.temporaries,
            memory.generated_code,
            memory.aliased,
            memory.peak,
            memory.residual_bytes,
            memory.constants,
        ),
        f"{path}: bytes of memory",
    )
    index(memory.peak_frame, document.frames, f"{path}: peak_frame", none=True)
    for buffer in memory.live:
        amounts((buffer.bytes,), f"{path}: a buffer's bytes")
        index(buffer.frame, document.frames, f"{path}: a buffer's frame", none=True)
        index(buffer.scope, document.scopes, f"{path}: a buffer's scope")
        need(-1 <= buffer.equation < document.scopes[buffer.scope].count, f"{path}: a buffer's equation")
    for residual in memory.residuals:
        amounts((residual.bytes, residual.count), f"{path}: a residual's numbers")
        index(residual.frame, document.frames, f"{path}: a residual's frame", none=True)


def _warm(warm: WarmTime | None, path: str) -> None:
    if warm is None:
        return
    amounts((warm.median, warm.minimum, warm.lower, warm.upper, warm.dispatch), f"{path}: seconds")
    need(warm.runs >= 1 and warm.batch >= 1, f"{path}: runs")


def _timing(document: Snapshot, timing: ProgramTiming, path: str) -> None:
    index(timing.program, document.programs, f"{path}: program")
    _warm(timing.warm, path)
    _warm(timing.eager, path)
    amounts(timing.ratio or (), f"{path}: ratio")
    amounts((timing.pays_after,), f"{path}: pays_after")


def _sweep(sweep: Sweep) -> None:
    amounts((sweep.total, sweep.seconds), "sweep: a number")
    for point in sweep.points:
        need(point.number is None or math.isfinite(point.number), "sweep: a value")
        _warm(point.eager, "sweep")
        _warm(point.warm, "sweep")
        amounts((point.first, point.trace, point.lower, point.compile), "sweep: seconds")
        amounts((point.equations, point.bytes, point.flops, point.ratio), "sweep: a point's numbers")
    for fit in sweep.fits:
        need(all(map(math.isfinite, (fit.exponent, fit.factor, fit.first_number))), "sweep: a fit")
        amounts((fit.error,), "sweep: a fit")
