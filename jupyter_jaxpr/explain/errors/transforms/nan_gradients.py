"""Explains a nan in a gradient, which jax_debug_nans finds: its cause is the value that a where does not choose."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.place_of_error import RaisedAt
from ..traced_values.finite_gradient_of_where import finite_where, risky_operands
from .transformed_calls import Applied

#: The two forms of JAX's message: with the operation that computed the nan, and without the operation, where JAX
#: compiled the program before jax_debug_nans was on.
_NAN = re.compile(r"^invalid value \(nan\) encountered in |^\('[^']+', 'nan'\)\. Because ")
_FINITE = (
    "Where the operation has no finite gradient, replace the operand before the operation, as in "
    "jnp.sqrt(jnp.where(x > 0, x, 1))."
)
_DERIVATIVES = frozenset({"grad", "value_and_grad", "jacrev", "hessian"})


def nan_gradient_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a nan that jax_debug_nans finds during the backward pass of a gradient."""
    match = _NAN.search(message_of(error).strip()) if isinstance(error, FloatingPointError) else None
    if match is None or raised is None or not _is_of_backward_pass(error):
        return None
    return _of_where(raised) or Explained(
        None,
        "A gradient is nan",
        "The backward pass computed nan. The value of the function is not nan, but one operation of the function has "
        "no finite gradient here, such as sqrt or norm at 0.",
        (FoundCure("a finite gradient", None, _FINITE),),
    )


def _of_where(raised: RaisedAt) -> Explained | None:
    """Explains a nan of jax.grad(f)(x) if a where is the only code in f whose gradient may be nan."""
    call = Applied(raised)
    if call.word not in _DERIVATIVES or call.function is None:
        return None
    wheres = [
        node
        for node in ast.walk(call.function)
        if isinstance(node, ast.Call) and called(node) == "where" and len(node.args) == 3 and not node.keywords
    ]
    if len(wheres) != 1:
        return None
    (node,) = wheres
    if not _is_only_cause(call.function, node):
        return None
    source = " ".join(raised.source(node).split())
    sources = [raised.source(argument) for argument in node.args]
    code, sentence, is_finite = finite_where(jnp_name(raised), *sources)
    if not sentence:
        return None
    title = f"The gradient of {source} is nan" if len(source) <= 60 else "The gradient of a jnp.where is nan"
    text = (
        "The backward pass computed nan. jnp.where computes both values. For the value that jnp.where does not choose, "
        "the backward pass multiplies 0 by a derivative that is inf or nan, and the product is nan."
    )
    if not is_finite:
        return Explained(None, title, text, (FoundCure("a second where", None, sentence),))
    cure = applied(FoundCure("a second where", code, sentence), [edit_of(raised, over(node, code))])
    return Explained(None, title, text, tuple(passed(raised, [cure])))


def _is_of_backward_pass(error: BaseException) -> bool:
    """Return whether the nan came up in the backward pass.

    A nan in the function's own value would have another cause.
    """
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_name.startswith(("backward_pass", "_pjit_transpose")):
            return True
        traceback = traceback.tb_next
    return False


def _is_only_cause(function: ast.AST, where: ast.Call) -> bool:
    """Return whether, by the code of the function, no operation outside of the where can have a nan gradient."""
    within = {id(part) for part in ast.walk(where)}
    if any(id(operand) not in within for operand in risky_operands(function)):
        return False
    return not any(isinstance(part, ast.Call) and isinstance(part.func, ast.Name) for part in ast.walk(function))
