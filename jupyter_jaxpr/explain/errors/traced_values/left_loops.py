"""Writes a Python loop that a traced condition leaves, by `break` or `return`, as jax.lax.while_loop."""

from __future__ import annotations

import ast
import copy
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt
from .branches_as_functions import (
    Branches,
    NotWritten,
    assigned_names,
    code_of_statement,
    cond_of_branches,
    free_name,
    names_before,
    names_read,
)


@dataclass(frozen=True)
class _Counter:
    """The counter of a `for` over a range.

    Attributes:
        name: The name of the counter.
        start: The code of the first number.
        stop: The code of the end.
    """

    name: str
    start: str
    stop: str


def loop_with_exit(
    raised: RaisedAt,
    at: ast.If,
    names: tuple[str, str],
    condition: Callable[[ast.expr], str],
    differentiated: bool = False,
) -> tuple[ast.stmt, str]:
    """Return the loop around an `if` that leaves the loop, and the code of a while_loop; raise NotWritten without one.

    Args:
        raised: Where the error was raised.
        at: The `if` statement, whose body ends with `break` or `return`.
        names: The names of jax.lax and jax.numpy in the user's code.
        condition: Returns the code of a condition that arrays allow.
        differentiated: Whether jax.grad differentiates the loop, so that the loop must stay a loop of Python whose
            steps change nothing after the exit.
    """
    lax, jnp = names
    loop = raised.parents.get(id(at))
    if not isinstance(loop, ast.For | ast.While) or loop.orelse or at.orelse or at not in loop.body:
        raise NotWritten
    last, after = _end_of(raised, at, loop)
    first_part, rest = loop.body[: loop.body.index(at)], loop.body[loop.body.index(at) + 1 :]
    common: list[ast.stmt] = []
    while last and rest and ast.dump(last[-1]) == ast.dump(rest[-1]):
        common.insert(0, rest.pop())
        last.pop()
    stored = assigned_names([*first_part, *last, *rest, *common])
    before = names_before(raised, loop)
    counter = _counter(raised, loop)
    read_after = names_read(after)
    own = [counter.name] if counter is not None else []
    carried = [name for name in stored if name in before and name not in own]
    starts = _starts(raised, jnp, [name for name in stored if name in read_after and name not in (*carried, *own)])
    carried += starts
    if any(name in read_after and name not in (*carried, *own) for name in stored) or not carried:
        raise NotWritten
    test = condition(at.test)
    if differentiated:
        if starts:
            raise NotWritten
        return loop, _masked(raised, loop, lax, test, (first_part, last, rest, common), carried, before, read_after)
    tests = [] if counter is None else [f"{counter.name} < {counter.stop}"]
    if isinstance(loop, ast.While) and not (isinstance(loop.test, ast.Constant) and loop.test.value is True):
        tests.append(condition(loop.test))
    is_tested_first = not first_part and not last and not common
    done = free_name(raised, "done")
    tests.append(f"{jnp}.logical_not({test if is_tested_first else done})")
    lines = [raised.source_of_statement(statement) for statement in first_part]
    if is_tested_first:
        lines = [raised.source_of_statement(statement) for statement in rest]
    else:
        lines.append(f"{done} = {test}")
        if last or rest:
            local = frozenset({*before, *assigned_names(first_part)})
            lines.append(cond_of_branches(raised, lax, Branches(done, last, rest), local, {*carried}))
        lines += [code_of_statement(raised, statement) for statement in common]
    carry = [*own, *carried, *([] if is_tested_first else [done])]
    first_values = [starts.get(name, name) for name in carried]
    start = [*([counter.start] if counter is not None else []), *first_values, *([] if is_tested_first else ["False"])]
    next_carry = [*([f"{name} + 1" for name in own]), *carry[len(own) :]]
    cond, body = free_name(raised, "keeps_going"), free_name(raised, "step_of_loop")
    unpacked = f"    {_listed(carry)} = carry" if len(carry) > 1 else f"    {carry[0]} = carry"
    goes_on = f"{jnp}.logical_not("
    joined = " & ".join(part if len(tests) == 1 or part.startswith(goes_on) else f"({part})" for part in tests)
    code = [
        f"def {cond}(carry):",
        unpacked,
        f"    return {joined}",
        "",
        f"def {body}(carry):",
        unpacked,
        *(textwrap.indent(line, "    ") for line in lines),
        f"    return {_listed(next_carry)}",
        "",
        f"{_listed(carry)} = {lax}.while_loop({cond}, {body}, {_tuple(start)})",
    ]
    if counter is not None and counter.name in read_after:
        value = f"{counter.name} - 1" if not is_tested_first else f"{jnp}.minimum({counter.name}, {counter.stop} - 1)"
        code.append(f"{counter.name} = {value}")
    return loop, "\n".join(code)


