"""Explains a linear system whose right-hand side does not have as many rows as the matrix."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from ....interruptions import not_of_a_signal
from ....jax.transform_and_inputs_of_tracer import type_of
from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import parts_of, shape_of
from ..failing_code.module_names import jnp_name
from ..failing_code.operand_nodes import source_suffix
from ..failing_code.origins import operands, value_of
from ..failing_code.place_of_error import RaisedAt
from .alignments import Shape
from .array_operations import UNEQUAL_SIZES

_SIZES = re.compile(
    r"^inconsistent size for core dimension '\w+': (\d+) vs (\d+) on vectorized function .*?signature='\((\w+),"
)
_NO_MATRIX = re.compile(r"^left hand array must be at least two dimensional; got a\.shape=\((\d*),?\)")
_SOLVERS = frozenset("solve solve_triangular cho_solve lu_solve".split())
_REDUCTIONS = frozenset("sum mean max min prod std var any all".split())
_COLUMNS = (
    "The function takes a square matrix, and an array with as many rows as the matrix has: each column is one "
    "right-hand side."
)


def linear_system_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains sizes that do not fit together in a function of jnp.linalg, jax.scipy.linalg or jnp.vectorize."""
    match = _SIZES.search(message_of(error).strip()) if isinstance(error, ValueError) else None
    if isinstance(error, ValueError) and _NO_MATRIX.match(message_of(error).strip()):
        return _no_matrix(raised)
    if match is None:
        return None
    sizes = f"{match[1]} and {match[2]}"
    call = raised.node if raised is not None else None
    equal = FoundCure(
        "equal sizes", None, f"Change the arrays so that the two axes of the sizes {sizes} have the same size."
    )
    if raised is None or raised.frame is None or not isinstance(call, ast.Call) or called(call) not in _SOLVERS:
        title = UNEQUAL_SIZES.format(sizes=sizes, in_expression=source_suffix(raised))
        nodes = call.args if isinstance(call, ast.Call) else []
        text = f"The function requires the same size for two axes of the arrays. {operands(raised, nodes)}".strip()
        return Explained(None, title, text, (equal,))
    name = called(call)
    title = UNEQUAL_SIZES.format(sizes=sizes, in_expression=f" in {name}")
    matrix, right = _arguments(call)
    nodes = [node for node in (matrix, right) if node is not None]
    text = f"{_COLUMNS} {_types(raised, nodes)}".strip()
    shape = _shape(raised, matrix)
    if shape is not None and len(set(shape[-2:])) == 2 and matrix is not None:
        title = f"{name} takes a square matrix, but {_text(raised, matrix)} has the shape {shape}"
        return Explained(None, title, _types(raised, nodes), (_least_squares(raised, call, nodes),))
    return Explained(None, title, text, tuple(_transposed(raised, call, matrix, right)) or (equal,))


def _no_matrix(raised: RaisedAt | None) -> Explained | None:
    """Explains solve(b, A): the matrix is the first argument."""
    call = raised.node if raised is not None else None
    if raised is None or not isinstance(call, ast.Call) or called(call) != "solve":
        return None
    matrix, right = _arguments(call)
    nodes = [node for node in (matrix, right) if node is not None]
    if len(nodes) != 2 or matrix is None or right is None:
        return None
    shape, other = shape_of(raised, matrix), shape_of(raised, right)
    title = f"solve takes a square matrix first, but {_text(raised, matrix)} is not a matrix"
    cure = FoundCure("a matrix", None, "Pass the matrix first, and then the right-hand side.")
    if shape is not None and other is not None and len(other) == 2 and other == (*shape, *shape):
        words = f"{_text(raised, right)} is a square matrix with as many rows as {_text(raised, matrix)} has elements."
        code = f"{raised.source(call.func)}({_text(raised, right)}, {_text(raised, matrix)})"
        changes = [
            edit_of(raised, over(matrix, raised.source(right))),
            edit_of(raised, over(right, raised.source(matrix))),
        ]
        exchanged = passed(raised, [applied(FoundCure("the order", code, words), changes)])
        return Explained(None, title, _types(raised, nodes), tuple(exchanged) or (cure,))
    different = nodes if raised.source(matrix) != raised.source(right) else [matrix]
    return Explained(None, title, _types(raised, different), (cure,))


def _arguments(call: ast.Call) -> tuple[ast.expr | None, ast.expr | None]:
    """Return the matrix and the right-hand side of a call.

    A call such as cho_solve((c, lower), b) passes the matrix as the first element of a tuple.
    """
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    matrix = call.args[0] if call.args else named.get("a")
    right = call.args[1] if len(call.args) > 1 else named.get("b")
    return (matrix.elts[0] if isinstance(matrix, ast.Tuple) and matrix.elts else matrix), right


