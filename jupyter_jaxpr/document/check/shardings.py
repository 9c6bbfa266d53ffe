"""Checks the shardings of a document."""

from __future__ import annotations

from math import prod

from ..types.document import Snapshot
from ..types.shardings import Collective, ProgramShardings
from .checks import amounts, index, need


def check_shardings(document: Snapshot) -> None:
    """Check every index and number of the shardings.

    Raises:
        Damaged: One is out of its range.
    """
    for number, shardings in enumerate(document.shardings):
        _shardings(document, shardings, f"shardings {number}")
    programs = [sharding.program for sharding in document.shardings]
    need(len(programs) == len(set(programs)), "shardings: a program is there twice")


def _shardings(document: Snapshot, shardings: ProgramShardings, where: str) -> None:
    index(shardings.program, document.programs, f"{where}: program")
    amounts((*shardings.devices, shardings.left_out, shardings.collectives_left_out), f"{where}: a number")
    amounts((shardings.bytes, shardings.sent), f"{where}: bytes")
    device_numbers = set(shardings.devices)
    for layout in shardings.layouts:
        need(all(axis.size >= 1 for axis in layout.mesh), f"{where}: a mesh")
        need(all(parts >= 1 for parts in layout.splits), f"{where}: splits")
        need(not layout.holders or len(layout.holders) == prod(layout.splits), f"{where}: holders")
    for array in shardings.arrays:
        index(array.layout, shardings.layouts, f"{where}: a layout")
        layout = shardings.layouts[array.layout]
        need(all(isinstance(axis, str) or axis >= 0 for axis in array.shape), f"{where}: a shape")
        need(not layout.splits or len(layout.splits) == len(array.shape), f"{where}: splits")
        need(array.shard is None or len(array.shard) == len(array.shape), f"{where}: a shard")
        amounts((array.bytes, *(array.shard or ())), f"{where}: an array's numbers")
        _equation(document, array.scope, array.equation, where, none=True)
    for collective in shardings.collectives or ():
        _collective(document, collective, device_numbers, where)


def _collective(document: Snapshot, collective: Collective, known: set[int], where: str) -> None:
    numbers = (collective.line, collective.arrays, collective.runs, collective.bytes, collective.sent)
    amounts(numbers, f"{where}: a collective's numbers")
    need(all(device in known for group in collective.groups for device in group), f"{where}: groups")
    for cause in collective.causes:
        amounts((cause.bytes, cause.left_out), f"{where}: a cause's numbers")
        need(cause.line is None or cause.line >= 1, f"{where}: a cause's line")
        for place in cause.equations:
            _equation(document, place.scope, place.equation, where)


def _equation(document: Snapshot, scope: int, equation: int, where: str, *, none: bool = False) -> None:
    if none and scope == -1:
        need(equation == -1, f"{where}: an equation")
        return
    index(scope, document.scopes, f"{where}: a scope")
    need(0 <= equation < document.scopes[scope].count, f"{where}: an equation")
