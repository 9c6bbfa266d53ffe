"""Records the operations and jitted calls that JAX runs between `start` and `stop` as the equations of a program.

A recording runs nothing and traces nothing. It holds no array: the array of an operand is found by its id, because an
array is alive whenever JAX uses it.

A recording ends by itself after `CALL_DISPATCHES` dispatches, or when the recording itself has taken `CALL_SECONDS`, so
that the rest of the user's code runs at full speed.
"""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType, FunctionType
from typing import Any, NamedTuple

from ...interruptions import not_of_a_signal
from ...jax import dispatch_types
from ...jax.dispatch_types import Dispatch
from ...jax.hooks import Hooks
from ...jax.post_hook import Results
from ...plain_text import FAILURES
from ...quantities import count, duration
from ..index_array_values import whole_numbers
from ..user_or_library.properties_of_user_classes import comparing_class, read_by_users_code
from .numpy_arrays_in_recordings import NumPyArrays, given_for, is_numpy
from .recording_limits import ARRAYS_READ, CALL_DISPATCHES, CALL_SECONDS, LEFT_OUT
from .sentences_on_recordings import CHECKED, OF_USERS, TOO_LONG, TOO_MANY, UNKNOWN, UNREAD


@dataclass(frozen=True)
class Recorded:
    """The result of a recording.

    Attributes:
        program: The program. Its inputs are first the arrays that are no arguments, then the arguments of the call.
        others: The number of input arrays that are no arguments: they existed before the recording, or no recorded
            program made them.
        dispatches: The number of programs that JAX ran.
        ended: A sentence on why the recording ended before `stop`; None if the recording lasted until `stop`.
        unread: A sentence on NumPy arrays whose contents may have changed between two uses; None if there are none.
        numbers: Variable -> the values of its array, for small integer arrays whose values are known.
        arrays: A weak reference to the array of each input of the program; None if unknown.
    """

    program: Any
    others: int
    dispatches: int
    ended: str | None
    unread: str | None
    numbers: Mapping[Any, Any]
    arrays: tuple[weakref.ref[Any] | None, ...] = ()


class _Key(NamedTuple):
    """A random key that was recorded.

    Attributes:
        numbers: A reference to the integer array inside the key.
        kind: The class of the key.
        variable: The variable of the key.
    """

    numbers: weakref.ref[Any]
    kind: type
    variable: Any


def recording_of(hooks: Hooks) -> Any:
    """Return the recording that is on and that these hooks report to; None if no recording is on."""
    return getattr(hooks.ran, "__self__", None)


