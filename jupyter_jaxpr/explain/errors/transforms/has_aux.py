"""Explains has_aux=True of a function that returns no pair; makes the cure has_aux=True, and adapts the names."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ....quantities import count
from ...trials.refused_assignments import used_names
from ...trials.trial_of_error_cure import passed
from ..arguments.tree_differences import with_article
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import Change, applied, edit_of, over
from ..failing_code.place_of_error import RaisedAt, was_raised_in_jax
from ..failing_code.return_values import AnyFunction, function_of_text, result_of
from .transformed_calls import Applied

_OF_FUNCTION = "With has_aux=True, the function returns a pair: the number to differentiate, and an auxiliary value."
_OF_GRAD = f"{_OF_FUNCTION} The call then returns a pair, too: the gradient, and the auxiliary value."
_OF_VALUE_AND_GRAD = f"{_OF_FUNCTION} The call then returns ((number, auxiliary value), gradient)."


_NO_PAIR = re.compile(
    r"^expected function with aux output to return a two-element tuple, but got type <class '(?:\w+\.)*(?P<kind>\w+)'>"
)
#: The errors of JAX's own line `out, aux = f(x)` in jvp and jacfwd, which do not check the result of the function.
_UNPACKED = re.compile(
    r"^(?P<array>iteration over a 0-d array|'NoneType' object has no attribute 'process_primitive'"
    r"|Encountered an unexpected tracer)|^cannot unpack non-iterable (?P<kind>\w+) object"
    r"|^too many values to unpack \(expected 2|^not enough values to unpack \(expected 2, got (?P<count>[01])\)"
)
_OF_ONE_RESULT = frozenset({"grad", "jacobian", "jacfwd", "jacrev", "hessian"})
_OF_OTHERS = "With has_aux=True, the function returns a pair: the result to differentiate, and an auxiliary value."
_LOSS = re.compile("loss|cost|error|objective")


def no_pair_error(call: Applied, text: str) -> Explained | None:
    """Explains jax.value_and_grad(f, has_aux=True)(x) where f returns no pair; None for another message."""
    match = _NO_PAIR.search(text)
    if match is None:
        return None
    kind = match["kind"]
    result = "one array" if kind == "ArrayImpl" or kind.endswith("Tracer") else with_article(kind)
    return _no_pair(call, kind, "None" if kind == "NoneType" else result)


def forward_pair_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains jax.jacfwd(f, has_aux=True)(x) and jax.jvp(f, ..., has_aux=True) where f returns no pair.

    JAX checks no result in forward mode. JAX's line that takes the pair apart raises the error, so the message says
    nothing on has_aux.
    """
    call = Applied(raised).derivative
    transform = called(call.transform) or called(raised.node if raised is not None else None)
    match = _UNPACKED.search(message_of(error).strip())
    if match is None:
        return None
    if not was_raised_in_jax(error):
        return _three_results(raised)
    if transform not in ("jvp", "jacfwd") or not _has_option(call):
        return None
    if match["array"]:
        return _no_pair(call, "array", "one array")
    if match["kind"] == "NoneType":
        return _no_pair(call, "NoneType", "None")
    is_tuple = isinstance(result_of(_function(call)), ast.Tuple)
    return _no_pair(call, "tuple" if is_tuple else "", "another result")


def _three_results(raised: RaisedAt | None) -> Explained | None:
    """Explains y, dy = jax.jvp(f, x, t, has_aux=True), whose call returns the auxiliary value, too."""
    statement = raised.statement_of(raised.node) if raised is not None else None
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=[_, _]) as names], value=ast.Call() as whole) if raised is not None:
            pass
        case _:
            return None
    transform = called(whole)
    has_option = any(keyword.arg == "has_aux" and ast.unparse(keyword.value) == "True" for keyword in whole.keywords)
    if transform not in ("jvp", "vjp", "linearize") or not has_option or raised.node not in (names, statement):
        return None
    title = f"With has_aux=True, {transform} returns 3 results, but the line has 2 names"
    words = "Write a third name for the auxiliary value, which is the last result."
    scope = _scope(raised)
    new = next((name for name in ("aux", "auxiliary") if scope is not None and name not in used_names(scope)), None)
    if new is None or not all(isinstance(name, ast.Name) for name in names.elts):
        return Explained(None, title, "", (FoundCure("a third name", None, words),))
    code = f"{', '.join(map(raised.source, names.elts))}, {new}"
    cure = applied(FoundCure("a third name", code, words), [edit_of(raised, over(names, code))])
    return Explained(None, title, "", tuple(passed(raised, [cure])))


