"""Writes notes on selections, such as `jnp.where`, whose gradient can be NaN."""

from __future__ import annotations

import ast
import traceback
from collections.abc import Sequence

from ...document.types.document import Note, Program
from ...explain.loops.kinds_of_python_loops import frame_span, loops_of, node_span
from ...interruptions import not_of_a_signal
from ...program.jaxpr.walk import Walk
from .places_and_cures_of_notes import inside, user_frame

NAN_GRADIENT = "The gradient can be NaN"
_BY_ZERO = (
    "The derivative of the branch that is not taken there is infinite or NaN, and JAX multiplies the derivative by "
    "zero."
)
_TEXT = f"The gradient of this selection is NaN where the compared value is {{point:g}}. {_BY_ZERO}"
_TEXT_OF_CALL = (
    "The gradient of a selection that the call {expression} runs is NaN where the compared value is {point:g}. "
    f"{_BY_ZERO}"
)
_TEXT_OF_MASK = (
    "The gradient of this selection is NaN where the mask leaves out a 0. The branch below the mask reads values of "
    f"which some are 0 for all arguments, as on the diagonal of x[:, None] - x. {_BY_ZERO}"
)
_CURE = (
    "Write jnp.where(c, f(jnp.where(c, x, a)), y) instead of jnp.where(c, f(x), y), so that f never gets {point:g}. "
    "For a, choose a number at which f and its derivative are finite."
)


def masked_notes(walk: Walk, programs: Sequence[Program], failures: list[str]) -> list[Note]:
    """Return the notes on selections whose gradient can be NaN, each source line once.

    Args:
        walk: The `Walk` that has read the equations of the programs.
        programs: The programs of the document.
        failures: Receives the traceback if a program cannot be checked; the other programs are still checked.
    """
    selections: dict[tuple[int, float | None], list[int]] = {}
    for index, program in enumerate(programs):
        try:
            # Imported only here, because the imported module needs NumPy, which a kernel without JAX may not have.
            from ...program.nan_gradients_of_where import masked_derivatives, masked_derivatives_of_pair

            found = list(masked_derivatives(walk, inside(walk, program.scope)))
            before = programs[index - 1] if index else None
            if before is not None and is_pair(before, program):
                scopes = [inside(walk, before.scope), inside(walk, program.scope)]
                found += masked_derivatives_of_pair(walk, *scopes)
            for scope, equation, point in found:
                frame = user_frame(walk, scope, equation)
                if frame >= 0:
                    selections.setdefault((frame, point), []).append(index)
        except not_of_a_signal(Exception):
            failures.append(traceback.format_exc())
    return [
        Note(
            kind="masked_derivative",
            text=_text(walk, frame, point),
            cure=_CURE.format(point=point or 0.0),
            detail=None,
            program=among[0] if len(set(among)) == 1 else -1,
            frame=frame,
            bytes=None,
            title=NAN_GRADIENT,
        )
        for (frame, point), among in selections.items()
    ]


def _text(walk: Walk, frame: int, point: float | None) -> str:
    """Return the text of a note; the frame may be that of a call of the user's function, whose rule selects."""
    if point is None:
        return _TEXT_OF_MASK
    row = walk.positions.frames[frame]
    loops = loops_of(walk.positions.files[row[0]])
    if loops is not None:
        span = frame_span(row, loops.lines)
        for node in ast.walk(loops.module):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node_span(node) == span:
                if any(
                    isinstance(other, ast.FunctionDef) and other.name == node.func.id for other in loops.module.body
                ):
                    return _TEXT_OF_CALL.format(expression=ast.unparse(node), point=point)
    return _TEXT.format(point=point)


def is_pair(before: Program, program: Program) -> bool:
    """Return whether `before` and `program` may be the forward and the backward program of the same gradient."""
    return before.origin == program.origin == "derived" and before.name == program.name
