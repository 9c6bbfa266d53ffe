"""Explains gradients or updates of another pytree structure than the parameters, in a call of optax or flax."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ....jax.transform_and_inputs_of_tracer import type_of
from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....plain_text import message_of, own_name
from ....quantities import count
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.origins import dtype_of, value_of
from ..failing_code.place_of_error import RaisedAt, at_caller, was_raised_in_jax
from ..flax_modules.frozen_dicts import is_frozen_dict
from .jit_arguments import packages_of
from .none_in_trees import PARTS_OF_MAP
from .tree_differences import with_article

_EQUAL = "The call combines each array of one tree with the array at the same place of the other tree."
_OF_GRAD = (
    "jax.grad returns a tree of the structure of the argument that it differentiates. Differentiate a function of "
    "{tree}, the whole tree."
)
_OF_INIT = "The method init makes a state for the structure of its argument. Make the state from {tree}."
#: Fields of a state of optax that hold one array for each array of the parameters.
_MOMENTS = ("mu", "nu", "trace", "sum_of_squares", "prev_updates", "nu_hat", "acc_grads")
_MOST_KEYS = 6  # a sentence names at most this many keys
_DEPTH = 6
_MAPS = frozenset({"map", "tree_map"})


def gradient_structure_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains tx.update(g, state, params) and apply_updates(params, updates) with trees of different structures."""
    if raised is None or raised.frame is None:
        return None
    if not isinstance(error, TypeError | ValueError | AttributeError | KeyError):
        return None
    call = raised.node
    if not isinstance(call, ast.Call) or not was_raised_in_jax(error):
        return None
    for first, second, words in _pairs(raised, call):
        difference = _difference(first, second)
        if difference is None or _is_named_by_message(error, call, first[1], second[1]):
            continue
        title = " but ".join([f"{_sentence(difference[0])},", _sentence(difference[1])])
        return Explained(None, title, _EQUAL, (FoundCure("same structure", None, words),))
    return None


def mapped_function_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), where g is a dict at the place of an array."""
    if not isinstance(error, TypeError | ValueError | AttributeError | KeyError):
        return None
    caller = at_caller(raised, raised.callers[-1]) if raised is not None and raised.callers else None
    call = caller.node if caller is not None else None
    if caller is None or not isinstance(call, ast.Call) or called(call) not in _MAPS:
        return None
    trees = [(" ".join(caller.source(node).split()), value_of(caller, node)) for node in call.args[1:]]
    for other in trees[1:]:
        difference = _difference(trees[0], other) if trees[0][1] is not None and other[1] is not None else None
        if difference is None or not dtype_of(difference[0][1]):
            continue
        # The function raised the error because of the container, and not for another reason.
        if f"'{type(difference[1][1]).__name__}'" not in message_of(error):
            continue
        title = " but ".join([f"{_sentence(difference[0])},", _sentence(difference[1])])
        text = PARTS_OF_MAP.format(first=trees[0][0], other=other[0])
        words = f"Pass trees of one structure: {other[0]} needs an array at each place where {trees[0][0]} has one."
        return Explained(None, title, text, (FoundCure("same structure", None, words),))
    return None


def _is_named_by_message(error: BaseException, call: ast.Call, first: Any, second: Any) -> bool:
    """Return whether JAX's message lists the keys of two dicts that `tree_error` finds among the arguments."""
    are_dicts = type(first) is dict and type(second) is dict and set(first) != set(second)
    return isinstance(error, ValueError) and are_dicts and called(call) != "apply_gradients"


_Tree = tuple[str, Any]
"""The code of a tree, and its value."""


