"""Defines the base of the structs of document and wire: immutable, built by keyword, with every field described."""

from __future__ import annotations

from typing import Annotated, dataclass_transform

import msgspec

from ..limits import INTEGER


# Without this decorator, type checkers do not see that the settings below hold for the structs.
@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Struct(msgspec.Struct, frozen=True, kw_only=True):
    """Base of the document's structs: immutable, built by keyword."""


#: The type of a field that counts things: an integer that is not negative.
Count = Annotated[int, msgspec.Meta(ge=0, le=INTEGER)]


def described(description: str, *, most: int | None = None) -> msgspec.Meta:
    """Return the annotation that carries a field's description, and the maximum length of its list, into the schema."""
    return msgspec.Meta(description=description, max_length=most)
