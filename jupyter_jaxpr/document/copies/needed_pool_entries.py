"""Copies from the pools of a document what a page or a smaller document needs, and renumbers the indices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import msgspec

from ..pools_of_documents_and_pages import Pools
from ..types.control_flow import Control
from ..types.cost import ProgramCost
from ..types.document import Child, Effects, File, Frame, LiteralValue, Parameter, Scope, Stack

T = TypeVar("T")


class Part:
    """The copied part of some pools: entries are copied on request, each once."""

    def __init__(self, pools: Pools) -> None:
        self.pools = Pools()
        self._from = pools
        self._numbers: dict[tuple[str, int], int] = {}

    def string(self, number: int) -> int:
        """Return the index of a string in the copied pool; -1 (no string) stays -1."""
        return self._take("string", number, self.pools.strings, self._from.strings.__getitem__)

    def aval(self, number: int) -> int:
        """Return the index of a type in the copied pool."""
        return self._take("aval", number, self.pools.avals, self._from.avals.__getitem__)

    def operands(self, operands: Iterable[int]) -> list[int]:
        """Return operands whose literals have their indices in the copied pool."""
        return [operand if operand >= 0 else -1 - self._literal(-1 - operand) for operand in operands]

    def parameters(self, number: int) -> int:
        """Return the index of a list of parameters in the copied pool; -1 (no parameters) stays -1."""

        def make(number: int) -> list[Parameter]:
            return [
                Parameter(name=self.string(row.name), value=self.string(row.value))
                for row in self._from.parameter_lists[number]
            ]

        return self._take("parameters", number, self.pools.parameter_lists, make)

    def stack(self, number: int) -> int:
        """Return the index of a stack in the copied pool; -1 (no stack) stays -1."""

        def make(number: int) -> Stack:
            row = self._from.stacks[number]
            return Stack(
                frames=[self.frame(frame) for frame in row.frames],
                library=[self.frame(frame) for frame in row.library],
            )

        return self._take("stack", number, self.pools.stacks, make)

    def frame(self, number: int) -> int:
        """Return the index of a frame in the copied pool; -1 (no frame) stays -1."""

        def make(number: int) -> Frame:
            row = self._from.frames[number]
            return msgspec.structs.replace(row, file=self._file(row.file), function=self.string(row.function))

        return self._take("frame", number, self.pools.frames, make)

    def control(self, control: Control) -> Control:
        """Return a card with the new pool indices; indices of scopes, programs and cards do not change."""

        def operand(number: int) -> int:
            return number if number == control.no_operand else self.operands([number])[0]

        slots = [
            msgspec.structs.replace(
                slot,
                step=self.aval(slot.step),
                whole=self.aval(slot.whole),
                out=self.aval(slot.out),
                operand=operand(slot.operand),
            )
            for slot in control.slots
        ]
        branches = [msgspec.structs.replace(branch, frame=self.frame(branch.frame)) for branch in control.branches]
        return msgspec.structs.replace(
            control,
            frame=self.frame(control.frame),
            body_frame=self.frame(control.body_frame),
            predicate=operand(control.predicate),
            slots=slots,
            branches=branches,
        )

    def cost(self, cost: ProgramCost) -> ProgramCost:
        """Return costs with the new indices of frames; indices of scopes and programs do not change."""

        def moved(row: Any) -> Any:
            return msgspec.structs.replace(row, frame=self.frame(row.frame))

        changed: dict[str, Any] = {
            name: [moved(row) for row in getattr(cost, name)]
            for name in ("by_line", "by_primitive", "by_scope", "by_name_stack")
        }
        if cost.xla is not None:
            differences = [moved(row) for row in cost.xla.differences]
            changed["xla"] = msgspec.structs.replace(cost.xla, differences=differences)
        if cost.memory is not None:
            changed["memory"] = msgspec.structs.replace(
                cost.memory,
                peak_frame=self.frame(cost.memory.peak_frame),
                live=[moved(row) for row in cost.memory.live],
                residuals=[moved(row) for row in cost.memory.residuals],
            )
        return msgspec.structs.replace(cost, **changed)

    def scope(self, scope: Scope) -> Scope:
        """Return a scope with the new pool indices; the scope indices of its children do not change."""
        changed: dict[str, Any] = {
            "name": self.string(scope.name),
            "outputs": self.operands(scope.outputs),
            "variable_avals": _column(self.aval, scope.variable_avals),
            "primitive": _column(self.string, scope.primitive),
            "operands": [self.operands(operands) for operands in scope.operands],
            "parameters": _column(self.parameters, scope.parameters),
            "stack": _column(self.stack, scope.stack),
            "name_stack": _column(self.string, scope.name_stack),
            "children": [
                Child(
                    equation=child.equation,
                    parameter=self.string(child.parameter),
                    position=child.position,
                    scope=child.scope,
                )
                for child in scope.children
            ],
            "effects": [
                Effects(equation=row.equation, effects=[self.string(number) for number in row.effects])
                for row in scope.effects
            ],
        }
        return msgspec.structs.replace(scope, **changed)

    def _literal(self, number: int) -> int:
        def make(number: int) -> LiteralValue:
            row = self._from.literals[number]
            return LiteralValue(text=self.string(row.text), aval=self.aval(row.aval))

        return self._take("literal", number, self.pools.literals, make)

    def _file(self, number: int) -> int:
        def make(number: int) -> File:
            return self._from.files[number]

        return self._take("file", number, self.pools.files, make)

    def _take(self, kind: str, number: int, pool: list[T], make: Callable[[int], T]) -> int:
        if number < 0:
            return -1
        key = (kind, number)
        index = self._numbers.get(key)
        if index is None:
            # `make` may add other entries to the pool first, so the new index is only known afterwards
            entry = make(number)
            index = self._numbers[key] = len(pool)
            pool.append(entry)
        return index


def _column(copied: Callable[[int], int], numbers: Sequence[int]) -> list[int]:
    """Return the new indices of a column; equations of a large program share few entries, so each is copied once."""
    indices = {number: copied(number) for number in dict.fromkeys(numbers)}
    return [indices[number] for number in numbers]
