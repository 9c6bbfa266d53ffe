"""Finds the places in a cell's code that measure time, and decides whether each measurement waits for JAX's work."""

from __future__ import annotations

import ast
import datetime
import functools
import inspect
import re
import time
import timeit
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...observe.user_or_library.library_functions import is_of_jax
from ...typed.magics_below_jaxpr import PYTHON_CELL_MAGICS
from ..syntax_of_called_functions import manager_parts, names_of, tree_of
from .attribute_reads_that_wait import may_wait
from .calls_that_do_not_wait import Scope, arguments, assigned, is_one_of, locals_of
from .code_around_clock_reads import (
    blocks,
    in_order,
    is_difference,
    is_place,
    name_of,
    named_in,
    outside_functions,
    parsed,
)
from .users_timing_functions import (
    before_reading,
    differs_from,
    gives_reading,
    kept_in,
    parameter_of,
    place_with_object,
)

_CLOCKS: tuple[Any, ...] = (
    *(time.time, time.perf_counter, time.monotonic, timeit.default_timer),
    *(time.time_ns, time.perf_counter_ns, time.monotonic_ns, time.process_time, time.process_time_ns),
    *(inspect.getattr_static(datetime.datetime, name) for name in ("now", "utcnow", "today")),
)
#: Functions that measure the time of the function or code that is their argument.
_TIMERS: tuple[Any, ...] = (timeit.timeit, timeit.repeat, timeit.Timer)
#: Names that may wait for a result. If the code of a context manager has such a name, its measurement counts as one
#: that waits.
_MAY_WAIT = frozenset("block_until_ready device_get effects_barrier item tolist asarray array live_arrays".split())
#: The search for a reading of the clock enters at most this many nested function calls.
_DEEP = 3
#: A sentence quotes at most this many characters of code.
LONGEST = 60
#: Matches the options of `%timeit`: first those with a value, then those without.
_TIMEIT = re.compile(r"(?:-[nr]\s*\d+|-p\s*\d+|-[tcqov]+|--)(?:\s+|$)")
_MAGIC = re.compile(r"^(?P<indent>\s*)(?P<to>\w+\s*=\s*)?%(?P<name>\w+)(?P<rest>.*)$")
_SHELL = re.compile(r"^(\s*)([!?]|\w+\s*=\s*!).*$|^(\s*)[\w.]+\?{1,2}\s*$")


@dataclass(frozen=True)
class Timing:
    """A time measurement that ends before JAX's work is done.

    Attributes:
        line: The line of the measurement, from 1.
        how: How the code measures: clock, with, helper, time, timeit or another magic.
        call: The code of the jitted call, or of the operation, whose work the measurement leaves out.
        function: The name of the jitted function, or the code of the operation.
        assigned: The name to which the result of the call is assigned; None without one.
        around: The timed expression, if it is larger than the call.
        helper: The function that reads the clock; None if the measured code itself reads the clock.
        is_operation: True for an operation such as `x @ y`, which is no call.
    """

    line: int
    how: str
    call: str
    function: str
    assigned: str | None = None
    around: str | None = None
    helper: str | None = None
    is_operation: bool = False


