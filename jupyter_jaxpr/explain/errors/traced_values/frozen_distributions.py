"""Rewrites a method of a frozen distribution of SciPy, such as norm(0, 1).cdf(x), as a function of jax.scipy."""

from __future__ import annotations

import ast
import sys
import types
from pathlib import Path
from typing import Any

from ....jax.facts import jax_directory
from ....observe.observation import FoundCure
from ....observe.side_effects.attribute_reads import instance_dict
from ....plain_text import own_name
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import namespace
from ..failing_code.only_assignments import only_value
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt

#: Methods of a frozen distribution that take one array.
_METHODS = frozenset("pdf logpdf pmf logpmf cdf logcdf sf logsf ppf isf".split())


def frozen_distribution(raised: RaisedAt, call: ast.Call) -> FoundCure | None:
    """Return the cure jax.scipy.stats.norm.cdf(x, 0, 1) of norm(0, 1).cdf(x); None for another call.

    Args:
        raised: Where the error was raised.
        call: The failing call.
    """
    match call:
        case ast.Call(func=ast.Attribute(value=holder, attr=method), args=[value], keywords=[]) if method in _METHODS:
            pass
        case _:
            return None
    made = _call_of_distribution(raised, holder)
    if made is None or any(keyword.arg is None for keyword in made.keywords):
        return None
    if any(isinstance(argument, ast.Starred) for argument in [value, *made.args]):
        return None
    name = distribution_name(_value(raised, made.func))
    parameters = _parameters_in_file(name, method) if name is not None else []
    if namespace(raised).get("jax") is not sys.modules.get("jax") or not parameters:
        return None
    if len(made.args) > len(parameters) - 1 or any(keyword.arg not in parameters for keyword in made.keywords):
        return None
    module = f"jax.scipy.stats.{name}"
    function = f"{module}.{method}"
    code = f"{function}({', '.join(map(raised.source, [value, *made.args, *made.keywords]))})"
    words = (
        f"{function} works on traced arrays. The array is the first argument, and the parameters of the distribution "
        "follow."
    )
    if module in sys.modules:
        return applied(FoundCure(function, code, words), [edit_of(raised, over(call, code))])
    return FoundCure(function, code, f"{words} Write import {module} first.")


def _parameters_in_file(distribution: str, method: str) -> list[str]:
    """Return the parameters of a function of jax.scipy.stats, read from a file, as its module may not be imported.

    An empty list if JAX does not have the function.
    """
    file = Path(jax_directory()) / "_src" / "scipy" / "stats" / f"{distribution}.py"
    if not file.is_file():
        return []
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.FunctionDef) and node.name == method:
            return [parameter.arg for parameter in node.args.args]
    return []


def distribution_name(value: Any) -> str | None:
    """Return the name of a distribution of scipy.stats, such as norm; None for another object."""
    stats = sys.modules.get("scipy.stats")
    module = own_name(type(value), "__module__") or ""
    fields = instance_dict(value) if module.startswith("scipy.stats.") else {}
    name = fields.get("name")
    return name if isinstance(name, str) and stats is not None and vars(stats).get(name) is value else None


def _call_of_distribution(raised: RaisedAt, node: ast.expr) -> ast.Call | None:
    """Return the call that made a frozen distribution: the expression itself, or the only value of its variable."""
    if isinstance(node, ast.Name) and raised.function is not None:
        node = only_value(raised.function, node.id) or node
    if isinstance(node, ast.Name) and raised.loops is not None:
        values = [
            part.value
            for part in raised.loops.module.body
            if isinstance(part, ast.Assign) and [ast.unparse(target) for target in part.targets] == [node.id]
        ]
        calls = [part for part in values if isinstance(part, ast.Call)]
        written = [*calls[0].args, *(keyword.value for keyword in calls[0].keywords)] if len(calls) == 1 else [node]
        # In another scope, names in the arguments may have other values, so only a call with constant arguments is
        # used.
        node = calls[0] if all(isinstance(argument, ast.Constant) for argument in written) else node
    return node if isinstance(node, ast.Call) else None


def _value(raised: RaisedAt, node: ast.expr) -> Any:
    """Return the value of a name, or of an attribute of a module such as stats.norm."""
    if isinstance(node, ast.Attribute):
        module = _value(raised, node.value)
        return vars(module).get(node.attr) if type(module) is types.ModuleType else None
    return value_of(raised, node)
