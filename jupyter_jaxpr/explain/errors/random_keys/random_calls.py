"""Explains calls of `jax.random` with a limit instead of the dtype, a float seed or another shape, and key + 1."""

from __future__ import annotations

import ast
import re
from typing import Any

from ....interruptions import not_of_a_signal
from ....observe.observation import FoundCure
from ....plain_text import message_of, own_name
from ...trials.trial_of_error_cure import passed
from ..arguments.static_argument_edits import parameters_of
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.expression_shapes import shape_of
from ..failing_code.module_names import random_name
from ..failing_code.operand_nodes import passed_node
from ..failing_code.origins import dtype_of, operands, value_of
from ..failing_code.place_of_error import RaisedAt
from ..message_tables.jax_messages import KEY_WITHOUT_VALUE

_NO_DTYPE = re.compile(r"^Cannot interpret '(.*?)' as a data type")
_SEED = re.compile(r"^PRNG key seed must be an integer; got \w*Tracer\(~?(\w+)")
_NO_NUMBER = re.compile(r"^add does not accept dtypes? .*key<")
_NO_MAXVAL = re.compile(r"^randint\(\) missing 1 required positional argument: 'maxval'")
_SHAPES = re.compile(r"^Incompatible shapes for broadcasting")
_SHAPE_AND_PARAMETERS = re.compile(r"^Incompatible shapes for broadcasting: shapes=\[(\([\d, ]*\)), (\([\d, ]*\))\]$")
_KEYS = frozenset({"key", "PRNGKey"})
_LIMITS = frozenset({"minval", "maxval"})


