"""Answers later requests about a run: lines of text, pages of equations, and levels made on request.

`Sources` keeps JAX's own objects of the run (columns of the jaxprs, lowered modules, executables), but no arrays, as
long as the panel may send requests about the run. Its methods may be called from any thread.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import msgspec

from ..document.merged_answers import merged
from ..document.printed_program import program_text
from ..document.printed_variable_names import Names
from ..document.read.recorded_step_counts import recorded_steps
from ..document.sentences.missing_part_sentences import NO_SHARDINGS_BEFORE_COMPILE, NO_SHARDINGS_REPORTED
from ..document.sentences.program_summary_line import summarised
from ..document.types.comparison import VariantComparison
from ..document.types.cost import ProgramCost
from ..document.types.document import Note, Snapshot
from ..document.types.exact_links import ExactLinks
from ..document.types.pages import ScopePage, TextPage
from ..document.types.shardings import ProgramShardings
from ..document.types.source_pages import SourcePage
from ..document.types.transform import Transform
from ..interruptions import not_of_a_signal
from ..observe.observation import Edit, FoundCure, ObservedFunction, ObservedProgram
from ..program.control_flow import ControlPath
from ..program.jaxpr.walk import Walk
from ..program.source.positions import CellText
from ..program.texts.lines_of_tagged_copy import ExactLines
from ..program.texts.pass_dumps import Passes
from . import pages_on_request
from .costs_of_programs import program_cost, with_lead
from .cures.cures_after_trials import ExplainedNote, with_cures
from .cures.untried_cures import CuresToTry
from .programs import pools_from_jaxprs
from .programs.derived_programs import with_derived
from .programs.equations_of_scope import scope_of_columns
from .programs.programs_of_run import walk_names
from .texts.collective_causes import HloLines
from .texts.lines_linked_to_equations import Text, held_level, linked_lines, linked_text
from .texts.shardings_of_program import is_spread, program_shardings
from .texts.stablehlo_and_hlo import LevelName, Unavailable, level_document, make
from .times.comparison_of_variants import comparison_document

if TYPE_CHECKING:
    from ..measure.compare.compared_functions import Comparison
    from ..measure.times.sweep_run import Sweep


class Sources:
    """The live objects behind the document of a run, which answer later requests of the panel."""

    def __init__(
        self,
        document: Snapshot,
        walk: Walk,
        observed: list[ObservedProgram],
        cells: Mapping[str, CellText],
        cell_file: str | None,
        control_paths: Sequence[ControlPath] = (),
    ) -> None:
        """Keep the live objects of a run.

        Args:
            document: The document that was built from the run.
            walk: The `Walk` that has read the equations from which the document was built.
            observed: JAX's own objects of each program of the document.
            cells: The notebook's cells by file name.
            cell_file: The file name of the cell that ran.
            control_paths: The path to the construct of each card of the document.
        """
        self._document = document
        self._walk = walk
        self._observed = observed
        self._cells = cells
        self._cell_file = cell_file
        self._control_paths = tuple(control_paths)
        self.cures_to_try: CuresToTry | None = None
        self._lock = threading.RLock()
        self._texts: dict[tuple[int, LevelName, str | None], Text] = {}
        self._passes: dict[int, Passes] = {}
        self._twins: dict[int, tuple[ExactLinks, dict[LevelName, Text]]] = {}
        self._names: dict[int, Names] = {}

    @property
    def document(self) -> Snapshot:
        """The present document of the run, with the answers to all requests until now."""
        return self._document

    def control_path(self, control: int) -> ControlPath:
        """Return where a card's construct is: its program, the path from the program's jaxpr to it, and its equation.

        Raises:
            IndexError: There is no such card.
        """
        return self._control_paths[control]

    def observed(self, program: int) -> ObservedProgram:
        """Return JAX's own objects of a program."""
        return self._observed[program]

    def text(self, program: int, level: LevelName, platform: str | None = None) -> Text:
        """Return the text of a level; JAX prints it at the first request.

        Args:
            program: The index of the program.
            level: StableHLO or HLO.
            platform: The platform to lower StableHLO for; None for the program that ran.

        Raises:
            Unavailable: JAX did not make the text, or cannot print the text.
        """
        with self._lock:
            text = self._texts.get((program, level, platform))
            if text is None:
                scope = self._document.programs[program].scope
                lines = linked_lines(self._observed[program], level, self._walk, scope, platform)
                text = linked_text(lines, pools_from_jaxprs.of_texts(self._walk, self._cell_file))
                self._texts[program, level, platform] = text
            return text

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold the lock on the shared pools of the run while the caller adds a text or a program to them."""
        with self._lock:
            yield

    def twin(self, program: int) -> ExactLinks | None:
        """Return the exact links of a program; None if its twin was not compiled."""
        twin = self._twins.get(program)
        return None if twin is None else twin[0]

    def add_twin(self, links: ExactLinks, read: Mapping[LevelName, ExactLines]) -> None:
        """Keep the exact links of a program, and the texts of its twin, to answer later requests."""
        with self._lock:
            text_pools = pools_from_jaxprs.of_texts(self._walk, self._cell_file)
            texts = {
                name: dataclasses.replace(
                    linked_text(level.lines, text_pools),
                    equations=[
                        [line, *(number for equation in equations for number in equation)]
                        for line, equations in sorted(level.equations.items())
                    ],
                )
                for name, level in read.items()
            }
            self._twins[links.program] = links, texts

    def twin_text(self, program: int, level: LevelName) -> Text:
        """Return the StableHLO or HLO of a program's twin.

        Raises:
            Unavailable: The twin was not compiled.
        """
        twin = self._twins.get(program)
        if twin is None:
            raise Unavailable(
                "The kernel does not hold the exact links of this program. Ask for the exact links again."
            )
        return twin[1][level]

    def add_passes(self, program: int, passes: Passes) -> None:
        """Keep the changes that XLA's passes made to a program, to answer later requests for diffs of passes."""
        with self._lock:
            self._passes[program] = passes

    def pass_diff(self, program: int, index: int) -> list[str]:
        """Return the lines of the diff of an XLA pass.

        Raises:
            Unavailable: The user did not request the passes, or the pass does not exist.
        """
        passes = self._passes.get(program)
        if passes is None or not 0 <= index < len(passes.passes):
            raise Unavailable("The kernel does not hold the diff of this pass. Ask for the passes again.")
        return passes.diff(index)

    def text_page(
        self,
        program: int,
        level: LevelName,
        first_line: int,
        line_count: int,
        platform: str | None = None,
        *,
        twin: bool = False,
    ) -> TextPage:
        """Return `line_count` lines of a level, or fewer if the text is shorter.

        Raises:
            Unavailable: JAX did not make the text, or cannot print the text.
        """
        text = self.twin_text(program, level) if twin else self.text(program, level, platform)
        return pages_on_request.text_page(text, level, first_line, line_count)

    def scope_page(self, scope: int, first_equation: int, equation_count: int) -> ScopePage:
        """Return equations of a scope, with those of inner scopes; variables have their names in the printed program.

        Args:
            scope: The index of the scope in the document.
            first_equation: The index of the first equation in the scope.
            equation_count: The largest number of equations to return, with the equations inside of them; at least 1.
        """
        with self._lock:
            names = self._all_names(scope).variables
        return pages_on_request.scope_page(self._walk, self._cell_file, names, scope, first_equation, equation_count)

    def source_page(self, path: str) -> SourcePage | None:
        """Return the text of a source file of the run, or why it cannot be shown; None for a file not in the run."""
        with self._lock:
            positions = self._walk.positions
            source = next((source for source in positions.files if source.path == path and source.kind != "cell"), None)
            codes = [] if source is None else positions.codes(source)
        return None if source is None else pages_on_request.source_page(source, codes)

    def make(self, program: int, level: LevelName) -> Snapshot:
        """Let JAX lower or compile a program that was only traced; return the document with the new levels.

        Raises:
            Unavailable: JAX cannot lower or compile the program.
        """
        with self._lock:
            make(self._observed[program], level)
            programs = list(self._document.programs)
            levels = [
                level if level.state == "held" else level_document(self._observed[program], level.name)
                for level in programs[program].levels
            ]
            programs[program] = msgspec.structs.replace(programs[program], levels=levels)
            self._document = summarised(msgspec.structs.replace(self._document, programs=programs), [program])
            self._spread(program)
            return self._document

    def _spread(self, program: int) -> None:
        """Add a program's shardings to the document if it uses several devices; leave out what cannot be read."""
        if is_spread(self._observed[program]):
            with suppress(Unavailable):
                self.shardings(program)

    @property
    def walk(self) -> Walk:
        """The `Walk` that has read the equations of the run's programs."""
        return self._walk

    def add_derived(self, original: int, functions: Sequence[ObservedFunction]) -> list[int]:
        """Append programs that JAX derived from a program of the run to the document; return their indices.

        Args:
            original: The index of the program that JAX derived the functions from; the functions get the definition
                of this program.
            functions: The derived functions, each with one program.
        """
        with self._lock:
            document = self._document
            derived = with_derived(document, self._walk, self._cell_file, original, functions)
            self._observed.extend(function.programs[0] for function in functions)
            self._control_paths += derived.control_paths
            numbers = range(len(document.programs), len(derived.document.programs))
            self._document = summarised(derived.document, numbers)
            return list(numbers)

    def add_transform(self, transform: Transform, notes: Sequence[Note] = ()) -> Snapshot:
        """Add a transform to the document, which already has the derived programs of the transform.

        Return the document.
        """
        with self._lock:
            document = self._document
            self._document = msgspec.structs.replace(
                document,
                transforms=[*document.transforms, transform],
                notes=[*document.notes, *notes],
                **pools_from_jaxprs.of_walk(self._walk, self._cell_file).fields(),
            )
            return self._document

    def add_cures(
        self,
        cures: Mapping[tuple[int, int], Sequence[FoundCure]],
        loops: Sequence[tuple[Note, Note, Sequence[Edit]]],
        noted: Sequence[tuple[Note, Sequence[FoundCure]]],
        of_error: ExplainedNote | None,
        untried: CuresToTry,
    ) -> Snapshot:
        """Put the tried cures into the document, and return the document.

        Args:
            cures: (index of the function in the ledger, index of its miss) -> cures that passed.
            loops: For each loop whose rewrite was tried: its note, the note after the trial, and the edits of its
                rewrite.
            noted: For each other note that was tried: the note, and the cures that passed.
            of_error: The note of the error whose cures were tried; None without one.
            untried: The cures that are not decided yet.
        """
        with self._lock:
            self.cures_to_try = untried
            document = self._document
            if not cures and not loops and not noted and of_error is None:
                return document
            cured = with_cures(document, self._walk, cures, loops, noted, of_error)
            self._document = msgspec.structs.replace(
                cured, **pools_from_jaxprs.of_walk(self._walk, self._cell_file).fields()
            )
            return self._document

    def merge(self, field: str, answer: Any) -> Snapshot:
        """Put an answer into the field `field` of the document, in place of an older answer; return the document."""
        with self._lock:
            self._document = merged(self._document, field, answer)
            if field == "recordings":
                # The recording shows the step counts of a loop, so the costs of its program are counted again.
                program = self._document.control_flow[answer.control].program
                if any(cost.program == program for cost in self._document.costs):
                    try:
                        self.cost(program)
                    except not_of_a_signal(Exception):
                        pass  # if counting fails, the answer has no costs; the document has the recording
            return self._document

    def comparison(self, comparison: Comparison, sweep: Sweep | None = None) -> VariantComparison:
        """Return the document's `VariantComparison` of a measured comparison of the run's programs."""
        with self._lock:
            return comparison_document(comparison, self._document.programs, self._observed, sweep)

    def add_note(self, note: Note) -> Snapshot:
        """Add a note to the document; return the document."""
        with self._lock:
            self._document = msgspec.structs.replace(self._document, notes=[*self._document.notes, note])
            return self._document

    def cost(self, program: int) -> ProgramCost:
        """Return the cost of a program.

        The first request counts it, and adds it to the document.
        """
        with self._lock:
            document = self._document
            earlier = next((cost for cost in document.costs if cost.program == program), None)
            compiled = self._observed[program].executable is not None
            recorded = recorded_steps(document, program)
            is_new = earlier is None or earlier.recordings != sorted(recorded)
            if earlier is not None and not is_new and (earlier.xla_asked or not compiled):
                return earlier
            program_data = document.programs[program]
            equation_counts = {number: len(scope.primitive) for number, scope in enumerate(document.scopes)}
            cost = program_cost(
                self._walk,
                program,
                program_data,
                self._observed[program],
                document.control_flow,
                counts_by_scope=equation_counts,
                recorded=recorded,
            )
            cost = with_lead(document, cost)
            self._document = merged(document, "costs", cost)
            return cost

    def shardings(self, program: int) -> ProgramShardings:
        """Return the shardings and the collectives of a program; the first request reads them from its executable.

        They are added to the document if the program uses more than one device.

        Raises:
            Unavailable: The program was not compiled, or its executable does not state its shardings.
        """
        with self._lock:
            document, observed = self._document, self._observed[program]
            sharding = next((sharding for sharding in document.shardings if sharding.program == program), None)
            if sharding is not None and sharding.collectives is not None:
                return sharding
            if observed.executable is None:
                raise Unavailable(NO_SHARDINGS_BEFORE_COMPILE)
            text = self.text(program, "hlo")
            hlo = HloLines(text.lines, text.line_stacks, text.inferred_lines, text.other_stacks)
            try:
                sharding = program_shardings(self._walk, program, document.programs[program], observed, hlo)
            except AttributeError:
                raise Unavailable(NO_SHARDINGS_REPORTED) from None
            if len(sharding.devices) > 1:
                self._document = merged(document, "shardings", sharding)
            return sharding

    def let_go_of_values(self) -> None:
        """Release the argument values that `--steps` kept alive."""
        for observed in self._observed:
            if observed.values is not None:
                observed.values.let_go()
            for call in observed.calls.calls if observed.calls is not None else ():
                call.values.let_go()

    def jaxpr_text(self, program: int) -> str:
        """Return the complete jaxpr of a program as text, also the equations that the document leaves out."""
        if self._document.programs[program].complete:
            return program_text(self._document, program)
        return program_text(self.whole(program), 0)

    def whole(self, program: int) -> Snapshot:
        """Return a document with a single program and all its equations."""
        fields = pools_from_jaxprs.of_walk(self._walk, self._cell_file).fields()
        scopes = [scope_of_columns(columns) for columns in self._walk.scopes]
        complete = msgspec.structs.replace(self._document.programs[program], complete=True, lets=None)
        return msgspec.structs.replace(self._document, programs=[complete], scopes=scopes, **fields)

    def with_texts(self, *, whole: bool = False) -> Snapshot:
        """Return the document with the texts of all levels that JAX has made, for an exported file.

        Args:
            whole: True to include all equations, however many there are.
        """
        with self._lock:
            for sharding in self._document.shardings:
                self._spread(sharding.program)
            programs = list(self._document.programs)
            walk = self._walk
            for index, program in enumerate(programs):
                levels = []
                for level in program.levels:
                    try:
                        text = held_level(self._observed[index], level, walk, program.scope)
                    except Unavailable:
                        text = level
                    levels.append(text)
                programs[index] = msgspec.structs.replace(program, levels=levels)
            scopes = self._document.scopes
            if whole and not all(program.complete for program in programs):
                programs = [msgspec.structs.replace(program, complete=True, lets=None) for program in programs]
                scopes = [scope_of_columns(columns) for columns in walk.scopes]
            fields = pools_from_jaxprs.of_walk(walk, self._cell_file).fields()
            return msgspec.structs.replace(self._document, programs=programs, scopes=scopes, **fields)

    def _all_names(self, scope: int) -> Names:
        """Return the printed variable names of the program to which a scope belongs."""
        for program in self._document.programs:
            if program.complete:
                continue
            names = self._names.get(program.scope)
            if names is None:
                names = self._names[program.scope] = walk_names(self._walk, program.scope, self._document.naming)
            if scope in names.variables:
                return names
        return Names({}, {})
