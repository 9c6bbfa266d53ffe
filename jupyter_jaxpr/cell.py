"""A cell's text in; out come the cell as it will run, where its lines are, and the call it ends with.

The cell is not run by the magic. IPython runs it as it runs any cell, with the magic's line turned into a comment
before IPython sees it, so that `Out[n]`, `_`, history, tracebacks, top-level await, magics and `;` are not imitated
but IPython's own, and every line keeps its number. (A magic that runs the body itself cannot do top-level await in a
running event loop, has its own frames in every traceback, and must rebuild the display of the last expression.)

- `without_magic`: the input transformer.
- `RunningCell`: which cell runs.
- `LastCall`: what the last expression called, and with what; the arguments are evaluated once, by the cell.
- `rewrite`: puts both `LastCall` and, for Python 3.11, the counting of calls into the cell's syntax tree.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

MAGIC_LINE = re.compile(r"%%jaxpr(?![\w?])(?P<line>.*)")

# Cell magics whose body is Python: a comment in front of it changes nothing, and keeps the numbers of its lines.
_PYTHON_MAGICS = frozenset({"time", "timeit", "capture", "prun", "memit", "mprun"})

# The file names under which those magics compile their body.
NESTED_FILES = ("<timed exec>", "<timed eval>", "<magic-timeit>", "<string>")


def magic_line(text: str) -> str | None:
    """What stands after `%%jaxpr` on a cell's first line that is not blank; None where that is something else."""
    for line in text.splitlines():
        if line.strip():
            found = MAGIC_LINE.fullmatch(line.rstrip())
            return None if found is None or found["line"].endswith("?") else found["line"].strip()
    return None


def without_magic(lines: list[str]) -> list[str]:
    """Turn the magic's line into a comment; a cell magic on the next line stays one.

    Args:
      lines: of a cell that starts with the magic, with their ends.

    Returns:
      As many lines, so that each keeps its number.
    """
    first = next(i for i, line in enumerate(lines) if line.strip())
    following = next((i for i in range(first + 1, len(lines)) if lines[i].strip()), len(lines))
    if following < len(lines) and lines[following].startswith("%%"):
        name = re.match(r"%%(\w*)", lines[following])
        # A cell magic must come first. Its body is moved down by what stood above it.
        above = following + 1 if name is not None and name[1] in _PYTHON_MAGICS else 0
        return [lines[following], *["#\n"] * above, *lines[following + 1 :]]
    # IPython takes an indentation off that the first line has; the comment must have it too.
    indent = re.match(r"[ \t]*", lines[following])[0] if following < len(lines) else ""  # type: ignore[index]  # it matches the empty string
    comments = [f"{indent}#\n"] * first + [f"{indent}# {lines[first].rstrip()}\n"]
    return comments + lines[first + 1 :]


def nested_magic(text: str) -> bool:
    """Whether a cell magic for Python code stands right below `%%jaxpr`: its body keeps its lines too."""
    below = [line for line in text.splitlines() if line.strip()][1:2]
    name = re.match(r"%%(\w*)", below[0]) if below else None
    return name is not None and name[1] in _PYTHON_MAGICS


def has_body(text: str) -> bool:
    """Whether there is anything below the magic's line."""
    return bool(text.lstrip().partition("\n")[2].strip())


@dataclass(frozen=True)
class RunningCell:
    """The cell that runs; the fields of `snapshot.document.Cell`."""

    id: str | None
    execution_count: int | None
    file: str
    source: str


class LastCall:
    """The call that is a cell's last expression, filled while the cell runs."""

    def __init__(self) -> None:
        self.seen = False  # the cell has evaluated the function
        self.returned = False
        self.function: Any = None
        self.args: list[Any] = []
        self.kwargs: dict[str, Any] = {}
        self.result: Any = None
        self.line: int = 0
        self.column: int = 0
        self.end_line: int = 0
        self.end_column: int = 0
        self.text: str = ""

    def forget(self) -> None:
        """Let go of the user's values."""
        self.function = self.result = None
        self.args, self.kwargs = [], {}

    # What the rewritten cell calls; each returns what it is given.

    def _function(self, function: Any) -> Any:
        self.seen, self.function = True, function
        return function

    def _argument(self, value: Any) -> Any:
        self.args.append(value)
        return value

    def _arguments(self, values: Iterable[Any]) -> Any:
        self.args.extend(values := tuple(values))
        return values

    def _keyword(self, name: str, value: Any) -> Any:
        self.kwargs[name] = value
        return value

    def _keywords(self, values: Any) -> Any:
        self.kwargs.update(values := dict(values))
        return values

    def _result(self, result: Any) -> Any:
        self.returned, self.result = True, result
        return result

    def names(self) -> dict[str, Callable[..., Any]]:
        """The names that the rewritten cell looks up, to be put into `builtins` while it runs."""
        return {
            "__jaxpr_function__": self._function,
            "__jaxpr_argument__": self._argument,
            "__jaxpr_arguments__": self._arguments,
            "__jaxpr_keyword__": self._keyword,
            "__jaxpr_keywords__": self._keywords,
            "__jaxpr_result__": self._result,
        }


