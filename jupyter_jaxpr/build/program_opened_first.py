"""Chooses the program with which the panel opens: that of the last call, unless the user named another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..observe.observation import ObservedProgram


class OfFunction(NamedTuple):
    """The programs of one function of the user.

    Attributes:
        is_top_level: True if the run called the function from outside of every trace.
        programs: The indices of the function's programs in the document.
    """

    is_top_level: bool
    programs: range


def opened_first(
    functions: Sequence[OfFunction], observed: Sequence[ObservedProgram], named: ObservedProgram | None
) -> int:
    """Return the index of the program with which the panel opens; -1 if the run has no program.

    Args:
        functions: The user's functions in the order of their calls.
        observed: JAX's own objects of each program of the document.
        named: The program that the user named; None if the user named none.
    """
    by_name = next((index for index, program in enumerate(observed) if program is named), -1)
    if by_name >= 0:
        return by_name
    opened = -1
    for function in functions:
        if function.programs and (function.is_top_level or opened < 0):
            ran = [index for index in function.programs if not observed[index].is_candidate]
            opened = ran[-1] if ran else function.programs[-1]
    return opened
