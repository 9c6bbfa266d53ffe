"""Names the variables of a document after the user's Python names, with their places and types.

A value belongs to a program where its variables are variables of the program: JAX's own objects are compared, so
values of a trace that JAX gave up do not count. Where a place of the code has no such value, as in the body of a scan
under vmap, which JAX writes anew, the last value of the place in the trace of the program counts, without variables.

A program that vmap or grad wrote for a traced function, as in `jax.grad(f)` of a jitted `f`, has none of the variables
of the trace. The equations that JAX writes keep the traceback objects of the trace's equations: all values of the trace
belong to such a program, without variables. A program that computes cotangents goes through the equations backwards:
no value of the trace belongs to it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..document.types.document import NamedValue, Scope
from ..jax.traced_values import TracedArray, TracedTree, arrays_of, type_text
from ..observe.traced_names import VALUES, NamePlace
from ..program.jaxpr.walk import Walk
from ..program.source.name_places import NamePlaces, Span, name_places
from .value_marks import ValueMarks

#: A document holds at most this many types of one name: the first types.
_TYPES = 8
#: A document holds at most this many names: the first names.
NAMES = 2_000
#: The most characters of a type: enough for a container of sixty arrays.
_LONGEST = 1_200

_Where = tuple[int, int]  # the scope and the number of a variable


@dataclass
class _Values:
    """The values of a name in one scope."""

    types: list[str] = field(default_factory=list)
    variables: list[int] = field(default_factory=list)
    is_tree: bool = False
    is_known: bool = True  # true if all parts of all values have known variables


def named_values(
    walk: Walk,
    scopes: Sequence[Scope],
    outermost: Collection[int],
    traces: Sequence[Mapping[NamePlace, list[TracedArray | TracedTree]]],
    marks: ValueMarks,
) -> list[NamedValue]:
    """Return the user's Python names of the variables in a document.

    Args:
        walk: The walk of the programs.
        scopes: The scopes of the document, one for each scope of the walk.
        outermost: The scope of each program.
        traces: The named values of all traces of this kernel; most of these traces made no program of the document.
        marks: The marks of the variables, such as their parts in loops.
    """
    if not traces:
        return []
    variables = _variables(walk)
    written = _Written(walk, outermost, variables)
    texts = _Texts()
    values: dict[tuple[NamePlace, int], _Values] = {}
    for trace in traces:
        owned: dict[NamePlace, set[int]] = {}
        written.begin_trace(trace)
        for key, described in trace.items():
            for value in described:
                for scope, numbers in _scopes_of(value, variables):
                    owned.setdefault(key, set()).add(scope)
                    found_values = values.get((key, scope))
                    if found_values is None:
                        found_values = values[key, scope] = _Values()
                    _add(found_values, value, numbers, texts)
        for key, described in trace.items():
            for value in described:
                for scope in written.scopes_of(value, owned.get(key, ())):
                    _add(values.setdefault((key, scope), _Values()), value, [], texts)
        programs = {scope for scopes_of_key in owned.values() for scope in scopes_of_key} & set(outermost)
        for key in trace:
            for scope in programs if key not in owned else ():
                _add(values.setdefault((key, scope), _Values()), trace[key][-1], [], texts)
    names: list[NamedValue] = []
    files: dict[str, NamePlaces | None] = {}
    for (key, scope), marked in values.items():
        if len(names) == NAMES:
            break
        file = key.place.file
        if file not in files:
            files[file] = name_places(file)
        span = _span(key, files[file])
        if span is None:
            continue
        source = walk.positions.source_file(file)
        frame = walk.positions.frame(source, key.place.function, *span)
        if walk.positions.frames[frame][3] < 0:
            continue  # the source line has changed since it ran
        variable_count = len(scopes[scope].variable_avals)
        part = marks.part(scope, marked.variables) if marked.is_known else None
        if marked.is_tree and part is not None and len(marked.variables) != part.arrays:
            part = None  # a container that holds only a part of the carry gets no mark of the carry
        promoted = (
            marks.promoted(scope, marked.variables[0]) if marked.is_known and len(marked.variables) == 1 else None
        )
        names.append(
            NamedValue(
                frame=frame,
                name=walk.strings.number(key.name),
                kind=key.kind,
                scope=scope,
                types=[walk.strings.number(text) for text in marked.types[:_TYPES]],
                variables=[] if marked.is_tree else [number for number in marked.variables if number < variable_count],
                role=None if part is None else part.role,
                steps=None if part is None else part.steps,
                promoted=-1 if promoted is None or marked.is_tree else walk.strings.number(promoted),
            )
        )
    return names


class _Written:
    """Finds the scopes that vmap and grad wrote for the functions of a trace.

    Args:
        walk: The walk of the programs.
        outermost: The scope of each program.
        variables: The scopes and numbers of each variable object of JAX.
    """

    def __init__(self, walk: Walk, outermost: Collection[int], variables: Mapping[Any, list[_Where]]) -> None:
        self._variables = variables
        # The first equation of each scope, by the ids of the tracebacks, which the equations keep alive.
        self._scopes: dict[int, dict[int, int]] = {}
        for scope, jaxpr in enumerate(walk.jaxprs):
            for index, equation in enumerate(jaxpr.eqns):
                if equation.source_info.traceback is not None:
                    self._scopes.setdefault(id(equation.source_info.traceback), {}).setdefault(scope, index)
        self._programs: dict[int, set[int]] = {}
        for program in outermost:
            waiting = [program]
            while waiting:
                scope = waiting.pop()
                programs = self._programs.setdefault(scope, set())
                if program not in programs:
                    programs.add(program)
                    waiting += [child for *_, child in walk.scopes[scope].children]
        # No scope of the only program was written for a trace that has variables of the program.
        self._is_alone = len(outermost) == 1
        self._of_traces: dict[int, set[int]] = {}  # by the ids of the references to the traces

    def begin_trace(self, trace: Mapping[NamePlace, Sequence[TracedArray | TracedTree]]) -> None:
        """Find the scopes that keep the tracebacks of a trace, in programs that have none of its variables."""
        self._of_traces = {}
        own: dict[int, set[int]] = {}
        # A call of `id` is slow where Python code (as filelock, which JAX imports) listens to audit events.
        reference, number = None, 0
        for described in trace.values():
            for value in described:
                for array in (value,) if type(value) is TracedArray else arrays_of(value):
                    if array.trace is not reference:
                        reference, number = array.trace, id(array.trace)
                    places = _places_of(array.variable, self._variables)
                    for scope, _ in places:
                        own.setdefault(number, set()).update(self._programs.get(scope, ()))
                    if self._is_alone and own.get(number):
                        continue
                    kept = self._scopes.get(id(array.traceback))
                    if kept:
                        self._of_traces.setdefault(number, set()).update(kept)
        for number, scopes in self._of_traces.items():
            programs = own.get(number, set())
            scopes.difference_update([scope for scope in scopes if self._programs.get(scope, programs) & programs])
        if any(self._of_traces.values()):
            self._leave_out_cotangents(trace)

    def _leave_out_cotangents(self, trace: Mapping[NamePlace, Sequence[TracedArray | TracedTree]]) -> None:
        """Leave out the scopes that go through the equations of a trace backwards."""
        last: dict[tuple[int, int], int] = {}
        steps: dict[tuple[int, int], int] = {}  # by the trace and the scope: steps ahead less steps back
        code = None
        for key, described in trace.items():
            # The names of one function come in the order in which the function first stored them.
            if code != (key.place.file, key.place.function):
                code = (key.place.file, key.place.function)
                last.clear()
            for array in arrays_of(described[0]):
                for scope, index in self._scopes.get(id(array.traceback), {}).items():
                    at = id(array.trace), scope
                    before = last.get(at, index)
                    steps[at] = steps.get(at, 0) + (index > before) - (index < before)
                    last[at] = index
        for (number, scope), ahead in steps.items():
            if ahead < 0:
                self._of_traces.get(number, set()).discard(scope)

    def scopes_of(self, value: TracedArray | TracedTree, owned: Collection[int]) -> list[int]:
        """Return the scopes to which a value belongs without variables.

        Args:
            value: The value.
            owned: The scopes to which values of the same place belong with variables: their programs are left out.
        """
        if not self._of_traces:
            return []
        programs = {program for scope in owned for program in self._programs.get(scope, ())}
        return [scope for scope in self._of_value(value) if programs.isdisjoint(self._programs.get(scope, ()))]

    def _of_value(self, value: TracedArray | TracedTree) -> Collection[int]:
        if type(value) is TracedArray:
            return self._of_traces.get(id(value.trace), ())
        scopes_of_traces = [self._of_traces.get(trace, ()) for trace in {id(array.trace) for array in arrays_of(value)}]
        # Arrays of an outer program may stand in a container with arrays of an inner program.
        return max(scopes_of_traces, key=lambda scopes: min(scopes, default=-1), default=())


def _variables(walk: Walk) -> dict[Any, list[_Where]]:
    """Return the scopes and numbers of each variable object of JAX; JAX compares variables by their identity."""
    places: dict[Any, list[_Where]] = {}
    for scope, jaxpr in enumerate(walk.jaxprs):
        number = 0
        for variable in (*jaxpr.constvars, *jaxpr.invars):
            places.setdefault(variable, []).append((scope, number))
            number += 1
        for equation in jaxpr.eqns:
            for variable in equation.outvars:
                places.setdefault(variable, []).append((scope, number))
                number += 1
    return places


def _scopes_of(value: TracedArray | TracedTree, places: Mapping[Any, list[_Where]]) -> list[tuple[int, Sequence[int]]]:
    """Return the scopes that a value belongs to, each with the numbers of the value's variables there."""
    if type(value) is TracedArray:
        return [(scope, [number]) for scope, number in _places_of(value.variable, places)]
    scopes_of_leaves = [_places_of(array.variable, places) for array in arrays_of(value)]
    if not all(scopes_of_leaves) or not scopes_of_leaves:
        return []
    # Arrays of an outer program may stand in a container with arrays of an inner program.
    innermost = max(scope for places_of in scopes_of_leaves for scope, _ in places_of)
    numbers = [number for places_of in scopes_of_leaves for scope, number in places_of if scope == innermost]
    return [(innermost, numbers if len(numbers) == len(scopes_of_leaves) else [])]


