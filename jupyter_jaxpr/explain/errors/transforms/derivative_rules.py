"""Explains a `custom_vjp` or `custom_jvp` rule with wrong arguments, cotangents or tangents."""

from __future__ import annotations

import ast
import re

from ....interruptions import not_of_a_signal
from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....plain_text import message_of
from ....quantities import count
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import edit_of, over
from ..failing_code.only_assignments import only_value
from ..failing_code.place_of_error import RaisedAt, was_raised_in_jax
from ..failing_code.return_values import AnyFunction, function_of_text, result_of
from ..message_tables.jax_messages import PLACES_OF_COTANGENTS
from ..message_tables.lax_messages import TANGENT_OF_OTHER_TYPE, TYPE_OF_RESULT_TANGENT

_NO_TUPLE = re.compile(
    r"^Custom VJP bwd rule .*?must produce an output with the same container \(pytree\) structure as the args tuple"
    r".*?structure (?P<given>PyTreeDef\(.*?\)) for primal input structure PyTreeDef\((?P<wanted>.*)\)",
    re.DOTALL,
)


_TANGENT = re.compile(
    r"^Custom JVP rule must produce primal and tangent outputs with corresponding shapes and dtypes\. Expected "
    r"(?P<wanted>\S+) .*?but got (?P<got>\S+)\.",
    re.DOTALL,
)
FORWARD_CALL = "JAX calls the forward rule with all arguments of {function}."
BACKWARD_CALL = (
    "JAX calls the backward rule with the arguments of nondiff_argnums, if there are any, then the residuals as one "
    "argument, then the cotangent of the result."
)
_REDUCTIONS = frozenset({"sum", "mean", "max", "min", "prod", "dot", "vdot"})
_MISSING = re.compile(
    r"^(?:[\w<>]+\.)*(?P<name>\w+|<lambda>)\(\) missing (?P<count>\d+) required positional arguments?: "
)


def _too_few(raised: RaisedAt, name: str, missing: int) -> Explained | None:
    """Explains a rule of custom_vjp that has more parameters than JAX passes arguments."""
    for node in ast.walk(raised.loops.module if raised.loops is not None else ast.Module([], [])):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "defvjp":
            continue
        for rule, argument in zip(("forward", "backward"), node.args[:2], strict=False):
            function = function_of_text(raised, argument)
            is_it = isinstance(argument, ast.Lambda) if name == "<lambda>" else ast.unparse(argument) == name
            if function is None or not is_it:
                continue
            takes = len([*function.args.posonlyargs, *function.args.args]) - len(function.args.defaults)
            if takes <= missing or (name == "<lambda>" and (rule == "forward" or takes < 3)):
                continue
            rule_name, passed_count = "" if name == "<lambda>" else f" {name}", takes - missing
            title = (
                f"The {rule} rule{rule_name} of {raised.source(node.func.value)} takes {count(takes, 'argument')}, but "
                f"gets {passed_count}"
            )
            explanation = BACKWARD_CALL
            if rule == "forward":
                explanation = FORWARD_CALL.format(function=raised.source(node.func.value))
            cure = FoundCure("the arguments", None, f"Give the rule {count(passed_count, 'parameter')}.")
            return Explained(edit_of(raised, over(argument, "")).place, title, explanation, (cure,))
    return None


