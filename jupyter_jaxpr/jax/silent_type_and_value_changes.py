"""Reports changes that JAX makes without an error: of dtypes and values, of carries, and donations without use.

JAX gives a warning for a truncated 64-bit dtype and for an unused donated buffer, and nothing for a converted carry or
for a value of a NumPy array that does not fit the truncated dtype.
For each change, JAX calls a function of another module. An object in place of that module reports the change and
returns the module's own function, so that the user's warnings, their lines, filters and counts are unchanged.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from types import CodeType, FrameType
from typing import Any, NamedTuple

from ..interruptions import not_of_a_signal
from ..plain_text import FAILURES, exact
from .dispatch_types import is_jax_type
from .facts import private
from .stand_ins_in_modules import TellingModule


class TruncatedType(NamedTuple):
    """A dtype that the user requested by name, and the narrower dtype that JAX uses instead."""

    asked: str
    taken: str


class ChangedNumber(NamedTuple):
    """A value of a NumPy array, or a Python number, that JAX changed, because it does not fit the dtype.

    Attributes:
        given: the dtype of the NumPy array, or the class of the Python number.
        taken: the dtype that JAX uses.
        others: how many more values of the array changed.
        is_python: true for a Python number, which JAX converts to the dtype of an array.
        different: the numbers of different values in the array before and after, if many values become equal; the
            other fields then give two values that become equal.
    """

    given: str
    taken: str
    value: str
    became: str
    others: int
    is_python: bool = False
    different: tuple[int, int] | None = None


class DonatedArgument(NamedTuple):
    """A donated argument whose memory JAX could not use for a result.

    Attributes:
        path: the path of the argument, such as p['w']; empty if JAX does not know it.
        results: how many results have this type.
        taken: how many results of this type use the memory of another argument.
    """

    path: str
    type: str
    results: int
    taken: int


class UnusedDonation(NamedTuple):
    """The donated arguments of one program that JAX could not use.

    Attributes:
        program: JAX's name of the program, such as jit(f).
        results: the types of the results.
        is_supported: true if the device's platform supports donation.
    """

    program: str
    arguments: tuple[DonatedArgument, ...]
    results: tuple[str, ...]
    is_supported: bool


class PromotedCarry(NamedTuple):
    """A carry that starts with a weak type, which JAX converted to the dtype that the loop's body returns.

    Attributes:
        dtype: NumPy's name of the dtype that the body returns.
        leaf: the index of the array in the initial carry that the user wrote; None if unknown.
        leaves: the number of arrays in the initial carry that the user wrote.
    """

    began: str
    returned: str
    dtype: str
    leaf: int | None = None
    leaves: int = 0


Untold = TruncatedType | ChangedNumber | UnusedDonation | PromotedCarry


class SilentChangeHooks:
    """Reports the changes that JAX makes without an error, just before JAX makes them.

    Args:
        tell: Called with the change and JAX's frame.
        fail: Receives an error of this package.
    """

    def __init__(self, tell: Callable[[Untold, FrameType], None], fail: Callable[[BaseException], None]) -> None:
        self._tell = tell
        self._fail = fail
        self._modules: list[TellingModule] = []

    def start(self) -> None:
        """Start reporting the changes that JAX makes without an error.

        Raises:
            AttributeError: This version of JAX makes these changes in another way.
        """
        if self._modules:
            return
        dtypes, mlir, loops = map(private, ("dtypes", "interpreters.mlir", "lax.control_flow.loops"))
        truncates, lowers = dtypes._maybe_canonicalize_explicit_dtype.__code__, mlir.lower_jaxpr_to_module.__code__
        promotes = loops._promote_weak_typed_input.__code__
        arrays = private("numpy.array_constructors")
        makes = arrays.array.__code__
        operations, api = private("lax.lax"), private("api")
        converts, puts = operations._convert_element_type.__code__, api.device_put.__code__
        folds = operations._convert_elt_type_folding_rule.__code__
        self._watch(dtypes, "warnings", ("warn",), {truncates: _truncated})
        self._watch(mlir, "warnings", ("warn",), {lowers: _unused})
        self._watch(loops, "dtypes", ("result_type",), {promotes: _promoted})
        self._watch(arrays, "lax", ("stage", "_convert_element_type"), {makes: _made})
        self._watch(operations, "literals", ("TypedNdArray",), {converts: _converted, folds: _folded})
        self._watch(api, "dispatch", ("_batched_device_put_impl",), {puts: _put})

    def _watch(
        self,
        holder: Any,
        name: str,
        functions: tuple[str, ...],
        readers: Mapping[CodeType, Callable[[FrameType], Untold | None]],
    ) -> None:
        def note_change(frame: FrameType) -> None:
            try:
                read = readers.get(frame.f_code)
                if read is not None:
                    change = read(frame)
                    if change is not None:
                        self._tell(change, frame)
            except not_of_a_signal(*FAILURES) as error:
                self._fail(error)

        self._modules.append(TellingModule(holder, name, functions, note_change))

    def stop(self) -> None:
        """Stop reporting the changes, and restore the modules of JAX that were replaced."""
        for module in self._modules:
            module.put_back()
        self._modules.clear()


def _truncated(frame: FrameType) -> Untold:
    local_values = frame.f_locals
    return TruncatedType(exact(str(local_values["dtype"])), exact(str(local_values["canonical_dtype"])))


_WIDE = frozenset({"int64", "uint64", "float64"})
MOST_CHANGES = 50
"""The most silent changes that a run notes: of numbers, of types and carries, of donations."""
_VALUES = 100_000
"""The values of a larger array are not compared: JAX's own conversion takes less time than the comparison."""


