"""The types of a program's cost: operations and bytes of each equation, times its steps; XLA's totals; memory.

Numbers are of one call of the program. A cost that depends on the data has bounds, and a number for the most expensive
call: each cond takes the branch with most operations, where a transcendental one counts as
`transcendental_weight.TRANSCENDENTAL_WEIGHT` operations. A while_loop with an unknown number of steps counts as one
step, and is named in `per_trip`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from ..limits import ROWS, SENTENCES
from .struct import Struct
from .struct import described as _text


class ScopeCost(Struct):
    """The costs of the equations of a scope, as columns, for one execution of the scope with the programs inside."""

    scope: Annotated[int, _text("The index into `scopes` of the scope.")]
    runs: Annotated[
        int, _text("The largest number of executions of the scope in one call; an unknown number of steps counts as 1.")
    ]
    runs_min: Annotated[int, _text("The smallest number of executions of the scope in one call.")]
    per_trip: Annotated[
        bool,
        _text(
            "True if a loop with an unknown number of steps is around the scope: `runs` is then for one step of the "
            "loop."
        ),
    ]
    flops: Annotated[
        list[int],
        _text("The largest number of operations of each equation; -1 if the primitive of the equation has no rule."),
    ]
    transcendentals: Annotated[
        list[int], _text("The number of transcendental operations of each equation; -1 if unknown.")
    ]
    bytes: Annotated[list[int], _text("The number of bytes that each equation reads and writes; -1 if unknown.")]


class CostRow(Struct):
    """The cost of all equations of a line or of a primitive; an equation in a loop counts once for each step."""

    label: Annotated[str, _text("The primitive; for a row of a line, the text of the line, if known.")]
    frame: Annotated[int, _text("The index into `frames` of the line; -1 if the row has no line.")]
    equations: Annotated[int, _text("The number of equations in the row.")]
    flops: Annotated[
        int, _text("The operations of the row in the most expensive call; the rows add up to `flops` of the program.")
    ]
    flops_min: Annotated[
        int,
        _text("The operations of the row in the cheapest call; more than `flops` if only this call takes a branch."),
    ]
    transcendentals: Annotated[int, _text("The transcendental operations of the row in the most expensive call.")]
    bytes_read: Annotated[int, _text("The bytes that the row reads in the most expensive call.")]
    bytes_written: Annotated[int, _text("The bytes that the row writes in the most expensive call.")]
    per_trip: Annotated[
        bool, _text("True if a part of the row is in a loop with an unknown number of steps, counted as one step.")
    ]
    if_taken: Annotated[
        int,
        _text(
            "The largest number of operations of the row: each cond takes the branch with the most operations of "
            "the row."
        ),
    ] = 0


class CostNode(Struct):
    """A bar of the icicle plot: a scope as called from one line, or a part of the name stack, with all inner costs."""

    label: Annotated[str, _text("The label of the bar, such as scan or jit rnn, or a name of the name stack.")]
    parent: Annotated[
        int,
        _text(
            "The index into the same list of the bar around this bar, smaller than the index of this bar; -1 for "
            "the whole program."
        ),
    ]
    scope: Annotated[int, _text("The index into `scopes` of the scope; -1 if the bar is not a scope.")]
    frame: Annotated[int, _text("The index into `frames` of the line that called the scope; -1 if there is no line.")]
    runs: Annotated[int, _text("The largest number of executions of the bar's program in one call.")]
    per_trip: Annotated[bool, _text("True if the bar is a loop with an unknown number of steps, or is in such a loop.")]
    flops: Annotated[int, _text("The operations in the most expensive call; 0 in a branch which is not taken there.")]
    transcendentals: Annotated[int, _text("The transcendental operations in the most expensive call.")]
    bytes: Annotated[int, _text("The bytes read and written in the most expensive call.")]


class CostDifference(Struct):
    """A reason why XLA's total is not equal to the total of jupyter_jaxpr."""

    kind: Annotated[
        Literal["loop_once", "unknown_trips", "branches", "fused_away", "custom_call", "no_rule", "rest"],
        _text(
            "The kind of the reason. loop_once: XLA counts the body of a loop once. unknown_trips: jupyter_jaxpr "
            "also counts a loop with an unknown number of steps once. branches: XLA takes the most expensive "
            "branch. fused_away: XLA removed or merged operations, or computes some operations twice. custom_call: "
            "XLA does not look inside a custom call. no_rule: jupyter_jaxpr has no rule for a primitive. rest: the "
            "difference is not explained."
        ),
    ]
    text: Annotated[str, _text("The reason as a sentence.")]
    ours: Annotated[
        int | None,
        _text("The FLOPs of the differing part in the count of jupyter_jaxpr; null if the part has no count."),
    ]
    xla: Annotated[
        int | None,
        _text(
            "The FLOPs of the differing part in XLA's count; null if XLA's count has no separate number for the part."
        ),
    ]
    frame: Annotated[int, _text("The index into `frames` of the line; -1 if the reason has no line.")]
    runs: Annotated[
        int | None, _text("For loop_once, the number of steps that make the difference; null for other kinds.")
    ]


