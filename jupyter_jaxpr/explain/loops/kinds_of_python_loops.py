"""Finds the Python loops in source code that contain a position, such as the place of an equation.

The source code is parsed, never run and never imported. A loop contains a position in the code that runs in each
iteration: the body of a `for`, the body and test of a `while`, the elements and conditions of a comprehension.
"""

from __future__ import annotations

import ast
import functools
import linecache
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ...interruptions import not_of_a_signal
from ...program.source.positions import FrameRow, SourceFile
from ...typed.kept_syntax_trees import tree_of
from ...typed.syntax_nodes import add_parts, in_order

Loop = ast.For | ast.While | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.Call
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module
_ITERATING = frozenset((ast.For, ast.While, *COMPREHENSIONS))
_INNER = frozenset((ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))

_MAGIC = re.compile(r"^([ \t]*)[%!?].*|^([ \t]*)[\w.]+\?{1,2}\s*$", re.MULTILINE)
_LONGEST = 500_000  # source code with more characters is not parsed

#: (line, column): the line counts from 1, the column counts UTF-8 bytes from 0. The column -1 stands for any column.
Position = tuple[int, int]
Span = tuple[Position, Position]


@dataclass(frozen=True, eq=False)
class LoopStatement:
    """A loop statement, or a comprehension, in source code.

    Attributes:
        node: The syntax of the loop.
        function: The function that contains the loop, or the module.
        module: The syntax tree of the whole source code.
        lines: The lines of the source code.
        parts: The spans of the code that runs once in each iteration.
        call: The call that iterates over this generator or map, such as sum(f(x) for x in xs); None if there is none.
    """

    node: Loop
    function: Function
    module: ast.Module
    lines: list[str]
    parts: tuple[Span, ...]
    call: ast.Call | None = None

    @property
    def word(self) -> str:
        """The name of this kind of loop in a sentence, such as "for loop" or "generator"."""
        if isinstance(self.node, ast.For):
            return "for loop"
        if isinstance(self.node, ast.While):
            return "while loop"
        if isinstance(self.node, ast.Call):
            return f"call of {iterating(self.node)}"
        return "generator" if isinstance(self.node, ast.GeneratorExp) else "comprehension"

    @property
    def line(self) -> int:
        """The line on which the loop starts, from 1."""
        return self.node.lineno

    @functools.cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """The syntax nodes of the loop, as `in_order` yields them."""
        return tuple(in_order(self.node))

    @functools.cached_property
    def nodes_of_function(self) -> tuple[ast.AST, ...]:
        """The syntax nodes of the function that contains the loop, as `in_order` yields them."""
        return tuple(in_order(self.function))

    @functools.cached_property
    def nodes_of_module(self) -> tuple[ast.AST, ...]:
        """The syntax nodes of the whole source code, as `in_order` yields them."""
        return tuple(in_order(self.module))

    @functools.cached_property
    def iterations(self) -> int | None:
        """The number of iterations, if the source code states it; otherwise None.

        Some iterations may record no equations.
        """
        if isinstance(self.node, ast.While):
            return None
        if isinstance(self.node, ast.Call):
            return _applied(self.node)
        if isinstance(self.node, ast.For):
            body: list[ast.stmt] = self.node.body
            if any(isinstance(child, ast.Break | ast.Return) for part in body for child in in_order(part)):
                return None
            return _length(self.node.iter)
        (first, *more_generators) = self.node.generators
        return None if more_generators else _length(first.iter)

    @functools.cached_property
    def may_skip(self) -> bool:
        """True if an iteration may record no equations, or other equations than the other iterations."""
        node = self.node
        if isinstance(node, ast.For):
            parts: list[ast.AST] = [*node.body, node.iter]
        elif isinstance(node, ast.While):
            parts = [*node.body]
        else:
            parts = [node]
        return any(_decides(child) for part in parts for child in in_order(part))

    def holds(self, span: Span) -> bool:
        """Return whether a position is in code that runs once in each iteration."""
        # When a loop gets its next element, Python reports the position of the whole statement, or of a call such as
        # `sum`.
        return any(_within(span, part) for part in self.parts) or span in self.drawn_at

    @functools.cached_property
    def drawn_at(self) -> tuple[Span, ...]:
        """The positions of the equations that JAX records when the loop gets its next element.

        A call such as `jnp.stack([...])` runs after the iterations of its comprehension: its equations do not count.
        """
        is_after = isinstance(self.node, ast.ListComp | ast.SetComp | ast.DictComp) and not isinstance(
            getattr(self.call, "func", None), ast.Name
        )
        if self.call is None or is_after:
            return (node_span(self.node),)
        return node_span(self.node), node_span(self.call)


