"""What was observed in, the document out, with the live handles that answer for what it does not hold.

A program is sent whole up to `WHOLE` equations. A larger one is sent with the first `PAGE` equations of each scope and
their names; `Sources.scope_page` answers for the rest.
"""

from __future__ import annotations

import gc
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import msgspec

from ..observe.observation import (
    Observation,
    ObservedFunction,
    ObservedProgram,
    StageTimes,
)
from ..program.jaxpr import Walk
from ..program.parameters import open_jaxpr
from ..program.sources import CellText
from . import machine_build, notes, pools, signatures
from .control_flow_build import ControlFlowFound, read_control_flow
from .cost import ProgramCost
from .cost_build import AT_ONCE, XLA_AT_ONCE, program_cost
from .document import (
    VERSION,
    Activity,
    Cell,
    Environment,
    Let,
    Level,
    Note,
    Program,
    Scope,
    Snapshot,
    Stages,
)
from .ledger import Ledger
from .ledger_build import ledger_document
from .levels import LEVELS, Unavailable, level_document
from .live import Sources, held_level, walk_names
from .names import learn_naming

__all__ = ["PAGE", "WHOLE", "Built", "Sources", "Unavailable", "build"]

#: Most equations of a program that is sent whole.
WHOLE = 20_000
#: Most equations that all programs of a run have together, where they are sent whole.
WHOLE_RUN = 60_000
#: Equations of each scope that are sent of a larger program.
PAGE = 5_000
#: Texts are printed with the document up to this many equations in the run, as long as they are short.
TEXTS_UP_TO = 300
TEXT_LIMIT = 60_000


@dataclass(frozen=True)
class Built:
    """A document, and what stands behind it."""

    document: Snapshot
    sources: Sources


def build(
    observation: Observation,
    cell: Cell | None,
    *,
    environment: Environment,
    run_id: str,
    title: str | None = None,
    pinned: bool = False,
    message: str | None = None,
    extra_notes: Sequence[Note] = (),
    cells: Mapping[str, CellText] | None = None,
) -> Built:
    """Make the document of an observed run.

    Two to three microseconds an equation; Python's garbage collector rests meanwhile, as a full collection in JAX's
    heap takes longer than the walk itself.

    Args:
        observation: What was observed.
        cell: The cell that ran; None outside a notebook.
        environment: Versions and devices.
        run_id: The id of the document.
        title: What the user called it.
        pinned: Whether the user asked to keep it in view.
        message: Where there is no program: what was seen and what to type.
        extra_notes: Notes of the caller; their `frame` is -1.
        cells: The notebook's cells by the file name that their code carries; `cell` need not be among them.
    """
    known: dict[str, CellText] = dict(cells or {})
    if cell is not None:
        known[cell.file] = cell
    with _without_collection():
        return _Builder(known, cell).build(
            observation,
            environment=environment,
            run_id=run_id,
            title=title,
            pinned=pinned,
            message=message,
            extra_notes=extra_notes,
        )


