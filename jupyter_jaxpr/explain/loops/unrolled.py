"""A walked program in, the Python loops that were unrolled into it out: statement, count, share, rewrite and price.

`program.jaxpr.repeated_blocks` finds blocks that repeat; here the stacks of a block are followed from the outside in,
to the innermost loop statement that all of them went through. A block without such a statement in the user's own text
(a helper that is written out, a library's loop over leaves) is nobody's loop, and is left out.
"""

from __future__ import annotations

import ast
import functools
from collections import Counter
from dataclasses import dataclass, field

from ...observe.observation import Place, StageTimes
from ...program.jaxpr.repeated_blocks import RepeatedBlock, RepeatedBlocks
from ...program.jaxpr.walk import Walk
from ...program.source.positions import FrameRow
from ...quantities import count, duration
from .rewrites import Rewrite, rewrite
from .statements import COMPREHENSIONS, LoopStatement, Span, frame_span, loops_of, node_span
from .trial import trial

#: A loop of more repetitions than this is advised against; unrolling a shorter one is often the better choice.
SHORT = 10
#: A block that is there fewer times than this is not worth a word.
_FEWEST = 4
#: Least part of a loop's equations that must repeat: in a loop that repeats, nearly all do.
_REPEATS = 0.5
_DEPTH = 3  # loops inside of loops
_OVER_LEAVES = frozenset({"map", "tree_map", "map_with_path", "tree_map_with_path", "reduce", "tree_reduce", "leaves"})
_OVER_ELEMENTS = frozenset({"stack", "hstack", "vstack", "dstack", "column_stack", "concatenate", "block", "split"})


@dataclass(frozen=True)
class UnrolledLoop:
    """A loop of Python's that ran while JAX traced.

    Attributes:
        kind: unrolled_loop, or short_loop where there is nothing to advise.
        key: The same for the same loop in another program.
        title: What happened, in a few words.
        text: What was seen.
        cure: What to write instead.
        code: A sketch of it in the user's names.
        trial: The text of a cell that compares both.
        repetitions: Turns.
        carried: A turn needs the one before.
        share: Part of the program's equations.
        price: Measured times, as sentences.
        frame: Index of a frame: the whole statement.
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
    trial: str | None = None


@dataclass
class _Found:
    """One statement and the blocks that came of it."""

    statement: LoopStatement
    file: int
    function: int
    repetitions: int = 0
    carried: bool = False
    #: Loops inside, outermost first, and how often each ran in one turn of the one around it.
    inside: list[tuple[LoopStatement, int]] = field(default_factory=list)
    #: Loops around that may have run more than once.
    around: list[LoopStatement] = field(default_factory=list)
    blocks: list[RepeatedBlock] = field(default_factory=list)
    forward: bool = False
    #: The first turn reads values of other types than the next ones do.
    starts_otherwise: bool = False

    @property
    def copies(self) -> int:
        """How often the innermost block is in the program."""
        copies = self.repetitions
        for _, turns in self.inside:
            copies *= turns
        return copies


class UnrolledLoops:
    """Finds the loops of the programs of a walk; each scope is searched once."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._blocks = RepeatedBlocks(walk)

    def of(
        self, scopes: list[int], definition: Place | None, call: Place | None, stages: StageTimes | None
    ) -> list[UnrolledLoop]:
        """The loops of a program, in the order of the source.

        Args:
            scopes: The program's scopes, the program itself first.
            definition: Of the traced function: frames outside of it are not the program's.
            call: The line that called it.
            stages: Times of the program, where they were measured.
        """
        blocks = [block for scope in scopes for block in self._blocks.of(scope)]
        if not blocks:
            return []
        program = _Program(self._walk, self._blocks, scopes, definition, call)
        return [program.loop(found, stages) for found in program.found(blocks)]


