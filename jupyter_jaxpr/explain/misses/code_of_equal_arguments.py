"""Edits the source code of a call so that the call passes its arguments in another form."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...interruptions import not_of_a_signal
from ...observe.cache.static_values import is_plain
from ...observe.cache.types_and_layouts_of_key import Key
from ...observe.observation import Edit
from .arguments_from_cache_keys import Arguments
from .calls_in_source_code import Text


@dataclass(eq=False)
class Side:
    """One of the two calls that are compared: its source code, its arguments and its edits.

    Attributes:
        text: The source code with the call.
        node: The syntax node of the call.
        key: The cache key of the call.
        given: The arguments of the call.
        templates: For each edited argument: the new code, with {} in place of the present code, such as `tuple({})`.
        restyled: The names of the arguments that the edited call passes by position, and by keyword; None for no
            change.
        statics: The names of the arguments that are static in either call.
    """

    text: Text
    node: ast.Call
    key: Key
    given: Arguments
    templates: dict[str, str] = field(default_factory=dict)
    restyled: tuple[list[str], list[str]] | None = None
    statics: frozenset[str] = frozenset()


class Unchanged(Exception):
    """Raised if no edit removes a difference between two calls."""


def expressions(side: Side, fun: Any) -> tuple[dict[str, ast.expr], dict[str, ast.expr]]:
    """Return the expressions of a call's positional arguments, and those of its keyword arguments, by parameter name.

    Raises:
        Unchanged: The call has more arguments than the function has parameters.
    """
    order = list(inspect.signature(fun).parameters)
    if len(side.node.args) > len(order):
        raise Unchanged
    args = dict(zip(order, side.node.args, strict=False))
    return args, {keyword.arg: keyword.value for keyword in side.node.keywords if keyword.arg is not None}


def edits_of_call(side: Side, fun: Any) -> list[Edit]:
    """Return the edits that give a call its new arguments.

    Raises:
        Unchanged: A default value cannot be written out.
    """
    args, kwargs = expressions(side, fun)
    written = {**args, **kwargs}
    if side.restyled is None:
        return [
            side.text.replaced(written[name], _filled(template, side.text.written(written[name]), written[name]))
            for name, template in side.templates.items()
        ]
    positional, keywords = side.restyled
    parts = [_new_text(side, written, name) for name in positional]
    parts += [f"{name}={_new_text(side, written, name)}" for name in keywords]
    return [side.text.replaced(side.node, f"{side.text.written(side.node.func)}({', '.join(parts)})")]


def _new_text(side: Side, written: Mapping[str, ast.expr], name: str) -> str:
    if name not in written:
        value = side.key.defaults[name].value
        if not is_plain(value) or not _is_literal(repr(value), value):
            raise Unchanged
        return repr(value)
    return _filled(side.templates.get(name, "{}"), side.text.written(written[name]), written[name])


def _is_literal(text: str, value: Any) -> bool:
    """Return whether a string is a Python literal of the given value. An infinite float has no literal."""
    try:
        read = ast.literal_eval(text)
    except not_of_a_signal(ValueError, SyntaxError):
        return False
    return type(read) is type(value) and bool(read == value)


def _filled(template: str, text: str, node: ast.expr) -> str:
    """Return the new code of an argument. For a literal, the code is shorter: `(1, 2)`, not `tuple([1, 2])`."""
    inside = text[1:-1].strip().removesuffix(",").rstrip()
    if template == "tuple({})" and isinstance(node, ast.List) and inside:
        return f"({inside},)" if len(node.elts) == 1 else f"({inside})"
    if template == "list({})" and isinstance(node, ast.Tuple) and text.startswith("("):
        return f"[{inside}]"
    if template == "float({})" and isinstance(node, ast.Constant) and type(node.value) is int:
        return f"{text}.0"
    return template.format(text)
