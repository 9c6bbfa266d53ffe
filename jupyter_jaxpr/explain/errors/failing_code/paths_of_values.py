"""Finds where an array or a layer lies in a nested argument, such as params[2]['w'], without running any code."""

from __future__ import annotations

import ast
import itertools
import re
from collections import ChainMap
from collections.abc import Iterator
from types import FrameType
from typing import Any

from ....observe.side_effects.attribute_reads import instance_dict
from ....plain_text import function_of, own_name
from .place_of_error import RaisedAt

_MOST_PARTS = 2_000
_MOST_LEVELS = 6
#: Packages whose objects are no models: the search for a path does not follow the attributes of such objects.
_WITHOUT_LAYERS = frozenset({"jax", "jaxlib", "numpy", "builtins"})


def path_of(raised: RaisedAt, value: Any, text: str) -> str | None:
    """Return the path of a value in an argument or in a list that a loop reads; None without exactly one path.

    Args:
        raised: Where the error was raised.
        value: The array or the layer.
        text: The code that names the value at the error.
    """
    own_root = re.split(r"[.\[]", text, maxsplit=1)[0]
    for names, suffix in _names(raised):
        paths = [path for name, root in names.items() for path in _paths(root, name, value)]
        paths = [path for path in paths if suffix or not re.match(rf"{re.escape(own_root)}\b", path)]
        if paths:
            return f"{paths[0]}{suffix}" if len(paths) == 1 and "[" in paths[0] else None
    return None


def _names(raised: RaisedAt) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield {name: value} for each place to search, and the words that say which function the names belong to.

    The arguments of the failing function come first, then the containers that the loops around the line read, then the
    arguments of the functions that called the function.
    """
    frame = raised.frame
    if frame is None:
        return
    yield _arguments(frame), ""
    known = ChainMap(frame.f_locals, frame.f_globals)
    node = raised.node
    while node is not None and not isinstance(node, ast.FunctionDef | ast.Lambda):
        if isinstance(node, ast.For):
            read = [part.id for part in ast.walk(node.iter) if isinstance(part, ast.Name)]
            yield {name: known[name] for name in read if type(known.get(name)) in (list, tuple, dict)}, ""
        node = raised.parents.get(id(node))
    for caller in reversed(raised.callers):
        if caller is not frame and not caller.f_code.co_name.startswith("<"):
            yield _arguments(caller), f" of {function_of(caller.f_code)}"


def _arguments(frame: FrameType) -> dict[str, Any]:
    code = frame.f_code
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return {name: frame.f_locals[name] for name in parameters if name in frame.f_locals}


def _paths(root: Any, name: str, value: Any) -> Iterator[str]:
    """Yield each path from a name to a value: through lists, tuples, dicts, and the attributes of instances."""
    waiting = [(root, name, 0)]
    for seen, (part, path, level) in enumerate(waiting):  # the loop also visits the parts that its body appends
        if part is value:
            yield path
            continue
        if level == _MOST_LEVELS or seen == _MOST_PARTS:
            return
        # a container may be very large, so only as many of its parts are searched as the limit allows
        room = max(_MOST_PARTS - len(waiting), 0)
        waiting += [(inner, f"{path}{step}", level + 1) for step, inner in itertools.islice(_parts(part), room)]


def _parts(part: Any) -> Iterator[tuple[str, Any]]:
    if type(part) is dict:
        yield from ((f"[{key!r}]", inner) for key, inner in part.items() if type(key) in (str, int))
    elif type(part) in (list, tuple):
        yield from ((f"[{number}]", inner) for number, inner in enumerate(part))
    elif isinstance(part, tuple):
        fields = getattr(type(part), "_fields", ())
        yield from ((f".{field}", inner) for field, inner in zip(fields, tuple.__iter__(part), strict=False))
    elif (own_name(type(part), "__module__") or "").partition(".")[0] not in _WITHOUT_LAYERS:
        fields_of_part = instance_dict(part).items()
        yield from ((f".{field}", inner) for field, inner in fields_of_part if not field.startswith("_"))
