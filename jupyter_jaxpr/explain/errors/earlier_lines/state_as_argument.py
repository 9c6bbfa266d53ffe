"""Makes the cure for a traced function that keeps a state outside of itself: it reads the state and stores a new one.

For example, `norm.mean = 0.9 * norm.mean + 0.1 * x.mean()` in a jitted function. The old value must come in as an
argument, as a compiled program keeps the value that it read at the trace; the new value must come out as a result.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ...states_in_code import replaces_old_value
from ...trials.refused_assignments import own_names, used_names
from ..failing_code.module_names import namespace
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import result_of

_MOST_VALUES = 6
_LONGEST = 80  # the most characters of a statement in a sentence


@dataclass(frozen=True)
class _State:
    """A value outside of a function that the function reads and replaces.

    Attributes:
        code: The code of the value in the traced function, such as norm.mean.
        name: The name of the value as a parameter.
        statement: The assignment that replaces the value.
        is_global: Whether the value is a global name, not a part of an object.
    """

    code: str
    name: str
    statement: ast.Assign
    is_global: bool = False


def state_as_argument(
    raised: RaisedAt, traced: ast.FunctionDef, ran: Collection[tuple[str, str]], calls: list[ast.Call]
) -> tuple[str, FoundCure] | None:
    """Return the sentence on the stored value, and the cure that passes the state in and returns the new state.

    None without such a state.

    Args:
        raised: Where the stored value was used.
        traced: The traced function.
        ran: (file, name) of the functions that computed the leaked value.
        calls: The calls of the traced function in the code.
    """
    states = list(_states(raised, traced, ran))
    names = [state.name for state in states]
    if not 1 <= len(states) <= _MOST_VALUES or len(set(names)) < len(names):
        return None
    parameter_names = {argument.arg for argument in ast.walk(traced.args) if isinstance(argument, ast.arg)}
    if parameter_names & set(names):
        return None
    codes = in_a_sentence([state.code for state in states], _MOST_VALUES)
    what, value = ("an argument", "value") if len(states) == 1 else ("arguments", "values")
    words = (
        f"{traced.name} also reads {codes}, and a compiled program keeps what it read while JAX traced. Pass {codes} "
        f"to {traced.name} as {what}, return the new {value} from {traced.name}, and assign the new {value} after "
        "the call."
    )
    declared = [state.name for state in states if state.is_global]
    if declared:
        words += f" Leave out the line global {', '.join(declared)}: a parameter has this name."
    used = {part.attr for part in ast.walk(raised.node or traced) if isinstance(part, ast.Attribute)}
    stored = next((state for state in states if state.name in used), states[0])
    text = " ".join(raised.source(stored.statement).split())
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    sentence = f"Line {stored.statement.lineno} stores a traced value in {stored.code}: {text}."
    return sentence, FoundCure("the state as an argument", _code(raised, traced, states, calls), words)


def _states(raised: RaisedAt, traced: ast.FunctionDef, ran: Collection[tuple[str, str]]) -> Iterator[_State]:
    """Yield the values that the traced function, or a method that it calls, reads and replaces."""
    own = [argument.arg for argument in traced.args.args[:1] if argument.arg == "self"]
    yield from _states_of(traced, {root: root for root in own}, own_names(traced))
    module = raised.loops.module if raised.loops is not None else ast.Module([], [])
    files = {file for file, _ in ran}
    ran_names = {name for _, name in ran}
    if files and raised.place.file not in files:
        return
    for kind in (node for node in module.body if isinstance(node, ast.ClassDef)):
        owners = {
            node.id
            for node in ast.walk(traced)
            if isinstance(node, ast.Name) and type(namespace(raised).get(node.id)).__name__ == kind.name
        }
        methods = [node for node in kind.body if isinstance(node, ast.FunctionDef) and node is not traced]
        for method in methods:
            if method.name in ran_names and method.name != "__init__" and len(owners) == 1 and method.args.args:
                (owner,) = owners
                yield from _states_of(method, {method.args.args[0].arg: owner}, own_names(method))


def _states_of(function: ast.FunctionDef, owners: dict[str, str], local_names: set[str]) -> Iterator[_State]:
    assignments = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
    targets = [(part, node) for node in assignments for target in node.targets for part in _parts(target)]
    seen: set[str] = set()
    for target, statement in targets:
        code = ast.unparse(target)
        if code in seen or not replaces_old_value(function, statement, target):
            continue
        match target:
            case ast.Attribute(value=ast.Name(id=root), attr=name):
                pass
            case ast.Subscript(value=ast.Name(id=root), slice=ast.Constant(value=str(name))):
                pass
            case ast.Name(id=root):
                name = root
            case _:
                continue
        if (root in local_names and root not in owners) or not name.isidentifier():
            continue
        seen.add(code)
        yield _State(owners.get(root, root) + code[len(root) :], name, statement, isinstance(target, ast.Name))


def _parts(target: ast.expr) -> list[ast.expr]:
    return target.elts if isinstance(target, ast.Tuple | ast.List) else [target]


def _code(raised: RaisedAt, traced: ast.FunctionDef, states: list[_State], calls: list[ast.Call]) -> str | None:
    """Return the new first lines and the new return of the function, and its new call; None for unclear code."""
    arguments, result = traced.args, result_of(traced)
    has_more = arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults
    if has_more or result is None or any(state.name in used_names(traced) and not state.is_global for state in states):
        return None
    written = ", ".join([*(argument.arg for argument in arguments.args), *(state.name for state in states)])
    lines = [f"def {traced.name}({written}):"]
    parts = [state for state in states if not state.is_global]
    if parts:
        lines.append(f"    {', '.join(state.code for state in parts)} = {', '.join(state.name for state in parts)}")
    body = [node for node in traced.body if not isinstance(node, ast.Return | ast.Global)]
    if len(body) > 0:
        lines.append(f"    ...  # the lines of {traced.name}")
    results = result.elts if isinstance(result, ast.Tuple) else [result]
    lines.append(f"    return {', '.join([*map(raised.source, results), *(state.code for state in states)])}")
    call = calls[0] if calls and not calls[0].keywords else None
    if call is not None:
        owner = raised.source(call.func.value) if isinstance(call.func, ast.Attribute) else "self"
        outside = [f"{owner}{state.code[4:]}" if state.code.startswith("self.") else state.code for state in states]
        statement = raised.parents.get(id(call))
        target = "result"
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = raised.source(statement.targets[0])
        passed = ", ".join([*map(raised.source, call.args), *outside])
        lines.append(f"{', '.join([target, *outside])} = {raised.source(call.func)}({passed})")
    return "\n".join(lines)
