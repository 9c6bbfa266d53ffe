"""Finds two calls in a cell's own statements that draw random numbers from the same key.

The source code shows that both calls get the same key: no statement between them assigns the key's name. The programs
show that both calls draw from the key itself: a call that only splits the key, or folds an integer into it, draws no
numbers from it. There is no finding for a call that is repeated, or for two functions that draw numbers of the same
shape, because these may be compared on purpose. There is also none if a magic between the calls, or a function of the
notebook, may assign to the name.
"""

from __future__ import annotations

import ast
import dis
import re
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from ...interruptions import not_of_a_signal
from ...jax.facts import is_jitted
from ...observe.code_of_callables import code_of
from ...observe.observation import Finding, ObservedFunction, Place
from ...program.random_key_use import draws_from

_MAGIC = re.compile(r"^(\s*)[%!].*$", re.MULTILINE)
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)
_DRAWS = frozenset(
    "ball bernoulli beta bits categorical cauchy choice dirichlet exponential gamma gumbel laplace logistic "
    "multivariate_normal normal permutation poisson rademacher randint rayleigh t truncated_normal uniform".split()
)

_TITLE = "A random key is used twice"
_TEXT = (
    "Line {first} and line {again} draw from the same random key, {name}. Numbers that are drawn from one key are not "
    "independent: numbers of the same shape and distribution are equal."
)
_ONE_LINE = (
    "Two calls of line {first} draw from the same random key, {name}. Numbers that are drawn from one key are not "
    "independent: numbers of the same shape and distribution are equal."
)
_CURE = "Split the key and use each part once: {name}, subkey = jax.random.split({name})."

Shape = tuple[int, ...]


class _Use(NamedTuple):
    """A call that draws random numbers from a key.

    Attributes:
        call: The call expression in the source code.
        draw: The called function, and those of its other arguments on which the drawn numbers depend.
        shapes: The shapes of the numbers that the call draws; None if unknown.
    """

    call: ast.Call
    draw: object
    shapes: frozenset[Shape] | None


def keys_between_calls(
    source: str, file: str, namespace: Mapping[str, Any], functions: Sequence[ObservedFunction]
) -> list[Finding]:
    """Return a finding for each pair of calls that use one key.

    Args:
        source: The source code of the cell, with its magics.
        file: The file name of the cell's code.
        namespace: The global names of the notebook.
        functions: The observed functions of the run.
    """
    try:
        tree = ast.parse(_MAGIC.sub(lambda line: f"{line[1]}pass", source))
    except not_of_a_signal(SyntaxError, ValueError):
        return []
    uses: dict[str, _Use] = {}
    findings = []
    for statement in tree.body:
        if isinstance(statement, _SIMPLE):
            for name, use in _uses(statement, namespace, functions):
                before = uses.setdefault(name, use)
                if _differ(before, use) and not _is_written_by_functions(name, tree, namespace):
                    findings.append(_finding(name, before, use, file))
        if any(isinstance(node, ast.Pass) for node in ast.walk(statement)):
            uses.clear()  # a magic such as `%time key = ...` may write any name
        for name in _written(statement):
            uses.pop(name, None)
    return findings


def _is_written_by_functions(name: str, tree: ast.Module, namespace: Mapping[str, Any]) -> bool:
    """Return whether a function of the cell or of the notebook assigns to a global name, so a call may change it."""
    if any(isinstance(node, ast.Global) and name in node.names for node in ast.walk(tree)):
        return True
    values = list(namespace.values())
    values += [member for value in values if type(value) is type for member in list(vars(value).values())]
    codes = [value.__code__ for value in values if type(value) is FunctionType]
    codes += [code for value in values if is_jitted(value) and (code := code_of(value)) is not None]
    return any(_writes_global(code, name) for code in codes)


def _writes_global(code: CodeType, name: str) -> bool:
    inner = [constant for constant in code.co_consts if type(constant) is CodeType]
    return (
        name in code.co_names
        and any(
            instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL") and instruction.argval == name
            for instruction in dis.get_instructions(code)
        )
    ) or any(_writes_global(inner_code, name) for inner_code in inner)


