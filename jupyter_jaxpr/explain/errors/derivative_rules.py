"""Explains a rule of `custom_vjp` that takes too many arguments, or a backward rule that returns no tuple."""

from __future__ import annotations

import ast
import re

from ...observe.observation import FoundCure
from ...plain_text import message_of
from ...quantities import count, in_a_sentence
from .edits import edit_of, over
from .explanation import Explained
from .raised import RaisedAt, was_raised_in_jax
from .returned import function_of_text, result_of

_NO_TUPLE = re.compile(
    r"^Custom VJP bwd rule .*?must produce an output with the same container \(pytree\) structure as the args tuple"
    r".*?structure (?P<given>PyTreeDef\(.*?\)) for primal input structure PyTreeDef\((?P<wanted>.*)\)",
    re.DOTALL,
)


_MISSING = re.compile(
    r"^(?:[\w<>]+\.)*(?P<name>\w+|<lambda>)\(\) missing (?P<count>\d+) required positional arguments?: "
)


def _too_few(raised: RaisedAt, name: str, missing: int) -> Explained | None:
    """Explains a rule of custom_vjp that takes more arguments than JAX passes."""
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
            rule_name = "" if name == "<lambda>" else f" {name}"
            title = (
                f"The {rule} rule{rule_name} of {raised.source(node.func.value)} takes {count(takes, 'argument')}, but "
                f"gets {takes - missing}"
            )
            explanation = "The forward rule gets all arguments of the function."
            if rule == "backward":
                explanation = (
                    "The backward rule gets the arguments of nondiff_argnums, if there are some, then the residuals as "
                    "one argument, then the cotangent of the result."
                )
            cure = FoundCure("the arguments", None, f"Give the rule {count(takes - missing, 'parameter')}.")
            return Explained(edit_of(raised, over(argument, "")).place, title, explanation, (cure,))
    return None


def derivative_rule_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a backward rule of custom_vjp that returns one cotangent without a tuple around the cotangent."""
    if raised is None or raised.loops is None or not isinstance(error, TypeError | ValueError):
        return None
    if missing := _MISSING.search(message_of(error).strip()):
        # A call of the rule in the user's own code says nothing about the arguments that JAX passes.
        is_called_by_jax = was_raised_in_jax(error)
        return _too_few(raised, missing["name"], int(missing["count"])) if is_called_by_jax else None
    match = _NO_TUPLE.search(message_of(error).strip())
    if match is None or match["given"] != "PyTreeDef(*)":
        return None
    rules = [
        node
        for node in ast.walk(raised.loops.module)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "defvjp"
    ]
    if len(rules) != 1 or len(rules[0].args) != 2:
        return None
    rule, result = raised.source(rules[0].args[1]), result_of(function_of_text(raised, rules[0].args[1]))
    if result is None or isinstance(result, ast.Tuple) or not isinstance(rules[0].func, ast.Attribute):
        return None
    function_text = raised.source(rules[0].func.value)
    source = " ".join(raised.source(result).split())
    cotangent_count = re.sub(r"^\(|\)$", "", match["wanted"]).count("*")
    title = f"The backward rule {rule} of {function_text} must return a tuple with one cotangent for each argument"
    explanation = (
        f"{rule} returns {source}, which is one array. JAX gives each cotangent to the argument at the same place."
    )
    words = "Return a tuple, also for one argument. Write None where an argument has no cotangent."
    function_node = function_of_text(raised, rules[0].func.value)
    names = [part.arg for part in ast.walk(function_node.args) if isinstance(part, ast.arg)] if function_node else []
    is_flat = re.fullmatch(r"\(\*(?:, \*)*\)", match["wanted"]) and "nondiff" not in "".join(raised.loops.lines)
    if is_flat and len(names) == cotangent_count > 1:
        explanation = (
            f"{rule} returns {source}, which is one array. {function_text} takes {in_a_sentence(names)}, so the tuple "
            f"needs {cotangent_count} cotangents in this order."
        )
        cotangents = f"Return a tuple of the cotangents of {in_a_sentence(names)}."
        words = f"{cotangents} Write None where an argument has no cotangent."
    cure = FoundCure("a tuple", f"return ({source},)" if cotangent_count == 1 else None, words)
    return Explained(edit_of(raised, over(result, "")).place, title, explanation, (cure,))
