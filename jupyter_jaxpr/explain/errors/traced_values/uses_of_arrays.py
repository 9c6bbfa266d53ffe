"""Finds how the code uses an array whose length depends on values: the reductions, lengths and functions around it."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass

from ....observe.user_or_library.whose_code import is_installed
from ...loops.kinds_of_python_loops import parsed
from ...trials.trial_in_callers import traced_caller
from ..failing_code.called_names import called
from ..failing_code.module_names import module_of
from ..failing_code.place_of_error import RaisedAt

#: Functions of jax.numpy, and methods, that compute each element of the result from one element of the array.
_ELEMENTWISE = frozenset(
    "abs absolute astype ceil clip cos cosh exp exp2 expm1 floor log log10 log1p log2 negative power reciprocal round "
    "sign sin sinh sqrt square tan tanh".split()
)
_MOST_EXPRESSIONS = 60


@dataclass(frozen=True)
class Use:
    """The expression that contains the masked array, such as a reduction or len().

    Attributes:
        name: The name of the reduction or function, such as mean, len or size; "value" for an operator or a return;
            empty for any other use.
        node: The whole expression.
        other_arguments: The code of the arguments other than the array.
    """

    name: str
    node: ast.expr
    other_arguments: tuple[str, ...] = ()


def use_of(raised: RaisedAt, node: ast.expr) -> Use:
    """Return how the code uses an expression, such as the reduction around it."""
    parent = raised.parents.get(id(node))
    outer = raised.parents.get(id(parent)) if parent is not None else None
    match parent, outer:
        case ast.Attribute(attr="size"), _:
            assert isinstance(parent, ast.Attribute)
            return Use("size", parent)
        case ast.Attribute(attr="shape"), ast.Subscript(slice=ast.Constant(value=0)):
            return Use("shape", outer)
        case ast.Attribute(attr=name), ast.Call(func=function, args=args, keywords=options) if function is parent:
            return Use(name, outer, _argument_texts(raised, args, options))
        case ast.Call(func=ast.Name(id="len"), args=[_]), _:
            assert isinstance(parent, ast.Call)
            return Use("len", parent)
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=module), attr=name), args=[first, *args], keywords=options
        ), _:
            assert isinstance(parent, ast.Call)
            if first is node and module_of(raised, module) == "jax.numpy":
                return Use(name, parent, _argument_texts(raised, args, options))
            return Use("", parent)
        case ((ast.Return() | ast.Assign() | ast.Expr() | ast.BinOp() | ast.UnaryOp() | ast.Tuple() | ast.Lambda()), _):
            return Use("value", node)
        case ast.expr(), _:
            assert isinstance(parent, ast.expr)
            return Use("", parent)
    return Use("value", node)


def _argument_texts(raised: RaisedAt, args: list[ast.expr], options: list[ast.keyword]) -> tuple[str, ...]:
    return (*map(raised.source, args), *(f"{option.arg}={raised.source(option.value)}" for option in options))


def all_uses(raised: RaisedAt, use: Use) -> Iterator[Use]:
    """Yield the given use.

    If the use assigns the value to a name, also yield the later uses of this name in the function.
    """
    yield use
    statement = raised.statement_of(use.node)
    function = raised.function
    if use.name != "value" or not isinstance(statement, ast.Assign) or function is None:
        return
    for name in _later_names(raised, statement):
        yield use_of(raised, name)


def final_uses(raised: RaisedAt, node: ast.expr) -> Iterator[tuple[RaisedAt, Use]]:
    """Yield (place, use) for each expression that reads the elements of an array as a whole, also through other names.

    The search follows names, element-wise operations such as `2 * x` and `jnp.log(x)`, and results of functions that
    the same trace called. A value that leaves the traced function has the use "value".

    Args:
        raised: The place where the error was raised.
        node: The expression of the array.
    """
    left: list[tuple[RaisedAt, ast.expr]] = [(raised, node)]
    seen: set[int] = set()
    while left and len(seen) < _MOST_EXPRESSIONS:
        at, expression = left.pop(0)
        if id(expression) in seen:
            continue
        seen.add(id(expression))
        use = use_of(at, expression)
        parent = at.parents.get(id(expression))
        if use.name in _ELEMENTWISE and isinstance(use.node, ast.Call):
            left.append((at, use.node))
        elif use.name != "value" or isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.MatMult):
            yield at, use
        elif isinstance(parent, ast.BinOp | ast.UnaryOp):
            left.append((at, parent))
        elif isinstance(parent, ast.Assign | ast.AugAssign):
            left += [(at, name) for name in _later_names(at, parent)]
        elif isinstance(parent, ast.Return) and (caller := traced_caller(at)) is not None:
            assert isinstance(caller.node, ast.Call)
            left.append((caller, caller.node))
            others = _other_calls(caller, caller.node)
            if others:
                yield caller, Use("", others[0])
        else:
            yield at, use


def _other_calls(at: RaisedAt, call: ast.Call) -> list[ast.Call]:
    """Return the other calls in the user's files of the function that a call calls.

    A call with the same text in another file does not count: this file may be an earlier version of the cell.
    """
    name, text = called(call), ast.unparse(call)
    found: list[ast.Call] = []
    for file, entry in list(linecache.cache.items()):
        if file == at.place.file or len(entry) != 4 or f"{name}(" not in "".join(entry[2]) or is_installed(file):
            continue
        loops = parsed("".join(entry[2]))
        nodes = [*ast.walk(loops.module)] if loops is not None else []
        calls = [node for node in nodes if isinstance(node, ast.Call) and called(node) == name]
        found += [node for node in calls if ast.unparse(node) != text]
    here = ast.walk(at.loops.module) if at.loops is not None else ()
    found += [node for node in here if isinstance(node, ast.Call) and node is not call and called(node) == name]
    return found


def _later_names(at: RaisedAt, statement: ast.Assign | ast.AugAssign) -> Iterator[ast.Name]:
    """Yield the names in later lines of the function that read what a statement assigns."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    names = {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    for node in ast.walk(at.function) if at.function is not None else ():
        if isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load):
            if node.lineno > (statement.end_lineno or 0):
                yield node
