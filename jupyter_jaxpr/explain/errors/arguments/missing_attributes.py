"""Explains an attribute that an object of JAX, of a library or of a class of the user's does not have."""

from __future__ import annotations

import ast
import difflib
from typing import Any

from ....observe.observation import FoundCure
from ....observe.side_effects.attribute_reads import instance_dict
from ....observe.user_or_library.library_functions import is_of_jax
from ....plain_text import mro_of, own_name
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import LIBRARIES, RaisedAt
from .jit_arguments import packages_of

#: The least similarity (0 to 1, by difflib) between the wrong name and a name that is suggested.
_ALIKE, _CLOSE = 0.75, 0.55
#: Methods of the optimizers of PyTorch, of Keras and of flax that change the parameters.
_STEPS = frozenset({"step", "apply", "apply_gradients", "apply_updates", "minimize"})


def missing_attribute(raised: RaisedAt, name: str) -> Explained | None:
    """Explain an attribute that the object in the failing expression does not have; None for other objects."""
    import jax

    node = raised.node.func if isinstance(raised.node, ast.Call) else raised.node
    if not isinstance(node, ast.Attribute) or node.attr != name:
        return None
    holder = value_of(raised, node.value)
    source = raised.source(node.value)
    if holder is None and source == "jax.checkpoint_policies":
        holder = jax.checkpoint_policies
    kind = type(holder)
    library = next(iter(sorted(packages_of(holder) & LIBRARIES)), None)
    if holder is not jax.checkpoint_policies and library is None:
        return _of_own_class(raised, node, holder)
    all_names = [*vars(holder)] if library is None else [*instance_dict(holder), *dir(kind)]
    names = [attribute for attribute in all_names if not attribute.startswith("_")]
    title = f"{source} has no attribute {name}"
    explanation = f"{source} is a {kind.__name__} of {library}." if library is not None else ""
    if library == "optax" and {"init", "update"} <= set(names):
        explanation = "An optimizer of optax has two functions, init and update."
        return Explained(None, title, explanation, _of_optax(raised, node))
    close_names = difflib.get_close_matches(name, names, 2, _CLOSE)
    if library == "flax" and name in ("apply", "init") and not close_names:
        words = f"A module of flax.nnx holds its parameters: call {source}(x)."
        return Explained(None, title, explanation, (FoundCure("a call", None, words),))
    if library is None and not close_names:
        names_of_policies = ", ".join(names)
        words = f"The policies in jax.checkpoint_policies are {names_of_policies}."
        return Explained(None, title, explanation, (FoundCure("a policy", None, words),))
    similar = " and ".join(close_names)
    words = f"{source} has attributes with a similar name: {similar}."
    cures = (FoundCure("the name", None, words),) if close_names else ()
    if len(close_names) == 1:
        cures = (_closest(raised, node, close_names[0]),)
    return Explained(None, title, explanation, cures)


def _closest(raised: RaisedAt, node: ast.Attribute, close_name: str) -> FoundCure:
    """Return the cure that writes a similar name of an attribute; without an edit if the edit passed no trial."""
    code = f"{raised.source(node.value)}.{close_name}"
    words = f"{raised.source(node.value)} has an attribute with a similar name: {close_name}."
    cure = applied(FoundCure("the name", code, words), [edit_of(raised, over(node, code))])
    return next(iter(passed(raised, [cure])), FoundCure("the name", None, cure.text))


def _of_own_class(raised: RaisedAt, node: ast.Attribute, holder: Any) -> Explained | None:
    """Explains a wrong name of an attribute in a trace, where the object is of a class of the user's."""
    kind = type(holder)
    if not raised.in_trace or holder is None or is_of_jax(kind) or own_name(kind, "__module__") == "builtins":
        return None
    if any("__getattr__" in vars(base) for base in mro_of(kind)):
        return None
    class_names = [name for base in mro_of(kind) for name in vars(base)]
    names = [name for name in {*instance_dict(holder), *class_names} if not name.startswith("__")]
    close_names = difflib.get_close_matches(node.attr, sorted(names), 1, _ALIKE)
    source = " ".join(raised.source(node.value).split())
    title = f"{source} has no attribute {node.attr}"
    cures = (_closest(raised, node, close_names[0]),) if close_names else ()
    return Explained(None, title, f"{source} is an object of the class {own_name(kind, '__name__')}.", cures)


def _of_optax(raised: RaisedAt, node: ast.Attribute) -> tuple[FoundCure, ...]:
    """Return the cure of opt.step(...): update computes the updates, and optax.apply_updates adds them."""
    source = raised.source(node.value)
    code = f"updates, state = {source}.update(gradients, state, params)\nparams = optax.apply_updates(params, updates)"
    words = (
        f"{source}.update computes the updates of the parameters, and optax.apply_updates adds the updates to the "
        "parameters."
    )
    if node.attr == "zero_grad":
        words = (
            "Leave zero_grad out: each call of jax.grad computes new gradients, which JAX does not add to older ones."
        )
        return (FoundCure("without zero_grad", None, words),)
    if node.attr not in _STEPS:
        return (FoundCure("update", None, f"{source}.init makes the state of the optimizer. {words}"),)
    statement = raised.statement_of(node)
    match statement:
        case ast.Assign(
            targets=[ast.Tuple(elts=[ast.Name(id=first), ast.Name(id=second)])],
            value=ast.Call(func=function, args=[gradients, ast.Name(id=state), ast.Name(id=params)], keywords=[]),
        ) if function is node and (first, second) == (params, state) and "updates" not in raised.module_names:
            code = (
                f"updates, {state} = {source}.update({raised.source(gradients)}, {state}, {params})\n"
                f"{params} = optax.apply_updates({params}, updates)"
            )
            cure = applied(FoundCure("update", code, words), [edit_of(raised, over(statement, code))])
            return tuple(passed(raised, [cure])) or (FoundCure("update", code, words),)
    return (FoundCure("update", code, words),)
