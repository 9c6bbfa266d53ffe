"""Explains calls of scan, map, while_loop, fori_loop, cond or switch that pass too few, too many or wrong arguments."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt
from ..message_tables.call_messages import LEFT_OUT
from ..message_tables.jax_messages import CALLS_OF_COND, COND_OF_VALUES
from .bodies_with_free_parameters import branch_of_value, with_free_parameters

_TAKES = re.compile(
    r"^(?P<name>\S+)\(\) (?:takes (?P<takes>\d+) positional arguments? but (?P<given>\d+) (?:was|were) given"
    r"|missing (?P<at_least>\d+) required positional arguments?)"
)
_VALUES = re.compile(r"^lax\.cond: true_fun and false_fun arguments should be callable")
_CALLERS = {
    "cond": "cond(test, f, g, x) calls f(x) or g(x): each branch must take the arguments that follow the branches.",
    "switch": (
        "switch(index, branches, x) calls a branch with x: each branch must take the arguments that follow the "
        "branches."
    ),
    "scan": "scan calls its body with the carry and one element of xs: def step(carry, x).",
    "map": "lax.map calls its function with one argument, an element of xs, which may be a tuple.",
    "while_loop": "while_loop calls its condition and its body with one argument, the carry.",
    "fori_loop": "fori_loop calls its body with the index and the carry: def body(i, carry).",
    "associative_scan": "associative_scan calls its function with two elements, or with two stacks of elements.",
}


def argument_error(text: str, raised: RaisedAt | None) -> Explained | None:
    """Explain a call of a loop or conditional that passes a wrong number of arguments, or values as branches."""
    if raised is not None and _VALUES.search(text):
        return _values(raised)
    match = _TAKES.search(text)
    if match is not None and raised is not None and _maps_trees(raised):
        return _leaves(raised, match)
    if match is not None and raised is not None and called(raised.node) in _CALLERS:
        name, construct = match["name"].rpartition(".")[2], called(raised.node)
        if name == construct:
            return _missing_arguments(raised, construct, text)
        function_text = "a lambda" if name == "<lambda>" else name
        title = f"{construct} passes too few arguments to {function_text}"
        if match["given"]:
            passed_arguments = count(int(match["given"]), "argument")
            title = f"{construct} passes {passed_arguments} to {function_text}"
            if match["takes"]:
                taken_count = match["takes"]
                title = f"{construct} passes {passed_arguments} to {function_text}, which takes {taken_count}"
        words = _CALLERS[construct]
        if construct == "switch" and isinstance(raised.node, ast.Call) and len(raised.node.args) == 2:
            words = f"{words} This call has no argument after the branches."
        cures = [FoundCure("arguments", None, words)]
        if match["at_least"] and (operand := _called_result(raised, construct) or _operand(raised, construct)):
            cures = passed(raised, [operand]) or cures
        if (wrapped := with_free_parameters(raised, construct)) is not None:
            cures = passed(raised, [wrapped]) or cures
        if construct == "map" and (taken := _taken_apart(raised)) is not None:
            cures = passed(raised, [taken]) or cures
        return Explained(None, title, "", tuple(cures))
    return None


def _taken_apart(raised: RaisedAt) -> FoundCure | None:
    """Return the cure of lax.map(f, (xs, ys)) whose f takes two arguments: a lambda that takes the tuple apart."""
    match raised.node:
        case ast.Call(args=[ast.Name() | ast.Attribute() as function, *_]):
            pass
        case _:
            return None
    name = next((name for name in ("xs", "args", "element") if name not in raised.module_names), None)
    if name is None:
        return None
    source = raised.source(function)
    code = f"lambda {name}: {source}(*{name})"
    words = f"lax.map passes one tuple with an element of each array. This lambda passes the elements to {source}."
    return applied(FoundCure("the parts of the tuple", code, words), [edit_of(raised, over(function, code))])


def _called_result(raised: RaisedAt, construct: str) -> FoundCure | None:
    """Return the cure of switch(i, branches)(x) and cond(test, f, g)(x), which pass the operands to the result."""
    call = raised.node
    whole = raised.parents.get(id(call)) if call is not None else None
    match call, whole:
        case ast.Call(keywords=[]), ast.Call(args=[_, *_] as operands, keywords=[]) if whole.func is call:
            parts = [raised.source(part) for part in [*call.args, *operands]]
        case _:
            return None
    if construct not in ("cond", "switch"):
        return None
    code = f"{raised.source(call.func)}({', '.join(parts)})"
    words = (
        f"{construct} itself calls a branch, with the arguments that follow the branches in the call of {construct}."
    )
    return applied(FoundCure("the operand", code, words), [edit_of(raised, over(whole, code))])


def _operand(raised: RaisedAt, construct: str) -> FoundCure | None:
    """Return the cure that passes the array in the condition to the branches, too.

    None if the call already passes operands.
    """
    call, places = raised.node, {"cond": 3, "switch": 2}.get(construct)
    if not isinstance(call, ast.Call) or places != len(call.args) or call.keywords or raised.frame is None:
        return None
    names = {
        node.id for node in ast.walk(call.args[0]) if isinstance(node, ast.Name) and dtype_of(value_of(raised, node))
    }
    if construct != "cond" or len(names) != 1:
        return None
    arguments = [*map(raised.source, call.args), *names]
    code = f"{raised.source(call.func)}({', '.join(arguments)})"
    cure = FoundCure("the operand", code, f"The call passes no value to the branches. {_CALLERS[construct]}")
    return applied(cure, [edit_of(raised, over(call, code))])


def _values(raised: RaisedAt) -> Explained | None:
    """Explains cond(test, x, -x): jnp.where chooses between two values."""
    call = raised.node
    if isinstance(call, ast.Call) and len(call.args) > 2 and not call.keywords:
        one_value = branch_of_value(raised, call)
        if one_value is not None:
            return one_value
    if not isinstance(call, ast.Call) or len(call.args) != 3 or call.keywords:
        return None
    code = f"{jnp_name(raised)}.where({', '.join(map(raised.source, call.args))})"
    cure = FoundCure(f"{jnp_name(raised)}.where", code, "jnp.where chooses between two values, and computes both.")
    cures = passed(raised, [applied(cure, [edit_of(raised, over(call, code))])])
    return Explained(None, COND_OF_VALUES, CALLS_OF_COND, tuple(cures)) if cures else None


def _maps_trees(raised: RaisedAt) -> bool:
    """Return whether the failing call is jax.tree.map: the name `map` alone could also mean jax.lax.map."""
    call = raised.node
    if not isinstance(call, ast.Call) or called(call) not in ("map", "tree_map"):
        return False
    return "tree" in ast.unparse(call.func).split(".")[-2:][0]


def _leaves(raised: RaisedAt, match: re.Match[str]) -> Explained | None:
    """Explains jax.tree.map with more or fewer trees than its function has parameters."""
    call = raised.node
    if not isinstance(call, ast.Call) or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    name = match["name"].rpartition(".")[2]
    if name == "tree_unflatten":
        words = "Write def tree_unflatten(cls, aux_data, children), also if the auxiliary data is None."
        title = "JAX passes two arguments to tree_unflatten: the auxiliary data, and then the children"
        return Explained(None, title, "", (FoundCure("the arguments", None, words),))
    function_text = "the lambda" if name == "<lambda>" else name
    trees = count(max(len(call.args) - 1, 0), "tree")
    title = f"{raised.source(call.func)} gets {trees}, but {function_text} takes another number of arguments"
    words = (
        "jax.tree.map passes one leaf of each tree to the function. Pass as many trees as the function has arguments."
    )
    return Explained(None, title, "", (FoundCure("trees", None, words),))


def _missing_arguments(raised: RaisedAt, construct: str, text: str) -> Explained:
    """Explains a call of scan, cond or another construct with too few arguments."""
    names = " and ".join(re.findall(r"'(\w+)'", text))
    numbers = _TAKES.search(text)
    if not names and numbers is not None:
        taken_count, passed_count = numbers["takes"], numbers["given"]
        title = f"{construct} takes {taken_count} arguments by position, but gets {passed_count}"
        words = _CALLERS[construct]
        if construct == "fori_loop" and int(numbers["given"]) > int(numbers["takes"]):
            words = (
                "fori_loop(lower, upper, body, carry) counts from lower to upper - 1, and has no argument for a step. "
                "The body can compute another number from the index."
            )
        if construct == "map":
            words = "Pass several arrays as one tuple: lax.map(lambda pair: pair[0] + pair[1], (a, b))."
        return Explained(None, title, "", (FoundCure("arguments", None, words),))
    title = LEFT_OUT.format(function=construct, arguments=names)
    call = raised.node
    if construct == "fori_loop" and isinstance(call, ast.Call) and len(call.args) == 3 and not call.keywords:
        words = "fori_loop(lower, upper, body, carry) counts from lower to upper - 1."
        arguments = ["0", *(raised.source(argument) for argument in call.args)]
        code = f"{raised.source(call.func)}({', '.join(arguments)})"
        cures = passed(raised, [applied(FoundCure("lower", code, words), [edit_of(raised, over(call, code))])])
        if cures:
            return Explained(None, title, "", tuple(cures))
    words = f"Pass {names} in the call. {_CALLERS[construct]}"
    return Explained(None, title, "", (FoundCure("pass the missing argument", None, words),))
