"""Prints one side of a row in a diff: an equation, an argument or results, with the differences marked."""

from __future__ import annotations

from collections.abc import Sequence

from ...quantities import count
from ..noise_rules import ProgramNoise
from ..printed_variable_names import name_program, pools_of
from ..types.diff import DiffSide
from ..types.document import Snapshot
from .match.changes import Change
from .match.keys import NAMES

_TYPES = frozenset({"shape", "dtype", "weak_type", "sharding", "type"})


#: The most results, operands or inputs in the text of one row.
_LISTED = 1_000


class Written:
    """Prints the equations of a program, with the variable names of its printed jaxpr."""

    def __init__(self, document: Snapshot, program: int) -> None:
        self._document = document
        self._pools = pools_of(document)
        self._names = name_program(self._pools, document.programs[program].scope, document.naming)
        self._paths = document.programs[program].input_names
        self._cell = document.cell.file if document.cell is not None else None
        self._firsts: dict[int, list[int]] = {}

    def noise(self) -> ProgramNoise:
        """Return the object that decides which equations of the program are noise."""
        return ProgramNoise(self._document, self._pools, self._names)

    def equation(self, scope: int, equation: int, changes: Sequence[Change]) -> DiffSide:
        """Return the line `c:f32[8] = add a b` of an equation; inner programs get rows of their own below."""
        columns, strings = self._document.scopes[scope], self._document.strings
        text = _Text()
        marked = {(change.kind, change.name) for change in changes}
        types = {change.place for change in changes if change.kind in _TYPES}
        first = self._first(scope)[equation]
        output_count = columns.output_counts[equation]
        for place in range(min(output_count, _LISTED)):
            text.put(" " if place else "")
            text.put(f"{self._name(scope, first + place)}:")
            text.put(self._type(scope, first + place), place in types)
        text.put(_unlisted(output_count, "result"))
        text.put(" = " if output_count else "")
        text.put(strings[columns.primitive[equation]], ("primitive", "") in marked)
        programs = {parameter for parameter, _, _ in self._pools.children(scope).get(equation, [])}
        plain = [
            (strings[name], "…" if value < 0 else strings[value])
            for name, value in self._pools.parameters(columns, equation)
            if (value >= 0 or name not in programs) and (strings[name] == "name" or strings[name] not in NAMES)
        ]
        for number, (name, value) in enumerate(plain):
            text.put(" " if number else "[")
            text.put(f"{name}={value}", ("parameter", name) in marked)
        text.put("]" if plain else "")
        operands = columns.operands[equation]
        for place, operand in enumerate(operands[:_LISTED]):
            text.put(" ")
            text.put(self._operand(scope, operand), ("operand", str(place + 1)) in marked)
        text.put(_unlisted(len(operands), "operand"))
        return DiffSide(
            text=text.text, scope=scope, equation=equation, line=self._line(scope, equation), marks=text.marks
        )

    def argument(self, scope: int, variable: int, changes: Sequence[Change]) -> DiffSide:
        """Return the line `a:f32[8]  x`: a variable, its type, and the path of the argument."""
        columns = self._document.scopes[scope]
        text = _Text()
        text.put(f"{self._name(scope, variable)}:")
        text.put(self._type(scope, variable), bool(changes))
        place = variable - columns.constants
        path = "constant" if place < 0 else self._paths[place] if place < len(self._paths) else ""
        text.put(f"  {path}" if path else "")
        return DiffSide(text=text.text, scope=scope, equation=-1, line=0, marks=text.marks)

    def heading(self, scope: int, label: str, marked: set[int]) -> DiffSide:
        """Return the line `jaxpr: a:f32[8] b:f32[]`: the heading of an inner program, with its inputs."""
        columns = self._document.scopes[scope]
        text = _Text()
        text.put(f"{label}:")
        input_count = columns.constants + columns.inputs
        for variable in range(min(input_count, _LISTED)):
            text.put(" ")
            text.put(f"{self._name(scope, variable)}:{self._type(scope, variable)}", variable in marked)
        text.put(_unlisted(input_count, "input"))
        return DiffSide(text=text.text, scope=scope, equation=-1, line=0, marks=text.marks)

    def results(self, scope: int, changes: Sequence[Change]) -> DiffSide:
        """Return the last line of a jaxpr, such as `return d, e`, for one side of a row."""
        text = _Text()
        text.put("return")
        places = {change.place for change in changes}
        outputs = self._document.scopes[scope].outputs
        for place, operand in enumerate(outputs[:_LISTED]):
            text.put(" ")
            text.put(self._operand(scope, operand), place in places)
            text.put("," if place < len(outputs) - 1 else "")
        text.put(_unlisted(len(outputs), "result"))
        return DiffSide(text=text.text, scope=scope, equation=-1, line=0, marks=text.marks)

    def _name(self, scope: int, variable: int) -> str:
        names = self._names.variables.get(scope)
        return (names[variable] if names is not None and variable < len(names) else None) or "…"

    def _type(self, scope: int, variable: int) -> str:
        aval = self._document.avals[self._document.scopes[scope].variable_avals[variable]]
        return f"{aval.text}{{weak}}" if aval.weak and "weak" not in aval.text else aval.text

    def _operand(self, scope: int, operand: int) -> str:
        if operand >= 0:
            return self._name(scope, operand)
        literal = self._document.literals[-1 - operand]
        aval = self._document.avals[literal.aval]
        text = self._document.strings[literal.text]
        return f"{text}:{aval.text}" if aval.dtype else text

    def _first(self, scope: int) -> list[int]:
        firsts = self._firsts.get(scope)
        if firsts is None:
            columns = self._document.scopes[scope]
            variable, firsts = columns.constants + columns.inputs, []
            for count in columns.output_counts:
                firsts.append(variable)
                variable += count
            self._firsts[scope] = firsts
        return firsts

    def _line(self, scope: int, equation: int) -> int:
        stack = self._document.scopes[scope].stack[equation]
        frames = self._document.stacks[stack].frames if stack >= 0 else []
        for number in frames:
            frame = self._document.frames[number]
            if self._document.files[frame.file].path == self._cell:
                return frame.line
        return 0


class _Text:
    """A text that is being put together, with its marked spans."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._marks: list[int] = []

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    @property
    def marks(self) -> list[int]:
        """Return the ends of the marked spans, ascending, in UTF-16 units as JavaScript counts them."""
        text = self.text
        if text.isascii():
            return self._marks
        marks, units, start = [], 0, 0
        for end in self._marks:
            units += _units(text[start:end])
            marks.append(units)
            start = end
        return marks

    def put(self, text: str, marked: bool = False) -> None:
        start = self._length
        self._length += len(text)
        if marked and text:
            self._marks += [start, self._length]
        self._pieces.append(text)


def _unlisted(total: int, noun: str) -> str:
    """Return the end of a list that is too long for a row, such as ` … 5 more operands`; empty if all are listed."""
    return "" if total <= _LISTED else f" … {count(total - _LISTED, f'more {noun}')}"


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
