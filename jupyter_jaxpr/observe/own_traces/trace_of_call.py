"""Runs an own trace: this package traces a callable with given arguments.

There are two uses: the user requests the trace (`%jaxpr f(x)`), or a cell called a function without jit and the panel
shows what JAX would trace. Text that the function prints during the trace is recorded and not shown again; warnings are
dropped. A function without jit is traced as a new function object, so that JAX's caches for the user's function object
stay untouched. A jitted function is traced with its own `trace` method, whose result a later call of the function
reuses.

An own trace leaves no change that the user's code can see (`side_effects`). If the function provably has no side
effects, it is traced directly. Otherwise its changes are undone after the trace, and a function with changes that
cannot be undone is refused. For a jitted function with side effects, JAX's existing trace is used. If JAX has no trace,
a copy of the function is traced, so that the user's first call still runs the Python of the function.

The arguments of a user's function are traced as `jax.jit` would trace them, Python numbers included. If this trace
raises, as `range(n)` does, the numbers are constants in a second trace. For a library function, such as `jnp.reshape(x,
(2, 4))` or `lax.fori_loop(0, 10, body, x)`, integers are shapes, axes and bounds, and are always constants.
"""

from __future__ import annotations

import functools
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ...interruptions import not_of_a_signal
from ...jax.facts import is_jitted, jit_name
from ...jax.held_traces import call_leaves, held_trace
from ..calls.held_or_gone_values import CallValues, copied
from ..calls.printed_output import PrintRecorder
from ..calls.repeatable_calls import HeldCall, is_array
from ..functions.function_inside_wrappers import code_of, name_of, place_of, unwrap
from ..functions.jitted_copies import jitted_anew
from ..observation import ObservedFunction, ObservedProgram, Place, Printed
from ..observer import Observer
from ..programs.arguments_in_signature import CallShape, arrays_only, fixed_arguments, shape_of
from ..programs.programs_of_misses import KeptProgram
from ..programs.sentences_above_program import HELD_FIXED
from ..reprs_of_users_values import Reading
from ..side_effects.refused_and_undone_traces import EffectsError, undone
from ..side_effects.side_effect import SideEffect
from ..types_beside_code.values_of_names import NameRecorder
from ..user_or_library.library_functions import is_users
from .calls_at_users_line import calling_at

Stage = Literal["trace", "lower", "compile", "run"]
IsTraced = Callable[[Any], bool]


@dataclass
class OwnTrace:
    """The result of an own trace: a function with one program, or the error that the trace raised."""

    function: ObservedFunction | None = None
    error: BaseException | None = None
    printed: list[Printed] = field(default_factory=list)

    @property
    def program(self) -> ObservedProgram | None:
        """The program of the trace; None if the trace raised."""
        return self.function.programs[0] if self.function is not None else None


def trace_call(
    observer: Observer,
    fun: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    note: str,
    stage: Stage = "trace",
    keep_values: bool = False,
    at: Place | None = None,
    reading: Reading | None = None,
    allow_effects: bool = False,
) -> OwnTrace:
    """Trace a call and, for a later `stage`, also lower, compile or run it.

    An error of the user's function is in the result, not raised. If the function's Python would have an effect that
    cannot be undone, the error is an `EffectsError`.

    Args:
      observer: the observer; it records nothing during the trace.
      fun: the function, jitted or not.
      args: the positional arguments: values, or `jax.ShapeDtypeStruct` for a stage before `run`.
      kwargs: the keyword arguments, in the same form.
      note: a sentence on the origin of the program.
      stage: the last stage to run.
      keep_values: True to keep the arguments alive, as `--steps` requires.
      at: the place of the call; None if the call is not in the user's source.
      reading: the texts of the user's objects from the observed cell; None without one.
      allow_effects: True to trace a function whose Python has effects that cannot be undone.
    """
    name = name_of(fun)
    prints = PrintRecorder(lambda: name, swallow=True)
    names = NameRecorder(observer.hooks.fail)
    trace = OwnTrace(printed=prints.printed)
    began = time.perf_counter()
    with observer.looking_away() as events, observer.listening(_name_in_events(fun)) as stages:
        prints.start()
        try:
            call = CallToTrace(fun, tuple(args), dict(kwargs), keep_values, at, reading or Reading())
            names.start(unwrap(fun))
            try:
                program, is_traced, called = _traced(call, allow_effects)
            except not_of_a_signal(Exception) as error:
                if not has_numbers_to_fix(call, error):
                    raise
                prints.printed.clear()
                program, is_traced, called = _with_numbers_fixed(call, allow_effects, error)
        except not_of_a_signal(Exception) as error:
            trace.error = error
            return trace
        finally:
            prints.stop()
            observer.named_values.add(names.stop())
            names.close()
        held_fixed = held_fixed_text(program) if not is_jitted(fun) else ""
        reused = is_jitted(fun) and not events()
        try:
            _go_on(program, called, args, kwargs, stage, reused, events, is_traced)
            if stage == "run" and stages.compiles:
                stages.started_at = began
                program.stages = stages.times(time.perf_counter())
        except not_of_a_signal(Exception) as error:
            trace.error = error
    observed_program = observer.program_of(fun, program.jaxpr)
    if observed_program is not None and program.values is not None:
        observed_program.values, observed_program.held = program.values, program.held
    observed = (
        program.observed(True, note + held_fixed) if observed_program is None else observed_program.observed(now=False)
    )
    trace.function = ObservedFunction(name=name, definition=place_of(code_of(fun)), programs=[observed], top_level=True)
    return trace


