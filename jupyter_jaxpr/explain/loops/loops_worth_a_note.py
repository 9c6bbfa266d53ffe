"""Finds the loop statements that the repeated blocks of a program came from, and counts the equations of each loop.

The search follows the call stacks of a block's equations from the outermost frame inwards, to the innermost loop
statement that is in all of these stacks. If the user's own code has no such statement (a helper is called on several
lines, a library loops over leaves), the block is left out.
"""

from __future__ import annotations

import ast
from collections import Counter

from ...observe.observation import Place
from ...program.jaxpr.repeated_blocks import RepeatedBlock, RepeatedBlocks
from ...program.jaxpr.walk import Walk
from ...program.source.positions import FrameRow
from ...typed.syntax_nodes import in_order
from .kinds_of_python_loops import COMPREHENSIONS, Loop, LoopStatement, frame_span, iterating, loops_of
from .nested_loops import FoundLoop, merge, share_out

#: A block with fewer repetitions is not worth a note.
_FEWEST = 4
#: At least this fraction of the equations of a loop must be in repeated blocks; in a real loop nearly all are.
_REPEATS = 0.5
_BACKWARD = "transpose("  # in the name stack of an equation of the backward pass
_CONVERSION = "convert_element_type"  # the first iteration may convert a value that later iterations do not convert
_DEPTH = 3  # inner loops at greater depth than this are not searched
_OVER_LEAVES = frozenset({"map", "tree_map", "map_with_path", "tree_map_with_path", "reduce", "tree_reduce", "leaves"})
_OVER_ELEMENTS = frozenset({"stack", "hstack", "vstack", "dstack", "column_stack", "concatenate", "block", "split"})


