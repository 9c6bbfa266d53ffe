"""Explains calls of optax with other arguments than the gradient, the state and the parameters in this order."""

from __future__ import annotations

import ast
from typing import Any, TypeGuard

from ....jax.transform_and_inputs_of_tracer import type_of
from ....observe.observation import FoundCure
from ....plain_text import own_name
from ...trials.refused_assignments import own_nodes
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.only_assignments import only_value
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt
from .tree_differences import with_article


def other_update_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains `tx.update(value, state, params)`, where `value` is the value from value_and_grad, not the gradient."""
    call = raised.node if raised is not None else None
    if raised is None or raised.frame is None or not isinstance(error, TypeError | ValueError | AttributeError):
        return None
    if isinstance(call, ast.Call) and called(call) == "apply_updates":
        return _whole_pair(raised, call) or _state_for_updates(raised, call)
    if not _is_update_of_optax(call, raised):
        return None
    if (exchanged := _state_in_other_place(raised, call)) is not None:
        return exchanged
    if len(call.args) != 3 or not isinstance(call.args[0], ast.Name):
        return None
    updates, parameters = value_of(raised, call.args[0]), value_of(raised, call.args[2])
    if updates is None or parameters is None or _shapes(updates) == _shapes(parameters):
        return None
    gradient = _gradient(raised, call.args[0].id, parameters)
    if gradient is None:
        return None
    name, source = call.args[0].id, raised.source(call.args[2])
    kind = type_of(updates) or with_article(type(updates).__name__)
    title = f"update of an optimizer takes the gradient first, but gets {name}, which is {kind}"
    text = f"A gradient has the structure and the shapes of {source}. In this code, {gradient} is the gradient."
    words = f"Pass {gradient} in the place of {name}."
    cure = applied(FoundCure("the gradient", gradient, words), [edit_of(raised, over(call.args[0], gradient))])
    return Explained(None, title, text, tuple(passed(raised, [cure])))


def _is_update_of_optax(node: ast.AST | None, raised: RaisedAt) -> TypeGuard[ast.Call]:
    if not isinstance(node, ast.Call) or called(node) != "update" or not isinstance(node.func, ast.Attribute):
        return False
    optimizer = value_of(raised, node.func.value)
    return any((own_name(kind, "__module__") or "").startswith("optax") for kind in type(optimizer).__mro__)


_PLACES = ("first", "second", "third")


def _state_in_other_place(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains `tx.update(state, grads, params)`, where the state of the optimizer is not the second argument."""
    arguments = call.args
    if not 2 <= len(arguments) <= 3 or any(isinstance(argument, ast.Starred) for argument in arguments):
        return None
    places = [place for place, argument in enumerate(arguments) if _is_state(value_of(raised, argument))]
    if len(places) != 1 or places[0] == 1:
        return None
    state = arguments[places[0]]
    others = [argument for argument in arguments if argument is not state]
    if len(others) == 2 and _is_of_grad(raised, others[1]) and not _is_of_grad(raised, others[0]):
        others.reverse()
    ordered = [others[0], state, *others[1:]]
    source = raised.source(state)
    title = (
        f"update of an optimizer takes the state as the second argument, but gets {source}, the state, as the "
        f"{_PLACES[places[0]]} argument"
    )
    text = "update takes the gradients, then the state of the optimizer, and then the parameters."
    code = f"{raised.source(call.func)}({', '.join(map(raised.source, [*ordered, *call.keywords]))})"
    words = f"Pass {' '.join(raised.source(others[0]).split())} first, and {source} second."
    cure = applied(FoundCure("the order", code, words), [edit_of(raised, over(call, code))])
    return Explained(None, title, text, tuple(passed(raised, [cure])))


