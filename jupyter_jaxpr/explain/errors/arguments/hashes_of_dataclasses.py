"""Makes the edit that gives the objects of a user's dataclass a hash, so that they can be static arguments."""

from __future__ import annotations

import ast
import dataclasses
from types import FunctionType
from typing import Any

from ....jax.facts import is_jitted
from ....observe.observation import Edit, FoundCure, Place
from ....observe.side_effects.attribute_reads import instance_dict
from ..failing_code.origins import dtype_of
from ..failing_code.place_of_error import RaisedAt
from .fields_of_classes import class_of_text, earlier_class
from .static_argument_edits import is_hashed


def hashed_class(raised: RaisedAt, kind: str, value: Any = None) -> FoundCure | None:
    """Return the cure frozen=True or eq=False of a dataclass; None if an object might change or holds an array.

    Without frozen=True, a dataclass compares its fields and has no hash. With eq=False, Python hashes an object by its
    identity, so an object with a list can be static, too.

    Args:
        raised: The place where the error was raised.
        kind: The name of the class.
        value: An object of the class; None if unknown; then the annotations of the fields decide.
    """
    import jax

    node, file = class_of_text(raised, kind), raised.place.file
    modules = [] if raised.loops is None else [raised.loops.module]
    if node is None:
        found = earlier_class(kind)
        if found is None:
            return None
        node, file, module = found
        modules.append(module)
    fields = {ast.unparse(part.target) for part in node.body if isinstance(part, ast.AnnAssign)}
    fields |= set(instance_dict(value))
    stored = {
        part.attr
        for module in modules
        for part in ast.walk(module)
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)
    }
    decorator = next((part for part in node.decorator_list if _is_dataclass(part)), None)
    if decorator is None or stored & fields or node.bases:
        return None
    if value is None:
        annotations = [ast.unparse(part.annotation) for part in node.body if isinstance(part, ast.AnnAssign)]
        option = "frozen=True" if all(annotation in _PLAIN_FIELDS for annotation in annotations) else None
    elif not dataclasses.is_dataclass(type(value)):
        return None
    else:
        held = list(instance_dict(value).values())
        leaves = jax.tree_util.tree_leaves(held)[:1_000]
        option = "frozen=True" if all(map(_has_hash, held)) else "eq=False"
        option = None if any(dtype_of(leaf) for leaf in leaves) else option
    return None if option is None else _with_option(decorator, option, kind, file)


def _with_option(decorator: ast.expr, option: str, kind: str, file: str) -> FoundCure | None:
    source = ast.unparse(decorator)
    if isinstance(decorator, ast.Call):
        if any(keyword.arg in ("frozen", "eq", "unsafe_hash") for keyword in decorator.keywords):
            return None
        code = f"{source[:-1]}{', ' if decorator.args or decorator.keywords else ''}{option})"
    else:
        code = f"{source}({option})"
    words = (
        f"Write @{code}: Python hashes a frozen dataclass by its fields, and the fields of the dataclass cannot be "
        "changed."
    )
    if option == "eq=False":
        words = (
            f"Write @{code}: Python then hashes each {kind} object by its identity. JAX compiles once for each object, "
            "and does not see a later change of a field."
        )
    assert decorator.end_lineno is not None and decorator.end_col_offset is not None
    place = Place(
        file, decorator.lineno, "<module>", decorator.col_offset, decorator.end_lineno, decorator.end_col_offset
    )
    return FoundCure(option, f"@{code}", words, "applies", (Edit(place, code),))


def _is_dataclass(decorator: ast.expr) -> bool:
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(function).rpartition(".")[2] == "dataclass"


def _has_hash(content: Any) -> bool:
    return is_hashed(content) or type(content) is FunctionType or is_jitted(content)


#: Annotations of fields whose values have a hash.
_PLAIN_FIELDS = frozenset({"int", "float", "bool", "str", "complex", "bytes"})