def derivative_rule_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a rule with too many parameters, with too few cotangents, or with a tangent of a wrong type."""
    if raised is None or raised.loops is None or not isinstance(error, TypeError | ValueError):
        return None
    if missing := _MISSING.search(message_of(error).strip()):
        # If the user's code called the rule, the error says nothing about the arguments that JAX would pass.
        is_called_by_jax = was_raised_in_jax(error)
        return _too_few(raised, missing["name"], int(missing["count"])) if is_called_by_jax else None
    if match := _TANGENT.search(message_of(error).strip()):
        return _tangent(raised, match["wanted"], match["got"])
    match = _NO_TUPLE.search(message_of(error).strip())
    if match is None:
        return None
    rules = [
        node
        for node in ast.walk(raised.loops.module)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "defvjp"
    ]
    if len(rules) != 1 or len(rules[0].args) != 2 or not isinstance(rules[0].func, ast.Attribute):
        return None
    given, wanted = re.sub(r"^PyTreeDef\((.*)\)$", r"\1", match["given"]), _entries(match["wanted"])
    rule_node = function_of_text(raised, rules[0].args[1])
    result = result_of(rule_node)
    if result is None or rule_node is None:
        return None
    rule, function_text = raised.source(rules[0].args[1]), raised.source(rules[0].func.value)
    names = _arguments(raised, function_text, len(wanted))
    source = " ".join(raised.source(result).split())
    place = edit_of(raised, over(result, "")).place
    explanation = PLACES_OF_COTANGENTS
    if isinstance(result, ast.Tuple) and given.startswith("("):
        cotangents = [" ".join(raised.source(part).split()) for part in result.elts]
        if len(_entries(given)) != len(cotangents) or len(cotangents) >= len(wanted):
            return None
        title = (
            f"The backward rule {rule} of {function_text} returns {count(len(cotangents), 'cotangent')}, but "
            f"{count(len(wanted), 'argument')} of {function_text} get a cotangent"
        )
        explanation = f"{rule} returns {source}. {explanation}"
        is_first = True
    elif isinstance(result, ast.Tuple) or given.startswith("("):
        return None
    else:
        cotangents, is_first = [source], given == wanted[0]
        title = f"The backward rule {rule} of {function_text} must return a tuple with one cotangent for each argument"
        if given == "*":
            explanation = f"{rule} returns {source}, which is one array. {explanation}"
    if names is not None and len(names) > 1:
        explanation = f"{explanation} The arguments that get a cotangent are {in_a_sentence(names)}."
    words = "Return a tuple, also for one argument. Write None where an argument has no cotangent."
    code = None
    if is_first:
        values = ", ".join([*cotangents, *["None"] * (len(wanted) - len(cotangents))])
        values = f"({values},)" if len(wanted) == 1 else values
        code = f"return {values}" if isinstance(rule_node, ast.FunctionDef) else f"({values})"
        code = values if len(wanted) == 1 and isinstance(rule_node, ast.Lambda) else code
        if names is not None and len(cotangents) < len(names):
            words = _words_of_tuple(cotangents, names)
    return Explained(place, title, explanation, (FoundCure("a tuple", code, words),))


def _words_of_tuple(cotangents: list[str], names: list[str]) -> str:
    missing = in_a_sentence(names[len(cotangents) :])
    zero_gradients = f"With None as the cotangent, the gradient for {missing} is zero."
    if len(cotangents) == 1:
        cotangent, argument = cotangents[0], names[0]
        return f"In this tuple, {cotangent} is the cotangent of {argument}. {zero_gradients}"
    return f"In this tuple, only the first {len(cotangents)} arguments have cotangents. {zero_gradients}"


def _entries(text: str) -> list[str]:
    """Return the entries of a tuple in the text of a pytree structure, such as * and {'w': *} for (*, {'w': *})."""
    entries, depth = [""], 0
    for character in text.strip()[1:-1]:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            entries.append("")
        else:
            entries[-1] += character
    return [entry.strip() for entry in entries if entry.strip()]


def _arguments(raised: RaisedAt, function_text: str, number: int) -> list[str] | None:
    """Return the names of the arguments for which the backward rule must return a cotangent.

    None if the code does not show them.
    """
    function = function_of_text(raised, function_text)
    if function is None:
        return None
    names = [parameter.arg for parameter in [*function.args.posonlyargs, *function.args.args]]
    options = [
        keyword.value
        for decorator in getattr(function, "decorator_list", [])
        if isinstance(decorator, ast.Call)
        for keyword in decorator.keywords
        if keyword.arg == "nondiff_argnums"
    ]
    try:
        numbers = ast.literal_eval(options[0]) if options else ()
    except not_of_a_signal(ValueError):
        return None
    numbers = (numbers,) if type(numbers) is int else numbers
    names = [name for place, name in enumerate(names) if place not in numbers]
    return names if len(names) == number else None


def _tangent(raised: RaisedAt, wanted: str, got: str) -> Explained | None:
    """Explains a rule of custom_jvp that returns a tangent of another type than its result.

    None if the code is unclear.
    """
    rule = _rule_of_jvp(raised)
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
    title = TANGENT_OF_OTHER_TYPE.format(type_of_tangent=got, type_of_result=wanted)
    explanation = f"{name} returns the tangent {source} (line {tangent.lineno}). {TYPE_OF_RESULT_TANGENT}"
    reductions = [
        " ".join(raised.source(node).split())
        for node in ast.walk(tangent)
        if isinstance(node, ast.Call) and called(node) in _REDUCTIONS
    ]
    words = f"Compute a tangent of the type {wanted} from the tangents that the rule gets."
    if reductions and _axes(got) < _axes(wanted):
        number_of_reductions = count(len(reductions), "reduction")
        explanation = (
            f"{explanation} The code of the tangent contains {number_of_reductions}: {in_a_sentence(reductions)}."
        )
    cure = FoundCure("same type", None, words)
    return Explained(edit_of(raised, over(tangent, "")).place, title, explanation, (cure,))


def _axes(type_: str) -> int:
    sizes = type_.partition("[")[2].rstrip("]")
    return len(sizes.split(",")) if sizes else 0


def _rule_of_jvp(raised: RaisedAt) -> AnyFunction | None:
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
