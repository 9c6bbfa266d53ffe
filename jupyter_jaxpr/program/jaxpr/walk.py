"""Visits a jaxpr and its inner jaxprs ("walk"), and stores the equations of each in columns: a `ScopeColumns`.

- `Walk` keeps the pools: lists that store each text, type, file and stack once, for all programs of a run. A jaxpr
  object that is used twice is visited once.
- `Walk` reads JAX's objects by their attributes and imports nothing of JAX, so it works on Jaxpr and ClosedJaxpr alike.

The visit runs for every `%%jaxpr` cell and takes 2 to 3 microseconds per equation; it is this fast because repeated
objects are recognised by their identity.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...interruptions import not_of_a_signal
from ...jax.effect_names import equation_effects
from ...observe.reprs_of_users_values import Reading
from ...plain_text import COULD_NOT, FAILURES, Limit, error_text, exact, kind_name, text_of
from ..source.positions import CellText, Positions
from .avals import AvalRow, aval_row
from .captured_constants import Captured
from .high_primitives import HIGH, high
from .parameters import (
    COMBINERS,
    LIMIT,
    open_jaxpr,
    parameter_text,
    printed_parameters,
    programs_in,
    text_around_programs,
)
from .pools import Strings
from .scope_columns import ScopeColumns

#: (index of the scope in the `Walk`, index of the equation in the scope).
Equation = tuple[int, int]


@dataclass(frozen=True)
class _Inner:
    """A program inside a parameter, as JAX holds it."""

    parameter: int
    position: int
    jaxpr: Any
    constants: Any
    combiner: bool


#: (index of the parameter list in the pool, inner programs in the parameters) of one equation.
_Read = tuple[int, list[_Inner]]


class Walk:
    """The pools of all that programs consist of (strings, types, stacks), and the scopes visited until now."""

    def __init__(self, cells: Mapping[str, CellText] | None = None, reading: Reading | None = None) -> None:
        """Make a walk without programs.

        Args:
            cells: `co_filename` of a cell's code -> the cell.
            reading: the methods of the user's objects that may be called, and the texts that they returned earlier.
        """
        self._reading = reading or Reading()
        self.strings = Strings()
        self.positions = Positions(self.strings, cells or {})
        self.avals: list[AvalRow] = []
        self.literals: list[tuple[int, int]] = []
        self.parameter_lists: list[list[tuple[int, int]]] = []
        self.scopes: list[ScopeColumns] = []
        #: For each scope JAX's jaxpr object, which has facts that the columns leave out.
        self.jaxprs: list[Any] = []
        self._scope_numbers: dict[int, int] = {}
        self._aval_ids: dict[int, int] = {}
        self._aval_numbers: dict[AvalRow, int] = {}
        self._literal_numbers: dict[tuple[int, int], int] = {}
        self._parameter_numbers: dict[tuple[tuple[int, int], ...], int] = {}
        self._read_parameters: dict[Any, _Read] = {}
        self._name_stacks: dict[Any, int] = {}
        self._alive: list[Any] = []
        self._variable_types: set[type] = set()

    def program(self, jaxpr: Any) -> int:
        """Visit a Jaxpr or ClosedJaxpr and return the index of its scope.

        Scopes that were visited before are reused.
        """
        opened = open_jaxpr(jaxpr)
        if opened is None:
            raise TypeError(f"a jaxpr is needed, not {type(jaxpr).__name__}")
        first = len(self.scopes)
        number = self._scope(opened, -1, getattr(jaxpr, "consts", ()))
        for index in range(len(self.scopes) - 1, first - 1, -1):
            self.scopes[index].total = self._total(index)
        return number

    def program_apart(self, jaxpr: Any, number: int, first: int) -> int:
        """Separate a program that was just visited: no other program will share its scopes. Returns its index.

        Args:
            jaxpr: the program.
            number: the index that `program` returned.
            first: the number of scopes before this program was visited.
        """
        inside = (child for scope in self.scopes[first:] for *_, child in scope.children)
        if number < first or any(child < first for child in inside):
            self.forget(first)
            number = self.program(jaxpr)
        self._scope_numbers.clear()
        return number

    def forget(self, first: int) -> None:
        """Forget the scopes from `first` on, so that later programs do not share them."""
        del self.scopes[first:]
        del self.jaxprs[first:]
        self._scope_numbers.clear()

    def primitives(self, scopes: Iterable[int]) -> set[str]:
        """Return the names of the primitives in some scopes; scopes inside of these are not included."""
        return self._texts(scopes, lambda scope: scope.primitive)

    def name_stacks(self, scopes: Iterable[int]) -> set[str]:
        """Return the name stacks of the equations in some scopes; scopes inside of these are not included."""
        return self._texts(scopes, lambda scope: scope.name_stack)

    def _texts(self, scopes: Iterable[int], column: Callable[[ScopeColumns], list[int]]) -> set[str]:
        numbers: set[int] = set()
        for scope in scopes:
            numbers.update(column(self.scopes[scope]))
        return {self.strings.items[number] for number in numbers}

    def _total(self, number: int) -> int:
        """Return the number of equations in a scope and all its inner scopes, each once, without combiners."""
        scopes = self.scopes
        if not scopes[number].counted:
            return scopes[number].count
        visited = {number}
        waiting = [number]
        total = 0
        while waiting:
            scope = scopes[waiting.pop()]
            total += scope.count
            for child in scope.counted:
                if child not in visited:
                    visited.add(child)
                    waiting.append(child)
        return total

    # --- one scope ---------------------------------------------------------------------------

    def _scope(self, jaxpr: Any, name: int, constants: Any) -> int:
        number = self._scope_numbers.get(id(jaxpr))
        if number is not None:
            if self.scopes[number].name < 0:
                self.scopes[number].name = name
            return number
        self._alive.append(jaxpr)
        number = self._scope_numbers[id(jaxpr)] = len(self.scopes)
        scope = ScopeColumns(name=name)
        self.scopes.append(scope)
        self.jaxprs.append(jaxpr)
        numbers: dict[Any, int] = {}
        for variable in (*jaxpr.constvars, *jaxpr.invars):
            self._bind(variable, numbers, scope)
        scope.constants = len(jaxpr.constvars)
        scope.inputs = len(jaxpr.invars)
        if constants:
            # The constants are kept alive, so that no other array of this run can get the id of one of them.
            self._alive.append(constants)
            scope.captured = [
                Captured(operand, int(getattr(value, "nbytes", 0) or 0), id(value))
                for operand, value in enumerate(constants)
            ]
        self._equations(jaxpr.eqns, numbers, scope)
        scope.outputs = self._operands(jaxpr.outvars, numbers)
        scope.count = len(scope.primitive)
        return number

    def _equations(self, equations: Sequence[Any], numbers: dict[Any, int], scope: ScopeColumns) -> None:
        # Local variables instead of attributes, because this loop runs once for each equation.
        string, stack_of = self.strings.number, self.positions.traceback
        aval_ids, avals = self._aval_ids, scope.variable_avals
        variable_types, name_stacks = self._variable_types, self._name_stacks
        # Neighbouring equations often share an object. To compare it with the last one is faster than `id` or a hash.
        last_aval: Any = object()
        last_name_stack: Any = object()
        aval = name_stack = -1
        for index, equation in enumerate(equations):
            try:
                primitive, parameters = equation.primitive.name, equation.params
                if type(primitive) is not str:
                    primitive = exact(primitive)
                if primitive == HIGH:
                    primitive, parameters = high(parameters)
                scope.primitive.append(string(primitive))
                row = []
                for operand in equation.invars:
                    if type(operand) in variable_types:
                        row.append(numbers[operand])
                    else:
                        row.append(self._operand(operand, numbers))
                scope.operands.append(row)
                outputs = equation.outvars
                for variable in outputs:
                    if type(variable) in variable_types:
                        numbers[variable] = len(avals)
                        if variable.aval is not last_aval:
                            known = aval_ids.get(id(variable.aval))
                            aval = self._aval(variable.aval) if known is None else known
                            last_aval = variable.aval
                        avals.append(aval)
                    else:
                        self._bind(variable, numbers, scope)
                scope.output_counts.append(len(outputs))
                if parameters:
                    listed, programs = self._parameters(primitive, parameters)
                    scope.parameters.append(listed)
                    if programs:
                        self._children(index, parameters, programs, scope)
                else:
                    scope.parameters.append(-1)
                source = equation.source_info
                scope.stack.append(stack_of(source.traceback))
                if source.name_stack is not last_name_stack:
                    known = name_stacks.get(source.name_stack)
                    if known is None:
                        known = name_stacks[source.name_stack] = string(text_of(source.name_stack, Limit.POOLED))
                    name_stack, last_name_stack = known, source.name_stack
                scope.name_stack.append(name_stack)
                if equation.effects and (names := equation_effects(equation.effects)):
                    scope.effects.append((index, [string(name) for name in names]))
            # An equation of an unknown form gets a row that says so, and the other equations are still read.
            except not_of_a_signal(*FAILURES) as error:
                self._complete(index, equation, numbers, scope, error)

    def _complete(
        self, index: int, equation: Any, numbers: dict[Any, int], scope: ScopeColumns, error: BaseException
    ) -> None:
        """Fill the missing columns of an equation that could not be read; its parameters contain the error."""
        if len(scope.output_counts) == index:
            first = scope.constants + scope.inputs + sum(scope.output_counts)
            del scope.variable_avals[first:]
            scope.dropped = [variable for variable in scope.dropped if variable < first]
            for variable in equation.outvars:
                self._bind(variable, numbers, scope)
            scope.output_counts.append(len(equation.outvars))
        unread: list[tuple[list[Any], Any]] = [
            (scope.primitive, self.strings.number("unknown")),
            (scope.operands, []),
            (scope.parameters, -1),
            (scope.stack, -1),
            (scope.name_stack, self.strings.number("")),
        ]
        for column, value in unread:
            if len(column) == index:
                column.append(value)
        list_number = scope.parameters[index]
        reason = (self.strings.number(COULD_NOT), self.strings.number(error_text(error, LIMIT)))
        scope.parameters[index] = self._listed(
            [*([] if list_number < 0 else self.parameter_lists[list_number]), reason]
        )

    def _children(
        self,
        index: int,
        parameters: Mapping[str, Any],
        programs: list[_Inner],
        scope: ScopeColumns,
    ) -> None:
        name = parameters.get("name")
        called = self.strings.number(name) if isinstance(name, str) else -1
        for inner in programs:
            child = self._scope(inner.jaxpr, called, inner.constants)
            scope.children.append((index, inner.parameter, inner.position, child))
            if not inner.combiner:
                scope.counted.append(child)
            if isinstance(name, str) and _is_ufunc(name, inner.jaxpr):
                # JAX caches the trace of such an operation, so its equations may have the user's line of an earlier,
                # unrelated call. Therefore the user frames are removed.
                stacks = self.scopes[child].stack
                stacks[:] = [self.positions.without_user(stack) for stack in stacks]

    # --- variables and operands ----------------------------------------------------------------

    def _bind(self, variable: Any, numbers: dict[Any, int], scope: ScopeColumns) -> None:
        number = len(scope.variable_avals)
        if type(variable).__name__ == "DropVar":
            scope.dropped.append(number)
        else:
            self._variable_types.add(type(variable))
            numbers[variable] = number
        scope.variable_avals.append(self._aval(variable.aval))

    def _operands(self, operands: Sequence[Any], numbers: dict[Any, int]) -> list[int]:
        return [self._operand(operand, numbers) for operand in operands]

    def _operand(self, operand: Any, numbers: dict[Any, int]) -> int:
        if hasattr(operand, "val"):
            return -1 - self._literal(operand)
        return numbers[operand]

    def _literal(self, literal: Any) -> int:
        row = (self.strings.number(_literal_text(literal.val)), self._aval(literal.aval))
        number = self._literal_numbers.get(row)
        if number is None:
            number = self._literal_numbers[row] = len(self.literals)
            self.literals.append(row)
        return number

    def _aval(self, aval: Any) -> int:
        number = self._aval_ids.get(id(aval))
        if number is None:
            self._alive.append(aval)
            number = self._aval_ids[id(aval)] = self.add_aval(aval_row(aval))
        return number

    def add_aval(self, row: AvalRow) -> int:
        """Return the index of a type in the pool of types; a new type is added."""
        number = self._aval_numbers.get(row)
        if number is None:
            number = self._aval_numbers[row] = len(self.avals)
            self.avals.append(row)
        return number

    # --- parameters --------------------------------------------------------------------------

    def _parameters(self, primitive: str, parameters: Mapping[str, Any]) -> _Read:
        values = tuple(parameters.values())
        key = (primitive, values, _kinds(values))
        try:
            read = self._read_parameters.get(key)
        except not_of_a_signal(*FAILURES):  # a parameter cannot be hashed or compared, so the cache is not used
            return self._read(primitive, parameters)
        if read is None:
            read = self._read_parameters[key] = self._read(primitive, parameters)
        return read

    def _read(self, primitive: str, parameters: Mapping[str, Any]) -> _Read:
        string = self.strings.number
        programs = []
        for name, value in parameters.items():
            combiner = (primitive, name) in COMBINERS
            programs += [
                _Inner(string(name), position, jaxpr, constants, combiner)
                for position, jaxpr, constants in _programs_in(value)
            ]
        holders = {inner.parameter for inner in programs}
        row: list[tuple[int, int]] = []
        for name, value in printed_parameters(primitive, parameters):
            text: str | None
            if string(name) in holders and name in parameters:
                text = text_around_programs(value, self._reading)
            else:
                text = parameter_text(value, self._reading)
            row.append((string(name), -1 if text is None else string(text)))
        return (self._listed(row) if row else -1), programs

    def _listed(self, row: list[tuple[int, int]]) -> int:
        frozen = tuple(row)
        number = self._parameter_numbers.get(frozen)
        if number is None:
            number = self._parameter_numbers[frozen] = len(self.parameter_lists)
            self.parameter_lists.append(row)
        return number


def _is_ufunc(name: str, jaxpr: Any) -> bool:
    """Return whether a jitted function is one of `jax.numpy`'s own operations, such as `add`."""
    about = getattr(jaxpr, "debug_info", None)
    source = str(getattr(about, "func_src_info", "")).replace(os.sep, "/")
    if source != "<unknown>":
        return "/jax/_src/numpy/ufuncs.py:" in source
    return type(getattr(sys.modules.get("jax.numpy"), name, None)).__name__ == "ufunc"


def _programs_in(value: Any) -> list[tuple[int, Any, Any]]:
    try:
        return programs_in(value)
    except not_of_a_signal(*FAILURES):  # an attribute of a user's object raised; such an object contains no program
        return []


def _kinds(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return a key that distinguishes values which are equal but print differently.

    Examples of such values are 1, 1.0 and True, or 0.0 and -0.0.
    """
    return tuple(
        [
            (tuple, *_kinds(value)) if (kind := type(value)) is tuple else repr(value) if kind is float else kind
            for value in values
        ]
    )


def _literal_text(value: Any) -> str:
    try:
        kind = type(value)
        if kind is float or kind is int or kind is bool:
            return text_of(value)
        import numpy as np  # imported here, because a kernel without JAX may have no NumPy

        if np.shape(value):
            return "[...]"
        return exact(str(np.asarray(value).item()))
    except not_of_a_signal(*FAILURES):  # NumPy cannot read this scalar, such as a random key
        return f"<{kind_name(type(value))}>"
