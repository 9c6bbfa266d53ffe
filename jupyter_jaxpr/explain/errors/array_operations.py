"""Explains an error of an array operation: which operand does not fit and where both operands come from."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...observe.observation import FoundCure
from ...plain_text import message_of
from .arguments import module_of_call, packages_of
from .branches_and_loops import Choices
from .constructs import called
from .edits import applied, edit_of, over
from .explanation import Explained
from .harmful_assignments import lost_write
from .names import jnp_name, namespace
from .origins import MASK_OF_ROWS, dtype_of, masks_elements, operands, value_of
from .raised import RaisedAt
from .rewritten_calls import Calls
from .trial_of_cure import passed

_BROADCAST = re.compile(
    r"^(?:(?P<op>\w+) got incompatible shapes for broadcasting: |Incompatible shapes for broadcasting: (?:shapes=\[)?)"
    r"(?P<shapes>\([\d, ]*\)(?:,? (?:and )?\([\d, ]*\))+)"
)
_DOT = re.compile(
    r"^dot_general requires contracting dimensions to have the same shape, got \((\d+),?\) and \((\d+),?\)"
)
_RESHAPE = re.compile(r"^cannot reshape array of shape (\(.*?\)) \(size (\d+)\) into shape (.*?) \(size (\d+)\)")
_JOIN = re.compile(r"^Cannot concatenate arrays with shapes that differ in dimensions other than the one")
_STACK = re.compile(r"^All input arrays must have the same shape")
_IMMUTABLE = re.compile(r"^(?:'?.{0,80}'? object does not support item assignment\. )?JAX arrays are immutable")
_INDEXER = re.compile(r"^Indexer must have integer or boolean type, got indexer with type (\w+)")
_AXIS = re.compile(r"^axis (-?\d+) is out of bounds for array of dimension (\d+)")
_INDICES = re.compile(r"^Too many indices: array is (\d+)-dimensional, but (\d+) were indexed")
_NOT_ARRAY = re.compile(r"^(\w+) requires ndarray or scalar arguments, got <class '(list|tuple)'> at position (\d+)")
_NO_ATTRIBUTE = re.compile(
    r"^(?:'?jaxlib\.\w+\.ArrayImpl'?|'?ArrayImpl'?|'?\w*Tracer'?)(?: object)? has no attribute '?(\w+)"
)
_PRODUCT = "The last axis of the left operand must have the size of the first axis of the right operand."
_AMBIGUOUS = re.compile(r"^The truth value of an array with more than one element is ambiguous")
_BROADCAST_TO = re.compile(
    r"^Incompatible (?:types|shapes) for broadcasting: (?:input type=\w+\[|\()([\d, ]*)[\])] and requested "
    r"(?:type=\w+\[|shape \()([\d, ]*)[\])]"
)
_EINSUM = re.compile(r"^Size of label '(\w)' for operand \d+ \((\d+)\) does not match previous terms \((\d+)\)")
_SELECT = re.compile(
    r"^(?:lax\.)?select (?:cases must have|requires arguments to have) the same (shapes|dtypes), got (.+?)\.?$"
)
_SHAPE = re.compile(r"\([\d, ]*\)")
#: JAX prints some sizes as NumPy does: (np.int64(3),).
_NUMPY_SIZE = re.compile(r"\bnp\.int64\((\d+)\)")
_METHODS = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "power"}
#: Functions that take arrays only.
_ELEMENTWISE = frozenset(
    "add subtract multiply divide power maximum minimum where equal not_equal greater less arctan2 hypot logaddexp "
    "logical_and logical_or matmul dot vdot inner outer isclose allclose".split()
)
_NO_CODE = "No code is suggested for this line."


def array_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains shapes that do not fit together, and reads and writes that JAX arrays do not allow."""
    if not isinstance(error, TypeError | ValueError | IndexError | AttributeError):
        return None
    text = _NUMPY_SIZE.sub(r"\1", message_of(error).strip())
    source_suffix = _source_suffix(raised)
    if match := _BROADCAST.search(text):
        shapes = _SHAPE.findall(match["shapes"])
        explanation = (
            "Shapes are compared from the last axis. On each axis the sizes must be equal, or a size must be 1. "
            f"{_operands(raised)}"
        )
        title = f"The shapes {' and '.join(shapes)} do not fit together{source_suffix}"
        return _explained_array_error(title, explanation, raised, _new_axis_cures(raised))
    if match := _DOT.search(text):
        sizes = f"{match[1]} and {match[2]}"
        explanation = f"A matrix product sums over two axes of the same size, but these axes have {sizes} elements."
        title = f"The sizes {sizes} do not fit together{source_suffix}"
        return _explained_array_error(
            title,
            f"{explanation} {_operands(raised)}",
            raised,
            _vmap_cures(raised, match.groups()) or _transpose_cures(raised),
        )
    if match := _RESHAPE.search(text):
        arrays = operands(raised, [node for node, _ in _shapes(raised)])
        explanation = f"The new shape {match[3]} holds {match[4]} elements. {arrays}"
        title = f"An array of shape {match[1]} has {match[2]} elements, not {match[4]}"
        cure = FoundCure("-1", None, "Write -1 for one size, and JAX computes this size from the number of elements.")
        return _explained_array_error(title, explanation, raised, [cure])
    if _JOIN.search(text) and _makes_array(raised):
        title = f"The rows{source_suffix.replace(' in ', ' of ', 1)} have different lengths"
        words = "Pad the rows to one length, and keep the true lengths or a mask beside the array."
        return _explained_array_error(
            title, "An array has one length along each axis.", raised, [FoundCure("one length", None, words)]
        )
    if _JOIN.search(text):
        title = f"The shapes {' and '.join(_SHAPE.findall(text)[:4])} cannot be joined{source_suffix}"
        explanation = f"All axes but the joined one must have equal sizes. {_operands(raised)}"
        cure = FoundCure("axis", None, "Join along the axis whose sizes differ, or cut and pad the arrays.")
        return _explained_array_error(title, explanation, raised, [cure])
    if _STACK.search(text):
        title = f"The shapes {' and '.join(_SHAPE.findall(text)[:4])} cannot be stacked{source_suffix}"
        cure = FoundCure("same shape", None, "Cut or pad the arrays to one shape, or join them with jnp.concatenate.")
        return _explained_array_error(title, f"A stack needs arrays of one shape. {_operands(raised)}", raised, [cure])
    if match := _SELECT.search(text):
        return _select_types(raised, match[1], match[2])
    if _IMMUTABLE.search(text):
        return _item_assignment(raised)
    if isinstance(error, AttributeError):
        if match := _NO_ATTRIBUTE.search(text):
            return _no_method(raised, match[1])
        return _no_method(raised, text) if text == "__delitem__" else None
    if _AMBIGUOUS.search(text):
        return _array_as_condition(raised)
    if match := _BROADCAST_TO.search(text):
        title = f"An array of shape ({match[1]}) does not broadcast to ({match[2]})"
        explanation = (
            f"Shapes are compared from the last axis. An axis of size 1 can grow, others cannot. {_operands(raised)}"
        )
        cure = FoundCure("same shape", None, "Cut, pad or reshape the array so that the sizes fit.")
        if _fits_with_new_axis(match[1], match[2]):
            cure = FoundCure("[:, None]", None, "Add an axis of size 1 at the position of the new axis.")
        return _explained_array_error(title, explanation, raised, [cure])
    if match := _EINSUM.search(text):
        title = f"The axis {match[1]} has {match[3]} elements and {match[2]} elements{source_suffix}"
        explanation = f"In an einsum, each letter stands for one size in all operands. {_operands(raised)}"
        words = "Write the letters of each operand in the order of its axes."
        return _explained_array_error(title, explanation, raised, [FoundCure("another letter", None, words)])
    if match := _INDEXER.search(text):
        return _index_dtype(raised, match[1])
    if (match := _AXIS.search(text)) and (option := _out_axes(raised)) is not None:
        title = f"{option} of vmap names an axis that a result does not have"
        explanation = f"With the mapped axis, this result has {_axes_text(match[2])}."
        words = f"Write an axis from 0 to {int(match[2]) - 1}." if match[2] != "1" else "Axis 0 is the only axis."
        return _explained_array_error(title, explanation, raised, [FoundCure("out_axes", None, words)])
    if match := _AXIS.search(text):
        title = f"An array of {_axes_text(match[2])} has no axis {match[1]}"
        if match[2] == "0":
            title = f"A single number has no axis {match[1]}"
        elif called(raised.node if raised is not None else None) in ("expand_dims", "stack"):
            title = f"The result has {_axes_text(match[2])}, so there is no axis {match[1]}"
        words = f"Axes count from 0. Write an axis from 0 to {int(match[2]) - 1}."
        cure = FoundCure("axis", None, "Axis 0 is the only axis." if match[2] == "1" else words)
        return _explained_array_error(title, _operands(raised), raised, [cure] if int(match[2]) else [])
    if match := _INDICES.search(text):
        title = f"An array of {_axes_text(match[1])} cannot take {match[2]} indices"
        cure = FoundCure("fewer indices", None, "Write one index for each axis at most.")
        return _explained_array_error(title, _operands(raised), raised, [cure])
    if match := _NOT_ARRAY.search(text):
        return _no_array(raised, match[1], match[2], int(match[3]))
    return None


