"""Reads the user's source at a frame: the call, its arguments, and the names to which its result is assigned.

Only the source of one call or one function is parsed, never a whole file. The file may be deleted or edited, so the
source is used only if the parsed call fits the frame; otherwise the answer is None.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import re
from dataclasses import dataclass

from ...document.limits import Characters
from ...interruptions import not_of_a_signal
from ..jaxpr.pools import Strings
from ..source.positions import Positions, SourceFile
from .debug_info_of_programs import Debug

_PLAIN = re.compile(r"[\w.]+")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class Call:
    """A call expression in the user's source.

    Attributes:
        target: the assignment target of the result, such as `(h, hs)`; None if the result is not assigned.
    """

    function: str
    arguments: list[ast.expr]
    keywords: dict[str, ast.expr]
    target: ast.expr | None

    def argument(self, position: int, *names: str) -> ast.expr | None:
        """Return an argument of the call, found by its position or by one of its names; None if unknown."""
        for name in names:
            if name in self.keywords:
                return self.keywords[name]
        if any(isinstance(argument, ast.Starred) for argument in self.arguments[: position + 1]):
            return None
        return self.arguments[position] if position < len(self.arguments) else None


class Written:
    """Reads calls and functions in the user's source."""

    def __init__(self, positions: Positions, strings: Strings) -> None:
        """Store the pools.

        Args:
            positions: The pool of frames, with their files.
            strings: The pool of strings, with the names of functions.
        """
        self._positions = positions
        self._strings = strings
        self._lines: dict[str, list[str]] = {}
        self._calls: dict[int, Call | None] = {}
        self._targets: dict[int, ast.expr | None] = {}
        self._functions: dict[tuple[str, int], ast.FunctionDef | ast.Lambda | None] = {}

    def text(self, frame: int) -> str | None:
        """Return the source of a frame's expression on one line; None if unknown."""
        raw = self._span(frame)
        return None if raw is None else shown(raw)

    def call(self, frame: int) -> Call | None:
        """Return the call expression of a frame; None if the frame's expression is no call or is unknown."""
        if frame not in self._calls:
            self._calls[frame] = self._read_call(frame)
        return self._calls[frame]

    def called(self, frame: int) -> str | None:
        """Return the called function as the user wrote it, such as `jnp.median`.

        None if the frame's expression is no call.
        """
        call = self.call(frame)
        return call.function if call is not None and _PLAIN.fullmatch(call.function) else None

    def target(self, frame: int) -> ast.expr | None:
        """Return the assignment target of a frame's expression: `h0` in `h0 = f()`, `a, b` in `a, b = f()`."""
        if frame not in self._targets:
            self._targets[frame] = self._read_target(frame)
        return self._targets[frame]

    def function(self, file: str, line: int) -> ast.FunctionDef | ast.Lambda | None:
        """Return the function, or the single lambda, that begins on a line of a user file."""
        key = (file, line)
        if key not in self._functions:
            self._functions[key] = self._read_function(file, line)
        return self._functions[key]

    def function_around(self, frame: int, name: str) -> tuple[int, ast.FunctionDef] | None:
        """Return (line of its def, the function) for the enclosing function of a frame that has this name."""
        file, function, line, *_ = self._positions.frames[frame]
        source = self._positions.files[file]
        if source.kind == "library" or self._strings.items[function].rpartition(".")[2] != name:
            return None
        lines = self._of(source)
        begins = re.compile(rf"\s*def {re.escape(name)}\b")
        for number in range(min(line, len(lines)), 0, -1):
            if begins.match(lines[number - 1]):
                definition = self.function(source.name, number)
                return (number, definition) if isinstance(definition, ast.FunctionDef) else None
        return None

    def def_line(self, file: str, line: int) -> int:
        """Return the line of a function's `def`, given its first line, which may be that of a decorator."""
        source = self._positions.source_file(file)
        lines = self._of(source)
        for number in range(line, min(line + 20, len(lines) + 1)):
            text = lines[number - 1].lstrip()
            if text.startswith(("def ", "async def ")):
                return number
            if number == line and not text.startswith("@"):
                return line
        return line

    # --- reading and parsing source text -------------------------------------------------------

    def _of(self, source: SourceFile) -> list[str]:
        lines = self._lines.get(source.name)
        if lines is None:
            if source.cell is not None:
                lines = source.cell.source.split("\n")
            else:
                lines = [line.rstrip("\n") for line in linecache.getlines(source.name)]
            self._lines[source.name] = lines
        return lines

    def _span(self, frame: int) -> str | None:
        if frame < 0:
            return None
        file, _, line, column, end_line, end_column = self._positions.frames[frame]
        source = self._positions.files[file]
        if source.kind == "library" or column < 0:
            return None
        lines = self._of(source)[line - 1 : end_line]
        if len(lines) != end_line - line + 1:
            return None
        lines[-1] = _upto(lines[-1], end_column)
        lines[0] = lines[0][len(_upto(lines[0], column)) :]
        return "\n".join(lines)

    def _read_call(self, frame: int) -> Call | None:
        raw = self._span(frame)
        node = None if raw is None else _expression(raw)
        if not isinstance(node, ast.Call):
            return None
        return Call(
            function=ast.unparse(node.func),
            arguments=list(node.args),
            keywords={keyword.arg: keyword.value for keyword in node.keywords if keyword.arg is not None},
            target=self.target(frame),
        )

    def _read_target(self, frame: int) -> ast.expr | None:
        """Return what stands left of the `=`, if the frame's expression is the whole right side of an assignment."""
        if frame < 0:
            return None
        file, _, line, column, end_line, end_column = self._positions.frames[frame]
        source = self._positions.files[file]
        if source.kind == "library" or column < 0:
            return None
        lines = self._of(source)
        if not 0 < line <= end_line <= len(lines):
            return None
        before = _upto(lines[line - 1], column).strip()
        line_end = lines[end_line - 1]
        after = line_end[len(_upto(line_end, end_column)) :].partition("#")[0].strip()
        if not before.endswith("=") or after not in ("", ";"):
            return None
        node = _expression(before[:-1].rpartition(";")[2].strip())
        return node if isinstance(node, ast.Name | ast.Tuple | ast.List) else None

    def _read_function(self, file: str, line: int) -> ast.FunctionDef | ast.Lambda | None:
        source = self._positions.source_file(file)
        if source.kind == "library":
            return None
        lines = self._of(source)
        if not 0 < line <= len(lines):
            return None
        try:
            block = inspect.getblock([f"{text_line}\n" for text_line in lines[line - 1 : line + 200]])
            tree = ast.parse(_dedented(block))
        except not_of_a_signal(SyntaxError, ValueError, IndexError, MemoryError, RecursionError):
            return _only_lambda(lines[line - 1])
        statement = tree.body[0] if tree.body else None
        if isinstance(statement, ast.FunctionDef):
            return statement
        return _only_lambda(lines[line - 1])


