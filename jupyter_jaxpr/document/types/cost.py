"""What a program costs: operations and bytes of each equation, times its steps, beside XLA's own totals; and memory.

Numbers are of one call of the program. A cost that depends on the data has bounds, and a number for the most expensive
run: each cond takes the branch with most operations, in which a transcendental one counts as
`facts.TRANSCENDENTAL_WEIGHT`. A while_loop with an unknown number of steps counts as one step, and is named in
`per_trip`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from ..limits import ROWS, SENTENCES
from .struct import Struct
from .struct import described as _text


class ScopeCost(Struct):
    """Costs of the equations of a scope, as columns: of one run of the scope, programs inside included."""

    scope: Annotated[int, _text("Index into scopes.")]
    runs: Annotated[int, _text("How often it runs in one call, at most; an unknown number of steps as 1.")]
    runs_min: Annotated[int, _text("At least.")]
    per_trip: Annotated[bool, _text("A loop with an unknown number of steps is around it: runs is for one step.")]
    flops: Annotated[list[int], _text("Of each equation, at most; -1 where its primitive has no rule.")]
    transcendentals: Annotated[list[int], _text("Of each equation; -1 where unknown.")]
    bytes: Annotated[list[int], _text("Read and written by each equation; -1 where unknown.")]


class CostRow(Struct):
    """A sum over equations, steps counted, each equation in one row only: by line or by primitive."""

    label: Annotated[str, _text("The primitive; for a line its text, as far as it is known.")]
    frame: Annotated[int, _text("Index into frames: the line; -1 for none.")]
    equations: Annotated[int, _text("How many equations are in it.")]
    flops: Annotated[int, _text("Its part of the most expensive run: the rows add up to the program's flops.")]
    flops_min: Annotated[int, _text("Its part of the cheapest run; may be more, in a branch that only that one takes.")]
    transcendentals: Annotated[int, _text("In the most expensive run.")]
    bytes_read: Annotated[int, _text("In the most expensive run.")]
    bytes_written: Annotated[int, _text("In the most expensive run.")]
    per_trip: Annotated[bool, _text("Part of it is in a loop with an unknown number of steps, counted once.")]
    if_taken: Annotated[int, _text("Its flops at most, where each cond takes the branch with most of it.")] = 0


class CostNode(Struct):
    """A bar of the icicle: a scope where it is called, or a part of the name stack, with all that is inside."""

    label: Annotated[str, _text("Such as scan or jit rnn, or a name of the stack.")]
    parent: Annotated[int, _text("Index into the same list, smaller than its own; -1 for the whole program.")]
    scope: Annotated[int, _text("Index into scopes; -1 where it is no scope.")]
    frame: Annotated[int, _text("Index into frames: the line that called it; -1 for none.")]
    runs: Annotated[int, _text("How often it runs in one call, at most.")]
    per_trip: Annotated[bool, _text("It is, or is in, a loop with an unknown number of steps.")]
    flops: Annotated[int, _text("In the most expensive run; 0 in a branch that this run does not take.")]
    transcendentals: Annotated[int, _text("In the most expensive run.")]
    bytes: Annotated[int, _text("Read and written, in the most expensive run.")]


class CostDifference(Struct):
    """A reason why XLA's total is not ours."""

    kind: Annotated[
        Literal["loop_once", "unknown_trips", "branches", "fused_away", "custom_call", "no_rule", "rest"],
        _text(
            "loop_once: XLA counts a loop's body once. unknown_trips: we count such a loop once as well. branches: XLA "
            "takes the most expensive one. fused_away: XLA removed or merged operations, or computes some twice. "
            "custom_call: XLA does not look inside. no_rule: we have no rule. rest: not explained."
        ),
    ]
    text: Annotated[str, _text("A sentence.")]
    ours: Annotated[int | None, _text("FLOPs of that part by our count; null where it has none.")]
    xla: Annotated[int | None, _text("FLOPs of that part by XLA's count; null where it cannot be told apart.")]
    frame: Annotated[int, _text("Index into frames: the line; -1 for none.")]
    runs: Annotated[int | None, _text("Of loop_once: the steps that make the difference; else null.")]


class XlaCost(Struct):
    """XLA's own cost analysis of the executable, as it says it."""

    flops: Annotated[float | None, _text("Null where XLA gives none.")]
    transcendentals: Annotated[float | None, _text("Null where XLA gives none.")]
    bytes: Annotated[float | None, _text("Bytes accessed; null where XLA gives none.")]
    differences: Annotated[
        list[CostDifference], _text("Why its FLOPs are not ours; empty where they are equal.", most=ROWS)
    ]
    text: Annotated[str, _text("Its FLOPs and ours in a sentence or two; empty in older documents.")] = ""


class LiveBuffer(Struct):
    """An array that is alive where the program needs most memory, by the jaxpr."""

    name: Annotated[str, _text("What it is, such as argument p['w'], constant, or result of dot_general.")]
    type: Annotated[str, _text("Such as f32[1024,1024].")]
    bytes: Annotated[int, _text("Of the array.")]
    frame: Annotated[int, _text("Index into frames: the line that made it; -1 for none.")]
    scope: Annotated[int, _text("Index into scopes.")]
    equation: Annotated[int, _text("Index of the equation that made it in that scope; -1 for inputs and constants.")]