def _select_types(raised: RaisedAt | None, attributes: str, values: str) -> Explained:
    """Explains lax.select with two values of different shapes or dtypes, and offers jnp.where."""
    title = f"lax.select takes two values of one {attributes[:-1]}, but gets {values.strip('[]')}"
    call = raised.node if raised is not None else None
    if raised is None or not isinstance(call, ast.Call) or called(call) != "select":
        return Explained(None, title, "Functions of jax.lax do not convert their operands to a common type.")
    code = f"{jnp_name(raised)}.where"
    cure = FoundCure(code, code, "jnp.where takes the same arguments, and gives both values one shape and one type.")
    if len(call.args) == 3:
        cure = applied(cure, [edit_of(raised, over(call.func, code))])
    return _explained_array_error(
        title,
        f"Functions of jax.lax do not convert their operands to a common type. {operands(raised, call.args)}",
        raised,
        [cure],
    )


def _out_axes(raised: RaisedAt | None) -> str | None:
    """The code of the option out_axes of the vmap whose function the expression calls."""
    call = raised.node if raised is not None else None
    if raised is None or not isinstance(call, ast.Call):
        return None
    vmap_call: ast.AST | None = call.func
    if isinstance(vmap_call, ast.Name) and raised.loops is not None:
        name = vmap_call.id
        stores = [
            node
            for node in ast.walk(raised.loops.module)
            if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == [name]
        ]
        vmap_call = stores[0].value if len(stores) == 1 else None
    if not isinstance(vmap_call, ast.Call) or called(vmap_call) != "vmap":
        return None
    return next(
        (f"out_axes={raised.source(keyword.value)}" for keyword in vmap_call.keywords if keyword.arg == "out_axes"),
        None,
    )


