"""Parses the source of an observed cell, and makes the cell report the call at its end.

The magic does not run the cell. The magic's line is turned into a comment, and IPython runs the cell like any other, so
that `Out[n]`, `_`, history, tracebacks, top-level await, magics and `;` work as usual and no line number changes. (A
magic that runs the body itself cannot do top-level await in a running event loop, has its own frames in every
traceback, and must rebuild the display of the last expression.)

- `without_magic`: the input transformer.
- `RunningCell`: the cell that runs.
- `LastCall`: the function and the arguments of the cell's last call; the cell itself evaluates the arguments, once.
- `Watcher`: receives each call of the cell's last statement.
- `rewrite`: changes the cell's syntax tree so that it reports to `LastCall`.

Only two kinds of calls in a cell are rewritten: calls in the last statement, and calls above it that run a function
under a transform such as grad; in both cases only code that runs with the cell. Functions that the cell defines are
never changed, because they live on and may be sent to another process.
"""

from __future__ import annotations

import ast
import itertools
import re
import time
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from weakref import WeakValueDictionary

from ..interruptions import not_of_a_signal
from .ending_call import assignment, calls_at_once, ending_call, is_whole, last_statement, transformed_above
from .magics_below_jaxpr import PYTHON_CELL_MAGICS

MAGIC_LINE = re.compile(r"%%jaxpr(?![\w?])(?P<line>.*)")


def magic_line(text: str) -> str | None:
    """Return the text after `%%jaxpr` if this is the first non-blank line of a cell; else None."""
    for line in text.splitlines():
        if line.strip():
            match = MAGIC_LINE.fullmatch(line.rstrip())
            return None if match is None or match["line"].endswith("?") else match["line"].strip()
    return None


def without_magic(lines: list[str]) -> list[str]:
    """Turn the magic's line into a comment; a cell magic on the next line still works.

    Args:
      lines: the lines of a cell that starts with the magic, with their line ends.

    Returns:
      The same number of lines, so that each line keeps its number.
    """
    first = next(i for i, line in enumerate(lines) if line.strip())
    following = next((i for i in range(first + 1, len(lines)) if lines[i].strip()), len(lines))
    if following < len(lines) and lines[following].startswith("%%"):
        name = re.match(r"%%(\w*)", lines[following])
        # A cell magic must be on the first line, so the comments that preserve the line numbers go above its body.
        above = following + 1 if name is not None and name[1] in PYTHON_CELL_MAGICS else 0
        return [lines[following], *["#\n"] * above, *lines[following + 1 :]]
    # IPython removes the indentation of the first line from all lines, so the comment gets the indentation of the next
    # line.
    below = lines[following] if following < len(lines) else ""
    indent = below[: len(below) - len(below.lstrip(" \t"))]
    comments = [f"{indent}#\n"] * first + [f"{indent}# {lines[first].rstrip()}\n"]
    return comments + lines[first + 1 :]


def has_body(text: str) -> bool:
    """Return whether the cell contains anything below the line of the magic."""
    return bool(text.lstrip().partition("\n")[2].strip())


@dataclass(frozen=True)
class RunningCell:
    """The cell that runs; it has the fields of `document.types.document.Cell`."""

    id: str | None
    execution_count: int | None
    file: str
    source: str


class Watcher(Protocol):
    """Receives reports on the calls of a cell's last statement while they run; no method may raise."""

    def evaluated(self, call: LastCall, function: Any) -> bool:
        """Receive a call whose function is evaluated, and whose arguments are not yet evaluated.

        Return whether the values of the call are to be kept.
        """

    def prepared(self, call: LastCall) -> None:
        """Receive a call of which one more argument was evaluated.

        After the report of the last argument, Python enters the function.
        """

    def returned(self, call: LastCall) -> None:
        """Receive a call that has ended with a result."""


