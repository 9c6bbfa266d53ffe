"""Finds the name that `print(jaxpr)` gives to each variable of a program.

FORMAT.md in this folder states the rules; `src/program-text/` follows the same rules. The rules need
only the columns of `document.Scope`. The document's field `naming` states the differences between JAX versions; see
`build/programs/variable_naming_rules.py`.
"""

from __future__ import annotations

import itertools
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import Any, Protocol

from .limits import NAMED
from .types.document import Naming, Snapshot

#: The rules of JAX 0.10 to 0.12, used when JAX is not installed.
NAMING = Naming(share_jit_names=True, hoist_above=10)

#: The placeholder, in the text of a parameter, for a program that JAX prints at this position.
PROGRAM = "\ufffc"


class ScopeLike(Protocol):
    """The fields of a scope that are needed to name its variables; `document.Scope` and `ScopeColumns` have them."""

    name: int
    constants: int
    inputs: int
    outputs: list[int]
    count: int
    dropped: list[int]
    primitive: list[int]
    operands: list[list[int]]
    output_counts: list[int]
    parameters: list[int]


@dataclass
class Pools:
    """The parts of a document that are needed to name and print variables."""

    strings: Sequence[str]
    parameter_lists: Sequence[Sequence[Any]]
    scopes: Sequence[Any]
    _children: dict[int, dict[int, list[tuple[int, int, int]]]] = field(default_factory=dict)

    def children(self, scope: int) -> dict[int, list[tuple[int, int, int]]]:
        """Return {equation: [(parameter, position, scope) of each inner program]} for a scope."""
        names = self._children.get(scope)
        if names is None:
            names = self._children[scope] = {}
            for child in self.scopes[scope].children:
                equation, parameter, position, inner = _row(child)
                names.setdefault(equation, []).append((parameter, position, inner))
        return names

    def parameters(self, scope: Any, equation: int) -> list[tuple[int, int]]:
        """Return the (name, value) pairs of an equation's parameters, in the order in which they are printed."""
        number = scope.parameters[equation]
        if number < 0:
            return []
        return [_pair(parameter) for parameter in self.parameter_lists[number]]


def _row(child: Any) -> tuple[int, int, int, int]:
    if isinstance(child, tuple):
        return child
    return child.equation, child.parameter, child.position, child.scope


def _pair(parameter: Any) -> tuple[int, int]:
    if isinstance(parameter, tuple):
        return parameter
    return parameter.name, parameter.value


def pools_of(document: Snapshot) -> Pools:
    """Return the parts of a document that are needed to name and print variables."""
    return Pools(document.strings, document.parameter_lists, document.scopes)


@dataclass
class Names:
    """The variable names of one program.

    Attributes:
        variables: scope -> the name of each variable; None for a variable that is never printed.
        lets: scope that is printed before the program -> its name, in order.
    """

    variables: dict[int, list[str | None]]
    lets: dict[int, str]


def name_program(pools: Pools, root: int, naming: Naming, *, limit: int | None = None) -> Names:
    """Return the variable names of the program with the scope `root`; the time is linear in its size.

    Args:
        pools: The parts of the document.
        root: The scope of the program.
        naming: The naming rules of the JAX version that made the program.
        limit: How many equations of the root scope are named; None names all.
    """
    names, apart, _ = name_apart(pools, root, naming, limit)
    left = NAMED  # a limit, because a program that is printed inside several texts is named anew for each text
    for inner in apart:
        if inner not in names.variables and left > 0:
            inner_names, deeper, work = name_apart(pools, inner, naming)
            left -= work
            apart += deeper
            for scope, columns in inner_names.variables.items():
                names.variables.setdefault(scope, columns)
    return names


def name_apart(pools: Pools, root: int, naming: Naming, limit: int | None = None) -> tuple[Names, list[int], int]:
    """Name the variables of a program, except in programs that are printed inside the texts of parameters.

    Returns the names, the scopes of the programs inside texts, and the amount of work: visited equations and variables.
    """
    lets, visits = _hoisted(pools, root, naming)
    reserved = set(lets.values())
    fresh = (name for name in _alphabet() if name not in reserved)
    names = Names({}, lets)
    state = _Naming(pools, naming, names, fresh)
    columns = state.columns(root)
    for variable in unused_at_top(pools.scopes[root]):
        columns[variable] = "_"
    for scope in lets:
        walk(state.body(scope))
    walk(state.body(root, limit))
    return names, state.apart, visits + sum(map(len, names.variables.values()))


def walk(visit: Iterator[Any]) -> None:
    """Run a generator. When it yields another generator, that one runs to its end before the first continues.

    This replaces recursion, because programs may be nested deeper than Python's recursion limit.
    """
    path = [visit]
    while path:
        inner = next(path[-1], None)
        if inner is None:
            path.pop()
        else:
            path.append(inner)


def unused_at_top(scope: ScopeLike) -> list[int]:
    """Return the variables of a program's outermost scope that nothing uses; JAX prints them as _."""
    used = {operand for operand in scope.outputs if operand >= 0}
    end = scope.constants + scope.inputs + sum(scope.output_counts)
    unused = []
    for operands, count in zip(reversed(scope.operands), reversed(scope.output_counts), strict=True):
        unused += [variable for variable in range(end - count, end) if variable not in used]
        end -= count
        used.update(operands)
    return unused


