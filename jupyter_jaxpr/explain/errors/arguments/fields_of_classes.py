"""Finds the class of an object in the cells, and the lines that mark the fields without arrays as static."""

from __future__ import annotations

import ast
import dataclasses
import linecache
from collections.abc import Mapping
from types import FunctionType
from typing import Any

from ....interruptions import not_of_a_signal
from ....jax.facts import is_jitted
from ....observe.observation import FoundCure
from ....observe.side_effects.attribute_reads import instance_dict
from ....observe.user_or_library.whose_code import is_installed
from ...loops.kinds_of_python_loops import parsed
from ..failing_code.module_names import namespace
from ..failing_code.origins import dtype_of, value_in
from ..failing_code.place_of_error import RaisedAt
from .static_argument_edits import is_hashed

STATIC = "A static field is a constant of the program: JAX compiles once for each value of the field."


def class_of_text(raised: RaisedAt, kind: str) -> ast.ClassDef | None:
    """Return the only class of this name in the code; None if there is none or there are several."""
    if raised.loops is None:
        return None
    classes = [part for part in ast.walk(raised.loops.module) if isinstance(part, ast.ClassDef) and part.name == kind]
    return classes[0] if len(classes) == 1 else None


def static_fields(raised: RaisedAt | None, values: Mapping[str, Any], path: str) -> list[FoundCure]:
    """Return the cure that marks fields of a registered dataclass as static; an empty list for other classes.

    Args:
        raised: Where the error was raised.
        values: The arguments of the failing call, by parameter.
        path: The path of the field, such as state.name.
    """
    try:
        field = ast.parse(path, mode="eval").body
    except not_of_a_signal(SyntaxError):
        return []
    if raised is None or not isinstance(field, ast.Attribute):
        return []
    owner = value_in(values, field.value)
    kind = type(owner).__name__
    node = class_of_text(raised, kind) or class_of_earlier_cell(kind)
    decorators = [ast.unparse(decorator) for decorator in node.decorator_list] if node is not None else []
    if not any(decorator.rpartition(".")[2] == "register_dataclass" for decorator in decorators):
        return []
    lines = static_lines(raised, node, owner)
    if not lines:
        return []
    words = f"Write these lines into the definition of the class {kind}. {STATIC} {import_sentence(raised)}".rstrip()
    return [FoundCure("a static field", "\n".join(lines), words)]


def static_lines(raised: RaisedAt, node: ast.ClassDef | None, value: Any) -> list[str] | None:
    """Return the code lines that mark the array-free fields of a dataclass as static.

    None if the class might not work as a pytree: JAX creates new objects of a registered class, and compares the static
    fields.

    Args:
        raised: Where the error was raised.
        node: The definition of the class.
        value: An object of the class.
    """
    import jax

    kind, held = type(value), instance_dict(value)
    if node is None or not dataclasses.is_dataclass(kind):
        return None
    if not any(map(_is_array, jax.tree.leaves(list(held.values())))):
        return None  # an object without arrays should be a static argument, not a pytree
    if any(isinstance(part, ast.FunctionDef) and part.name in _MAKING for part in node.body):
        return None
    lines = []
    for field in dataclasses.fields(kind):
        if not field.init or field.name not in held:
            return None
        content = held[field.name]
        if all(type(leaf) in (bool, int, float, complex) or _is_array(leaf) for leaf in jax.tree.leaves(content)):
            continue
        line = _static_line(raised, node, field.name)
        is_function = type(content) is FunctionType or is_jitted(content)
        if line is None or not (is_hashed(content) or is_function):
            return None
        lines.append(line)
    return lines


_MAKING = frozenset({"__init__", "__new__", "__post_init__", "__setattr__"})


def _is_array(leaf: Any) -> bool:
    return dtype_of(leaf).startswith(("float", "bfloat", "int", "uint", "complex", "bool", "key<"))


def _static_line(raised: RaisedAt, node: ast.ClassDef, name: str) -> str | None:
    """Return the line that makes a field static.

    None if the class has no line for the field, or the field's default value is a call.
    """
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name) and part.target.id == name:
            if isinstance(part.value, ast.Call):
                return None
            default = f"default={ast.unparse(part.value)}, " if part.value is not None else ""
            annotation = ast.unparse(part.annotation)
            return f"{name}: {annotation} = {_field_function(raised)}({default}metadata=dict(static=True))"
    return None


def _field_function(raised: RaisedAt) -> str:
    """Return the name of dataclasses.field in the user's code."""
    names = namespace(raised)
    if names.get("field") is dataclasses.field and "field" in raised.module_names:
        return "field"
    return "dataclasses.field" if names.get("dataclasses") is dataclasses else "field"


def import_sentence(raised: RaisedAt) -> str:
    """Return the sentence that names the import of dataclasses.field; empty if the code has the name."""
    names = namespace(raised)
    is_known = names.get("field") is dataclasses.field or _field_function(raised) == "dataclasses.field"
    return "" if is_known else "Import field from dataclasses."


def class_of_earlier_cell(kind: str) -> ast.ClassDef | None:
    """Return the definition of a class in the last cell that defines a class of this name."""
    found = earlier_class(kind)
    return None if found is None else found[0]


def earlier_class(kind: str) -> tuple[ast.ClassDef, str, ast.Module] | None:
    """Return the class of this name in the last cell that defines one, the file of the cell, and its syntax tree."""
    for file, entry in reversed(list(linecache.cache.items())):
        if len(entry) != 4 or is_installed(file) or f"class {kind}" not in "".join(entry[2]):
            continue
        loops = parsed("".join(entry[2]))
        classes = [part for part in loops.module.body if isinstance(part, ast.ClassDef)] if loops is not None else []
        named = [part for part in classes if part.name == kind]
        if named and loops is not None:
            return named[-1], file, loops.module
    return None
