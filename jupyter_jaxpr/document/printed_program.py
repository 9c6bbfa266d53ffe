"""Prints a program of a document as `print(jaxpr)` does, but with each equation on a line of its own.

The layout is specified in this folder's README.md; `src/program-text/` produces exactly the same text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..quantities import count
from .limits import CHARACTERS, LINES, NAMED
from .printed_variable_names import PROGRAM, Names, Pools, name_apart, name_program, pools_of, walk
from .read.assigned_names import assigned_names
from .types.document import Program, Scope, Snapshot


@dataclass(frozen=True)
class ProgramLines:
    """The printed lines of a program.

    Attributes:
        equations: for each line, the equations to which it belongs, as (scope, index), innermost first.
        folds: (first line, last line) of each equation of several lines; an outer equation comes after its inner ones.
        comments: first line of an equation -> comment with the user's names of the results, such as `# pre`.
    """

    lines: list[str]
    equations: list[tuple[tuple[int, int], ...]]
    folds: list[tuple[int, int]]
    comments: dict[int, str]

    def commented(self) -> list[str]:
        """Return the printed lines, with the user's names of results as comments at their ends."""
        return [f"{line}{self.comments.get(number, '')}" for number, line in enumerate(self.lines)]


class Budget:
    """Counts how many lines and characters may still be printed, for one or several programs."""

    def __init__(self, lines: int = LINES, characters: int = CHARACTERS) -> None:
        self._lines = lines
        self._characters = characters

    @property
    def is_spent(self) -> bool:
        """True if the limit of lines or the limit of characters is reached."""
        return self._lines <= 0 or self._characters <= 0

    def take(self, characters: int, lines: int = 0) -> None:
        """Subtract the printed lines and characters from the lines and characters that may still be printed."""
        self._lines -= lines
        self._characters -= characters

    def fitting(self, lines: list[str]) -> int:
        """Return how many of some lines fit into the budget, and subtract these lines from the budget."""
        fitting_count = 0
        for line in lines:
            if self.is_spent:
                break
            self.take(len(line), 1)
            fitting_count += 1
        return fitting_count


def program_text(document: Snapshot, program: int, budget: Budget | None = None) -> str:
    """Return the text of a program, without a newline at its end."""
    return "\n".join(program_lines(document, program, budget).lines)


def program_lines(
    document: Snapshot, program: int, budget: Budget | None = None, pools: Pools | None = None
) -> ProgramLines:
    """Return the printed lines of a program with their equations.

    Args:
        document: The document.
        program: The index of the program.
        budget: The lines and characters that may still be printed. If the budget ends, the last line says so.
        pools: The parts of the document, if the caller uses them too.
    """
    program_entry = document.programs[program]
    pools = pools or pools_of(document)
    names = (
        name_program(pools, program_entry.scope, document.naming)
        if program_entry.complete
        else _given_names(document, program_entry)
    )
    printer = _Printer(document, pools, names, budget or Budget())
    walk(printer.program(program_entry.scope, 0))
    return ProgramLines(printer.lines, printer.equations, printer.folds, printer.comments)


def _given_names(document: Snapshot, program: Program) -> Names:
    """Return the variable names that a document states because it lacks equations from which they would follow."""
    lets = {let.scope: document.strings[let.name] for let in program.lets or []}
    variables: dict[int, list[str | None]] = {}
    for number, scope in enumerate(document.scopes):
        if scope.names is not None:
            before: list[str | None] = [None] * scope.first_variable
            variables[number] = before + list(scope.names)
    return Names(variables, lets)


