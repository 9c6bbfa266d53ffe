"""Adds static fields to the signatures of programs that would otherwise have equal signatures.

A signature normally has only the types of the arrays. A static field, such as the activation of a model, is added if
two programs of one function differ in nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ...document.limits import Characters, Listed
from ...document.types.document import Argument, Program
from ...observe.cache.key_texts import static_fields_of
from ...observe.observation import ObservedProgram
from ...observe.reprs_of_users_values import Reading
from ...plain_text import exact


def told_apart(
    programs: Sequence[Program], observed: Sequence[ObservedProgram], reading: Reading | None = None
) -> list[Program]:
    """Return the programs of one function; those with equal argument types get the static fields that differ.

    Args:
        programs: The programs of the function.
        observed: JAX's own objects of each program.
        reading: The methods of the user's objects that may be called.
    """
    distinct = list(programs)
    alike: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for number, program in enumerate(programs):
        if observed[number].key is not None:
            alike.setdefault(tuple((argument.name, argument.type) for argument in program.arguments), []).append(number)
    for numbers in alike.values():
        if len(numbers) < 2:
            continue
        fields = {number: dict(static_fields_of(observed[number].key, reading or Reading())) for number in numbers}
        names = dict.fromkeys(name for fields_of_program in fields.values() for name in fields_of_program)
        differ = [
            name for name in names if len({fields_of_program.get(name) for fields_of_program in fields.values()}) > 1
        ][: Listed.DISTINGUISHING_FIELDS]
        for number in numbers:
            own_fields = {name: fields[number][name] for name in differ if name in fields[number]}
            arguments = [_with_fields(argument, own_fields) for argument in distinct[number].arguments]
            distinct[number] = msgspec.structs.replace(distinct[number], arguments=arguments)
    return distinct


def _with_fields(argument: Argument, fields: dict[str, str]) -> Argument:
    """Return an argument whose text includes its static fields, such as `Net: 2 arrays, act='sin'`."""
    field_texts = [
        f"{name.removeprefix(argument.name).lstrip('.')}={text}"
        for name, text in fields.items()
        if argument.name and name.startswith((f"{argument.name}.", f"{argument.name}["))
    ]
    if not field_texts:
        return argument
    fields_text = ", ".join(field_texts)
    type_text = (
        f"{argument.type[:-1]}, {fields_text})" if argument.type.endswith(")") else f"{argument.type}, {fields_text}"
    )
    summary = f"{argument.summary}, {fields_text}"
    return msgspec.structs.replace(
        argument,
        type=exact(type_text, Characters.ARGUMENT_TYPE),
        summary=exact(summary, 2 * Characters.ARGUMENT_IN_PROGRAM_LIST),
    )
