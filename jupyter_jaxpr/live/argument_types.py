"""Finds the argument types for the live trace of a function, and records where they come from.

The first of these that exists is used: the text that the user typed into the panel, the target in the magic's line, the
last observed call, the last call in the cell. No code runs to find them.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..interruptions import not_of_a_signal
from ..jax.facts import is_jitted
from ..observe.functions.function_inside_wrappers import unwrap
from ..observe.observation import ArgumentSpec
from ..observe.process_observer import observer
from ..typed.edited_cell import WrittenCell
from ..typed.targets_and_array_types import SpecError, parse_target
from .allowed_expressions import NotHarmless, NotThere, value_of
from .trace_request import TraceRequest

#: The words with which the panel names the magic's line as the source of the argument types.
THE_MAGIC = "the line of the magic"
_CALL = re.compile(r"(?<![\w.-])[A-Za-z_][\w.]*\(")


@dataclass(frozen=True)
class Given:
    """The arguments of a call.

    Attributes:
        args: Values, or types as `jax.ShapeDtypeStruct`.
        kwargs: The keyword arguments, in the same form.
        source: Where the arguments come from, as words that follow "argument types from".
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    source: str


class Unusable(ValueError):
    """Raised if the text that the user typed gives no arguments; the message says why and what to do."""


def given_arguments(
    function: Any, name: str, request: TraceRequest, written: WrittenCell, names: Mapping[str, Any]
) -> Given | None:
    """Return the arguments for the live trace of a function; None if they are unknown.

    Args:
        function: The function.
        name: The name of the function.
        request: The request, with the types that the user typed and the observed calls.
        written: The parsed text of the cell.
        names: The names of the copied namespace, with their values.

    Raises:
        Unusable: The arguments in the panel or in the line of the magic cannot be used.
    """
    if request.cell_to_trace.specs is not None:
        return from_specs(name, request.cell_to_trace.specs, names)
    arguments = None
    if written.magic is not None:
        arguments = from_magic(written.magic, name, names)
    arguments = arguments or from_observed(function, request.observed(name))
    # Here a name may have the value of the last run, although the cell would compute a new one: only its type matters.
    arguments = arguments or from_calls(written.calls(), name, names)
    if arguments is None and not list(parameters(function)):
        return Given((), {}, "its definition")
    return arguments


def from_specs(name: str, specs: str, names: Mapping[str, Any]) -> Given:
    """Return the arguments that the user typed: `f32[8], n=3`, or a whole call.

    Raises:
        Unusable: The arguments cannot be used.
    """
    text = specs.strip()
    if not text.startswith(f"{name}("):
        text = f"{name}({text})"
    try:
        return _of_call(parse_target(text).call, names, "the text that you typed")
    except SpecError as error:
        raise Unusable(str(error)) from None
    except NotThere as name_not_there:
        raise Unusable(f"{name_not_there} does not exist in the kernel. Type a type, such as f32[8].") from None
    except NotHarmless as code_not_run:
        raise Unusable(
            f"Live does not run the code {code_not_run}. Type a type, such as f32[8], or a name that has a value."
        ) from None


def from_magic(magic: str, name: str, names: Mapping[str, Any]) -> Given | None:
    """Return the arguments in the magic's line, if the line calls the function and each argument has a value.

    Raises:
        Unusable: The line calls the function, but its arguments cannot be understood.
    """
    target = _target_of(magic)
    try:
        call = parse_target(target).call
        if ast.unparse(call.func) != name:
            return None
        return _of_call(call, names, THE_MAGIC)
    except SpecError as error:
        if not target.startswith(f"{name}("):
            return None
        raise Unusable(f"Live cannot read the target in the line of the magic. {error}") from None
    except (NotHarmless, NotThere):
        return None


def _target_of(magic: str) -> str:
    """Return the target in the line of the magic: its first call, or the whole line if it has no call."""
    begin = _CALL.search(magic)
    if begin is None:
        return magic
    depth = 0
    for place in range(begin.end() - 1, len(magic)):
        depth += (magic[place] in "([{") - (magic[place] in ")]}")
        if depth == 0:
            return magic[begin.start() : place + 1]
    return magic[begin.start() :]


def from_calls(calls: Iterable[ast.Call], name: str, names: Mapping[str, Any]) -> Given | None:
    """Return the arguments of the cell's last call of this function outside of other functions.

    None if there is no such call, or if an argument has no value.
    """
    call = next((call for call in calls if isinstance(call.func, ast.Name) and call.func.id == name), None)
    if call is None:
        return None
    try:
        return _of_call(call, names, f"the call in line {call.lineno}")
    except (NotHarmless, NotThere, SpecError):
        return None


def from_observed(function: Any, observed: Iterable[Sequence[ArgumentSpec]]) -> Given | None:
    """Return the argument types of the newest observed call that fits the function's present parameters."""
    try:
        signature = inspect.signature(unwrap(function))
    except not_of_a_signal(TypeError, ValueError):
        return None
    return next(
        (
            arguments_of_call
            for arguments in observed
            if (arguments_of_call := _of_observed(signature, arguments)) is not None
        ),
        None,
    )


def _of_call(call: ast.Call, names: Mapping[str, Any], source: str) -> Given:
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        raise NotHarmless(ast.unparse(call))
    kwargs = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise NotHarmless(ast.unparse(call))
        kwargs[keyword.arg] = value_of(keyword.value, names)
    return Given(tuple(value_of(argument, names) for argument in call.args), kwargs, source)


def _of_observed(signature: inspect.Signature, arguments: Sequence[ArgumentSpec]) -> Given | None:
    values: dict[str, Any] = {}
    for argument in arguments:
        if argument.name not in signature.parameters:
            return None
        if argument.static is None:
            values[argument.name] = argument.tree
            continue
        try:
            values[argument.name] = ast.literal_eval(argument.static)
        except not_of_a_signal(ValueError, SyntaxError, MemoryError, RecursionError):
            return None  # the static value's repr is no literal, so the value is unknown
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.name not in values:
            if parameter.default is parameter.empty:
                return None
            if parameter.kind is parameter.POSITIONAL_ONLY:
                break
            continue
        by_position = parameter.kind is not parameter.KEYWORD_ONLY and len(args) == _position(signature, parameter)
        if by_position:
            args.append(values[parameter.name])
        else:
            kwargs[parameter.name] = values[parameter.name]
    return Given(tuple(args), kwargs, "the last observed call")


def _position(signature: inspect.Signature, parameter: inspect.Parameter) -> int:
    return list(signature.parameters).index(parameter.name)


def parameters(function: Any) -> Iterator[str]:
    """Yield the names of the parameters that have no default value."""
    try:
        signature = inspect.signature(unwrap(function))
    except not_of_a_signal(TypeError, ValueError):
        return
    for parameter in signature.parameters.values():
        if parameter.default is parameter.empty and parameter.kind not in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            yield parameter.name


def observed_calls(function: Any) -> list[tuple[ArgumentSpec, ...]]:
    """Return the argument types of the observed calls of a jitted user function, newest first."""
    if not is_jitted(function):
        return []
    record = observer().functions.record_of(getattr(function, "_fun", None))
    if record is None:
        return []
    return [program.arguments() for program in reversed(list(record.programs.values()))]
