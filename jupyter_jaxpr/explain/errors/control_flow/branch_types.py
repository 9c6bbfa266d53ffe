"""Explains conditionals whose branches return different types, and names the line of each result."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ....joined_names import in_a_sentence
from ....observe.observation import Edit, FoundCure
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import AnyFunction, function_of_text, missing_return, result_of
from ..message_tables.jax_messages import FLOAT_QUOTIENT
from .branches_in_message import NAMED_BRANCH, branch_in_message
from .carry_expressions import assigned_value
from .containers_beside_tuples import value_alone
from .keys_of_dicts import with_keys
from .returned_leaves import leaf_at, promoted_dtype, short_source
from .values_of_branches import Returned, beside_array, of_two_lengths

_BRANCH = re.compile(
    r"output of (?P<one>[\w ]+?)(?: at path (?P<path>\S+))? has type (?P<before>\S+) but the corresponding output of "
    r"(?P<other>[\w ]+?) has type (?P<after>\S+\])",
)
_AT_MOST = 4  # a sentence names at most this many arrays
_MISSING = "{function} ends without a return. Return a value of the type that the other branches return."
_NONE = re.compile(r"(?P<branch>true_fun|false_fun|branch ?\d+) output is a <class 'NoneType'>")


@dataclass(frozen=True)
class _Difference:
    """An array of the result whose type differs between two branches.

    Attributes:
        branches: The two branches in the words of JAX's message, such as true_fun or branch 1.
        path: The path of the array in the results; None if each result is one array.
        types: The types that the two branches return.
    """

    branches: tuple[str, str]
    path: str | None
    types: tuple[str, str]

    @property
    def dtypes(self) -> tuple[str, str]:
        """The dtypes that the two branches return."""
        return self.types[0].partition("[")[0], self.types[1].partition("[")[0]

    @property
    def promoted(self) -> str | None:
        """The dtype to which JAX promotes both dtypes."""
        return promoted_dtype(*self.dtypes)

    @property
    def narrower(self) -> int:
        """The place of the branch to convert: 1 if the first branch returns the promoted dtype, otherwise 0."""
        return 1 if self.promoted == self.dtypes[0] else 0


def branch_error(text: str, raised: RaisedAt | None, name: str) -> Explained:
    """Explain a cond or switch whose branches return different types or different structures."""
    differences = [
        _Difference((match["one"], match["other"]), match["path"], (match["before"], match["after"]))
        for match in _BRANCH.finditer(text)
    ]
    if not differences:
        return _structures(text, raised, name)
    first = differences[0]
    path, (type_of_first, type_of_other) = first.path, first.types
    one, other = (re.sub(r"^branch(\d)", r"branch \1", branch_name) for branch_name in first.branches)
    subjects = [re.sub(r"^branch ", "Branch ", branch_name) for branch_name in (one, other)]
    first_branch = subjects[0]
    explanation = f"{first_branch} returns {type_of_first}, but {other} returns {type_of_other}."
    if path:
        explanation = (
            f"{first_branch} returns {type_of_first} at {path}, but {other} returns {type_of_other} at {path}."
        )
    found = [_branch(raised, branch_name, text) for branch_name in first.branches]
    nodes = [branch[1] if branch is not None else None for branch in found]
    if raised is not None:
        for subject, branch in zip(subjects, found, strict=True):
            result = result_of(branch[1]) if branch is not None else None
            if branch is not None and result is not None:
                place = _line(raised, branch[0], result)
                explanation += f" {subject} returns {short_source(branch[0], result)} ({place})."
    if len(differences) > 1:
        others = in_a_sentence(
            [f"{part.path} ({part.types[0]} and {part.types[1]})" for part in differences[1:]], _AT_MOST
        )
        explanation += f" The types also differ at {others}."
    title = f"The branches of {name} return different types: {type_of_first} and {type_of_other}"
    odd = _odd_branch(raised, differences)
    if raised is not None and odd is not None:
        at_path = f" at {path}" if path else ""
        explanation += f" All branches but branch {odd.number} return {odd.usual_type}{at_path}."
        cures = _cures_of_odd_branch(raised, odd, first.path, text)
    else:
        cures = _branch_cures(raised, differences, text)
    if raised is not None:
        quotient = _whole_quotient(raised, nodes, first.types, path) if len(differences) == 1 else []
        whole = [cure for cure in passed(raised, quotient) if cure.level == "applies"]
        tried = passed(raised, cures[:1]) or passed(raised, cures[1:])
        # A conversion to float that a later line does not accept is no cure beside a quotient that this line accepts.
        cures = [*whole, *(cure for cure in tried if not whole or cure.level == "applies")]
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


def _branch(raised: RaisedAt | None, words: str, message: str) -> tuple[RaisedAt, AnyFunction] | None:
    """Return the place and the user's function of a branch that JAX's message calls true_fun or branch 1."""
    call = raised.node if raised is not None else None
    if raised is None or not isinstance(call, ast.Call):
        return None
    number = {"true_fun": 1, "false_fun": 2}.get(words)
    branch = call.args[number] if number is not None and called(call) == "cond" and len(call.args) > number else None
    digits = re.search(r"\d+", words)
    functions = _listed_branches(raised)
    if digits is not None and int(digits[0]) < len(functions):
        branch = functions[int(digits[0])]
    function = function_of_text(raised, branch)
    return (raised, function) if function is not None else branch_in_message(raised, message, words)


def _listed_branches(raised: RaisedAt) -> list[ast.expr]:
    """Return the branches that the code lists for the call of switch; empty if the code shows no list."""
    call = raised.node
    if not isinstance(call, ast.Call) or len(call.args) < 2:
        return []
    branches = assigned_value(raised, call.args[1])
    return branches.elts if isinstance(branches, ast.List | ast.Tuple) else []


def _line(raised: RaisedAt, at: RaisedAt, node: AnyFunction | ast.expr) -> str:
    return f"line {node.lineno}" if at.place.file == raised.place.file else f"line {node.lineno} of another cell"


def _structures(text: str, raised: RaisedAt | None, name: str) -> Explained:
    cure = FoundCure("same structure", None, "Return the same containers with the same keys from all branches.")
    title = f"The branches of {name} return different structures"
    names = {match["branch"]: match["name"] for match in NAMED_BRANCH.finditer(text)}
    none = _NONE.search(text)
    if none is not None:
        branch = none["branch"]
        found = _branch(raised, branch, text)
        written = names.get(branch, branch)
        explanation = f"{branch} returns None" if written == "<lambda>" else f"{written} returns None"
        missing = missing_return(*found) if found is not None else None
        if raised is None or found is None or missing is None:
            return Explained(None, title, f"{explanation}.", (cure,))
        cures = passed(raised, [missing])
        if cures and cures[0].code is not None:
            return Explained(None, title, f"{explanation}.", tuple(cures))
        advice = FoundCure("return", None, _MISSING.format(function=written))
        return Explained(None, title, f"{written} ({_line(raised, *found)}) returns None.", (advice,))
    explanation = next((part for part in text.split("\n\n")[2:3]), "")
    explanation = with_keys(re.sub(r"a <class '(?:\w+\.)*(\w+)'>", r"a \1", explanation))
    if not explanation.startswith(("true_fun", "false_fun", "branch", "At path", "The ")):
        explanation = ""
    words = " ".join(explanation.split()).replace("a pytree leaf", "an array").replace("is a NoneType", "is None")
    branches, with_value = _named_branches(raised, text, words) if raised is not None else ([], None)
    return Explained(None, title, " ".join([words, *branches]).strip(), (with_value or cure,))


def _named_branches(raised: RaisedAt, text: str, explanation: str) -> tuple[list[str], FoundCure | None]:
    """Return sentences that name the functions, lines and results of the branches in an explanation, and a cure.

    The cure is None unless the code of both branches shows the value that one of them lacks.

    Args:
        raised: Where the error was raised.
        text: JAX's message, which says of each branch which function it is.
        explanation: The part of the message that compares the results of two branches.
    """
    sentences: list[str] = []
    tuples: list[tuple[Returned, int]] = []
    results: list[Returned] = []
    for match in NAMED_BRANCH.finditer(text):
        branch, name, file, line = match.group("branch", "name", "file", "line")
        if not re.search(rf"\b{re.escape(branch)}\b", explanation):
            continue
        found = _branch(raised, branch, text)
        at, result = (found[0], result_of(found[1])) if found is not None else (raised, None)
        subject = re.sub("^branch ?", "Branch ", branch)
        is_named = name != "<lambda>"
        if result is not None:
            returned = f"returns {short_source(at, result)} ({_line(raised, at, result)})."
            sentences.append(f"{subject} is {name}, which {returned}" if is_named else f"{subject} {returned}")
        elif is_named:
            sentences.append(
                f"{subject} is {name} (line {line})." if file == raised.place.file else f"{subject} is {name}."
            )
        if result is not None:
            results.append(Returned(name if is_named else branch, at, result))
        if isinstance(result, ast.Tuple) and not any(isinstance(part, ast.Starred) for part in result.elts):
            tuples.append((results[-1], len(result.elts)))
    of_whole_results = " of length " in explanation and not explanation.startswith("At path")
    if len(tuples) == 2 and of_whole_results and tuples[0][1] != tuples[1][1]:
        (shorter, position), (longer, _) = sorted(tuples, key=lambda counted: counted[1])
        assert isinstance(longer.result, ast.Tuple)
        value = short_source(raised, longer.result.elts[position])
        sentences.append(f"At position {position}, {longer.name} returns {value}, and {shorter.name} returns nothing.")
        return sentences, of_two_lengths(raised, shorter, longer)
    with_value = beside_array(raised, results, explanation) or value_alone(raised, results, explanation)
    return sentences, with_value


@dataclass(frozen=True)
class _OddBranch:
    """The only branch of a switch whose result has another shape than the results of all other branches.

    Attributes:
        number: The place of the branch.
        type: The type that the branch returns.
        usual_type: The type that all other branches return.
    """

    number: int
    type: str
    usual_type: str


def _odd_branch(raised: RaisedAt | None, differences: Sequence[_Difference]) -> _OddBranch | None:
    """Return the branch of a switch of three or more branches that differs from all others; None if there is none.

    JAX's message compares two branches only. So a trial replaces one of the two by the other: if JAX can trace the
    switch, all other branches agree.
    """
    branches = _listed_branches(raised) if raised is not None else []
    difference = differences[0]
    numbers = [int(digits[0]) for name in difference.branches if (digits := re.search(r"\d+", name)) is not None]
    if raised is None or len(branches) < 3 or len(differences) > 1 or len(numbers) != 2:
        return None
    if _shape(difference.types[0]) == _shape(difference.types[1]) or max(numbers) >= len(branches):
        return None
    (one, other), (type_of_one, type_of_other) = numbers, difference.types
    for odd, usual, types in ((other, one, (type_of_other, type_of_one)), (one, other, (type_of_one, type_of_other))):
        replaced = edit_of(raised, over(branches[odd], raised.source(branches[usual])))
        tried = passed(raised, [applied(FoundCure("same shape", "", ""), [replaced])])
        # A cure without code had no trial.
        if tried and tried[0].code is not None:
            return _OddBranch(odd, *types)
    return None


def _shape(type_: str) -> list[str]:
    """Return the sizes in a type such as float32[1,4]."""
    return [size for size in type_.partition("[")[2].rstrip("]").split(",") if size]


def _cures_of_odd_branch(raised: RaisedAt, odd: _OddBranch, path: str | None, message: str) -> list[FoundCure]:
    """Return the cures, of which the first that passes counts: without an axis of the size 1, and advice."""
    cures = []
    found = _branch(raised, f"branch {odd.number}", message)
    at, result = (found[0], result_of(found[1])) if found is not None else (raised, None)
    leaf = result if result is None or path is None else leaf_at(result, path, at)
    sizes = _shape(odd.type)
    axes = [axis for axis, size in enumerate(sizes) if size == "1"]
    axes = [axis for axis in axes if sizes[:axis] + sizes[axis + 1 :] == _shape(odd.usual_type)]
    if leaf is not None and axes:
        code = f"{jnp_name(raised)}.squeeze({at.source(leaf)}, axis={axes[0]})"
        text = f"jnp.squeeze leaves out axis {axes[0]}, whose size is 1."
        cures.append(applied(FoundCure("jnp.squeeze", code, text), [edit_of(at, over(leaf, code))]))
    place = f" at {path}" if path else ""
    words = f"Return an array of the type {odd.usual_type}{place} from branch {odd.number}, as from the other branches."
    return [*cures, FoundCure("same shape", None, words)]


def _branch_cures(raised: RaisedAt | None, differences: Sequence[_Difference], message: str) -> list[FoundCure]:
    """Return the cures to try, in this order; the second converts also the branches that JAX did not compare."""
    if any(part.types[0].partition("[")[2] != part.types[1].partition("[")[2] for part in differences):
        several = raised is not None and len(_listed_branches(raised)) > 2
        branches = "all branches: pad the smaller arrays" if several else "both branches: pad the smaller array"
        text = f"Return arrays of one shape from {branches}, or use jnp.broadcast_to."
        return [FoundCure("same shape", None, text)]
    # The cure converts the result of lower dtype to the promoted dtype, such as an integer to a float, never the
    # reverse.
    targets = [part.dtypes[1 - part.narrower] for part in differences]
    text = "All branches must return the same types, because the compiled program has one result type."
    shown = dict.fromkeys(part.promoted or target for part, target in zip(differences, targets, strict=True))
    name = f"return {in_a_sentence([*shown])}"
    cures = []
    if raised is not None and all(part.promoted == target for part, target in zip(differences, targets, strict=True)):
        for with_later_branches in (False, True):
            edits = [_conversions(raised, part, with_later_branches, message) for part in differences]
            if all(edits):
                found = [edit for part in edits for edit in part]
                cures.append(applied(FoundCure(name, found[0].text, text), found))
    return cures or [FoundCure(name, None, text)]


def _conversions(raised: RaisedAt, difference: _Difference, with_later_branches: bool, message: str) -> list[Edit]:
    """Return the edits that convert an array in the branches that return the narrower dtype.

    JAX compares the first branch of a switch with the second, then with the third. So if the first branch returns the
    narrower dtype, all branches up to the named one return this dtype.

    Args:
        raised: Where the error was raised.
        difference: The array.
        with_later_branches: Also convert the array in the branches that follow the named one, whose types are unknown.
        message: JAX's message.

    Returns:
        The edits; empty if the code does not show the array in one of the branches.
    """
    names = [difference.branches[difference.narrower]]
    number = re.search(r"\d+", difference.branches[1])
    if number is not None:
        last = int(number[0])
        names = [f"branch {place}" for place in range(last)] if difference.narrower == 0 else [f"branch {last}"]
        if with_later_branches:
            names += [f"branch {place}" for place in range(last + 1, len(_listed_branches(raised)))]
    dtype = difference.dtypes[1 - difference.narrower]
    edits = []
    for name in names:
        found = _branch(raised, name, message)
        at, result = (found[0], result_of(found[1])) if found is not None else (raised, None)
        leaf = result if result is None or difference.path is None else leaf_at(result, difference.path, at)
        if leaf is None:
            return []
        jnp = jnp_name(raised)
        edits.append(edit_of(at, over(leaf, f"{jnp}.asarray({at.source(leaf)}, {jnp}.{dtype})")))
    return edits
