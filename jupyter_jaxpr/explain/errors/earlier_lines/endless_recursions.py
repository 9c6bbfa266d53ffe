"""Explains a function that calls itself, or functions that call each other, without end while JAX traces."""

from __future__ import annotations

import ast

from ....jax.facts import is_tracer_type
from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import edit_of, over
from ..failing_code.place_of_error import RaisedAt, at_caller
from ..failing_code.return_values import function_of_text

_STOP = "While JAX traces, arrays have no values, so a condition on an array cannot stop a recursion."


def recursion_error(raised: RaisedAt | None, function: str) -> Explained:
    """Explains a function that JAX traces again and again, because the function calls itself, or calls its caller."""
    place = None
    if raised is not None and (caller := _caller_in_recursion(raised)) is not None:
        raised, place = caller, caller.place
    name = raised.place.function.rpartition(".")[2] if raised is not None else function
    explanation = _STOP
    own = _own_call(raised) if raised is not None else None
    if raised is not None and own is not None:
        name, call = own
        place = edit_of(raised, over(call, "")).place
        explanation = _with_condition(raised, name)
    name = "A lambda" if name == "<lambda>" else name
    title = f"{name} calls itself without end while JAX traces"
    if raised is not None and own is None and len(calls := _calls_of_each_other(raised)) > 1:
        names = in_a_sentence([called_name for _, called_name in calls], 4)
        title = f"{names} call each other without end while JAX traces"
        lines = in_a_sentence([f"line {at.place.line} calls {called_name}" for at, called_name in calls], 4)
        explanation = f"{lines[0].upper()}{lines[1:]}. {_STOP}"
        place = calls[0][0].place
    cures: tuple[FoundCure, ...] = (
        FoundCure(
            "jax.lax.while_loop",
            None,
            "Write the recursion as a jax.lax.while_loop, whose condition may depend on the values of arrays.",
        ),
        FoundCure(
            "static_argnames",
            None,
            "Stop the recursion with a condition on a static argument or on a shape: Python knows the values of static "
            "arguments and the shapes while JAX traces.",
        ),
    )
    if raised is not None and own is not None and _calls_itself_twice(raised, own[0]):
        cures = cures[1:]  # a loop cannot replace a recursion with two calls
    if raised is not None and own is not None and (static := _static_condition(raised, own[0])) is not None:
        cures = tuple(static if cure.name == "static_argnames" else cure for cure in cures)
    return Explained(place, title, explanation, cures, traced=True)


_WITH_IF = (
    "Make {names} static, and write the condition {condition} as an if of Python in place of {choice}: Python then "
    "runs only the branch that the condition chooses."
)


def _static_condition(raised: RaisedAt, name: str) -> FoundCure | None:
    """Return the advice for a recursion in a branch of lax.cond; None without such a condition on an argument."""
    found = _condition(raised, name)
    if found is None:
        return None
    node, traced = found
    condition = " ".join(raised.source(node.args[0]).split())
    words = _WITH_IF.format(names=in_a_sentence(traced, 4), condition=condition, choice=called(node))
    return FoundCure("static_argnames", None, words)


def _calls_itself_twice(raised: RaisedAt, name: str) -> bool:
    function = function_of_text(raised, name)
    calls = [] if function is None else [part for part in ast.walk(function) if called(part) == name]
    return len(calls) > 1


_CHOICES = frozenset({"cond", "switch", "where", "select"})


def _with_condition(raised: RaisedAt, name: str) -> str:
    """Return the explanation of a recursion, with the traced arguments on which the condition of a lax.cond depends.

    Args:
        raised: Where the error was raised.
        name: The name of the function that calls itself.
    """
    found = _condition(raised, name)
    if found is None:
        return _STOP
    node, traced = found
    condition = " ".join(raised.source(node.args[0]).split())
    return (
        f"The condition {condition} (line {node.lineno}) depends on {in_a_sentence(traced, 4)}, which JAX traces. "
        f"JAX traces all branches of {called(node)}, also the branch that calls {name} again. {_STOP}"
    )


def _condition(raised: RaisedAt, name: str) -> tuple[ast.Call, list[str]] | None:
    """Return the first lax.cond of a recursive function, and the traced arguments in its condition; None without."""
    function = function_of_text(raised, name)
    frame = next((frame for frame in raised.callers[::-1] if frame.f_code.co_name == name), None)
    if function is None or frame is None:
        return None
    parameters = [part.arg for part in ast.walk(function.args) if isinstance(part, ast.arg)]
    for node in ast.walk(function):
        if not isinstance(node, ast.Call) or called(node) not in _CHOICES or not node.args:
            continue
        read = {part.id for part in ast.walk(node.args[0]) if isinstance(part, ast.Name)}
        traced = [part for part in parameters if part in read and is_tracer_type(type(frame.f_locals.get(part)))]
        if traced:
            return node, traced
    return None


_FRAMES = 60
"""The number of innermost frames of the user's code in which the functions of a recursion are searched."""


def _caller_in_recursion(raised: RaisedAt) -> RaisedAt | None:
    """Return the innermost call in a function of the recursion if another function raised the error; else None."""
    frames = list(raised.callers[-_FRAMES:])
    codes = [frame.f_code for frame in frames]
    if _own_call(raised) is not None or raised.frame is None or codes.count(raised.frame.f_code) > 1:
        return None
    repeated = [frame for frame in frames if codes.count(frame.f_code) > 2]
    return at_caller(raised, repeated[-1]) if repeated else None


def _calls_of_each_other(raised: RaisedAt) -> list[tuple[RaisedAt, str]]:
    """Return the call of each function of a recursion, and the name of the called function, in the order of the code.

    Empty if the frames show no recursion of several functions with names.
    """
    frames = list(raised.callers[-_FRAMES:])
    codes = [frame.f_code for frame in frames]
    repeated = [code for code in dict.fromkeys(codes) if codes.count(code) > 2]
    names = {code.co_name for code in repeated} - {"<lambda>"}
    calls: dict[str, RaisedAt] = {}
    for code in repeated:
        at = at_caller(raised, frames[codes.index(code)])
        if (name := called(at.node)) in names:
            calls.setdefault(name, at)
    if calls.keys() != names:
        return []
    return sorted(((at, name) for name, at in calls.items()), key=lambda pair: pair[0].place.line)


def _own_call(raised: RaisedAt) -> tuple[str, ast.Call] | None:
    """Return the name of the function around the failing expression that calls itself, and this call.

    The call is the one around the failing expression, or the only one in the function. None if no function around the
    expression calls itself by its name.
    """
    node = raised.node
    around: list[ast.Call] = []
    while node is not None:
        around += [node] if isinstance(node, ast.Call) else []
        match node:
            case ast.FunctionDef(name=name) | ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda()):
                calls = [part for part in ast.walk(node) if isinstance(part, ast.Call) and called(part) == name]
                chosen = [call for call in around if any(call is part for part in calls)] or calls
                if len(calls) == 1 or any(call is part for call in around for part in calls):
                    return name, chosen[0]
        node = raised.parents.get(id(node))
    return None
