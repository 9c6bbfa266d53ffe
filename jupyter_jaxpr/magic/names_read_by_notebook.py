"""Decides whether code of the notebook may read a name, so that assigning it may change what a call computes.

The search is deliberately too wide: it includes every function, method and class in the notebook's variables, and every
mention of the name, even as an attribute.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..observe.functions.function_inside_wrappers import code_of
from ..observe.user_or_library.whose_code import is_installed
from ..plain_text import file_of


def may_be_read(names: Iterable[str], namespace: Mapping[str, Any]) -> bool:
    """Return whether a function or class in the namespace mentions one of the names."""
    changed_names = set(names)
    visited: set[types.CodeType] = set()
    return any(
        changed_names & {*code.co_names, *code.co_freevars}
        for value in list(namespace.values())
        for code_of_value in _codes_of(value)
        for code in _within(code_of_value, visited)
    )


def _codes_of(value: Any) -> Iterator[types.CodeType]:
    is_class = issubclass(type(value), type)  # `isinstance` would run the `__class__` of a user's proxy
    kind = value if is_class else type(value)
    code = code_of(value) if callable(value) else None
    if code is not None and not is_installed(file_of(code)):
        yield code
    if kind.__module__ == "__main__" or is_class:
        for member in list(vars(kind).values()):
            member_code = code_of(getattr(member, "fget", None) or member) if not isinstance(member, type) else None
            if member_code is not None and not is_installed(file_of(member_code)):
                yield member_code


def _within(code: types.CodeType, visited: set[types.CodeType]) -> Iterator[types.CodeType]:
    """Yield a code object and the code objects of the functions inside it."""
    if code in visited:
        return
    visited.add(code)
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _within(constant, visited)
