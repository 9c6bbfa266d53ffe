"""JAX's hooks and events in, records of what each call did out.

`Observer` is one a kernel. It is told of every call that misses JAX's C++ cache (`jax.hooks.Hooks`) and keeps, for
as long as a function lives, the programs last made of it; while a `Run` is on, what happens on its thread is counted
there. It asks for a program's stages while the call is still on the stack, where its context (x64, mesh, precision)
holds and JAX's caches answer; a function for which that made JAX work once is not asked about again.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

from ..jax import facts
from ..jax.calls import DerivedCall, JitCall, derived_jaxpr, pmap_call
from ..jax.effects import program_effects
from ..jax.facts import (
    COMPILE_EVENT,
    LOWER_EVENT,
    TRACE_EVENT,
    backend_started,
    functions_with_entries,
    is_deleted,
    source_of,
    stored_jit_name,
)
from ..jax.hooks import Hooks
from ..jax.keys import FlatCall
from ..jax.stages import call_leaves, made_ahead
from ..plain_text import FAILURES, text_of
from .arguments import CallShape, EquinoxCall, equinox_call, shape_of
from .cache.history import FunctionHistory, History, MissEvent
from .cache.keys import Key, equinox_key_of, key_of, pmap_key_of
from .cache.ledger import Ledger
from .calls.calls import HAS_MONITORING
from .calls.held_calls import HeldCall
from .calls.values import CallValues, copied
from .functions import (
    FunctionRecord,
    Functions,
    call_place,
    code_of,
    equinox_frame,
    equinox_wrapper,
    is_users,
    name_of,
    unwrap,
    user_place,
)
from .observation import EagerCompile, LedgerReading, Observation, Place
from .programs import KeptProgram, keep, kept
from .reading import NOTHING_CALLED, Reading
from .run import EAGER_COMPILES, FunctionActivity, Run
from .stages import STAGE_NAMES, CallStages, LooseEvent

_LOOSE_EVENTS = 64
_FUNCTIONS_IN_LEDGER = 40
_UNDER_TRANSFORMS = 32
_AHEAD = 256
TRACED_FUNCTIONS = 50


class Miss:
    """What the observer knows of one call that missed, while it runs."""

    __slots__ = (
        "activity",
        "derived",
        "equinox",
        "event",
        "function",
        "held",
        "place",
        "records_trace",
        "shape",
        "stages",
        "state",
        "tracing",
        "types",
        "values",
    )

    def __init__(
        self,
        state: ThreadState,
        function: FunctionRecord,
        activity: FunctionActivity | None,
        place: Place | None,
        event: MissEvent,
    ) -> None:
        self.state = state  # of the thread that made the call
        self.function = function
        self.event = event
        self.activity = activity
        self.place = place
        self.stages = CallStages()
        self.tracing = True
        self.records_trace = False  # what the trace prints and which lines it reaches are being recorded
        self.types: list[Any] | None = None
        self.values: CallValues | None = None
        self.held: HeldCall | None = None
        self.shape: CallShape | Key | None = None
        self.equinox: EquinoxCall | None = None
        self.derived: list[CallStages] = []  # of each program derived from it that ran before it returned


class Asked(NamedTuple):
    """A function that JAX is asked to trace without a call."""

    frame: int  # the id of the frame that asks
    code: CodeType  # of that frame
    name: str  # in JAX's events
    history: FunctionHistory


class ThreadState:
    """What one thread is doing in JAX."""

    __slots__ = (
        "asked",
        "from_disk",
        "listening",
        "loose",
        "looking_away",
        "replay_events",
        "replay_seconds",
        "replaying",
        "run",
        "stack",
        "stage",
        "under_transforms",
    )

    def __init__(self) -> None:
        self.stack: list[JitCall] = []
        self.run: Run | None = None
        self.asked: list[Asked] = []  # functions that are traced ahead of a call
        self.from_disk = False
        self.replaying = False
        self.replay_events = 0
        self.replay_seconds = 0.0
        self.looking_away = False
        self.listening: tuple[tuple[str, CallStages], ...] = ()
        self.loose: deque[LooseEvent] = deque(maxlen=_LOOSE_EVENTS)
        self.stage: tuple[str, str | None, float] | None = None  # JAX's event, function, since when
        self.under_transforms: dict[str, tuple[FunctionRecord, Any, Place | None]] = {}


class Observer:
    """Sees what jitted functions do in this kernel."""

    def __init__(self) -> None:
        self.functions = Functions()
        self.library = self.functions.library
        self.history = History()
        self.shows_programs = False  # a session that shows programs is there: `observe()` alone holds none
        self.hooks = Hooks(self)
        self._threads: dict[int, ThreadState] = {}
        self._ahead: dict[str, FunctionHistory] = {}  # of functions asked for their trace without a call, by source

    # --- runs ---

    def begin(self, file: str | None = None, keep_values: bool = False) -> Run:
        """Start to observe what this thread does.

        Args:
            file: The cell's file; None where there is no cell.
            keep_values: Hold what each function was last called with until the run's programs let go of it.
        """
        self.hooks.ensure()
        run = Run(file, self.library, keep_values)
        run.counter.drains = lambda: self._drain(run)
        state = self._state()
        self._prune(state)
        state.loose.clear()
        state.under_transforms.clear()
        state.run = run
        if self.hooks.support.tier != "none":
            try:
                run.counter.start()
            except Exception as error:  # calls are unknown then, and the rest is as good
                run.fail(error)
            run.counted = run.counter.sees
        self.hooks.overflowed = False
        run.hold_last_calls()  # ends before the counter does: both are told by the same hook of JAX's
        if self.hooks.support.tier == "hooks":
            run.library_before = dict(self.library)
            run.ledger = self.history.ledger(run.thread, run.ledger_calls, run.reading)
        return run

    def end(self, run: Run) -> Observation:
        """Stop, and hand on what was seen."""
        state = self._threads.get(run.thread)
        run.ended = True
        try:
            if self.hooks.overflowed:
                run.counter.overflowed = True
            if state is not None and state.run is run:
                if run.thread == threading.get_ident():
                    self._prune(state)
                self.history.count()
                self._drain(run)
                self._take_loose(state, run)
                for called, (args, kwargs) in list(run.last_calls.calls.items()):
                    self.note_values(called, args, kwargs, keep=True)
                if self.hooks.support.tier == "events":
                    _count_by_name(run)
                state.run = None
            for error in self.hooks.failed:
                run.fail(error)
            self.hooks.failed.clear()
        except Exception as error:
            run.fail(error)
        finally:
            run.last_calls.stop()
            run.counter.stop()
            run.prints.stop()
            if run.lines is not None:
                run.lines.close()
        observation = run.observation()
        if run.ledger is not None and run.keeps_programs:  # `observe()` has a ledger of its own
            try:
                observation.ledger = self._reading(run, run.ledger)
            except Exception as error:
                run.fail(error)
                observation.failures = run.failures
        return observation

    def end_all(self) -> None:
        """Stop to observe whatever is observed, on every thread."""
        for state in list(self._threads.values()):
            if state.run is not None:
                self.end(state.run)

    def _reading(self, run: Run, ledger: Ledger) -> LedgerReading:
        ledger.close()
        library = self.functions.library_names(run.library_before)
        return LedgerReading(
            run=ledger.functions,
            kernel=self.history.whole(_FUNCTIONS_IN_LEDGER, run.reading).functions,
            seconds=time.perf_counter() - run.started_at,
            library_functions=tuple(name for name, _ in library[:200]),
            library_misses=sum(times for _, times in library),
            note=run.calls_note(),
            lines=run.line_readings(),
        )

    def running(self) -> Run | None:
        """The run that is on, on this thread."""
        return self._state().run

    def count_now(self, run: Run) -> None:
        """Credit the calls made until now; does nothing on another thread than the run's."""
        if run.thread == threading.get_ident():
            self._drain(run)

    def settle(self, run: Run) -> None:
        """As `count_now`, and close calls that an exception ended unseen."""
        state = self._threads.get(run.thread)
        if state is not None and run.thread == threading.get_ident():
            self._prune(state)
        self.history.count()
        self.count_now(run)

    def let_go(self) -> None:
        """Drop calls of this thread that an exception ended unseen: they hold their arguments."""
        state = self._state()
        if state.run is None:
            self._prune(state)

    def progress(self, run: Run) -> tuple[str, str | None, float, list[tuple[str, float]]]:
        """Where a run is, from any thread: stage, function, since when, and its finished stages with seconds."""
        state = self._threads.get(run.thread)
        if state is None:
            return "running", None, run.started_at, []
        stack, stage = state.stack, state.stage
        miss: Miss | None = stack[-1].record if stack else None
        finished = list(miss.stages.finished) if miss is not None else []
        name = miss.function.name if miss is not None else None
        if stage is not None:
            return STAGE_NAMES[stage[0]], name or stage[1], stage[2], finished
        if miss is not None and miss.stages.compiled_at is not None:
            return "first_run", name, miss.stages.compiled_at, finished
        return "running", name, run.started_at, finished

    @contextmanager
    def looking_away(self) -> Iterator[Callable[[], int]]:
        """Count nothing of what this thread asks of JAX meanwhile; gives the number of stages that JAX ran."""
        state = self._state()
        before = state.replaying, state.looking_away
        state.replaying, state.looking_away = True, True
        state.replay_events = 0
        try:
            yield lambda: state.replay_events
        finally:
            (state.replaying, state.looking_away), state.stage = before, None

    @contextmanager
    def stage_seconds(self) -> Iterator[Callable[[], float]]:
        """While looking away: gives the seconds of the stages that JAX ran on this thread."""
        state = self._state()
        before = state.replay_seconds
        yield lambda: state.replay_seconds - before

    @contextmanager
    def listening(self, name: str) -> Iterator[CallStages]:
        """Collect the stages that JAX reports on this thread under a function's name, looking away or not."""
        state = self._state()
        stages = CallStages()
        before, state.listening = state.listening, (*state.listening, (name, stages))
        try:
            yield stages
        finally:
            state.listening = before

    def program_of(self, called: Any, jaxpr: Any) -> KeptProgram | None:
        """The program that was observed to run for a jitted function, if it is this one."""
        function = self.functions.known(getattr(called, "_fun", None))
        programs = list(function.kept.values()) if function is not None else []
        return next((program for program in reversed(programs) if program.jaxpr is jaxpr), None)

    def note_values(self, called: Any, args: Sequence[Any], kwargs: dict[str, Any], keep: bool = False) -> None:
        """Remember the values of a jitted function's last call, where they are still there."""
        function = self.functions.known(getattr(called, "_fun", None))
        if function is None or function.library:
            return
        newest = next((each for each in reversed(function.kept.values()) if each.values is not None), None)
        if newest is not None and newest.values is not None and newest.is_told_by_values:
            same = newest.values.among(args, kwargs)
            if same is not None:  # the call missed: JAX need not be asked which program it ran
                newest.values = CallValues(same, "last", keep)
                return
        with self.looking_away():
            found = call_leaves(called, args, kwargs)
        if found is None:
            return
        jaxpr, leaves = found
        program = next((each for each in reversed(function.kept.values()) if each.jaxpr is jaxpr), None)
        if program is not None:
            function.kept[program.key] = function.kept.pop(program.key)  # a run that only hit shows the newest
            if not any(is_deleted(leaf) for leaf in leaves):
                program.values = CallValues(leaves, "last", keep)

    # --- told by the hooks ---

    def installed(self) -> None:
        """The hooks have gone in; what JAX compiled before was not seen."""
        if backend_started():
            self.history.held_before(functions_with_entries())

    def missed(self, call: JitCall) -> bool:
        """A call missed the C++ cache."""
        state = self._state()
        run = state.run
        function = self.functions.find(call.fun, call.frame) if call.frame is not None else None
        if function is None or state.replaying:
            return False
        uncounted = run is not None and not run.counter.running
        if run is not None and uncounted:  # JAX was imported by this very cell
            run.counter.start()
            run.counted = run.counter.sees
        if function.library:
            self.library[id(call.fun)] = 1
            if run is not None:
                run.counter.forget(call.fun)
            return False
        staging = facts.staging()
        if staging and run is None:
            return False
        if state.stack:
            self._prune(state, call)
        activity, seen = None, True
        if run is not None:
            counted, seen, activity = self._drain(run, call.fun, function)
            if activity is None:
                activity = run.activity(function)
            if uncounted or not HAS_MONITORING:
                activity.calls += 1  # counting starts with this very call; on Python 3.11 hits alone are counted
            elif not counted:
                activity.calls_missed += 1
                run.counter.watch_again()
        place = None if call.frame is None else call_place(call.frame)
        if run is not None and (not seen or not HAS_MONITORING):
            run.call_lines.called(place, 1)
            if HAS_MONITORING and not uncounted:
                run.call_lines.unseen(place)
        if staging:
            if activity is not None:
                activity.inlined += 1
            if run is not None:
                run.call_lines.missed(place, "inlined")
            self.history.inlined(function, place)
            return False
        if activity is not None:
            activity.misses += 1
        # Outside of observed cells and blocks the key is read off what JAX takes of the arguments: see `traced`.
        reading = NOTHING_CALLED if run is None else run.reading
        key = None if run is None and not function.equinox else self._key(call, function, reading)
        event = self.history.begin(function, call.fun, key, place, reading)
        call.record = Miss(state, function, activity, place, event)
        state.stack.append(call)
        return True

    def _key(
        self, call: JitCall, function: FunctionRecord, reading: Reading, flat: FlatCall | None = None
    ) -> Key | None:
        """The key of a call; None where an argument cannot be read, which is told."""
        try:
            pmapped = pmap_call(call.frame) if function.pmap and call.frame is not None else None
            if pmapped is not None:
                return pmap_key_of(pmapped, reading)
            equinox = equinox_frame(call.frame) if function.equinox and call.frame is not None else None
            if equinox is None:
                return key_of(call.options, call.args, call.kwargs, call.fun, reading, flat)
            given = equinox.f_locals
            called = given["jit_wrapper"], given["args"], given["kwargs"]
            return equinox_key_of(call.options, *called, reading, call.args)
        except FAILURES as error:
            self.hooks.fail(error)
            return None

    def asked_ahead(self, fun: Any, options: Any, frame: FrameType) -> None:
        """A function is asked for its trace or lowering, without a call."""
        state = self._state()
        if state.replaying or facts.staging():
            return
        if state.stack:
            self._prune(state)
        self._forget_asked(state, id(frame))
        function = self.functions.asked(fun, frame)
        if state.run is not None and (is_users(fun) if function is None else not function.library):
            state.run.ahead.add(stored_jit_name(fun) or name_of(fun))
        if function is None or function.library or function.equinox or function.pmap:
            return
        history = self.history.of(function)
        state.asked.append(Asked(id(frame), frame.f_code, function.jit_name or function.name, history))
        source = source_of(options)
        if source is not None:  # what is lowered and compiled of it later, in any thread, says where it is from
            self._ahead[source] = history
            if len(self._ahead) > _AHEAD:
                del self._ahead[next(iter(self._ahead))]

    def _forget_asked(self, state: ThreadState, new: int = 0) -> None:
        """Drop the functions that JAX has traced by now, or could not; `new` is the id of a frame that asks now."""
        if state.asked:
            here = set(_frames(sys._getframe(1)))
            state.asked = [each for each in state.asked if each.frame != new and (each.frame, each.code) in here]

    def _worked_ahead(self, state: ThreadState, history: FunctionHistory, event: LooseEvent) -> None:
        """JAX has traced, lowered or compiled a function that was not called."""
        stages = CallStages()
        stages.add(event.event, event.seconds, event.from_disk)
        self.history.worked(history, stages)
        if state.run is not None:
            state.run.note_ahead(history.name, history.definition)
            tally = stages.tally()
            state.run.call_lines.compiled(user_place(sys._getframe(1)), tally.compiles)

    def traced(self, call: JitCall) -> None:
        """JAX has the program of the call."""
        miss: Miss = call.record
        self._stop_trace(miss)
        run = miss.state.run
        if miss.function.jit_name is None and call.params is not None:
            miss.function.jit_name = text_of(call.params.get("name"))
        if miss.event.key is None and run is None:
            miss.event.key = self._key(call, miss.function, NOTHING_CALLED, call.flat())
        if run is None or run.keeps_programs or self.shows_programs:
            self._note_call(run, call, miss)
        call.args, call.kwargs = (), {}

    def _note_call(self, run: Run | None, call: JitCall, miss: Miss) -> None:
        """What a program needs to know of the call that it was made for, read before the call runs."""
        assert call.params is not None
        jaxpr, function, key = call.params["jaxpr"], miss.function, miss.event.key
        wrapper = equinox_wrapper(call.frame) if function.equinox and call.frame is not None else None
        plain = key is not None and wrapper is None and not key.statics
        for program in function.kept.values():
            if program.jaxpr is jaxpr:
                break
        else:
            # Types are taken before the call runs: donated arguments have none left afterwards.
            miss.types = call.types()
            reading = NOTHING_CALLED if run is None else run.reading
            miss.shape = key if plain else shape_of(call.options, call.args, call.kwargs, key, reading)
            miss.equinox = None if wrapper is None else equinox_call(wrapper, call.args, reading)
        keep = run is not None and run.keep_values
        if run is not None and keep:
            run.hold_last_calls()
        leaves = copied(call.args_flat, call.params.get("donated_invars", ())) if keep else call.args_flat
        miss.values = CallValues(leaves, "compiled", keep)
        if function.pmap:
            return  # what JAX jitted is given the leaves alone
        if plain and key is not None:
            miss.held = HeldCall.plain(call.fun, call.options, key.treedef, key.count)
        elif wrapper is None and key is not None:  # equinox regroups its arguments
            miss.held = HeldCall.with_statics(call.fun, call.options, key, len(call.args))

    def trace_raised(self, name: str | None) -> None:
        """The trace of a call raised."""
        state = self._state()
        if state.stack and not state.replaying:
            call = state.stack[-1]
            function = call.record.function
            if (function.jit_name or function.name) == name and call.params is None:
                self._leave(state, call, raised=True)

    def executed(self, call: JitCall, executable: Any, fast_path: bool) -> None:
        """The call has run."""
        ended_at = time.perf_counter()
        miss: Miss = call.record
        state = miss.state
        miss.event.fast_path = fast_path
        if not fast_path and call.params is not None:
            miss.event.effects = tuple(program_effects(call.params["jaxpr"]))
        run = state.run
        try:
            if executable is None:
                self._note_transformed(state, call, miss)
            elif run is None or run.keeps_programs or self.shows_programs:  # `observe()` alone shows none
                self._note_program(state, call, miss, executable, ended_at)
        finally:
            self._leave(state, call, raised=False)

    def derived(self, call: DerivedCall) -> None:
        """JAX ran a program derived from a jitted one."""
        state = self._state()
        if state.replaying:
            return
        function, parent, place, stages = self._origin_of(state, call.name)
        if function is None:
            return
        within = any(stages in each.record.derived for each in state.stack)  # that call counts them when it ends
        if not within:
            self.history.stages_only(function, stages)
        jaxpr = call.params["jaxpr"]
        whole = jaxpr is parent  # not derived at all: JAX took another road to the same program
        program = kept(function, jaxpr, call.executable)
        if program is None:
            program = KeptProgram("ran" if whole else "derived", jaxpr, call.executable, parent=parent, call=place)
            program.stages = stages.stages_only()
            self._replay(state, function, program, call.stages)
        program.values = CallValues(call.args, "last")
        keep(function, program)
        if state.run is not None:
            activity = state.run.activity(function)
            activity.use(program, now=stages.compiles > 0)
            if not within:
                tally = stages.tally()
                activity.add(tally)
                state.run.call_lines.compiled(place, tally.compiles)

    def stage_started(self, event: str, name: str | None) -> None:
        """A stage starts."""
        state = self._threads.get(threading.get_ident()) or self._state()
        if not state.replaying or state.looking_away:
            state.stage = (event, name, time.perf_counter())
        if event == TRACE_EVENT and state.stack and not state.replaying:
            call = state.stack[-1]
            own: FunctionRecord = call.record.function
            if own.jit_name is None and call.record.tracing:
                own.jit_name = name  # the first trace after the call has begun is that of its function
            if own.jit_name == name and state.run is not None:
                self._start_trace(state.run, call.record, call.fun)

    def stage_ended(self, event: str, name: str | None, seconds: float) -> None:
        """A stage has ended."""
        state = self._threads.get(threading.get_ident()) or self._state()
        state.stage = None
        if event == TRACE_EVENT and not state.replaying and not state.listening and self.hooks.tells_calls:
            # Of the hundreds of JAX's own functions within a trace nothing is to be told.
            miss: Miss | None = state.stack[-1].record if state.stack else None
            self._forget_asked(state)
            if state.asked:
                asked = state.asked[-1]
                if asked.name == name and not facts.staging():
                    self._worked_ahead(state, asked.history, LooseEvent(event, name, seconds, False))
            elif miss is not None and (name is None or name == miss.function.jit_name):
                miss.stages.add(event, seconds, False)
                self._stop_trace(miss)
            return
        from_disk = state.from_disk and event == COMPILE_EVENT
        if event == COMPILE_EVENT:
            state.from_disk = False
        for listened, stages in state.listening:
            if listened == name:
                stages.add(event, seconds, from_disk)
        if state.replaying:
            state.replay_events += 1
            state.replay_seconds += seconds
            return
        if state.stack:
            miss = state.stack[-1].record  # it belongs to the innermost call, if it is of that name
            if name is None or name == miss.function.jit_name:
                miss.stages.add(event, seconds, from_disk)
                return
        source = made_ahead(sys._getframe(1)) if self._ahead and event != TRACE_EVENT else None
        history = None if source is None else self._ahead.get(source)
        if history is not None:
            self._worked_ahead(state, history, LooseEvent(event, name, seconds, from_disk))
        else:
            if len(state.loose) == _LOOSE_EVENTS and state.run is not None:
                self._take_loose(state, state.run)
            eager = event == COMPILE_EVENT and state.run is not None
            place = user_place(sys._getframe(1)) if eager else None
            state.loose.append(LooseEvent(event, name, seconds, from_disk, place))

    def from_disk(self) -> None:
        """The compilation under way was found in the persistent cache."""
        self._state().from_disk = True

    # --- one call ---

    def _note_program(self, state: ThreadState, call: JitCall, miss: Miss, executable: Any, ended_at: float) -> None:
        assert call.params is not None
        jaxpr = call.params["jaxpr"]
        program = kept(miss.function, jaxpr, executable)
        made_now = miss.stages.made
        if program is None:
            program = KeptProgram(
                "ran",
                jaxpr,
                executable,
                shape=miss.shape or _shape_of_same(miss.function, jaxpr),
                in_tree=call.in_tree if not miss.function.pmap else _dynamic_tree(miss.event.key),
                out_tree=call.out_tree,
                donated=tuple(call.params.get("donated_invars", ())),
                equinox=miss.equinox,
                stages=miss.stages.until(ended_at) if made_now else None,
                call=miss.place,
            )
            types = miss.types
            self._replay(
                state,
                miss.function,
                program,
                lambda: call.stages(types if types is not None else call.types(), executable),
            )
        program.values, program.held = miss.values, miss.held
        keep(miss.function, program)
        if miss.activity is not None:
            miss.activity.use(program, now=made_now)

    def _note_transformed(self, state: ThreadState, call: JitCall, miss: Miss) -> None:
        """It was called with tracers outside any jit: what runs are programs derived from it, now or later."""
        assert call.params is not None
        parent = call.params["jaxpr"]
        while len(state.under_transforms) >= _UNDER_TRANSFORMS:
            del state.under_transforms[next(iter(state.under_transforms))]
        state.under_transforms[miss.function.jit_name or miss.function.name] = (miss.function, parent, miss.place)

    def _origin_of(self, state: ThreadState, name: str) -> tuple[FunctionRecord | None, Any, Place | None, CallStages]:
        """The function that a derived program comes from, and the stages that JAX reported for it."""
        for call in reversed(state.stack):
            miss: Miss = call.record
            if miss.function.jit_name == name and not miss.tracing and call.params is not None:
                stages, miss.stages = miss.stages, CallStages()
                miss.stages.started_at = stages.started_at
                miss.derived.append(stages)
                return miss.function, call.params["jaxpr"], miss.place, stages
        found = state.under_transforms.get(name)
        stages = CallStages()
        if found is None:
            return None, None, None, stages
        others = [event for event in state.loose if event.name != name or event.event not in _AFTER_TRACE]
        for event in state.loose:
            if event.name == name and event.event in _AFTER_TRACE:
                stages.add(event.event, event.seconds, event.from_disk)
        state.loose.clear()
        state.loose.extend(others)
        return (*found, stages)

    def _replay(self, state: ThreadState, function: FunctionRecord, program: KeptProgram, ask: Any) -> None:
        """Ask JAX's caches for the stages of a program; an answer that cost work is the last one asked for."""
        if not function.replayable:
            return
        state.replaying = True
        state.replay_events = 0
        try:
            program.traced, program.lowered, program.compiled = ask()
        except Exception:
            function.replayable = False
            raise
        finally:
            state.replaying = False
            if state.replay_events:
                function.replayable = False

    def _start_trace(self, run: Run, miss: Miss, fun: Any) -> None:
        miss.records_trace = True
        run.traced_names.append(miss.function.name)
        if run.keeps_programs and len(run.traced_functions) < TRACED_FUNCTIONS and id(fun) not in run.traced_ids:
            run.traced_ids.add(id(fun))
            before = None if run.look_before is None else run.look_before(fun)
            run.traced_functions.append((miss.function.name, fun, before))
        if len(run.traced_names) == 1:
            run.prints.start()
            if run.lines is not None:
                inner = fun if type(fun) is FunctionType and "__wrapped__" not in vars(fun) else unwrap(fun)
                code = inner.__code__ if type(inner) is FunctionType else code_of(inner)
                run.lines.start(code, getattr(inner, "__globals__", None))

    def _stop_trace(self, miss: Miss) -> None:
        miss.tracing = False
        run = miss.state.run
        if not miss.records_trace or run is None or not run.traced_names:
            return
        miss.records_trace = False
        run.traced_names.pop()
        if not run.traced_names:
            run.prints.stop()
            if run.lines is not None:
                run.lines.stop()

    # --- the stack of a thread ---

    def _state(self) -> ThreadState:
        thread = threading.get_ident()
        state = self._threads.get(thread)
        if state is None:
            if len(self._threads) > 100:  # threads come and go
                alive = {each.ident for each in threading.enumerate()}
                for gone in [ident for ident in self._threads if ident not in alive]:
                    del self._threads[gone]
            state = self._threads[thread] = ThreadState()
        return state

    def _prune(self, state: ThreadState, new: JitCall | None = None) -> None:
        """Close calls that an exception took out of JAX behind the hooks' back; `new` has begun just now."""
        while state.stack and (_is_where(state.stack[-1], new) or not state.stack[-1].under_way()):
            self._leave(state, state.stack[-1], raised=True)

    def _leave(self, state: ThreadState, call: JitCall, raised: bool) -> None:
        while state.stack:
            top = state.stack.pop()
            miss: Miss = top.record
            if miss.tracing or miss.records_trace:
                self._stop_trace(miss)
            for stages in miss.derived:
                miss.stages.take_in(stages)
            total = time.perf_counter() - miss.stages.started_at
            lines = state.run.call_lines if state.run is not None and miss.activity is not None else None
            gone = raised or top is not call
            self.history.end(miss.function, miss.event, miss.stages, gone, total, miss.activity, lines)
            top.drop_values()
            if top is call:
                break

    def _drain(self, run: Run, missing: Any = None, its_record: FunctionRecord | None = None) -> _Drained:
        """Credit the counted calls to their functions and lines.

        Tells whether one of the function that misses now was credited to it, whether one was seen at all, and where
        it is counted.
        """
        counted = seen = False
        its_activity = None
        counter = run.counter
        for called, times, place in counter.drain():
            fun = getattr(called, "_fun", None)
            if fun is missing and its_record is not None and not its_record.equinox:  # most often it is the only one
                run.call_lines.called(place, times)
                its_activity = its_activity or run.activity(its_record)
                its_activity.calls += times
                counted = seen = True
                continue
            if fun is None:
                self._drain_derived(run, called)
                continue
            function = self.functions.known(fun)
            shared = function is None and self.functions.is_shared(fun)
            if shared or (is_users(fun) if function is None else not function.library):
                run.call_lines.called(place, times)
            seen |= fun is missing
            if shared:
                continue
            counted |= fun is missing
            if function is None and self.hooks.support.tier != "hooks":
                function = self.functions.by_code(fun)
            if function is None:
                if len(run.unseen) < 100 and not any(known is called for known in run.unseen):
                    run.unseen.append(called)
            elif not function.library:
                run.activity(function).calls += times
        if not counter.noted_more:
            return counted, seen, its_activity
        for called, times, place in counter.drain_raised():
            function = self.functions.known(getattr(called, "_fun", None))
            if function is not None and not function.library:
                run.activity(function).calls_raised += times
                run.call_lines.raised(place, times)
        for handed, place in counter.drain_handed():
            function = self.functions.known(getattr(handed, "_fun", None))
            if function is not None and not function.library:
                run.activity(function).handed += 1
                run.call_lines.unseen(place)
        return counted, seen, its_activity

    def _drain_derived(self, run: Run, called: Any) -> None:
        """A derived program was called: in JAX each such call goes through a function object of its own."""
        jaxpr = derived_jaxpr(called)
        if jaxpr is None:
            return
        for activity in run.functions.values():
            for program in activity.record.kept.values():
                if program.jaxpr is jaxpr:
                    activity.use(program, now=False)

    def _take_loose(self, state: ThreadState, run: Run) -> None:
        for event in state.loose:
            if self.hooks.support.tier == "events":
                run.stage_counts[event.name, event.event] += 1
            elif event.event == COMPILE_EVENT and len(run.eager) < EAGER_COMPILES and event.name not in run.ahead:
                run.eager.append(EagerCompile(event.name, event.seconds, event.place))
        state.loose.clear()


