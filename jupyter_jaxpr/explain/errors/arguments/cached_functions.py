"""Explains an array that is an argument of a function with functools.lru_cache or functools.cache."""

from __future__ import annotations

import ast
import functools
import re
import sys

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import namespace
from ..failing_code.origins import dtype_of, operands, value_of
from ..failing_code.place_of_error import RaisedAt
from ..failing_code.return_values import function_of_text

_UNHASHABLE = re.compile(r"^unhashable type: '[\w.]*(?:ArrayImpl|Tracer)'")
_CACHES = frozenset({"lru_cache", "cache"})


def cached_function_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains the call of a cached function with an array, and makes the function a jitted one if JAX can trace it."""
    call = raised.node if raised is not None else None
    if not isinstance(error, TypeError) or not _UNHASHABLE.match(message_of(error).strip()):
        return None
    if raised is None or raised.frame is None or not isinstance(call, ast.Call):
        return None
    if type(value_of(raised, call.func)) is not type(functools.lru_cache(len)):
        return None
    nodes = [*call.args, *(keyword.value for keyword in call.keywords)]
    arrays = [node for node in nodes if dtype_of(value_of(raised, node))]
    name = " ".join(raised.source(call.func).split())
    maker = function_of_text(raised, call.func)
    decorators = maker.decorator_list if isinstance(maker, ast.FunctionDef) else []
    caches = [node for node in decorators if (called(node) or _name(node)) in _CACHES]
    cache = f"functools.{called(caches[0]) or _name(caches[0])}" if caches else "functools.lru_cache"
    title = f"{name} is cached by {cache}, which cannot take an array as an argument"
    text = (
        f"{cache} finds a kept result by the hash of the arguments, and Python cannot hash an array. "
        f"{operands(raised, arrays)}"
    )
    no_cache = FoundCure("no cache", None, f"Remove {cache} from the definition of {name}.")
    if len(caches) != 1 or namespace(raised).get("jax") is not sys.modules.get("jax"):
        return Explained(None, title, text.strip(), (no_cache,))
    words = (
        f"jax.jit compiles {name} once for each shape of the arguments. jax.jit keeps the compiled program, not the "
        "results."
    )
    edit = edit_of(raised, over(caches[0], "jax.jit"))
    cures = passed(raised, [applied(FoundCure("jax.jit", "@jax.jit", words), [edit])])
    return Explained(None, title, text.strip(), tuple(cures or [no_cache]))


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