def _state_for_updates(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains `updates, state = tx.update(g, state)` and then `optax.apply_updates(params, state)`."""
    states = [argument for argument in call.args if _is_state(value_of(raised, argument))]
    if len(call.args) != 2 or len(states) != 1 or not isinstance(states[0], ast.Name) or raised.loops is None:
        return None
    state = states[0]
    found = []
    for node in own_nodes(raised.function if isinstance(raised.function, ast.FunctionDef) else raised.loops.module):
        match node:
            # The earlier state has the name of the new state, so the two names have the right order.
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=updates), ast.Name(id=new_state)])],
                value=ast.Call(args=[_, ast.Name(id=old_state), *_]),
            ) if new_state == old_state == state.id:
                found.append(updates)
    if len(set(found)) != 1:
        return None
    updates = found[0]
    title = f"apply_updates takes the parameters and the updates, but gets {state.id}, the state of the optimizer"
    text = f"update returns the updates and the new state. In this code, {updates} has the updates."
    words = f"Write {updates} in place of {state.id}."
    cure = applied(FoundCure("the updates", updates, words), [edit_of(raised, over(state, updates))])
    return Explained(None, title, text, tuple(passed(raised, [cure])))


def _is_of_grad(raised: RaisedAt, node: ast.expr) -> bool:
    """Return whether the code computes a value with a call of jax.grad or value_and_grad, as far as names show."""
    scope = raised.function or (raised.loops.module if raised.loops is not None else None)
    value = only_value(scope, node.id) if isinstance(node, ast.Name) else node
    return any("grad" in called(part) for part in ast.walk(value) if isinstance(part, ast.Call)) if value else False


def _is_state(value: Any, depth: int = 4) -> bool:
    """Return whether a value is a state of an optimizer of optax: a named tuple of optax, or a tuple of such states."""
    if not isinstance(value, tuple):
        return False
    if (own_name(type(value), "__module__") or "").startswith("optax"):
        return True
    return depth > 0 and any(_is_state(part, depth - 1) for part in value[:20])


def _whole_pair(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains apply_updates(params, opt.update(g, state)): update returns a pair."""
    if len(call.args) != 2 or call.keywords or not _is_update_of_optax(call.args[1], raised):
        return None
    update, statement = call.args[1], raised.statement_of(call)
    source = " ".join(raised.source(update).split())
    title = f"{source} is a pair, but apply_updates takes the updates alone"
    text = "update returns the updates and the new state of the optimizer."
    words = (
        "Assign the two values of the pair to two names, and pass the updates to apply_updates. The next call of "
        "update needs the new state."
    )
    state = next((keyword.value for keyword in update.keywords if keyword.arg == "state"), None)
    state = update.args[1] if len(update.args) > 1 else state
    cure = FoundCure("the updates", f"updates, state = {source}", words)
    if isinstance(state, ast.Name) and isinstance(statement, ast.Assign | ast.Expr | ast.Return):
        name = "updates" if "updates" not in raised.module_names else "new_updates"
        before = raised.source_of_statement(statement)
        after = f"{name}, {state.id} = {source}\n{before.replace(raised.source(update), name)}"
        if before.count(raised.source(update)) == 1:
            cure = applied(FoundCure("the updates", after, words), [edit_of(raised, over(statement, after))])
    return Explained(None, title, text, tuple(passed(raised, [cure])))


def _gradient(raised: RaisedAt, value_name: str, parameters: Any) -> str | None:
    """Return the name g of the gradient from an assignment `value, g = ...`.

    None if there are several such assignments, or if g does not have the shapes of the parameters.
    """
    if raised.loops is None:
        return None
    scope = raised.function if isinstance(raised.function, ast.FunctionDef) else raised.loops.module
    names = []
    for node in own_nodes(scope):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=first), ast.Name() as second])]) if (
                first == value_name and node.lineno < raised.place.line
            ):
                names.append(second)
    fitting = [node.id for node in names if _shapes(value_of(raised, node)) == _shapes(parameters)]
    return fitting[0] if len(fitting) == len(names) == 1 else None


def _shapes(tree: Any) -> tuple[Any, list[Any]]:
    import jax

    leaves, structure = jax.tree_util.tree_flatten(tree)
    return structure, [getattr(leaf, "shape", ()) for leaf in leaves[:1_000]]
