"""Declares the observer's result: plain records of what JAX did while some code ran.

- `Observation`: one observed run, a cell or a block.
- `ObservedFunction`: one user function of the run, with its counts and the programs it ran.
- `ObservedProgram`: the program of one cache key. It holds JAX's own objects (jaxpr, lowered module, executable), never
  arrays.

The later rooms (program, build) read these records and nothing else of the observer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from ..jax.untold_changes import PromotedCarry
from .calls.arguments_of_calls import ProgramCalls
from .calls.call_values import CallValues
from .calls.repeatable_calls import HeldCall
from .value_texts import Reading

Outcome = Literal["fast_hit", "dispatch_only", "lowered", "compiled", "compiled_from_disk", "inlined", "raised"]


class Place(NamedTuple):
    """A place in Python code: file as in `co_filename`, line from 1, qualified name of the enclosing function.

    For an expression, columns count UTF-8 bytes from 0, and `end_line` is the expression's last line; else they are -1.
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
    """One argument of a call, by the name of its parameter.

    `tree` has the structure of the argument with `jax.ShapeDtypeStruct` leaves; None for a static argument, whose short
    repr is in `static`.
    """

    name: str
    tree: Any = None
    static: str | None = None
    donated: bool = False


@dataclass
class ObservedProgram:
    """One program that JAX made of a function for one cache key."""

    origin: Literal["ran", "seen_before", "derived", "traced", "recorded"]
    jaxpr: Any  # a Jaxpr or a ClosedJaxpr, depending on the version of JAX
    arguments: tuple[ArgumentSpec, ...] = ()
    result: Any = None  # the result as a tree of jax.ShapeDtypeStruct; None when unknown
    stages: StageTimes | None = None
    call: Place | None = None
    lowered: Any = None  # the jax.stages.Lowered of the program, or None
    executable: Any = None  # the executable that JAX ran (jax.stages.Compiled or the loaded executable), or None
    traced: Any = None  # jax.stages.Traced, which can be lowered and compiled at a request; or None
    origin_note: str | None = None
    traceback: Any = (
        None  # JAX's record of the stack, where the equations of the program do not lead to the user's line
    )
    no_text: str | None = None  # a sentence on why StableHLO and HLO do not exist and cannot be made
    no_values: str | None = None  # a sentence on why the program can be neither stepped through nor timed
    how: str | None = None  # the origin in at most six words; None if `origin` says enough
    is_candidate: bool = False  # true if it is unknown whether a call of the run ran the program
    values: CallValues | None = None  # the values of the newest call whose leaves were seen and still exist
    calls: ProgramCalls | None = None  # the calls of the cell whose arguments `--steps` kept
    donated: tuple[bool, ...] = ()  # for each of the last leaves: true if a call donates the leaf
    held: HeldCall | None = None  # the call that can be made again; None if no such call exists
    key: Any = None  # the key of the newest missed call that ran the program; None if the key is unknown
    input_names: tuple[str, ...] = ()  # paths that replace JAX's names of the inputs
    result_names: tuple[str, ...] = ()
    raised_operands: tuple[int, ...] = ()  # for a trace that raised: the variables that the raising call received


@dataclass
class ObservedFunction:
    """One user function of a run, with its counts and programs."""

    name: str
    definition: Place | None
    programs: list[ObservedProgram] = field(default_factory=list)  # the programs in the order of first use in this run
    top_level: bool = False  # true if the run called the function outside of another function's trace
    calls: int | None = None
    calls_exact: bool = True
    misses: int | None = None
    traces: int | None = None
    lowerings: int | None = None
    compiles: int | None = None
    from_disk: int | None = None
    inlined: int | None = None
    raised: int | None = None
    handed: bool = False  # true if C code such as map() received the function and may have called it unseen
    construct: bool = False  # true if JAX compiled this construct by itself, outside of jit
    library: bool = False  # true if a library jitted this function for itself
    called_at: Place | None = None  # the line of a construct's last call in this run
    transform: str | None = None  # the transform under which a call without jit ran