class XlaCost(Struct):
    """XLA's own cost analysis of the executable, as XLA states the numbers."""

    flops: Annotated[float | None, _text("The FLOPs of the executable; null if XLA states no number.")]
    transcendentals: Annotated[
        float | None, _text("The transcendental operations of the executable; null if XLA states no number.")
    ]
    bytes: Annotated[float | None, _text("The bytes that the executable accesses; null if XLA states no number.")]
    differences: Annotated[
        list[CostDifference],
        _text(
            "The reasons why XLA's FLOPs differ from the count of jupyter_jaxpr; empty if the two counts are equal.",
            most=ROWS,
        ),
    ]
    text: Annotated[
        str, _text("XLA's FLOPs and the count of jupyter_jaxpr, in a sentence or two; empty in older documents.")
    ] = ""


class LiveBuffer(Struct):
    """An array that is alive at the point where the program needs the most memory, as estimated from the jaxpr."""

    name: Annotated[
        str, _text("The origin of the array, such as argument p['w'], captured constant, or result of dot_general.")
    ]
    type: Annotated[str, _text("The type of the array, such as f32[1024,1024].")]
    bytes: Annotated[int, _text("The size of the array in bytes.")]
    frame: Annotated[int, _text("The index into `frames` of the line that made the array; -1 if there is no line.")]
    scope: Annotated[int, _text("The index into `scopes` of the scope of the array.")]
    equation: Annotated[
        int, _text("The index in that scope of the equation that made the array; -1 for inputs and constants.")
    ]


class Residual(Struct):
    """The arrays of one type that a line of the forward pass keeps for the backward pass."""

    type: Annotated[str, _text("The type of each array, such as f32[100,16].")]
    count: Annotated[int, _text("The number of arrays of this type and name on this line.")]
    bytes: Annotated[int, _text("The bytes of all these arrays together.")]
    name: Annotated[str, _text("The primitive that made the arrays.")]
    frame: Annotated[int, _text("The index into `frames` of the line that made the arrays; -1 if there is no line.")]


class Memory(Struct):
    """The bytes that the executable needs, as XLA states them, and estimates from the jaxpr."""

    arguments: Annotated[int | None, _text("The bytes of the arguments; null if XLA states no number.")]
    results: Annotated[int | None, _text("The bytes of the results; null if XLA states no number.")]
    temporaries: Annotated[int | None, _text("The bytes of the temporary buffers; null if XLA states no number.")]
    generated_code: Annotated[int | None, _text("The bytes of the generated code; null if XLA states no number.")]
    aliased: Annotated[
        int | None,
        _text("The bytes of the results that reuse the buffers of arguments (donation); null if XLA states no number."),
    ]
    peak: Annotated[
        int | None,
        _text(
            "The estimate from the jaxpr of the most bytes that are alive at once, if XLA fuses nothing; null "
            "without an estimate."
        ),
    ]
    peak_frame: Annotated[
        int, _text("The index into `frames` of the line at which the most bytes are alive; -1 if there is no line.")
    ]
    live: Annotated[
        list[LiveBuffer],
        _text("The largest arrays that are alive at the peak, as estimated; the largest array first.", most=ROWS),
    ]
    residuals: Annotated[
        list[Residual], _text("The residuals of a program that grad made; the largest residual first.", most=ROWS)
    ]
    residual_bytes: Annotated[int, _text("The bytes of all residuals together.")]
    constants: Annotated[int, _text("The bytes of the constants that the closure captured.")]
    peak_text: Annotated[str, _text("The estimate of the peak as a sentence; empty without an estimate.")] = ""


