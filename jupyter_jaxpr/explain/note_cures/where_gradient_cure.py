"""Makes the edit for a `jnp.where` whose gradient can be NaN: a second `jnp.where`, inside one branch."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...interruptions import not_of_a_signal
from ...jax.silent_type_and_value_changes import PromotedCarry
from ..loops.kinds_of_python_loops import Span
from .expressions_at_positions import Sketch, Text
from .finite_derivatives import is_finite_at_one
from .where_mask_cure import KEPT_OUT, kept_out_by_mask

_CONSTANTS = frozenset("zeros_like ones_like full_like zeros ones full".split())


def kept_out(_carry: PromotedCarry | None, text: Text, spans: Sequence[Span]) -> Sketch | None:
    """Return the edit that puts a second `jnp.where` around the compared value in one branch.

    In `jnp.where(x > 0, jnp.log(x), 0)`, the x of `jnp.log(x)` becomes `jnp.where(x > 0, x, 1)`.
    """
    call = text.expression(spans[-1])
    if not isinstance(call, ast.Call) or len(call.args) != 3 or call.keywords or text.function(call) is None:
        return None
    numpy = _numpy(call, text)
    condition, *branches = call.args
    compared = _compared(condition, call, text)
    if numpy is None:
        return None
    if compared is None:
        return kept_out_by_mask(call, numpy, text)
    if _is_root(compared, call, text):
        return None  # the derivative of the root is infinite at 0: the note on the root has the cure
    compared_dump = ast.dump(compared)
    reads = [[node for node in ast.walk(branch) if ast.dump(node) == compared_dump] for branch in branches]
    # The derivative of a branch is never NaN if the branch is the value itself, a constant, or does not contain the
    # value.
    harmless = [
        not read or _is_constant(branch) or ast.dump(branch) == compared_dump
        for branch, read in zip(branches, reads, strict=True)
    ]
    if harmless[0] == harmless[1]:
        return None
    branch_index = 1 if harmless[0] else 0
    if not is_finite_at_one(branches[branch_index], compared):
        return None
    condition_text, value = text.segment(condition), text.segment(compared)
    inner = (
        f"{numpy}.where({condition_text}, {value}, 1)"
        if branch_index == 0
        else f"{numpy}.where({condition_text}, 1, {value})"
    )
    edits = [text.over(node, inner) for node in reads[branch_index] if isinstance(node, ast.expr)]
    return text.sketch("masked_derivative", call, "a second selection", KEPT_OUT, edits)


def _is_constant(branch: ast.expr) -> bool:
    """Return whether a branch is a call such as `jnp.zeros_like(x)`, which uses only the shape of its argument."""
    return isinstance(branch, ast.Call) and isinstance(branch.func, ast.Attribute) and branch.func.attr in _CONSTANTS


def _numpy(call: ast.Call, text: Text) -> str | None:
    if isinstance(call.func, ast.Attribute) and call.func.attr == "where":
        return ast.unparse(call.func.value)
    return text.numpy_name()


def _compared(condition: ast.expr, call: ast.Call, text: Text) -> ast.expr | None:
    """Return the value that a condition compares with a number, such as x in x > 0. None for other conditions."""
    if isinstance(condition, ast.Name):
        function = text.function(call)
        assert function is not None
        stores = [node for node in text.own(function) if isinstance(node, ast.Assign) and _stores(node, condition.id)]
        if len(stores) != 1 or len(stores[0].targets) != 1 or not isinstance(stores[0].targets[0], ast.Name):
            return None
        condition = stores[0].value
    if not isinstance(condition, ast.Compare) or len(condition.ops) != 1:
        return None
    sides = [side for side in (condition.left, condition.comparators[0]) if not _is_number(side)]
    return sides[0] if len(sides) == 1 and isinstance(sides[0], ast.Name | ast.Attribute | ast.Subscript) else None


def _is_root(value: ast.expr, call: ast.Call, text: Text) -> bool:
    """Return whether the function around a call assigns a square root or a norm to a name."""
    function = text.function(call)
    if not isinstance(value, ast.Name) or function is None:
        return False
    stores = [node for node in text.own(function) if isinstance(node, ast.Assign) and _stores(node, value.id)]
    made = [node.value for node in stores if isinstance(node.value, ast.Call)]
    return any(ast.unparse(node.func).rpartition(".")[2] in ("sqrt", "norm", "hypot") for node in made)


def _stores(statement: ast.Assign, name: str) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name
        for target_part in statement.targets
        for node in ast.walk(target_part)
    )


def _is_number(node: ast.expr) -> bool:
    try:
        return isinstance(ast.literal_eval(node), int | float)
    except not_of_a_signal(ValueError, TypeError, SyntaxError):
        return False
