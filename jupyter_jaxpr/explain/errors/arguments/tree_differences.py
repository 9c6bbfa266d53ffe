"""Explains errors about two pytrees that differ: names the path of the difference in the user's terms."""

from __future__ import annotations

import ast
import re
from typing import Any

from ....interruptions import not_of_a_signal
from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ....plain_text import message_of
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.called_names import called
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt
from ..flax_modules.frozen_dicts import is_frozen_dict
from ..message_tables.jax_messages import DIFFERENT_KEYS, EQUAL_TREES
from ..transforms.in_axes_keys import KEYS, METADATA, OF_OPTION, keys_error
from ..transforms.out_axes import out_axes_cures
from .jit_arguments import packages_of
from .none_in_trees import leaf_at, none_paths
from .parts_of_trees import part_of_tree
from .trees_of_gradients import gradients_among

_DIFFER = re.compile(
    r"pytree structure error: different .+? at key path (?P<call>tree_map|vmap|pjit|device_put) "
    r"(?P<option>[\w.]+)(?P<path>\S*) "
)
_TYPES = re.compile(
    r"has a subtree of type\s+<class '(?P<first>[^']+)'>.*?of different type\s+<class '(?P<other>[^']+)'>"
)
_LENGTHS = re.compile(r"of type (?P<kind>\w+) of length (?P<first>\d+), but .*? of length (?P<other>\d+)")
_CALLS = {"pjit": "jax.jit"}
_CURE_OF_OPTION = (
    "Write one entry of the option for all arrays of the tree, or an entry for each key and each element of the tree."
)
_SAID = "The trees that one call gets must have the same containers and keys."
_FROZEN = "Write x.unfreeze() for the FrozenDict x: unfreeze makes a dict with the same entries."
_NONE = "None is an empty tree, not a leaf. Write a value in place of None, or pass is_leaf=lambda x: x is None."


