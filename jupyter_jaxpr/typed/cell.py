"""Parses the text of a cell: the code that will run, its lines, and the call at its end.

The cell is not run by the magic. IPython runs it as it runs any cell, with the magic's line turned into a comment
before IPython sees it, so that `Out[n]`, `_`, history, tracebacks, top-level await, magics and `;` are not imitated
but IPython's own, and every line keeps its number. (A magic that runs the body itself cannot do top-level await in a
running event loop, has its own frames in every traceback, and must rebuild the display of the last expression.)

- `without_magic`: the input transformer.
- `RunningCell`: which cell runs.
- `LastCall`: what the cell's last call called, and with what; the arguments are evaluated once, by the cell.
- `Watcher`: is told of each call of the cell's last statement.
- `rewrite`: puts `LastCall` into the cell's syntax tree.

Of a cell only the calls of the last statement are rewritten, and of these only what runs at once. The functions that a
cell defines live on, and may be sent to another process: their code is the user's own, to the last instruction and
position.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import re
import time
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol
from weakref import WeakValueDictionary

MAGIC_LINE = re.compile(r"%%jaxpr(?![\w?])(?P<line>.*)")

# Cell magics whose body is Python: a comment in front of it changes nothing, and keeps the numbers of its lines.
PYTHON_CELL_MAGICS = frozenset({"time", "timeit", "capture", "prun", "memit", "mprun"})

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
        above = following + 1 if name is not None and name[1] in PYTHON_CELL_MAGICS else 0
        return [lines[following], *["#\n"] * above, *lines[following + 1 :]]
    # IPython takes an indentation off that the first line has; the comment must have it too.
    below = lines[following] if following < len(lines) else ""
    indent = below[: len(below) - len(below.lstrip(" \t"))]
    comments = [f"{indent}#\n"] * first + [f"{indent}# {lines[first].rstrip()}\n"]
    return comments + lines[first + 1 :]


def nested_magic(text: str) -> bool:
    """Whether a cell magic for Python code stands right below `%%jaxpr`: its body keeps its lines too."""
    below = [line for line in text.splitlines() if line.strip()][1:2]
    name = re.match(r"%%(\w*)", below[0]) if below else None
    return name is not None and name[1] in PYTHON_CELL_MAGICS


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


class Watcher(Protocol):
    """Is told of the calls of a cell's last statement while they run; no method may raise."""

    def evaluated(self, call: LastCall, function: Any) -> bool:
        """What is called is known, and the arguments are evaluated next; whether the call's values are wanted."""

    def prepared(self, call: LastCall) -> None:
        """One more argument is known: the call may be made next."""

    def returned(self, call: LastCall) -> None:
        """The call has returned."""


