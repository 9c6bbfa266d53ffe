"""Makes the edit that marks arguments of jit or checkpoint as static, if the call passes hashable Python values."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import CodeType, FrameType
from typing import Any

from ....interruptions import not_of_a_signal
from ....jax.facts import is_tracer_type
from ....jax.transform_and_inputs_of_tracer import RaisedCall, raised_calls
from ....joined_names import in_a_sentence
from ....observe.functions.function_inside_wrappers import code_of
from ....observe.observation import Edit, FoundCure, Place
from ....plain_text import FAILURES
from ...trials.trial_in_callers import Outcome
from ...trials.trial_of_error_cure import traced_with
from ..failing_code.edits import shown
from ..failing_code.origins import dtype_of
from ..failing_code.place_of_error import RaisedAt
from .jits_in_code import JIT, jits_of
from .values_between_calls import change_between_calls

_CHECKPOINT = frozenset({"jax.checkpoint", "jax.remat", "checkpoint", "remat"})
_HASHED = (bool, int, float, complex, str, bytes, type(None))


def static_cure(
    raised: RaisedAt,
    error: BaseException,
    function: str,
    names: Sequence[str],
    *,
    or_advice: bool = False,
    with_others: bool = False,
) -> FoundCure | None:
    """Return the cure static_argnames; None if an argument has no hash, or the jitted function has no such argument.

    Args:
        raised: The place where the error was raised.
        error: The exception, whose traceback still has the frames of JAX.
        function: The name of the traced function.
        names: The names of the arguments.
        or_advice: Whether a cure that cannot be tried, because the call may have side effects, is returned as advice.
        with_others: Whether the cure may make further arguments static, whose values a later line needs.
    """
    calls = [*raised_calls(error, "checkpoint"), *raised_calls(error)]
    call = next((raised_call for raised_call in calls[::-1] if _name(raised_call) == function), None)
    values = _values_by_parameter(call) if call is not None else None
    if values is None or not names or not all(name in values and is_hashed(values[name]) for name in names):
        return None
    assert call is not None
    change = change_between_calls(raised, code_of(call.function), parameters_of(call.function), names)
    if change == "array":
        return None
    if call.transform == "checkpoint":
        cure = _static_in_checkpoint(raised, call, function, names)
    else:
        static_names = in_a_sentence(names, len(names))
        text = (
            f"JAX compiles once for each value of {static_names}. Use a static argument for a setting that seldom "
            "changes."
        )
        parameters, code = parameters_of(call.function), code_of(call.function)
        cure = jit_with(raised, function, _keyword(names), "static_argnames", text, parameters, code=code)
    if cure is None or (cure.code is None and function != "<lambda>"):
        return None
    outcome = traced_with(call, values, [*names, *_static(call)])
    if cure.code is None:
        if outcome != "traced":
            return None
        names = sorted(names, key=parameters_of(call.function).index)
        numbers = [str(parameters_of(call.function).index(name)) for name in names]
        option = f"static_argnums={numbers[0] if len(numbers) == 1 else '(' + ', '.join(numbers) + ')'}"
        words = (
            f"Pass {option} to the jax.jit that gets the lambda: the arguments {in_a_sentence(names)} are then static."
        )
        if len(names) == 1:
            words = f"Pass {option} to the jax.jit that gets the lambda: the argument {names[0]} is then static."
        return FoundCure("static_argnums", option, words)
    if (
        outcome == "failed"
        and with_others
        and call.transform != "checkpoint"
        and (further := _further(call, values, names))
    ):
        return static_cure(raised, error, function, [*names, *further])
    if outcome == "untried" and or_advice:
        return replace(cure, level="advice", code=None, edits=())
    if change == "many":
        # JAX would compile once for each step of the user's loop, so the cure is no edit.
        cure = replace(shown(cure), level="advice", edits=())
    return cure if outcome == "traced" else None


def is_array_elsewhere(raised: RaisedAt, error: BaseException, function: str, names: Sequence[str]) -> bool:
    """Return whether another call of the failing jitted function passes an array as one of the arguments."""
    call = raised_call_of(error, function)
    if call is None:
        return False
    return change_between_calls(raised, code_of(call.function), parameters_of(call.function), names) == "array"


def _further(call: RaisedCall, values: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Return the other arguments that must be static, too, because a later line needs their values; empty if none."""
    static = [*names, *_static(call)]
    settings = [name for name, value in values.items() if name not in static and type(value) in (int, bool, str)]
    floats = [name for name, value in values.items() if name not in static and type(value) is float]
    # A number with a fraction is seldom a setting, so it comes last.
    for added in [*([one] for one in settings), settings, *([one] for one in floats), [*settings, *floats]]:
        if added and traced_with(call, values, [*static, *added]) == "traced":
            return added
    return []


