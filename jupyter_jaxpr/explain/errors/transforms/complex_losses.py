"""Makes the cures for a function that returns a complex number to `grad`."""

from __future__ import annotations

import ast

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.only_assignments import only_value
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import AnyFunction, result_of

HOLOMORPHIC = "holomorphic=True gives the complex derivative of a function that has a complex derivative."
_WORDS = (
    "A loss is a real number. Make each complex number z real before the sum or the mean, for example with "
    "jnp.abs(z) ** 2. The absolute value of a sum is not the sum of the absolute values."
)


def complex_cures(
    raised: RaisedAt | None, function: AnyFunction | None, derivative: FoundCure
) -> tuple[FoundCure, ...]:
    """Return the cures for a loss that is complex: make the loss real, or differentiate with holomorphic=True.

    Args:
        raised: Where the call of the transformed function raised the error.
        function: The transformed function; None if the code does not show the function.
        derivative: The cure holomorphic=True.
    """
    derivatives = [derivative] if raised is None else passed(raised, [derivative])
    # The trial of holomorphic=True fails if the arguments of the function are real.
    is_of_real = not any(cure.level == "applies" for cure in derivatives)
    return (*_real_losses(raised, function, is_of_real), *derivatives)


def _real_losses(raised: RaisedAt | None, function: AnyFunction | None, of_real: bool) -> list[FoundCure]:
    """Return the cure that squares the absolute value of the complex number.

    If the loss has no single square, return advice.
    """
    advice = FoundCure("a real result", None, _WORDS)
    squares = _squares(_loss(function)) if raised is not None and of_real else []
    if raised is None or len(squares) != 1:
        return [advice]
    square, base = squares[0]
    code = f"{jnp_name(raised)}.abs({raised.source(base)}) ** 2"
    words = (
        f"The square of a complex number is complex. {jnp_name(raised)}.abs(...) ** 2 is the square of the absolute "
        "value, which is real."
    )
    cure = FoundCure(f"{jnp_name(raised)}.abs", code, words)
    if not _is_summed(raised, square):
        return [cure]
    cure = applied(cure, [edit_of(raised, over(square, code))])
    return passed(raised, [cure]) or [advice]


def _is_summed(raised: RaisedAt, square: ast.expr) -> bool:
    """Return whether the square only goes through sums, means and products until its statement ends."""
    node: ast.AST = square
    while (parent := raised.parents.get(id(node))) is not None and not isinstance(parent, ast.stmt | ast.Lambda):
        is_factor = isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mult | ast.Div)
        is_sum = isinstance(parent, ast.Call) and called(parent) in ("sum", "mean", "vdot", "real")
        is_method = isinstance(parent, ast.Attribute) and parent.attr in ("sum", "mean", "real")
        if not (is_factor or is_sum or is_method):
            return False
        node = parent
    return True


def _loss(function: AnyFunction | None) -> ast.expr | None:
    """Return the return expression of a function, or the value of the only assignment to the returned name."""
    result = result_of(function)
    return only_value(function, result.id) if isinstance(result, ast.Name) else result


def _squares(loss: ast.expr | None) -> list[tuple[ast.expr, ast.expr]]:
    """Return each square in an expression, such as `z ** 2` or `jnp.square(z)`, with its base z."""
    squares: list[tuple[ast.expr, ast.expr]] = []
    for node in ast.walk(loss) if loss is not None else ():
        match node:
            case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=2)):
                squares.append((node, base))
            case ast.Call(func=ast.Attribute(attr="square"), args=[base], keywords=[]):
                squares.append((node, base))
    return squares
