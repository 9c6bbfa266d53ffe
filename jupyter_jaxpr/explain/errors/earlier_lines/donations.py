"""Explains the use of an array whose memory was freed: names the line that donated or deleted it, and gives cures."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any

from ....interruptions import not_of_a_signal
from ....jax.options_of_jit import jit_options
from ....jax.transform_and_inputs_of_tracer import type_of
from ....joined_names import in_a_sentence
from ....observe.functions.function_inside_wrappers import code_of, name_of
from ....observe.observation import FoundCure
from ....observe.user_or_library.whose_code import is_installed
from ....plain_text import FAILURES, file_of
from ...loops.kinds_of_python_loops import parsed
from ..arguments.static_argument_edits import parameters_of
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.origins import value_in, value_of
from ..failing_code.place_of_error import RaisedAt, at_caller
from ..failing_code.return_values import AnyFunction, function_of_text
from .deletions import Deletion, deletion_of
from .only_donors import only_donor

_OPTIONS = ("donate_argnums", "donate_argnames")
_REUSES_BY_OPTION = "The option {option} lets the call reuse the memory of {name} ({type})."
_REUSES = "The call donates this argument, so the call may reuse the memory of {name} ({type})."


@dataclass(frozen=True)
class _Donation:
    """A call that donates an argument.

    Attributes:
        call: The call.
        argument: The expression of the donated argument.
        option: The option of jit that donates the argument; empty if the code does not show it.
        inside: The donating call, if `call` calls a function that makes the donating call; else None.
    """

    call: ast.Call
    argument: ast.expr
    option: str
    inside: ast.Call | None = None


def deleted_array(raised: RaisedAt | None) -> Explained:
    """Explains the use of a deleted array: a call donated the array, or the code called x.delete()."""
    name, type_ = _deleted_name(raised)
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
    if donation is None and raised is not None and raised.callers:
        outer = at_caller(raised, raised.callers[-1])
        outer_name, _ = _deleted_name(outer)
        if outer_name is not None and (_donation(outer, outer_name) or deletion_of(outer, outer_name)):
            return replace(deleted_array(outer), place=outer.place)
    if raised is not None and donation is None and (donor := only_donor(raised)) is not None:
        return Explained(None, title, f"{explanation} {donor[0]}", (donor[1], use_of_result))
    if raised is None or donation is None or name is None:
        return Explained(None, title, explanation, (use_of_result,))
    call, argument = donation.call, donation.argument
    passed_name, function_name = raised.source(argument), called(call)
    reuses = _REUSES_BY_OPTION if donation.option else _REUSES
    explanation = (
        f"Line {call.lineno} passes {passed_name} to {function_name}. "
        f"{reuses.format(option=donation.option, name=name, type=type_)}"
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


def _use_of_result(raised: RaisedAt, donation: _Donation) -> FoundCure | None:
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


def _deleted_name(raised: RaisedAt | None) -> tuple[str | None, str]:
    """Return the name and the type of the deleted array in the failing expression."""
    if raised is None or raised.frame is None or raised.node is None:
        return None, ""
    for node in ast.walk(raised.node):
        if isinstance(node, ast.Name | ast.Subscript | ast.Attribute):
            value = value_of(raised, node)
            try:
                if hasattr(type(value), "is_deleted") and value.is_deleted():
                    return raised.source(node), type_of(value)
            except not_of_a_signal(*FAILURES):
                continue
            if leaf := _deleted_leaf(value):
                return f"{raised.source(node)}{leaf[0]}", leaf[1]
    return None, ""


_LEAVES = 1_000


def _deleted_leaf(value: Any) -> tuple[str, str] | None:
    """Return the path and the type of the first deleted array in a container of Python."""
    import jax

    if type(value) not in (dict, list, tuple):
        return None
    for path, leaf in jax.tree_util.tree_flatten_with_path(value)[0][:_LEAVES]:
        if isinstance(leaf, jax.Array) and leaf.is_deleted():
            return jax.tree_util.keystr(path), type_of(leaf)
    return None


def _donation(raised: RaisedAt | None, name: str | None) -> _Donation | None:
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
        found += [donation for donation in _donations(raised, node, name) if not _is_replaced(raised, node, name)]
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


def _donations(raised: RaisedAt, call: ast.Call, name: str) -> Iterator[_Donation]:
    """Yield the donated arguments of a call that are the given array, or a container with it."""
    jitted = value_of(raised, call.func)
    if (known := jit_options(jitted)) is not None:
        parameters = parameters_of(jitted)
        arguments = [(n, parameters[n] if n < len(parameters) else "", node) for n, node in enumerate(call.args)]
        arguments += [(-1, keyword.arg or "", keyword.value) for keyword in call.keywords]
        for number, parameter, node in arguments:
            if _is_array(raised, node, name) and known.is_donated(number, parameter, len(call.args)):
                yield _Donation(call, node, _written_option(raised, call, jitted))
                return
        return
    if inside := _donated_inside(jitted):
        for parameter, node in zip(parameters_of(jitted), call.args, strict=False):
            if parameter in inside and _is_array(raised, node, name):
                yield _Donation(call, node, "", inside[parameter])
                return
        return
    function, options, is_method = _jitted(raised, call.func)
    names = [] if function is None else [part.arg for part in [*function.args.posonlyargs, *function.args.args]]
    if is_method:
        names = names[1:]
    by_place = [(place, names[place] if place < len(names) else "", node) for place, node in enumerate(call.args)]
    by_name = [
        (names.index(keyword.arg) if keyword.arg in names else -1, keyword.arg or "", keyword.value)
        for keyword in call.keywords
    ]
    for option, value in options:
        donated = _constants(value)
        for place, parameter, node in (*by_place, *by_name):
            if _is_array(raised, node, name) and (
                donated is None or parameter in donated or place + is_method in donated
            ):
                yield _Donation(call, node, option)
                return


def _is_array(raised: RaisedAt, node: ast.expr, name: str) -> bool:
    """Return whether an argument is the array with this code, such as state['w'], or a container with the array."""
    source = raised.source(node)
    is_named = isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
    return is_named and (source == name or name.startswith((f"{source}[", f"{source}.")))


def _written_option(raised: RaisedAt, call: ast.Call, jitted: Any) -> str:
    """Return the option that donates arguments in the code of a jitted function; empty if the code is not found."""
    code, name = code_of(jitted), name_of(jitted)
    loops = parsed("".join(linecache.getlines(file_of(code)))) if code is not None else None
    modules = [source.module for source in (loops, raised.loops) if source is not None]
    options: set[str] = set()
    for node in [part for module in modules for part in ast.walk(module)]:
        makers: list[ast.expr] = []
        if isinstance(node, ast.FunctionDef) and node.name == name:
            makers = node.decorator_list
        elif isinstance(node, ast.Assign) and any(ast.unparse(part) == ast.unparse(call.func) for part in node.targets):
            makers = [node.value]
        elif isinstance(node, ast.Call) and any(ast.unparse(part).rpartition(".")[2] == name for part in node.args):
            makers = [node]
        keywords = [option.arg for maker in makers if isinstance(maker, ast.Call) for option in maker.keywords]
        options |= {option for option in keywords if option in _OPTIONS}
    return options.pop() if len(options) == 1 else ""


def _donated_inside(function: Any) -> dict[str, ast.Call]:
    """Return the parameters of a user's function that the function itself passes to a donating call, with the call."""
    if type(function) is not FunctionType or is_installed(file_of(function.__code__)):
        return {}
    loops = parsed("".join(linecache.getlines(file_of(function.__code__))))
    definitions = [
        node
        for node in (ast.walk(loops.module) if loops is not None else ())
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__
    ]
    donated = {}
    for call in ast.walk(definitions[0]) if len(definitions) == 1 else ():
        if not isinstance(call, ast.Call):
            continue
        jitted = value_in(function.__globals__, call.func)
        options = jit_options(jitted)
        parameters = parameters_of(jitted) if options is not None else []
        for number, node in enumerate(call.args):
            parameter = parameters[number] if number < len(parameters) else ""
            if isinstance(node, ast.Name) and options is not None:
                if options.is_donated(number, parameter, len(call.args)):
                    donated[node.id] = call
    return donated


