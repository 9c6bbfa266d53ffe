"""Explains the use of an array whose memory was freed: names the line that donated or deleted it, and gives cures."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from ....interruptions import not_of_a_signal
from ....jax.transform_and_inputs_of_tracer import type_of
from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....plain_text import FAILURES
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt, at_caller
from .deletions import Deletion, deletion_of
from .donating_calls import Donation, donations_of_call, reuse_of_memory
from .donations_by_other_names import by_other_name
from .only_donors import only_donor


def deleted_array(raised: RaisedAt | None, used: Any = None) -> Explained:
    """Explains the use of a deleted array: a call donated the array, or the code called x.delete().

    Args:
        raised: Where the code used the array.
        used: The deleted array itself, if a called function used the array; else None.
    """
    name, type_, array = _deleted_name(raised, used)
    title = f"The array {name} has been deleted" if name else "An array has been deleted"
    explanation = (
        f"An earlier call took {name} ({type_}) as a donated argument, or the code deleted {name}."
        if name
        else "An earlier call took the array as a donated argument, or the code deleted the array."
    )
    words = "Use the result of the call that took the array, or pass a copy to the call, or do not donate the argument."
    use_of_result = FoundCure("the result of the call", None, words)
    donation = _donation(raised, name)
    deletion = deletion_of(raised, name) if raised is not None and name is not None else None
    if donation is None and raised is not None and name is not None and deletion is not None:
        return Explained(None, title, *_deleted(raised, name, type_, deletion))
    if donation is None and raised is not None and name is not None:
        other = by_other_name(raised, name, type_)
        if other is not None:
            return Explained(None, title, *other)
    if donation is None and raised is not None and raised.callers:
        outer = at_caller(raised, raised.callers[-1])
        if _deleted_name(outer, array)[0] is not None:
            return replace(deleted_array(outer, array), place=outer.place)
    if raised is not None and donation is None and (donor := only_donor(raised)) is not None:
        return Explained(None, title, f"{explanation} {donor[0]}", (donor[1], use_of_result))
    if raised is None or donation is None or name is None:
        return Explained(None, title, explanation, (use_of_result,))
    call, argument = donation.call, donation.argument
    passed_name, function_name = raised.source(argument), called(call)
    explanation = (
        f"Line {call.lineno} passes {passed_name} to {function_name}. {reuse_of_memory(donation, name, type_)}"
    )
    if donation.inside is not None:
        explanation = (
            f"Line {call.lineno} passes {passed_name} to {function_name}, whose line {donation.inside.lineno} donates "
            f"the memory of {name} ({type_}): {ast.unparse(donation.inside)}."
        )
    if call is raised.node or call.lineno > raised.place.line:
        explanation += " The previous iteration of the loop already passed the array."
    if deletion is not None:
        line = f"{raised.source(deletion.call)} (line {deletion.call.lineno})"
        words = f"Pass {function_name} a copy of {passed_name}, and leave out {line}, which would delete the array."
        return Explained(None, title, explanation, (FoundCure("a copy", None, words),))
    code = f"{passed_name}.copy()"
    if passed_name != name:
        code = f"jax.tree.map({jnp_name(raised)}.copy, {passed_name})"
    copy = FoundCure(
        "a copy", code, f"The call then donates the copy, and {passed_name} stays usable. The copy takes memory."
    )
    use_of_result = _use_of_result(raised, donation) or use_of_result
    return Explained(None, title, explanation, (applied(copy, [edit_of(raised, over(argument, code))]), use_of_result))


def _deleted(raised: RaisedAt, name: str, type_: str, deletion: Deletion) -> tuple[str, tuple[FoundCure, ...]]:
    """Return the explanation and the cure for an array that the user's code deleted with x.delete()."""
    line = raised.source(deletion.call)
    explanation = f"Line {deletion.call.lineno} deletes {name} ({type_}): {line}."
    if deletion.call.lineno > raised.place.line:
        explanation += " The previous iteration of the loop ran this line."
    words = f"Move {line} behind the last line that uses {name}, or leave {line} out."
    if deletion.through is not None:
        explanation = (
            f"Line {deletion.through.lineno} passes {name} ({type_}) to {called(deletion.through)}, whose line "
            f"{deletion.call.lineno} deletes the array: {line}."
        )
        words = f"Leave out {line}, or pass a copy of {name} to {called(deletion.through)}."
    return explanation, (FoundCure("no delete", None, words),)


