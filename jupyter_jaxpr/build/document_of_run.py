"""Builds the document of an observation, and the live sources that answer later requests about it.

A program with at most `Sent.WHOLE_PROGRAM` equations is sent completely. Of a larger program, the first
`Sent.FIRST_PAGE` equations are sent (equations of inner scopes included) with their variable names;
`Sources.scope_page` answers requests for the rest.
"""

from __future__ import annotations

import re
import time
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import msgspec

from ..document.encoding import refused
from ..document.limits import SENTENCES, Sent
from ..document.sentences.program_summary_line import summarised
from ..document.types.control_flow import Control
from ..document.types.cost import ProgramCost
from ..document.types.document import VERSION, Cell, Environment, NamedValue, Note, Program, RaisedCall, Snapshot
from ..document.types.ledger import Ledger
from ..document.types.shardings import ProgramShardings
from ..interruptions import not_of_a_signal
from ..observe.calls.sys_monitoring import HAS_MONITORING
from ..observe.garbage_collection import without_collection
from ..observe.observation import (
    Observation,
    ObservedFunction,
    ObservedProgram,
    Printed,
)
from ..observe.reprs_of_users_values import Reading
from ..plain_text import could_not, traceback_text
from ..program.jaxpr.walk import Walk
from ..program.source.positions import CellText
from .cache_ledger import MissNumbers, ledger_document
from .control_flow_cards import ControlFlowFound, of_eager_construct, read_control_flow
from .costs_of_programs import program_cost, with_lead
from .cures.edits_proposed_by_notes import NoteSketches
from .cures.untried_cures import CuresToTry
from .notes import (
    captured_constant_notes,
    failure_notes,
    merged_and_sorted_notes,
    places_and_cures_of_notes,
    print_while_tracing_notes,
    random_key_notes,
    small_compile_notes,
    unrolled_loop_notes,
)
from .notes.changed_number_notes import number_notes
from .notes.merged_and_sorted_notes import without_repeats
from .notes.notes_outside_jit import notes_on_unshown
from .notes.out_of_bounds_notes import index_notes
from .notes.repeated_seed_notes import seed_notes
from .notes.silenced_notes import without_silenced
from .notes.square_root_notes import root_notes
from .notes.where_gradient_notes import masked_notes
from .program_opened_first import OfFunction, opened_first
from .programs import pools_from_jaxprs
from .programs.distinguishing_fields import told_apart
from .programs.marks_beside_types import ValueMarks
from .programs.programs_of_run import ProgramBuilder
from .programs.types_of_named_values import named_values
from .programs.variable_naming_rules import learn_naming
from .sources_of_requests import Sources
from .texts.collective_causes import HloLines
from .texts.shardings_of_program import is_spread, program_shardings
from .texts.stablehlo_and_hlo import Unavailable
from .texts.texts_of_small_programs import with_texts
from .times import peak_rates_of_machine as machine_build

__all__ = ["Built", "Sources", "Unavailable", "build"]

#: The fields of a document whose texts may come from objects of the user: `build` checks that JSON can represent these.
_DESCRIBED = ("title", "cell", "programs", "message", "notes", "avals", "files", "ledger", "control_flow", "shardings")

Item = TypeVar("Item")


@dataclass(frozen=True)
class Built:
    """The document of a run, its live sources, and the function that traces the last call again.

    Attributes:
        retrace: a function that traces the last call again; None if the document does not offer this.
    """

    document: Snapshot
    sources: Sources
    retrace: Callable[[], None] | None = None


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
    silenced: Collection[str] = (),
    saves_values: bool = True,
    texts_up_to: int = Sent.EQUATIONS_WITH_TEXTS,
    text_limit: int = Sent.CHARACTERS_OF_TEXT,
    rewrites_loops: bool = True,
) -> Built:
    """Make the document of an observed run.

    The build takes two to three microseconds per equation. Python's garbage collector is off meanwhile, because JAX
    keeps so many objects that one full collection takes longer than the build.

    Args:
        observation: The functions, notes and values that the observer recorded while the cell ran.
        cell: The cell that ran; None outside a notebook.
        environment: The installed versions and the devices.
        run_id: The id of the document.
        title: The title that the user gave to the run.
        pinned: True if the user asked to keep the run in the panel.
        message: If the run has no program: the sentence that says what the cell did and what the user can type.
        extra_notes: Notes that the caller adds; their `frame` is -1.
        cells: `co_filename` of a cell's code -> the cell; `cell` may be missing.
        silenced: The kinds of notes that the user silenced.
        saves_values: True if copies of the document may hold values of the user's.
        texts_up_to: The document gets StableHLO and HLO only if the run has at most this many equations.
        text_limit: A StableHLO or HLO text with more characters than this is left out.
        rewrites_loops: True if the notes on unrolled Python loops show the loops as code with `jax.lax`.
    """
    cells_by_file: dict[str, CellText] = dict(cells or {})
    if cell is not None:
        cells_by_file[cell.file] = cell
    with without_collection():
        return _Builder(cells_by_file, cell, observation.reading, texts_up_to, text_limit, rewrites_loops).build(
            observation,
            environment=environment,
            run_id=run_id,
            title=title,
            pinned=pinned,
            message=message,
            extra_notes=extra_notes,
            silenced=silenced,
            saves_values=saves_values,
        )


