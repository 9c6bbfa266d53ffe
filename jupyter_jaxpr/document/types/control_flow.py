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
            "The role of the value. const: the value is the same at every step. carry: the value passes from each "
            "step to the next step. xs: the value is cut along the first axis. ys: the value is stacked on the "
            "first axis. operand, result: a value of a cond, a switch or a named scope."
        ),
    ]
    path: Annotated[
        str,
        _text("The path of the value as the user wrote the path, such as h, p['w'] or state.count; empty if unknown."),
    ]
    step: Annotated[int, _text("The index into `avals` of the type of the value within one step or branch.")]
    whole: Annotated[
        int,
        _text(
            "The index into `avals` of the type of the value outside the construct; the same as `step` except for "
            "xs and ys."
        ),
    ]
    out: Annotated[
        int,
        _text(
            "The index into `avals`: for a carry, of the type of the carry at the end of the body; for other roles, "
            "the same as `step`."
        ),
    ]
    operand: Annotated[
        int,
        _text(
            "The operand of the equation that the value comes from: a variable, or -1 - i for literal i; for ys and "
            "results, the variable that the equation binds. Equals `no_operand` of the card if there is no such "
            "operand."
        ),
    ]
    kept: Annotated[
        bool,
        _text(
            "True if a const is a leaf of the user's carry that no step changes, so that JAX took the leaf out of "
            "the carry."
        ),
    ] = False


class Branch(Struct):
    """A branch of a cond or a switch, or the former branch that a select replaced."""

    label: Annotated[
        str, _text("The label of the branch: False, True, or the index (0, 1, 2), or the names of the platforms.")
    ]
    name: Annotated[str, _text("The name of the user's function, such as square or <lambda>; empty if unknown.")]
    scope: Annotated[
        int, _text("The index into `scopes` of the program of the branch; -1 if a select replaced the branch.")
    ]
    equations: Annotated[
        Count,
        _text(
            "The number of equations of the branch's program, including the scopes inside; 0 if the branch only "
            "passes values on."
        ),
    ]
    frame: Annotated[int, _text("The index into `frames` of the line of the function's def; -1 if unknown.")]
    flops: Annotated[
        Count | None,
        _text(
            "The largest number of operations of one run of the branch, with the steps of loops counted; null if "
            "unknown."
        ),
    ]


