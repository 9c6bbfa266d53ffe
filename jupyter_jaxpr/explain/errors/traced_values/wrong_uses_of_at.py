"""Explains wrong uses of `x.at` and `x.at[index]`, which need a method call such as `x.at[index].set(value)`."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.refused_assignments import lost_write
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.origins import operands
from ..failing_code.place_of_error import RaisedAt
from .writes_without_at import NEW_ARRAY_OF_AT, WRITE_WITH_AT

_OF_AT = re.compile(r"'?(?:\w+\.)*_IndexUpdate(?:Helper|Ref)'?|_IndexUpdateRef")
_METHODS = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "power"}
_UPDATES = frozenset({"set", "add", "subtract", "multiply", "mul", "divide", "power", "min", "max", "apply", "get"})
_NO_ARRAY = (
    "x.at[index] is not an array. The methods of x.at[index], such as set, add, multiply, min and max, make a new "
    "array; the method get reads elements."
)


def wrong_use_of_at_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains `x.at[0] = 5`, `x.at.set(5)`, `x.at(0)`, `x.at[0] + 1` and `jnp.sum(x.at[0])`."""
    if raised is None or raised.frame is None or raised.node is None:
        return None
    if not isinstance(error, TypeError | AttributeError | ValueError) or not _OF_AT.search(message_of(error)):
        return None
    statement = raised.statement_of(raised.node)
    match statement:
        case ast.Assign(targets=[ast.Subscript() as target], value=value) if _array_of(target) is not None:
            return _assigned_at(raised, statement, target, "set", raised.source(value))
        case ast.AugAssign(target=ast.Subscript() as target, op=op, value=value) if _array_of(target) is not None:
            return _assigned_at(raised, statement, target, _METHODS.get(type(op)), raised.source(value))
    return _without_index(raised) or _without_method(raised)


def _array_of(node: ast.AST) -> ast.expr | None:
    """Return the array of `array.at[index]`; None for any other node."""
    match node:
        case ast.Subscript(value=ast.Attribute(value=array, attr="at")):
            return array
    return None


def _assigned_at(
    raised: RaisedAt, statement: ast.stmt, target: ast.Subscript, method: str | None, value: str
) -> Explained:
    array = _array_of(target)
    assert array is not None
    line = " ".join(raised.source(statement).split())
    title = f"A JAX array cannot be changed in place: {line}" if len(line) <= 60 else "x.at[index] cannot be assigned"
    text = NEW_ARRAY_OF_AT
    explanation = operands(raised, [array])
    if method is None:
        words = WRITE_WITH_AT.format(method="set")
        return Explained(None, title, explanation, (FoundCure(".at[...]", None, words),))
    lost = lost_write(raised, statement, array)
    if lost is not None:
        return Explained(None, title, explanation, (FoundCure(".at[...]", None, lost),))
    code = f"{raised.source(array)} = {raised.source(target)}.{method}({value})"
    cure = applied(FoundCure(".at[...]", code, text), [edit_of(raised, over(statement, code))])
    return Explained(None, title, explanation, tuple(passed(raised, [cure])))


def _without_index(raised: RaisedAt) -> Explained | None:
    """Explains `x.at.set(1)`, which lacks an index, and `x.at(0).set(1)`, where `x.at[0]` is right."""
    for node in ast.walk(raised.node) if raised.node is not None else ():
        match node:
            case ast.Call(func=ast.Attribute(value=array, attr="at"), args=[_, *_] as places, keywords=[]):
                index = ", ".join(raised.source(place) for place in places)
                code = f"{raised.source(node.func)}[{index}]"
                title = f"{raised.source(node.func)} takes its index in brackets"
                cure = applied(FoundCure("brackets", code, "Write the index in square brackets: x.at[i]."), [])
                cure = applied(cure, [edit_of(raised, over(node, code))])
                return Explained(None, title, operands(raised, [array]), tuple(passed(raised, [cure])))
            case ast.Attribute(value=ast.Attribute(value=array, attr="at"), attr=name) if name in _UPDATES:
                source = raised.source(array)
                title = f"{source}.at needs an index before {name}"
                argument = {"get": "", "apply": "function"}.get(name, "value")
                words = f"Write {source}.at[index].{name}({argument}). The index : stands for all elements."
                return Explained(None, title, operands(raised, [array]), (FoundCure("an index", None, words),))
    return None


def _without_method(raised: RaisedAt) -> Explained | None:
    """Explains `x.at[0] + 1`, `jnp.sum(x.at[0])` and `x.at[0].sum()`: x.at[0] lacks a method such as get or set."""
    nodes = [node for node in ast.walk(raised.node) if _array_of(node) is not None] if raised.node is not None else []
    if len(nodes) != 1 or not isinstance(nodes[0], ast.Subscript):
        return None
    node = nodes[0]
    array = _array_of(node)
    assert array is not None
    parent = raised.parents.get(id(node))
    if isinstance(parent, ast.Attribute) and parent.attr in _UPDATES:
        return None
    code = f"{raised.source(array)}[{raised.source(node.slice)}]"
    title = f"{raised.source(node)} is not an array"
    cure = FoundCure("an element", code, f"Write {code}, which reads the elements.")
    cure = applied(cure, [edit_of(raised, over(node, code))])
    return Explained(None, title, _NO_ARRAY, tuple(passed(raised, [cure])))