def definition(positions: Positions, written: Written, debug: Debug) -> int:
    """Return the frame of the line that defines a user function; -1 for other functions."""
    if not debug.users:
        return -1
    return positions.line(debug.file, written.def_line(debug.file, debug.line), debug.function)


def shown(expression: str) -> str:
    """Return an expression on one line, cut to `Characters.SOURCE_ON_CARD` characters."""
    text = _SPACE.sub(" ", expression).strip()
    return text if len(text) <= Characters.SOURCE_ON_CARD else text[: Characters.SOURCE_ON_CARD - 1] + "…"


def text_of(node: ast.expr | None) -> str | None:
    """Return the source of an expression on one line, cut to `Characters.SOURCE_ON_CARD` characters."""
    return None if node is None else shown(ast.unparse(node))


def branch_name(call: Call | None, kind: str, side: int) -> str | None:
    """Return the user's source of a branch function.

    `cond` has the function of the true branch as its first one.
    """
    if call is None:
        return None
    if kind == "cond":
        node = call.argument(2, "false_fun") if side == 0 else call.argument(1, "true_fun")
    else:
        branches = call.argument(1, "branches")
        items = branches.elts if isinstance(branches, ast.List | ast.Tuple) else []
        node = items[side] if side < len(items) else None
    return "<lambda>" if isinstance(node, ast.Lambda) else text_of(node)


def target_name(target: ast.expr, result: int, results: int) -> str | None:
    """Return the name to which an assignment binds exactly this result; None if there is no such name."""
    if isinstance(target, ast.Tuple | ast.List):
        if len(target.elts) != results:
            return None
        target = target.elts[result]
    elif results != 1:
        return None
    return target.id if isinstance(target, ast.Name) and target.id != "_" else None


def parameters(function: ast.FunctionDef | ast.Lambda | None) -> list[str]:
    """Return the names of a function's positional parameters."""
    if function is None:
        return []
    return [parameter.arg for parameter in (*function.args.posonlyargs, *function.args.args)]


def unpacked(function: ast.FunctionDef | ast.Lambda | None) -> dict[str, ast.expr]:
    """Return {parameter: assignment target}, for assignments such as `a, b = parameter` in the function."""
    if not isinstance(function, ast.FunctionDef):
        return {}
    names = set(parameters(function))
    targets: dict[str, ast.expr] = {}
    for statement in function.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target, value = statement.targets[0], statement.value
            if isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Name) and value.id in names:
                targets.setdefault(value.id, target)
    return targets


def returned(function: ast.FunctionDef | ast.Lambda | None) -> ast.expr | None:
    """Return the expression after `return`, if the function has exactly one `return`."""
    if isinstance(function, ast.Lambda):
        return function.body
    if function is None:
        return None
    returns = [node for node in _own_nodes(function) if isinstance(node, ast.Return)]
    return returns[0].value if len(returns) == 1 else None


def _own_nodes(function: ast.FunctionDef) -> list[ast.AST]:
    """Return the syntax nodes of a function, without those of nested functions."""
    nodes: list[ast.AST] = []
    waiting: list[ast.AST] = list(function.body)
    for node in waiting:
        nodes.append(node)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))
    return nodes


def _only_lambda(line: str) -> ast.Lambda | None:
    """Return the lambda of a line that contains exactly one."""
    if line.count("lambda") != 1:
        return None
    text = line[line.index("lambda") :].rstrip()
    while text:
        node = _expression(text)
        if isinstance(node, ast.Lambda):
            return node
        if isinstance(node, ast.Tuple) and node.elts and isinstance(node.elts[0], ast.Lambda):
            return node.elts[0]
        text = text[:-1].rstrip()
    return None


def _dedented(block: list[str]) -> str:
    indent = len(block[0]) - len(block[0].lstrip())
    return "".join(
        text_line[indent:] if text_line[:indent].isspace() or not indent else text_line for text_line in block
    )


def _expression(text: str) -> ast.expr | None:
    try:
        return ast.parse(f"({text}\n)", mode="eval").body
    except not_of_a_signal(SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def _upto(line: str, column: int) -> str:
    """Return the part of a line before a column, which counts UTF-16 code units."""
    if line.isascii():
        return line[:column]
    return line.encode("utf-16-le", "surrogatepass")[: 2 * column].decode("utf-16-le", "ignore")
