"""Explains calls of functions of JAX and of optimizers whose arguments are in the wrong order."""

from __future__ import annotations

import ast
import re

from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..control_flow.exchanged_parameters import INDEX_FIRST
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt, touches_jax
from ..failing_code.return_values import AnyFunction, function_of_text

_NO_DTYPE = re.compile(r"^Cannot interpret '(.+?)' as a data type")
_NO_SHAPE = re.compile(r"^Shapes must be 1D sequences|'float' object cannot be interpreted as an integer")
_NO_SIZES = re.compile(r"^'(?:_ScalarMeta|type)' object is not iterable")
#: Function of jax.random -> its limits (minval, maxval), which come after the shape and the dtype.
_BOUNDS = {"uniform": ("minval", "maxval")}
_NO_AXIS = re.compile(r"^scan got value with no leading axis to scan over")
_SUBSCRIPTS = re.compile(r"^Einstein sum subscript ")
_INDEXED = re.compile(r"^Indexer must have integer or boolean type|^Too many indices: array is 0-dimensional")


def order_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains the wrong order of the arguments of random functions, optimizers and einsum, and of a fori_loop body."""
    if raised is None or raised.frame is None or not isinstance(error, Exception):
        return None
    text = message_of(error).strip()
    if isinstance(error, TypeError | IndexError) and _INDEXED.search(text):
        return _index_last(raised)
    call = raised.node
    if not isinstance(call, ast.Call) or not touches_jax(error):
        return None
    if isinstance(error, ValueError) and _NO_AXIS.search(text) and called(call) == "scan":
        return _length_as_xs(raised, call)
    if isinstance(error, ValueError) and _SUBSCRIPTS.search(text) and called(call) == "einsum":
        return _subscripts_last(raised, call)
    if isinstance(error, TypeError) and _NO_SIZES.search(text) and (dtype := _dtype_as_shape(raised, call)) is not None:
        return dtype
    if (swapped := _shape_first(raised, call)) is not None:
        return swapped
    if isinstance(error, TypeError) and (_NO_DTYPE.search(text) or _NO_SHAPE.search(text)):
        return _limits(raised, call)
    return _state_first(raised, call)


# --- random numbers ---

#: Functions of jax.random whose shape comes after a parameter of the distribution. (`choice` is left out, because its
#: second argument may be a tuple of values.)
_SHAPE_AFTER = frozenset({"bernoulli", "poisson", "gamma", "t", "chisquare", "pareto"})


def _shape_first(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains bernoulli(key, (3,), 0.5) and randint(key, 0, 10, (3,)), whose arguments have the wrong order."""
    name, source = called(call), raised.source(call.func)
    if "random" not in source or call.keywords or "np." in source or any(isinstance(e, ast.Starred) for e in call.args):
        return None
    arguments = [raised.source(argument) for argument in call.args]
    if name in _SHAPE_AFTER and len(arguments) == 3 and _has_sizes(raised, call.args[1]):
        if _is_shape(raised, call.args[2]):
            return None
        shape = arguments[1]
        code = f"{source}({arguments[0]}, {arguments[2]}, {shape})"
        title = f"{name} takes the shape as its last argument"
    elif name == "randint" and len(arguments) == 4 and _has_sizes(raised, call.args[3]):
        if _is_shape(raised, call.args[1]):
            return None
        shape = arguments[3]
        code = f"{source}({arguments[0]}, {shape}, {arguments[1]}, {arguments[2]})"
        title = "randint takes the shape after the key, and then the limits"
    else:
        return None
    words = f"In this call, {shape} is the shape."
    cure = applied(FoundCure("the order", code, words), [edit_of(raised, over(call, code))])
    return Explained(None, title, "", tuple(passed(raised, [cure])))


