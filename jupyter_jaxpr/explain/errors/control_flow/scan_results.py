"""Finds cures for a scan body whose result is not (new carry, output).

For example, the body returns the two in reverse order.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from ....observe.observation import FoundCure
from ...trials.refused_assignments import own_nodes
from ...trials.trial_of_error_cure import passed
from ..failing_code.edits import applied, chosen, edit_of, over
from ..failing_code.place_of_error import RaisedAt, at_caller
from ..failing_code.return_values import AnyFunction, result_of
from .loop_bodies import Body

ORDER = "A scan takes the first value that a step returns as the new carry, and the second value as the step's output."


def whole_carry(
    raised: RaisedAt, body: AnyFunction | None, result: ast.expr | None, needs_output: bool
) -> list[FoundCure]:
    """Return the cure `return (a, b), None` for a scan body that returns only its carry: `return a, b`.

    Args:
        raised: The place of the body.
        body: The body.
        result: The value that the body returns.
        needs_output: The code reads the outputs of the scan, so the user must choose an output.
    """
    if result is None or (isinstance(result, ast.Tuple) and any(isinstance(p, ast.Starred) for p in result.elts)):
        return []
    carry = raised.source(result)
    if isinstance(result, ast.Tuple):
        parts = ", ".join(map(raised.source, result.elts))
        carry = f"({parts}{',' * (len(result.elts) == 1)})"
    code = f"{carry}, OUTPUT" if needs_output else f"{carry}, None"
    new = f"({code})" if isinstance(body, ast.Lambda) else code
    text = "Return a pair: the new carry as one tuple, and None as the output of a step without an output."
    if needs_output:
        text = "Return a pair: the new carry as one tuple, and in place of OUTPUT the value that scan stacks."
    cure = FoundCure("a pair", f"return {code}" if isinstance(body, ast.FunctionDef) else new, text)
    edits = [edit_of(raised, over(result, new))]
    return [chosen(cure, edits) if needs_output else applied(cure, edits)]


def reads_output(raised: RaisedAt) -> bool:
    """Return whether the code reads the stacked outputs of the scan, as in `carry, ys = lax.scan(...)`.

    A function that returns the result of the scan gives the outputs to its caller.
    """
    while isinstance(statement := raised.statement_of(raised.node), ast.Return) and statement.value is raised.node:
        if not raised.callers:
            return False
        raised = at_caller(raised, raised.callers[-1])
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=[_, ast.Name(id=name)])], value=value) if value is raised.node:
            module = raised.function or (raised.loops.module if raised.loops is not None else None)
            return module is not None and any(
                isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load)
                for part in ast.walk(module)
            )
        case ast.Assign(value=ast.Subscript(value=value, slice=ast.Constant(value=1))) if value is raised.node:
            return True
    return False


def carry_alone(raised: RaisedAt, loop_body: Body | None) -> list[FoundCure]:
    """Return the cure for a fori_loop or while_loop body that ends with `return carry, None`: `return carry`."""
    result = result_of(loop_body.function) if loop_body is not None else None
    match result:
        case ast.Tuple(elts=[carry, ast.Constant(value=None)]) if not isinstance(carry, ast.Starred):
            code = raised.source(carry)
            is_lambda = loop_body is not None and isinstance(loop_body.function, ast.Lambda)
            cure = FoundCure("carry alone", code if is_lambda else f"return {code}", f"Return {code}.")
            return [applied(cure, [edit_of(raised, over(result, code))])]
    return []


def swapped_cure(raised: RaisedAt, loop_body: Body | None, is_container: bool) -> FoundCure | None:
    """Return the cure that swaps the two values of a scan body; None if the scan fails its trial with the swap.

    The cure has an edit only if names or containers in the code show which of the values is the new carry.

    Args:
        raised: Where the error was raised.
        loop_body: The body of the scan.
        is_container: True if the carry is a container, and the first returned value is not, or is another kind of
            container.
    """
    body = loop_body.function if loop_body is not None else None
    result = result_of(body)
    if loop_body is None or body is None or not isinstance(result, ast.Tuple) or len(result.elts) != 2:
        return None
    first, second = result.elts
    parameters = loop_body.parameters
    if not parameters or any(isinstance(part, ast.Starred) for part in result.elts):
        return None
    old = _names_of_old_carry(body, parameters[0])
    if all(_is_old(part, old) for part in _parts(second)):
        return None  # the second value is the received carry, so with the swap no step would change the carry
    code = f"{raised.source(second)}, {raised.source(first)}"
    code = f"return {code}" if isinstance(body, ast.FunctionDef) else f"({code})"
    edits = [edit_of(raised, over(one, raised.source(other))) for one, other in ((first, second), (second, first))]
    cure = applied(FoundCure("the order", code, ORDER), edits)
    tried = next(iter(passed(raised, [cure])), None)
    if tried is None:
        return None
    second_value = raised.source(second)
    words = f"If {second_value} is the new carry, return {second_value} first. {ORDER}"
    advice = replace(cure, text=words, level="advice", edits=())
    holds_second = any(ast.dump(part) == ast.dump(second) for part in _parts(first))
    by_name = _is_next(second, parameters[0], old) and not _is_next(first, parameters[0], old)
    if tried.code is None:  # the cure had no trial, so only names can show which value is the new carry
        if holds_second or not (by_name or (is_container and _is_of_parts(second, _unpacked(body, parameters[0])))):
            return None
        return advice
    if not holds_second and (by_name or is_container or (isinstance(first, ast.Constant) and first.value is None)):
        return tried
    if all(_is_old(part, old) for part in _parts(first)):
        return None  # the first value is the received carry in another container, so a swap is no cure
    return advice


def returns_parts(loop_body: Body | None) -> bool:
    """Return whether a body returns the parts of its carry one by one: `a, b = carry` and then `return a, b`."""
    result = result_of(loop_body.function) if loop_body is not None else None
    if loop_body is None or not isinstance(result, ast.Tuple) or not loop_body.parameters:
        return False
    names = _unpacked(loop_body.function, loop_body.parameters[0])
    return bool(names) and len(names) == len(result.elts) and all(map(follows, result.elts, names))


def _unpacked(body: AnyFunction, parameter: str) -> list[str]:
    """Return the names in the body's only unpacking of the carry: a and b for `a, b = carry`.

    Empty if there is none.
    """
    targets = [
        node.targets[0].elts
        for node in own_nodes(body)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple | ast.List)
        if isinstance(node.value, ast.Name) and node.value.id == parameter
    ]
    parts = targets[0] if len(targets) == 1 else []
    return (
        [part.id for part in parts if isinstance(part, ast.Name)] if all(isinstance(p, ast.Name) for p in parts) else []
    )


def _is_of_parts(node: ast.expr, names: list[str]) -> bool:
    """Return whether an expression is a tuple or list of the new values of the given names, in the same order."""
    parts = list(_parts(node)) if isinstance(node, ast.Tuple | ast.List) else []
    return bool(names) and len(parts) == len(names) and all(map(follows, parts, names))


def follows(node: ast.expr, name: str) -> bool:
    """Return whether an expression is the name of a part of the carry, or its new name, such as new_h for h."""
    return _is_next(node, name, set())


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the elements of a tuple, list or dict that the code writes out, also of inner ones.

    Else the expression itself.
    """
    match node:
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Dict(values=elements):
            for element in elements:
                yield from _parts(element)
        case _:
            yield node


def _names_of_old_carry(body: AnyFunction, parameter: str) -> set[str]:
    """Return the names that have the received carry or a part of it as their value throughout the body."""
    stores = [node.id for node in own_nodes(body) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    old = {parameter} - set(stores)
    for node in own_nodes(body):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and old and _is_old(node.value, {parameter}):
            targets = [part.id for part in _parts(node.targets[0]) if isinstance(part, ast.Name)]
            old |= {name for name in targets if stores.count(name) == 1}
    return old


def _is_old(node: ast.expr, old: set[str]) -> bool:
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in old


def _is_next(node: ast.expr, parameter: str, old: set[str]) -> bool:
    """Return whether a value's name suggests that the value is the new carry, such as h_new for h."""
    return isinstance(node, ast.Name) and any(
        re.fullmatch(rf"(?:(?:new|next|updated)_?)?{re.escape(name)}(?:_?(?:new|next|updated|prime|1|2))?_?", node.id)
        for name in {parameter, *old}
    )
