"""The types of the document, which describes one run of a cell (or one `inspect`) as plain typed data.

A `Snapshot` is everything that the panel shows, the notebook saves and the exports print. The structs here are
the only definition: the JSON Schema and the TypeScript types are generated from them (`python -m
jupyter_jaxpr.schema`). How to add a field is in this folder's README.md.

Two rules keep the document small. Data that repeat (strings, avals, frames, stacks, literals, parameter lists, scopes)
are pooled in the snapshot and named by their index. Variables are not named and not listed: the variables of a scope
are numbered from 0 in the order constants, inputs, then each equation's outputs. The kernel and the
browser both compute the printed names of variables from the structure and `naming`.
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
    """The versions and devices of the Python process that made the programs."""

    jupyter_jaxpr: Annotated[str, _text("The version of the kernel side of this extension.")]
    python: Annotated[str, _text("The version of Python, such as 3.13.0.")]
    jax: Annotated[str | None, _text("The version of jax; null if jax is not installed.")]
    jaxlib: Annotated[str | None, _text("The version of jaxlib; null if jaxlib is not installed.")]
    backend: Annotated[
        str | None, _text("The default backend of JAX: cpu, gpu or tpu; null if no backend has started.")
    ]
    device: Annotated[str | None, _text("The kind of the first device, such as 'cpu' or 'NVIDIA H200'.")]
    device_count: Annotated[Count, _text("The number of devices of the backend; 0 if unknown.")]
    tier: Annotated[
        Literal["hooks", "events", "inspection", "none"],
        _text(
            "The facts that the extension can observe with this JAX. hooks: all facts. events: traces and compiles, "
            "but not the calls that missed the cache. inspection: programs only. none: there is no usable JAX."
        ),
    ]
    tier_note: Annotated[
        str | None,
        _text(
            "The facts that are missing at this tier and the reason, or the statement that JAX is newer than the "
            "tested version; null if neither applies."
        ),
    ]


class Cell(Struct):
    """The cell that ran."""

    id: Annotated[str | None, _text("The cell id of JupyterLab; null if the front end gave no id.")]
    execution_count: Annotated[Count | None, _text("The number n of the prompt In [n] of the cell.")]
    file: Annotated[str, _text("The file name in the tracebacks and source positions of this cell.")]
    source: Annotated[str, _text("The whole text of the cell when the cell ran, with the line of the magic.")]


class File(Struct):
    """A source file to which frames refer."""

    path: Annotated[
        str,
        _text(
            "The path of the file as Python knows the file; for a library file, the path relative to the "
            "installation folder."
        ),
    ]
    kind: Annotated[
        Literal["cell", "user", "library"],
        _text(
            "The kind of the file. cell: a notebook cell. user: a module of the user. library: JAX, NumPy or "
            "another installed package."
        ),
    ]
    cell_id: Annotated[
        str | None, _text("The cell id of JupyterLab if the file is a cell and the id is known; else null.")
    ]
    execution_count: Annotated[
        Count | None,
        _text("If the file is a cell, the number n of the prompt In [n] of the run that defined the code."),
    ]
    source: Annotated[
        str | None,
        _text(
            "The text of the cell at the time of the run, if the file is another cell than the cell that ran and "
            "the text is known. Null for other files."
        ),
    ]


class Frame(Struct, array_like=True):
    """A position in a file: file, function, line, column, end_line, end_column."""

    file: Annotated[int, _text("The index into `files` of the file.")]
    function: Annotated[int, _text("The index into `strings` of the qualified name of the Python function.")]
    line: Annotated[int, _text("The first line of the position, from 1.")]
    column: Annotated[int, _text("The first column of the position, from 0, in UTF-16 code units; -1 if unknown.")]
    end_line: Annotated[int, _text("The last line of the position, from 1; equal to `line` if unknown.")]
    end_column: Annotated[
        int, _text("The column after the last character of the position, from 0, in UTF-16 code units; -1 if unknown.")
    ]


class Stack(Struct, array_like=True):
    """The call stack of an equation: the frames of the user and the library frames below them."""

    frames: Annotated[
        list[int],
        _text("The frames of the user, the innermost frame first; the first frame is the source span of the equation."),
    ]
    library: Annotated[
        list[int],
        _text(
            "The library frames between the innermost user frame and the equation, the outermost frame first. The "
            "first frame is the library function that the user called. Empty if the user's own code bound the "
            "equation."
        ),
    ]


# --- values and programs ----------------------------------------------------------------------------------


class Aval(Struct):
    """The type of a value."""

    text: Annotated[str, _text("The type as JAX prints the type, such as f32[8,4].")]
    shape: Annotated[list[int | str], _text("The sizes of the axes; a symbolic size is a string.")]
    dtype: Annotated[str, _text("The dtype, such as float32; empty for values without a dtype (tokens).")]
    weak: Annotated[bool, _text("True if the type is weak: the value came from a Python scalar.")]
    sharding: Annotated[str | None, _text("The sharding in the type; null if the type shards no axis.")]


class LiteralValue(Struct, array_like=True):
    """A constant that is written into an equation."""

    text: Annotated[int, _text("The index into `strings` of the value as JAX prints the value.")]
    aval: Annotated[int, _text("The index into `avals` of the type.")]


class Parameter(Struct, array_like=True):
    """A parameter of an equation; parameters that JAX does not print are left out."""

    name: Annotated[int, _text("The index into `strings` of the name of the parameter.")]
    value: Annotated[
        int,
        _text(
            "The index into `strings` of the value as JAX prints the value on one line, cut at 300 characters. -1 "
            "if the value is a program or a tuple of programs: see `children` of the scope. In a text with programs "
            "inside, such as LinearSolveJaxprs(matvec=￼), the sign U+FFFC stands for each program."
        ),
    ]


class Child(Struct, array_like=True):
    """A program inside an equation: a body, a branch or a called function."""

    equation: Annotated[int, _text("The index in the scope of the equation that has the program as a parameter.")]
    parameter: Annotated[
        int, _text("The index into `strings` of the name of the parameter that holds the program, such as branches.")
    ]
    position: Annotated[
        int, _text("The position of the program in the tuple of the parameter; -1 if the parameter is not a tuple.")
    ]
    scope: Annotated[int, _text("The index into `scopes` of the program.")]


class Effects(Struct, array_like=True):
    """The effects of an equation."""

    equation: Annotated[int, _text("The index of the equation in the scope of the equation.")]
    effects: Annotated[list[int], _text("The indices into `strings` of the effects, such as Debug or IO.")]


class Scope(Struct):
    """A jaxpr: the types of the variables, and the equations as columns; a large scope has only the first page of them.

    Operands are integers: the number of a variable, or -1 - i for literal i. An equation without a user frame of
    its own (inside a library's jit) takes the frames of the equation that calls the scope.
    """

    name: Annotated[
        int,
        _text(
            "The index into `strings` of the `name` parameter of the equation that calls the scope; -1 if there is "
            "no name."
        ),
    ]
    constants: Annotated[Count, _text("The number of variables that are constants; these variables come first.")]
    inputs: Annotated[Count, _text("The number of variables that are inputs; these variables follow the constants.")]
    outputs: Annotated[list[int], _text("The results of the scope, as operands.")]
    count: Annotated[
        int, _text("The number of equations of this scope, including the equations that are not in this document.")
    ]
    total: Annotated[
        int, _text("The number of equations of this scope and of all scopes inside, each scope counted once.")
    ]
    first_equation: Annotated[int, _text("The index of the first equation in the columns; 0 except on later pages.")]
    first_variable: Annotated[
        int, _text("The number of the first variable in `variable_avals`; 0 except on later pages.")
    ]
    variable_avals: Annotated[
        list[int], _text("The index into `avals` of the type of each variable, in the order of the variables.")
    ]
    dropped: Annotated[
        list[int], _text("The numbers of the variables that JAX marks as ignored; JAX prints these variables as _.")
    ]
    names: Annotated[
        list[str] | None,
        _text(
            "The printed names of the variables in `variable_avals`, only if this document does not hold the whole "
            "program."
        ),
    ]
    primitive: Annotated[list[int], _text("The index into `strings` of the primitive of each equation.")]
    operands: Annotated[list[list[int]], _text("The operands of each equation.")]
    output_counts: Annotated[list[Count], _text("The number of variables that each equation binds.")]
    parameters: Annotated[
        list[int],
        _text(
            "The index into `parameter_lists` of the parameters of each equation; -1 if the equation has no parameters."
        ),
    ]
    stack: Annotated[
        list[int], _text("The index into `stacks` of the call stack of each equation; -1 if the equation has no stack.")
    ]
    name_stack: Annotated[
        list[int], _text("The index into `strings` of the name stack of each equation, such as layer/jvp().")
    ]
    children: Annotated[
        list[Child],
        _text(
            "The programs inside these equations, in the order of the equations. The programs of one equation have "
            "the order in which JAX keeps the parameters; the printed order is that of the parameter list."
        ),
    ]
    effects: Annotated[list[Effects], _text("The effects of the equations that have effects.")]


class Naming(Struct):
    """The rules by which this JAX names variables in a printed jaxpr; the kernel prints a jaxpr to learn the rules."""

    share_jit_names: Annotated[
        bool, _text("True if the inputs and outputs of a jit take the names of the variables outside of the jit.")
    ]
    hoist_above: Annotated[
        Count,
        _text(
            "The number of equations above which JAX prints a scope first, as a `let`; 0 if the number of equations "
            "is no reason to print a scope first."
        ),
    ]


class Let(Struct, array_like=True):
    """A scope that is printed before the program, under a name."""

    scope: Annotated[int, _text("The index into `scopes` of the scope.")]
    name: Annotated[int, _text("The index into `strings` of the name under which the scope is printed.")]


class Level(Struct):
    """One of the texts of a program: StableHLO or optimised HLO."""

    name: Annotated[Literal["stablehlo", "hlo"], _text("The kind of the text: StableHLO, or optimised HLO (hlo).")]
    state: Annotated[
        Literal["held", "on_request", "not_made", "absent"],
        _text(
            "The state of the text. held: the text is in this document. on_request: JAX made the text, and the "
            "kernel has the text. not_made: JAX was not asked to make the text; a request may ask. absent: the text "
            "is not available; see `reason`."
        ),
    ]
    reason: Annotated[
        str | None, _text("The reason why the text is absent or not made, and what the user can do: a sentence.")
    ]
    characters: Annotated[
        Count | None, _text("The number of characters of the text; null until a request for the text.")
    ]
    lines: Annotated[Count | None, _text("The number of lines of the text; null until a request for the text.")]
    sha256: Annotated[
        str | None, _text("The SHA-256 hash of the text, in hexadecimal; null until a request for the text.")
    ]
    text: Annotated[str | None, _text("The text with large constants elided; null unless `state` is held.")]
    line_stacks: Annotated[
        list[int] | None,
        _text(
            "The index into `stacks` of the call stack of each line of the text, -1 if a line has no stack; null "
            "unless `state` is held."
        ),
    ]
    inferred_lines: Annotated[
        list[int],
        _text(
            "The lines of the text, from 0 and ascending, whose stack XLA does not state: the stack follows from "
            "other lines."
        ),
    ] = []
    other_stacks: Annotated[
        list[list[int]],
        _text(
            "The lines of the text that may come from several places that JAX does not tell apart. Each row has the "
            "line, then the indices into `stacks` of the places besides the place in `line_stacks`."
        ),
    ] = []
    named_equations: Annotated[
        list[list[int]],
        _text(
            "The lines of the HLO whose path and type identify one equation among several. Each row has the line, "
            "the index of the scope and the index of the equation."
        ),
    ] = []


class Argument(Struct):
    """An argument of a call, or a result."""

    name: Annotated[str, _text("The name of the parameter; empty for a result.")]
    type: Annotated[
        str,
        _text(
            "The types in the tree of the argument, such as {b: f32[16], w: f32[8,16]}, or the value of a static "
            "argument."
        ),
    ]
    summary: Annotated[str, _text("The type or the static value in a short form, such as {b, w} or f32[8].")]
    static: Annotated[
        bool, _text("True if the argument is static: the value of the argument is part of the cache key.")
    ]
    donated: Annotated[bool, _text("True if the caller donated the buffers of the argument to the call.")]


class Stages(Struct):
    """The seconds of each stage of the call that made the program, from JAX's events; null without an event."""

    trace: Annotated[float | None, _text("The seconds of the trace, from Python to the jaxpr.")]
    lower: Annotated[float | None, _text("The seconds of the lowering, from the jaxpr to StableHLO.")]
    compile: Annotated[
        float | None,
        _text(
            "The seconds of the compilation from StableHLO to an executable, or of reading the executable from disk."
        ),
    ]
    from_disk: Annotated[bool, _text("True if the executable came from the persistent compilation cache.")]
    first_run: Annotated[
        float | None,
        _text(
            "The seconds from the moment when the executable was ready until the call returned; the work of the "
            "call may end later."
        ),
    ]
    rest: Annotated[float | None, _text("The seconds of the call that the other stages do not explain.")]
    total: Annotated[float | None, _text("The seconds of the whole call by the wall clock, until the call returned.")]


class Activity(Struct):
    """The calls and the work of JAX for a function in this run, from JAX's events and the observer."""

    calls: Annotated[Count | None, _text("The number of observed calls; null if the calls could not be counted.")]
    calls_exact: Annotated[
        bool, _text("True if `calls` is exact. False: `calls` is a lower bound, which the panel shows with a ≥.")
    ]
    misses: Annotated[
        Count | None, _text("The number of calls that missed JAX's fast path; null at a lower tier than hooks.")
    ]
    traces: Annotated[Count | None, _text("The number of traces, by JAX's events.")]
    lowerings: Annotated[Count | None, _text("The number of lowerings, by JAX's events.")]
    compiles: Annotated[
        Count | None, _text("The number of compilations by XLA; executables that were read from disk do not count.")
    ]
    from_disk: Annotated[
        Count | None, _text("The number of executables that were read from the persistent compilation cache.")
    ]
    inlined: Annotated[Count | None, _text("The number of calls that happened during the trace of another function.")]
    raised: Annotated[
        Count | None, _text("The number of calls that raised an error during the trace or the compilation.")
    ]


class Summary(Struct):
    """The summary of a program in the words of the panel and the exports."""

    size: Annotated[
        list[str], _text("The equations and the control flow of the program, such as 17 equations, 1 scan ×100.")
    ]
    activity: Annotated[
        str | None,
        _text(
            "The calls and the work of JAX for the function in this run, such as 4 calls, 1 compile; null if "
            "nothing was observed."
        ),
    ]
    origin: Annotated[
        str | None,
        _text(
            "The origin of the program in words, such as made in an earlier run; null if a call of this run made "
            "the program."
        ),
    ]


class Program(Struct):
    """The program that JAX made of one function for one set of argument types."""

    name: Annotated[str, _text("The name of the function as the user knows the function.")]
    origin: Annotated[
        Literal["ran", "seen_before", "derived", "traced", "recorded"],
        _text(
            "The origin of the program. ran: JAX made the program in this run. seen_before: JAX made the program in "
            "an earlier run and reused the program in this run; if several programs may have run for a call that "
            "hit, each of these programs is listed, and `how` says so, such as 'one of 2 programs that may have run'. "
            "derived: JAX made the program in this run from the user's function by a transform outside any jit. "
            "traced: jupyter_jaxpr traced the program, and nothing was executed for the trace. recorded: the program "
            "lists the work of a call without jit, with an equation for each program that JAX ran."
        ),
    ]
    origin_note: Annotated[
        str | None, _text("A sentence that explains the origin; null if the origin needs no explanation.")
    ]
    definition: Annotated[int, _text("The index into `frames` of the line of the function's def; -1 if unknown.")]
    call: Annotated[int, _text("The index into `frames` of the line that called the function; -1 if unknown.")]
    arguments: Annotated[list[Argument], _text("The arguments, in the order of the call.")]
    result: Annotated[Argument | None, _text("The result of the function; null if unknown.")]
    scope: Annotated[int, _text("The index into `scopes` of the outermost scope of the program.")]
    input_names: Annotated[
        list[str], _text("The path of each input, such as p['w']; an empty string for an unknown path.")
    ]
    result_names: Annotated[list[str], _text("The path of each result, as JAX states the path; may be empty.")]
    equations: Annotated[
        int,
        _text(
            "The number of equations in all scopes of the program, each scope counted once; call equations count, "
            "and the equations of combiners do not count."
        ),
    ]
    complete: Annotated[
        bool,
        _text(
            "True if this document holds all equations of the program. False: the program is too large to send "
            "whole, and some equations need a request."
        ),
    ]
    lets: Annotated[
        list[Let] | None,
        _text(
            "The scopes that are printed before the program, in order, only if the program is not complete in this "
            "document. Otherwise null: these scopes follow from the structure and `naming`."
        ),
    ]
    levels: Annotated[list[Level], _text("The texts of the program: StableHLO, then HLO.")]
    stages: Annotated[
        Stages | None,
        _text(
            "The seconds of the call that made the program; null if no call made the program, as for a trace by "
            "jupyter_jaxpr."
        ),
    ]
    activity: Annotated[
        Activity | None,
        _text("The calls and the work of JAX for the function in this run; null if nothing was observed."),
    ]
    how: Annotated[
        str | None,
        _text(
            "The way in which the program came about, such as ran as an eager scan; null if `origin` says everything."
        ),
    ] = None
    summary: Annotated[
        Summary | None, _text("The summary of the program in words; null in documents of earlier versions.")
    ] = None
    group: Annotated[
        Literal["jit", "eager", "traced"],
        _text(
            "The part of the list of programs. jit: JAX ran the program for a jitted function. eager: JAX ran the "
            "program outside of jit. traced: JAX did not run the program."
        ),
    ] = "jit"
    library: Annotated[
        bool, _text("True if a library jitted the function for its own use; such programs come last.")
    ] = False


class RaisedCall(Struct):
    """The call that ended the trace of a program by an error."""

    program: Annotated[int, _text("The index into `programs` of the program.")]
    operands: Annotated[
        list[int],
        _text(
            "The variables of the outermost scope of the program that the call certainly received as operands.",
            most=SENTENCES,
        ),
    ]


class NamedValue(Struct, omit_defaults=True):
    """The types and variables that a name of the user's Python had during the traces of JAX."""

    frame: Annotated[
        int, _text("The index into `frames` of the place of the name; for a returned value, of the return statement.")
    ]
    name: Annotated[int, _text("The index into `strings` of the name; for a returned value, of the empty string.")]
    kind: Annotated[
        Literal["parameter", "assigned", "returned"],
        _text(
            "The way in which the name got the value. parameter: by a call. assigned: by an assignment or a loop. "
            "returned: the value is returned and has no name."
        ),
    ]
    scope: Annotated[
        int,
        _text(
            "The index into `scopes` of the scope that the values belong to; for a container, of the innermost scope."
        ),
    ]
    types: Annotated[
        list[int],
        _text(
            "The indices into `strings` of the types that the name had in this scope, in order, each type once. Not "
            "empty.",
            most=SENTENCES,
        ),
    ]
    variables: Annotated[
        list[int],
        _text("The variables of the scope that the name had, if each value of the name was one array.", most=SENTENCES),
    ] = []
    role: Annotated[
        Literal["carry", "xs", "ys"] | None,
        _text(
            "The role in a loop of JAX that all values have, as in Slot.role; null if the values have no role or "
            "different roles."
        ),
    ] = None
    steps: Annotated[
        Count | None, _text("The number of steps of the loop; null if the number is unknown before the loop runs.")
    ] = None
    promoted: Annotated[
        int,
        _text(
            "The index into `strings` of the dtype that an operand of the value's equation had before JAX promoted "
            "the operand, if the code asks for no dtype; -1 if JAX promoted no operand."
        ),
    ] = -1


class Note(Struct, omit_defaults=True):
    """A fact that the user should know, such as a print during a trace or an unrolled loop."""

    kind: Annotated[
        str,
        _text(
            "The kind of the note, such as printed_while_tracing, captured_constant, unrolled_loop, leaked_tracer, "
            "eager_compiles or failed. short_loop: a loop was unrolled, and the loop needs no change."
        ),
    ]
    text: Annotated[str, _text("The observed fact, in a sentence or two.")]
    cure: Annotated[str | None, _text("The advice on the observed fact; null if no action is needed.")]
    detail: Annotated[str | None, _text("The raw fact, such as the printed text; may be long.")]
    program: Annotated[
        int, _text("The index into `programs` of the program of the note; -1 if the note is about the whole run.")
    ]
    frame: Annotated[
        int, _text("The index into `frames` of the line that the note is about; -1 if the note is about no line.")
    ]
    bytes: Annotated[Count | None, _text("The size in bytes, if the note is about a size.")]
    repetitions: Annotated[
        Count | None, _text("The least number of iterations of an unrolled loop; null for other notes.")
    ] = None
    carried: Annotated[
        bool | None,
        _text(
            "True if an iteration of an unrolled loop needs the iteration before, so that a scan can replace the "
            "loop; null for other notes."
        ),
    ] = None
    code: Annotated[
        str | None, _text("A rewrite in the user's own names, for the user to copy; null if there is no rewrite.")
    ] = None
    share: Annotated[
        float | None, _text("The share of the program's equations that an unrolled loop makes; null for other notes.")
    ] = None
    price: Annotated[list[str], _text("The measured times that belong to the note, as sentences.")] = []
    title: Annotated[str | None, _text("The observed fact in a few words; null if `text` needs no title.")] = None
    trial: Annotated[
        str | None,
        _text("The text of a cell that compares the rewrite with the user's code; null if there is no such cell."),
    ] = None
    level: Annotated[
        Literal["applies", "choice", "advice"],
        _text("The certainty of the rewrite in `code`, or of the sentence in `cure` if there is no rewrite; see Cure."),
    ] = "advice"
    edits: Annotated[list[Edit], _text("The edits that put `code` into the user's text, if the rewrite applies.")] = []
    cures: Annotated[
        list[Cure], _text("The cures that the user can choose from; the cure that fits most often comes first.")
    ] = []


class Retrace(Struct):
    """The cell's last call, which the kernel did not trace: its Python may change objects outside of the call."""

    call: Annotated[str, _text("The call, as the cell has the call.")]
    frame: Annotated[
        int, _text("The index into `frames` of the line that decided against the trace; -1 if there is no such line.")
    ]
    question: Annotated[str, _text("The sentences of the question to the user: what the trace runs again.")]
    undoable: Annotated[bool, _text("True if the changes that the trace makes are undone afterwards.")]


class Snapshot(Struct, omit_defaults=True):
    """The document of one run; the methods for users are on `jupyter_jaxpr.Snapshot`."""

    version: Annotated[int, _text("The version of this format. A reader refuses a higher version with a sentence.")]
    id: Annotated[str, _text("The unique id of the run, by which requests name the run.")]
    created: Annotated[float, _text("The time of the run, in seconds since 1970.")]
    title: Annotated[str | None, _text("The title of the run that the user gave with --title.")]
    pinned: Annotated[bool, _text("True if the user passed --pin to keep the run in view.")]
    environment: Annotated[Environment, _text("The versions and devices of the run.")]
    cell: Annotated[Cell | None, _text("The cell that ran; null outside a notebook.")]
    programs: Annotated[
        list[Program],
        _text(
            "The programs in the order of the calls; after these, the programs that a transform derived, see "
            "`transforms`.",
            most=FUNCTIONS,
        ),
    ]
    focus: Annotated[int, _text("The index into `programs` of the program to show first; -1 if there is no program.")]
    message: Annotated[
        str | None, _text("If the run has no program, the observed facts and what the user can type; else null.")
    ]
    notes: Annotated[list[Note], _text("The notes of the run, in the order of the cell's lines.", most=ARRAYS)]
    untraced_lines: Annotated[
        list[int],
        _text("The lines of the cell that hold code inside traced functions and that the trace did not reach."),
    ]
    cut: Annotated[
        str | None,
        _text("The parts that were left out to keep a saved copy small: a sentence; null if nothing was left out."),
    ]
    naming: Annotated[Naming, _text("The rules for the names of variables.")]
    strings: Annotated[list[str], _text("The pool of strings.")]
    avals: Annotated[list[Aval], _text("The pool of types.")]
    literals: Annotated[list[LiteralValue], _text("The pool of literals.")]
    parameter_lists: Annotated[
        list[list[Parameter]],
        _text("The pool of parameter lists; each list has the order in which JAX prints the parameters."),
    ]
    files: Annotated[list[File], _text("The pool of files.")]
    frames: Annotated[list[Frame], _text("The pool of frames.")]
    stacks: Annotated[list[Stack], _text("The pool of call stacks.")]
    scopes: Annotated[list[Scope], _text("The pool of scopes; a scope that is used twice is in the pool once.")]
    ledger: Annotated[Ledger | None, _text("The jit cache; null if the cache was not observed.")] = None
    control_flow: Annotated[
        list[Control], _text("The control-flow cards of all programs, in the order of the source.", most=ARRAYS)
    ] = []
    comparison: Annotated[
        VariantComparison | None,
        _text(
            "The comparison of variants, if the user passed --compare or asked for a comparison in the panel; else "
            "null."
        ),
    ] = None
    recordings: Annotated[
        list[Recording],
        _text(
            "The recordings of constructs, step by step, if the user passed --steps or asked for the steps in the "
            "panel.",
            most=ARRAYS,
        ),
    ] = []
    costs: Annotated[
        list[ProgramCost],
        _text(
            "The costs of the programs that are small enough to be counted at once; other programs are counted on "
            "request.",
            most=FUNCTIONS,
        ),
    ] = []
    timings: Annotated[
        list[ProgramTiming],
        _text(
            "The times of programs that ran again, if the user passed --time or asked for the times in the panel.",
            most=FUNCTIONS,
        ),
    ] = []
    sweep: Annotated[
        Sweep | None,
        _text("The sweep over sizes, if the user passed --sweep or asked for a sweep in the panel; else null."),
    ] = None
    shardings: Annotated[
        list[ProgramShardings],
        _text("The shardings of the programs that were compiled for more than one device.", most=FUNCTIONS),
    ] = []
    passes: Annotated[
        list[ProgramPasses],
        _text("The XLA passes of each program for which the panel asked for the passes.", most=FUNCTIONS),
    ] = []
    exact_links: Annotated[
        list[ExactLinks],
        _text("The exact links of each program for which the panel asked for a tagged twin.", most=FUNCTIONS),
    ] = []
    diffs: Annotated[
        list[ProgramDiff],
        _text(
            "The diffs that the panel asked for between a program of this run, which is the later program, and "
            "another program.",
            most=FUNCTIONS,
        ),
    ] = []
    transforms: Annotated[
        list[Transform],
        _text("The transforms of programs that the user asked for with --transform or in the panel.", most=FUNCTIONS),
    ] = []
    retrace: Annotated[
        Retrace | None,
        _text("The call that the kernel traces if the user presses a button; null if there is no such call."),
    ] = None
    machine: Annotated[
        Machine | None, _text("The measured peak rates of the machine; null if the rates were not measured before.")
    ] = None
    values: Annotated[
        Literal["kept", "live", "left_out"],
        _text(
            "The treatment of the texts that may hold a value of the user's variables. kept: the document "
            "and its copies have these texts. live: the document has these texts, and saved or exported copies "
            "leave the texts out. left_out: the document does not have these texts, and `cut` says so."
        ),
    ] = "kept"
    named_values: Annotated[
        list[NamedValue],
        _text(
            "The names of the user's Python, with the types of the names in the traces of the programs.", most=FUNCTIONS
        ),
    ] = []
    raised_calls: Annotated[
        list[RaisedCall],
        _text(
            "The calls that raised an error in the trace of a program, if an operand of the call is known.",
            most=FUNCTIONS,
        ),
    ] = []
