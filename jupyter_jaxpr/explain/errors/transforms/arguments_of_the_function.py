"""Explains jax.grad(loss, w): the result of a transform takes the arguments of the function, not the transform."""

from __future__ import annotations

import ast

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import shape_of
from ..failing_code.origins import operands, value_of
from ..failing_code.place_of_error import RaisedAt

#: Transform -> its second parameter, and a sentence on the parameter; empty texts if the parameter is keyword-only.
_TRANSFORMS = {
    **dict.fromkeys(
        "grad value_and_grad jacobian jacfwd jacrev hessian".split(),
        ("argnums", "argnums is the number of an argument, or a tuple of numbers."),
    ),
    "vmap": ("in_axes", "in_axes says which axis of each argument vmap maps."),
    "jit": ("", ""),
}


def function_arguments_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a call that passes arrays to a transform after the function; the cure passes them in a second call."""
    call = raised.node if raised is not None else None
    if not isinstance(error, TypeError) or raised is None or not isinstance(call, ast.Call):
        return None
    name = called(call)
    if name not in _TRANSFORMS or len(call.args) < 2 or not _is_of_jax(raised, call, name):
        return None
    if any(isinstance(argument, ast.Starred) for argument in call.args) or not shape_of(raised, call.args[1]):
        return None
    function_source, *values = map(raised.source, call.args)
    keywords = "".join(f", {raised.source(keyword)}" for keyword in call.keywords)
    code = f"{raised.source(call.func)}({function_source}{keywords})({', '.join(values)})"
    option, meaning = _TRANSFORMS[name]
    value = " ".join(values[0].split())
    title = f"The second argument of {name} is {option}, but the call passes {value}"
    if not option:
        title = f"{name} takes only the function and options, but the call passes {value}, too"
    words = f"{name} returns a function. Call this function with the arguments of {' '.join(function_source.split())}."
    text = " ".join(filter(None, [meaning, operands(raised, call.args[1:])]))
    cure = applied(FoundCure("a second call", code, words), [edit_of(raised, over(call, code))])
    return Explained(None, title, text, tuple(passed(raised, [cure])))


def _is_of_jax(raised: RaisedAt, call: ast.Call, name: str) -> bool:
    import jax

    return value_of(raised, call.func) is getattr(jax, name, raised)
