"""Explains an assignment that unpacks a result of JAX into more or fewer names than the result has values."""

from __future__ import annotations

import ast
import re
from typing import Any

from ....jax.facts import is_jitted
from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....plain_text import own_name
from ....quantities import count
from ...trials.refused_assignments import own_names
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.definitions import at_definition
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.only_assignments import behind_name
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import function_of_text, result_of
from .exchanged_results import has_auxiliary, made_by_value_and_grad

UNPACKED = re.compile(r"^(?:too many|not enough) values to unpack \(expected (\d+)(?:, got (\d+))?\)")
"""Python's message; the groups are the number of names and, where Python tells it, the number of values."""

_NAMES = FoundCure("names", None, "Write a name for each value of the result on the left of the =.")
_DERIVATIVES = frozenset({"grad", "jacobian", "jacfwd", "jacrev", "hessian"})


def unpacked_result(raised: RaisedAt, expected: str, passed_count: str | None) -> Explained | None:
    """Explains an assignment that unpacks a result of JAX into more or fewer names than the result has values."""
    statement = raised.statement_of(raised.node)
    call = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(call, ast.Call):
        return None
    source = " ".join(raised.source(call).split())
    short = source if len(source) <= 60 else f"{source[:59]}…"
    transform = behind_name(raised, call.func)
    if (made := made_by_value_and_grad(raised, call)) is not None:
        return None if made.has_aux is None else _value_and_grad(raised, statement, made.has_aux, expected)
    if isinstance(transform, ast.Call) and called(transform) in _DERIVATIVES:
        if has_auxiliary(transform) and not any(keyword.arg == "argnums" for keyword in transform.keywords):
            return _with_auxiliary(called(transform), int(expected), statement)
        if any(keyword.arg in ("argnums", "has_aux") for keyword in transform.keywords) or len(transform.args) != 1:
            return None
        if not (own_name(value_of(raised, transform.func), "__module__") or "").startswith("jax"):
            return None
        word = called(transform)
        title = f"{word} gives one result, but the assignment has {expected} names"
        words = (
            f"With argnums=(0, 1), {word} gives one derivative for each of two arguments; with has_aux=True, {word} "
            "gives the derivative and the auxiliary value. jax.value_and_grad gives the value and the gradient."
        )
        return Explained(None, title, "", (FoundCure("one name", None, words),))
    if called(call) == "scan" and isinstance(statement, ast.Assign):
        return _results_of_scan(raised, statement, call)
    function = value_of(raised, call.func)
    if is_jitted(function):
        if (missing := _missing_results(raised, statement, function)) is not None:
            return missing
        if (returning := function_of_text(raised, call.func)) is not None:
            return _results_of_jitted(raised, statement, call, returning)
    modules = [own_name(type(function), "__module__") or "", own_name(function, "__module__") or ""]
    if (
        called(call) == "split"
        or passed_count is None
        or not any(module.partition(".")[0] == "jax" for module in modules)
    ):
        return None
    title = f"{short} gives {count(int(passed_count), 'value')}, but the assignment has {expected} names"
    return Explained(None, title, "", (_NAMES,))


def _with_auxiliary(transform: str, expected: int, statement: ast.stmt | None) -> Explained | None:
    """Explains loss, aux, g = jax.grad(f, has_aux=True)(x): grad returns no value of the function."""
    names = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(names, ast.Tuple) or len(names.elts) != expected or expected == 2:
        return None
    title = f"With has_aux=True, {transform} gives a pair, but the assignment has {expected} names"
    text = "The first element of the pair is the derivative, and the second is the auxiliary value."
    words = "Write two names: one for the derivative, one for the auxiliary value."
    if transform == "grad":
        words = f"{words} jax.value_and_grad returns ((value, auxiliary value), gradient)."
    return Explained(None, title, text, (FoundCure("two names", None, words),))


def _results_of_scan(raised: RaisedAt, statement: ast.Assign, call: ast.Call) -> Explained | None:
    """Explains ys, (a, b) = lax.scan(step, (a, b), xs): the carry comes first."""
    match statement.targets:
        case [ast.Tuple(elts=[ast.Name() as first, ast.Tuple() | ast.List() as second]) as target]:
            pass
        case _:
            return None
    carry = raised.source(second)
    start = call.args[1] if len(call.args) > 1 else None
    if raised.node is not second or (isinstance(start, ast.Tuple) and len(start.elts) != len(second.elts)):
        return None
    title = f"scan returns the last carry as its first result, but the assignment has {carry} as its second name"
    text = "scan returns a pair: the last carry, and the stacked outputs of the steps."
    code = f"{carry}, {raised.source(first)}"
    words = f"Write {carry}, the names of the carry, first."
    cure = applied(FoundCure("the order", code, words), [edit_of(raised, over(target, code))])
    return Explained(None, title, text, tuple(passed(raised, [cure])))


