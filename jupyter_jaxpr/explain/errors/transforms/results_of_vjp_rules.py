"""Explains the results of the rules of a custom_vjp: residuals that are missing, and cotangents that do not fit."""

from __future__ import annotations

import ast
import re

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....plain_text import message_of
from ....quantities import count
from ..control_flow.returned_leaves import short_source
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.only_assignments import only_value
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import AnyFunction, function_of_text, result_of
from ..message_tables.jax_messages import (
    NO_PAIR_OF_FORWARD_RULE,
    OTHER_TYPE_OF_COTANGENT,
    PLACES_OF_COTANGENTS,
    RESIDUALS_OF_FORWARD_RULE,
    RESULT_AND_RESIDUALS,
)
from .derivative_rules import (
    ANOTHER_STRUCTURE,
    NUMBER_OF_COTANGENTS,
    Rules,
    at_rules,
    entries_of_structure,
    rules_of_vjp,
)
from .results_of_jvp_rules import axes_of_type, reductions_in

_OTHER_TYPE = re.compile(
    r"^Custom VJP bwd rule .*?must produce an output with the same type as the args tuple of the primal function, "
    r"but at output\[(?P<position>\d+)\](?P<path>\S*) the bwd rule produced an output of type (?P<got>\S+) "
    r"corresponding to an input of type (?P<wanted>\w+\[[^\]]*\])",
    re.DOTALL,
)
_NO_PAIR = re.compile(
    r"^Custom VJP fwd rule (?P<rule>\S+) for function (?P<function>\S+) must produce a pair .*instead of"
)
_NO_NUMBER = re.compile(r"^Gradient only defined for scalar-output functions\. ")
_KEY = re.compile(r"'((?:[^'\\]|\\.)*)': ")


