"""Finds the functions of the branches that JAX's message names with file and line, also in another cell."""

from __future__ import annotations

import ast
import linecache
import re
from dataclasses import replace

from ....observe.user_or_library.whose_code import is_installed
from ...loops.kinds_of_python_loops import node_span, parsed
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import AnyFunction

NAMED_BRANCH = re.compile(
    r"^ *(?P<branch>true_fun|false_fun|branch ?\d+) is (?P<name>\S+) at (?P<file>.*):(?P<line>\d+)$", re.MULTILINE
)


def branch_in_message(raised: RaisedAt, text: str, words: str) -> tuple[RaisedAt, AnyFunction] | None:
    """Return the place of a branch and its def or lambda.

    Args:
        raised: Where the error was raised.
        text: JAX's message.
        words: The branch in the words of the message: true_fun, false_fun or branch 1.

    Returns:
        None for a function of a library, and if the line of the file has no such function, or several.
    """
    plain = words.replace(" ", "")
    match = next((match for match in NAMED_BRANCH.finditer(text) if match["branch"].replace(" ", "") == plain), None)
    loops = parsed("".join(linecache.getlines(match["file"]))) if match is not None else None
    if match is None or loops is None or is_installed(match["file"]):
        return None
    nodes = [
        node
        for node in ast.walk(loops.module)
        if isinstance(node, ast.FunctionDef | ast.Lambda)
        and getattr(node, "name", "<lambda>") == match["name"]
        and node.lineno == int(match["line"])
    ]
    if len(nodes) != 1:
        return None
    parents = {id(child): parent for parent in ast.walk(loops.module) for child in ast.iter_child_nodes(parent)}
    (line, column), (end_line, end_column) = node_span(nodes[0])
    place = raised.place._replace(
        file=match["file"], line=line, function=match["name"], column=column, end_line=end_line, end_column=end_column
    )
    at = replace(raised, place=place, node=nodes[0], text=None, parents=parents, loops=loops, tracers={})
    return at, nodes[0]
