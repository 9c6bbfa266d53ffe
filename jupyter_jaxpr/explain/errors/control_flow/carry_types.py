"""Explains loops whose body changes the type or the structure of the carry, and names the lines of both types."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import result_of
from .bodies_without_return import returns_of_carry
from .carries_of_named_tuples import named_tuple_carry
from .carry_cures import Change, carry_cures
from .carry_expressions import assigned_value, body_and_carry, function_of_body, returned_carry
from .dropped_carries import dropped_carry, drops_names
from .exchanged_parameters import exchanged_parameters
from .keys_of_dicts import with_keys
from .loop_bodies import Body, body_and_place, body_of, passed_in_body
from .made_carries import sentences_on_makers, shape_cure
from .returned_leaves import leaf_at, short_source
from .scan_results import ORDER, carry_alone, reads_output, returns_parts, swapped_cure, whole_carry
from .surplus_elements import surplus_cure

_CARRY = re.compile(
    r"input carry (?:component )?(?P<path>\S+) has type (?P<before>\S+) but the corresponding output carry component "
    r"has type (?P<after>[^\s,]+(?:,\d+)*\]?)",
)
_CONTAINER = re.compile(r"The input carry \S+ is a <class '(?!jax\._src\.core\.ShapedArray)")
_GROWN = re.compile(r"is a (?:list|tuple) of length (\d+) but .*? (?:list|tuple) of length (\d+)")
_PAIR = "Return a pair: the new carry and the step's output."


def carry_error(text: str, raised: RaisedAt | None, name: str) -> Explained:
    """Explain a loop body that returns the carry with another type or structure than the carry that it received."""
    parts = body_and_carry(raised)
    if raised is not None and parts is not None:
        exchanged = exchanged_parameters(raised, name, body_of(raised, parts[0]))
        if exchanged is not None:
            return exchanged
    changes = [Change(match["path"], match["before"], match["after"]) for match in _CARRY.finditer(text)]
    if not changes:
        return _structure_error(text, raised, name)
    first = changes[0]
    explanation = (
        f"A carry must have the same type at each step. This step receives {first.name} with the type {first.before} "
        f"and returns {first.name} with the type {first.after}."
    )
    explanation = " ".join([explanation, *_carry_origins(raised, first.path)])
    if len(changes) > 1:
        other_changes = ", ".join(f"{change.name} ({change.before} → {change.after})" for change in changes[1:5])
        explanation += f" The types of these carry values also change in the step: {other_changes}."
    type_before, type_after = first.before, first.after
    title = f"The carry of {name} changes its type: {type_before} → {type_after}"
    cures = carry_cures(raised, changes)
    if raised is not None:
        cures = passed(raised, cures)
        if parts is not None and first.has_other_shape and all(cure.level != "applies" for cure in cures):
            cures = shape_cure(raised, parts[1], first) or cures
        if name == "scan" and parts is not None and first.has_other_shape:
            swapped = swapped_cure(raised, body_of(raised, parts[0]), is_container=False)
            cures = cures if swapped is None else _with_swap(swapped, *cures)
    return Explained(None, title, explanation, tuple(cures))


_STARTS_WITH_NONE = re.compile(r"input (?:\S+ )+?is a NoneType but")
"""The words of JAX's message for a carry, or a component of a carry, that is None before the first step."""


def _structure_error(text: str, raised: RaisedAt | None, name: str) -> Explained:
    """Explain a body that returns the carry with more, fewer or differently nested values."""
    parts = body_and_carry(raised)
    found = body_and_place(raised, parts[0]) if raised is not None and parts is not None else None
    swapped = None
    if re.search(r"PyTreeDef\(None\)|is a (?:<class ')?NoneType", text) and raised is not None and found is not None:
        if cures := returns_of_carry(raised, *found, name):
            return Explained(None, f"The body of {name} returns None", "", tuple(cures))
    is_dropped = name == "scan" and found is not None and drops_names(found[1])
    if name == "scan" and raised is not None and found is not None and not is_dropped:
        if (parts_alone := _parts_alone(raised, *found)) is not None:
            return parts_alone
    if name == "scan" and raised is not None and parts is not None:
        body = body_of(raised, parts[0])
        swapped = swapped_cure(raised, body, is_container=_CONTAINER.search(text) is not None)
    if name in ("fori_loop", "while_loop") and raised is not None and parts is not None:
        body = body_of(raised, parts[0])
        if alone := passed_in_body(raised, function_of_body(body), carry_alone(raised, body)):
            title = f"The body of {name} returns a pair, but {name} takes the new carry alone"
            words = "Only the body of a scan returns a pair: the new carry and the step's output."
            return Explained(None, title, words, tuple(alone))
    explanation = next((line for line in text.split("\n\n")[1:2] if "PyTreeDef(" not in line), "")
    explanation = re.sub(r"<class '(?:jax\._src\.core\.)?ShapedArray'>", "array", explanation)
    explanation = re.sub(r"a <class '(?:\w+\.)*(\w+)'>", r"a \1", explanation).replace(" a array", " an array")
    explanation = with_keys(explanation)
    cure = FoundCure(
        "same structure",
        None,
        "Return the carry in the structure that the step received: the same tuples and the same keys.",
    )
    explanation = explanation.replace("component loop_carry[1]", _carry_name(raised)).replace(
        "loop_carry[1]", _carry_name(raised)
    )
    if raised is not None and parts is not None:
        named = named_tuple_carry(raised, *found, name, text) if found is not None else None
        cure = named or dropped_carry(raised, body_of(raised, parts[0]), name) or cure
    if _STARTS_WITH_NONE.search(explanation):
        words = "In place of None, pass an initial carry of the type that the step returns, such as an array of zeros."
        cure = FoundCure("an initial carry", None, words)
    surplus = None
    growth = _GROWN.search(" ".join(explanation.split()))
    if growth is not None and int(growth[2]) > int(growth[1]):
        number_of_elements = growth[1]
        words = (
            f"A carry keeps its number of elements, here {number_of_elements}. To collect an element of each step, "
            "return the element as the output of a step of lax.scan. Or start with an array of the final shape, and "
            "set its elements with .at[i].set(...)."
        )
        cure = FoundCure("a fixed length", None, words)
        if raised is not None and parts is not None:
            surplus = surplus_cure(raised, parts[1], body_of(raised, parts[0]), name)
    explanation = " ".join([*explanation.split(), *_carry_origins(raised, "")])
    cures_of_structure = [cure] if swapped is None else _with_swap(swapped, cure)
    if surplus is not None:
        cures_of_structure = [surplus[0]] if surplus[1] else [surplus[0], *cures_of_structure]
    return Explained(None, f"The carry of {name} changes its structure", explanation, tuple(cures_of_structure))


