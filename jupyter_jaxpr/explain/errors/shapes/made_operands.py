"""Finds the code that made an operand, also in a caller of the failing function, and a wrong number in this code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.only_assignments import only_value
from ..failing_code.passing_calls import Passing, passing_calls
from ..failing_code.place_of_error import RaisedAt

_LONGEST_CODE = 80
_MADE = "{name} is {code} (line {line} of {function})."
_OF_OTHERS = (
    "The other calls of {function} in {caller} pass {usual}, and only this call passes {odd}. With {usual}, {name} has "
    "the size {usual} along this axis."
)
_OF_ONE = "If {usual} is the right size, pass {usual} in line {line}, not {odd}: {name} then has this size."


@dataclass(frozen=True)
class MadeOperand:
    """The code that made an operand.

    Attributes:
        at: The place in the function that has the code: the failing expression, or the call that led to the error.
        name: The name to which the function assigns the operand.
        value: The expression that the function assigns.
    """

    at: RaisedAt
    name: str
    value: ast.expr


def made_operand(raised: RaisedAt, node: ast.expr) -> MadeOperand | None:
    """Return the code that made an operand: the only assignment to its name, in the function or in a caller.

    Args:
        raised: Where the error was raised.
        node: The operand. None is returned unless this is a name, or a slice of a name.
    """
    while isinstance(node, ast.Subscript):
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    for passing in (Passing(raised, node), *passing_calls(raised, node)):
        name = passing.node
        value = only_value(passing.at.function, name.id) if isinstance(name, ast.Name) else None
        if value is not None and isinstance(name, ast.Name):
            return MadeOperand(passing.at, name.id, value)
    return None


def sentence_on_made(made: MadeOperand) -> str:
    """Return the sentence that quotes the code of an operand; an empty string for long code."""
    code = " ".join(made.at.source(made.value).split())
    if len(code) > _LONGEST_CODE:
        return ""
    function = made.at.place.function.rpartition(".")[2]
    return _MADE.format(name=made.name, code=code, line=made.value.lineno, function=function)


def size_cure(made: MadeOperand, size: int, other: int) -> FoundCure | None:
    """Return the cure that passes another number to the call that made an operand.

    The edit applies if other calls of the same function, in the same function, pass the other number, and none passes
    this number: x = heads(a, 4), y = heads(b, 4), z = heads(c, 8). Otherwise the cure is advice.

    Args:
        made: The operand that has the size.
        size: The size of the operand along the axis.
        other: The size of the other operand along this axis.
    """
    call, at = made.value, made.at
    if not isinstance(call, ast.Call):
        return None
    numbers = [part for part in _passed(call) if isinstance(part, ast.Constant) and part.value == size]
    if len(numbers) != 1:
        return None
    function = called(call)
    siblings = [part for part in _calls(at, function) if part is not call]
    usual = [part for part in siblings if _passes(part, other) and not _passes(part, size)]
    words = _OF_ONE.format(usual=other, odd=size, line=call.lineno, name=made.name)
    is_odd = len(usual) > 1 and len(usual) == len(siblings)
    if is_odd:
        caller = at.place.function.rpartition(".")[2]
        words = _OF_OTHERS.format(function=function, caller=caller, usual=other, odd=size, name=made.name)
    cure = applied(FoundCure("the number", None, words), [edit_of(at, over(numbers[0], str(other)))])
    tried = [cure for cure in passed(at, [cure]) if cure.level == "applies"]
    return next((cure if is_odd else replace(cure, level="advice", edits=()) for cure in tried), None)


def _passed(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _passes(call: ast.Call, number: int) -> bool:
    return any(isinstance(part, ast.Constant) and part.value == number for part in _passed(call))


def _calls(at: RaisedAt, function: str) -> Iterator[ast.Call]:
    for node in ast.walk(at.function) if at.function is not None else ():
        if isinstance(node, ast.Call) and called(node) == function:
            yield node
