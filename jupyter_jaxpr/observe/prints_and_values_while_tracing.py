"""Records the prints, the executed lines and the values of names while JAX traces a function."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from types import FunctionType, MappingProxyType
from typing import TYPE_CHECKING, Any

from ..interruptions import not_of_a_signal
from ..plain_text import FAILURES
from .cell_run import Run
from .functions.function_inside_wrappers import code_of, unwrap
from .outside_values.changes_since_trace import values_at_trace
from .outside_values.paths_that_code_reads import Read
from .user_or_library.whose_code import is_class_of_users

if TYPE_CHECKING:
    from .open_calls import Miss

TRACED_FUNCTIONS = 50
"""The number of functions, traced in one run, whose prints and values of names are recorded."""


def start_trace(run: Run, miss: Miss, fun: Any) -> None:
    """Begin to record the printed text and the executed lines of the trace of a call."""
    miss.records_trace = True
    miss.function.at_trace = None
    if run.look_before and not miss.function.library:
        try:
            key = miss.event.key
            statics, left_out = ({}, frozenset()) if key is None else (key.statics, frozenset(key.defaults))
            miss.function.at_trace = values_at_trace(fun, statics, left_out)
        except not_of_a_signal(*FAILURES) as error:
            run.fail(error)
    statics = {} if miss.event.key is None else miss.event.key.statics
    values = {name: static.value for name, static in statics.items()}
    begin_trace(
        run,
        miss.function.name,
        fun,
        {name: value for name, value in values.items() if is_class_of_users(type(value))},
    )


def begin_trace(run: Run, name: str, fun: Any, objects: Mapping[str, Any] = MappingProxyType({})) -> None:
    """Begin to record a trace.

    A call caused the trace, or a request such as `f.trace(x)`.

    Args:
        run: The run.
        name: The name of the function.
        fun: The function.
        objects: parameter name -> static argument whose class is the user's.
    """
    run.traced_names.append(name)
    reference = run.traced_objects.get(id(fun))
    is_new = reference is None or reference() is not fun
    if (is_new or objects) and run.keeps_programs and run.look_before and len(run.traced_functions) < TRACED_FUNCTIONS:
        run.traced_objects[id(fun)] = weakref.ref(fun)
        before = None
        try:
            before = run.look_before(fun, objects)
        # after an error of `look_before`, the printed text and the executed lines of the trace are still recorded
        except not_of_a_signal(*FAILURES) as error:
            run.fail(error)
        if before is not None:
            run.traced_functions.append((name, before))
    if len(run.traced_names) == 1:
        run.prints.start()
        inner = _traced(fun)
        code = inner.__code__ if type(inner) is FunctionType else code_of(inner)
        module = getattr(inner, "__globals__", None)
        if run.lines is not None:
            run.lines.start(code, module)
        if run.keeps_programs and run.reads_names:
            run.names.start(inner)


def _traced(fun: Any) -> Any:
    return unwrap(fun)


def read_names(run: Run, miss: Miss, fun: Any) -> None:
    """Begin to record the values of names in a trace of a call under vmap, grad or jvp.

    JAX reports no event of such a trace.
    """
    if run.keeps_programs and run.reads_names and not run.traced_names:
        miss.reads_names = True
        run.names.start(_traced(fun))


def stop_trace(miss: Miss) -> None:
    """Record the end of a call's trace."""
    miss.tracing = False
    run = miss.state.run
    if miss.reads_names and run is not None:
        miss.reads_names = False
        if not run.traced_names:
            run.named_values.add(run.names.stop())
    if not miss.records_trace or run is None or not run.traced_names:
        return
    miss.records_trace = False
    traced = miss.function.at_trace
    if traced is not None:
        try:
            variables, changes = traced.settle(lambda read: _was_read(run, read))
            for variable in variables:
                run.impure_calls.calls.setdefault((variable.function, variable.name), variable)
            for change in changes:
                run.changed_by_traces.setdefault((change.function, change.name), change)
        except not_of_a_signal(*FAILURES) as error:
            miss.function.at_trace = None
            run.fail(error)
    end_trace(run)


def _was_read(run: Run, read: Read) -> bool | None:
    """Return whether the trace that ends now executed the expression `read`; None if this is unknown."""
    began = run.names.began(read.code)
    reached = None if run.lines is None else run.lines.was_reached(read.code, read.place.line)
    if began is False or reached is False:
        return False
    if read.is_in_branch_of_line:
        return None
    return True if reached or (began and not read.is_in_branch) else None


def end_trace(run: Run) -> None:
    """End the recording of the innermost trace."""
    if run.traced_names:
        run.traced_names.pop()
    if not run.traced_names:
        run.prints.stop()
        if run.lines is not None:
            run.lines.stop()
        run.named_values.add(run.names.stop())
