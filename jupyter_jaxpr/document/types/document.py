"""The document: what one run of a cell (or one `inspect`) showed, as plain typed data.

A `Snapshot` is everything the panel shows, the notebook saves and the exports print. The structs here are
the only definition: the JSON Schema and the TypeScript types are generated from them (`python -m
jupyter_jaxpr.schema`). How to add a field is in this folder's README.md.

Two rules keep it small. What repeats (strings, avals, frames, stacks, literals, parameter lists, scopes) is
pooled in the snapshot and named by its index. Variables are not named and not listed: the variables of a scope
are numbered from 0 in the order constants, inputs, then each equation's outputs, and both sides compute their
printed names from the structure and `naming`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from ..limits import ARRAYS, FUNCTIONS, SENTENCES
from .comparison import VariantComparison
from .control_flow import Control
from .cost import Machine, ProgramCost
from .cures import Cure, Edit
from .diff import ProgramDiff
from .exact_links import ExactLinks
from .ledger import Ledger
from .passes import ProgramPasses
from .shardings import ProgramShardings
from .steps import Recording
from .struct import Count, Struct
from .struct import described as _text
from .timing import ProgramTiming, Sweep
from .transform import Transform

VERSION = 1


# --- where and when ---------------------------------------------------------------------------------------


class Environment(Struct):
    """What the program was made with."""

    jupyter_jaxpr: Annotated[str, _text("Version of the kernel side of this extension.")]
    python: Annotated[str, _text("Version of Python, such as 3.13.0.")]
    jax: Annotated[str | None, _text("Version of jax, or null where it is not installed.")]
    jaxlib: Annotated[str | None, _text("Version of jaxlib, or null.")]
    backend: Annotated[str | None, _text("Default backend of JAX: cpu, gpu, tpu; null when not started.")]
    device: Annotated[str | None, _text("Kind of the first device, such as 'cpu' or 'NVIDIA H200'.")]
    device_count: Annotated[Count, _text("Devices the backend has; 0 when unknown.")]
    tier: Annotated[
        Literal["hooks", "events", "inspection", "none"],
        _text(
            "Which facts can be had with this JAX. hooks: all. events: traces and compiles, not which call "
            "missed the cache. inspection: programs only. none: no usable JAX."
        ),
    ]
    tier_note: Annotated[
        str | None,
        _text("What is missing at this tier and why, or that JAX is newer than the tested one; null where neither."),
    ]


class Cell(Struct):
    """The cell that ran."""

    id: Annotated[str | None, _text("JupyterLab's cell id; null where the front end gave none.")]
    execution_count: Annotated[Count | None, _text("The number in In [n].")]
    file: Annotated[str, _text("The file name that tracebacks and source positions of this cell carry.")]
    source: Annotated[str, _text("The whole text of the cell, the magic's line included, as it ran.")]


class File(Struct):
    """A file that frames point into."""

    path: Annotated[str, _text("As Python knows it; library files relative to their installation folder.")]
    kind: Annotated[
        Literal["cell", "user", "library"],
        _text("cell: a notebook cell. user: the user's own module. library: JAX, NumPy, an installed package."),
    ]
    cell_id: Annotated[str | None, _text("For a cell: JupyterLab's id of it, where known.")]
    execution_count: Annotated[Count | None, _text("For a cell: the number in In [n] of the run that defined it.")]
    source: Annotated[
        str | None,
        _text("For a cell other than the one that ran: its text then, where known. Null for other files."),
    ]


class Frame(Struct, array_like=True):
    """A position in a file: file, function, line, column, end_line, end_column."""

    file: Annotated[int, _text("Index into files.")]
    function: Annotated[int, _text("Index into strings: the qualified name of the Python function.")]
    line: Annotated[int, _text("From 1.")]
    column: Annotated[int, _text("From 0, in UTF-16 code units; -1 when unknown.")]
    end_line: Annotated[int, _text("From 1; the line itself when unknown.")]
    end_column: Annotated[int, _text("From 0, exclusive, in UTF-16 code units; -1 when unknown.")]


class Stack(Struct, array_like=True):
    """How an equation came about: the user's frames and the library frames below them."""

    frames: Annotated[list[int], _text("User frames, innermost first; the first one is the equation's span.")]
    library: Annotated[
        list[int],
        _text(
            "Library frames between the innermost user frame and the equation, outermost first: the first "
            "one is the library function that the user called. Empty where the user's own code bound it."
        ),
    ]