class _Program:
    def __init__(
        self, walk: Walk, blocks: RepeatedBlocks, scopes: list[int], definition: Place | None, call: Place | None
    ) -> None:
        self._walk = walk
        self._blocks = blocks
        self._scopes = scopes
        self._definition = definition
        self._call = call
        self._chains: dict[int, list[FrameRow]] = {}
        self._stack_counts: dict[int, Counter[int]] = {}

    def found(self, blocks: list[RepeatedBlock]) -> list[_Found]:
        """The loops that blocks came of, each once, those of a text's top first."""
        found: dict[int, _Found] = {}
        for block in blocks:
            match = self._match(block)
            if match is None:
                continue
            known = found.get(id(match.statement.node))
            if known is None:
                found[id(match.statement.node)] = match
            else:
                _merge(known, match)
        # Of the backward pass, or of another place, an inner loop may have been found alone.
        for key, match in list(found.items()):
            outer = next((found[id(each.node)] for each in match.around if id(each.node) in found), None)
            if outer is not None and outer is not match:
                outer.blocks += match.blocks
                if not outer.inside:
                    outer.inside = [(match.statement, match.repetitions)]
                del found[key]
        kept = [match for match in found.values() if match.copies >= _FEWEST and self._covers(match)]
        return sorted(kept, key=lambda match: (match.file, match.statement.line, match.statement.node.col_offset))

    # --- from a block to a statement -------------------------------------------------------------

    def _match(self, block: RepeatedBlock) -> _Found | None:
        stacks = self._stacks(block)
        loops = self._around(stacks)
        if not loops:
            return None
        nest, left = _nest([loop for loop, *_ in loops], block.repetitions)
        statement, turns = nest[-1]
        file, function = next(each[1:] for each in loops if each[0] is statement)
        if turns < 2 or (not block.sequential and left != 1 and turns != left and self._may_be_library(stacks)):
            return None
        if all(each.turns is None for each, _ in nest) and not block.sequential and self._may_be_library(stacks):
            return None
        columns = self._walk.scopes[block.scope]
        forward = "transpose(" not in self._walk.strings.items[columns.name_stack[block.first]]
        outer = [loop for loop, *_ in loops]
        return _Found(
            statement=statement,
            file=file,
            function=function,
            repetitions=turns,
            carried=block.carried and not isinstance(statement.node, COMPREHENSIONS),
            inside=[*reversed(nest[:-1]), *self._inside(block, statement, _DEPTH)],
            around=outer[outer.index(statement) + 1 :],
            blocks=[block],
            forward=forward,
            starts_otherwise=block.carried and self._starts_otherwise(block),
        )

    def _starts_otherwise(self, block: RepeatedBlock) -> bool:
        """Whether the first turn reads other shapes or dtypes than the second one."""
        operands = self._walk.scopes[block.scope].operands
        for equation in range(block.first, block.first + block.period):
            for one, two in zip(operands[equation], operands[equation + block.period], strict=False):
                if self._type(block.scope, one) != self._type(block.scope, two):
                    return True
        return False

    def _type(self, scope: int, operand: int) -> tuple[object, str]:
        walk = self._walk
        number = walk.scopes[scope].variable_avals[operand] if operand >= 0 else walk.literals[-1 - operand][1]
        return walk.avals[number].shape, walk.avals[number].dtype

    def _inside(self, block: RepeatedBlock, outer: LoopStatement, depth: int) -> list[tuple[LoopStatement, int]]:
        """Loops inside one repetition of a block."""
        for inner in self._blocks.inside(block) if depth and block.period >= 3 else ():
            loops = [loop for loop, *_ in self._around(self._stacks(inner))]
            at = next((place for place, loop in enumerate(loops) if loop.node is outer.node), len(loops))
            if at:
                nest, _ = _nest(loops[:at], inner.repetitions)
                if nest[-1][1] >= 3:
                    return [*reversed(nest), *self._inside(inner, nest[0][0], depth - 1)]
        return []

    def _around(self, stacks: set[int]) -> list[tuple[LoopStatement, int, int]]:
        """The loop statements that all stacks went through, innermost first, each with its file and function."""
        chains = [chain for chain in map(self._chain, stacks) if chain]
        found: list[tuple[LoopStatement, int, int]] = []
        known: set[int] = set()
        for level in range(min(map(len, chains), default=0)):
            rows = {chain[level] for chain in chains}
            file, function, *_ = next(iter(rows))
            if any(row[:2] != (file, function) for row in rows):
                break
            here = [loop for loop in self._loops_at(rows, file, function) if id(loop.node) not in known]
            known |= {id(loop.node) for loop in here}
            found[:0] = [(loop, file, function) for loop in here]
            if len(rows) > 1:
                break
        return found

    def _loops_at(self, rows: set[FrameRow], file: int, function: int) -> list[LoopStatement]:
        source = self._walk.positions.files[file]
        loops = loops_of(source)
        if loops is None:
            return []
        spans = [frame_span(row, loops.lines) for row in rows]
        return loops.around(spans, self._walk.strings.items[function])

    def _chain(self, stack: int) -> list[FrameRow]:
        """The user frames of a stack from the traced function inwards."""
        chain = self._chains.get(stack)
        if chain is None:
            positions = self._walk.positions
            chain = [positions.frames[frame] for frame in reversed(positions.stacks[stack][0])]
            self._chains[stack] = chain = chain[self._first_inside(chain) :]
        return chain

    def _first_inside(self, chain: list[FrameRow]) -> int:
        strings, files = self._walk.strings.items, self._walk.positions.files
        definition, call = self._definition, self._call
        if definition is not None:
            for place, (file, function, *_) in enumerate(chain):
                if strings[function] == definition.function and files[file].name == definition.file:
                    return place
        first = 0
        for place, (file, function, line, *_) in enumerate(chain):
            called = call is not None and (files[file].name, line) == (call.file, call.line)
            if strings[function].startswith(("<module>", "<cell line")) or called:
                first = place + 1
        return first

    def _stacks(self, block: RepeatedBlock) -> set[int]:
        stacks = self._walk.scopes[block.scope].stack[block.first : block.first + block.period]
        return {stack for stack in stacks if stack >= 0}

    def _may_be_library(self, stacks: set[int]) -> bool:
        """Whether one call of the user's may have made all repetitions: it runs over the leaves of a tree, say."""
        positions, strings = self._walk.positions, self._walk.strings.items
        for stack in stacks:
            library = positions.stacks[stack][1]
            if library:
                file, function, *_ = positions.frames[library[0]]
                name = strings[function].rpartition(".")[2]
                if not positions.files[file].path.startswith("jax/") or name in _OVER_ELEMENTS:
                    continue
            if any(self._calls_over_leaves(row) for row in self._chain(stack)):
                continue
            return False
        return True

    def _calls_over_leaves(self, row: FrameRow) -> bool:
        source = self._walk.positions.files[row[0]]
        loops = loops_of(source)
        if loops is None:
            return False
        for node in ast.walk(loops.module):
            if isinstance(node, ast.Call) and (node.lineno, node.end_lineno) == (row[2], row[4]):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if name in _OVER_LEAVES and (row[3] < 0 or row[3] == node.col_offset):
                    return True
        return False

    # --- how much of the program -----------------------------------------------------------------

    def _covers(self, match: _Found) -> bool:
        """Whether the blocks are most of what the loop left in their scopes."""
        scopes = {block.scope for block in match.blocks}
        own = sum(self._own_equations(scope, match) for scope in scopes)
        return sum(block.length for block in match.blocks) >= _REPEATS * own

    def _own_equations(self, scope: int, match: _Found) -> int:
        return sum(number for stack, number in self._counts(scope).items() if self._is_of(stack, match))

    def _counts(self, scope: int) -> Counter[int]:
        counts = self._stack_counts.get(scope)
        if counts is None:
            counts = self._stack_counts[scope] = Counter(self._walk.scopes[scope].stack)
        return counts

    def _is_of(self, stack: int, match: _Found) -> bool:
        """Whether a stack goes through a turn of the loop."""
        if stack < 0:
            return False
        node = match.statement.node
        for row in self._chain(stack):
            file, _, line, _, end_line, _ = row
            if file == match.file and node.lineno <= line and end_line <= (node.end_lineno or node.lineno):
                span = frame_span(row, match.statement.lines)
                if match.statement.holds(span):
                    return True
        return False

    def _equations(self, match: _Found) -> int:
        """Equations of the loop, scopes inside included, each once."""
        walk = self._walk
        whole: set[int] = set()
        waiting: list[int] = []
        for scope in self._scopes:
            columns = walk.scopes[scope]
            counted = set(columns.counted)
            waiting += [
                child
                for equation, _, _, child in columns.children
                if child in counted and self._is_of(columns.stack[equation], match)
            ]
        while waiting:
            scope = waiting.pop()
            if scope not in whole:
                whole.add(scope)
                waiting += walk.scopes[scope].counted
        others = [scope for scope in self._scopes if scope not in whole]
        return sum(walk.scopes[scope].count for scope in whole) + sum(
            self._own_equations(scope, match) for scope in others
        )

    # --- what is said ----------------------------------------------------------------------------

    def loop(self, match: _Found, stages: StageTimes | None) -> UnrolledLoop:
        """The loop in words."""
        statement = match.statement
        total = self._walk.scopes[self._scopes[0]].total
        equations = min(self._equations(match), total)
        share = equations / total if total else 0.0
        short = match.copies <= SHORT
        names = self._walk.strings.items[match.function]
        source = self._walk.positions.files[match.file]
        node = statement.node
        frame = self._walk.positions.frame(
            source, names, node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or -1
        )
        word = statement.word
        written = (
            None
            if short
            else _rewritten(statement, match.carried, self._differentiated(), self._spans(statement, match.file))
        )
        return UnrolledLoop(
            kind="short_loop" if short else "unrolled_loop",
            key=(source.name, node.lineno, node.col_offset, match.repetitions, match.carried),
            title=f"A {word} of {match.repetitions} turns was unrolled"
            if short
            else f"The {word} was unrolled: {count(equations, 'equation')}",
            text=_text(match, equations, total),
            cure=_FINE if written is None else _cure(match, written),
            code=written.code if written is not None else None,
            repetitions=match.repetitions,
            carried=match.carried,
            share=share,
            price=[] if short else _price(match, share, stages),
            frame=frame,
            trial=self._trial(statement, written),
        )

    def _trial(self, statement: LoopStatement, written: Rewrite | None) -> str | None:
        if written is None or written.code is None or self._call is None:
            return None
        called = next((each for each in self._walk.positions.files if each.name == self._call.file), None)
        return trial(statement, written.code, loops_of(called) if called else None, self._call.line)

    def _differentiated(self) -> bool:
        strings = self._walk.strings.items
        return any(
            "transpose(" in strings[name] for scope in self._scopes for name in set(self._walk.scopes[scope].name_stack)
        )

    def _spans(self, statement: LoopStatement, file: int) -> frozenset[Span]:
        """The expressions of a loop that left equations of their own."""
        positions, node = self._walk.positions, statement.node
        first, last = node.lineno, node.end_lineno or node.lineno
        # Of equations: the pool has frames of notes and definitions, too.
        rows = {positions.frames[frame] for user, _ in positions.stacks for frame in user}
        return frozenset(
            frame_span(row, statement.lines)
            for row in rows
            if row[0] == file and first <= row[2] and row[4] <= last and row[3] >= 0
        )


