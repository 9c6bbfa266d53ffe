"""A built run in, the answers to later requests out: lines of text, pages of equations, levels made on request.

`Sources` holds JAX's own objects of the run (jaxprs' columns, lowered modules, executables), never arrays, as long as
the run may be asked about. Its methods may be called from any thread.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from ..observe.observation import ObservedProgram
from ..program.control_flow import ControlPath
from ..program.jaxpr import Walk
from ..program.sources import CellText
from ..program.stablehlo import LinesOfText
from . import pools
from .comparison_build import comparison_document
from .cost import Machine, ProgramCost
from .cost_build import program_cost
from .document import Level, Naming, Note, Snapshot
from .levels import LevelName, Unavailable, level_document, make, text_of
from .names import Names, Pools, name_program
from .pages import ScopePage, TextPage
from .part import Part
from .recording import Recording
from .sweep_build import sweep_document
from .text import program_text
from .timing import ProgramTiming

if TYPE_CHECKING:
    from ..measure.compare import Comparison
    from ..measure.sweep import Sweep

__all__ = ["Sources", "Text", "Unavailable"]


@dataclass(frozen=True)
class Text:
    """The text of a level."""

    text: str
    lines: list[str]
    sha256: str
    #: Of each line: index into the stacks of `pools`, -1 for none.
    line_stacks: list[int]
    pools: pools.Pools


class Sources:
    """What stands behind a document."""

    def __init__(
        self,
        document: Snapshot,
        walk: Walk,
        observed: list[ObservedProgram],
        cells: Mapping[str, CellText],
        cell_file: str | None,
        control_paths: Sequence[ControlPath] = (),
    ) -> None:
        """Keep the handles of a run.

        Args:
            document: What was built.
            walk: The columns and pools it was built from.
            observed: JAX's objects of each of its programs.
            cells: The notebook's cells by file name.
            cell_file: The file name of the cell that ran.
            control_paths: Of each card of the document: where its construct is.
        """
        self._document = document
        self._walk = walk
        self._observed = observed
        self._cells = cells
        self._cell_file = cell_file
        self._control_paths = tuple(control_paths)
        self._lock = threading.RLock()
        self._texts: dict[tuple[int, LevelName], Text] = {}
        self._names: dict[int, Names] = {}

    @property
    def document(self) -> Snapshot:
        """The latest document of the run."""
        return self._document

    def control_path(self, control: int) -> ControlPath:
        """Where the construct of a card is: its program, the way down from that program's jaxpr, its equation.

        Raises:
            IndexError: There is no such card.
        """
        return self._control_paths[control]

    def observed(self, program: int) -> ObservedProgram:
        """JAX's own objects of a program."""
        return self._observed[program]

    def text(self, program: int, level: LevelName) -> Text:
        """The text of a level, printed by JAX at the first request.

        Raises:
            Unavailable: It was not made, or cannot be had.
        """
        with self._lock:
            text = self._texts.get((program, level))
            if text is None:
                walk = Walk(self._cells)
                lines = text_of(self._observed[program], level, walk.positions)
                text = _text(lines, pools.of_walk(walk, self._cell_file))
                self._texts[program, level] = text
            return text

    def text_page(self, program: int, level: LevelName, first_line: int, line_count: int) -> TextPage:
        """Some lines of a level; fewer where the text ends.

        Raises:
            Unavailable: It was not made, or cannot be had.
        """
        text = self.text(program, level)
        part = Part(text.pools)
        lines = text.lines[first_line : first_line + line_count]
        stacks = text.line_stacks[first_line : first_line + line_count]
        return TextPage(
            level=level,
            characters=len(text.text),
            lines=len(text.lines),
            sha256=text.sha256,
            first_line=first_line,
            text="\n".join(lines),
            line_stacks=[part.stack(stack) for stack in stacks],
            **part.pools.text_fields(),
        )

    def scope_page(self, scope: int, first_equation: int, equation_count: int) -> ScopePage:
        """Some equations of a scope, with the names that printing the whole program gives them."""
        with self._lock:
            names = self._all_names(scope).variables.get(scope)
        columns = self._walk.scopes[scope]
        here = pools.scope(
            columns,
            first=first_equation,
            count=equation_count,
            names=names or [None] * len(columns.variable_avals),
        )
        part = Part(pools.of_walk(self._walk, self._cell_file))
        end = here.first_variable + len(here.variable_avals)
        outside = sorted(
            {
                operand
                for operands in [*here.operands, here.outputs]
                for operand in operands
                if operand >= 0 and not here.first_variable <= operand < end
            }
        )
        return ScopePage(
            scope=part.scope(here),
            operands=outside,
            operand_names=[(names[operand] if names else None) or "…" for operand in outside],
            **part.pools.fields(),
        )

    def make(self, program: int, level: LevelName) -> Snapshot:
        """Let JAX lower or compile a program that was only traced; returns the document with what can be had now.

        Raises:
            Unavailable: JAX cannot.
        """
        with self._lock:
            make(self._observed[program], level)
            programs = list(self._document.programs)
            levels = [
                each if each.state == "held" else level_document(self._observed[program], each.name)
                for each in programs[program].levels
            ]
            programs[program] = msgspec.structs.replace(programs[program], levels=levels)
            self._document = msgspec.structs.replace(self._document, programs=programs)
            return self._document

    def add_comparison(self, comparison: Comparison) -> Snapshot:
        """Put a comparison of the run's programs into its document; returns the document."""
        with self._lock:
            said = comparison_document(comparison, self._document.programs, self._observed)
            self._document = msgspec.structs.replace(self._document, comparison=said)
            return self._document

    def add_sweep(self, sweep: Sweep) -> Snapshot:
        """Put a sweep into the run's document, in the place of an older one; returns the document."""
        with self._lock:
            self._document = msgspec.structs.replace(self._document, sweep=sweep_document(sweep))
            return self._document

    def add_recordings(self, recordings: Sequence[Recording], notes: Sequence[Note] = ()) -> Snapshot:
        """Put what the stepper recorded into the document, each in the place of an older one; returns the document."""
        with self._lock:
            again = {recording.control for recording in recordings}
            kept = [each for each in self._document.recordings if each.control not in again]
            both = sorted([*kept, *recordings], key=lambda recording: recording.control)
            self._document = msgspec.structs.replace(
                self._document, recordings=both, notes=[*self._document.notes, *notes]
            )
            return self._document

    def add_timing(self, timing: ProgramTiming) -> Snapshot:
        """Put the times of a program into the document, in the place of older ones; returns the document."""
        with self._lock:
            kept = [each for each in self._document.timings if each.program != timing.program]
            both = sorted([*kept, timing], key=lambda each: each.program)
            self._document = msgspec.structs.replace(self._document, timings=both)
            return self._document

    def add_note(self, note: Note) -> Snapshot:
        """Add a note; returns the document."""
        with self._lock:
            self._document = msgspec.structs.replace(self._document, notes=[*self._document.notes, note])
            return self._document

    def add_machine(self, machine: Machine) -> Snapshot:
        """Put what the machine can do into the document; returns the document."""
        with self._lock:
            self._document = msgspec.structs.replace(self._document, machine=machine)
            return self._document

    def cost(self, program: int) -> ProgramCost:
        """What a program costs, counted at the first request and kept in the document."""
        with self._lock:
            document = self._document
            known = next((each for each in document.costs if each.program == program), None)
            compiled = self._observed[program].executable is not None
            if known is not None and (known.xla_asked or not compiled):
                return known
            shown = document.programs[program]
            held = {number: len(scope.primitive) for number, scope in enumerate(document.scopes)}
            cost = program_cost(self._walk, program, shown, self._observed[program], document.control_flow, held=held)
            kept = [each for each in document.costs if each.program != program]
            both = sorted([*kept, cost], key=lambda each: each.program)
            self._document = msgspec.structs.replace(document, costs=both)
            return cost

    def let_go_of_values(self) -> None:
        """Hold the values of the programs' calls no longer, where `--steps` asked to."""
        for observed in self._observed:
            if observed.values is not None:
                observed.values.let_go()

    def jaxpr_text(self, program: int) -> str:
        """The whole program as text, equations that the document leaves out included."""
        shown = self._document.programs[program]
        if shown.complete:
            return program_text(self._document, program)
        fields = pools.of_walk(self._walk, self._cell_file).fields()
        scopes = [pools.scope(columns) for columns in self._walk.scopes]
        complete = msgspec.structs.replace(shown, complete=True, lets=None)
        whole = msgspec.structs.replace(self._document, programs=[complete], scopes=scopes, **fields)
        return program_text(whole, 0)

    def with_texts(self) -> Snapshot:
        """The document with the texts of all levels that JAX has made, for a file that stands alone."""
        with self._lock:
            programs = list(self._document.programs)
            walk = self._walk
            for index, program in enumerate(programs):
                levels = []
                for level in program.levels:
                    try:
                        held = held_level(self._observed[index], level, walk)
                    except Unavailable:
                        held = level
                    levels.append(held)
                programs[index] = msgspec.structs.replace(program, levels=levels)
            fields = pools.of_walk(walk, self._cell_file).fields()
            return msgspec.structs.replace(self._document, programs=programs, **fields)

    def _all_names(self, scope: int) -> Names:
        """Names of the program that a scope belongs to."""
        for program in self._document.programs:
            if program.complete:
                continue
            names = self._names.get(program.scope)
            if names is None:
                names = self._names[program.scope] = walk_names(self._walk, program.scope, self._document.naming)
            if scope in names.variables:
                return names
        return Names({}, {})