# --- values and programs ----------------------------------------------------------------------------------


class Aval(Struct):
    """The type of a value."""

    text: Annotated[str, _text("As JAX prints it, such as f32[8,4].")]
    shape: Annotated[list[int | str], _text("Axis sizes; a string for a symbolic one.")]
    dtype: Annotated[str, _text("Such as float32; empty for values without one (tokens).")]
    weak: Annotated[bool, _text("Weakly typed: it came from a Python scalar.")]
    sharding: Annotated[str | None, _text("The sharding in the type, where it says more than 'one device'.")]


class LiteralValue(Struct, array_like=True):
    """A constant written into an equation."""

    text: Annotated[int, _text("Index into strings: the value as JAX prints it.")]
    aval: Annotated[int, _text("Index into avals.")]


class Parameter(Struct, array_like=True):
    """A parameter of an equation, those that JAX does not print left out."""

    name: Annotated[int, _text("Index into strings.")]
    value: Annotated[
        int,
        _text(
            "Index into strings: the value as JAX prints it on one line, cut at 300 characters. -1 where it is a "
            "program or a tuple of programs: see the scope's children. In a text with programs inside, such as "
            "LinearSolveJaxprs(matvec=￼), the sign U+FFFC stands for each of them."
        ),
    ]


class Child(Struct, array_like=True):
    """A program inside an equation: a body, a branch, a called function."""

    equation: Annotated[int, _text("Index of the equation in its scope.")]
    parameter: Annotated[int, _text("Index into strings: the parameter that holds it, such as branches.")]
    position: Annotated[int, _text("Place in that parameter's tuple; -1 where it is not a tuple.")]
    scope: Annotated[int, _text("Index into scopes.")]


class Effects(Struct, array_like=True):
    """The effects of an equation."""

    equation: Annotated[int, _text("Index of the equation in its scope.")]
    effects: Annotated[list[int], _text("Indices into strings, such as Debug or IO.")]


class Scope(Struct):
    """A jaxpr: its variables' types and its equations as columns, or the first page of them.

    Operands are integers: a variable's number, or -1 - i for literal i. An equation without a user frame of
    its own (inside a library's jit) takes the frames of the equation that calls its scope.
    """

    name: Annotated[int, _text("Index into strings: the `name` parameter of the calling equation; -1 if none.")]
    constants: Annotated[Count, _text("How many variables are constants; they come first.")]
    inputs: Annotated[Count, _text("How many variables are inputs; they come next.")]
    outputs: Annotated[list[int], _text("The results, as operands.")]
    count: Annotated[int, _text("Equations of this scope, those not in this document included.")]
    total: Annotated[int, _text("Equations of this scope and of all scopes inside, each scope once.")]
    first_equation: Annotated[int, _text("Index of the first equation in the columns; 0 but for later pages.")]
    first_variable: Annotated[int, _text("Number of the first variable in variable_avals; 0 but for later pages.")]
    variable_avals: Annotated[list[int], _text("Type of each variable, an index into avals, in order.")]
    dropped: Annotated[list[int], _text("Variables that JAX made to be ignored; printed as _.")]
    names: Annotated[
        list[str] | None,
        _text("Printed names of the variables here, only where the program is not complete in this document."),
    ]
    primitive: Annotated[list[int], _text("Of each equation: index into strings.")]
    operands: Annotated[list[list[int]], _text("Of each equation.")]
    output_counts: Annotated[list[Count], _text("How many variables each equation binds.")]
    parameters: Annotated[list[int], _text("Of each equation: index into parameter_lists; -1 for none.")]
    stack: Annotated[list[int], _text("Of each equation: index into stacks; -1 for none.")]
    name_stack: Annotated[list[int], _text("Of each equation: index into strings, such as layer/jvp().")]
    children: Annotated[
        list[Child],
        _text(
            "Programs inside these equations, in the order of the equations and, inside one, of its parameters as "
            "JAX keeps them (its printed order is that of the parameter list)."
        ),
    ]
    effects: Annotated[list[Effects], _text("Equations with effects.")]


