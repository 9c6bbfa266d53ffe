"""Words the cure of a traced function that stores a value outside of the function."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Sequence
from types import CodeType

from ...observe.observation import Place
from ...observe.user_or_library.whose_code import is_installed
from ...plain_text import file_of
from ..derivatives_in_code import derivative_in
from ..loops.kinds_of_python_loops import parsed
from ..states_in_code import replaces_old_value


def cure_of_leak(name: str, holder: str, codes: Sequence[CodeType], place: Place) -> str:
    """Return the advice to return the value; a differentiated function returns the value as a second result.

    A function that also reads what it stores must get the old value as an argument.

    Args:
        name: The name of the traced function.
        holder: The path of the object that stores the value.
        codes: The code of the functions that can have stored the value.
        place: The line that stores the value.
    """
    files = dict.fromkeys(file_of(code) for code in codes if not is_installed(file_of(code)))
    texts = [parsed("".join(linecache.getlines(file))) for file in files]
    if any(derivative_in(loops.module, name) is not None for loops in texts if loops is not None):
        return (
            f"Return the value from {name} as a second result instead of keeping it in {holder}. Pass has_aux=True to "
            "the derivative."
        )
    if _is_state(place):
        return (
            f"{name} reads {holder}, too. Pass {holder} to {name} as an argument, return the new value from {name}, "
            f"and assign the result to {holder} after the call."
        )
    return f"Return the value from {name} instead of keeping it in {holder}."


def _is_state(place: Place) -> bool:
    """Return whether the function with an assignment at a line computes with the old value, such as self.mean."""
    loops = parsed("".join(linecache.getlines(place.file)))
    functions = [
        node
        for node in (ast.walk(loops.module) if loops is not None else ())
        if isinstance(node, ast.FunctionDef) and node.lineno < place.line <= (node.end_lineno or node.lineno)
    ]
    return any(
        replaces_old_value(function, node, target)
        for function in functions[-1:]
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and node.lineno <= place.line <= (node.end_lineno or node.lineno)
        for target in node.targets
    )
