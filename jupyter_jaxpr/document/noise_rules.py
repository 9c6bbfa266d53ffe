"""Finds the equations of a program that are noise: they do not matter to a reader of the mathematics.

The panel marks the lines of its Program view by the same rules, in `src/workbench/reading/noise-rules.ts`; tests
compare both with `tests/fixtures/noise.txt`.
"""

from __future__ import annotations

from itertools import accumulate

from .printed_variable_names import Names, Pools
from .types.diff import Noise
from .types.document import Snapshot

_PRIMITIVES: dict[str, Noise] = {
    "broadcast": "broadcast",
    "broadcast_in_dim": "broadcast",
    "convert_element_type": "convert",
}


class ProgramNoise:
    """Finds the noise of one program; each scope is examined at the first request.

    The document must contain all equations of the program.
    """

    def __init__(self, document: Snapshot, pools: Pools, names: Names) -> None:
        self._document = document
        self._pools = pools
        self._names = names
        self._unused: dict[int, bytearray] = {}
        self._firsts: dict[int, list[int]] = {}

    def primitive(self, scope: int, equation: int) -> Noise | None:
        """Return the noise kind of an equation that only changes a dtype or repeats values.

        None for other equations.
        """
        document = self._document
        return _PRIMITIVES.get(document.strings[document.scopes[scope].primitive[equation]])

    def is_unused(self, scope: int, equation: int) -> bool:
        """Return whether an equation has no effect and nothing uses its results."""
        unused = self._unused.get(scope)
        if unused is None:
            unused = self._unused[scope] = self._unused_of(scope)
        return unused[equation] == 1

    def trivial_call(self, scope: int, equation: int) -> tuple[int, str] | None:
        """Return (scope, names) for a jit whose only equation could replace it.

        The names say which inner variable is which outer one, such as `r = p`; empty if they are equal. None is
        returned for any other equation.
        """
        document, strings = self._document, self._document.strings
        columns = document.scopes[scope]
        if strings[columns.primitive[equation]] not in ("jit", "pjit"):
            return None
        parameters = dict(self._pools.parameters(columns, equation))
        programs = [
            (inner, parameters[parameter])
            for parameter, _, inner in self._pools.children(scope).get(equation, [])
            if parameter in parameters
        ]
        if len(programs) != 1:
            return None
        inner, value = programs[0]
        body, operands = document.scopes[inner], columns.operands[equation]
        in_text = value >= 0
        if in_text or body.count != 1 or body.constants or len(operands) != body.inputs:
            return None
        if columns.output_counts[equation] != len(body.outputs):
            return None
        first = self._first(scope)[equation]
        results = range(first, first + len(body.outputs))
        pairs = []
        for inside, outside in [*enumerate(operands), *zip(body.outputs, results, strict=True)]:
            within, without = self._name(inner, inside), self._name(scope, outside)
            if within is None or without is None:
                return None
            if within != without and without != "_":
                pairs.append(f"{within} = {without}")
        return inner, ", ".join(pairs)

    def _name(self, scope: int, variable: int) -> str | None:
        """Return the printed name of a variable; None for a literal."""
        names = self._names.variables.get(scope)
        return names[variable] if variable >= 0 and names is not None and variable < len(names) else None

    def _first(self, scope: int) -> list[int]:
        """Return, for each equation, the number of the first variable that the equation computes."""
        firsts = self._firsts.get(scope)
        if firsts is None:
            columns = self._document.scopes[scope]
            firsts = list(accumulate(columns.output_counts, initial=columns.constants + columns.inputs))
            self._firsts[scope] = firsts
        return firsts

    def _unused_of(self, scope: int) -> bytearray:
        columns = self._document.scopes[scope]
        count = len(columns.primitive)
        unused = bytearray(count)
        end = columns.constants + columns.inputs + sum(columns.output_counts)
        needed = bytearray(end)
        acting = {effects.equation for effects in columns.effects}
        for output in columns.outputs:
            if output >= 0:
                needed[output] = 1
        for equation in range(count - 1, -1, -1):
            first = end - columns.output_counts[equation]
            if equation not in acting and not any(needed[first:end]):
                unused[equation] = 1
            else:
                for operand in columns.operands[equation]:
                    if operand >= 0:
                        needed[operand] = 1
            end = first
        return unused