def walk_names(walk: Walk, scope: int, naming: Naming, limit: int | None = None) -> Names:
    """Names of a program by the columns of a walk."""
    held = Pools(walk.strings.items, walk.parameter_lists, walk.scopes)
    return name_program(held, scope, naming, limit=limit)


def held_level(observed: ObservedProgram, level: Level, walk: Walk, limit: int | None = None) -> Level:
    """A level with its text in it, its stacks in the pools of `walk`; unchanged where JAX has not made it.

    Args:
        observed: JAX's objects of the program.
        level: The level without its text.
        walk: Whose pools take the lines' stacks.
        limit: Longest text to hold, in characters; a longer one stays on request.
    """
    if level.state != "on_request":
        return level
    text = _text(text_of(observed, level.name, walk.positions), pools.Pools())
    sizes = {"characters": len(text.text), "lines": len(text.lines), "sha256": text.sha256}
    if limit is not None and len(text.text) > limit:
        return msgspec.structs.replace(level, **sizes)
    return msgspec.structs.replace(level, state="held", text=text.text, line_stacks=text.line_stacks, **sizes)


def _text(lines: LinesOfText, held: pools.Pools) -> Text:
    return Text(
        text=lines.text,
        lines=lines.text.split("\n"),
        sha256=hashlib.sha256(lines.text.encode("utf-8", "replace")).hexdigest(),
        line_stacks=lines.line_stacks,
        pools=held,
    )
