"""Rewrites a call of SciPy that needed the value of a traced array as a call of jax.scipy."""

from __future__ import annotations

import ast
import math
import re
import sys
import types
from pathlib import Path
from typing import Any

from ....jax.facts import jax_directory
from ....jax.hidden_events import unheard
from ....observe.observation import FoundCure
from ....observe.process_observer import observer
from ...trials.trial_of_error_cure import passed
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import namespace
from ..failing_code.place_of_error import RaisedAt
from .calls_of_numpy_and_math import WORKS_ON_TRACED
from .frozen_distributions import distribution_name, frozen_distribution

_NO_TWIN = (
    "JAX has no function {path}. Compute the result with other functions of jax.numpy, jax.scipy or jax.lax. "
    "jax.pure_callback calls the function of SciPy while the program runs, but jax.grad needs a rule of jax.custom_jvp "
    "for such a call."
)
_WITHOUT_JAX = "{works} Write import jax first."
#: Function of math without a counterpart in jax.numpy -> the function of jax.scipy.special that computes the same.
_OF_MATH = {"erf": "erf", "erfc": "erfc", "gamma": "gamma", "lgamma": "gammaln"}


def scipy_function(raised: RaisedAt, node: ast.Call) -> list[FoundCure]:
    """Return the cure for a SciPy call whose function jax.scipy also has.

    The cure also rewrites other SciPy calls, in the statement or in the function, if the program needs this.
    """
    frozen = frozen_distribution(raised, node)
    if frozen is not None:
        return [frozen]
    parts = _parts_of_scipy(raised, node)
    if parts and _member(parts) is None and (of_file := _of_twin_file(parts)):
        return of_file
    if parts and _member(parts) is None:
        return [FoundCure("JAX functions", None, _NO_TWIN.format(path=".".join(["jax", *parts])))]
    if _twin(raised, node) is None:
        code = ".".join(["jax", *parts])
        works = WORKS_ON_TRACED.format(code=code, function=raised.source(node.func))
        return [FoundCure(code, code, _WITHOUT_JAX.format(works=works))] if parts else []
    # An edit of one call fails where another call needs values, too.
    of_statement, of_function = (
        _cure_around(raised, node, part) for part in (raised.statement_of(node), raised.function)
    )
    if len(of_statement.edits) >= len(of_function.edits):
        return [of_statement]
    is_enough = any(tried.level == "applies" for tried in passed(raised, [of_statement]))
    return [of_statement if is_enough else of_function]


def _cure_around(raised: RaisedAt, node: ast.Call, around: ast.AST | None) -> FoundCure:
    """Return the cure that rewrites a SciPy call, and each SciPy call inside another node that jax.scipy also has."""
    calls = [part for part in ast.walk(around) if isinstance(part, ast.Call)] if around is not None else []
    twins = {id(call): (call.func, twin) for call in [node, *calls] if (twin := _twin(raised, call)) is not None}
    code = twins[id(node)][1]
    text = WORKS_ON_TRACED.format(code=code, function=raised.source(node.func))
    edits = [edit_of(raised, over(function, twin)) for function, twin in twins.values()]
    return applied(FoundCure(code, code, text), edits)


def advice_on_scipy(raised: RaisedAt, node: ast.AST | None) -> str | None:
    """Return the sentence on the function of jax.scipy for a SciPy call, if no edit of the call passed its trial.

    None if the expression is not the call of a function of SciPy.

    Args:
        raised: Where the error was raised.
        node: The failing expression.
    """
    parts = _parts_of_scipy(raised, node) if isinstance(node, ast.Call) else []
    if not parts or not isinstance(node, ast.Call):
        return None
    path = ".".join(["jax", *parts])
    if _member(parts) is None:
        return _NO_TWIN.format(path=path)
    return WORKS_ON_TRACED.format(code=path, function=raised.source(node.func))


def _twin(raised: RaisedAt, node: ast.Call) -> str | None:
    """Return the code of the function of jax.scipy for a SciPy call; None for another call, or without a twin."""
    parts = _parts_of_scipy(raised, node)
    if not parts or _member(parts) is None or namespace(raised).get("jax") is not sys.modules.get("jax"):
        return None
    return ".".join(["jax", *parts])


def _member(parts: list[str]) -> Any:
    """Return the member of the package jax at a path, such as scipy, special and erf; None without the member.

    JAX imports jax.scipy.special when Python first reads this attribute of jax.scipy, as the edited code will do.
    """
    member: Any = sys.modules.get("jax")
    for part in parts:
        if type(member) is not types.ModuleType:
            return None
        with observer().looking_away(), unheard():
            member = getattr(member, part, None) if member.__name__.startswith("jax") else None
    return member


def _parts_of_scipy(raised: RaisedAt, node: ast.Call) -> list[str]:
    """Return the path of the called function, such as scipy, special and erf; empty for a call outside of SciPy.

    For a function of math that jax.scipy has, such as math.erf, this is the path in SciPy.
    """
    function: Any = node.func
    path: list[str] = []
    while isinstance(function, ast.Attribute):
        path.insert(0, function.attr)
        function = function.value
    module = namespace(raised).get(function.id) if isinstance(function, ast.Name) else None
    if type(module) is types.ModuleType and module.__name__.partition(".")[0] == "scipy":
        return [*module.__name__.split("."), *path]
    called_function = vars(module).get(path[0]) if type(module) is types.ModuleType and len(path) == 1 else module
    for name, twin in _OF_MATH.items():
        if called_function is not None and called_function is vars(math)[name]:
            return ["scipy", "special", twin]
    if isinstance(function, ast.Name) and not path and module is not None:
        return _path_in_scipy(module)
    if isinstance(function, ast.Name) and (distribution := distribution_name(module)) is not None:
        return ["scipy", "stats", distribution, *path]
    return []


def _path_in_scipy(function: Any) -> list[str]:
    """Return the path of a function of SciPy: scipy, special and erf; empty for any other value.

    The modules are those of which JAX has a counterpart, and that SciPy has imported.
    """
    folder = Path(jax_directory()) / "scipy"
    for file in sorted(folder.rglob("*.py")):
        parts = [part for part in file.relative_to(folder).with_suffix("").parts if part != "__init__"]
        members = vars(sys.modules.get(".".join(["scipy", *parts]), _NO_MODULE))
        for name, member in members.items() if parts else ():
            if member is function and not name.startswith("_"):
                return ["scipy", *parts, name]
    return []


_NO_MODULE = types.ModuleType("")


def _of_twin_file(parts: list[str]) -> list[FoundCure]:
    """Return the advice to import a module of jax.scipy, if the file of the module has the called function."""
    file = Path(jax_directory()).joinpath(*parts[:-1]).with_suffix(".py")
    if not file.is_file() or not re.search(rf"\b{parts[-1]} as {parts[-1]}\b", file.read_text()):
        return []
    module = ".".join(["jax", *parts[:-1]])
    text = f"{module}.{parts[-1]} works on traced arrays. Write import {module} first."
    return [FoundCure(f"{module}.{parts[-1]}", None, text)]
