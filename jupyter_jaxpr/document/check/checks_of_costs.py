"""Checks the costs of a document."""

from __future__ import annotations

from collections.abc import Sequence

from ..types.cost import CostNode, CostRow, Memory, ProgramCost, XlaCost
from ..types.document import Snapshot
from .checks_of_indices import amounts, index, need


def check_costs(document: Snapshot) -> None:
    """Check every index and number of the costs.

    Raises:
        Damaged: An index or a number is out of its range.
    """
    for number, cost in enumerate(document.costs):
        _cost(document, cost, f"cost {number}")


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
