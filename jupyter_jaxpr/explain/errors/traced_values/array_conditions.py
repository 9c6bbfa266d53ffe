"""Explains an array with several elements where Python needs a single true or false, as in `if x > 0:`."""

from __future__ import annotations

import ast

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.module_names import jnp_name, module_of
from ..failing_code.operand_nodes import is_array
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt
from .rewritten_calls import Calls
from .rewritten_if_while_for import Choices


def array_as_condition(raised: RaisedAt | None) -> Explained:
    """Explains `if x > 0` where x has several elements. The cures are jnp.where, .all() and .any()."""
    explanation = "An array of several elements is neither true nor false."
    source = raised.text if raised is not None else None
    if raised is None or source is None or not isinstance(raised.node, ast.expr):
        ways = [FoundCure(f".{name}()", None, words) for name, words in _REDUCED.items()]
        return Explained(None, "Python cannot take an array as true or false", explanation, tuple(ways))
    is_operand = not isinstance(raised.node, ast.Call | ast.BoolOp | ast.UnaryOp) and not (
        isinstance(raised.node, ast.Compare) and (len(raised.node.ops) > 1 or isinstance(raised.node.ops[0], _IN))
    )
    title = f"{source} is an array, which Python cannot take as true or false"
    if not is_operand:
        title = f"{source} needs a value that is true or false, but gets an array"
    choices = Choices(raised)
    consumer = choices.consumer()
    cures = Calls(raised).cures() or ([] if consumer is not None else choices.combination())
    if isinstance(consumer, ast.IfExp | ast.If):
        cures = [cure for cure in choices.selection() if cure.name.endswith("where")]
    if isinstance(consumer, ast.If | ast.While) and all(cure.code is None for cure in cures):
        acts = isinstance(consumer, ast.If) and all(isinstance(statement, _ACTIONS) for statement in consumer.body)
        cures = [] if raised.tracers else _equal(raised, consumer) or ([] if acts else cures)
    cures = passed(raised, choices.default_none() or cures)
    if cures:
        return Explained(None, title, explanation, tuple(cures))
    if isinstance(raised.node, ast.Call) and consumer is None and _calls_numpy(raised, raised.node):
        return Explained(None, title, explanation)  # NumPy tested an array that may be no condition
    if isinstance(raised.node, ast.Call) and consumer is None and not is_array(value_of(raised, raised.node)):
        if called(raised.node) in ("sorted", "min", "max", "sort"):
            title = f"{source} compares arrays, and the result of a comparison is an array"
            words = (
                "Pass as key= a function that gives one number for each array, such as key=lambda x: float(x.sum())."
            )
            return Explained(None, title, explanation, (FoundCure("key", None, words),))
        code = None  # a Python function that the code calls, not the code itself, tested whether the array is true
    else:
        node = consumer.test if consumer is not None else raised.node
        simple = isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.Attribute)
        code = choices.condition(node) if simple else f"({choices.condition(node)})"
    ways = [FoundCure(f".{name}()", f"{code}.{name}()" if code else None, words) for name, words in _REDUCED.items()]
    return Explained(None, title, explanation, tuple(ways))


def _calls_numpy(raised: RaisedAt, call: ast.Call) -> bool:
    """Return whether a call such as np.arange(x) names a function of NumPy."""
    match call.func:
        case ast.Attribute(value=ast.Name(id=name)):
            return module_of(raised, name) == "numpy"
    return False


def _equal(raised: RaisedAt, consumer: ast.If | ast.While) -> list[FoundCure]:
    """Return the advice to write jnp.array_equal for `if a == b:`, where jnp.where cannot replace the statement."""
    node = raised.node
    match node:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as operator], comparators=[right]):
            name = f"{jnp_name(raised)}.array_equal"
            code = f"{name}({raised.source(left)}, {raised.source(right)})"
            if isinstance(operator, ast.NotEq):
                code = f"not {code}" if consumer.test is node else f"(not {code})"
            words = f"{name} is true if the shapes and all elements are equal."
            return [FoundCure(name, code, words)]
    return []


_REDUCED = {
    "all": ".all() makes the condition true if all elements are true.",
    "any": ".any() makes the condition true if at least one element is true.",
}


#: Statements without a new value: `jnp.where` cannot replace an `if` whose body has only such statements.
_ACTIONS = ast.Expr | ast.Raise | ast.Break | ast.Continue | ast.Pass

_IN = ast.In | ast.NotIn
