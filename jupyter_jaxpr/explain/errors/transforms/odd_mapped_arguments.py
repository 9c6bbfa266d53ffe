"""Names the one argument of vmap whose mapped axis has another size than the axes of all other arguments."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from ....observe.observation import FoundCure
from ..failing_code.only_assignments import only_value
from .transformed_calls import Applied

_MOST = re.compile(
    r"most axes \((?P<number>\d+) of them\) had size (?P<size>\d+), e\.g\. .*? of type (?P<type>[\w\[\],]+)"
)
_ONLY_ODD = "{number} mapped arguments have the size {size}, and only {odd} has another size."
_MADE_ODD = "Line {line} makes {name}: {code}."
_SAME_AS_OTHERS = "Give {name} {size} elements along axis {axis}, as the other mapped arguments have, not {odd_size}."
_WHOLE_ODD = "If {name} is the same for all elements, write None in in_axes for {name}."
_LONGEST_CODE = 60


def odd_argument(call: Applied, text: str, rest: Sequence[tuple[str, str, str, str]]) -> tuple[str, FoundCure] | None:
    """Return the sentence and the advice for the only mapped argument whose size differs from all other arguments.

    Args:
        call: The call of the mapped function.
        text: The message of the error.
        rest: The size, the axis, the path and the type of each argument that alone has its size.
    """
    most, raised, call_node = _MOST.search(text), call.raised, call.call
    if most is None or len(rest) != 1 or raised is None or call_node is None or call_node.keywords:
        return None
    if "some axes (" in text:
        return None  # further arguments share a third size
    size, axis, path, type_ = rest[0]
    sentence = _ONLY_ODD.format(number=most["number"], size=most["size"], odd=path)
    parameters = call.parameters
    number = parameters.index(path) if path in parameters else len(call_node.args)
    node = call_node.args[number] if number < len(call_node.args) else None
    name = raised.source(node) if isinstance(node, ast.Name) else path
    scope = raised.function or (raised.loops.module if raised.loops is not None else None)
    made = only_value(scope, node.id) if isinstance(node, ast.Name) else None
    if made is not None and len(code := " ".join(raised.source(made).split())) <= _LONGEST_CODE:
        sentence += f" {_MADE_ODD.format(line=made.lineno, name=name, code=code)}"
    if number_of_axes(type_) < number_of_axes(most["type"]):
        return sentence, FoundCure("in_axes", None, _WHOLE_ODD.format(name=path))
    words = _SAME_AS_OTHERS.format(name=name, size=most["size"], axis=axis, odd_size=size)
    return sentence, FoundCure("same size", None, words)


def number_of_axes(type_: str) -> int:
    """Return the number of axes of a type such as float32[16,3]."""
    return len(re.findall(r"\d+", type_.partition("[")[2]))
