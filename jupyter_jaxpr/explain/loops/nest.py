"""Finds the loop that a repeated block of equations came from, and how often each loop around it ran.

One loop statement may leave blocks of equations in several places, such as the forward and the backward pass. This
module merges these blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...program.jaxpr.repeated_blocks import RepeatedBlock
from .statements import LoopStatement


@dataclass
class FoundLoop:
    """A loop statement, and the blocks of equations that it left."""

    statement: LoopStatement
    file: int
    function: int
    repetitions: int = 0
    carried: bool = False
    #: Inner loops, outermost first, each with the number of its runs in one iteration of the next outer loop.
    inside: list[tuple[LoopStatement, int]] = field(default_factory=list)
    #: The loops around this loop that may have run more than once.
    around: list[LoopStatement] = field(default_factory=list)
    blocks: list[RepeatedBlock] = field(default_factory=list)
    forward: bool = False
    #: True if functions of the user's run in an iteration; such a function may skip the iteration's equations.
    helped: bool = False
    #: The first iteration reads values of other types than the later iterations.
    starts_otherwise: bool = False

    @property
    def ran(self) -> int | None:
        """The number of iterations that Python ran; None if only the iterations that left equations are known."""
        iterations = self.statement.iterations
        if iterations is not None and iterations >= self.repetitions:
            return iterations
        return None if self.helped or self.statement.may_skip else self.repetitions

    @property
    def copies(self) -> int:
        """The number of copies of the innermost block in the program."""
        copies = self.repetitions
        for _, iterations in self.inside:
            copies *= iterations
        return copies


def merge(loop: FoundLoop, match: FoundLoop) -> None:
    """Add another place where the loop left blocks; if one place is the forward pass, its facts are kept."""
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
    """Distribute the repetitions of a block over the loops around it, innermost first.

    A loop whose text states its number of iterations gets this number; the next outer loop gets a share of the rest.
    The function also returns the factor that no loop explains: 1 if the loops explain all repetitions.
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
