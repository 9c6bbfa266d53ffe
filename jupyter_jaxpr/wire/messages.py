"""The wire: every message between kernel and browser, as one tagged union in each direction.

Kernel to browser, on the comm target `jupyter_jaxpr` that the kernel opens:

    {"type": "hello", "seq": 1, "protocol": 1, "environment": {"jupyter_jaxpr": "0.1.0", "jax": "0.12.0.1", ...}}
    {"type": "progress", "seq": 2, "run": "5f0c", "cell_id": "c3", "function": "rnn", "stage": "compile",
     "elapsed": 2.1, "total_elapsed": 2.4, "finished": [["trace", 0.2], ["lower", 0.1]], "interruptible": false}
    {"type": "snapshot", "seq": 3, "snapshot": {"version": 1, ...}}
    {"type": "failed", "seq": 4, "text": "jupyter_jaxpr could not ...", "cure": "...", "detail": "Traceback ..."}

Browser to kernel, on that same comm:

    {"type": "resend", "protocol": 1, "version": "0.1.0"}
    {"type": "trace", "snapshot": "5f0c"}

Requests go on a comm of their own (target `jupyter_jaxpr.requests`, opened by the browser, so that it lands on a
subshell and is answered while a cell runs); each has an `id`, and the reply carries it:

    {"type": "text", "id": 7, "snapshot": "5f0c", "program": 0, "level": "hlo", "first_line": 0, "line_count": 2000}
    {"type": "reply", "id": 7, "error": null, "text": {...TextPage...}, "scope": null, "snapshot": null}
    {"type": "scope", "id": 8, "snapshot": "5f0c", "scope": 2, "first_equation": 5000, "equation_count": 5000}
    {"type": "reply", "id": 8, "error": null, "text": null, "scope": {...ScopePage...}, "snapshot": null}
    {"type": "make", "id": 9, "snapshot": "5f0c", "program": 0, "level": "hlo"}
    {"type": "reply", "id": 9, "error": null, "text": null, "scope": null, "snapshot": {"version": 1, ...}}

What runs the user's code again was asked for by a button, may take long, and can be stopped; while it runs, replies
with `working` tell how far it is, and the last reply has the result:

    {"type": "steps", "id": 10, "snapshot": "5f0c", "control": 0, "repeat_effects": false}
    {"type": "reply", "id": 10, "working": {"text": "step 400", "done": 400, "total": 1000, "elapsed": 1.2}, ...}
    {"type": "stop", "id": 10}
    {"type": "reply", "id": 10, "recording": {...Recording...}, ...}
    {"type": "compare", "id": 11, "snapshot": "5f0c", "programs": [0, 1, 2], "repeat_effects": false}
    {"type": "reply", "id": 11, "comparison": {...VariantComparison...}, ...}
    {"type": "time", "id": 12, "snapshot": "5f0c", "program": 0, "confirmed": false}
    {"type": "reply", "id": 12, "confirm": "One call takes 4.2 s. Run it again?", ...}
    {"type": "time", "id": 13, "snapshot": "5f0c", "program": 0, "confirmed": true}
    {"type": "reply", "id": 13, "timing": {...ProgramTiming...}, ...}
    {"type": "sweep", "id": 14, "snapshot": "5f0c", "sweep": "n=64,256", "call": "f(make(n))", "confirmed": false}
    {"type": "reply", "id": 14, "working": {"text": "n=256: eager", "done": 1, "total": 2, "elapsed": 0.8}, ...}
    {"type": "reply", "id": 14, "sweep": {...Sweep...}, ...}
    {"type": "machine", "id": 15, "snapshot": "5f0c"}
    {"type": "reply", "id": 15, "machine": {...Machine...}, ...}

What a program costs is read off it, nothing runs:

    {"type": "cost", "id": 16, "snapshot": "5f0c", "program": 0}
    {"type": "reply", "id": 16, "cost": {...ProgramCost...}, ...}
    {"type": "shardings", "id": 23, "snapshot": "5f0c", "program": 0}
    {"type": "reply", "id": 23, "shardings": {...ProgramShardings...}, ...}

What JAX derives from a program is traced, nothing runs either; the document comes back with it, or with the sentence
that says why there is none:

    {"type": "transform", "id": 17, "snapshot": "5f0c", "program": 0, "kind": "grad"}
    {"type": "reply", "id": 17, "snapshot": {"version": 1, ...}, ...}

So is what became of a program in another one, of the same run or a later one:

    {"type": "diff", "id": 18, "snapshot": "5f0d", "program": 0, "before": "5f0c", "before_program": 0,
     "level": "jaxpr"}
    {"type": "reply", "id": 18, "diff": {...ProgramDiff...}, ...}

And the text of a file that it comes from, or the sentence that says why there is none:

    {"type": "source", "id": 19, "snapshot": "5f0c", "path": "/home/me/layers.py"}
    {"type": "reply", "id": 19, "source": {...SourcePage...}, ...}

Which equations its instructions come from, told by a twin that is compiled beside it, and the twin's text:

    {"type": "exact_links", "id": 17, "snapshot": "5f0c", "program": 0, "confirmed": false}
    {"type": "reply", "id": 17, "confirm": "JAX lowers and XLA compiles a twin of rnn, in which ...", ...}
    {"type": "exact_links", "id": 18, "snapshot": "5f0c", "program": 0, "confirmed": true}
    {"type": "reply", "id": 18, "exact_links": {...ExactLinks...}, ...}
    {"type": "text", "id": 19, "snapshot": "5f0c", "program": 0, "level": "hlo", "first_line": 0, "line_count": 2000,
     "twin": true}
    {"type": "reply", "id": 19, "text": {...TextPage...}, ...}

What each of XLA's passes did to it, from compiling once more, and what one of them changed:

    {"type": "passes", "id": 17, "snapshot": "5f0c", "program": 0, "confirmed": false}
    {"type": "reply", "id": 17, "confirm": "XLA compiles rnn once more, which took 241 ms. Go on?", ...}
    {"type": "passes", "id": 18, "snapshot": "5f0c", "program": 0, "confirmed": true}
    {"type": "reply", "id": 18, "passes": {...ProgramPasses...}, ...}
    {"type": "pass_diff", "id": 19, "snapshot": "5f0c", "program": 0, "index": 3, "first_line": 0, "line_count": 2000}
    {"type": "reply", "id": 19, "pass_diff": {...PassDiff...}, ...}

A message of 64 kB or more travels as one binary buffer of UTF-8 JSON, with {"type": "buffer"} as the comm's data.
"""

