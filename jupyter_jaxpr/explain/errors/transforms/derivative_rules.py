"""Explains a `custom_vjp` rule with wrong arguments, or with cotangents of another structure than the arguments."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ....interruptions import not_of_a_signal
from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....plain_text import message_of
from ....quantities import count
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.definitions import at_definition
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import namespace
from ..failing_code.place_of_error import RaisedAt, was_raised_in_jax
from ..failing_code.return_values import AnyFunction, function_of_text, result_of
from ..message_tables.jax_messages import PLACES_OF_COTANGENTS

ANOTHER_STRUCTURE = re.compile(
    r"^Custom VJP bwd rule .*?must produce an output with the same container \(pytree\) structure as the args tuple"
    r".*?structure (?P<given>PyTreeDef\(.*?\)) for primal input structure PyTreeDef\((?P<wanted>.*)\)",
    re.DOTALL,
)


FORWARD_CALL = "JAX calls the forward rule with all arguments of {function}."
BACKWARD_CALL = (
    "JAX calls the backward rule with the arguments of nondiff_argnums, if there are any, then the residuals as one "
    "argument, then the cotangent of the result."
)
NUMBER_OF_COTANGENTS = "The backward rule {rule} of {function} returns {cotangents} for {arguments}"
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
    """Explains a rule with too many parameters, or with cotangents of another structure than the arguments."""
    if raised is None or raised.loops is None or not isinstance(error, TypeError | ValueError):
        return None
    if missing := _MISSING.search(message_of(error).strip()):
        # If the user's code called the rule, the error says nothing about the arguments that JAX would pass.
        is_called_by_jax = was_raised_in_jax(error)
        return _too_few(raised, missing["name"], int(missing["count"])) if is_called_by_jax else None
    match = ANOTHER_STRUCTURE.search(message_of(error).strip())
    if match is None:
        return None
    failing, raised = raised, at_rules(raised)
    given, wanted = re.sub(r"^PyTreeDef\((.*)\)$", r"\1", match["given"]), entries_of_structure(match["wanted"])
    rules = rules_of_vjp(raised, given, len(wanted))
    if rules is None:
        return None
    rule_node, rule, function_text = rules.backward, rules.name, rules.function
    result = result_of(rule_node)
    if result is None or rule_node is None:
        return None
    names = rules.arguments if rules.arguments is not None and len(rules.arguments) == len(wanted) else None
    source = " ".join(raised.source(result).split())
    place = edit_of(raised, over(result, "")).place
    explanation = PLACES_OF_COTANGENTS
    if isinstance(result, ast.Tuple) and given.startswith("("):
        cotangents = [" ".join(raised.source(part).split()) for part in result.elts]
        entries = entries_of_structure(given)
        if len(entries) != len(cotangents) or len(cotangents) >= len(wanted):
            return None
        if any(entry not in (structure, "None") for entry, structure in zip(entries, wanted, strict=False)):
            return None
        title = NUMBER_OF_COTANGENTS.format(
            rule=rule,
            function=function_text,
            cotangents=count(len(cotangents), "cotangent"),
            arguments=count(len(wanted), "argument"),
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
    cure = FoundCure("a tuple", code, words)
    if code is not None:
        tuple_code = code.removeprefix("return ") if isinstance(rule_node, ast.FunctionDef) else code
        edited_cure = applied(cure, [edit_of(raised, over(result, tuple_code))])
        tried = passed(failing, [edited_cure])
        # A rule may stand where no trial reaches the rule: the code is then advice.
        cure = tried[0] if tried and tried[0].level == "applies" else cure
    return Explained(place, title, explanation, (cure,))


def _words_of_tuple(cotangents: list[str], names: Sequence[str]) -> str:
    missing = in_a_sentence(names[len(cotangents) :])
    zero_gradients = f"With None as the cotangent, the gradient for {missing} is zero."
    if len(cotangents) == 1:
        cotangent, argument = cotangents[0], names[0]
        return f"In this tuple, {cotangent} is the cotangent of {argument}. {zero_gradients}"
    return f"In this tuple, only the first {len(cotangents)} arguments have cotangents. {zero_gradients}"


def entries_of_structure(text: str) -> list[str]:
    """Return the entries of a tuple in the text of a pytree structure, such as * and {'w': *} for (*, {'w': *})."""
    entries, depth = [""], 0
    for character in text.strip()[1:-1]:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            entries.append("")
        else:
            entries[-1] += character
    return [entry.strip() for entry in entries if entry.strip()]


@dataclass(frozen=True)
class Rules:
    """The rules of a custom_vjp.

    Attributes:
        function: The code of the function of custom_vjp.
        forward: The code of the forward rule.
        name: The code of the backward rule.
        backward: The backward rule; None if the code does not define the rule.
        all_arguments: The parameters of the function; empty if unknown.
        without: The parameters in nondiff_argnums, which get no cotangent.
        arguments: The parameters that get a cotangent; None if unknown.
    """

    function: str
    forward: str
    name: str
    backward: AnyFunction | None
    all_arguments: tuple[str, ...]
    without: tuple[str, ...]
    arguments: tuple[str, ...] | None


def at_rules(raised: RaisedAt) -> RaisedAt:
    """Return the place of the backward rule in another cell, if the file of the error has no rules of custom_vjp.

    Return the given place if the file has rules, or if several files have rules.
    """
    import jax

    if raised.frame is None or (raised.loops is not None and "defvjp" in "\n".join(raised.loops.lines)):
        return raised
    functions = {id(value): value for value in namespace(raised).values() if type(value) is jax.custom_vjp}
    found = [at_definition(raised, function.bwd) for function in functions.values()]
    places = [place for place in found if place is not None]
    if not places or len(places) < len(found) or len({place.place.file for place, _ in places}) > 1:
        return raised
    return places[0][0]


def rules_of_vjp(raised: RaisedAt, given: str | None = None, number: int = 0) -> Rules | None:
    """Return the rules of the only call of defvjp in the code; None without such a call, or with several.

    JAX's message on cotangents of another structure does not name the rule. Of several rules, the failing rule is then
    the only one that returns cotangents of this structure, and that is for a function of as many arguments.

    Args:
        raised: The place of the rules.
        given: The structure of the failing rule's cotangents, such as `*` or `(*, *)`; None if unknown.
        number: The number of arguments that get a cotangent.
    """
    module = raised.loops.module if raised.loops is not None else ast.Module([], [])
    calls = [
        node
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "defvjp"
    ]
    if len(calls) == 1 or given is None:
        return _rules_of_call(raised, calls[0]) if len(calls) == 1 else None
    all_rules = [_rules_of_call(raised, call) for call in calls]
    failing = [rules for rules in all_rules if rules is None or _may_return(rules, given, number)]
    return failing[0] if len(failing) == 1 else None


def _may_return(rules: Rules, given: str, number: int) -> bool:
    """Return whether a rule may be the failing one: no code says that the rule returns other cotangents."""
    if rules.arguments is not None and len(rules.arguments) != number:
        return False
    result = result_of(rules.backward)
    if not isinstance(result, ast.Tuple) or any(isinstance(part, ast.Starred) for part in result.elts):
        return not (isinstance(result, ast.BinOp | ast.UnaryOp) and given != "*")
    return given.startswith("(") and len(entries_of_structure(given)) == len(result.elts)


def _rules_of_call(raised: RaisedAt, call: ast.Call) -> Rules | None:
    """Return the rules that a call of defvjp sets."""
    if len(call.args) != 2 or not isinstance(call.func, ast.Attribute):
        return None
    function_text, (forward, rule) = raised.source(call.func.value), map(raised.source, call.args)
    function = function_of_text(raised, function_text)
    backward = function_of_text(raised, call.args[1])
    if function is None:
        return Rules(function_text, forward, rule, backward, (), (), None)
    names = tuple(parameter.arg for parameter in [*function.args.posonlyargs, *function.args.args])
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
        return Rules(function_text, forward, rule, backward, names, (), None)
    numbers = (numbers,) if type(numbers) is int else numbers
    without = tuple(name for place, name in enumerate(names) if place in numbers)
    return Rules(function_text, forward, rule, backward, names, without, tuple(n for n in names if n not in without))
