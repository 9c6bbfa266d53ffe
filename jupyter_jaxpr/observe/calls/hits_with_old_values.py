"""Compares, at hits, the values that a function reads from outside with the values that its program has.

Suppose that a loop sets a global name to 0.1, 0.2 and 0.1, and calls a jitted function that reads the name. The second
call computes with 0.1, and at the end of the cell the name has its first value again. So the values are compared after
each hit, in JAX's hook after each call. The hook is installed only if the code of the cell may change a value that a
called function reads. The first hits of each function are compared; later hits only as long as the comparisons take at
most a twentieth of the time, and at the first hit from another place.

A value that changes after the last hit is no fault: `had_no_old_value` tells such values from those with which a call
computed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ...interruptions import not_of_a_signal
from ...jax.facts import imported
from ...jax.post_hook import Results
from ...plain_text import FAILURES
from ..outside_values.changes_since_trace import ChangedSince, ValuesAtTrace
from ..outside_values.kept_contents import array_text
from ..outside_values.values_that_cells_change import ChangesOfCell
from ..user_or_library.users_line_of_call import frames_of_users

if TYPE_CHECKING:
    from ..cell_run import Run
    from ..functions.jitted_functions import FunctionRecord
    from ..programs.programs_of_misses import KeptProgram

# the first comparisons of a function, as long as they take this many seconds, are all made
_FIRST = 1_000
_FIRST_SECONDS = 0.05
_SHARE = 20
# the hook is removed after this many calls of functions that read nothing that the cell may change
_REPORTS = 1_000
_FOUND = 50


class OldValueHit(NamedTuple):
    """A value from outside that at a hit differed from the value in the program that the hit ran.

    Attributes:
        function: The name of the function.
        change: The value; its contents have their texts as at the hit.
        construct: The construct outside of jit whose call found the program; None for a jitted function.
    """

    function: str
    change: ChangedSince
    construct: Any


@dataclass(slots=True)
class _Spent:
    """The comparisons of one function.

    Attributes:
        times: How many comparisons there were.
        seconds: How long they took.
        next_at: The time before which no hit from the same place is compared.
        place: The place of the last hit that was compared.
    """

    times: int = 0
    seconds: float = 0.0
    next_at: float = 0.0
    place: tuple[int, ...] = ()


@dataclass(slots=True)
class _Compared:
    """The comparisons with the values of one trace.

    Attributes:
        traced: The values at the trace.
        changed: The names of the values that differed at a hit.
        unknown: The names of the values that could not be compared at a hit.
    """

    traced: ValuesAtTrace
    changed: set[str] = field(default_factory=set)
    unknown: set[str] = field(default_factory=set)


class OldValueHits:
    """Compares the outside values of functions after the hits of a run.

    Args:
        run: The run.
        record_of: Returns the record of a jitted function.
        file: The file name of the cell's code; None outside of a cell, where nothing is compared.
    """

    def __init__(self, run: Run, record_of: Callable[[Any], FunctionRecord | None], file: str | None) -> None:
        self._run = run
        self._record_of = record_of
        self._changes = None if file is None else ChangesOfCell(file)
        self._results: Results | None = None
        self._reports = 0
        self._spent: dict[FunctionRecord, _Spent] = {}
        self._compared: dict[int, _Compared] = {}  # id of the values of a trace -> the comparisons
        self._lost = False  # True if some hits were not reported or not compared
        self._may_change: dict[int, tuple[Any, bool]] = {}  # id of the values of a trace -> the values, the answer
        self.found: dict[tuple[str, str], OldValueHit] = {}

    def about_to_call(self, called: Any) -> None:
        """Install the hook before a call of `called`, if the cell may change a value in a program of `called`."""
        if self._results is None:
            record = self._record_of(getattr(called, "_fun", None))
            if record is not None:
                self.made_program(record)

    def before_calls(self, records: Iterable[FunctionRecord]) -> None:
        """Install the hook if the cell may change a value in a program of these functions.

        Needed on Python 3.11, which does not report a call before the call runs.
        """
        for record in records:
            self.made_program(record)

    def made_program(self, record: FunctionRecord) -> None:
        """Install the hook if the cell may change a value that a program of the function has."""
        if self._results is not None or not imported() or not self._run.keeps_programs:
            return
        if record.construct is None and self._has_values(record):
            results = Results(self._hit, self._lose)
            try:
                results.start()
            except AttributeError:  # this version of JAX has no such hook: the values at hits stay unknown
                return
            self._results = results

    def stop(self) -> None:
        """Remove the hook, and forget the functions, so that the run keeps no program alive."""
        self._spent.clear()
        self._may_change.clear()
        if self._results is not None:
            self._results.stop()
            self._results = None

    def had_no_old_value(self, traced: ValuesAtTrace, name: str) -> bool:
        """Return whether the hits that ran a program had no other value of a name than the program.

        Args:
            traced: The values at the trace of the program.
            name: The name of the value, which has changed since the trace.
        """
        compared = self._compared.get(id(traced))
        if compared is None or compared.traced is not traced or self._lost:
            return False
        return name not in compared.changed and not any(name.startswith(unknown) for unknown in compared.unknown)

    def ran(self, record: FunctionRecord, program: Callable[[], KeptProgram | None], has_traced: bool = False) -> None:
        """Compare the outside values after a call.

        Args:
            record: The function, or the construct outside of jit.
            program: Returns the program of the call; None if it is unknown.
            has_traced: True if the call traced the program, so that only values of earlier traces can be old.
        """
        if self._run.keeps_programs and self._has_values(record):
            if len(self.found) >= _FOUND:
                return self._lose()
            spent = self._spent.setdefault(record, _Spent())
            begun = time.perf_counter()
            place = tuple(frame.f_lasti for frame in frames_of_users())
            is_often = spent.times >= _FIRST or spent.seconds > _FIRST_SECONDS
            if is_often and begun < spent.next_at and place == spent.place and not has_traced:
                return
            try:
                self._compare(record, program(), has_traced)
            except not_of_a_signal(*FAILURES) as error:
                self._lose()
                self._run.fail(error)
            if has_traced:
                return
            spent.place = place
            ended = time.perf_counter()
            spent.times += 1
            spent.seconds += ended - begun
            spent.next_at = ended + _SHARE * (ended - begun)

    def _hit(self, called: Any, args: tuple[Any, ...], kwargs: dict[str, Any], _: Any) -> None:
        record = self._record_of(getattr(called, "_fun", None))
        self._reports += 1
        if not self._spent and self._reports > _REPORTS:
            self.stop()
        if record is not None and record.construct is None:
            self.ran(record, lambda: self._program_of_hit(record, called, args, kwargs))

    def _program_of_hit(
        self, record: FunctionRecord, called: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> KeptProgram | None:
        programs: list[KeptProgram] = list(record.programs.values())
        if len(programs) == 1:
            return programs[0]
        hit_programs = self._run.hit_programs
        return None if hit_programs is None else hit_programs.program_of(record, called, args, kwargs)[0]

    def _has_values(self, record: FunctionRecord) -> bool:
        """Return whether the cell may change a value that a program of the function has."""
        if self._changes is None or record.library or record.equinox or record.pmap or record.unkept:
            return False
        return any(self._may(program) for program in list(record.programs.values()))

    def _may(self, program: KeptProgram) -> bool:
        traced = program.at_trace
        if traced is None or self._changes is None:
            return False
        earlier, may_change = self._may_change.get(id(traced), (None, False))
        if earlier is not traced:
            may_change = traced.may_change(self._changes)
            if self._changes.can_read:
                self._may_change[id(traced)] = traced, may_change
        return may_change

    def _lose(self) -> None:
        self._lost = True

    def _compare(self, record: FunctionRecord, program: KeptProgram | None, has_traced: bool) -> None:
        """Keep the values that differ from those in the program that the call used."""
        programs = list(record.programs.values()) if program is None else [program]
        changes: list[ChangedSince] = []
        for traced in (record.at_trace if program is None else None, *(kept.at_trace for kept in programs)):
            if traced is not None:
                compared = self._compared.setdefault(id(traced), _Compared(traced))
                changes = traced.changed(compared.unknown)
                compared.changed |= {change.name for change in changes}
        if program is None or program.at_trace is None or has_traced:
            return
        for change in changes:
            if change.of_static is not None or change.cached is not None:
                continue
            # the arrays may be deleted before the note is written, so their texts are made now
            before = change.before._replace(text=array_text(change.before), reference=None)
            after = change.after._replace(text=array_text(change.after), reference=None)
            hit = OldValueHit(record.name, change._replace(before=before, after=after), record.construct)
            self.found.setdefault((record.name, change.name), hit)
