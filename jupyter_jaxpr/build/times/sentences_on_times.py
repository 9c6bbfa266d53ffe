"""Writes the sentences on the times of a program: its first call, a warm call, and a call without jit."""

from __future__ import annotations

from ...measure.times.repeated_calls import Warm
from ...measure.times.significant_time_difference import FEWEST
from ...observe.observation import StageTimes
from ...quantities import duration, factor
from .break_even_of_jit import returned_early, sentence_on_break_even

_COMPILES_AGAIN = (
    "A call without jit takes {took}. For about {compiling} of that time, JAX traces and compiles again in each call. "
    "The usual cause is a function, such as the body of a scan, that each call defines anew. Define the function "
    "once, outside of the call."
)
_TOO_FEW = (
    f"Fewer than {FEWEST} warm calls, or fewer than {FEWEST} calls without jit, were timed: too few to show a "
    "difference."
)


def timing_sentences(
    stages: StageTimes | None,
    warm: Warm | None,
    eager: Warm | None,
    compiling: float,
    ratio: tuple[float, float] | None,
    pays_after: int | None,
) -> str:
    """Return sentences on the first call, on a warm call, and on a call without jit.

    Args:
        stages: The seconds of each stage of the call that made the program; None if unknown.
        warm: The times of a warm call; None if no warm call was timed.
        eager: The times of a call without jit; None if no such call was timed.
        compiling: The seconds of a call without jit in which JAX traces and compiles again.
        ratio: The bounds of the ratio of a call without jit to a warm call; None if the times show no difference.
        pays_after: The number of calls after which jit has saved time; None if jit saves no time.
    """
    first = _first(stages, warm)
    sentences = [first] if first is not None else []
    if warm is not None:
        sentences.append(f"A warm call takes {duration(warm.median)}.")
    if eager is not None and compiling:
        sentences.append(_COMPILES_AGAIN.format(took=duration(eager.median), compiling=duration(compiling)))
    elif eager is not None and ratio is None:
        sentences.append(f"A call without jit takes {duration(eager.median)}.")
        if warm is not None:
            is_too_few = min(len(warm.samples), len(eager.samples)) < FEWEST
            sentences.append(_TOO_FEW if is_too_few else "The times with and without jit show no difference.")
    elif eager is not None and ratio is not None:
        low, high = map(factor, ratio)
        times = low if low == high else f"{low} to {high}"
        sentences.append(f"A call without jit takes {duration(eager.median)}, {times} times as long as a warm call.")
        if first is not None:
            sentences.append(sentence_on_break_even(pays_after))
    return " ".join(sentences) or "Nothing was timed."


def _first(stages: StageTimes | None, warm: Warm | None) -> str | None:
    """Return a sentence such as: The first call took 214 ms (trace 12 ms, lower 9.0 ms, compile 190 ms)."""
    if stages is None or stages.total is None:
        return None
    compiling = "from disk" if stages.from_disk else "compile"
    named = (("trace", stages.trace), ("lower", stages.lower), (compiling, stages.compile))
    stage_texts = ", ".join(f"{name} {duration(seconds)}" for name, seconds in named if seconds is not None)
    first_text = f"{duration(stages.total)} ({stage_texts})" if stage_texts else duration(stages.total)
    if returned_early(stages, warm):
        return f"The first call returned after {first_text}, before its work was done."
    return f"The first call took {first_text}."
