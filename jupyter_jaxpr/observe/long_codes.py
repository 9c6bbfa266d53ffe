"""Finds the codes whose lines Python reports slowly, and the instructions that begin their lines.

Python keeps the line of an instruction in one byte, as a difference to an estimate. In a code of some thousand lines
the byte does not suffice; Python then reads the code from its begin for each line, and the time for all lines grows
with their square (3,000 lines: 80 ms). Python reports instructions without their lines, in constant time.
"""

from __future__ import annotations

import dis
from types import CodeType

#: The number of lines that Python may find slowly.
_FEW = 100
_SMALLEST, _LARGEST = -126, 127  # the limits of the byte
_BYTES_A_LINE = 32  # an estimate


def line_begins(code: CodeType, has_jumps: bool) -> dict[int, int] | None:
    """Return the line that begins at each instruction offset of a code object; None if Python reports lines fast.

    A line is here twice if the code leaves the line and comes back, as in a call of several lines. The target of a jump
    within a line begins the line, too.

    Args:
        code: The code.
        has_jumps: True if the code has jumps, which take some time to find.
    """
    begins: dict[int, int] = {}
    lines: list[tuple[int, int, int]] = []
    first, last, far = code.co_firstlineno, -1, 0
    for start, end, line in code.co_lines():
        if line is None:
            continue
        lines.append((start, end, line))
        if line != last:
            begins[start] = last = line
            if not _SMALLEST <= line - first - start // _BYTES_A_LINE <= _LARGEST:
                far += 1
    if far <= _FEW:
        return None
    if has_jumps:
        targets = dis.findlabels(code.co_code)  # type: ignore[arg-type]  # it takes bytes, which typeshed does not say
        jumps = {offset for offset in targets if offset not in begins}
        for start, end, line in lines:
            begins.update((offset, line) for offset in range(start, end, 2) if offset in jumps)
    return begins