@dataclass(frozen=True)
class Printed:
    """Text that Python printed while JAX traced a function."""

    function: str
    text: str
    place: Place | None


@dataclass(frozen=True)
class EagerCompile:
    """A program that JAX compiled outside of all user functions, for an eager jnp operation."""

    name: str | None  # the name that JAX gave the program, such as _reduce_sum for x.sum()
    seconds: float
    place: Place | None = None  # the user's line that started the operation


@dataclass(frozen=True)
class Edit:
    """A replacement of the user's text at a place by another text."""

    place: Place
    text: str


@dataclass(frozen=True)
class FoundCure:
    """One of several cures; see `document.Cure`."""

    name: str
    code: str | None
    text: str
    level: Literal["applies", "choice", "advice"] = "advice"
    edits: tuple[Edit, ...] = ()  # the edits of the cure, to be applied together


@dataclass(frozen=True)
class Finding:
    """A fact that the user should know; becomes a note of the document."""

    kind: str
    text: str
    cure: str | None = None
    detail: str | None = None
    function: str | None = None  # the name of the function that the finding is about
    place: Place | None = None
    title: str | None = None
    cures: tuple[FoundCure, ...] = ()
    carry: PromotedCarry | None = None  # the carry that JAX converts


@dataclass(frozen=True)
class ErrorToTry:
    """An error of a cell whose cures were not all tried in time; the error object itself is not kept.

    Attributes:
        identity: The id of the error.
        function: The name of the user's jitted function whose call raised; None where there is none.
    """

    identity: int
    function: str | None


@dataclass(frozen=True)
class LineReading:
    """The counts of one line of the user's: calls of jitted functions, hits, compiles."""

    file: str
    line: int
    calls: int | None  # the number of calls; None if calls cannot be counted
    exact: bool  # false if calls and hits are lower bounds
    hits: int | None
    compiles: int


@dataclass(frozen=True)
class LedgerReading:
    """The jit cache at the end of a run, as `FunctionRecord`s of `observe.cache.ledger`."""

    run: tuple[Any, ...]  # the functions of this run, in call order
    kernel: tuple[Any, ...]  # all functions since the hooks were installed
    seconds: float  # the duration of the run
    library_functions: tuple[str, ...]
    library_misses: int
    note: str | None  # a sentence on the calls that are not counted
    elsewhere: str | None = None  # a sentence on the functions that missed the cache in other threads
    unlisted: str | None = None  # a sentence on calls of functions that JAX compiled before the observation
    lines: tuple[LineReading, ...] = ()  # the counts of the user's lines, in any file


@dataclass
class Observation:
    """The observation of one run."""

    functions: list[ObservedFunction] = field(default_factory=list)  # the functions in the order of first call
    # the functions that libraries jitted and ran, with one program each
    libraries: list[ObservedFunction] = field(default_factory=list)
    # the program that the user asked for by name; None: the last top-level function
    focus: ObservedProgram | None = None
    printed: list[Printed] = field(default_factory=list)
    # the lines that no trace reached; see `Snapshot.untraced_lines`
    untraced_lines: list[int] = field(default_factory=list)
    eager_compiles: list[EagerCompile] = field(default_factory=list)
    without_jit: bool = False  # whether a jitted function was called while `jax.disable_jit` was on
    findings: list[Finding] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)  # errors of this package, as tracebacks
    # the texts that the user's objects returned during the observation
    reading: Reading = field(default_factory=Reading)
    retrace: Any = None  # `observe.retrace.Retrace`: the offer to trace the last call; None without an offer
    named_values: Any = None  # `observe.traced_names.NamedValues`: the values of names in the traces of the kernel
    error_to_try: ErrorToTry | None = None  # the error whose cures are not decided; None if each cure was tried
    ledger: LedgerReading | None = None  # the jit cache at the end; None if misses cannot be observed