def iterating(call: ast.Call) -> str:
    """Return reduce, accumulate or map if a call calls this function of Python; an empty string for any other call."""
    function = call.func
    if isinstance(function, ast.Name):
        name = function.id
    elif isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        name = function.attr if function.value.id in ("functools", "itertools") else ""
    else:
        name = ""
    return name if name in ("reduce", "accumulate", "map") and len(call.args) >= 2 else ""


def _applied(call: ast.Call) -> int | None:
    """Return how often a call of reduce, accumulate or map calls the function that is its argument. None if unknown."""
    name = iterating(call)
    length = _length(call.args[0 if name == "accumulate" else 1])
    if length is None or (name == "map" and len(call.args) > 2):
        return None
    starts = any(keyword.arg in ("initial", "initializer") for keyword in call.keywords) or len(call.args) > 2
    return length if name == "map" or starts else max(0, length - 1)


def _decides(node: ast.AST) -> bool:
    """Return whether a node may skip code in some iterations: `if`, `and`, `match`, `try`, `continue` and the like."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "filter"
    if isinstance(node, ast.comprehension):
        return bool(node.ifs)
    return isinstance(node, ast.If | ast.IfExp | ast.BoolOp | ast.Match | ast.Try | ast.Continue)


def _length(iterated: ast.expr) -> int | None:
    if isinstance(iterated, ast.List | ast.Tuple):
        return None if any(isinstance(element, ast.Starred) for element in iterated.elts) else len(iterated.elts)
    if not (isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) and not iterated.keywords):
        return None
    if iterated.func.id == "enumerate" and iterated.args:
        return _length(iterated.args[0])
    if iterated.func.id != "range" or not 1 <= len(iterated.args) <= 3:
        return None
    try:
        bounds = [ast.literal_eval(argument) for argument in iterated.args]
        return len(range(*bounds))
    except not_of_a_signal(ValueError, TypeError, SyntaxError):
        return None


@dataclass
class Loops:
    """The functions and loops in source code, and the lines of the code."""

    module: ast.Module
    lines: list[str]
    functions: list[tuple[Span, Function, list[LoopStatement]]] = field(default_factory=list)

    def around(self, spans: list[Span], function: str) -> list[LoopStatement]:
        """Return the loops that contain all spans, innermost first.

        Args:
            spans: The spans of frames of one function.
            function: The qualified name of the function that ran. If the source code has another name at the spans, the
                code has changed since, and there is no result.
        """
        inside = [function for function in self.functions if all(_within(span, function[0]) for span in spans)]
        if not inside:
            return []
        _, node, loops = min(inside, key=lambda function: _extent(function[0]))
        name = function.rpartition(".")[2]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not name.startswith("<") and node.name != name:
            return []
        loops_around = [loop for loop in loops if all(map(loop.holds, spans))]
        return sorted(loops_around, key=lambda loop: _extent(node_span(loop.node)))


def source_text(source: SourceFile) -> str | None:
    """Return the source code of a cell, or of an existing file of the user's; None if it is unknown."""
    if source.cell is not None:
        return source.cell.source
    if source.kind == "library":
        return None
    return "".join(linecache.getlines(source.name)) or None


def loops_of(source: SourceFile) -> Loops | None:
    """Return the loops of a file. None if the source code of the file is unknown or is not valid Python."""
    text = source_text(source)
    if text is None or len(text) > _LONGEST:
        return None
    module = parsed(text)
    if module is None and source.cell is not None:
        # this is the cell's code after IPython's transformation, which is valid Python
        module = parsed("".join(linecache.getlines(source.name)))
    return module


