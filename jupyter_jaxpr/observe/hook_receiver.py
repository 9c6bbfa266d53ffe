"""Receives the reports of JAX's hooks and events, and records what each call did.

- `open_calls`: the calls that one thread has open in JAX.
- `credited_counts`: adds calls and stages to the counts of functions and lines.
- `programs_that_ran`: finds the programs that calls ran, and the stages of these programs.
"""

from __future__ import annotations

import sys
import threading
import time
from types import FrameType
from typing import Any

from ..interruptions import not_of_a_signal
from ..jax import facts
from ..jax.constructs_outside_jit import EagerConstructs
from ..jax.effect_names import program_effects
from ..jax.facts import (
    COMPILE_EVENT,
    TRACE_EVENT,
    backend_started,
    functions_with_entries,
    source_of,
    stored_jit_name,
)
from ..jax.functions_that_only_trace import TracedAhead, TracesAhead
from ..jax.hooks import Hooks
from ..jax.leaves_and_context_of_key import FlatCall
from ..jax.made_programs import made_ahead
from ..jax.missed_calls import DerivedCall, JitCall
from ..jax.silent_type_and_value_changes import (
    MOST_CHANGES,
    ChangedNumber,
    SilentChangeHooks,
    TruncatedType,
    Untold,
    UnusedDonation,
)
from ..plain_text import FAILURES, file_of, text_of
from .cache.history_of_all_functions import History
from .cache.history_of_one_function import FunctionHistory
from .cache.key_of_call import key_of_miss
from .cache.types_and_layouts_of_key import Key
from .cell_run import Run
from .credited_counts import count_missed_call, take_loose, worked_ahead
from .functions.function_inside_wrappers import name_of
from .functions.jitted_functions import FunctionRecord, Functions
from .open_calls import (
    LOOSE_EVENTS,
    Miss,
    ThreadState,
    TraceRequest,
    count_replayed,
    forget_trace_requests,
    leave,
    prune,
    state_of,
)
from .outside_jit.dispatch_recording import recording_of
from .prints_and_values_while_tracing import begin_trace, end_trace, read_names, start_trace, stop_trace
from .programs.program_before_error import note_raised, note_raised_outside
from .programs.programs_that_ran import note_call, note_derived, note_program, note_transformed, origin_of
from .reprs_of_users_values import NOTHING_CALLED, Reading
from .stage_times_of_call import STAGE_NAMES, LooseEvent
from .user_or_library.library_functions import is_users
from .user_or_library.library_programs import LibraryCall, note_derived_library_program, note_library_program
from .user_or_library.users_line_of_call import asking_place, call_place, frame_place, user_place
from .user_or_library.whose_code import is_jax, is_users_frame

_AHEAD = 256