def _name_in_events(fun: Any) -> str:
    return jit_name(fun._fun) if is_jitted(fun) else name_of(fun)


@dataclass(frozen=True)
class CallToTrace:
    """A call that this package traces.

    Attributes:
        fun: The called function.
        args: The positional arguments.
        kwargs: The keyword arguments.
        keep_values: True if the program keeps the arguments alive.
        at: The place of the call; None if the call is not in the user's source.
        reading: The reprs of the user's objects that were already made.
    """

    fun: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    keep_values: bool
    at: Place | None
    reading: Reading
    numbers_are_fixed: bool = False


def has_numbers_to_fix(call: CallToTrace, error: Exception) -> bool:
    """Return whether a trace that raised `error` may succeed with the call's Python numbers as constants."""
    import jax

    if isinstance(error, EffectsError) or is_jitted(call.fun) or not is_users(call.fun):
        return False
    return any(
        isinstance(leaf, bool | int | float | complex) for leaf in jax.tree_util.tree_leaves((call.args, call.kwargs))
    )


def _with_numbers_fixed(call: CallToTrace, allow_effects: bool, error: Exception) -> tuple[KeptProgram, IsTraced, Any]:
    """Trace a call with only its arrays as inputs; Python numbers are constants.

    Raises:
        Exception: `error`, where this trace raises, too.
    """
    try:
        return _traced(replace(call, numbers_are_fixed=True), allow_effects)
    except not_of_a_signal(Exception):
        raise error from None


def held_fixed_text(program: KeptProgram) -> str:
    """Return a sentence that names the arguments that are constants; '' if all arguments were traced.

    The sentence follows another sentence, so it begins with a space.
    """
    shape = program.shape
    fixed = shape.fixed if isinstance(shape, CallShape) else {}
    return HELD_FIXED.format(values=", ".join(f"{name}={text}" for name, text in fixed.items())) if fixed else ""