class LastCall:
    """A call of a cell's last statement, filled while the cell runs: most often the call that the cell ends with."""

    def __init__(self, watcher: Watcher | None = None) -> None:
        self.watcher = watcher
        self.is_kept = True  # whether the values are wanted, of a call which the cell does not end with
        self.number = next(_numbers)  # by which the rewritten cell finds it
        self.seen = False  # the cell has evaluated the function
        self.returned = False
        self.function: Any = None
        self.kwargs: dict[str, Any] = {}
        self.result: Any = None
        self.line: int = 0
        self.column: int = 0
        self.end_line: int = 0
        self.end_column: int = 0
        self.text: str = ""
        self.is_part = False  # of an assignment or of a larger expression
        self.targets: frozenset[str] = frozenset()  # names that the statement assigns to after the call
        self.seconds = 0.0  # how long the call took
        self.is_known = True  # False where the values behind a star cannot be read without running the user's code
        self._args: list[Any] = []
        # Iterators that the call reads too: where their values belong, and a list that is empty until the call has read
        # the iterator to its end.
        self._read: list[tuple[int, Any, list[bool]]] = []
        _running[self.number] = self

    @property
    def args(self) -> list[Any]:
        """The positional arguments; to be asked for once the call has returned."""
        while self._read:
            place, values, ended = self._read.pop()
            if ended:
                self._args[place:place] = values
            else:  # an error came before the end: to read on would take values from the user's iterator
                self.is_known = False
        return self._args

    @property
    def given(self) -> list[Any]:
        """The values of the arguments as far as they are known, those of iterators left out."""
        return [*self._args, *self.kwargs.values()]

    def forget(self) -> None:
        """Let go of the user's values."""
        self.function = self.result = None
        self._args, self._read, self.kwargs = [], [], {}

    # What the rewritten cell calls; each returns what it is given, and runs none of the user's code.

    def take_function(self, function: Any) -> Any:
        """What is called."""
        if self.seen:  # once more, in a comprehension
            self.forget()
            self.returned, self.is_known = False, True
        wanted = self.watcher is not None and self.watcher.evaluated(self, function)
        if self.is_kept or wanted:
            self.seen, self.function = True, function
        self.seconds = -time.perf_counter()
        return function

    def take_argument(self, value: Any) -> Any:
        """A positional argument."""
        if self.seen:
            self._args.append(value)
            self._prepared()
        return value

    def take_arguments(self, values: Any) -> Any:
        """What stands behind a star."""
        if not self.seen:
            return values
        read_by = _method(type(values), "__iter__")
        if type(values).__module__.partition(".")[0] in ("jax", "jaxlib"):  # an array: the same when read again
            self._read.append((len(self._args), values, [True]))
        elif not isinstance(read_by, types.WrapperDescriptorType):
            self.is_known = False
        elif isinstance(_method(type(values), "__next__"), types.WrapperDescriptorType):
            ended: list[bool] = []
            # Appends to `ended` and gives no value. Iterators of Python's own have no frame in a traceback.
            end: Iterator[Any] = filter(None, map(ended.append, (True,)))
            values, again = itertools.tee(itertools.chain(values, end))
            self._read.append((len(self._args), again, ended))
        else:
            self._args.extend(values)
        self._prepared()
        return values

    def take_keyword(self, name: str, value: Any) -> Any:
        """A keyword argument."""
        if self.seen:
            self.kwargs[name] = value
            self._prepared()
        return value

    def take_keywords(self, values: Any) -> Any:
        """What stands behind two stars."""
        if not self.seen:
            return values
        if type(values) is dict:
            self.kwargs.update(values)
        else:
            self.is_known = False
        self._prepared()
        return values

    def take_result(self, result: Any) -> Any:
        """What the call returned."""
        if self.seen:
            self.seconds += time.perf_counter()
            self.returned, self.result = True, result
            if self.watcher is not None:
                self.watcher.returned(self)
            if not self.is_kept:
                self.forget()
        return result

    def _prepared(self) -> None:
        if self.watcher is not None:
            self.watcher.prepared(self)


_numbers = itertools.count()
_running: WeakValueDictionary[int, LastCall] = WeakValueDictionary()


def _method(kind: type, name: str) -> Any:
    """What a type has under a name, its own or inherited: a `WrapperDescriptorType` where it is written in C."""
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)


def last_call(number: int) -> LastCall:
    """Where a rewritten cell reports to; a cell whose observation has ended meanwhile reports to no one."""
    return _running.get(number) or LastCall()


