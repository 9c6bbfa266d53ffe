"""Finds hits that ran a program which has an old value of a name that the function reads from outside.

Suppose that a loop sets a global name to 0.1, 0.2 and 0.1, and calls a jitted function that reads the name. The second
call computes with 0.1, and at the end of the cell the name has its first value again. So the values are compared after
each hit, in JAX's hook after each call. The hook is installed only if the code of the cell may change a value that a
called function reads. The first hits of each function are compared; later hits only as long as the comparisons take at
most a twentieth of the time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ...interruptions import not_of_a_signal
from ...jax.facts import imported
from ...jax.post_hook import Results
from ...plain_text import FAILURES
from ..outside_values.changes_since_trace import ChangedSince
from ..outside_values.kept_contents import array_text
from ..outside_values.values_that_cells_change import ChangesOfCell

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
    """The comparisons of one function: how many, their seconds, and the time before which no hit is compared."""

    times: int = 0
    seconds: float = 0.0
    next_at: float = 0.0


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
            results = Results(self._hit, lambda: None)
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

    def ran(self, record: FunctionRecord, program: Callable[[], KeptProgram | None]) -> None:
        """Compare the outside values after a call that used a program without a trace.

        Args:
            record: The function, or the construct outside of jit.
            program: Returns the program of the call; None if it is unknown.
        """
        if self._run.keeps_programs and len(self.found) < _FOUND and self._has_values(record):
            spent = self._spent.setdefault(record, _Spent())
            begun = time.perf_counter()
            if (spent.times >= _FIRST or spent.seconds > _FIRST_SECONDS) and begun < spent.next_at:
                return
            try:
                self._compare(record, program())
            except not_of_a_signal(*FAILURES) as error:
                self._run.fail(error)
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
            if self._changes.is_known:
                self._may_change[id(traced)] = traced, may_change
        return may_change

    def _compare(self, record: FunctionRecord, program: KeptProgram | None) -> None:
        """Keep the values that differ from those in the program that the call used."""
        if program is None or program.at_trace is None:
            return
        for change in program.at_trace.changed(only_at_once=True):
            # the arrays may be deleted before the note is written, so their texts are made now
            before = change.before._replace(text=array_text(change.before), reference=None)
            after = change.after._replace(text=array_text(change.after), reference=None)
            hit = OldValueHit(record.name, change._replace(before=before, after=after), record.construct)
            self.found.setdefault((record.name, change.name), hit)
