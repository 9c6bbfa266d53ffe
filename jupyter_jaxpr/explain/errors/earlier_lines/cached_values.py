"""Finds a cached function (for example with functools.lru_cache) whose cache keeps a tracer of an earlier trace."""

from __future__ import annotations

import ast
import re
import textwrap

from ....observe.observation import FoundCure
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import function_of_text

_FRAMES = re.compile(r"^(\S[^\n]*?):(\d+)(?::\d+)? \((\S+)\)$", re.MULTILINE)
_CACHES = frozenset({"cache", "lru_cache", "cached_property"})


def frames_of_message(text: str) -> list[tuple[str, int, str]]:
    """Return (file, line, function name) for each frame that JAX's message lists for the leaked value."""
    return [(match[1], int(match[2]), match[3].rpartition(".")[2]) for match in _FRAMES.finditer(text)]


def cached_maker(raised: RaisedAt, text: str) -> tuple[ast.FunctionDef, str] | None:
    """Return the only cached function that was running when the leaked value was made, and the code of its decorator.

    Args:
        raised: Where the code used the value.
        text: The message of the error.
    """
    names = dict.fromkeys(name for file, _, name in frames_of_message(text) if file == raised.place.file)
    found = []
    for name in names:
        function = function_of_text(raised, name)
        for decorator in function.decorator_list if isinstance(function, ast.FunctionDef) else ():
            maker = decorator.func if isinstance(decorator, ast.Call) else decorator
            if ast.unparse(maker).rpartition(".")[2] in _CACHES and isinstance(function, ast.FunctionDef):
                found.append((function, raised.source(maker)))
    return found[0] if len(found) == 1 else None


def computed_at_once(raised: RaisedAt, function: ast.FunctionDef, decorator: str) -> FoundCure:
    """Return the advice to put the code of a cached function under jax.ensure_compile_time_eval.

    The function then returns an array, not a tracer, even while JAX traces its caller.
    """
    name = "jax.ensure_compile_time_eval"
    words = (
        f"Under {name}, JAX computes the value at once, also while JAX traces a function. {function.name} then keeps "
        "an array. "
    )
    words += (
        "Another way is to write property in place of cached_property."
        if decorator.rpartition(".")[2] == "cached_property"
        else f"Another way is to remove {decorator}: a compiled program keeps the value also without {decorator}."
    )
    statements = function.body
    first = statements[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(statements) > 1:
        statements = statements[1:]  # the docstring stays above the `with` statement
    lines = [line for statement in statements for line in raised.source_of_statement(statement).splitlines()]
    code = f"with {name}():\n" + textwrap.indent("\n".join(lines), "    ")
    return FoundCure(name, code if len(lines) <= _LINES else None, words)


_LINES = 8