@functools.lru_cache(maxsize=8)
def parsed(text: str) -> Loops | None:
    """Return the loops in source code. A line in IPython's own syntax, such as a magic, is read as `pass`."""
    for candidate in (text, _MAGIC.sub(r"\1\2pass", text)):
        module = tree_of(candidate)
        if module is None:
            continue
        lines = candidate.split("\n")
        loops = Loops(module, lines)
        _Reader(module, lines, loops).read(module)
        return loops
    return None


class _Reader:
    """Collects the loops of each function."""

    def __init__(self, module: ast.Module, lines: list[str], loops: Loops) -> None:
        self._module = module
        self._lines = lines
        self._loops = loops

    def read(self, function: Function) -> None:
        loops: list[LoopStatement] = []
        span = ((0, -1), (10**9, -1)) if isinstance(function, ast.Module) else node_span(function)
        self._loops.functions.append((span, function, loops))
        inner: list[Function] = []
        for node, call in _loops_and_functions(function):
            if isinstance(node, Loop):
                loops.append(LoopStatement(node, function, self._module, self._lines, _parts(node), call))
            else:
                inner.append(node)
        for inner_function in inner:
            self.read(inner_function)


def _loops_and_functions(function: Function) -> Iterator[tuple[Loop | Function, ast.Call | None]]:
    """Yield the loops and the inner functions of a function, without those inside of the inner functions.

    Each comes with the call, such as sum(...), that iterates over the node if the node is a generator.
    """
    waiting: list[Any] = []
    add_parts(function, waiting)
    drawn_by: dict[Any, ast.Call] = {}
    while waiting:
        node = waiting.pop()
        kind = type(node)
        if kind in _INNER:
            yield node, None
        elif kind is ast.Call:
            parts: list[Any] = []
            add_parts(node, parts)
            single = len(node.args) == 1 and isinstance(node.args[0], COMPREHENSIONS)
            for part in parts:
                if (type(part) is ast.Call and iterating(part)) or (single and part is node.args[0]):
                    drawn_by[part] = node
            if iterating(node):
                yield node, drawn_by.get(node)
            waiting += parts
        else:
            if kind in _ITERATING:
                yield node, drawn_by.get(node)
            add_parts(node, waiting)


def _parts(node: Loop) -> tuple[Span, ...]:
    if isinstance(node, ast.For | ast.While):
        body: Span = (node_span(node.body[0])[0], node_span(node.body[-1])[1])
        return (body, node_span(node.test)) if isinstance(node, ast.While) else (body,)
    if isinstance(node, ast.Call):
        return ()
    elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    conditions = [test for generator in node.generators for test in generator.ifs]
    later = [generator.iter for generator in node.generators[1:]]
    return tuple(node_span(part) for part in (*elements, *conditions, *later))


def node_span(node: ast.stmt | ast.expr) -> Span:
    """Return the start and the end of a syntax node."""
    return (
        (node.lineno, node.col_offset),
        (node.end_lineno or node.lineno, -1 if node.end_col_offset is None else node.end_col_offset),
    )


def _extent(span: Span) -> tuple[int, int]:
    (line, column), (end_line, end_column) = span
    return end_line - line, end_column - column


def _within(inner: Span, outer: Span) -> bool:
    return not _before(inner[0], outer[0]) and not _before(outer[1], inner[1])


def _before(first: Position, second: Position) -> bool:
    if first[0] != second[0]:
        return first[0] < second[0]
    return -1 not in (first[1], second[1]) and first[1] < second[1]


def frame_span(row: FrameRow, lines: list[str]) -> Span:
    """Return the start and the end of a frame's code as in a syntax tree: lines, and bytes within a line."""
    _, _, line, column, end_line, end_column = row
    return (line, _bytes(lines, line, column)), (end_line, _bytes(lines, end_line, end_column))


def _bytes(lines: list[str], line: int, column: int) -> int:
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    if column < 0 or text.isascii():
        return column
    before = text.encode("utf-16-le", "surrogatepass")[: 2 * column].decode("utf-16-le", "ignore")
    return len(before.encode("utf-8", "surrogatepass"))
