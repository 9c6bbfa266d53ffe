"""Explains the result of a custom_jvp rule: no pair, a tangent of another type, or of another structure."""

from __future__ import annotations

import ast
import re

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....plain_text import message_of
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.only_assignments import only_value
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import AnyFunction, function_of_text, result_of
from ..message_tables.call_messages import NO_PAIR_OF_JVP_RULE, PAIR_OF_JVP_RULE, RESULT_AND_TANGENT
from ..message_tables.lax_messages import TANGENT_OF_OTHER_TYPE, TYPE_OF_RESULT_TANGENT
from ..message_tables.program_messages import CONTAINERS_OF_RESULT, TANGENT_OF_OTHER_STRUCTURE, TANGENTS_OF_RESULT

_TANGENT = re.compile(
    r"^Custom JVP rule must produce primal and tangent outputs with corresponding shapes and dtypes\. Expected "
    r"(?P<wanted>\S+) \(tangent type of (?P<primal>\S+)\) but got (?P<got>\S+)\.",
    re.DOTALL,
)
_STRUCTURES = re.compile(
    r"^Custom JVP rule (?P<rule>\S+) for function (?P<function>\S+) must produce primal and tangent outputs with equal "
    r"container .*?but got PyTreeDef\((?P<wanted>.*)\) and PyTreeDef\((?P<got>.*)\) respectively",
    re.DOTALL,
)
_SEVERAL = re.compile(r"^Custom JVP rule must produce .*corresponding shapes and dtypes, but got:\n")
_ONE_OF_SEVERAL = re.compile(r"primal (\S+) with tangent (\S+), expecting tangent (\S+)")
_NO_PAIR = re.compile(r"^Custom JVP rule (?P<rule>\S+) for function (?P<function>\S+) must produce a pair .*but got ")
REDUCTIONS = frozenset({"sum", "mean", "max", "min", "prod", "dot", "vdot"})


