"""Makes the cures for two branches that return different numbers of values: add the missing ones, or leave one out."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ....observe.observation import FoundCure
from ...trials.refused_assignments import own_names
from ...trials.trial_of_error_cure import passed
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.place_of_error import RaisedAt, at_caller
from .returned_leaves import short_source

_MOST_CALLERS = 4
_AS_MANY = (
    "{longer} returns {count} values, and {shorter} returns one array. Return {count} values from {shorter}, too."
)
_SUCH_AS = "{advice} For example: {code}."
_OTHER_FLAG = {"True": "False", "False": "True"}
_LEFT_OUT = "Leave {value} out of {longer}: {shorter} returns {count} values, and the code unpacks as many."


class Returned(NamedTuple):
    """What a branch returns: the name of the branch, the place of its code, and the returned expression."""

    name: str
    at: RaisedAt
    result: ast.expr


def of_two_lengths(raised: RaisedAt, shorter: Returned, longer: Returned) -> FoundCure:
    """Return the cure for branches that return tuples of two lengths.

    Args:
        raised: Where the error was raised.
        shorter: The branch with the shorter tuple.
        longer: The branch with the longer tuple.
    """
    assert isinstance(shorter.result, ast.Tuple) and isinstance(longer.result, ast.Tuple)
    elements, more = shorter.result.elts, longer.result.elts
    position = len(elements)
    wanted = _unpacked(raised)
    if len(more) == position + 1 and wanted == position:
        if (left_out := _left_out(raised, shorter, longer)) is not None:
            return left_out
    value = short_source(longer.at, more[position])
    words = f"Return a value at position {position} from {shorter.name}, too, or leave {value} out of {longer.name}."
    if len(more) > position + 1:
        words = f"Return as many values from {shorter.name} as from {longer.name}."
    advice = FoundCure("same structure", None, words)
    if wanted == len(more) == position + 1:
        advice = FoundCure("same structure", None, f"Return a value at position {position} from {shorter.name}, too.")
    if wanted == len(more):
        return _with_values(raised, shorter, longer, elements, more[position:], advice)
    return advice


def beside_array(raised: RaisedAt, results: Sequence[Returned], explanation: str) -> FoundCure | None:
    """Return the cure for a branch that returns one array, where the other branch returns a tuple of several values.

    Args:
        raised: Where the error was raised.
        results: The name, the place and the result of each branch.
        explanation: The part of the message that compares the results of two branches.
    """
    if len(results) != 2 or "is an array" not in explanation or "is a tuple" not in explanation:
        return None
    shorter, longer = sorted(results, key=lambda returned: isinstance(returned.result, ast.Tuple))
    values = longer.result
    if isinstance(shorter.result, ast.Tuple) or not isinstance(values, ast.Tuple) or len(values.elts) < 2:
        return None
    words = _AS_MANY.format(longer=longer.name, count=len(values.elts), shorter=shorter.name)
    advice = FoundCure("same structure", None, words)
    return _with_values(raised, shorter, longer, [shorter.result], values.elts[1:], advice)


def _unpacked(raised: RaisedAt) -> int | None:
    """Return into how many names the code unpacks the result of the failing call; None if it does not."""
    targets = _targets(raised)
    return len(targets) if targets is not None else None


def _targets(raised: RaisedAt) -> list[ast.expr] | None:
    """Return the names into which the code unpacks the result of the failing call; None if it does not.

    A function may return the result, so that one of its callers unpacks it.
    """
    at = raised
    for _ in range(_MOST_CALLERS):
        match at.parents.get(id(at.node)):
            case ast.Assign(targets=[ast.Tuple(elts=names)]) if not any(isinstance(n, ast.Starred) for n in names):
                return names
            case ast.Return() if at.callers:
                at = at_caller(at, at.callers[-1])
            case _:
                return None
    return None


def _left_out(raised: RaisedAt, shorter: Returned, longer: Returned) -> FoundCure | None:
    """Return the cure that leaves one value out of the longer tuple; None if no value, or several, can be left out.

    If several edits pass their trial, the one after which most values have the code of the shorter tuple is meant.
    """
    assert isinstance(longer.result, ast.Tuple) and isinstance(shorter.result, ast.Tuple)
    elements = longer.result.elts
    usual = [ast.unparse(element) for element in shorter.result.elts]
    tried: list[tuple[int, FoundCure]] = []
    for place, element in enumerate(elements):
        kept = [longer.at.source(other) for number, other in enumerate(elements) if number != place]
        values = f"{', '.join(kept)}{',' if len(kept) == 1 else ''}"
        text = _LEFT_OUT.format(
            value=short_source(longer.at, element), longer=longer.name, shorter=shorter.name, count=len(kept)
        )
        code, new = _codes(longer, values)
        cure = applied(FoundCure("one value fewer", code, text), [edit_of(longer.at, over(longer.result, new))])
        others = [ast.unparse(other) for number, other in enumerate(elements) if number != place]
        equal = sum(other == code_of_shorter for other, code_of_shorter in zip(others, usual, strict=True))
        tried += [(equal, new_cure) for new_cure in passed(raised, [cure]) if new_cure.level == "applies"]
    most = max((equal for equal, _ in tried), default=0)
    best = [cure for equal, cure in tried if equal == most]
    return best[0] if len(best) == 1 else None


def _codes(returned: Returned, values: str) -> tuple[str, str]:
    """Return the code to show for a new result, and the code that replaces the old result."""
    is_returned = isinstance(returned.at.parents.get(id(returned.result)), ast.Return)
    is_in_parentheses = returned.at.source(returned.result).startswith("(") and isinstance(returned.result, ast.Tuple)
    new = values if is_returned and not is_in_parentheses else f"({values})"
    return (f"return {new}" if is_returned else new), new


def _with_values(
    raised: RaisedAt,
    shorter: Returned,
    longer: Returned,
    elements: Sequence[ast.expr],
    further: Sequence[ast.expr],
    advice: FoundCure,
) -> FoundCure:
    """Return the cure that adds the missing values, if they are constants or names of this branch, too.

    Values that may be meant otherwise are an example: constants, values that the other branch may leave out, or an
    unchanged name such as n beside n + 1 of the other branch, if the code does not assign the result to n.
    """
    are_constants = all(isinstance(value, ast.Constant) for value in further)
    targets = _targets(raised) or []
    names = [*targets[len(elements) :], *[None] * len(further)]
    found = [_missing(shorter, longer, value, name) for value, name in zip(further, names, strict=False)]
    sources = [value.code for value in found if value is not None]
    # A name that the branch already returns at another place is not the missing value.
    assert isinstance(longer.result, ast.Tuple)
    others = {*sources} - {*map(longer.at.source, longer.result.elts[: len(elements)])}
    if len(sources) < len(found) or not others.isdisjoint(map(shorter.at.source, elements)):
        return advice
    # A flag of two branches usually differs.
    texts = [_OTHER_FLAG.get(source, source) for source in sources]
    code, new = _codes(shorter, ", ".join([*map(shorter.at.source, elements), *texts]))
    cure = applied(
        FoundCure("same structure", code, _SUCH_AS.format(advice=advice.text, code=code)),
        [edit_of(shorter.at, over(shorter.result, new))],
    )
    tried = [new_cure for new_cure in passed(raised, [cure]) if new_cure.level == "applies"]
    if not tried:
        return advice
    is_flag = all(source in _OTHER_FLAG for source in sources)
    is_sure = is_flag or (not are_constants and all(value is not None and value.is_sure for value in found))
    is_wanted = _unpacked(raised) == len(elements) + len(further)
    if is_sure and (is_wanted or not _is_alone(raised, longer, len(elements))):
        return replace(tried[0], text=advice.text)
    return replace(cure, level="advice", edits=())


class _Missing(NamedTuple):
    """The code of a value that a branch lacks, and whether the user's code leaves no doubt about the value."""

    code: str
    is_sure: bool