def _hoisted(pools: Pools, root: int, naming: Naming) -> tuple[dict[int, str], int]:
    """Return {scope that is printed before the program: its name}, and the number of visited programs."""
    visits: Counter[int] = Counter()
    bases: dict[int, str] = {}
    waiting = deque([root])
    while waiting:
        number = waiting.popleft()
        visits[number] += 1
        if visits[number] > 2:
            continue
        for child in pools.scopes[number].children:
            inner = _row(child)[3]
            waiting.append(inner)
            name = pools.scopes[inner].name
            if name >= 0:
                bases.setdefault(inner, pools.strings[name].strip("<>"))
    counts: Counter[str] = Counter()
    lets: dict[int, str] = {}
    for number, visit_count in visits.items():
        large = naming.hoist_above and pools.scopes[number].count > naming.hoist_above
        if visit_count == 1 and (number == root or not large):
            continue
        name = bases.get(number, "jaxpr")
        count = counts[name]
        counts[name] += 1
        if count:
            name += str(count)
            counts[name] += 1
        lets[number] = name
    return lets, visits.total()


def _alphabet() -> Iterator[str]:
    """Yield the numbers from 0, written with 26 letters as digits: a to z, then ba to bz, then ca."""
    for length in itertools.count(1):
        first = ascii_lowercase if length == 1 else ascii_lowercase[1:]
        yield from map("".join, itertools.product(first, *[ascii_lowercase] * (length - 1)))


class _Naming:
    """Gives names to variables in the order in which JAX's printer needs them.

    Attributes:
        apart: the scopes that JAX prints inside the text of a parameter, each as a separate program.
    """

    def __init__(self, pools: Pools, naming: Naming, names: Names, fresh: Iterator[str]) -> None:
        self._pools = pools
        self._naming = naming
        self._names = names
        self._fresh = fresh
        self.apart: list[int] = []

    def columns(self, number: int) -> list[str | None]:
        columns = self._names.variables.get(number)
        if columns is None:
            scope = self._pools.scopes[number]
            columns = [None] * (scope.constants + scope.inputs + sum(scope.output_counts))
            for variable in scope.dropped:
                if variable < len(columns):
                    columns[variable] = "_"
            self._names.variables[number] = columns
        return columns

    def body(self, number: int, limit: int | None = None) -> Iterator[Any]:
        """Name the variables of a scope and its inner scopes. This generator is an argument of `walk`."""
        pools, fresh = self._pools, self._fresh
        scope = pools.scopes[number]
        columns = self.columns(number)
        children = pools.children(number)
        for variable in range(scope.constants + scope.inputs):
            if columns[variable] is None:
                columns[variable] = next(fresh)
        first = scope.constants + scope.inputs
        for equation, count in enumerate(scope.output_counts[:limit]):
            programs = children.get(equation)
            if programs and self._naming.share_jit_names:
                self._share(number, equation, first, programs)
            for variable in range(first, first + count):
                if columns[variable] is None:
                    columns[variable] = next(fresh)
            first += count
            if programs:
                for inner in self._printed_inside(scope, equation, programs):
                    yield self.body(inner)

    def _printed_inside(self, scope: Any, equation: int, programs: list[tuple[int, int, int]]) -> Iterator[int]:
        """Yield the inner scopes of an equation that JAX prints as jaxprs, in printed order.

        The scopes that JAX prints inside the text of a parameter are added to `apart`.
        """
        lets = self._names.lets
        of_name: dict[int, list[int]] = {}
        for parameter, _, inner in programs:
            if inner not in lets:
                of_name.setdefault(parameter, []).append(inner)
        if not of_name:
            return
        for name, value in self._pools.parameters(scope, equation):
            printed_programs = of_name.get(name, [])
            if value < 0:
                yield from printed_programs
            else:
                self.apart += printed_programs

    def _share(self, number: int, equation: int, first: int, programs: list[tuple[int, int, int]]) -> None:
        pools = self._pools
        scope = pools.scopes[number]
        if pools.strings[scope.primitive[equation]] not in ("jit", "pjit"):
            return
        for parameter, _, inner in programs:
            if pools.strings[parameter] != "jaxpr" or inner in self._names.lets:
                continue
            called = pools.scopes[inner]
            start = called.constants
            inputs = list(range(start, start + called.inputs))
            outputs = list(range(first, first + scope.output_counts[equation]))
            self._pair(number, scope.operands[equation], inner, inputs)
            self._pair(number, outputs, inner, called.outputs)

    def _pair(self, outside: int, outer_variables: list[int], inside: int, inner_variables: list[int]) -> None:
        if len(outer_variables) != len(inner_variables):
            return
        outer, inner = self.columns(outside), self.columns(inside)
        paired: set[int] = set()
        for outer_variable, inner_variable in zip(outer_variables, inner_variables, strict=True):
            if outer_variable < 0 or inner_variable < 0 or outer_variable in paired or inner_variable >= len(inner):
                continue
            if inner[inner_variable] is not None:
                continue
            paired.add(outer_variable)
            name = outer[outer_variable]
            if name is None:
                name = outer[outer_variable] = next(self._fresh)
            inner[inner_variable] = name