class _Builder:
    """Builds one document, part by part. If a part fails, a note says so and the other parts are still built."""

    def __init__(
        self,
        cells: Mapping[str, CellText],
        cell: Cell | None,
        reading: Reading,
        texts_up_to: int,
        text_limit: int,
        rewrites_loops: bool,
    ) -> None:
        self._rewrites_loops = rewrites_loops
        self._texts_up_to = texts_up_to
        self._text_limit = text_limit
        self._cells = cells
        self._reading = reading
        self._cell = cell
        self._cell_file = cell.file if cell else None
        self._walk = Walk(cells, reading)
        self._naming = learn_naming()
        self._programs: list[Program] = []
        self._observed: list[ObservedProgram] = []
        self._loop_places: list[unrolled_loop_notes.LoopPlaces] = []
        self._builder = ProgramBuilder(self._walk, self._naming, [], reading=reading)
        self._failures: list[str] = []
        self._undescribed: list[Note] = []
        self._miss_numbers: MissNumbers = {}
        self._loops: list[unrolled_loop_notes.NotedLoop] = []

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
        silenced: Collection[str],
        saves_values: bool,
    ) -> Built:
        of_functions = list[OfFunction]()
        for function in observation.functions:
            first = len(self._programs)
            self._programs_of(function)
            of_functions.append(OfFunction(function.top_level, range(first, len(self._programs))))
        self._hold_texts()
        own_programs = list(self._programs)
        # Programs of library calls come after the user's own programs, and are never the program in focus by default.
        for function in observation.libraries:
            self._programs_of(function)
        walk = self._walk
        ledger = self._ledger(observation)
        controls = self._control_flow()
        costs = self._costs(controls, own_programs)
        sketches = NoteSketches(walk)
        shardings = self._shardings() if environment.device_count > 1 else []
        key_notes = self._found(lambda: sketches.of(random_key_notes.key_notes(walk, own_programs, self._failures)))
        masked = self._found(lambda: sketches.of_notes(masked_notes(walk, own_programs, self._failures)))
        roots = self._found(lambda: sketches.of_notes(root_notes(walk, own_programs, self._failures)))
        found_notes = [
            *self._found(lambda: captured_constant_notes.captured_notes(walk, own_programs)),
            *self._found(lambda: self._loop_notes(own_programs)),
            *key_notes,
            *self._found(lambda: seed_notes(walk, own_programs, self._observed, self._failures)),
            *self._found(lambda: index_notes(walk, own_programs, self._observed, self._failures)),
            *self._found(lambda: number_notes(walk, own_programs, observation.findings, self._failures)),
            *masked,
            *merged_and_sorted_notes.on_other_lines(walk, roots, masked),
            *controls.notes,
            *self._each(
                observation.printed,
                lambda printed: self._printed_notes(printed, sketches),
            ),
            *self._found(
                lambda: small_compile_notes.eager_note(
                    walk, observation, self._names_disable_jit(), self._files_of_cell()
                )
            ),
            *self._each(
                random_key_notes.without_known_keys(walk, observation.findings, key_notes),
                lambda program: sketches.of_notes(
                    places_and_cures_of_notes.finding_notes(walk, [program], self._programs), program.carry
                ),
            ),
            *extra_notes,
        ]
        found_notes += self._found(
            lambda: notes_on_unshown(observation, walk, self._cells, self._naming, found_notes, self._failures)
        )
        found_notes += [*self._undescribed, *failure_notes.failure_notes([*observation.failures, *self._failures])]
        names = self._found(lambda: self._named_values(observation, controls.controls))
        document = Snapshot(
            version=VERSION,
            values="kept" if saves_values else "live",
            id=run_id,
            created=time.time(),
            title=title,
            pinned=pinned,
            environment=environment,
            cell=self._cell,
            programs=self._programs,
            focus=opened_first(of_functions, self._observed, observation.focus),
            message=message,
            notes=without_silenced(
                walk,
                merged_and_sorted_notes.in_line_order(walk, without_repeats(found_notes), self._cell_file),
                silenced,
            ),
            untraced_lines=list(observation.untraced_lines),
            cut=None,
            naming=self._naming,
            scopes=self._builder.scopes,
            ledger=ledger,
            control_flow=controls.controls,
            costs=costs,
            shardings=shardings,
            retrace=places_and_cures_of_notes.retrace_document(walk, observation.retrace),
            machine=machine_build.known(),
            raised_calls=self._raised_calls(),
            named_values=names,
            **pools_from_jaxprs.of_walk(walk, self._cell_file).fields(),
        )
        document = summarised(document, range(len(document.programs)))
        document = msgspec.structs.replace(document, costs=[with_lead(document, cost) for cost in costs])
        why = refused([getattr(document, name) for name in _DESCRIBED])
        if why is not None:
            failed = failure_notes.undescribed_note("A part of this run's document", why)
            document = msgspec.structs.replace(document, notes=[*document.notes, failed])
        sources = Sources(document, walk, self._observed, self._cells, self._cell_file, controls.paths)
        # If several programs contain one Python loop with different numbers of iterations, the loop has several notes,
        # and only some of them may have code. All of them are tried together.
        rewritten = {unrolled.loop.statement.node for unrolled in self._loops if unrolled.loop.code is not None}
        loops = tuple(unrolled for unrolled in self._loops if unrolled.loop.statement.node in rewritten)
        sources.cures_to_try = CuresToTry(
            self._miss_numbers, loops, len(own_programs), notes=tuple(sketches.found), error=observation.error_to_try
        )
        return Built(document, sources)

    def _named_values(self, observation: Observation, controls: Sequence[Control]) -> list[NamedValue]:
        if observation.named_values is None:
            return []
        outermost = {program.scope for program in self._programs}
        marks = ValueMarks(self._walk, controls)
        return named_values(self._walk, self._builder.scopes, outermost, observation.named_values.all(), marks)

    def _raised_calls(self) -> list[RaisedCall]:
        """Return the calls that raised, each with its operands as variables of the document."""
        calls = []
        for index, observed in enumerate(self._observed):
            variable_count = len(self._builder.scopes[self._programs[index].scope].variable_avals)
            operands = [number for number in observed.raised_operands if number < variable_count]
            if 0 < len(operands) <= SENTENCES:
                calls.append(RaisedCall(program=index, operands=operands))
        return calls

    def _loop_notes(self, own_programs: Sequence[Program]) -> list[Note]:
        self._loops = unrolled_loop_notes.loop_notes(
            self._walk,
            own_programs,
            self._loop_places[: len(own_programs)],
            self._failures,
            self._rewrites_loops,
        )
        return [unrolled.note for unrolled in self._loops]

    def _found(self, find: Callable[[], list[Item]]) -> list[Item]:
        """Return what `find` returns; if it raises, record the traceback and return []."""
        try:
            return find()
        except not_of_a_signal(Exception):
            self._failures.append(traceback.format_exc())
            return []

    def _each(self, items: Sequence[Item], notes_of: Callable[[Item], list[Note]]) -> Iterator[Note]:
        """Yield the notes on each item. If the notes on an item cannot be made, yield a note that says so."""
        for item in items:
            try:
                yield from notes_of(item)
            except not_of_a_signal(Exception) as error:
                self._could_not("A note", error)

    def _could_not(self, subject: str, error: Exception) -> None:
        self._undescribed.append(failure_notes.undescribed_note(subject, could_not(error), traceback_text(error)))

    def _ledger(self, observation: Observation) -> Ledger | None:
        if observation.ledger is None:
            return None
        try:
            small = observation.eager_compiles
            ledger, self._miss_numbers = ledger_document(
                self._walk, observation.ledger, self._files_of_cell(), self._could_not, small
            )
            return ledger
        except not_of_a_signal(Exception) as error:
            self._could_not("The cache", error)
            return None

    def _names_disable_jit(self) -> bool:
        """Return whether the cell's source turns `jax.disable_jit` on; always False on Python 3.12 and later.

        Only on Python 3.11 does the observer not see calls under `jax.disable_jit`.
        """
        if HAS_MONITORING or self._cell is None:
            return False
        code = [line.partition("#")[0] for line in self._cell.source.splitlines()]
        return any(re.search(r"\bdisable_jit\((?:True)?\)|jax_disable_jit.*True", line) for line in code)

    def _files_of_cell(self) -> set[str]:
        """Return the file names under which the cell's code was compiled.

        Magics such as %%time compile the code under another file name than IPython does.
        """
        cell = self._cell
        if cell is None:
            return set()
        is_it = (cell.id, cell.execution_count, cell.source)
        return {
            file for file, source in self._cells.items() if (source.id, source.execution_count, source.source) == is_it
        }

    def _control_flow(self) -> ControlFlowFound:
        try:
            flow = read_control_flow(self._walk, self._programs, self._failures.append)
            return replace(flow, controls=[self._completed(card) for card in flow.controls])
        except not_of_a_signal(Exception):
            self._failures.append(traceback.format_exc())
            return ControlFlowFound([], [], [])

    def _completed(self, card: Control) -> Control:
        """Return the card of a construct, with what its program alone does not show.

        A construct outside of jit has another row of the decision table. If the program has no argument values, the
        card gets a sentence on why it has no steps.
        """
        observed = self._observed[card.program]
        card, why = of_eager_construct(card, observed.construct), observed.no_values
        return card if why is None or card.steppable else msgspec.structs.replace(card, steppable=why)

    def _costs(self, controls: ControlFlowFound, programs: Sequence[Program]) -> list[ProgramCost]:
        """Return the costs of the programs, if the programs have few enough equations to count the costs at once."""
        if sum(program.equations for program in programs) > Sent.EQUATIONS_WITH_COSTS:
            return []
        costs = []
        equation_counts = {number: len(scope.primitive) for number, scope in enumerate(self._builder.scopes)}
        for number, program in enumerate(programs):
            try:
                observed = self._observed[number]
                ask = program.equations <= Sent.EQUATIONS_WITH_XLA_COSTS
                costs.append(
                    program_cost(self._walk, number, program, observed, controls.controls, equation_counts, ask_xla=ask)
                )
            except not_of_a_signal(Exception):  # if counting one program fails, the others are still counted
                self._failures.append(traceback.format_exc())
        return costs

    def _shardings(self) -> list[ProgramShardings]:
        """Return the shardings of the programs that use several devices.

        The shardings include the collectives of a program if the document has the program's HLO.
        """
        documents = []
        for number, program in enumerate(self._programs):
            try:
                if not is_spread(self._observed[number]):
                    continue
                level = next(level for level in program.levels if level.name == "hlo")
                hlo = None
                if level.text is not None and level.line_stacks is not None:
                    lines = level.text.split("\n")
                    hlo = HloLines(lines, level.line_stacks, level.inferred_lines, level.other_stacks)
                documents.append(program_shardings(self._walk, number, program, self._observed[number], hlo))
            except not_of_a_signal(Exception):  # if describing one program fails, the others are still described
                self._failures.append(traceback.format_exc())
        return documents

    # --- programs ------------------------------------------------------------------------------

    def _programs_of(self, function: ObservedFunction) -> None:
        first = len(self._programs)
        for observed in function.programs:
            try:
                self._program(function, observed)
            except not_of_a_signal(Exception) as error:  # if one program fails, the others are still built
                self._could_not(f"A program of {function.name}", error)
                self._walk.forget(len(self._builder.scopes))
        try:
            self._programs[first:] = told_apart(self._programs[first:], self._observed[first:], self._reading)
        except not_of_a_signal(Exception):
            self._failures.append(traceback.format_exc())

    def _program(self, function: ObservedFunction, observed: ObservedProgram) -> None:
        self._programs.append(self._builder.program(function, observed))
        self._observed.append(observed)
        self._loop_places.append((function.definition, observed.call, observed.stages, observed.no_text is None))

    def _printed_notes(self, printed: Printed, sketches: NoteSketches) -> list[Note]:
        found = print_while_tracing_notes.printed_notes(self._walk, [printed], self._programs)
        return sketches.of_notes(found) if print_while_tracing_notes.shows_tracers(printed) else found

    def _hold_texts(self) -> None:
        if self._builder.equations <= self._texts_up_to:
            for index, program in enumerate(self._programs):
                self._programs[index] = with_texts(
                    program, self._observed[index], self._walk, self._text_limit, self._failures
                )
