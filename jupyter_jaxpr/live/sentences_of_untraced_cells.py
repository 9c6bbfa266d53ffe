"""Says why Live does not trace a function of a cell, and what the user can do.

Reasons are an unknown argument type, a name without a value, a skipped definition, a side effect, code that computes
arrays while JAX traces, a result that no program can return, and a trace that takes too long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..document.types.live import LiveProgram
from ..observe.observation import Place
from ..observe.side_effects.refused_and_undone_traces import effect_text
from ..observe.side_effects.side_effect import SideEffect
from ..plain_text import error_text
from ..quantities import duration
from ..typed.edited_cell import FunctionStatement
from .executed_statements import Definitions, Skipped, read_by
from .reply_to_the_page import answer

CELL_NOT_RUN = "Live traces a cell after you have run the cell, or %load_ext jupyter_jaxpr, in this kernel."
_NO_FUNCTION = "This cell defines no function that Live could trace."
_NEEDS = "Live does not know the argument types of {name}. Type the types here, such as {example}, or run the cell."
_NO_VALUE = "Live does not execute line {line}, so {name} has no value yet. Run the cell."
_NOT_LOADED = "{name} is not imported in the kernel. Run the cell, or import {name} in another cell."
_NOT_DEFINED = "Live does not execute {statement} in line {line}, so {name} is not traced. Run the cell."
_EFFECT = "{name} is not traced live. {effect} Run the cell to see the program."
_COMPUTES = (
    "{name} is not traced live. Line {line} calls code that computes arrays while JAX traces (as "
    "jax.ensure_compile_time_eval does). Run the cell to see the program."
)
_COMPUTES_ELSEWHERE = (
    "{name} is not traced live. The function calls code that computes arrays while JAX traces (as "
    "jax.ensure_compile_time_eval does). Run the cell to see the program."
)
_RETURNS = (
    "{name} is not traced live. The function returns an object of the class {kind}, and a program of JAX returns "
    "arrays, numbers, and lists, tuples and dicts of arrays and numbers."
)
_STOPPED = "Live stopped the trace of {name} after {seconds}. Run the cell to see the program."
_RETURNED = re.compile(r"returned a value of type <class '([\w.]+)'>")


def without_function() -> LiveProgram:
    """Return the answer for a cell that defines no function which Live could trace."""
    return answer("no_function", text=_NO_FUNCTION)


def without_argument_types(statement: FunctionStatement, required: Iterator[str]) -> LiveProgram:
    """Return the answer for a function whose argument types are unknown.

    Args:
        statement: The definition of the function.
        required: The names of the parameters that have no default value.
    """
    example = ", ".join("f32[8]" for _ in required) or "f32[8]"
    text = _NEEDS.format(name=statement.name, example=example)
    return answer("needs_arguments", statement.name, statement.lineno, text)


def without_definition(statement: FunctionStatement, skipped: Skipped | None) -> LiveProgram:
    """Return the answer for a function whose definition Live does not execute.

    Args:
        statement: The definition of the function.
        skipped: The statement that Live skipped; None if unknown.
    """
    line = statement.lineno if skipped is None else skipped.line
    if skipped is not None and skipped.why is not None and skipped.is_missing:
        return answer("not_traced", statement.name, line, _NO_VALUE.format(line=line, name=skipped.why))
    why = "this statement" if skipped is None or skipped.why is None else skipped.why
    return answer(
        "not_traced", statement.name, line, _NOT_DEFINED.format(statement=why, line=line, name=statement.name)
    )


def without_value(name: str, function: Any, definitions: Definitions) -> LiveProgram | None:
    """Return the answer for a function that reads a name without a value, if the cell would assign the name.

    Args:
        name: The name of the function.
        function: The function.
        definitions: The definitions of the cell, which have run.
    """
    for read in read_by(function):
        skipped = definitions.skipped.get(read)
        if skipped is None or read in definitions.namespace:
            continue
        if skipped.is_import and skipped.why is not None:
            text = _NOT_LOADED.format(name=skipped.why)
        else:
            text = _NO_VALUE.format(line=skipped.line, name=read)
        return answer("not_traced", name, skipped.line, text)
    return None


def with_effect(statement: FunctionStatement, file: str, effect: SideEffect) -> LiveProgram:
    """Return the answer for a function whose Python would change something outside of the function."""
    text = _EFFECT.format(name=statement.name, effect=effect_text(effect, file))
    return answer("not_traced", statement.name, effect.line if effect.file == file else statement.lineno, text)


def with_computed_array(statement: FunctionStatement, file: str, computed_at: Place) -> LiveProgram:
    """Return the answer for a function that calls code which computes arrays while JAX traces."""
    is_here = computed_at.file == file
    text = (_COMPUTES if is_here else _COMPUTES_ELSEWHERE).format(name=statement.name, line=computed_at.line)
    return answer("not_traced", statement.name, computed_at.line if is_here else statement.lineno, text)


def with_other_result(statement: FunctionStatement, error: BaseException) -> LiveProgram | None:
    """Return the answer for a function that returns an object which no program can return; None for other errors."""
    returned = _RETURNED.search(error_text(error))
    if returned is None:
        return None
    text = _RETURNS.format(name=statement.name, kind=returned[1].rpartition(".")[2])
    return answer("not_traced", statement.name, statement.lineno, text)


def stopped(seconds: float, statement: FunctionStatement | None = None) -> LiveProgram:
    """Return the answer for a trace that took too long.

    Args:
        seconds: The seconds after which the trace was stopped.
        statement: The definition of the function; None if the cell's definitions took too long.
    """
    name = "the function" if statement is None else statement.name
    text = _STOPPED.format(name=name, seconds=duration(seconds))
    if statement is None:
        return answer("stopped", text=text)
    return answer("stopped", statement.name, statement.lineno, text)
