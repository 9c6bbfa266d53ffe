"""Puts the answer to a request into its field of the document."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import msgspec

from .types.document import Snapshot


def merged(document: Snapshot, field: str, answer: Any) -> Snapshot:
    """The document with an answer in it, in the place of an older one about the same program or construct.

    Args:
        document: Stays as it is.
        field: That receives the answer, such as `sweep`, or `costs`, which holds one for each program.
        answer: Of the field's type.
    """
    held = getattr(document, field)
    if not isinstance(held, list):
        return msgspec.structs.replace(document, **{field: answer})
    subject = attrgetter(subject_field(type(answer)))
    others = [each for each in held if subject(each) != subject(answer)]
    return msgspec.structs.replace(document, **{field: sorted([*others, answer], key=subject)})


def subject_field(kind: type[msgspec.Struct]) -> str:
    """The index that tells answers of a kind apart where a field holds several: of a construct, or of a program."""
    (field,) = {"control", "program"} & set(kind.__struct_fields__)
    return field
