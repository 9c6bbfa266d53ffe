"""A cell's text and its names in, timings of it that stop before JAX's work is done out.

JAX returns from a call of a jitted function before its work is done. `%timeit f(x)`, or a clock read before and after
`f(x)`, then measures how long JAX takes to hand the work over. Only what is certain is told: every call between the
two readings must be known not to wait, and no statement may look at a value. Nothing of the user's runs for it.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
import time
import timeit
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..jax.facts import is_jitted
from ..observe.observation import Finding, Observation, Place
from ..typed.cell import PYTHON_CELL_MAGICS

_CLOCKS: tuple[Any, ...] = (
    *(time.time, time.perf_counter, time.monotonic, timeit.default_timer),
    *(time.time_ns, time.perf_counter_ns, time.monotonic_ns),
)
#: Longer code is not repeated in a sentence.
_LONGEST = 60
#: Options of `%timeit` that take a value, and those that take none.
_TIMEIT = re.compile(r"(?:-[nr]\s*\d+|-p\s*\d+|-[tcqov]+|--)(?:\s+|$)")
_MAGIC = re.compile(r"^(?P<indent>\s*)(?P<to>\w+\s*=\s*)?%(?P<name>\w+)(?P<rest>.*)$")
_SHELL = re.compile(r"^(\s*)([!?]|\w+\s*=\s*!).*$|^(\s*)[\w.]+\?{1,2}\s*$")
#: Modules whose functions hand work to JAX and do not wait, but for those that need a value to know a shape.
_MODULES = ("jax.numpy", "jax.lax", "jax.random", "jax.nn")
_WAITING = frozenset(
    "argwhere array_repr array_str bincount compress extract flatnonzero intersect1d load nonzero repeat save savez "
    "setdiff1d setxor1d union1d unique unique_all unique_counts unique_inverse unique_values where".split()
)
#: Methods of arrays of which the same is true; NumPy's arrays have work of their own, but nothing to wait for.
_METHODS = frozenset(
    "all any argmax argmin astype clip conj cumprod cumsum dot flatten max mean min prod ravel reshape round squeeze "
    "std sum swapaxes trace transpose var".split()
)
#: Statements and expressions that look at a value, or at which it cannot be told.
_LOOKING = (
    ast.If,
    ast.IfExp,
    ast.While,
    ast.Assert,
    ast.BoolOp,
    ast.JoinedStr,
    ast.With,
    ast.AsyncWith,
    ast.Await,
    ast.Yield,
    ast.YieldFrom,
    ast.Match,
    ast.Try,
    ast.TryStar,
    ast.Raise,
    ast.Return,
    ast.Break,
    ast.Continue,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.Import,
    ast.ImportFrom,
    ast.AsyncFor,
    ast.GeneratorExp,
)


@dataclass(frozen=True)
class _Timing:
    """A timing that does not wait: where, and the call whose work it leaves out."""

    line: int
    how: str
    call: str
    function: str
    assigned: str | None = None
    around: str | None = None  # the expression that is timed, where it is more than the call


def unblocked_timings(source: str, file: str, namespace: Mapping[str, Any], observation: Observation) -> list[Finding]:
    """Timings of the cell that measured the dispatch, a finding for each line.

    Args:
        source: Of the cell, with its magics.
        file: What its code is called.
        namespace: The user's names after the cell has run; looked up, never called.
        observation: What was seen; tells whether a function returns one array.
    """
    found = _Cell(source, namespace).timings()
    return [_finding(timing, file, observation) for timing in {timing.line: timing for timing in found}.values()]


def _finding(timing: _Timing, file: str, observation: Observation) -> Finding:
    value = timing.assigned or timing.around or timing.call
    if timing.around is not None and len(timing.around) > _LONGEST:
        value = "..."
    one = timing.around is None and _one_array(timing, observation)
    waited = f"{value}.block_until_ready()" if one else f"jax.block_until_ready({value})"
    if timing.assigned is None:
        cure = (
            f"Write {waited} in place of the call." if timing.how in ("clock", "%%time") else f"Time {waited} instead."
        )
    elif timing.how == "%%time":
        cure = f"Add {waited} at the end of the cell."
    else:
        cure = f"Call {waited} before the clock is read again."
    measured = {"clock": "The clock around this call", "time": "%time", "timeit": "%timeit"}.get(timing.how, timing.how)
    compiled = timing.how != "timeit" and any(
        function.name == timing.function and function.compiles for function in observation.functions
    )
    if compiled:
        included = "The measured time includes the dispatch and the compilation of a first call, but not the work."
    else:
        included = "The measured time includes only the dispatch, which may take far less time than the work."
    return Finding(
        kind="unblocked_timing",
        text=f"{measured} stops when {timing.function} returns. JAX returns before the work is done. {included}",
        cure=cure,
        function=timing.function,
        place=Place(file, timing.line),
        title="Timed without waiting",
    )


def _one_array(timing: _Timing, observation: Observation) -> bool:
    """Whether the function is known to return one array, which has a `block_until_ready`."""
    import jax

    results = [
        program.result
        for function in observation.functions
        if function.name == timing.function
        for program in function.programs
    ]
    return bool(results) and all(isinstance(result, jax.ShapeDtypeStruct) for result in results)


class _Cell:
    """The text of a cell, and what its names are."""

    def __init__(self, source: str, namespace: Mapping[str, Any]) -> None:
        self._source = source
        self._namespace = namespace

    def timings(self) -> Iterator[_Timing]:
        """Those that do not wait."""
        lines = self._source.split("\n")
        timeits: list[tuple[int, str, str]] = []
        for place, line in enumerate(lines):
            text = line.strip()
            if not text:
                continue
            if not text.startswith("%%"):
                break
            name, _, rest = text[2:].partition(" ")
            lines[place] = ""
            if name == "timeit":
                # What stands on its line is set-up code, which runs before the clock.
                body = "\n".join(lines[place + 1 :])
                yield from self._timed(body, place + 1, "timeit")
                return
            # What stands on the line of `%%time`, `%%prun` or `%%memit` is a statement of its own.
            if name not in {"jaxpr", *PYTHON_CELL_MAGICS} or (name not in ("jaxpr", "capture") and rest.strip()):
                return
            if name == "time":
                yield from self._timed("\n".join(lines[place + 1 :]), place + 1, "%%time")
        for place, line in enumerate(lines):
            magic = _MAGIC.match(line)
            if magic is not None:
                lines[place] = f"{magic['indent']}pass"
                if magic["name"] in ("time", "timeit"):
                    timeits.append((place, magic["name"], magic["rest"].strip()))
            elif _SHELL.match(line):
                lines[place] = line[: len(line) - len(line.lstrip())] + "pass"
        module = _parsed("\n".join(lines))
        if module is None:
            return
        code = {node.lineno for node in ast.walk(module) if isinstance(node, ast.Pass)}
        for place, name, text in timeits:
            if place + 1 in code:  # not within a text of several lines
                while name == "timeit" and (option := _TIMEIT.match(text)):
                    text = text[option.end() :]
                yield from self._timed(text, place, name)
        yield from self._lambdas(module)
        yield from self._clocks(module.body, frozenset())
        yield from self._functions(module, frozenset())

    def _lambdas(self, module: ast.Module) -> Iterator[_Timing]:
        """`timeit.timeit(lambda: f(x))`, and `timeit.repeat`, outside functions."""
        for node in _outside_functions(module):
            if not isinstance(node, ast.Call) or self._value(node.func, frozenset()) not in (
                timeit.timeit,
                timeit.repeat,
            ):
                continue
            given = (
                node.args[0] if node.args else next((each.value for each in node.keywords if each.arg == "stmt"), None)
            )
            if not isinstance(given, ast.Lambda):
                continue
            call = self._left_running([ast.Expr(given.body)], frozenset())
            if call is not None:
                whole = None if given.body is call else given.body
                yield self._timing(call, ast.unparse(node.func), 0, None, whole)

    def _functions(self, node: ast.AST, local: frozenset[str]) -> Iterator[_Timing]:
        """Two readings of a clock in the functions that the cell defines."""
        for child in ast.iter_child_nodes(node):
            inside = local
            if isinstance(child, ast.FunctionDef):
                inside = local | _locals(child)
                yield from self._clocks(child.body, inside)
            yield from self._functions(child, inside)

    def _timed(self, text: str, above: int, how: str) -> Iterator[_Timing]:
        """A text that is timed as a whole."""
        module = _parsed(text)
        if module is None or not module.body:
            return
        call = self._left_running(module.body, frozenset())
        if call is not None:
            [*_, last] = module.body
            whole = last.value if len(module.body) == 1 and isinstance(last, ast.Expr) else call
            assigned = _name_of(module.body, call) if how == "%%time" else None
            yield self._timing(call, how, above, assigned, None if whole is call else whole)

    def _clocks(self, body: Sequence[ast.stmt], local: frozenset[str]) -> Iterator[_Timing]:
        """Two readings of a clock in one block, and in the blocks inside."""
        started: dict[str, int] = {}
        for place, statement in enumerate(body):
            name = self._reads_clock(statement, local)
            ended = next((start for start in started if self._ends(statement, start, name, body[place:], local)), None)
            if ended is not None:
                between = list(body[started.pop(ended) + 1 : place])
                plain = name is not None or self._is_plain(statement, _assigned(between), local)
                call = self._left_running(between, local) if plain else None
                if call is not None:
                    yield self._timing(call, "clock", 0, _name_of(between, call))
            if name is not None:
                started[name] = place
            elif ended is None and any(self._is_clock(node, local) for node in ast.walk(statement)):
                started.clear()  # another reading, which these rules do not follow
            for inner in _blocks(statement):
                yield from self._clocks(inner, local)

    def _reads_clock(self, statement: ast.stmt, local: frozenset[str]) -> str | None:
        """The name that a statement gives to a reading of a clock."""
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, ast.Name) and self._is_clock(statement.value, local):
                return target.id
        return None

    def _ends(
        self, statement: ast.stmt, start: str, name: str | None, following: Sequence[ast.stmt], local: frozenset[str]
    ) -> bool:
        """Whether a statement reads the clock for a difference to `start`, there or in what follows."""
        if name is not None:
            nodes = [node for other in following[1:] for node in ast.walk(other)]
            return name != start and any(
                _is_difference(node, start) and isinstance(node.left, ast.Name) and node.left.id == name
                for node in nodes
                if isinstance(node, ast.BinOp)
            )
        return any(
            _is_difference(node, start) and self._is_clock(node.left, local)
            for node in ast.walk(statement)
            if isinstance(node, ast.BinOp)
        )

    def _is_clock(self, node: ast.AST, local: frozenset[str]) -> bool:
        return isinstance(node, ast.Call) and not node.args and self._value(node.func, local) in _CLOCKS

    def _is_plain(self, statement: ast.stmt, tainted: frozenset[str], local: frozenset[str]) -> bool:
        """Whether nothing of the statement that reads the clock again can wait before it does."""
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in tainted:
                return False
            # What is called with the reading is called after it.
            if isinstance(node, ast.Call) and not any(self._is_clock(each, local) for each in ast.walk(node)):
                return False
        return True

    # --- what is between -------------------------------------------------------------------------------

    def _left_running(self, body: Sequence[ast.stmt], local: frozenset[str]) -> ast.Call | None:
        """The last call of a jitted function in some statements that surely do not wait; None where they may."""
        last: ast.Call | None = None
        tainted = _assigned(body)
        for statement in body:
            for node in ast.walk(statement):
                if isinstance(node, _LOOKING) or not self._goes_on(node, tainted, local):
                    return None
                if isinstance(node, ast.Call) and self._is_jitted(node.func, local):
                    last = node if last is None or _after(node, last) else last
        return last

    def _goes_on(self, node: ast.AST, tainted: frozenset[str], local: frozenset[str]) -> bool:
        """Whether a node surely does not wait for a result."""
        if isinstance(node, ast.Call):
            return (
                self._is_jitted(node.func, local)
                or self._is_jax(node.func, local)
                or self._is_method_of_result(node.func, local)
                or (isinstance(node.func, ast.Name) and self._value(node.func, local) is range)
                or (isinstance(node.func, ast.Attribute) and node.func.attr == "append" and _is_name(node.func.value))
            )
        if isinstance(node, ast.For | ast.comprehension):
            if isinstance(node, ast.comprehension) and (node.ifs or node.is_async):
                return False
            return not self._touches(node.iter, tainted, local)
        if isinstance(node, ast.UnaryOp):
            return not isinstance(node.op, ast.Not)
        if isinstance(node, ast.AugAssign):  # an array of NumPy's takes the value in
            return not self._touches(node.value, tainted, local)
        if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            return False
        if isinstance(node, ast.Subscript):
            return not self._touches(node.slice, tainted, local)
        if isinstance(node, ast.Compare):
            return len(node.ops) == 1 and not isinstance(node.ops[0], ast.In | ast.NotIn)
        if isinstance(node, ast.Attribute):
            return node.attr not in ("block_until_ready", "item", "tolist")
        return True

    def _touches(self, node: ast.AST, tainted: frozenset[str], local: frozenset[str]) -> bool:
        """Whether an expression has to do with a result."""
        return any(
            (isinstance(each, ast.Name) and each.id in tainted)
            or (isinstance(each, ast.Call) and self._value(each.func, local) is not range)
            for each in ast.walk(node)
        )

    # --- what names are ----------------------------------------------------------------------------------

    def _is_jitted(self, node: ast.expr, local: frozenset[str]) -> bool:
        if isinstance(node, ast.Call):  # jax.jit(f)(x)
            import jax

            return self._value(node.func, local) is jax.jit
        value = self._value(node, local)
        if isinstance(value, functools.partial):
            value = value.func
        return (is_jitted(value) or _is_library_jit(value)) and not self._is_jax(node, local)

    def _is_method_of_result(self, node: ast.expr, local: frozenset[str]) -> bool:
        """Whether it is a method, such as `sum`, of what a jitted call gives, and hands work to JAX as well."""
        if not isinstance(node, ast.Attribute) or node.attr not in _METHODS:
            return False
        return isinstance(node.value, ast.Call) and self._goes_on(node.value, frozenset(), local)

    def _is_jax(self, node: ast.expr, local: frozenset[str]) -> bool:
        """Whether it names a function of JAX's that does not wait, or `jax.jit`."""
        import jax

        if isinstance(node, ast.Call):
            return False
        value = self._value(node, local)
        if value is jax.jit:
            return True
        if not isinstance(node, ast.Attribute) or node.attr in _WAITING:
            return False
        module = self._value(node.value, local)
        return isinstance(module, types.ModuleType) and module.__name__ in _MODULES

    def _value(self, node: ast.AST, local: frozenset[str]) -> Any:
        """What a dotted name is, without running anything; None where it is not known."""
        if isinstance(node, ast.Name):
            if node.id in local:
                return None
            builtins = vars(__import__("builtins"))
            return self._namespace.get(node.id, builtins.get(node.id))
        if isinstance(node, ast.Attribute):
            holder = self._value(node.value, local)
            if holder is None:
                return None
            if isinstance(holder, types.ModuleType):
                return vars(holder).get(node.attr)
            try:
                return inspect.getattr_static(holder, node.attr, None)
            except Exception:  # an object of another language
                return None
        return None

    def _timing(
        self, call: ast.Call, how: str, above: int, assigned: str | None, whole: ast.expr | None = None
    ) -> _Timing:
        function = call.func
        name = function.attr if isinstance(function, ast.Attribute) else ast.unparse(function)
        text = ast.unparse(call)
        if len(text) > _LONGEST:
            text = f"{ast.unparse(function)}(...)"
        around = None if whole is None else ast.unparse(whole)
        return _Timing(call.lineno + above, how, text, name, assigned, around)


