"""Holds facts that several rooms use, in Python and TypeScript.

`python -m jupyter_jaxpr.schema` writes the facts that the browser needs to `src/protocol/facts.ts`.
"""

from __future__ import annotations

from typing import get_args

from .types.transform import TransformKind

#: The transforms that a program can be shown with, in the order of the buttons.
TRANSFORM_KINDS: tuple[TransformKind, ...] = get_args(TransformKind)

#: The constructs that have a card. Calls, such as `jit`, are read too and have none.
CONTROL_KINDS = frozenset({"cond", "switch", "scan", "while_loop", "fori_loop", "map", "associative_scan"})

#: A transcendental function counts as this many operations where work is compared: in shares, in heat, and in the
#: choice of the most expensive branch. XLA computes exp, log and tanh of a float by a polynomial of about this many
#: operations.
TRANSCENDENTAL_WEIGHT = 20

#: The headings of the tables at the head of an HLO text: the places that instructions refer to by number.
HLO_TABLES = ("FileNames", "FunctionNames", "FileLocations", "StackFrames")

#: The notes that a user can silence: hints on the user's code. Errors and failures are no hints.
SILENCEABLE_NOTES = (
    "captured_constant",
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

#: The word that stands for all kinds of notes.
ALL_NOTES = "all"
