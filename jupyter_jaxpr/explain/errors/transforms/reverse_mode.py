"""Explains jax.grad of a function with a while_loop, and offers jax.jacfwd where it gives the same derivative."""

from __future__ import annotations

import ast
import re

from ....jax.transform_and_inputs_of_tracer import differentiated, type_of
from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import namespace
from ..failing_code.place_of_error import RaisedAt
from ..traced_values.rewritten_if_while_for import MASKED_SCAN

_REVERSE = re.compile(r"^Reverse-mode differentiation does not work for lax\.while_loop")
_LOOPS = frozenset({"while_loop", "fori_loop"})


def reverse_mode_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains jax.grad of a loop whose number of steps is unknown before the loop runs."""
    if not isinstance(error, ValueError) or not _REVERSE.search(message_of(error).strip()):
        return None
    explanation = "The number of steps of a while_loop is not known before the loop runs."
    loops = _nodes(raised, _LOOPS)
    if len(loops) == 1 and (owner := _function_around(raised, loops[0])) is not None:
        explanation = f"{explanation} Line {loops[0].lineno} in {owner} calls {called(loops[0])}."
    forward = _forward(error, raised)
    cures = (
        *([forward] if forward is not None else []),
        FoundCure(
            "jax.lax.fori_loop", None, "jax.grad works through a fori_loop whose bounds do not depend on arrays."
        ),
        FoundCure("scan with a mask", None, MASKED_SCAN),
        FoundCure(
            "jax.jacfwd",
            None,
            "Forward-mode differentiation works through a while_loop, and computes one JVP for each input element.",
        ),
    )
    cures = cures if forward is None else cures[:-1]
    return Explained(None, "jax.grad does not work through a while_loop", explanation, cures)


def _nodes(raised: RaisedAt | None, names: frozenset[str]) -> list[ast.Call]:
    module = raised.loops.module if raised is not None and raised.loops is not None else ast.Module([], [])
    return [node for node in ast.walk(module) if isinstance(node, ast.Call) and called(node) in names]


def _function_around(raised: RaisedAt | None, node: ast.AST) -> str | None:
    parent: ast.AST | None = node
    while parent is not None and not isinstance(parent, ast.FunctionDef):
        parent = raised.parents.get(id(parent)) if raised is not None else None
    return parent.name if parent is not None else None


def _forward(error: BaseException, raised: RaisedAt | None) -> FoundCure | None:
    """Return the cure jax.jacfwd in place of jax.grad.

    None unless all differentiated leaves are single numbers, and the cure passes its trial.
    """
    import jax

    leaves = jax.tree.leaves(differentiated(error))
    if raised is None or not leaves or not all(type_of(leaf).endswith("[]") for leaf in leaves):
        return None
    grads = [node for node in _nodes(raised, frozenset({"grad"})) if node.args]
    if len(grads) != 1 or namespace(raised).get("jax") is not jax:
        return None
    words = "jax.jacfwd works through a while_loop. For single numbers jax.jacfwd gives the same as jax.grad."
    cure = applied(FoundCure("jax.jacfwd", "jax.jacfwd", words), [edit_of(raised, over(grads[0].func, "jax.jacfwd"))])
    tried = passed(raised, [cure])
    return tried[0] if tried else None
