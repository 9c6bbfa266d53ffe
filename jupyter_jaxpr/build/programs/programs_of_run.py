"""Builds the programs of the document from JAX's objects; a scope that several programs contain is stored once.

A program with at most `Sent.WHOLE_PROGRAM` equations is sent completely. Of a larger program, the first
`Sent.FIRST_PAGE` equations are sent (equations of inner scopes included) with their variable names;
`Sources.scope_page` answers requests for the rest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Literal

from ...document.limits import Sent
from ...document.printed_variable_names import Names, Pools, name_program
from ...document.types.document import Activity, Let, Naming, Program, Scope, Stages
from ...interruptions import not_of_a_signal
from ...observe.observation import ObservedFunction, ObservedProgram, StageTimes
from ...observe.reprs_of_users_values import Reading
from ...plain_text import FAILURES, Limit, text_of
from ...program.jaxpr.parameters import open_jaxpr
from ...program.jaxpr.walk import Walk
from ..notes import places_and_cures_of_notes
from ..texts.stablehlo_and_hlo import LEVELS, level_document
from . import argument_signatures
from .equations_of_scope import scope_of_columns


def first_equations(walk: Walk, scope: int, first: int, limit: int) -> dict[int, int]:
    """Decide how many equations to take from a scope and each of its inner scopes, depth first, up to a limit.

    Args:
        walk: The `Walk` that has read the equations of the program.
        scope: The index of the scope in the `Walk`.
        first: The index of the first equation to take.
        limit: The most equations to take in all scopes together, at least 1.

    Returns:
        {scope: number of its equations to take}, for each scope that is reached, outer scopes before inner ones.
    """
    counts = {scope: 0}
    around = [(scope, iter(range(first, walk.scopes[scope].count)), _inside(walk, scope))]
    while around and limit:
        number, equations, inside = around[-1]
        equation = next(equations, None)
        if equation is None:
            around.pop()
            continue
        limit -= 1
        counts[number] += 1
        for child in reversed(inside[equation]):
            if child not in counts:
                counts[child] = 0
                around.append((child, iter(range(walk.scopes[child].count)), _inside(walk, child)))
    return counts


def _inside(walk: Walk, scope: int) -> dict[int, list[int]]:
    """Return {equation: its inner scopes} for a scope."""
    inside = defaultdict[int, list[int]](list)
    for equation, _, _, child in walk.scopes[scope].children:
        inside[equation].append(child)
    return inside


class ProgramBuilder:
    """Makes the programs of a document one after the other; a scope that occurs several times is stored once."""

    def __init__(
        self, walk: Walk, naming: Naming, scopes: list[Scope], equations: int = 0, reading: Reading | None = None
    ) -> None:
        """Begin with the scopes that the document already has.

        Args:
            walk: The `Walk` that reads the equations of each program.
            naming: The rules by which JAX names variables.
            scopes: The scopes of the document, one for each scope of the `Walk`; the builder appends new ones.
            equations: The number of equations that the document already holds.
            reading: The methods of the user's objects that may be called, and their earlier answers.
        """
        self._reading = reading or Reading()
        self._walk = walk
        self._naming = naming
        self.scopes = scopes
        self.equations = equations

    def program(self, function: ObservedFunction, observed: ObservedProgram) -> Program:
        """Add the scopes of a program to the document, and return the program's struct."""
        walk = self._walk
        # The scopes of an incomplete program have its own variable names, so other programs cannot share them.
        first = len(walk.scopes)
        scope = walk.program(observed.jaxpr)
        if observed.traceback is not None:
            columns = walk.scopes[scope]
            columns.stack = [walk.positions.called_from(stack, observed.traceback) for stack in columns.stack]
        total = walk.scopes[scope].total
        complete = total <= Sent.WHOLE_PROGRAM and self.equations + total <= Sent.WHOLE_PROGRAMS_OF_RUN
        if not complete:
            scope = walk.program_apart(observed.jaxpr, scope, first)
        scope_lets = self._send(scope, first, complete)
        opened = open_jaxpr(observed.jaxpr)
        debug = getattr(opened, "debug_info", None)
        columns = walk.scopes[scope]
        self.equations += total if complete else Sent.FIRST_PAGE
        return Program(
            name=function.name,
            origin=observed.origin,
            origin_note=observed.origin_note,
            how=observed.how,
            definition=places_and_cures_of_notes.frame_of(walk, function.definition),
            call=places_and_cures_of_notes.frame_of(walk, observed.call),
            arguments=[argument_signatures.argument(spec, self._reading) for spec in observed.arguments],
            result=self._result(observed, scope),
            scope=scope,
            input_names=_paths(observed.input_names, debug, "arg_names", columns.inputs),
            result_names=_paths(observed.result_names, debug, "result_paths", len(columns.outputs)),
            equations=total,
            complete=complete,
            lets=scope_lets,
            levels=[level_document(observed, level) for level in LEVELS],
            stages=_stages(observed.stages),
            activity=_activity(function),
            group=_group(function, observed),
            library=function.library,
        )

    def _send(self, scope: int, first: int, complete: bool) -> list[Let] | None:
        """Add the new scopes of a program to the document: completely, or only the first page of equations."""
        walk = self._walk
        if complete:
            self.scopes += [scope_of_columns(columns) for columns in walk.scopes[first:]]
            if first:
                self._rename(first)
            return None
        counts = first_equations(walk, scope, 0, Sent.FIRST_PAGE)
        names = walk_names(walk, scope, self._naming, limit=counts[scope])
        for number in range(first, len(walk.scopes)):
            columns = walk.scopes[number]
            variable_names = names.variables.get(number)
            count = counts.get(number, 0) if variable_names is not None else 0
            variables = variable_names or [None] * len(columns.variable_avals)
            self.scopes.append(scope_of_columns(columns, count=count, names=variables))
        return [Let(scope=number, name=walk.strings.number(name)) for number, name in names.lets.items()]

    def _rename(self, first: int) -> None:
        """Update the name of each scope that got another name because a later program calls the scope by a name."""
        for number in range(first):
            name = self._walk.scopes[number].name
            if self.scopes[number].name != name:
                self.scopes[number] = scope_of_columns(self._walk.scopes[number])

    def _result(self, observed: ObservedProgram, scope: int) -> Any:
        if observed.result is not None:
            return argument_signatures.result(observed.result, self._reading)
        walk = self._walk
        columns = walk.scopes[scope]
        return argument_signatures.flat_result(
            walk.avals[columns.variable_avals[operand] if operand >= 0 else walk.literals[-1 - operand][1]].text
            for operand in columns.outputs
        )


