"""Writes a dataclass as a frozen dataclass, with tuples in place of lists, so that Python can hash its objects."""

from __future__ import annotations

import ast
from typing import Any

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....observe.side_effects.attribute_reads import instance_dict
from .static_argument_edits import is_hashed

_FROZEN = "Python hashes a frozen dataclass by its fields. Write the class {kind} so, and make its objects anew."
_TUPLES = "{fields} {hold} a list, which has no hash: pass a tuple there."


def frozen_dataclass(node: ast.ClassDef, value: Any) -> list[FoundCure]:
    """Return the advice to freeze a dataclass, with the code of its first lines.

    Empty if a method changes a field, or if a field holds a value without a hash that is no list.

    Args:
        node: The definition of the class.
        value: The static argument.
    """
    decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
    held = instance_dict(value)
    if len(decorators) != 1 or decorators[0].rpartition(".")[2] != "dataclass" or not held:
        return []
    if any(isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store) for part in ast.walk(node)):
        return []
    lists = [name for name, content in held.items() if type(content) is list]
    if not all(map(is_hashed, (tuple(held[name]) if name in lists else held[name] for name in held))):
        return []
    lines = [f"@{decorators[0]}(frozen=True)", f"class {node.name}:"]
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            if part.target.id in lists:
                line = _as_tuple(part)
                if line is None:
                    return []
                lines.append(f"    {line}")
            else:
                lines.append(f"    {ast.unparse(part)}")
    words = _FROZEN.format(kind=node.name)
    if lists:
        hold = "holds" if len(lists) == 1 else "hold"
        words = f"{words} {_TUPLES.format(fields=in_a_sentence(lists, 4), hold=hold)}"
    return [FoundCure("frozen=True", "\n".join(lines), words)]


def _as_tuple(field: ast.AnnAssign) -> str | None:
    """Return the line of a field with a tuple as its default; None for a default of another form."""
    name = ast.unparse(field.target)
    match field.value:
        case None:
            return f"{name}: tuple"
        case ast.Call(keywords=[ast.keyword(arg="default_factory", value=ast.Name(id="list"))], args=[]):
            return f"{name}: tuple = ()"
        case ast.Call(
            keywords=[ast.keyword(arg="default_factory", value=ast.Lambda(body=ast.List(elts=elements)))], args=[]
        ):
            return f"{name}: tuple = {ast.unparse(ast.Tuple(elements, ast.Load()))}"
    return None
