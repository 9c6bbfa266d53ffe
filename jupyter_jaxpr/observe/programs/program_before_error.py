"""Makes a program from the equations that JAX had traced before a trace raised an error."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

from ...jax.equations_before_error import PartialTrace, partial_trace
from ...plain_text import kind_name
from ..cell_run import FunctionActivity
from ..functions.function_inside_wrappers import place_of
from ..observation import ArgumentSpec, ObservedFunction, ObservedProgram, Place
from ..user_or_library.users_line_of_call import call_place
from ..user_or_library.whose_code import is_users_frame
from .arguments_in_signature import spec_of
from .sentences_above_program import NO_TEXT_OF_RAISED, NO_VALUES_OF_RAISED, RAISED, UNTIL_ERROR

_RAISED_OUTSIDE = 8
"""The number of functions, traced outside of jit, whose raised traces a run shows."""
_UNKNOWN = "<unknown>"  # the name that JAX gives to a function without a name


def note_raised(activity: FunctionActivity, error: BaseException, call: Place | None) -> None:
    """Keep the equations of a trace that raised; a newer trace replaces an older one.

    Args:
        activity: The counts of the function in the run.
        error: The error that ended the trace.
        call: The user's line that called the function.
    """
    partial = partial_trace(error)
    if partial is not None and partial.program.eqns:  # a program without equations is of no use to the user
        activity.raised_trace = _program(partial, activity.record.name, error, call)


def note_raised_outside(functions: dict[str, ObservedFunction], error: BaseException) -> None:
    """Keep the equations of a user's trace outside of jit that raised.

    Such a trace is that of the body of an eager loop, or that of `jax.make_jaxpr`.

    Args:
        functions: The functions of the run by name; a newer trace replaces an older one.
        error: The error that ended the trace. The cell may catch the error later.
    """
    partial = partial_trace(error)
    if partial is None or not partial.program.eqns:
        return
    name, code = _traced_function(error, partial)
    if name is None or code is None or (name not in functions and len(functions) == _RAISED_OUTSIDE):
        return
    functions[name] = _function(name, code, partial, error)


def add_raised(functions: list[ObservedFunction], error: BaseException) -> None:
    """Add the program of a raised trace that JAX did not report: a trace under grad, vmap or jvp.

    Args:
        functions: The functions of the run; receives a function of the user's that no jitted call added.
        error: The error that ended the cell.
    """
    partial = partial_trace(error)
    if partial is None or not partial.program.eqns:
        return
    name, code = _traced_function(error, partial)
    if name is None or any(
        function.name == name and any(program.how == UNTIL_ERROR for program in function.programs)
        for function in functions
    ):
        return
    for function in functions:
        if function.raised and not function.programs and function.name == name:
            function.programs.append(_program(partial, name, error, call_place(partial.frame)))
            return
    if code is not None:
        functions.append(_function(name, code, partial, error))


def raised_in(error: BaseException) -> str | None:
    """Return the name of the function whose trace raised `error`, inside or outside of jit.

    Return None if no trace raised the error.
    """
    partial = partial_trace(error)
    return None if partial is None else _traced_function(error, partial)[0]


def _traced_function(error: BaseException, partial: PartialTrace) -> tuple[str | None, CodeType | None]:
    """Return the name of the function that JAX traced; and its code object, if the code is the user's.

    JAX has no name for an object with a `__call__` method: the qualified name of this method is used.
    """
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_frame is not partial.frame:
        traceback = traceback.tb_next
    unknown = partial.function in (None, _UNKNOWN)
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if is_users_frame(traceback.tb_frame) and (unknown or code.co_name == partial.function):
            return (code.co_qualname if unknown else partial.function), code
        if code.co_name == partial.function:
            break
        traceback = traceback.tb_next
    return (None if unknown else partial.function), None


def _function(name: str, code: CodeType, partial: PartialTrace, error: BaseException) -> ObservedFunction:
    program = _program(partial, name, error, call_place(partial.frame))
    return ObservedFunction(name, place_of(code), [program], top_level=True)


def _program(partial: PartialTrace, name: str, error: BaseException, call: Place | None) -> ObservedProgram:
    avals = partial.program.in_avals[partial.captured :]
    names = partial.names or ("",) * len(avals)
    return ObservedProgram(
        origin="traced",
        jaxpr=partial.program,
        arguments=tuple(
            ArgumentSpec(argument, tree=spec_of(aval)) for argument, aval in zip(names, avals, strict=True)
        ),
        call=call,
        no_text=NO_TEXT_OF_RAISED,
        no_values=NO_VALUES_OF_RAISED,
        origin_note=RAISED.format(name=name, error=kind_name(type(error))),
        how=UNTIL_ERROR,
        input_names=(*[""] * partial.captured, *names),
        raised_operands=_operands(partial, error),
    )


def _operands(partial: PartialTrace, error: BaseException) -> tuple[int, ...]:
    """Return the indices of the variables that the call that raised received; () if they are not certain.

    This call applies the primitive that JAX could not trace, or else it is the call on the innermost user line. In the
    second case its arguments are read from the parameters of the next frame, unless the code of this frame assigns new
    values to them.
    """
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_frame is not partial.frame:
        traceback = traceback.tb_next
    called: FrameType | None = None
    bound: list[Any] | None = None
    was_users = False
    while traceback is not None:
        is_users = is_users_frame(traceback.tb_frame)
        if is_users or was_users:
            called, bound = (None if is_users else traceback.tb_frame), None
        bound = partial.operands(traceback.tb_frame) if bound is None and called is not None else bound
        was_users = is_users
        traceback = traceback.tb_next
    # an interrupt such as KeyboardInterrupt does not come from the call
    if called is None or not isinstance(error, Exception):
        return ()
    received = _received(called) if bound is None else bound
    numbers = {partial.variable(leaf) for value in received for leaf in _leaves(value)}
    return tuple(sorted(number for number in numbers if number is not None))


def _received(frame: FrameType) -> list[Any]:
    """Return the arguments that a frame got from its caller; parameters that its code assigns are left out."""
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & _VARARGS) + bool(code.co_flags & _VARKEYWORDS)
    names = code.co_varnames[:count]
    stored = {
        instruction.argval
        for instruction in dis.get_instructions(code)
        if instruction.opname.startswith(("STORE_", "DELETE_"))
    }
    # `dis` gives a tuple of names for an instruction that stores several variables.
    stored |= {name for names_of_pair in stored if isinstance(names_of_pair, tuple) for name in names_of_pair}
    return [frame.f_locals[name] for name in names if name not in stored and name in frame.f_locals]


_VARARGS, _VARKEYWORDS = 0x04, 0x08
_DEPTH = 3


def _leaves(value: Any, depth: int = 0) -> Iterator[Any]:
    """Yield the leaves of nested lists, tuples and dicts, down to a limited depth."""
    if type(value) in (list, tuple, dict) and depth < _DEPTH:
        for inside in value.values() if type(value) is dict else value:
            yield from _leaves(inside, depth + 1)
    else:
        yield value