class Naming(Struct):
    """How this JAX names variables when it prints a jaxpr; learned by printing one."""

    share_jit_names: Annotated[bool, _text("Inside a jit, inputs and outputs take the names outside.")]
    hoist_above: Annotated[Count, _text("Scopes of more equations than this are printed first, as let; 0: never.")]


class Let(Struct, array_like=True):
    """A scope that is printed before the program, under a name."""

    scope: Annotated[int, _text("Index into scopes.")]
    name: Annotated[int, _text("Index into strings: the name it is printed under.")]


class Level(Struct):
    """One of the texts of a program: StableHLO or optimised HLO."""

    name: Annotated[Literal["stablehlo", "hlo"], _text("Which text.")]
    state: Annotated[
        Literal["held", "on_request", "not_made", "absent"],
        _text(
            "held: its text is in this document. on_request: JAX made it, the kernel has it. not_made: JAX "
            "was not asked to make it; a request may. absent: it cannot be had; see reason."
        ),
    ]
    reason: Annotated[str | None, _text("Why it is absent or not made, and what to do: a sentence.")]
    characters: Annotated[Count | None, _text("Length of the text; null until it was asked for.")]
    lines: Annotated[Count | None, _text("Lines of the text; null until it was asked for.")]
    sha256: Annotated[str | None, _text("Hash of the text, hexadecimal; null until it was asked for.")]
    text: Annotated[str | None, _text("The text itself, large constants elided; only where held.")]
    line_stacks: Annotated[
        list[int] | None, _text("Of each line of text: index into stacks, -1 for none; only where held.")
    ]
    inferred_lines: Annotated[
        list[int], _text("Lines, from 0 and ascending, whose stack XLA does not state: it follows from other lines.")
    ] = []
    other_stacks: Annotated[
        list[list[int]],
        _text("Lines that may come from several places that JAX does not tell apart: the line, then their stacks."),
    ] = []
    named_equations: Annotated[
        list[list[int]],
        _text("Lines of HLO that are one equation of several, by its path and its type: line, scope, equation."),
    ] = []


class Argument(Struct):
    """An argument of a call, or a result."""

    name: Annotated[str, _text("Parameter name; empty for a result.")]
    type: Annotated[str, _text("Its types in its tree, such as {b: f32[16], w: f32[8,16]}, or a static value.")]
    summary: Annotated[str, _text("The same in few letters, such as {b, w} or f32[8].")]
    static: Annotated[bool, _text("A static argument: part of the cache key by value.")]
    donated: Annotated[bool, _text("Its buffers were given away to the call.")]


class Stages(Struct):
    """Seconds of the call that made the program, from JAX's own events; null where JAX reported none."""

    trace: Annotated[float | None, _text("Python to jaxpr.")]
    lower: Annotated[float | None, _text("jaxpr to StableHLO.")]
    compile: Annotated[float | None, _text("StableHLO to an executable, or its retrieval from disk.")]
    from_disk: Annotated[bool, _text("The executable came from the persistent compilation cache.")]
    first_run: Annotated[
        float | None, _text("From the executable being ready until the call returned; not until it finished.")
    ]
    rest: Annotated[float | None, _text("The part of the call that none of these explains.")]
    total: Annotated[float | None, _text("The whole call, by the wall clock, until it returned.")]


