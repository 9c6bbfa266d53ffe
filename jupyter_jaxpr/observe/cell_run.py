"""Collects what happens between the start and the end of one cell, and returns it as an `Observation`.

- `FunctionActivity`: the counts and the programs of one function in this run.
- `Run`: the activity of all functions, the printed text, the traced lines, and the present stage of JAX.
"""

from __future__ import annotations

import sys
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..interruptions import not_of_a_signal
from ..jax.constructs_outside_jit import construct_of_trace
from ..jax.facts import imported, staging
from ..jax.functions_that_only_trace import TracedAhead
from ..jax.post_hook import LastCalls
from ..jax.silent_type_and_value_changes import ChangedNumber, PromotedCarry, TruncatedType, UnusedDonation
from ..joined_names import in_a_sentence
from ..plain_text import traceback_text
from ..quantities import count
from .cache.ledger_for_scripts import Ledger
from .cache.ledger_rows import Calls
from .calls.arguments_of_calls import KeptCalls
from .calls.call_counter import CallCounter
from .calls.calls_with_same_key import CallsWithSameKey
from .calls.counted_lines import CallLines
from .calls.dropped_updates_at_calls import UpdateCalls
from .calls.entry_hits import EntryHits
from .calls.hit_programs import HitPrograms, Looks, input_types
from .calls.hits_with_equal_statics import StaticHits
from .calls.hits_with_old_values import OldValueHits
from .calls.impure_calls_while_tracing import ImpureCalls
from .calls.printed_output import PrintRecorder
from .calls.sentences_on_call_numbers import (
    ELSEWHERE,
    NOT_ALL,
    UNLISTED,
    not_counted,
)
from .calls.sys_monitoring import HAS_MONITORING
from .calls.untraced_lines import LineRecorder
from .functions.function_inside_wrappers import name_of
from .functions.jitted_functions import FunctionRecord
from .loop_of_running_trace import ProgramUnderWay
from .observation import EagerCompile, LineReading, Observation, ObservedFunction, ObservedProgram, Place
from .outside_values.changes_since_trace import ChangedByTrace
from .programs.programs_of_misses import KeptProgram, own_programs
from .programs.sentences_above_program import CANDIDATE, MORE_PROGRAMS, SKIPPED
from .programs.traces_without_call import TRACES_AHEAD, KeptTrace, with_traces
from .reprs_of_users_values import Reading
from .stage_times_of_call import Tally
from .types_beside_code.values_of_names import NamedValues, NameRecorder
from .user_or_library.library_functions import is_of_jax

PROGRAMS_PER_FUNCTION = 32
EAGER_COMPILES = 1_000
_UNSEEN = 100