from __future__ import annotations

from typing import Annotated, Literal

from ..document.types.comparison import VariantComparison
from ..document.types.cost import Machine, ProgramCost
from ..document.types.diff import ProgramDiff
from ..document.types.document import Environment, Snapshot
from ..document.types.exact_links import ExactLinks
from ..document.types.pages import ScopePage as ScopePage
from ..document.types.pages import SourcePage as SourcePage
from ..document.types.pages import TextPage as TextPage
from ..document.types.passes import PassDiff, ProgramPasses
from ..document.types.shardings import ProgramShardings
from ..document.types.steps import Recording
from ..document.types.struct import Struct
from ..document.types.struct import described as _text
from ..document.types.timing import ProgramTiming, Sweep
from ..document.types.transform import TransformKind

PROTOCOL = 1
TARGET = "jupyter_jaxpr"
REQUESTS_TARGET = "jupyter_jaxpr.requests"
BUFFER_FROM = 64 * 1024


# --- kernel to browser ------------------------------------------------------------------------------------


class Hello(Struct, tag="hello"):
    """First on a new comm, and in answer to resend."""

    seq: Annotated[int, _text("Grows by one a message.")]
    protocol: Annotated[int, _text("Version of these messages.")]
    environment: Annotated[Environment, _text("Versions, device and tier.")]


class FinishedStage(Struct, array_like=True):
    """A stage that is over, with its seconds."""

    stage: Annotated[str, _text("trace, lower or compile.")]
    seconds: Annotated[float, _text("As JAX reported it.")]


