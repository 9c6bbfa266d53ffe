"""Rewrites an array whose length depends on values as arrays of fixed lengths with the same result.

Fill values would change the result of code that counts elements, such as a mean or a length. In such code, the cure
passes the mask to the reduction, as in `jnp.mean(x, where=x > 0)`, or the cure has no edit.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ..failing_code.called_names import called
from ..failing_code.edits import applied, chosen, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt
from ..message_tables.numpy_messages import INITIAL_OF_MASK
from .filled_counts import uses_of_zeros
from .nan_reductions import LENGTHS, with_nan
from .uses_of_arrays import Use, all_uses, final_uses, use_of

MASK_OF_THE_WHOLE = (
    "Work with a mask of the whole array, for example with jnp.where or the option where= of a reduction."
)
_TRACED_COUNT = (
    "count_nonzero counts the elements when the program runs. The count is a traced number, so no shape can depend on "
    "the count."
)
#: Reductions that take the option `where=`.
_WITH_WHERE = frozenset({"mean", "std", "var", "prod", "any", "all"})
_EXTREMES = {"max": "-", "min": "", "amax": "-", "amin": ""}
#: Reductions whose result does not change if suitable values, such as 0 for a sum, fill the array up.
_FILLABLE = frozenset({"sum", "prod", "max", "min", "amax", "amin", "any", "all"})
#: Functions of two arrays whose result does not change if zeros are appended to both.
_PRODUCTS = frozenset({"dot", "vdot", "inner"})
#: Uses whose result depends on the number of elements, so that no fill value leaves the result as it is.
_COUNTING = frozenset({"mean", "std", "var", "median", "average", "percentile", "quantile", *LENGTHS})
_MOST_USES = 3
_WOULD_COUNT = (
    "jnp.where keeps the shape, so {uses} would count the elements that the mask leaves out, whatever their value."
)
_WOULD_GET = "jnp.where keeps the shape, so {uses} would also get the elements that the mask leaves out."
_FILLED_AND_COUNTED = (
    "size= makes {function} fill its result up to a fixed length, and {use} would count the elements that are filled "
    "in."
)
_FILLED_AND_GOT = (
    "size= makes {function} fill its result up to a fixed length, and {use} would also get the elements that are "
    "filled in."
)
_COMPARED = "For {uses}, combine the comparison with the mask: {code}."
#: Reductions of an array of counts that do not change if zeros are appended to the array.
_OF_ZEROS = frozenset({"sum", "max", "any"})
#: Functions that return a tuple of arrays, one for each axis.
_OF_TUPLES = frozenset({"where", "nonzero"})
_COUNTED = frozenset({"where", "nonzero", "flatnonzero", "argwhere"})

#: Function whose result has a length that depends on values -> the option that fixes the length.
SIZED = {
    "where": "size=SIZE",
    "nonzero": "size=SIZE",
    "argwhere": "size=SIZE",
    "flatnonzero": "size=SIZE",
    "unique": "size=SIZE",
    "unique_values": "size=SIZE",
    "unique_counts": "size=SIZE",
    "unique_inverse": "size=SIZE",
    "unique_all": "size=SIZE",
    "compress": "size=SIZE",
    "extract": "size=SIZE",
    "union1d": "size=SIZE",
    "intersect1d": "size=SIZE",
    "setdiff1d": "size=SIZE",
    "setxor1d": "size=SIZE",
    "bincount": "length=LENGTH",
    "repeat": "total_repeat_length=LENGTH",
    "segment_sum": "num_segments=COUNT",
    "segment_prod": "num_segments=COUNT",
    "segment_max": "num_segments=COUNT",
    "segment_min": "num_segments=COUNT",
    "fromdense": "nse=STORED",
    "bcoo_fromdense": "nse=STORED",
    "bcsr_fromdense": "nse=STORED",
}


def needs_mask(raised: RaisedAt, node: ast.expr) -> bool:
    """Return whether code reads the elements of an array so that fill values would change the result."""
    return any(
        use.name not in (*_FILLABLE, *_PRODUCTS, "value")
        for _, use in final_uses(raised, node)
        if not isinstance(use.node, ast.ListComp | ast.GeneratorExp | ast.List | ast.Dict)
    )


def masked(raised: RaisedAt, node: ast.expr, array: str, mask: str) -> list[FoundCure]:
    """Return the cures of `array[mask]` with a mask that has one element for each element of the array.

    Args:
        raised: The place where the error was raised.
        node: The subscript expression.
        array: The code of the array.
        mask: The code of the mask.
    """
    jnp = jnp_name(raised)
    if (update := _update(raised, node, array, mask)) is not None:
        return [update]
    use = use_of(raised, node)
    where_name = f"{jnp}.where"
    filled = f"{jnp}.where({mask}, {array}, "
    dtype = _dtype(raised, node)
    match use.name, use.other_arguments:
        case "sum", () | ("axis=0",):
            code = f"{filled}0).sum()" if isinstance(use.node, ast.Call) and _is_method(use.node, node) else None
            code = code or f"{jnp}.sum({filled}0))"
            text = "jnp.where keeps the shape. The elements that the mask leaves out add 0 to the sum."
            return [applied(FoundCure(where_name, code, text), [edit_of(raised, over(use.node, code))])]
        case name, options if name in _WITH_WHERE and all(option.startswith("ddof=") for option in options):
            code = f"{jnp}.{name}({', '.join([array, *options, f'where={mask}'])})"
            text = f"where= gives the mask to {name}, which then uses only the elements where the mask is true."
            return [applied(FoundCure("where=", code, text), [edit_of(raised, over(use.node, code))])]
        case name, () if name in _EXTREMES and "float" in dtype:
            code = f"{jnp}.{name}({array}, where={mask}, initial={_EXTREMES[name]}{jnp}.inf)"
            text = f"where= gives the mask to {name}. {INITIAL_OF_MASK}"
            return [applied(FoundCure("where=", code, text), [edit_of(raised, over(use.node, code))])]
        case name, () if name in LENGTHS:
            code = f"{jnp}.count_nonzero({mask})"
            return [
                applied(FoundCure(f"{jnp}.count_nonzero", code, _TRACED_COUNT), [edit_of(raised, over(use.node, code))])
            ]
    text = "jnp.where keeps the shape. Set FILL to the value of the elements that the mask leaves out."
    uses = [*final_uses(raised, node)]
    harmful = [(at, other) for at, other in uses if other.name not in (*_FILLABLE, "value")]
    if harmful:
        advice = FoundCure(where_name, None, _advice_on_uses(harmful, node, array, mask, jnp))
        return with_nan(raised, node, array, mask, uses) or [advice]
    code = f"{filled}FILL)"
    return [chosen(FoundCure(where_name, code, text), [edit_of(raised, over(node, code))])]


def masked_rows(raised: RaisedAt, node: ast.Subscript) -> list[FoundCure]:
    """Return the cures of `x[mask]` with a mask of the rows of a matrix, whose uses reduce all rows at once."""
    uses = [*final_uses(raised, node)]
    if not all(use.name in LENGTHS or use.other_arguments in ((), ("0",), ("axis=0",)) for _, use in uses):
        return []
    mask = raised.source(node.slice)
    rows = f"{mask if mask.isidentifier() else f'({mask})'}[:, None]"
    return with_nan(raised, node, raised.source(node.value), rows, uses, is_of_rows=True)


def _advice_on_uses(uses: list[tuple[RaisedAt, Use]], node: ast.expr, array: str, mask: str, jnp: str) -> str:
    """Return the advice for `node`, the expression `array[mask]`, whose elements the uses count, compare or pass on."""
    counting = [(at, use) for at, use in uses if use.name in _COUNTING]
    texts = [_shortened(at, use.node) for at, use in counting or uses]
    words = (_WOULD_COUNT if counting else _WOULD_GET).format(
        uses=in_a_sentence(list(dict.fromkeys(texts)), _MOST_USES)
    )
    reduction = next((use.name for _, use in counting if use.name in _WITH_WHERE), None)
    if reduction is not None or not counting:
        words += f" Give the mask to a reduction, as in {jnp}.{reduction or 'mean'}({array}, where={mask})."
    for at, use in uses:
        match use.node:
            case ast.Compare(left=ast.Name() as left, ops=[_], comparators=[_]) if left is not node:
                comparison = f"{array}{at.source(use.node).removeprefix(left.id)}"
                first = mask if mask.isidentifier() else f"({mask})"
                return f"{words} {_COMPARED.format(uses=_shortened(at, use.node), code=f'{first} & ({comparison})')}"
    return words


def _update(raised: RaisedAt, node: ast.expr, array: str, mask: str) -> FoundCure | None:
    """Return the cure of `x.at[mask].set(f(x[mask]))`: jnp.where(mask, f(x), x)."""
    call: ast.AST | None = node
    while isinstance(call := raised.parents.get(id(call)), ast.expr):
        match call:
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Subscript(value=ast.Attribute(value=target, attr="at"), slice=index), attr="set"
                ),
                args=[value],
                keywords=[],
            ) if ast.unparse(index) == ast.unparse(ast.parse(mask, mode="eval")):
                source = raised.source(value).replace(raised.source(node), array)
                code = f"{jnp_name(raised)}.where({mask}, {source}, {raised.source(target)})"
                text = "jnp.where takes the new value where the mask is true, and keeps the shape."
                cure = FoundCure(f"{jnp_name(raised)}.where", code, text)
                return applied(cure, [edit_of(raised, over(call, code))])
    return None


def sized(raised: RaisedAt, node: ast.Call, name: str, code: str, text: str) -> FoundCure:
    """Return the cure of a call such as jnp.nonzero: the option size=, which fills the result up to SIZE elements.

    Args:
        raised: The place where the error was raised.
        node: The call.
        name: The name of the called function.
        code: The code of the call with `size=SIZE`.
        text: The sentence of the cure.
    """
    jnp = jnp_name(raised)
    outer: ast.expr = node
    parent = raised.parents.get(id(outer))
    if isinstance(parent, ast.Subscript) and parent.value is outer and isinstance(parent.slice, ast.Constant):
        outer = parent
    array, is_tuple = outer, name in _OF_TUPLES and outer is node
    outer = _kept(raised, outer, is_tuple)
    use = use_of(raised, outer)
    if use.name in LENGTHS and name in _COUNTED and len(node.args) == 1:
        count = f"{jnp}.count_nonzero({raised.source(node.args[0])})"
        return applied(
            FoundCure(f"{jnp}.count_nonzero", count, _TRACED_COUNT), [edit_of(raised, over(use.node, count))]
        )
    is_named_tuple = is_tuple and outer is node and not _is_unpacked(raised, node)
    uses = [use, *_later_uses(raised, use, is_named_tuple)]
    firsts = [_position_of_use(later_use) for later_use in (uses if use.name != "value" else uses[1:])]
    if name in _COUNTED and firsts and None not in firsts and _is_array(raised, node, array, name):
        size = 1 + max(index for index in firsts if index is not None)
        words = (
            f"size={size} keeps as many positions as the code reads. If fewer elements are true, the remaining "
            "positions are 0."
        )
        code = code.replace("size=SIZE", f"size={size}")
        return applied(FoundCure("size", code, words), [edit_of(raised, over(node, code))])
    counts = _counts_of_unique(raised, node, name)
    harmful = next(
        (
            other_use
            for other_use in uses
            if not _keeps_elements(raised, other_use)
            and not (other_use.name in _OF_ZEROS and counts in _names_in(other_use.node))
        ),
        None,
    )
    if harmful is None:
        edits = [edit_of(raised, over(node, code))]
        statement = raised.parents.get(id(node))
        if counts and isinstance(statement, ast.Assign):
            text += f" The remaining elements of {counts} are 0."
            for use_of_zero in uses_of_zeros(raised, statement, counts):
                text += f" {use_of_zero.text}"
                edits += [use_of_zero.edit] if use_of_zero.edit is not None else []
        return chosen(FoundCure("size", code, text), edits)
    words = (_FILLED_AND_COUNTED if harmful.name in _COUNTING else _FILLED_AND_GOT).format(
        function=name, use=_shortened(raised, harmful.node)
    )
    if name in _COUNTED:
        return FoundCure("a mask", None, f"{words} {MASK_OF_THE_WHOLE}")
    words += (
        " Set fill_value= to a value that the data cannot contain, and leave this value out of the later count, sum or "
        "mean."
    )
    return FoundCure("fill_value", None, words)


def _names_in(node: ast.expr) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _counts_of_unique(raised: RaisedAt, node: ast.Call, name: str) -> str:
    """Return the name of the counts in `values, counts = jnp.unique(x, return_counts=True)`; else an empty string."""
    if name != "unique" or not any(keyword.arg == "return_counts" for keyword in node.keywords):
        return ""
    match raised.parents.get(id(node)):
        case ast.Assign(targets=[ast.Tuple(elts=[*_, ast.Name(id=counts)])]):
            return counts
    return ""


def _is_array(raised: RaisedAt, node: ast.Call, outer: ast.expr, name: str) -> bool:
    """Return whether `outer`, an expression around a call, is one array of indices.

    `where` and `nonzero` return a tuple of such arrays, one for each axis, so `outer` must select one.
    """
    if name not in _OF_TUPLES:
        return outer is node
    return outer is not node or _is_unpacked(raised, node)


def _is_unpacked(raised: RaisedAt, node: ast.Call) -> bool:
    """Return whether an assignment gives each array of the tuple that a call returns its own name."""
    statement = raised.parents.get(id(node))
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return bool(targets) and all(isinstance(target, ast.Tuple | ast.List) for target in targets)


def _kept(raised: RaisedAt, node: ast.expr, is_tuple: bool) -> ast.expr:
    """Return the outermost expression around an array that has one element for each element of the array.

    Such expressions are x[:, 0], x.astype(int) and jax.vmap(f)(x).

    Args:
        raised: The place where the error was raised.
        node: The expression of the array.
        is_tuple: True if the expression is a tuple of arrays, such as the result of jnp.nonzero.
    """
    while True:
        parent = raised.parents.get(id(node))
        match parent, raised.parents.get(id(parent)):
            case ast.Subscript(value=value, slice=ast.Constant(value=int())), _ if value is node and is_tuple:
                is_tuple = False
            case ast.Subscript(value=value, slice=ast.Tuple(elts=[ast.Slice(None, None, None), *_])), _ if (
                value is node
            ):
                pass
            case ast.Attribute(attr="astype"), ast.Call(func=function) as call if function is parent:
                parent = call
            case ast.Call(func=ast.Call() as mapped, args=args), _ if called(mapped) == "vmap" and node in args:
                pass
            case _:
                return node
        assert isinstance(parent, ast.expr)
        node = parent


def _keeps_elements(raised: RaisedAt, use: Use) -> bool:
    """Return whether a use keeps or reads elements of an array, and does not compute with all of its elements."""
    if use.name == "value" or _position_of_use(use) is not None:
        return True
    if use.name or not isinstance(use.node, ast.Subscript):
        return False
    inner = use_of(raised, use.node)
    return inner.name == "value" and all(later.name == "value" for later in all_uses(raised, inner))


def _position_of_use(use: Use) -> int | None:
    """Return the number n if the use of a result is result[n]; None for any other use."""
    match use.node:
        case ast.Subscript(slice=ast.Constant(value=int(place))) if not use.name and place >= 0:
            return place
    return None


def _later_uses(raised: RaisedAt, use: Use, is_tuple: bool) -> Iterator[Use]:
    """Yield the uses of a name to which the given use assigns the array, or what is computed from each element of it.

    Args:
        raised: The place where the error was raised.
        use: The first use.
        is_tuple: True if the name holds a tuple of arrays.
    """
    for later in [*all_uses(raised, use)][1:]:
        parts = [part for part in ast.iter_child_nodes(later.node) if isinstance(part, ast.Name)]
        kept = [outer for part in parts if (outer := _kept(raised, part, is_tuple)) is not part]
        yield use_of(raised, kept[0]) if kept else later


def _is_method(call: ast.Call, node: ast.expr) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.value is node


def _dtype(raised: RaisedAt, node: ast.expr) -> str:
    if not isinstance(node, ast.Subscript) or raised.frame is None:
        return ""
    return dtype_of(value_of(raised, node.value))


def _shortened(raised: RaisedAt, node: ast.expr) -> str:
    text = " ".join(raised.source(node).split())
    return text if len(text) <= 60 else f"{text[:59]}…"