def _missing(shorter: Returned, longer: Returned, value: ast.expr, target: ast.expr | None) -> _Missing | None:
    """Return the value for the shorter branch, where the longer one returns `value`; None if it is not known.

    The longer branch may change a value, as in n + 1. The shorter one then returns n, not the changed value.

    Args:
        shorter: The branch that lacks the value.
        longer: The branch that returns the value.
        value: The value that the longer branch returns.
        target: The name to which the code assigns the value; None if it is not known.
    """
    code = longer.at.source(value)
    if isinstance(value, ast.Constant):
        return _Missing(code, True)
    local = _local_names(shorter)
    if isinstance(target, ast.Name) and target.id in local:
        return _Missing(target.id, True)
    if not _is_known(shorter, longer, value):
        return None
    if isinstance(value, ast.Name):
        return _Missing(code, True)
    names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)} & local
    return _Missing(names.pop(), False) if len(names) == 1 else None


def _is_alone(raised: RaisedAt, longer: Returned, count: int) -> bool:
    """Return whether the other branch may also return the first values alone."""
    assert isinstance(longer.result, ast.Tuple)
    kept = ", ".join(map(longer.at.source, longer.result.elts[:count]))
    code, new = _codes(longer, kept)
    cure = applied(FoundCure("one value", code, ""), [edit_of(longer.at, over(longer.result, new))])
    return any(trial.level == "applies" or trial.code is None for trial in passed(raised, [cure]))


def _is_known(shorter: Returned, longer: Returned, value: ast.expr) -> bool:
    """Return whether each name of a value means the same in both branches, or a local value of each."""
    inside, there = (_local_names(returned) for returned in (shorter, longer))
    names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
    return all(name in inside or name not in there for name in names)


def _local_names(returned: Returned) -> set[str]:
    node: ast.AST | None = returned.result
    while node is not None and not isinstance(node, ast.FunctionDef | ast.Lambda):
        node = returned.at.parents.get(id(node))
    if node is None:
        return set()
    parameters = {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}
    return parameters | (own_names(node) if isinstance(node, ast.FunctionDef) else set())
