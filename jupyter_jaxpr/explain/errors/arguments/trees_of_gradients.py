"""Names the line that computed gradients of another structure than the parameters, and the differentiated argument."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from ....observe.observation import FoundCure
from ..failing_code.called_names import called
from ..failing_code.only_assignments import behind_name, only_assignment
from ..failing_code.place_of_error import RaisedAt

_GRADS = frozenset({"grad", "filter_grad"})


@dataclass(frozen=True)
class Gradients:
    """Gradients whose structure is that of another tree than the code expects.

    Attributes:
        sentences: The lines that computed the gradients and the differentiated tree.
        cure: The advice that names both trees.
    """

    sentences: str
    cure: FoundCure


def gradients_among(raised: RaisedAt, nodes: Sequence[ast.expr]) -> Gradients | None:
    """Return the gradients among two trees of a call, if jax.grad differentiated another tree than the second tree.

    Args:
        raised: Where the error was raised.
        nodes: The two trees in the call, such as params and grads.
    """
    scope = raised.function or (raised.loops.module if raised.loops is not None else None)
    for node, other in ((nodes[1], nodes[0]), (nodes[0], nodes[1])):
        made = only_assignment(scope, {node.id}) if isinstance(node, ast.Name) else None
        call = made.value if made is not None else None
        if not isinstance(call, ast.Call) or not call.args or made is None:
            continue
        transform = behind_name(raised, call.func)
        # With other options, the first argument need not be the differentiated argument.
        if called(transform) not in _GRADS or not isinstance(transform, ast.Call) or len(transform.args) != 1:
            continue
        differentiated = call.args[0]
        if (
            transform.keywords
            or not isinstance(differentiated, ast.Name)
            or ast.dump(differentiated) == ast.dump(other)
        ):
            continue
        name, tree, expected = (raised.source(part) for part in (node, differentiated, other))
        sentences = f"Line {made.lineno} differentiates with respect to {tree}, so {name} has the keys of {tree}."
        tree_made = only_assignment(scope, {tree})
        if tree_made is not None:
            sentences = f"{sentences} Line {tree_made.lineno} makes {tree}."
        words = f"Differentiate with respect to {expected}, or pass {tree} in place of {expected} in this call."
        return Gradients(sentences, FoundCure("same structure", None, words))
    return None