def _results_of_jitted(
    raised: RaisedAt, statement: ast.stmt | None, call: ast.Call, returning: ast.FunctionDef | ast.Lambda
) -> Explained | None:
    """Explains w, loss = step(w, x) of a jitted function that returns three values."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    result = result_of(returning)
    if not isinstance(target, ast.Tuple) or target is not raised.node or not isinstance(result, ast.Tuple):
        return None
    if len(result.elts) == len(target.elts) or any(isinstance(part, ast.Starred) for part in result.elts):
        return None
    name = called(call)
    values, names = count(len(result.elts), "value"), count(len(target.elts), "name")
    title = f"{name} returns {values}, but the assignment has {names}"
    text = f"{name} returns {' '.join(raised.source(result).split())} (line {result.lineno})."
    return Explained(None, title, text, (_NAMES,))


def _missing_results(raised: RaisedAt, statement: ast.stmt | None, function: Any) -> Explained | None:
    """Explains w, state = step(w, state) of a jitted function that assigns state and returns w alone."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    defined = at_definition(raised, function)
    if not isinstance(target, ast.Tuple) or target is not raised.node or defined is None:
        return None
    at, returning = defined
    result = result_of(returning)
    if result is None or not isinstance(returning, ast.FunctionDef):
        return None
    returned = [at.source(part) for part in (result.elts if isinstance(result, ast.Tuple) else [result])]
    names = [ast.unparse(part) for part in target.elts]
    missing = [name for name in names if name not in returned]
    if not missing or len(returned) + len(missing) != len(names) or not set(missing) <= own_names(returning):
        return None
    code = f"{', '.join(names)}"
    words = f"{returning.name} computes {in_a_sentence(missing)}, too. Return {in_a_sentence(names)}."
    cure = applied(FoundCure("return", f"return {code}", words), [edit_of(at, over(result, code))])
    tried = [cure for cure in passed(raised, [cure]) if cure.code is not None]
    if not tried:
        return None
    title = f"{returning.name} returns {', '.join(returned)}, but the assignment has {count(len(names), 'name')}"
    text = f"{returning.name} returns {', '.join(returned)} (line {result.lineno})."
    return Explained(None, title, text, tuple(tried))


_PAIR_OF_PAIR = (
    "With has_aux=True, value_and_grad returns a pair, whose first element is the pair of the value and the "
    "auxiliary value."
)
_GRADIENT = re.compile("^(?:d_?|grads?|g$|gs$|gradients?)")


def _value_and_grad(raised: RaisedAt, statement: ast.stmt | None, has_aux: bool, expected: str) -> Explained | None:
    """Explains value, aux, gradient = jax.value_and_grad(f, has_aux=True)(x): value and aux are one pair."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Tuple):
        return None
    if expected == "2" or len(statement.targets[0].elts) == 2:
        # The statement unpacks the pair rightly, so the error is about the parts of the value or of the gradient.
        return None
    title = f"value_and_grad gives a pair, but the assignment has {expected} names"
    if not has_aux:
        words = (
            "Write two names: one for the value, one for the gradient. With several argnums, the gradient is a tuple."
        )
        return Explained(None, title, "", (FoundCure("two names", None, words),))
    names = statement.targets[0].elts
    words = "Write the names as ((value, aux), gradient) on the left of the =."
    if len(names) != 3:
        return Explained(None, title, _PAIR_OF_PAIR, (FoundCure("((value, aux), gradient)", None, words),))
    value, *others = [raised.source(target) for target in names]
    # The name of the gradient may stand before the name of the auxiliary value.
    if _GRADIENT.match(others[0]) and not _GRADIENT.match(others[1]):
        others.reverse()
    code = f"({value}, {others[0]}), {others[1]}"
    cure = applied(
        FoundCure("((value, aux), gradient)", code, words), [edit_of(raised, over(statement.targets[0], code))]
    )
    return Explained(None, title, _PAIR_OF_PAIR, tuple(passed(raised, [cure])))


def number_unpacked(raised: RaisedAt | None) -> Explained | None:
    """Explains (value, aux), gradient = jax.value_and_grad(f)(x) without has_aux: the value is one number."""
    statement = raised.statement_of(raised.node) if raised is not None else None
    match statement:
        case ast.Assign(
            targets=[ast.Tuple(elts=[ast.Tuple() as parts, gradient]) as names], value=ast.Call() as call
        ) if raised is not None:
            pass
        case _:
            return None
    made = made_by_value_and_grad(raised, call)

    if made is None or made.has_aux or not all(isinstance(part, ast.Name) for part in [parts.elts[0], gradient]):
        return None
    value = raised.source(parts.elts[0])
    title = f"The assignment unpacks the value into {raised.source(parts)}, but the value is one number"
    text = _NO_AUXILIARY.format(function=made.name)
    code = f"{value}, {raised.source(gradient)}"
    edits = [edit_of(raised, over(names, code))]
    cure = applied(FoundCure("two names", code, _ONE_NAME.format(value=value, function=made.name)), edits)
    pair = FoundCure(
        "has_aux", f"jax.value_and_grad({made.name}, has_aux=True)", _RETURN_PAIR.format(function=made.name)
    )
    return Explained(None, title, text, (*passed(raised, [cure]), pair))


_NO_AUXILIARY = (
    "The value_and_grad of {function} does not have has_aux=True, so its call returns the number that {function} "
    "returns, and the gradient."
)
_ONE_NAME = "Write one name for the number of {function}, here {value}."
_RETURN_PAIR = "To get auxiliary values, return (number, auxiliary values) from {function}, and pass has_aux=True."
