"""Gives scripts readable objects for the costs of a document: totals, lines, primitives and XLA's own count."""

from __future__ import annotations

from dataclasses import dataclass

from ..types.cost import CostRow, Memory, ProgramCost
from ..types.document import Snapshot


@dataclass(frozen=True)
class CostOf:
    """The cost of a line or of a primitive in one call of the program.

    Attributes:
        name: The source text of the line (if known), or the name of the primitive.
        line: The number of the line in your code, from 1; None for a primitive, and for equations that come from no
            line of your code.
        file: The file of the line; None where `line` is None.
        equations: The number of equations of the line or the primitive.
        flops: Operations in the most expensive call; the rows add up to the operations of the program.
        flops_min: Operations in the cheapest call; the rows add up to the smallest number of operations of the program.
        transcendentals: Functions such as sin, in the most expensive call.
        bytes_read: Bytes that the equations read, in the most expensive call.
        bytes_written: Bytes that the equations write, in the most expensive call.
        per_trip: True if equations of the row are in a loop with an unknown number of steps; the loop counts as one
            step.
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
    """A reason why XLA's count of the operations differs from the count of this package.

    Attributes:
        kind: The kind of the reason, such as ``loop_once`` or ``fused_away``.
        text: The reason as a sentence.
        line: The number of the line in your code, from 1; None where the reason has no line.
        ours: Operations of the part by the count of this package; None where the package has no rule for the part.
        xla: Operations of the part by XLA's count; None where XLA's count has no number for the part.
        runs: The number of steps that makes the difference; None for a reason that is not about a loop.
    """

    kind: str
    text: str
    line: int | None
    ours: int | None
    xla: int | None
    runs: int | None


@dataclass(frozen=True)
class Cost:
    """The cost of one call of a program; the body of a loop counts as often as it runs.

    The rules are those of XLA's ``HloCostAnalysis``, by the primitive that lowers to the instruction:

    - An elementwise primitive counts one operation for each element of its result: arithmetic, comparisons,
      conversions, selections, of any type. Transcendental functions (exp, log, pow, sqrt, sin, tanh, erf, ...) have a
      count of their own, one for each element.
    - ``dot_general``: 2 for each element of the result and each contracted element. Convolutions: 2 for each element of
      the kernel that meets an element of the input, padding and dilation left out.
    - Reductions: the operations of the combiner for each element that disappears; argmax and argmin 9 operations.
      ``reduce_window``: those of the combiner for each element of the window but one. Scatters: those of the combiner
      for each update.
    - A primitive that only moves data counts no operations; nor does a conversion that only changes the weak type.

    Exceptions, with their formula:

    - ``sort`` (and ``top_k``): elements x ceil(log2(elements)). ``fft``: 8 x elements x the product of
      floor(log2(length)) over its axes. ``cholesky``: elements x n / 3; ``triangular_solve``: elements x n.
    - ``cumsum``, ``cumprod``, ``cummax``, ``cummin``: one operation for each element but the first along the
      axis; ``cumlogsumexp``: 8 operations and 2 functions. XLA counts the window to which JAX lowers the primitive.
    - ``lu``: 2kmn - k^2(m + n) + 2k^3/3 with k = min(m, n); Householder factors twice that. XLA calls a library.
    - ``threefry2x32``: 117 integer operations for each pair of words.
    - Functions that JAX composes of others (erfc, logistic, asinh, ...): the operations of the others, in single
      precision.
    - A scan counts its body, multiplied by its length. A while with a known number of steps counts its body, multiplied
      by the steps, and its condition once more.

    Bytes are the bytes that each equation reads and writes by itself, without fusion. Reshapes count no bytes; slices
    and gathers read as many bytes as their results have.

    Attributes:
        flops: Operations of the most expensive call, on numbers of any type. In this call, each ``cond`` takes the
            branch with most work, where a transcendental operation counts as 20 operations, and a loop with an unknown
            number of steps takes one step.
        flops_min: The smallest number of operations of a call.
        flops_most: The largest number of operations of a call.
        exact: True if each primitive has a rule, each loop has a known length, and all calls cost the same.
        transcendentals: Functions such as sin, in the most expensive call.
        transcendentals_min: The smallest number of functions of a call.
        transcendentals_most: The largest number of functions of a call.
        bytes_read: Bytes that the equations read, each equation by itself.
        bytes_written: Bytes that the equations write, each equation by itself.
        by_line: The cost of each line of your code, in the order of the files and lines; the rows add up to the total.
        by_primitive: The cost of each primitive, the most expensive first; the rows add up to the total.
        per_trip: The loops with an unknown number of steps, such as ``while_loop, line 7``.
        unknown: The primitives without a rule, with the number of their equations, such as ``ffi_call (2)``; these
            equations count as 0.
        xla_flops: XLA's own count of the executable, which counts the body of a loop once. None where JAX has not
            compiled the program, or XLA gives no count.
        xla_transcendentals: XLA's own count of transcendental functions, or None.
        xla_bytes: The bytes that the executable accesses by XLA's count, after fusion, or None.
        differences: The reasons why XLA's count differs from the count of this package.
        memory: Bytes by XLA, and estimates from the program; None where they are not known.
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
        """Return the cost of a line in one call of the program.

        Args:
            line: The number of the line, from 1.
            file: The file of the line; None for the first file that has such a line.

        Raises:
            KeyError: No equation of the program is from that line.
        """
        for row in self.by_line:
            if row.line == line and file in (None, row.file):
                return row
        raise KeyError(line)


def cost_of(document: Snapshot, cost: ProgramCost) -> Cost:
    """Return the costs of a program in the form that scripts read, with line numbers in place of indices."""
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