def walk_names(walk: Walk, scope: int, naming: Naming, limit: int | None = None) -> Names:
    """Return the variable names of a program whose equations a `Walk` has read."""
    pools = Pools(walk.strings.items, walk.parameter_lists, walk.scopes)
    return name_program(pools, scope, naming, limit=limit)


def _paths(stored_paths: Sequence[str], debug: Any, field: str, count: int) -> list[str]:
    """Return the paths of the inputs or results that the observer stored, else those in JAX's debug info.

    An unknown path is ''. The list is empty if there are no paths, or not as many as inputs or results.
    """
    if len(stored_paths) == count:
        return list(stored_paths)
    try:
        paths = ["" if path is None else text_of(path, Limit.PATH) for path in getattr(debug, field) or ()]
    except not_of_a_signal(*FAILURES):  # this version of JAX states the paths in another way: none are known
        return []
    if len(paths) != count:
        return []
    return paths


def _group(function: ObservedFunction, observed: ObservedProgram) -> Literal["jit", "eager", "traced"]:
    if observed.origin == "traced":
        return "traced"
    return "eager" if function.construct or function.library or observed.origin == "recorded" else "jit"


def _stages(times: StageTimes | None) -> Stages | None:
    if times is None:
        return None
    return Stages(
        trace=times.trace,
        lower=times.lower,
        compile=times.compile,
        from_disk=times.from_disk,
        first_run=times.first_run,
        rest=times.rest,
        total=times.total,
    )


def _activity(function: ObservedFunction) -> Activity | None:
    activity_counts = (function.calls, function.misses, function.traces, function.lowerings, function.compiles)
    if all(number is None for number in activity_counts):
        return None
    return Activity(
        calls=function.calls,
        calls_exact=function.calls_exact,
        misses=function.misses,
        traces=function.traces,
        lowerings=function.lowerings,
        compiles=function.compiles,
        from_disk=function.from_disk,
        inlined=function.inlined,
        raised=function.raised,
    )
