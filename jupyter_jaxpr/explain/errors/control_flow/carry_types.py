"""Explains loops whose body changes the type or the structure of the carry, and names the lines of both types."""

from __future__ import annotations

import ast
import math
import re
from dataclasses import replace

from ....observe.observation import FoundCure
from ...trials.refused_assignments import own_nodes
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import AnyFunction, missing_return, result_of
from ..message_tables.jax_messages import FLOAT_QUOTIENT
from .exchanged_parameters import exchanged_parameters
from .loop_bodies import Body, body_of, is_method, passed_in_body
from .returned_leaves import leaf_at, promoted_dtype, short_source
from .scan_results import ORDER, carry_alone, returns_parts, swapped_cure, whole_carry

_CARRY = re.compile(
    r"input carry (?:component )?(?P<path>\S+) has type (?P<before>\S+) but the corresponding output carry component "
    r"has type (?P<after>[^\s,]+(?:,\d+)*\]?)",
)
_ABSTRACT_TYPE = re.compile(r"(\w+)\[([\d,]*)\]")
_CONTAINER = re.compile(r"The input carry \S+ is a <class '(?!jax\._src\.core\.ShapedArray)")
_GROWN = re.compile(r"is a (?:list|tuple) of length (\d+) but .*? (?:list|tuple) of length (\d+)")
_GROWING = frozenset("concatenate append stack vstack hstack column_stack insert pad tile repeat expand_dims".split())
_PAIR = "Return a pair: the new carry and the step's output."
_GROWS = (
    "A carry cannot grow from step to step. Return only the new part as the step's second result, which scan stacks."
)
_GROWS_ELSE = "A carry cannot grow from step to step. Use lax.scan, which stacks the second results of its steps."
_PLACES = {"scan": (0, 1), "while_loop": (1, 2), "fori_loop": (2, 3)}


def carry_error(text: str, raised: RaisedAt | None, name: str) -> Explained:
    """Explain a loop body that returns the carry with another type or structure than the carry that it received."""
    parts = _body_and_carry(raised)
    if raised is not None and parts is not None:
        exchanged = exchanged_parameters(raised, name, body_of(raised, parts[0]))
        if exchanged is not None:
            return exchanged
    changes = list(_CARRY.finditer(text))
    if not changes:
        return _structure_error(text, raised, name)
    path, before, after = changes[0]["path"], changes[0]["before"], changes[0]["after"]
    leaf = "the carry" if path == "loop_carry[1]" else path.replace("loop_carry[1]", "carry")
    explanation = (
        f"A carry must have the same type at each step. This step receives {leaf} with the type {before} and returns "
        f"{leaf} with the type {after}."
    )
    explanation = " ".join([explanation, *_carry_origins(raised, path)])
    if len(changes) > 1:
        other_changes = ", ".join(
            f"{change['path'].replace('loop_carry[1]', 'carry')} ({change['before']} → {change['after']})"
            for change in changes[1:5]
        )
        explanation += f" The types of these carry values also change in the step: {other_changes}."
    type_before, type_after = before, after
    title = f"The carry of {name} changes its type: {type_before} → {type_after}"
    cures = _carry_cures(raised, path, before, after)
    if raised is not None:
        cures = passed(raised, cures)
        has_other_shape = before.partition("[")[2] != after.partition("[")[2]
        if name == "scan" and parts is not None and has_other_shape:
            swapped = swapped_cure(raised, body_of(raised, parts[0]), is_container=False)
            cures = cures if swapped is None else _with_swap(swapped, *cures)
    return Explained(None, title, explanation, tuple(cures))


_STARTS_WITH_NONE = re.compile(r"input (?:\S+ )+?is a NoneType but")
"""The words of JAX's message for a carry, or a component of a carry, that is None before the first step."""


