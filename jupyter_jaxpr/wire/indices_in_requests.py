"""Checks the indices of a request into the document of its run: programs, scopes, constructs of control flow.

A page may show an older version of the run, so an index may be out of range.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import msgspec

from .sentences_of_refusals import NO_SUCH_PART

if TYPE_CHECKING:
    from ..document.types.document import Snapshot
    from .base_of_requests import Request


def _index(noun: str, field: str) -> msgspec.Meta:
    """Return the type annotation for an index into a field of the run's document.

    Such indices are checked before the answer.
    """
    return msgspec.Meta(
        description=f"The index of the {noun} in `{field}` of the run's document.", extra={"what": noun, "of": field}
    )


ProgramIndex = Annotated[int, _index("program", "programs")]
ScopeIndex = Annotated[int, _index("scope", "scopes")]
ControlIndex = Annotated[int, _index("construct", "control_flow")]


def no_such_index(request: Request, document: Snapshot) -> str | None:
    """Return a sentence on an index in the request that is out of range; None if all are in range."""
    for name, index in _indices(type(request)):
        value = getattr(request, name)
        count = len(getattr(document, index["of"]))
        if any(not 0 <= index < count for index in (value if isinstance(value, list) else [value])):
            return NO_SUCH_PART.format(part_of_document=index["what"])
    return None


@functools.cache
def _indices(kind: type[Request]) -> list[tuple[str, dict[str, str]]]:
    """Return (field, metadata of `_index`) for the fields of a request that are indices into the document."""
    hints = get_type_hints(kind, include_extras=True)
    return [(name, meta.extra) for name, hint in hints.items() for meta in _metas(hint) if meta.extra is not None]


def _metas(hint: Any) -> Iterator[msgspec.Meta]:
    """Yield the `Meta` annotations of a type and of the types inside it, as in list[ProgramIndex]."""
    for metadata in get_args(hint):
        if isinstance(metadata, msgspec.Meta):
            yield metadata
        else:
            yield from _metas(metadata)
