"""Limits the recordings of dispatches: the dispatches, calls and seconds of one recording."""

from __future__ import annotations

#: The recording of a call ends after this many dispatches, or when the recording itself has taken this many seconds.
CALL_DISPATCHES = 2_000
CALL_SECONDS = 0.1

#: With `--eager`, the recording of a cell ends after this many dispatches.
CELL_DISPATCHES = 20_000

#: Without `--eager`, the recording of a cell ends after this many dispatches or seconds.
FIRST_DISPATCHES = 200
FIRST_SECONDS = 0.02

#: Without `--eager`, the recording of a cell leaves out this many calls of functions that the user jitted; the
#: recording ends at the next such call, so that a loop over a jitted function runs at full speed.
LEFT_OUT = 32

#: At most this many calls of the last statement are recorded.
CALLS = 8

#: At most this many calls above the last statement are recorded.
CALLS_ABOVE = 4

#: A recording looks at this many arrays for values that may be indices.
ARRAYS_READ = 1_000
