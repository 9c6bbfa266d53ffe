"""Counts the calls of a jitted function that get the same random key again and again, at the same place of the code.

JAX's hook after each hit receives the arguments and the result. Two calls in a row count if the key is the same object,
and if either all other arguments are the same as well, so that the results are equal, or one of them is a result of the
call before, so that the calls are the steps of one computation. Calls with other arguments may get the same key on
purpose, such as to compare settings. The hook is installed only if a program of a called function has a random key as
an argument, and removed after the first calls. No method of the user's objects runs, and no object is kept alive.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

from ...interruptions import not_of_a_signal
from ...jax.facts import imported
from ...jax.post_hook import Results
from ...plain_text import FAILURES
from ..observation import Place
from ..user_or_library.users_line_of_call import frames_of_users, user_place

if TYPE_CHECKING:
    from ..cell_run import Run
    from ..functions.jitted_functions import FunctionRecord

_HITS = 2_000  # After this many hits that JAX's hook reported, the hook is removed for good.
_PLACES = 200
_LEAVES = 64
_PLAIN = (bool, int, float, complex, str, bytes, type(None))


class SameKey(NamedTuple):
    """Calls of a function at one place that got the same key.

    Attributes:
        record: The function.
        place: The line of the calls.
        codes: The names that the code of the user's functions on the stack of the call reads.
        key: The number of the key among the keys in the arguments, in JAX's order.
        keys: The number of keys in the arguments.
        times: The number of calls.
        is_exact: False if there may have been more calls.
        is_next: True if a call got a result of the call before.
    """

    record: FunctionRecord
    place: Place
    codes: frozenset[str]
    key: int
    keys: int
    times: int
    is_exact: bool
    is_next: bool


@dataclass(slots=True)
class _Calls:
    """The calls of a function at one place: the arguments and the results of the last one, and the counts by key."""

    record: FunctionRecord
    place: Place
    codes: frozenset[str]
    leaves: list[Any]
    results: list[Any] | None
    times: list[int]
    most: list[int] = field(default_factory=list)
    is_next: list[bool] = field(default_factory=list)


class CallsWithSameKey:
    """Counts the calls of a run that got the same key as the call before.

    Args:
        run: The run.
        record_of: Returns the record of a jitted function.
    """

    def __init__(self, run: Run, record_of: Callable[[Any], FunctionRecord | None]) -> None:
        self._run = run
        self._record_of = record_of
        self._results: Results | None = None
        self._hits = 0
        self._calls: dict[tuple[Any, ...], _Calls] = {}

    def about_to_call(self, called: Any) -> None:
        """Install the hook before a call of `called`, if a program of `called` has a random key as an argument."""
        if self._results is None:
            record = self._record_of(getattr(called, "_fun", None))
            if record is not None:
                self.made_program(record)

    def before_calls(self, records: Iterable[FunctionRecord]) -> None:
        """Install the hook if one of these functions may be called with a random key.

        Needed on Python 3.11, which does not report a call before the call runs.
        """
        for record in records:
            self.made_program(record)

    def made_program(self, record: FunctionRecord) -> None:
        """Install the hook if a program of the function has a random key as an argument."""
        if self._results is not None or self._hits >= _HITS or not imported() or not self._run.keeps_programs:
            return
        if _is_users(record) and any(
            is_key_type(aval) for program in record.programs.values() for aval in program.jaxpr.in_avals
        ):
            results = Results(self._hit, self.stop)
            try:
                results.start()
            except AttributeError:  # this version of JAX has no such hook: the keys of hits stay unknown
                self._hits = _HITS
                return
            self._results = results

    def stop(self) -> None:
        """Remove the hook that reports hits."""
        if self._results is not None:
            self._results.stop()
            self._results = None

    def missed(self, record: FunctionRecord, args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType) -> None:
        """Keep references to the arguments of a call that missed the cache."""
        if self._run.keeps_programs and _is_users(record) and self._hits < _HITS:
            self._called(record, args, kwargs, None, frame)

    def found(self) -> Iterator[SameKey]:
        """Yield the calls that got the same key at least twice in a row."""
        is_exact = self._hits < _HITS
        for calls in self._calls.values():
            for number, times in enumerate(calls.most):
                if times > 1:
                    facts = calls.record, calls.place, calls.codes, number, len(calls.most), times
                    yield SameKey(*facts, is_exact, calls.is_next[number])

    def _hit(self, called: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        self._hits += 1
        record = self._record_of(getattr(called, "_fun", None))
        if record is not None and _is_users(record):
            self._called(record, args, kwargs, result, None)
        if self._hits >= _HITS:
            self.stop()

    def _called(
        self, record: FunctionRecord, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, at: FrameType | None
    ) -> None:
        try:
            leaves = _leaves((args, dict(sorted(kwargs.items()))))
            keys = [leaf for leaf in leaves or () if is_key(leaf)]
            if leaves is None or not keys:
                return
            frames = frames_of_users(at)
            mark = (id(record), *((id(frame.f_code), frame.f_lasti) for frame in frames))
            calls = self._calls.get(mark)
            if calls is None:
                place = user_place(frames[0]) if frames else None
                if place is None or len(self._calls) >= _PLACES:
                    return
                codes = frozenset(name for frame in frames for name in frame.f_code.co_names)
                calls = self._calls[mark] = _Calls(record, place, codes, [], None, [])
            self._count(calls, leaves, keys)
            calls.leaves = [_reference(leaf) for leaf in leaves]
            results = None if at is not None else _leaves(result)
            calls.results = None if results is None else [_reference(leaf) for leaf in results]
        except not_of_a_signal(*FAILURES) as error:
            self._hits = _HITS
            self._run.fail(error)

    def _count(self, calls: _Calls, leaves: Sequence[Any], keys: Sequence[Any]) -> None:
        """Compare the arguments of a call with those of the call before at the same place."""
        before = [reference() for reference in calls.leaves]
        if len(before) != len(leaves) or len(calls.times) != len(keys):
            calls.times = [1] * len(keys)
            calls.most = [1] * len(keys)
            calls.is_next = [False] * len(keys)
            return
        same = [_is_same(old, new) for old, new in zip(before, leaves, strict=True)]
        results = {id(value) for reference in calls.results or () if _is_array(value := reference())}
        is_next = any(id(leaf) in results for leaf, is_same in zip(leaves, same, strict=True) if not is_same)
        # The results of a call that missed the cache are unknown: whether the next call goes on with them is, too.
        is_unknown = calls.results is None and not all(same)
        key_is_same = [is_same for leaf, is_same in zip(leaves, same, strict=True) if is_key(leaf)]
        for number, is_same in enumerate(key_is_same):
            if is_same and (all(same) or is_next or is_unknown):
                calls.times[number] += 1
                if not is_unknown:
                    calls.most[number] = max(calls.most[number], calls.times[number])
                    calls.is_next[number] |= is_next
            else:
                calls.times[number] = 1


def is_key_type(aval: Any) -> bool:
    """Return whether a type is that of one random key: a typed key, or two or four numbers of uint32."""
    import jax

    if aval.shape == ():
        return bool(jax.numpy.issubdtype(aval.dtype, jax.dtypes.prng_key))
    return aval.shape in ((2,), (4,)) and bool(aval.dtype == "uint32")


def is_key(value: Any) -> bool:
    """Return whether a value is an array with the type of one random key."""
    return _is_array(value) and is_key_type(value)


def _is_array(value: Any) -> bool:
    import jax

    return issubclass(type(value), jax.Array)


def _is_users(record: FunctionRecord) -> bool:
    return not (record.library or record.equinox or record.pmap or record.unkept or record.construct is not None)


def _leaves(value: Any) -> list[Any] | None:
    """Return the values in tuples, lists and dicts, in JAX's order; None if there are too many, or no such order."""
    leaves: list[Any] = []
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if type(part) in (tuple, list):
            waiting += reversed(part)
        elif type(part) is dict:
            if not all(type(name) is str for name in part):
                return None
            waiting += [part[name] for name in sorted(part, reverse=True)]
        else:
            leaves.append(part)
        if len(leaves) + len(waiting) > _LEAVES:
            return None
    return leaves


def _reference(value: Any) -> Callable[[], Any]:
    """Return a weak reference to a value; a plain number or text is kept, and a value without references is lost."""
    if type(value) in _PLAIN:
        return lambda: value
    try:
        reference = weakref.ref(value)
    except TypeError:
        return lambda: _GONE
    return lambda: _GONE if (living := reference()) is None else living


_GONE = object()


def _is_same(old: Any, new: Any) -> bool:
    if type(old) in _PLAIN:
        return type(old) is type(new) and bool(old == new)
    return old is new
