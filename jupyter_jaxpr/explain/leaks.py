"""Functions that were traced in, the tracers that they kept outside of themselves out.

A tracer stands for a value only while its function is traced. Python code that keeps one, by
`global_list.append(x)` or `self.state = x`, finds a dead one at its next use. Looked at are the names that the
function's own code uses: its globals and closure, and what lists, dictionaries, sets and plain objects under these
names hold directly. No code of the user's runs for it.
"""

from __future__ import annotations

import dis
import types
import weakref
from collections.abc import Iterator, Sequence
from types import CodeType, FunctionType
from typing import Any

from ..jax.facts import is_tracer_type
from ..observe.functions import unwrap
from ..observe.observation import Finding, Place
from ..plain_text import FAILURES, attribute_of, exact, file_of, function_of, kind_name, own_name
from ..quantities import count

_LOOK_AT = 1_000  # elements of one container
_IMPORTED = (types.ModuleType, types.BuiltinFunctionType, FunctionType, type)


#: Tracers by their id; a reference that is dead says that the id may be another one's by now.
Held = dict[int, Any]


def held_before(fun: Any) -> Held:
    """The tracers that are within reach of a function now; taken before it is traced, they are not of that trace."""
    inner = unwrap(fun)
    if type(inner) is not FunctionType:
        return {}
    return {id(tracer): weakref.ref(tracer) for _, holder in _reachable(inner) for tracer in _tracers_in(holder)}


def leaked_tracers(traced: Sequence[tuple[str, Any, Held]]) -> list[Finding]:
    """Tracers that outlived the traces of functions, one finding for each function's name and variable.

    Args:
        traced: The name of each function that was traced, the function, and what `held_before` gave, in their order.
    """
    told: set[int] = set()
    found: dict[tuple[str, str], tuple[FunctionType, list[Any]]] = {}
    for name, fun, before in reversed(traced):  # what a later function found there is not its own
        inner = unwrap(fun)
        if type(inner) is not FunctionType:
            continue
        for variable, holder in _reachable(inner):
            kept = [each for each in _tracers_in(holder) if id(each) not in told and not _was_there(each, before)]
            told.update(map(id, kept))
            if kept:
                found.setdefault((name, variable), (inner, []))[1].extend(kept)
    return [_finding(name, fun, variable, kept) for (name, variable), (fun, kept) in reversed(found.items())]


def _was_there(tracer: Any, before: Held) -> bool:
    reference = before.get(id(tracer))
    return reference is not None and reference() is tracer


def _finding(name: str, fun: FunctionType, variable: str, kept: Sequence[Any]) -> Finding:
    types_text = ", ".join(dict.fromkeys(_tracer_text(each) for each in kept[:5]))
    return Finding(
        kind="leaked_tracer",
        text=(
            f"{count(len(kept), 'tracer')} ({types_text}) stayed in {variable} after the trace of {name}. A tracer "
            "stands for an array only during the trace. Using a tracer now raises UnexpectedTracerError. "
            f"A later call adds to {variable} only if JAX traces {name} again."
        ),
        cure=f"Return the value from {name} instead of keeping it in {variable}.",
        function=name,
        place=_line_of(fun, variable),
    )


def _reachable(fun: FunctionType) -> Iterator[tuple[str, Any]]:
    for code in _codes(fun.__code__):
        for name in code.co_names:
            if name in fun.__globals__:
                yield name, fun.__globals__[name]
    for name, cell in zip(fun.__code__.co_freevars, fun.__closure__ or (), strict=False):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not assigned yet
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
    held = attribute_of(holder, "__dict__")
    stored = held.__get__(holder) if type(held) is types.GetSetDescriptorType else held
    return list(stored.values())[:_LOOK_AT] if type(stored) is dict else []


def _tracer_text(value: Any) -> str:
    try:
        return exact(value.aval.str_short(short_dtypes=True))
    except FAILURES:  # a tracer of a library without an aval of JAX's
        return kind_name(type(value))


def _line_of(fun: FunctionType, variable: str) -> Place:
    """The last line of the function that uses the name."""
    place = Place(file_of(fun.__code__), fun.__code__.co_firstlineno, own_name(fun, "__qualname__") or "")
    for code in _codes(fun.__code__):
        line = code.co_firstlineno
        for instruction in dis.get_instructions(code):
            position = instruction.positions
            line = position.lineno if position is not None and position.lineno is not None else line
            if instruction.argval == variable and instruction.opname.startswith(("LOAD_", "STORE_")):
                place = Place(file_of(code), line, function_of(code))
                return place
    return place
