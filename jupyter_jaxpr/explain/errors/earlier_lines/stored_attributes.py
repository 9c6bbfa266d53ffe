"""Makes the cure for a traced function that stores a value in an attribute or an entry, and reads the value again.

For example, `Model.last = jnp.tanh(x)` and then `return Model.last.sum()`. With the cure, the value has a local name,
the function returns the value beside its result, and the attribute gets the value after the call.
"""

from __future__ import annotations

import ast
import keyword

from ....observe.observation import FoundCure
from ...trials.refused_assignments import used_names
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import result_of
from .result_of_the_call import may_be_no_array


def local_value(raised: RaisedAt, traced: ast.FunctionDef, statement: ast.stmt, option: str = "") -> FoundCure | None:
    """Return the cure that keeps the stored value in a local name; None if the code does not show what to write.

    Args:
        raised: Where the stored value was used.
        traced: The function that runs the statement.
        statement: The statement that stores the value.
        option: The sentence on an option that the call of the function needs, such as has_aux=True; may be empty.
    """
    match statement:
        case ast.Assign(targets=[ast.Attribute(attr=name) as target], value=value):
            pass
        case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=str(name))) as target], value=value):
            pass
        case _:
            return None
    result = result_of(traced)
    if statement not in traced.body or result is None or not name.isidentifier() or keyword.iskeyword(name):
        return None
    if name in used_names(traced) or may_be_no_array(raised, traced, value):
        return None
    target_text = ast.unparse(target)
    reads = [node for node in ast.walk(traced) if isinstance(node, ast.expr) and ast.unparse(node) == target_text]
    in_result = [node for node in ast.walk(result) if any(node is read for read in reads)]
    if len(reads) != 1 + len(in_result):
        return None  # a line between the statement and the return reads the attribute, too
    results = result.elts if isinstance(result, ast.Tuple) else [result]
    sources = [_with_name(part, target_text, name) if in_result else raised.source(part) for part in results]
    first, rest = (", ".join(sources), name) if not option or len(sources) == 1 else (f"({', '.join(sources)})", name)
    code = f"{name} = {raised.source(value)}\nreturn {first}, {rest}"
    words = (
        f"Keep the value in a local name, return the value from {traced.name}, and assign the returned value to "
        f"{target_text} after the call."
    )
    return FoundCure("a second result", code, f"{words} {option}".strip())


def local_global(raised: RaisedAt, traced: ast.FunctionDef, statement: ast.stmt) -> FoundCure | None:
    """Return the cure that makes a global name, which the function assigns and reads, a local name and a result.

    Args:
        raised: Where the stored value was used.
        traced: The function that runs the statement.
        statement: The statement that stores the value.
    """
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            pass
        case _:
            return None
    result = result_of(traced)
    declared = [node for node in ast.walk(traced) if isinstance(node, ast.Global) and name in node.names]
    reads = [node for node in ast.walk(value) if isinstance(node, ast.Name) and node.id == name]
    if result is None or len(declared) != 1 or reads or statement not in traced.body:
        return None
    results = [*result.elts] if isinstance(result, ast.Tuple) else [result]
    code = f"return {', '.join([*map(raised.source, results), name])}"
    words = (
        f"Remove the line {raised.source(declared[0])} from {traced.name}: {name} is then a local name. Return {name} "
        f"as a further result, and assign the result to {name} at the call."
    )
    return FoundCure("a second result", code, words)


def _with_name(node: ast.expr, target: str, name: str) -> str:
    """Return the code of an expression in which a local name stands for the attribute."""

    class Renamed(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            if isinstance(node, ast.expr) and ast.unparse(node) == target:
                return ast.Name(name, ast.Load())
            return ast.NodeTransformer.generic_visit(self, node)

    copy = ast.parse(ast.unparse(node), mode="eval").body
    return ast.unparse(Renamed().visit(copy))
