"""Starts and ends the observation of a run, and reports the progress of the running cell.

A kernel has one `Observer`. Its base class `HookReceiver` records every call that misses JAX's C++ cache, and keeps the
newest programs of each function for as long as the function exists. While a `Run` is on, the observer counts the events
on the thread of the run.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..interruptions import not_of_a_signal
from ..jax.facts import (
    is_deleted,
)
from ..jax.held_traces import call_leaves
from .cache.ledger_for_scripts import Ledger
from .cache.ledger_rows import FUNCTIONS_OF_KERNEL
from .cache.printed_ledger import not_counted
from .calls.arguments_of_calls import ProgramCalls
from .calls.calls_with_same_key import CallsWithSameKey
from .calls.entry_hits import EntryHits
from .calls.held_or_gone_values import CallValues
from .calls.hit_programs import HitPrograms
from .calls.hits_with_equal_statics import StaticHits
from .calls.hits_with_old_values import OldValueHits
from .calls.sys_monitoring import HAS_MONITORING
from .cell_run import Run
from .credited_counts import count_by_name, drain, take_loose
from .hook_receiver import HookReceiver
from .observation import LedgerReading, Observation
from .open_calls import ThreadState, prune, state_of
from .programs.programs_of_misses import KeptProgram
from .progress import Progress, progress_of
from .stage_times_of_call import CallStages
from .types_beside_code.values_of_names import NamedValues


class Observer(HookReceiver):
    """Records the calls of jitted functions in this kernel."""

    def __init__(self) -> None:
        super().__init__()
        self.named_values = NamedValues()

    # --- runs ---

    def begin(self, file: str | None = None, keep_values: bool = False, per_entry: bool = False) -> Run:
        """Start to observe this thread.

        Args:
            file: The file of the cell; None outside of a cell.
            keep_values: True to keep the values of each function's last call until the programs of the run are dropped.
            per_entry: True to count the hits of each cache entry, which makes each call slower.
        """
        self.hooks.ensure()
        run = Run(file, self.library, keep_values)
        self.named_values.begin_run()
        run.named_values = self.named_values
        if per_entry:
            run.entry_hits = EntryHits(self.functions, run.reading, run.fail)
        run.counter.drains = lambda: drain(run, self.functions, self.hooks)
        run.hit_programs = HitPrograms(run, self.functions.record_of, self.looking_away)
        run.counter.other_called = lambda *call: _called_other(run, *call)
        run.static_hits = StaticHits(run, self.functions.record_of)
        run.same_keys = CallsWithSameKey(run, self.functions.record_of)
        run.old_value_hits = OldValueHits(run, self.functions.record_of, file)
        run.counter.first_called = lambda called: _about_to_call(run, called)
        run.counter.record_of = lambda called: self.functions.record_of(called._fun)
        state = state_of(self._threads)
        prune(state, self.history)
        state.loose.clear()
        state.under_transforms.clear()
        state.run = run
        if self.hooks.support.tier != "none":
            try:
                run.counter.start()
            # without the counter the counts of calls are unknown, but the rest of the observation works
            except not_of_a_signal(Exception) as error:
                run.fail(error)
            run.counted = run.counter.sees
        self.hooks.overflowed = False
        self._watching.add(run)
        self.shows_libraries = True
        self._watch()
        run.hold_last_calls()  # `end` stops the last calls before the counter, because both use one hook of JAX
        if file is not None and not HAS_MONITORING and self.functions.have_several():
            run.hit_programs.start()
        if file is not None and not HAS_MONITORING:
            run.static_hits.before_calls(self.functions.of_users())
            run.old_value_hits.before_calls(self.functions.of_users())
            run.same_keys.before_calls(self.functions.of_users())
        if self.hooks.support.tier == "hooks":
            run.library_before = dict(self.library)
            run.ledger = self.history.ledger(run.thread, run.ledger_calls, run.reading)
            run.ledger.entry_hits = run.entry_hits
            run.ledger.file = file
        return run

    def end(self, run: Run) -> Observation:
        """Stop the observation and return it.

        A second call of `end` completes a stop that an interrupt cut short.
        """
        state = self._threads.get(run.thread)
        run.ended = True
        program_calls: dict[int, ProgramCalls] = {}
        try:
            if self.hooks.overflowed:
                run.counter.overflowed = True
            if state is not None and state.run is run:
                if run.thread == threading.get_ident():
                    prune(state, self.history)
                self.history.count()
                drain(run, self.functions, self.hooks)
                take_loose(state, run, self.hooks)
                for called, (args, kwargs) in list(run.last_calls.calls.items()):
                    self.note_values(called, args, kwargs, keep=True)
                program_calls = self._kept_calls(run)
                if self.hooks.support.tier == "events":
                    count_by_name(run)
                state.run = None
                self._forget_dead(state)
            for error in self.hooks.failed:
                run.fail(error)
            self.hooks.failed.clear()
        except not_of_a_signal(Exception) as error:
            run.fail(error)
        finally:
            self._watching.discard(run)
            if not self._watching:
                self.shows_libraries = False
                self._eager.stop()
                self._ahead_of_calls.stop()
                self._untold_changes.stop()
            if run.hit_programs is not None:
                run.hit_programs.stop()
            if run.static_hits is not None:
                run.static_hits.stop()
            if run.old_value_hits is not None:
                run.old_value_hits.stop()
            if run.same_keys is not None:
                run.same_keys.stop()
            if run.entry_hits is not None:
                run.entry_hits.stop()
            run.last_calls.stop()
            run.kept_calls.clear()
            run.counter.stop()
            run.prints.stop()
            run.names.close()
            if run.lines is not None:
                run.lines.close()
        observation = run.observation()
        for observed in (program for function in observation.functions for program in function.programs):
            observed.calls = program_calls.get(id(observed.jaxpr), ProgramCalls((), 0) if run.keep_values else None)
        # a block of `observe()`, unlike a cell, reads its ledger itself
        if run.ledger is not None and run.keeps_programs:
            try:
                observation.ledger = self._reading(run, run.ledger)
            except not_of_a_signal(Exception) as error:
                run.fail(error)
                observation.failures = run.failures
        return observation

    def end_all(self) -> None:
        """Stop all observations, on every thread."""
        for state in list(self._threads.values()):
            if state.run is not None:
                self.end(state.run)

    def _reading(self, run: Run, ledger: Ledger) -> LedgerReading:
        ledger.close()
        library = self.functions.library_names(run.library_before)
        return LedgerReading(
            run=ledger.functions,
            kernel=self.history.full_ledger(FUNCTIONS_OF_KERNEL, run.reading).functions,
            seconds=time.perf_counter() - run.started_at,
            library_functions=tuple(name for name, _ in library[:200]),
            library_misses=sum(times for _, times in library),
            note=run.calls_note(),
            elsewhere=not_counted(ledger.elsewhere) if ledger.elsewhere else None,
            unlisted=run.unlisted(),
            lines=run.line_readings(),
        )

    def running(self) -> Run | None:
        """Return the run of this thread; None if no run is on."""
        return state_of(self._threads).run

    def count_now(self, run: Run) -> None:
        """Add the calls that the counter has seen until now to the counts of their functions.

        Do nothing on a thread other than the run's.
        """
        if run.thread == threading.get_ident():
            drain(run, self.functions, self.hooks)

    def settle(self, run: Run) -> None:
        """Close the calls that raised without a report of a hook, and count all calls until now."""
        state = self._threads.get(run.thread)
        if state is not None and run.thread == threading.get_ident():
            prune(state, self.history)
        self.history.count()
        self.count_now(run)

    def let_go(self) -> None:
        """Drop the open calls of this thread that raised without a report of a hook.

        The records of these calls keep the arguments alive. Must be called while this thread runs neither user code nor
        work of this package inside JAX.
        """
        state = state_of(self._threads)
        if state.run is None:
            # An interrupt may have skipped the code that resets the flags `replaying` and `looking_away`.
            state.replaying = state.looking_away = False
            if self.hooks.asking_thread == threading.get_ident():
                self.hooks.asking_thread = 0
            prune(state, self.history)
            self._forget_dead(state)

    def _forget_dead(self, state: ThreadState) -> None:
        """Drop the records of deleted functions and of calls that ended with an exception.

        Must be called while no user code runs on this thread.
        """
        self.hooks.forget_ended()
        state.ahead = state.traces_ahead = None
        if state.under_transforms:
            self.functions.drop_dead(state.under_transforms)

    def progress(self, run: Run) -> Progress:
        """Return the state of a run; may be called from any thread."""
        return progress_of(self._threads.get(run.thread), run)

    @contextmanager
    def looking_away(self) -> Iterator[Callable[[], int]]:
        """Make the observer ignore what JAX does on this thread within the block.

        Yields a function that returns the number of stages that JAX ran in the block.
        """
        state = state_of(self._threads)
        before = state.replaying, state.looking_away
        state.replaying, state.looking_away = True, True
        state.replay_events = 0
        try:
            yield lambda: state.replay_events
        finally:
            (state.replaying, state.looking_away), state.stage = before, None

    @contextmanager
    def stage_seconds(self) -> Iterator[Callable[[], float]]:
        """Yield a function that returns the seconds of JAX's stages that `looking_away` has hidden since the start.

        Only stages on this thread count.
        """
        state = state_of(self._threads)
        before = state.replay_seconds
        yield lambda: state.replay_seconds - before

    @contextmanager
    def listening(self, name: str) -> Iterator[CallStages]:
        """Collect the stages of the function `name` that JAX reports on this thread, also within `looking_away`."""
        state = state_of(self._threads)
        stages = CallStages()
        before, state.listening = state.listening, (*state.listening, (name, stages))
        try:
            yield stages
        finally:
            state.listening = before

    def program_of(self, called: Any, jaxpr: Any) -> KeptProgram | None:
        """Return the observed program of a jitted function with the given jaxpr; None if there is no such program."""
        function = self.functions.record_of(getattr(called, "_fun", None))
        programs = list(function.programs.values()) if function is not None else []
        return next((program for program in reversed(programs) if program.jaxpr is jaxpr), None)

    def note_values(self, called: Any, args: Sequence[Any], kwargs: dict[str, Any], keep: bool = False) -> None:
        """Keep those argument values of a jitted function's last call that still exist."""
        function = self.functions.record_of(getattr(called, "_fun", None))
        if function is None or function.library:
            return
        newest = next((program for program in reversed(function.programs.values()) if program.values is not None), None)
        if newest is not None and newest.values is not None and newest.is_told_by_values:
            passed_leaves = newest.values.among(args, kwargs)
            # the arguments of the call contain the values of its newest program, so JAX need not be asked for the
            # program
            if passed_leaves is not None:
                newest.values = _last_values(passed_leaves, keep, newest.values)
                return
        with self.looking_away():
            traced = call_leaves(called, args, kwargs)
        if traced is None:
            return
        jaxpr, leaves = traced
        program = next((stored for stored in reversed(function.programs.values()) if stored.jaxpr is jaxpr), None)
        if program is not None:
            # the program is moved to the end, because the panel shows the last program of a run that has only hits
            function.programs[program.key] = function.programs.pop(program.key)
            if not any(is_deleted(leaf) for leaf in leaves):
                program.values = _last_values(leaves, keep, program.values)

    def _kept_calls(self, run: Run) -> dict[int, ProgramCalls]:
        """Return {id of a jaxpr: the calls of the run that ran this jaxpr and whose arguments are kept}."""

        def last_of(fun: Any) -> tuple[Any, CallValues] | None:
            function = self.functions.record_of(fun)
            programs = list(function.programs.values()) if function is not None else []
            values = programs[-1].values if programs else None
            return (programs[-1].jaxpr, values) if values is not None and values.which == "last" else None

        with self.looking_away():
            return run.kept_calls.by_program(call_leaves, last_of)


def _last_values(leaves: Sequence[Any], keep: bool, earlier: CallValues | None) -> CallValues:
    values = CallValues(leaves, "last", keep, earlier)
    values.keep_numbers(only_on_cpu=True)
    return values


def _called_other(run: Run, *call: Any) -> None:
    """Record a call of an object that is not jitted; `call` has the arguments of `CallCounter.other_called`."""
    run.impure_calls.called(*call)
    run.update_calls.called(*call)


def _about_to_call(run: Run, called: Any) -> None:
    """Install the hooks that report hits of `called`, before the first call of `called` from a new place."""
    for hits in (run.hit_programs, run.static_hits, run.old_value_hits, run.same_keys):
        if hits is not None:
            hits.about_to_call(called)
