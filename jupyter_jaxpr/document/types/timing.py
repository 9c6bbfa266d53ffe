"""The types of measured times: of a program that runs again, and of a sweep; only the user's request measures them."""

from __future__ import annotations

from typing import Annotated, Literal

from ..limits import ARRAYS, SENTENCES
from .struct import Struct
from .struct import described as _text


class WarmTime(Struct):
    """The seconds of one warm call, until the result is ready."""

    median: Annotated[float, _text("The median of the seconds of the runs.")]
    minimum: Annotated[float, _text("The seconds of the fastest run.")]
    lower: Annotated[float, _text("The lower quartile: a quarter of the runs took less.")]
    upper: Annotated[float, _text("The upper quartile: a quarter of the runs took more.")]
    runs: Annotated[int, _text("The number of timed calls.")]
    dispatch: Annotated[
        float, _text("The median of the seconds until the call returned; the work of the call may end later.")
    ]
    batch: Annotated[
        int,
        _text("The number of calls between two readings of the clock; if more than 1, a run is the mean of a batch."),
    ] = 1


class ProgramTiming(Struct):
    """The times of a program that ran again, warm and eager."""

    program: Annotated[int, _text("The index into `programs` of the program.")]
    warm: Annotated[
        WarmTime | None, _text("The times of the cell's executable; null if the executable could not run: see `notes`.")
    ]
    eager: Annotated[
        WarmTime | None,
        _text("The times of the same Python code without jit; null if the code could not run: see `notes`."),
    ]
    ratio: Annotated[
        tuple[float, float] | None,
        _text(
            "The eager time divided by the warm time, from the quartiles: the lower and the upper ratio; null if "
            "the times show no difference."
        ),
    ]
    pays_after: Annotated[
        int | None,
        _text(
            "The number of calls after which jit saves time, with the first call included; null if the times do not "
            "show a saving."
        ),
    ]
    sentence: Annotated[
        str,
        _text(
            "The times of the first call, of a warm call and of a call without jit, and the time that jit saves, as "
            "sentences."
        ),
    ]
    notes: Annotated[
        list[str],
        _text(
            "The measurements that were not made and the reasons, and the objects that were copied or left out, as "
            "sentences.",
            most=SENTENCES,
        ),
    ]
    stopped: Annotated[
        str | None, _text("The reason why the timing is not complete, a sentence; null if the timing is complete.")
    ]


class SweepPoint(Struct):
    """The measurements of one function at one value of the name that a sweep varies."""

    function: Annotated[str, _text("The name of the function, as in `functions` of the sweep.")]
    value: Annotated[str, _text("The value as the user typed the value, such as 64.")]
    number: Annotated[float | None, _text("The value as a number; null if the value is not a number.")]
    eager: Annotated[WarmTime | None, _text("The times of eager calls; null if not measured.")]
    warm: Annotated[WarmTime | None, _text("The times of warm calls; null if not measured.")]
    first: Annotated[
        float | None, _text("The seconds of the first call until the result was ready; null if not measured.")
    ]
    trace: Annotated[float | None, _text("The seconds of the trace in the first call; null if JAX reported no trace.")]
    lower: Annotated[
        float | None, _text("The seconds of the lowering in the first call; null if JAX reported no lowering.")
    ]
    compile: Annotated[
        float | None, _text("The seconds of the compilation in the first call; null if JAX reported no compilation.")
    ]
    from_disk: Annotated[bool, _text("True if the executable came from the persistent compilation cache.")]
    equations: Annotated[int | None, _text("The number of equations of the program; null if unknown.")]
    bytes: Annotated[
        int | None,
        _text("The bytes of arguments, results and temporaries, in XLA's count; null if XLA states no number."),
    ]
    flops: Annotated[int | None, _text("The FLOPs in the count of jupyter_jaxpr; null if unknown.")]
    error: Annotated[
        str | None, _text("The error that the function raised, on one line; null if the function raised no error.")
    ]
    ratio: Annotated[
        float | None,
        _text("The eager time divided by the warm time; null if the times show no difference, and in older documents."),
    ] = None


class SweepFit(Struct):
    """A power law through a series: seconds (or a count) = factor x value ^ exponent."""

    function: Annotated[str, _text("The name of the function, as in `functions` of the sweep.")]
    series: Annotated[
        Literal["eager", "first", "warm", "compile", "equations", "bytes"],
        _text("The series that grows with the value."),
    ]
    exponent: Annotated[float, _text("The slope on log-log axes, by least squares.")]
    factor: Annotated[float, _text("The value of the fitted line at 1.")]
    error: Annotated[
        float | None,
        _text("Half the width of the 95 % interval around the exponent; null if the line has only two points."),
    ]
    first_number: Annotated[float, _text("The value from which on the line uses the points.")]
    sentence: Annotated[str, _text("The growth of the series, a sentence; empty in older documents.")] = ""


class Sweep(Struct):
    """The measurements of functions over several values of a name."""

    name: Annotated[str, _text("The name whose value varies, such as n.")]
    call: Annotated[str, _text("The call that was measured, such as f(make(n)).")]
    functions: Annotated[
        list[str], _text("The names of the functions, in the order that the user gave.", most=SENTENCES)
    ]
    points: Annotated[list[SweepPoint], _text("The points, ordered by value, then by function.", most=ARRAYS)]
    fits: Annotated[
        list[SweepFit], _text("The fits of each function and series whose points show the growth.", most=ARRAYS)
    ]
    total: Annotated[int, _text("The number of points of the complete sweep.")]
    stopped: Annotated[
        str | None, _text("The reason why the sweep is not complete, a sentence; null if the sweep is complete.")
    ]
    notes: Annotated[
        list[str], _text("The measurements that were not made and the reasons, as sentences.", most=SENTENCES)
    ]
    seconds: Annotated[float, _text("The seconds that the sweep took.")]