def _makes_array(raised: RaisedAt | None) -> bool:
    """Whether the expression is a call of array or asarray."""
    call = raised.node if raised is not None else None
    return isinstance(call, ast.Call) and called(call) in ("array", "asarray")


def _fits_with_new_axis(before: str, after: str) -> bool:
    """Whether the first shape broadcasts to the second once it has an axis of size 1 at its end."""
    old, new = ([size.strip() for size in shape.split(",") if size.strip()] for shape in (before, after))
    widened = [*old, "1"]
    return len(widened) <= len(new) and all(
        a in (b, "1") for a, b in zip(reversed(widened), reversed(new), strict=False)
    )


def _axes_text(number: str) -> str:
    return "1 axis" if number == "1" else f"{number} axes"


def _explained_array_error(
    title: str, explanation: str, raised: RaisedAt | None, cures: Sequence[FoundCure]
) -> Explained:
    return Explained(None, title, explanation.strip(), tuple(cures if raised is None else passed(raised, cures)))


def _source_suffix(raised: RaisedAt | None) -> str:
    text = raised.text if raised is not None else None
    return f" in {text}" if text is not None and len(text) <= 60 else ""


def operand_nodes(raised: RaisedAt | None) -> list[ast.expr]:
    """The expressions of the operands of the operation that raised the error."""
    node = raised.node if raised is not None else None
    match node:
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            return [left, right]
        case ast.AugAssign(target=ast.Name() as target, value=value):
            return [target, value]
        case ast.Call(func=function, args=args):
            operand_list = (
                [function.value]
                if isinstance(function, ast.Attribute)
                and raised is not None
                and _is_array(value_of(raised, function.value) if raised.frame is not None else None)
                else []
            )
            for argument in args:
                operand_list += argument.elts if isinstance(argument, ast.List | ast.Tuple) else [argument]
            return operand_list
        case ast.Subscript(value=value):
            return [value]
    return []