def rewrite(
    module: ast.Module, last: LastCall, source: str, count_with: str | None = None, file: str = ""
) -> ast.Module:
    """Let a cell's syntax tree report its last call and, if asked, every call; it computes the same.

    Args:
      module: the cell's tree; changed in place.
      last: filled when the changed cell runs.
      source: the cell's text.
      count_with: name of a function that each callee is passed through with its file and line, for Python 3.11.
      file: the cell's, as code objects name it.
    """
    call = _last_call(module)
    if count_with is not None:
        _CountCalls(count_with, file).visit(module)
    if call is not None:
        last.line, last.column = call.lineno, call.col_offset
        last.end_line, last.end_column = call.end_lineno or call.lineno, call.end_col_offset or 0
        last.text = ast.get_source_segment(source, call) or ""
        _report(call)
        _replace(module, call, _calling("__jaxpr_result__", call, call))
    return ast.fix_missing_locations(module)


def _last_call(module: ast.Module) -> ast.Call | None:
    """The call that is the last expression, seen through what only waits for it or prints it."""
    statement = module.body[-1] if module.body else None
    node = statement.value if isinstance(statement, ast.Expr) else None
    while isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
        inner: ast.expr | None = None
        if name == "block_until_ready" and not node.args and isinstance(node.func, ast.Attribute):
            inner = node.func.value
        elif name in ("block_until_ready", "print") and len(node.args) == 1 and not node.keywords:
            inner = node.args[0]
        if not isinstance(inner, ast.Call):
            break
        node = inner
    return node if isinstance(node, ast.Call) else None


def _calling(name: str, at: ast.expr, *arguments: ast.expr) -> ast.Call:
    """A call of ours at the place of `at`, so that positions in tracebacks stay those of the user's code."""
    function = ast.copy_location(ast.Name(name, ast.Load()), at)
    return ast.copy_location(ast.Call(function, list(arguments), []), at)


def _report(call: ast.Call) -> None:
    call.func = _calling("__jaxpr_function__", call.func, call.func)
    for i, argument in enumerate(call.args):
        if isinstance(argument, ast.Starred):
            argument.value = _calling("__jaxpr_arguments__", argument.value, argument.value)
        else:
            call.args[i] = _calling("__jaxpr_argument__", argument, argument)
    for keyword in call.keywords:
        value = keyword.value
        if keyword.arg is None:
            keyword.value = _calling("__jaxpr_keywords__", value, value)
        else:
            name = ast.copy_location(ast.Constant(keyword.arg), value)
            keyword.value = _calling("__jaxpr_keyword__", value, name, value)


def _replace(module: ast.Module, old: ast.Call, new: ast.Call) -> None:
    class Replace(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            return new if node is old else self.generic_visit(node)

    module.body[-1] = Replace().visit(module.body[-1])


class _CountCalls(ast.NodeTransformer):
    """Pass each callee through a function that counts it, with its file and line.

    Functions under a decorator that is not JAX's are left alone: it may read their code, as numba's does.
    """

    def __init__(self, name: str, file: str) -> None:
        self._name = name
        self._file = file

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in ("super", "locals", "print", "range", "len"):
            return node
        # As a traceback would have it: the line on which the call begins.
        site: Any = (self._file, node.lineno)
        constant = ast.copy_location(ast.Constant(value=site), node.func)
        node.func = _calling(self._name, node.func, node.func, constant)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._unless_decorated(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._unless_decorated(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._unless_decorated(node)

    def _unless_decorated(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> ast.AST:
        if all(_JAX_DECORATOR.search(ast.unparse(decorator)) for decorator in node.decorator_list):
            return self.generic_visit(node)
        return node


_JAX_DECORATOR = re.compile(
    r"\b(jax|jit|vmap|pmap|grad|value_and_grad|checkpoint|remat|custom_jvp|custom_vjp|eqx|equinox|nnx|nn"
    r"|partial|property|staticmethod|classmethod|dataclass|dataclasses|cache)\b"
)