class Activity(Struct):
    """What this run did with the function, from JAX's events and the observer."""

    calls: Annotated[Count | None, _text("Calls seen; null where they could not be counted.")]
    calls_exact: Annotated[bool, _text("False: calls is a lower bound, shown with a ≥.")]
    misses: Annotated[Count | None, _text("Calls that missed JAX's fast path; null at a lower tier.")]
    traces: Annotated[Count | None, _text("Traces, by JAX's events.")]
    lowerings: Annotated[Count | None, _text("Lowerings, by JAX's events.")]
    compiles: Annotated[Count | None, _text("Compilations by XLA, retrievals from disk not counted.")]
    from_disk: Annotated[Count | None, _text("Executables retrieved from the persistent compilation cache.")]
    inlined: Annotated[Count | None, _text("Calls while another function was being traced.")]
    raised: Annotated[Count | None, _text("Calls that raised while tracing or compiling.")]


class Summary(Struct):
    """What sums a program up, in the words that the panel and the exports show."""

    size: Annotated[list[str], _text("Its equations and its control flow, such as 17 equations, 1 scan ×100.")]
    activity: Annotated[
        str | None, _text("What this run did with the function, such as 4 calls, 1 compile; null: nothing observed.")
    ]
    origin: Annotated[str | None, _text("Such as made in an earlier run; null where a call of this run made it.")]


class Program(Struct):
    """What JAX made of one function for one set of argument types."""

    name: Annotated[str, _text("The function's name as the user knows it.")]
    origin: Annotated[
        Literal["ran", "seen_before", "derived", "traced", "recorded"],
        _text(
            "ran: JAX made it in this run. seen_before: made in an earlier run and reused in this one; where it is not "
            "known which program a call that hit ran, each one that may have run, and 'how' says so, such as 'one of 2 "
            "candidates'. derived: JAX made it in this run from the user's function by a transform outside any jit. "
            "traced: our "
            "own trace, nothing was executed for it. recorded: what a call without jit let JAX run, an equation for "
            "each program that JAX ran."
        ),
    ]
    origin_note: Annotated[str | None, _text("A sentence where the origin needs one.")]
    definition: Annotated[int, _text("Index into frames: the line of its def; -1 when unknown.")]
    call: Annotated[int, _text("Index into frames: the line that called it; -1 when unknown.")]
    arguments: Annotated[list[Argument], _text("In the order of the call.")]
    result: Annotated[Argument | None, _text("Null when unknown.")]
    scope: Annotated[int, _text("Index into scopes: the program.")]
    input_names: Annotated[list[str], _text("A path for each input, such as p['w']; empty string when unknown.")]
    result_names: Annotated[list[str], _text("A path for each result, as JAX has it; may be empty.")]
    equations: Annotated[int, _text("Over all scopes, each once, call equations included, combiners not.")]
    complete: Annotated[bool, _text("False: some equations must be asked for (too large to send whole).")]
    lets: Annotated[
        list[Let] | None,
        _text(
            "Scopes printed before the program, in order; only where it is not complete. Null otherwise: they "
            "follow from the structure and naming."
        ),
    ]
    levels: Annotated[list[Level], _text("StableHLO, then HLO.")]
    stages: Annotated[Stages | None, _text("Null where no call made it: our own trace has none.")]
    activity: Annotated[Activity | None, _text("Null where nothing was observed.")]
    how: Annotated[
        str | None, _text("How it came about, such as ran as an eager scan; null where the origin says all of it.")
    ] = None
    summary: Annotated[Summary | None, _text("Null in documents of earlier versions.")] = None
    group: Annotated[
        Literal["jit", "eager", "traced"],
        _text(
            "The part of the list of programs. jit: JAX ran it for a jitted function. eager: JAX ran it outside of "
            "jit. traced: JAX did not run it."
        ),
    ] = "jit"
    library: Annotated[
        bool, _text("Whether a library jitted the function for its own use; such programs come last.")
    ] = False


class RaisedCall(Struct):
    """The call that ended the trace of a program by an error."""

    program: Annotated[int, _text("Index into programs.")]
    operands: Annotated[
        list[int],
        _text(
            "Variables of the program's outermost scope that the call received; those that are known for certain.",
            most=SENTENCES,
        ),
    ]