class LoopFinder:
    """Finds the loop statements that the repeated blocks of one program came from."""

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

    def found(self, blocks: list[RepeatedBlock]) -> list[FoundLoop]:
        """Return the loops that the blocks came from, each loop once, in the order of the source code."""
        loops_by_node: dict[int, FoundLoop] = {}
        for block in blocks:
            match = self._match(block)
            if match is None:
                continue
            earlier = loops_by_node.get(id(match.statement.node))
            if earlier is None:
                loops_by_node[id(match.statement.node)] = match
            else:
                merge(earlier, match)
        # The search may have found an inner loop before its outer loop, for example in the backward pass.
        for key, match in list(loops_by_node.items()):
            outer = next(
                (
                    loops_by_node[id(loop_around.node)]
                    for loop_around in match.around
                    if id(loop_around.node) in loops_by_node
                ),
                None,
            )
            if outer is not None and outer is not match:
                outer.blocks += match.blocks
                if not outer.inside:
                    outer.inside = [(match.statement, match.repetitions)]
                del loops_by_node[key]
        matches = [match for match in loops_by_node.values() if match.copies >= _FEWEST and self._covers(match)]
        for match in matches:
            match.rest = match.ran == match.repetitions != match.statement.iterations and self._has_rest(match)
        return sorted(matches, key=lambda match: (match.file, match.statement.line, match.statement.node.col_offset))

    # --- from a block to a statement -------------------------------------------------------------

    def _match(self, block: RepeatedBlock) -> FoundLoop | None:
        stacks = self._stacks(block)
        loops = self._around(stacks)
        if not loops:
            return None
        nest, left = share_out([loop for loop, *_ in loops], block.repetitions)
        statement, iterations = nest[-1]
        file, function = next(row[1:] for row in loops if row[0] is statement)
        if iterations < 2 or (
            not block.sequential and left != 1 and iterations != left and self._may_be_library(stacks)
        ):
            return None
        if all(part.iterations is None for part, _ in nest) and not block.sequential and self._may_be_library(stacks):
            return None
        forward = self._is_forward(block.scope, block.first)
        outer = [loop for loop, *_ in loops]
        return FoundLoop(
            statement=statement,
            file=file,
            function=function,
            repetitions=iterations,
            carried=block.carried and not _is_map(statement.node),
            helped=any(self._is_helped(chain, file, function) for chain in map(self._chain, stacks)),
            inside=[*reversed(nest[:-1]), *self._inside(block, statement, _DEPTH)],
            around=outer[outer.index(statement) + 1 :],
            blocks=[block],
            forward=forward,
            starts_otherwise=block.carried and self._starts_otherwise(block),
        )

    def _is_forward(self, scope: int, equation: int) -> bool:
        return _BACKWARD not in self._walk.strings.items[self._walk.scopes[scope].name_stack[equation]]

    def _is_helped(self, chain: list[FrameRow], file: int, function: int) -> bool:
        """Return whether a function that the loop calls, not the loop's own function, recorded the equation."""
        return bool(chain) and chain[-1][:2] != (file, function)

    def _starts_otherwise(self, block: RepeatedBlock) -> bool:
        """Return whether the first iteration reads values of other shapes or dtypes than the second iteration."""
        operands = self._walk.scopes[block.scope].operands
        for equation in range(block.first, block.first + block.period):
            for operand, next_operand in zip(operands[equation], operands[equation + block.period], strict=False):
                if self._type(block.scope, operand) != self._type(block.scope, next_operand):
                    return True
        return False

    def _type(self, scope: int, operand: int) -> tuple[object, str]:
        walk = self._walk
        number = walk.scopes[scope].variable_avals[operand] if operand >= 0 else walk.literals[-1 - operand][1]
        return walk.avals[number].shape, walk.avals[number].dtype

    def _inside(self, block: RepeatedBlock, outer: LoopStatement, depth: int) -> list[tuple[LoopStatement, int]]:
        """Return the loops that ran inside of one repetition of a block."""
        for inner in self._blocks.inside(block) if depth and block.period >= 3 else ():
            loops = [loop for loop, *_ in self._around(self._stacks(inner))]
            at = next((place for place, loop in enumerate(loops) if loop.node is outer.node), len(loops))
            if at:
                nest, _ = share_out(loops[:at], inner.repetitions)
                if nest[-1][1] >= 3:
                    return [*reversed(nest), *self._inside(inner, nest[0][0], depth - 1)]
        return []

    def _around(self, stacks: set[int]) -> list[tuple[LoopStatement, int, int]]:
        """Return the loop statements that are in all call stacks, innermost first, each with its file and function."""
        chains = [chain for chain in map(self._chain, stacks) if chain]
        loops_around: list[tuple[LoopStatement, int, int]] = []
        loop_ids: set[int] = set()
        for level in range(min(map(len, chains), default=0)):
            rows = {chain[level] for chain in chains}
            file, function, *_ = next(iter(rows))
            if any(row[:2] != (file, function) for row in rows):
                break
            loops = [loop for loop in self._loops_at(rows, file, function) if id(loop.node) not in loop_ids]
            loop_ids |= {id(loop.node) for loop in loops}
            loops_around[:0] = [(loop, file, function) for loop in loops]
            if len(rows) > 1:
                break
        return loops_around

    def _loops_at(self, rows: set[FrameRow], file: int, function: int) -> list[LoopStatement]:
        source = self._walk.positions.files[file]
        loops = loops_of(source)
        if loops is None:
            return []
        spans = [frame_span(row, loops.lines) for row in rows]
        return loops.around(spans, self._walk.strings.items[function])

    def _chain(self, stack: int) -> list[FrameRow]:
        """Return the frames of a call stack in the user's code, from the traced function inwards."""
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
        """Return whether one library call, such as jax.tree.map over many leaves, may have made all repetitions."""
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
        for node in in_order(loops.module):
            if (
                isinstance(node, ast.Call)
                and not iterating(node)
                and (node.lineno, node.end_lineno) == (row[2], row[4])
            ):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if name in _OVER_LEAVES and (row[3] < 0 or row[3] == node.col_offset):
                    return True
        return False

    # --- how much of the program -----------------------------------------------------------------

    def _covers(self, match: FoundLoop) -> bool:
        """Return whether most of the loop's equations in the scopes of the blocks are in the repeated blocks."""
        scopes = {block.scope for block in match.blocks}
        own_count = sum(self._own_equations(scope, match) for scope in scopes)
        return sum(block.length for block in match.blocks) >= _REPEATS * own_count

    def _has_rest(self, match: FoundLoop) -> bool:
        """Return whether some equations of the loop are in no whole repetition of a block.

        For example, an iteration with an index out of bounds records other equations than the other iterations. The
        backward pass is left out where the forward pass has blocks.
        """
        blocks = [block for block in match.blocks if not match.forward or self._is_forward(block.scope, block.first)]
        if any(block.length % block.period for block in blocks):
            return True
        strings = self._walk.strings.items
        repeated: Counter[int] = Counter()
        for block in blocks:
            primitives = self._walk.scopes[block.scope].primitive[block.first : block.first + block.length]
            repeated[block.scope] += sum(strings[primitive] != _CONVERSION for primitive in primitives)
        for scope, in_blocks in repeated.items():
            columns = self._walk.scopes[scope]
            kinds = Counter(zip(columns.stack, columns.name_stack, columns.primitive, strict=True))
            own = sum(
                number
                for (stack, name_stack, primitive), number in kinds.items()
                if strings[primitive] != _CONVERSION
                and not (match.forward and _BACKWARD in strings[name_stack])
                and self._is_of(stack, match)
            )
            if own > in_blocks:
                return True
        return False

    def _own_equations(self, scope: int, match: FoundLoop) -> int:
        return sum(number for stack, number in self._counts(scope).items() if self._is_of(stack, match))

    def _counts(self, scope: int) -> Counter[int]:
        counts = self._stack_counts.get(scope)
        if counts is None:
            counts = self._stack_counts[scope] = Counter(self._walk.scopes[scope].stack)
        return counts

    def _is_of(self, stack: int, match: FoundLoop) -> bool:
        """Return whether a call stack goes through code that the loop runs in each iteration."""
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

    def equations(self, match: FoundLoop) -> int:
        """Return the number of equations of a loop, including those of inner scopes. Each equation counts once."""
        walk = self._walk
        whole_scopes: set[int] = set()
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
            if scope not in whole_scopes:
                whole_scopes.add(scope)
                waiting += walk.scopes[scope].counted
        own_scopes = [scope for scope in self._scopes if scope not in whole_scopes]
        return sum(walk.scopes[scope].count for scope in whole_scopes) + sum(
            self._own_equations(scope, match) for scope in own_scopes
        )


def _is_map(node: Loop) -> bool:
    """Return whether each iteration of a loop gives one result, as in a comprehension or a call of `map`."""
    return isinstance(node, COMPREHENSIONS) or (isinstance(node, ast.Call) and iterating(node) == "map")
