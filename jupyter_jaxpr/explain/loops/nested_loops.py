"""Finds the loop that a repeated block of equations came from, and how many iterations each loop around it ran.

The trace of one loop may record blocks of equations in several places of a program, such as the forward and the
backward pass. This module merges these blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...program.jaxpr.repeated_blocks import RepeatedBlock
from .kinds_of_python_loops import LoopStatement


@dataclass
class FoundLoop:
    """A loop statement, and the repeated blocks of equations that JAX recorded while the loop ran."""

    statement: LoopStatement
    file: int
    function: int
    repetitions: int = 0
    carried: bool = False
    #: Inner loops, outermost first, each with its number of iterations in one iteration of the next outer loop.
    inside: list[tuple[LoopStatement, int]] = field(default_factory=list)
    #: The outer loops around the block that may have run more than one iteration.
    around: list[LoopStatement] = field(default_factory=list)
    blocks: list[RepeatedBlock] = field(default_factory=list)
    forward: bool = False
    #: True if an iteration calls functions of the user's; such a function may skip equations in some iterations.
    helped: bool = False
    #: True if the values that the first iteration reads have other types than the values that later iterations read.
    starts_otherwise: bool = False
    #: True if some equations of the loop are in no whole repetition: a further iteration may have recorded them.
    rest: bool = False

    @property
    def ran(self) -> int | None:
        """The number of iterations that Python ran.

        None if some iterations may have recorded no equations, or other equations than the repeated ones.
        """
        iterations = self.statement.iterations
        if iterations is not None and iterations >= self.repetitions:
            return iterations
        return None if self.helped or self.statement.may_skip or self.rest else self.repetitions

    @property
    def copies(self) -> int:
        """The number of copies of the innermost loop's block in the program."""
        copies = self.repetitions
        for _, iterations in self.inside:
            copies *= iterations
        return copies


def merge(loop: FoundLoop, match: FoundLoop) -> None:
    """Add the blocks of the same loop from another place of the program.

    The facts from the forward pass are preferred.
    """
    loop.blocks += match.blocks
    if match.forward and not loop.forward:
        loop.repetitions, loop.carried, loop.inside = match.repetitions, match.carried, match.inside
        loop.starts_otherwise = match.starts_otherwise
    elif match.forward == loop.forward:
        loop.repetitions = max(loop.repetitions, match.repetitions)
        loop.carried = loop.carried or match.carried
        loop.inside = loop.inside or match.inside
    loop.forward = loop.forward or match.forward


def share_out(loops: list[LoopStatement], repetitions: int) -> tuple[list[tuple[LoopStatement, int]], int]:
    """Return how many of a block's repetitions each loop around the block caused, innermost first.

    For a loop such as `for i in range(3)`, the source code states the number; the outer loops get the rest. The second
    result is the factor of the repetitions that no loop explains: 1 if the loops explain all.
    """
    shared: list[tuple[LoopStatement, int]] = []
    left = repetitions
    for loop in loops:
        iterations = loop.iterations
        if iterations is None or iterations > left:
            iterations = iterations if iterations is not None and iterations - left == 1 else left
        elif iterations < 2:
            continue
        elif left - iterations == 1:
            left = iterations
        shared.append((loop, iterations))
        left = round(left / iterations)
        if left <= 1:
            break
    return shared or [(loops[0], 1)], left
