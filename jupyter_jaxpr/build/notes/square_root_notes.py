"""Writes notes on square roots whose gradient is NaN if the number below the root is 0."""

from __future__ import annotations

import traceback
from collections.abc import Sequence

from ...document.types.document import Note, Program
from ...interruptions import not_of_a_signal
from ...program.jaxpr.walk import Walk
from .places_and_cures_of_notes import inside, user_frame
from .where_gradient_notes import NAN_GRADIENT, is_pair

_TEXT = (
    "The gradient of this square root of squares is NaN where the squared numbers are 0. The derivative of the square "
    "root is infinite there, and JAX multiplies the derivative by the numbers."
)
_CURE = (
    "Keep 0 out of the square root with two selections, where s is the sum of the squares: jnp.where(s > 0, "
    "jnp.sqrt(jnp.where(s > 0, s, 1)), 0). If the code divides by the square root, write 1 in place of the last 0, "
    "and compare s in place of the root with 0."
)


def root_notes(walk: Walk, programs: Sequence[Program], failures: list[str]) -> list[Note]:
    """Return the notes on square roots whose gradient can be NaN, each source line once.

    Args:
        walk: The `Walk` that has read the equations of the programs.
        programs: The programs of the document.
        failures: Receives the traceback if a program cannot be checked; the other programs are still checked.
    """
    roots: dict[int, list[int]] = {}
    for index, program in enumerate(programs):
        try:
            # Imported only here, because the imported module needs NumPy, which a kernel without JAX may not have.
            from ...program.nan_gradients_of_square_roots import roots_of_squares

            scopes = inside(walk, program.scope)
            found = list(roots_of_squares(walk, scopes))
            before = programs[index - 1] if index else None
            if before is not None and is_pair(before, program):
                earlier = inside(walk, before.scope)
                found += roots_of_squares(walk, scopes, earlier)
                scopes = [*earlier, *scopes]
            for scope, equation in found:
                frame = _frame(walk, scopes, scope, equation)
                if frame >= 0:
                    roots.setdefault(frame, []).append(index)
        except not_of_a_signal(Exception):
            failures.append(traceback.format_exc())
    return [
        Note(
            kind="root_of_squares",
            text=_TEXT,
            cure=_CURE,
            detail=None,
            program=among[0] if len(set(among)) == 1 else -1,
            frame=frame,
            bytes=None,
            title=NAN_GRADIENT,
        )
        for frame, among in roots.items()
    ]


def _frame(walk: Walk, scopes: Sequence[int], scope: int, equation: int) -> int:
    """Return the user's frame of an equation; without one, the frame of the closest enclosing equation that has one."""
    frame = user_frame(walk, scope, equation)
    callers = {child: (caller, index) for caller in scopes for index, *_, child in walk.scopes[caller].children}
    while frame < 0 and scope in callers:
        scope, equation = callers.pop(scope)
        frame = user_frame(walk, scope, equation)
    return frame
