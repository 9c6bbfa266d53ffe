"""Finds which program a cache hit ran, if the function has several programs.

A hit runs no Python of JAX. JAX's hook after each call receives the arguments of the hit. For these arguments, JAX
returns the trace, which identifies the program. The hook is installed when a function with several programs is about to
be called. The first hits of such a function are all examined; later hits only as long as the examinations take at most
a twentieth of the time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...interruptions import not_of_a_signal
from ...jax.facts import imported
from ...jax.held_traces import call_leaves
from ...jax.post_hook import Results
from ...plain_text import FAILURES
from ..cache.key_of_call import key_of
from ..cache.miss_reasons import is_equal
from ..cache.types_and_layouts_of_key import Key
from ..user_or_library.properties_of_user_classes import comparing_class, read_by_users_code

if TYPE_CHECKING:
    from ..cell_run import Run
    from ..functions.jitted_functions import FunctionRecord
    from ..programs.programs_of_misses import KeptProgram

ALL_OF_THE_FIRST = 32
"""The number of first calls of a function that are all examined; an examination takes 10 us."""

_TYPES = 32
"""The most argument types that are kept for hits of unknown programs."""

_SHARE = 20
"""After the first calls, at most 1 / _SHARE of the elapsed time is spent on examinations."""


@dataclass(slots=True)
class Looks:
    """The examined hits of one function with several programs.

    Attributes:
        skipped: the number of hits that were not examined.
        unknown: the number of examined hits whose program is unknown.
        typed: the number of hits whose program is unknown but whose argument types are known.
        types: the argument types of the hits that `typed` counts.
        next_at: the time before which no hit is examined, by `time.perf_counter`.
        all_seen: true if the run already has all programs of the function, so that no further hit needs to be examined.
    """

    looked: int = 0
    skipped: int = 0
    unknown: int = 0
    typed: int = 0
    types: set[tuple[Any, ...]] = field(default_factory=set)
    next_at: float = 0.0
    all_seen: bool = False

    @property
    def told(self) -> int:
        """The number of examined hits whose program was found."""
        return self.looked - self.unknown

    @property
    def calls(self) -> int:
        """The number of all hits that JAX's hook reported."""
        return self.looked + self.skipped


def input_types(program: Any) -> tuple[Any, ...]:
    """Return the type of each input of a jaxpr."""
    return tuple(variable.aval for variable in getattr(program, "jaxpr", program).invars)


class HitPrograms:
    """Finds the programs that the hits of a run executed.

    Args:
        run: The run that receives the programs.
        record_of: Returns the record of a jitted function.
        looking_away: Returns a context manager. Within the context the observer records nothing, because this package
            calls JAX.
    """

    def __init__(
        self,
        run: Run,
        record_of: Callable[[Any], FunctionRecord | None],
        looking_away: Callable[[], AbstractContextManager[Any]],
    ) -> None:
        self._run = run
        self._record_of = record_of
        self._looking_away = looking_away
        self._looks: dict[FunctionRecord, Looks] = {}
        self._results: Results | None = None
        self._is_asking = False
        self._not_users: set[type] = set()
        self.all_told = True

    def about_to_call(self, called: Any) -> None:
        """Install the hook if `called` has several programs; runs before a first call of `called` from a new place."""
        if self._results is None:
            record = self._record_of(getattr(called, "_fun", None))
            if record is not None and not record.library and record.construct is None and record.has_several:
                self.start()

    def start(self) -> None:
        """Install JAX's hook after each call; do nothing if it is installed."""
        if self._results is not None or not imported() or not self._run.keeps_programs:
            return
        self._results = Results(self._hit, self._lose)
        try:
            self.all_told = self._results.start()
        except AttributeError as error:  # this version of JAX has no such hook: the programs of hits stay unknown
            self.all_told = False
            self._run.fail(error)

    def stop(self) -> None:
        """Remove the hook that reports hits."""
        if self._results is not None:
            self._results.stop()
            self.all_told &= not self._results.overflowed

    def of(self, record: FunctionRecord) -> Looks | None:
        """Return the counts and programs of the cache hits of a function; None if JAX reported no hit."""
        return self._looks.get(record)

    def _lose(self) -> None:
        self.all_told = False

    def _hit(self, called: Any, args: tuple[Any, ...], kwargs: dict[str, Any], _: Any) -> None:
        record = self._record_of(getattr(called, "_fun", None))
        if record is None or record.library or not record.has_several or record.construct is not None:
            return
        looks = self._looks.get(record)
        if looks is None:
            looks = self._looks[record] = Looks()
        if looks.all_seen or self._is_asking:
            return
        begun = time.perf_counter()
        if looks.looked >= ALL_OF_THE_FIRST and begun < looks.next_at:
            looks.skipped += 1
            return
        looks.looked += 1
        self._is_asking = True
        try:
            program, types = self.program_of(record, called, args, kwargs)
            if program is None:
                looks.unknown += 1
                if types is not None and (types in looks.types or len(looks.types) < _TYPES):
                    looks.typed += 1
                    looks.types.add(types)
            else:
                activity = self._run.activity(record)
                activity.reuse(program)
                from ..programs.programs_of_misses import (
                    own_programs,  # an import at the top of the file would be circular
                )

                looks.all_seen = not record.unkept and all(
                    program.key in activity.programs for program in own_programs(record)
                )
        except not_of_a_signal(*FAILURES) as error:
            looks.unknown += 1
            self._run.fail(error)
        finally:
            self._is_asking = False
        ended = time.perf_counter()
        looks.next_at = ended + _SHARE * (ended - begun)

    def program_of(
        self, record: FunctionRecord, called: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[KeptProgram | None, tuple[Any, ...] | None]:
        """Return the program that a hit ran and the types of the call's arguments; each is None if unknown.

        The program is unknown if it was not kept, or if several programs are possible.
        """
        compared = comparing_class(type(called._fun)) or read_by_users_code((args, kwargs), self._not_users)
        if compared is not None:
            return None, None  # JAX would have to call methods of the user's objects, so the program stays unknown
        with self._looking_away():
            traced = call_leaves(called, args, kwargs)
        if traced is None:
            return None, None
        types = input_types(traced[0])
        programs: list[KeptProgram] = [program for program in record.programs.values() if program.jaxpr is traced[0]]
        if len(programs) < 2:
            return (programs[0] if programs else None), types
        # JAX may compile one trace several times, for arguments on different devices.
        if record.equinox or record.pmap:
            return None, types
        key = key_of(called._jit_info, args, kwargs, called._fun, self._run.reading)
        of_key = [program for program in programs if any(self._is_equal(old, key) for old in program.keys)]
        # for equal keys, JAX's cache holds the program that was made last
        return (of_key[-1] if of_key else None), types

    def _is_equal(self, old: Key, new: Key) -> bool:
        return is_equal(old, new, self._run.reading)
