"""Finds the Python loops that tracing unrolled into a program: statement, iterations, share, rewrite and price."""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass

from ...observe import advice_without_magics
from ...observe.observation import Place, StageTimes
from ...program.control_flow.limit_of_short_python_loops import SHORT
from ...program.jaxpr.repeated_blocks import RepeatedBlocks
from ...program.jaxpr.walk import Walk
from ...typed.syntax_nodes import in_order
from . import sentences_on_loops
from .comparison_cell import trial
from .kinds_of_python_loops import LoopStatement, Span, frame_span, loops_of, node_span
from .loops_worth_a_note import LoopFinder
from .nested_loops import FoundLoop
from .scan_and_vmap_code import Rewrite, rewrite


@dataclass(frozen=True)
class UnrolledLoop:
    """A Python loop that JAX unrolled into a program.

    Attributes:
        kind: unrolled_loop; short_loop if there is nothing to advise.
        key: A key that is equal for the same loop in another program.
        title: The event in a few words.
        text: Sentences that describe the loop.
        cure: The code to write instead, in words.
        code: A sketch of that code in the user's names.
        repetitions: The number of iterations; a lower bound if some iterations may have recorded no equations.
        carried: True if an iteration needs the result of the iteration before.
        share: The loop's part of the program's equations, from 0 to 1.
        price: Sentences on the measured times of the program.
        frame: The index of the frame that shows the whole statement.
        statement: The loop.
        written: The rewrite of the loop; None if there is nothing to advise.
        file: The `co_filename` of the loop's code.
    """

    kind: str
    key: tuple[object, ...]
    title: str
    text: str
    cure: str | None
    code: str | None
    repetitions: int
    carried: bool
    share: float
    price: list[str]
    frame: int
    statement: LoopStatement
    written: Rewrite | None
    file: str
    trial: str | None = None


class UnrolledLoops:
    """Finds the unrolled loops in the programs of a document. Each scope is searched once, and the result is reused.

    Args:
        walk: The `Walk` that has read the equations of the programs.
        rewrites: True if each loop gets its code with `jax.lax`. To write the code of a long loop takes several
            milliseconds.
    """

    def __init__(self, walk: Walk, rewrites: bool = True) -> None:
        self._walk = walk
        self._rewrites = rewrites
        self._blocks = RepeatedBlocks(walk)

    def of(
        self, scopes: list[int], definition: Place | None, call: Place | None, stages: StageTimes | None
    ) -> list[UnrolledLoop]:
        """Return the unrolled loops of a program, in the order of the source code.

        Args:
            scopes: The program's scopes, the program itself first.
            definition: The definition of the traced function: frames outside of it do not belong to the program.
            call: The line that called the traced function.
            stages: The times of the program's stages, if they were measured.
        """
        blocks = [block for scope in scopes for block in self._blocks.of(scope)]
        if not blocks:
            return []
        program = LoopFinder(self._walk, self._blocks, scopes, definition, call)
        return [self._loop(program, found_loop, scopes, call, stages) for found_loop in program.found(blocks)]

    def _loop(
        self, program: LoopFinder, match: FoundLoop, scopes: list[int], call: Place | None, stages: StageTimes | None
    ) -> UnrolledLoop:
        statement = match.statement
        total = self._walk.scopes[scopes[0]].total
        equations = min(program.equations(match), total)
        share = equations / total if total else 0.0
        ran = match.ran
        short = match.copies <= SHORT and (ran or 0) <= SHORT
        names = self._walk.strings.items[match.function]
        source = self._walk.positions.files[match.file]
        node = statement.node
        frame = self._walk.positions.frame(
            source, names, node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or -1
        )
        written = (
            None
            if short or not self._rewrites
            else _rewritten(statement, match.carried, self._differentiated(scopes), self._spans(statement, match.file))
        )
        return UnrolledLoop(
            kind="short_loop" if short else "unrolled_loop",
            key=(source.name, node.lineno, node.col_offset, match.repetitions, match.carried),
            title=sentences_on_loops.short_title(match) if short else sentences_on_loops.title(match, equations),
            text=sentences_on_loops.text(match, equations, total),
            cure=sentences_on_loops.FINE if short else sentences_on_loops.cure(match, written),
            code=written.code if written is not None else None,
            repetitions=ran or match.repetitions,
            carried=match.carried,
            share=share,
            price=[] if short else sentences_on_loops.price(stages),
            frame=frame,
            statement=statement,
            written=written,
            file=source.name,
            trial=self._trial(statement, written, call),
        )

    def _trial(self, statement: LoopStatement, written: Rewrite | None, call: Place | None) -> str | None:
        if written is None or written.code is None or call is None or not advice_without_magics.has_magics():
            return None
        called = next((file for file in self._walk.positions.files if file.name == call.file), None)
        return trial(statement, written.code, loops_of(called) if called else None, call.line)

    def _differentiated(self, scopes: list[int]) -> bool:
        strings = self._walk.strings.items
        return any(
            "transpose(" in strings[name] for scope in scopes for name in set(self._walk.scopes[scope].name_stack)
        )

    def _spans(self, statement: LoopStatement, file: int) -> frozenset[Span]:
        """Return the positions of the loop's expressions whose trace recorded equations."""
        positions, node = self._walk.positions, statement.node
        first, last = node.lineno, node.end_lineno or node.lineno
        # The table of frames also has frames of notes and definitions, so only frames in the call stacks of equations
        # are used.
        rows = {positions.frames[frame] for user, _ in positions.stacks for frame in user}
        return frozenset(
            frame_span(row, statement.lines)
            for row in rows
            if row[0] == file and first <= row[2] and row[4] <= last and row[3] >= 0
        )


@functools.lru_cache(maxsize=64)
def _rewritten(statement: LoopStatement, carried: bool, differentiated: bool, spans: frozenset[Span]) -> Rewrite:
    """Return the rewrite of a loop. It is cached, because a cell that runs again has the same loops."""
    iterated: set[int] = set()
    if isinstance(statement.node, ast.For):
        iterated = set(map(id, in_order(statement.node.iter)))
    elif not isinstance(statement.node, ast.While | ast.Call):
        iterated = set(map(id, in_order(statement.node.generators[0].iter)))

    def made_at(node: ast.expr) -> bool | None:
        if not spans:
            return None
        # Python 3.11 reports the position of the whole statement when a loop takes an element of an array.
        return node_span(node) in spans or (id(node) in iterated and node_span(statement.node) in spans)

    return rewrite(statement, carried, differentiated, made_at)
