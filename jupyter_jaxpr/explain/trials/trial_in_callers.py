"""Continues the trial of an edit in the functions of the same trace that called the edited function.

An edit can move an error from a function to its caller: a function that returns an array in place of a Python bool
moves the error to the `if` of the caller. The trial runs the edited function and, of the caller, the failing statement
and the later ones, and so on up to the function that JAX called.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from types import FrameType, FunctionType
from typing import Literal

from ...observe.observation import Edit
from ...observe.user_or_library.whose_code import is_jax
from ...plain_text import file_of
from ..errors.failing_code.edits import edited
from ..errors.failing_code.origins import value_of
from ..errors.failing_code.place_of_error import RaisedAt, at_caller

Outcome = Literal["traced", "later error", "failed", "untried"]
Trace = Callable[[RaisedAt, list[ast.stmt]], Outcome]
_MOST_CALLERS = 4


def traced_caller(raised: RaisedAt) -> RaisedAt | None:
    """Return the place in the function of the same trace that called the failing function directly.

    None if JAX called the failing function, or if the caller is outside of the trace.
    """
    frame = raised.frame
    if frame is not None and frame.f_code.co_name == "<genexpr>" and raised.callers:
        # The function around a generator expression is the failing function itself.
        around = raised.callers[-1]
        is_own = frame.f_code in around.f_code.co_consts
        return traced_caller(at_caller(raised, around)) if is_own else None
    if frame is None or not raised.callers or frame.f_back is not raised.callers[-1]:
        return None
    back: FrameType | None = frame.f_back
    while back is not None and back is not raised.callers[0] and not is_jax(file_of(back.f_code)):
        back = back.f_back
    if back is None or back is raised.callers[0]:
        return None
    caller = at_caller(raised, raised.callers[-1])
    return caller if isinstance(caller.node, ast.Call) and caller.loops is not None else None


def outcome_in_callers(raised: RaisedAt, edits: Sequence[Edit], trace: Trace) -> Outcome:
    """Trace the callers of the edited function with the edits, after the trial of the function itself passed.

    Args:
        raised: Where the error was raised.
        edits: The edits.
        trace: Traces statements with the values of the names at a place, and returns the outcome.

    Returns:
        "later error" if a caller fails with the edits; "traced" if no caller fails, or none can be tried.
    """
    definitions: list[ast.stmt] = []
    at = raised
    for _ in range(_MOST_CALLERS):
        caller = traced_caller(at)
        if caller is None:
            break
        definition = _edited_definition(at, caller, edits)
        module = _module(caller, edits)
        statement = _edited_statement(caller, module, edits)
        if definition is None or statement is None:
            if any(_is_inside(edit, caller) for edit in edits):
                return "untried"
            return "later error" if is_tested(caller, edits) else "traced"
        definitions.append(definition)
        outcome = trace(caller, [*definitions, statement, *statements_after(module, statement)])
        if outcome == "failed":
            return "later error"
        if outcome == "untried":
            return "later error" if is_tested(caller, edits) else "traced"
        at = caller
    return "traced"


def _is_inside(edit: Edit, caller: RaisedAt) -> bool:
    """Return whether an edit changes the failing statement of a caller."""
    return edit.place.file == caller.place.file and edit.place.line == caller.place.line


def _edited_definition(at: RaisedAt, caller: RaisedAt, edits: Sequence[Edit]) -> ast.stmt | None:
    """Return the edited definition of the function that a caller calls by its name.

    None for a method, a decorated function, and a function whose global names the caller uses as local names.
    """
    call, function = caller.node, at.function
    if not isinstance(function, ast.FunctionDef) or function.decorator_list or at.loops is None:
        return None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != function.name:
        return None
    value = value_of(caller, call.func)
    if at.frame is None or caller.frame is None or type(value) is not FunctionType:
        return None
    code = at.frame.f_code
    if value.__code__ is not code or code.co_freevars or set(code.co_names) & set(caller.frame.f_code.co_varnames):
        return None
    if value.__globals__ is not caller.frame.f_globals:
        return None
    found = [node for node in _module(at, edits).body if isinstance(node, ast.FunctionDef)]
    named = [node for node in found if node.name == function.name]
    return named[0] if len(named) == 1 else None


def _module(at: RaisedAt, edits: Sequence[Edit]) -> ast.Module:
    """Return the syntax tree of the file of a place after the edits."""
    assert at.loops is not None
    here = [edit for edit in edits if edit.place.file == at.place.file]
    return ast.parse(edited("\n".join(at.loops.lines), here)) if here else at.loops.module


def _edited_statement(caller: RaisedAt, module: ast.Module, edits: Sequence[Edit]) -> ast.stmt | None:
    """Return the statement of a caller that calls the function, after the edits; None if the edits moved it away."""
    statement = caller.statement_of(caller.node)
    if statement is None:
        return None
    here = [edit for edit in edits if edit.place.file == caller.place.file]
    above = [edit for edit in here if edit.place.end_line < statement.lineno]
    moved = sum(edit.text.count("\n") - (edit.place.end_line - edit.place.line) for edit in above)
    if not here:
        return statement
    at_line = [
        node for node in ast.walk(module) if isinstance(node, ast.stmt) and node.lineno == statement.lineno + moved
    ]
    return at_line[0] if len(at_line) == 1 else None


def is_tested(caller: RaisedAt, edits: Sequence[Edit] = ()) -> bool:
    """Return whether Python tests the result of the call, as in `if inside(x):`, and no edit changes the test."""
    inner, outer = caller.node, caller.parents.get(id(caller.node))
    while isinstance(outer, ast.UnaryOp) and isinstance(outer.op, ast.Not):
        inner, outer = outer, caller.parents.get(id(outer))
    is_test = isinstance(outer, ast.BoolOp) or (inner is not None and getattr(outer, "test", None) is inner)
    return is_test and not any(_is_inside(edit, caller) for edit in edits)


def statements_after(module: ast.Module, statement: ast.stmt) -> list[ast.stmt]:
    """Return the statements after a statement in a function's body.

    Empty if the statement is inside a loop or condition.
    """
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and statement in node.body:
            return node.body[node.body.index(statement) + 1 :]
    return []
