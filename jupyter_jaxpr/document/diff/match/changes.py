"""Lists the differences between two paired equations: operand, shape, dtype, parameter and others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from .keys import NAMES, Keys, canonical, is_combiner
from .side import ScopeSide, Type

ChangeKind = Literal[
    "operand", "shape", "dtype", "weak_type", "sharding", "type", "parameter", "primitive", "results", "effects"
]


#: Parameters that only count operands, so that they differ whenever the operands differ.
_COUNTS = frozenset({"num_consts", "num_carry", "linear", "cond_nconsts", "body_nconsts"})


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two equations.

    Attributes:
        kind: The kind of the difference.
        name: The name of a parameter; for an operand its position from 1, as a string; else empty.
        before: The text on the side before; empty for an operand, because its variable name differs between programs
            anyway.
        after: The text on the side after; empty for an operand.
        place: The position of an operand, or of a result's type, from 0; else -1.
    """

    kind: ChangeKind
    name: str
    before: str
    after: str
    place: int = -1


def type_changes(before: Type, after: Type, place: int = -1) -> list[Change]:
    """Return the differences between two types."""
    if before == after:
        return []
    changes: list[Change] = []
    if before.shape != after.shape:
        changes.append(Change("shape", "", _shape(before), _shape(after), place))
    if before.dtype != after.dtype:
        changes.append(Change("dtype", "", before.dtype or before.text, after.dtype or after.text, place))
    if before.weak != after.weak:
        words = {True: "weak", False: "strong"}
        changes.append(Change("weak_type", "", words[before.weak], words[after.weak], place))
    if before.sharding != after.sharding:
        changes.append(Change("sharding", "", before.sharding or "none", after.sharding or "none", place))
    return changes or [Change("type", "", before.text, after.text, place)]


def equation_changes(
    a: Keys, b: Keys, scope_a: ScopeSide, scope_b: ScopeSide, i: int, j: int, same_operand: Callable[[int, int], bool]
) -> list[Change]:
    """Return the differences between equation i of a and equation j of b; inner programs are not compared here."""
    changes: list[Change] = []
    strings_a, strings_b = a.side.strings, b.side.strings
    before, after = strings_a[scope_a.primitive[i]], strings_b[scope_b.primitive[j]]
    if before != after:
        changes.append(Change("primitive", "", before, after))
    else:
        changes += _parameter_changes(a, b, scope_a, scope_b, i, j)
    changes += _operand_changes(a, b, scope_a.operands[i], scope_b.operands[j], same_operand)
    changes += _bound_changes(a, b, scope_a, scope_b, i, j)
    effects_a = sorted(strings_a[effect] for effect in scope_a.effects.get(i, ()))
    effects_b = sorted(strings_b[effect] for effect in scope_b.effects.get(j, ()))
    if effects_a != effects_b:
        changes.append(Change("effects", "", ", ".join(effects_a) or "none", ", ".join(effects_b) or "none"))
    return changes


def _shape(kind: Type) -> str:
    return f"[{','.join(str(size) for size in kind.shape)}]"


def _parameter_changes(a: Keys, b: Keys, scope_a: ScopeSide, scope_b: ScopeSide, i: int, j: int) -> list[Change]:
    before, after = a.side.parameter_texts(scope_a, i), b.side.parameter_texts(scope_b, j)
    is_recounted = len(scope_a.operands[i]) != len(scope_b.operands[j])
    changes = []
    for name in [*before, *(value for value in after if value not in before)]:
        text_before, text_after = before.get(name), after.get(name)
        if (
            name in NAMES
            or (name in _COUNTS and is_recounted)
            or (text_before is not None and text_after is not None and canonical(text_before) == canonical(text_after))
        ):
            continue
        changes.append(
            Change(
                "parameter",
                name,
                "none" if text_before is None else text_before,
                "none" if text_after is None else text_after,
            )
        )
    primitive = a.side.strings[scope_a.primitive[i]]
    combiners_a = [child for child in scope_a.children.get(i, ()) if is_combiner(primitive, child)]
    combiners_b = [child for child in scope_b.children.get(j, ()) if is_combiner(primitive, child)]
    for combiner_a, combiner_b in zip(combiners_a, combiners_b, strict=False):
        if a.of(combiner_a.scope).scope != b.of(combiner_b.scope).scope:
            changes.append(Change("parameter", combiner_a.parameter, "a program", "a different program"))
    return changes


def _operand_changes(
    a: Keys, b: Keys, before: Sequence[int], after: Sequence[int], same_operand: Callable[[int, int], bool]
) -> list[Change]:
    if len(before) == len(after):
        pairs: list[tuple[int | None, int | None]] = [(place, place) for place in range(len(before))]
    else:
        pairs = _ends_first(before, after, same_operand)
    changes = []
    for i, j in pairs:
        if i is not None and j is not None and same_operand(before[i], after[j]):
            continue
        text_before = "none" if i is None else _literal_text(a, before[i])
        text_after = "none" if j is None else _literal_text(b, after[j])
        if i is not None and j is not None and text_before and text_before == text_after:
            text_before, text_after = _literal_text(a, before[i], kind=True), _literal_text(b, after[j], kind=True)
        place = i if j is None else j
        changes.append(
            Change(
                "operand",
                "" if place is None else str(place + 1),
                text_before,
                text_after,
                -1 if place is None else place,
            )
        )
    return changes


def _ends_first(
    before: Sequence[int], after: Sequence[int], same_operand: Callable[[int, int], bool]
) -> list[tuple[int | None, int | None]]:
    """Return the operands that are left after the equal operands at the start and at the end of both lists.

    No operand of the result has a partner on the other side.
    """
    start, end = 0, 0
    shorter = min(len(before), len(after))
    while end < shorter and same_operand(before[-1 - end], after[-1 - end]):
        end += 1
    while start < shorter - end and same_operand(before[start], after[start]):
        start += 1
    return [
        *((place, None) for place in range(start, len(before) - end)),
        *((None, place) for place in range(start, len(after) - end)),
    ]


def _literal_text(keys: Keys, operand: int, kind: bool = False) -> str:
    if operand >= 0:
        return ""
    text, number = keys.side.literals[-1 - operand]
    aval = keys.side.types[number]
    weak = "{weak}" if aval.weak and "weak" not in aval.text else ""
    return f"{keys.side.strings[text]}:{aval.text}{weak}" if kind else keys.side.strings[text]


def _bound_changes(a: Keys, b: Keys, scope_a: ScopeSide, scope_b: ScopeSide, i: int, j: int) -> list[Change]:
    count_a, count_b = scope_a.output_counts[i], scope_b.output_counts[j]
    first_a, first_b = scope_a.first[i], scope_b.first[j]
    changes: list[Change] = []
    for place in range(min(count_a, count_b)):
        changes += type_changes(
            a.side.types[scope_a.types[first_a + place]], b.side.types[scope_b.types[first_b + place]], place
        )
    if count_a != count_b:
        changes.append(Change("results", "", str(count_a), str(count_b)))
    return changes
