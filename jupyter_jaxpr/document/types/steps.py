"""What the stepper recorded: the values that went through a construct when it ran, as columns.

A recording has `points`: the steps that were kept, in the order they ran. A leaf has one value a point. A carry, a
condition and what is compared in it have one more a visit, which stands after the visit's last step: the carry that
came out, the condition that ended the loop. So the values of visit v begin at its `first_point` + v.
"""

from __future__ import annotations

from typing import Annotated, Literal

from ..limits import ARRAYS, FUNCTIONS, ROWS, SENTENCES
from .struct import Count, Struct
from .struct import described as _text


class Leaf(Struct):
    """The values of one leaf, one a point, or one a point and one a visit; see above."""

    role: Annotated[
        Literal["carry", "x", "y", "index", "predicate", "condition", "compared", "operand", "result"],
        _text(
            "carry: before the step, and after the last one. x, y: of the step. index: of the branch taken. predicate: "
            "of a cond. condition: of a while, before the step, and after the last one. compared: where the condition "
            "compares a scalar with a constant, that scalar, at the same times. operand, result: of a cond or a switch."
        ),
    ]
    path: Annotated[str, _text("As on the card, such as h or p['w']; empty when unknown.")]
    type: Annotated[str, _text("Of one value, such as f32[16].")]
    elements: Annotated[Count, _text("Of one value.")]
    texts: Annotated[
        list[str],
        _text("Each value: a scalar or a small array in full, a larger one shortened, such as [-0.82 -0.73 … +14]."),
    ]
    numbers: Annotated[
        list[float | None] | None,
        _text("Each value as one number, for a sparkline: the scalar, or a norm. Null for a value that is not finite."),
    ]
    number_name: Annotated[str, _text("What numbers are: value, or ‖h‖ for the 2-norm over the finite elements.")]
    minimum: Annotated[list[float | None] | None, _text("Of each value's finite elements; only of larger arrays.")]
    mean: Annotated[list[float | None] | None, _text("Of each value's finite elements; only of larger arrays.")]
    maximum: Annotated[list[float | None] | None, _text("Of each value's finite elements; only of larger arrays.")]
    nans: Annotated[list[Count], _text("How many NaN each value has; empty where no value has any.")]
    infinities: Annotated[list[Count], _text("How many infinities each value has; empty where no value has any.")]
    threshold: Annotated[float | None, _text("Of compared: the constant beside it, such as 1e-5; else null.")] = None
    pictures: Annotated[
        list[str] | None,
        _text(
            "Of an array whose text is shortened and whose elements were all kept: each value's elements in at most "
            "four figures, row by row, such as -0.8284 nan inf 1; null for other values."
        ),
    ] = None


class Comparison(Struct):
    """A result of the recorded run beside that of the real function."""

    path: Annotated[str, _text("Of the result, such as result[0].")]
    equal: Annotated[bool, _text("Bit for bit; NaN of the same bits is equal.")]
    recorded: Annotated[str, _text("Short text of the recorded run's value.")]
    real: Annotated[str, _text("Short text of the real function's value.")]
    largest_difference: Annotated[
        float | None, _text("The largest absolute difference between finite elements; null where it is unknown.")
    ]


class Visit(Struct):
    """One time that the construct was entered: a loop inside a loop is entered once a step of the outer one."""

    first_point: Annotated[int, _text("Index of its first point.")]
    points: Annotated[Count, _text("How many of its steps were kept.")]
    trips: Annotated[Count, _text("How many steps it took, or had taken when it was stopped.")]
    outer: Annotated[list[Count], _text("The step of each enclosing loop, outermost first; empty at the top.")]
    finished: Annotated[bool, _text("False: it was stopped by a cap or by the user.")]


class CallBranches(Struct):
    """Which branches of a cond or a switch one call of the cell took."""

    call: Annotated[Count, _text("Its number among the seen calls of its function in the cell; 0 if unknown.")]
    values: Annotated[list[str], _text("A short text for each column; empty where the columns are.")]
    taken: Annotated[list[str], _text("The labels of the branches that the call took; empty if unknown or none.")]
    times: Annotated[list[Count], _text("How often the call took each branch of taken.")]
    unknown: Annotated[str | None, _text("Why the branches are unknown, a sentence; null where they are known.")]


class CallTable(Struct):
    """The calls of the cell whose arguments were kept, with the branches that they took."""

    columns: Annotated[
        list[str], _text("Of the values: paths of operands, then results; empty where a call entered more than once.")
    ]
    calls: Annotated[list[CallBranches], _text("In the order of the cell.", most=ROWS)]
    others: Annotated[str | None, _text("How many other calls there were and why their branches are unknown.")]


class Recording(Struct):
    """A run of a construct, step by step."""

    snapshot: Annotated[str, _text("Id.")]
    control: Annotated[int, _text("Index into control_flow.")]
    visits: Annotated[
        list[Visit], _text("In the order they ran; those beyond the bounds are left out.", most=FUNCTIONS)
    ]
    visits_total: Annotated[Count, _text("How many there were.")]
    step: Annotated[list[Count], _text("Of each point: the step within its visit, from 0.", most=FUNCTIONS)]
    leaves: Annotated[list[Leaf], _text("In the order of the card's slots.", most=ARRAYS)]
    branch_taken: Annotated[
        list[str], _text("Of each point: the label of the branch, for a cond or a switch; or empty.")
    ]
    stopped: Annotated[
        str | None,
        _text("Why it did not run to its end, a sentence: a limit on steps or seconds, or Stop; null if it did."),
    ]
    thinned: Annotated[str | None, _text("What was left out, a sentence; null where every step is here.")]
    comparisons: Annotated[
        list[Comparison], _text("Of the function's results; empty where the run was stopped.", most=ROWS)
    ]
    verdict: Annotated[
        str, _text("The comparison in a sentence, such as: The results equal the function's, bit for bit.")
    ]
    notes: Annotated[
        list[str],
        _text(
            "Sentences about the values: the residual stopped changing after 5 steps and never gets below 1e-5.",
            most=SENTENCES,
        ),
    ]
    seconds: Annotated[float, _text("That the recorded run took, its own compilation included.")]
    calls: Annotated[
        CallTable | None, _text("Of a cond or a switch in a function that the cell called more than once; else null.")
    ] = None
