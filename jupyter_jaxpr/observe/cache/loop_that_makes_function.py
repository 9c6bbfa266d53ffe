"""Finds where a function object was made: in a loop, or anew in each call of another function.

"Move the jit out of the loop" is a cure only where there is a loop. The frames of the missed call are still on the
stack. One of them made the function object, unless a function that has returned made it. The source code of the frame
shows whether a loop encloses the definition.
"""

from __future__ import annotations

import ast
import functools
import linecache
import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

from ...interruptions import not_of_a_signal
from ...plain_text import FAILURES
from ..kept_texts import text_kept
from ..observation import Place

if TYPE_CHECKING:
    from executing import Source

_FRAMES = 256
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Making(NamedTuple):
    """The place where a function object was made.

    Attributes:
        function: the name of the function that makes an object at each call; None at the top level of a cell or module,
            and where only the place of the call is known.
        in_loop: True if a loop encloses the code that made the object.
    """

    function: str | None
    in_loop: bool


def making_of(code: CodeType | None, place: Place | None) -> Making | None:
    """Return where the called function object was made; None if neither the stack nor the name of the code shows this.

    Args:
        code: The code object of a Python function. With None, the function is a wrapper, such as `jax.grad(f)`, which
            is assumed to be made in the line of the call.
        place: The place of the call.
    """
    frame: FrameType | None = sys._getframe(1)
    for _ in range(_FRAMES):
        if frame is None:
            break
        around = frame.f_code
        if code is not None and any(constant is code for constant in around.co_consts):
            return _making(frame, code.co_firstlineno, code.co_name)
        if code is None and place is not None and (around.co_filename, frame.f_lineno) == (place.file, place.line):
            return _making(frame, place.line, None)
        frame = frame.f_back
    return None if code is None else _made_by_a_function_that_returned(code)


def _made_by_a_function_that_returned(code: CodeType) -> Making | None:
    """Return the function that encloses a `def`, as the qualified name of its code object shows.

    For example, `make.<locals>.scaled` was made by `make`.
    """
    around, _, _ = code.co_qualname.rpartition(".<locals>.")
    name = around.rpartition(".")[2]
    return Making(name, False) if name.isidentifier() else None


def _making(frame: FrameType, line: int, name: str | None) -> Making | None:
    """Return the function and the loop around the definition of `name` that begins at a line.

    With None as the name, return the function and the loop around the statement on the line.
    """
    file = frame.f_code.co_filename
    try:
        return _making_in(file, tuple(_present_lines(file, frame.f_globals)), line, name)
    except not_of_a_signal(*FAILURES):  # Python cannot parse the source: unknown where the function was made
        return None


def _present_lines(file: str, names: dict[str, Any]) -> list[str]:
    """Return the lines of a file as they are now; for code that was never a file, the lines that `linecache` has."""
    with text_kept(file):
        linecache.checkcache(file)
        lines = linecache.getlines(file, names)
    return lines or linecache.getlines(file, names)


@functools.lru_cache(maxsize=64)
def _making_in(file: str, lines: tuple[str, ...], line: int, name: str | None) -> Making | None:
    source = _source(file, lines)
    nodes = list(_begins(source.tree, line, name) if name is not None else source.statements_at_line(line))
    # Several lambdas on one line cannot be distinguished, so the answer must be true for all of them.
    places = {_around(node) for node in nodes}
    if len(places) != 1:
        return None
    (making,) = places
    if name is not None:
        return making
    return Making(None, making.in_loop and all(_makes_what_it_calls(node) for node in nodes))


def _makes_what_it_calls(statement: ast.AST) -> bool:
    """Return whether a statement in a loop calls a function that it makes itself, as in `jax.jit(f)(x)`."""
    body: list[ast.stmt] = []
    around = getattr(statement, "parent", None)
    while around is not None and not isinstance(around, _FUNCTIONS):
        body += around.body if isinstance(around, _LOOPS) else []
        around = getattr(around, "parent", None)
    made_names = {
        part.id
        for inner in body
        for part in ast.walk(inner)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    called = [part.func for part in ast.walk(statement) if isinstance(part, ast.Call)]
    return any(isinstance(func, ast.Call) or (isinstance(func, ast.Name) and func.id in made_names) for func in called)


@functools.lru_cache(maxsize=2)
def _source(file: str, lines: tuple[str, ...]) -> Source:
    """Return the parsed source of a file with these lines."""
    from executing import Source

    class Passing(Source):
        """A parsed source that Python can delete; the class in `executing` keeps all its sources alive."""

    return Passing.for_filename(file)


def _begins(tree: ast.AST | None, line: int, name: str) -> Iterator[ast.AST]:
    for node in [] if tree is None else ast.walk(tree):
        if isinstance(node, ast.Lambda) and name == "<lambda>" and node.lineno == line:
            yield node
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            if line == min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]):
                yield node


def _around(node: ast.AST) -> Making:
    """Return the nearest function around a syntax node, and whether a loop in this function encloses the node."""
    in_loop = False
    child, parent = node, getattr(node, "parent", None)
    while parent is not None and not isinstance(parent, _FUNCTIONS):
        is_body = (
            isinstance(parent, _LOOPS) and child not in parent.orelse and child is not getattr(parent, "iter", None)
        )
        in_loop = in_loop or is_body or isinstance(parent, _COMPREHENSIONS)
        child, parent = parent, getattr(parent, "parent", None)
    return Making(getattr(parent, "name", None), in_loop)