class TimedCode(Scope):
    """Finds the time measurements in the source code of a cell, with the values of its names."""

    def __init__(
        self,
        source: str,
        namespace: Mapping[str, Any],
        barrier_waits: bool,
        depth: int = 0,
        is_traced: bool = False,
    ) -> None:
        super().__init__(namespace, barrier_waits, depth, is_traced)
        self._source = source

    def timings(self) -> Iterator[Timing]:
        """Yield the time measurements in the cell that end before JAX's work is done."""
        lines = self._source.split("\n")
        timeits: list[tuple[int, str, str]] = []
        for place, line in enumerate(lines):
            text = line.strip()
            if not text:
                continue
            if not text.startswith("%%"):
                break
            name, _, arguments_text = text[2:].partition(" ")
            lines[place] = ""
            if name == "timeit":
                # Code on the line of `%%timeit` itself is set-up code, which is not timed.
                body = "\n".join(lines[place + 1 :])
                yield from self._timed(body, place + 1, "timeit")
                return
            # The cell is not searched if there is code on the line of the magic: for `%%time`, for example, only that
            # line is timed.
            if name not in {"jaxpr", *PYTHON_CELL_MAGICS} or (
                name not in ("jaxpr", "capture") and arguments_text.strip()
            ):
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
        module = parsed("\n".join(lines))
        if module is None:
            return
        code = {node.lineno for node in ast.walk(module) if isinstance(node, ast.Pass)}
        for place, name, text in timeits:
            if place + 1 in code:  # the line is a statement, not a part of a multi-line string
                while name == "timeit" and (option := _TIMEIT.match(text)):
                    text = text[option.end() :]
                yield from self._timed(text, place, name)
        yield from self._lambdas(module, frozenset())
        yield from self._clocks(module.body, frozenset())
        yield from self._helpers(module, frozenset())
        called = {
            node.func.id
            for node in outside_functions(module)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        yield from self._functions(module, frozenset(), frozenset(called))

    def _lambdas(self, module: ast.AST, local: frozenset[str]) -> Iterator[Timing]:
        """Yield the measurements by a timer that gets a function or code: `timeit.timeit(lambda: f(x))`."""
        for node in outside_functions(module):
            if not isinstance(node, ast.Call) or not is_one_of(self._value(node.func, local), _TIMERS):
                continue
            stmt = (keyword.value for keyword in node.keywords if keyword.arg == "stmt")
            argument = node.args[0] if node.args else next(stmt, None)
            timer = ast.unparse(node.func)
            if isinstance(argument, ast.Call) and self._value(argument.func, local) is functools.partial:
                argument = next(iter(argument.args), None)
            if isinstance(argument, ast.Name | ast.Attribute) and self._leaves_running(argument, local):
                yield self._timing(ast.Call(argument, [], [], lineno=node.lineno), timer, 0, None)
                continue
            text = argument.value if isinstance(argument, ast.Constant) else None
            timed = parsed(text) if isinstance(text, str) else None
            body: Sequence[ast.stmt] = timed.body if timed is not None else ()
            if isinstance(argument, ast.Lambda):
                body = [ast.Expr(argument.body)]
            call = self._left_running(body, local)
            if call is None:
                continue
            expression = argument.body if isinstance(argument, ast.Lambda) and argument.body is not call else None
            timing = self._timing(call, timer, 0, None, expression)
            yield timing if timed is None else replace(timing, line=node.lineno)

    def _helpers(self, code: ast.AST, local: frozenset[str]) -> Iterator[Timing]:
        """Yield the calls, such as `bench(f)`, of functions that measure a function and do not wait for its result."""
        for node in outside_functions(code):
            method = self._called(node.func, local) if isinstance(node, ast.Call) else None
            function: Any = method.__func__ if type(method) is staticmethod else method
            if type(function) is types.FunctionType and is_of_jax(function):
                continue  # no function of JAX measures the time of a function that is its argument
            tree = tree_of(function, asynchronous=True)
            if tree is None or not isinstance(node, ast.Call) or type(function) is not types.FunctionType:
                continue
            bound = self._bound(tree, node, method, local)
            is_own = f"def {tree.name}(" in self._source
            if not bound and is_own and not function.__code__.co_freevars:
                # the function is in the cell and gets no function as an argument, so `_functions` reports the
                # measurement in it
                continue
            inside = TimedCode("", {**names_of(function), **bound}, self._barrier_waits, self._depth + 1)
            names = locals_of(tree) - bound.keys()
            timing = next(iter([*inside._clocks(tree.body, names), *inside._lambdas(tree, names)]), None)
            if timing is not None:
                helper, passed_function = ast.unparse(node.func), next(iter(bound.values()), None)
                name = (
                    timing.function
                    if passed_function is None
                    else getattr(passed_function, "__name__", timing.function)
                )
                yield replace(timing, line=node.lineno, how="helper", helper=helper, function=name)

    def _called(self, node: ast.expr, local: frozenset[str]) -> Any:
        """Return the object that an expression calls.

        For a method of a new object, as in `Bench().run()`, return the function in the class.
        """
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call):
            constructor = self._value(node.value.func, local)
            return inspect.getattr_static(constructor, node.attr, None) if issubclass(type(constructor), type) else None
        return self._value(node, local)

    def _bound(
        self, tree: ast.FunctionDef | ast.AsyncFunctionDef, call: ast.Call, method: Any, local: frozenset[str]
    ) -> dict[str, Any]:
        """Return {parameter: function} for the parameters of a called function that get a function which does not wait.

        The call passes the function, or it is the default of the parameter.
        """
        names = [parameter.arg for parameter in [*tree.args.posonlyargs, *tree.args.args]]
        holder = self._called(call.func.value, local) if isinstance(call.func, ast.Attribute) else None
        function: Any = method.__func__ if type(method) is staticmethod else method
        is_of_object = isinstance(call.func, ast.Attribute) and not issubclass(type(holder), type | types.ModuleType)
        if is_of_object and function is method:
            names = names[1:]  # a call of a method does not pass `self`
        pairs = [*zip(names, call.args, strict=False), *((keyword.arg, keyword.value) for keyword in call.keywords)]
        given_names = {name for name, _ in pairs}
        defaults = dict(zip(names[::-1], (function.__defaults__ or ())[::-1], strict=False))
        defaults |= function.__kwdefaults__ or {}
        inside = TimedCode("", defaults, self._barrier_waits, self._depth + 1)
        functions_by_name: dict[str, Any] = {
            name: value
            for name, value in defaults.items()
            if name not in given_names and inside._leaves_running(ast.Name(name, ast.Load()), frozenset())
        }
        for name, argument in pairs:
            if name is None:
                continue
            if isinstance(argument, ast.Lambda):
                inner = self._left_running([ast.Expr(argument.body)], local)
                if isinstance(inner, ast.Call):
                    functions_by_name[name] = self._value(inner.func, local)
            elif isinstance(argument, ast.Name | ast.Attribute) and self._leaves_running(argument, local):
                functions_by_name[name] = self._value(argument, local)
        return {name: value for name, value in functions_by_name.items() if value is not None}

    def _functions(self, node: ast.AST, local: frozenset[str], called: frozenset[str]) -> Iterator[Timing]:
        """Yield the measurements by a clock, a timer or another function in the functions that the cell defines.

        `called` are the names that the cell calls outside of functions. JAX does not trace a plain function that is
        called there.
        """
        for child in ast.iter_child_nodes(node):
            inside = local
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                inside = local | locals_of(child)
                runs = child.name in called and type(self._value(ast.Name(child.name), local)) is types.FunctionType
                code = TimedCode(self._source, self._namespace, self._barrier_waits, self._depth, is_traced=not runs)
                yield from code._clocks(child.body, inside)
                yield from code._lambdas(child, inside)
                yield from code._helpers(child, inside)
            yield from self._functions(child, inside, called)

    def _timed(self, text: str, above: int, timer: str) -> Iterator[Timing]:
        """Yield the measurement of code that is timed as a whole, by `%timeit`, `%time` or `%%time`."""
        module = parsed(text)
        if module is None or not module.body:
            return
        call = self._left_running(module.body, frozenset())
        if call is not None:
            [*_, last] = module.body
            expression = last.value if len(module.body) == 1 and isinstance(last, ast.Expr) else call
            assigned = name_of(module.body, call) if timer == "%%time" else None
            yield self._timing(call, timer, above, assigned, None if expression is call else expression)

    def _clocks(self, body: Sequence[ast.stmt], local: frozenset[str]) -> Iterator[Timing]:
        """Yield the measurements by two readings of a clock, in a block and in its inner blocks."""
        started: dict[str, int] = {}
        body = in_order(body)
        for place, statement in enumerate(body):
            before = {start: list(body[begun + 1 : place]) for start, begun in started.items()}
            yield from self._read_inside(statement, before, (), local)
            name = self._reads_clock(statement, local) or self._start(statement, local)
            ended = next((start for start in started if self._ends(statement, start, name, body[place:], local)), None)
            if ended is None:
                results = {start: assigned(body[begun + 1 : place]) for start, begun in started.items()}
                ended = next((start for start in started if self._stops(statement, start, results[start], local)), None)
            if ended is not None:
                between = list(body[started.pop(ended) + 1 : place])
                plain = name is not None or self._is_plain(statement, assigned(between), local)
                call = self._left_running(between, local) if plain else None
                if call is not None:
                    yield self._timing(call, "clock", 0, name_of(between, call))
            if name is not None:
                started[name] = place
            elif ended is None and any(self._is_clock(node, local) for node in ast.walk(statement)):
                started.clear()  # the statement reads a clock in an unknown way, so earlier readings are forgotten
            for inner in blocks(statement):
                yield from self._clocks(inner, local)
            if isinstance(statement, ast.With) and any(self._times(item, local) for item in statement.items):
                call = self._left_running(statement.body, local)
                if call is not None:
                    yield self._timing(call, "with", 0, name_of(statement.body, call))

    def _read_inside(
        self,
        statement: ast.stmt,
        before: Mapping[str, list[ast.stmt]],
        after: Sequence[ast.stmt],
        local: frozenset[str],
    ) -> Iterator[Timing]:
        """Yield the measurements that begin before a loop or an `if`, and whose clock is read again in its block.

        Args:
            statement: The statement with the block.
            before: Name of an earlier time -> the statements that run between the reading of the clock and the block.
            after: The statements of an outer loop that run after the block, in each step.
            local: The local names of the function around the code.
        """
        if not before or not isinstance(statement, ast.For | ast.While | ast.If):
            return
        is_loop = not isinstance(statement, ast.If)
        looked_at = statement.iter if isinstance(statement, ast.For) else statement.test
        for block in blocks(statement):
            block = in_order(block)
            repeated = assigned([part for part in block if not _counts(part)]) if is_loop else frozenset()
            for place, inner in enumerate(block):
                rest = [*(block[place + 1 :] if is_loop or after else ()), *after]
                until = {start: [*earlier, *block[:place]] for start, earlier in before.items()}
                yield from self._read_inside(inner, until, rest, local)
                name = self._reads_clock(inner, local)
                if isinstance(inner, ast.For | ast.While | ast.If):
                    continue
                ended = next((start for start in until if self._ends(inner, start, name, block[place:], local)), None)
                if ended is None:
                    continue
                results = assigned([part for part in until[ended] if not _counts(part)])
                if name is None and not self._is_plain(inner, results, local):
                    continue
                if self._touches(looked_at, results | repeated, local):
                    continue
                call = self._left_running(until[ended], local)
                if call is not None and all(self._is_quiet(later, results, local) for later in rest):
                    yield self._timing(call, "clock", 0, name_of(until[ended], call))

    def _is_quiet(self, statement: ast.stmt, results: frozenset[str], local: frozenset[str]) -> bool:
        """Return whether a statement after a reading of the clock, such as `print(t1 - t0)`, touches no result."""
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in results:
                return False
            if isinstance(node, ast.Call) and not self._is_clock(node, local):
                is_append = isinstance(node.func, ast.Attribute) and node.func.attr == "append"
                if not is_append and self._value(node.func, local) is not print:
                    return False
        return True

    def _times(self, item: ast.withitem, local: frozenset[str]) -> bool:
        """Return whether a context manager measures the time of its block, and certainly does not wait for a result."""
        expression = item.context_expr
        manager = self._value(expression.func if isinstance(expression, ast.Call) else expression, local)
        if manager is None or issubclass(type(manager), types.ModuleType):
            return False
        parts = manager_parts(manager if issubclass(type(manager), type | types.FunctionType) else type(manager))
        if parts is None:
            return False
        before, after, names = parts
        inside = TimedCode("", names, self._barrier_waits, self._depth + 1)
        nodes = [[node for statement in part for node in ast.walk(statement)] for part in (before, after)]
        reads = all(any(inside._is_clock(node, frozenset()) for node in part) for part in nodes)
        named = {getattr(node, "attr", getattr(node, "id", "")) for part in nodes for node in part}
        takes = any(isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) for node in nodes[1])
        return reads and takes and not named & _MAY_WAIT

    def _reads_clock(self, statement: ast.stmt, local: frozenset[str]) -> str | None:
        """Return the name or attribute to which a statement assigns the time of a clock.

        Return `-t` for `t = -clock()`; None for other statements.
        """
        named = named_in(statement)
        if named is not None and self._is_clock(named.value, local):
            return ast.unparse(named.target)
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target: ast.expr = statement.targets[0]
        elif isinstance(statement, ast.AnnAssign):
            target = statement.target
        else:
            return None
        value, sign = statement.value, ""
        if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
            value, sign = value.operand, "-"
        if value is None or not is_place(target) or not self._is_clock(value, local):
            return None
        return sign + ast.unparse(target)

    def _ends(
        self, statement: ast.stmt, start: str, name: str | None, following: Sequence[ast.stmt], local: frozenset[str]
    ) -> bool:
        """Return whether a statement reads the clock, and this or a later statement subtracts `start` from the time."""
        if any(
            is_difference(node, start) and isinstance(node.left, ast.NamedExpr) and self._is_clock(node.left, local)
            for node in ast.walk(statement)
            if isinstance(node, ast.BinOp)
        ):
            return True
        if name is not None:
            nodes = [node for later_statement in following[1:] for node in ast.walk(later_statement)]
            return name != start and any(
                is_difference(node, start) and is_place(node.left) and ast.unparse(node.left) == name
                for node in nodes
                if isinstance(node, ast.BinOp)
            )
        if isinstance(statement, ast.AugAssign) and self._is_clock(statement.value, local):
            sign = "-" if isinstance(statement.op, ast.Add) else "" if isinstance(statement.op, ast.Sub) else None
            return sign is not None and sign + ast.unparse(statement.target) == start
        return any(
            is_difference(node, start) and self._is_clock(node.left, local)
            for node in ast.walk(statement)
            if isinstance(node, ast.BinOp)
        )

    def _is_clock(self, node: ast.AST, local: frozenset[str]) -> bool:
        if isinstance(node, ast.NamedExpr):
            return self._is_clock(node.value, local)
        if not isinstance(node, ast.Call) or node.args or node.keywords:
            return False
        function = self._value(node.func, local)
        if is_one_of(function, _CLOCKS):
            return True
        return self._depth < _DEEP and gives_reading(function, self._is_clock_in)

    def _is_plain(self, statement: ast.stmt, tainted: frozenset[str], local: frozenset[str]) -> bool:
        """Return whether a statement certainly does not wait for a result before it reads the clock.

        Python evaluates from left to right: `return float(y[0]), now() - start` waits for the value, `return now() -
        start, float(y[0])` does not. Giving a result a name, or putting it into a tuple, does not wait.
        """
        for node in self._before_clock(statement, local):
            if isinstance(node, ast.Call | ast.Await | ast.NamedExpr):
                return False
            looked_at = [node.value] if isinstance(node, ast.FormattedValue) or may_wait(node) else []
            if isinstance(node, ast.BinOp | ast.Compare | ast.Subscript | ast.BoolOp | ast.IfExp | ast.UnaryOp):
                looked_at = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
            if any(
                isinstance(name_node, ast.Name) and name_node.id in tainted
                for expression in looked_at
                for name_node in ast.walk(expression)
            ):
                return False
        return True

    def _before_clock(self, statement: ast.stmt, local: frozenset[str]) -> list[ast.AST]:
        """Return, in order, the nodes that a statement evaluates before it reads a clock.

        If it reads none, return all its nodes.
        """
        return before_reading(
            statement, lambda node: self._is_clock(node, local) or self._stop(node, local) is not None
        )

    # --- functions that read the clock for others ----------------------------------------------------------

    def _start(self, statement: ast.stmt, local: frozenset[str]) -> str | None:
        """Return the name in which the called function stores the time, such as `_start` for `tic()`.

        None if it stores none.
        """
        call = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
        if not isinstance(call, ast.Call):
            return None
        function = self._called(call.func, local)
        return place_with_object(call, function, kept_in(function, self._is_clock_in))

    def _stop(self, node: ast.AST, local: frozenset[str]) -> str | None:
        """Return the name of the earlier time that the called function subtracts, such as `_start` for `toc()`.

        None if none.
        """
        if not isinstance(node, ast.Call):
            return None
        function = self._called(node.func, local)
        place = differs_from(function, self._is_clock_in)
        position = None if place is None else parameter_of(function, place)
        if position is None or (position == 0 and self._is_of_object(node, local)):
            return place_with_object(node, function, place)
        argument = node.args[position] if position < len(node.args) else None
        argument = next((keyword.value for keyword in node.keywords if keyword.arg == place), argument)
        return ast.unparse(argument) if argument is not None and is_place(argument) else None

    def _stops(self, statement: ast.stmt, start: str, tainted: frozenset[str], local: frozenset[str]) -> bool:
        """Return whether a statement calls a function that subtracts the time `start`, and passes it no JAX result."""
        return any(
            self._stop(node, local) == start
            and not any(self._touches(argument, tainted, local) for argument in arguments(node))
            for node in ast.walk(statement)
            if isinstance(node, ast.Call)
        )

    def _is_of_object(self, call: ast.Call, local: frozenset[str]) -> bool:
        """Return whether a call calls a method of an object, rather than a function of a module."""
        if not isinstance(call.func, ast.Attribute):
            return False
        return not issubclass(type(self._called(call.func.value, local)), types.ModuleType)

    def _is_clock_in(self, node: ast.AST, names: Mapping[str, Any]) -> bool:
        """Return whether a node reads a clock, where `names` are the values of the names around the node."""
        return TimedCode("", names, self._barrier_waits, self._depth + 1)._is_clock(node, frozenset())

    def _timing(
        self, call: ast.expr, timer: str, above: int, assigned: str | None, expression: ast.expr | None = None
    ) -> Timing:
        around = None if expression is None else ast.unparse(expression)
        if not isinstance(call, ast.Call):
            operation = ast.unparse(call)
            operation = operation if len(operation) <= LONGEST else f"{operation[: LONGEST - 3]}..."
            return Timing(call.lineno + above, timer, operation, operation, assigned, around, is_operation=True)
        function = call.func
        applied = self._applied(call, frozenset())
        inner = self._running_in(applied, frozenset()) if isinstance(applied, ast.Lambda) else None
        named = inner.func if isinstance(inner, ast.Call) else applied or function
        name = named.attr if isinstance(named, ast.Attribute) else ast.unparse(named)
        text = ast.unparse(call)
        if len(text) > LONGEST:
            text = f"{ast.unparse(function)}(...)"
        return Timing(call.lineno + above, timer, text, name, assigned, around)


def _counts(statement: ast.stmt) -> bool:
    """Return whether a statement gives a name a constant or counts it on, as `i = 0` and `i += 1` do."""
    return isinstance(statement, ast.Assign | ast.AugAssign) and isinstance(statement.value, ast.Constant)