def _is_library_jit(value: Any) -> bool:
    """Whether it is what equinox's `filter_jit` or flax's `nnx.jit` gives: it hands the work over as `jax.jit` does."""
    kind = type(value)
    return kind.__module__.partition(".")[0] in ("equinox", "flax") and "jit" in kind.__name__.lower()


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield child
            yield from _outside_functions(child)


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks of a loop, a condition or a with; a function's names are its own."""
    if isinstance(statement, ast.For | ast.While | ast.If | ast.With):
        yield statement.body
        yield getattr(statement, "orelse", [])


def _locals(function: ast.FunctionDef) -> frozenset[str]:
    """The names that a function gives values to: its parameters, and what it assigns."""
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return frozenset(each.arg for each in every if each is not None) | _assigned(function.body)


def _assigned(body: Sequence[ast.stmt]) -> frozenset[str]:
    """The names that are given values in some statements."""
    return frozenset(
        node.id
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )


def _name_of(body: Sequence[ast.stmt], call: ast.Call) -> str | None:
    """The name that is given to the result of a call."""
    for statement in body:
        if isinstance(statement, ast.Assign) and statement.value is call and len(statement.targets) == 1:
            target = statement.targets[0]
            return target.id if isinstance(target, ast.Name) else None
    return None


def _is_difference(node: ast.BinOp, start: str) -> bool:
    return isinstance(node.op, ast.Sub) and isinstance(node.right, ast.Name) and node.right.id == start


def _is_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Name)


def _after(one: ast.Call, other: ast.Call) -> bool:
    """Whether a call begins after another; of one within the other the outer one is the later."""
    if one.lineno == other.lineno and one.col_offset <= other.col_offset:
        return (one.end_lineno, one.end_col_offset) >= (other.end_lineno, other.end_col_offset)
    return (one.lineno, one.col_offset) > (other.lineno, other.col_offset)
