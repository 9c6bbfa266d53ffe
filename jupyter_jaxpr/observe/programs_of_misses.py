"""Keeps the program of each miss as long as the missing function exists.

- `KeptProgram`: JAX's own objects of one program, and how its arguments can be named later.
- `keep`, `stored_program`: the newest programs of a function. They are few, for executables hold device memory: what
  a run shows, the run holds itself.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..interruptions import not_of_a_signal
from ..jax.eager_control_flow import Construct
from .arguments import CallShape, EquinoxCall, arguments_of, equinox_arguments, plain_shape, result_of, spec_of
from .cache.cache_key import Key
from .cache.held_entries import are_surely_equal
from .calls.call_values import CallValues
from .calls.repeatable_calls import HeldCall
from .jitted_functions import FunctionRecord
from .observation import ArgumentSpec, ObservedProgram, Place, StageTimes
from .stages import CallTimes
from .values_at_trace import ValuesAtTrace

KEEP_PER_FUNCTION = 8
_KEYS = 8


@dataclass(eq=False, slots=True)
class KeptProgram:
    """A program that JAX made for a miss.

    The record keeps `jaxpr` and `executable` alive, so that their ids stay unique.
    """

    origin: Literal["ran", "derived", "traced"]
    jaxpr: Any
    executable: Any  # JAX's own executable; None if the program did not run
    traced: Any = None
    lowered: Any = None
    compiled: Any = None
    # the form of the call; for a call without static arguments, its cache key is enough
    shape: CallShape | Key | None = None
    in_tree: Any = None
    out_tree: Any = None
    donated: tuple[bool, ...] = ()
    equinox: EquinoxCall | None = None
    stages: StageTimes | CallTimes | None = None
    call: Place | None = None
    construct: Construct | None = None  # the construct that JAX compiled by itself outside of jit
    traceback: Any = None  # JAX's stack trace of the construct's call
    parent: Any = None  # the jaxpr of the function from which JAX derived this program; None if not derived
    values: CallValues | None = None  # the argument values of the newest call whose arguments were seen
    held: HeldCall | None = None  # the newest call in a form that can be repeated
    how: str | None = None  # the origin of the program in a few words, if no other field gives the origin
    seen_at: float = field(
        default_factory=time.perf_counter
    )  # `time.perf_counter` at the first seen call that ran the program
    at_trace: ValuesAtTrace | None = None  # the values at the trace; None if no run saw the trace
    keys: tuple[Key, ...] = ()  # the newest cache keys of missed calls that ran the program

    @property
    def key(self) -> tuple[int, int]:
        """The ids of the jaxpr and the executable, which identify the program."""
        return id(self.jaxpr), id(self.executable)

    def add_key(self, key: Key) -> None:
        """Add the cache key of a missed call that ran the program; the oldest keys are dropped."""
        self.keys = (*self.keys[1 - _KEYS :], key)

    @property
    def key_of_trace(self) -> Key | None:
        """The cache key with which JAX traced the program; None if it may have been dropped."""
        return self.keys[0] if 0 < len(self.keys) < _KEYS else None

    @property
    def is_told_by_values(self) -> bool:
        """True if no argument is static, so that a call with the same array values certainly runs this program."""
        return self.origin == "ran" and (self.held is None or not self.held.has_statics)

    def observed(self, now: bool, note: str | None = None) -> ObservedProgram:
        """Return the record for the observation.

        `now` is True if this run made the program.
        """
        origin: Literal["ran", "seen_before", "derived", "traced"] = self.origin
        if not now and self.origin != "traced":
            origin = "seen_before"
        return ObservedProgram(
            origin=origin,
            jaxpr=self.jaxpr,
            arguments=self.arguments(),
            result=self.result(),
            stages=self.stages.times() if isinstance(self.stages, CallTimes) else self.stages,
            call=self.call,
            lowered=self.lowered,
            executable=self.compiled,
            traced=self.traced,
            origin_note=note or self.note(now),
            values=self.values,
            donated=self.donated,
            held=self.held,
            traceback=self.traceback,
            how=self.how if self.construct is None else self.construct.how(now),
            key=self.keys[-1] if self.keys else None,
            input_names=() if self.construct is None else tuple(self.construct.operands(len(self.jaxpr.in_avals))),
        )

    def note(self, in_this_run: bool) -> str | None:
        """Return a sentence on the origin of the program; None if the origin needs no explanation."""
        if self.origin == "derived":
            text = (
                "JAX derived this program from the function, which was called under a transformation "
                "such as grad or vmap outside any jit."
            )
            return text if in_this_run else f"{text} JAX compiled the program earlier and reused the executable."
        within = None if self.construct is None or self.construct.within is None else _construct_note(self.construct)
        if self.origin == "ran" and not in_this_run:
            return " ".join(filter(None, (within, "JAX compiled the program earlier and reused the executable.")))
        return within

    def arguments(self) -> tuple[ArgumentSpec, ...]:
        """Return the arguments with their names; without names if the structure of the arguments is unknown."""
        avals = self.jaxpr.in_avals
        try:
            return self._named(avals)
        except not_of_a_signal(
            Exception
        ):  # a pytree class of the user's may refuse types as leaves: fall back to the flat list
            return tuple(ArgumentSpec(name="", tree=spec_of(aval)) for aval in avals)

    def _named(self, avals: Any) -> tuple[ArgumentSpec, ...]:
        shape = plain_shape(self.shape) if isinstance(self.shape, Key) else self.shape
        if self.in_tree is None or shape is None:
            return tuple(ArgumentSpec(name="", tree=spec_of(aval)) for aval in avals)
        # the first inputs are tracers that the function captured from an enclosing trace
        avals = avals[len(avals) - self.in_tree.num_leaves :]
        donated = self.donated[len(self.donated) - len(avals) :]
        arguments = arguments_of(shape, self.in_tree, avals, donated)
        if self.equinox is not None:
            return equinox_arguments(arguments, self.equinox)
        return arguments

    def result(self) -> Any:
        """Return the tree of the result; a list where the structure is unknown."""
        flat = [spec_of(aval) for aval in self.jaxpr.out_avals]
        if self.out_tree is None:
            return flat
        try:
            tree = result_of(self.out_tree, self.jaxpr.out_avals)
            # equinox returns three parts: a marker, the arrays, and the static values.
            return tree[1] if self.equinox is not None else tree
        except not_of_a_signal(Exception):  # a pytree class of the user's may refuse types as leaves
            return flat


def _construct_note(construct: Construct) -> str:
    """Return a sentence that names the JAX function.

    For example `cg`, that ran the construct as one of several programs.
    """
    return (
        f"JAX compiles no program for the whole of {construct.within}: JAX runs the parts of {construct.within} one by "
        f"one, and this {construct.name} is one of them."
    )


def keep(record: FunctionRecord, program: KeptProgram) -> None:
    """Store a program as the newest program of its function."""
    programs, key = record.programs, program.key
    if programs:
        programs.pop(key, None)
    programs[key] = program
    while len(programs) > KEEP_PER_FUNCTION:
        del programs[next(iter(programs))]
        record.unkept = True


def own_programs(record: FunctionRecord) -> list[KeptProgram]:
    """Return the programs that later calls may run.

    A program of grad or vmap is left out, unless there are no others. A program is left out, too, if a later program
    was made for the same keys: JAX's caches were cleared in between.
    """
    programs = list(record.programs.values())
    of_calls = [program for program in programs if program.origin == "ran"] or programs
    return [program for number, program in enumerate(of_calls) if not _is_replaced(program, of_calls[number + 1 :])]


def _is_replaced(program: KeptProgram, later: Sequence[KeptProgram]) -> bool:
    new = [key for later_program in later for key in later_program.keys]
    return bool(program.keys) and all(any(are_surely_equal(old, key) for key in new) for old in program.keys)


def stored_program(record: FunctionRecord, jaxpr: Any, executable: Any) -> KeptProgram | None:
    """Return the stored program with this jaxpr and this executable; None if it is not stored any more."""
    program: KeptProgram | None = record.programs.get((id(jaxpr), id(executable)))
    return program
