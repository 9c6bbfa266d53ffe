"""Builds a program of the document from an observed function and JAX's objects, and shares scopes between programs.

A program is sent whole up to `WHOLE` equations. A larger one is sent with its first `PAGE` equations, those in programs
inside of it counted, and their names; `Sources.scope_page` answers for the rest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Literal

from ..document.names import Names, Pools, name_program
from ..document.types.document import Activity, Let, Naming, Program, Scope, Stages
from ..interruptions import not_of_a_signal
from ..observe.observation import ObservedFunction, ObservedProgram, StageTimes
from ..observe.value_texts import Reading
from ..plain_text import FAILURES, Limit, text_of
from ..program.jaxpr.parameters import open_jaxpr
from ..program.jaxpr.walk import Walk
from . import notes, pools, signatures
from .levels import LEVELS, level_document

#: Most equations of a program that is sent whole.
WHOLE = 20_000
#: Most equations that all programs of a run have together, where they are sent whole.
WHOLE_RUN = 60_000
#: Equations that are sent of a larger program.
PAGE = 5_000


def first_equations(walk: Walk, scope: int, first: int, limit: int) -> dict[int, int]:
    """Count how many equations to take from a scope and its inner scopes, depth first, up to a limit.

    Args:
        walk: Where the program was walked.
        scope: In the walk.
        first: Index of its first equation to take.
        limit: How many to take in all, at least 1.

    Returns:
        Of each scope that was come to, outer before inner: how many of its equations were taken.
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
    """The scopes inside each equation of one."""
    inside = defaultdict[int, list[int]](list)
    for equation, _, _, child in walk.scopes[scope].children:
        inside[equation].append(child)
    return inside


class ProgramBuilder:
    """Makes the programs of a document one after the other; a scope that repeats is stored once."""

    def __init__(
        self, walk: Walk, naming: Naming, scopes: list[Scope], equations: int = 0, reading: Reading | None = None
    ) -> None:
        """Go on from some programs.

        Args:
            walk: Its pools take what the programs consist of.
            naming: How variables are named.
            scopes: Those of the document, one for each of the walk; the programs' are put behind them.
            equations: How many of the document's equations are sent already.
            reading: What may be called of the user's objects, and what they said already.
        """
        self._reading = reading or Reading()
        self._walk = walk
        self._naming = naming
        self.scopes = scopes
        self.equations = equations

    def program(self, function: ObservedFunction, observed: ObservedProgram) -> Program:
        """Add the scopes of a program to the document, and make the program."""
        walk = self._walk
        # Names of an incomplete program are stated in its scopes, so it shares none with other programs.
        first = len(walk.scopes)
        scope = walk.program(observed.jaxpr)
        if observed.traceback is not None:
            columns = walk.scopes[scope]
            columns.stack = [walk.positions.called_from(stack, observed.traceback) for stack in columns.stack]
        total = walk.scopes[scope].total
        complete = total <= WHOLE and self.equations + total <= WHOLE_RUN
        if not complete:
            scope = walk.program_apart(observed.jaxpr, scope, first)
        scope_lets = self._send(scope, first, complete)
        opened = open_jaxpr(observed.jaxpr)
        debug = getattr(opened, "debug_info", None)
        columns = walk.scopes[scope]
        self.equations += total if complete else PAGE
        return Program(
            name=function.name,
            origin=observed.origin,
            origin_note=observed.origin_note,
            how=observed.how,
            definition=notes.frame_of(walk, function.definition),
            call=notes.frame_of(walk, observed.call),
            arguments=[signatures.argument(spec, self._reading) for spec in observed.arguments],
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
        """Put the new scopes of a program into the document, whole or the first page."""
        walk = self._walk
        if complete:
            self.scopes += [pools.scope(columns) for columns in walk.scopes[first:]]
            if first:
                self._rename(first)
            return None
        counts = first_equations(walk, scope, 0, PAGE)
        names = walk_names(walk, scope, self._naming, limit=counts[scope])
        for number in range(first, len(walk.scopes)):
            columns = walk.scopes[number]
            variable_names = names.variables.get(number)
            count = counts.get(number, 0) if variable_names is not None else 0
            variables = variable_names or [None] * len(columns.variable_avals)
            self.scopes.append(pools.scope(columns, count=count, names=variables))
        return [Let(scope=number, name=walk.strings.number(name)) for number, name in names.lets.items()]

    def _rename(self, first: int) -> None:
        """Earlier scopes that a later program calls by a name may have had none before."""
        for number in range(first):
            name = self._walk.scopes[number].name
            if self.scopes[number].name != name:
                self.scopes[number] = pools.scope(self._walk.scopes[number])

    def _result(self, observed: ObservedProgram, scope: int) -> Any:
        if observed.result is not None:
            return signatures.result(observed.result, self._reading)
        walk = self._walk
        columns = walk.scopes[scope]
        return signatures.flat_result(
            walk.avals[columns.variable_avals[operand] if operand >= 0 else walk.literals[-1 - operand][1]].text
            for operand in columns.outputs
        )


def walk_names(walk: Walk, scope: int, naming: Naming, limit: int | None = None) -> Names:
    """Names of a program by the columns of a walk."""
    pools = Pools(walk.strings.items, walk.parameter_lists, walk.scopes)
    return name_program(pools, scope, naming, limit=limit)


def _paths(stored_paths: Sequence[str], debug: Any, field: str, count: int) -> list[str]:
    """Paths of inputs or results as they were given, else as JAX knows them; an empty string where it does not."""
    if len(stored_paths) == count:
        return list(stored_paths)
    try:
        paths = ["" if path is None else text_of(path, Limit.PATH) for path in getattr(debug, field) or ()]
    except not_of_a_signal(*FAILURES):  # another JAX: unknown
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
