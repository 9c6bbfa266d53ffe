"""Makes the edits that create a jitted function once, where the user's code creates a new function object in each call.

The edit moves the statement that makes the jitted function out of a loop, or out of a function that makes the jitted
function in each call. Local names that the jitted function reads become arguments. The trial traces the function before
and after the edit.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from ...observe.cache.history_of_one_function import FunctionHistory, MissEvent
from ...observe.observation import Edit, FoundCure
from ..trials.trial_time_limit import Budget
from .calls_in_source_code import Text, call_at, first_line, text_of
from .code_that_makes_functions import Making, left_of, making_of, next_statement
from .trial_of_making_once import gives_the_same, passed_values, stays_the_same

MADE_ONCE = "make the function once"


def made_once(event: MissEvent, history: FunctionHistory, names: Mapping[str, Any], budget: Budget) -> FoundCure | None:
    """Return the edits that make a jitted function once; None if there are none, or their trial failed.

    Args:
        event: The call that missed because it called a new function object.
        history: The history of the function.
        names: The present values of the global names in the source code.
        budget: The time that is left for trials.
    """
    place, key = event.place, event.key
    if place is None or key is None or key.statics or not key.is_of_now:
        return None
    text = text_of(place.file)
    call = None if text is None else call_at(text, place, history.name, names)
    if text is None or call is None:
        return None
    if any(isinstance(argument, ast.Starred) for argument in call.args) or any(
        keyword.arg is None for keyword in call.keywords
    ):
        return None
    left = left_of(text, call)
    if left is None:
        return None
    making = making_of(text, call, left, names)
    if making is None:
        return None
    if not stays_the_same(text, making, event, left, names) or _loses_text(text, making):
        return None
    values = passed_values(making, history, event, left, text)
    if values is None or not gives_the_same(making, event, names, values, budget):
        return None
    words = (
        "With the edit, Python makes the function once, so JAX finds the cache entry in each later call with the same "
        "types."
    )
    if making.passed or making.first or making.named:
        words = f"{words} The values that differ between the calls become arguments."
    return FoundCure(MADE_ONCE, None, words, "applies", tuple(_edits(text, call, left, making)))


def _loses_text(text: Text, making: Making) -> bool:
    """Return whether the edits would drop a comment, or change a string of several lines by indenting it."""
    old_code = making.statement or making.old
    written = "\n".join(text.loops.lines[first_line(old_code) - 1 : old_code.end_lineno])
    if making.new is not making.old and "#" in written:
        return True
    return any(
        isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno not in (None, node.lineno)
        for node in ast.walk(making.old)
    )


def _edits(text: Text, call: ast.Call, left: ast.stmt, making: Making) -> Iterator[Edit]:
    is_new = making.new is not making.old
    if isinstance(making.new, ast.FunctionDef):
        code = ast.unparse(making.new) if is_new else _whole(text, making.new)
    else:
        making_text = ast.unparse(making.new) if is_new else text.written(making.new)
        code = f"{making.name} = {making_text}"
    yield text.before(left, code if not isinstance(making.new, ast.FunctionDef) else f"{code}\n")
    if making.statement is not None:
        until = next_statement(text, making.statement)
        assert until is not None
        yield text.removed(making.statement, until)
    if making.statement is None or making.passed or making.first or making.named:
        arguments = [*map(ast.unparse, making.first), *map(text.written, call.args), *making.passed]
        arguments += [f"{keyword.arg}={text.written(keyword.value)}" for keyword in call.keywords]
        arguments += [f"{keyword.arg}={ast.unparse(keyword.value)}" for keyword in making.named]
        yield text.replaced(call, f"{making.name}({', '.join(arguments)})")


def _whole(text: Text, definition: ast.FunctionDef) -> str:
    """Return the user's code of a `def`, without its indentation."""
    return textwrap.dedent("\n".join(text.loops.lines[first_line(definition) - 1 : definition.end_lineno]))