def _no_pair(call: Applied, kind: str, result: str) -> Explained:
    """Explain a function that returns no pair.

    Args:
        call: The call of the transformed function.
        kind: The class of the result; empty if unknown.
        result: The words for the result.
    """
    raised, elements = call.raised, result_of(_function(call))
    transform = called(call.transform) or called(raised.node if raised is not None else None)
    if kind in ("tuple", "list") and isinstance(elements, ast.Tuple | ast.List):
        result = f"a {kind} of {count(len(elements.elts), 'element')}"
    name = _name(call)
    title = f"With has_aux=True, jax.{transform} needs a pair, but {name} returns {result}"
    words = f"Return a pair from {name}, or leave has_aux=True out."
    if kind in ("tuple", "list"):
        words = f"Return a pair from {name}. The second element of the pair may be a tuple of several values."
    cure = FoundCure("a pair", None, words)
    without = [] if kind in ("tuple", "list", "NoneType", "dict", "") else _without_option(call)
    meaning = _OF_FUNCTION if transform in ("grad", "value_and_grad") else _OF_OTHERS
    return call.explained(title, f"{meaning} {call.returns}".strip(), [*without, cure])


def _function(call: Applied) -> AnyFunction | None:
    """Return the function of jax.grad(f, ...)(x), or of jax.jvp(f, ...), if the code defines it."""
    node = call.raised.node if call.raised is not None else None
    if call.transform is None and call.raised is not None and isinstance(node, ast.Call) and node.args:
        return function_of_text(call.raised, node.args[0])
    return call.function


def _name(call: Applied) -> str:
    """Return the name of the function that the transform gets."""
    node = call.raised.node if call.raised is not None else None
    is_passed = call.transform is None and isinstance(node, ast.Call) and bool(node.args)
    if is_passed and isinstance(node, ast.Call) and isinstance(node.args[0], ast.Name):
        return node.args[0].id
    return call.name


def _has_option(call: Applied) -> bool:
    """Return whether the code of the transform says has_aux=True."""
    node = call.transform or (call.raised.node if call.raised is not None else None)
    keywords = node.keywords if isinstance(node, ast.Call) else []
    return any(
        keyword.arg == "has_aux" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True
        for keyword in keywords
    )


def _without_option(call: Applied) -> list[FoundCure]:
    """Return the cure that leaves has_aux=True out; empty if the code would still expect an auxiliary value."""
    raised, transform = call.raised, call.transform
    if raised is None or transform is None or called(transform) not in (*_OF_ONE_RESULT, "value_and_grad"):
        return []
    if not any(keyword.arg == "has_aux" for keyword in transform.keywords):
        return []
    arguments = [raised.source(node) for node in transform.args]
    arguments += [raised.source(keyword) for keyword in transform.keywords if keyword.arg != "has_aux"]
    changes: list[Change] = [over(transform, f"{raised.source(transform.func)}({', '.join(arguments)})")]
    statement = raised.statement_of(raised.node)
    if not isinstance(statement, ast.Expr) or statement.value is not raised.node or call.call is None:
        names = _names_without_auxiliary(raised, transform)
        if names is None:
            return []
        changes.append(names)
    elif not any(part is transform for part in ast.walk(call.call.func)):
        return []  # another line may use the transformed function, whose result would change
    words = "Without has_aux=True, the function returns only the number to differentiate."
    if called(transform) not in ("grad", "value_and_grad"):
        words = "Without has_aux=True, the function returns only the result to differentiate."
    return [applied(FoundCure("without has_aux", changes[0][2], words), [edit_of(raised, c) for c in changes])]


