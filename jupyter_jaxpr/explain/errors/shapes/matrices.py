"""Explains a vector or a number in the place of a matrix, as in jnp.linalg.svd(x) where x has one axis."""

from __future__ import annotations

import ast

from ....observe.observation import FoundCure
from ....plain_text import own_name
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.expression_shapes import shape_of
from ..failing_code.origins import operands, value_of
from ..failing_code.place_of_error import RaisedAt, was_raised_in_jax

#: Functions of jnp.linalg and jax.scipy.linalg whose first argument is a square matrix, or a batch of them.
_OF_SQUARE = frozenset(
    "cho_factor cholesky det eig eigh eigvals eigvalsh expm inv matrix_power schur slogdet sqrtm".split()
)
#: Functions of jnp.linalg and jax.scipy.linalg whose first argument is any matrix, or a batch of matrices.
_OF_MATRICES = _OF_SQUARE | frozenset("cond lstsq lu lu_factor matrix_transpose pinv polar qr svd svdvals".split())


def matrix_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a call of a function for matrices with an array that has fewer than two axes."""
    call = raised.node if raised is not None else None
    if raised is None or raised.frame is None or not isinstance(call, ast.Call) or not call.args:
        return None
    if called(call) not in _OF_MATRICES or not was_raised_in_jax(error):
        return None
    module = own_name(value_of(raised, call.func), "__module__") if isinstance(call.func, ast.Name) else None
    if "linalg" not in (module or raised.source(call.func)):  # jax.lax.cond has the same name as jnp.linalg.cond
        return None
    matrix = call.args[0]
    shape = shape_of(raised, matrix)
    if shape is None or len(shape) > 1:
        return None
    source = " ".join(raised.source(matrix).split())
    title = f"{called(call)} takes a matrix, but {source} has the shape {shape}"
    words = "A matrix has two axes. x[None, :] makes one row of an array x with one axis, and x[:, None] one column."
    if called(call) in _OF_SQUARE:
        words = "A matrix has two axes. jnp.diag(x) makes a square matrix with the elements of x on its diagonal."
    if not shape:
        words = "A matrix has two axes. For one number, write [[x]]."
    return Explained(None, title, operands(raised, [matrix]), (FoundCure("a matrix", None, words),))
