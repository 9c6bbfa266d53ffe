"""Declares the observer's result: plain records of what JAX did while some code ran.

- `Observation`: one observed run, a cell or a block.
- `ObservedFunction`: one user function of the run, with its counts and the programs it ran.
- `ObservedProgram`: the program of one cache key. It holds JAX's own objects (jaxpr, lowered module, executable),
  never arrays.

The packages `program` and `build` read these records and nothing else of the observer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from ..jax.constructs_outside_jit import Construct
from ..jax.silent_type_and_value_changes import PromotedCarry
from .calls.arguments_of_calls import ProgramCalls
from .calls.held_or_gone_values import CallValues
from .calls.repeatable_calls import HeldCall
from .reprs_of_users_values import Reading

Outcome = Literal["fast_hit", "dispatch_only", "lowered", "compiled", "compiled_from_disk", "inlined", "raised"]


class Place(NamedTuple):
    """A place in Python code: file as in `co_filename`, line from 1, qualified name of the enclosing function.

    For an expression, columns count UTF-8 bytes from 0, and `end_line` is the last line of the expression. For a whole
    line, the columns and `end_line` are -1.
    """

    file: str
    line: int
    function: str = ""
    column: int = -1
    end_line: int = -1
    end_column: int = -1


@dataclass(frozen=True)
class StageTimes:
    """The seconds of each stage of a call; None for a stage that JAX did not report (see `document.Stages`)."""

    trace: float | None = None
    lower: float | None = None
    compile: float | None = None
    from_disk: bool = False
    first_run: float | None = None
    rest: float | None = None
    total: float | None = None


@dataclass(frozen=True)
class ArgumentSpec:
    """One argument of a call, with the name of its parameter.

    For a dynamic argument, `tree` has the structure of the argument, with `jax.ShapeDtypeStruct` leaves. For a static
    argument, `tree` is None and `static` is the short repr of the argument.
    """

    name: str
    tree: Any = None
    static: str | None = None
    donated: bool = False


@dataclass
class ObservedProgram:
    """One program that JAX made of a function for one cache key.

    Attributes:
        jaxpr: a Jaxpr or a ClosedJaxpr, depending on JAX's version.
        result: the result as a tree of jax.ShapeDtypeStruct; None when unknown.
        lowered: the jax.stages.Lowered of the program, or None.
        executable: the executable that JAX ran (jax.stages.Compiled or the loaded executable), or None.
        traced: the jax.stages.Traced that can be lowered and compiled on request, or None.
        traceback: JAX's stack trace of the program; used if no equation of the program has a line of the user's.
        no_text: a sentence on why StableHLO and HLO do not exist and cannot be made.
        no_values: a sentence on why the program can be neither stepped through nor timed.
        how: the origin of the program in at most six words, shown in place of `origin`; None if `origin` says enough.
        construct: the construct that JAX compiled by itself outside of jit; None for any other program.
        is_candidate: true if it is not certain that the run ran the program.
        values: the argument values of the newest call whose arguments still exist.
        values_since: the time at which the run began, by `time.perf_counter`; older values are of no call of the run.
        numbers: for a recording, variable -> the values of its array, for small integer arrays whose values are known.
        calls: the calls of the cell that ran the program, with their arguments; only with `--steps`.
        donated: for each of the last inputs of the program, whether a call donates the input.
        held: the newest call in a form that can be repeated; None if it cannot be repeated.
        key: the key of the newest missed call that ran the program; None if the key is unknown.
        input_names: names such as p['w'] for the inputs, in place of JAX's names.
        raised_operands: if the trace raised, the indices of the variables that were arguments of the call that raised.
    """

    origin: Literal["ran", "seen_before", "derived", "traced", "recorded"]
    jaxpr: Any
    arguments: tuple[ArgumentSpec, ...] = ()
    result: Any = None
    stages: StageTimes | None = None
    call: Place | None = None
    lowered: Any = None
    executable: Any = None
    traced: Any = None
    origin_note: str | None = None
    traceback: Any = None
    no_text: str | None = None
    no_values: str | None = None
    how: str | None = None
    construct: Construct | None = None
    is_candidate: bool = False
    values: CallValues | None = None
    values_since: float = 0.0
    numbers: Mapping[Any, Any] = field(default_factory=dict)
    calls: ProgramCalls | None = None
    donated: tuple[bool, ...] = ()
    held: HeldCall | None = None
    key: Any = None
    input_names: tuple[str, ...] = ()
    result_names: tuple[str, ...] = ()
    raised_operands: tuple[int, ...] = ()


@dataclass
class ObservedFunction:
    """One user function of a run, with its counts and programs.

    Attributes:
        programs: the programs in the order of first use in this run.
        top_level: true if the run called the function from outside of every trace.
        handed: true if the function was passed to C code such as map(), so that calls may not have been seen.
        construct: true if JAX compiled this construct by itself, outside of jit.
        library: true if a library jitted this function for itself.
        called_at: the line of a construct's last call in this run.
        transform: the transform under which a call without jit ran.
    """

    name: str
    definition: Place | None
    programs: list[ObservedProgram] = field(default_factory=list)
    top_level: bool = False
    calls: int | None = None
    calls_exact: bool = True
    misses: int | None = None
    traces: int | None = None
    lowerings: int | None = None
    compiles: int | None = None
    from_disk: int | None = None
    inlined: int | None = None
    raised: int | None = None
    handed: bool = False
    construct: bool = False
    library: bool = False
    called_at: Place | None = None
    transform: str | None = None


@dataclass(frozen=True)
class Printed:
    """The text that Python printed while JAX traced one function."""

    function: str
    text: str
    place: Place | None


@dataclass(frozen=True)
class EagerCompile:
    """A program that JAX compiled outside of all user functions, for an eager jnp operation.

    Attributes:
        name: JAX's name of the program, such as _reduce_sum for the operation x.sum().
        place: the user's line that started the operation.
    """

    name: str | None
    seconds: float
    place: Place | None = None


@dataclass(frozen=True)
class Edit:
    """A replacement of the source text at a place by another text."""

    place: Place
    text: str


@dataclass(frozen=True)
class FoundCure:
    """One of several cures of a finding; see `document.Cure`.

    Attributes:
        edits: the edits that apply the cure; all of them must be applied together.
    """

    name: str
    code: str | None
    text: str
    level: Literal["applies", "choice", "advice"] = "advice"
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True)
class Finding:
    """A fact about the user's code that becomes a note of the document.

    Attributes:
        function: the name of the user's function that the finding is about.
        carry: the carry whose dtype JAX converts.
        changed: the name of the value that changed after the trace.
    """

    kind: str
    text: str
    cure: str | None = None
    detail: str | None = None
    function: str | None = None
    place: Place | None = None
    title: str | None = None
    cures: tuple[FoundCure, ...] = ()
    carry: PromotedCarry | None = None
    changed: str | None = None


@dataclass(frozen=True)
class ErrorToTry:
    """An error of a cell for which some cures were not tried in time; the exception itself is not kept.

    Attributes:
        identity: The `id()` of the exception.
        function: The name of the user's jitted function whose call raised; None if no such call raised.
    """

    identity: int
    function: str | None


@dataclass(frozen=True)
class LineReading:
    """The counts of one line of the user's: calls of jitted functions, hits, compiles.

    Attributes:
        calls: the number of calls of jitted functions; None if calls are not counted.
        exact: false if `calls` and `hits` are lower bounds.
    """

    file: str
    line: int
    calls: int | None
    exact: bool
    hits: int | None
    compiles: int


@dataclass(frozen=True)
class LedgerReading:
    """The ledger at the end of a run: functions as `ledger_rows.FunctionRecord`.

    Attributes:
        run: the functions of this run, in the order of their calls.
        kernel: all functions since the start of the observer.
        seconds: the duration of the run in seconds.
        note: a sentence that says which calls are not counted; None if all calls are counted.
        elsewhere: a sentence on the functions that missed the cache in other threads.
        unlisted: a sentence on calls of functions that JAX compiled before the observation.
        lines: the counts of each user line, in any file.
    """

    run: tuple[Any, ...]
    kernel: tuple[Any, ...]
    seconds: float
    library_functions: tuple[str, ...]
    library_misses: int
    note: str | None
    elsewhere: str | None = None
    unlisted: str | None = None
    lines: tuple[LineReading, ...] = ()


@dataclass
class Observation:
    """The observation of one run.

    Attributes:
        functions: the functions in the order of their first call.
        libraries: the functions that libraries jitted and ran, with one program each.
        focus: the program that the user asked for by name; None if the panel shows the last function that the cell
            called.
        untraced_lines: the lines of traced functions that no trace reached; see `Snapshot.untraced_lines`.
        without_jit: true if a jitted function was called while `jax.disable_jit` was on.
        failures: errors of this package, as tracebacks.
        reading: the reprs of the user's objects that were made during the run.
        retrace: `question_before_trace.Retrace`: the offer to trace the cell's last call; None if there is no offer.
        named_values: `values_of_names.NamedValues`: the traced values of the user's names, in all traces of the
            kernel.
        error_to_try: the error whose cures were not all tried; None if all cures were tried.
        ledger: the jit cache at the end of the run; None if misses cannot be observed.
    """

    functions: list[ObservedFunction] = field(default_factory=list)
    libraries: list[ObservedFunction] = field(default_factory=list)
    # the recording of the cell's first operations outside of jit, if the document shows other programs
    unshown: ObservedFunction | None = None
    # the program that the user asked for by name; None if the panel shows the last function that the cell called
    focus: ObservedProgram | None = None
    printed: list[Printed] = field(default_factory=list)
    untraced_lines: list[int] = field(default_factory=list)
    eager_compiles: list[EagerCompile] = field(default_factory=list)
    without_jit: bool = False
    findings: list[Finding] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    reading: Reading = field(default_factory=Reading)
    retrace: Any = None
    named_values: Any = None
    error_to_try: ErrorToTry | None = None
    ledger: LedgerReading | None = None