def _structure_error(text: str, raised: RaisedAt | None, name: str) -> Explained:
    """Explain a body that returns the carry with more, fewer or differently nested values."""
    parts = _body_and_carry(raised)
    missing = swapped = None
    if re.search(r"PyTreeDef\(None\)|is a (?:<class ')?NoneType", text) and raised is not None and parts is not None:
        missing = missing_return(raised, function := _function(body_of(raised, parts[0])))
    if raised is not None and missing is not None:
        cures = passed_in_body(raised, function, [missing])
        return Explained(None, f"The body of {name} returns None", "", tuple(cures))
    if name == "scan" and raised is not None and parts is not None:
        body = body_of(raised, parts[0])
        whole = whole_carry(raised, _function(body), result_of(_function(body)))
        cures = passed(raised, whole)
        if is_method(raised, _function(body)) or (
            cures and cures[0].code is None
            # The cure had no trial: it becomes advice if the names show that the body returns the parts of its carry.
        ):
            cures = [replace(cure, level="advice", edits=()) for cure in whole] if returns_parts(body) else []
        if cures:
            title = (
                "The body of a scan returns the parts of the carry in the place of the new carry and the step's output"
            )
            return Explained(None, title, ORDER, tuple(cures))
        swapped = swapped_cure(raised, body, is_container=_CONTAINER.search(text) is not None)
    if name in ("fori_loop", "while_loop") and raised is not None and parts is not None:
        body = body_of(raised, parts[0])
        if alone := passed_in_body(raised, _function(body), carry_alone(raised, body)):
            title = f"The body of {name} returns a pair, but {name} takes the new carry alone"
            words = "Only the body of a scan returns a pair: the new carry and the step's output."
            return Explained(None, title, words, tuple(alone))
    explanation = next((line for line in text.split("\n\n")[1:2] if "PyTreeDef(" not in line), "")
    explanation = re.sub(r"<class '(?:jax\._src\.core\.)?ShapedArray'>", "array", explanation)
    explanation = re.sub(r"a <class '(?:\w+\.)*(\w+)'>", r"a \1", explanation).replace(" a array", " an array")
    cure = FoundCure(
        "same structure",
        None,
        "Return the carry in the structure that the step received: the same tuples and the same keys.",
    )
    explanation = explanation.replace("component loop_carry[1]", _carry_name(raised)).replace(
        "loop_carry[1]", _carry_name(raised)
    )
    if _STARTS_WITH_NONE.search(explanation):
        words = "In place of None, pass an initial carry of the type that the step returns, such as an array of zeros."
        cure = FoundCure("an initial carry", None, words)
    growth = _GROWN.search(" ".join(explanation.split()))
    if growth is not None and int(growth[2]) > int(growth[1]):
        number_of_elements = growth[1]
        words = (
            f"A carry keeps its number of elements, here {number_of_elements}. To collect an element of each step, "
            "return the element as the output of a step of lax.scan. Or start with an array of the final shape, and "
            "set its elements with .at[i].set(...)."
        )
        cure = FoundCure("a fixed length", None, words)
    explanation = " ".join([*explanation.split(), *_carry_origins(raised, "")])
    cures_of_structure = [cure] if swapped is None else _with_swap(swapped, cure)
    return Explained(None, f"The carry of {name} changes its structure", explanation, tuple(cures_of_structure))


def _with_swap(swapped: FoundCure, *others: FoundCure) -> list[FoundCure]:
    """Return only the cure that swaps the results of a scan body if its trial passed; otherwise all cures."""
    return [swapped] if swapped.level == "applies" else [swapped, *others]


def _body_and_carry(raised: RaisedAt | None) -> tuple[ast.expr, ast.expr] | None:
    """Return the expressions of the body and of the initial carry in the failing call of a loop."""
    call = raised.node if raised is not None else None
    if not isinstance(call, ast.Call):
        return None
    places = _PLACES.get(called(call))
    names = {keyword.arg: keyword.value for keyword in call.keywords}
    if places is None:
        return None
    body, start = (call.args[place] if len(call.args) > place else None for place in places)
    body = body or names.get("f") or names.get("body_fun")
    start = start or names.get("init") or names.get("init_val")
    return None if body is None or start is None else (body, start)


def _carry_origins(raised: RaisedAt | None, path: str) -> list[str]:
    """Return sentences that quote the initial carry and the returned carry, each with its line."""
    parts = _body_and_carry(raised)
    if raised is None or parts is None:
        return []
    body, start = parts
    result = _returned_carry(result_of(_function(body_of(raised, body))), called(raised.node))
    leaf = leaf_at(_assigned_value(raised, start), path, raised) or start
    initial = short_source(raised, leaf)
    sentences = [f"The first step receives {initial} (line {leaf.lineno})."]
    if result is not None:
        final_carry = leaf_at(result, path, raised) or result
        returned = short_source(raised, final_carry)
        sentences.append(f"The step returns {returned} (line {final_carry.lineno}).")
    return sentences


