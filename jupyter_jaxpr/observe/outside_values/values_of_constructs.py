"""Records the outside values of the functions of a construct outside of jit, such as the body of `lax.scan`.

JAX traces these functions before it reports anything, and may take a trace from its cache: only the program shows which
values the trace read. So a value is recorded only if the program has the value as a literal or gets the value as an
operand.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from ...jax.constructs_outside_jit import Construct
from ...jax.literals import literals_of
from .changes_since_trace import ValuesAtTrace
from .kept_contents import Contents, are_surely_equal, contents_of

_KEPT = 4
#: Function -> the values of the newest programs of constructs that the function was passed to.
_earlier: weakref.WeakKeyDictionary[FunctionType, deque[ValuesAtTrace]] = weakref.WeakKeyDictionary()
#: At most this many operands are compared with the values; the captured arrays come first.
_OPERANDS = 32


def values_of_construct(construct: Construct, jaxpr: Any, operands: Sequence[Any]) -> ValuesAtTrace | None:
    """Return the outside values that a program of a construct certainly has; None if a function is unknown.

    Args:
        construct: The construct, which JAX runs for the first time with this program.
        jaxpr: The program.
        operands: The operands of the construct, with the arrays that the functions captured.
    """
    functions = [passed.reference and passed.reference() for passed in construct.functions]
    if not functions or any(function is None for function in functions):
        return None
    literals = literals_of(jaxpr)
    kept_operands = [contents_of(operand) for operand in operands[:_OPERANDS]]

    def is_in_program(contents: Contents | None) -> bool:
        return _is_in_program(contents, literals, kept_operands)

    traced = ValuesAtTrace(functions, {})
    traced.keep_values(is_in_program)
    for function, passed in zip(functions, construct.functions, strict=True):
        if type(function) is FunctionType:
            for earlier in _earlier.get(function, ()):
                traced.take_values(earlier, passed.name, is_in_program)
            _earlier.setdefault(function, deque(maxlen=_KEPT)).append(traced)
    return traced


def _is_in_program(contents: Contents | None, literals: Sequence[Any], operands: Sequence[Contents | None]) -> bool:
    if contents is None:
        return False
    if type(contents.mark) in (bool, int, float):
        return any(_is_number(contents.mark, literal) for literal in literals)
    is_array = contents.kind in ("Array", "ndarray")
    return is_array and any(are_surely_equal(operand, contents) for operand in operands)


def _is_number(number: bool | int | float, literal: Any) -> bool:
    import numpy as np

    value = np.asarray(literal)
    if value.ndim or value.dtype.kind not in "biuf" or (value.dtype.kind == "b") != (type(number) is bool):
        return False
    try:
        return bool(np.asarray(number).astype(value.dtype) == value)
    except OverflowError:
        return False
