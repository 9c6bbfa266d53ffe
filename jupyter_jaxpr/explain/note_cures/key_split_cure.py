"""Makes the edit that splits a random key that is used twice."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence

from ...jax.silent_type_and_value_changes import PromotedCarry
from ...observe.observation import Edit
from ..loops.kinds_of_python_loops import Function, Span
from .expressions_at_positions import Sketch, Text

_SPLIT = (
    "With the edit, these random calls get different keys, so the random numbers differ from those of the present code."
)
_SAME_IN_EACH_CALL = "Calls of the function with the same key still get the same random numbers: split that key, too."


def split_key(_carry: PromotedCarry | None, text: Text, spans: Sequence[Span]) -> Sketch | None:
    """Return the edit that splits a random key before each of its uses but the last."""
    uses = [text.expression(span) for span in spans]
    expressions = [use for use in uses if use is not None]
    if len(expressions) != len(spans) or len(expressions) < 2:
        return None
    function = text.function(expressions[0])
    if function is None or any(text.function(use) is not function for use in expressions):
        return None
    is_repeated = expressions[0] is expressions[1]
    if is_repeated and not _is_in_loop(text, expressions[0], function):
        return None  # the function was called again with the same key, so a split in the function gives equal keys
    split = expressions[:1] if is_repeated else expressions[:-1]
    keys = [_key(use) for use in expressions]
    first = keys[0]
    if first is None or any(key is None or key.id != first.id for key in keys):
        return None
    if not text.is_local(first.id, function):
        return None
    splits = _prefix(expressions[0])
    subkey = text.free("subkey")
    edits: list[Edit] = []
    before: dict[int, tuple[ast.stmt, list[str]]] = {}
    for use, key in zip(split, keys, strict=False):
        statement = text.statement(use)
        if statement is None or key is None:
            return None
        _, names = before.setdefault(id(statement), (statement, []))
        names.append(subkey if not names else text.free(f"subkey_{len(names) + 1}"))
        edits.append(text.over(key, names[-1]))
    for statement, names in before.values():
        count = f", {len(names) + 1}" if len(names) > 1 else ""
        line = f"{first.id}, {', '.join(names)} = {splits}split({first.id}{count})"
        edits.append(text.before(statement, line))
    words = _SPLIT if isinstance(function, ast.Module) else f"{_SPLIT} {_SAME_IN_EACH_CALL}"
    return text.sketch("key_used_twice", expressions[-1], f"{splits}split", words, edits)


def _is_in_loop(text: Text, use: ast.expr, function: Function) -> bool:
    around = itertools.takewhile(lambda outer: outer is not function, text.around(use))
    return any(isinstance(outer, ast.For | ast.While) for outer in around)


def _key(use: ast.expr) -> ast.Name | None:
    """Return the name that a call passes as its key; None if the key is another expression."""
    if not isinstance(use, ast.Call):
        return None
    named = [keyword.value for keyword in use.keywords if keyword.arg in ("key", "rng")]
    if named:
        return named[0] if isinstance(named[0], ast.Name) else None
    if _prefix(use).endswith("random.") and use.args:
        return use.args[0] if isinstance(use.args[0], ast.Name) else None
    names = list(_names_given(use))
    return names[0] if len(names) == 1 else None


def _names_given(use: ast.Call) -> Iterator[ast.Name]:
    for argument in (*use.args, *(keyword.value for keyword in use.keywords)):
        if isinstance(argument, ast.Name):
            yield argument


def _prefix(use: ast.expr) -> str:
    """Return the module prefix of a `jax.random` function as the user wrote it, such as `jax.random.`."""
    if isinstance(use, ast.Call) and isinstance(use.func, ast.Attribute):
        module = ast.unparse(use.func.value)
        if module.rpartition(".")[2] in ("random", "jr", "jrandom", "jrnd"):
            return f"{module}."
    return "jax.random."
