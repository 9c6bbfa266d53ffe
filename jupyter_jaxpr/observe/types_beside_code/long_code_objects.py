"""Finds very long code objects, for which line events of Python are slow, and the instructions that begin their lines.

Python stores the line of an instruction in one byte, as the difference from an estimate. In a code object of some
thousand lines the difference is too large for the byte. Then Python reads the code object from its start for each line
event, so the time for all lines grows with the square of their number (3,000 lines: 80 ms). An instruction event has no
line, and takes constant time.
"""

from __future__ import annotations

import dis
from types import CodeType

#: If the line differences of at most this many lines do not fit into one byte, Python finds lines fast enough: line
#: events are used.
_FEW = 100
_SMALLEST, _LARGEST = -126, 127  # The smallest and the largest difference that the byte can store.
_BYTES_A_LINE = 32  # An estimate of the bytecode bytes of one source line.


def line_begins(code: CodeType, has_jumps: bool) -> dict[int, int] | None:
    """Return {instruction offset: the line that begins at this offset} for a long code object.

    Return None if Python reports the lines of the code object fast. A line has several offsets if the code leaves the
    line and returns to it, as in a call over several lines. The target of a jump within a line also counts as a begin
    of the line.

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
