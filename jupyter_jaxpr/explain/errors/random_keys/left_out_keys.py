"""Explains a call of `jax.random` without a key, and looks for the key among the arguments of the calling function."""

from __future__ import annotations

import ast
import sys

from ....observe.observation import FoundCure
from ....plain_text import own_name
from ...trials.trial_of_error_cure import passed
from ..arguments.static_argument_edits import parameters_of
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt

KEY_IS_FIRST = "The key is the first argument of {function}."


def left_out_key_error(raised: RaisedAt, missing: str) -> Explained | None:
    """Explains a call such as jax.random.normal(shape=(3,)), which leaves out the key; None for another call.

    Args:
        raised: Where the error was raised.
        missing: The arguments that the call leaves out, as the message names them.
    """
    call = raised.node
    if missing != "key" or raised.frame is None or not isinstance(call, ast.Call):
        return None
    function = value_of(raised, call.func)
    of_random = vars(sys.modules["jax.random"]) if "jax.random" in sys.modules else {}
    if function is None or of_random.get(own_name(function, "__name__") or "") is not function:
        return None
    if parameters_of(function)[:1] != ["key"]:
        return None
    name = called(call)
    title = f"The call of {name} leaves out the key"
    text = "JAX keeps no hidden state of random numbers: each random number comes from a key."
    cure = key_cure(raised, call, KEY_IS_FIRST.format(function=name))
    return Explained(None, title, text, (cure,) if cure is not None else ())


def key_cure(raised: RaisedAt, call: ast.Call, sentence_on_the_key: str) -> FoundCure | None:
    """Return the cure that passes a key first: the only argument of the calling function that is a key.

    The cure has an edit only if the function does not use the key elsewhere.

    Args:
        raised: Where the error was raised.
        call: The call of a function of jax.random.
        sentence_on_the_key: The sentence that says where the key belongs, or that the call leaves out the key.
    """
    local = raised.frame.f_locals if raised.frame is not None else {}
    keys = [name for name, value in local.items() if dtype_of(value).startswith("key<")]
    function = raised.function
    parameters = [part.arg for part in ast.walk(function.args) if isinstance(part, ast.arg)] if function else []
    uses = [part.id for part in ast.walk(function) if isinstance(part, ast.Name)] if function else []
    text = f"{sentence_on_the_key} Pass as the first argument a key that no other call uses."
    if is_repeated(raised, call):
        return FoundCure("the key", None, f"{text} Each repetition of the call needs another key.")
    # If two calls use the same key, their random numbers are not independent.
    if len(keys) != 1 or keys[0] not in parameters or keys[0] in uses:
        return FoundCure("the key", None, text)
    rest = [raised.source(argument) for argument in [*call.args, *call.keywords]]
    code = f"{raised.source(call.func)}({', '.join([keys[0], *rest])})"
    cure = applied(FoundCure("the key", code, sentence_on_the_key), [edit_of(raised, over(call, code))])
    return next(iter(passed(raised, [cure])), None)


def is_repeated(raised: RaisedAt, call: ast.Call) -> bool:
    """Return whether a call may run several times, because it is in a loop, a comprehension or an inner function."""
    node: ast.AST | None = call
    while node is not None and node is not raised.function:
        node = raised.parents.get(id(node))
        if isinstance(node, _REPEATED) and node is not raised.function:
            return True
    return False


_REPEATED = (
    ast.For | ast.While | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.Lambda | ast.FunctionDef
)
