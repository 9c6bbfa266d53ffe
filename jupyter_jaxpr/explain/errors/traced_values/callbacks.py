"""Explains a call of `pure_callback` or `io_callback` that lacks the type of the result."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import edit_of, over
from ..failing_code.only_assignments import behind_name
from ..failing_code.place_of_error import RaisedAt

_NO_ARGUMENTS = re.compile(
    r"TypeError: (?:[\w<>]+\.)*(?P<name>\w+|<lambda>)\(\) (?:missing \d+ required positional arguments?: "
    r"|takes [\w ]+ positional arguments? but 0 were given)"
)
#: Functions that return a type: a call of one of these functions is a right argument for the type of the result.
_MAKE_TYPES = frozenset({"ShapeDtypeStruct", "eval_shape"})
#: NumPy raises the error of a call such as np.sum() in a function with a name such as _sum_dispatcher.
_DISPATCHER = re.compile(r"^_(\w+)_dispatcher$")
_CALLBACKS = frozenset({"pure_callback", "io_callback"})
#: A message is read up to this length: the error of the callback comes at the end, after its traceback.
_LONGEST = 50_000


def callback_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains `jax.pure_callback(f, x)`: JAX uses x as the type of the result, so it calls f without an argument."""
    if raised is None or raised.loops is None:
        return None
    message = message_of(error, _LONGEST)
    match = _NO_ARGUMENTS.search(message if message.startswith("INTERNAL") else f"{type(error).__name__}: {message}")
    if match is None:
        return None
    calls = [
        node
        for node in ast.walk(raised.loops.module)
        if isinstance(node, ast.Call) and called(node) in _CALLBACKS and len(node.args) == 2
    ]
    calls = [node for node in calls if not node.keywords and _is_named(raised, node.args[0], match["name"])]
    if len(calls) != 1:
        return None
    (call,) = calls
    name, callback = called(call), raised.source(call.args[0])
    argument = raised.source(call.args[1])
    if any(called(part) in _MAKE_TYPES for part in ast.walk(behind_name(raised, call.args[1]))):
        title = f"{name} passes no argument to {callback}"
        words = f"Pass the arguments of {callback} after the type of the result: {name}({callback}, {argument}, x)."
        text = "The arguments of the callback follow the type of the result."
        return Explained(edit_of(raised, over(call, "")).place, title, text, (FoundCure("arguments", None, words),))
    title = f"{name} takes the type of the result as its second argument, so {callback} gets no argument"
    explanation = (
        f"The call passes {argument} in the place of the result type. "
        "JAX needs the type of the result before the callback runs."
    )
    code = f"{raised.source(call.func)}({callback}, jax.ShapeDtypeStruct(shape, dtype), {argument})"
    words = (
        "Pass jax.ShapeDtypeStruct(shape, dtype) as the second argument, with the shape and the dtype of the "
        "result. If the result has the type of x, write x.shape and x.dtype. If the callback returns nothing, pass "
        "None in place of the type."
    )
    cure = FoundCure("result type", code if isinstance(call.args[1], ast.Name) else None, words)
    return Explained(edit_of(raised, over(call, "")).place, title, explanation, (cure,))


def _is_named(raised: RaisedAt, callback: ast.expr, name: str) -> bool:
    """Return whether the code of a callback has the name of the function that Python's error message names."""
    name = _DISPATCHER.sub(r"\1", name)
    return isinstance(callback, ast.Lambda) if name == "<lambda>" else raised.source(callback).endswith(name)
