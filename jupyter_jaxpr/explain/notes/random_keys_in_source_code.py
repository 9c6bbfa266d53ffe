"""Finds two calls in a cell's own statements that use the same random key.

The source code shows that both calls get the same key: no statement between them assigns the key's name. The programs
show how the calls use the key itself: one draws from the key, and the other draws from the key or splits it. A call
that only folds an integer into the key does not use up the key.

There is no finding for two functions that draw numbers of the same shape, because these may be compared on purpose.
For two calls of one function there is a finding only if the cell keeps both results under different names, compares
them nowhere and reads no clock: such a call may be repeated on purpose, too. There is also no finding if a magic
between the calls, or a function of the notebook, may assign to the name.
"""

from __future__ import annotations

import ast
import dis
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from ...interruptions import not_of_a_signal
from ...jax.facts import is_jitted
from ...observe.functions.function_inside_wrappers import code_of
from ...observe.observation import Finding, ObservedFunction, Place
from ...program.random_key_use import direct_use

_MAGIC = re.compile(r"^(\s*)[%!].*$", re.MULTILINE)
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)
_DRAWS = frozenset(
    "ball bernoulli beta bits categorical cauchy choice dirichlet exponential gamma gumbel laplace logistic "
    "multivariate_normal normal permutation poisson rademacher randint rayleigh t truncated_normal uniform".split()
)

KEY_USED_TWICE = "A random key is used twice"
_TEXT = "Line {first} and line {again} draw from the same random key, {name}."
_ONE_LINE = "Two calls of line {first} draw from the same random key, {name}."
_USES = "Line {first} and line {again} use the same random key, {name}."
_USES_OF_ONE_LINE = "Two calls of line {first} use the same random key, {name}."
EQUAL_NUMBERS = (
    "Numbers that are drawn from one key are not independent: numbers of the same shape and distribution are equal."
)
SPLITS_USE_KEYS = "jax.random.split uses a key, too: after a split, draw from the new keys alone."
SPLIT_KEY = "Split the key and use each part once: {name}, subkey = jax.random.split({name})."
_CURE_OF_PART = "Use another part of {array} in each call."

Shape = tuple[int, ...]

#: The classes of nodes whose parts may run several times, later, or not at all.
_NOT_ONCE = (
    *(ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.IfExp, ast.BoolOp),
    *(ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.TryStar, ast.Match),
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
)


class Use(NamedTuple):
    """A call that draws random numbers from a key, or splits the key.

    Attributes:
        call: The call expression in the source code.
        draw: The called function, and those of its other arguments on which the drawn numbers depend.
        shapes: The shapes of the numbers that the call draws; None if unknown, empty if the call only splits the key.
        kept: The name to which the cell assigns the result of the call; None if it assigns the result to no name.
    """

    call: ast.Call
    draw: object
    shapes: frozenset[Shape] | None
    kept: str | None

    @property
    def only_splits(self) -> bool:
        """True if the call draws nothing from the key itself, but splits the key."""
        return self.shapes is not None and not self.shapes


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
    tree = parsed_cell(source)
    if tree is None:
        return []
    uses: dict[str, Use] = {}
    findings = []
    for statement in tree.body:
        if isinstance(statement, _SIMPLE):
            for name, use in _uses(statement, namespace, functions):
                before = uses.setdefault(name, use)
                is_twice = _differ(before, use) or _draw_twice(before, use, tree, source)
                if is_twice and not is_written_by_functions(array_of_key(name), tree, namespace):
                    findings.append(_finding(name, before, use, file))
        if any(isinstance(node, ast.Pass) for node in ast.walk(statement)):
            uses.clear()  # a magic such as `%time key = ...` may write any name
        written = names_written(statement)
        for name in [name for name in uses if array_of_key(name) in written]:
            del uses[name]
    return findings


def parsed_cell(source: str) -> ast.Module | None:
    """Return the syntax tree of a cell with `pass` in place of its magics; None if the code is not valid Python."""
    try:
        return ast.parse(_MAGIC.sub(lambda line: f"{line[1]}pass", source))
    except not_of_a_signal(SyntaxError, ValueError):
        return None


def is_written_by_functions(name: str, tree: ast.Module, namespace: Mapping[str, Any]) -> bool:
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
) -> Iterator[tuple[str, Use]]:
    """Yield the calls in a statement that draw from a key with a name. Only calls that run exactly once count."""
    for node in runs_once(statement):
        if isinstance(node, ast.Call):
            yield from draws_of_call(node, namespace, functions, _kept_as(statement, node))


