"""Finds the equations and the source lines that cause each collective of a program for several devices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from ...document.limits import Listed
from ...document.types.shardings import Cause, EquationPlace
from ...program.jaxpr.walk import Walk
from ...program.texts import collectives as found

_SEVERAL = re.compile(r"[;:]")


@dataclass(frozen=True)
class HloLines:
    """The lines of a program's optimised HLO; the stacks of the lines are in the pools of the `Walk`."""

    lines: Sequence[str]
    line_stacks: Sequence[int]
    inferred_lines: Sequence[int]
    other_stacks: Sequence[Sequence[int]]


class CollectiveCauses:
    """Finds the equations and the source lines that caused the collectives in the HLO."""

    def __init__(self, walk: Walk, scope: int, hlo: HloLines) -> None:
        self._walk = walk
        self._hlo = hlo
        self._inferred = set(hlo.inferred_lines)
        self._others = {line: stacks for line, *stacks in hlo.other_stacks}
        self._by_stack: dict[int, list[EquationPlace]] = {}
        self._by_frames: dict[tuple[int, ...], list[EquationPlace]] = {}
        self._index(scope)

    def _index(self, root: int) -> None:
        """Index the equations by their stacks.

        An equation without a user frame gets the stacks of the call of its scope.
        """
        walk = self._walk
        waiting, stacks_of = [root], {root: [-1]}
        for scope in waiting:
            columns = walk.scopes[scope]
            equation_stacks = {}
            for equation, stack in enumerate(columns.stack):
                stacks = [stack] if self._frames(stack) else stacks_of[scope]
                equation_stacks[equation] = stacks
                place = EquationPlace(scope=scope, equation=equation)
                for numbered_stack in dict.fromkeys(stacks):
                    self._by_stack.setdefault(numbered_stack, []).append(place)
                for frames in dict.fromkeys(map(self._frames, stacks)):
                    self._by_frames.setdefault(frames, []).append(place)
            for equation, *_, child in columns.children:
                if child not in stacks_of:
                    stacks_of[child] = equation_stacks[equation]
                    waiting.append(child)

    def _frames(self, stack: int) -> tuple[int, ...]:
        return tuple(self._walk.positions.stacks[stack][0]) if stack >= 0 else ()

    def of(self, collective: found.Collective) -> list[Cause]:
        """Return the places in the user's code that caused a collective, each place once."""
        causes: dict[tuple[object, ...], Cause] = {}
        for piece in collective.pieces:
            cause = self._cause(piece)
            key = (cause.file, cause.line, cause.op_name)
            earlier = causes.get(key)
            if earlier is not None:
                total_bytes = None if earlier.bytes is None or cause.bytes is None else earlier.bytes + cause.bytes
                cause = msgspec.structs.replace(earlier, bytes=total_bytes)
            causes[key] = cause
        return list(causes.values())

    def _cause(self, piece: found.Piece) -> Cause:
        stack = self._hlo.line_stacks[piece.line]
        file, line = "", None
        frames = self._frames(stack)
        if frames:
            number, _, line, *_ = self._walk.positions.frames[frames[0]]
            file = self._walk.positions.files[number].path
        equations: dict[EquationPlace, None] = {}
        for numbered_stack in (stack, *self._others.get(piece.line, ())):
            equations.update(dict.fromkeys(self._equations(numbered_stack)))
        named = self._named(list(equations), piece.op_name)
        return Cause(
            bytes=piece.bytes,
            op_name=piece.op_name[:1000],
            file=file,
            line=line,
            equations=named[: Listed.EQUATIONS_OF_CAUSE],
            left_out=max(len(named) - Listed.EQUATIONS_OF_CAUSE, 0),
            inferred=piece.line in self._inferred,
        )

    def _equations(self, stack: int) -> list[EquationPlace]:
        frames = self._frames(stack)
        if not frames:
            return []
        library = self._walk.positions.stacks[stack][1]
        exact = self._by_stack.get(stack) if library else None
        return exact or self._by_frames.get(frames, [])

    def _named(self, equations: list[EquationPlace], op_name: str) -> list[EquationPlace]:
        """Return the equations whose primitive and name stack match XLA's op_name; if none matches, all of them."""
        walk, strings = self._walk, self._walk.strings.items
        parts = _SEVERAL.split(op_name)
        primitives = {part.rsplit("/", 1)[-1].rstrip(")") for part in parts}
        named, exact = [], []
        for place in equations:
            columns = walk.scopes[place.scope]
            primitive = strings[columns.primitive[place.equation]]
            if primitive in primitives:
                named.append(place)
                stack = columns.name_stack[place.equation]
                names = strings[stack] if stack >= 0 else ""
                if names and f"/{names}/{primitive}" in f"/{op_name}":
                    exact.append(place)
        return exact or named or equations