def _is_array(value: Any) -> bool:
    return hasattr(type(value), "shape") and hasattr(type(value), "dtype")


def _operands(raised: RaisedAt | None) -> str:
    return operands(raised, operand_nodes(raised))


def _shapes(raised: RaisedAt | None) -> list[tuple[ast.expr, tuple[int, ...]]]:
    if raised is None or raised.frame is None:
        return []
    values = [(node, value_of(raised, node)) for node in operand_nodes(raised)]
    return [(node, tuple(value.shape)) for node, value in values if _is_array(value)]


def _new_axis_cures(raised: RaisedAt | None) -> list[FoundCure]:
    """The cure x[:, None]: one operand gets an axis of size 1, where the first axes of both operands are equal."""
    general = FoundCure("same shape", None, "Cut, pad or reshape an operand so that the sizes fit.")
    shapes = _shapes(raised)
    if raised is not None and (cures := _keepdims_cures(raised)):
        return cures
    if raised is None or len(shapes) != 2 or not isinstance(raised.node, ast.BinOp):
        return [general]
    long, short = sorted(shapes, key=lambda pair: -len(pair[1]))
    if len(long[1]) == 2 and len(short[1]) == 1 and long[1][0] == short[1][0]:
        code = f"{raised.source(short[0])}[:, None]"
        text = f"{code} has the shape {(*short[1], 1)}, so each row of the other operand meets one element."
        return [FoundCure("[:, None]", code, text)]
    return [general]


_REDUCTIONS = frozenset("mean sum max min std var median prod norm logsumexp".split())


def _keepdims_cures(raised: RaisedAt) -> list[FoundCure]:
    """The cure keepdims=True for x - x.mean(axis=1): the mean keeps the reduced axis with size 1."""
    node = raised.node
    sides = [node.left, node.right] if isinstance(node, ast.BinOp) else []
    calls = [operand for operand in sides if isinstance(operand, ast.Call) and called(operand) in _REDUCTIONS]
    if len(calls) != 1 or any(keyword.arg == "keepdims" for keyword in calls[0].keywords):
        return []
    if not any(keyword.arg == "axis" for keyword in calls[0].keywords):
        return []
    code = f"{raised.source(calls[0])[:-1].rstrip().rstrip(',')}, keepdims=True)"
    words = "keepdims=True keeps the reduced axis with size 1, so the result fits beside the array."
    return passed(raised, [applied(FoundCure("keepdims", code, words), [edit_of(raised, over(calls[0], code))])])


def _vmap_cures(raised: RaisedAt | None, sizes: Sequence[str]) -> list[FoundCure]:
    """The cure jax.vmap(layer)(x) for an equinox layer that takes one element but gets a batch of elements."""
    import jax

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
    if "equinox" not in packages or namespace(raised).get("jax") is not jax:
        return []
    if len(shape) != 2 or str(shape[-1]) not in sizes:
        return []
    code = f"jax.vmap({raised.source(call.func)})"
    words = f"A module of equinox takes one element. {code} takes a batch, and calls the module for each element."
    return passed(raised, [applied(FoundCure("jax.vmap", code, words), [edit_of(raised, over(call.func, code))])])


def _written_shape(node: ast.expr) -> tuple[int, ...]:
    """The shape that a call such as jnp.ones((8, 3)) names; an empty tuple if the call names none."""
    nodes = [part for part in ast.walk(node) if isinstance(part, ast.Tuple)] if isinstance(node, ast.Call) else []
    sizes = [element.value if isinstance(element, ast.Constant) else None for element in nodes[0].elts] if nodes else []
    return tuple(size for size in sizes if type(size) is int) if None not in sizes else ()