def _places_of(variable: Any, places: Mapping[Any, list[_Where]]) -> Sequence[_Where]:
    """Return the scopes and numbers of a variable; none for a literal, which has no hash."""
    return () if type(variable).__hash__ is None else places.get(variable, ())


class _Texts:
    """The texts of the types of arrays, by the id of JAX's type, which the values keep alive."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}
        self._last: Any = None
        self._last_text = ""

    def of(self, array: TracedArray) -> str:
        """Return the text of an array's type."""
        if array.aval is not self._last:
            number = id(array.aval)
            if number not in self._texts:
                self._texts[number] = type_text(array)
            self._last, self._last_text = array.aval, self._texts[number]
        return self._last_text


def _add(values: _Values, value: TracedArray | TracedTree, numbers: Sequence[int], texts: _Texts) -> None:
    """Add a value of a name."""
    if type(value) is TracedArray:
        text = texts.of(value)
        is_array = True
    else:
        text, is_array = type_text(value), _is_of_arrays(value)
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    if text not in values.types:
        values.types.append(text)
    values.is_tree |= isinstance(value, TracedTree)
    values.is_known &= bool(numbers) and is_array
    values.variables += [number for number in numbers if number not in values.variables][:VALUES]


def _is_of_arrays(value: TracedArray | TracedTree | str) -> bool:
    return isinstance(value, TracedArray) or (isinstance(value, TracedTree) and all(map(_is_of_arrays, value.items)))


def _span(key: NamePlace, places: NamePlaces | None) -> Span | None:
    if places is None:
        return None
    if key.kind == "assigned":
        return places.assigned.get((key.place.line, key.name))
    by_kind = places.parameters if key.kind == "parameter" else places.returned
    return by_kind.get((key.place.line, key.name))
