"""Explains a call of `apply` of a flax module that draws random numbers but gets no random key.

The cure adds the key.
"""

from __future__ import annotations

import ast
import linecache
import re
from types import FrameType

from ....observe.observation import FoundCure
from ....plain_text import file_of, message_of
from ...loops.kinds_of_python_loops import parsed
from ..explanation import Explained
from ..failing_code.place_of_error import RaisedAt

_NO_KEY = re.compile(r'(\w+) needs PRNG for "(\w+)"')
_TEXT = "A module of flax takes its random keys from rngs."


def module_key_error(error: BaseException, raised: RaisedAt | None, function: str) -> Explained | None:
    """Explains a module of flax that draws random numbers, where the call of apply passes no key for them."""
    match = _NO_KEY.search(message_of(error))
    if match is None or raised is None or raised.frame is None:
        return None
    module = "A module of flax" if match[1] == "None" else match[1]
    key_name = match[2]
    title = f"{module} needs a random key of the name {key_name}"
    found = _call_of_apply([raised.frame, *reversed(raised.callers)])
    if found is None:
        words = f"Pass rngs={{'{key_name}': key}} to apply, with all other arguments as before."
        cures = [FoundCure("rngs", None, words)]
    else:
        cures = [_with_key(*found, match[2])]
    if "Dropout" in module:
        words = "With deterministic=True, as in an evaluation of the model, Dropout draws no random numbers."
        cures.append(FoundCure("deterministic", None, words))
    return Explained(None, title, _TEXT, tuple(cures))


def _call_of_apply(frames: list[FrameType]) -> tuple[ast.Call, str, str, set[str]] | None:
    """Return the only call of `apply` on the innermost line that calls `apply`.

    Also return the code of the call, the name of the function that contains the call, and the names that are in use
    there.
    """
    for frame in frames:
        loops = parsed("".join(linecache.getlines(file_of(frame.f_code))))
        nodes = ast.walk(loops.module) if loops is not None else ()
        calls = [
            node
            for node in nodes
            if isinstance(node, ast.Call)
            and getattr(node.func, "attr", getattr(node.func, "id", "")) in ("apply", "apply_fn")
            and node.lineno <= frame.f_lineno <= (node.end_lineno or node.lineno)
        ]
        if calls and loops is not None:
            source = ast.get_source_segment("\n".join(loops.lines), calls[0])
            if len(calls) != 1 or source is None:
                return None
            names = set(frame.f_locals)
            # at the top level, f_locals also has the names of earlier cells, so only the names in this code count as
            # used
            if frame.f_code.co_name == "<module>":
                names = {node.id for node in ast.walk(loops.module) if isinstance(node, ast.Name)}
            return calls[0], source, frame.f_code.co_name, names
    return None


def _with_key(call: ast.Call, source: str, function: str, names: set[str], name: str) -> FoundCure:
    """Return the cure that adds a key to the rngs of a call of apply, and keeps its other arguments."""
    key = "key" if "key" not in names else f"{name}_key"
    words = f"{key} is a random key, such as jax.random.key(1). A new key for each call gives other random numbers."
    if function.isidentifier():
        words = (
            f"{key} is a random key. Make {key} an argument of {function}, and pass a new key in each call: each call "
            "then draws other random numbers."
        )
    rngs = [keyword.value for keyword in call.keywords if keyword.arg == "rngs"]
    if not rngs:
        return FoundCure("rngs", f'{source[:-1].rstrip().rstrip(",")}, rngs={{"{name}": {key}}})', words)
    if not isinstance(rngs[0], ast.Dict) or not rngs[0].keys:
        return FoundCure("rngs", None, f"Add an entry {name} with a random key to {ast.unparse(rngs[0])}. {words}")
    entries = f'{ast.unparse(rngs[0])[:-1]}, "{name}": {key}}}'
    return FoundCure("rngs", f"rngs={entries}", words)
