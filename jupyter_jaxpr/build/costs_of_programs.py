"""Builds the document's costs of a program from its equations, which a `Walk` has read, and its executable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import msgspec

from ..document.sentences.cost_tab_sentences import lead, peak_text, xla_text
from ..document.types.control_flow import Control
from ..document.types.cost import CostDifference, CostNode, CostRow, Memory, ProgramCost, ScopeCost, XlaCost
from ..document.types.document import Program, Snapshot
from ..observe.observation import ObservedProgram
from ..program.costs import Cost, Costs
from ..program.costs.cost_table_by_line import Row, by_line, by_primitive, unknown
from ..program.costs.cost_trees_of_icicle import Node, by_name_stack, by_scope
from ..program.costs.costs_of_equations import Priced, Trips
from ..program.costs.difference_from_xla import Analysis, analysis, devices_of, differences
from ..program.costs.executions_of_scopes_and_lines import ScopeRuns, runs_of
from ..program.costs.memory_of_program import memory_of
from ..program.jaxpr.walk import Walk

#: The largest integer that JSON readers read exactly; it stands for every larger number.
MOST = 2**63 - 1


def loop_trips(controls: Sequence[Control], program: int, recorded: Mapping[int, int | None]) -> Trips:
    """Return the known step counts of while loops; a loop whose call paths have different counts is left out.

    Args:
        controls: The cards of the document.
        program: The index of the program that has the loops.
        recorded: Card index -> number of steps in the call that the stepper recorded; None if the runs of the loop
            differ.
    """
    lengths: dict[tuple[int, int], int | None] = {}
    for index, control in enumerate(controls):
        if control.program == program and control.primitive == "while":
            key = control.scope, control.equation
            trips = recorded.get(index) if control.trips is None else control.trips
            lengths[key] = trips if lengths.get(key, trips) == trips else None
    return {key: trips for key, trips in lengths.items() if trips is not None}


def total_cost(walk: Walk, number: int, program: Program, controls: Sequence[Control]) -> Cost:
    """Return the total cost of one call of a program, without the costs of its lines and equations.

    Args:
        walk: The `Walk` that has read the equations of the program.
        number: The index of the program in its document.
        program: The document's struct of the program.
        controls: The cards of the document: they may have step counts that XLA states.
    """
    return Costs(walk, loop_trips(controls, number, {})).of(program.scope)


def program_cost(
    walk: Walk,
    number: int,
    program: Program,
    observed: ObservedProgram,
    controls: Sequence[Control] = (),
    counts_by_scope: Mapping[int, int] | None = None,
    *,
    ask_xla: bool = True,
    recorded: Mapping[int, int | None] | None = None,
) -> ProgramCost:
    """Return the costs of a program, and the reasons why XLA's own count differs from them.

    Args:
        walk: The `Walk` that has read the equations of the program.
        number: The index of the program in its document.
        program: The document's struct of the program.
        observed: JAX's own objects of the program.
        controls: The cards of the document: they may have step counts that XLA states.
        counts_by_scope: Scope -> how many of its equations the document holds; None if it holds all.
        ask_xla: True to ask XLA for its own count, which is slow for a large executable.
        recorded: Card index -> number of steps in the call that the stepper recorded; None if the runs of a loop
            differ.
    """
    recorded = recorded or {}
    platform = None if observed.executable is None else devices_of(observed.executable)[1]
    costs = Costs(walk, loop_trips(controls, number, recorded), platform=platform)
    runs = runs_of(costs, program.scope, program.call)
    total = costs.of(program.scope)
    executable = observed.executable if ask_xla else None
    xla_analysis = analysis(executable)
    return ProgramCost(
        program=number,
        flops=_most(total.flops),
        flops_min=_most(total.flops_min),
        exact=total.exact
        and not recorded
        and total.flops_most == total.flops_min
        and total.transcendentals_most == total.transcendentals_min,
        transcendentals=_most(total.transcendentals),
        flops_most=_most(total.flops_most),
        transcendentals_min=_most(total.transcendentals_min),
        transcendentals_most=_most(total.transcendentals_most),
        bytes_read=_most(total.read),
        bytes_written=_most(total.written),
        per_trip=_loops(costs, runs),
        unknown=[f"{name} ({times})" for name, times in unknown(costs, runs)],
        scopes=[
            _scope(costs, scope, of_scope)
            for scope, of_scope in runs.items()
            if counts_by_scope is None or counts_by_scope.get(scope) == walk.scopes[scope].count
        ],
        by_line=[_row(row, _line(walk, row.frame)) for row in by_line(costs, runs)],
        by_primitive=[_row(row, row.label) for row in by_primitive(costs, runs)],
        by_scope=[_node(node) for node in by_scope(costs, program.scope, program.name, program.call)],
        by_name_stack=[_node(node) for node in by_name_stack(costs, runs, program.name)],
        xla=None if xla_analysis is None else _xla(costs, program, xla_analysis),
        memory=_memory(walk, program, executable),
        xla_asked=executable is not None,
        recordings=sorted(recorded),
    )


def with_lead(document: Snapshot, cost: ProgramCost) -> ProgramCost:
    """Return the cost of a program with the sentences that stand at the top of the cost view."""
    return msgspec.structs.replace(cost, lead=lead(document, cost))


def _scope(costs: Costs, number: int, runs: ScopeRuns) -> ScopeCost:
    priced = costs.priced(number)
    flops, functions, moved = _columns(costs, priced)
    return ScopeCost(
        scope=number,
        runs=_most(runs.total.most),
        runs_min=_most(runs.total.least),
        per_trip=runs.total.per_trip,
        flops=flops,
        transcendentals=functions,
        bytes=moved,
    )


def _columns(costs: Costs, priced: Priced) -> tuple[list[int], list[int], list[int]]:
    # The columns begin with 0 for an equation with inner programs; the loop below fills in the cost of these programs.
    flops = [price.flops for price in costs.owns] + [0]
    functions = [price.transcendentals for price in costs.owns] + [0]
    moved = [-1 if price.read < 0 else price.read + price.written for price in costs.owns] + [0]
    columns = [[column[number] for number in priced.own] for column in (flops, functions, moved)]
    for call in priced.calls:
        for column, value in zip(columns, costs.call(call).amounts, strict=True):
            column[call.equation] = _most(value)
    return columns[0], columns[1], columns[2]


def _loops(costs: Costs, runs: dict[int, ScopeRuns]) -> list[str]:
    """Return the name and line of each while loop with an unknown number of steps, each line once."""
    walk = costs.walk
    names: dict[str, None] = {}
    for number, of_scope in runs.items():
        for call in costs.priced(number).calls:
            if not any(part.per_trip for part in call.parts):
                continue
            stack = walk.scopes[number].stack[call.equation]
            frames = walk.positions.stacks[stack][0] if stack >= 0 else []
            for frame in frames[:1] or [frame for frame in of_scope.frames if frame >= 0] or [-1]:
                line = f", line {walk.positions.frames[frame][2]}" if frame >= 0 else ""
                names[f"while_loop{line}"] = None
    return list(names)


def _line(walk: Walk, frame: int) -> str:
    """Return the source line of a frame if it is in the cell; '' if its text is unknown."""
    if frame < 0:
        return ""
    file, _, line, *_ = walk.positions.frames[frame]
    return walk.positions.cell_line(walk.positions.files[file], line).strip()[:200]


def _row(row: Row, label: str) -> CostRow:
    return CostRow(
        label=label,
        frame=row.frame,
        equations=row.equations,
        flops=_most(row.flops),
        flops_min=_most(row.flops_min),
        if_taken=_most(row.if_taken),
        transcendentals=_most(row.transcendentals),
        bytes_read=_most(row.bytes_read),
        bytes_written=_most(row.bytes_written),
        per_trip=row.per_trip,
    )


def _node(node: Node) -> CostNode:
    return CostNode(
        label=node.label,
        parent=node.parent,
        scope=node.scope,
        frame=node.frame,
        runs=_most(node.runs),
        per_trip=node.per_trip,
        flops=_most(node.flops),
        transcendentals=_most(node.transcendentals),
        bytes=_most(node.bytes),
    )


def _xla(costs: Costs, program: Program, xla_analysis: Analysis) -> XlaCost:
    if costs.of(program.scope).flops_most != costs.of(program.scope).flops:
        costs = costs.as_xla_weighs()
    runs = runs_of(costs, program.scope, program.call)
    return XlaCost(
        flops=xla_analysis.flops,
        transcendentals=xla_analysis.transcendentals,
        bytes=xla_analysis.bytes,
        differences=[_difference(difference) for difference in differences(costs, program.scope, runs, xla_analysis)],
        text=xla_text(_most(costs.of(program.scope).flops), xla_analysis.flops),
    )


def _difference(xla_difference: Any) -> CostDifference:
    return msgspec.convert(
        {name: _most(value) if isinstance(value, int) else value for name, value in asdict(xla_difference).items()},
        CostDifference,
    )


def _memory(walk: Walk, program: Program, executable: Any) -> Memory:
    used = memory_of(walk, program.scope, executable, program.input_names)
    return msgspec.convert({**asdict(used), "peak_text": "" if used.peak is None else peak_text(used.peak)}, Memory)


def _most(number: int) -> int:
    return min(number, MOST)