class FunctionActivity:
    """The counts and programs of one function in a run.

    All function objects with the same name and the same def line share one `FunctionActivity`.

    Attributes:
        calls_missed: misses of calls that the counter does not see, such as calls from map().
        handed: how often the function was passed to C code such as map(), which may have called the function.
        calls_raised: calls that raised; if a call raised before JAX looked for a cache entry, it is no miss.
        called_at: the line of the last call, if the function is a construct such as `lax.scan`.
        programs_reused: programs that certainly ran from the cache in some call.
        raised_trace: the program of the last trace that raised, up to the error.
    """

    def __init__(self, record: FunctionRecord, keeps_programs: bool = True) -> None:
        self.record = record
        self._keeps_programs = keeps_programs
        self.calls = 0
        # living function object -> [calls that the counter saw, those of them that were no hit, hits whose program is
        # known]
        self._of_objects: weakref.WeakKeyDictionary[FunctionRecord, list[int]] = weakref.WeakKeyDictionary()
        self.calls_missed = 0
        self.handed = 0
        self.calls_raised = 0
        self.misses = 0
        self.inlined = 0
        self.raised = 0
        self.called_at: Place | None = None
        self.traces = 0
        self.lowerings = 0
        self.compiles = 0
        self.from_disk = 0
        self.dropped = 0
        self.programs: dict[tuple[int, int], tuple[KeptProgram, bool, str | None]] = {}
        self.programs_reused: dict[tuple[int, int], KeptProgram] = {}
        self.raised_trace: ObservedProgram | None = None

    @property
    def all_calls(self) -> int:
        """The number of calls that the counter saw, plus the misses of calls that the counter does not see."""
        return self.calls + self.calls_missed

    @property
    def unseen(self) -> int:
        """How often the counter may have missed calls: unseen misses, and times that C code got the function.

        The number is 0 if the counts are exact.
        """
        return self.calls_missed + self.handed

    def called(self, record: FunctionRecord, times: int) -> None:
        """Count `times` calls of one function object."""
        self.calls += times
        self._of_object(record)[0] += times

    def missed(self, record: FunctionRecord, times: int) -> None:
        """Count `times` misses of one function object."""
        self._of_object(record)[1] += times

    def hits_of(self, record: FunctionRecord) -> int:
        """Return how many of the calls that the counter saw of a function object were hits."""
        calls, uncounted, _ = self._of_object(record)
        return max(calls - uncounted, 0)

    def hits_ran(self, record: FunctionRecord, program: KeptProgram) -> None:
        """Record that all hits of a function object until now ran `program`."""
        self._of_object(record)[2] = self.hits_of(record)
        self.reuse(program)

    def reuse(self, program: KeptProgram) -> None:
        """Record that a call ran this program from the cache."""
        self.programs_reused[program.key] = program
        self.use(program, in_this_run=False)

    def objects_with_hits(self) -> list[tuple[FunctionRecord, int]]:
        """Return (function object, number of its hits whose program is unknown) for each object with hits."""
        hits = [(record, self.hits_of(record)) for record in list(self._of_objects)]
        return [(record, number - self._of_object(record)[2]) for record, number in hits if number > 0]

    def _of_object(self, record: FunctionRecord) -> list[int]:
        counts = self._of_objects.get(record)
        if counts is None:
            counts = self._of_objects[record] = [0, 0, 0]
        return counts

    def add(self, tally: Tally) -> None:
        """Add the numbers of traces, lowerings and compiles of one call to the counts of the function."""
        self.traces += tally.traces
        self.lowerings += tally.lowerings
        self.compiles += tally.compiles
        self.from_disk += tally.from_disk

    def use(self, program: KeptProgram, in_this_run: bool, note: str | None = None) -> None:
        """Add a program to the run.

        The first call of `use` for a program decides whether this run made the program.
        """
        key = program.key
        if key in self.programs or not self._keeps_programs:
            return
        if len(self.programs) >= PROGRAMS_PER_FUNCTION:
            self.dropped += 1
            return
        self.programs[key] = (program, in_this_run, note)

    def observed(
        self, counted: bool, seen_all: bool, since: float, hit_programs: HitPrograms | None = None
    ) -> ObservedFunction:
        """Return the record of the function for the observation.

        Args:
            counted: True if calls were counted in this run.
            seen_all: True if the counter saw all calls of the function.
            since: The time at which the run began, by `time.perf_counter`.
            hit_programs: Finds the programs of those hits that JAX's hook reported; None if no hook was installed.
        """
        calls = self.all_calls
        return ObservedFunction(
            name=self.record.name,
            definition=self.record.definition,
            construct=self.record.construct is not None,
            handed=self.handed > 0,
            called_at=self.called_at,
            programs=[*filter(None, [self.raised_trace]), *self._observed_programs(since, hit_programs)],
            top_level=self._top_level(),
            calls=calls or (0 if counted else None),
            calls_exact=self.record.construct is not None or (counted and seen_all and not self.unseen),
            misses=self.misses,
            traces=self.traces,
            lowerings=self.lowerings,
            compiles=self.compiles,
            from_disk=self.from_disk,
            inlined=self.inlined,
            raised=max(self.raised, self.calls_raised),
        )

    def _top_level(self) -> bool:
        """Return whether the user's code called the function.

        Otherwise JAX called the function only within the trace of another function.
        """
        return self.misses > 0 or self.all_calls > self.inlined

    def _observed_programs(self, since: float, hit_programs: HitPrograms | None) -> list[ObservedProgram]:
        candidates: list[ObservedProgram] = []
        for record in list(self._of_objects):
            if record.construct is None and self._keeps_programs:
                candidates += self._of_hits(record, hit_programs, since)
        chosen = list(self.programs.values())
        programs = [
            replace(program.observed(in_this_run, note), values_since=since) for program, in_this_run, note in chosen
        ]
        if self.record.history is not None and self.record.history[0].compiled_at >= since:
            # JAX compiled a program of the function during the run. If calls of this run made no program, or fewer
            # programs than JAX compiled, JAX compiled one before a call ran it: ahead of time, in another thread, or in
            # a call that raised.
            made_by_calls = sum(in_this_run for _, in_this_run, _ in chosen) + self.dropped
            is_ahead = self.compiles == 0 or self.compiles > made_by_calls
            how = "compiled before a call ran it" if is_ahead else "compiled earlier"
            programs = [
                replace(observed_program, how=how)
                if observed_program.origin == "seen_before" and not observed_program.how and program.seen_at >= since
                else observed_program
                for observed_program, (program, *_) in zip(programs, chosen, strict=True)
            ]
        return programs + candidates

    def _of_hits(self, record: FunctionRecord, hit_programs: HitPrograms | None, since: float) -> list[ObservedProgram]:
        """Add to the run the programs that hits of a function object certainly ran.

        Return the programs that a hit may have run.
        """
        hits = self.hits_of(record)
        if len(self._of_objects) == 1:  # a call that raised before JAX looked for a cache entry is no hit
            hits -= max(self.calls_raised - self.raised, 0)
        programs = own_programs(record)
        if hits <= 0 or not programs:
            return []
        if len(programs) == 1 and not record.unkept:
            self.use(programs[0], in_this_run=False)
            return []
        candidates = [program for program in programs if program.key not in self.programs]
        looks = None if hit_programs is None else hit_programs.of(record)
        if looks is None:
            looks = Looks()
        if looks.all_seen or not (candidates or record.unkept):
            return []
        unknown = hits - self._of_object(record)[2] - looks.looked + looks.unknown - looks.skipped
        if unknown > 0:
            known = f"{count(len(programs), 'program')} of {record.name}"
            if unknown <= looks.typed:
                of_types = [program for program in programs if input_types(program.jaxpr) in looks.types]
                if len(of_types) < len(programs):
                    known = f"{count(len(of_types), 'program')} of {record.name} with the argument types of these calls"
                    programs = of_types
                    candidates = [program for program in candidates if program in of_types]
            more_text = MORE_PROGRAMS if record.unkept else ""
            why = CANDIDATE.format(name=record.name, calls=count(unknown, "call"), known=known, more_programs=more_text)
            phrase = (
                "may be the program that ran"
                if len(programs) == 1
                else f"one of {len(programs)} programs that may have run"
            )
            return [
                replace(program.observed(False, why), how=phrase, is_candidate=True, values_since=since)
                for program in candidates
            ]
        if looks.skipped:
            looked = SKIPPED.format(name=record.name, skipped=count(looks.skipped, "call"))
            of_record = [key for key in self.programs if key in record.programs]
            for key in of_record[-1:]:
                program, in_this_run, note = self.programs[key]
                sentences = filter(None, [note or program.note(in_this_run), looked])
                self.programs[key] = program, in_this_run, " ".join(sentences)
        return []