class NamedValue(Struct, omit_defaults=True):
    """What a name of the user's Python had while JAX traced."""

    frame: Annotated[int, _text("Place of the name; of a returned value, of the return statement.")]
    name: Annotated[int, _text("Index into strings; the empty string of a returned value.")]
    kind: Annotated[
        Literal["parameter", "assigned", "returned"],
        _text("How the name got the value: by a call, by an assignment or a loop; returned has no name."),
    ]
    scope: Annotated[int, _text("The scope that the values belong to; in a container, the innermost one.")]
    types: Annotated[
        list[int],
        _text(
            "Indices into strings: the types that the name had there, in order, each once. Not empty.", most=SENTENCES
        ),
    ]
    variables: Annotated[
        list[int],
        _text("Variables of the scope that the name had, where each was one array.", most=SENTENCES),
    ] = []
    role: Annotated[
        Literal["carry", "xs", "ys"] | None,
        _text("The part in a loop of JAX that all values have, as Slot.role; null where there is none or it differs."),
    ] = None
    steps: Annotated[Count | None, _text("Of the loop; null where it is not known before the loop runs.")] = None
    promoted: Annotated[
        int,
        _text(
            "Index into strings: the dtype that an operand of the value's equation had before JAX promoted it, where "
            "the code asks for no dtype; -1 where there is none."
        ),
    ] = -1


class Note(Struct, omit_defaults=True):
    """Something a person should know."""

    kind: Annotated[
        str,
        _text(
            "Such as printed_while_tracing, captured_constant, unrolled_loop, leaked_tracer, eager_compiles, failed. "
            "short_loop: a loop was unrolled, and that is fine."
        ),
    ]
    text: Annotated[str, _text("What was seen: a sentence or two.")]
    cure: Annotated[str | None, _text("What to do about it; null where there is nothing to do.")]
    detail: Annotated[str | None, _text("The raw fact, such as the text that was printed; may be long.")]
    program: Annotated[int, _text("Index into programs; -1 for the whole run.")]
    frame: Annotated[int, _text("Index into frames: the line it is about; -1 for none.")]
    bytes: Annotated[Count | None, _text("A size in bytes, where the note is about one.")]
    repetitions: Annotated[Count | None, _text("Of an unrolled loop: its iterations, at least; else null.")] = None
    carried: Annotated[
        bool | None, _text("Of an unrolled loop: an iteration needs the one before, so it is a scan; else null.")
    ] = None
    code: Annotated[str | None, _text("A rewrite in the user's own names, to copy; null where there is none.")] = None
    share: Annotated[float | None, _text("Of an unrolled loop: its part of the program's equations; else null.")] = None
    price: Annotated[list[str], _text("Measured times that belong to it, as sentences.")] = []
    title: Annotated[str | None, _text("What happened, in a few words; null where the text says it.")] = None
    trial: Annotated[
        str | None, _text("A cell to run that compares the rewrite with what was written; null where there is none.")
    ] = None
    level: Annotated[
        Literal["applies", "choice", "advice"],
        _text("How sure the rewrite in `code`, or else the sentence in `cure`, is; see Cure."),
    ] = "advice"
    edits: Annotated[list[Edit], _text("What puts `code` in its place, where the rewrite applies.")] = []
    cures: Annotated[list[Cure], _text("Ways out to choose from, the one that fits most often first.")] = []


class Retrace(Struct):
    """The cell's last call, which was not traced by itself: its Python may change something outside of the call."""

    call: Annotated[str, _text("The call, as the cell has it.")]
    frame: Annotated[int, _text("Index into frames: the line that decided it; -1 where there is none.")]
    question: Annotated[str, _text("What happens when the user has it traced: sentences.")]
    undoable: Annotated[bool, _text("What the trace changes is put back afterwards.")]