def _count_by_name(run: Run) -> None:
    """At the tier `events` a stage is credited to the functions of its name, for more JAX does not say."""
    for activity in run.functions.values():
        name = activity.record.jit_name
        activity.traces = run.stage_counts[name, TRACE_EVENT]
        activity.lowerings = run.stage_counts[name, LOWER_EVENT]
        activity.compiles = run.stage_counts[name, COMPILE_EVENT]


def _dynamic_tree(key: Key | None) -> Any:
    """The structure of a call's arguments, where JAX's jit was given their leaves alone."""
    return None if key is None or key.statics else key.treedef


def _shape_of_same(function: FunctionRecord, jaxpr: Any) -> CallShape | Key | None:
    """How calls of the same jaxpr are written: there is another executable for it, on another device for one."""
    return next((program.shape for program in reversed(function.kept.values()) if program.jaxpr is jaxpr), None)


def _frames(frame: FrameType | None) -> Iterator[tuple[int, CodeType]]:
    while frame is not None:
        yield id(frame), frame.f_code
        frame = frame.f_back


def _is_where(call: JitCall, new: JitCall | None) -> bool:
    """Whether a call had the frame that a new one has: it is over."""
    return new is not None and new.frame is not None and call.is_in(new.frame)


_Drained = tuple[bool, bool, FunctionActivity | None]
_AFTER_TRACE = frozenset({LOWER_EVENT, COMPILE_EVENT})
