"""Finds the carry of the loop body around an expression, and compares its types before and after a step.

`fori_loop`, `while_loop` and `scan` refuse a body that gives its carry another structure, shape or dtype. A cure inside
a loop body must therefore keep the types of the carry.
"""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

from ..failing_code.place_of_error import RaisedAt


class _Body(NamedTuple):
    """Where the call of a loop passes its body and its initial carry.

    Attributes:
        argument: The position of the body among the arguments of the loop.
        keyword: The name of the loop's parameter for the body, such as body_fun.
        parameter: The position of the carry among the parameters of the body.
        start: The position of the initial carry among the arguments of the loop.
        start_keyword: The name of the loop's parameter for the initial carry, such as init_val.
    """

    argument: int
    keyword: str
    parameter: int
    start: int
    start_keyword: str


_BODIES = {
    "fori_loop": _Body(2, "body_fun", 1, 3, "init_val"),
    "while_loop": _Body(1, "body_fun", 0, 2, "init_val"),
    "scan": _Body(0, "f", 0, 1, "init"),
}


class Carry(NamedTuple):
    """The carry in the body of a JAX loop.

    Attributes:
        parameter: The name of the body's parameter that holds the carry.
        is_in_pair: The body returns a pair of the carry and an output, as the body of a scan does.
        loop: The call of the loop.
        start: The expression of the initial carry; None if the call unpacks its arguments.
    """

    parameter: str
    is_in_pair: bool
    loop: ast.Call
    start: ast.expr | None

    def is_kept(self, before: Any, result: Any) -> bool:
        """Return whether a traced loop body returns the carry with the types that it received, but for weak types."""
        if self.is_in_pair:
            if not isinstance(result, tuple) or len(result) != 2:
                return False
            result = result[0]
        return _types(before) == _types(result)


def carry_around(raised: RaisedAt) -> Carry | None:
    """Return the carry of the loop body that contains an expression; None if the expression is in no loop body."""
    function = raised.function
    if function is None or raised.loops is None:
        return None
    for call in ast.walk(raised.loops.module):
        if not isinstance(call, ast.Call):
            continue
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        body = _BODIES.get(name)
        if body is None or not _is_argument(call, body, function):
            continue
        parameters = [*function.args.posonlyargs, *function.args.args]
        if body.parameter < len(parameters):
            start = next((keyword.value for keyword in call.keywords if keyword.arg == body.start_keyword), None)
            if start is None and not any(isinstance(part, ast.Starred) for part in call.args):
                start = call.args[body.start] if body.start < len(call.args) else None
            return Carry(parameters[body.parameter].arg, name == "scan", call, start)
    return None


def _is_argument(call: ast.Call, body: _Body, function: ast.FunctionDef | ast.Lambda) -> bool:
    passed = [keyword.value for keyword in call.keywords if keyword.arg == body.keyword]
    passed += call.args[body.argument : body.argument + 1]
    names = {node.id for node in passed if isinstance(node, ast.Name)}
    return function in passed or (isinstance(function, ast.FunctionDef) and function.name in names)


def _types(tree: Any) -> tuple[Any, list[Any]]:
    import jax

    leaves, structure = jax.tree_util.tree_flatten(tree)
    avals = [jax.typeof(leaf) for leaf in leaves]
    return structure, [(getattr(aval, "shape", None), getattr(aval, "dtype", None)) for aval in avals]
