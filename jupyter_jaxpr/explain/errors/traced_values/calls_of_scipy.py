"""Rewrites a call of SciPy that needed the value of a traced array as a call of jax.scipy."""

from __future__ import annotations

import ast
import re
import sys
import types
from pathlib import Path
from typing import Any

from ....jax.facts import jax_directory
from ....observe.observation import FoundCure
from ..failing_code.edits import replacing
from ..failing_code.module_names import namespace
from ..failing_code.place_of_error import RaisedAt
from .calls_of_numpy_and_math import WORKS_ON_TRACED
from .frozen_distributions import distribution_name, frozen_distribution


def scipy_function(raised: RaisedAt, node: ast.Call) -> list[FoundCure]:
    """Return the cure for a SciPy call whose function jax.scipy also has."""
    frozen = frozen_distribution(raised, node)
    if frozen is not None:
        return [frozen]
    function: Any = node.func
    path: list[str] = []
    while isinstance(function, ast.Attribute):
        path.insert(0, function.attr)
        function = function.value
    module = namespace(raised).get(function.id) if isinstance(function, ast.Name) else None
    parts: list[str] = []
    if type(module) is types.ModuleType and module.__name__.partition(".")[0] == "scipy":
        parts = [*module.__name__.split("."), *path]
    elif isinstance(function, ast.Name) and not path:
        modules = [name for name in sys.modules if name.startswith("jax.scipy.")]
        scipy = [
            module_name
            for module_name in modules
            if module is not None and _of_twin(module_name, function.id) is module
        ]
        parts = [*scipy[0].split(".")[1:], function.id] if scipy else []
    elif isinstance(function, ast.Name) and (distribution := distribution_name(module)) is not None:
        parts = ["scipy", "stats", distribution, *path]
    jax_member: Any = sys.modules.get("jax") if parts else None
    if parts and ".".join(["jax", *parts[:-1]]) not in sys.modules:
        return _of_twin_file(parts)
    for part in parts:
        jax_member = vars(jax_member).get(part) if type(jax_member) is types.ModuleType else None
    if jax_member is None or namespace(raised).get("jax") is not sys.modules.get("jax"):
        return []
    code = ".".join(["jax", *parts])
    text = WORKS_ON_TRACED.format(code=code, function=raised.source(node.func))
    return [replacing(raised, node.func, code, code, text)]


def _of_twin(module: str, name: str) -> Any:
    """Return the SciPy function of this name for a module of JAX: scipy.special.erf for jax.scipy.special and erf."""
    return vars(sys.modules.get(module.removeprefix("jax."), ast)).get(name)


def _of_twin_file(parts: list[str]) -> list[FoundCure]:
    """Return the advice to import a module of jax.scipy, if the file of the module has the called function."""
    file = Path(jax_directory()).joinpath(*parts[:-1]).with_suffix(".py")
    if not file.is_file() or not re.search(rf"\b{parts[-1]} as {parts[-1]}\b", file.read_text()):
        return []
    module = ".".join(["jax", *parts[:-1]])
    text = f"{module}.{parts[-1]} works on traced arrays. Write import {module} first."
    return [FoundCure(f"{module}.{parts[-1]}", None, text)]
