"""Puts the answer to a request into its field of the document."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import msgspec

from .types.diff import ProgramDiff
from .types.document import Snapshot


def merged(document: Snapshot, field: str, answer: Any) -> Snapshot:
    """Return the document with an answer added; an older answer about the same subject is replaced.

    Args:
        document: The document, which is not changed.
        field: The field that receives the answer, such as `sweep`, or `costs`, which is a list with one entry for each
            program.
        answer: The answer, an object of the field's type.
    """
    answers = getattr(document, field)
    if not isinstance(answers, list):
        return msgspec.structs.replace(document, **{field: answer})
    subject = attrgetter(*subject_fields(type(answer)))
    other_answers = [earlier for earlier in answers if subject(earlier) != subject(answer)]
    return msgspec.structs.replace(document, **{field: sorted([*other_answers, answer], key=subject)})


def subject_fields(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """Return the fields that distinguish several answers of one kind in a document, such as `program`.

    Most answers are about one construct or one program, given by its index; a diff is about two programs and a level.
    """
    if kind is ProgramDiff:
        return ("after.program", "level", "before.snapshot", "before.program")
    (field,) = {"control", "program"} & set(kind.__struct_fields__)
    return (field,)
