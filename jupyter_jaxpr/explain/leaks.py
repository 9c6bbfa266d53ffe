"""Finds the tracers that a traced function left in objects outside of the function.

A tracer stands for a value only while its function is traced. Python code that keeps one, by
`global_list.append(x)` or `self.state = x`, finds a dead one at its next use. Looked at are the names that the
function's own code uses: its globals and closure, and what lists, dictionaries, sets and plain objects under these
names hold directly. No code of the user's runs for it.
"""

from __future__ import annotations

import dis
import types
import weakref
from collections.abc import Iterator, Mapping, Sequence
from types import CellType, CodeType, FunctionType
from typing import Any, NamedTuple

from ..interruptions import not_of_a_signal
from ..jax.facts import is_tracer_type
from ..observe.code_of_callables import unwrap
from ..observe.observation import Finding, Place
from ..plain_text import FAILURES, attribute_of, exact, file_of, function_of, kind_name, own_name
from ..quantities import count

_LOOK_AT = 1_000  # elements of one container
_IMPORTED = (types.ModuleType, types.BuiltinFunctionType, FunctionType, type)


#: A weak reference to each tracer, by the id of the tracer. Python may give the id of a freed tracer to another object:
#: then the weak reference is dead.
Held = dict[int, Any]


class Reach(NamedTuple):
    """What a function reads from outside. It does not hold the function: JAX must be able to drop the cache entries."""

    code: CodeType
    names: Mapping[str, Any]  # its globals
    cells: tuple[CellType, ...]
    tracers: Held  # within reach before the trace


def reach_before(fun: Any) -> Reach | None:
    """What a function that is about to be traced reads; the tracers that are there now are not of the trace."""
    inner = unwrap(fun)
    if type(inner) is not FunctionType:
        return None
    reach = Reach(inner.__code__, inner.__globals__, inner.__closure__ or (), {})
    known_tracers = {
        id(tracer): weakref.ref(tracer) for _, holder in _reachable(reach) for tracer in _tracers_in(holder)
    }
    return reach._replace(tracers=known_tracers)


def leaked_tracers(traced: Sequence[tuple[str, Reach]]) -> list[Finding]:
    """Tracers that outlived the traces of functions, one finding for each function's name and variable.

    Args:
        traced: The name of each function that was traced, and what `reach_before` gave, in their order.
    """
    told_ids: set[int] = set()
    tracers_by_name: dict[tuple[str, str], tuple[CodeType, list[Any]]] = {}
    for name, reach in reversed(traced):  # what a later function found there is not its own
        for variable, holder in _reachable(reach):
            tracers = [
                tracer
                for tracer in _tracers_in(holder)
                if id(tracer) not in told_ids and not _was_there(tracer, reach.tracers)
            ]
            told_ids.update(map(id, tracers))
            if tracers:
                tracers_by_name.setdefault((name, variable), (reach.code, []))[1].extend(tracers)
    return [
        _finding(name, code, variable, tracers)
        for (name, variable), (code, tracers) in reversed(tracers_by_name.items())
    ]


def _was_there(tracer: Any, before: Held) -> bool:
    reference = before.get(id(tracer))
    return reference is not None and reference() is tracer


def _finding(name: str, code: CodeType, variable: str, tracers: Sequence[Any]) -> Finding:
    types_text = ", ".join(dict.fromkeys(_tracer_text(tracer) for tracer in tracers[:5]))
    return Finding(
        kind="leaked_tracer",
        text=(
            f"{count(len(tracers), 'tracer')} ({types_text}) stayed in {variable} after the trace of {name}. A tracer "
            "stands for an array only during the trace. Using a tracer now raises UnexpectedTracerError. "
            f"A later call adds to {variable} only if JAX traces {name} again."
        ),
        cure=f"Return the value from {name} instead of keeping it in {variable}.",
        function=name,
        place=line_of(code, variable),
    )


def _reachable(reach: Reach) -> Iterator[tuple[str, Any]]:
    for code in _codes(reach.code):
        for name in code.co_names:
            if name in reach.names:
                yield name, reach.names[name]
    for name, cell in zip(reach.code.co_freevars, reach.cells, strict=False):
        try:
            yield name, cell.cell_contents
        except not_of_a_signal(ValueError):  # not assigned yet
            continue


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _tracers_in(holder: Any) -> Iterator[Any]:
    kinds: dict[type, bool] = {}
    for value in (holder, *_elements(holder)):
        kind = type(value)
        is_tracer = kinds.get(kind)
        if is_tracer is None:
            is_tracer = kinds[kind] = is_tracer_type(kind)
        if is_tracer:
            yield value


def _elements(holder: Any) -> list[Any]:
    if issubclass(type(holder), _IMPORTED):
        return []
    if type(holder) is dict:
        return list(holder.values())[-_LOOK_AT:]
    if type(holder) in (list, tuple):
        return list(holder[-_LOOK_AT:])
    if type(holder) in (set, frozenset):
        return list(holder)[:_LOOK_AT]
    if own_name(type(holder), "__module__") != "__main__":
        return []
    member = attribute_of(holder, "__dict__")
    stored = member.__get__(holder) if type(member) is types.GetSetDescriptorType else member
    return list(stored.values())[:_LOOK_AT] if type(stored) is dict else []


def _tracer_text(value: Any) -> str:
    try:
        return exact(value.aval.str_short(short_dtypes=True))
    except not_of_a_signal(*FAILURES):  # a tracer of a library without an aval of JAX's
        return kind_name(type(value))


def line_of(function: CodeType, variable: str) -> Place:
    """The last line of a function that uses the name."""
    place = Place(file_of(function), function.co_firstlineno, function_of(function))
    for code in _codes(function):
        line = code.co_firstlineno
        for instruction in dis.get_instructions(code):
            position = instruction.positions
            line = position.lineno if position is not None and position.lineno is not None else line
            if instruction.argval == variable and instruction.opname.startswith(("LOAD_", "STORE_")):
                place = Place(file_of(code), line, function_of(code))
                return place
    return place
