"""Inspects a call of a function as a `Snapshot`: for scripts, tests and hosts without a panel."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any, Literal, get_args

from ..build.document_of_run import Built, build
from ..build.times.timing_after_cell import time_focus
from ..build.versions_and_devices import environment
from ..observe.observation import Observation
from ..observe.own_traces.trace_of_call import trace_call
from ..observe.process_observer import observer
from .rewritten_cells import rewritten_cells
from .snapshot import Snapshot

Stage = Literal["trace", "lower", "compile", "run"]

_NO_STAGE = "stage={stage!r} is not a stage. Take one of 'trace', 'lower', 'compile', 'run'."
_NO_VALUES = (
    "stage='run' executes the function and needs values, not jax.ShapeDtypeStruct. "
    "Give arrays, or take stage='compile'."
)
_TIME_RUNS = "time=True runs the function. Pass stage='run' too."


def inspect(
    fun: Callable[..., Any],
    *args: Any,
    stage: Stage = "compile",
    time: bool = False,
    allow_effects: bool = False,
    **kwargs: Any,
) -> Snapshot:
    """Show the programs that JAX makes of a call ``fun(*args, **kwargs)``.

    The Python of the function runs once, with tracers, unless JAX has traced this call before. Changes that the Python
    makes meanwhile (globals, closures, attributes, containers, random generators) are undone. Only ``stage="run"``
    executes the program.

    Args:
        fun: A function, jitted or not.
        *args: The positional arguments: values, or `jax.ShapeDtypeStruct` for types.
        stage: The last stage: ``trace``, ``lower``, ``compile`` or ``run``, which executes once.
        time: With ``stage="run"``: true to run the program repeatedly for a fraction of a second, and its Python
            without jit; `Snapshot.timings` has the times. A program with effects, or of more than a second, is not
            repeated: a note says so. To pass an argument named ``time`` to the function, use `functools.partial`.
        allow_effects: True to trace the function although its Python has effects that cannot be undone, such as
            writing to a file.
        **kwargs: Its keyword arguments.

    Raises:
        ValueError: The stage is unknown, or ``run`` was requested without values.
        EffectsError: The function's Python has an effect that cannot be undone; the message names the line.
        Exception: Any error of the function while it is traced, compiled or run.
    """
    if stage not in get_args(Stage):
        raise ValueError(_NO_STAGE.format(stage=stage))
    if time and stage != "run":
        raise ValueError(_TIME_RUNS)
    import jax

    if stage == "run" and any(isinstance(leaf, jax.ShapeDtypeStruct) for leaf in jax.tree.leaves((args, kwargs))):
        raise ValueError(_NO_VALUES)
    # The hooks are needed because only JAX's events report the durations of stages, and whether JAX ran them at all.
    with observer().hooks.for_a_while():
        trace = trace_call(
            observer(),
            fun,
            args,
            kwargs,
            "jupyter_jaxpr.inspect traced this program.",
            stage,
            keep_values=time,
            allow_effects=allow_effects,
        )
    if trace.error is not None:
        raise trace.error
    if stage == "run" and trace.program is not None:
        trace.program.origin, trace.program.origin_note = "ran", None
    observation = Observation(
        functions=[trace.function] if trace.function is not None else [],
        printed=list(trace.printed),
        named_values=observer().named_values,
    )
    built: Built = build(observation, None, environment=environment(), run_id=uuid.uuid4().hex, cells=rewritten_cells())
    if time:
        time_focus(built.sources)
        built.sources.let_go_of_values()
    return Snapshot(built.sources.document, built.sources)
