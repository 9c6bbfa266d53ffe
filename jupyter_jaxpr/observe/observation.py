"""What the observer hands on: plain records of what JAX did while some code ran.

- `Observation`: one observed run, a cell or a block.
- `ObservedFunction`: one user function in it, with its counts and the programs it ran.
- `ObservedProgram`: what JAX made of it for one cache key. It holds JAX's own objects (jaxpr, lowered module,
  executable), never arrays.

Everything after this room (program, snapshot) reads these and nothing else of the observer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from .calls.call_values import CallValues
from .calls.held_calls import HeldCall
from .value_texts import Reading

Outcome = Literal["fast_hit", "dispatch_only", "lowered", "compiled", "compiled_from_disk", "inlined", "raised"]


class Place(NamedTuple):
    """A line of Python: file as in `co_filename`, line from 1, qualified name of the function around it.

    Where an expression is meant, columns are in UTF-8 bytes from 0, and `end_line` is its last line; else -1.
    """

    file: str
    line: int
    function: str = ""
    column: int = -1
    end_line: int = -1
    end_column: int = -1


@dataclass(frozen=True)
class StageTimes:
    """Seconds of one call, from JAX's events; None where JAX reported none (see `snapshot.document.Stages`)."""

    trace: float | None = None
    lower: float | None = None
    compile: float | None = None
    from_disk: bool = False
    first_run: float | None = None
    rest: float | None = None
    total: float | None = None


@dataclass(frozen=True)
class ArgumentSpec:
    """One argument of a call by its parameter's name.

    `tree` has the structure of the argument with `jax.ShapeDtypeStruct` leaves; None for a static argument, whose
    short repr is in `static`.
    """

    name: str
    tree: Any = None
    static: str | None = None
    donated: bool = False


@dataclass
class ObservedProgram:
    """What JAX made of a function for one key."""

    origin: Literal["ran", "seen_before", "derived", "traced", "recorded"]
    jaxpr: Any  # Jaxpr or ClosedJaxpr, whichever this JAX has
    arguments: tuple[ArgumentSpec, ...] = ()
    result: Any = None  # tree of jax.ShapeDtypeStruct, None when unknown
    stages: StageTimes | None = None
    call: Place | None = None
    lowered: Any = None  # jax.stages.Lowered, or None
    executable: Any = None  # what JAX ran (jax.stages.Compiled or the loaded executable), or None
    traced: Any = None  # jax.stages.Traced, to lower and compile on request, or None
    origin_note: str | None = None
    traceback: Any = (
        None  # JAX's record of the stack, where the equations of the program do not lead to the user's line
    )
    no_text: str | None = None  # why there is neither StableHLO nor HLO and none can be made, a sentence
    no_values: str | None = None  # why the program can be neither stepped through nor timed, a sentence
    how: str | None = None  # how it came about, in at most six words; None where the origin says it
    values: CallValues | None = None  # of the newest call whose leaves were seen, as far as they are alive
    donated: tuple[bool, ...] = ()  # of its last leaves: whether the call gives them away
    held: HeldCall | None = None  # how to make a call of it again; None where that cannot be told
    input_names: tuple[str, ...] = ()  # a path for each input, where it is not what JAX says; likewise of results
    result_names: tuple[str, ...] = ()
    raised_operands: tuple[int, ...] = ()  # of a trace that raised: variables that the call that raised received


@dataclass
class ObservedFunction:
    """One user function of a run."""

    name: str
    definition: Place | None
    programs: list[ObservedProgram] = field(default_factory=list)  # in order of first use in this run
    top_level: bool = False  # called in this run other than while another function was traced
    calls: int | None = None
    calls_exact: bool = True
    misses: int | None = None
    traces: int | None = None
    lowerings: int | None = None
    compiles: int | None = None
    from_disk: int | None = None
    inlined: int | None = None
    raised: int | None = None
    construct: bool = False  # a construct that JAX compiled by itself, outside of jit
    library: bool = False  # a library's own, which the library jitted
    called_at: Place | None = None  # of a construct: the line of the last call in this run
    transform: str | None = None  # of a call without jit: the transform under which the function ran


@dataclass(frozen=True)
class Printed:
    """Text that Python printed while a function was being traced."""

    function: str
    text: str
    place: Place | None


@dataclass(frozen=True)
class EagerCompile:
    """A program JAX compiled outside any user function: an eager jnp operation."""

    name: str | None  # as JAX calls its program, such as _reduce_sum for x.sum()
    seconds: float
    place: Place | None = None  # the user's line that asked for it


@dataclass(frozen=True)
class Edit:
    """A change of the user's own text: what stands at a place from a column to a column gives way to another text."""

    place: Place
    text: str


@dataclass(frozen=True)
class FoundCure:
    """One of several ways out; see `snapshot.document.Cure`."""

    name: str
    code: str | None
    text: str
    level: Literal["applies", "choice", "advice"] = "advice"
    edits: tuple[Edit, ...] = ()  # all of them together, where the cure applies or leaves a choice


@dataclass(frozen=True)
class Finding:
    """Something a person should know; a note of the document, its line not looked up yet."""

    kind: str
    text: str
    cure: str | None = None
    detail: str | None = None
    function: str | None = None  # name of the function it is about
    place: Place | None = None
    title: str | None = None
    cures: tuple[FoundCure, ...] = ()
    dtype: str | None = None  # by its name, such as float32: what the edit of the cure writes


@dataclass(frozen=True)
class ErrorToTry:
    """The error of a cell whose cures were not all tried, as the time was over; the error itself is not held.

    Attributes:
        identity: The id of the error.
        function: Name of the user's jitted function whose call raised; None where there is none.
    """

    identity: int
    function: str | None


@dataclass(frozen=True)
class LineReading:
    """What happened at one line of the user's: calls of jitted functions, hits, compiles."""

    file: str
    line: int
    calls: int | None  # None where they cannot be counted
    exact: bool  # False: calls and hits are lower bounds
    hits: int | None
    compiles: int


@dataclass(frozen=True)
class LedgerReading:
    """The jit cache at the end of a run, as `observe.ledger.FunctionRecord`s."""

    run: tuple[Any, ...]  # of the functions of this run, in call order
    kernel: tuple[Any, ...]  # of these and others, since the hooks went in
    seconds: float  # how long the run took
    library_functions: tuple[str, ...]
    library_misses: int
    note: str | None  # what cannot be told of calls, a sentence
    lines: tuple[LineReading, ...] = ()  # of the user's, in any file


@dataclass
class Observation:
    """One observed run."""

    functions: list[ObservedFunction] = field(default_factory=list)  # in order of first call
    libraries: list[ObservedFunction] = field(default_factory=list)  # what libraries jitted and ran, a program each
    focus: ObservedProgram | None = None  # what the user asked for by name; None: the last top-level function
    printed: list[Printed] = field(default_factory=list)
    untraced_lines: list[int] = field(default_factory=list)  # see `snapshot.document.Snapshot.untraced_lines`
    eager_compiles: list[EagerCompile] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)  # our own failures, as tracebacks
    reading: Reading = field(default_factory=Reading)  # what the user's objects said while they were observed
    retrace: Any = None  # `observe.retrace.Retrace`: the offer to trace the last call; None where there is none
    named_values: Any = None  # `observe.traced_names.NamedValues`: what names had in the traces of the kernel
    error_to_try: ErrorToTry | None = None  # None where each cure of the cell's error was tried
    ledger: LedgerReading | None = None  # None where misses cannot be observed