def by_name_cure(error: BaseException, function: str, names: Sequence[str]) -> FoundCure | None:
    """Return the cure of a static argument that the call passes by position to a function with `*args`.

    jax.jit cannot match a name in static_argnames with a value in `*args`. None if each static name is a parameter.

    Args:
        error: The exception, whose traceback still has the frames of JAX.
        function: The name of the traced function.
        names: The names of the arguments whose values Python needs.
    """
    call = raised_call_of(error, function)
    if call is None:
        return None
    parameters = parameters_of(call.function)
    name = next((name for name in names if name in call.static_names and name not in parameters), None)
    if name is None:
        return None
    code = f"{name}=..."
    text = (
        f"jax.jit takes {name} as a static argument only if the call passes {name} by its name. {function} has no "
        f"parameter {name}: the call passed the value as one of *args."
    )
    return FoundCure("by name", code, text)


def arrays_as_static(error: BaseException, function: str) -> list[str]:
    """Return the static parameters of the failing jitted function that get an array, which has no hash."""
    call = raised_call_of(error, function)
    values = (_values_by_parameter(call) or {}) if call is not None else {}
    return [] if call is None else [name for name in _static(call) if dtype_of(values.get(name))]


def _static(call: RaisedCall) -> list[str]:
    """Return the parameters of a jitted function that are static already."""
    parameters = parameters_of(call.function)
    numbered = [parameters[number] for number in call.static_numbers if number < len(parameters)]
    return list(dict.fromkeys([*numbered, *call.static_names]))


def _static_in_checkpoint(raised: RaisedAt, call: RaisedCall, function: str, names: Sequence[str]) -> FoundCure | None:
    """Return the cure that adds static_argnums to jax.checkpoint.

    None if the call passes one of the arguments by name.
    """
    positional = parameters_of(call.function)[: len(call.args)]
    if not set(names) <= set(positional):
        return None
    numbers = ", ".join(str(positional.index(name)) for name in names)
    keyword = f"static_argnums=({numbers},)" if len(names) == 1 else f"static_argnums=({numbers})"
    static_names = " and ".join(names)
    text = (
        f"jax.checkpoint then does not trace {static_names}, and traces {function} anew for each value of "
        f"{static_names}."
    )
    return jit_with(raised, function, keyword, "static_argnums", text, positional, _CHECKPOINT)


def raised_call_of(error: BaseException, function: str) -> RaisedCall | None:
    """Return the innermost call of the jitted function of this name among the calls that the error ended.

    None if there is none.
    """
    return next((call for call in reversed(raised_calls(error)) if _name(call) == function), None)


def static_outcome(error: BaseException, function: str, name: str) -> Outcome:
    """Return the outcome of a trial trace of the failing call in which one more argument is static."""
    call = raised_call_of(error, function)
    values = _values_by_parameter(call) if call is not None else None
    if call is None or values is None or name not in values:
        return "untried"
    others = [other for other in _static(call) if not dtype_of(values.get(other))]
    return traced_with(call, values, [name, *others])


def jit_with(
    raised: RaisedAt,
    function: str,
    keyword: str,
    name: str,
    text: str,
    parameters: Sequence[str] = (),
    transforms: frozenset[str] = JIT,
    code: CodeType | None = None,
    without: Sequence[str] = (),
) -> FoundCure:
    """Return a cure that adds an option to the jit of a function; without code if the jit is not in the user's code.

    If the jit already has static arguments, the code of the cure is the user's option with the new arguments added.

    Args:
        raised: The place where the error was raised.
        function: The name of the jitted function.
        keyword: The code of the option, such as static_argnames="n".
        name: The name of the cure.
        text: The sentence of the cure.
        parameters: The parameters of the function; () where they are unknown.
        transforms: The names by which the user's code may call the transform; by default, those of jax.jit.
        code: The code of the function, which finds the jit of a lambda; None if unknown.
        without: The parameters that the user's option names, and the new option must not name.
    """
    option = keyword.partition("=")[0]
    jits = list(jits_of(raised, function, transforms, code))
    if len(jits) != 1:
        return FoundCure(name, None, text)
    file, scope, node, source = jits[0]
    if isinstance(node, ast.Call):
        written = [argument for argument in node.keywords if argument.arg in (option, "static_argnums")]
        if written:
            longer = _longer_option(written, keyword, parameters, without)
            if longer is None:
                return FoundCure(name, None, text)
            (old,) = written
            assert old.end_lineno is not None and old.end_col_offset is not None
            place = Place(file, old.lineno, scope, old.col_offset, old.end_lineno, old.end_col_offset)
            return FoundCure(longer.partition("=")[0], longer, text, "applies", (Edit(place, longer),))
        new_call = f"{source[:-1].rstrip().rstrip(',')}, {keyword})"
        if not node.args and not node.keywords:
            new_call = f"{source[:-1]}{keyword})"
    else:
        new_call = f"{source}({keyword})"
        # jax.checkpoint takes the function and the option in one call, so a decorator with an option needs partial
        if transforms is _CHECKPOINT:
            partial = _partial_in(raised)
            if partial is None:
                return FoundCure(name, f"@partial({source}, {keyword})", f"{text} Import partial from functools.")
            new_call = f"{partial}({source}, {keyword})"
    assert node.end_lineno is not None and node.end_col_offset is not None
    place = Place(file, node.lineno, scope, node.col_offset, node.end_lineno, node.end_col_offset)
    shown_code = f"@{new_call}" if _is_decorator(source, node) else new_call
    return FoundCure(name, shown_code, text, "applies", (Edit(place, new_call),))


