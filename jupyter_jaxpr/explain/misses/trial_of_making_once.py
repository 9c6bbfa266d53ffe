"""Decides whether a function that is made in each call can be made only once, without a change of its results."""

from __future__ import annotations

import ast
import itertools
import linecache
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ...observe.cache.history_of_one_function import FunctionHistory, MissEvent
from ..traced_result_types import ResultTypes, Untried, result_types, silence, spec_of_aval
from ..trials.copied_values import copied
from ..trials.trial_time_limit import Budget
from .arguments_from_cache_keys import arguments_of, as_specs
from .calls_in_source_code import Text, first_line, is_repeated
from .code_that_makes_functions import Making, bound_in, free_names, is_inside
from .unchanged_outside_values import names_read, reads_the_machine, reads_what_may_change

_MADE = "made_by_the_trial"
_INT32 = (1 << 31) - 1
_numbers = itertools.count(1)


def stays_the_same(text: Text, making: Making, event: MissEvent, left: ast.stmt, names: Mapping[str, Any]) -> bool:
    """Return whether all values that the function reads from outside of its arguments are the same in all calls."""
    passed = {*making.passed, *(name for argument in making.first for name in free_names(argument))}
    passed |= {name for keyword in making.named for name in free_names(keyword.value)}
    if event.unread or not event.varying <= passed:
        return False
    if not all(_reads_the_same(text, left, names.get(name)) for name in free_names(making.new) - passed):
        return False
    for name in free_names(making.new):
        lines = [
            getattr(node, "lineno", 0)
            for node in ast.walk(text.module)
            if not is_inside(text, node, left) and _binds(node, name) and text.function_around(node) is text.module
        ]
        # A name that is assigned further down may have no value, or another one, where the edited code makes the
        # function.
        if any(line >= first_line(left) for line in lines):
            return False
    return True


def _reads_the_same(text: Text, left: ast.stmt, value: Any) -> bool:
    """Return whether a function that the jitted function calls certainly reads the same values in each call."""
    if reads_what_may_change(value):
        return False
    read = names_read(value)
    stored = [node for node in ast.walk(text.module) for name in read if _binds(node, name)]
    return not any(is_repeated(text, node) or first_line(left) <= getattr(node, "lineno", 0) for node in stored)


def _binds(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name == name
    return isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)


def passed_values(
    making: Making, history: FunctionHistory, event: MissEvent, left: ast.stmt, text: Text
) -> dict[str, Any] | None:
    """Return the values of the names that become arguments: numbers, or types in place of arrays.

    None if a value is unknown, or if a name has values of several types in the calls on this line: the edited code
    would then miss, too.
    """
    arguments = [*making.first, *(keyword.value for keyword in making.named)]
    names_needed = {
        *making.passed,
        *(name for argument in arguments for name in free_names(argument) & bound_in(text, left, argument)),
    }
    changed = {change.name: change for change in event.changed}
    values_by_name: dict[str, Any] = {}
    for name in names_needed:
        if name not in changed:
            if event.partial is None:
                return None
            value = _of_partial(name, left)
        else:
            changes = [changed for old in history.events if old.place == event.place for changed in old.changed]
            ends = [end for change in changes if change.name == name for end in (change.before, change.after)]
            types = {_type(_value(end)) for end in ends}
            value = _value(changed[name].after) if len(types) == 1 and None not in types else None
        if value is None:
            return None
        values_by_name[name] = value
    return values_by_name


def _of_partial(name: str, left: ast.stmt) -> Any:
    """Return an example value of a name that a partial binds: 1 or 1.0 for a loop over such numbers.

    None for other names.
    """
    match left:
        case ast.For(target=ast.Name(id=target), iter=ast.Call(func=ast.Name(id="range"))) if target == name:
            return 1
        case ast.For(target=ast.Name(id=target), iter=ast.List(elts=elements) | ast.Tuple(elts=elements)):
            kinds = {type(element.value) if isinstance(element, ast.Constant) else None for element in elements}
            if target == name and kinds in ({int}, {float}):
                return 1 if kinds == {int} else 1.0
    return None


def _value(outside: Any) -> Any:
    if outside.aval is not None:
        return spec_of_aval(outside.aval)
    if type(outside.value) is int and abs(outside.value) > _INT32:
        return None
    return outside.value if type(outside.value) in (int, float, complex) else None


def _type(value: Any) -> tuple[Any, ...] | None:
    if value is None:
        return None
    spec = as_specs(value)
    return spec.shape, spec.dtype, spec.weak_type


def gives_the_same(
    making: Making, event: MissEvent, names: Mapping[str, Any], values: Mapping[str, Any], budget: Budget
) -> bool:
    """Return whether the function, if it is made only once, can be traced and computes the same as before."""
    assert event.key is not None
    passed = arguments_of(event.key, None)
    if passed is None:
        return False
    args, kwargs = as_specs(tuple(passed))
    old = _types(making.old, args, kwargs, names, values, budget)
    first = [_argument(argument, values) for argument in making.first]
    keywords = {str(keyword.arg): _argument(keyword.value, values) for keyword in making.named}
    args, kwargs = as_specs(
        ((*first, *passed.args, *(values[name] for name in making.passed)), {**passed.kwargs, **keywords})
    )
    return old.is_as(_types(making.new, args, kwargs, names, {}, budget))


def _types(
    node: ast.expr | ast.FunctionDef,
    args: Any,
    kwargs: Any,
    names: Mapping[str, Any],
    bound: Mapping[str, Any],
    budget: Budget,
) -> ResultTypes:
    """Return the types of the results of a call of the function that an expression or a def makes.

    Args:
        node: The expression that makes the jitted function.
        args: The positional arguments of the call, as types.
        kwargs: The keyword arguments of the call, as types.
        names: The present values of the global names in the source code.
        bound: The values of the local names that the expression reads, with types in place of arrays.
        budget: The time that is left.
    """
    import jax

    read = {name_node.id for name_node in ast.walk(node) if isinstance(name_node, ast.Name)}
    arrays = {name: value for name, value in bound.items() if type(value) is jax.ShapeDtypeStruct}

    def function(space: Mapping[str, Any], copies: dict[int, Any]) -> Any:
        mine = {name: copied(value, copies) if name in read else value for name, value in names.items()}
        mine.update(bound)
        mine.update(space)
        silence(mine)
        exec(code, mine)
        return mine[_MADE].__wrapped__

    with _compiled(node) as code:
        fun = function({}, {})
        if reads_the_machine(fun):
            raise Untried
        return result_types(fun, args, kwargs, budget, outside=arrays, copy=function)


def _argument(node: ast.expr, values: Mapping[str, Any]) -> Any:
    """Return the value of an argument that a partial bound: a number, or a type in place of an array."""
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value
    raise Untried


@contextmanager
def _compiled(node: ast.expr | ast.FunctionDef) -> Iterator[Any]:
    """Yield the compiled code that makes a function.

    In the `with` block, `linecache` has the source of this code, because JAX reads the source.
    """
    text = f"{_MADE} = {ast.unparse(node)}\n"
    if isinstance(node, ast.FunctionDef):
        text = f"{ast.unparse(node)}\n{_MADE} = {node.name}\n"
    file = f"<jupyter_jaxpr trial {next(_numbers)} of a function>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    try:
        yield compile(text, file, "exec", dont_inherit=True)
    finally:
        linecache.cache.pop(file, None)
