"""Explains a call of `jax.random` with a wrong first argument: a seed, a shape, data or a NumPy generator."""

from __future__ import annotations

import ast

from ....observe.observation import FoundCure
from ....plain_text import own_name
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.module_names import random_name
from ..failing_code.origins import dtype_of, makes_key, operands, value_of
from ..failing_code.place_of_error import RaisedAt, at_caller
from .left_out_keys import KEY_IS_FIRST, is_repeated, key_cure

NO_KEY = "The first argument of {function} must be a key of jax.random.key"
KEY_FROM_NUMBER = "jax.random.key makes a key from a number. Split the key for each use."
_NO_KEY_IN_CALL = "The first argument must be a key of jax.random.key"


def wrong_key(raised: RaisedAt | None) -> Explained:
    """Explains the first argument of a call of jax.random that is no key."""
    call = raised.node if raised is not None else None
    if raised is None or not isinstance(call, ast.Call) or not call.args or raised.frame is None:
        return Explained(None, _NO_KEY_IN_CALL, "", (FoundCure("jax.random.key", None, KEY_FROM_NUMBER),))
    function, first = called(call) or raised.source(call.func), call.args[0]
    if function == "wrap_key_data":
        title = "wrap_key_data takes the numbers of a key, as jax.random.key_data returns the numbers"
        words = "Pass an array of the dtype uint32, with all numbers of a key in its last axis."
        return Explained(None, title, operands(raised, [first]), (FoundCure("the numbers", None, words),))
    title = NO_KEY.format(function=function)
    source = " ".join(raised.source(first).split())
    text = operands(raised, [first]) or f"{source} is not a key."
    if len(call.args) > 1 and (makes_key(raised, call.args[1]) or _is_old_key(raised, call.args[1])):
        arguments = [raised.source(argument) for argument in call.args]
        keywords = [raised.source(keyword) for keyword in call.keywords]
        code = f"{raised.source(call.func)}({', '.join([arguments[1], arguments[0], *arguments[2:], *keywords])})"
        swapped = FoundCure("the order", code, KEY_IS_FIRST.format(function=function))
        cures = passed(raised, [applied(swapped, [edit_of(raised, over(call, code))])])
        return Explained(None, title, text, tuple(cures))
    if isinstance(first, ast.Name) and first.id in raised.frame.f_locals and value_of(raised, first) is None:
        words = f"Give {source} a key before this line, such as {random_name(raised)}.key(0)."
        return Explained(None, title, f"{source} is None.", (FoundCure("a key", None, words),))
    if _is_a_shape(raised, first):
        left_out = key_cure(raised, call, f"The call leaves out the key: {source} stands in the place of the key.")
        if left_out is not None:
            return Explained(None, title, text, (left_out,))
    if (library := _generator(value_of(raised, first))) is not None:
        words = f"{random_name(raised)}.key(seed) makes a key. JAX does not use a random number generator of {library}."
        cure = FoundCure("jax.random.key", None, words)
        return Explained(None, title, f"{source} is a random number generator of {library}.", (cure,))
    if isinstance(first, ast.Subscript) and _is_old_key(raised, first.value):
        whole = raised.source(first.value)
        words = f"{whole} is one key: a key of jax.random.PRNGKey is an array of two numbers."
        cure = applied(FoundCure("whole key", whole, words), [edit_of(raised, over(first, whole))])
        return Explained(None, title, f"{source} is one number of the key {whole}.", tuple(passed(raised, [cure])))
    if (exchanged := _exchanged(raised, first, title)) is not None:
        return exchanged
    cure = FoundCure("jax.random.key", None, KEY_FROM_NUMBER)
    if _is_seed(raised, first):
        text = operands(raised, [first]) or f"{source} is a number."
        code = f"{random_name(raised)}.key({source})"
        if not isinstance(first, ast.Constant | ast.Name) or _may_run_again(raised):
            words = (
                f"Make the key once, for example with {code}, keep the key, and split the key for each call. If each "
                f"call makes the key of {source}, all calls give the same numbers."
            )
            cure = FoundCure("jax.random.key", None, words)
        elif isinstance(first, ast.Constant) or not is_repeated(raised, call):
            cure = applied(FoundCure("jax.random.key", code, KEY_FROM_NUMBER), [edit_of(raised, over(first, code))])
    return Explained(None, title, text, tuple(passed(raised, [cure])))


def _may_run_again(raised: RaisedAt) -> bool:
    """Return whether the failing call is in a method, or in a function that a loop of the callers may call again."""
    if isinstance(raised.parents.get(id(raised.function)), ast.ClassDef):
        return True
    for frame in raised.callers:
        caller = at_caller(raised, frame)
        if isinstance(caller.node, ast.Call) and is_repeated(caller, caller.node):
            return True
    return False


def _exchanged(raised: RaisedAt, node: ast.expr, title: str) -> Explained | None:
    """Explains a parameter that holds an array, where another parameter of the function holds the key."""
    function = raised.function
    if function is None or not isinstance(node, ast.Name) or not dtype_of(value_of(raised, node)):
        return None
    parameters = [argument.arg for argument in [*function.args.posonlyargs, *function.args.args]]
    values = raised.frame.f_locals if raised.frame is not None else {}
    keys = [name for name in parameters if dtype_of(values.get(name)).startswith("key<")]
    if node.id not in parameters or len(keys) != 1:
        return None
    text = f"{operands(raised, [node])} {keys[0]} is a key."
    words = f"Exchange the arguments {node.id} and {keys[0]} in the call."
    return Explained(None, title, text, (FoundCure("the order", None, words),))


def _is_seed(raised: RaisedAt, node: ast.expr) -> bool:
    """Return whether an expression is a Python int, or an integer array or traced integer without axes."""
    value = node.value if isinstance(node, ast.Constant) else value_of(raised, node)
    return type(value) is int or ("int" in dtype_of(value) and getattr(value, "ndim", None) == 0)


def _is_old_key(raised: RaisedAt, node: ast.expr) -> bool:
    """Return whether an expression has the type that `jax.random.PRNGKey` returns: two unsigned integers."""
    value = value_of(raised, node)
    return dtype_of(value) == "uint32" and getattr(value, "shape", None) == (2,)


def _is_a_shape(raised: RaisedAt, node: ast.expr) -> bool:
    """Return whether an expression is a tuple of numbers, or the shape of an array."""
    if isinstance(node, ast.Attribute) and node.attr == "shape":
        return bool(dtype_of(value_of(raised, node.value)))
    value = value_of(raised, node)
    return isinstance(node, ast.Tuple) or (type(value) is tuple and all(type(size) is int for size in value))


def _generator(value: object) -> str | None:
    """Return the library of a random number generator, such as NumPy's Generator; None for any other value."""
    kind = type(value)
    module = (own_name(kind, "__module__") or "").partition(".")[0]
    libraries = {"numpy": "NumPy", "random": "Python"}
    return libraries.get(module) if kind.__name__ in ("Generator", "RandomState", "Random") else None