def _transpose_cures(raised: RaisedAt | None) -> list[FoundCure]:
    shapes = _shapes(raised)
    general = FoundCure("same size", None, _PRODUCT)
    if raised is not None and len(shapes) == 2 and len(shapes[1][1]) > 2:
        words = "The last axis of the left operand must have the size of the last axis but one of the right operand."
        code = f"{raised.source(shapes[1][0])}.mT" if shapes[0][1][-1:] == shapes[1][1][-1:] else None
        return [FoundCure(".mT" if code else "same size", code, f"{words} .mT swaps the last two axes of an array.")]
    if raised is None or len(shapes) != 2 or len(shapes[1][1]) != 2:
        return [general]
    is_weight = isinstance(shapes[0][0], ast.Subscript | ast.Attribute) and isinstance(shapes[1][0], ast.Name)
    if is_weight and shapes[0][1][-1:] != shapes[1][1][-1:] and shapes[1][1][-1:] == shapes[0][1][:1]:
        left, right = (raised.source(node) for node, _ in shapes)
        node = raised.node
        words = f"In this order, the product sums over the axes of {shapes[1][1][-1]} elements."
        return [FoundCure("the order", _product_in_order(raised, node, right, left), words)]
    if shapes[0][1][-1:] == shapes[1][1][-1:]:
        code = f"{raised.source(shapes[1][0])}.T"
        return [FoundCure(".T", code, f"{code} has the shape {shapes[1][1][::-1]}, whose first size fits.")]
    return [general]


def _product_in_order(raised: RaisedAt, node: ast.AST | None, left: str, right: str) -> str | None:
    """The code of a product with these operands; None where the code of the product has other arguments, too."""
    if not isinstance(node, ast.Call):
        return f"{left} @ {right}"
    if node.keywords or called(node) not in ("dot", "matmul"):
        return None
    if module_of_call(raised, node):
        return f"{raised.source(node.func)}({left}, {right})" if len(node.args) == 2 else None
    return f"{left}.dot({right})" if len(node.args) == 1 else None


def _array_as_condition(raised: RaisedAt | None) -> Explained:
    explanation = "An array of several elements is neither true nor false."
    source = raised.text if raised is not None else None
    if raised is None or source is None or not isinstance(raised.node, ast.expr):
        ways = [FoundCure(f".{name}()", None, words) for name, words in _REDUCED.items()]
        return Explained(None, "Python cannot take an array as true or false", explanation, tuple(ways))
    is_array = not isinstance(raised.node, ast.Call | ast.BoolOp | ast.UnaryOp) and not (
        isinstance(raised.node, ast.Compare) and (len(raised.node.ops) > 1 or isinstance(raised.node.ops[0], _IN))
    )
    title = f"{source} is an array, which Python cannot take as true or false"
    if not is_array:
        title = f"{source} needs a value that is true or false, but gets an array"
    choices = Choices(raised)
    consumer = choices.consumer()
    cures = Calls(raised).cures() or ([] if consumer is not None else choices.combination())
    if isinstance(consumer, ast.IfExp | ast.If):
        cures = [cure for cure in choices.selection() if cure.name.endswith("where")]
    cures = passed(raised, cures)
    if cures:
        return Explained(None, title, explanation, tuple(cures))
    if isinstance(raised.node, ast.Call) and consumer is None and not _is_array(value_of(raised, raised.node)):
        code = None  # a function of Python, not the user's expression, took the array as true or false
    else:
        node = consumer.test if consumer is not None else raised.node
        simple = isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.Attribute)
        code = choices.condition(node) if simple else f"({choices.condition(node)})"
    ways = [FoundCure(f".{name}()", f"{code}.{name}()" if code else None, words) for name, words in _REDUCED.items()]
    return Explained(None, title, explanation, tuple(ways))


_REDUCED = {"all": "True where all elements are true.", "any": "True where at least one element is true."}
_IN = ast.In | ast.NotIn


# --- writes ---


