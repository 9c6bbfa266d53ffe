"""Compares the parts of two programs that are not in their equations: constants, callbacks and donations.

A jaxpr has only the types of constants and the addresses of Python callbacks, so the values of constants and the code
of callbacks may differ although all equations are equal.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...quantities import count
from ..types.document import Scope, Snapshot
from .custom_derivative_rules import scopes_of

CONSTANT_AS_ARGUMENT = "If the values of a constant change, pass the constant as an argument."
_CALLBACKS = ("pure_callback", "io_callback", "debug_callback")


def outside(before: Snapshot, program_before: int, after: Snapshot, program_after: int) -> list[str]:
    """Return sentences on constants and callbacks, whose contents a diff cannot compare, and on differing donations.

    Args:
        before: A document that holds all equations of the program.
        program_before: The index of the program in `before`.
        after: The other document, which also holds all equations of its program.
        program_after: The index of the program in `after`.
    """
    earlier, later = _inside(before, program_before), _inside(after, program_after)
    sentences = []
    captured = min(sum(scope.constants for scope in scopes) for scopes in (earlier, later))
    if captured:
        sentences.append(
            f"The diff does not compare the values of {count(captured, 'constant')}: a program holds only the types of "
            f"its constants. {CONSTANT_AS_ARGUMENT}"
        )
    called = _callbacks(after, later)
    shared = [name for name in _callbacks(before, earlier) if name in called]
    if shared:
        sentences.append(
            f"The diff does not compare the Python functions of {', '.join(shared)}: a program does not hold "
            "their code."
        )
    return [*sentences, *_donations(before, program_before, after, program_after)]


def _inside(document: Snapshot, program: int) -> list[Scope]:
    return list(scopes_of(document, document.programs[program].scope))


def _callbacks(document: Snapshot, scopes: Iterable[Scope]) -> list[str]:
    primitives = {document.strings[number] for scope in scopes for number in scope.primitive}
    return [name for name in _CALLBACKS if name in primitives]


def _donations(before: Snapshot, program_before: int, after: Snapshot, program_after: int) -> list[str]:
    """Return sentences on arguments that only one side donates.

    [] if the programs have different numbers of arguments.
    """
    arguments_before, arguments_after = (
        before.programs[program_before].arguments,
        after.programs[program_after].arguments,
    )
    if len(arguments_before) != len(arguments_after):
        return []
    pairs = list(zip(arguments_before, arguments_after, strict=True))
    sentences = []
    for names, first_or_second, other in (
        ([new.name for old, new in pairs if new.donated and not old.donated], "second", "first"),
        ([old.name for old, new in pairs if old.donated and not new.donated], "first", "second"),
    ):
        if names:
            sentences.append(
                f"Calls of the {first_or_second} program donate {', '.join(names)}. Calls of the {other} program do "
                "not donate the same arguments."
            )
    return sentences