def _assigned_value(raised: RaisedAt, node: ast.expr) -> ast.expr:
    """Return the value that the code assigns to a name, if the innermost scope with the name has only one assignment.

    Otherwise return the given expression.
    """
    if not isinstance(node, ast.Name):
        return node
    scope: ast.AST | None = raised.node
    while (scope := raised.parents.get(id(scope))) is not None:
        if not isinstance(scope, ast.FunctionDef | ast.Lambda | ast.Module):
            continue
        if not isinstance(scope, ast.Module):
            parameters = [part.arg for part in ast.walk(scope.args) if isinstance(part, ast.arg)]
            if node.id in parameters:
                return node
        values = [
            statement.value
            for statement in own_nodes(scope)
            if isinstance(statement, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == node.id for target in statement.targets)
        ]
        if values:
            return values[0] if len(values) == 1 and values[0].lineno < raised.place.line else node
    return node


def _returned_carry(result: ast.expr | None, name: str) -> ast.expr | None:
    """Return the expression of the carry in the return value of a loop body."""
    if name != "scan":
        return result
    return result.elts[0] if isinstance(result, ast.Tuple) and len(result.elts) == 2 else None


def _is_growing(raised: RaisedAt | None, before: str, after: str) -> bool:
    """Return whether the loop body makes its carry larger, with concatenate, append or stack."""
    types = [_ABSTRACT_TYPE.fullmatch(type_) for type_ in (before, after)]
    parts = _body_and_carry(raised)
    if raised is None or parts is None or types[0] is None or types[1] is None:
        return False
    sizes = [math.prod(int(size) for size in type_[2].split(",") if size) for type_ in types if type_ is not None]
    body = _function(body_of(raised, parts[0]))
    return sizes[1] > sizes[0] and body is not None and any(called(node) in _GROWING for node in ast.walk(body))


def _function(body: Body | None) -> AnyFunction | None:
    return body.function if body is not None else None


def _carry_name(raised: RaisedAt | None) -> str:
    """Return the name of the carry parameter in the body of a fori_loop."""
    parts = _body_and_carry(raised)
    body = body_of(raised, parts[0]) if raised is not None and parts is not None else None
    names = body.parameters if body is not None else []
    return names[1] if len(names) == 2 else "carry"


def _carry_cures(raised: RaisedAt | None, path: str, before: str, after: str) -> list[FoundCure]:
    type_before, type_after = before.partition("[")[0], after.partition("[")[0]
    if before.partition("[")[2] != after.partition("[")[2]:
        if not _is_growing(raised, before, after):
            words = f"Return an array of the type {before} as the new carry."
            if before.count(",") == after.count(",") and _may_start_with(raised, path, after):
                words = (
                    f"Return an array of the type {before} as the new carry, or pass an array of the type {after} as "
                    "the initial carry."
                )
            return [FoundCure("same shape", None, words)]
        return [
            FoundCure(
                "same shape",
                None,
                "Pass an array of the final shape as the initial carry, and set its elements with .at[i].set(...).",
            ),
            FoundCure(
                "ys", None, _GROWS if called(raised.node if raised is not None else None) == "scan" else _GROWS_ELSE
            ),
        ]
    text = f"Convert the initial carry to {type_after}. Then each step receives {type_after}."
    start = FoundCure(f"start with {type_after}", None, text)
    parts = _body_and_carry(raised)
    leaf = _start_at(raised, path)
    if raised is not None and leaf is not None and promoted_dtype(type_before, type_after) == type_after:
        jnp = jnp_name(raised)
        source = raised.source(leaf)
        number = re.fullmatch(rf"{re.escape(jnp)}\.\w*int\d+\((-?\d+)\)|(-?\d+)", source)
        code = (
            f"{jnp}.{type_after}({number[1] or number[2]})"
            if number
            else f"{jnp}.asarray({source}, {jnp}.{type_after})"
        )
        start = applied(FoundCure(f"start with {type_after}", code, text), [edit_of(raised, over(leaf, code))])
        is_of_integers = "int" in type_before and not number
        if is_of_integers and parts is not None and _divides(_function(body_of(raised, parts[0]))):
            # A conversion to float may not be intended, because a 32-bit float cannot represent all integers.
            words = f"The body divides with /. {FLOAT_QUOTIENT} For floats, convert the initial carry to {type_after}."
            start = FoundCure("// or floats", None, words)
    cures = [start]
    # If each step rounds a float carry to an integer, the condition of a while_loop may never become false.
    if "float" in type_before and "float" in type_after:
        words = f"Convert the new carry back to {type_before} at the end of each step. The conversion may lose digits."
        cures.append(_conversion_at_end(raised, path, type_before, words))
    return cures