def _shape(raised: RaisedAt, node: ast.expr | None) -> Shape | None:
    """Return the shape of an array, or of the first array in a factorization such as that of cho_factor."""
    value = value_of(raised, node) if node is not None else None
    if type(value) is tuple and value:
        return tuple(getattr(value[0], "shape", ())) or None
    return shape_of(raised, node) if node is not None else None


def _types(raised: RaisedAt, nodes: list[ast.expr]) -> str:
    """Return the sentences with the types of the arguments, and of the matrix in a factorization."""
    sentences = []
    for node in nodes:
        value = value_of(raised, node)
        if type(value) is tuple and value:
            sentences.append(f"The matrix in {_text(raised, node)} is {type_of(value[0])}.")
        else:
            sentences.append(operands(raised, [node]))
    return " ".join(filter(None, sentences))


def _text(raised: RaisedAt, node: ast.expr) -> str:
    return " ".join(raised.source(node).split())


def _least_squares(raised: RaisedAt, call: ast.Call, nodes: list[ast.expr]) -> FoundCure:
    """Return the advice to use lstsq for a matrix that is not square."""
    words = "For a matrix that is not square, lstsq finds the solution with the least squared error."
    code = None
    if called(call) == "solve" and len(nodes) == len(call.args) == 2 and not call.keywords:
        left, right = (shape_of(raised, node) or () for node in nodes)
        if len(left) == 2 and left[:1] == right[:1]:
            code = f"{jnp_name(raised)}.linalg.lstsq({_text(raised, nodes[0])}, {_text(raised, nodes[1])})[0]"
    return FoundCure("jnp.linalg.lstsq", code, words)


def _transposed(raised: RaisedAt, call: ast.Call, matrix: ast.expr | None, right: ast.expr | None) -> list[FoundCure]:
    """Return the cure b.T for a right-hand side whose axis 1, not axis 0, has the length that the matrix needs."""
    size, shape = _shape(raised, matrix), shape_of(raised, right) if right is not None else None
    if right is None or size is None or shape is None or len(shape) != 2 or len(size) != 2 or shape[1] != size[0]:
        return []
    source = raised.source(right)
    simple = isinstance(right, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
    code = f"{source}.T" if simple else f"({source}).T"
    words = f"Each column of {code} is one right-hand side. The result has the shape {shape[::-1]}."
    change = edit_of(raised, over(right, code))
    axes = {axis for use in _uses(raised, call) for axis in [_reduced(raised, use)]}
    if axes == {0}:
        return passed(raised, [applied(FoundCure(".T", code, words), [change])])
    if axes and axes <= {1, -1}:
        whole = raised.source(call).replace(source, code) if raised.source(call).count(source) == 1 else None
        words = f"Each column of {code} is one right-hand side. The second .T gives the result the shape {shape}."
        if whole is not None:
            cure = FoundCure(".T", f"{whole}.T", words)
            return passed(raised, [applied(cure, [edit_of(raised, over(call, f"{whole}.T"))])])
    words = f"{words} If the code that uses the result expects the other order of the axes, add a second .T."
    # No use of the result shows the order in which the code expects its axes, so the cure is advice.
    tried = passed(raised, [applied(FoundCure(".T", code, words), [change])])
    return [replace(cure, level="advice", edits=()) for cure in tried]


def _uses(raised: RaisedAt, call: ast.Call) -> Iterator[ast.expr]:
    """Yield the expressions that have the result of a call as their value: the uses of its name, or the call itself."""
    statement = raised.statement_of(call)
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is call:
            scope = raised.function if isinstance(raised.function, ast.FunctionDef) else None
            for node in ast.walk(scope) if scope is not None else ():
                if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                    yield node
        case _:
            yield call


def _reduced(raised: RaisedAt, node: ast.expr) -> int | None:
    """Return the axis along which the code reduces an array, possibly after elementwise operations.

    None if there is no such axis.
    """
    inner: ast.AST = node
    parent = raised.parents.get(id(inner))
    while parent is not None and inner in (parts_of(parent) or []):
        inner, parent = parent, raised.parents.get(id(parent))
    call: ast.AST | None = parent
    if isinstance(parent, ast.Attribute):
        call = raised.parents.get(id(parent))
    if not isinstance(call, ast.Call) or called(call) not in _REDUCTIONS:
        return None
    positional = call.args if isinstance(parent, ast.Attribute) else call.args[1:]
    written = next((keyword.value for keyword in call.keywords if keyword.arg == "axis"), None)
    axis = written if written is not None else positional[0] if positional else None
    try:
        number = ast.literal_eval(axis) if axis is not None else None
    except not_of_a_signal(ValueError):
        return None
    return number if type(number) is int else None
