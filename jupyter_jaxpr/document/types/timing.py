"""What a program takes when it runs again, and over a sweep of sizes: measured only when asked for."""

from __future__ import annotations

from typing import Annotated, Literal

from ..limits import ARRAYS, SENTENCES
from .struct import Struct
from .struct import described as _text


class WarmTime(Struct):
    """Seconds of one warm call, waited for until the result is ready."""

    median: Annotated[float, _text("Half of the runs took less.")]
    minimum: Annotated[float, _text("The fastest.")]
    lower: Annotated[float, _text("A quarter of the runs took less.")]
    upper: Annotated[float, _text("A quarter of the runs took more.")]
    runs: Annotated[int, _text("How many calls were timed.")]
    dispatch: Annotated[float, _text("Median until the call returned, the work perhaps not done.")]
    batch: Annotated[int, _text("Calls between two readings of the clock; where more than 1, a run is their mean.")] = 1


class ProgramTiming(Struct):
    """A program run again, warm and eager."""

    program: Annotated[int, _text("Index into programs.")]
    warm: Annotated[WarmTime | None, _text("The executable of the cell; null where it could not be run: see notes.")]
    eager: Annotated[WarmTime | None, _text("The same Python without jit; null where it could not be run: see notes.")]
    ratio: Annotated[
        tuple[float, float] | None,
        _text("Eager over warm, by the middle halves: lower and upper; null where the times show no difference."),
    ]
    pays_after: Annotated[
        int | None,
        _text("Calls after which the first call is paid for by warm ones against eager; null where that is not shown."),
    ]
    sentence: Annotated[
        str,
        _text("The times of the first call, of a warm call and of a call without jit, and what jit saves: sentences."),
    ]
    notes: Annotated[
        list[str], _text("What was not measured and why, what was copied or left out: sentences.", most=SENTENCES)
    ]
    stopped: Annotated[str | None, _text("Why it is not complete, a sentence; null where it is.")]


class SweepPoint(Struct):
    """One function at one value."""

    function: Annotated[str, _text("Name, as in functions of the sweep.")]
    value: Annotated[str, _text("As it was typed, such as 64.")]
    number: Annotated[float | None, _text("The value as a number; null where it is none.")]
    eager: Annotated[WarmTime | None, _text("Null where not measured.")]
    warm: Annotated[WarmTime | None, _text("Null where not measured.")]
    first: Annotated[float | None, _text("Seconds of the first call until its result was ready; null if not measured.")]
    trace: Annotated[float | None, _text("Seconds of the first call; null where JAX reported none.")]
    lower: Annotated[float | None, _text("Seconds of the first call; null where JAX reported none.")]
    compile: Annotated[float | None, _text("Seconds of the first call; null where JAX reported none.")]
    from_disk: Annotated[bool, _text("The executable came from the persistent compilation cache.")]
    equations: Annotated[int | None, _text("Of the program; null where unknown.")]
    bytes: Annotated[int | None, _text("Arguments, results and temporaries by XLA; null where it gives none.")]
    flops: Annotated[int | None, _text("By our count; null where unknown.")]
    error: Annotated[str | None, _text("What it raised, one line; null where it did not.")]
    ratio: Annotated[
        float | None, _text("Eager over warm; null where the times show no difference, and in older documents.")
    ] = None


class SweepFit(Struct):
    """A power law through a series: seconds (or a count) = factor x value ^ exponent."""

    function: Annotated[str, _text("As in functions of the sweep.")]
    series: Annotated[Literal["eager", "first", "warm", "compile", "equations", "bytes"], _text("What grows.")]
    exponent: Annotated[float, _text("Slope on log-log axes, least squares.")]
    factor: Annotated[float, _text("Value of the line at 1.")]
    error: Annotated[
        float | None, _text("How far the interval of 95 % around the exponent reaches to each side; null: two points.")
    ]
    first_number: Annotated[float, _text("The line goes through the points from this value on.")]
    sentence: Annotated[str, _text("How the series grows, a sentence; empty in older documents.")] = ""


class Sweep(Struct):
    """Functions over several values of a name."""

    name: Annotated[str, _text("Of what varies, such as n.")]
    call: Annotated[str, _text("What was called, such as f(make(n)).")]
    functions: Annotated[list[str], _text("Names, in the order they were given.", most=SENTENCES)]
    points: Annotated[list[SweepPoint], _text("By value, then by function.", most=ARRAYS)]
    fits: Annotated[list[SweepFit], _text("Of each function and series whose points show how it grows.", most=ARRAYS)]
    total: Annotated[int, _text("How many points it was to have.")]
    stopped: Annotated[str | None, _text("Why it is not complete, a sentence; null where it is.")]
    notes: Annotated[list[str], _text("What was not measured and why: sentences.", most=SENTENCES)]
    seconds: Annotated[float, _text("That the sweep took.")]
