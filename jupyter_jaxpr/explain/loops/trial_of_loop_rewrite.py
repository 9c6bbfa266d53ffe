"""Decides whether a loop's rewrite can be applied, by tracing the edited function with the types of the call.

The trial compiles the edited source code, copies the user's functions with the edited code, and traces the call of the
program with types in place of arrays. Nothing is computed.
"""

from __future__ import annotations

import ast
import textwrap
from collections import Counter
from collections.abc import Sequence
from types import FunctionType
from typing import Any, Literal

from ...interruptions import not_of_a_signal
from ...observe.observation import Edit, ObservedProgram, Place
from ...program.jaxpr.parameters import open_jaxpr
from ...typed.syntax_nodes import in_order
from ..compiled_edits import EditedCode
from ..traced_result_types import ResultTypes, Untried, result_types, spec_of_aval, types_of
from ..trials.copied_values import NotCopied, copied
from ..trials.trial_time_limit import Budget
from .kinds_of_python_loops import LoopStatement
from .refused_loop_bodies import has_long_text
from .scan_and_vmap_code import Rewrite

Outcome = Literal["applies", "stacks", "fails", "untried", "elsewhere"]


def edits_of(loop: LoopStatement, written: Rewrite, file: str) -> tuple[Edit, ...]:
    """Return the edits that replace a loop by its rewrite; empty if the rewrite cannot be made as an edit.

    Args:
        loop: The loop statement.
        written: The rewrite, which replaces the loop statement.
        file: The `co_filename` of the loop's code.
    """
    node = loop.node
    if written.code is None or has_long_text(ast.parse(written.code)):
        return ()
    if isinstance(node, ast.For | ast.While):
        return (_edit(file, node, _indented(written.code, node.col_offset)),)
    if written.replaced is None or written.expression is None:
        return ()
    edit = _edit(file, written.replaced, written.expression)
    if not written.before:
        return (edit,)
    around = [
        statement for statement in loop.nodes_of_module if isinstance(statement, ast.stmt) and _holds(statement, node)
    ]
    inner = max(around, key=lambda statement: (statement.lineno, statement.col_offset), default=None)
    # The edit also inserts lines above the statement. That is wrong in the test of a while or an elif, and below a
    # decorator.
    if not isinstance(inner, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return | ast.Expr):
        return ()
    if loop.lines[inner.lineno - 1][: inner.col_offset].strip():
        return ()
    line, column = inner.lineno, inner.col_offset
    text = f"{_indented(chr(10).join(written.before), column)}\n{' ' * column}"
    return Edit(Place(file, line, "", column, line, column), text), edit


def _holds(statement: ast.stmt, node: ast.AST) -> bool:
    return any(part is node for part in in_order(statement))


def _edit(file: str, node: ast.stmt | ast.expr, text: str) -> Edit:
    line, column = node.lineno, node.col_offset
    return Edit(Place(file, line, "", column, node.end_lineno or line, node.end_col_offset or column), text)


def _indented(code: str, column: int) -> str:
    return textwrap.indent(code, " " * column).lstrip(" ")


def tried(loop: LoopStatement, edits: Sequence[Edit], file: str, observed: ObservedProgram, budget: Budget) -> Outcome:
    """Try a rewrite in one program, and return the outcome.

    Args:
        loop: The loop statement.
        edits: The edits that replace the statement by the rewrite.
        file: The `co_filename` of the loop's code.
        observed: The program that the loop was unrolled into.
        budget: The time that is left.

    Returns:
        `applies`: the edited function returns results of the same types. `stacks`: the edited function returns an
        array in place of a list of arrays. `fails`: JAX cannot trace the edited function, or its results have other
        types, while the unedited function still returns its earlier types. `untried`: the edited function was not
        traced, or needs an import. `elsewhere`: the program's function does not run the loop.
    """
    fun = None if observed.held is None else observed.held.fun
    if type(fun) is not FunctionType or not edits:
        return "untried"
    try:
        codes = EditedCode(loop.lines, loop.line, edits, file)
        copied(fun, {}, codes=codes)
        if not codes.is_met:
            return "elsewhere"
        args, kwargs = given_of(observed)
        before = types_before(observed)
    except not_of_a_signal(Untried, NotCopied, SyntaxError, ValueError):
        return "untried"
    try:
        after = result_types(fun, args, kwargs, budget, copy=lambda _, copies: copied(fun, copies, codes=codes))
    except Untried:
        return "untried"
    except not_of_a_signal(NameError) as error:
        # the rewrite needs an import of jax, jnp or lax, which the file does not have
        if error.name in ("jax", "jnp", "lax"):
            return "untried"
        return _failed(fun, args, kwargs, before, budget)
    except not_of_a_signal(Exception):
        return _failed(fun, args, kwargs, before, budget)
    if gives(after, before):
        # If the program still has as many equations, no copied function ran: the call ran the original loop, for
        # example through a method.
        return "applies" if after.size < before.size and _computes_alike(after, before) else "untried"
    if _sizes(after) == _sizes(before):
        return "stacks"
    return _failed(fun, args, kwargs, before, budget)


def _failed(fun: Any, args: Any, kwargs: Any, before: ResultTypes, budget: Budget) -> Outcome:
    """Return `fails` if the rewrite causes the error. Return `untried` if the unedited function fails now, too."""
    try:
        return "fails" if gives(result_types(fun, args, kwargs, budget), before) else "untried"
    except Untried:  # unknown whether the unedited function fails, too: the error of the edited one counts
        return "fails"
    except not_of_a_signal(Exception):
        return "untried"


def given_of(observed: ObservedProgram) -> tuple[Any, Any]:
    """Return the arguments of a program's call, with types in place of arrays.

    Raises:
        Untried: A static argument no longer exists.
    """
    assert observed.held is not None
    jaxpr: Any = open_jaxpr(observed.jaxpr)
    leaves = observed.held.arguments([spec_of_aval(variable.aval) for variable in jaxpr.invars])
    if leaves is None:
        raise Untried
    return leaves


def types_before(observed: ObservedProgram) -> ResultTypes:
    """Return the types of the results of a program. Their pytree structure is None if it is unknown."""
    import jax

    jaxpr: Any = open_jaxpr(observed.jaxpr)
    tree = None if observed.result is None else jax.tree_util.tree_structure(observed.result)
    leaves = tuple((tuple(variable.aval.shape), variable.aval.dtype) for variable in jaxpr.outvars)
    return types_of(tree, leaves, jaxpr)


def _computes_alike(after: ResultTypes, before: ResultTypes) -> bool:
    """Return whether a rewrite computes with the dtypes of the loop, and has no new loop that ends by comparing floats.

    In a loop of JAX, the counter is an int32, so a product with the counter may be a float of another dtype than in the
    Python loop.
    """
    import jax

    counts = {jax.numpy.dtype(bool), jax.numpy.result_type(int)}
    return after.dtypes - counts == before.dtypes - counts and after.float_conditions == before.float_conditions


def gives(after: ResultTypes, before: ResultTypes) -> bool:
    """Return whether the results of a call have the same types and structure as those in `before`."""
    return after.leaves == before.leaves and (before.tree is None or bool(before.tree == after.tree))


def _sizes(types: ResultTypes) -> Counter[Any]:
    """Return {dtype: number of elements} for the results."""
    size_by_dtype: Counter[Any] = Counter()
    for shape, dtype in types.leaves:
        size = 1
        for length in shape:
            size *= length
        size_by_dtype[dtype] += size
    return size_by_dtype