def jvp_result_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a rule of custom_jvp whose tangent does not fit its result; None if the code does not show the rule."""
    if raised is None or raised.loops is None or not isinstance(error, TypeError):
        return None
    text = message_of(error).strip()
    if match := _TANGENT.search(text):
        return _other_type(raised, match["wanted"], match["got"], match["primal"])
    if match := _STRUCTURES.search(text):
        return _other_structure(raised, match)
    if match := _NO_PAIR.search(" ".join(text.split())):
        return _no_pair(raised, match["rule"], match["function"])
    if _SEVERAL.search(text):
        return _other_types(raised, [match.groups() for match in _ONE_OF_SEVERAL.finditer(text)])
    return None


def _other_type(raised: RaisedAt, wanted: str, got: str, primal: str) -> Explained | None:
    """Explains a tangent of another shape or dtype than the result.

    Args:
        raised: Where the error was raised.
        wanted: The type of a tangent of the result.
        got: The type of the tangent.
        primal: The type of the result.
    """
    rule = _only_rule(raised)
    result = result_of(rule)
    if rule is None or not isinstance(result, ast.Tuple) or len(result.elts) != 2:
        return None
    tangent = result.elts[1]
    if isinstance(tangent, ast.Name):
        tangent = only_value(rule, tangent.id) or tangent
    if isinstance(tangent, ast.Tuple | ast.List | ast.Dict):
        return None
    source = " ".join(raised.source(tangent).split())
    name = rule.name if isinstance(rule, ast.FunctionDef) else "The rule"
    title = TANGENT_OF_OTHER_TYPE.format(type_of_tangent=got, type_of_result=primal)
    explanation = f"{name} returns the tangent {source} (line {tangent.lineno}). {TYPE_OF_RESULT_TANGENT}"
    inside = reductions_in(raised, tangent)
    if inside and axes_of_type(got) < axes_of_type(wanted):
        number_of_reductions = count(len(inside), "reduction")
        explanation = f"{explanation} The code of the tangent contains {number_of_reductions}: {in_a_sentence(inside)}."
    cure = _cure(raised, tangent, result.elts[0], wanted, got, inside)
    return Explained(edit_of(raised, over(tangent, "")).place, title, explanation, (cure,))


def _cure(
    raised: RaisedAt, tangent: ast.expr, result: ast.expr, wanted: str, got: str, reductions: list[str]
) -> FoundCure:
    """Return the advice on a tangent of another type.

    Args:
        raised: Where the error was raised.
        tangent: The tangent that the rule returns.
        result: The result that the rule returns.
        wanted: The type of the result.
        got: The type of the tangent.
        reductions: The reductions in the code of the tangent.
    """
    source, result_source = (" ".join(raised.source(node).split()) for node in (tangent, result))
    dtype = wanted.partition("[")[0]
    if dtype == "float0":
        words = "The result is an integer, whose tangent has no values: return numpy.zeros(shape, jax.dtypes.float0)."
        return FoundCure("float0", None, words)
    if got.partition("[")[2] == wanted.partition("[")[2]:
        match tangent:
            case ast.Call(func=ast.Attribute(value=unconverted, attr="astype")):
                code = raised.source(unconverted)
                words = f"Leave the conversion to {got.partition('[')[0]} out."
                return FoundCure("without astype", code.removeprefix("(").removesuffix(")"), words)
        words = f"Convert the tangent to {dtype}, the dtype of the result."
        return FoundCure("astype", f"({source}).astype({result_source}.dtype)", words)
    if isinstance(tangent, ast.Constant) and tangent.value == 0:
        return _zeros(raised, result)
    more = axes_of_type(got) - axes_of_type(wanted)
    read = {node.id for node in ast.walk(tangent) if isinstance(node, ast.Name)} - {jnp_name(raised)}
    if not read:
        words = f"Compute a tangent of the type {wanted} from the tangents that the rule gets."
        return FoundCure("same type", None, words)
    if more > 0 and not axes_of_type(wanted):
        words = (
            "The result is one number, so its tangent is the sum of the changes that all elements of the arguments "
            f"cause. If {source} holds these changes, sum them."
        )
        return FoundCure("the sum", f"{jnp_name(raised)}.sum({source})", words)
    if more < 0 and reductions:
        inside = in_a_sentence(reductions)
        words = f"Leave out {inside}: each element of the result has its own tangent."
        return FoundCure("without the reduction", None, words)
    words = f"Write a tangent with one element for each element of the result {result_source}, which is {wanted}."
    return FoundCure("same type", None, words)


def _zeros(raised: RaisedAt, result: ast.expr) -> FoundCure:
    """Return the advice on a tangent 0 or None, which lacks the shape of the result."""
    code = f"{jnp_name(raised)}.zeros_like({' '.join(raised.source(result).split())})"
    return FoundCure("zeros_like", code, "A tangent that is 0 needs the shape of the result, too.")


def _other_structure(raised: RaisedAt, match: re.Match[str]) -> Explained | None:
    """Explains one tangent for a result of several arrays, or several tangents for a result of one array."""
    rule = function_of_text(raised, match["rule"]) or _only_rule(raised)
    result = result_of(rule)
    if rule is None or not isinstance(result, ast.Tuple) or len(result.elts) != 2:
        return None
    first, tangent = result.elts
    source, result_source = (" ".join(raised.source(node).split()) for node in (tangent, first))
    title = TANGENT_OF_OTHER_STRUCTURE.format(function=match["function"])
    explanation = (
        f"{match['rule']} returns the result {result_source} of the structure {match['wanted']} and the tangent "
        f"{source} of the structure {match['got']}. {TANGENTS_OF_RESULT}"
    )
    primal = result_of(function_of_text(raised, match["function"]))
    primal = primal if isinstance(primal, ast.Tuple | ast.List) else first
    words = CONTAINERS_OF_RESULT
    if isinstance(primal, ast.Tuple | ast.List) and match["got"] == "*":
        parts = in_a_sentence([" ".join(raised.source(part).split()) for part in primal.elts], 4)
        kind = "tuple" if isinstance(primal, ast.Tuple) else "list"
        words = f"Return a {kind} of {len(primal.elts)} tangents: one for each of {parts}."
    cure = FoundCure("same structure", None, words)
    if isinstance(tangent, ast.Constant) and tangent.value is None:
        cure = _zeros(raised, first)
    return Explained(edit_of(raised, over(tangent, "")).place, title, explanation, (cure,))


def _other_types(raised: RaisedAt, differences: list[tuple[str, ...]]) -> Explained | None:
    """Explains tangents of which some have another type than their result.

    Args:
        raised: Where the error was raised.
        differences: For each wrong tangent, the types of the result, of the tangent, and of the tangent of the result.
    """
    rule = _only_rule(raised)
    result = result_of(rule)
    if rule is None or not isinstance(result, ast.Tuple) or len(result.elts) != 2 or not differences:
        return None
    name = rule.name if isinstance(rule, ast.FunctionDef) else "The rule"
    source = " ".join(raised.source(result.elts[1]).split())
    primal, got, wanted = differences[0]
    title = f"The rule of a custom_jvp returns a tangent {got} for a result {primal}"
    explanation = f"{name} returns the tangents {source} (line {result.elts[1].lineno}). {TYPE_OF_RESULT_TANGENT}"
    words = f"Compute a tangent of the type {wanted} for each result of the type {primal}."
    cure = FoundCure("same type", None, words)
    return Explained(edit_of(raised, over(result.elts[1], "")).place, title, explanation, (cure,))


def _no_pair(raised: RaisedAt, rule_name: str, function: str) -> Explained | None:
    """Explains a rule that returns the tangent alone, or further values beside the result and the tangent."""
    rule = function_of_text(raised, rule_name)
    result = result_of(rule)
    if rule is None or result is None or len(rule.args.args) != 2:
        return None
    if isinstance(result, ast.Tuple) and len(result.elts) < 3:
        return None
    source = " ".join(raised.source(result).split())
    arguments, tangents = (_taken_from(rule, parameter.arg) for parameter in rule.args.args)
    read = {node.id for node in ast.walk(result) if isinstance(node, ast.Name)}
    title = NO_PAIR_OF_JVP_RULE.format(rule=rule_name, function=function)
    explanation = f"{rule_name} returns {source} (line {result.lineno}). {PAIR_OF_JVP_RULE}"
    code = None
    words = RESULT_AND_TANGENT
    if isinstance(result, ast.Tuple):
        # If the first value is the result of the function, and only the second reads tangents, the others are too many.
        first, second, *further = (" ".join(raised.source(part).split()) for part in result.elts)
        own = result_of(function_of_text(raised, function))
        is_result = own is not None and ast.dump(own) == ast.dump(result.elts[0])
        names = [{node.id for node in ast.walk(part) if isinstance(node, ast.Name)} for part in result.elts]
        in_tangents = [bool(read_names & set(tangents)) for read_names in names]
        if (is_result or called(result.elts[0]) == function) and in_tangents[1] and not any(in_tangents[2:]):
            code = f"return {first}, {second}"
            words = f"Leave {in_a_sentence(further, 4)} out: {second} is the tangent of {first}."
    elif arguments and read & set(tangents):
        code = f"return {function}({', '.join(arguments)}), {source}"
        words = f"{source} is the tangent: return the result of {function} before the tangent."
    cures = [FoundCure("a pair", code, words)]
    if code is not None:
        edits = [edit_of(raised, over(result, code.removeprefix("return ")))]
        tried = passed(raised, [applied(cures[0], edits)])
        cures = [cure for cure in tried if cure.edits] or cures
    return Explained(edit_of(raised, over(result, "")).place, title, explanation, tuple(cures))


def _taken_from(rule: AnyFunction, name: str) -> list[str]:
    """Return the names that a rule unpacks from one of its two tuples, as in `x, = primals`; empty if unclear."""
    for node in ast.walk(rule):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Name(id=read)) if read == name:
                names = [part.id for part in parts if isinstance(part, ast.Name)]
                return names if len(names) == len(parts) else []
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                for target, value in zip(targets, values, strict=False):
                    if isinstance(value, ast.Name) and value.id == name and isinstance(target, ast.Tuple):
                        names = [part.id for part in target.elts if isinstance(part, ast.Name)]
                        return names if len(names) == len(target.elts) else []
    return []


def reductions_in(raised: RaisedAt, node: ast.expr) -> list[str]:
    """Return the code of the reductions, such as jnp.sum(x), in an expression."""
    return [
        " ".join(raised.source(part).split())
        for part in ast.walk(node)
        if isinstance(part, ast.Call) and called(part) in REDUCTIONS
    ]


def axes_of_type(type_: str) -> int:
    """Return the number of axes of a type in a message, such as 2 of float32[3,4]."""
    sizes = type_.partition("[")[2].rstrip("]")
    return len(sizes.split(",")) if sizes else 0


def _only_rule(raised: RaisedAt) -> AnyFunction | None:
    """Return the only rule in the code that is passed to `defjvp`, or decorated with it."""
    module = raised.loops.module if raised.loops is not None else ast.Module([], [])
    rules: list[AnyFunction | None] = []
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("defjvp"):
            is_one = node.func.attr == "defjvp" and len(node.args) == 1
            rules.append(function_of_text(raised, node.args[0]) if is_one else None)
        elif isinstance(node, ast.FunctionDef):
            rules += [
                node
                for decorator in node.decorator_list
                if isinstance(decorator, ast.Attribute) and decorator.attr == "defjvp"
            ]
    return rules[0] if len(rules) == 1 else None
