"""Explains a Python integer that does not fit into the integers of JAX, and makes the cures."""

from __future__ import annotations

import ast

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import function_of_text
from ..message_tables.jax_messages import LARGE_INTEGER

_X64 = 'jax.config.update("jax_enable_x64", True), before any other use of JAX, makes integers int64.'
_EXPLICIT = "An array with the explicit dtype int32 stays int32: make such an array with jnp.int64."
_DIGITS = "A float32 keeps about 7 digits."
_INTEGER_OPERATORS = (ast.Mod, ast.FloorDiv, ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)


_LARGEST_POWER = 1_024
_MOST_DIGITS = 40
_LARGEST = "The largest value of int64 is 9,223,372,036,854,775,807, and that of uint64 is 18,446,744,073,709,551,615."


def too_large_error(raised: RaisedAt | None, number: int | None) -> Explained | None:
    """Explains an integer that is too large for int32, or even for the integers of 64 bits.

    Args:
        raised: Where the error was raised.
        number: The integer; None if the message does not contain the integer, because the integer has more than 64
            bits. The failing code may show the integer then.

    Returns:
        The explanation; None for an integer that fits into int64.
    """
    number = _only_large(raised) if number is None else number
    if number is not None and -(2**63) <= number < 2**63:
        return None
    title = LARGE_INTEGER
    if number is not None and len(str(number)) <= _MOST_DIGITS:
        title = f"The number {number} is too large for the integers of JAX"
    return Explained(None, title, _LARGEST, (without_int64(number, raised),))


def without_int64(number: int | None, raised: RaisedAt | None) -> FoundCure:
    """Return the advice for an integer that does not fit into int64.

    Args:
        number: The integer; None if unknown.
        raised: Where the error was raised.
    """
    if raised is not None and called(raised.node) in ("key", "PRNGKey"):
        return FoundCure("a smaller seed", None, "Pass a seed that fits into int64, such as the seed modulo 2**32.")
    if number is not None and 0 <= number < 2**64:
        words = (
            "Use a float, or turn on the setting jax_enable_x64 before any other use of JAX, and write uint64 as the "
            "dtype."
        )
        return FoundCure("a float", None, words)
    words = "Keep the number in Python, whose integers have no largest value."
    if number is None or abs(number) < 2**127:
        words = f"Use a float, or keep the number in Python, whose integers have no largest value. {_DIGITS}"
        return FoundCure("a float", None, words)
    return FoundCure("a Python integer", None, words)


def _only_large(raised: RaisedAt | None) -> int | None:
    """Return the only integer of the failing expression that does not fit into int64; None for none or several."""
    nodes = ast.walk(raised.node) if raised is not None and raised.node is not None else ()
    integers = {_integer(raised, node) for node in nodes if raised is not None and isinstance(node, ast.expr)}
    large = [number for number in integers if number is not None and not -(2**63) <= number < 2**63]
    return large[0] if len(large) == 1 else None


def large_number_cures(raised: RaisedAt | None, number: int, name: str | None) -> list[FoundCure]:
    """Return the cures of an integer that does not fit into int32.

    Args:
        raised: Where the error was raised.
        number: The integer.
        name: The argument of the user's function that receives the integer; None if a function of JAX receives the
            integer.

    Returns:
        The setting jax_enable_x64, if the integer fits into int64; before this cure a float, if the trial of the float
        passes, no integer operation is in the code that uses the float, and a float32 represents the integer, or the
        integer meets an array of floats.
    """
    as_float = _as_float(raised, number, name or "the number")
    if not -(2**63) <= number < 2**63:
        return [without_int64(number, raised)] if as_float is None else [as_float]
    with_x64 = FoundCure("jax_enable_x64", None, _X64 if name is not None else f"{_X64} {_EXPLICIT}")
    return [with_x64] if as_float is None else [as_float, with_x64]


def _as_float(raised: RaisedAt | None, number: int, name: str) -> FoundCure | None:
    node = _written(raised, number)
    if raised is None or node is None or _has_integer_operation(raised):
        return None
    if not _is_exact(number) and not _meets_floats(raised):
        return None
    text = f"Pass {name} as a float, such as {float(number)!r}. {_DIGITS}"
    cure = applied(FoundCure("a float", None, text), [edit_of(raised, over(node, repr(float(number))))])
    if not any(tried.level == "applies" for tried in passed(raised, [cure])):
        return None
    # No edit: the result becomes a float, which the user may not want.
    return FoundCure("a float", None, text)


def _written(raised: RaisedAt | None, number: int) -> ast.expr | None:
    """Return the only expression of the failing code that has the integer as its value; None for none or several."""
    if raised is None or raised.node is None:
        return None
    nodes = [node for node in ast.walk(raised.node) if isinstance(node, ast.expr) and _integer(raised, node) == number]
    return nodes[0] if len(nodes) == 1 else None


def _integer(raised: RaisedAt, node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return -value
        case ast.BinOp(left=ast.Constant(value=int(base)), op=operator, right=ast.Constant(value=int(power))) if (
            0 <= power <= _LARGEST_POWER and abs(base) < 2**64
        ):
            if isinstance(operator, ast.Pow):
                return int(base**power)
            return base << power if isinstance(operator, ast.LShift) else None
        case ast.Name() | ast.Attribute():
            value = value_of(raised, node)
            return value if type(value) is int else None
    return None


def _is_exact(number: int) -> bool:
    import numpy as np

    return abs(number) < 2**127 and int(np.float32(number)) == number


def _meets_floats(raised: RaisedAt) -> bool:
    """Return whether the other operand of the failing operator is an array of floats."""
    match raised.node:
        case ast.BinOp(left=left, right=right):
            return any("float" in str(dtype_of(value_of(raised, node))) for node in (left, right))
    return False


def _has_integer_operation(raised: RaisedAt) -> bool:
    """Return whether the failing statement, its function or the called function has an operator for integers."""
    code: list[ast.AST | None] = [_statement(raised), raised.function]
    if isinstance(raised.node, ast.Call):
        code.append(function_of_text(raised, raised.node.func))
    return any(
        isinstance(node, ast.BinOp | ast.AugAssign)
        and isinstance(node.op, _INTEGER_OPERATORS)
        and not isinstance(getattr(node, "left", None), ast.Constant)
        for part in code
        if part is not None
        for node in ast.walk(part)
    )


def _statement(raised: RaisedAt) -> ast.AST | None:
    node: ast.AST | None = raised.node
    while node is not None and not isinstance(node, ast.stmt):
        node = raised.parents.get(id(node))
    return node or raised.node