@functools.lru_cache(maxsize=64)
def _rewritten(statement: LoopStatement, carried: bool, differentiated: bool, spans: frozenset[Span]) -> Rewrite:
    """The rewrite of a loop; a cell that runs again has the same."""
    iterated: set[int] = set()
    if isinstance(statement.node, ast.For):
        iterated = set(map(id, ast.walk(statement.node.iter)))
    elif not isinstance(statement.node, ast.While):
        iterated = set(map(id, ast.walk(statement.node.generators[0].iter)))

    def made_at(node: ast.expr) -> bool | None:
        if not spans:
            return None
        # Python 3.11 takes an element of an array at the place of the whole statement.
        return node_span(node) in spans or (id(node) in iterated and node_span(statement.node) in spans)

    return rewrite(statement, carried, differentiated, made_at)


def _merge(known: _Found, match: _Found) -> None:
    """Add another place where the same loop left its blocks; the forward pass tells what the loop is."""
    known.blocks += match.blocks
    if match.forward and not known.forward:
        known.repetitions, known.carried, known.inside = match.repetitions, match.carried, match.inside
        known.starts_otherwise = match.starts_otherwise
    elif match.forward == known.forward:
        known.repetitions = max(known.repetitions, match.repetitions)
        known.carried = known.carried or match.carried
        known.inside = known.inside or match.inside
    known.forward = known.forward or match.forward


