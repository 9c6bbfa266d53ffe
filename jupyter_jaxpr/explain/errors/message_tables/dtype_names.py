"""Finds the dtype that a text such as 'bf16' or 'flaot32' was meant to name."""

from __future__ import annotations

import ast
import difflib
import re

from ....observe.observation import FoundCure
from ...trials.trial_of_error_cure import passed
from ..explanation import Explained
from ..failing_code.edits import applied, edit_of, over
from ..failing_code.origins import value_of
from ..failing_code.place_of_error import RaisedAt

TREE_WITHOUT_STRINGS = "Remove the strings from the tree, or keep the strings in a tree of their own."
STRING_IN_TREE = "{string} is a string, not an array"
_UNKNOWN = re.compile(r"^data type '(.*?)' not understood")
#: Name of a dtype in other libraries -> the name in JAX.
_OTHER_NAMES = {
    "bf16": "bfloat16",
    "boolean": "bool",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "fp16": "float16",
    "fp32": "float32",
    "fp64": "float64",
    "i32": "int32",
    "u32": "uint32",
}
_NAMES = tuple("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64".split())


def dtype_name_error(text: str, raised: RaisedAt | None) -> Explained | None:
    """Explains x.astype('flaot32'); None for any other message."""
    match = _UNKNOWN.match(text)
    if match is None:
        return None
    name = match[1]
    if raised is not None and (leaf := _string_in_tree(raised, name)) is not None:
        cure = FoundCure("arrays alone", None, TREE_WITHOUT_STRINGS)
        return Explained(None, STRING_IN_TREE.format(string=leaf), "", (cure,))
    title = f"JAX has no dtype with the name {name}"
    general = FoundCure("a dtype", None, "Write a dtype such as jnp.float32.")
    close = _OTHER_NAMES.get(name.lower()) or _closest(name)
    node = raised.node if raised is not None else None
    written = [part for part in ast.walk(node) if _is_text(part, name)] if node is not None else []
    if raised is None or close is None or len(written) != 1:
        return Explained(None, title, "", (general,))
    code = raised.source(written[0]).replace(name, close)
    words = f"JAX has a dtype with a similar name: {close}."
    if name.lower() in _OTHER_NAMES:
        words = f"In JAX, the name of this dtype is {close}."
    cure = applied(FoundCure("dtype name", code, words), [edit_of(raised, over(written[0], code))])
    return Explained(None, title, "", tuple(passed(raised, [cure])) or (general,))


def _string_in_tree(raised: RaisedAt, text: str) -> str | None:
    """Return the path of a string in a dict, list or tuple that the failing call gets, such as params['name'].

    None without one.
    """
    import jax

    call = raised.node
    if not isinstance(call, ast.Call) or raised.frame is None:
        return None
    for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
        value = value_of(raised, argument)
        if type(value) not in (dict, list, tuple):
            continue
        for path, leaf in jax.tree_util.tree_flatten_with_path(value)[0][:1_000]:
            if type(leaf) is str and leaf == text:
                return f"{raised.source(argument)}{jax.tree_util.keystr(path)}"
    return None


def _closest(name: str) -> str | None:
    """Return the closest name of a dtype; None if no name is close, or several are equally close."""
    ratios = sorted(
        ((difflib.SequenceMatcher(None, name.lower(), dtype).ratio(), dtype) for dtype in _NAMES), reverse=True
    )
    (best, dtype), (second, _) = ratios[:2]
    return dtype if best >= 0.75 and best - second >= 0.05 else None


def _is_text(node: ast.AST, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text
