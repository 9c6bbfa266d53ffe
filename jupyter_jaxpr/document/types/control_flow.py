"""The types of the document's control flow: a card for each construct, in the order of the source.

A card names the function that the user called (`fori_loop`) beside JAX's primitive (`scan`). Its programs are scopes of
the document; its values are slots, with paths as the user wrote them.
"""

from __future__ import annotations

from typing import Annotated, Literal

from ..limits import SENTENCES
from .struct import Count, Struct
from .struct import described as _text


class Slot(Struct):
    """A value that goes into, around or out of a construct: one leaf of a pytree."""

    role: Annotated[
        Literal["const", "carry", "xs", "ys", "operand", "result"],
        _text(
            "const: the same at every step. carry: goes around. xs, ys: cut along or stacked on the first axis. "
            "operand, result: of a cond, a switch or a named scope."
        ),
    ]
    path: Annotated[str, _text("As the user wrote it, such as h, p['w'] or state.count; empty when unknown.")]
    step: Annotated[int, _text("Index into avals: its type within one step or branch.")]
    whole: Annotated[int, _text("Index into avals: its type outside; the same as step but for xs and ys.")]
    out: Annotated[
        int, _text("Index into avals: for a carry, its type when it leaves the body; otherwise the same as step.")
    ]
    operand: Annotated[
        int,
        _text(
            "Of the equation in its scope: the operand that is its value going in, or -1 - i for literal i; for ys and "
            "results the variable that it binds. Equals no_operand of the card where there is none."
        ),
    ]
    kept: Annotated[
        bool, _text("Of a const: a leaf of the user's carry that no step changes, so JAX took it out of the carry.")
    ] = False


class Branch(Struct):
    """A side of a cond or a switch, or what became one side of a select."""

    label: Annotated[str, _text("False, True, or the index: 0, 1, 2.")]
    name: Annotated[str, _text("Of the user's function, such as square or <lambda>; empty when unknown.")]
    scope: Annotated[int, _text("Index into scopes: its program; -1 where it was dissolved into a select.")]
    equations: Annotated[Count, _text("Of its program, scopes inside included; 0 for a branch that only passes on.")]
    frame: Annotated[int, _text("Index into frames: the line of its def; -1 when unknown.")]
    flops: Annotated[Count | None, _text("Operations of one run, at most, loops multiplied; null when unknown.")]


class Control(Struct):
    """A control-flow construct, or a named scope that stands around or beside some."""

    kind: Annotated[
        Literal[
            "cond",
            "switch",
            "scan",
            "while_loop",
            "fori_loop",
            "map",
            "associative_scan",
            "custom_jvp",
            "custom_vjp",
            "remat",
            "jit",
        ],
        _text("What the user called. The last four are named scopes, no control flow of their own."),
    ]
    primitive: Annotated[
        str, _text("What JAX made of it, such as scan, while, cond, select_n; empty where it left none.")
    ]
    title: Annotated[
        str, _text("The user's name for it: of the body, the branches or the rule, such as step; empty when unknown.")
    ]
    program: Annotated[int, _text("Index into programs.")]
    scope: Annotated[int, _text("Index into scopes: where its equation is.")]
    equation: Annotated[int, _text("Index of its equation in that scope; of the first one where it left several.")]
    equations: Annotated[
        int, _text("How many equations of that scope are its own: 1, or more where it left no primitive of its own.")
    ]
    parent: Annotated[int, _text("Index into control_flow: the card that it is in; -1 at the top.")]
    parent_part: Annotated[
        str, _text("Where in its parent: body, condition, or the label of a branch; empty at the top.")
    ]
    depth: Annotated[int, _text("How many control-flow constructs are around it; named scopes are not counted.")]
    frame: Annotated[int, _text("Index into frames: the user's call of it; -1 when unknown.")]
    library: Annotated[
        str | None, _text("Where no line of the user's called it: the library function that did, such as jnp.median.")
    ]
    name_stack: Annotated[str, _text("Of its equation, such as transpose(jvp()): tells forward from backward.")]
    slots: Annotated[
        list[Slot], _text("In the order of the equation: consts, carry, xs, then ys; or operands, results.")
    ]
    no_operand: Annotated[int, _text("The value of Slot.operand that stands for none; below every literal's.")]
    branches: Annotated[list[Branch], _text("Of a cond or a switch in the order of the jaxpr: False first.")]
    predicate: Annotated[
        int, _text("Of a cond or a switch: the predicate or index as an operand of its scope; no_operand if none.")
    ]
    predicate_text: Annotated[
        str | None, _text("The predicate as the user wrote it, such as x > 0; null when unknown.")
    ]
    predicate_equation: Annotated[
        int, _text("Index of the equation in its scope that made the predicate, conversions passed over; -1 if none.")
    ]
    body: Annotated[int, _text("Index into scopes: the program of one step, or of a named scope; -1 if none.")]
    body_frame: Annotated[int, _text("Index into frames: the line of the body's def; -1 when unknown.")]
    condition: Annotated[int, _text("Index into scopes: a while's condition program; -1 if none.")]
    condition_text: Annotated[
        str | None, _text("The condition as the user wrote it, such as jnp.abs(r) > tol; null when unknown.")
    ]
    trips: Annotated[Count | None, _text("How many steps it takes; null when that is not known before it runs.")]
    trips_from: Annotated[
        Literal["length", "bounds", "xla"] | None,
        _text("What says so: scan's length, constant bounds of a fori_loop or of a while's counter, XLA's HLO."),
    ]
    lower: Annotated[str | None, _text("Of a fori_loop: its lower bound, a number or a variable's path; else null.")]
    upper: Annotated[str | None, _text("Of a fori_loop: its upper bound, a number or a variable's path; else null.")]
    reverse: Annotated[bool, _text("A scan that runs from the last x to the first.")]
    unroll: Annotated[int, _text("Steps of one iteration of the loop that JAX lowers: scan's unroll; 1 otherwise.")]
    step_flops: Annotated[Count | None, _text("Operations of one step, at most; null when unknown.")]
    facts: Annotated[
        list[str],
        _text(
            "What a person should know of it, sentences: why a fori_loop became a scan or a while, that the index is "
            "clamped, that both sides run under vmap.",
            most=SENTENCES,
        ),
    ]
    choice: Annotated[
        str | None,
        _text(
            "The row of the decision table that fits: flag, branch, elementwise, short, long, open, outputs; null when "
            "none does."
        ),
    ]
    choice_reason: Annotated[str | None, _text("Why that row fits, a sentence; null where there is no row.")]
    effects: Annotated[
        list[str], _text("Effects of its programs, such as Debug or IO: running it again repeats them.", most=SENTENCES)
    ]
    steppable: Annotated[
        str | None, _text("Null where the stepper can run it; else why not and what to do, a sentence.")
    ]
