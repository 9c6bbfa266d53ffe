"""Makes floats of the integers in a tree that a transform differentiates, where the code made these integers."""

from __future__ import annotations

import ast
from typing import Any

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.edits import Change, applied, edit_of, over
from ..failing_code.made_leaves import MadeLeaf, made_part
from ..failing_code.origins import dtype_of
from ..failing_code.place_of_error import RaisedAt, at_caller

_FLOAT = "Make {names} a float, in {where}."
_FLOATS = "Make {names} floats, in {where}."
_ONE_FLOAT = "Make {name} a float, or pass {name} as an argument of its own."
_SEVERAL = "Make {names} floats, or pass them as arguments of their own."


def float_leaves(raised: RaisedAt, node: ast.expr, value: Any, argument: str, name: str) -> FoundCure:
    """Return the cure that makes floats of all integers in an argument; advice if their code is not found.

    Args:
        raised: Where the error was raised.
        node: The argument that the call passes.
        value: The argument.
        argument: The name of the argument.
        name: The name of the leaf that JAX refused, such as params['amp'].
    """
    import jax

    leaves = jax.tree_util.tree_flatten_with_path(value)[0][:_MOST_LEAVES]
    paths = [path for path, leaf in leaves if _is_integer(leaf)]
    names = [f"{argument}{jax.tree_util.keystr(path)}" for path in paths] or [name]
    listed = in_a_sentence(names, 4)
    words = _ONE_FLOAT.format(name=names[0]) if len(names) == 1 else _SEVERAL.format(names=listed)
    general = FoundCure("a float", None, words)
    made = [made_part(raised, node, steps) for path in paths if (steps := _steps(path)) is not None]
    found = [leaf for leaf in made if leaf is not None]
    if not found or len(found) != len(names):
        return general
    by_code = {(leaf.at.place.file, leaf.node.lineno, leaf.node.col_offset): leaf for leaf in found}
    edits = [edit_of(leaf.at, _as_float(leaf)) for leaf in by_code.values()]
    where = in_a_sentence(list(dict.fromkeys(leaf.where for leaf in found)), 4)
    words = (_FLOAT if len(names) == 1 else _FLOATS).format(names=listed, where=where)
    cure = applied(FoundCure("a float", None, words), edits)
    outer = at_caller(raised, raised.callers[0]) if raised.callers else raised
    return next((tried for tried in passed(outer, [cure]) if tried.level == "applies"), general)


_MOST_LEAVES = 1_000


def _is_integer(leaf: Any) -> bool:
    return type(leaf) in (int, bool) or dtype_of(leaf).startswith(("int", "uint", "bool"))


def _steps(path: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Return the keys and positions of a path of JAX; None for keys of other kinds."""
    steps: list[Any] = []
    for key in path:
        step = getattr(key, "key", getattr(key, "idx", None))
        name = getattr(key, "name", None)
        if type(step) not in (str, int) and type(name) is not str:
            return None
        steps.append(step if type(step) in (str, int) else f".{name}")
    return tuple(steps)


def _as_float(leaf: MadeLeaf) -> Change:
    """Return the change of an integer into a float: 1 becomes 1.0, and an array gets .astype(float)."""
    source, node = leaf.at.source(leaf.node), leaf.node
    number = node.operand if isinstance(node, ast.UnaryOp) else node
    if isinstance(number, ast.Constant) and type(number.value) is int:
        return over(node, f"{source}.0")
    if isinstance(node, ast.Call | ast.Name | ast.Subscript | ast.Attribute):
        return over(node, f"{source}.astype(float)")
    return over(node, f"({source}) * 1.0")
