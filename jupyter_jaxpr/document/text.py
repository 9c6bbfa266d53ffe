"""A program of a document in, its text out: the tokens of `print(jaxpr)`, one equation a line.

The layout is specified in this folder's README.md; `src/program-text/` makes the very same text.
"""

from __future__ import annotations

from dataclasses import dataclass

from .names import PROGRAM, Names, Pools, name_program
from .types.document import Program, Scope, Snapshot


@dataclass(frozen=True)
class ProgramLines:
    """The text of a program, line by line."""

    lines: list[str]
    #: Of each line: the equations that it is part of as (scope, index), the innermost first.
    equations: list[tuple[tuple[int, int], ...]]
    #: The first and the last line of each equation that takes several, outer ones after those inside.
    folds: list[tuple[int, int]]


def program_text(document: Snapshot, program: int) -> str:
    """The text of a program, without a newline at its end."""
    return "\n".join(program_lines(document, program).lines)


def program_lines(document: Snapshot, program: int) -> ProgramLines:
    """The lines of a program's text, each with the equations it is part of."""
    shown = document.programs[program]
    pools = Pools(document.strings, document.parameter_lists, document.scopes)
    names = name_program(pools, shown.scope, document.naming) if shown.complete else _given_names(document, shown)
    printer = _Printer(document, pools, names)
    printer.program(shown.scope, 0)
    return ProgramLines(printer.lines, printer.equations, printer.folds)


def _given_names(document: Snapshot, program: Program) -> Names:
    """Names as the document states them, where it does not hold all equations they follow from."""
    lets = {let.scope: document.strings[let.name] for let in program.lets or []}
    variables: dict[int, list[str | None]] = {}
    for number, scope in enumerate(document.scopes):
        if scope.names is not None:
            before: list[str | None] = [None] * scope.first_variable
            variables[number] = before + list(scope.names)
    return Names(variables, lets)


class _Printer:
    """Writes lines; the last one may still be open."""

    def __init__(self, document: Snapshot, pools: Pools, names: Names) -> None:
        self.lines: list[str] = [""]
        self.equations: list[tuple[tuple[int, int], ...]] = [()]
        self.folds: list[tuple[int, int]] = []
        self._inside: tuple[tuple[int, int], ...] = ()
        self._document = document
        self._pools = pools
        self._names = names

    def program(self, root: int, indent: int) -> None:
        """A program: what is printed first, then the program's own scope."""
        for scope, name in self._names.lets.items():
            self._put(f"let {name} = ")
            self._scope(scope, indent)
            self._put(" in")
            self._line(indent)
        self._scope(root, indent)

    def _put(self, text: str) -> None:
        self.lines[-1] += text

    def _line(self, indent: int) -> None:
        self.lines.append(" " * indent)
        self.equations.append(self._inside)

    def _scope(self, number: int, indent: int) -> None:
        scope = self._document.scopes[number]
        inputs = scope.constants + scope.inputs
        constants = self._binders(number, range(scope.constants))
        arguments = self._binders(number, range(scope.constants, inputs))
        self._put(f"{{ lambda {constants}; {arguments}. let")
        children = self._pools.children(number)
        first = inputs
        around = self._inside
        for equation, count in enumerate(scope.output_counts):
            self._inside = ((number, equation), *around)
            self._line(indent + 2)
            begun = len(self.lines) - 1
            self._equation(number, equation, range(first, first + count), children, indent + 2)
            if len(self.lines) - 1 > begun:
                self.folds.append((begun, len(self.lines) - 1))
            first += count
        self._inside = around
        missing = scope.count - len(scope.output_counts)
        if missing:
            self._line(indent + 2)
            self._put(f"… {missing} more equation{'' if missing == 1 else 's'}")
        self._line(indent)
        outputs = [self._operand(number, operand) for operand in scope.outputs]
        self._put(f"in ({', '.join(outputs)}{',' if len(outputs) == 1 else ''}) }}")

    def _equation(
        self,
        number: int,
        equation: int,
        outputs: range,
        children: dict[int, list[tuple[int, int, int]]],
        indent: int,
    ) -> None:
        scope: Scope = self._document.scopes[number]
        strings = self._document.strings
        if outputs:
            self._put(f"{self._binders(number, outputs)} = ")
        self._put(strings[scope.primitive[equation]])
        parameters = self._pools.parameters(scope, equation)
        programs = children.get(equation, [])
        if parameters:
            self._put("[")
            self._parameters(parameters, programs, indent)
            self._put("]")
        for operand in scope.operands[equation]:
            self._put(f" {self._operand(number, operand)}")

    def _parameters(
        self,
        parameters: list[tuple[int, int]],
        programs: list[tuple[int, int, int]],
        indent: int,
    ) -> None:
        plain: list[str] = []
        broken = False
        for name, value in parameters:
            held = [(position, scope) for parameter, position, scope in programs if parameter == name]
            text = None if value < 0 else self._document.strings[value]
            label = f"{self._document.strings[name]}="
            if not held or (text is None and all(scope in self._names.lets for _, scope in held)):
                plain.append(label + (self._references(held) if text is None else text))
                continue
            self._flush(plain, indent)
            broken = True
            self._line(indent + 2)
            self._put(label)
            if text is not None:
                self._text_with_programs(text, [scope for _, scope in held], indent + 2)
            elif held[0][0] < 0:
                self._scope(held[0][1], indent + 2)
            else:
                self._tuple([scope for _, scope in held], indent + 2)
        if not broken:
            self._put(" ".join(plain))
            return
        self._flush(plain, indent)
        self._line(indent)

    def _flush(self, plain: list[str], indent: int) -> None:
        if plain:
            self._line(indent + 2)
            self._put(" ".join(plain))
            plain.clear()

    def _references(self, held: list[tuple[int, int]]) -> str:
        names = [self._names.lets[scope] for _, scope in held]
        if held and held[0][0] < 0:
            return names[0]
        return f"({' '.join(names)})"

    def _tuple(self, scopes: list[int], indent: int) -> None:
        self._put("(")
        for scope in scopes:
            self._line(indent + 2)
            if scope in self._names.lets:
                self._put(self._names.lets[scope])
            else:
                self._scope(scope, indent + 2)
        self._line(indent)
        self._put(")")

    def _text_with_programs(self, text: str, scopes: list[int], indent: int) -> None:
        before, *rest = text.split(PROGRAM)
        self._put(before)
        for scope, after in zip(scopes, rest, strict=False):
            apart = name_program(self._pools, scope, self._document.naming)
            outer, self._names = self._names, apart
            self.program(scope, indent)
            self._names = outer
            self._put(after)

    def _binders(self, number: int, variables: range) -> str:
        scope, avals = self._document.scopes[number], self._document.avals
        offset = scope.first_variable
        return " ".join(
            f"{self._name(number, variable)}:{avals[scope.variable_avals[variable - offset]].text}"
            for variable in variables
        )

    def _name(self, number: int, variable: int) -> str:
        names = self._names.variables.get(number)
        if names is None or variable >= len(names):
            return "…"
        return names[variable] or "…"

    def _operand(self, number: int, operand: int) -> str:
        if operand >= 0:
            return self._name(number, operand)
        literal = self._document.literals[-1 - operand]
        aval = self._document.avals[literal.aval]
        text = self._document.strings[literal.text]
        return f"{text}:{aval.text}" if aval.dtype else text