def _item_assignment(raised: RaisedAt | None) -> Explained:
    general = "JAX arrays cannot be changed. Write x = x.at[index].set(value), which makes a new array."
    node = raised.node if raised is not None else None
    statement = raised.statement_of(node) if raised is not None else None
    title = "A JAX array cannot be changed in place"
    if raised is None or not isinstance(node, ast.Subscript):
        return Explained(None, title, "", (FoundCure(".at[...]", None, general),))
    base, indices = node, [raised.source(node.slice)]
    while not _is_array(value_of(raised, base.value)) and isinstance(base.value, ast.Subscript):
        base = base.value
        if not _is_one_index(raised, base.slice):  # x[1:][0] selects another element than x[1:, 0]
            return Explained(None, title, _operands(raised), (FoundCure(".at[...]", None, f"{general} {_NO_CODE}"),))
        indices.insert(0, raised.source(base.slice))
    array = raised.source(base.value)
    at = f"{array} = {array}.at[{', '.join(indices)}]"
    lost = lost_write(raised, statement, base.value) if statement is not None else None
    if lost is not None and statement is not None:
        title += _statement_text(raised, statement)
        return Explained(None, title, _operands(raised), (FoundCure(".at[...]", None, lost),))
    match statement:
        case ast.Assign(targets=[ast.Subscript()], value=value) if _is_mask(raised, node.slice):
            return _mask_assignment(raised, title, statement, node, raised.source(value))
        case ast.AugAssign(op=op, value=value) if _is_mask(raised, node.slice):
            new = ast.unparse(ast.BinOp(node.value, op, value))
            return _mask_assignment(raised, title, statement, node, new)
        case ast.Assign(targets=[ast.Subscript()], value=value):
            code = f"{at}.set({raised.source(value)})"
        case ast.AugAssign(op=op, value=value) if type(op) in _METHODS:
            code = f"{at}.{_METHODS[type(op)]}({raised.source(value)})"
        case _:
            return Explained(None, title, _operands(raised), (FoundCure(".at[...]", None, f"{general} {_NO_CODE}"),))
    text = ".at[...] makes a new array. The array that other names hold stays as it was."
    cure = applied(FoundCure(".at[...]", code, text), [edit_of(raised, over(statement, code))])
    title += _statement_text(raised, statement)
    explanation = operands(raised, [base.value])
    if not isinstance(base.value, ast.Name):
        # The statement writes into an object, and a trial of the cure would change the user's object.
        return Explained(None, title, explanation, (cure,))
    return _explained_array_error(title, explanation, raised, [cure])


def _is_one_index(raised: RaisedAt, index: ast.expr) -> bool:
    """Whether an index selects a single element of an axis."""
    value: Any = index.value if isinstance(index, ast.Constant) else value_of(raised, index)
    return type(value) is int or ("int" in dtype_of(value) and value.ndim == 0)


def _is_mask(raised: RaisedAt, index: ast.expr) -> bool:
    """Whether an index is an array of booleans."""
    if isinstance(index, ast.Compare):
        return True
    if isinstance(index, ast.UnaryOp):
        return isinstance(index.op, ast.Invert) and _is_mask(raised, index.operand)
    if isinstance(index, ast.BinOp):
        return _is_mask(raised, index.left) and _is_mask(raised, index.right)
    if isinstance(index, ast.Call) and called(index).startswith(("is", "logical_")):
        return True
    return dtype_of(value_of(raised, index)) == "bool"


def _mask_assignment(raised: RaisedAt, title: str, statement: ast.stmt, node: ast.Subscript, new: str) -> Explained:
    array, jnp = raised.source(node.value), jnp_name(raised)
    code = f"{array} = {jnp}.where({raised.source(node.slice)}, {new}, {array})"
    text = f"{jnp}.where makes a new array: the new value where the mask is true, and the old value elsewhere."
    cure = FoundCure(f"{jnp}.where", code, text)
    if masks_elements(raised, node):
        cure = applied(cure, [edit_of(raised, over(statement, code))])
    else:
        cure = replace(cure, code=None, text=f"{text} {MASK_OF_ROWS}")
    title += _statement_text(raised, statement)
    return _explained_array_error(title, operands(raised, [node.value]), raised, [cure])


