"""Explains a Pallas kernel that runs on a CPU without interpret=True in its pallas_call."""

from __future__ import annotations

import ast

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import function_of_text


def interpret_mode_error(raised: RaisedAt | None) -> Explained:
    """Explains JAX's error that a Pallas kernel runs on a CPU only in interpret mode."""
    title = "A Pallas kernel runs on a CPU only in interpret mode"
    text = (
        "interpret=True runs the kernel step by step with JAX's operations. Interpret mode is slow and needs no GPU or "
        "TPU."
    )
    call: ast.expr | ast.AST | None = raised.node if raised is not None else None
    while isinstance(call, ast.Call) and not _makes_kernel(call):
        call = call.func
    explanation = ""
    if raised is not None and not isinstance(call, ast.Call):
        calls = _of_decorator(raised, call) or _in_code(raised)
        lines = in_a_sentence([str(node.lineno) for node in calls], 4)
        explanation = f"The lines {lines} call pallas_call." if len(calls) > 1 else ""
        if len(calls) == 1:
            (call,) = calls
            name = _kernel(raised, call)
            kernel = f" of {name}" if name is not None else ""
            explanation = f"Line {call.lineno} makes the pallas_call{kernel}."
    if raised is None or not isinstance(call, ast.Call):
        words = f"Pass interpret=True to pallas_call. {text}"
        return Explained(None, title, explanation, (FoundCure("interpret=True", None, words),))
    option = next((keyword for keyword in call.keywords if keyword.arg == "interpret"), None)
    code = f"{raised.source(call)[:-1].rstrip().rstrip(',')}, interpret=True)"
    change = over(call, code) if option is None else over(option, "interpret=True")
    cure = applied(FoundCure("interpret=True", change[2], text), [edit_of(raised, change)])
    return Explained(None, title, explanation, tuple(passed(raised, [cure])))


def _makes_kernel(node: ast.AST) -> bool:
    """Return whether a node is a call of pallas_call, or a partial of pallas_call, as in a decorator."""
    if called(node) == "partial" and isinstance(node, ast.Call) and node.args:
        return ast.unparse(node.args[0]).rpartition(".")[2] == "pallas_call"
    return called(node) == "pallas_call"


def _in_code(raised: RaisedAt) -> list[ast.Call]:
    nodes = ast.walk(raised.loops.module) if raised.loops is not None else ()
    return [node for node in nodes if isinstance(node, ast.Call) and _makes_kernel(node)]


def _of_decorator(raised: RaisedAt, node: ast.AST | None) -> list[ast.Call]:
    """Return the decorator partial(pl.pallas_call, ...) of the function with this name; empty without one."""
    function = function_of_text(raised, node) if isinstance(node, ast.Name) else None
    decorators = function.decorator_list if isinstance(function, ast.FunctionDef) else []
    return [decorator for decorator in decorators if isinstance(decorator, ast.Call) and _makes_kernel(decorator)]


def _kernel(raised: RaisedAt, call: ast.Call) -> str | None:
    """Return the name of the kernel: the first argument of pallas_call, or the decorated function."""
    around = raised.parents.get(id(call))
    if isinstance(around, ast.FunctionDef) and call in around.decorator_list:
        return around.name
    is_direct = called(call) == "pallas_call" and bool(call.args) and isinstance(call.args[0], ast.Name)
    return raised.source(call.args[0]) if is_direct else None
