"""Explains a call of `pure_callback` or `io_callback` without the type of the result, or with another type."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.only_assignments import behind_name
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import function_of_text
from ..message_tables.program_messages import COMPARED_TYPES

_NO_ARGUMENTS = re.compile(
    r"TypeError: (?:[\w<>]+\.)*(?P<name>\w+|<lambda>)\(\) (?:missing \d+ required positional arguments?: "
    r"|takes [\w ]+ positional arguments? but 0 were given)"
)
_NO_METHOD = re.compile(
    r"^vmap is only supported for the pure_callback primitive when vmap_method is one of .* Got vmap_method=None"
)
_SEQUENTIAL = 'vmap_method="sequential"'
_OF_RESULT = r"INTERNAL: (?:CpuCallback error calling callback|Generated function failed)[\s\S]*\nRuntimeError: "
_WRONG_TYPE = re.compile(
    rf"{_OF_RESULT}Incorrect output (?P<kind>shape|dtype) for return value #\d+: Expected: (?P<declared>.+?), Actual: "
    r"(?P<returned>[^\n]+)"
)
_WRONG_NUMBER = re.compile(
    rf"{_OF_RESULT}Mismatched number of outputs from callback\. Expected: (?P<declared>\d+), Actual: (?P<returned>\d+)"
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
    if isinstance(error, NotImplementedError) and _NO_METHOD.match(message):
        return _under_vmap(raised)
    match = _NO_ARGUMENTS.search(message if message.startswith("INTERNAL") else f"{type(error).__name__}: {message}")
    if match is None:
        return _wrong_result(raised, message)
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


def _under_vmap(raised: RaisedAt) -> Explained | None:
    """Explains vmap over a pure_callback without the option vmap_method."""
    call = raised.node
    if not isinstance(call, ast.Call) or called(call) != "pure_callback":
        return None
    title = "vmap needs the option vmap_method of pure_callback"
    function = call.args[0] if call.args else None
    name = raised.source(function) if isinstance(function, ast.Name | ast.Attribute) else "the callback"
    text = f"vmap_method says how vmap calls {name} for a batch."
    keywords = [keyword for keyword in call.keywords if keyword.arg != "vmap_method"]
    parts = [raised.source(part) for part in [*call.args, *keywords]]
    code = f"{raised.source(call.func)}({', '.join([*parts, _SEQUENTIAL])})"
    words = (
        'With "sequential", JAX calls the function once for each element. Write "expand_dims" or "broadcast_all" for a '
        "function that takes the whole batch."
    )
    cure = applied(FoundCure("vmap_method", code, words), [edit_of(raised, over(call, code))])
    return Explained(None, title, text, tuple(passed(raised, [cure])), traced=True)


def _wrong_result(raised: RaisedAt, message: str) -> Explained | None:
    """Explains a callback whose result has another shape, dtype or number of values than the call declares.

    None if the code does not show which call of pure_callback or io_callback the program ran.
    """
    wrong, number = _WRONG_TYPE.search(message), _WRONG_NUMBER.search(message)
    call = _only_call(raised)
    if call is None or not message.startswith("INTERNAL") or not (wrong or number):
        return None
    callback, line = " ".join(raised.source(call.args[0]).split()), call.lineno
    callback = "the callback" if isinstance(call.args[0], ast.Lambda) else callback
    declared = " ".join(raised.source(call.args[1]).split())
    declares = f"{called(call)} in line {line} declares"
    if wrong is not None:
        kind = wrong["kind"]
        title = f"{callback} returns a value of the {kind} {wrong['returned']}, but {declares} {wrong['declared']}"
        words = f"Declare the {kind} {wrong['returned']}, or return a value of the {kind} {wrong['declared']}."
        name = f"same {kind}"
    elif number is not None:
        returned = count(int(number["returned"]), "value")
        title = f"{callback} returns {returned}, but {declares} {number['declared']}"
        words = f"Declare {returned}, or return as many values as {called(call)} declares."
        name = "same structure"
    title = f"{title[0].upper()}{title[1:]}" if callback == "the callback" else title
    text = COMPARED_TYPES
    if len(declared) <= 60:
        text = f"{called(call)} gets {declared} as the type of the result. {text}"
    return Explained(edit_of(raised, over(call, "")).place, title, text, (FoundCure(name, None, words),))


def _only_call(raised: RaisedAt) -> ast.Call | None:
    """Return the only call of a callback in the code of the failing file, if this code also has the called function."""
    nodes = list(ast.walk(raised.loops.module)) if raised.loops is not None else []
    calls = [node for node in nodes if isinstance(node, ast.Call) and called(node) in _CALLBACKS]
    is_here = isinstance(raised.node, ast.Call) and (
        calls[:1] == [raised.node]
        or function_of_text(raised, raised.node.func) is not None
        or not isinstance(behind_name(raised, raised.node.func), ast.Name)
    )
    return calls[0] if len(calls) == 1 and is_here and len(calls[0].args) > 1 else None


def _is_named(raised: RaisedAt, callback: ast.expr, name: str) -> bool:
    """Return whether the code of a callback has the name of the function that Python's error message names."""
    name = _DISPATCHER.sub(r"\1", name)
    return isinstance(callback, ast.Lambda) if name == "<lambda>" else raised.source(callback).endswith(name)
