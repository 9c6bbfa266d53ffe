"""Names the keys in which two dicts differ, where JAX's message speaks of the metadata of pytrees."""

from __future__ import annotations

import ast
import re

from ....interruptions import not_of_a_signal
from ....joined_names import in_a_sentence

_OF_KEYS = re.compile(
    r"(?P<before>.*?\bis a dict) with pytree metadata (?P<one>\(.*?\))(?P<between> but .*?\bis a dict) with pytree "
    r"metadata (?P<other>\(.*?\)), so the pytree node metadata does not match(?P<after>.*)",
    re.DOTALL,
)
_OF_NUMBERS = re.compile(
    r"(?P<before>.*?\bis a dict) with \d+ (?:child|children)(?P<between> but .*?\bis a dict) with \d+ "
    r"(?:child|children), so the numbers of children do not match, with the symmetric difference of key sets: "
    r"\{(?P<keys>.*?)\}(?P<after>.*)",
    re.DOTALL,
)
_MOST = 8


def with_keys(explanation: str) -> str:
    """Return JAX's sentence on two trees with the keys of dicts in the place of the metadata of pytrees.

    Args:
        explanation: The sentence. A sentence on other containers than dicts stays as it is.
    """
    if (numbers := _OF_NUMBERS.fullmatch(explanation)) is not None:
        verb = "are" if ", " in numbers["keys"] else "is"
        keys = f"{numbers['keys']} {verb} in only one of the two dicts"
        whole = f"{numbers['before']}{numbers['between']} with other keys: {keys}"
        return f"{whole}{numbers['after']}"
    match = _OF_KEYS.fullmatch(explanation)
    if match is None:
        return explanation
    first, second = _keys(match["one"]), _keys(match["other"])
    if first is None or second is None:
        return explanation
    return f"{match['before']} with {first}{match['between']} with {second}{match['after']}"


def _keys(metadata: str) -> str | None:
    """Return the words for the keys of a dict, such as "the keys 'a' and 'b'"; None for other keys than literals."""
    try:
        keys = [repr(key) for key in ast.literal_eval(metadata)]
    except not_of_a_signal(SyntaxError, ValueError):
        return None
    return f"the key{'s' * (len(keys) > 1)} {in_a_sentence(keys, _MOST)}" if keys else "no key"
