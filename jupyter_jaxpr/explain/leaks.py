"""A traced function in, the tracers that it kept outside of itself out.

A tracer stands for a value only while its function is traced. Python code that keeps one, by
`global_list.append(x)` or `self.state = x`, finds a dead one at its next use. Looked at are the names that the
function's own code uses: its globals and closure, and what lists, dictionaries, sets and plain objects under these
names hold directly. No code of the user's runs for it.
"""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from ..observe.functions import unwrap
from ..observe.observation import Finding, Place

_LOOK_AT = 1_000  # elements of one container
_IMPORTED = (types.ModuleType, types.BuiltinFunctionType, FunctionType, type)


def leaked_tracers(name: str, fun: Any) -> list[Finding]:
    """Tracers that outlived a trace of `fun`, one finding for each name that holds some."""
    inner = unwrap(fun)
    if not isinstance(inner, FunctionType):
        return []
    findings = []
    for variable, holder in _reachable(inner):
        kept = list(_tracers_in(holder))
        if kept:
            findings.append(_finding(name, inner, variable, kept))
    return findings


def _finding(name: str, fun: FunctionType, variable: str, kept: list[str]) -> Finding:
    types_text = ", ".join(dict.fromkeys(kept[:5]))
    what = "A traced value" if len(kept) == 1 else f"{len(kept)} traced values"
    return Finding(
        kind="leaked_tracer",
        text=(
            f"{what} ({types_text}) stayed in {variable} after {name} was traced. It is no array: it stood for one "
            "while JAX traced, and using it now raises UnexpectedTracerError. Later calls do not add to it."
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


def _tracers_in(holder: Any) -> Iterator[str]:
    for value in (holder, *_elements(holder)):
        text = _tracer_text(value)
        if text is not None:
            yield text


def _elements(holder: Any) -> list[Any]:
    if isinstance(holder, _IMPORTED):
        return []
    if type(holder) is dict:
        return list(holder.values())[-_LOOK_AT:]
    if type(holder) in (list, tuple):
        return list(holder[-_LOOK_AT:])
    if type(holder) in (set, frozenset):
        return list(holder)[:_LOOK_AT]
    return list(getattr(holder, "__dict__", {}).values())[:_LOOK_AT] if type(holder).__module__ == "__main__" else []


def _tracer_text(value: Any) -> str | None:
    import jax

    if not issubclass(type(value), jax.core.Tracer):
        return None
    try:
        return str(value.aval.str_short(short_dtypes=True))
    except Exception:  # a tracer of a library without an aval of JAX's
        return type(value).__name__


def _line_of(fun: FunctionType, variable: str) -> Place:
    """The last line of the function that uses the name."""
    place = Place(fun.__code__.co_filename, fun.__code__.co_firstlineno, fun.__qualname__)
    for code in _codes(fun.__code__):
        line = code.co_firstlineno
        for instruction in dis.get_instructions(code):
            position = instruction.positions
            line = position.lineno if position is not None and position.lineno is not None else line
            if instruction.argval == variable and instruction.opname.startswith(("LOAD_", "STORE_")):
                place = Place(code.co_filename, line, code.co_qualname)
                return place
    return place
