"""Makes the cure for a function that a traced function calls and that keeps a traced value, such as a cache."""

from __future__ import annotations

import ast
import linecache
from dataclasses import replace

from ....observe.observation import FoundCure
from ...loops.kinds_of_python_loops import node_span, parsed
from ..failing_code.called_names import called
from ..failing_code.place_of_error import RaisedAt, at_caller
from ..failing_code.return_values import function_of_text
from .result_of_the_call import after_the_call

_NOT_TRACED = frozenset({"shape", "ndim", "size", "dtype"})


def with_code_of(raised: RaisedAt, file: str) -> RaisedAt:
    """Return a place whose source code also has the code of another cell, in front of the code of the failing cell.

    The lines of the other cell keep their numbers. The place itself stays in the failing cell, so that the result
    serves for reading code, not for edits.

    Args:
        raised: Where the error was raised.
        file: The file of the other cell.
    """
    if file in ("", raised.place.file) or raised.loops is None or raised.node is None:
        return raised
    other = parsed("".join(linecache.getlines(file)))
    if other is None or not hasattr(raised.node, "lineno"):
        return raised
    joined = parsed("\n".join([*other.lines, *raised.loops.lines]))
    if joined is None:
        return raised
    shift = len(other.lines)
    (line, column), (end_line, end_column) = node_span(raised.node)  # type: ignore[arg-type]  # has a position
    parents = {id(child): parent for parent in ast.walk(joined.module) for child in ast.iter_child_nodes(parent)}
    span = ((line + shift, column), (end_line + shift, end_column))
    nodes = [part for part in ast.walk(joined.module) if isinstance(part, ast.expr) and node_span(part) == span]
    return replace(raised, loops=joined, parents=parents, node=nodes[0]) if nodes else raised


def kept_by_callee(raised: RaisedAt, function: str, keeper: str, statement: str) -> FoundCure:
    """Return the cure for a statement that keeps a value in a function which the traced function calls.

    Args:
        raised: Where the kept value was used.
        function: The traced function.
        keeper: The function with the statement.
        statement: The code of the statement.
    """
    name = "a value from before the trace"
    definition = function_of_text(raised, keeper)
    statement = _whole(raised, definition, statement)
    holder = _holder(raised, statement)
    if isinstance(definition, ast.FunctionDef):
        if _gets_only_sizes(raised, definition):
            code = f"with jax.ensure_compile_time_eval():\n    {statement}"
            words = (
                f"The value depends on sizes and numbers of Python only, so {keeper} can compute the value at once, "
                "while JAX traces."
            )
            return FoundCure(name, code, words)
        if holder is not None:
            words = (
                f"Pass {holder} to {function} as an argument, compute the new value without a change of {holder}, and "
                f"return the new value from {function}. Assign the result to {holder} after each call."
            )
            return FoundCure("an argument and a result", None, words)
    words = (
        f"If the value does not depend on the arguments of {function}, let {keeper} compute the value before the first "
        f"call of {function}, or under jax.ensure_compile_time_eval(). Else return the value from {function}."
    )
    return FoundCure(name, None, words)


def statement_calling(raised: RaisedAt, function: str | None, keeper: str) -> tuple[ast.FunctionDef, ast.stmt] | None:
    """Return the traced function and its only statement that is a call of the function which keeps a value."""
    traced = function_of_text(raised, function.rpartition(".")[2]) if function is not None else None
    if not isinstance(traced, ast.FunctionDef):
        return None
    calls = [part for part in traced.body if isinstance(part, ast.Expr) and called(part.value) == keeper]
    return (traced, calls[0]) if len(calls) == 1 else None


def write_of_callee(raised: RaisedAt) -> FoundCure | None:
    """Return the cure of a write into a NumPy array of an object by a method that the traced function calls.

    The call of the method comes after the call of the traced function, which returns the values. None for other code.

    Args:
        raised: Where NumPy needed the value: the write, such as self.rows[i] = x.
    """
    if not isinstance(raised.node, ast.Subscript) or not isinstance(raised.node.value, ast.Attribute):
        return None
    if len(raised.callers) < 2 or raised.callers[0].f_code.co_name != "<module>":
        return None
    caller, cell = at_caller(raised, raised.callers[-1]), at_caller(raised, raised.callers[0])
    statement = caller.statement_of(caller.node)
    if not isinstance(statement, ast.Expr) or not isinstance(caller.function, ast.FunctionDef):
        return None
    joined = with_code_of(cell, caller.place.file)
    traced = function_of_text(joined, caller.function.name)
    same = [
        part
        for part in (traced.body if isinstance(traced, ast.FunctionDef) else [])
        if isinstance(part, ast.Expr) and ast.dump(part) == ast.dump(statement)
    ]
    return after_the_call(joined, traced, same[0]) if isinstance(traced, ast.FunctionDef) and len(same) == 1 else None


def _whole(raised: RaisedAt, definition: ast.AST | None, statement: str) -> str:
    """Return the whole code of a statement whose code may be cut off."""
    for part in ast.walk(definition) if definition is not None and statement.endswith("…") else ():
        # the code of a long statement, or of one of several statements with the same target, is cut off
        if isinstance(part, ast.Assign) and " ".join(raised.source(part).split()).startswith(statement[:-1]):
            return ast.unparse(part)
    return statement


def _holder(raised: RaisedAt, statement: str) -> str | None:
    """Return the code with which the failing line reads the attribute that a statement assigns, such as buf.data."""
    try:
        parsed_statement = ast.parse(statement).body[0]
    except SyntaxError:  # the code of a long statement is cut off
        return None
    match parsed_statement:
        case ast.Assign(targets=[ast.Attribute(attr=attribute)]):
            reads = {
                ast.unparse(part)
                for part in (ast.walk(raised.node) if raised.node is not None else ())
                if isinstance(part, ast.Attribute) and part.attr == attribute
            }
            return reads.pop() if len(reads) == 1 else None
    return None


def _gets_only_sizes(raised: RaisedAt, definition: ast.FunctionDef) -> bool:
    """Return whether each call of a function passes only sizes of shapes and constants."""
    module = raised.loops.module if raised.loops is not None else ast.Module([], [])
    calls = [node for node in ast.walk(module) if isinstance(node, ast.Call) and called(node) == definition.name]
    arguments = [part for call in calls for part in [*call.args, *(keyword.value for keyword in call.keywords)]]
    return bool(calls) and all(map(_is_size, arguments))


def _is_size(node: ast.expr) -> bool:
    match node:
        case ast.Constant():
            return True
        case ast.Attribute(attr=attribute):
            return attribute in _NOT_TRACED
        case ast.Subscript(value=ast.Attribute(attr="shape")):
            return True
        case ast.Call(func=ast.Name(id="len")):
            return True
        case ast.BinOp(left=left, right=right):
            return _is_size(left) and _is_size(right)
    return False