def _statement_text(raised: RaisedAt, statement: ast.stmt) -> str:
    """The code of a statement in one line, for the end of a title."""
    text = " ".join(raised.source(statement).split())
    return f": {text}" if len(text) <= 60 else ""


def _no_method(raised: RaisedAt | None, name: str) -> Explained:
    """Explains a method that JAX arrays lack, such as append of lists or a method of another library's arrays."""
    name = "del" if name == "__delitem__" else name
    title = "A JAX array has no del" if name == "del" else f"A JAX array has no method or attribute {name}"
    statement = raised.statement_of(raised.node) if raised is not None else None
    jnp = jnp_name(raised) if raised is not None else "jnp"
    general = f"Look for a function of {jnp} or a method of jax.Array that does the same."
    words = _INSTEAD.get(name, _IN_PLACE if name.endswith("_") and not name.startswith("_") else general)
    cure = FoundCure(name, None, words.replace("jnp", jnp))
    code, array = None, ""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=array), attr="append"), args=[value])):
            code = f"{array} = {jnp}.append({array}, {raised.source(value)})" if raised is not None else None
        case ast.Delete(targets=[ast.Subscript(value=ast.Name(id=array), slice=index)]):
            code = f"{array} = {jnp}.delete({array}, {raised.source(index)})" if raised is not None else None
    if raised is None or statement is None or code is None:
        return Explained(None, title, _operands(raised), (cure,))
    lost = lost_write(raised, statement, ast.Name(array, ast.Load()))
    if lost is not None:
        return Explained(None, title, _operands(raised), (replace(cure, text=f"{cure.text} {lost}"),))
    cure = applied(FoundCure(cure.name, code, cure.text), [edit_of(raised, over(statement, code))])
    return _explained_array_error(title, _operands(raised), raised, [cure])


_IN_PLACE = (
    "A JAX array cannot be changed in place. Assign the new array to the name, such as x = x + 1 or x.at[i].add(1)."
)
_INSTEAD = {
    "append": "jnp.append makes a new array with the element at the end.",
    "del": "jnp.delete makes a new array without the element.",
    "fill": "jnp.full_like(x, value) makes a new array.",
    "numpy": "A jax.Array outside of jit becomes a NumPy array with np.asarray(x). Under jit, use jax.numpy.",
    "to_numpy": "A jax.Array outside of jit becomes a NumPy array with np.asarray(x). Under jit, use jax.numpy.",
    "detach": "jax.lax.stop_gradient(x) takes x out of the gradient.",
    "cuda": "jax.device_put(x, jax.devices()[0]) moves x to a device.",
    "to": "jax.device_put moves x to a device. x.astype converts the type.",
    "view_as": "x.reshape(y.shape) gives x the shape of y.",
    "permute": "x.transpose(axes) or jnp.permute_dims(x, axes) permutes the axes.",
    "expand": "jnp.broadcast_to(x, shape) repeats axes of size 1.",
    "repeat_interleave": "jnp.repeat(x, n, axis) repeats each element.",
    "masked_fill": "jnp.where(mask, value, x) replaces the elements where the mask is true.",
    "float": "x.astype(jnp.float32) converts the type.",
    "long": "x.astype(jnp.int32) converts the type.",
    "int": "x.astype(jnp.int32) converts the type.",
    "cpu": "jax.device_get(x) copies x to a NumPy array on the host.",
    "matmul": "x @ y or jnp.matmul(x, y) multiplies matrices.",
    "unsqueeze": "jnp.expand_dims(x, axis) adds an axis, and so does x[None].",
    "requires_grad": "JAX marks no array: jax.grad(f, argnums=0) names the argument to differentiate.",
    "backward": "jax.grad(loss)(x) computes the gradient of a function.",
    "grad": "jax.grad(loss)(x) computes the gradient of a function.",
}


# --- indices ---


def _in_parentheses(raised: RaisedAt, node: ast.expr) -> str:
    """The code of an operand, in parentheses where a neighbouring operator would bind to a part of the operand."""
    simple = isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.Attribute | ast.Constant)
    return raised.source(node) if simple else f"({raised.source(node)})"