class Snapshot(Struct, omit_defaults=True):
    """What one run showed; the methods a user calls are on `jupyter_jaxpr.Snapshot`."""

    version: Annotated[int, _text("Of this format. A reader refuses a higher one with a sentence.")]
    id: Annotated[str, _text("Unique to the run; requests name it.")]
    created: Annotated[float, _text("Seconds since 1970.")]
    title: Annotated[str | None, _text("What the user called it with --title.")]
    pinned: Annotated[bool, _text("The user asked to keep it in view with --pin.")]
    environment: Annotated[Environment, _text("Versions and devices.")]
    cell: Annotated[Cell | None, _text("The cell that ran; null outside a notebook.")]
    programs: Annotated[
        list[Program],
        _text("In call order; after them what was derived from one by a transform, see transforms.", most=FUNCTIONS),
    ]
    focus: Annotated[int, _text("Index of the program to show first; -1 when there is none.")]
    message: Annotated[str | None, _text("Where there is no program: what was seen and what to type.")]
    notes: Annotated[list[Note], _text("In the order of the cell's lines.", most=ARRAYS)]
    untraced_lines: Annotated[
        list[int],
        _text("Lines of the cell inside functions that were traced, that hold code and were not reached by the trace."),
    ]
    cut: Annotated[str | None, _text("What was left out to keep a saved copy small: a sentence; else null.")]
    naming: Annotated[Naming, _text("Rules for variable names.")]
    strings: Annotated[list[str], _text("Pool.")]
    avals: Annotated[list[Aval], _text("Pool.")]
    literals: Annotated[list[LiteralValue], _text("Pool.")]
    parameter_lists: Annotated[list[list[Parameter]], _text("Pool; each list in the order JAX prints it.")]
    files: Annotated[list[File], _text("Pool.")]
    frames: Annotated[list[Frame], _text("Pool.")]
    stacks: Annotated[list[Stack], _text("Pool.")]
    scopes: Annotated[list[Scope], _text("Pool; a scope that is used twice is here once.")]
    ledger: Annotated[Ledger | None, _text("The jit cache; null where it was not observed.")] = None
    control_flow: Annotated[
        list[Control], _text("Cards of all programs, in the order of the source.", most=ARRAYS)
    ] = []
    comparison: Annotated[VariantComparison | None, _text("Where --compare was asked for; else null.")] = None
    recordings: Annotated[
        list[Recording], _text("Where --steps was asked for: what ran, step by step.", most=ARRAYS)
    ] = []
    costs: Annotated[
        list[ProgramCost], _text("Of programs small enough to be counted at once; others on request.", most=FUNCTIONS)
    ] = []
    timings: Annotated[list[ProgramTiming], _text("Where --time was asked for: what ran again.", most=FUNCTIONS)] = []
    sweep: Annotated[Sweep | None, _text("Where --sweep was asked for; else null.")] = None
    shardings: Annotated[
        list[ProgramShardings], _text("Of the programs that were compiled for more than one device.", most=FUNCTIONS)
    ] = []
    passes: Annotated[list[ProgramPasses], _text("Where the panel asked what XLA's passes did.", most=FUNCTIONS)] = []
    exact_links: Annotated[list[ExactLinks], _text("Where the panel asked for a tagged twin.", most=FUNCTIONS)] = []
    diffs: Annotated[
        list[ProgramDiff],
        _text("Where the panel compared a program of this run, the later one, with another.", most=FUNCTIONS),
    ] = []
    transforms: Annotated[list[Transform], _text("Where --transform or the panel asked for some.", most=FUNCTIONS)] = []
    retrace: Annotated[
        Retrace | None, _text("What the kernel traces when the user presses a button; null where there is nothing.")
    ] = None
    machine: Annotated[Machine | None, _text("What the machine can do, where it was measured before; else null.")] = (
        None
    )
    values: Annotated[
        Literal["kept", "live", "left_out"],
        _text(
            "Whether texts that may hold a value of the user's are here. live: they are, and what is saved or exported "
            "leaves them out. left_out: they are not here, and `cut` says so."
        ),
    ] = "kept"
    named_values: Annotated[
        list[NamedValue],
        _text("Names of the user's Python and their types in the traces of the programs.", most=FUNCTIONS),
    ] = []
    raised_calls: Annotated[
        list[RaisedCall], _text("Of programs whose trace raised, where an operand is known.", most=FUNCTIONS)
    ] = []