def _parts_alone(raised: RaisedAt, at: RaisedAt, body: Body) -> Explained | None:
    """Explains a scan body that returns `m, p` for the carry (m, p), so the scan takes p for the output of the step.

    Args:
        raised: Where the scan raised the error.
        at: The place of the body.
        body: The body.
    """
    result = result_of(body.function)
    whole = whole_carry(at, body.function, result, needs_output=False)
    cures = passed(raised, whole)
    if cures and cures[0].code is None:
        # The cure had no trial: it becomes advice if the names show that the body returns the parts of its carry.
        cures = [replace(cure, level="advice", edits=()) for cure in whole] if returns_parts(body) else []
    elif cures and reads_output(raised):
        cures = whole_carry(at, body.function, result, needs_output=True)
    if not cures or result is None:
        return None
    title = "The body of a scan returns the parts of the carry in the place of the new carry and the step's output"
    name = getattr(body.function, "name", "The body")
    text = f"{name} returns {short_source(at, result)} (line {result.lineno}). {ORDER}"
    return Explained(edit_of(at, over(result, "")).place, title, text, tuple(cures))


def _with_swap(swapped: FoundCure, *others: FoundCure) -> list[FoundCure]:
    """Return only the cure that swaps the results of a scan body if its trial passed; otherwise all cures."""
    return [swapped] if swapped.level == "applies" else [swapped, *others]


def _carry_origins(raised: RaisedAt | None, path: str) -> list[str]:
    """Return sentences that quote the initial carry and the returned carry, each with its line."""
    parts = body_and_carry(raised)
    if raised is None or parts is None:
        return []
    body, start = parts
    result = returned_carry(result_of(function_of_body(body_of(raised, body))), called(raised.node))
    leaf = leaf_at(assigned_value(raised, start), path, raised) or start
    initial = short_source(raised, leaf)
    sentences = [f"The first step receives {initial} (line {leaf.lineno})."]
    final_carry = None
    if result is not None:
        final_carry = leaf_at(result, path, raised) or result
        returned = short_source(raised, final_carry)
        sentences.append(f"The step returns {returned} (line {final_carry.lineno}).")
    found = body_and_place(raised, body)
    at_body = (found[0], found[1].function) if found is not None else None
    return [*sentences, *(sentences_on_makers(raised, start, path, leaf, at_body, final_carry) if path else [])]


def _carry_name(raised: RaisedAt | None) -> str:
    """Return the name of the carry parameter in the body of a fori_loop."""
    parts = body_and_carry(raised)
    body = body_of(raised, parts[0]) if raised is not None and parts is not None else None
    names = body.parameters if body is not None else []
    return names[1] if len(names) == 2 else "carry"


def pair_error(returned_text: str, raised: RaisedAt | None) -> Explained:
    """Explain a scan body that returns something other than a pair."""
    title = "The body of a scan must return a pair: the new carry and the step's output"
    text = f"{_PAIR} Return None as the output of a step without an output."
    parts = body_and_carry(raised)
    found = body_and_place(raised, parts[0]) if raised is not None and parts is not None else None
    cure = FoundCure("a pair", None, text)
    if raised is None or parts is None:
        return Explained(None, title, "", (cure,))
    if found is None:
        return Explained(None, title, f"The body returns {' '.join(returned_text.split())}.", (cure,))
    at, body = found[0], found[1].function
    name = body.name if isinstance(body, ast.FunctionDef) else "The body"
    result = result_of(body)
    cures = [cure]
    explanation = f"{name} returns {' '.join(returned_text.split())}."
    if returns := returns_of_carry(raised, at, found[1], "scan"):
        return Explained(None, title, explanation, tuple(returns))
    if result is not None and not isinstance(result, ast.Tuple):
        source = at.source(result)
        code = f"{source}, None"
        if reads_output(raised):
            code = f"{source}, {source}"
            text = f"{_PAIR} With the carry as the output, scan stacks the carries."
        new = f"({code})" if isinstance(body, ast.Lambda) else code
        cure = FoundCure("a pair", f"return {code}" if isinstance(body, ast.FunctionDef) else new, text)
        cures = [applied(cure, [edit_of(at, over(result, new))])]
    else:
        whole = whole_carry(at, body, result, reads_output(raised))
        cures = passed_in_body(raised, body, whole, at) or cures
    return Explained(None, title, explanation, tuple(passed_in_body(raised, body, cures, at)))