def _pairs(raised: RaisedAt, call: ast.Call) -> Iterator[tuple[_Tree, _Tree, str]]:
    """Yield two trees of the call that need one structure, and the words of the cure."""
    named = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
    nodes = dict(enumerate(call.args))
    holder = call.func.value if isinstance(call.func, ast.Attribute) else None
    packages = packages_of(value_of(raised, holder)) if holder is not None else set()

    def tree(node: ast.expr | None) -> _Tree | None:
        value = None if node is None else value_of(raised, node)
        return None if node is None or value is None else (" ".join(raised.source(node).split()), value)

    if called(call) == "update" and "optax" in packages:
        updates = tree(nodes.get(0) or named.get("updates"))
        state, params = tree(nodes.get(1) or named.get("state")), tree(nodes.get(2) or named.get("params"))
        if updates is not None and params is not None:
            yield updates, params, _OF_GRAD.format(tree=params[0])
        for path, moment in _moments(state[1]) if state is not None else ():
            of_state = (f"{state[0]}{path}" if state is not None else path, moment)
            if params is not None:
                yield params, of_state, _OF_INIT.format(tree=params[0])
            elif updates is not None:
                words = "Pass gradients of the structure that init received, or make the state again with init."
                yield updates, of_state, words
    elif called(call) in ("apply_updates", "incremental_update") and len(call.args) >= 2:
        params, updates = tree(call.args[0]), tree(call.args[1])
        # Updates that are a tuple may be the whole result of update, or the state.
        if params is not None and updates is not None and not isinstance(updates[1], tuple):
            words = f"Compute the updates from gradients of the structure of {params[0]}."
            yield updates, params, words
    elif called(call) == "apply_gradients" and "flax" in packages and holder is not None:
        grads, params = tree(named.get("grads")), value_of(raised, ast.Attribute(holder, "params", ast.Load()))
        if grads is not None and params is not None:
            name = f"{raised.source(holder)}.params"
            yield grads, (name, params), _OF_GRAD.format(tree=name)


def _moments(state: Any, path: str = "", depth: int = _DEPTH) -> Iterator[tuple[str, Any]]:
    """Yield the trees in a state of optax that have the structure of the parameters, with their paths."""
    if not isinstance(state, tuple) or not depth:
        return
    fields: tuple[str, ...] = vars(type(state)).get("_fields", ())
    for place, part in enumerate(state):
        step = f".{fields[place]}" if place < len(fields) else f"[{place}]"
        if step[1:] in _MOMENTS and fields:
            if not _has_masks(part):
                yield path + step, part
        else:
            yield from _moments(part, path + step, depth - 1)


def _has_masks(tree: Any) -> bool:
    """Return whether a tree has masks in the place of the arrays that optax.masked leaves out."""
    import jax

    def is_mask(value: Any) -> bool:
        return own_name(type(value), "__name__") == "MaskedNode"

    return any(map(is_mask, jax.tree_util.tree_leaves(tree, is_leaf=is_mask)))


def _difference(first: _Tree, second: _Tree) -> tuple[_Tree, _Tree] | None:
    """Return the parts of two trees at the first place where they differ; None if they have one structure.

    None also for a difference that the outermost containers do not show, and for a None, which some functions skip.
    """
    import jax

    def differ(one: Any, other: Any) -> bool:
        structures: list[Any] = [jax.tree_util.tree_structure(tree) for tree in (one, other)]
        return bool(structures[0] != structures[1])

    if not differ(first[1], second[1]):
        return None
    for _ in range(_DEPTH):
        keys = [_keys(value) for _, value in (first, second)]
        if type(first[1]) is not type(second[1]) or keys[0] is None or keys[0] != keys[1]:
            break
        parts = [[(f"{name}{step}", part) for step, part in _parts(value)] for name, value in (first, second)]
        first, second = next(pair for pair in zip(*parts, strict=True) if differ(pair[0][1], pair[1][1]))
    # tree_error explains a FrozenDict beside a dict, and a None, which some functions skip.
    if any(value is None or is_frozen_dict(value) for _, value in (first, second)):
        return None
    return (first, second) if _in_words(first[1]) != _in_words(second[1]) else None


def _sentence(tree: _Tree) -> str:
    return f"{tree[0]} is {_in_words(tree[1])}"


def _parts(value: Any) -> list[tuple[str, Any]]:
    if type(value) is dict:
        return [(f"[{key!r}]", value[key]) for key in sorted(value, key=str)]
    return [(f"[{place}]", part) for place, part in enumerate(value)]


def _keys(value: Any) -> list[str] | int | None:
    """Return the sorted keys of a dict, or the length of a list or tuple; None for any other value."""
    if type(value) is dict:
        return sorted(map(str, value)) if all(type(key) in (str, int) for key in value) else None
    return len(value) if type(value) in (list, tuple) else None


def _in_words(value: Any) -> str:
    """Return the outermost container of a tree in words, with its keys or its number of elements."""
    if value is None:
        return "None"
    if dtype_of(value) or type(value) in (int, float):
        return f"one array ({type_of(value)})" if dtype_of(value) else "one number"
    keys = _keys(value)
    kind = type(value).__name__
    if isinstance(keys, list):
        word = "key" if len(keys) == 1 else "keys"
        return f"a dict with the {word} {in_a_sentence(keys, _MOST_KEYS)}" if keys else "an empty dict"
    if isinstance(keys, int):
        return f"a {kind} of {count(keys, 'element')}"
    return with_article(kind)
