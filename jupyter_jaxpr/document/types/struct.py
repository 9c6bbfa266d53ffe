"""What the structs of document and wire have in common: immutable, built by keyword, every field described."""

from __future__ import annotations

from typing import dataclass_transform

import msgspec


# Without this, type checkers do not see that what is set here holds for the structs below.
@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Struct(msgspec.Struct, frozen=True, kw_only=True):
    """Base of the document's structs: immutable, built by keyword."""


def described(description: str) -> msgspec.Meta:
    """The annotation that carries a field's description into the schema."""
    return msgspec.Meta(description=description)