class Control(Struct):
    """The card of a control-flow construct, or of a named scope (jit, custom rule, remat) of the program."""

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
        _text("The function that the user called. The last four kinds are named scopes, not control flow."),
    ]
    primitive: Annotated[
        str,
        _text(
            "The primitive that JAX made of the construct, such as scan, while, cond or select_n; empty if the "
            "construct left no primitive."
        ),
    ]
    title: Annotated[
        str, _text("The user's name of the body, of the branches or of the rule, such as step; empty if unknown.")
    ]
    program: Annotated[int, _text("The index into `programs` of the program of the construct.")]
    scope: Annotated[int, _text("The index into `scopes` of the scope that has the equation of the construct.")]
    equation: Annotated[
        int,
        _text(
            "The index in that scope of the equation of the construct; of the first equation if the construct left "
            "several equations."
        ),
    ]
    equations: Annotated[
        int,
        _text(
            "The number of equations of the scope that belong to the construct: 1, or more if the construct left no "
            "primitive of its own."
        ),
    ]
    parent: Annotated[
        int,
        _text(
            "The index into `control_flow` of the card around this construct; -1 if no construct is around this "
            "construct."
        ),
    ]
    parent_part: Annotated[
        str,
        _text(
            "The part of the parent that holds this construct: body, condition, or the label of a branch; empty "
            "without a parent."
        ),
    ]
    depth: Annotated[
        int, _text("The number of control-flow constructs around this construct; named scopes do not count.")
    ]
    frame: Annotated[int, _text("The index into `frames` of the user's call of the construct; -1 if unknown.")]
    library: Annotated[
        str | None,
        _text(
            "The library function that called the construct, such as jnp.median, if no line of the user called the "
            "construct; else null."
        ),
    ]
    name_stack: Annotated[
        str,
        _text(
            "The name stack of the equation of the construct, such as transpose(jvp()); the name stack tells a "
            "forward construct from a backward construct."
        ),
    ]
    slots: Annotated[
        list[Slot],
        _text(
            "The values of the construct in the order of the equation: consts, carry, xs, then ys; or operands, "
            "then results."
        ),
    ]
    no_operand: Annotated[
        int, _text("The value of Slot.operand that stands for no operand; smaller than the operand of every literal.")
    ]
    branches: Annotated[
        list[Branch], _text("The branches of a cond or a switch in the order of the jaxpr: False first.")
    ]
    predicate: Annotated[
        int,
        _text(
            "The predicate of a cond or the index of a switch, as an operand of the scope of the construct; "
            "`no_operand` without a predicate."
        ),
    ]
    predicate_text: Annotated[
        str | None, _text("The predicate as the user wrote the predicate, such as x > 0; null if unknown.")
    ]
    predicate_equation: Annotated[
        int,
        _text(
            "The index of the equation in the scope that made the predicate, conversions skipped; -1 if no equation "
            "made the predicate."
        ),
    ]
    body: Annotated[
        int, _text("The index into `scopes` of the program of one step, or of a named scope; -1 if there is no body.")
    ]
    body_frame: Annotated[int, _text("The index into `frames` of the line of the body's def; -1 if unknown.")]
    condition: Annotated[
        int, _text("The index into `scopes` of the condition program of a while loop; -1 if there is no condition.")
    ]
    condition_text: Annotated[
        str | None, _text("The condition as the user wrote the condition, such as jnp.abs(r) > tol; null if unknown.")
    ]
    trips: Annotated[
        Count | None, _text("The number of steps of the loop; null if the number is unknown before the loop runs.")
    ]
    trips_from: Annotated[
        Literal["length", "bounds", "xla"] | None,
        _text(
            "The source of `trips`. length: the length of a scan. bounds: constant bounds of a fori_loop or of the "
            "counter of a while loop. xla: XLA's HLO. null: no source states the number of steps."
        ),
    ]
    lower: Annotated[
        str | None,
        _text("The lower bound of a fori_loop, a number or the path of a variable; null for other constructs."),
    ]
    upper: Annotated[
        str | None,
        _text("The upper bound of a fori_loop, a number or the path of a variable; null for other constructs."),
    ]
    reverse: Annotated[bool, _text("True if a scan runs from the last x to the first x.")]
    unroll: Annotated[
        int,
        _text(
            "The number of steps in one iteration of the loop that JAX lowers: the `unroll` of a scan; 1 for other "
            "constructs."
        ),
    ]
    step_flops: Annotated[
        Count | None, _text("The largest number of operations of one step, or of one run of a branch; null if unknown.")
    ]
    facts: Annotated[
        list[str],
        _text(
            "The facts about the construct that the user should know, as sentences: why a fori_loop became a scan "
            "or a while, that JAX clamps the index, that both branches run under vmap.",
            most=SENTENCES,
        ),
    ]
    choice: Annotated[
        str | None,
        _text(
            "The row of the decision table that fits the construct: flag, branch, elementwise, short, long, open or "
            "outputs; null if no row fits."
        ),
    ]
    choice_reason: Annotated[str | None, _text("The reason why the row fits, a sentence; null without a row.")]
    effects: Annotated[
        list[str],
        _text(
            "The effects of the construct's programs, such as Debug or IO; another run repeats these effects.",
            most=SENTENCES,
        ),
    ]
    steppable: Annotated[
        str | None,
        _text(
            "The reason why the stepper cannot run the construct and what the user can do, a sentence; null if the "
            "stepper can run the construct."
        ),
    ]
