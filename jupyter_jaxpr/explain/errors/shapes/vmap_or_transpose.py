"""Finds cures for operands whose shapes do not fit together: vmap, an equinox layer of another size, a transpose."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from ....observe.observation import FoundCure
from ....observe.side_effects.attribute_reads import instance_dict
from ....plain_text import own_name
from ...trials.trial_of_error_cure import passed
from ..arguments.jit_arguments import module_of_call, packages_of
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over, shown
from ..failing_code.made_leaves import made_leaf
from ..failing_code.module_names import jnp_name, namespace
from ..failing_code.operand_nodes import shapes_of_operands
from ..failing_code.origins import value_of
from ..failing_code.paths_of_values import path_of
from ..failing_code.place_of_error import RaisedAt, at_caller
from .contracted_axes import contracted_axes
from .transposed_operands import transposed_operand


def vmap_cures(raised: RaisedAt | None, sizes: Sequence[str]) -> list[FoundCure]:
    """Return the cure jax.vmap(layer)(x) for an equinox layer that takes one element but gets a batch of elements."""
    import jax

    while raised is not None and (outer := _outer_call(raised)) is not None:
        raised = outer
    call = raised.node if raised is not None else None
    if raised is None or not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
        return []
    packages = packages_of(value_of(raised, call.func))
    shape = getattr(value_of(raised, call.args[0]), "shape", None) or _written_shape(call.args[0])
    if "flax" in packages and len(set(sizes)) == 2 and shape and str(shape[-1]) in sizes:
        module = raised.source(call.func)
        expected_size = next(size for size in sizes if size != str(shape[-1]))
        words = f"Pass an array whose last axis has {expected_size} elements, or make a layer for {shape[-1]} elements."
        return [
            FoundCure(
                f"{expected_size} elements", None, f"A layer of {module} was made for {expected_size} elements. {words}"
            )
        ]
    if "equinox" not in packages:
        return []
    if len(shape) < 2 and (layer := _linear_layer(raised, call, sizes)) is not None:
        return [layer]
    if namespace(raised).get("jax") is not jax:
        return []
    if len(shape) != 2 or str(shape[-1]) not in sizes:
        return []
    code = f"jax.vmap({raised.source(call.func)})"
    words = f"A module of equinox takes one element. {code} takes a batch, and calls the module for each element."
    return passed(raised, [applied(FoundCure("jax.vmap", code, words), [edit_of(raised, over(call.func, code))])])


def _outer_call(raised: RaisedAt) -> RaisedAt | None:
    """Return the call of a module of equinox whose method passes its argument on to the failing call.

    For self.body(x) in the method __call__ of a model, this is the call model(x), which takes the whole batch.
    """
    call, function = raised.node, raised.function
    if not isinstance(call, ast.Call) or len(call.args) != 1 or function is None or not raised.callers:
        return None
    names = [part.arg for part in function.args.args[1:]]
    passed_on = call.args[0]
    if not isinstance(passed_on, ast.Name) or names[:1] != [passed_on.id]:
        return None
    stores = [part for part in ast.walk(function) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
    if any(part.id == passed_on.id for part in stores):
        return None
    outer = at_caller(raised, raised.callers[-1])
    node = outer.node
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return None
    module = value_of(outer, node.func)
    is_of_method = raised.frame is not None and raised.frame.f_locals.get(function.args.args[0].arg) is not None
    return outer if is_of_method and "equinox" in packages_of(module) else None


def _linear_layer(raised: RaisedAt, call: ast.Call, sizes: Sequence[str]) -> FoundCure | None:
    """Return the advice for a Linear layer of equinox that gets a vector of another length."""
    layer = value_of(raised, call.func)
    features = instance_dict(layer).get(_LAYERS.get(own_name(type(layer)) or "", ""))
    others = [size for size in sizes if size != str(features)]
    if type(features) is not int or len(others) != 1:
        return None
    name, path = raised.source(call.func), path_of(raised, layer, raised.source(call.func))
    name = f"{name}, which is {path}," if path is not None else name
    words = (
        f"{name} takes a vector of {features} elements, but the first axis of its argument has {others[0]} elements. "
        f"Pass a vector of {features} elements, or make the layer for {others[0]} elements."
    )
    made = made_leaf(raised, ast.parse(path, mode="eval").body if path is not None else call.func)
    if made is None or not isinstance(made.node, ast.Call) or not made.code or len(made.node.args) < 2:
        return FoundCure(f"{features} elements", None, words)
    first, second = (made.at.source(part) for part in made.node.args[:2])
    words = f"{words} {_LAYER.format(name=raised.source(call.func), code=made.code, where=made.where)}"
    changes = [over(made.node.args[0], others[0])]
    if instance_dict(layer).get("out_features") == int(others[0]):
        changes = [over(made.node.args[0], second), over(made.node.args[1], first)]
    elif path is not None and "[" in path:
        return FoundCure(f"{others[0]} elements", None, words)  # one line makes several layers
    layer_cure = FoundCure(f"{others[0]} elements", None, words)
    code = shown(applied(layer_cure, [edit_of(made.at, change) for change in changes])).code
    return replace(layer_cure, code=code)


#: Layers of equinox that take a vector -> the field that has the length of the vector.
_LAYERS = {"Linear": "in_features", "MLP": "in_size"}
_LAYER = "{name} comes from {code} ({where})."


def _written_shape(node: ast.expr) -> tuple[int, ...]:
    """Return the shape that a call such as jnp.ones((8, 3)) names; an empty tuple if the call names none."""
    nodes = [part for part in ast.walk(node) if isinstance(part, ast.Tuple)] if isinstance(node, ast.Call) else []
    sizes = [element.value if isinstance(element, ast.Constant) else None for element in nodes[0].elts] if nodes else []
    return tuple(size for size in sizes if type(size) is int) if None not in sizes else ()


_PRODUCT = "The last axis of the left operand must have the size of the first axis of the right operand."


_DIMENSIONS = (
    "The first entry of dimension_numbers names the axes that dot_general sums over: first the axes of the left "
    "operand, then the axes of the right operand. Name axes of equal sizes."
)


def transpose_cures(raised: RaisedAt | None) -> list[FoundCure]:
    """Return the cures for a matrix product that fails: a transposed operand, or the operands in the other order."""
    shapes = shapes_of_operands(raised)
    general = FoundCure("same size", None, _PRODUCT)
    if raised is not None and called(raised.node) == "dot_general":
        return [contracted_axes(raised) or FoundCure("dimension_numbers", None, _DIMENSIONS)]
    if raised is not None and len(shapes) == 2 and len(shapes[1][1]) > 2:
        words = "The last axis of the left operand must have the size of the second to last axis of the right operand."
        code = f"{raised.source(shapes[1][0])}.mT" if shapes[0][1][-1:] == shapes[1][1][-1:] else None
        return [FoundCure(".mT" if code else "same size", code, f"{words} .mT swaps the last two axes of an array.")]
    if raised is not None and (stack := _product_of_stacks(raised, shapes)) is not None:
        return [stack]
    if raised is not None and len(shapes) == 2 and len(shapes[0][1]) == 2 and len(shapes[1][1]) == 1:
        (factor, matrix), (_, vector) = shapes
        if matrix[0] == vector[0] and isinstance(factor, ast.Name | ast.Attribute | ast.Subscript | ast.Call):
            code = f"{raised.source(factor)}.T"
            words = f"{code} has the shape {matrix[::-1]}, so the product sums over the {vector[0]} elements."
            return passed(raised, [applied(FoundCure(".T", code, words), [edit_of(raised, over(factor, code))])])
    transposed = transposed_operand(raised) if raised is not None else None
    if raised is None or len(shapes) != 2 or len(shapes[1][1]) != 2:
        return [transposed or general]
    is_weight = isinstance(shapes[0][0], ast.Subscript | ast.Attribute) and isinstance(shapes[1][0], ast.Name)
    if is_weight and shapes[0][1][-1:] != shapes[1][1][-1:] and shapes[1][1][-1:] == shapes[0][1][:1]:
        left, right = (raised.source(node) for node, _ in shapes)
        node, size_of_axes = raised.node, shapes[1][1][-1]
        words = f"In this order of the operands, the product sums over the axes of {size_of_axes} elements."
        return [FoundCure("the order", _product_in_order(raised, node, right, left), words)]
    if shapes[0][1][-1:] == shapes[1][1][-1:]:
        return [_transposed(raised, *shapes)]
    return [transposed or general]


def _transposed(
    raised: RaisedAt, left: tuple[ast.expr, tuple[int, ...]], right: tuple[ast.expr, tuple[int, ...]]
) -> FoundCure:
    """Return the cure for two matrices with equal last sizes: x @ W.T for W @ x, or W @ x.T.

    The trial of the statement decides. In `W @ x + b` with one example in each row of x, only `x @ W.T` broadcasts with
    b.
    """
    (left_node, left_shape), (right_node, right_shape) = left, right
    code = f"{raised.source(right_node)}.T"
    cure = FoundCure(".T", code, f"{code} has the shape {right_shape[::-1]}, whose first size fits the left operand.")
    are_names = all(isinstance(node, ast.Name | ast.Attribute | ast.Subscript) for node in (left_node, right_node))
    if not are_names:
        return cure
    in_order = _product_in_order(raised, raised.node, raised.source(right_node), f"{raised.source(left_node)}.T")
    if in_order is None or raised.node is None:
        return cure
    shape = (right_shape[0], left_shape[0])
    words = f"The product has the shape {shape}: one row for each row of {raised.source(right_node)}."
    other = FoundCure("the order", in_order, words)
    tried = passed(
        raised,
        [
            applied(cure, [edit_of(raised, over(right_node, code))]),
            applied(other, [edit_of(raised, over(raised.node, in_order))]),
        ],
    )
    fitting = [passing.name for passing in tried if passing.level == "applies"]
    return other if fitting == ["the order"] else cure


def _product_of_stacks(raised: RaisedAt, shapes: Sequence[tuple[ast.expr, tuple[int, ...]]]) -> FoundCure | None:
    """Return the cure jnp.matvec for `A @ x`, where A is a stack of matrices and x a stack of vectors."""
    if len(shapes) != 2 or not isinstance(raised.node, ast.BinOp):
        return None
    (left, matrices), (right, vectors) = shapes
    if len(matrices) < 3 or vectors != (*matrices[:-2], matrices[-1]):
        return None
    name = f"{jnp_name(raised)}.matvec"
    code = f"{name}({raised.source(left)}, {raised.source(right)})"
    words = f"{name} multiplies each matrix of a stack by the vector at the same position of the other stack."
    return applied(FoundCure(name, code, words), [edit_of(raised, over(raised.node, code))])


def _product_in_order(raised: RaisedAt, node: ast.AST | None, left: str, right: str) -> str | None:
    """Return the code of a product with two given operands, in the form of the user's product.

    None if it has other arguments.
    """
    if not isinstance(node, ast.Call):
        return f"{left} @ {right}"
    if node.keywords or called(node) not in ("dot", "matmul"):
        return None
    if module_of_call(raised, node):
        return f"{raised.source(node.func)}({left}, {right})" if len(node.args) == 2 else None
    return f"{left}.dot({right})" if len(node.args) == 1 else None