class Recording:
    """Records the dispatches of this thread.

    Args:
        hooks: The hooks in JAX.
        fail: Receives an error of this package.
        limit: The number of dispatches that are recorded at most.
        leaves_out: Gets a jitted function; returns True if the recording leaves out the calls of this function. The
            recording ends at the call after the last of `LEFT_OUT` such calls. With None, no call is left out.
        seconds: The most seconds that the recording itself may take.

    Attributes:
        reached_limit: true if the recording ended at a limit of dispatches or seconds, so that a higher limit would
            record more.
        spent: the seconds that the recording itself took.
    """

    def __init__(
        self,
        hooks: Hooks,
        fail: Callable[[BaseException], None],
        limit: int = CALL_DISPATCHES,
        seconds: float = CALL_SECONDS,
        leaves_out: Callable[[Any], bool] | None = None,
    ) -> None:
        self._hooks = hooks
        self._fail = fail
        self._limit = limit
        self._seconds = seconds
        self._leaves_out = leaves_out
        self._left_out = 0
        self._results = Results(self._hit, self._lose)
        self._thread = 0
        self._on = False
        self._is_at_end = False
        self.ended: str | None = None
        self.reached_limit = False
        self._array_type: type | None = None  # JAX's array class; None before `start`, because JAX may not be imported.
        # Function that JAX made for an operation -> (primitive, parameters).
        self._operations: dict[FunctionType, tuple[Any, Mapping[str, Any]]] = {}
        self._library_classes: set[type] = set()  # classes that are known not to be the user's
        self.count = 0
        self.spent = 0.0
        self._equations: list[Any] = []
        # id of an array -> (reference to the array, its variable)
        self._variables: dict[int, tuple[weakref.ref[Any], Any]] = {}
        # id of the integer array inside a random key -> the key; JAX makes a key of the same array for each use
        self._keys: dict[int, _Key] = {}
        self._numpy = NumPyArrays()
        # variable of a NumPy array or scalar -> its values when JAX got it, if it is a small integer array
        self._numbers: dict[Any, Any] = {}

    @property
    def is_over(self) -> bool:
        """True if the recording reached a limit, also a limit of calls that are left out."""
        return self._is_at_end or self.ended is not None

    def start(self) -> bool:
        """Start the recording, or continue it after `stop`.

        Returns:
            True if the recording is on; False if `jax_debug_nans` makes JAX check each result.

        Raises:
            AttributeError: This version of JAX does not report its dispatches.
        """
        if self._on:
            return True
        self._array_type = dispatch_types.array_type()
        self._thread = threading.get_ident()
        self._on = True  # from here on `stop` removes the hooks, even after an interrupt
        try:
            self._on = self._results.start()
        except AttributeError:
            self._on = False
            raise
        if not self._on:
            return False
        self._hooks.ran, self._hooks.put = self._missed, self._link_copies
        return True

    def hold(self, values: Iterable[Any]) -> None:
        """Store the contents of NumPy arguments before the call, which may change them in place."""
        for value in values:
            if is_numpy(value) and self._numpy.has_room() and self._numpy.first(value) is None:
                self._in_own_time(self._make, value)

    def stop(self) -> None:
        """Stop the recording; called again, it completes a stop that an interrupt cut short."""
        if self._on:
            self._results.stop()
            if self._results.overflowed and self.ended is None:
                self.ended = UNKNOWN.format(dispatches=self._dispatches)
            if self._hooks.ran == self._missed:
                self._hooks.ran = self._hooks.put = None
            self._on = False

    def recorded(self, arguments: Sequence[Any], results: Sequence[Any], name: str) -> Recorded:
        """Return the recorded program.

        Args:
            arguments: The arrays that become inputs, in this order, even if the program does not use them.
            results: The arrays that become results; a result that no equation made is also an input.
            name: The name of the program.
        """
        unread = self._unread()
        numbers = self._whole_numbers()
        inputs: list[Any] = []
        for array in arguments:
            variable = self._argument(array)
            given_twice = any(variable is variable_before for variable_before in inputs)
            inputs.append(dispatch_types.variable(variable.aval) if given_twice else variable)
        outputs = []
        for array in results:
            made_variable = self._recorded_variable(array)
            if made_variable is not None or self.ended is None:
                outputs.append(
                    self._operand(array, None, dispatch_types.no_source()) if made_variable is None else made_variable
                )
        inside = {id(variable) for variable in inputs}
        outside = [
            input_variable
            for input_variable in dispatch_types.inputs_of(self._equations, outputs)
            if id(input_variable) not in inside
        ]
        program = dispatch_types.program_of([*outside, *inputs], outputs, self._equations, name)
        array_of = {id(variable): reference for reference, variable in self._variables.values()}
        arrays = tuple(array_of.get(id(variable)) for variable in (*outside, *inputs))
        self._variables.clear()
        self._keys.clear()
        return Recorded(program, len(outside), self.count, self.ended, unread, numbers, arrays)

    def recorded_whole(self, name: str) -> Recorded:
        """Return the recorded program.

        Its results are the variables that no later equation uses.
        """
        used = {id(operand) for equation in self._equations for operand in equation.invars}
        results = [
            variable for equation in self._equations for variable in equation.outvars if id(variable) not in used
        ]
        inputs = dispatch_types.inputs_of(self._equations, [])
        program = dispatch_types.program_of(inputs, results, self._equations, name)
        return Recorded(program, len(inputs), self.count, self.ended, self._unread(), self._whole_numbers())

    def _whole_numbers(self) -> Mapping[Any, Any]:
        """Return the values of small integer arrays: of NumPy's as JAX got them, of JAX's that still exist."""
        numbers = dict(self._numbers)
        for reference, variable in list(self._variables.values())[:ARRAYS_READ]:
            number = whole_numbers(reference())
            if number is not None:
                numbers.setdefault(variable, number)
        return numbers

    def _unread(self) -> str | None:
        arrays = len(self._numpy.unread)
        return UNREAD.format(arrays=count(arrays, "NumPy array")) if arrays else None

    def _argument(self, array: Any) -> Any:
        """Return the variable of an argument.

        Of an argument that is a random key, JAX may have used only the integer array inside.
        """
        if is_numpy(array):
            return self._numpy.first(array) or self._make(array)
        numbers = dispatch_types.base_array(array)
        used = None if numbers is None else self._recorded_variable(numbers)
        variable = self._variable(array)
        if used is not None and any(
            used is variable_before for variable_before in dispatch_types.inputs_of(self._equations, [])
        ):
            unwrapped = dispatch_types.equation(
                dispatch_types.unwrapping(type(array)), [variable], [used], dispatch_types.no_source()
            )
            self._equations.insert(0, unwrapped)
        return variable

    # --- methods that JAX's hooks call ---

    def _hit(self, called: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
        if self._leaves_out is not None and self._leaves_out(getattr(called, "_fun", None)):
            self._leave_out()
            return
        self._in_own_time(self._add_hit, called, args, kwargs, output)

    def _add_hit(self, called: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
        # this short path is for most operations, and takes half the time of the general path
        if not kwargs and self._are_arrays((output, *args)):
            operation = self._operation_of(getattr(called, "_fun", None))
            if operation is not None:
                if self._has_room():
                    primitive, params = operation
                    source = dispatch_types.source_here()
                    operands = [self._operand_of_array(value, source) for value in args]
                    self._append(Dispatch(primitive, params, args, None, (output,), frozenset()), operands, source)
                return
        kind = comparing_class(type(getattr(called, "_fun", None))) or read_by_users_code(
            (args, kwargs, output), self._library_classes
        )
        if kind is None:
            self._add(dispatch_types.of_hit(called, args, kwargs, output))
        else:
            self._end(OF_USERS.format(dispatches=self._dispatches, kind=kind))

    def _missed(self, frame: FrameType, results: Any) -> None:
        if threading.get_ident() == self._thread:
            if self._leaves_out is not None and self._leaves_out(frame.f_locals.get("fun")):
                self._leave_out()
                return
            self._in_own_time(lambda: self._add(dispatch_types.of_miss(frame, results)))

    def _leave_out(self) -> None:
        self._left_out += 1
        if self._left_out > LEFT_OUT:
            self._is_at_end = True
            self.stop()

    def _in_own_time(self, work: Callable[..., object], *values: Any) -> None:
        """Call `work` and add its duration to `spent`; an error of `work` is reported and not raised."""
        began = time.perf_counter()
        is_collecting = gc.isenabled()
        try:
            self._hooks.asking_thread = self._thread
            # JAX keeps many objects alive: one garbage collection takes so long that the recording would end at its
            # limit of seconds
            gc.disable()
            work(*values)
        except not_of_a_signal(*FAILURES) as error:
            self._fail(error)
            self._end(UNKNOWN.format(dispatches=self._dispatches))
        finally:
            if is_collecting:
                gc.enable()
            self._hooks.asking_thread = 0
        self.spent += time.perf_counter() - began

    @property
    def _dispatches(self) -> str:
        return count(self.count, "dispatch", "dispatches")

    @property
    def _first_dispatches(self) -> str:
        return "the first dispatch" if self.count == 1 else f"the first {self.count:,} dispatches"

    def _lose(self) -> None:
        self._end(CHECKED.format(dispatches=self._dispatches))

    def _end(self, why: str, is_limit: bool = False) -> None:
        if self._on:
            self.ended, self.reached_limit = why, is_limit
            self.stop()

    def _are_arrays(self, values: Iterable[Any]) -> bool:
        """Return whether each value is a JAX array, other than an array of random keys."""
        array_type = self._array_type
        for value in values:  # this loop takes half the time that all() takes
            if type(value) is not array_type:
                return False
        return True

    def _operation_of(self, fun: Any) -> tuple[Any, Mapping[str, Any]] | None:
        """Return the primitive and the parameters if JAX made the function for an operation; else None."""
        if type(fun) is not FunctionType:
            return None
        operation = self._operations.get(fun)
        if operation is None and (operation := dispatch_types.primitive_of(fun)) is not None:
            self._operations[fun] = operation
        return operation

    def _has_room(self) -> bool:
        """Return whether the next dispatch can be recorded; end the recording where it cannot."""
        if self._results.overflowed:
            self._end(UNKNOWN.format(dispatches=self._dispatches))
            return False
        if self.count >= self._limit:
            self._end(TOO_MANY.format(first_dispatches=self._first_dispatches), is_limit=True)
            return False
        # The limit of seconds is only checked when JAX runs another dispatch, because the sentence for the user says
        # that further dispatches ran unrecorded.
        if self.spent > self._seconds:
            self._end(
                TOO_LONG.format(first_dispatches=self._first_dispatches, took=duration(self._seconds)), is_limit=True
            )
            return False
        return True

    def _add(self, dispatch: Dispatch | None) -> None:
        if dispatch is None:
            self._end(UNKNOWN.format(dispatches=self._dispatches))
        elif self._has_room():
            source = dispatch_types.source_here()
            avals = dispatch.in_avals or [None] * len(dispatch.operands)
            pairs = zip(dispatch.operands, avals, strict=True)
            self._append(dispatch, [self._operand(value, aval, source) for value, aval in pairs], source)

    def _append(self, dispatch: Dispatch, operands: Sequence[Any], source: Any) -> None:
        results = [self._make(array) for array in dispatch.results]
        self._equations.append(dispatch_types.equation(dispatch, operands, results, source))
        self.count += 1

    def _link_copies(self, sources: Sequence[Any], copies: Sequence[Any]) -> None:
        """Give each array that JAX copied to a device the variable of the source array.

        JAX runs no program for a copy.
        """
        if threading.get_ident() == self._thread:
            self._in_own_time(self._link, sources, copies)

    def _link(self, sources: Sequence[Any], copies: Sequence[Any]) -> None:
        for value, array in zip(sources, copies, strict=True):
            if self._recorded_variable(array) is not None or not hasattr(array, "shape"):
                continue  # a value without a shape is the token of an ordered effect
            if isinstance(value, bool | int | float | complex):
                if type(value) is int and type(array) is self._array_type:
                    self._numbers[self._make(array)] = value
                continue
            variable = self._operand(value, None, dispatch_types.source_here())
            if variable.aval.shape == array.shape and variable.aval.dtype == array.dtype:
                self._variables[id(array)] = weakref.ref(array), variable

    def _operand_of_array(self, array: Any, source: Any) -> Any:
        entry = self._variables.get(id(array))
        if entry is not None and entry[0]() is array:
            return entry[1]
        return self._operand(array, None, source)

    def _operand(self, value: Any, aval: Any, source: Any) -> Any:
        variable = self._recorded_variable(value)
        if variable is not None:
            return variable
        numbers = dispatch_types.base_array(value)
        if numbers is not None:
            variable_of_numbers = self._recorded_variable(numbers)
            if variable_of_numbers is not None:
                return self._convert(dispatch_types.wrapping(value), variable_of_numbers, self._make(value), source)
            key = self._keys.get(id(numbers))
            if key is not None and key.numbers() is numbers and key.variable.aval.dtype == value.dtype:
                self._variables[id(value)] = weakref.ref(value), key.variable
                return key.variable
        elif id(value) in self._keys:
            key = self._keys[id(value)]
            if key.numbers() is value:
                return self._convert(dispatch_types.unwrapping(key.kind), key.variable, self._make(value), source)
        if isinstance(value, bool | int | float | complex):
            return dispatch_types.literal(value, dispatch_types.aval_of(value) if aval is None else aval)
        if is_numpy(value) and (source_array := given_for(value)) is not None:
            return self._variable(source_array)
        return self._make(value)

    def _convert(self, dispatch: Dispatch, operand: Any, result: Any, source: Any) -> Any:
        self._equations.append(dispatch_types.equation(dispatch, [operand], [result], source))
        return result

    def _recorded_variable(self, value: Any) -> Any:
        """Return the variable of a recorded array; None for an array that was not recorded."""
        if is_numpy(value):
            return self._numpy.known(value)
        entry = self._variables.get(id(value))
        return entry[1] if entry is not None and entry[0]() is value else None

    def _variable(self, value: Any) -> Any:
        """Return the variable of an array; an array that was not recorded gets a new variable."""
        variable = self._recorded_variable(value)
        return self._make(value) if variable is None else variable

    def _make(self, value: Any) -> Any:
        variable = dispatch_types.variable(dispatch_types.aval_of(value))
        if type(value) is self._array_type:
            self._variables[id(value)] = weakref.ref(value), variable
            return variable
        number = whole_numbers(value)
        if number is not None:
            self._numbers[variable] = number
        if is_numpy(value):
            self._numpy.add(value, variable)
            return variable
        try:
            alive = weakref.ref(value)
        except TypeError:  # a NumPy scalar allows no weak reference, and becomes a new input at each use
            return variable
        self._variables[id(value)] = alive, variable
        numbers = dispatch_types.base_array(value)
        if type(numbers) is self._array_type:
            self._keys[id(numbers)] = _Key(weakref.ref(numbers), type(value), variable)
        return variable