def changed_number(array: Any) -> ChangedNumber | None:
    """Return the first value of a NumPy array that JAX changes; None if each value fits JAX's dtype or is rounded.

    A value of an integer array that does not fit wraps around, a value of a float array becomes infinite. Rounding is
    a change where half of the different values of a short float array, or more, become equal to other values.
    """
    import numpy as np
    from jax import dtypes

    if type(array) is not np.ndarray and not issubclass(type(array), np.generic):
        return None
    if array.dtype.name not in _WIDE or not 0 < array.size <= _VALUES:
        return None
    taken = np.dtype(dtypes.canonicalize_dtype(array.dtype))
    if taken == array.dtype:
        return None
    values = np.ravel(array)
    with np.errstate(all="ignore"):
        converted = values.astype(taken)
        if taken.kind == "f":
            changed = np.isfinite(values) & ~np.isfinite(converted)
        else:
            changed = converted != values
    number = int(np.count_nonzero(changed))
    if not number:
        return _made_equal(values, converted) if taken.kind == "f" and values.size <= _SORTED else None
    first = int(np.argmax(changed))
    value, became = values[first].item(), converted[first].item()
    return ChangedNumber(array.dtype.name, taken.name, repr(value), repr(became), number - 1)


_SORTED = 512
"""The values of a longer array are not sorted to find equal ones: that would take too long at each call of a loop."""


def _made_equal(values: Any, converted: Any) -> ChangedNumber | None:
    """Return the change of a float array of which at least half of the different values become equal to others."""
    import numpy as np

    different, first_places = np.unique(values, return_index=True)
    became = converted[first_places]
    after = int(np.unique(became).size)
    if len(different) < 2 or 2 * after > len(different):
        return None
    place = int(np.argmax(became[1:] == became[:-1]))
    pair = repr(different[place].item()), repr(different[place + 1].item())
    return ChangedNumber(values.dtype.name, converted.dtype.name, *pair, 0, different=(len(different), after))


def changed_python_number(number: int | float, dtype: Any) -> ChangedNumber | None:
    """Return the change of a Python number that JAX converts to a dtype; None if the number fits or is rounded.

    An integer wraps around, a large float becomes infinite, and a small one becomes 0. A negative integer that fits the
    signed type of the same size is no change: -1 stands for all bits of an unsigned integer.
    """
    import numpy as np

    taken = np.dtype(dtype)
    kind = "iu" if type(number) is int else "f"
    became: int | float
    if taken.kind not in kind and not (kind == "f" and taken.name == "bfloat16"):
        return None
    with np.errstate(all="ignore"):
        if kind == "iu":
            limits = np.iinfo(taken)
            least = min(int(limits.min), -(1 << (limits.bits - 1)))
            if least <= number <= int(limits.max):
                return None
            became = int(np.asarray(number).astype(taken).item())
        else:
            became = float(np.asarray(number).astype(taken))
            if not np.isfinite(number) or (np.isfinite(became) and (became != 0 or number == 0)):
                return None
    return ChangedNumber(type(number).__name__, taken.name, repr(number), repr(became), 0, is_python=True)


def _made(frame: FrameType) -> ChangedNumber | None:
    """Return the change of a NumPy array, or of a Python number of the user's, of which JAX makes an array.

    Of the numbers, only a float can change: for an integer that does not fit, JAX raises an error.
    """
    from jax import dtypes

    local_values = frame.f_locals
    made_of, dtype = local_values["object"], local_values["dtype"]
    if type(made_of) is not float:
        # with a dtype, the user asks for the conversion
        return changed_number(made_of) if dtype is None else None
    change = changed_python_number(made_of, dtypes.canonicalize_dtype(float if dtype is None else dtype))
    return change if change is not None and _is_given(made_of, frame) else None


def _converted(frame: FrameType) -> ChangedNumber | None:
    """Return the change of a Python number of the user's that JAX converts while it traces."""
    return _changed_by_trace(frame.f_locals["operand"], frame)