class Run:
    """One observed cell or block.

    Args:
        file: the `co_filename` of the cell's code; None outside of a cell.
        library: `id`s of library functions, which are not counted.
        keep_values: True to keep the values of each function's last call.

    Attributes:
        in_cell: true if a cell is observed; on Python 3.11, calls are counted only in cells.
        named_values: the values of names in all runs of the kernel, if an observer keeps them.
        traced_names: the functions that JAX traces at present, the innermost one last.
        changed_by_traces: (function name, path) -> the first change of the path by a trace.
        truncated: user's expression that requested a dtype -> the dtype that JAX truncated, such as float64 to float32.
        changed_numbers: user's expression that passed a NumPy array -> the number that does not fit into the dtype that
            JAX uses.
        promoted: user's expression that called a loop -> the carry whose dtype the loop promoted.
        unused_donations: (function name, place of its def) -> the donated arguments that XLA could not use.
        traced_objects: id of a function -> weak reference to the function, for the functions that JAX traces at
            present.
        look_before: a function that is called before the first trace of each user function, and before each trace with
            static arguments of the user's classes; gets the function and these arguments.
        traced_functions: (name of a traced function, the result of `look_before` for this function).
        library_programs: (a library's function with its program, the recording that also holds the program).
        raised_outside: function name -> the function with its equations up to the error, for traces outside of jit that
            raised.
        ahead: the names of functions that the user traced or lowered without a call, with `f.trace(x)` or `f.lower(x)`.
        stage_counts: (function name, JAX event) -> the number of stages; filled only if JAX's events are observed
            without hooks.
        called_elsewhere: (name, place of the def) of functions that other threads called during the run.
        unseen: jitted functions that were called, but had no miss in this run.
        raised_unseen: functions without a miss in this run whose calls all raised before JAX looked for a cache entry.
        reading: the reprs of the user's objects that were made during the run.
        when_installed: a function to call when the hooks are installed; for a cell that itself imports JAX.
        keeps_programs: false in a block of `observe()`, because a kept program keeps its captured constants alive.
    """

    def __init__(
        self, file: str | None = None, library: Mapping[int, int] | None = None, keep_values: bool = False
    ) -> None:
        self.keep_values = keep_values
        self.kept_calls = KeptCalls()
        self.last_calls = LastCalls(self.kept_calls.hit)
        self.entry_hits: EntryHits | None = None
        self.hit_programs: HitPrograms | None = None
        self.static_hits: StaticHits | None = None
        self.old_value_hits: OldValueHits | None = None
        self.same_keys: CallsWithSameKey | None = None
        self.thread = threading.get_ident()
        self.started_at = time.perf_counter()
        self.file = file
        self.in_cell = file is not None
        self.functions: dict[tuple[str, Place | None], FunctionActivity] = {}
        self.counter = CallCounter(library)
        self.call_lines = CallLines()
        self.ledger: Ledger | None = None
        self.library_before: dict[int, int] = {}
        self.lines = LineRecorder(file) if file is not None else None
        self.prints = PrintRecorder(self._traced_function)
        self.names = NameRecorder(self.fail)
        self.reads_names = True
        self.named_values = NamedValues()
        self.traced_names: list[str] = []
        self.impure_calls = ImpureCalls(self._staged_function, self._staged_construct, self.fail)
        self.update_calls = UpdateCalls(self.fail)
        self.changed_by_traces: dict[tuple[str, str], ChangedByTrace] = {}
        self.truncated: dict[Place, TruncatedType] = {}
        self.changed_numbers: dict[Place, ChangedNumber] = {}
        self.promoted: dict[Place, PromotedCarry] = {}
        self.unused_donations: dict[tuple[str, Place | None], UnusedDonation] = {}
        self.traced_objects: dict[int, weakref.ref[Any]] = {}
        self.look_before: Callable[[Any, Mapping[str, Any]], Any] | None = None
        self.traced_functions: list[tuple[str, Any]] = []
        self.library_programs: list[tuple[ObservedFunction, Any]] = []
        self.library_programs_left_out = 0
        self.eager: list[EagerCompile] = []
        self.traces_ahead: list[KeptTrace] = []
        self.raised_outside: dict[str, ObservedFunction] = {}
        self.ahead: set[str] = set()
        # (name, place of the def) of the functions in `ahead` that JAX then lowered or compiled
        self._ahead: dict[tuple[str, Place | None], None] = {}
        self.stage_counts: Counter[tuple[str | None, str]] = Counter()
        self.called_elsewhere: set[tuple[str, Place | None]] = set()
        self.unseen: list[Any] = []
        self.raised_unseen: list[Any] = []
        # id of a function -> the number of its calls that were no miss and did not raise
        self._unseen_calls: dict[int, int] = {}
        self.failures: list[str] = []
        self.reading = Reading()
        self.ended = False
        self.under_way = ProgramUnderWay()
        self.when_installed: Callable[[], None] | None = None
        self.keeps_programs = True

    def hold_last_calls(self) -> None:
        """Start to keep last calls and to count hits for each entry, if the user asked for this and JAX is imported."""
        if self.keep_values and imported():
            self.last_calls.start()
        if self.entry_hits is not None and imported():
            self.entry_hits.start()

    def activity(self, record: FunctionRecord) -> FunctionActivity:
        """Return the counts of a function in this run; the first request makes the counts."""
        key = (record.name, record.definition)
        activity = self.functions.get(key)
        if activity is None:
            # a new record keeps the run from adding programs to the function's record in the kernel
            if not self.keeps_programs:
                record = FunctionRecord(record.name, record.jit_name, record.definition, record.library)
            activity = self.functions[key] = FunctionActivity(record, self.keeps_programs)
        elif self.keeps_programs and activity.record is not record and record.programs:
            activity.record = record  # `record` belongs to a newer function object from the same def line
        return activity

    def ledger_calls(self) -> list[Calls]:
        """Return the number of calls of each function until now, for the ledger."""
        counts = self.counted and (HAS_MONITORING or self.in_cell)
        return self.uncalled(counts) + [
            Calls(
                *key,
                activity.all_calls if counts else None,
                activity.record.construct is not None or (self.sees_all_of(key) and not activity.unseen),
                activity.calls_raised,
            )
            for key, activity in self.functions.items()
        ]

    def uncalled(self, counted: bool) -> list[Calls]:
        """Return the functions that JAX compiled or lowered without a call.

        `counted` says whether calls are counted.
        """
        keys = [key for key in self._ahead if key not in self.functions]
        return [Calls(*key, 0 if counted else None, self.sees_all, ahead=True) for key in keys]

    def note_ahead(self, name: str, definition: Place | None) -> None:
        """Record that JAX lowered or compiled a function without a call; the function may never be called."""
        self._ahead[name, definition] = None

    def note_unseen(self, called: Any, times: int) -> None:
        """Count `times` calls of a jitted function that had no miss in this run."""
        if not any(earlier is called for earlier in self.unseen):
            if len(self.unseen) >= _UNSEEN:
                return
            self.unseen.append(called)
        self._unseen_calls[id(called)] = self._unseen_calls.get(id(called), 0) + times

    def note_raised_unseen(self, called: Any, times: int) -> None:
        """Subtract `times` calls that raised from the calls of a function that had no miss in this run.

        These calls ran no program.
        """
        left = self._unseen_calls.get(id(called), 0) - times
        if id(called) in self._unseen_calls:
            self._unseen_calls[id(called)] = left
        if left <= 0 and any(earlier is called for earlier in self.unseen):
            self.unseen = [earlier for earlier in self.unseen if earlier is not called]
            self.raised_unseen.append(called)

    @property
    def unlisted_calls(self) -> dict[int, int]:
        """Return {id of the function: its calls} for functions that JAX compiled before the observation began.

        The functions of JAX are left out.
        """
        users = [called for called in self.unseen if not is_of_jax(called)]
        return {id(called): self._unseen_calls.get(id(called), 0) for called in users}

    def unlisted(self, before: Mapping[int, int] | None = None) -> str | None:
        """Return a sentence on calls of functions that the ledger does not list; None if there were no such calls.

        Args:
            before: The result of `unlisted_calls` at the start of the block; None for a whole cell.
        """
        calls = {called: times - (before or {}).get(called, 0) for called, times in self.unlisted_calls.items()}
        total = sum(calls.values())
        if not total or not self.counted:
            return None
        names = dict.fromkeys(name_of(called) for called in self.unseen if calls.get(id(called)))
        calls_text = count(total, "call", exact=self.counter.lost is None)
        return UNLISTED.format(calls=calls_text, names=in_a_sentence([*names], 5))

    def calls_note(self) -> str | None:
        """Return a sentence that says why the counts of calls are lower bounds or unknown.

        Return None if the counts are exact.
        """
        if not self.counted:
            return not_counted()
        names = sorted({name for name, definition in self.called_elsewhere & self.functions.keys()})
        elsewhere = ELSEWHERE.format(names=in_a_sentence(names, 5)) if names else None
        return self.counter.lost or (elsewhere if HAS_MONITORING else NOT_ALL)

    def line_readings(self) -> tuple[LineReading, ...]:
        """Return the counts of each user line that called jitted functions or compiled programs."""
        return self.call_lines.readings(self.counted and (HAS_MONITORING or self.in_cell), exact=self.sees_all)

    def traced_ahead(self, ahead: TracedAhead, place: Place | None) -> None:
        """Record that JAX traced a function without a call."""
        if self.keeps_programs and len(self.traces_ahead) < TRACES_AHEAD:
            is_in_cell = place is not None and place.file == self.file
            self.traces_ahead.append(KeptTrace.of(ahead, place, is_in_cell, len(self.functions), self.reading))

    def fail(self, error: BaseException) -> None:
        """Record an error of this package."""
        if isinstance(error, RecursionError):
            self.counter.overflowed = True  # the stack of the user's code is full, as in a recursion without end
        elif len(self.failures) < 10:
            self.failures.append(traceback_text(error))

    def observation(self) -> Observation:
        """Return everything that the run recorded, as an `Observation`."""
        functions = []
        for key, activity in self.functions.items():
            try:
                seen_all = self.sees_all_of(key)
                functions.append(activity.observed(self.counted, seen_all, self.started_at, self.hit_programs))
            except not_of_a_signal(Exception) as error:
                self.fail(error)
        try:
            functions = with_traces(functions, self.traces_ahead, self.fail)
        except not_of_a_signal(Exception) as error:
            self.fail(error)
        functions += self.raised_outside.values()
        return Observation(
            functions=functions,
            printed=list(self.prints.printed),
            untraced_lines=self.lines.untraced() if self.lines is not None else [],
            eager_compiles=list(self.eager),
            without_jit=self.counter.without_jit,
            failures=self.failures,
            reading=self.reading,
            named_values=self.named_values if self.keeps_programs else None,
        )

    counted = False  # True if calls were counted from the start of the run.

    @property
    def sees_all(self) -> bool:
        """True if calls are counted and the counter has seen every call from Python code."""
        return HAS_MONITORING and self.counter.lost is None

    def sees_all_of(self, key: tuple[str, Place | None]) -> bool:
        """Return whether the counter saw every call of a function from Python code, also in other threads."""
        return self.sees_all and key not in self.called_elsewhere

    def _traced_function(self) -> str:
        return self.traced_names[-1] if self.traced_names else ""

    def _staged_function(self) -> str | None:
        """Return the function that JAX traces at present; None inside of a callback or outside of every trace."""
        return self.traced_names[-1] if self.traced_names and staging() else None

    def _staged_construct(self) -> str | None:
        """Return the construct outside of jit whose body JAX traces at present; None if JAX traces no such body."""
        return None if self.traced_names or not staging() else construct_of_trace(sys._getframe(1))