def draws_of_call(
    call: ast.Call, namespace: Mapping[str, Any], functions: Sequence[ObservedFunction], kept: str | None = None
) -> Iterator[tuple[str, Use]]:
    """Yield (name of the key, use of the key) for each key with a name from which a call draws, or which it splits.

    Args:
        call: The call.
        namespace: The global names of the notebook.
        functions: The observed functions of the run.
        kept: The name to which the cell assigns the result of the call; None if it assigns the result to no name.
    """
    yield from _eager(call, namespace, kept)
    yield from _jitted(call, namespace, functions, kept)


def runs_once(part: ast.AST, lists: bool = False) -> Iterator[ast.AST]:
    """Yield the nodes of some code that run exactly once when the code runs.

    Args:
        part: The code: a statement or an expression.
        lists: True to yield list comprehensions, too, without the nodes inside of them.
    """
    waiting: list[ast.AST] = [part]
    while waiting:
        node = waiting.pop()
        if lists and isinstance(node, ast.ListComp):
            yield node
        elif not isinstance(node, _NOT_ONCE):
            yield node
            waiting += ast.iter_child_nodes(node)


def _kept_as(statement: ast.stmt, call: ast.Call) -> str | None:
    """Return the name to which a statement assigns the result of a call, as in `a = f(k)` and `a, b = f(k), g(k)`."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target, value = statement.targets[0], statement.value
    pairs: list[tuple[ast.expr, ast.expr]] = [(target, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        pairs = list(zip(target.elts, value.elts, strict=True))
    names = [part.id for part, result in pairs if result is call and isinstance(part, ast.Name)]
    return names[0] if names else None


def _eager(call: ast.Call, namespace: Mapping[str, Any], kept: str | None) -> Iterator[tuple[str, Use]]:
    """Yield the call if it calls a function of `jax.random`, such as normal, and its key argument is a name."""
    import jax

    function = _value(call.func, namespace)
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name not in (*_DRAWS, "split") or function is None or function is not getattr(jax.random, name, None):
        return
    key = _name_of_key(call.args[0], namespace) if call.args else None
    if key is None:
        return
    if name == "split":
        yield key, Use(call, (name,), frozenset(), kept)
        return
    arguments = tuple(ast.unparse(argument) for argument in [*call.args[1:], *call.keywords])
    shape = next((keyword.value for keyword in call.keywords if keyword.arg == "shape"), None)
    if shape is None and len(call.args) > 1 and name in ("normal", "uniform", "exponential", "gumbel", "laplace"):
        shape = call.args[1]
    yield key, Use(call, (name, arguments), _shapes(shape), kept)


def _name_of_key(node: ast.expr, namespace: Mapping[str, Any]) -> str | None:
    """Return the text of an expression that may be a key: a name, or a part of an array of keys such as `keys[0]`.

    The array must be one of JAX, which no code changes in place.
    """
    import jax

    if isinstance(node, ast.Name):
        return node.id
    is_part = (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and isinstance(node.slice, ast.Constant)
        and type(node.slice.value) is int
        and issubclass(type(namespace.get(node.value.id)), jax.Array)
    )
    return ast.unparse(node) if is_part else None


def array_of_key(name: str) -> str:
    """Return the name of the variable in the text of a key: `keys` of `keys[0]`."""
    return name.partition("[")[0]


def _shapes(node: ast.expr | None) -> frozenset[Shape] | None:
    try:
        shape = ast.literal_eval(node) if node is not None else None
    except not_of_a_signal(ValueError, SyntaxError, TypeError):
        return None
    is_shape = isinstance(shape, tuple) and all(type(size) is int for size in shape)
    return frozenset([shape]) if is_shape and shape is not None else None


def _jitted(
    call: ast.Call, namespace: Mapping[str, Any], functions: Sequence[ObservedFunction], kept: str | None
) -> Iterator[tuple[str, Use]]:
    """Yield the call if it calls a user's jitted function whose programs all use the key that an argument names."""
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    has_names = any(_name_of_key(value, namespace) is not None for value in values)
    function = namespace.get(call.func.id) if isinstance(call.func, ast.Name) and has_names else None
    if function is None or not is_jitted(function):
        return
    code = code_of(function)
    if code is None or any(isinstance(argument, ast.Starred) for argument in call.args):
        return
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    places = {_name_of_key(argument, namespace): number for number, argument in enumerate(call.args)}
    named = {name: parameters[number] for name, number in places.items() if name and number < code.co_argcount}
    named |= {
        name: keyword.arg
        for keyword in call.keywords
        if (name := _name_of_key(keyword.value, namespace)) is not None and keyword.arg
    }
    candidates = [observed for observed in functions if observed.name == code.co_name and observed.programs]
    if len(candidates) != 1 or candidates[0].definition is None:
        return
    if candidates[0].definition.line != code.co_firstlineno and candidates[0].definition.file != code.co_filename:
        return
    for name, parameter in named.items():
        uses = [direct_use(program.jaxpr, parameter) for program in candidates[0].programs]
        if all(use.shapes for use in uses):
            yield name, Use(call, code, frozenset().union(*(use.shapes for use in uses)), kept)
        elif all(use.shapes or use.draws_from_parts for use in uses):
            yield name, Use(call, code, None, kept)
        elif all(use.splits and not use.shapes for use in uses):
            yield name, Use(call, code, frozenset(), kept)


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