def _constants(node: ast.expr) -> list[object] | None:
    """Return the numbers or names in an option such as donate_argnums=(0, 1); None for other code."""
    nodes = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    return (
        [part.value for part in nodes if isinstance(part, ast.Constant)]
        if all(isinstance(part, ast.Constant) for part in nodes)
        else None
    )


def _jitted(raised: RaisedAt, node: ast.expr) -> tuple[AnyFunction | None, list[tuple[str, ast.expr]], bool]:
    """Return the called jitted function, the options of its jit that donate arguments, and whether it is a method."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)
    function = function_of_text(raised, name)
    makers: list[ast.expr] = list(function.decorator_list) if isinstance(function, ast.FunctionDef) else []
    is_method = isinstance(node, ast.Attribute) and isinstance(raised.parents.get(id(function)), ast.ClassDef)
    for part in ast.walk(raised.loops.module) if raised.loops is not None and name is not None else ():
        if isinstance(part, ast.Assign) and any(ast.unparse(target) == ast.unparse(node) for target in part.targets):
            makers.append(part.value)
            if isinstance(part.value, ast.Call) and part.value.args:
                function, is_method = function_of_text(raised, part.value.args[0]), False
    options = [
        (option.arg, option.value)
        for maker in makers
        if isinstance(maker, ast.Call)
        for option in maker.keywords
        if option.arg in _OPTIONS
    ]
    return function, options, is_method