def _use_of_result(raised: RaisedAt, donation: Donation) -> FoundCure | None:
    """Return the advice to use the result of the donating call; None if that call is part of a larger expression."""
    call, passed_name = donation.call, raised.source(donation.argument)
    statement, function_name = raised.statement_of(call), called(call)
    if isinstance(statement, ast.Expr) and statement.value is call:
        words = f"Assign the result of {function_name} to a name, and use that name after the call."
        return FoundCure("the result of the call", None, words)
    if not isinstance(statement, ast.Assign) or statement.value is not call:
        return None
    targets = statement.targets
    if len(targets) == 1 and _can_be_renamed(raised, targets[0], donation.argument):
        words = f"Assign the result of {function_name} to {passed_name}, the name of the donated argument."
        return FoundCure("the result of the call", f"{passed_name} = {raised.source(call)}", words)
    parts = [part for target in targets for part in (target.elts if isinstance(target, ast.Tuple) else [target])]
    names = in_a_sentence([raised.source(part) for part in parts], 4)
    words = (
        f"Line {call.lineno} assigns the result of {function_name} to {names}. After the call, the code can use "
        f"the result, but not {passed_name}."
    )
    return FoundCure("the result of the call", None, words)


def _can_be_renamed(raised: RaisedAt, target: ast.expr, argument: ast.expr) -> bool:
    """Return whether the result of the donating call may be assigned to the name of the donated argument instead.

    The result must have the structure and types of the argument, and no code may read the result's present name.
    """
    scope = raised.loops.module if raised.loops is not None else None
    if not isinstance(target, ast.Name) or scope is None:
        return False
    if any(isinstance(part, ast.Name) and part.id == target.id and part is not target for part in ast.walk(scope)):
        return False
    types = [_types_of_leaves(value_of(raised, node)) for node in (target, argument)]
    return types[0] is not None and types[0] == types[1]


def _types_of_leaves(value: Any) -> tuple[Any, list[str]] | None:
    """Return the pytree structure and the types of a value's arrays; None without leaves, or if a leaf is no array."""
    import jax

    leaves, tree = jax.tree_util.tree_flatten(value)
    types = [type_of(leaf) if hasattr(leaf, "dtype") else "" for leaf in leaves]
    return (tree, types) if types and all(types) else None


def _deleted_name(raised: RaisedAt | None, used: Any = None) -> tuple[str | None, str, Any]:
    """Return the name and the type of the deleted array in the failing expression, and the array.

    The array `used` is meant, if the expression reaches this array.
    """
    if raised is None or raised.frame is None or raised.node is None:
        return None, "", used
    found = [
        (f"{raised.source(node)}{path}", type_of(leaf), leaf)
        for node in ast.walk(raised.node)
        if isinstance(node, ast.Name | ast.Subscript | ast.Attribute)
        for path, leaf in _deleted_leaves(value_of(raised, node))
    ]
    first = found[0] if found else (None, "", used)
    return next((name for name in found if name[2] is used), first)


_LEAVES = 1_000


def _deleted_leaves(value: Any) -> list[tuple[str, Any]]:
    """Return the paths of the deleted arrays in a container of Python, with the arrays; a single array has no path."""
    import jax

    try:
        if hasattr(type(value), "is_deleted") and value.is_deleted():
            return [("", value)]
    except not_of_a_signal(*FAILURES):
        return []
    if type(value) not in (dict, list, tuple):
        return []
    leaves = jax.tree_util.tree_flatten_with_path(value)[0][:_LEAVES]
    return [
        (jax.tree_util.keystr(path), leaf) for path, leaf in leaves if isinstance(leaf, jax.Array) and leaf.is_deleted()
    ]


def _donation(raised: RaisedAt | None, name: str | None) -> Donation | None:
    """Return the only call that can have donated the array before the error."""
    if raised is None or raised.loops is None or name is None:
        return None
    found = []
    loop = raised.around(ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    for node in ast.walk(raised.loops.module):
        if not isinstance(node, ast.Call) or _function_around(raised, node) is not raised.function:
            continue
        is_again = loop is not None and any(part is node for part in ast.walk(loop))
        if (node is raised.node or node.lineno > raised.place.line) and not is_again:
            continue
        found += [
            donation for donation in donations_of_call(raised, node, name) if not _is_replaced(raised, node, name)
        ]
    others = [donation for donation in found if donation.call is not raised.node]
    earlier = [donation for donation in others if donation.call.lineno <= raised.place.line]
    donations = earlier or [donation for donation in found if donation.call is raised.node] or others
    return donations[0] if len(donations) == 1 else None


def _function_around(raised: RaisedAt, node: ast.AST) -> ast.AST | None:
    inner: ast.AST | None = node
    while inner is not None and not isinstance(inner, ast.FunctionDef | ast.Lambda):
        inner = raised.parents.get(id(inner))
    return inner


def _is_replaced(raised: RaisedAt, call: ast.Call, name: str) -> bool:
    """Return whether the donating statement, or a line between this and the error, assigns to the name."""
    root = name.partition("[")[0].partition(".")[0]
    scope = raised.function or (raised.loops.module if raised.loops is not None else ast.Module([], []))
    statement = raised.statement_of(call)
    stores = [part for part in ast.walk(scope) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
    return any(
        part.id == root and (raised.statement_of(part) is statement or call.lineno < part.lineno < raised.place.line)
        for part in stores
    )
