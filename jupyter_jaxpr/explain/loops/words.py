"""A loop that was unrolled and its rewrite in, the sentences about them out: what was seen, the cure, the price."""

from __future__ import annotations

from ...observe.observation import StageTimes
from ...quantities import count, duration
from .nest import FoundLoop
from .rewrites import Rewrite

#: A loop of more repetitions than this is advised against; unrolling a shorter one is often the better choice.
SHORT = 10

FINE = f"That is fine: up to about {SHORT} turns, unrolling costs little and may run faster."


def text(match: FoundLoop, equations: int, total: int) -> str:
    """What was seen."""
    statement, turns = match.statement, match.repetitions
    parts = [f"Python ran this {statement.word} {turns} times while JAX traced, and each turn left its equations:"]
    parts.append(f"{equations:,} of the program's {count(total, 'equation')}.")
    for inner, times in match.inside:
        parts.append(f"The {inner.word} inside, on line {inner.line}, ran {times} times in each turn.")
    if match.carried:
        parts.append("A turn needs the one before.")
    else:
        parts.append("No turn needs another.")
    return " ".join(parts)


def cure(match: FoundLoop, written: Rewrite) -> str:
    """What to write instead."""
    if written.form == "vmap":
        what = "Compute all turns at once with jax.vmap"
    elif written.form == "scan" and written.stacked:
        what = "Stack the parameters and scan over them with jax.lax.scan"
    else:
        what = f"Write it with jax.lax.{written.form}"
    said = f"{what}: the body is then in the program once, however many turns there are."
    if match.starts_otherwise and written.form != "vmap":
        said += " The first turn starts with another type than it ends with: give the carry its final one beforehand."
    if written.why_not is not None:
        said += f" There is no sketch of it here, as {written.why_not}."
    return said


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
            f"The loop has {_percent(share)} of the equations, so about {duration(whole * share)} of that is the "
            f"loop's, about {duration(whole * share / match.repetitions)} a turn: an estimate by equations."
        )
    else:
        said.append("What it cost to trace and compile was not measured for this program.")
    if stages is not None and stages.from_disk:
        said.append("The executable came from the compilation cache on disk.")
    said.append(
        "Both ways have a price: these times grow with the turns, those of a loop of JAX's do not; an unrolled "
        "program may run faster, as XLA sees all turns at once. How fast each runs was not measured here."
    )
    return said


def _percent(share: float) -> str:
    return f"{share:.0%}" if share < 0.995 else ("all" if share == 1 else "nearly all")
