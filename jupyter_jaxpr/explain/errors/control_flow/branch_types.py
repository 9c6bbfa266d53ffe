"""Explains conditionals whose branches return different types, and names the line of each result."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import AnyFunction, function_of_text, missing_return, result_of
from ..message_tables.jax_messages import FLOAT_QUOTIENT
from .returned_leaves import leaf_at, promoted_dtype, short_source

_BRANCH = re.compile(
    r"output of (?P<one>[\w ]+?)(?: at path (?P<path>\S+))? has type (?P<before>\S+) but the corresponding output of "
    r"(?P<other>[\w ]+?) has type (?P<after>\S+\])",
)
_NONE = re.compile(r"(?P<branch>true_fun|false_fun|branch ?\d+) output is a <class 'NoneType'>")
_IS = re.compile(r"^(?P<branch>true_fun|false_fun|branch ?\d+) is (?P<name>\S+) at ", re.MULTILINE)


def branch_error(text: str, raised: RaisedAt | None, name: str) -> Explained:
    """Explain a cond or switch whose branches return different types or different structures."""
    match = _BRANCH.search(text)
    if match is None:
        return _structures(text, raised, name)
    before, after = match["before"], match["after"]
    path = match["path"]
    one, other = (re.sub(r"^branch(\d)", r"branch \1", match[group]) for group in ("one", "other"))
    subjects = [re.sub(r"^branch ", "Branch ", branch_name) for branch_name in (one, other)]
    first_branch, type_of_first, type_of_other = subjects[0], before, after
    explanation = f"{first_branch} returns {type_of_first}, but {other} returns {type_of_other}."
    if path:
        explanation = (
            f"{first_branch} returns {type_of_first} at {path}, but {other} returns {type_of_other} at {path}."
        )
    nodes = [_branch(raised, branch_name) for branch_name in (match["one"], match["other"])]
    if raised is not None:
        for subject, node in zip(subjects, nodes, strict=True):
            result = result_of(node)
            if result is not None:
                explanation += f" {subject} returns {short_source(raised, result)} (line {result.lineno})."
    title = f"The branches of {name} return different types: {type_of_first} and {type_of_other}"
    cures = _branch_cures(raised, nodes, before, after, path)
    if raised is not None:
        tried = passed(raised, _whole_quotient(raised, nodes, (before, after), path))
        whole = [cure for cure in tried if cure.level == "applies"]
        # A conversion to float that a later line does not accept is no cure beside a quotient that this line accepts.
        cures = [*whole, *(cure for cure in passed(raised, cures) if not whole or cure.level == "applies")]
    return Explained(None, title, explanation, tuple(cures))


def _whole_quotient(
    raised: RaisedAt, nodes: Sequence[AnyFunction | None], types: Sequence[str], path: str | None
) -> list[FoundCure]:
    """Return the edit of n / 2 to n // 2 in the branch that returns a float, if the other branch returns an integer."""
    for node, type_, other in zip(nodes, types, reversed(types), strict=True):
        result = result_of(node)
        leaf = result if result is None or path is None else leaf_at(result, path, raised)
        match leaf:
            case ast.BinOp(left=left, op=ast.Div(), right=ast.Constant(value=int()) as right) if type_.startswith(
                "float"
            ) and other.startswith(("int", "uint")):
                code = f"{raised.source(left)} // {raised.source(right)}"
                return [applied(FoundCure("//", code, FLOAT_QUOTIENT), [edit_of(raised, over(leaf, code))])]
    return []


def _branch(raised: RaisedAt | None, words: str) -> ast.FunctionDef | ast.Lambda | None:
    """Return the user's function for a branch that JAX's message calls true_fun, false_fun or branch 1."""
    call = raised.node if raised is not None else None
    if raised is None or not isinstance(call, ast.Call):
        return None
    number = {"true_fun": 1, "false_fun": 2}.get(words)
    if number is not None and called(call) == "cond":
        return function_of_text(raised, call.args[number] if len(call.args) > number else None)
    digits = re.search(r"\d+", words)
    if digits is not None and len(call.args) > 1 and isinstance(call.args[1], ast.List | ast.Tuple):
        functions = call.args[1].elts
        return function_of_text(raised, functions[int(digits[0])]) if int(digits[0]) < len(functions) else None
    return None


def _structures(text: str, raised: RaisedAt | None, name: str) -> Explained:
    cure = FoundCure("same structure", None, "Return the same containers with the same keys from all branches.")
    title = f"The branches of {name} return different structures"
    names = {match["branch"]: match["name"] for match in _IS.finditer(text)}
    none = _NONE.search(text)
    if none is not None:
        branch = none["branch"]
        node = _branch(raised, branch)
        written = names.get(branch, branch)
        explanation = f"{branch} returns None" if written == "<lambda>" else f"{written} returns None"
        missing = missing_return(raised, node) if raised is not None else None
        cures = [cure] if missing is None else [missing]
        return Explained(
            None, title, f"{explanation}.", tuple(cures if raised is None else passed(raised, cures)) or (cure,)
        )
    explanation = next((part for part in text.split("\n\n")[2:3]), "")
    explanation = re.sub(r"a <class '(?:\w+\.)*(\w+)'>", r"a \1", explanation)
    if not explanation.startswith(("true_fun", "false_fun", "branch", "At path", "The ")):
        explanation = ""
    return Explained(None, title, " ".join(explanation.split()).replace("a pytree leaf", "an array"), (cure,))


def _branch_cures(
    raised: RaisedAt | None,
    nodes: list[ast.FunctionDef | ast.Lambda | None],
    first_type: str,
    second_type: str,
    path: str | None,
) -> list[FoundCure]:
    types = [first_type.partition("["), second_type.partition("[")]
    if types[0][2] != types[1][2]:
        text = "Return arrays of one shape from both branches: pad the smaller array, or use jnp.broadcast_to."
        return [FoundCure("same shape", None, text)]
    # The cure converts the result of lower dtype to the promoted dtype, such as an integer to a float, never the
    # reverse.
    promoted = promoted_dtype(types[0][0], types[1][0])
    place = 1 if promoted == types[0][0] else 0
    target_dtype = types[1 - place][0]
    text = "All branches must return the same types, because the compiled program has one result type."
    result = result_of(nodes[place])
    if raised is not None and result is not None and path is not None:
        result = leaf_at(result, path, raised)
    if raised is None or result is None or promoted != target_dtype:
        return [FoundCure(f"return {promoted or target_dtype}", None, text)]
    jnp = jnp_name(raised)
    code = f"{jnp}.asarray({raised.source(result)}, {jnp}.{target_dtype})"
    return [applied(FoundCure(f"return {target_dtype}", code, text), [edit_of(raised, over(result, code))])]