def _uses(
    statement: ast.stmt, namespace: Mapping[str, Any], functions: Sequence[ObservedFunction]
) -> Iterator[tuple[str, _Use]]:
    """Yield the calls in a statement that draw from a key with a name. Only calls that run exactly once count."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(
            node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.IfExp | ast.BoolOp
        ):
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Call):
            yield from _eager(node, namespace)
            yield from _jitted(node, namespace, functions)


def _eager(call: ast.Call, namespace: Mapping[str, Any]) -> Iterator[tuple[str, _Use]]:
    """Yield the call if it calls a function of `jax.random`, such as normal, and its key argument is a name."""
    import jax

    function = _value(call.func, namespace)
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name not in _DRAWS or function is None or function is not getattr(jax.random, name, None):
        return
    if not call.args or not isinstance(call.args[0], ast.Name):
        return
    arguments = tuple(ast.unparse(argument) for argument in [*call.args[1:], *call.keywords])
    shape = next((keyword.value for keyword in call.keywords if keyword.arg == "shape"), None)
    if shape is None and len(call.args) > 1 and name in ("normal", "uniform", "exponential", "gumbel", "laplace"):
        shape = call.args[1]
    yield call.args[0].id, _Use(call, (name, arguments), _shapes(shape))


def _shapes(node: ast.expr | None) -> frozenset[Shape] | None:
    try:
        shape = ast.literal_eval(node) if node is not None else None
    except not_of_a_signal(ValueError, SyntaxError, TypeError):
        return None
    is_shape = isinstance(shape, tuple) and all(type(size) is int for size in shape)
    return frozenset([shape]) if is_shape and shape is not None else None


def _jitted(
    call: ast.Call, namespace: Mapping[str, Any], functions: Sequence[ObservedFunction]
) -> Iterator[tuple[str, _Use]]:
    """Yield the call if it calls a user's jitted function whose only program draws from an argument that is a name."""
    name_nodes = [
        argument
        for argument in [*call.args, *(keyword.value for keyword in call.keywords)]
        if isinstance(argument, ast.Name)
    ]
    function = namespace.get(call.func.id) if isinstance(call.func, ast.Name) and name_nodes else None
    if function is None or not is_jitted(function):
        return
    code = code_of(function)
    if code is None or any(isinstance(argument, ast.Starred) for argument in call.args):
        return
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    places = {argument.id: number for number, argument in enumerate(call.args) if isinstance(argument, ast.Name)}
    named = {name: parameters[number] for name, number in places.items() if number < code.co_argcount}
    named |= {
        keyword.value.id: keyword.arg
        for keyword in call.keywords
        if isinstance(keyword.value, ast.Name) and keyword.arg
    }
    candidates = [observed for observed in functions if observed.name == code.co_name and observed.programs]
    if len(candidates) != 1 or len(candidates[0].programs) != 1 or candidates[0].definition is None:
        return
    if candidates[0].definition.line != code.co_firstlineno and candidates[0].definition.file != code.co_filename:
        return
    for name, parameter in named.items():
        shapes = draws_from(candidates[0].programs[0].jaxpr, parameter)
        if shapes:
            yield name, _Use(call, code, shapes)


def _value(node: ast.expr, namespace: Mapping[str, Any]) -> Any:
    """Return the value of a name, or of an attribute of `jax` or `jax.random`. None if the value is unknown."""
    import jax

    match node:
        case ast.Name(id=name):
            return namespace.get(name)
        case ast.Attribute(value=inner, attr=name):
            holder = _value(inner, namespace)
            return getattr(holder, name, None) if holder is jax or holder is jax.random else None
    return None


def _differ(first: _Use, second: _Use) -> bool:
    """Return whether two calls that draw from a key certainly are two different computations, not one repeated."""
    if first.call is second.call or first.draw == second.draw:
        return False
    if isinstance(first.draw, tuple) and isinstance(second.draw, tuple):
        return True
    return first.shapes is not None and second.shapes is not None and not first.shapes & second.shapes


def _written(statement: ast.stmt) -> set[str]:
    """Return the names to which a statement, or a statement inside of it, may assign."""
    names: set[str] = set()
    for node in ast.walk(statement):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.add(name)
            case ast.alias(name=name, asname=alias):
                names.add(alias or name.partition(".")[0])
    return names


def _finding(name: str, first: _Use, second: _Use, file: str) -> Finding:
    lines = first.call.lineno, second.call.lineno
    text = _ONE_LINE if lines[0] == lines[1] else _TEXT
    call = second.call
    return Finding(
        kind="key_used_twice",
        title=_TITLE,
        text=text.format(first=lines[0], again=lines[1], name=name),
        cure=_CURE.format(name=name),
        place=Place(
            file, call.lineno, "<module>", call.col_offset, call.end_lineno or call.lineno, call.end_col_offset or -1
        ),
    )