def _traced(call: CallToTrace, allow_effects: bool) -> tuple[KeptProgram, IsTraced, Any]:
    """Trace a call, and return the program and two functions.

    The first function decides which leaves are inputs; the second one runs the program.
    """
    fun = call.fun
    if is_jitted(fun):
        trace_of_jax = held_trace(fun, call.args, call.kwargs)
        if trace_of_jax is not None:
            return _trace(call, is_array, trace_of_jax), is_array, fun
    with (
        undone(name_of(fun), fun, call.args, call.kwargs, allowed=allow_effects) as effects,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        return traced_anew(call, effects)


def traced_anew(call: CallToTrace, effects: Sequence[SideEffect]) -> tuple[KeptProgram, IsTraced, Any]:
    """Trace a call that JAX has not traced yet.

    `effects` are the side effects of the function's Python, which the caller undoes after the trace.
    """
    fun = call.fun
    if is_jitted(fun):
        # If the function itself were traced, JAX's cache would keep the trace: the user's first call would not run the
        # Python, and its side effects would not happen.
        copy = jitted_anew(fun) if effects else fun
        return _trace(replace(call, fun=copy), is_array), is_array, copy
    if is_users(fun):
        is_input = _is_no_number if call.numbers_are_fixed else is_array
        return _trace(call, is_input), is_input, fun
    try:
        return _trace(call, _is_no_count), _is_no_count, fun
    except not_of_a_signal(Exception):
        import jax

        leaves = jax.tree_util.tree_leaves((call.args, call.kwargs))
        if not any(isinstance(leaf, float | complex) for leaf in leaves):
            raise
        # The trace raised with floating-point numbers as inputs, as it does for jnp.linspace(0.0, 1.0), so all Python
        # numbers are constants.
        return _trace(call, _is_no_number), _is_no_number, fun


def _is_no_count(leaf: Any) -> bool:
    return is_array(leaf) and not isinstance(leaf, bool | int)


def _is_no_number(leaf: Any) -> bool:
    return is_array(leaf) and not isinstance(leaf, bool | int | float | complex)


def _trace(call: CallToTrace, is_traced: IsTraced, traced: Any = None) -> KeptProgram:
    """Return the program of a call; `traced` is JAX's existing trace of the call, or None."""
    import jax

    fun, args, kwargs, reading = call.fun, call.args, call.kwargs, call.reading
    fixed: dict[str, str] = {}
    if is_jitted(fun):
        jitted, recorded_call = fun, HeldCall(fun._fun, args, kwargs, options=getattr(fun, "_jit_info", None))
    else:
        jitted = jax.jit(_traceable(fun, args, kwargs, is_traced, call.at))
        recorded_call = HeldCall(fun, args, kwargs, jitted=jitted, is_traced=is_traced)
        shape = shape_of(getattr(jitted, "_jit_info", None), args, kwargs, reading=reading)
        fixed = fixed_arguments(shape, args, kwargs, is_traced, reading)
        args, kwargs = arrays_only(args, kwargs, is_traced)
    if traced is None:
        traced = jitted.trace(*args, **kwargs)
    donated = tuple(info.donated for info in jax.tree_util.tree_leaves(traced.args_info, is_leaf=_is_info))
    values = _values(jitted, args, kwargs, traced.jaxpr, call.keep_values, donated)
    program = KeptProgram(
        "traced",
        traced.jaxpr,
        None,
        traced=traced,
        shape=replace(shape_of(getattr(jitted, "_jit_info", None), args, kwargs, reading=reading), fixed=fixed),
        in_tree=jax.tree_util.tree_structure(traced.args_info, is_leaf=_is_info),
        out_tree=traced.out_tree,
        donated=donated,
        values=values,
        held=recorded_call,
        call=call.at,
    )
    return program


def _values(
    jitted: Any, args: tuple[Any, ...], kwargs: dict[str, Any], jaxpr: Any, keep: bool, donated: Sequence[bool]
) -> CallValues | None:
    """Return the values of the dynamic arguments; None if they cannot be told apart from the static values."""
    try:
        traced = call_leaves(jitted, args, kwargs)
    # this version of JAX does not say which arguments are static, so the program has no values
    except not_of_a_signal(Exception):
        return None
    if traced is None or traced[0] is not jaxpr:
        return None
    values = CallValues(copied(traced[1], donated) if keep else traced[1], "last", keep)
    values.keep_numbers()
    return values


def _is_info(node: Any) -> bool:
    return hasattr(node, "donated")


def _traceable(
    fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any], is_traced: IsTraced, at: Place | None
) -> Callable[..., Any]:
    """Return a new function object that calls `fun`.

    The new function gets only leaves that JAX traces, and adds the other leaves, such as strings and functions.
    """
    import jax

    leaves, tree = jax.tree_util.tree_flatten((args, kwargs))
    fixed = {i: leaf for i, leaf in enumerate(leaves) if not is_traced(leaf)}
    call_it = _call if at is None else calling_at(at)
    # `call` reads only the number of the leaves: `call` lives longer than this function, and must keep no array alive
    count = len(leaves)

    @functools.wraps(fun, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        if not fixed:
            return call_it(fun, args, kwargs)
        # None in a pytree has no leaves, and the leaves that are not traced were replaced by None
        remaining = iter(jax.tree_util.tree_leaves((args, kwargs)))
        all_leaves = [fixed[i] if i in fixed else next(remaining) for i in range(count)]
        args, kwargs = jax.tree_util.tree_unflatten(tree, all_leaves)
        return call_it(fun, args, kwargs)

    call.__name__ = name_of(fun)
    return call


def _call(fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return fun(*args, **kwargs)


def has_arrays(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Return whether an argument of a call contains a leaf that JAX can trace."""
    import jax

    return any(is_array(leaf) for leaf in jax.tree_util.tree_leaves((tuple(args), dict(kwargs))))


def returned_arrays(result: Any) -> bool:
    """Return whether a result contains JAX arrays, so that the function has computed with JAX."""
    import jax

    return any(isinstance(leaf, jax.Array) for leaf in jax.tree_util.tree_leaves(result))


def _go_on(
    program: KeptProgram,
    fun: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    stage: Stage,
    reused: bool,
    events: Callable[[], int],
    is_traced: IsTraced,
) -> None:
    if stage == "trace":
        if not reused:
            return
        # JAX reused an existing trace, so JAX also has the executable, unless its settings have changed.
        program.lowered = program.traced.lower()
        if events():
            return
        program.compiled = program.lowered.compile()
        return
    program.lowered = program.traced.lower()
    if stage == "lower":
        return
    program.compiled = program.lowered.compile()
    if stage == "run":
        import jax

        if is_jitted(fun):
            jax.block_until_ready(fun(*args, **kwargs))
        else:
            arrays, keywords = arrays_only(tuple(args), dict(kwargs), is_traced)
            jax.block_until_ready(program.compiled(*arrays, **keywords))
