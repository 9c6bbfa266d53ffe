"""Links lines of StableHLO or HLO to equations, by the source frames and the name that each line states.

A line states frames and a name such as `jit(f)/jvp(g)/tanh`, which ends with the primitive. The frames alone are not
enough. A library function makes many equations for one user line, and XLA's tables (JAX 0.10 to 0.12) keep a single
place for all expressions that begin at the same column. Therefore a line gets the stack of an equation that has both
the same primitive and the same frames (frames that begin at the same positions):

1. Equations of the same frames have this primitive: the line takes the stack of these equations, with the library's
   frames if the equations agree on these frames.
2. No equation of the same frames has the primitive, and the primitive is elsewhere in the program, outside the control
   flow of these frames: the frames may be the frames of another instruction. The line keeps only its source line.
3. Otherwise the line is part of the machinery of an equation of these frames (the counter of a scan), or the lowering
   made up the line: the line takes the stack of the equations of these frames.

If the frames of several such equations end at different positions, and the primitive does not tell the equations
apart, the line takes the stacks of all these equations.

Some equations lower to further operations, or only to other operations, so that no line of the text has their name
(`random_gamma`, `logistic`). Such equations always count among the equations of their frames. A lowering may also make
a function that the program does not have, once for the whole program; for a line in such a function, these equations
count among the equations of the whole program.

JAX cuts the frames of an equation at the traced function, and the frames of a lowered line after a number of frames:
frames are the same if the shorter frames begin the longer frames. JAX lowers a jitted function once, with the frames of
its first call; the name tells which function a line is in, and the stacks are the stacks of the function's callers.
"""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from collections.abc import Collection, Iterable

from ..costs.operations_per_element import ONE_OPERATION
from ..jaxpr.walk import Walk
from ..source.positions import Positions
from .equations_by_place import Groups
from .hlo_inference import inferred_origins
from .single_equation_of_line import named_equations
from .stablehlo_of_lowered import LinesOfText

#: The place of a frame without the function name: (file, line, column); for StableHLO also the end.
_Spot = tuple[int, ...]
_Chain = tuple[_Spot, ...]

_JITTED = re.compile(r"\bjit\(([^()]+)\)")
#: JAX lowers these primitives to further operations: a loop gets a counter, a gather gets checks of its indices.
_LOWERED_TO_MORE = frozenset({"scan", "while", "cond", "gather"})
#: A line that may come from more places than this keeps only its source line.
_MOST_PLACES = 8


def linked(lines: LinesOfText, walk: Walk, scope: int, *, is_hlo: bool) -> LinesOfText:
    """Return the lines with the stacks of their equations: stated, inferred, or several possible ones.

    Args:
        lines: The lines with their stated stacks, which are in the pools of `walk`.
        walk: The `Walk` that has read the equations of the program.
        scope: The scope of the program.
        is_hlo: True for HLO: stacks of lines without a place are inferred from other lines.
    """
    primitive_names = {primitive for name in lines.op_names.values() for primitive in primitives(name)}
    equations = Equations(walk, scope, primitive_names, ends=not is_hlo)
    stacks = list(lines.line_stacks)
    more_stacks: dict[int, tuple[int, ...]] = {}
    for line, stack in enumerate(stacks):
        if stack >= 0:
            stacks[line], *further = equations.stacks(stack, lines.op_names.get(line, ""))
            if further:
                more_stacks[line] = tuple(further)
    origins: dict[int, int] = {}
    if is_hlo:
        origins = inferred_origins(lines.text.split("\n"), stacks, equations.only_stack)
        for line, source in origins.items():
            stacks[line] = source
    read = dataclasses.replace(lines, line_stacks=stacks, other_stacks=more_stacks, inferred=sorted(origins))
    if not is_hlo:
        return read
    return dataclasses.replace(read, named=named_equations(read, walk, scope, Groups(walk, scope), equations.to_others))


def primitives(op_name: str) -> set[str]:
    """Return the primitives at the end of an op_name; there are several if XLA joined instructions."""
    return {part.rsplit("/", 1)[-1] for part in op_name.split(";")}


