"""Makes the cure for a statement in a jitted function that stores a traced value outside of the function.

For example, `history.append(loss)` in a jitted function stores a tracer, which no later line can use. With the cure,
the function returns the value, and the statement stands after the call of the function. Only the user's source is read.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass

from ....observe.observation import FoundCure
from ...trials.refused_assignments import own_names, own_nodes
from ..failing_code.called_names import called
from ..failing_code.module_names import namespace
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import result_of

_VALUE = "value"
"""The name at the call for an expression without a name."""


def after_the_call(raised: RaisedAt, traced: ast.FunctionDef, statement: ast.stmt) -> FoundCure | None:
    """Return the cure with which the function returns the stored value, and the statement comes after the call.

    None if the source code does not show what to write.

    Args:
        raised: Where the stored value was used.
        traced: The jitted function that runs the statement.
        statement: The statement that stores the value.
    """
    kept = _kept(raised, traced, statement)
    calls = calls_of(raised, traced)
    if kept is None or not calls:
        return None
    result = result_of(traced)
    if result is None and any(isinstance(node, ast.Return) for node in own_nodes(traced)):
        return None
    results = result.elts if isinstance(result, ast.Tuple) else [result] if result is not None else []
    sources = [raised.source(part) for part in results]
    new = [part for part in kept.values if raised.source(part) not in sources]
    line = [] if not new else [f"return {', '.join([*sources, *map(raised.source, new)])}"]
    later = _later_lines(raised, kept, calls[0], results, new) if len(calls) == 1 else None
    code = "\n".join([*line, *(later or [])])
    values = " and ".join(raised.source(part) for part in kept.values)
    calls_text = f"the call of {traced.name}" if len(calls) == 1 else f"each call of {traced.name}"
    words = (
        f"Return {values} from {traced.name}. Run the statement of line {statement.lineno} after {calls_text}, not in "
        f"{traced.name}."
    )
    if not new:
        words = (
            f"{traced.name} returns {values}. Run the statement of line {statement.lineno} after {calls_text}, not in "
            f"{traced.name}."
        )
    return FoundCure("the statement after the call", code or None, words)


SECOND_RESULT = (
    "Return {value} from {name} as a second result, and pass has_aux=True to the transform, such as jax.grad."
)
_WITH_GRADIENT = "The call then returns the gradient and the value."
_WITH_RESULT = "The call then returns the pair of the result and the value, and the gradient."


def second_result(raised: RaisedAt, traced: ast.FunctionDef, statement: ast.stmt, derivative: ast.Call) -> FoundCure:
    """Return the cure for a differentiated function that stores a value: a second result, which needs has_aux=True.

    The code shows the new return and the new transform, if the source shows the value and one result.

    Args:
        raised: Where the stored value was used.
        traced: The differentiated function, which runs the statement.
        statement: The statement that stores the value.
        derivative: The call of the transform, such as jax.grad(self.loss).
    """
    transform = f"{raised.source(derivative)[:-1].rstrip().rstrip(',')}, has_aux=True)"
    kept, result = _kept(raised, traced, statement), result_of(traced)
    code = transform
    if kept is not None and len(kept.values) == 1 and result is not None and not isinstance(result, ast.Tuple):
        code = f"return {raised.source(result)}, {raised.source(kept.values[0])}\n{transform}"
    both = _WITH_RESULT if "value" in called(derivative) else _WITH_GRADIENT
    value = stored_value(raised, traced, statement)
    return FoundCure("a second result", code, f"{SECOND_RESULT.format(value=value, name=traced.name)} {both}")


_LONGEST = 40  # the most characters of an expression in a sentence


def stored_value(raised: RaisedAt, traced: ast.FunctionDef, statement: ast.stmt) -> str:
    """Return the words for the value that a statement stores: its name or its short expression; else "the value"."""
    match statement:
        case ast.Expr(value=ast.Call(args=[value])):
            pass
        case ast.Assign(targets=[ast.Name() as value], value=assigned) if not may_be_no_array(raised, traced, assigned):
            pass
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()], value=value):
            pass
        case _:
            return "the value"
    if isinstance(value, ast.Tuple | ast.List | ast.Dict) or may_be_no_array(raised, traced, value):
        return "the value"
    code = " ".join(raised.source(value).split())
    return code if len(code) <= _LONGEST else "the value"


@dataclass(frozen=True)
class _Kept:
    """A statement in a jitted function that stores values outside of the function, such as `history.append(loss)`.

    Attributes:
        statement: The statement.
        values: The expressions of the stored values, such as `loss`.
        owner: The method's name for its object, `self`; None if the statement is in a plain function.
        is_global: The statement assigns to a global name.
    """

    statement: ast.stmt
    values: list[ast.expr]
    owner: str | None
    is_global: bool


def _kept(raised: RaisedAt, traced: ast.FunctionDef, statement: ast.stmt) -> _Kept | None:
    """Return the values that a statement of the function stores outside of the function.

    None if the statement cannot move out of the function.
    """
    if statement not in traced.body:
        return None  # the statement is in a loop or a condition, so it may run several times, or never
    owner = traced.args.args[0].arg if traced.args.args and traced.args.args[0].arg == "self" else None
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target), args=values, keywords=[])):
            pass
        case ast.AugAssign(target=target, value=value):
            values = [value]
        case ast.Assign(targets=[target], value=ast.BinOp(left=left, right=right)) if ast.unparse(left) == ast.unparse(
            target
        ):
            values = [right]
        case ast.Assign(targets=[target], value=value):
            values = [value]
        case _:
            return None
    if isinstance(target, ast.Tuple | ast.List):
        return None
    local_names = own_names(traced) - {owner}
    values = [value for value in values if _names(value) & local_names]
    if any(may_be_no_array(raised, traced, value) for value in values):
        return None
    root: ast.expr = target
    while isinstance(root, ast.Attribute | ast.Subscript):
        root = root.value
    in_values = {id(part) for value in values for part in ast.walk(value)}
    others = {part.id for part in ast.walk(statement) if isinstance(part, ast.Name) and id(part) not in in_values}
    parameters = {argument.arg for argument in ast.walk(traced.args) if isinstance(argument, ast.arg)}
    if others & (local_names | parameters) - {owner}:
        return None  # the moved statement would need a local name of the function
    if not values or not isinstance(root, ast.Name) or any(root.id in _names(value) for value in values):
        return None
    inside = {id(part) for part in ast.walk(statement)}
    target_text = ast.unparse(target)
    read = {name for value in values for name in _names(value)}
    for node in ast.walk(traced):
        if id(node) in inside or not isinstance(node, ast.expr):
            continue
        if ast.unparse(node) == target_text:
            return None  # another line of the function reads the object that the statement changes
        is_stored = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in read
        if is_stored and node.lineno > statement.lineno:
            return None  # a later line assigns to the name, so the name has another value at the `return`
    return _Kept(statement, values, owner, isinstance(target, ast.Name) and not isinstance(statement, ast.Expr))


_NO_ARRAYS = ast.Lambda | ast.GeneratorExp | ast.Set | ast.SetComp | ast.Constant | ast.JoinedStr


def may_be_no_array(raised: RaisedAt, traced: ast.FunctionDef, value: ast.expr) -> bool:
    """Return whether an expression may be a function or a generator, which a jitted function cannot return."""
    if isinstance(value, _NO_ARRAYS):
        return True
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return not callable(function := namespace(raised).get(value.func.id)) or inspect.isgeneratorfunction(function)
    if not isinstance(value, ast.Name):
        return any(isinstance(part, ast.Lambda | ast.GeneratorExp) for part in ast.iter_child_nodes(value))
    for node in own_nodes(traced):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == value.id:
            return True
        if isinstance(node, ast.Assign) and any(_is_named(target, value.id) for target in node.targets):
            if not isinstance(node.value, ast.Name) and may_be_no_array(raised, traced, node.value):
                return True
    return False


def _is_named(target: ast.expr, name: str) -> bool:
    return isinstance(target, ast.Name) and target.id == name


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def calls_of(raised: RaisedAt, traced: ast.FunctionDef) -> list[ast.Call]:
    """Return the calls of a jitted function in the code.

    Empty if the function is also used in another way, as in jax.vmap(f).
    """
    module = raised.loops.module if raised.loops is not None else ast.Module([], [])
    names = {traced.name}
    calls: list[ast.Call] = []
    for node in ast.walk(module):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(args=[ast.Name(id=function)]) as jit) if (
                function == traced.name and called(jit) == "jit"
            ):
                names.add(name)
    for node in _uses(module, names):
        parent = raised.parents.get(id(node))
        if isinstance(parent, ast.Call) and parent.func is node:
            calls.append(parent)
        elif not (isinstance(parent, ast.Call) and called(parent) == "jit"):
            return []
    return calls


def _uses(module: ast.Module, names: set[str]) -> Iterator[ast.expr]:
    for node in ast.walk(module):
        if isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load):
            yield node
        elif isinstance(node, ast.Attribute) and node.attr in names:
            yield node


def _later_lines(
    raised: RaisedAt, kept: _Kept, call: ast.Call, results: list[ast.expr], new: list[ast.expr]
) -> list[str] | None:
    """Return the new line of the call, and the moved statement. None if the call is part of a larger expression."""
    statement = raised.parents.get(id(call))
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        targets = target.elts if isinstance(target, ast.Tuple) and len(results) > 1 else [target]
        if len(targets) != len(results) or any(isinstance(part, ast.Starred) for part in targets):
            return None
        texts = [raised.source(part) for part in targets]
        if isinstance(target, ast.Tuple) and len(results) == 1:
            texts = [f"({', '.join(raised.source(part) for part in target.elts)})"]
    elif isinstance(statement, ast.Expr):
        texts = ["_"] * len(results)
    else:
        return None
    names: dict[str, str] = {}
    for value in kept.values:
        source = raised.source(value)
        places = [place for place, result in enumerate(results) if raised.source(result) == source]
        if places and texts[places[0]] != "_":
            names[source] = texts[places[0]]
            continue
        name = value.id if isinstance(value, ast.Name) and not _is_function(raised, value.id) else _VALUE
        if name in names.values() or (name == _VALUE and _VALUE in raised.module_names):
            return None
        names[source] = name
        if places:
            texts[places[0]] = name
    texts += [names[raised.source(value)] for value in new]
    owner = raised.source(call.func.value) if isinstance(call.func, ast.Attribute) else None
    if kept.owner is not None and owner is None:
        return None
    if kept.is_global and any(isinstance(node, ast.FunctionDef) for node in _around(raised, call)):
        return None  # the call is in a function, where an assignment would create a local name instead
    moved = _moved(raised, kept, names, owner)
    source = raised.source(call)
    return [f"{', '.join(texts)} = {source}", moved]


def _around(raised: RaisedAt, node: ast.AST | None) -> Iterator[ast.AST]:
    while (node := raised.parents.get(id(node))) is not None:
        yield node


def _is_function(raised: RaisedAt, name: str) -> bool:
    """Return whether a name belongs to a function or a class in the code, which an assignment would replace."""
    module = raised.loops.module if raised.loops is not None else ast.Module([], [])
    return any(isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name for node in ast.walk(module))


def _moved(raised: RaisedAt, kept: _Kept, names: dict[str, str], owner: str | None) -> str:
    """Return the moved statement: the stored values and `self` are replaced by the names that they have at the call."""
    ids = {id(value): names[raised.source(value)] for value in kept.values}

    class Renamed(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            if id(node) in ids:
                return ast.Name(ids[id(node)], ast.Load())
            if isinstance(node, ast.Name) and node.id == kept.owner and owner is not None:
                return ast.Name(owner, ast.Load())
            return ast.NodeTransformer.generic_visit(self, node)

    # ast.NodeTransformer changes the tree in place, and other explanations still need the user's tree, so a copy is
    # changed.
    copy = ast.parse(raised.source_of_statement(kept.statement)).body[0]
    originals, copies = list(ast.walk(kept.statement)), list(ast.walk(copy))
    ids = {id(new): ids[id(old)] for old, new in zip(originals, copies, strict=True) if id(old) in ids}
    return ast.unparse(Renamed().visit(copy))
