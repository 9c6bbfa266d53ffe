"""Checks the shardings of a document."""

from __future__ import annotations

from math import prod

from ..limits import ARRAYS
from ..types.document import Snapshot
from ..types.shardings import Collective, ProgramShardings
from .checks_of_indices import amounts, index, need


def check_shardings(document: Snapshot) -> None:
    """Check every index and number of the shardings.

    Raises:
        Damaged: An index or a number is out of its range.
    """
    for number, shardings in enumerate(document.shardings):
        _shardings(document, shardings, f"shardings {number}")
    programs = [sharding.program for sharding in document.shardings]
    need(len(programs) == len(set(programs)), "shardings: a program is there twice")


def _shardings(document: Snapshot, shardings: ProgramShardings, path: str) -> None:
    index(shardings.program, document.programs, f"{path}: program")
    amounts((*shardings.devices, shardings.left_out, shardings.collectives_left_out), f"{path}: a number")
    amounts((shardings.bytes, shardings.sent), f"{path}: bytes")
    device_numbers = set(shardings.devices)
    for layout in shardings.layouts:
        need(all(axis.size >= 1 for axis in layout.mesh), f"{path}: a mesh")
        need(all(parts >= 1 for parts in layout.splits), f"{path}: splits")
        need(not layout.holders or len(layout.holders) == prod(layout.splits), f"{path}: holders")
        need(all(device >= 0 for devices in layout.holders for device in devices), f"{path}: holders")
    for array in shardings.arrays:
        index(array.layout, shardings.layouts, f"{path}: a layout")
        layout = shardings.layouts[array.layout]
        need(all(isinstance(axis, str) or axis >= 0 for axis in array.shape), f"{path}: a shape")
        need(not layout.splits or len(layout.splits) == len(array.shape), f"{path}: splits")
        need(array.shard is None or len(array.shard) == len(array.shape), f"{path}: a shard")
        amounts((array.bytes, *(array.shard or ())), f"{path}: an array's numbers")
        _equation(document, array.scope, array.equation, path, none=True)
    collectives = shardings.collectives or ()
    need(len(collectives) <= ARRAYS, f"{path}: a list of more than {ARRAYS:,} collectives")
    for collective in collectives:
        _collective(document, collective, device_numbers, path)


def _collective(document: Snapshot, collective: Collective, device_numbers: set[int], path: str) -> None:
    numbers = (collective.line, collective.arrays, collective.runs, collective.bytes, collective.sent)
    amounts(numbers, f"{path}: a collective's numbers")
    need(all(device in device_numbers for group in collective.groups for device in group), f"{path}: groups")
    for cause in collective.causes:
        amounts((cause.bytes, cause.left_out), f"{path}: a cause's numbers")
        need(cause.line is None or cause.line >= 1, f"{path}: a cause's line")
        for place in cause.equations:
            _equation(document, place.scope, place.equation, path)


def _equation(document: Snapshot, scope: int, equation: int, path: str, *, none: bool = False) -> None:
    if none and scope == -1:
        need(equation == -1, f"{path}: an equation")
        return
    index(scope, document.scopes, f"{path}: a scope")
    need(0 <= equation < document.scopes[scope].count, f"{path}: an equation")
