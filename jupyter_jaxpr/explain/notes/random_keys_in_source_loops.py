"""Finds a call in a loop or a comprehension of a cell that draws from the same random key in each iteration.

The source code shows that each iteration makes the same call: nothing in the loop assigns to a name in the call. So
each iteration draws the same numbers. There is no finding if the cell reads a clock, because such a call may be
repeated to measure its time, or if the cell compares results.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.observation import Finding, ObservedFunction, Place
from .random_keys_in_source_code import (
    EQUAL_NUMBERS,
    KEY_USED_TWICE,
    array_of_key,
    compares_results,
    draws_of_call,
    is_written_by_functions,
    names_written,
    parsed_cell,
    reads_clock,
    runs_once,
)

_TEXT = "Each iteration on line {line} draws from the same random key, {name}."
_CURE_OF_LOOP = "Split the key in each iteration: {name}, subkey = jax.random.split({name})."
_CURE_OF_PART = "Use another key in each iteration i, such as jax.random.fold_in({name}, i)."
_CURE_OF_COMPREHENSION = "Make a key for each iteration, such as for subkey in jax.random.split({name}, {times})."


def keys_in_loops(
    source: str, file: str, namespace: Mapping[str, Any], functions: Sequence[ObservedFunction]
) -> list[Finding]:
    """Return a finding for each call that draws from one key in all iterations of a loop.

    Args:
        source: The source code of the cell, with its magics.
        file: The file name of the cell's code.
        namespace: The global names of the notebook.
        functions: The observed functions of the run.
    """
    tree = parsed_cell(source)
    if tree is None or reads_clock(source) or compares_results(tree):
        return []
    findings = []
    for statement in tree.body:
        for loop, times in _loops(statement, namespace, tree):
            written = names_written(loop)
            repeated = [loop.elt] if isinstance(loop, ast.ListComp) else loop.body
            for node in (inner for part in repeated for inner in runs_once(part)):
                if not isinstance(node, ast.Call) or written & _names_read(node):
                    continue
                for name, use in draws_of_call(node, namespace, functions):
                    array = array_of_key(name)
                    if not use.only_splits and not is_written_by_functions(array, tree, namespace):
                        findings.append(_finding(name, node, isinstance(loop, ast.ListComp), times, file))
    return findings


def _loops(
    statement: ast.stmt, namespace: Mapping[str, Any], tree: ast.Module
) -> list[tuple[ast.For | ast.ListComp, int]]:
    """Return the loops in a statement that certainly have at least two iterations, each with the number of iterations.

    A loop inside of a function, a condition or another loop does not count, and neither does a loop that may end early.
    """
    loops: list[tuple[ast.For | ast.ListComp, int]] = []
    if isinstance(statement, ast.For):
        parts = [part for inner in statement.body for part in ast.walk(inner)]
        may_end = any(isinstance(part, ast.Break | ast.Continue | ast.Return | ast.Pass) for part in parts)
        times = _iterations(statement.iter, namespace, tree)
        return [] if may_end or times is None else [(statement, times)]
    for node in runs_once(statement, lists=True):
        if isinstance(node, ast.ListComp) and len(node.generators) == 1:
            [generator] = node.generators
            times = None if generator.ifs or generator.is_async else _iterations(generator.iter, namespace, tree)
            if times is not None:
                loops.append((node, times))
    return loops


def _iterations(iterable: ast.expr, namespace: Mapping[str, Any], tree: ast.Module) -> int | None:
    """Return the number of iterations over `range(n)` or over a list in the source code; None if unknown or under 2."""
    times: Any = None
    if isinstance(iterable, ast.List | ast.Tuple):
        times = None if any(isinstance(item, ast.Starred) for item in iterable.elts) else len(iterable.elts)
    elif isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name) and iterable.func.id == "range":
        if "range" in namespace or len(iterable.args) != 1 or iterable.keywords:
            return None
        [end] = iterable.args
        if isinstance(end, ast.Constant):
            times = end.value
        elif isinstance(end, ast.Name) and end.id not in names_written(tree):
            times = namespace.get(end.id)
    return times if type(times) is int and times > 1 else None


def _names_read(call: ast.Call) -> set[str]:
    return {node.id for node in ast.walk(call) if isinstance(node, ast.Name)}


def _finding(name: str, call: ast.Call, in_comprehension: bool, times: int, file: str) -> Finding:
    cure = _CURE_OF_COMPREHENSION if in_comprehension else _CURE_OF_LOOP if name.isidentifier() else _CURE_OF_PART
    end_line, end_column = call.end_lineno or call.lineno, call.end_col_offset or -1
    return Finding(
        kind="key_used_twice",
        title=KEY_USED_TWICE,
        text=f"{_TEXT.format(line=call.lineno, name=name)} {EQUAL_NUMBERS}",
        cure=cure.format(name=name, times=times),
        place=Place(file, call.lineno, "<module>", call.col_offset, end_line, end_column),
    )