def vjp_result_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a result of a rule of custom_vjp; None if the code does not show the rule."""
    if raised is None or raised.loops is None or not isinstance(error, TypeError | ValueError):
        return None
    text = message_of(error).strip()
    if match := _NO_PAIR.search(" ".join(text.split())):
        return _no_residuals(raised, match["rule"], match["function"])
    raised = at_rules(raised)
    rules = rules_of_vjp(raised)
    if rules is None:
        return None
    if match := _OTHER_TYPE.search(text):
        return _other_type(raised, rules, match)
    if _NO_NUMBER.search(text):
        return _swapped_pair(raised, rules)
    if match := ANOTHER_STRUCTURE.search(text):
        given = re.sub(r"^PyTreeDef\((.*)\)$", r"\1", match["given"])
        return _other_tuple(raised, rules, entries_of_structure(given), entries_of_structure(match["wanted"]))
    return None


# --- the forward rule ---


def _no_residuals(raised: RaisedAt, rule_name: str, function: str) -> Explained | None:
    """Explains a forward rule that returns the result alone, or the residuals beside the result, not in a tuple."""
    rule = function_of_text(raised, rule_name)
    result = result_of(rule)
    if rule is None or result is None:
        return None
    source = " ".join(raised.source(result).split())
    title = NO_PAIR_OF_FORWARD_RULE.format(function=function)
    explanation = f"{rule_name} returns {source} (line {result.lineno}). {RESIDUALS_OF_FORWARD_RULE}"
    place = edit_of(raised, over(result, "")).place
    words = RESULT_AND_RESIDUALS
    code = None
    if isinstance(result, ast.Tuple) and len(result.elts) > 2:
        first, *others = (" ".join(raised.source(part).split()) for part in result.elts)
        code = f"return {first}, ({', '.join(others)})"
        words = f"Put the residuals {in_a_sentence(others, 4)} into one tuple."
    elif not isinstance(result, ast.Tuple) and (residuals := _residuals(raised, rule)) is not None:
        code = f"return {source}, {residuals}"
        words = f"The backward rule reads {residuals} from the residuals."
    return Explained(place, title, explanation, (FoundCure("a pair", code, words),))


def _swapped_pair(raised: RaisedAt, rules: Rules) -> Explained | None:
    """Explains a forward rule that returns the residuals before the result; JAX then takes them for the result."""
    rule = function_of_text(raised, rules.forward)
    pair, result = result_of(rule), result_of(function_of_text(raised, rules.function))
    if rule is None or result is None or not isinstance(pair, ast.Tuple) or len(pair.elts) != 2:
        return None
    first, second = pair.elts
    if called(first) == rules.function or ast.dump(first) == ast.dump(result):
        return None
    if called(second) != rules.function and ast.dump(second) != ast.dump(result):
        return None
    residuals, result_source = (" ".join(raised.source(part).split()) for part in (first, second))
    title = f"The forward rule {rules.forward} of {rules.function} returns the residuals before the result"
    explanation = (
        f"JAX takes the first element {residuals} for the result of {rules.function}. {RESIDUALS_OF_FORWARD_RULE}"
    )
    words = f"Write {result_source} first, and the residuals second."
    cure = FoundCure("the order", f"return {result_source}, {residuals}", words)
    return Explained(edit_of(raised, over(pair, "")).place, title, explanation, (cure,))


def _residuals(raised: RaisedAt, rule: AnyFunction) -> str | None:
    """Return the arguments of the forward rule that the backward rule takes out of the residuals; None if unclear."""
    rules = rules_of_vjp(raised)
    backward = rules.backward if rules is not None else None
    if not isinstance(backward, ast.FunctionDef) or len(backward.args.args) < 2:
        return None
    residuals = backward.args.args[-2].arg
    taken = [
        node.targets[0].elts
        for node in ast.walk(backward)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Tuple)
        and isinstance(node.value, ast.Name)
        and node.value.id == residuals
    ]
    names = [part.id for part in taken[0] if isinstance(part, ast.Name)] if len(taken) == 1 else [residuals]
    if (taken and len(names) != len(taken[0])) or not set(names) <= {part.arg for part in rule.args.args}:
        return None
    return f"({', '.join(names)}{',' if len(names) == 1 else ''})" if taken else residuals


# --- the backward rule ---


def _other_type(raised: RaisedAt, rules: Rules, match: re.Match[str]) -> Explained | None:
    """Explains a cotangent of another shape or dtype than its argument."""
    number, wanted, got = int(match["position"]), match["wanted"], match["got"]
    result = result_of(rules.backward)
    names = rules.arguments
    if not isinstance(result, ast.Tuple) or number >= len(result.elts) or names is None or number >= len(names):
        return None
    cotangent = result.elts[number]
    if isinstance(cotangent, ast.Name) and rules.backward is not None:
        cotangent = only_value(rules.backward, cotangent.id) or cotangent
    source = " ".join(raised.source(cotangent).split())
    argument = f"{names[number]}{match['path']}"
    title = OTHER_TYPE_OF_COTANGENT.format(type_of_cotangent=got, type_of_argument=wanted)
    explanation = (
        f"{_name(rules)} returns {source} (line {cotangent.lineno}) as the cotangent of {argument}. The cotangent of "
        "an argument has the shape and the type of the argument."
    )
    cure = _cure_of_type(raised, cotangent, argument, wanted, got)
    return Explained(edit_of(raised, over(cotangent, "")).place, title, explanation, (cure,))


def _name(rules: Rules) -> str:
    """Return the name of the backward rule for the start of a sentence."""
    return rules.name if isinstance(rules.backward, ast.FunctionDef) else "The backward rule"


def _cure_of_type(raised: RaisedAt, cotangent: ast.expr, argument: str, wanted: str, got: str) -> FoundCure:
    source = " ".join(raised.source(cotangent).split())
    dtype = wanted.partition("[")[0]
    more = axes_of_type(got) - axes_of_type(wanted)
    reductions = in_a_sentence(reductions_in(raised, cotangent), 4)
    if isinstance(cotangent, ast.Constant) and cotangent.value == 0:
        return FoundCure("None", "None", f"Write None for a cotangent that is 0: {argument} then gets the gradient 0.")
    if more > 0 and got.startswith(f"{dtype}["):
        code = f"{jnp_name(raised)}.sum({source})" if not axes_of_type(wanted) else None
        words = f"Where the function broadcasts {argument}, sum the cotangent over the axes that {argument} lacks."
        return FoundCure("the sum", code, words)
    if more < 0 and reductions:
        words = f"Leave out {reductions}: each element of {argument} has its own cotangent."
        return FoundCure("without the reduction", None, words)
    words = (
        f"Write a cotangent with one element for each element of {argument}: the derivative of the result with respect "
        "to this element, times the cotangent of the result."
    )
    return FoundCure("same type", None, words)


def _other_tuple(raised: RaisedAt, rules: Rules, given: list[str], wanted: list[str]) -> Explained | None:
    """Explains cotangents of the wrong number, in nested tuples, or with other keys than the argument."""
    result = result_of(rules.backward)
    names = rules.arguments
    if not isinstance(result, ast.Tuple) or len(result.elts) != len(given) or names is None:
        return None
    if len(names) != len(wanted):
        return None
    source = " ".join(raised.source(result).split())
    if len(given) == len(wanted):
        return _other_entry(raised, rules, result, given, wanted)
    title = NUMBER_OF_COTANGENTS.format(
        rule=rules.name,
        function=rules.function,
        cotangents=count(len(given), "cotangent"),
        arguments=count(len(wanted), "argument"),
    )
    explanation = f"{_name(rules)} returns {source}. {PLACES_OF_COTANGENTS}"
    if rules.without:
        explanation = f"{explanation} Arguments of nondiff_argnums, here {in_a_sentence(rules.without)}, have none."
    kept = _kept(result, rules, len(wanted))
    words = f"Return a tuple of {count(len(wanted), 'cotangent')}, for {in_a_sentence(names)}."
    code = None
    surplus = [short_source(raised, part) for part in result.elts[len(wanted) :]]
    if kept is None and surplus:
        explanation = f"{explanation} No argument stands at the place of {in_a_sentence(surplus, 4)}."
    if kept is not None:
        parts = ", ".join(" ".join(raised.source(part).split()) for part in kept)
        values = f"({parts},)" if len(kept) == 1 else parts
        code = f"return {values}" if isinstance(rules.backward, ast.FunctionDef) else values
    place = edit_of(raised, over(result, "")).place
    return Explained(place, title, explanation, (FoundCure("a tuple", code, words),))


def _kept(result: ast.Tuple, rules: Rules, number: int) -> list[ast.expr] | None:
    """Return the cotangents of the result that belong to the differentiated arguments; None if the code is unclear."""
    flat = [inner for part in result.elts for inner in (part.elts if isinstance(part, ast.Tuple) else [part])]
    if len(flat) == number and len(flat) > len(result.elts):
        return flat
    if len(result.elts) == len(rules.all_arguments):
        kept = [part for part, name in zip(result.elts, rules.all_arguments, strict=True) if name not in rules.without]
        dropped = [part for part in result.elts if part not in kept]
        if all(isinstance(part, ast.Constant) and part.value is None for part in dropped):
            return kept
    return None


def _other_entry(
    raised: RaisedAt, rules: Rules, result: ast.Tuple, given: list[str], wanted: list[str]
) -> Explained | None:
    """Explains a cotangent that lacks a key of its argument, or has other containers."""
    different = [number for number in range(len(wanted)) if given[number] not in (wanted[number], "None")]
    if len(different) != 1 or rules.arguments is None:
        return None
    number = different[0]
    cotangent, argument = result.elts[number], rules.arguments[number]
    source = " ".join(raised.source(cotangent).split())
    title = f"The cotangent of {argument} has another structure than {argument}"
    explanation = (
        f"{_name(rules)} returns {source} (line {cotangent.lineno}) as the cotangent of {argument}. The structure of "
        f"{argument} is {wanted[number]}, and that of the cotangent is {given[number]}."
    )
    words = f"Return a cotangent with the containers and keys of {argument}, or None for the gradient 0."
    code = None
    missing = [key for key in _KEY.findall(wanted[number]) if key not in _KEY.findall(given[number])]
    if missing and isinstance(cotangent, ast.Dict) and wanted[number].count("{") == given[number].count("{") == 1:
        entries = ", ".join(f'"{key}": None' for key in missing)
        code = f"{source[:-1].rstrip().rstrip(',')}, {entries}}}"
        words = f"Write the cotangent of {in_a_sentence(missing)}. With None, the gradient is 0."
    place = edit_of(raised, over(cotangent, "")).place
    return Explained(place, title, explanation, (FoundCure("same structure", code, words),))
