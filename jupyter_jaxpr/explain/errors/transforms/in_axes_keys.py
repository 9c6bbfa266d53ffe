"""Explains a dict in in_axes that has other keys than the dict that it belongs to in the arguments."""

from __future__ import annotations

import ast
import itertools
import re
from dataclasses import dataclass
from typing import Any

from ....interruptions import not_of_a_signal
from ....joined_names import in_a_sentence
from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..control_flow.returned_leaves import leaf_at
from ..explanation import Explained
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.place_of_error import RaisedAt
from .in_axes_of_trees import entry_of
from .mapped_sizes import only_fitting
from .transformed_calls import Applied

OF_OPTION = (
    "An entry stands for all arrays of its part of the tree, or is a container with the keys and elements of that part."
)
KEYS = re.compile(r"with \d+ child keys\s+(?P<first>.*?)\s+but .*? with \d+ child keys\s+(?P<other>.*?)\s+so the ")
METADATA = re.compile(
    r"of type <class 'dict'> with metadata (?P<first>\(.*?\)) but .*? with metadata (?P<other>\(.*?\)) so the "
)


@dataclass(frozen=True)
class _Keys:
    """The keys of a dict in in_axes, the entry, and the keys of the dict in the arguments to which it belongs.

    Attributes:
        written: The keys of the entry.
        needed: The keys of the argument.
    """

    written: list[str]
    needed: list[str]

    @property
    def lacking(self) -> list[str]:
        """The keys that the dict in the arguments has and the dict in in_axes lacks."""
        return [key for key in self.needed if key not in self.written]

    @property
    def extra(self) -> list[str]:
        """The keys that the dict in in_axes has and the dict in the arguments lacks."""
        return [key for key in self.written if key not in self.needed]


def keys_error(raised: RaisedAt | None, path: str, text: str, option: str) -> Explained | None:
    """Explains a dict in in_axes that has other keys than the dict in the arguments.

    Args:
        raised: Where the error was raised.
        path: The path of the dict in in_axes, such as [0].
        text: The part of JAX's message about the dict.
        option: The words for the dict, such as "in_axes[0] of vmap".
    """
    keys = _keys(text)
    if keys is None or not (keys.lacking or keys.extra):
        return None
    call, place = Applied(raised), re.match(r"\[(\d+)\]", path)
    name = _argument(raised, call, int(place[1]), path[place.end() :]) if place is not None else "the argument"
    lacking, extra, needed = (
        in_a_sentence([repr(key) for key in listed], 8) for listed in (keys.lacking, keys.extra, keys.needed)
    )
    entry_name = option.partition(" ")[0]
    title = f"{option} has no entry for {lacking}"
    explanation = f"The keys of {name} are {needed}. {OF_OPTION}"
    if len(keys.needed) == 1:
        explanation = f"The only key of {name} is {needed}. {OF_OPTION}"
    words = f"Write an entry for {lacking}, too: the axis that vmap maps, or None."
    if keys.extra:
        title = f"{option} has an entry for {extra}, which {name} does not have"
        words = f"Leave the entry for {extra} out."
    if keys.extra and keys.lacking:
        title = f"{option} and {name} have different keys"
        explanation = (
            f"{entry_name} has {extra}, which {name} does not have. {name} has {lacking}, which {entry_name} does not "
            f"have. {OF_OPTION}"
        )
        words = f"Write the keys {needed} in {entry_name}, each with the axis that vmap maps, or None."
    cure = FoundCure("in_axes", None, words)
    entry = leaf_at(axes, path) if (axes := call.option("in_axes")) is not None else None
    if raised is None or not isinstance(entry, ast.Dict):
        return Explained(None, title, explanation, (cure,))
    cures = [one] if not keys.extra and (one := _for_all(raised, entry, name)) is not None else []
    value = _value_at(call, path)
    cures = passed(raised, cures)
    if not cures and (fitting := _with_keys(raised, entry, keys, entry_name, name, value)) is not None:
        cures = [fitting]
    return Explained(None, title, explanation, tuple(cures) or (cure,))