def rewrite(module: ast.Module, last: LastCall, source: str) -> list[LastCall]:
    """Let a cell's syntax tree report the calls of its last statement; it computes the same.

    The rewritten code finds us by importing this package, which is there: no name of ours is put where the user's
    code, or its names, could meet it.

    Args:
      module: the cell's tree; changed in place.
      last: the call that the cell ends with; filled when the changed cell runs.
      source: the cell's text.

    Returns:
      The other calls of the last statement, where `last` has a watcher.
    """
    found = _last_call(module)
    statement, ending = found if found is not None else (_last_statement(module), None)
    if statement is None:
        return []
    if ending is not None:
        assigned = _assignment(statement)
        last.targets = frozenset() if assigned is None else assigned.names
        last.is_part = not isinstance(statement, ast.Expr) or not _is_whole(statement.value, ending)
    calls: list[tuple[ast.Call, LastCall]] = []
    if last.watcher is not None:
        calls = [(call, LastCall(last.watcher)) for call in _calls_at_once(statement) if call is not ending]
    others = [other for _, other in calls[:_CALLS]]
    for other in others:
        other.is_kept = False
    wanted = [*calls[:_CALLS], *([(ending, last)] if ending is not None else [])]
    for call, reported in wanted:
        reported.line, reported.column = call.lineno, call.col_offset
        reported.end_line, reported.end_column = call.end_lineno or call.lineno, call.end_col_offset or 0
        reported.text = ast.get_source_segment(source, call) or ""
    if wanted:
        replaced = {id(call): _reporting(reported.number, "take_result", call, call) for call, reported in wanted}
        for call, reported in wanted:
            _report(call, reported.number)
        _replace(module, statement, replaced)
    ast.fix_missing_locations(module)
    return others


_CALLS = 64
"""Calls of one statement that are reported, besides the one that the cell ends with."""


def _last_statement(module: ast.Module) -> ast.stmt | None:
    """The last statement of a cell, where it is one that computes values and no block of others."""
    statement = module.body[-1] if module.body else None
    kinds = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Assert)
    return statement if isinstance(statement, kinds) else None


def _calls_at_once(node: ast.AST) -> Iterator[ast.Call]:
    """The calls of a statement that run with it: not those of a lambda or a generator, which live on."""
    if isinstance(node, ast.Lambda | ast.GeneratorExp):
        return
    if isinstance(node, ast.Call):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from _calls_at_once(child)


def _last_call(module: ast.Module) -> tuple[ast.stmt, ast.Call] | None:
    """The call that the cell ends with, and its statement; None where the cell ends with no call."""
    if not module.body:
        return None
    *before, statement = module.body
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Name) and before:
        # `y = f(x)`, then `y` alone to show the value.
        made = _assignment(before[-1])
        if made is not None and statement.value.id in made.names:
            statement = before[-1]
    if isinstance(statement, ast.Expr):
        value = statement.value
        call = _outermost(value) or (value if isinstance(value, ast.Call) else None)
    else:
        assigned = _assignment(statement)
        call = None if assigned is None else _outermost(assigned.value)
    return None if call is None else (statement, call)


class _Assignment(NamedTuple):
    """An assignment to names alone: an assignment to a part of an object changes what the call may have read."""

    names: frozenset[str]
    value: ast.expr


def _assignment(statement: ast.stmt) -> _Assignment | None:
    """The assignment that a statement is; None where the statement is something else, or assigns to more than names."""
    targets: list[ast.expr] = []
    value: ast.expr | None = None
    if isinstance(statement, ast.Assign):
        targets, value = list(statement.targets), statement.value
    elif isinstance(statement, ast.AnnAssign):
        targets, value = [statement.target], statement.value
    if value is None:
        return None
    names: set[str] = set()
    while targets:
        target = targets.pop()
        if isinstance(target, ast.Name):
            names.add(target.id)
        elif isinstance(target, ast.Tuple | ast.List):
            targets += target.elts
        elif isinstance(target, ast.Starred):
            targets.append(target.value)
        else:
            return None
    return _Assignment(frozenset(names), value)