def _nest(loops: list[LoopStatement], repetitions: int) -> tuple[list[tuple[LoopStatement, int]], int]:
    """Share repetitions of a block out to the loops around it, innermost first.

    A loop whose text tells how often it runs takes so many; the next one outwards has the rest. What no loop takes is
    given back: 1 where they explain all.
    """
    nest: list[tuple[LoopStatement, int]] = []
    left = repetitions
    for loop in loops:
        turns = loop.turns
        if turns is None or turns > left:
            turns = turns if turns is not None and turns - left == 1 else left
        elif turns < 2:
            continue
        elif left - turns == 1:
            left = turns
        nest.append((loop, turns))
        left = round(left / turns)
        if left <= 1:
            break
    return nest or [(loops[0], 1)], left


# --- sentences ------------------------------------------------------------------------------------------------


_FINE = f"That is fine: up to about {SHORT} turns, unrolling costs little and may run faster."


def _text(match: _Found, equations: int, total: int) -> str:
    statement, turns = match.statement, match.repetitions
    parts = [f"Python ran this {statement.word} {turns} times while JAX traced, and each turn left its equations:"]
    parts.append(f"{equations:,} of the program's {count(total, 'equation')}.")
    for inner, times in match.inside:
        parts.append(f"The {inner.word} inside, on line {inner.line}, ran {times} times in each turn.")
    if match.carried:
        parts.append("A turn needs the one before.")
    else:
        parts.append("No turn needs another.")
    return " ".join(parts)