def _dtype_as_shape(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains jax.random.normal(key, jnp.float32), which lacks the shape before the dtype."""
    if "random" not in raised.source(call.func) or len(call.args) != 2 or call.keywords:
        return None
    name, key, dtype = called(call), *map(raised.source, call.args)
    title = f"{name} takes the shape after the key, not the dtype {dtype}"
    code = f"{raised.source(call.func)}({key}, shape, {dtype})"
    words = "Write a tuple of sizes in the place of shape, or () for a single number."
    return Explained(None, title, "", (FoundCure("a shape", code, words),))


def _is_shape(raised: RaisedAt, node: ast.expr) -> bool:
    return isinstance(node, ast.Tuple | ast.List) or type(value_of(raised, node)) in (tuple, list)


def _has_sizes(raised: RaisedAt, node: ast.expr) -> bool:
    """Return whether an expression is certainly a shape: a tuple or a list of positive integers."""
    if isinstance(node, ast.Tuple | ast.List):
        return all(_is_size(raised, element) for element in node.elts)
    value = value_of(raised, node)
    return type(value) in (tuple, list) and all(type(size) is int and size > 0 for size in value)


def _limits(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains jax.random.uniform(key, 0.0, 1.0): the limits are passed in place of shape and dtype."""
    name = called(call)
    source = raised.source(call.func)
    if "random" not in source or name not in (*_BOUNDS, "normal") or len(call.args) < 3 or call.keywords:
        return None
    arguments = call.args[1:]
    is_shape = _is_shape(raised, arguments[0])
    numbers = arguments[1:] if is_shape else arguments
    if not numbers or len(numbers) > 2 or not all(_is_number(raised, limit) for limit in numbers):
        return None
    if not is_shape and all(_is_size(raised, limit) for limit in numbers):
        return None
    title = f"{name} takes the shape and the dtype after the key, not limits or a mean"
    texts = [raised.source(argument) for argument in ([call.args[0], arguments[0]] if is_shape else [call.args[0]])]
    if name not in _BOUNDS:
        words = (
            f"{source}(key, shape) draws numbers of mean 0 and standard deviation 1. Write mean + deviation * "
            f"{source}(key, shape)."
        )
        return Explained(None, title, "", (FoundCure("mean + deviation * x", None, words),))
    named = [f"{option}={raised.source(limit)}" for option, limit in zip(_BOUNDS[name], numbers, strict=False)]
    code = f"{source}({', '.join([*texts, *named])})"
    names_of_limits = " and ".join(_BOUNDS[name])
    words = f"Pass the limits {names_of_limits} by name."
    cure = applied(FoundCure(names_of_limits, code, words), [edit_of(raised, over(call, code))])
    return Explained(None, title, "", tuple(passed(raised, [cure])))


def _is_number(raised: RaisedAt, node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_number(raised, node.operand)
    value = node.value if isinstance(node, ast.Constant) else value_of(raised, node)
    return type(value) in (int, float)


def _is_size(raised: RaisedAt, node: ast.expr) -> bool:
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        return True
    value = node.value if isinstance(node, ast.Constant) else value_of(raised, node)
    return type(value) is int and value > 0


# --- optimizers ---


def _state_first(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains tx.update(state, gradients): the gradients must come first.

    The error may be raised later, in apply_updates.
    """
    update = call
    if called(call) == "apply_updates" and len(call.args) == 2 and isinstance(call.args[1], ast.Name):
        update_call = _update_of(raised, call.args[1].id)
        if update_call is None:
            return None
        update = update_call
    if called(update) != "update" or not isinstance(update.func, ast.Attribute) or len(update.args) < 2:
        return None
    optimizer = ast.unparse(update.func.value)
    first, second = update.args[:2]
    if not isinstance(first, ast.Name) or not _is_state(raised, first.id, optimizer):
        return None
    if isinstance(second, ast.Name) and _is_state(raised, second.id, optimizer):
        return None
    arguments = [raised.source(argument) for argument in (second, first, *update.args[2:], *update.keywords)]
    code = f"{raised.source(update.func)}({', '.join(arguments)})"
    title = f"{optimizer}.update takes the gradients first, and then the state"
    state = raised.source(first)
    cure = applied(
        FoundCure("the order", code, f"In this call, {state} is the state of the optimizer."),
        [edit_of(raised, over(update, code))],
    )
    return Explained(edit_of(raised, over(update, "")).place, title, "", tuple(passed(raised, [cure])))


def _update_of(raised: RaisedAt, name: str) -> ast.Call | None:
    """Return the only call of `update` in the code whose first result is assigned to a name; None if there is none."""
    calls = [
        node.value
        for node in ast.walk(raised.loops.module if raised.loops is not None else ast.Module([], []))
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Tuple)
        and node.targets[0].elts
        and ast.unparse(node.targets[0].elts[0]) == name
        and isinstance(node.value, ast.Call)
    ]
    return calls[0] if len(calls) == 1 and called(calls[0]) == "update" else None


def _is_state(raised: RaisedAt, name: str, optimizer: str) -> bool:
    """Return whether the code assigns the result of the optimizer's init to the given name."""
    module = raised.loops.module if raised.loops is not None else ast.Module([], [])
    return any(
        isinstance(node, ast.Assign)
        and ast.unparse(node.targets[0]) == name
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func) == f"{optimizer}.init"
        for node in ast.walk(module)
    )


# --- einsum ---


def _subscripts_last(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains einsum(x, "i->"): the subscripts must come before the operands."""
    *operand_nodes, last = call.args
    if not (isinstance(last, ast.Constant) and type(last.value) is str) or not operand_nodes:
        return None
    if any(isinstance(node, ast.Constant | ast.Starred) for node in operand_nodes):
        return None
    arguments = [raised.source(node) for node in (last, *operand_nodes)]
    keywords = [raised.source(keyword) for keyword in call.keywords]
    code = f"{raised.source(call.func)}({', '.join(arguments + keywords)})"
    cure = applied(
        FoundCure("the order", code, "Write the operands of einsum after the subscripts."),
        [edit_of(raised, over(call, code))],
    )
    return Explained(None, "einsum takes the subscripts as its first argument", "", tuple(passed(raised, [cure])))


# --- loops ---


def _length_as_xs(raised: RaisedAt, call: ast.Call) -> Explained | None:
    """Explains scan(step, carry, 10): a number of steps instead of the arrays xs."""
    if len(call.args) != 3 or call.keywords:
        return None
    steps = call.args[2]
    value = steps.value if isinstance(steps, ast.Constant) else value_of(raised, steps)
    if type(value) is not int:
        return None
    arguments = [raised.source(argument) for argument in call.args]
    code = f"{raised.source(call.func)}({arguments[0]}, {arguments[1]}, None, length={arguments[2]})"
    number_of_steps = arguments[2]
    title = f"scan takes arrays as its third argument, but gets the number {number_of_steps}"
    words = "Without an array in xs, scan takes the number of steps from the argument length."
    cure = applied(FoundCure("length", code, words), [edit_of(raised, over(call, code))])
    return Explained(None, title, "", tuple(passed(raised, [cure])))


def _index_last(raised: RaisedAt) -> Explained | None:
    """Explains def body(carry, i) for a fori_loop, which calls body(i, carry)."""
    body = raised.function
    if body is None or not _is_body_of_fori(raised, body):
        return None
    parameters = body.args.args
    if len(parameters) != 2:
        return None
    first, second = (parameter.arg for parameter in parameters)
    names = [node for node in ast.walk(body) if isinstance(node, ast.Name)]
    subscripts = [node for node in ast.walk(body) if isinstance(node, ast.Subscript)]
    indices = {id(part) for node in subscripts for part in ast.walk(node.slice) if isinstance(part, ast.Name)}
    # The body certainly has the wrong order only if no index contains its first parameter, and if it also uses its
    # second parameter just as an index, or its first parameter as an array that the second parameter indexes.
    if {name.id for name in names if id(name) in indices} & {first, second} != {second}:
        return None
    is_only_index = all(name.id != second or id(name) in indices for name in names)
    if not any(_is_indexed_by(node, first, second) for node in subscripts):
        if not is_only_index or first not in {n.id for n in names}:
            return None
    title = INDEX_FIRST.format(first_parameter=first)
    explanation = f"The parameter {first} gets the index, and the parameter {second} gets the carry."
    code = f"{second}, {first}"
    words = f"Write the parameters of the body in the order {code}."
    cure = FoundCure("the order", code, words)
    edit = edit_of(raised, (parameters[0], parameters[1], code))
    if parameters[0].annotation is None and parameters[1].annotation is None and not body.args.defaults:
        cure = applied(cure, [edit])
    return Explained(edit.place, title, explanation, (cure,), traced=True)


def _is_indexed_by(node: ast.Subscript, array: str, index: str) -> bool:
    """Return whether a subscript reads the named array, or writes it with `.at`, at an index that contains a name."""
    holder = node.value
    if isinstance(holder, ast.Attribute) and holder.attr == "at":
        holder = holder.value
    in_index = {part.id for part in ast.walk(node.slice) if isinstance(part, ast.Name)}
    return isinstance(holder, ast.Name) and holder.id == array and index in in_index


def _is_body_of_fori(raised: RaisedAt, body: AnyFunction) -> bool:
    module = raised.loops.module if raised.loops is not None else ast.Module([], [])
    loops = [node for node in ast.walk(module) if isinstance(node, ast.Call) and called(node) == "fori_loop"]
    return any(len(loop.args) > 2 and function_of_text(raised, loop.args[2]) is body for loop in loops)