def _folded(frame: FrameType) -> ChangedNumber | None:
    """Return the change of a Python number of the user's in a function of JAX that becomes a part of a trace."""
    return _changed_by_trace(frame.f_locals["c"], frame)


def _changed_by_trace(value: Any, frame: FrameType) -> ChangedNumber | None:
    kind = type(value)
    if kind not in (int, float) and not (is_jax_type(kind) and kind.__mro__[1] in (int, float)):
        return None
    number: int | float = int(value) if isinstance(value, int) else float(value)
    change = changed_python_number(number, frame.f_locals["new_dtype"])
    return change if change is not None and _is_given(number, frame) else None


def _is_given(number: int | float, frame: FrameType) -> bool:
    """Return whether the user's line passed a number to the function of JAX that it called."""
    package = frame.f_code.co_filename.partition(f"jax{os.sep}_src")[0]
    outermost = frame
    for caller in _callers(frame):
        if not caller.f_code.co_filename.startswith(package):
            break
        outermost = caller
    values: list[Any] = []
    for value in outermost.f_locals.values():
        values += value if type(value) in (tuple, list) else value.values() if type(value) is dict else [value]
    return any(type(value) is type(number) and value == number for value in values)


def _put(frame: FrameType) -> ChangedNumber | None:
    changes = (changed_number(value) for value in frame.f_locals["x_flat"][:_LEAVES])
    return next((change for change in changes if change is not None), None)


_LEAVES = 64  # the most arrays of one `device_put` whose values are compared


def _unused(frame: FrameType) -> Untold:
    local_values = frame.f_locals
    avals, results = local_values["sharded_in_avals"], local_values["sharded_out_avals"]
    names = local_values["arg_names"] or [""] * len(avals)
    used = local_values["input_output_aliases"] or [None] * len(avals)
    kinds = [_kind(aval) for aval in results]
    used_kinds = [_kind(aval) for aval, result in zip(avals, used, strict=True) if result is not None]
    return UnusedDonation(
        exact(str(local_values["module_name"])),
        tuple(
            DonatedArgument(exact(name or ""), _type(aval), kinds.count(_kind(aval)), used_kinds.count(_kind(aval)))
            for name, aval, is_unused in zip(names, avals, local_values["donated_args"], strict=True)
            if is_unused
        ),
        tuple(map(_type, results)),
        bool(local_values["platforms_with_donation"]),
    )


def _promoted(frame: FrameType) -> Untold | None:
    began, returned = frame.f_locals["in_aval"], frame.f_locals["out_aval"]
    if _width(began) >= _width(returned):
        # JAX promoted nothing: it raises an error later if the body returns a lower kind of number than it received
        return None
    return PromotedCarry(_type(began), _type(returned), exact(str(returned.dtype)), *_leaf(frame))


def _leaf(frame: FrameType) -> tuple[int | None, int]:
    """Return which array of the user's initial carry JAX converts, and the number of these arrays; None if unknown."""
    callers = list(islice(_callers(frame), _FRAMES))
    for number, caller in enumerate(callers):
        names = _LOOPS.get(caller.f_code.co_name)
        if names is None or not all(name in caller.f_locals for name in names):
            continue
        began, returned = (list(caller.f_locals[name]) for name in names)
        outside = (outer.f_code for outer in callers[number + 1 : number + 4])
        is_fori = any((code.co_name, code.co_filename) == ("fori_loop", frame.f_code.co_filename) for code in outside)
        bounds = _BOUNDS[caller.f_code.co_name] if is_fori else 0
        changed = [
            leaf
            for leaf, (old, new) in enumerate(zip(began, returned, strict=True))
            if getattr(old, "weak_type", False) and _kind(old) != _kind(new) and _width(old) < _width(new)
        ]
        own = [leaf - bounds for leaf in changed if leaf >= bounds]
        return own[0] if len(own) == 1 else None, len(began) - bounds
    return None, 0


def _callers(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None and frame.f_back is not None:
        frame = frame.f_back
        yield frame


_FRAMES = 12
# Loop -> the local variables of JAX with the types of the initial carry and of the carry that the body returns.
_LOOPS = {"while_loop": ("init_aval", "body_out_avals"), "scan": ("init_avals", "carry_out_avals")}
# The loop that JAX makes of a fori_loop -> the number of indices and bounds before the user's carry.
_BOUNDS = {"while_loop": 2, "scan": 1}


def _width(aval: Any) -> int:
    return _WIDTH.get(getattr(getattr(aval, "dtype", None), "kind", ""), 0)


# The rank of each kind of number: each kind can represent all kinds of lower rank.
_WIDTH = {"b": 0, "u": 1, "i": 1, "f": 2, "V": 2, "c": 3}


def _kind(aval: Any) -> Any:
    return getattr(aval, "shape", None), str(getattr(aval, "dtype", aval))


def _type(aval: Any) -> str:
    return exact(aval.str_short(short_dtypes=True))