class ProgramCost(Struct):
    """The costs of one program."""

    program: Annotated[int, _text("The index into `programs` of the program.")]
    flops: Annotated[int, _text("The operations of the most expensive call, on numbers of any type.")]
    flops_min: Annotated[int, _text("The smallest number of operations of a call.")]
    exact: Annotated[
        bool,
        _text(
            "True if the count is exact: every primitive has a rule, every loop has a known length, and all "
            "branches of a cond have the same cost."
        ),
    ]
    transcendentals: Annotated[
        int,
        _text(
            "The transcendental operations (sin, exp, ...) of the most expensive call; these are not part of `flops`."
        ),
    ]
    bytes_read: Annotated[
        int, _text("The bytes that all equations read in the most expensive call, if XLA fuses nothing.")
    ]
    bytes_written: Annotated[
        int, _text("The bytes that all equations write in the most expensive call, if XLA fuses nothing.")
    ]
    per_trip: Annotated[
        list[str], _text("The loops with an unknown number of steps, such as: while_loop, line 7.", most=SENTENCES)
    ]
    unknown: Annotated[
        list[str],
        _text(
            "The primitives without a rule, with the number of their equations, such as ffi_call (2).", most=SENTENCES
        ),
    ]
    scopes: Annotated[list[ScopeCost], _text("The costs of each scope of the program that the document holds whole.")]
    by_line: Annotated[list[CostRow], _text("The costs of each line, in the order of the files and lines.", most=ROWS)]
    by_primitive: Annotated[
        list[CostRow], _text("The costs of each primitive, the most expensive primitive first.", most=ROWS)
    ]
    by_scope: Annotated[list[CostNode], _text("The costs as a tree of scopes, the program first.", most=ROWS)]
    by_name_stack: Annotated[
        list[CostNode], _text("The costs as a tree of the name stack, the program first.", most=ROWS)
    ]
    xla: Annotated[
        XlaCost | None,
        _text("XLA's own cost analysis; null if the program was not compiled, or if XLA gives no analysis."),
    ]
    memory: Annotated[Memory | None, _text("The memory of the program; null if unavailable.")]
    xla_asked: Annotated[
        bool,
        _text(
            "True if jupyter_jaxpr asked XLA for the cost analysis. False: XLA had not compiled the program yet, or "
            "the analysis takes so long that only a cost request asks for the analysis."
        ),
    ] = False
    lead: Annotated[
        list[str],
        _text(
            "The amount and the main places of the cost, in sentences for the user; empty in older documents.",
            most=SENTENCES,
        ),
    ] = []
    flops_most: Annotated[
        int, _text("The largest number of operations, whichever branches a call takes; 0 in older documents.")
    ] = 0
    transcendentals_min: Annotated[
        int | None, _text("The smallest number of transcendental operations of a call; null in older documents.")
    ] = None
    transcendentals_most: Annotated[
        int, _text("The largest number of transcendental operations of a call; 0 in older documents.")
    ] = 0
    recordings: Annotated[
        list[int],
        _text(
            "The indices into `control_flow` of the while loops whose recordings the count uses. If all executions "
            "of a loop took the same number of steps, the loop counts with that number.",
            most=ROWS,
        ),
    ] = []


class Machine(Struct):
    """The peak rates of this machine, as measured with JAX, for the roofline."""

    device: Annotated[str, _text("The kind of the device, such as cpu.")]
    flops: Annotated[float, _text("The FLOP per second of the fastest measured matmul.")]
    bandwidth: Annotated[
        float, _text("The bytes read plus the bytes written per second, in the fastest measured copy.")
    ]
    dtype: Annotated[str, _text("The dtype of the matmul and the copy, such as float32.")]
    how: Annotated[str, _text("The method and the sizes of the measurement, a sentence.")]
    seconds: Annotated[float, _text("The seconds that the measurement took.")]