class Residual(Struct):
    """What the forward pass keeps for the backward pass, by line."""

    type: Annotated[str, _text("Such as f32[100,16].")]
    count: Annotated[int, _text("How many of that type on that line.")]
    bytes: Annotated[int, _text("All of them.")]
    name: Annotated[str, _text("The primitive that made it, or the argument.")]
    frame: Annotated[int, _text("Index into frames: the line that made it; -1 for none.")]


class Memory(Struct):
    """Bytes that the executable needs, as XLA says it; and estimates from the jaxpr."""

    arguments: Annotated[int | None, _text("Bytes of the arguments; null where XLA gives none.")]
    results: Annotated[int | None, _text("Bytes of the results.")]
    temporaries: Annotated[int | None, _text("Bytes of the buffers in between.")]
    generated_code: Annotated[int | None, _text("Bytes of the program itself.")]
    aliased: Annotated[int | None, _text("Bytes of results that take an argument's place (donation).")]
    peak: Annotated[int | None, _text("Estimate from the jaxpr: most bytes alive at once, if nothing is fused.")]
    peak_frame: Annotated[int, _text("Index into frames: the line where that is; -1 for none.")]
    live: Annotated[list[LiveBuffer], _text("Estimate: the largest arrays alive there, the largest first.", most=ROWS)]
    residuals: Annotated[list[Residual], _text("Of a program that grad made; the largest first.", most=ROWS)]
    residual_bytes: Annotated[int, _text("All residuals together.")]
    constants: Annotated[int, _text("Bytes of the constants captured by the closure.")]
    peak_text: Annotated[str, _text("The estimate in a sentence; empty where there is none.")] = ""


class ProgramCost(Struct):
    """What one program costs."""

    program: Annotated[int, _text("Index into programs.")]
    flops: Annotated[int, _text("Operations of the most expensive run, on numbers of any type.")]
    flops_min: Annotated[int, _text("At least.")]
    exact: Annotated[bool, _text("Every primitive has a rule, every loop a known length, every branch the same cost.")]
    transcendentals: Annotated[int, _text("sin, exp, ...: counted apart; in the most expensive run.")]
    bytes_read: Annotated[int, _text("By every equation on its own, nothing fused; in the most expensive run.")]
    bytes_written: Annotated[int, _text("Likewise.")]
    per_trip: Annotated[
        list[str], _text("Loops with an unknown number of steps, such as: while_loop, line 7.", most=SENTENCES)
    ]
    unknown: Annotated[
        list[str], _text("Primitives without a rule, with how many equations: ffi_call (2).", most=SENTENCES)
    ]
    scopes: Annotated[list[ScopeCost], _text("Of each scope of the program that the document holds whole.")]
    by_line: Annotated[list[CostRow], _text("In the order of the files and lines.", most=ROWS)]
    by_primitive: Annotated[list[CostRow], _text("The most expensive first.", most=ROWS)]
    by_scope: Annotated[list[CostNode], _text("Tree of scopes, the program first.", most=ROWS)]
    by_name_stack: Annotated[list[CostNode], _text("Tree of the name stack, the program first.", most=ROWS)]
    xla: Annotated[XlaCost | None, _text("Null where the program was not compiled, or XLA gives no analysis.")]
    memory: Annotated[Memory | None, _text("Null where it could not be had.")]
    xla_asked: Annotated[
        bool,
        _text(
            "XLA was asked for its numbers. False where it had not compiled the program yet, or where that takes so "
            "long that only a cost request does it."
        ),
    ] = False
    lead: Annotated[
        list[str],
        _text("How much it is and where, in sentences for the user; empty in older documents.", most=SENTENCES),
    ] = []
    flops_most: Annotated[int, _text("At most, whichever branches are taken; 0 in older documents.")] = 0
    transcendentals_min: Annotated[int | None, _text("At least; null in older documents.")] = None
    transcendentals_most: Annotated[int, _text("At most; 0 in older documents.")] = 0
    recordings: Annotated[
        list[int],
        _text(
            "Indices into control_flow: while loops whose recordings were asked. One whose executions took the same "
            "number of steps is counted with that number.",
            most=ROWS,
        ),
    ] = []


class Machine(Struct):
    """What this machine can do at most, as JAX measured it; for the roofline."""

    device: Annotated[str, _text("Kind of the device, such as cpu.")]
    flops: Annotated[float, _text("FLOP a second, of the best matmul.")]
    bandwidth: Annotated[float, _text("Bytes read plus bytes written a second, in the fastest copy that was measured.")]
    dtype: Annotated[str, _text("Of the matmul and the copy, such as float32.")]
    how: Annotated[str, _text("How it was measured, a sentence with the sizes.")]
    seconds: Annotated[float, _text("The seconds that the measurement took.")]
