"""Rewrites `x[mask]` before reductions that count elements: NaN stands for the elements that the mask leaves out.

jnp.where(mask, x, jnp.nan) keeps the shape, and functions such as jnp.nanmedian leave NaN out. The array may pass
through names, element-wise operations and functions on its way to the reductions: NaN stays NaN.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from ....joined_names import in_a_sentence
from ....observe.observation import Edit, FoundCure
from ...trials.trial_of_error_cure import passed
from ..failing_code.edits import applied, edit_of, over, shown
from ..failing_code.module_names import jnp_name
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt
from .uses_of_arrays import Use

#: Reductions whose result is a float, so that NaN may also stand in an array of integers.
_OF_FLOATS = frozenset({"mean", "median", "std", "var", "percentile", "quantile"})
#: Reductions with a twin that leaves NaN out, such as jnp.nansum.
_WITH_NAN = _OF_FLOATS | {"sum", "prod", "max", "min"}
#: Uses that read the number of elements.
LENGTHS = frozenset({"size", "len", "shape"})
_MOST_FUNCTIONS = 4


def with_nan(
    raised: RaisedAt,
    node: ast.expr,
    array: str,
    mask: str,
    uses: list[tuple[RaisedAt, Use]],
    is_of_rows: bool = False,
) -> list[FoundCure]:
    """Return the cure that replaces `array[mask]` by an array with NaN, and the reductions by those that leave NaN out.

    Empty if a use is no such reduction, or if the cure fails its trial.

    Args:
        raised: The place where the error was raised.
        node: The expression of the array, such as `x[mask]`.
        array: The code of the whole array.
        mask: The code of the mask, which broadcasts to the array.
        uses: The final uses of the array.
        is_of_rows: Whether the mask leaves out whole rows of an array of two axes.
    """
    jnp = jnp_name(raised)
    reductions = [(at, use) for at, use in uses if use.name != "value"]
    allowed = _WITH_NAN if "float" in dtype_of(_value(raised, array)) else _OF_FLOATS
    lengths = [(at, use) for at, use in reductions if use.name in LENGTHS]
    reductions = [(at, use) for at, use in reductions if use.name not in LENGTHS]
    if not reductions or not all(use.name in allowed and isinstance(use.node, ast.Call) for _, use in reductions):
        return []
    filled = f"{jnp}.where({mask}, {array}, {jnp}.nan)"
    edits: list[Edit] = []
    is_inside = False
    for at, use in reductions:
        call = use.node
        assert isinstance(call, ast.Call)
        twin = f"{jnp_name(at)}.nan{use.name}"
        if _is_first(call, use):
            edits.append(edit_of(at, over(call.func, twin)))
            continue
        assert isinstance(call.func, ast.Attribute)
        parts = [*ast.walk(call.func.value)]
        if any(other.node is part for _, other in reductions for part in parts):
            return []  # the edits would overlap
        code = ", ".join([at.source(call.func.value), *use.other_arguments])
        if any(part is node for part in parts):
            is_inside = True
            code = code.replace(raised.source(node), filled, 1)
        edits.append(edit_of(at, over(call, f"{twin}({code})")))
    for at, use in lengths:
        counted = _measured(use.node)
        if counted is node or counted is None:
            return []
        elements = f"{at.source(counted)}[:, 0]" if is_of_rows and use.name != "size" else at.source(counted)
        edits.append(edit_of(at, over(use.node, f"{jnp_name(at)}.count_nonzero(~{jnp_name(at)}.isnan({elements}))")))
    if not is_inside:
        edits.insert(0, edit_of(raised, over(node, filled)))
    names = [f"{jnp}.nan{name}" for name in dict.fromkeys(use.name for _, use in reductions)]
    verb = "leaves" if len(names) == 1 else "leave"
    listed = in_a_sentence(names, _MOST_FUNCTIONS)
    text = _TEXT.format(functions=listed, leave=verb, array=array)
    if lengths:
        text += f" {_COUNTED}"
    cure = applied(FoundCure(names[0], filled, text), edits)
    if len(reductions) + len(lengths) == len(uses):
        return [tried for tried in passed(raised, [cure]) if tried.code is not None]
    tried = [tried for tried in passed(raised, [cure]) if tried.level == "applies"]
    return [replace(shown(cure), level="advice", edits=(), text=f"{text} {_ESCAPES}") for cure in tried]


_TEXT = (
    "jnp.where keeps the shape, and puts NaN in the place of the elements that the mask leaves out. {functions} "
    "{leave} NaN out, also NaN that {array} already had."
)
_COUNTED = "The count of the elements that are no NaN takes the place of the length, and is a traced number."
_ESCAPES = "The result then has NaN at these places."


def _is_first(call: ast.Call, use: Use) -> bool:
    """Return whether the array is the first argument of a call, as in jnp.mean(x), and not its object, as in x.mean().

    The use then has all other arguments: one fewer than the call.
    """
    return len(use.other_arguments) < len(call.args) + len(call.keywords)


def _measured(node: ast.expr) -> ast.expr | None:
    """Return the array whose length an expression reads, as in len(x), x.size and x.shape[0]."""
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[array]):
            return array
        case ast.Attribute(value=array, attr="size"):
            return array
        case ast.Subscript(value=ast.Attribute(value=array, attr="shape")):
            return array
    return None


def _value(raised: RaisedAt, code: str) -> object:
    try:
        node = ast.parse(code, mode="eval").body
    except SyntaxError:
        return None
    return value_of(raised, node) if raised.frame is not None else None
