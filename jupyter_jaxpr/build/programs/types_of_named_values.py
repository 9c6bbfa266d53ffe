"""Finds which variables of a document belong to which Python names of the user, with places and types.

A recorded value belongs to a program if its variables are variables of the program (JAX's objects are compared by
identity), so values of a trace that JAX abandoned belong to none. If no value recorded at a place belongs to the
program, as in the body of a scan that vmap rewrote, the last value at that place in the program's trace is used for its
type, without variables.

A program that vmap or grad derived from a traced function, as in `jax.grad(f)` of a jitted `f`, has none of the
variables of the trace. But its equations keep the traceback objects of the traced equations; if it has these, all
values of the trace belong to it, without variables. A program that computes cotangents has the equations in reverse
order; no value of the trace belongs to it.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...document.limits import Characters, Listed
from ...document.types.document import NamedValue, Scope
from ...jax.types_of_traced_containers import TracedArray, TracedTree, arrays_of, type_text
from ...observe.types_beside_code.values_of_names import VALUES, NamePlace
from ...program.jaxpr.walk import Walk
from ...program.source.name_places import NamePlaces, Span, name_places
from .marks_beside_types import ValueMarks

_Where = tuple[int, int]  # (index of the scope, number of the variable in the scope)


@dataclass(slots=True)
class _Values:
    """The values that one name had in one scope.

    Attributes:
        is_known: true if the variables of all arrays in all values are known.
    """

    types: list[str] = field(default_factory=list)
    variables: list[int] = field(default_factory=list)
    is_tree: bool = False
    is_known: bool = True


def named_values(
    walk: Walk,
    scopes: Sequence[Scope],
    outermost: Collection[int],
    traces: Sequence[Mapping[NamePlace, list[TracedArray | TracedTree]]],
    marks: ValueMarks,
) -> list[NamedValue]:
    """Return the user's Python names in a document, each with the variables that hold its values.

    Args:
        walk: The `Walk` that has read the equations of the programs.
        scopes: The scopes of the document, with the same indices as in the `Walk`.
        outermost: The outermost scope of each program.
        traces: The named values of all traces of this kernel; most of these traces made no program of the document.
        marks: Finds the marks of variables, such as their role in a loop.
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
            in_one_scope = _arrays_in_one_scope(described, variables, texts)
            if in_one_scope is not None and (key, in_one_scope[0]) not in values:
                values[key, in_one_scope[0]] = in_one_scope[1]
                owned[key] = {in_one_scope[0]}
                continue
            for value in described:
                for scope, numbers in _scopes_of(value, variables):
                    scopes_of_key = owned.get(key)
                    if scopes_of_key is None:
                        owned[key] = {scope}
                    else:
                        scopes_of_key.add(scope)
                    found_values = values.get((key, scope))
                    if found_values is None:
                        values[key, scope] = _first(value, numbers, texts)
                    else:
                        _add(found_values, value, numbers, texts)
        if written.has_scopes:
            for key, described in trace.items():
                for value in described:
                    for scope in written.scopes_of(value, owned.get(key, ())):
                        _add(values.setdefault((key, scope), _Values()), value, [], texts)
        if len(owned) == len(trace):
            continue
        programs = {scope for scopes_of_key in owned.values() for scope in scopes_of_key} & set(outermost)
        for key in trace:
            for scope in programs if key not in owned else ():
                _add(values.setdefault((key, scope), _Values()), trace[key][-1], [], texts)
    names: list[NamedValue] = []
    files: dict[str, NamePlaces | None] = {}
    for (key, scope), marked in values.items():
        if len(names) == Listed.NAMES:
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
            continue  # the line no longer has these columns: the user has changed the file since the line ran
        variable_count = len(scopes[scope].variable_avals)
        part = marks.part(scope, marked.variables) if marked.is_known else None
        if marked.is_tree and part is not None and len(marked.variables) != part.arrays:
            part = None  # a container gets a mark such as `carry` only if it contains the whole carry
        promoted = (
            marks.promoted(scope, marked.variables[0]) if marked.is_known and len(marked.variables) == 1 else None
        )
        names.append(
            NamedValue(
                frame=frame,
                name=walk.strings.number(key.name),
                kind=key.kind,
                scope=scope,
                types=[walk.strings.number(text) for text in marked.types[: Listed.TYPES_OF_NAME]],
                variables=[] if marked.is_tree else [number for number in marked.variables if number < variable_count],
                role=None if part is None else part.role,
                steps=None if part is None else part.steps,
                promoted=-1 if promoted is None or marked.is_tree else walk.strings.number(promoted),
            )
        )
    return names


