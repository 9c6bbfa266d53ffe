"""Records the calls of user functions in a cell's last statement while the calls run.

In the last statement, the outermost call of a user function is recorded, whatever the statement does with the result:
assigns, prints or indexes it, or adds the result of another call. A jitted function is not recorded: JAX already has
its program.

In the statements above the last one, a call that runs a function under a transform is recorded, such as `jax.vjp(f, x)`
or `jax.grad(f)(x)`. Only the first execution of each such call is recorded; the call may be in a loop.
"""

from __future__ import annotations

import inspect
import types
import weakref
from collections.abc import Callable, Iterator, Sequence, Sized
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from ...interruptions import not_of_a_signal
from ...jax.facts import imported, is_jitted
from ...jax.hooks import Hooks
from ...plain_text import FAILURES, defined, exact, file_of
from ...quantities import count
from ..cache.key_texts import positional_names
from ..functions.function_inside_wrappers import code_of, next_inside
from ..observation import ArgumentSpec, ObservedFunction, ObservedProgram, Place
from ..programs.arguments_in_signature import CallShape, arguments_of, arrays_only, fixed_arguments, result_of, spec_of
from ..reprs_of_users_values import Reading
from ..user_or_library.library_functions import is_library_jit
from ..user_or_library.whose_code import is_installed
from .dispatch_recording import Recorded, Recording
from .function_of_transform_call import called_function, runs_for_user
from .recorded_cell import RecordedCell
from .recording_limits import CALLS, CALLS_ABOVE
from .sentences_on_recordings import (
    CALL_RAISED,
    FIRST_OF_SEVERAL,
    HOW,
    HOW_UNDER,
    LEFT_OUT_CALLS,
    NO_TEXT,
    NO_VALUES,
    NOT_RECORDED,
    OF_CALL,
)


class CallInCell(Protocol):
    """A call expression of the cell with its values; see `typed.observed_cell.LastCall`."""

    is_above: bool
    arguments_left: int
    number: int
    function: Any
    kwargs: dict[str, Any]
    result: Any
    is_known: bool
    text: str
    line: int
    column: int
    end_line: int
    end_column: int

    @property
    def args(self) -> list[Any]:
        """The positional arguments of the call."""

    @property
    def known_values(self) -> list[Any]:
        """The values of the arguments; iterators are left out, because their items are unknown."""


@dataclass
class _RecordedCall:
    """One recorded execution of a call expression; a comprehension executes its call expression several times.

    Attributes:
        called_before: how many functions the run had called before this call.
        values_now: id of an argument -> a copy of the argument from before the call.
    """

    call: CallInCell
    recording: Recording
    function: Any
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    result: Any = None
    is_known: bool = True
    has_raised: bool = False
    called_before: int = 0
    values_now: dict[int, Any] = field(default_factory=dict)

    def hold(self) -> None:
        """Copy the containers in the arguments, because the call or later code may change them."""
        try:
            self.values_now = {id(value): _as_now(value, {}) for value in self.call.known_values}
        except RecursionError:  # an argument is nested too deep to be copied
            self.values_now = {}
        self.recording.hold(_elements([*self.values_now.values()]))

    def end(self, has_raised: bool) -> None:
        """Store the arguments and the result when the call ends."""
        self.recording.stop()
        self.args = tuple(self.values_now.get(id(value), value) for value in self.call.args)
        self.kwargs = {name: self.values_now.get(id(value), value) for name, value in self.call.kwargs.items()}
        self.result = self.call.result
        self.is_known, self.has_raised = self.call.is_known, has_raised


class RecordedFunction(NamedTuple):
    """The function of a recorded call, with one program.

    Attributes:
        function: The function.
        is_wrapper: True if the called object wraps another function.
        called_before: For a call above the last statement, the number of functions that the run called before.
        call: The number of the call expression in the cell; a comprehension executes its call several times.
        arrays: A weak reference to the array of each input of the program; None if unknown.
        others: The leaves of the arguments that are no arrays.
    """

    function: ObservedFunction
    is_wrapper: bool
    called_before: int | None
    call: int = 0
    arrays: tuple[weakref.ref[Any] | None, ...] = ()
    others: tuple[Any, ...] = ()