class _Builder:
    """Fills one document."""

    def __init__(self, cells: Mapping[str, CellText], cell: Cell | None) -> None:
        self._cells = cells
        self._cell = cell
        self._cell_file = cell.file if cell else None
        self._walk = Walk(cells)
        self._naming = learn_naming()
        self._programs: list[Program] = []
        self._observed: list[ObservedProgram] = []
        self._loop_places: list[notes.LoopPlaces] = []
        self._scopes: list[Scope] = []
        self._failures: list[str] = []
        self._equations = 0

    def build(
        self,
        observation: Observation,
        *,
        environment: Environment,
        run_id: str,
        title: str | None,
        pinned: bool,
        message: str | None,
        extra_notes: Sequence[Note],
    ) -> Built:
        focus = asked = -1
        for function in observation.functions:
            first = len(self._programs)
            for observed in function.programs:
                try:
                    self._program(function, observed)
                    if observed is observation.focus:
                        asked = len(self._programs) - 1
                except Exception:  # one bad program hides no other
                    self._failures.append(traceback.format_exc())
                    self._walk.forget(len(self._scopes))
            if len(self._programs) > first and (function.top_level or focus < 0):
                focus = len(self._programs) - 1
        self._hold_texts()
        walk = self._walk
        ledger = self._ledger(observation)
        controls = self._control_flow()
        costs = self._costs(controls)
        found = [
            *self._noted(lambda: notes.captured_notes(walk, self._programs)),
            *self._noted(lambda: notes.loop_notes(walk, self._programs, self._loop_places, self._failures)),
            *controls.notes,
            *notes.printed_notes(walk, observation.printed, self._programs),
            *notes.eager_note(observation.eager_compiles),
            *notes.finding_notes(walk, observation.findings, self._programs),
            *extra_notes,
            *notes.failure_notes([*observation.failures, *self._failures]),
        ]
        document = Snapshot(
            version=VERSION,
            id=run_id,
            created=time.time(),
            title=title,
            pinned=pinned,
            environment=environment,
            cell=self._cell,
            programs=self._programs,
            focus=focus if asked < 0 else asked,
            message=message,
            notes=notes.in_line_order(walk, found, self._cell_file),
            untraced_lines=list(observation.untraced_lines),
            cut=None,
            naming=self._naming,
            scopes=self._scopes,
            ledger=ledger,
            control_flow=controls.controls,
            costs=costs,
            machine=machine_build.known(),
            **pools.of_walk(walk, self._cell_file).fields(),
        )
        sources = Sources(document, walk, self._observed, self._cells, self._cell_file, controls.paths)
        return Built(document, sources)

    def _noted(self, find: Callable[[], list[Note]]) -> list[Note]:
        """Notes, where finding them does not fail."""
        try:
            return find()
        except Exception:
            self._failures.append(traceback.format_exc())
            return []

    def _ledger(self, observation: Observation) -> Ledger | None:
        if observation.ledger is None:
            return None
        try:
            return ledger_document(self._walk, observation.ledger, self._files_of_cell())
        except Exception:
            self._failures.append(traceback.format_exc())
            return None

    def _files_of_cell(self) -> set[str]:
        """Under which names code of the cell was compiled: its own, and those of the magics below ours."""
        cell = self._cell
        if cell is None:
            return set()
        is_it = (cell.id, cell.execution_count, cell.source)
        return {file for file, each in self._cells.items() if (each.id, each.execution_count, each.source) == is_it}

    def _control_flow(self) -> ControlFlowFound:
        try:
            return read_control_flow(self._walk, self._programs, self._failures.append)
        except Exception:
            self._failures.append(traceback.format_exc())
            return ControlFlowFound([], [], [])

    def _costs(self, controls: ControlFlowFound) -> list[ProgramCost]:
        """What the programs cost, where they are small enough to be counted at once."""
        if sum(program.equations for program in self._programs) > AT_ONCE:
            return []
        costs = []
        held = {number: len(scope.primitive) for number, scope in enumerate(self._scopes)}
        for number, program in enumerate(self._programs):
            try:
                observed = self._observed[number]
                ask = program.equations <= XLA_AT_ONCE
                costs.append(program_cost(self._walk, number, program, observed, controls.controls, held, ask_xla=ask))
            except Exception:  # the others can still be counted
                self._failures.append(traceback.format_exc())
        return costs

    # --- programs ------------------------------------------------------------------------------

    def _program(self, function: ObservedFunction, observed: ObservedProgram) -> None:
        walk = self._walk
        # Names of an incomplete program are stated in its scopes, so it shares none with other programs.
        first = len(walk.scopes)
        scope = walk.program(observed.jaxpr)
        total = walk.scopes[scope].total
        complete = total <= WHOLE and self._equations + total <= WHOLE_RUN
        if not complete:
            scope = walk.program_apart(observed.jaxpr, scope, first)
        lets = self._send(scope, first, complete)
        opened = open_jaxpr(observed.jaxpr)
        debug = getattr(opened, "debug_info", None)
        columns = walk.scopes[scope]
        self._equations += total if complete else PAGE
        self._programs.append(
            Program(
                name=function.name,
                origin=observed.origin,
                origin_note=observed.origin_note,
                definition=notes.frame_of(walk, function.definition),
                call=notes.frame_of(walk, observed.call),
                arguments=[signatures.argument(spec) for spec in observed.arguments],
                result=self._result(observed, scope),
                scope=scope,
                input_names=_paths(debug, "arg_names", columns.inputs),
                result_names=_paths(debug, "result_paths", len(columns.outputs)),
                equations=total,
                complete=complete,
                lets=lets,
                levels=[level_document(observed, level) for level in LEVELS],
                stages=_stages(observed.stages),
                activity=_activity(function),
            )
        )
        self._observed.append(observed)
        self._loop_places.append((function.definition, observed.call, observed.stages))

    def _send(self, scope: int, first: int, complete: bool) -> list[Let] | None:
        """Put the new scopes of a program into the document, whole or the first page of each."""
        walk = self._walk
        if complete:
            self._scopes += [pools.scope(columns) for columns in walk.scopes[first:]]
            if first:
                self._rename(first)
            return None
        names = walk_names(walk, scope, self._naming, limit=PAGE)
        for number in range(first, len(walk.scopes)):
            columns = walk.scopes[number]
            known = names.variables.get(number)
            count = PAGE if known is not None else 0
            variables = known or [None] * len(columns.variable_avals)
            self._scopes.append(pools.scope(columns, count=count, names=variables))
        return [Let(scope=number, name=walk.strings.number(name)) for number, name in names.lets.items()]

    def _rename(self, first: int) -> None:
        """Earlier scopes that a later program calls by a name may have had none before."""
        for number in range(first):
            name = self._walk.scopes[number].name
            if self._scopes[number].name != name:
                self._scopes[number] = pools.scope(self._walk.scopes[number])

    def _result(self, observed: ObservedProgram, scope: int) -> Any:
        if observed.result is not None:
            return signatures.result(observed.result)
        walk = self._walk
        columns = walk.scopes[scope]
        return signatures.flat_result(
            walk.avals[columns.variable_avals[operand] if operand >= 0 else walk.literals[-1 - operand][1]].text
            for operand in columns.outputs
        )

    def _hold_texts(self) -> None:
        """Print the texts of small programs with the document, so that a saved notebook has them."""
        if self._equations > TEXTS_UP_TO:
            return
        for index, program in enumerate(self._programs):
            levels: list[Level] = []
            for level in program.levels:
                try:
                    level = held_level(self._observed[index], level, self._walk, TEXT_LIMIT)
                except Unavailable:
                    pass  # it stays on request, and the request says why
                except Exception:
                    self._failures.append(traceback.format_exc())
                levels.append(level)
            self._programs[index] = msgspec.structs.replace(program, levels=levels)


def _paths(debug: Any, field: str, count: int) -> list[str]:
    """Paths of inputs or results as JAX knows them, an empty string where it does not."""
    try:
        paths = [str(path) if path is not None else "" for path in getattr(debug, field) or ()]
    except Exception:  # another JAX: unknown
        return []
    if len(paths) != count:
        return []
    return paths


def _stages(times: StageTimes | None) -> Stages | None:
    if times is None:
        return None
    return Stages(
        trace=times.trace,
        lower=times.lower,
        compile=times.compile,
        from_disk=times.from_disk,
        first_run=times.first_run,
        rest=times.rest,
        total=times.total,
    )


def _activity(function: ObservedFunction) -> Activity | None:
    seen = (function.calls, function.misses, function.traces, function.lowerings, function.compiles)
    if all(number is None for number in seen):
        return None
    return Activity(
        calls=function.calls,
        calls_exact=function.calls_exact,
        misses=function.misses,
        traces=function.traces,
        lowerings=function.lowerings,
        compiles=function.compiles,
        from_disk=function.from_disk,
        inlined=function.inlined,
        raised=function.raised,
    )


@contextmanager
def _without_collection() -> Iterator[None]:
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
