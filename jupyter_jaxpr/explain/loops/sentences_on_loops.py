"""Writes the sentences on an unrolled loop: what was found, what to write instead, and the times of the program."""

from __future__ import annotations

from ...observe.observation import StageTimes
from ...program.control_flow.limit_of_short_python_loops import SHORT
from ...quantities import count, duration
from .kinds_of_python_loops import LoopStatement
from .nested_loops import FoundLoop
from .scan_and_vmap_code import Rewrite

FINE = f"Unrolling up to about {SHORT} iterations is fine: it costs little, and the program may run faster."

UNWRITTEN = "Run the cell: the note then shows this loop with jax.lax, or the reason why there is no such code."

FAILED = (
    "No code is suggested for this loop. A rewrite was traced with the types of this call: the trace raised an error, "
    "or the results have other types."
)


def title(match: FoundLoop, equations: int) -> str:
    """Return the title of the note on an unrolled loop."""
    return f"The {match.statement.word} was unrolled into {count(equations, 'equation')}"


def text(match: FoundLoop, equations: int, total: int) -> str:
    """Return sentences on the iterations of an unrolled loop, and on the equations that JAX recorded for them."""
    sentences = [
        *_ran(match),
        f"The iterations account for {equations:,} of the program's {count(total, 'equation')}.",
        *(_inner(inner, times) for inner, times in match.inside),
        "Each iteration needs the result of the previous iteration."
        if match.carried
        else "The iterations do not depend on each other.",
    ]
    return " ".join(sentences)


def _ran(match: FoundLoop) -> list[str]:
    """Return sentences with the number of iterations that Python ran, and the number of repetitions in the program."""
    word, ran, repetitions = match.statement.word, match.ran, match.repetitions
    if ran is None:
        return [f"Python ran at least {count(repetitions, 'iteration')} of this {word} while JAX traced."]
    sentences = [f"Python ran {count(ran, 'iteration')} of this {word} while JAX traced."]
    if ran != repetitions:
        sentences.append(
            f"The same equations repeat {count(repetitions, 'time')}: some iterations added other equations to the "
            "program, or no equations."
        )
    return sentences


def _inner(inner: LoopStatement, times: int) -> str:
    iterations = inner.iterations
    iterations_text = count(times if iterations is None else max(iterations, times), "iteration")
    if iterations is None and inner.may_skip:
        return f"The inner {inner.word} on line {inner.line} ran at least {iterations_text} in each outer iteration."
    return f"The inner {inner.word} on line {inner.line} ran {iterations_text} in each outer iteration."


def short_title(match: FoundLoop) -> str:
    """Return the title of the note on an unrolled loop that is too short to need a rewrite."""
    if match.ran is None:
        return f"A {match.statement.word} of at least {match.repetitions} iterations was unrolled"
    return f"A {match.statement.word} of {match.ran} iterations was unrolled"


def cure(match: FoundLoop, written: Rewrite | None) -> str:
    """Return sentences that say what the user can write instead of the loop; `written` is None without a rewrite."""
    if written is None:
        return UNWRITTEN
    if written.form == "vmap":
        advice = "Compute all iterations at once with jax.vmap."
    elif written.form == "scan" and written.stacked:
        advice = "Stack the parameters, and scan over the stacked parameters with jax.lax.scan."
    else:
        advice = f"Write the loop with jax.lax.{written.form}."
    sentences = [advice, "The program then holds the body only once, for any number of iterations."]
    if match.starts_otherwise and written.form != "vmap":
        sentences.append("The first iteration reads a value of another type than the later iterations.")
        sentences.append("Convert the carry to its final type before the loop.")
    if written.why_not is not None:
        sentences += ["No code is suggested for this loop.", written.why_not]
    return " ".join(sentences)


def price(stages: StageTimes | None) -> list[str]:
    """Return sentences on the price of unrolling: the times of the whole program, and what they do not show."""
    sentences = []
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
        sentences.append(f"The times of the stages of the whole program were measured: {times}.")
        sentences.append(
            "A part of these times is the same for a program of any size. The price of one iteration was not measured."
        )
    else:
        sentences.append("The times to trace, lower and compile this program were not measured.")
    if stages is not None and stages.from_disk:
        sentences.append("JAX loaded the executable from the persistent cache.")
    sentences.append(
        "Trace and compile times grow with the number of unrolled iterations. With a loop of JAX, these times do "
        "not grow. An unrolled program may run faster, because XLA sees all iterations at once. Run times were "
        "not measured here."
    )
    return sentences
