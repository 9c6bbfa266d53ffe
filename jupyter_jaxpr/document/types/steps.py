"""The types of a recording of the stepper: the values that went through a construct when it ran, as columns.

A recording has `points`: the recorded steps, in the order in which they ran. A leaf has one value for each point. A
leaf whose role is carry, condition or compared has one more value for each visit, after the value of the visit's last
step: the final carry, or the condition that ended the loop and the scalar in it. Therefore the values of visit v of
such a leaf begin at its `first_point` + v.
"""

from __future__ import annotations

from typing import Annotated, Literal

from ..limits import ARRAYS, FUNCTIONS, ROWS, SENTENCES
from .struct import Count, Struct
from .struct import described as _text


class Leaf(Struct):
    """The values of one leaf: one value per point, or also one more value per visit (see the module docstring)."""

    role: Annotated[
        Literal["carry", "x", "y", "index", "predicate", "condition", "compared", "operand", "result"],
        _text(
            "The role of the leaf. carry: the carry before each step, and after the last step. x, y: the x or y of "
            "each step. index: the index of the taken branch. predicate: the predicate of a cond. condition: the "
            "condition of a while loop before each step, and after the last step. compared: the scalar that the "
            "condition compares with a constant, at the same times. operand, result: the operand or result of a "
            "cond or a switch."
        ),
    ]
    path: Annotated[str, _text("The path of the leaf as on the card, such as h or p['w']; empty if unknown.")]
    type: Annotated[str, _text("The type of one value, such as f32[16].")]
    elements: Annotated[Count, _text("The number of elements of one value.")]
    texts: Annotated[
        list[str],
        _text(
            "The text of each value: a scalar or a small array in full, a larger array in a short form, such as "
            "[-0.82 -0.73 … +14]."
        ),
    ]
    numbers: Annotated[
        list[float | None] | None,
        _text(
            "The number of each value for a sparkline: the scalar itself, or a norm. Null for a value that is not "
            "finite; null instead of the list if the leaf has no numbers."
        ),
    ]
    number_name: Annotated[
        str,
        _text(
            "The meaning of `numbers`: value, or ‖h‖ for the 2-norm over the finite elements; empty if the leaf has "
            "no numbers."
        ),
    ]
    minimum: Annotated[
        list[float | None] | None, _text("The minimum of each value's finite elements; null except for larger arrays.")
    ]
    mean: Annotated[
        list[float | None] | None, _text("The mean of each value's finite elements; null except for larger arrays.")
    ]
    maximum: Annotated[
        list[float | None] | None, _text("The maximum of each value's finite elements; null except for larger arrays.")
    ]
    nans: Annotated[list[Count], _text("The number of NaN in each value; empty if no value has a NaN.")]
    infinities: Annotated[
        list[Count], _text("The number of infinities in each value; empty if no value has an infinity.")
    ]
    threshold: Annotated[
        float | None,
        _text("The constant that a compared scalar is compared with, such as 1e-5; null for other leaves."),
    ] = None
    pictures: Annotated[
        list[str] | None,
        _text(
            "For an array whose text is in a short form and whose elements were all kept, the elements of each "
            "value with at most four figures, row by row, such as -0.8284 nan inf 1; null for other values."
        ),
    ] = None


class Comparison(Struct):
    """The comparison of a result of the recorded run with the result of the function without recording."""

    path: Annotated[str, _text("The path of the result, such as result[0].")]
    equal: Annotated[
        bool, _text("True if the two values are equal bit for bit; NaN values with the same bits are equal.")
    ]
    recorded: Annotated[str, _text("A short text of the value of the recorded run.")]
    real: Annotated[str, _text("A short text of the value of the real function.")]
    largest_difference: Annotated[
        float | None, _text("The largest absolute difference between finite elements; null if unknown.")
    ]


class Visit(Struct):
    """One execution of the construct; a loop inside another loop has one visit for each step of the outer loop."""

    first_point: Annotated[int, _text("The index of the first point of the visit.")]
    points: Annotated[Count, _text("The number of steps of the visit that were kept.")]
    trips: Annotated[
        Count, _text("The number of steps of the visit, or the number of steps until the visit was stopped.")
    ]
    outer: Annotated[
        list[Count],
        _text("The step of each enclosing loop, the outermost loop first; empty if no loop is around the construct."),
    ]
    finished: Annotated[bool, _text("True if the visit ran to the end. False: a limit or the user stopped the visit.")]


class CallBranches(Struct):
    """The branches of a cond or a switch that one call of the cell took."""

    call: Annotated[
        Count, _text("The number of the call among the observed calls of the function in the cell; 0 if unknown.")
    ]
    values: Annotated[list[str], _text("A short text of the value of each column; empty if the table has no columns.")]
    taken: Annotated[
        list[str],
        _text(
            "The labels of the branches that the call took; empty if the branches are unknown or the call took no "
            "branch."
        ),
    ]
    times: Annotated[list[Count], _text("The number of times that the call took each branch of `taken`.")]
    unknown: Annotated[
        str | None, _text("The reason why the branches are unknown, a sentence; null if the branches are known.")
    ]


class CallTable(Struct):
    """The calls of the cell whose arguments were kept, with the branches that the calls took."""

    columns: Annotated[
        list[str],
        _text(
            "The headings of the values: the index of a switch, then the paths of operands, then of results; empty "
            "if a call did not enter the construct exactly once."
        ),
    ]
    calls: Annotated[list[CallBranches], _text("The calls in the order of the cell.", most=ROWS)]
    others: Annotated[
        str | None,
        _text(
            "The number of other calls and the reason why their branches are unknown; null if the function has no "
            "other calls."
        ),
    ]


class Recording(Struct):
    """A run of a construct, recorded step by step."""

    snapshot: Annotated[str, _text("The id of the run.")]
    control: Annotated[int, _text("The index into `control_flow` of the card of the construct.")]
    visits: Annotated[
        list[Visit],
        _text(
            "The visits in the order in which the visits ran; visits beyond the limits are left out.", most=FUNCTIONS
        ),
    ]
    visits_total: Annotated[Count, _text("The number of all visits, with those that are left out.")]
    step: Annotated[
        list[Count], _text("For each point, the number of the step within its visit, from 0.", most=FUNCTIONS)
    ]
    leaves: Annotated[
        list[Leaf],
        _text("The leaves: conditions, predicates and indices first, then the order of the card's slots.", most=ARRAYS),
    ]
    branch_taken: Annotated[
        list[str], _text("For each point of a cond or a switch, the label of the taken branch; empty for loops.")
    ]
    stopped: Annotated[
        str | None,
        _text(
            "The reason why the recorded run did not end, a sentence: a limit on steps or seconds, or Stop; null if "
            "the run ended."
        ),
    ]
    thinned: Annotated[
        str | None,
        _text("The steps and visits that were left out, a sentence; null if every step is in the recording."),
    ]
    comparisons: Annotated[
        list[Comparison], _text("The comparisons of the function's results; empty if the run was stopped.", most=ROWS)
    ]
    verdict: Annotated[
        str, _text("The comparison in a sentence, such as: The results equal the function's, bit for bit.")
    ]
    notes: Annotated[
        list[str],
        _text(
            "Sentences about the values, such as: the residual stopped changing after 5 steps and never gets below "
            "1e-5.",
            most=SENTENCES,
        ),
    ]
    seconds: Annotated[float, _text("The seconds that the recorded run took, with the compilation of the recorder.")]
    calls: Annotated[
        CallTable | None,
        _text("The table of calls of a cond or a switch, if the cell called the function more than once; else null."),
    ] = None