def _outermost(node: ast.expr) -> ast.Call | None:
    """The outermost call of an expression, seen through what only prints a value, waits for it or takes a part of it.

    Of calls side by side, the last one.
    """
    if isinstance(node, ast.Call):
        inner = next(filter(None, map(_outermost, _seen_through(node))), None)
        return inner or (None if _is_of_python(node.func) else node)
    parts: Sequence[ast.expr | None] = ()
    match node:
        case ast.Attribute() | ast.Subscript() | ast.Starred() | ast.FormattedValue():
            parts = (node.value,)
        case ast.UnaryOp():
            parts = (node.operand,)
        case ast.BinOp():
            parts = (node.right, node.left)
        case ast.Compare():
            parts = (*reversed(node.comparators), node.left)
        case ast.Tuple() | ast.List():
            parts = node.elts[::-1]
        case ast.Dict():
            parts = node.values[::-1]
        case ast.JoinedStr():
            parts = node.values[::-1]
    return next((call for part in parts if part is not None and (call := _outermost(part)) is not None), None)


def _is_constant(node: ast.expr) -> bool:
    """Whether an argument is written out, such as an axis, a shape or a dtype: arrays take no others."""
    if isinstance(node, ast.Tuple | ast.List):
        return all(map(_is_constant, node.elts))
    if isinstance(node, ast.UnaryOp):
        return _is_constant(node.operand)
    return isinstance(node, ast.Constant | ast.Attribute)


def _is_of_python(called: ast.expr) -> bool:
    """Whether what is called is a built-in function, or a method of something written out, such as a list."""
    if isinstance(called, ast.Name):
        return called.id in dir(builtins)
    literals = (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set)
    return isinstance(called, ast.Attribute) and isinstance(called.value, literals)


def _is_whole(node: ast.expr, call: ast.Call) -> bool:
    """Whether an expression is this call, or only prints its result or waits for it."""
    while isinstance(node, ast.Call) and node is not call:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
        if name == "block_until_ready" and not node.args and isinstance(node.func, ast.Attribute):
            node = node.func.value
        elif name in ("block_until_ready", "print") and len(node.args) == 1 and not node.keywords:
            node = node.args[0]
        else:
            return False
    return node is call


def _seen_through(call: ast.Call) -> Sequence[ast.expr]:
    """What a call only prints, converts or waits for; nothing where the call is a function of its own."""
    if isinstance(call.func, ast.Attribute):
        if call.func.attr == "block_until_ready" and call.args:
            return call.args  # jax.block_until_ready(f(x))
        constant = all(map(_is_constant, [*call.args, *(keyword.value for keyword in call.keywords)]))
        return (call.func.value,) if call.func.attr in _METHODS and constant else ()
    if isinstance(call.func, ast.Name) and (call.func.id in _BUILTINS or call.func.id == "block_until_ready"):
        return call.args[::-1]
    return ()


_BUILTINS = frozenset({"bool", "float", "int", "len", "list", "print", "repr", "str", "tuple", "type"})
_METHODS = frozenset(
    {
        *("all", "any", "argmax", "argmin", "astype", "block_until_ready", "copy", "flatten", "item", "max", "mean"),
        *("min", "prod", "ravel", "reshape", "round", "squeeze", "std", "sum", "tolist", "transpose", "var"),
    }
)
"""Methods of an array: of `f(x).sum()`, the call to show is `f(x)`."""


def _reporting(number: int, method: str, at: ast.expr, *arguments: ast.expr) -> ast.Call:
    """A call of a method of the `LastCall` of a number; all at the place of `at`, as tracebacks show it."""
    imported = ast.Call(ast.Name("__import__", ast.Load()), [ast.Constant(__package__)], [])
    found = ast.Call(ast.Attribute(imported, last_call.__name__, ast.Load()), [ast.Constant(number)], [])
    reporting = ast.Attribute(found, method, ast.Load())
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


def _replace(module: ast.Module, statement: ast.stmt, replaced: Mapping[int, ast.Call]) -> None:
    """Put what reports a call in the place of the call, inner calls first."""

    class Replace(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            self.generic_visit(node)
            return replaced.get(id(node), node)

    place = module.body.index(statement)
    module.body[place] = Replace().visit(statement)
