"""Names the kinds of notes that a user can silence."""

from __future__ import annotations

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