def _start_at(raised: RaisedAt | None, path: str) -> ast.expr | None:
    """Return the expression in the initial carry at a path."""
    parts = _body_and_carry(raised)
    if parts is None or raised is None:
        return None
    is_inside = re.search(r"[\[.]", path.removeprefix("loop_carry[1]")) is not None
    return leaf_at(_assigned_value(raised, parts[1]), path, raised) if is_inside else parts[1]


def _may_start_with(raised: RaisedAt | None, path: str, type_: str) -> bool:
    """Return whether JAX can trace the loop with an initial carry of another type."""
    leaf, given = _start_at(raised, path), _ABSTRACT_TYPE.fullmatch(type_)
    if raised is None or leaf is None or given is None:
        return False
    jnp = jnp_name(raised)
    sizes = "".join(f"{size}, " for size in given[2].split(",") if size)
    edit = edit_of(raised, over(leaf, f"{jnp}.zeros(({sizes.rstrip()}), '{given[1]}')"))
    tried = passed(raised, [applied(FoundCure("same shape", None, ""), [edit])])
    return any(cure.level == "applies" for cure in tried)


def _divides(body: AnyFunction | None) -> bool:
    """Return whether a loop body uses the operator /."""
    return body is not None and any(
        isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div) for node in ast.walk(body)
    )


def _conversion_at_end(raised: RaisedAt | None, path: str, dtype: str, text: str) -> FoundCure:
    cure = FoundCure(f"stay {dtype}", None, text)
    parts = _body_and_carry(raised)
    if raised is None or parts is None:
        return cure
    result = _returned_carry(result_of(_function(body_of(raised, parts[0]))), called(raised.node))
    leaf = leaf_at(result, path, raised) if result is not None else None
    if leaf is None:
        return cure
    source = raised.source(leaf)
    code = f"{source if isinstance(leaf, ast.Name | ast.Call) else f'({source})'}.astype('{dtype}')"
    return applied(FoundCure(f"stay {dtype}", code, text), [edit_of(raised, over(leaf, code))])


def pair_error(returned_text: str, raised: RaisedAt | None) -> Explained:
    """Explain a scan body that returns something other than a pair."""
    title = "The body of a scan must return a pair: the new carry and the step's output"
    text = f"{_PAIR} Return None as the output of a step without an output."
    parts = _body_and_carry(raised)
    if raised is None or parts is None:
        return Explained(None, title, "", (FoundCure("a pair", None, text),))
    body = _function(body_of(raised, parts[0]))
    missing = missing_return(raised, body, pair=True)
    result = result_of(body)
    cures = [FoundCure("a pair", None, text)]
    if missing is not None:
        cures = [missing]
    elif result is not None and not isinstance(result, ast.Tuple):
        source = raised.source(result)
        code = f"{source}, None"
        if _reads_output(raised):
            code = f"{source}, {source}"
            text = f"{_PAIR} With the carry as the output, scan stacks the carries."
        new = f"({code})" if isinstance(body, ast.Lambda) else code
        cure = FoundCure("a pair", f"return {code}" if isinstance(body, ast.FunctionDef) else new, text)
        cures = [applied(cure, [edit_of(raised, over(result, new))])]
    else:
        cures = passed_in_body(raised, body, whole_carry(raised, body, result)) or cures
    name = body.name if isinstance(body, ast.FunctionDef) else "The body"
    explanation = f"{name} returns {' '.join(returned_text.split())}."
    return Explained(None, title, explanation, tuple(passed_in_body(raised, body, cures)))


def _reads_output(raised: RaisedAt) -> bool:
    """Return whether the code reads the stacked outputs of the scan, as in `carry, ys = lax.scan(...)`."""
    match raised.statement_of(raised.node):
        case ast.Assign(targets=[ast.Tuple(elts=[_, ast.Name(id=name)])], value=value) if value is raised.node:
            module = raised.function or (raised.loops.module if raised.loops is not None else None)
            return module is not None and any(
                isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load)
                for part in ast.walk(module)
            )
        case ast.Assign(value=ast.Subscript(value=value, slice=ast.Constant(value=1))) if value is raised.node:
            return True
    return False