def random_call_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains jax.random.uniform(key, (3,), -1, 1), and jax.random.key(seed) with a traced float seed."""
    if raised is None or raised.frame is None or not isinstance(error, TypeError | ValueError):
        return None
    text = message_of(error).strip()
    if _SHAPES.search(text) and called(raised.node) == "categorical":
        return _shape_of_draws(raised)
    if (match := _SHAPE_AND_PARAMETERS.search(text)) and (draws := _shape_and_parameters(raised, *match.groups())):
        return draws
    if not isinstance(error, TypeError):
        return None
    if _NO_DTYPE.search(text):
        return _limits(raised)
    if match := _SEED.search(text):
        return _seed(raised, match[1])
    if _NO_MAXVAL.search(text):
        return _no_shape(raised)
    if _NO_NUMBER.search(text):
        return _folded_in(raised)
    return None


def _no_shape(raised: RaisedAt) -> Explained | None:
    """Explains jax.random.randint(key, 0, 10), without the shape; None if the second argument may be a shape."""
    call = raised.node
    if not isinstance(call, ast.Call) or len(call.args) != 3 or call.keywords:
        return None
    key, minval, maxval = call.args
    if isinstance(minval, ast.Starred) or type(_plain(raised, minval)) is not int:
        return None
    arguments = ", ".join([raised.source(key), "()", raised.source(minval), raised.source(maxval)])
    code = f"{raised.source(call.func)}({arguments})"
    words = "The shape () gives one number. A shape such as (3,) gives three numbers."
    cure = applied(FoundCure("shape", code, words), [edit_of(raised, over(call, code))])
    least_number = raised.source(minval)
    title = f"The call of randint leaves out the shape: {least_number} stands in the place of the shape"
    text = "randint takes a key, the shape, the least number, and the number after the largest number."
    return Explained(None, title, text, tuple(passed(raised, [cure])))


def _shape_of_draws(raised: RaisedAt) -> Explained | None:
    """Explains a shape of jax.random.categorical that leaves out the axes of the logits."""
    call = raised.node
    if not isinstance(call, ast.Call) or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    named |= dict(zip(("key", "logits", "axis", "shape"), call.args, strict=False))
    logits, shape = named.get("logits"), named.get("shape")
    sizes = shape_of(raised, logits) if logits is not None else None
    asked = _plain(raised, shape) if shape is not None else None
    axis = _plain(raised, named["axis"]) if "axis" in named else -1
    if logits is None or shape is None or not sizes or type(axis) is not int or not -len(sizes) <= axis < len(sizes):
        return None
    batch_shape = tuple(size for place, size in enumerate(sizes) if place != axis % len(sizes))
    name = " ".join(raised.source(logits).split())
    title = f"The shape of the draws must end with {batch_shape}, the shape of {name} without the axis of the classes"
    text = f"The argument shape is the shape of the whole result. {operands(raised, [logits])}"
    if type(asked) is not tuple or not all(type(size) is int for size in asked):
        words = f"Give a shape that ends with {batch_shape}."
        return Explained(None, title, text, (FoundCure("the shape", None, words),))
    whole_shape = (*asked, *batch_shape)
    words = f"With the shape {whole_shape}, each distribution in {name} gives draws of the shape {asked}."
    cure = applied(FoundCure("the shape", f"{whole_shape}", words), [edit_of(raised, over(shape, str(whole_shape)))])
    return Explained(None, title, text, tuple(passed(raised, [cure])))


def _shape_and_parameters(raised: RaisedAt, first: str, second: str) -> Explained | None:
    """Explains jax.random.bernoulli(key, p, shape) with probabilities p that do not broadcast to the shape."""
    call, shape = raised.node, passed_node(raised, "shape")
    if not isinstance(call, ast.Call) or shape is None or not _is_of_random(raised, call):
        return None
    asked = _plain(raised, shape)
    shapes = [first, second]
    if type(asked) is not tuple or str(asked) not in shapes:
        return None
    shapes.remove(str(asked))
    name = called(call)
    title = f"{name} draws numbers of the shape {asked}, but its parameters have the shape {shapes[0]}"
    types = operands(raised, [node for node in call.args[1:] if node is not shape])
    text = f"The argument shape is the shape of the whole result, to which the parameters broadcast. {types}".strip()
    words = f"Write a shape that ends with {shapes[0]}, or leave shape out."
    return Explained(None, title, text, (FoundCure("the shape", None, words),))


def _is_of_random(raised: RaisedAt, call: ast.Call) -> bool:
    """Return whether a call calls a function of jax.random."""
    import jax

    function = value_of(raised, call.func)
    return function is not None and vars(jax.random).get(own_name(function, "__name__") or "") is function


def _plain(raised: RaisedAt, node: ast.expr) -> Any:
    """Return the value of a literal, or of a name."""
    try:
        return ast.literal_eval(node)
    except not_of_a_signal(ValueError, TypeError):
        return value_of(raised, node)


def _limits(raised: RaisedAt) -> Explained | None:
    """Explains limits in the wrong position: after the shape, `jax.random.uniform` expects the dtype."""
    call = raised.node
    if not isinstance(call, ast.Call):
        return None
    function = value_of(raised, call.func)
    parameters = parameters_of(function)
    module = own_name(function, "__module__") or ""
    if parameters[:1] != ["key"] or "dtype" not in parameters or not module.startswith("jax"):
        return None
    place = parameters.index("dtype")
    limits, names = call.args[place:], [parameter for parameter in parameters[place + 1 :] if parameter in _LIMITS]
    if not limits or len(limits) > len(names) or not all(_is_number(limit) for limit in limits):
        return None
    if parameters[place - 1] == "shape" and len(limits) != len(names) and all(_is_whole(limit) for limit in limits):
        return None  # these integers are sizes of the shape, not limits
    name, first = called(call), raised.source(limits[0])
    before = [raised.source(argument) for argument in call.args[:place]]
    shape = call.args[place - 1] if place <= len(call.args) else None
    if parameters[place - 1] == "shape" and shape is not None and _is_whole(shape):
        before[-1] = f"({before[-1]},)"
    named = [f"{name}={raised.source(limit)}" for name, limit in zip(names, limits, strict=False)]
    named += [raised.source(keyword) for keyword in call.keywords]
    code = f"{raised.source(call.func)}({', '.join([*before, *named])})"
    words = (
        f"Pass {' and '.join(names[: len(limits)])} by name: the argument after {parameters[place - 1]} is the dtype."
    )
    cure = applied(FoundCure("by name", code, words), [edit_of(raised, over(call, code))])
    title = f"{first} stands in the place of the argument dtype of {name}"
    return Explained(None, title, f"{name} takes {', '.join(parameters)}.", tuple(passed(raised, [cure])))


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _is_whole(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _seed(raised: RaisedAt, dtype: str) -> Explained | None:
    """Explains a float seed in a traced function; JAX raises the error only when it compiles the program."""
    if raised.loops is None or called(raised.node) in _KEYS:
        return None
    calls = [
        node
        for node in ast.walk(raised.loops.module)
        if isinstance(node, ast.Call) and called(node) in _KEYS and len(node.args) == 1
    ]
    seeded = [node for node in calls if not isinstance(node.args[0], ast.Constant)]
    if len(seeded) != 1:
        return None
    (call,) = seeded
    seed = raised.source(call.args[0])
    simple = isinstance(call.args[0], ast.Name | ast.Call | ast.Subscript | ast.Attribute)
    code = f"{seed if simple else f'({seed})'}.astype(int)"
    title = f"The seed of a random key must be an integer, but {seed} is {dtype}"
    explanation = "JAX raises the error when JAX compiles the program."
    scopes = (ast.FunctionDef, ast.Lambda)
    inner: ast.AST | None = call
    while inner is not None and not isinstance(inner, scopes):
        inner = raised.parents.get(id(inner))
    # For a call outside of the failing function, the types are left out: the names may have other values there.
    if inner is raised.function:
        explanation = f"{explanation} {operands(raised, call.args)}".strip()
    cure = FoundCure("an integer", code, "Pass an integer in the call, or convert the seed.")
    return Explained(edit_of(raised, over(call, "")).place, title, explanation, (cure,))


def _folded_in(raised: RaisedAt) -> Explained | None:
    """Explains `key + i`, with which the user probably wants a different key for each i."""
    match raised.node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            nodes = (left, right)
        case ast.AugAssign(target=ast.Name() as left, op=ast.Add(), value=right):
            nodes = (left, right)
        case _:
            return None
    assert raised.node is not None
    keys = [node for node in nodes if dtype_of(value_of(raised, node)).startswith("key<")]
    integers = [node for node in nodes if _is_integer(raised, node)]
    if len(keys) != 1 or len(integers) != 1 or value_of(raised, keys[0]).ndim:
        return None
    key, number = raised.source(keys[0]), raised.source(integers[0])
    call = f"{random_name(raised)}.fold_in({key}, {number})"
    code = f"{key} = {call}" if isinstance(raised.node, ast.AugAssign) else call
    words = f"fold_in makes a new key from {key} and {number}: another number gives another key."
    cure = applied(FoundCure("jax.random.fold_in", code, words), [edit_of(raised, over(raised.node, code))])
    title = f"A key of jax.random is not a number, so JAX cannot add {number} to {key}"
    cures = passed(raised, [cure]) or [FoundCure(cure.name, None, words)]
    return Explained(
        None,
        title,
        KEY_WITHOUT_VALUE,
        tuple(cures),
    )


def _is_integer(raised: RaisedAt, node: ast.expr) -> bool:
    """Return whether an expression certainly is one integer: a Python int, or an integer array without axes."""
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Mod() | ast.FloorDiv(), right=right):
            return _is_integer(raised, left) and _is_integer(raised, right)
        case ast.Constant(value=value):
            return type(value) is int
    value = value_of(raised, node)
    return type(value) is int or ("int" in dtype_of(value) and value.ndim == 0)