def _names_without_auxiliary(raised: RaisedAt, transform: ast.Call) -> Change | None:
    """Return the change that removes the name of the auxiliary value on the left of the =.

    None if another line reads the name, or if the names do not show which result each name stands for.
    """
    target = _target(raised, transform)
    match target:
        case ast.Tuple(elts=[ast.Tuple(elts=[number, ast.Name(id=unused)]), gradient]) if (
            called(transform) == "value_and_grad"
        ):
            code = f"{raised.source(number)}, {raised.source(gradient)}"
        case ast.Tuple(elts=[gradient, ast.Name(id=unused)]) if called(transform) in _OF_ONE_RESULT:
            code = raised.source(gradient)
        case _:
            return None
    module = raised.loops.module if raised.loops is not None else ast.Module([], [])
    reads = [node for node in ast.walk(module) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    return None if any(node.id == unused for node in reads) else over(target, code)


def has_aux_cure(raised: RaisedAt | None, transform: ast.Call | None, result: ast.expr | None) -> FoundCure:
    """Return the cure has_aux=True. It has an edit only if the statement assigns the results to names.

    With has_aux=True, the call returns another structure, so the names change, too: `value` becomes `value, aux`.

    Args:
        raised: Where the call of the transformed function raised the error.
        transform: The call of grad or value_and_grad; None if the code does not show the call.
        result: The return expression of the transformed function; None if unknown.
    """
    words = {"grad": _OF_GRAD, "value_and_grad": _OF_VALUE_AND_GRAD}.get(called(transform))
    if words is None:
        return FoundCure("has_aux", None, _OF_FUNCTION)
    cure = FoundCure("has_aux", None, words)
    if raised is None or transform is None:
        return cure
    if result is None and transform.args and isinstance(transform.args[0], ast.Attribute):
        # the function that grad gets is a method, as in jax.grad(self.loss)
        result = result_of(function_of_text(raised, transform.args[0].attr))
    if not isinstance(result, ast.Tuple) or len(result.elts) != 2:
        return cure
    source = raised.source(transform)
    with_option = f"{source[:-1].rstrip().rstrip(',')}, has_aux=True)"
    code = with_option
    if isinstance(raised.node, ast.Call) and raised.source(raised.node).startswith(f"{source}("):
        code += raised.source(raised.node)[len(source) :]
    cure = FoundCure("has_aux", code, words)
    target = _target(raised, transform)
    first, second = (ast.unparse(element).lower() for element in result.elts)
    if _LOSS.search(second) and not _LOSS.search(first):
        words = f"The number to differentiate comes first: return {ast.unparse(result.elts[1])} first. {words}"
        return FoundCure("has_aux", code, words)
    if target is None:
        return cure
    option = over(transform, with_option)
    if called(transform) == "grad":
        changes = _of_grad(raised, transform, target, result.elts[1])
    else:
        changes = _of_value_and_grad(raised, target, result.elts[1])
    return cure if changes is None else applied(cure, [edit_of(raised, change) for change in (option, *changes)])


def _target(raised: RaisedAt, transform: ast.Call) -> ast.expr | None:
    """Return the left side of the assignment that calls the transformed function.

    None if the code uses the transformed function elsewhere, or uses its result in another way.
    """
    call = raised.node
    statement = raised.statement_of(call)
    if not isinstance(statement, ast.Assign) or statement.value is not call or len(statement.targets) != 1:
        return None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and raised.loops is not None:
        name = call.func.id
        nodes = [node for node in ast.walk(raised.loops.module) if isinstance(node, ast.Name) and node.id == name]
        if len(nodes) != 2:
            return None  # another line also uses the transformed function, whose result would change
    elif not isinstance(call, ast.Call) or not any(part is transform for part in ast.walk(call.func)):
        return None
    return statement.targets[0]


def _of_grad(raised: RaisedAt, transform: ast.Call, target: ast.expr, second: ast.expr) -> list[Change] | None:
    """Return the edits of the names on the left of an assignment of grad's result.

    None if the names do not show which result each name stands for.
    """
    argnums = next((keyword.value for keyword in transform.keywords if keyword.arg == "argnums"), None)
    if argnums is None and len(transform.args) > 1:
        argnums = transform.args[1]
    if isinstance(target, ast.Tuple):
        names = [raised.source(name) for name in target.elts]
        if len(names) == 2 and names[1] == ast.unparse(second):
            return []
        if not isinstance(argnums, ast.Tuple | ast.List) or len(argnums.elts) != len(names):
            return None
    elif not isinstance(target, ast.Name):
        return None
    elif _is_used_as_pair(raised, target.id):
        return [] if argnums is None else None
    name = _new_name(raised, second)
    text = raised.source(target)
    text = f"({text})" if isinstance(target, ast.Tuple) and not text.startswith("(") else text
    return None if name is None else [over(target, f"{text}, {name}")]


def _of_value_and_grad(raised: RaisedAt, target: ast.expr, second: ast.expr) -> list[Change] | None:
    """Return the edits of the names on the left of an assignment of value_and_grad's result.

    None if their meaning is unclear.
    """
    if not isinstance(target, ast.Tuple):
        return None
    if len(target.elts) == 3 and all(isinstance(name, ast.Name) for name in target.elts):
        number, rest, gradient = map(raised.source, target.elts)
        return [over(target, f"({number}, {rest}), {gradient}")]
    if len(target.elts) != 2:
        return None
    number_node = target.elts[0]
    if isinstance(number_node, ast.Tuple):
        return [] if len(number_node.elts) == 2 else None
    if not isinstance(number_node, ast.Name):
        return None
    if (is_pair := _is_used_as_pair(raised, number_node.id)) is not None:
        return [] if is_pair else None
    name = _new_name(raised, second)
    return None if name is None else [over(number_node, f"({number_node.id}, {name})")]


def _scope(raised: RaisedAt) -> ast.AST | None:
    """Return the innermost function around the statement, or the whole code."""
    return raised.function or (raised.loops.module if raised.loops is not None else None)


def _is_used_as_pair(raised: RaisedAt, name: str) -> bool | None:
    """Return whether the code unpacks the value of a name into two names.

    False if the code only takes elements of the value, such as name[0]. None for other uses.
    """
    scope = _scope(raised)
    answer = None
    for node in ast.walk(scope) if scope is not None else ():
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=[_, _])], value=ast.Name(id=read)) if read == name:
                return True
            case ast.Subscript(value=ast.Name(id=read)) | ast.Starred(value=ast.Name(id=read)) if read == name:
                answer = False
    return answer


def _new_name(raised: RaisedAt, second: ast.expr) -> str | None:
    """Return an unused name for the second value that the function returns, such as `aux`.

    None if each candidate is in use.
    """
    scope = _scope(raised)
    used = used_names(scope) if scope is not None else set()
    wanted = second.id if isinstance(second, ast.Name) else "aux"
    return next((name for name in (wanted, "aux", "auxiliary") if name not in used), None)