def tree_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a `jax.tree.map` of different pytrees, or an option such as in_axes that does not fit its argument."""
    text = " ".join(message_of(error).split())
    differ = _DIFFER.search(f"{text} ") if isinstance(error, ValueError) else None
    if differ is None:
        return None
    path = differ["path"]
    if differ["call"] != "tree_map":
        # JAX's message lists all differences, even a None in in_axes, which is allowed.
        mismatches = re.split(r"(?=pytree structure error)", text)[1:]
        mismatch = next((part for part in mismatches if "<class 'NoneType'>" not in part), text)
        differ = _DIFFER.search(f"{mismatch} ") or differ
        path = differ["path"]
        option = f"{differ['option']}{path} of {_CALLS.get(differ['call'], differ['call'])}"
        compared_value = {"in": "the argument", "out": "the result"}.get(
            differ["option"].partition("_")[0], "the value"
        )
        if differ["option"] == "in_axes" and (keys := keys_error(raised, path, mismatch, option)) is not None:
            return keys
        title = _title(mismatch, option, compared_value, [])
        cures = out_axes_cures(raised, mismatch) if (differ["option"], path) == ("out_axes", "") else []
        cures = cures or [FoundCure(differ["option"], None, _CURE_OF_OPTION)]
        return None if title is None else Explained(None, title, OF_OPTION, tuple(cures))
    trees = _trees(raised)
    at = ["the first tree", "another tree of the call"] if trees is None else [f"{tree}{path}" for tree in trees]
    if trees is None and not path and (named := _with_keys(raised, text)) is not None:
        trees = at = named
    if trees is None and path and (named := _with_none(raised, path, text)) is not None:
        trees = at = named
    notes: list[str] = []
    title = _title(text, at[0], at[1], notes)
    part = part_of_tree(raised) if raised is not None and not notes else None
    if title is None and part is not None:
        title = DIFFERENT_KEYS
    elif title is None:
        return None
    elif trees is None:
        title = f"At {path} {title}" if path else f"{title[0].upper()}{title[1:]}"
    cure = FoundCure("same structure", None, notes[0] if notes else _other_keys(text, *at) or EQUAL_TREES)
    if raised is not None and (swapped := _swapped_update(raised, title)) is not None:
        return swapped
    if trees is not None and not path and raised is not None:
        cure = next(iter(_converted(raised, text)), cure)
    call = raised.node if raised is not None else None
    if part is None and raised is not None and isinstance(call, ast.Call) and trees is not None and not notes:
        gradients = gradients_among(raised, call.args[1:]) if len(call.args) == 3 else None
        if gradients is not None:
            return Explained(None, title, f"{gradients.sentences} {_SAID}", (gradients.cure,))
    if part is None:
        return Explained(None, title, _SAID, (cure,))
    return Explained(None, title, f"{part.sentence} {_SAID}", (part.cure or cure,))


def _title(text: str, first: str, second: str, notes: list[str]) -> str | None:
    """Return the sentence that names the difference of two trees.

    Also append to `notes` the cure for a None in only one tree.
    """
    if match := _TYPES.search(text):
        kinds = [_kind(match["first"]), _kind(match["other"])]
        notes += [_NONE] if "None" in kinds else []
        notes += [_FROZEN] if sorted(kinds) == ["a FrozenDict", "a dict"] else []
        first_kind, second_kind = kinds
        return f"{first} is {first_kind}, but {second} is {second_kind}"
    if match := _LENGTHS.search(text):
        number_of_elements = match["other"]
        return f"{first} has {_elements(match['first'])}, but {second} has {number_of_elements}"
    if match := KEYS.search(text):
        first_keys, second_keys = _keys(match["first"]), _keys(match["other"])
        return f"{first} has the keys {first_keys}, but {second} has the keys {second_keys}"
    if (match := METADATA.search(text)) and (keys := _different_keys(match["first"], match["other"])) is not None:
        return f"{first} has {keys[0]}, but {second} has {keys[1]}"
    return None


def _different_keys(first: str, other: str) -> tuple[str, str] | None:
    """Return which keys only the first dict has, and which keys only the other dict has, each in words.

    Args:
        first: The keys of the first dict, as JAX's message has them: the source code of a tuple.
        other: The keys of the other dict.
    """
    try:
        keys, other_keys = ast.literal_eval(first), ast.literal_eval(other)
    except not_of_a_signal(ValueError, SyntaxError):  # a key may be an object whose text is no literal
        return None
    only_first = [f"[{key!r}]" for key in keys if key not in other_keys]
    only_other = [f"[{key!r}]" for key in other_keys if key not in keys]
    if not only_first or len(only_first) != len(only_other):
        return None
    word = "the key" if len(only_first) == 1 else "the keys"
    return f"{word} {in_a_sentence(only_first, 4)}", f"{word} {in_a_sentence(only_other, 4)}"


_IN_STATE = "a dict in "
_NEW_STATE = "Make {state} again: call init with a tree that has the same keys as {first}."
_ONLY_ONE = "Add {keys} to {lacking}, or leave {keys} out of {having}."
_EACH_LACKS = "Add {second_keys} to {first} and {first_keys} to {second}, or leave these entries out of both."


def _other_keys(text: str, first: str, second: str) -> str | None:
    """Return the sentence that says which keys each of two dicts lacks; None if the error is about other containers.

    Args:
        text: The message of the error.
        first: The code of the first dict.
        second: The code of the second dict.
    """
    match = KEYS.search(text)
    if match is None:
        return None
    if second.startswith(_IN_STATE):
        return _NEW_STATE.format(state=second.removeprefix(_IN_STATE), first=first)
    keys, other_keys = (_keys(match[name]).split(", ") for name in ("first", "other"))
    only_first = in_a_sentence([key[1:-1] for key in keys if key not in other_keys], 4)
    only_second = in_a_sentence([key[1:-1] for key in other_keys if key not in keys], 4)
    if only_first and only_second:
        return _EACH_LACKS.format(first=first, second=second, first_keys=only_first, second_keys=only_second)
    if only_first:
        return _ONLY_ONE.format(keys=only_first, lacking=second, having=first)
    return _ONLY_ONE.format(keys=only_second, lacking=first, having=second) if only_second else None


def _elements(number: str) -> str:
    return "1 element" if number == "1" else f"{number} elements"


def _converted(raised: RaisedAt, text: str) -> list[FoundCure]:
    """Return the cure that converts the second tree to a list or tuple, like the first; empty for other differences."""
    kinds = _TYPES.search(text)
    pair = (kinds["first"], kinds["other"]) if kinds is not None else ("", "")
    call = raised.node
    if pair not in (("tuple", "list"), ("list", "tuple")) or not isinstance(call, ast.Call):
        return []
    other = raised.source(call.args[2])
    code = f"{pair[0]}({other})"
    kind = pair[0]
    words = f"Write {code}, which makes a {kind} of the same elements."
    return passed(raised, [applied(FoundCure(pair[0], code, words), [edit_of(raised, over(call.args[2], code))])])


def _swapped_update(raised: RaisedAt, title: str) -> Explained | None:
    """Explains state, updates = tx.update(...) before optax.apply_updates(params, updates): the names are swapped."""
    call = raised.node
    if not isinstance(call, ast.Call) or called(call) != "apply_updates" or len(call.args) != 2:
        return None
    function = raised.around(ast.FunctionDef) or (raised.loops.module if raised.loops is not None else None)
    name = raised.source(call.args[1])
    for node in ast.walk(function) if function is not None else ():
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name() as first, ast.Name() as second])],
                value=ast.Call(func=ast.Attribute(value=optimizer, attr="update")),
            ) if second.id == name and "optax" in packages_of(value_of(raised, optimizer)):
                made = " ".join(raised.source(node.value).split())
                title = (
                    f"{name} holds the state of the optimizer: line {node.lineno} swaps the names of the updates and "
                    "the state"
                )
                text = f"{made} returns the updates first, and then the state."
                # There is no trial: the swapped assignment has already run, so the name of the state has the updates as
                # its value.
                cure = FoundCure(
                    "the order",
                    f"{second.id}, {first.id} = {made}",
                    "Write the name of the updates before the name of the state.",
                )
                return Explained(None, title, text, (cure,))
    return None


def _with_none(raised: RaisedAt | None, path: str, text: str) -> list[str] | None:
    """Return the code of a None in one argument, and of the array at the same path in the other argument.

    For example, a['x'] and b['x']. None if unclear.
    """
    kinds = _TYPES.search(text)
    call = raised.node if raised is not None else None
    if raised is None or raised.frame is None or kinds is None or not isinstance(call, ast.Call):
        return None
    values = [(raised.source(argument), value_of(raised, argument)) for argument in call.args]
    nones = [source for source, value in values if path in none_paths(value)]
    arrays = [source for source, value in values if hasattr(leaf_at(value, path), "dtype")]
    if len(nones) != 1:
        return None
    at_none, at_array = f"{nones[0]}{path}", f"{arrays[0]}{path}" if arrays else "another tree"
    return [at_none, at_array] if _kind(kinds["first"]) == "None" else [at_array, at_none]


def _trees(raised: RaisedAt | None) -> list[str] | None:
    """Return the code of the two trees in the call; None if the call has more than two trees, or a tree has no name."""
    call = raised.node if raised is not None else None
    if raised is not None and isinstance(call, ast.Call) and len(call.args) == 3 and called(call) in _MAPS:
        if all(isinstance(argument, ast.Name | ast.Attribute | ast.Subscript) for argument in call.args[1:]):
            return [raised.source(argument) for argument in call.args[1:]]
    return None


_MAPS = frozenset({"map", "tree_map"})


def _with_keys(raised: RaisedAt | None, text: str) -> list[str] | None:
    """Return the code of the two dicts in the call whose keys the error message lists; None if unclear."""
    match, call = KEYS.search(text), raised.node if raised is not None else None
    if match is None or raised is None or raised.frame is None or not isinstance(call, ast.Call):
        return None
    names: list[str] = []
    for key_text in (match["first"], match["other"]):
        keys = set(re.findall(r"\['(.*?)'\]", _keys(key_text)))
        dicts = [raised.source(argument) for argument in call.args if keys_of(raised, argument) == keys]
        within = [
            f"{_IN_STATE}{raised.source(argument)}"
            for argument in call.args
            if isinstance(argument, ast.Name) and _has_dict(value_of(raised, argument), keys)
        ]
        if not dicts and not within:
            return None
        names.append((dicts or within)[0])
    return names


def keys_of(raised: RaisedAt, node: ast.expr) -> set[str] | None:
    """Return the keys of a dict value or a dict display."""
    if isinstance(node, ast.Dict):
        return {str(key.value) for key in node.keys if isinstance(key, ast.Constant)}
    value = value_of(raised, node)
    return set(map(str, value)) if type(value) is dict or is_frozen_dict(value) else None


def _has_dict(value: Any, keys: set[str], depth: int = 4) -> bool:
    """Return whether a tuple, such as the state of an optimizer, contains a dict with these keys."""
    if type(value) is dict:
        return set(map(str, value)) == keys
    return depth > 0 and isinstance(value, tuple) and any(_has_dict(element, keys, depth - 1) for element in value[:20])


def _kind(name: str) -> str:
    short = name.rpartition(".")[2]
    if short == "NoneType":
        return "None"
    if short in ("ArrayImpl", "PytreeLeaf") or short.endswith("Tracer"):
        return "an array"
    return with_article(short)


def with_article(kind: str) -> str:
    """Return the name of a class with its article, such as "a dict" or "an EmptyState"."""
    return f"an {kind}" if kind[0].lower() in "aeiou" else f"a {kind}"


def _keys(text: str) -> str:
    return ", ".join(key if key.startswith("[") else f"['{key}']" for key in text.split())