def _cure(match: _Found, written: Rewrite) -> str:
    if written.form == "vmap":
        what = "Compute all turns at once with jax.vmap"
    elif written.form == "scan" and written.stacked:
        what = "Stack the parameters and scan over them with jax.lax.scan"
    else:
        what = f"Write it with jax.lax.{written.form}"
    said = f"{what}: the body is then in the program once, however many turns there are."
    if match.starts_otherwise and written.form != "vmap":
        said += " The first turn starts with another type than it ends with: give the carry its final one beforehand."
    if written.why_not is not None:
        said += f" There is no sketch of it here, as {written.why_not}."
    return said


def _price(match: _Found, share: float, stages: StageTimes | None) -> list[str]:
    said = []
    measured = [
        (name, seconds)
        for name, seconds in (
            ("trace", stages.trace if stages else None),
            ("lower", stages.lower if stages else None),
            ("compile", stages.compile if stages and not stages.from_disk else None),
        )
        if seconds is not None
    ]
    if measured:
        times = ", ".join(f"{name} {duration(seconds)}" for name, seconds in measured)
        whole = sum(seconds for _, seconds in measured)
        said.append(f"Measured for the whole program: {times}.")
        said.append(
            f"The loop has {_percent(share)} of the equations, so about {duration(whole * share)} of that is the "
            f"loop's, about {duration(whole * share / match.repetitions)} a turn: an estimate by equations."
        )
    else:
        said.append("What it cost to trace and compile was not measured for this program.")
    if stages is not None and stages.from_disk:
        said.append("The executable came from the compilation cache on disk.")
    said.append(
        "Both ways have a price: these times grow with the turns, those of a loop of JAX's do not; an unrolled "
        "program may run faster, as XLA sees all turns at once. How fast each runs was not measured here."
    )
    return said


def _percent(share: float) -> str:
    return f"{share:.0%}" if share < 0.995 else ("all" if share == 1 else "nearly all")
