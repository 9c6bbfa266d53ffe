"""Explains a Python loop over a result whose length depends on values, such as `for v in jnp.unique(x)`."""

from __future__ import annotations

import ast

from ....jax.facts import is_tracer_type
from ....jax.transform_and_inputs_of_tracer import raised_calls
from ....observe.observation import FoundCure
from ....plain_text import own_name
from ..control_flow.carries import carry_around
from ..failing_code.module_names import jnp_name, module_of
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt
from ..transforms.axis_names import is_mapped
from .masked_arrays import MASK_OF_THE_WHOLE

NEED = "The values of the array decide how many iterations the loop has."
_OF_POSITIONS = frozenset("where nonzero flatnonzero argwhere compress extract".split())
_OF_SETS = frozenset(
    "unique unique_values unique_counts unique_all unique_inverse union1d intersect1d setdiff1d setxor1d".split()
)
_SAME_LENGTH = frozenset("enumerate zip reversed list tuple sorted iter".split())


def loop_by_values(raised: RaisedAt, is_mask: bool) -> ast.For | ast.comprehension | None:
    """Return the loop over the failing expression, such as jnp.unique(x), or over enumerate(...) of the expression.

    The length of the expression depends on values. None without such a loop.

    Args:
        raised: Where the error was raised.
        is_mask: The failing expression has a boolean index.
    """
    node = raised.node
    if not is_mask and jnp_function(raised) not in _OF_POSITIONS | _OF_SETS:
        return None
    if is_mask and not isinstance(node, ast.Subscript):
        return None
    while node is not None:
        parent = raised.parents.get(id(node))
        if isinstance(parent, ast.For | ast.comprehension):
            return parent if parent.iter is node else None
        is_same = isinstance(parent, ast.Subscript) and parent.value is node and isinstance(parent.slice, ast.Constant)
        is_same = is_same or (isinstance(parent, ast.Call) and getattr(parent.func, "id", "") in _SAME_LENGTH)
        node = parent if is_same else None
    return None


def looped(raised: RaisedAt, error: BaseException, loop: ast.For | ast.comprehension) -> list[FoundCure]:
    """Return the cures for a loop over an array whose length depends on values.

    A loop of JAX is no cure, because JAX must know the length of the array while it traces.

    Args:
        raised: Where the error was raised.
        error: The exception, whose traceback still has the frames of JAX.
        loop: The loop.
    """
    cures = []
    name = jnp_function(raised)
    if name not in _OF_SETS:
        cures.append(FoundCure("a mask", None, MASK_OF_THE_WHOLE))
    elif name in ("unique", "unique_values") and (sums := _sums(raised, loop)) is not None:
        cures.append(sums)
    calls = raised_calls(error)
    is_of_jit = not is_mapped(error) and carry_around(raised) is None
    if is_of_jit and len(calls) == 1 and (function := own_name(calls[0].function, "__name__")) is not None:
        import jax

        leaves = jax.tree_util.tree_leaves((calls[0].args, calls[0].kwargs))
        if not any(is_tracer_type(type(leaf)) for leaf in leaves):
            words = (
                f"Leave jax.jit out of {function}, and put jax.jit on the functions that the loop calls. Python then "
                f"knows the values, and loops over all elements of {_short(raised)}."
            )
            cures.append(FoundCure("without jax.jit", None, words))
    if not cures:
        words = f"Compute {_short(raised)} outside of the traced function, where the array has values."
        cures.append(FoundCure("outside of the trace", None, words))
    return cures


def _short(raised: RaisedAt) -> str:
    text = raised.text or "the array"
    return text if len(text) <= 60 else f"{text[:59]}…"


def jnp_function(raised: RaisedAt) -> str:
    """Return the name of the called function of jax.numpy; empty for any other expression."""
    match raised.node:
        case ast.Call(func=ast.Attribute(value=module, attr=name)):
            root = module
            while isinstance(root, ast.Attribute):
                root = root.value
            is_jax = ast.unparse(module) == "jax.numpy"
            return name if is_jax or (isinstance(root, ast.Name) and module_of(raised, root.id) == "jax.numpy") else ""
    return ""


def _sums(raised: RaisedAt, loop: ast.For | ast.comprehension) -> FoundCure | None:
    """Return the cure jax.ops.segment_sum for a loop that sums the rows of each label, as in x[labels == label]."""
    call = raised.node
    if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords or not isinstance(loop.target, ast.Name):
        return None
    labels = raised.source(call.args[0])
    around: ast.AST | None = loop if isinstance(loop, ast.For) else raised.parents.get(id(loop))
    for node in ast.walk(around) if around is not None else ():
        match node:
            case ast.Subscript(
                value=ast.Name() as rows, slice=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right])
            ) if {raised.source(left), raised.source(right)} == {labels, loop.target.id}:
                if _have_one_label_each(raised, rows, call.args[0]):
                    code = f"jax.ops.segment_sum({rows.id}, {labels}, num_segments=COUNT)"
                    words = (
                        f"segment_sum gives the sum of {rows.id} for each label, without a loop, where the labels are "
                        "integers from 0 on. Set COUNT to one more than the largest label. The segment_sum of "
                        f"{jnp_name(raised)}.ones_like({labels}) counts the elements of each label."
                    )
                    return FoundCure("jax.ops.segment_sum", code, words)
    return None


def _have_one_label_each(raised: RaisedAt, rows: ast.expr, labels: ast.expr) -> bool:
    values, numbers = value_of(raised, rows), value_of(raised, labels)
    is_of_integers = "int" in dtype_of(numbers) and bool(dtype_of(values))
    return is_of_integers and numbers.ndim == 1 and values.ndim > 0 and values.shape[0] == numbers.shape[0]
