"""Lets scripts read a document's costs: totals, lines, primitives and XLA's own count."""

from __future__ import annotations

from dataclasses import dataclass

from ..types.cost import CostRow, Memory, ProgramCost
from ..types.document import Snapshot


@dataclass(frozen=True)
class CostOf:
    """What a line or a primitive costs in one call of the program.

    Attributes:
        name: The text of the line as far as it is known, or the primitive.
        line: Of the user's code, from 1; None for a primitive, and for what no line of the user's made.
        file: That the line is in; None likewise.
        equations: How many equations are in it.
        flops: Operations in the dearest run; the rows add up to the program's.
        flops_min: Operations in the cheapest run; they add up, too.
        transcendentals: Functions such as sin, in the dearest run.
        bytes_read: In the dearest run.
        bytes_written: In the dearest run.
        per_trip: Part of it is in a loop of unknown trips, counted once.
    """

    name: str
    line: int | None
    file: str | None
    equations: int
    flops: int
    flops_min: int
    transcendentals: int
    bytes_read: int
    bytes_written: int
    per_trip: bool


@dataclass(frozen=True)
class Difference:
    """A reason why XLA's count is not ours.

    Attributes:
        kind: Such as ``loop_once`` or ``fused_away``.
        text: A sentence.
        line: Of the user's code, from 1; None where there is none.
        ours: Operations of that part by our count; None where it has none.
        xla: By XLA's; None where it cannot be told apart.
        runs: The trips that make the difference; None for others than loops.
    """

    kind: str
    text: str
    line: int | None
    ours: int | None
    xla: int | None
    runs: int | None


@dataclass(frozen=True)
class Cost:
    """What one call of a program costs, loops counted as often as they run.

    The rules are those of XLA's ``HloCostAnalysis``, by the primitive that lowers to the instruction:

    - One operation for each element of the result of what is elementwise: arithmetic, comparisons, conversions,
      selections, whatever the type. Transcendental functions (exp, log, pow, sqrt, sin, tanh, erf, ...) are counted
      apart, one an element.
    - ``dot_general``: 2 for each element of the result and of what is contracted. Convolutions: 2 for each element of
      the kernel that meets an element of the input, padding and dilation left out.
    - Reductions: the combiner for each element that disappears; argmax and argmin 9 operations. ``reduce_window``:
      the combiner for each element of the window but one. Scatters: the combiner for each update.
    - What only moves data costs no operations.

    Exceptions, with their formula:

    - ``sort`` (and ``top_k``): elements x ceil(log2(elements)). ``fft``: 8 x elements x the product of
      floor(log2(length)) over its axes. ``cholesky``: elements x n / 3; ``triangular_solve``: elements x n.
    - ``cumsum``, ``cumprod``, ``cummax``, ``cummin``: one operation for each element but the first of each line,
      ``cumlogsumexp`` 8 and 2 functions. XLA counts the window that JAX makes of it.
    - ``lu``: 2kmn - k^2(m + n) + 2k^3/3 with k = min(m, n); Householder factors twice that. XLA calls a library.
    - ``threefry2x32``: 117 integer operations for each pair of words.
    - Functions that JAX composes of others (erfc, logistic, asinh, ...): what these are, in single precision.
    - A scan counts its body times its length, a while of known trips its body times these and its condition once more.

    Bytes are those that each equation reads and writes by itself, nothing fused; reshapes are free, slices and gathers
    read what they give.

    Attributes:
        flops: Operations, on numbers of any type, of the dearest run: each ``cond`` takes the branch with most work, in
            which a transcendental operation counts as 20; a loop of unknown trips takes one trip.
        flops_min: Operations, at least.
        flops_most: Operations, at most.
        exact: Every primitive has a rule, every loop a known length, and all runs cost the same.
        transcendentals: Functions such as sin, in the dearest run.
        transcendentals_min: Functions, at least.
        transcendentals_most: Functions, at most.
        bytes_read: By every equation on its own.
        bytes_written: Likewise.
        by_line: Of each line of the user's code, in the order of the files and lines; it adds up to the total.
        by_primitive: Of each primitive, the dearest first; it adds up to the total.
        per_trip: Loops of unknown trips, such as ``while_loop, line 7``.
        unknown: Primitives without a rule, with how many equations, such as ``ffi_call (2)``: they count nothing.
        xla_flops: XLA's own count of the executable; None where it is not compiled, or XLA gives none. It counts a
            loop's body once.
        xla_transcendentals: Likewise.
        xla_bytes: XLA's bytes accessed, after fusion; likewise.
        differences: Why XLA's count is not ours.
        memory: Bytes by XLA, and estimates from the program; None where it could not be had.
    """

    flops: int
    flops_min: int
    flops_most: int
    exact: bool
    transcendentals: int
    transcendentals_min: int
    transcendentals_most: int
    bytes_read: int
    bytes_written: int
    by_line: tuple[CostOf, ...]
    by_primitive: tuple[CostOf, ...]
    per_trip: tuple[str, ...]
    unknown: tuple[str, ...]
    xla_flops: float | None
    xla_transcendentals: float | None
    xla_bytes: float | None
    differences: tuple[Difference, ...]
    memory: Memory | None

    def line(self, line: int, file: str | None = None) -> CostOf:
        """What a line costs.

        Args:
            line: From 1.
            file: That it is in; the first one with such a line where it is None.

        Raises:
            KeyError: No equation of the program is from that line.
        """
        for row in self.by_line:
            if row.line == line and file in (None, row.file):
                return row
        raise KeyError(line)


def cost_of(document: Snapshot, cost: ProgramCost) -> Cost:
    """The costs of a program with their lines looked up."""
    xla = cost.xla
    return Cost(
        flops=cost.flops,
        flops_min=cost.flops_min,
        flops_most=max(cost.flops, cost.flops_most),
        exact=cost.exact,
        transcendentals=cost.transcendentals,
        transcendentals_min=cost.transcendentals if cost.transcendentals_min is None else cost.transcendentals_min,
        transcendentals_most=max(cost.transcendentals, cost.transcendentals_most),
        bytes_read=cost.bytes_read,
        bytes_written=cost.bytes_written,
        by_line=tuple(_row(document, row) for row in cost.by_line),
        by_primitive=tuple(_row(document, row) for row in cost.by_primitive),
        per_trip=tuple(cost.per_trip),
        unknown=tuple(cost.unknown),
        xla_flops=None if xla is None else xla.flops,
        xla_transcendentals=None if xla is None else xla.transcendentals,
        xla_bytes=None if xla is None else xla.bytes,
        differences=tuple(
            Difference(
                difference.kind,
                difference.text,
                _place(document, difference.frame)[0],
                difference.ours,
                difference.xla,
                difference.runs,
            )
            for difference in (() if xla is None else xla.differences)
        ),
        memory=cost.memory,
    )


def _row(document: Snapshot, row: CostRow) -> CostOf:
    line, file = _place(document, row.frame)
    return CostOf(
        name=row.label,
        line=line,
        file=file,
        equations=row.equations,
        flops=row.flops,
        flops_min=row.flops_min,
        transcendentals=row.transcendentals,
        bytes_read=row.bytes_read,
        bytes_written=row.bytes_written,
        per_trip=row.per_trip,
    )


def _place(document: Snapshot, frame: int) -> tuple[int | None, str | None]:
    if frame < 0:
        return None, None
    row = document.frames[frame]
    return row.line, document.files[row.file].path