def is_differentiated(raised: RaisedAt, error: BaseException) -> bool:
    """Return whether the trace is part of jax.grad or jax.vjp, which cannot differentiate a loop of unknown length."""
    import jax

    values = [value for frame in (*raised.callers, raised.frame) if frame is not None for value in _local(frame)]
    for call in [*raised_calls(error), *raised_calls(error, "checkpoint")]:
        values += jax.tree_util.tree_leaves((call.args, call.kwargs))
    return any(type(value).__name__ in ("JVPTracer", "LinearizeTracer") for value in values)


def _local(frame: FrameType) -> list[Any]:
    return list(frame.f_locals.values()) if frame.f_code.co_name != "<module>" else []


def _is_decorator(source: str, node: ast.expr) -> bool:
    return not isinstance(node, ast.Call) or not node.args or ast.unparse(node.func).endswith("partial")


def _keyword(names: Sequence[str]) -> str:
    quoted = [f'"{name}"' for name in names]
    return f"static_argnames={quoted[0] if len(quoted) == 1 else '(' + ', '.join(quoted) + ')'}"


def _longer_option(
    written: Sequence[ast.keyword], keyword: str, parameters: Sequence[str], without: Sequence[str] = ()
) -> str | None:
    """Return the user's static option with more arguments, and without some.

    For example, static_argnums=0 and the new static_argnums=2 give static_argnums=(0, 2). None if the user's option is
    no literal, or a parameter is unknown. The result uses the user's option, names or numbers: a jit with both
    static_argnames and static_argnums would not translate one into the other.
    """
    option, _, value = keyword.partition("=")
    if len(written) != 1 or written[0].arg is None:
        return None
    try:
        old, new = ast.literal_eval(written[0].value), ast.literal_eval(value)
    except not_of_a_signal(ValueError):
        return None
    before = old if isinstance(old, tuple | list) else (old,)
    after = new if isinstance(new, tuple) else (new,)
    if written[0].arg == "static_argnums" and option == "static_argnames":
        if not set(after) <= set(parameters):
            return None
        after = tuple(map(list(parameters).index, after))
    left_out = {*without, *(number for number, name in enumerate(parameters) if name in without)}
    kept = [element for element in before if element not in left_out]
    texts = [f'"{element}"' if type(element) is str else str(element) for element in (*kept, *after)]
    return f"{written[0].arg}={texts[0] if len(texts) == 1 else '(' + ', '.join(texts) + ')'}"


def parameters_of(function: Any) -> list[str]:
    """Return the names of a function's parameters; an empty list if Python cannot read the signature."""
    try:
        return list(inspect.signature(function).parameters)
    except not_of_a_signal(*FAILURES):
        return []


def _partial_in(raised: RaisedAt) -> str | None:
    """Return the name of functools.partial in the user's module; None if the module has none."""
    names = raised.frame.f_globals if raised.frame is not None else {}
    if names.get("partial") is functools.partial:
        return "partial"
    return "functools.partial" if names.get("functools") is functools else None


def _name(call: RaisedCall) -> str | None:
    function = call.function
    while type(function) is functools.partial:
        function = function.func
    return getattr(function, "__name__", None)


def _values_by_parameter(call: RaisedCall) -> dict[str, Any] | None:
    """Return the argument of a call for each parameter; None if Python cannot bind the arguments."""
    if code_of(call.function) is None:
        return None
    try:
        bound = inspect.signature(call.function).bind(*call.args, **call.kwargs)
    except not_of_a_signal(*FAILURES):
        return None
    bound.apply_defaults()
    return dict(bound.arguments)


def is_hashed(value: Any) -> bool:
    """Return whether the hash of a value certainly depends only on its contents."""
    if type(value) is tuple:
        return all(map(is_hashed, value))
    return type(value) in _HASHED


def argument_values(error: BaseException, function: str) -> dict[str, Any]:
    """Return the arguments of the failing call of a jitted function, by parameter; empty if unknown."""
    call = raised_call_of(error, function)
    return {} if call is None else _values_by_parameter(call) or {}


def traced_static_arguments(error: BaseException, function: str) -> list[str]:
    """Return the static parameters of the failing jitted function that get a traced array."""
    call = raised_call_of(error, function)
    values = (_values_by_parameter(call) or {}) if call is not None else {}
    return [] if call is None else [name for name in _static(call) if is_tracer_type(type(values.get(name)))]
