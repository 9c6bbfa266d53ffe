"""Chooses the explanation for an error of scan, while_loop, fori_loop, cond or switch by JAX's message."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import chosen, edit_of, over
from ..failing_code.expression_shapes import shape_of
from ..failing_code.module_names import jnp_name
from ..failing_code.origins import operands
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import missing_return, result_of
from .branch_types import branch_error
from .carry_types import carry_error, pair_error
from .construct_arguments import argument_error
from .loop_bodies import body_and_place
from .returned_leaves import short_source

_LOOP = re.compile(r"^(scan|while_loop|fori_loop) body function carry input and carry output must have")
_ABSTRACT = re.compile(r"ShapedArray\((\w+\[[\d,]*\])(?:, weak_type=True)?\)")
_PAIR = re.compile(r"^scan body output must be a pair, got (?P<got>.*?)\.?$", re.DOTALL)
_BRANCHES = re.compile(r"^(cond|switch) branch\w* (?:outputs )?must have")
_SCALAR = re.compile(r"^cond_fun must return a boolean scalar|^Pred must be a scalar|^Pred type must be")
_SHAPE_OF_CONDITION = re.compile(r"^Pred must be a scalar, got .* of shape (\(.*?\))\.?$", re.DOTALL)
_GIVEN = re.compile(r"\(?((?:bool|int|uint|float|bfloat)\d*\[[\d,]*\])")
_NO_ARRAY = re.compile(r"of type <class '(str|dict|list|tuple|function|NoneType)'>")


def construct_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a loop or conditional of JAX whose body, branch or condition returns a value of a wrong type."""
    text = message_of(error).strip()
    if not isinstance(error, TypeError | ValueError):
        return None
    loop = _LOOP.search(text)
    if loop is not None:
        return carry_error(text, raised, _construct_name(raised, loop[1]))
    pair = _PAIR.search(text)
    if pair is not None:
        return pair_error(_ABSTRACT.sub(r"\1", pair["got"]), raised)
    branches = _BRANCHES.search(text)
    if branches is not None:
        return branch_error(text, raised, branches[1])
    if _SCALAR.search(text):
        return condition_error(text, raised)
    return argument_error(text, raised)


_ANY_OF_WHILE = "With .any(), the loop runs until the condition is false for all elements."
_ALL_OF_WHILE = "With .all(), the loop ends as soon as the condition is false for one element."
_ANY_OR_ALL_OF_COND = (
    "With .any(), the condition is true if at least one element is true. With .all(), the condition is true only if "
    "all elements are true."
)


def condition_error(text: str, raised: RaisedAt | None) -> Explained:
    """Explain a condition of while_loop or cond that is not a single boolean."""
    call = raised.node if raised is not None else None
    if raised is not None and isinstance(call, ast.Call) and called(call) == "fori_loop":
        bounds = [node for node in call.args[:2] if (shape_of(raised, node) or ()) != ()]
        title = "The bounds of a fori_loop are single integers, but a bound is an array with axes"
        words = "Pass one number for each bound, such as n[0] for an array n of one element."
        return Explained(None, title, operands(raised, bounds), (FoundCure("a number", None, words),))
    cures = [FoundCure(".any() or .all()", None, _ANY_OR_ALL_OF_COND)]
    if called(call) == "while_loop":
        cures = [FoundCure(".any() or .all()", None, f"{_ANY_OF_WHILE} {_ALL_OF_WHILE}")]
    else:
        words = "jnp.where chooses element by element, and computes both values."
        cures.append(FoundCure("jnp.where", None, words))
    if raised is not None and "PyTreeDef(None)" in text and isinstance(call, ast.Call) and call.args:
        condition = body_and_place(raised, call.args[0])
        missing = missing_return(condition[0], condition[1].function) if condition is not None else None
        if missing is not None:
            title = "The condition of while_loop returns None"
            return Explained(None, title, "", tuple(passed(raised, [missing])))
    if (kind := _NO_ARRAY.search(text)) is not None:
        words = "Write a comparison, such as x > 0, or choose with Python's if where the choice depends on no array."
        kind_of_condition = kind[1]
        title = f"A condition must be a single boolean, not a {kind_of_condition}"
        return Explained(None, title, "", (FoundCure("a comparison", None, words),))
    match = _GIVEN.search(text)
    type_of_condition = match[1] if match is not None else ""
    explanation = f"The condition has the type {type_of_condition}." if type_of_condition else ""
    if match is not None and match[1].endswith("[]"):
        words = "Write a comparison, such as x > 0: while_loop takes no integer and no float as its condition."
        cures = [FoundCure("a comparison", None, words)]
    place = None
    shape = _SHAPE_OF_CONDITION.search(text)
    if raised is not None and isinstance(call, ast.Call) and called(call) == "cond" and call.args and shape is not None:
        place = edit_of(raised, over(call.args[0], "")).place
        explanation = f"The condition has the shape {shape[1]}. {operands(raised, call.args[:1])}".strip()
    found = _condition_of_while(raised, call) if raised is not None and called(call) == "while_loop" else None
    if raised is not None and found is not None:
        at, result, function_name = found
        place = edit_of(at, over(result, "")).place
        if function_name is not None and type_of_condition:
            explanation = f"{function_name} returns {short_source(at, result)}, which is {type_of_condition}."
        if type_of_condition.startswith("bool[") and type_of_condition != "bool[]":
            code, jnp = f"REDUCTION({at.source(result)})", jnp_name(at)
            words = f"Write {jnp}.any or {jnp}.all in place of REDUCTION. {_ANY_OF_WHILE} {_ALL_OF_WHILE}"
            cure = chosen(FoundCure(".any() or .all()", code, words), [edit_of(at, over(result, code))])
            cures = passed(raised, [cure]) or cures
    return Explained(place, "A condition must be a single boolean", explanation, tuple(cures))


def _condition_of_while(raised: RaisedAt, call: ast.AST | None) -> tuple[RaisedAt, ast.expr, str | None] | None:
    """Return what the condition of a while_loop returns, with the place and the name of the condition's function.

    None if the code does not show the only return of the function. The name is None for a lambda.
    """
    names = {keyword.arg: keyword.value for keyword in call.keywords} if isinstance(call, ast.Call) else {}
    node = call.args[0] if isinstance(call, ast.Call) and call.args else names.get("cond_fun")
    found = body_and_place(raised, node) if node is not None else None
    result = result_of(found[1].function) if found is not None else None
    return None if found is None or result is None else (found[0], result, getattr(found[1].function, "name", None))


def _construct_name(raised: RaisedAt | None, name: str) -> str:
    """Return the name of the loop that the user called; JAX runs a fori_loop with fixed bounds as a scan."""
    word = called(raised.node) if raised is not None else ""
    return word if word in ("scan", "while_loop", "fori_loop", "map") else name