class HookReceiver:
    """Records the calls, traces and stages that JAX reports, in the history and in the run of the thread.

    Attributes:
        shows_programs: true if the panel or a cell shows programs; with `observe()` alone no programs are kept.
        shows_libraries: true during a run: programs of library calls are then recorded.
    """

    def __init__(self) -> None:
        self.functions = Functions()
        self.library = self.functions.library
        self.history = History(lambda: self.hooks.cleared.times)
        self.shows_programs = False
        self.hooks: Hooks = Hooks(self)
        self._eager = EagerConstructs(self._is_observed, self.evaluated, self.hooks.fail)
        self._ahead_of_calls = TracesAhead(self.traced_ahead, self.hooks.fail)
        self._untold_changes = SilentChangeHooks(self.changed, self.hooks.fail)
        self.shows_libraries = False
        self._watching: set[Run] = set()  # the runs whose programs are shown
        self._threads: dict[int, ThreadState] = {}
        # text of `source_of` (a function's name and place, from JAX's options of its jit) -> the function's history;
        # only for functions that the user traced or lowered without a call
        self._ahead: dict[str, FunctionHistory] = {}

    def _watch(self) -> None:
        """Install, while a cell runs, the hooks that report traces and compiles outside of jitted calls."""
        if not self._watching or not self.hooks.tells_calls:
            return
        for watch in (self._eager, self._ahead_of_calls, self._untold_changes):
            try:
                watch.start()
            # this version of JAX lacks these hooks: only traces and compiles outside of calls are not shown
            except AttributeError as error:
                self.hooks.fail(error)

    def traced_ahead(self, ahead: TracedAhead, frame: FrameType) -> None:
        """Record a function that JAX traced without a call."""
        if not self._is_observed():
            return
        caller = frame.f_back
        while caller is not None and is_jax(file_of(caller.f_code)):
            caller = caller.f_back
        if caller is not None and is_users_frame(caller):
            state = self._threads[threading.get_ident()]
            run, state.ahead = state.run, None
            if run is not None:
                run.traced_ahead(ahead, frame_place(caller))

    def changed(self, change: Untold, frame: FrameType) -> None:
        """Record a change that JAX made without a warning, such as the truncation of a dtype."""
        state = self._threads.get(threading.get_ident())
        if state is None or state.run is None or state.replaying:
            return
        if isinstance(change, UnusedDonation):
            function: FunctionRecord | None = state.stack[-1].record.function if state.stack else None
            if function is not None and not function.library and len(state.run.unused_donations) < MOST_CHANGES:
                state.run.unused_donations.setdefault((function.name, function.definition), change)
            return
        place = asking_place(frame)
        if place is None or len(state.run.truncated) + len(state.run.promoted) > MOST_CHANGES:
            return
        if isinstance(change, ChangedNumber):
            if len(state.run.changed_numbers) < MOST_CHANGES:
                state.run.changed_numbers.setdefault(place, change)
        elif isinstance(change, TruncatedType):
            state.run.truncated.setdefault(place, change)
        else:
            state.run.promoted.setdefault(place, change)

    def _is_observed(self) -> bool:
        """Return whether a cell runs on this thread, and JAX works for the user's code, not for this package."""
        state = self._threads.get(threading.get_ident())
        return state is not None and state.run is not None and not state.replaying and not facts.staging()

    def evaluated(self, jitted: Any, frame: FrameType) -> None:
        """Count one execution of a construct outside of jit.

        `jitted` is the jitted function that JAX made for the construct.
        """
        run = self._threads[threading.get_ident()].run
        function = self.functions.find(jitted._fun, frame)
        if run is None:
            return
        run.counter.constructed(jitted, frame)
        if function.library:
            return
        activity = run.activity(function)
        activity.calls += 1
        activity.called_at = call_place(frame)
        programs = list(function.programs.values())
        if programs:
            activity.reuse(programs[-1])
            if run.old_value_hits is not None:
                run.old_value_hits.ran(function, lambda: programs[-1])
        run.call_lines.called(activity.called_at, 1)

    def installed(self) -> None:
        """Start the parts of the run that need the hooks.

        JAX may have compiled functions before the hooks were installed: these functions are recorded as compiled
        before.
        """
        self._watch()
        run = state_of(self._threads).run
        if run is not None and run.when_installed is not None:
            # the counter must use JAX's hook after each call before any other part uses the hook
            if not run.counter.running:
                run.counter.start()
                run.counted = run.counter.sees
            run.hold_last_calls()
            run.when_installed()
        if backend_started():
            self.history.held_before(functions_with_entries())

    def missed(self, call: JitCall) -> bool:
        """Record a call that missed JAX's C++ cache.

        Return whether the hooks should report the later stages of the call.
        """
        state = state_of(self._threads)
        run = state.run
        function = self.functions.find(call.fun, call.frame) if call.frame is not None else None
        if function is None or state.replaying:
            return False
        uncounted = run is not None and not run.counter.running
        if run is not None and uncounted:  # the counter was not started before, because the cell itself imported JAX
            run.counter.start()
            run.counted = run.counter.sees
        staging = facts.staging()
        if function.library:
            self.library.setdefault(id(call.fun), 1)
            if run is None:
                return False
            run.counter.forget(call.fun)
            if staging or not run.keeps_programs or function.equinox or function.pmap:
                return False
            call.record = LibraryCall(state, function, None if call.frame is None else call_place(call.frame))
            return True
        if staging and run is None:
            return False
        if state.stack:
            prune(state, self.history, call)
        place = None if call.frame is None else call_place(call.frame)
        activity = None
        if run is not None and function.construct is not None:
            # the hook `evaluated` counts the calls of constructs, so they are not counted here
            activity = run.activity(function)
        elif run is not None:
            activity = count_missed_call(run, self.functions, self.hooks, call, function, place, uncounted)
        if staging:
            if activity is not None:
                activity.inlined += 1
                activity.missed(function, 1)
            if run is not None:
                run.call_lines.missed(place, "inlined")
            self.history.inlined(function, place)
            return False
        if run is not None and run.same_keys is not None and call.frame is not None:
            run.same_keys.missed(function, call.args, call.kwargs, call.frame)
        if activity is not None:
            activity.misses += 1
            activity.missed(function, 1)
        # Outside of observed cells and blocks, the key is made in `traced`, from the leaves that JAX flattened.
        reading = NOTHING_CALLED if run is None else run.reading
        key = None if run is None and not function.equinox else self._key(call, function, reading)
        event = self.history.begin(function, call.fun, key, place, reading)
        function.unkept |= event.held_before
        function.compiled_before |= event.held_before
        call.record = Miss(state, function, activity, place, event)
        state.stack.append(call)
        if run is not None and facts.transforming():
            read_names(run, call.record, call.fun)
        return True

    def _key(
        self, call: JitCall, function: FunctionRecord, reading: Reading, flat: FlatCall | None = None
    ) -> Key | None:
        """Return the cache key of a call; if an argument cannot be read, record the failure and return None."""
        try:
            return key_of_miss(call, function, reading, flat)
        except not_of_a_signal(*FAILURES) as error:
            self.hooks.fail(error)
            return None

    def asked_ahead(self, fun: Any, options: Any, frame: FrameType) -> None:
        """Record that the user traced or lowered a function without a call, with `f.trace(x)` or `f.lower(x)`."""
        state = state_of(self._threads)
        if state.replaying or facts.staging():
            return
        if state.stack:
            prune(state, self.history)
        forget_trace_requests(state, id(frame))
        function = self.functions.find_traced(fun, frame)
        if state.run is not None and (is_users(fun) if function is None else not function.library):
            name = stored_jit_name(fun) or name_of(fun)
            state.run.ahead.add(name)
            state.ahead = name, fun
        if function is None or function.library or function.equinox or function.pmap:
            return
        history = self.history.of(function)
        state.trace_requests.append(TraceRequest(id(frame), frame.f_code, function.jit_name or function.name, history))
        source = source_of(options)
        # JAX may lower or compile the trace in any thread: the name and the place identify the function there
        if source is not None:
            self._ahead[source] = history
            if len(self._ahead) > _AHEAD:
                del self._ahead[next(iter(self._ahead))]

    def traced(self, call: JitCall) -> None:
        """Record that JAX has traced the function of a call: the jaxpr of the call exists now."""
        if isinstance(call.record, LibraryCall):
            return call.record.traced(call)
        miss: Miss = call.record
        stop_trace(miss)
        run = miss.state.run
        if miss.function.jit_name is None and call.params is not None:
            miss.function.jit_name = text_of(call.params.get("name"))
        if miss.event.key is None and run is None:
            miss.event.key = self._key(call, miss.function, NOTHING_CALLED, call.flat())
        if run is None or run.keeps_programs or self.shows_programs:
            note_call(run, call, miss)
        call.args, call.kwargs = (), {}

    def trace_raised(self, name: str | None, error: BaseException | None) -> None:
        """Record that a trace raised, inside or outside of jit."""
        state = state_of(self._threads)
        if state.stack and not state.replaying:
            call = state.stack[-1]
            miss: Miss = call.record
            function = miss.function
            if (function.jit_name or function.name) == name and call.params is None:
                leave(state, self.history, call, raised=True)
                run = state.run
                if error is not None and run is not None and run.keeps_programs and miss.activity is not None:
                    note_raised(miss.activity, error, miss.place)
        elif error is not None and self._is_observed() and state.run is not None and state.run.keeps_programs:
            note_raised_outside(state.run.raised_outside, error)

    def executed(self, call: JitCall, executable: Any, fast_path: bool) -> None:
        """Record that JAX has run the executable of a call."""
        ended_at = time.perf_counter()
        if isinstance(call.record, LibraryCall):
            state = state_of(self._threads)
            if state.run is not None:
                note_library_program(state, state.run, call, executable, recording_of(self.hooks))
            return call.drop_values()
        miss: Miss = call.record
        state = miss.state
        miss.event.fast_path = fast_path
        if not fast_path and call.params is not None:
            miss.event.effects = tuple(program_effects(call.params["jaxpr"]))
        run = state.run
        try:
            if executable is None:
                note_transformed(state, call, miss)
            # in a block of `observe()`, programs are kept only if `shows_programs` is set
            elif run is None or run.keeps_programs or self.shows_programs:
                note_program(state, call, miss, executable, ended_at)
            else:
                miss.function.unkept = miss.function.compiled_before = True
        finally:
            leave(state, self.history, call, raised=False)

    def derived(self, call: DerivedCall) -> None:
        """Record that JAX ran a program that it derived from a jitted function, such as its gradient."""
        state = state_of(self._threads)
        if state.replaying:
            return
        function, parent, place, stages = origin_of(state, call.name)
        if function is None:
            if state.run is not None and state.run.keeps_programs and not state.stack:
                place = user_place(sys._getframe(1))
                note_derived_library_program(state, state.run, call, place, recording_of(self.hooks))
            return
        # an outer call that has these stages is still open, and adds them to its own stages when it ends
        within = any(stages in outer.record.derived for outer in state.stack)
        if not within:
            self.history.stages_only(function, stages)
        program = note_derived(state, call, function, parent, place, stages)
        if state.run is not None:
            activity = state.run.activity(function)
            activity.use(program, in_this_run=stages.compiles > 0)
            if not within:
                tally = stages.tally()
                activity.add(tally)
                state.run.call_lines.compiled(place, tally.compiles)

    def stage_started(self, event: str, name: str | None) -> None:
        """Record that a stage (trace, lower or compile) has started."""
        state = self._threads.get(threading.get_ident()) or state_of(self._threads)
        if not state.replaying or state.looking_away:
            state.stage = (event, name, time.perf_counter())
        if event == TRACE_EVENT and state.stack and not state.replaying:
            call = state.stack[-1]
            function: FunctionRecord = call.record.function
            if function.jit_name is None and call.record.tracing:
                # the first trace after the start of a call is the trace of the called function
                function.jit_name = name
            if function.jit_name == name:
                function.at_trace = None
                if state.run is not None:
                    start_trace(state.run, call.record, call.fun)
        elif event == TRACE_EVENT and state.ahead is not None and state.run is not None and state.ahead[0] == name:
            begin_trace(state.run, *state.ahead)
            state.ahead, state.traces_ahead = None, name

    def stage_ended(self, event: str, name: str | None, seconds: float) -> None:
        """Record that a stage (trace, lower or compile) has ended."""
        state = self._threads.get(threading.get_ident()) or state_of(self._threads)
        state.stage = None
        if event == TRACE_EVENT and state.traces_ahead is not None and state.traces_ahead == name:
            state.traces_ahead = None
            if state.run is not None:
                end_trace(state.run)
        if event == TRACE_EVENT and not state.replaying and not state.listening and self.hooks.tells_calls:
            # Within a trace, JAX traces hundreds of its own functions; these inner traces are not recorded.
            miss: Miss | None = state.stack[-1].record if state.stack else None
            forget_trace_requests(state)
            if state.trace_requests:
                request = state.trace_requests[-1]
                if request.name == name and not facts.staging():
                    worked_ahead(state, self.history, request.history, LooseEvent(event, name, seconds, False))
            elif miss is not None and (name is None or name == miss.function.jit_name):
                miss.stages.add(event, seconds, False)
                stop_trace(miss)
            # no call of a user function is open, so the stage may belong to the call of a library function
            elif miss is None and state.run is not None and not facts.staging():
                # The stages in `loose` are moved to the run before the deque is full: a full deque would drop a stage
                # of the call whose stage has just ended.
                if len(state.loose) > LOOSE_EVENTS - len(STAGE_NAMES):
                    take_loose(state, state.run, self.hooks)
                state.loose.append(LooseEvent(event, name, seconds, False))
            return
        from_disk = state.from_disk and event == COMPILE_EVENT
        if event == COMPILE_EVENT:
            state.from_disk = False
        for listened, stages in state.listening:
            if listened == name:
                stages.add(event, seconds, from_disk)
        if state.replaying:
            count_replayed(state, seconds)
            return
        if state.stack:
            # the stage belongs to the innermost open call if the names of the functions agree
            miss = state.stack[-1].record
            if name is None or name == miss.function.jit_name:
                miss.stages.add(event, seconds, from_disk)
                return
        source = made_ahead(sys._getframe(1)) if self._ahead and event != TRACE_EVENT else None
        history = None if source is None else self._ahead.get(source)
        if history is not None:
            worked_ahead(state, self.history, history, LooseEvent(event, name, seconds, from_disk))
        else:
            if len(state.loose) == LOOSE_EVENTS and state.run is not None:
                take_loose(state, state.run, self.hooks)
            eager = event == COMPILE_EVENT and state.run is not None
            place = user_place(sys._getframe(1)) if eager else None
            state.loose.append(LooseEvent(event, name, seconds, from_disk, place, bool(state.stack)))

    def from_disk(self) -> None:
        """Record that JAX read the present executable from its persistent compilation cache instead of compiling."""
        state_of(self._threads).from_disk = True