class Progress(Struct, tag="progress"):
    """The heartbeat of a long call, once a second from the first second on; replaced by the snapshot."""

    seq: Annotated[int, _text("Grows by one a message.")]
    run: Annotated[str, _text("Id of the snapshot to come.")]
    cell_id: Annotated[str | None, _text("The cell that runs.")]
    function: Annotated[str | None, _text("The jitted function at work; null while none is.")]
    stage: Annotated[Literal["running", "trace", "lower", "compile", "first_run"], _text("What JAX is doing.")]
    elapsed: Annotated[float, _text("Seconds in this stage.")]
    total_elapsed: Annotated[float, _text("Seconds since the cell started.")]
    finished: Annotated[list[FinishedStage], _text("Earlier stages of this call.")]
    interruptible: Annotated[bool, _text("Whether Interrupt takes effect before the stage ends.")]


class SnapshotMessage(Struct, tag="snapshot"):
    """A run has ended."""

    seq: Annotated[int, _text("Grows by one a message.")]
    snapshot: Annotated[Snapshot, _text("What it showed.")]


class Failed(Struct, tag="failed"):
    """Something of ours failed; the user's cell is not affected."""

    seq: Annotated[int, _text("Grows by one a message.")]
    text: Annotated[str, _text("What failed, a sentence.")]
    cure: Annotated[str | None, _text("What to do.")]
    detail: Annotated[str | None, _text("The traceback, to report.")]


class Working(Struct):
    """How far a long request is."""

    text: Annotated[str, _text("What is being done, such as: step 400, compiling unrolled.")]
    done: Annotated[int | None, _text("Of total; null when it cannot be told.")]
    total: Annotated[int | None, _text("Null when it cannot be told.")]
    elapsed: Annotated[float, _text("Seconds since the request.")]


class Reply(Struct, tag="reply", omit_defaults=True):
    """The answer to a request; exactly one of its other fields is not null."""

    id: Annotated[int, _text("The request's.")]
    error: Annotated[str | None, _text("Why it cannot be answered, and what to do.")]
    text: Annotated[TextPage | None, _text("In answer to text.")]
    scope: Annotated[ScopePage | None, _text("In answer to scope.")]
    snapshot: Annotated[Snapshot | None, _text("In answer to make and to transform: the document with what was made.")]
    working: Annotated[Working | None, _text("Not the last reply: how far the work is.")] = None
    confirm: Annotated[
        str | None,
        _text(
            "The work would repeat effects or take long: a question. To do it ask again with repeat_effects, or with "
            "confirmed."
        ),
    ] = None
    recording: Annotated[Recording | None, _text("In answer to steps.")] = None
    comparison: Annotated[VariantComparison | None, _text("In answer to compare.")] = None
    timing: Annotated[ProgramTiming | None, _text("In answer to time.")] = None
    sweep: Annotated[Sweep | None, _text("In answer to sweep.")] = None
    machine: Annotated[Machine | None, _text("In answer to machine.")] = None
    cost: Annotated[ProgramCost | None, _text("In answer to cost.")] = None
    passes: Annotated[ProgramPasses | None, _text("In answer to passes.")] = None
    shardings: Annotated[ProgramShardings | None, _text("In answer to shardings.")] = None
    pass_diff: Annotated[PassDiff | None, _text("In answer to pass_diff.")] = None
    exact_links: Annotated[ExactLinks | None, _text("In answer to exact_links.")] = None
    diff: Annotated[ProgramDiff | None, _text("In answer to diff.")] = None
    page: Annotated[str | None, _text("In answer to export: the HTML file.")] = None
    source: Annotated[SourcePage | None, _text("In answer to source.")] = None


KernelMessage = Hello | Progress | SnapshotMessage | Failed | Reply


# --- browser to kernel ------------------------------------------------------------------------------------


class Resend(Struct, tag="resend"):
    """A page has opened or reconnected: hello and the latest snapshots, please."""

    protocol: Annotated[int, _text("Version of the messages the browser knows.")]
    version: Annotated[str, _text("Version of the browser side of this extension.")]