class RecordedCalls:
    """Records calls while a cell runs.

    Args:
        hooks: The hooks in JAX.
        fail: Receives an error of this package.
        cell: The recording of the whole cell. This recording leaves out the recorded calls, unless the user asked for
            the whole cell.
        called: The functions that the run has called so far.

    Attributes:
        is_checked: true if `jax_debug_nans` is on, so that calls are not recorded.
        not_recorded: sentences that say which calls could not be recorded, and why.
    """

    def __init__(
        self, hooks: Hooks, fail: Callable[[BaseException], None], cell: RecordedCell, called: Sized = ()
    ) -> None:
        self._hooks = hooks
        self._called = called
        self._cell = cell
        self._fail = fail
        self._active: _RecordedCall | None = None
        self._recorded: list[_RecordedCall] = []
        self._left_out = 0
        self._above: dict[int, int] = {}  # index of a call above the last statement -> how often it was executed
        self.is_checked = False
        self.not_recorded: list[str] = []
        self._is_over = cell.covers_cell

    # --- methods that the cell calls ---

    def evaluated(self, call: CallInCell, function: Any) -> bool:
        """Begin to record a call whose function the cell has just evaluated.

        Return whether the values of the call's arguments are needed.
        """
        if self._active is not None or self._is_over or not _is_recorded(function):
            return False
        if call.is_above:
            if call.number in self._above or len(self._above) >= CALLS_ABOVE:
                self._above[call.number] = self._above.get(call.number, 0) + 1
                return False
        elif len(self._recorded) - len(self._above) >= CALLS:
            self._left_out += 1
            return False
        recording = Recording(self._hooks, self._fail)
        self._active = _RecordedCall(call, recording, function, called_before=len(self._called))
        if call.is_above:
            self._above[call.number] = 1
        return bool(call.arguments_left) or self._start(self._active)

    def prepared(self, call: CallInCell) -> None:
        """Start the recording after the last argument of the call.

        The operations of an argument belong to the cell, not to the call.
        """
        if self._active is not None and self._active.call is call and not call.arguments_left:
            if self._start(self._active):
                self._active.hold()

    def _start(self, active: _RecordedCall) -> bool:
        """Start the recording of a call, and pause the recording of the cell.

        Return whether the recording of the call runs.
        """
        self._cell.pause()
        try:
            if active.recording.start():
                return True
            self.is_checked = True
        except AttributeError as error:  # JAX's version does not report dispatches: calls are not recorded
            self._fail(error)
            self._is_over = True
        self._active = None
        return False

    def returned(self, call: CallInCell) -> None:
        """End the recording of a call that returned."""
        if self._active is not None and self._active.call is call:
            self._end(self._active, has_raised=False)

    def _end(self, active: _RecordedCall, has_raised: bool) -> None:
        self._active = None
        try:
            active.end(has_raised)
        except not_of_a_signal(*FAILURES) as error:
            self._fail(error)
            return
        if active.recording.count:
            self._recorded.append(active)
        elif active.recording.ended is not None:
            self.not_recorded.append(NOT_RECORDED.format(call=active.call.text, why=active.recording.ended))
        if not self._is_over:
            self._cell.start()

    # --- methods for the end of the cell ---

    def stop(self) -> None:
        """End all recordings; a call that has not returned by now has raised."""
        self._is_over = True
        if self._active is not None:
            self._end(self._active, has_raised=True)

    def functions(self, file: str, reading: Reading) -> list[RecordedFunction]:
        """Return each recorded function with its program.

        Args:
            file: The file of the cell.
            reading: The texts of the user's objects that were already read.
        """
        functions = []
        for done_call in self._recorded:
            try:
                function, arrays = _function(done_call, file, reading)
            except not_of_a_signal(Exception) as error:  # one unreadable call must not hide other calls
                self._fail(error)
                continue
            if function is not None:
                times = self._above.get(done_call.call.number, 1)
                if times > 1:
                    program = function.programs[0]
                    several = FIRST_OF_SEVERAL.format(calls=count(times, "time"))
                    program.origin_note = f"{program.origin_note} {several}"
                is_wrapper = next_inside(done_call.function) is not None
                called_before = done_call.called_before if done_call.call.is_above else None
                number = done_call.call.number
                others = _not_arrays(done_call)
                functions.append(RecordedFunction(function, is_wrapper, called_before, number, arrays, others))
        if functions and self._left_out:
            program = functions[-1].function.programs[0]
            calls = count(self._left_out, "more call")
            program.origin_note = f"{program.origin_note} {LEFT_OUT_CALLS.format(calls=calls)}"
        return functions

    def forget(self) -> None:
        """Drop the references to the user's values."""
        self._recorded.clear()


def _as_now(value: Any, copies: dict[int, Any]) -> Any:
    """Return a copy of a value in which Python's own containers are copied; no code of the user's runs."""
    kind = type(value)
    if id(value) in copies:
        return copies[id(value)]
    if kind is tuple:
        return tuple([_as_now(element, copies) for element in value])
    if kind is list:
        elements: list[Any] = []
        # the list enters `copies` before its elements are copied, because a container may contain itself
        copies[id(value)] = elements
        elements += [_as_now(element, copies) for element in value]
        return elements
    if kind is dict and all(type(key) in (str, int) for key in value):
        named: dict[Any, Any] = {}
        copies[id(value)] = named
        named.update({key: _as_now(element, copies) for key, element in value.items()})
        return named
    return value


def _elements(value: Any) -> Iterator[Any]:
    """Yield the leaves of Python containers that `_as_now` copied."""
    stack, visited = [value], set()
    while stack:
        element = stack.pop()
        if type(element) in (tuple, list, dict):
            if id(element) not in visited:
                visited.add(id(element))
                stack += reversed(element.values() if type(element) is dict else element)
        else:
            yield element


def _is_recorded(function: Any) -> bool:
    """Return whether a call of a function is recorded.

    Recorded are functions of the user's, and functions that JAX made of them, such as `jax.grad(f)`.
    """
    inner = function.__func__ if type(function) is types.MethodType else function
    if not imported() or is_jitted(inner) or is_library_jit(function) or issubclass(type(function), type):
        return False
    return runs_for_user(function)


