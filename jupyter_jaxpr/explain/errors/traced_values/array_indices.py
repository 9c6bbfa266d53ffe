"""Explains an index whose dtype is not an integer type."""

from __future__ import annotations

import ast

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..control_flow.carried_indices import integer_start, start_of_index
from ..explanation import Explained
from ..failing_code.edits import applied, edit_of, over, replacing
from ..failing_code.module_names import jnp_name
from ..failing_code.operand_nodes import explained_with_trials
from ..failing_code.origins import dtype_of, operands, value_of
from ..failing_code.place_of_error import RaisedAt
from ..message_tables.jax_messages import FLOAT_QUOTIENT


def index_of_list(raised: RaisedAt | None) -> Explained:
    """Explains `x[[0, 1]]`, whose index is a list of integers."""
    title = "A list cannot be an index of a JAX array"
    text = "NumPy takes a list as an array of indices. JAX does not, because a list is slow to convert."
    node = raised.around(ast.Subscript) if raised is not None else None
    match raised.node if raised is not None else None:
        case ast.Call(func=ast.Attribute(value=ast.Subscript(value=ast.Attribute(attr="at")) as updated)):
            node = updated
    if raised is not None and isinstance(node, ast.Subscript) and isinstance(node.slice, ast.List | ast.Name):
        name = f"{jnp_name(raised)}.array"
        code = f"{name}({raised.source(node.slice)})"
        cure = FoundCure(name, code, f"{name} makes an array of the indices.")
        cures = passed(raised, [applied(cure, [edit_of(raised, over(node.slice, code))])])
        if cures:
            return Explained(None, title, text, tuple(cures))
    words = "Write the indices as an array: x[jnp.array([0, 1])]."
    return Explained(None, title, text, (FoundCure("jnp.array", None, words),))


def index_dtype(raised: RaisedAt | None, dtype: str) -> Explained:
    """Explains `x[i]` where i is an array of floats, for example."""
    title = f"An index must be an integer, not {dtype}"
    text = "astype(int) makes integers, and cuts the fraction."
    node = raised.around(ast.Subscript) if raised is not None else None
    match raised.node if raised is not None else None:
        case ast.Call(func=ast.Attribute(value=ast.Subscript(value=ast.Attribute(attr="at")) as updated)):
            node = updated
    if raised is not None and isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        floats = [index for index in node.slice.elts if dtype_of(value_of(raised, index)) == dtype]
        if len(floats) == 1:
            code = f"{_in_parentheses(raised, floats[0])}.astype(int)"
            cure = applied(FoundCure(".astype(int)", code, text), [edit_of(raised, over(floats[0], code))])
            return explained_with_trials(title, operands(raised, [node.value, *floats]), raised, [cure])
    if raised is None or not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice | ast.Tuple):
        return Explained(None, title, "", (FoundCure(".astype(int)", None, text),))
    explanation = operands(raised, [node.value, node.slice])
    if type(value_of(raised, node.slice)) is float:
        code, words = f"int({raised.source(node.slice)})", "int makes an integer, and cuts the fraction."
        cures = passed(raised, [replacing(raised, node.slice, "int", code, words)])
        return Explained(None, title, explanation, tuple(cures or [FoundCure("int", None, words)]))
    if isinstance(node.slice, ast.Constant):
        return Explained(None, title, explanation, (FoundCure("an integer", None, "Write an integer as the index."),))
    if isinstance(node.slice, ast.BinOp) and isinstance(node.slice.op, ast.Div):
        code = " // ".join(_in_parentheses(raised, operand) for operand in (node.slice.left, node.slice.right))
        cure = FoundCure("//", code, FLOAT_QUOTIENT)
        return explained_with_trials(
            title, explanation, raised, [applied(cure, [edit_of(raised, over(node.slice, code))])]
        )
    code = f"{_in_parentheses(raised, node.slice)}.astype(int)"
    cure = applied(FoundCure(".astype(int)", code, text), [edit_of(raised, over(node.slice, code))])
    cures = passed(raised, [cure])
    if (start := start_of_index(raised, node.slice)) is not None:
        # With astype(int) in the body, the carry may become an integer, but its initial value is a float, so the loop
        # would fail.
        cures = [*integer_start(raised, start), *(tried for tried in cures if tried.level == "applies")]
        index = raised.source(node.slice)
        first = f"The first value of {index} is {raised.source(start)} (line {start.lineno})."
        explanation = " ".join([explanation.strip(), f"The loop carries {index} from step to step.", first])
        words = f"Make {index} an integer in the whole loop: the first value, and the value that each step returns."
        return Explained(None, title, explanation.strip(), tuple(cures or [FoundCure("an integer", None, words)]))
    made = _only_assignment(raised, node.slice)
    # The name is used in several indices, so the cure can be in the assignment to the name.
    if not cures and made is not None:
        code = f"{_in_parentheses(raised, made)}.astype(int)"
        cures = passed(raised, [applied(FoundCure(".astype(int)", code, text), [edit_of(raised, over(made, code))])])
    return Explained(None, title, explanation.strip(), tuple(cures or [FoundCure(".astype(int)", None, text)]))


def _in_parentheses(raised: RaisedAt, node: ast.expr) -> str:
    """Return the code of an operand, in parentheses if needed: `(a + b)` before `.astype(int)`."""
    simple = isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.Attribute | ast.Constant)
    return raised.source(node) if simple else f"({raised.source(node)})"


def _only_assignment(raised: RaisedAt, node: ast.expr) -> ast.expr | None:
    """Return the expression that the failing function assigns to a name; None unless it assigns to the name once."""
    if not isinstance(node, ast.Name) or raised.function is None:
        return None
    values = [
        statement.value
        for statement in ast.walk(raised.function)
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name) and target.id == node.id
    ]
    return values[0] if len(values) == 1 else None