class TraceCall(Struct, tag="trace"):
    """Trace the last call of a run's cell: the user pressed the button. The run's document is sent anew.

    On the hub's comm, whose messages wait until no cell runs: the trace puts the user's objects back as they were.
    """

    snapshot: Annotated[str, _text("Id.")]


class TextRequest(Struct, tag="text"):
    """Lines of a text that JAX has made."""

    id: Annotated[int, _text("Chosen by the browser.")]
    snapshot: Annotated[str, _text("Id.")]
    program: Annotated[int, _text("Index into its programs.")]
    level: Annotated[Literal["stablehlo", "hlo"], _text("Which text.")]
    first_line: Annotated[int, _text("From 0.")]
    line_count: Annotated[int, _text("At most 5,000.")]
    platform: Annotated[
        str | None, _text("Of StableHLO: lower it for cuda, rocm or tpu; null: as it was lowered to run.")
    ] = None
    twin: Annotated[bool, _text("The text of the program's twin, which was asked for before with exact_links.")] = False


class ScopeRequest(Struct, tag="scope"):
    """Equations of a scope that was too large to send whole."""

    id: Annotated[int, _text("Chosen by the browser.")]
    snapshot: Annotated[str, _text("Id.")]
    scope: Annotated[int, _text("Index into its scopes.")]
    first_equation: Annotated[int, _text("From 0.")]
    equation_count: Annotated[int, _text("At most 5,000, those inside of others counted.")]


class MakeRequest(Struct, tag="make"):
    """Lower or compile a program that was only traced: the user pressed the button."""

    id: Annotated[int, _text("Chosen by the browser.")]
    snapshot: Annotated[str, _text("Id.")]
    program: Annotated[int, _text("Index into its programs.")]
    level: Annotated[Literal["stablehlo", "hlo"], _text("How far.")]


class StepsRequest(Struct, tag="steps"):
    """Run a construct again on the values of the last call, and record each step: the user pressed the button."""

    id: Annotated[int, _text("Chosen by the browser.")]
    snapshot: Annotated[str, _text("Id.")]
    control: Annotated[int, _text("Index into control_flow.")]
    repeat_effects: Annotated[bool, _text("The user confirmed that effects happen again.")]


class CompareRequest(Struct, tag="compare"):
    """Run several programs of a snapshot again, timed and side by side: the user pressed the button."""

    id: Annotated[int, _text("Chosen by the browser.")]
    snapshot: Annotated[str, _text("Id.")]
    programs: Annotated[list[int], _text("Indices into its programs.")]
    repeat_effects: Annotated[bool, _text("The user confirmed that effects happen again.")]


class TimeRequest(Struct, tag="time"):
    """Run a program again, warm and eager, on the values of the last call: the user pressed the button."""

    id: Annotated[int, _text("Chosen by the browser.")]
    snapshot: Annotated[str, _text("Id.")]
    program: Annotated[int, _text("Index into its programs.")]
    confirmed: Annotated[bool, _text("The user said yes to repeated effects and to calls of over a second.")]


class SweepRequest(Struct, tag="sweep"):
    """Call functions at several sizes, timed: the user typed what, and pressed the button."""

    id: Annotated[int, _text("Chosen by the browser.")]
    snapshot: Annotated[str, _text("Id.")]
    sweep: Annotated[str, _text("As for --sweep, such as n=64,256,1024.")]
    call: Annotated[str, _text("As a target of the magic, such as f(make(n)).")]
    functions: Annotated[list[str], _text("As for --compare: names to call instead of the call's own; may be empty.")]
    confirmed: Annotated[bool, _text("The user said yes to repeated effects and to calls of over a second.")]


class MachineRequest(Struct, tag="machine"):
    """Measure what this machine can do at most: the user pressed the button. Kept for the kernel's life."""

    id: Annotated[int, _text("Chosen by the browser.")]
    snapshot: Annotated[str, _text("Id.")]