class Equations:
    """The equations of a program, grouped by the source place from which they come.

    Args:
        walk: The `Walk` that has read the equations of the program.
        scope: The scope of the program in the `Walk`.
        primitive_names: The primitives in the op_names of the text.
        ends: True if the end positions of a line's frames are reliable.

    Attributes:
        to_others: the primitives of equations that are lowered only to other operations.
    """

    def __init__(self, walk: Walk, scope: int, primitive_names: Collection[str], *, ends: bool) -> None:
        self._seen = primitive_names
        self._positions: Positions = walk.positions
        self._ends = ends
        self._chains: dict[int, _Chain] = {}
        self._answers: dict[tuple[int, str], list[int]] = {}
        #: chain of user frames -> stacks of the equations with these frames
        self._of_chain: dict[_Chain, set[int]] = defaultdict(set)
        #: (chain of user frames, primitive) -> stacks of the equations with these frames and this primitive
        self._of_both: dict[tuple[_Chain, str], set[int]] = defaultdict(set)
        self._of_primitive: dict[str, set[int]] = defaultdict(set)
        #: the chains of user frames that belong to equations with inner programs
        self._with_programs: set[_Chain] = set()
        #: chain of user frames -> stacks of the equations with these frames that are lowered to further operations
        self._lowered_to_more: dict[_Chain, set[int]] = defaultdict(set)
        #: the stacks of all equations that are lowered only to other operations
        self._lowered_to_others: set[int] = set()
        self.to_others: set[str] = set()
        #: chain of user frames -> names of the jitted functions around the equations with these frames
        self._functions: dict[_Chain, set[str]] = defaultdict(set)
        #: name of a jitted function -> stacks of its calls
        self._calls: dict[str, set[int]] = defaultdict(set)
        #: every primitive in the program, also of equations without a place
        self._known: set[str] = set()
        self._index(walk, scope)
        #: first frames of a chain of user frames -> the longer chains that begin with these frames
        self._longer: dict[_Chain, list[_Chain]] = defaultdict(list)
        for chain in self._of_chain:
            for length in range(1, len(chain)):
                self._longer[chain[:length]].append(chain)

    def _index(self, walk: Walk, scope: int) -> None:
        strings = walk.strings.items
        inherited: dict[int, set[int]] = {scope: set()}
        functions: dict[int, set[str]] = {scope: set()}
        for number in _callers_first(walk, scope):
            columns = walk.scopes[number]
            inherited_calls = inherited.get(number, set())
            around = functions.setdefault(number, set())
            if number != scope and columns.name >= 0:
                around.add(strings[columns.name])
                self._calls[strings[columns.name]] |= inherited_calls
            with_children = {equation for equation, *_ in columns.children}
            stacks_of: dict[int, Iterable[int]] = {}
            for equation, (primitive, stack) in enumerate(zip(columns.primitive, columns.stack, strict=True)):
                has_user_frame = stack >= 0 and bool(self._positions.stacks[stack][0])
                stacks: Iterable[int] = (stack,) if has_user_frame else inherited_calls
                name = strings[primitive]
                self._known.add(name)
                for numbered_stack in stacks:
                    chain = self._chain(numbered_stack)
                    self._of_chain[chain].add(numbered_stack)
                    self._functions[chain] |= around
                    self._of_both[chain, name].add(numbered_stack)
                    self._of_primitive[name].add(numbered_stack)
                    if name in _LOWERED_TO_MORE:
                        self._lowered_to_more[chain].add(numbered_stack)
                    elif not (name in self._seen or name in ONE_OPERATION or equation in with_children):
                        self._lowered_to_more[chain].add(numbered_stack)
                        self._lowered_to_others.add(numbered_stack)
                        self.to_others.add(name)
                    if equation in with_children:
                        self._with_programs.add(chain)
                if equation in with_children:
                    stacks_of[equation] = stacks
            for equation, _, _, child in columns.children:
                inherited.setdefault(child, set()).update(stacks_of[equation])
                functions.setdefault(child, set()).update(around)

    def _chain(self, stack: int) -> _Chain:
        """Return the user frames of a stack in the form in which stacks are compared.

        The stack must have user frames.
        """
        chain = self._chains.get(stack)
        if chain is None:
            chain = self._chains[stack] = self._spots(self._positions.stacks[stack][0])
        return chain

    def _spots(self, frames: Iterable[int]) -> _Chain:
        rows = (self._positions.frames[frame] for frame in frames)
        return tuple((row[0], *row[2 : None if self._ends else 4]) for row in rows)

    def stacks(self, stack: int, op_name: str) -> list[int]:
        """Return the stacks of the equations that a line comes from, at least one.

        The module's docstring has the rules.
        """
        key = stack, op_name
        answer = self._answers.get(key)
        if answer is None:
            answer = self._answers[key] = self._find(stack, op_name)
        return answer

    def only_stack(self, primitive: str) -> int:
        """Return the index of the call stack of all equations of a primitive; -1 if they have none or several."""
        stacks = self._of_primitive.get(primitive, set())
        return next(iter(stacks)) if len(stacks) == 1 else -1

    def _find(self, stack: int, op_name: str) -> list[int]:
        if not self._positions.stacks[stack][0]:
            return [stack]
        chains = self._same(self._chain(stack))
        if not chains:
            return [stack]
        functions = _JITTED.findall(op_name)[1:]
        further = {candidate for chain in chains for candidate in self._lowered_to_more.get(chain, ())}
        if any(function not in self._calls for function in functions):
            further |= self._lowered_to_others
        function = next((function for function in reversed(functions) if function in self._calls), None)
        if function is not None and not any(function in self._functions[chain] for chain in chains):
            return self._agreed(self._calls[function] or {stack}, stack, further)
        names = primitives(op_name)
        candidates = {
            candidate for chain in chains for name in names for candidate in self._of_both.get((chain, name), ())
        }
        if candidates:
            return self._agreed(self._of_library(candidates, stack), stack, further)
        inside = any(chain in self._with_programs for chain in chains)
        if not inside and any(name in self._known for name in names):
            return [self._positions.whole_line(stack)]
        return self._agreed({candidate for chain in chains for candidate in self._of_chain[chain]}, stack, further)

    def _same(self, chain: _Chain) -> list[_Chain]:
        """Return the chains of equations that match the chain of a line."""
        for length in range(len(chain), 0, -1):
            if chain[:length] in self._of_chain:
                return [chain[:length]]
        return self._longer.get(chain, [])

    def _of_library(self, stacks: set[int], stated: int) -> set[int]:
        """Return the stacks whose library frames are those that a line states; if there are none, all stacks."""
        library = self._spots(self._positions.stacks[stated][1])
        if not library:  # a lowered program may state no library frames, because JAX omits its own frames
            return stacks
        return {
            numbered_stack
            for numbered_stack in stacks
            if self._spots(self._positions.stacks[numbered_stack][1]) == library
        } or stacks

    def _agreed(self, stacks: set[int], stated: int, further: set[int]) -> list[int]:
        """Return the stacks without duplicates; stacks of equations with the line's primitive come first."""
        by_user: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for numbered_stack in [*sorted(stacks), *sorted(further - stacks)]:
            by_user[tuple(self._positions.stacks[numbered_stack][0])].append(numbered_stack)
        if len(by_user) > _MOST_PLACES:
            return [self._positions.whole_line(stated)]
        return [
            of_it[0] if len(of_it) == 1 else self._positions.without_library(of_it[0]) for of_it in by_user.values()
        ]


def _callers_first(walk: Walk, scope: int) -> list[int]:
    """Return the scopes of a program; each comes after all scopes that call it."""
    order: list[int] = []
    state: dict[int, bool] = {}
    waiting = [scope]
    while waiting:
        number = waiting[-1]
        if number in state:
            waiting.pop()
            if not state[number]:
                state[number] = True
                order.append(number)
            continue
        state[number] = False
        waiting += [child for *_, child in walk.scopes[number].children if child not in state]
    return order[::-1]
