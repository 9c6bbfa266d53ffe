"""Gives a call whose result has a length that depends on values the option that fixes the length, such as size=."""

from __future__ import annotations

import ast

from ....observe.observation import FoundCure
from ..failing_code.called_names import called
from ..failing_code.edits import chosen, edit_of, over
from ..failing_code.module_names import jnp_name
from ..failing_code.operand_nodes import passed_node
from ..failing_code.origins import MASK_OF_ROWS, axes_of, masks_elements
from ..failing_code.place_of_error import RaisedAt
from .calls_of_numpy_and_math import NumPyCalls, module_of_function
from .masked_arrays import SIZED, masked, masked_rows, sized

_LARGEST = "Set SIZE to the largest number of elements that the result can have."
_SIZES = {
    "SIZE": f"{_LARGEST} JAX fills the remaining elements.",
    "LENGTH": "Set LENGTH to the length of the result.",
    "STORED": "Set STORED to the largest number of elements other than 0 that the array can have.",
    "COUNT": "Set COUNT to the number of segments: one more than the largest segment id.",
}

_SIZE_OF_UNIQUE = (
    f"{_LARGEST} jnp.unique repeats its first element at the remaining places. With the option fill_value, a value of "
    "your own marks these places."
)


def with_length(raised: RaisedAt, node: ast.Call) -> list[FoundCure]:
    """Return the cures for a call whose result has a length that depends on values; empty for other calls."""
    name = called(node)
    option = SIZED.get(name)
    module = module_of_function(raised, node.func)
    if option is None or module == "math" or (module == "numpy" and name == "where" and len(node.args) != 1):
        return []
    if passed_node(raised, option.partition("=")[0]) is not None:
        return []
    source = NumPyCalls(raised).with_jax(node) if module == "numpy" else raised.source(node)
    code_before = source[:-1].rstrip().rstrip(",")
    code = f"{code_before}, {option})" if node.args or node.keywords else f"{code_before}{option})"
    placeholder = option.partition("=")[2]
    parent = raised.parents.get(id(node))
    if isinstance(parent, ast.Subscript) and parent.slice is node and len(node.args) == 1:
        mask = ast.Subscript(parent.value, node.args[0])
        if name in ("where", "nonzero") and masks_elements(raised, mask):
            return masked(raised, parent, raised.source(parent.value), raised.source(node.args[0]))
    if name in ("compress", "extract") and len(node.args) == 2 and not node.keywords:
        if masks_elements(raised, ast.Subscript(node.args[1], node.args[0])):
            return masked(raised, node, raised.source(node.args[1]), raised.source(node.args[0]))
    if placeholder == "SIZE":
        words = _SIZE_OF_UNIQUE if name == "unique" else _SIZES[placeholder]
        return [sized(raised, node, name, code, words)]
    cure = FoundCure(option.partition("=")[0], code, _SIZES[placeholder])
    return [chosen(cure, [edit_of(raised, over(node, code))])]


def masked_index(raised: RaisedAt) -> list[FoundCure]:
    """Return the cures of x[mask] with a boolean mask."""
    node = raised.around(ast.Subscript)
    if not isinstance(node, ast.Subscript):
        return []
    if not masks_elements(raised, node):
        if (
            axes_of(raised, node.value) == 2
            and axes_of(raised, node.slice) == 1
            and (cures := masked_rows(raised, node))
        ):
            return cures
        text = f"jnp.where takes the mask, the array and a value, and keeps the shape. {MASK_OF_ROWS}"
        return [FoundCure(f"{jnp_name(raised)}.where", None, text)]
    return masked(raised, node, raised.source(node.value), raised.source(node.slice))


def deletion(raised: RaisedAt, node: ast.Call, index: ast.expr) -> list[FoundCure]:
    """Return the cure of jnp.delete(x, i) with a traced i: the option which says that all indices are different."""
    code = f"{raised.source(node)[:-1].rstrip().rstrip(',')}, assume_unique_indices=True)"
    if axes_of(raised, index) == 0:
        words = (
            "With assume_unique_indices=True, JAX knows that the result has one element fewer, also for a traced index."
        )
        return [FoundCure("assume_unique_indices", code, words)]
    words = (
        "With assume_unique_indices=True, JAX knows how long the result is. Use the option only if all indices "
        "differ from one another."
    )
    return [FoundCure("assume_unique_indices", code, words)]