def _function(
    recorded_call: _RecordedCall, file: str, reading: Reading
) -> tuple[ObservedFunction | None, tuple[weakref.ref[Any] | None, ...]]:
    """Return the function of a recorded call, None if its arguments are unknown; and the arrays of its inputs."""
    import jax

    if not recorded_call.is_known:
        return None, ()
    call, fun, args, kwargs = recorded_call.call, recorded_call.function, recorded_call.args, recorded_call.kwargs
    called = called_function(fun, args)
    name = called.name
    flat, _ = jax.tree_util.tree_flatten_with_path((args, kwargs))
    array_arguments = [(path, leaf) for path, leaf in flat if _is_array(leaf)]
    results = [leaf for leaf in jax.tree_util.tree_leaves(recorded_call.result) if _is_array(leaf)]
    recorded = recorded_call.recording.recorded([leaf for _, leaf in array_arguments], results, name)
    names = positional_names(_signature(fun), len(args))
    paths = [_input_name(path, names) for path, _ in array_arguments]
    program = ObservedProgram(
        origin="recorded",
        no_text=NO_TEXT,
        no_values=NO_VALUES,
        jaxpr=recorded.program,
        numbers=recorded.numbers,
        arguments=_arguments(recorded_call, names, paths, recorded.program.in_avals[recorded.others :], reading),
        result=None if recorded_call.has_raised else _result(recorded_call.result, results),
        call=Place(file, call.line, "<module>", call.column, call.end_line, call.end_column),
        origin_note=_note(call.text, recorded, recorded_call.has_raised),
        how=HOW if called.transform is None else HOW_UNDER.format(transform=called.transform),
        input_names=(*[""] * recorded.others, *paths),
    )
    function = ObservedFunction(name=name, definition=called.definition, programs=[program], transform=called.transform)
    return function, recorded.arrays


def _arguments(
    recorded_call: _RecordedCall, names: Sequence[str], paths: Sequence[str], avals: Sequence[Any], reading: Reading
) -> tuple[ArgumentSpec, ...]:
    import jax

    args, kwargs = recorded_call.args, recorded_call.kwargs
    shape = CallShape(tuple((name, False) for name in names))
    try:
        shape = replace(shape, fixed=fixed_arguments(shape, args, kwargs, _is_array, reading))
        in_tree = jax.tree_util.tree_structure(arrays_only(args, kwargs, _is_array))
        return arguments_of(shape, in_tree, avals, [False] * len(avals))
    except not_of_a_signal(
        Exception
    ):  # a user's pytree class may refuse types as leaves: the arguments are then a flat list
        return tuple(ArgumentSpec(path, tree=spec_of(aval)) for path, aval in zip(paths, avals, strict=True))


def _result(returned: Any, arrays: Sequence[Any]) -> Any:
    import jax

    avals = [jax.typeof(array) for array in arrays]
    try:
        (only_arrays,), _ = arrays_only((returned,), {}, _is_array)
        return result_of(jax.tree_util.tree_structure(only_arrays), avals)
    except not_of_a_signal(Exception):  # a user's pytree class may refuse types: a flat list is returned
        return [spec_of(aval) for aval in avals]


def _not_arrays(recorded_call: _RecordedCall) -> tuple[Any, ...]:
    import jax

    leaves = jax.tree_util.tree_leaves((recorded_call.args, recorded_call.kwargs))
    return tuple(leaf for leaf in leaves if not _is_array(leaf))


def _is_array(leaf: Any) -> bool:
    """Return whether a leaf is an array, and so an input of a recording: a Python number becomes a literal."""
    import jax
    import numpy as np

    return isinstance(leaf, jax.Array | np.ndarray)


def _signature(fun: Any) -> inspect.Signature | None:
    """Return the signature of a function.

    Return None if reading the attributes of the function would run user code.
    """
    for name in _LOOKS_UP:
        stored = defined(type(fun), name)
        code = code_of(stored.fget if type(stored) is property else stored)
        if code is not None and not is_installed(file_of(code)):
            return None
    try:
        return inspect.signature(fun)
    except not_of_a_signal(*FAILURES):
        return None


_LOOKS_UP = ("__getattribute__", "__getattr__", "__class__")
"""The methods that `inspect.signature` runs where a class defines them in Python."""


def _input_name(path: Sequence[Any], names: Sequence[str]) -> str:
    """Return the name of an input, such as `p['w']`.

    `path` is a pytree path in (positional arguments, keyword arguments).
    """
    import jax

    kind, at, *inner_path = path
    name = names[at.idx] if kind.idx == 0 else exact(at.key)
    return name + exact(jax.tree_util.keystr(tuple(inner_path)))


def _note(text: str, recorded: Recorded, has_raised: bool) -> str:
    note = OF_CALL.format(call=text, ran=count(recorded.dispatches, "dispatch", "dispatches"))
    further = (recorded.ended, recorded.unread, CALL_RAISED if has_raised else None)
    return " ".join([note, *filter(None, further)])