class _Written:
    """Finds the scopes that vmap and grad derived from the functions that the user's code traced.

    Args:
        walk: The `Walk` that has read the equations of the programs.
        outermost: The outermost scope of each program.
        variables: JAX's variable object -> its (scope, number) pairs.
    """

    def __init__(self, walk: Walk, outermost: Collection[int], variables: Mapping[Any, list[_Where]]) -> None:
        self._variables = variables
        self._jaxprs = walk.jaxprs
        self._programs: dict[int, set[int]] = {}
        for program in outermost:
            waiting = [program]
            while waiting:
                scope = waiting.pop()
                programs = self._programs.setdefault(scope, set())
                if program not in programs:
                    programs.add(program)
                    waiting += [child for *_, child in walk.scopes[scope].children]
        # With only one program, no scope is derived from a trace that has variables of this program, so the search in
        # that trace ends.
        self._is_alone = len(outermost) == 1
        # id of the weak reference to a trace -> the scopes that vmap or grad derived from the trace
        self._of_traces: dict[int, set[int]] = {}

    @functools.cached_property
    def _scopes(self) -> dict[int, dict[int, int]]:
        """{id of a traceback: {scope: its first equation with this traceback}}; equations keep tracebacks alive."""
        scopes: dict[int, dict[int, int]] = {}
        for scope, jaxpr in enumerate(self._jaxprs):
            for index, equation in enumerate(jaxpr.eqns):
                if equation.source_info.traceback is not None:
                    scopes.setdefault(id(equation.source_info.traceback), {}).setdefault(scope, index)
        return scopes

    @property
    def has_scopes(self) -> bool:
        """True if vmap or grad derived a scope from the trace that `begin_trace` was called with."""
        return bool(self._of_traces)

    def begin_trace(self, trace: Mapping[NamePlace, Sequence[TracedArray | TracedTree]]) -> None:
        """Find the scopes derived from a trace: their equations have its tracebacks, but none of its variables."""
        self._of_traces = {}
        own: dict[int, set[int]] = {}
        # The id of a trace is kept from one array to the next. Calling `id` is slow if Python code listens to audit
        # events, as filelock does, which JAX imports.
        reference, number = None, 0
        for described in trace.values():
            for value in described:
                for array in (value,) if type(value) is TracedArray else arrays_of(value):
                    if array.trace is not reference:
                        reference, number = array.trace, id(array.trace)
                    if self._is_alone and own.get(number):
                        continue
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
        """Remove the scopes that have the equations of a trace in reverse order, because they compute cotangents."""
        last: dict[tuple[int, int], int] = {}
        # (trace, scope) -> number of equations in the order of the trace minus those in reverse order; negative for a
        # scope that the backward pass of a gradient made
        steps: dict[tuple[int, int], int] = {}
        code = None
        for key, described in trace.items():
            # Within one function, `trace` has the names in the order in which the function first assigned them.
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
        """Return the derived scopes to which a value belongs, although they have none of its variables.

        Args:
            value: The value.
            owned: Scopes with variables of values that were recorded at the same source place. The programs of these
                scopes are left out.
        """
        if not self._of_traces:
            return []
        programs = {program for scope in owned for program in self._programs.get(scope, ())}
        return [scope for scope in self._of_value(value) if programs.isdisjoint(self._programs.get(scope, ()))]

    def _of_value(self, value: TracedArray | TracedTree) -> Collection[int]:
        if type(value) is TracedArray:
            return self._of_traces.get(id(value.trace), ())
        scopes_of_traces = [self._of_traces.get(trace, ()) for trace in {id(array.trace) for array in arrays_of(value)}]
        # A container may hold arrays of an outer program beside arrays of an inner one; the innermost scope counts.
        return max(scopes_of_traces, key=lambda scopes: min(scopes, default=-1), default=())