class LastCall:
    """A call in a cell's last statement, usually the call that ends the cell; its attributes are set during the run.

    Attributes:
        is_kept: for a call before the last one: true if its values are kept.
        is_above: true if the call is above the last statement.
        number: the number by which the rewritten cell finds this call.
        is_evaluated: true if the cell has evaluated the function.
        argument_count: The number of argument expressions in the code of the call.
        arguments_left: The number of argument expressions that the cell has not evaluated yet.
        is_part: true if the call is part of an assignment or of a larger expression.
        targets: the names to which the statement assigns the result.
        seconds: the duration of the call.
        interruption: the error of a signal handler that came while the cell was prepared; the cell raises it.
        is_known: false if the values of a starred argument cannot be read without running user code.
    """

    def __init__(self, watcher: Watcher | None = None) -> None:
        self.watcher = watcher
        self.is_kept = True
        self.is_above = False
        self.number = next(_numbers)
        self.is_evaluated = False
        self.returned = False
        self.function: Any = None
        self.kwargs: dict[str, Any] = {}
        self.result: Any = None
        self.line: int = 0
        self.column: int = 0
        self.end_line: int = 0
        self.end_column: int = 0
        self.text: str = ""
        self.argument_count = 0
        self.arguments_left = 0
        self.is_part = False
        self.targets: frozenset[str] = frozenset()
        self.seconds = 0.0
        self.is_known = True
        self.interruption: BaseException | None = None
        self._args: list[Any] = []
        # for each built-in iterator that the call also reads: (position of its values, a copy of the iterator, a list
        # that is empty until the call has read the iterator to its end).
        self._read: list[tuple[int, Any, list[bool]]] = []
        _running[self.number] = self

    @property
    def args(self) -> list[Any]:
        """The positional arguments; valid after the call has returned."""
        while self._read:
            place, values, ended = self._read.pop()
            if ended:
                self._args[place:place] = values
            # the call raised before the end of the iterator, so reading the copy would take further values from the
            # user's iterator
            else:
                self.is_known = False
        return self._args

    @property
    def known_values(self) -> list[Any]:
        """The values of the arguments that were received so far, without the values of iterators."""
        return [*self._args, *self.kwargs.values()]

    def forget(self) -> None:
        """Drop the references to the user's values."""
        self.function = self.result = None
        self._args, self._read, self.kwargs = [], [], {}

    def raise_interruption(self) -> None:
        """Raise the error of the user's signal handler that came while the cell was prepared.

        The changed cell calls this method first.
        """
        interruption, self.interruption = self.interruption, None
        if interruption is not None:
            raise interruption

    # The rewritten cell calls the methods below; each returns its argument unchanged and runs no user code.

    def take_function(self, function: Any) -> Any:
        """Receive the function of the call."""
        if self.is_evaluated:  # the call runs again, as in a comprehension
            self.forget()
            self.returned, self.is_known = False, True
        self.arguments_left = self.argument_count
        is_watched = self.watcher is not None and self.watcher.evaluated(self, function)
        if self.is_kept or is_watched:
            self.is_evaluated, self.function = True, function
        self.seconds = -time.perf_counter()
        return function

    def take_argument(self, value: Any) -> Any:
        """Receive the value of a positional argument and return the value."""
        if self.is_evaluated:
            self._args.append(value)
            self._prepared()
        return value

    def take_arguments(self, values: Any) -> Any:
        """Note the values of a starred argument, such as `xs` in `f(*xs)`; return what the call then unpacks."""
        if not self.is_evaluated:
            return values
        read_by = _method(type(values), "__iter__")
        # a JAX array gives equal values each time it is iterated
        if type(values).__module__.partition(".")[0] in ("jax", "jaxlib"):
            self._read.append((len(self._args), values, [True]))
        elif not isinstance(read_by, types.WrapperDescriptorType):
            self.is_known = False
        elif isinstance(_method(type(values), "__next__"), types.WrapperDescriptorType):
            ended: list[bool] = []
            # This built-in iterator yields nothing, but at its end it appends to `ended`. A generator would add a frame
            # to tracebacks.
            end: Iterator[Any] = filter(None, map(ended.append, (True,)))
            values, copy = itertools.tee(itertools.chain(values, end))
            self._read.append((len(self._args), copy, ended))
        else:
            self._args.extend(values)
        self._prepared()
        return values

    def take_keyword(self, name: str, value: Any) -> Any:
        """Receive the value of a keyword argument and return the value."""
        if self.is_evaluated:
            self.kwargs[name] = value
            self._prepared()
        return value

    def take_keywords(self, values: Any) -> Any:
        """Receive the values of an argument with two stars."""
        if not self.is_evaluated:
            return values
        if type(values) is dict:
            self.kwargs.update(values)
        else:
            self.is_known = False
        self._prepared()
        return values

    def take_result(self, result: Any) -> Any:
        """Receive the result of the call."""
        if self.is_evaluated:
            self.seconds += time.perf_counter()
            self.returned, self.result = True, result
            if self.watcher is not None:
                self.watcher.returned(self)
            if not self.is_kept:
                self.forget()
        return result

    def _prepared(self) -> None:
        self.arguments_left -= 1
        self.seconds = -time.perf_counter()
        if self.watcher is not None:
            self.watcher.prepared(self)


_numbers = itertools.count()
_running: WeakValueDictionary[int, LastCall] = WeakValueDictionary()


def _method(kind: type, name: str) -> Any:
    """Return a method as its class stores it; it is a `WrapperDescriptorType` if the method is written in C."""
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)