class CostRequest(Struct, tag="cost"):
    """What a program costs; it is counted, nothing runs."""

    id: Annotated[int, _text("Chosen by the browser.")]
    snapshot: Annotated[str, _text("Id.")]
    program: Annotated[int, _text("Index into its programs.")]


class ShardingsRequest(Struct, tag="shardings"):
    """How a program is spread over devices, its collectives too; its HLO is read, nothing runs."""

    id: Annotated[int, _text("Chosen by the browser.")]
    snapshot: Annotated[str, _text("Id.")]
    program: Annotated[int, _text("Index into its programs.")]


class TransformRequest(Struct, tag="transform"):
    """Derive a program by a transform; JAX traces it, nothing runs."""

    id: Annotated[int, _text("Chosen by the browser.")]
    snapshot: Annotated[str, _text("Id.")]
    program: Annotated[int, _text("Index into its programs.")]
    kind: Annotated[TransformKind, _text("Which.")]


class DiffRequest(Struct, tag="diff"):
    """What became of a program in another one; both are read, nothing runs."""

    id: Annotated[int, _text("Chosen by the browser.")]
    snapshot: Annotated[str, _text("Id of the run of the later one.")]
    program: Annotated[int, _text("Index into its programs.")]
    before: Annotated[str, _text("Id of the run of the earlier one; may be the same run.")]
    before_program: Annotated[int, _text("Index into the programs of that run.")]
    level: Annotated[Literal["jaxpr", "stablehlo", "hlo"], _text("What is compared.")]
    before_document: Annotated[
        Snapshot | None,
        _text("The earlier run, where this kernel did not make it: a saved copy, or from before a restart."),
    ] = None


class ExportRequest(Struct, tag="export"):
    """A run as an HTML file that needs nothing else; nothing runs."""

    id: Annotated[int, _text("Chosen by the browser.")]
    snapshot: Annotated[str, _text("Id.")]
    program: Annotated[int, _text("Index into its programs: the one that comes first.")]


class SourceRequest(Struct, tag="source"):
    """The text of a file that the run's frames point into; it is read, nothing runs."""

    id: Annotated[int, _text("Chosen by the browser.")]
    snapshot: Annotated[str, _text("Id.")]
    path: Annotated[str, _text("As in its files.")]


class PassesRequest(Struct, tag="passes"):
    """Compile a program once more, to see what each of XLA's passes does: the user pressed the button."""

    id: Annotated[int, _text("Chosen by the browser.")]
    snapshot: Annotated[str, _text("Id.")]
    program: Annotated[int, _text("Index into its programs.")]
    confirmed: Annotated[bool, _text("The user said yes to compiling again.")]


class ExactLinksRequest(Struct, tag="exact_links"):
    """Compile a tagged twin of a program, to see which equations its lines come from: the user pressed the button."""

    id: Annotated[int, _text("Chosen by the browser.")]
    snapshot: Annotated[str, _text("Id.")]
    program: Annotated[int, _text("Index into its programs.")]
    confirmed: Annotated[bool, _text("The user said yes to compiling a twin.")]


class PassDiffRequest(Struct, tag="pass_diff"):
    """Lines of what one pass changed; the passes were asked for before."""

    id: Annotated[int, _text("Chosen by the browser.")]
    snapshot: Annotated[str, _text("Id.")]
    program: Annotated[int, _text("Index into its programs.")]
    index: Annotated[int, _text("Index into the program's passes.")]
    first_line: Annotated[int, _text("From 0.")]
    line_count: Annotated[int, _text("At most 5,000.")]


class StopRequest(Struct, tag="stop"):
    """Stop the work of a request; its last reply has what was done until then."""

    id: Annotated[int, _text("The request's.")]


BrowserMessage = (
    Resend
    | TraceCall
    | TextRequest
    | ScopeRequest
    | MakeRequest
    | StepsRequest
    | CompareRequest
    | TimeRequest
    | SweepRequest
    | MachineRequest
    | CostRequest
    | ShardingsRequest
    | PassesRequest
    | PassDiffRequest
    | ExactLinksRequest
    | TransformRequest
    | DiffRequest
    | ExportRequest
    | SourceRequest
    | StopRequest
)
