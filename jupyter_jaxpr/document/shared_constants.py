"""Holds constants that several rooms use, in Python and TypeScript."""

from __future__ import annotations

from typing import get_args

from .types.transform import TransformKind

#: The transforms that the panel can apply to a program, in the order of the buttons.
TRANSFORM_KINDS: tuple[TransformKind, ...] = get_args(TransformKind)

#: The kinds of construct that have a card of their own. Calls such as `jit` are read, too, but get no such card.
CONTROL_KINDS = frozenset({"cond", "switch", "scan", "while_loop", "fori_loop", "map", "associative_scan"})

#: In shares, in heat, and in the choice of the most expensive branch, a transcendental function counts as this many
#: operations. XLA computes exp, log and tanh of a float by a polynomial of about this many operations.
TRANSCENDENTAL_WEIGHT = 20

#: The headings of the tables at the start of an HLO text, which have the source places of the instructions.
HLO_TABLES = ("FileNames", "FunctionNames", "FileLocations", "StackFrames")

#: A diff shows this many equal rows before and after a row that differs.
DIFF_CONTEXT = 3

#: Primitive -> the parameter that describes its operation best. The listing and the saved page show this parameter, and
#: the other parameters after a click. The new type of `convert_element_type` is the type of the result, which is in the
#: same line.
TELLING_PARAMETERS = {
    "argmax": "axes",
    "argmin": "axes",
    "broadcast_in_dim": "shape",
    "call_jaxpr": "name",
    "concatenate": "dimension",
    "cumsum": "axis",
    "custom_jvp_call": "name",
    "custom_vjp_call": "name",
    "integer_pow": "y",
    "iota": "dimension",
    "jit": "name",
    "pjit": "name",
    "reduce_and": "axes",
    "reduce_max": "axes",
    "reduce_min": "axes",
    "reduce_or": "axes",
    "reduce_prod": "axes",
    "reduce_sum": "axes",
    "remat2": "name",
    "reshape": "new_sizes",
    "rev": "dimensions",
    "scan": "length",
    "squeeze": "dimensions",
    "transpose": "permutation",
}

#: Parameters whose text has at most this many characters are shown as a whole.
LONGEST_WHOLE_PARAMETERS = 12

#: A parameter and its value are shown if their text has at most this many characters.
LONGEST_TELLING_PARAMETER = 32

#: The kinds of notes that a user can silence: hints on the user's code. Notes on errors and failures cannot be
#: silenced.
SILENCEABLE_NOTES = (
    "captured_constant",
    "changed_value",
    "dropped_update",
    "eager_compiles",
    "equal_static",
    "frozen_call",
    "frozen_change",
    "key_used_twice",
    "leaked_tracer",
    "masked_derivative",
    "out_of_bounds",
    "printed_while_tracing",
    "promoted_carry",
    "root_of_squares",
    "short_loop",
    "stale_value",
    "truncated_type",
    "unblocked_timing",
    "unrolled_loop",
    "unused_donation",
)

#: The word by which the user silences all kinds of notes.
ALL_NOTES = "all"