def _keys(text: str) -> _Keys | None:
    """Return the keys in JAX's message; None if the message lists no keys."""
    if match := KEYS.search(text):
        return _Keys(*([_key(key) for key in match[name].split()] for name in ("first", "other")))
    match = METADATA.search(text)
    try:
        listed = [ast.literal_eval(match[name]) for name in ("first", "other")] if match is not None else []
    # the message may show a key that is no literal, so the keys cannot be read from it
    except not_of_a_signal(ValueError, SyntaxError):
        return None
    return _Keys(*(list(map(str, keys)) for keys in listed)) if listed else None


def _key(text: str) -> str:
    """Return a key from its form in a message, such as eps for "['eps']"."""
    return text.removeprefix("['").removesuffix("']")


def _argument(raised: RaisedAt | None, call: Applied, number: int, path: str) -> str:
    """Return the words for the dict in the arguments, such as params['layer'], with the user's name if it has one."""
    nodes = call.call.args if call.call is not None else []
    if raised is not None and number < len(nodes) and isinstance(nodes[number], ast.Name):
        return f"{raised.source(nodes[number])}{path}"
    return f"{call.argument(number)}{path}" if call.parameters else "the argument"


def _value_at(call: Applied, path: str) -> Any:
    """Return the value of an argument at a path such as [0]['layer']; None if unknown."""
    keys = [text or int(number) for text, number in re.findall(r"\['([^']*)'\]|\[(\d+)\]", path)]
    nodes = call.call.args if call.call is not None else []
    value: Any = [call.value(node) for node in nodes]
    for key in keys:
        if type(value) is dict:
            value = value.get(key)
        elif type(value) in (list, tuple) and type(key) is int and key < len(value):
            value = value[key]
        else:
            return None
    return value


def _for_all(raised: RaisedAt, entry: ast.Dict, name: str) -> FoundCure | None:
    """Return the cure that replaces the dict by the one value that all its entries have. None if the entries differ."""
    if len({ast.unparse(value) for value in entry.values}) != 1:
        return None
    code = raised.source(entry.values[0])
    words = f"{code} in place of the dict stands for all arrays of {name}."
    return applied(FoundCure("in_axes", code, words), [edit_of(raised, over(entry, code))])


def _with_keys(
    raised: RaisedAt, entry: ast.Dict, keys: _Keys, entry_name: str, name: str, value: Any
) -> FoundCure | None:
    """Return the cure that writes an entry for each key.

    None unless exactly one choice of the new entries passes its trial.
    """
    names = [key.value if isinstance(key, ast.Constant) else None for key in entry.keys]
    if any(type(key) is not str for key in names) or len(keys.lacking) > 2 or type(value) is not dict:
        return None
    kept = dict(zip(names, map(raised.source, entry.values), strict=True))
    # If one key is missing and one is too many, the key has a wrong name: the cure renames the key, and keeps its axis.
    if len(keys.lacking) == len(keys.extra) == 1:
        kept = {keys.lacking[0] if key == keys.extra[0] else key: code for key, code in kept.items()}
    kept = {key: code for key, code in kept.items() if key not in keys.extra}
    added = [key for key in keys.lacking if key not in kept]
    choices = [["None"] if entry_of(value.get(key), 0) == "None" else ["0", "None"] for key in added]
    words = f"{entry_name} has one entry for each key of {name}."
    cures = []
    for entries in itertools.product(*choices):
        inside = ", ".join(f"{key!r}: {code}" for key, code in [*kept.items(), *zip(added, entries, strict=True)])
        code = f"{{{inside}}}"
        cures.append(applied(FoundCure("in_axes", code, words), [edit_of(raised, over(entry, code))]))
    return only_fitting(raised, cures)