def _variables(walk: Walk) -> dict[Any, list[_Where]]:
    """Return {JAX's variable object: its (scope, number) pairs}.

    JAX compares variables by identity.
    """
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
    """Return the scopes to which a value belongs, each with the numbers of the value's variables in that scope."""
    if type(value) is TracedArray:
        return [(scope, [number]) for scope, number in _places_of(value.variable, places)]
    scopes_of_leaves = [_places_of(array.variable, places) for array in arrays_of(value)]
    if not all(scopes_of_leaves) or not scopes_of_leaves:
        return []
    # A container may hold arrays of an outer program beside arrays of an inner one; the innermost scope counts.
    innermost = max(scope for places_of in scopes_of_leaves for scope, _ in places_of)
    numbers = [number for places_of in scopes_of_leaves for scope, number in places_of if scope == innermost]
    return [(innermost, numbers if len(numbers) == len(scopes_of_leaves) else [])]


def _places_of(variable: Any, places: Mapping[Any, list[_Where]]) -> Sequence[_Where]:
    """Return the (scope, number) pairs of a variable; () for a literal, which is not hashable."""
    return () if type(variable).__hash__ is None else places.get(variable, ())


class _Texts:
    """Keeps the text of each of JAX's avals, found by the id of the aval.

    The recorded values keep the avals alive, so that ids stay unique.
    """

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}
        self._last: Any = None
        self._last_text = ""

    def of(self, array: TracedArray) -> str:
        """Return the text of an array's type, such as f32[8]."""
        if array.aval is not self._last:
            number = id(array.aval)
            if number not in self._texts:
                self._texts[number] = type_text(array)
            self._last, self._last_text = array.aval, self._texts[number]
        return self._last_text


def _arrays_in_one_scope(
    described: Sequence[TracedArray | TracedTree], places: Mapping[Any, list[_Where]], texts: _Texts
) -> tuple[int, _Values] | None:
    """Return a scope and the `_Values` of a name whose values are arrays with one variable each, all in this scope.

    None for other values. Most names have such values; a name in a Python loop has one value for each iteration.
    """
    one_scope = -1
    variables: dict[int, None] = {}
    types: dict[str, None] = {}
    for value in described:
        if type(value) is not TracedArray or len(places_of := _places_of(value.variable, places)) != 1:
            return None
        ((scope, number),) = places_of
        if one_scope != scope:
            if one_scope >= 0:
                return None
            one_scope = scope
        variables[number] = None
        types[texts.of(value)] = None
    if one_scope < 0 or any(len(text) > Characters.TYPE_OF_NAME for text in types):
        return None
    return one_scope, _Values([*types], [*variables])


def _first(value: TracedArray | TracedTree, numbers: Sequence[int], texts: _Texts) -> _Values:
    """Return new `_Values` of a name that contain only its first recorded value."""
    if type(value) is TracedArray and len(numbers) == 1:  # a faster path for one array, the value of most names
        text = texts.of(value)
        if len(text) <= Characters.TYPE_OF_NAME:
            return _Values([text], [*numbers])
    values = _Values()
    _add(values, value, numbers, texts)
    return values


def _add(values: _Values, value: TracedArray | TracedTree, numbers: Sequence[int], texts: _Texts) -> None:
    """Add one recorded value to `_Values`, which has the values of one name."""
    if type(value) is TracedArray:
        text = texts.of(value)
        is_array = True
    else:
        text, is_array = type_text(value), _is_of_arrays(value)
    text = text if len(text) <= Characters.TYPE_OF_NAME else f"{text[: Characters.TYPE_OF_NAME - 1]}…"
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
