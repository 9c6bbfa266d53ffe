"""Explains a call such as `jnp.zeros(3, 4)`, whose sizes must be passed as one tuple."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....observe.user_or_library.library_functions import is_of_jax
from ...trials.trial_of_error_cure import passed
from ..arguments.static_argument_edits import parameters_of
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import integer_of
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt

_UNPACKED = re.compile(
    r"^Cannot interpret '\d+' as a data type|^\w+\(\) got multiple values for argument '\w+'"
    r"|^\w+\(\) takes (?:\d+|from \d+ to \d+) positional arguments but \d+ were given$"
)
_LIMITS = ["minval", "maxval"]


def unpacked_shape_error(raised: RaisedAt, call: ast.Call, text: str) -> Explained | None:
    """Explains jnp.zeros(3, 4) and jax.random.normal(key, 3, 4): the sizes need a tuple.

    Args:
        raised: Where the error was raised.
        call: The failing call.
        text: The message of the error.
    """
    function = value_of(raised, call.func)
    if not _UNPACKED.search(text) or not is_of_jax(function):
        return None
    parameters = parameters_of(function)
    integers = [is_integer(raised, argument) for argument in call.args]
    first = next((place for place, is_one in enumerate(integers) if is_one), None)
    if first is None or not all(integers[first:]):
        return None
    following = parameters[first + 1 :]
    if parameters[first : first + 1] != ["shape"] or "fill_value" in parameters:
        return None
    # randint takes minval and maxval right after the shape. uniform takes them later, so integers there may be meant as
    # limits.
    end = len(call.args) - (len(_LIMITS) if following[:2] == _LIMITS else 0)
    if end - first < 2 or (following[:2] != _LIMITS and end - first > 3 and set(_LIMITS) & set(following)):
        return None
    sizes_known = [integer_of(raised, argument) for argument in call.args[first:end]]
    limits = [integer_of(raised, argument) for argument in call.args[end:]]
    if any(size is not None and size < 1 for size in sizes_known):
        return None
    if len(limits) == 2 and limits[0] is not None and limits[1] is not None and limits[0] >= limits[1]:
        return None
    arguments = [raised.source(argument) for argument in call.args]
    sizes = f"({', '.join(arguments[first:end])})"
    code = written(raised, call, [*arguments[:first], sizes, *arguments[end:]])
    words = "The sizes of a shape are one argument of the call, a tuple."
    if following[:1] in (["dtype"], ["minval"]):
        next_argument = "the dtype" if following[0] == "dtype" else following[0]
        words = f"{words} The next argument is {next_argument}."
    title = f"{called(call)} takes the sizes of the shape as one tuple"
    return Explained(None, title, "", rewritten(raised, call, "a tuple", code, words))


def is_integer(raised: RaisedAt, node: ast.expr) -> bool:
    """Return whether an expression is a Python int: a literal, a name, a call of len, or a size in a shape."""
    value = node.value if isinstance(node, ast.Constant) else value_of(raised, node)
    is_length = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"
    return type(value) is int or is_length or (isinstance(node, ast.Subscript) and ".shape" in ast.unparse(node))


def written(raised: RaisedAt, call: ast.Call, arguments: list[str]) -> str:
    """Return the code of a call with new positional arguments and the same keywords."""
    keywords = [raised.source(keyword) for keyword in call.keywords]
    return f"{raised.source(call.func)}({', '.join([*arguments, *keywords])})"


def rewritten(raised: RaisedAt, node: ast.AST, name: str, code: str, text: str) -> tuple[FoundCure, ...]:
    """Return the cure that replaces a node with new code; empty if the trial of the cure fails."""
    return tuple(passed(raised, [applied(FoundCure(name, code, text), [edit_of(raised, over(node, code))])]))
