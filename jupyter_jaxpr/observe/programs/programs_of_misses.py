"""Keeps the program of each miss as long as the function that missed exists.

- `KeptProgram`: JAX's own objects of one program, and what is needed to name its arguments later.
- `keep`, `stored_program`: store and find the newest programs of a function. Only a few are kept, because executables
  hold device memory; a run itself keeps the programs that it shows.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ...interruptions import not_of_a_signal
from ...jax.constructs_outside_jit import Construct
from ..cache.held_entries import are_surely_equal
from ..cache.types_and_layouts_of_key import Key
from ..calls.held_or_gone_values import CallValues
from ..calls.repeatable_calls import HeldCall
from ..functions.equinox_filter_jit import EquinoxCall, equinox_arguments
from ..functions.jitted_functions import FunctionRecord
from ..observation import ArgumentSpec, ObservedProgram, Place, StageTimes
from ..outside_values.changes_since_trace import ValuesAtTrace
from ..stage_times_of_call import CallTimes
from .arguments_in_signature import CallShape, arguments_of, plain_shape, result_of, spec_of
from .sentences_above_program import DERIVED, PART_OF_CALL, REUSED

KEEP_PER_FUNCTION = 8
_KEYS = 8


@dataclass(eq=False, slots=True)
class KeptProgram:
    """A program that JAX made for a miss.

    The record keeps `jaxpr` and `executable` alive, so that the ids of both stay unique.

    Attributes:
        executable: the executable that JAX ran; None if the program did not run.
        shape: the parameter names and the static arguments of the call; for a call without static arguments, its cache
            key.
        construct: the construct that JAX compiled by itself outside of jit.
        traceback: JAX's stack trace of the call of the construct.
        parent: the jaxpr from which JAX derived this program; None if the program is not derived.
        values: the argument values of the newest observed call.
        held: the newest call in a form that can be repeated; None if it cannot be repeated.
        how: the origin of the program in a few words; None if the other fields tell the origin.
        seen_at: when a call was first seen to run the program, by `time.perf_counter`.
        at_trace: the outside values that the trace of the program read; None if no run saw the trace.
        keys: the cache keys of missed calls that ran the program, the newest ones.
    """

    origin: Literal["ran", "derived", "traced"]
    jaxpr: Any
    executable: Any
    traced: Any = None
    lowered: Any = None
    compiled: Any = None
    shape: CallShape | Key | None = None
    in_tree: Any = None
    out_tree: Any = None
    donated: tuple[bool, ...] = ()
    equinox: EquinoxCall | None = None
    stages: StageTimes | CallTimes | None = None
    call: Place | None = None
    construct: Construct | None = None
    traceback: Any = None
    parent: Any = None
    values: CallValues | None = None
    held: HeldCall | None = None
    how: str | None = None
    seen_at: float = field(default_factory=time.perf_counter)
    at_trace: ValuesAtTrace | None = None
    keys: tuple[Key, ...] = ()

    @property
    def key(self) -> tuple[int, int]:
        """The ids of the jaxpr and the executable, which identify the program."""
        return id(self.jaxpr), id(self.executable)

    def add_key(self, key: Key) -> None:
        """Add the cache key of a missed call that ran the program; the oldest keys are dropped."""
        self.keys = (*self.keys[1 - _KEYS :], key)

    @property
    def key_of_trace(self) -> Key | None:
        """The cache key of the call for which JAX traced the program; None if this key may have been dropped."""
        return self.keys[0] if 0 < len(self.keys) < _KEYS else None

    @property
    def is_told_by_values(self) -> bool:
        """True if no argument is static: a call with the same array values then certainly runs this program."""
        return self.origin == "ran" and (self.held is None or not self.held.has_statics)

    def observed(self, now: bool, note: str | None = None) -> ObservedProgram:
        """Return the program as an `ObservedProgram`; `now` says whether this run made the program."""
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
            construct=self.construct,
            key=self.keys[-1] if self.keys else None,
            input_names=() if self.construct is None else tuple(self.construct.operands(len(self.jaxpr.in_avals))),
        )

    def note(self, in_this_run: bool) -> str | None:
        """Return a sentence on the origin of the program; None if the origin is clear."""
        if self.origin == "derived":
            return DERIVED if in_this_run else f"{DERIVED} {REUSED}"
        within = None if self.construct is None or self.construct.within is None else _construct_note(self.construct)
        if self.origin == "ran" and not in_this_run:
            return " ".join(filter(None, (within, REUSED)))
        return within

    def arguments(self) -> tuple[ArgumentSpec, ...]:
        """Return the arguments with their names; the names are empty if the structure of the arguments is unknown."""
        avals = self.jaxpr.in_avals
        try:
            return self._named(avals)
        except not_of_a_signal(
            Exception
        ):  # a user's pytree class may refuse types as its leaves: the arguments are then a flat list
            return tuple(ArgumentSpec(name="", tree=spec_of(aval)) for aval in avals)

    def _named(self, avals: Any) -> tuple[ArgumentSpec, ...]:
        shape = plain_shape(self.shape) if isinstance(self.shape, Key) else self.shape
        if self.in_tree is None or shape is None:
            return tuple(ArgumentSpec(name="", tree=spec_of(aval)) for aval in avals)
        # the first inputs of the program are tracers that the function captured from an enclosing trace
        avals = avals[len(avals) - self.in_tree.num_leaves :]
        donated = self.donated[len(self.donated) - len(avals) :]
        arguments = arguments_of(shape, self.in_tree, avals, donated)
        if self.equinox is not None:
            return equinox_arguments(arguments, self.equinox)
        return arguments

    def result(self) -> Any:
        """Return the tree of the result; a flat list if the structure of the result is unknown."""
        flat = [spec_of(aval) for aval in self.jaxpr.out_avals]
        if self.out_tree is None:
            return flat
        try:
            tree = result_of(self.out_tree, self.jaxpr.out_avals)
            # equinox's inner function returns three parts: a marker, the arrays, and the static values.
            return tree[1] if self.equinox is not None else tree
        except not_of_a_signal(Exception):  # a user's pytree class may refuse types: a flat list is returned
            return flat


def _construct_note(construct: Construct) -> str:
    """Return a sentence that names the JAX function, such as `cg`, one of whose programs is the construct."""
    return PART_OF_CALL.format(within=construct.within, name=construct.name)


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
    """Return the programs that later calls of the function may run.

    A program of grad or vmap is left out, unless the function has no other programs. A program is also left out if a
    later program was made for the same keys: JAX's caches were cleared in between.
    """
    programs = list(record.programs.values())
    of_calls = [program for program in programs if program.origin == "ran"] or programs
    return [program for number, program in enumerate(of_calls) if not _is_replaced(program, of_calls[number + 1 :])]


def _is_replaced(program: KeptProgram, later: Sequence[KeptProgram]) -> bool:
    new = [key for later_program in later for key in later_program.keys]
    return bool(program.keys) and all(any(are_surely_equal(old, key) for key in new) for old in program.keys)


def stored_program(record: FunctionRecord, jaxpr: Any, executable: Any) -> KeptProgram | None:
    """Return the stored program with this jaxpr and this executable; None if the program is no longer stored."""
    program: KeptProgram | None = record.programs.get((id(jaxpr), id(executable)))
    return program
