"""Finds the memory that a program needs: XLA's numbers, and an estimate from the jaxpr.

XLA's numbers are the `memory_analysis` of the executable that JAX ran; nothing is compiled for them. The number from
the jaxpr is an estimate, because XLA fuses, drops and reorders operations and reuses memory. Its rules:

- An array is alive from the equation that computes it to the last equation that reads it; arguments, captured constants
  and results are alive to the end. Donation and aliasing are ignored.
- While an equation runs, its results and the live arrays of its inner programs are alive, too. The results of a call
  are the results of the called program, so only the larger sum counts. The results of a loop count in addition to the
  arrays of its body, as does one slice of each of a scan's xs. Of the branches of a cond, the largest counts.

The estimate takes one to two microseconds per equation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from typing import Any

from ...document.control_constructs import SCAN, WHILE
from ...document.limits import Listed
from ...interruptions import not_of_a_signal
from ...jax.loop_equations import scan_parts
from ..jaxpr.bytes_of_types import Sizes
from ..jaxpr.parameters import COMBINERS
from ..jaxpr.scope_columns import ScopeColumns
from ..jaxpr.walk import Walk
from .residuals_of_grad import Residual, residuals


@dataclass(frozen=True)
class LiveBuffer:
    """An array that is alive at the memory peak; `document.types.cost.LiveBuffer` describes the fields."""

    name: str
    type: str
    bytes: int
    frame: int
    scope: int
    equation: int


@dataclass(frozen=True)
class MemoryUse:
    """The memory of a program; `document.types.cost.Memory` describes the fields. Frames are those of the `Walk`."""

    arguments: int | None = None
    results: int | None = None
    temporaries: int | None = None
    generated_code: int | None = None
    aliased: int | None = None
    peak: int | None = None
    peak_frame: int = -1
    live: list[LiveBuffer] = field(default_factory=list)
    residuals: list[Residual] = field(default_factory=list)
    residual_bytes: int = 0
    constants: int = 0


def memory_of(walk: Walk, scope: int, executable: Any = None, input_names: Sequence[str] = ()) -> MemoryUse:
    """Return the memory that a program needs.

    Args:
        walk: The `Walk` that has read the equations of the program.
        scope: The scope of the program.
        executable: The executable that JAX ran, as `ObservedProgram.executable`; None if there is none.
        input_names: The paths of the program's inputs, such as `p['w']`; may be empty.
    """
    analysis = xla_memory(executable)
    live = Liveness(walk)
    peak, frame, buffers = live.of(scope, input_names)
    kept_residuals = residuals(walk, scope)
    return MemoryUse(
        **analysis,
        peak=peak,
        peak_frame=frame,
        live=buffers,
        residuals=kept_residuals,
        residual_bytes=sum(residual.bytes for residual in kept_residuals),
        constants=live.constants(scope),
    )


def xla_memory(executable: Any) -> dict[str, int | None]:
    """Return {field of `MemoryUse`: XLA's number} for an executable; {} if XLA gives none."""
    if executable is None:
        return {}
    try:
        statistics = executable.memory_analysis()
    # the XLA of this device has no memory analysis; the class of the error depends on the device
    except not_of_a_signal(Exception):
        return {}
    fields = {
        "arguments": "argument_size_in_bytes",
        "results": "output_size_in_bytes",
        "temporaries": "temp_size_in_bytes",
        "generated_code": "generated_code_size_in_bytes",
        "aliased": "alias_size_in_bytes",
    }
    numbers: dict[str, int | None] = {name: _number(getattr(statistics, field, None)) for name, field in fields.items()}
    # A program always has code, so 0 means that XLA does not report the size of the code, as on a CPU.
    numbers["generated_code"] = numbers["generated_code"] or None
    return numbers


def _number(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None


@dataclass(frozen=True)
class _Peak:
    """The equation of a scope at which the most bytes made in the scope are alive; -1 if the scope has no equation.

    Attributes:
        inside: the inner scope that is at its own peak during this equation; -1 if there is none.
        with_results: true if the equation's results count in addition to the arrays of `inside`.
        slices: the inputs of `inside` that have memory of their own, such as the slices of a scan.
    """

    bytes: int
    equation: int = -1
    inside: int = -1
    with_results: bool = True
    slices: tuple[int, ...] = ()


class Liveness:
    """Finds the memory peaks of the scopes in a `Walk`; each is computed once."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._sizes = Sizes(walk)
        self._peaks: dict[int, _Peak] = {}
        self._unknown: dict[int, bool] = {}

    def of(self, scope: int, input_names: Sequence[str] = ()) -> tuple[int | None, int, list[LiveBuffer]]:
        """Return the peak in bytes, the frame of the line with the peak, and the largest arrays that are alive there.

        If the size of an array is unknown, these are None, -1 and [].
        """
        if any(self._has_unknown(child) for child in self._inside(scope)):
            return None, -1, []
        peak = self._peak(scope)
        columns = self._walk.scopes[scope]
        input_bytes = self._bytes(columns)[columns.constants : columns.constants + columns.inputs]
        buffers = self._inputs(scope, columns, input_names)
        frame = self._gather(scope, buffers)
        buffers.sort(key=lambda buffer: -buffer.bytes)
        live = [buffer for buffer in buffers[: Listed.LIVE_ARRAYS] if buffer.bytes]
        return sum(input_bytes) + self.constants(scope) + peak.bytes, frame, live

    def constants(self, scope: int) -> int:
        """Return the bytes of the constants that a program and its inner programs captured, each array once."""
        constant_bytes: dict[int, int] = {}
        for number in self._inside(scope):
            for captured in self._walk.scopes[number].captured:
                constant_bytes[captured.identity] = captured.bytes
        return sum(constant_bytes.values())

    # --- peaks -----------------------------------------------------------------------------------

    def _bytes(self, columns: ScopeColumns) -> list[int]:
        """Return the bytes of each variable of a scope; 0 if the size is unknown."""
        table = self._sizes.table()
        return [table[aval] or 0 for aval in columns.variable_avals]

    def _has_unknown(self, scope: int) -> bool:
        is_unknown = self._unknown.get(scope)
        if is_unknown is None:
            table = self._sizes.table()
            avals = set(self._walk.scopes[scope].variable_avals)
            is_unknown = self._unknown[scope] = any(table[aval] is None for aval in avals)
        return is_unknown

    def _peak(self, scope: int) -> _Peak:
        peak = self._peaks.get(scope)
        if peak is None:
            peak = self._peaks[scope] = self._find(scope)
        return peak

    def _find(self, scope: int) -> _Peak:
        columns = self._walk.scopes[scope]
        sizes = self._bytes(columns)
        last = last_uses(columns)
        freed = [0] * (columns.count + 1)
        inner = self._inner(scope, columns)
        best = _Peak(0)
        alive = 0
        variable = columns.constants + columns.inputs
        for index, count in enumerate(columns.output_counts):
            made_bytes = stays = 0
            for number in range(variable, variable + count):
                size = sizes[number]
                made_bytes += size
                until = last[number]
                if until > index:
                    stays += size
                    freed[until] += size
            variable += count
            inner_peak = inner.get(index)
            if inner_peak is None:
                if alive + made_bytes > best.bytes or best.equation < 0:
                    best = _Peak(alive + made_bytes, index)
            else:
                extra = inner_peak.bytes + made_bytes if inner_peak.with_results else max(inner_peak.bytes, made_bytes)
                if alive + extra > best.bytes or best.equation < 0:
                    within = inner_peak.with_results or inner_peak.bytes > made_bytes
                    best = _Peak(
                        alive + extra,
                        index,
                        inner_peak.inside if within else -1,
                        inner_peak.with_results or not within,
                        inner_peak.slices if within else (),
                    )
            alive += stays - freed[index]
        return best

    def _inner(self, scope: int, columns: ScopeColumns) -> dict[int, _Peak]:
        """Return {equation: the largest peak of its inner programs}."""
        peaks: dict[int, _Peak] = {}
        if not columns.children:
            return peaks
        strings = self._walk.strings.items
        equations = self._walk.jaxprs[scope].eqns
        for index, parameter, _, child in columns.children:
            primitive = strings[columns.primitive[index]]
            if (primitive, strings[parameter]) in COMBINERS:
                continue
            size = self._peak(child).bytes
            slices: tuple[int, ...] = ()
            if primitive == SCAN:
                slices = self._slices(equations[index].params, child)
                sizes = self._bytes(self._walk.scopes[child])
                size += sum(sizes[number] for number in slices)
            if index not in peaks or size > peaks[index].bytes:
                peaks[index] = _Peak(size, index, child, primitive in (SCAN, WHILE), slices)
        return peaks

    def _slices(self, parameters: Any, child: int) -> tuple[int, ...]:
        """Return the indices of the inputs of a scan's body that are slices of the scan's xs."""
        columns = self._walk.scopes[child]
        try:
            parts = scan_parts(parameters)
        except not_of_a_signal(KeyError, TypeError, ValueError):  # another version of JAX: the slices are left out
            return ()
        first = columns.constants + parts.consts + parts.carry
        return tuple(range(first, columns.constants + columns.inputs))

    # --- arrays that are alive at the peak ---------------------------------------------------------

    def _inputs(self, scope: int, columns: ScopeColumns, names: Sequence[str]) -> list[LiveBuffer]:
        sizes = self._bytes(columns)
        first, end = columns.constants, columns.constants + columns.inputs
        buffers = []
        for number in range(first, end):
            name = names[number - first] if len(names) == columns.inputs else ""
            text = f"argument {name}".rstrip()
            buffers.append(LiveBuffer(text, self._type(columns, number), sizes[number], -1, scope, -1))
        visited: set[int] = set()
        for child in self._inside(scope):
            inner = self._walk.scopes[child]
            for captured in inner.captured:
                if captured.identity not in visited:
                    visited.add(captured.identity)
                    kind = self._type(inner, captured.operand)
                    buffers.append(LiveBuffer("captured constant", kind, captured.bytes, -1, child, -1))
        return buffers

    def _gather(self, scope: int, buffers: list[LiveBuffer]) -> int:
        """Append the arrays of a scope and its inner scopes that are alive at its peak.

        Return the frame of the peak.
        """
        peak = self._peak(scope)
        if peak.equation < 0:
            return -1
        columns = self._walk.scopes[scope]
        sizes, last = self._bytes(columns), last_uses(columns)
        at = peak.equation
        alive: list[tuple[int, int, int]] = []  # (bytes, variable, equation that makes it) for each live array
        variable = columns.constants + columns.inputs
        for index in range(at):
            for number in range(variable, variable + columns.output_counts[index]):
                if last[number] >= at:
                    alive.append((sizes[number], number, index))
            variable += columns.output_counts[index]
        if peak.with_results:
            results = range(variable, variable + columns.output_counts[at])
            alive += [(sizes[number], number, at) for number in results]
        for size, number, index in nsmallest(Listed.LIVE_ARRAYS, alive, key=lambda entry: -entry[0]):
            buffers.append(self._made(scope, columns, number, index, size))
        frame = frame_of(self._walk, columns.stack[peak.equation])
        if peak.inside < 0:
            return frame
        inner = self._walk.scopes[peak.inside]
        buffer_bytes = self._bytes(inner)
        for number in peak.slices:
            kind = self._type(inner, number)
            buffers.append(LiveBuffer("slice that one step reads", kind, buffer_bytes[number], frame, peak.inside, -1))
        deeper = self._gather(peak.inside, buffers)
        return frame if deeper < 0 else deeper

    def _made(self, scope: int, columns: ScopeColumns, number: int, index: int, size: int) -> LiveBuffer:
        primitive = self._walk.strings.items[columns.primitive[index]]
        frame = frame_of(self._walk, columns.stack[index])
        return LiveBuffer(f"result of {primitive}", self._type(columns, number), size, frame, scope, index)

    def _type(self, columns: ScopeColumns, number: int) -> str:
        return self._walk.avals[columns.variable_avals[number]].text

    def _inside(self, scope: int) -> list[int]:
        """Return a scope and all its inner scopes, each once, without the combiners of reductions."""
        order = [scope]
        visited = {scope}
        for number in order:
            for child in self._walk.scopes[number].counted:
                if child not in visited:
                    visited.add(child)
                    order.append(child)
        return order


def last_uses(columns: ScopeColumns) -> list[int]:
    """Return, for each variable, the index of the last equation that reads it.

    For a result of the scope, this is the number of equations; for a variable that nothing reads, -1.
    """
    last = [-1] * len(columns.variable_avals)
    for index, row in enumerate(columns.operands):
        for operand in row:
            if operand >= 0:
                last[operand] = index
    for operand in columns.outputs:
        if operand >= 0:
            last[operand] = columns.count
    return last


def frame_of(walk: Walk, stack: int) -> int:
    """Return the innermost user frame of a stack; -1 if it has none."""
    if stack < 0:
        return -1
    frames = walk.positions.stacks[stack][0]
    return frames[0] if frames else -1
