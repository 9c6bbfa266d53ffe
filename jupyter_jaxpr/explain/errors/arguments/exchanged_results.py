"""Explains a name that gets another result of JAX than the code expects, as a pair for a number.

With has_aux=True, the first result of value_and_grad is a pair. The second result of vjp and linearize is a function.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ....jax.facts import is_jitted
from ....jax.transforms_around_function import transformed_by
from ....observe.observation import FoundCure
from ....plain_text import message_of, own_name
from ...trials.refused_assignments import used_names
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over, shown
from ..failing_code.only_assignments import behind_name
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt

_NO_FUNCTION = re.compile(r"^'([\w.]+)' object is not callable")
_GIVE_FUNCTIONS = frozenset({"vjp", "linearize"})
_READS_NUMBER = ast.BinOp | ast.Compare | ast.UnaryOp | ast.Attribute | ast.FormattedValue | ast.Call


def exchanged_result_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains `loss, g = jax.value_and_grad(f, has_aux=True)(w)` and then `loss + 1`, or `pull, y = jax.vjp(f, x)`."""
    if raised is None or raised.frame is None or not isinstance(error, TypeError | AttributeError):
        return None
    if _NO_FUNCTION.search(message_of(error)) and isinstance(raised.node, ast.Call):
        return _function_in_other_name(raised, raised.node.func)
    for name in _names(raised) if "tuple" in message_of(error) else ():
        if (explained := _pair_in_one_name(raised, name)) is not None:
            return explained
    return None


def result_of_value_and_grad(raised: RaisedAt, call: ast.expr) -> ast.Call | None:
    """Return the transform jax.value_and_grad(f, ...) of a call, also under jit; None for another call."""
    node = behind_name(raised, call.func) if isinstance(call, ast.Call) else None
    while called(node) == "jit" and isinstance(node, ast.Call) and node.args:
        node = behind_name(raised, node.args[0])
    return node if called(node) == "value_and_grad" and isinstance(node, ast.Call) else None


@dataclass(frozen=True)
class ValueAndGrad:
    """A function that jax.value_and_grad made.

    Attributes:
        name: The name of the user's function.
        has_aux: Whether the transform has the option has_aux=True; None if the option is no constant.
    """

    name: str
    has_aux: bool | None


def made_by_value_and_grad(raised: RaisedAt, call: ast.expr) -> ValueAndGrad | None:
    """Return what value_and_grad made the called function of, also where another cell made the function."""
    transform = result_of_value_and_grad(raised, call)
    if transform is not None:
        options = [keyword.value for keyword in transform.keywords if keyword.arg == "has_aux"]
        is_constant = all(isinstance(option, ast.Constant) for option in options)
        first = transform.args[0] if transform.args else None
        name = " ".join(raised.source(first).split()) if isinstance(first, ast.Name | ast.Attribute) else "the function"
        return ValueAndGrad(name, has_auxiliary(transform) if is_constant else None)
    function = value_of(raised, call.func) if isinstance(call, ast.Call) and raised.frame is not None else None
    made = transformed_by(function.__wrapped__ if function is not None and is_jitted(function) else function)
    if made is None or made.transform != "value_and_grad":
        return None
    return ValueAndGrad(own_name(made.function) or "the function", made.has_aux)


def has_auxiliary(node: ast.Call) -> bool:
    """Return whether the code of a call says has_aux=True."""
    return any(
        keyword.arg == "has_aux" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True
        for keyword in node.keywords
    )


def _names(raised: RaisedAt) -> Iterator[ast.Name]:
    """Yield the names in the failing expression that an operation, a call, a format or an attribute reads."""
    for node in ast.walk(raised.node) if raised.node is not None else ():
        parent = raised.parents.get(id(node))
        if not isinstance(node, ast.Name) or not isinstance(parent, _READS_NUMBER):
            continue
        if not isinstance(parent, ast.Call) or (len(parent.args) == 1 and not parent.keywords):
            yield node


def _pair_in_one_name(raised: RaisedAt, name: ast.Name) -> Explained | None:
    """Explains a number of value_and_grad that is a pair, because has_aux=True."""
    value = value_of(raised, name)
    statement = _unpacking(raised, name.id)
    if type(value) is not tuple or len(value) != 2 or statement is None:
        return None
    names, call = statement
    transform = result_of_value_and_grad(raised, call)
    if transform is None or not has_auxiliary(transform) or len(names.elts) != 2 or not _is(names.elts[0], name.id):
        return None
    new_name = next((text for text in ("aux", "auxiliary") if text not in used_names(_scope(raised))), None)
    if new_name is None:
        return None
    code = f"({name.id}, {new_name}), {raised.source(names.elts[1])}"
    words = f"Write a name for the auxiliary value beside {name.id}."
    cure = applied(FoundCure("((value, aux), gradient)", code, words), [edit_of(raised, over(names, code))])
    # A trial traces, so it cannot run float(loss). The edit is then advice, because the value is certainly a pair.
    cures = [cure for cure in passed(raised, [cure]) if cure.edits] or [replace(shown(cure), level="advice", edits=())]
    title = f"{name.id} is a pair: the value and the auxiliary value"
    explanation = (
        f"With has_aux=True, value_and_grad returns ((value, auxiliary value), gradient). Line {names.lineno} gives "
        f"the name {name.id} to the whole pair."
    )
    return Explained(None, title, explanation, tuple(cures))


def _function_in_other_name(raised: RaisedAt, name: ast.expr) -> Explained | None:
    """Explains pull, y = jax.vjp(f, x) and then pull(1.0): the function is the second result."""
    statement = _unpacking(raised, name.id) if isinstance(name, ast.Name) else None
    if statement is None or not isinstance(name, ast.Name):
        return None
    names, call = statement
    transform = called(call)
    count_of_results = 3 if isinstance(call, ast.Call) and has_auxiliary(call) else 2
    if transform not in _GIVE_FUNCTIONS or len(names.elts) != count_of_results or _is(names.elts[1], name.id):
        return None
    others = [raised.source(part) for part in names.elts if not _is(part, name.id)]
    code = ", ".join([others[0], name.id, *others[1:]])
    words = f"Write {name.id} as the second name."
    cure = applied(FoundCure("the order", code, words), [edit_of(raised, over(names, code))])
    cures = passed(raised, [cure])
    if not cures:
        return None
    title = f"The function that {transform} returns is the second result, but {name.id} is another result"
    explanation = f"{transform} returns the value and a function."
    if count_of_results == 3:
        explanation = f"With has_aux=True, {transform} returns the value, a function, and the auxiliary value."
    return Explained(None, title, explanation, tuple(cures))


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _scope(raised: RaisedAt) -> ast.AST:
    """Return the function around the failing expression, or the whole code."""
    return raised.function or (raised.loops.module if raised.loops is not None else ast.Module([], []))


def _unpacking(raised: RaisedAt, name: str) -> tuple[ast.Tuple, ast.expr] | None:
    """Return the names and the value of the only assignment to a name, if the assignment unpacks a tuple."""
    nodes = list(ast.walk(_scope(raised)))
    stores = [
        node for node in nodes if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
    ]
    if len(stores) != 1:
        return None
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Tuple() as names], value=value) if stores[0] in names.elts:
                return names, value
    return None