def _index_dtype(raised: RaisedAt | None, dtype: str) -> Explained:
    title = f"An index must be an integer, not {dtype}"
    text = "astype(int) makes integers, and cuts the fraction."
    node = raised.around(ast.Subscript) if raised is not None else None
    match raised.node if raised is not None else None:
        case ast.Call(func=ast.Attribute(value=ast.Subscript(value=ast.Attribute(attr="at")) as updated)):
            node = updated
    if raised is not None and isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        floats = [index for index in node.slice.elts if dtype_of(value_of(raised, index)) == dtype]
        if len(floats) == 1:
            code = f"{_in_parentheses(raised, floats[0])}.astype(int)"
            cure = applied(FoundCure(".astype(int)", code, text), [edit_of(raised, over(floats[0], code))])
            return _explained_array_error(title, operands(raised, [node.value, *floats]), raised, [cure])
    if raised is None or not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice | ast.Tuple):
        return Explained(None, title, "", (FoundCure(".astype(int)", None, text),))
    explanation = operands(raised, [node.value, node.slice])
    if isinstance(node.slice, ast.Constant):
        return Explained(None, title, explanation, (FoundCure("an integer", None, "Write an integer as the index."),))
    if isinstance(node.slice, ast.BinOp) and isinstance(node.slice.op, ast.Div):
        code = " // ".join(_in_parentheses(raised, operand) for operand in (node.slice.left, node.slice.right))
        cure = FoundCure("//", code, "Python's / gives a float, also for integers. // gives an integer.")
        return _explained_array_error(
            title, explanation, raised, [applied(cure, [edit_of(raised, over(node.slice, code))])]
        )
    code = f"{_in_parentheses(raised, node.slice)}.astype(int)"
    cure = applied(FoundCure(".astype(int)", code, text), [edit_of(raised, over(node.slice, code))])
    cures = passed(raised, [cure])
    made = _only_assignment(raised, node.slice)
    if not cures and made is not None:  # several indices use the name
        code = f"{_in_parentheses(raised, made)}.astype(int)"
        cures = passed(raised, [applied(FoundCure(".astype(int)", code, text), [edit_of(raised, over(made, code))])])
    return Explained(None, title, explanation.strip(), tuple(cures or [FoundCure(".astype(int)", None, text)]))


def _only_assignment(raised: RaisedAt, node: ast.expr) -> ast.expr | None:
    """The expression that a function assigns to a name; None for other expressions, or several assignments."""
    if not isinstance(node, ast.Name) or raised.function is None:
        return None
    values = [
        statement.value
        for statement in ast.walk(raised.function)
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name) and target.id == node.id
    ]
    return values[0] if len(values) == 1 else None


def _no_array(raised: RaisedAt | None, name: str, kind: str, place: int) -> Explained:
    title = f"{name} takes an array, not a {kind}"
    text = f"jnp.asarray makes one array of the {kind}."
    node = raised.node if raised is not None else None
    if raised is None or not isinstance(node, ast.Call) or called(node) != name or len(node.args) <= place:
        return Explained(None, title, "", (FoundCure("jnp.asarray", None, text),))
    jnp = jnp_name(raised)
    # JAX names only the first argument that is a list; later arguments may be lists as well.
    kinds = (list, tuple)
    lists = [
        argument
        for argument in node.args[place:]
        if isinstance(argument, ast.List | ast.Tuple) or type(value_of(raised, argument)) in kinds
    ]
    # The functions of jax.random count without the key.
    place = node.args.index(lists[0]) if lists and node.args[place] not in lists else place
    lists = lists if node.args[place] in lists and name in _ELEMENTWISE else [node.args[place]]
    edits = [edit_of(raised, over(argument, f"{jnp}.asarray({raised.source(argument)})")) for argument in lists]
    cure = applied(FoundCure(f"{jnp}.asarray", edits[0].text, text), edits)
    explained = _explained_array_error(title, _operands(raised), raised, [cure])
    if explained.cures:
        return explained
    if any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in ast.walk(node.args[place])):
        cure = FoundCure("an index", None, "JAX has no arrays of texts: compute an index, and read the text by it.")
    # Random numbers, for example, are not drawn in a trial.
    return replace(explained, cures=(replace(cure, level="advice", code=None, edits=()),))