class _Printer:
    """Prints lines; the last line may be incomplete.

    `names.walk` runs its generators, one for each inner program.
    """

    def __init__(self, document: Snapshot, pools: Pools, names: Names, budget: Budget) -> None:
        self.lines: list[str] = [""]
        self.equations: list[tuple[tuple[int, int], ...]] = [()]
        self.folds: list[tuple[int, int]] = []
        self.comments: dict[int, str] = {}
        self._assigned = assigned_names(document)
        self._inside: tuple[tuple[int, int], ...] = ()
        self._document = document
        self._pools = pools
        self._names = names
        self._budget = budget
        #: scope -> the variable names of a program that is printed inside of a text
        self._apart: dict[int, Names] = {}

    def program(self, root: int, indent: int) -> Iterator[Any]:
        """Print a program: first the definitions of its shared scopes, then its own equations."""
        for scope, name in self._names.lets.items():
            self._put(f"let {name} = ")
            yield self._scope(scope, indent)
            self._put(" in")
            self._line(indent)
        yield self._scope(root, indent)

    def _put(self, text: str) -> None:
        self.lines[-1] += text
        self._budget.take(len(text))

    def _line(self, indent: int) -> None:
        self.lines.append(" " * indent)
        self.equations.append(self._inside)
        self._budget.take(indent, 1)

    def _scope(self, number: int, indent: int) -> Iterator[Any]:
        scope = self._document.scopes[number]
        inputs = scope.constants + scope.inputs
        constants = self._binders(number, range(scope.constants))
        arguments = self._binders(number, range(scope.constants, inputs))
        self._put(f"{{ lambda {constants}; {arguments}. let")
        children = self._pools.children(number)
        first = inputs
        around = self._inside
        equation_count = len(scope.output_counts)
        for equation, result_count in enumerate(scope.output_counts):
            if self._budget.is_spent:
                equation_count = equation
                break
            self._inside = ((number, equation), *around)
            self._line(indent + 2)
            begun = len(self.lines) - 1
            self._comment(begun, number, range(first, first + result_count))
            programs = children.get(equation, [])
            printed = self._equation(number, equation, range(first, first + result_count), programs, indent + 2)
            if programs:
                yield printed
            else:
                walk(printed)
            if len(self.lines) - 1 > begun:
                self.folds.append((begun, len(self.lines) - 1))
            first += result_count
        self._inside = around
        missing = scope.count - equation_count
        if missing:
            self._line(indent + 2)
            self._put(f"… {count(missing, 'more equation')}")
        self._line(indent)
        outputs = [self._operand(number, operand) for operand in scope.outputs]
        self._put(f"in ({', '.join(outputs)}{',' if len(outputs) == 1 else ''}) }}")

    def _comment(self, line: int, scope: int, outputs: range) -> None:
        if not self._assigned:
            return
        names = {variable: ", ".join(self._assigned.get((scope, variable), ())) for variable in outputs}
        name_texts = [
            text if len(outputs) == 1 else f"{self._name(scope, variable)}: {text}"
            for variable, text in names.items()
            if text
        ]
        if name_texts:
            self.comments[line] = f"  # {', '.join(name_texts)}"
            self._budget.take(len(self.comments[line]))

    def _equation(
        self,
        number: int,
        equation: int,
        outputs: range,
        programs: list[tuple[int, int, int]],
        indent: int,
    ) -> Iterator[Any]:
        scope: Scope = self._document.scopes[number]
        strings = self._document.strings
        if outputs:
            self._put(f"{self._binders(number, outputs)} = ")
        self._put(strings[scope.primitive[equation]])
        parameters = self._pools.parameters(scope, equation)
        if parameters:
            self._put("[")
            yield self._parameters(parameters, programs, indent)
            self._put("]")
        self._put("".join(f" {self._operand(number, operand)}" for operand in scope.operands[equation]))

    def _parameters(
        self,
        parameters: list[tuple[int, int]],
        programs: list[tuple[int, int, int]],
        indent: int,
    ) -> Iterator[Any]:
        plain: list[str] = []
        broken = False
        of_name: dict[int, list[tuple[int, int]]] = {}
        for parameter, position, scope in programs:
            of_name.setdefault(parameter, []).append((position, scope))
        for name, value in parameters:
            inner_programs = of_name.get(name, [])
            text = None if value < 0 else self._document.strings[value]
            label = f"{self._document.strings[name]}="
            if not inner_programs or (text is None and all(scope in self._names.lets for _, scope in inner_programs)):
                plain.append(label + (self._references(inner_programs) if text is None else text))
                continue
            self._flush(plain, indent)
            broken = True
            self._line(indent + 2)
            self._put(label)
            if text is not None:
                yield self._text_with_programs(text, [scope for _, scope in inner_programs], indent + 2)
            elif inner_programs[0][0] < 0:
                yield self._scope(inner_programs[0][1], indent + 2)
            else:
                yield self._tuple([scope for _, scope in inner_programs], indent + 2)
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

    def _references(self, references: list[tuple[int, int]]) -> str:
        names = [self._names.lets[scope] for _, scope in references]
        if references and references[0][0] < 0:
            return names[0]
        return f"({' '.join(names)})"

    def _tuple(self, scopes: list[int], indent: int) -> Iterator[Any]:
        self._put("(")
        for place, scope in enumerate(scopes):
            self._line(indent + 2)
            if self._budget.is_spent:
                self._put(f"… {count(len(scopes) - place, 'more program')}")
                break
            if scope in self._names.lets:
                self._put(self._names.lets[scope])
            else:
                yield self._scope(scope, indent + 2)
        self._line(indent)
        self._put(")")

    def _text_with_programs(self, text: str, scopes: list[int], indent: int) -> Iterator[Any]:
        before, *parts = text.split(PROGRAM)
        self._put(before)
        for scope, after in zip(scopes, parts, strict=False):
            if self._budget.is_spent:
                self._put("…")
            else:
                outer, self._names = self._names, self._named_apart(scope)
                yield self.program(scope, indent)
                self._names = outer
            self._put(after)

    def _named_apart(self, scope: int) -> Names:
        if scope not in self._apart:
            self._apart[scope], _, work = name_apart(self._pools, scope, self._document.naming)
            self._budget.take(work * (CHARACTERS // NAMED))
        return self._apart[scope]

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
