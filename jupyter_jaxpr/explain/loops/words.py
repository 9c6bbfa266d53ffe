"""A loop that was unrolled and its rewrite in, the sentences about them out: what was seen, the cure, the price."""

from __future__ import annotations

from ...observe.observation import StageTimes
from ...quantities import count, duration
from .nest import FoundLoop
from .rewrites import Rewrite

#: A loop of more repetitions than this is advised against; unrolling a shorter one is often the better choice.
SHORT = 10

FINE = f"Unrolling up to about {SHORT} iterations is fine: it costs little, and the program may run faster."


def text(match: FoundLoop, equations: int, total: int) -> str:
    """What was seen."""
    sentences = [
        f"Python ran {match.repetitions} iterations of this {match.statement.word} while JAX traced.",
        f"The iterations left {equations:,} of the program's {count(total, 'equation')}.",
        *(
            f"The inner {inner.word} on line {inner.line} ran {count(times, 'iteration')} in each outer iteration."
            for inner, times in match.inside
        ),
        "Each iteration needs the result of the previous iteration."
        if match.carried
        else "The iterations do not depend on each other.",
    ]
    return " ".join(sentences)


def cure(match: FoundLoop, written: Rewrite) -> str:
    """What to write instead."""
    if written.form == "vmap":
        advice = "Compute all iterations at once with jax.vmap."
    elif written.form == "scan" and written.stacked:
        advice = "Stack the parameters and scan over them with jax.lax.scan."
    else:
        advice = f"Write the loop with jax.lax.{written.form}."
    sentences = [advice, "The program then holds the body only once, for any number of iterations."]
    if match.starts_otherwise and written.form != "vmap":
        sentences.append("The first iteration reads a value of another type than the later iterations.")
        sentences.append("Convert the carry to its final type before the loop.")
    if written.why_not is not None:
        sentences += ["No code is suggested for this loop.", written.why_not]
    return " ".join(sentences)


def price(match: FoundLoop, share: float, stages: StageTimes | None) -> list[str]:
    """What unrolling costs, measured or estimated."""
    said = []
    measured = [
        (name, seconds)
        for name, seconds in (
            ("trace", stages.trace if stages else None),
            ("lower", stages.lower if stages else None),
            ("compile", stages.compile if stages and not stages.from_disk else None),
        )
        if seconds is not None
    ]
    if measured:
        times = ", ".join(f"{name} {duration(seconds)}" for name, seconds in measured)
        whole = sum(seconds for _, seconds in measured)
        said.append(f"Measured for the whole program: {times}.")
        said.append(
            f"The loop has {_percent(share)} of the equations. At this share, the loop takes about "
            f"{duration(whole * share)} of the measured time, and each iteration about "
            f"{duration(whole * share / match.repetitions)}. This is an estimate."
        )
    else:
        said.append("The times to trace, lower and compile this program were not measured.")
    if stages is not None and stages.from_disk:
        said.append("JAX loaded the executable from the compilation cache on disk.")
    said.append(
        "Trace and compile times grow with the number of unrolled iterations. With a loop of JAX they do not. An "
        "unrolled program may run faster, because XLA sees all iterations at once. Run times were not measured here."
    )
    return said


def _percent(share: float) -> str:
    return f"{share:.0%}" if share < 0.995 or share == 1 else "over 99%"
