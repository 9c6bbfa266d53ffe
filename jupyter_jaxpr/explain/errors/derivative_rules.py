"""Explains a backward rule of `custom_vjp` that returns no tuple: the rule by its name, at its line."""

from __future__ import annotations

import ast
import re

from ...observe.observation import FoundCure
from ...plain_text import message_of
from .edits import edit_of, over
from .explanation import Explained
from .raised import RaisedAt
from .returned import function_of_text, result_of

_NO_TUPLE = re.compile(
    r"^Custom VJP bwd rule .*?must produce an output with the same container \(pytree\) structure as the args tuple"
    r".*?structure (?P<given>PyTreeDef\(.*?\)) for primal input structure PyTreeDef\((?P<wanted>.*)\)",
    re.DOTALL,
)


def derivative_rule_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """A backward rule of the text that returns one cotangent without a tuple around it."""
    if raised is None or raised.loops is None or not isinstance(error, TypeError | ValueError):
        return None
    found = _NO_TUPLE.search(message_of(error).strip())
    if found is None or found["given"] != "PyTreeDef(*)":
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
    of = raised.source(rules[0].func.value)
    source = " ".join(raised.source(result).split())
    wanted = re.sub(r"^\(|\)$", "", found["wanted"]).count("*")
    title = f"The backward rule {rule} of {of} must return a tuple with one cotangent for each argument"
    said = f"{rule} returns {source}, which is one array. JAX gives each cotangent to the argument at the same place."
    words = "Return a tuple, also for one argument. Write None where an argument has no cotangent."
    cure = FoundCure("a tuple", f"return ({source},)" if wanted == 1 else None, words)
    return Explained(edit_of(raised, over(result, "")).place, title, said, (cure,))