def _differ(first: Use, second: Use) -> bool:
    """Return whether two calls that draw from a key certainly are two different computations, not one repeated."""
    if first.call is second.call or first.draw == second.draw:
        return False
    if first.only_splits or second.only_splits:
        # two calls that split a key may make models that the user wants to start from the same numbers
        return first.only_splits != second.only_splits
    if isinstance(first.draw, tuple) and isinstance(second.draw, tuple):
        return True
    return first.shapes is not None and second.shapes is not None and not first.shapes & second.shapes


def _draw_twice(first: Use, second: Use, tree: ast.Module, source: str) -> bool:
    """Return whether a cell keeps the results of two equal calls as if these were different random numbers."""
    if first.call is second.call or first.draw != second.draw:
        return False
    names = {first.kept, second.kept}
    if None in names or len(names) != 2 or any(name.startswith("_") for name in names if name):
        return False
    return not reads_clock(source) and not any(_compares(node, names) for node in ast.walk(tree))


def reads_clock(source: str) -> bool:
    """Return whether a cell may measure time, so that its calls may be repeated on purpose."""
    return _TIMES.search(source) is not None


_TIMES = re.compile(r"\b(time|timeit|perf_counter|monotonic|datetime|block_until_ready)\b")
#: Words in the names of functions that compare values.
COMPARING = re.compile(r"assert|equal|close|compare|same|diff")


def compares_results(tree: ast.AST) -> bool:
    """Return whether a cell or a function may compare results, so that its calls may be repeated on purpose."""
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    has_assert = any(isinstance(node, ast.Assert) for node in ast.walk(tree))
    return has_assert or is_comparing(getattr(call, "attr", getattr(call, "id", "")) for call in calls)


def is_comparing(names: Iterable[str]) -> bool:
    """Return whether one of these names of functions says that the function compares values."""
    return any(not _COMPARING_WORDS.isdisjoint(name.lower().split("_")) for name in names)


_COMPARING_WORDS = frozenset({"assert", "equal", "equals", "equiv", "allclose", "isclose", "compare", "same"})


def _compares(node: ast.AST, names: set[str | None]) -> bool:
    """Return whether an expression may compare the values of the names."""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        is_comparing = COMPARING.search(name) is not None
    else:
        is_comparing = isinstance(node, ast.Compare) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub))
    return is_comparing and names <= {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def names_written(statement: ast.AST) -> set[str]:
    """Return the names to which a statement or an expression, or a part of it, may assign."""
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


def _finding(name: str, first: Use, second: Use, file: str) -> Finding:
    lines = first.call.lineno, second.call.lineno
    if first.only_splits or second.only_splits:
        text = f"{_USES_OF_ONE_LINE if lines[0] == lines[1] else _USES} {EQUAL_NUMBERS} {SPLITS_USE_KEYS}"
    else:
        text = f"{_ONE_LINE if lines[0] == lines[1] else _TEXT} {EQUAL_NUMBERS}"
    call = second.call
    return Finding(
        kind="key_used_twice",
        title=KEY_USED_TWICE,
        text=text.format(first=lines[0], again=lines[1], name=name),
        cure=(SPLIT_KEY if name.isidentifier() else _CURE_OF_PART).format(name=name, array=array_of_key(name)),
        place=Place(
            file, call.lineno, "<module>", call.col_offset, call.end_lineno or call.lineno, call.end_col_offset or -1
        ),
    )