def _masked(
    raised: RaisedAt,
    loop: ast.For | ast.While,
    lax: str,
    test: str,
    parts: tuple[Sequence[ast.stmt], ...],
    carried: Sequence[str],
    before: frozenset[str],
    read_after: set[str],
) -> str:
    """Return the code of a Python loop whose steps change nothing after the exit."""
    if not isinstance(loop, ast.For) or _target(loop) in read_after:
        raise NotWritten
    first_part, last, rest, common = parts
    done, step = free_name(raised, "done"), free_name(raised, "step_of_loop")
    lines = [raised.source_of_statement(statement) for statement in first_part]
    lines.append(f"{done} = {test}")
    if last or rest:
        local = frozenset({*before, *assigned_names(first_part)})
        lines.append(cond_of_branches(raised, lax, Branches(done, last, rest), local, {*carried}))
    lines += [code_of_statement(raised, statement) for statement in common]
    names = _listed([*carried, done])
    return "\n".join(
        [
            f"{done} = False",
            f"for {raised.source(loop.target)} in {raised.source(loop.iter)}:",
            f"    def {step}({names}):",
            *(textwrap.indent(line, "        ") for line in lines),
            f"        return {names}",
            "",
            f"    {names} = {lax}.cond({done}, lambda *old: old, {step}, {names})",
        ]
    )


def _target(loop: ast.For) -> str | None:
    return loop.target.id if isinstance(loop.target, ast.Name) else None


def _starts(raised: RaisedAt, jnp: str, names: Sequence[str]) -> dict[str, str]:
    """Return arrays of zeros for names that only the loop assigns: the first step of the loop replaces the zeros."""
    starts = {}
    for name in names:
        value = value_of(raised, ast.Name(name, ast.Load()))
        dtype = dtype_of(value)
        if dtype and not dtype.startswith("key<"):
            starts[name] = f"{jnp}.zeros({tuple(value.shape)}, '{dtype}')"
    return starts


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def _tuple(names: Sequence[str]) -> str:
    return f"({_listed(names)})" if len(names) > 1 else names[0]


def _end_of(raised: RaisedAt, at: ast.If, loop: ast.stmt) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """Return the assignments before the exit from the loop, and the statements that run after the loop.

    The `return` of a loop becomes assignments of the names that the `return` after the loop returns.
    """
    function = raised.function
    if not isinstance(function, ast.FunctionDef):
        raise NotWritten
    after = _statements_after(raised, loop)
    match at.body:
        case [*last, ast.Break()]:
            outer = raised.parents.get(id(loop))
            while outer is not function:
                if outer is None or isinstance(outer, ast.For | ast.While):
                    raise NotWritten  # a later iteration of the outer loop may read a name
                outer = raised.parents.get(id(outer))
            end = loop.end_lineno or 0
            return last, [node for node in ast.walk(function) if isinstance(node, ast.stmt) and node.lineno > end]
        case [*last, ast.Return(value=ast.expr() as value)]:
            match after:
                case [ast.Return(value=ast.expr() as final) as returning]:
                    return [*last, *_assignments(value, final)], [returning]
    raise NotWritten


def _assignments(value: ast.expr, final: ast.expr) -> list[ast.stmt]:
    """Return the assignment that makes the second expression, which returns names, equal to the first."""
    values = [*value.elts] if isinstance(value, ast.Tuple) else [value]
    names = [*final.elts] if isinstance(final, ast.Tuple) else [final]
    if len(values) != len(names):
        raise NotWritten
    changed = [(name, part) for name, part in zip(names, values, strict=True) if ast.unparse(name) != ast.unparse(part)]
    if any(not isinstance(name, ast.Name) for name, _ in changed):
        raise NotWritten
    if not changed:
        return []
    targets = ", ".join(ast.unparse(name) for name, _ in changed)
    code = f"{targets} = {', '.join(ast.unparse(part) for _, part in changed)}"
    statement = ast.parse(code).body[0]
    return [copy.deepcopy(statement)]


def _statements_after(raised: RaisedAt, statement: ast.stmt) -> list[ast.stmt]:
    parent = raised.parents.get(id(statement))
    for _, value in ast.iter_fields(parent) if parent is not None else ():
        if isinstance(value, list) and statement in value:
            following: list[ast.stmt] = value[value.index(statement) + 1 :]
            return following
    return []


def _counter(raised: RaisedAt, loop: ast.For | ast.While) -> _Counter | None:
    """Return the counter of a `for` over a range of steps of 1; None for a `while`."""
    match loop:
        case ast.While():
            return None
        case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=[*bounds], keywords=[])):
            if len(bounds) in (1, 2) and not any(isinstance(bound, ast.Starred) for bound in bounds):
                start = raised.source(bounds[0]) if len(bounds) == 2 else "0"
                counter = name
                if name == "_":
                    counter = next(letter for letter in "ijknm" if free_name(raised, letter) == letter)
                return _Counter(counter, start, raised.source(bounds[-1]))
    raise NotWritten