def last_call(number: int) -> LastCall:
    """Return the object to which the rewritten cell reports the call with this number.

    After the end of the observation, return an object that ignores the reports.
    """
    return _running.get(number) or LastCall()


def rewrite(module: ast.Module, last: LastCall, source: str) -> list[LastCall]:
    """Change a cell's syntax tree so that it reports the calls of its last statement; the cell computes the same.

    The rewritten code imports this package to report, so that no name is added to the user's namespace.

    Args:
      module: the cell's tree; changed in place.
      last: the call that the cell ends with; filled when the changed cell runs.
      source: the cell's text.

    Returns:
      The other calls of the last statement, if `last` has a watcher; else [].
    """
    statement, ending = ending_call(module) or (last_statement(module), None)
    if ending is not None:
        assigned = assignment(statement) if statement is not None else None
        last.targets = frozenset() if assigned is None else assigned.names
        last.is_part = not isinstance(statement, ast.Expr) or not is_whole(statement.value, ending)
    calls: list[tuple[ast.Call, LastCall]] = []
    if last.watcher is not None and statement is not None:
        calls = [(call, LastCall(last.watcher)) for call in calls_at_once(statement) if call is not ending]
    calls = calls[:_CALLS]
    if last.watcher is not None:
        above = [(call, LastCall(last.watcher)) for call in transformed_above(module, statement)]
        for _, call_above in above:
            call_above.is_above = True
        calls += above[:_CALLS]
    other_calls = [reported for _, reported in calls]
    for other_call in other_calls:
        other_call.is_kept = False
    reported_calls = [*calls, *([(ending, last)] if ending is not None else [])]
    for call, reported in reported_calls:
        reported.line, reported.column = call.lineno, call.col_offset
        reported.end_line, reported.end_column = call.end_lineno or call.lineno, call.end_col_offset or 0
        reported.argument_count = len(call.args) + len(call.keywords)
        reported.text = _text_of(call, source)
    if reported_calls:
        replaced = {
            id(call): _reporting(reported.number, "take_result", call, call) for call, reported in reported_calls
        }
        for call, reported in reported_calls:
            _report(call, reported.number)
        _replace(module, replaced)
    ast.fix_missing_locations(module)
    return other_calls


def raise_first(module: ast.Module, last: LastCall, interruption: BaseException) -> None:
    """Change a cell's syntax tree so that the cell raises an error before its first statement."""
    last.interruption = interruption
    raising = ast.Expr(_reporting(last.number, "raise_interruption", ast.Constant(None, lineno=1, col_offset=0)))
    module.body.insert(0, ast.fix_missing_locations(raising))


_CALLS = 64
"""Calls of one statement that are reported, besides the one that the cell ends with."""


def _text_of(call: ast.Call, source: str) -> str:
    """Return the source text of a call."""
    try:
        return ast.get_source_segment(source, call) or ""
    # another program has changed the cell, so that its lines differ from this source
    except not_of_a_signal(IndexError, ValueError):
        return ast.unparse(call)


def _reporting(number: int, method: str, at: ast.expr, *arguments: ast.expr) -> ast.Call:
    """Return the syntax of a call to a method of a `LastCall`.

    All its nodes have the position of `at`, for tracebacks.
    """
    imported = ast.Call(ast.Name("__import__", ast.Load()), [ast.Constant(__package__)], [])
    reporter = ast.Call(ast.Attribute(imported, last_call.__name__, ast.Load()), [ast.Constant(number)], [])
    reporting = ast.Attribute(reporter, method, ast.Load())
    for node in ast.walk(reporting):
        ast.copy_location(node, at)
    return ast.copy_location(ast.Call(reporting, list(arguments), []), at)


def _report(call: ast.Call, number: int) -> None:
    call.func = _reporting(number, "take_function", call.func, call.func)
    for i, argument in enumerate(call.args):
        if isinstance(argument, ast.Starred):
            argument.value = _reporting(number, "take_arguments", argument.value, argument.value)
        else:
            call.args[i] = _reporting(number, "take_argument", argument, argument)
    for keyword in call.keywords:
        value = keyword.value
        if keyword.arg is None:
            keyword.value = _reporting(number, "take_keywords", value, value)
        else:
            name = ast.copy_location(ast.Constant(keyword.arg), value)
            keyword.value = _reporting(number, "take_keyword", value, name, value)


def _replace(module: ast.Module, replaced: Mapping[int, ast.Call]) -> None:
    """Replace calls by the calls that report them, inner calls first."""

    class Replace(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            self.generic_visit(node)
            return replaced.get(id(node), node)

        def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
            return node  # functions and classes are not changed, because they live on after the cell

        def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
            return node

    Replace().visit(module)
