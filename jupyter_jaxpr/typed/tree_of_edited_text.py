"""Makes the tree of an edited text from the tree of the text before the edit.

Python takes 30 ms to parse 3,000 lines, and a person changes one of them between two live traces. The statements that
the edit left as they were are the same objects in both trees.
"""

from __future__ import annotations

import ast
import bisect
import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..interruptions import not_of_a_signal

#: A text with fewer characters takes Python about a millisecond, so it is parsed as a whole.
_SHORTEST = 4_000
#: Characters that change how Python splits a text: it ends a line at a carriage return, and restarts an indentation
#: after a form feed.
_OTHER_BREAKS = ("\r", "\x0c")
#: The statements in whose bodies the edited lines are searched; if the edit is in another statement, it is parsed as a
#: whole.
_BLOCKS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.For, ast.While, ast.With, ast.If)


@dataclass(frozen=True)
class Edit:
    """The difference between a text and an earlier text with the same number of lines.

    Attributes:
        earlier_text: The earlier text.
        first: The first line of the statements that differ. All other lines are equal in both texts.
        last: The last line of these statements.
        statements: The statements in these lines.
    """

    earlier_text: str
    first: int
    last: int
    statements: Sequence[ast.stmt]


def edited_tree(text: str, earlier_text: str, earlier_tree: ast.Module) -> tuple[ast.Module, Edit] | None:
    """Return the tree of a text, and its difference to an earlier text; None where the whole text has to be parsed."""
    if min(len(text), len(earlier_text)) < _SHORTEST or any(each in text for each in _OTHER_BREAKS):
        return None
    begin, end = _common_ends(text, earlier_text)
    first = text.count("\n", 0, begin) + 1
    last = first + text.count("\n", begin, len(text) - end)
    if text.count("\n") != earlier_text.count("\n"):
        return None
    blocks = _blocks_around(earlier_tree, first, last)
    if not blocks:
        return None
    block, start, stop = blocks[-1]
    body = block.body
    first, last = min(first, _first_line(body[start])), max(last, body[stop - 1].end_lineno)
    if start and body[start - 1].end_lineno >= first or stop < len(body) and _first_line(body[stop]) <= last:
        return None  # another statement shares a line with these statements
    lines, earlier_lines = text.split("\n"), earlier_text.split("\n")
    around = (earlier_lines[first - 2] if first > 1 else "", earlier_lines[last - 1], lines[last - 1])
    indentation = earlier_lines[body[0].lineno - 1][: body[0].col_offset]
    if any(line.endswith("\\") for line in around) or indentation.strip(" \t"):
        return None
    statements = _parsed(lines, first, last, indentation)
    if statements is None:
        return None
    is_at_end = stop == len(body)
    if is_at_end and any(";" in line for line in lines[first - 1 : last]):
        return None  # CPython ends a block after the semicolon of its last statement, so the block's end could change
    tree = _replaced(blocks, statements)
    return None if tree is None else (tree, Edit(earlier_text, first, last, statements))


def _common_ends(text: str, earlier_text: str) -> tuple[int, int]:
    """Return how many characters two texts have in common at their beginnings, and at their ends after that."""
    shorter = min(len(text), len(earlier_text))
    begin, beyond = 0, shorter
    while begin < beyond:
        middle = (begin + beyond + 1) // 2
        if text[begin:middle] == earlier_text[begin:middle]:
            begin = middle
        else:
            beyond = middle - 1
    rest, earlier_rest = text[begin:], earlier_text[begin:]
    end, beyond = 0, shorter - begin
    while end < beyond:
        middle = (end + beyond + 1) // 2
        if rest.endswith(earlier_rest[len(earlier_rest) - middle :]):
            end = middle
        else:
            beyond = middle - 1
    return begin, end


def _blocks_around(tree: ast.Module, first: int, last: int) -> list[tuple[Any, int, int]]:
    """Return the blocks whose bodies contain the lines `first` to `last`, the outermost first.

    Each block comes with two indices into its body: the start and the stop of the statements on these lines.
    """
    blocks: list[tuple[Any, int, int]] = []
    block: Any = tree
    while True:
        body = block.body
        start = bisect.bisect_left(body, first, key=_last_line)
        stop = start
        while stop < len(body) and _first_line(body[stop]) <= last:
            stop += 1
        if stop == start:  # the lines have only comments
            return []
        blocks.append((block, start, stop))
        block = body[start]
        is_inside = stop == start + 1 and isinstance(block, _BLOCKS)
        if not is_inside or first < _first_line(block.body[0]) or last > _last_line(block.body[-1]):
            return blocks


def _parsed(lines: Sequence[str], first: int, last: int, indentation: str) -> list[ast.stmt] | None:
    """Return the statements on these lines of a block; None if the lines are not whole statements of the block."""
    above = [""] * (first - 2) + ["if 1:"] if indentation else [""] * (first - 1)
    try:
        body = ast.parse("\n".join([*above, *lines[first - 1 : last], ""])).body
    except not_of_a_signal(SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if indentation:
        (block,) = body if len(body) == 1 else (None,)
        if not isinstance(block, ast.If) or block.orelse:
            return None
        body = block.body
    if not body or lines[body[0].lineno - 1][: body[0].col_offset] != indentation:
        return None
    return body


def _replaced(blocks: Sequence[tuple[Any, int, int]], statements: list[ast.stmt]) -> ast.Module | None:
    """Return a copy of the outermost block in which the statements of the innermost block are replaced."""
    replaced: Any = None
    for block, start, stop in reversed(blocks):
        body = block.body
        replaced = copy.copy(block)
        replaced.body = [*body[:start], *statements, *body[stop:]]
        if stop == len(body) and not isinstance(block, ast.Module) and not getattr(block, "orelse", None):
            if _end(block) != _end(body[-1]):
                return None
            replaced.end_lineno, replaced.end_col_offset = _end(statements[-1])
        statements = [replaced]
    return replaced if isinstance(replaced, ast.Module) else None


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _last_line(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _end(node: ast.stmt) -> tuple[int | None, int | None]:
    return node.end_lineno, node.end_col_offset
