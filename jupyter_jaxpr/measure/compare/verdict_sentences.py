"""Makes the sentences on a comparison; a difference in time is only stated if repeated samples show it."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ...joined_names import in_a_sentence
from ...quantities import count
from ..times.repeated_calls import Warm
from ..times.significant_time_difference import FEWEST, is_slower
from .compared_functions import Comparison, Variant

if TYPE_CHECKING:
    from ..times.sweep_run import Sweep


def verdict(comparison: Comparison, sweep: Sweep | None = None) -> list[str]:
    """Return sentences on the times, results, derivatives and recompiles of the first variant and every other variant.

    Args:
        comparison: The comparison; for a sweep, the one at the first value.
        sweep: The measurements of the same functions at several values, if there are any.
    """
    called = [variant for variant in comparison.variants if variant.result is not None]
    if len(called) < 2:
        return []
    times: list[str | None] = []
    for later in called[1:]:
        if sweep is not None:
            times.append(_at_the_largest(called[0], later, sweep))
        sentence = _times(called[0], later)
        first = f"{sweep.name} = {sweep.points[0].value}" if sweep is not None and sweep.points else None
        times.append(f"At {first}: {sentence}" if first and sentence else sentence)
    return [*filter(None, times), *_results(called), *_derivatives(called), *_recompiles(called, comparison.sweep)]


def _times(first: Variant, second: Variant) -> str | None:
    """Return sentences on the compile times and the run times; None if the samples show no difference.

    For example: `XLA compiles long 8.1× slower than fori in repeated compiles. long runs 2.0× faster than fori.`
    """
    return " ".join(filter(None, (_compiles(first, second), _runs(first, second)))) or None


def _named(variant: Variant) -> str:
    return f"{variant.name} without jit" if variant.mode == "eager" else variant.name


def _compiles(first: Variant, second: Variant) -> str | None:
    """Return the sentence on the times of the repeated compiles; None if XLA did not compile both variants.

    The sentence says that the compiles are repeated, because the table beside it has the times of the first compiles,
    whose ratio can be different.
    """
    if None in (first.compile, second.compile) or first.from_disk or second.from_disk:
        return None
    a, b = first.compile_samples, second.compile_samples
    if min(len(a), len(b)) < FEWEST:
        return f"{first.name} and {second.name} were not compiled repeatedly: no difference in compile time is shown."
    if is_slower(a, b):
        return f"XLA compiles {first.name} {_ratio(a, b)} slower than {second.name} in repeated compiles."
    if is_slower(b, a):
        return f"XLA compiles {first.name} {_ratio(b, a)} faster than {second.name} in repeated compiles."
    return f"The times of repeated compiles of {first.name} and {second.name} show no difference."


def _runs(first: Variant, second: Variant) -> str | None:
    """Return the sentence that says which variant's warm call is faster; None if the samples show no difference."""
    if first.warm is None or second.warm is None:
        return None
    return _faster(_named(first), first.warm, _named(second), second.warm)


def _at_the_largest(first: Variant, second: Variant, sweep: Sweep) -> str | None:
    """Return the sentence on the warm calls at the largest swept value at which both variants were timed."""
    timed = {
        (point.function, point.number): point
        for point in sweep.points
        if point.warm is not None and point.number is not None
    }
    numbers = [number for name, number in timed if name == first.name and (second.name, number) in timed]
    if not numbers or max(numbers) == sweep.points[0].number:
        return None
    mine, of_second = timed[first.name, max(numbers)], timed[second.name, max(numbers)]
    assert mine.warm is not None
    assert of_second.warm is not None
    return (
        f"At {sweep.name} = {mine.value}: {_faster(first.name, mine.warm, second.name, of_second.warm, in_turns=False)}"
    )


def _faster(first_name: str, first_times: Warm, second_name: str, second_times: Warm, *, in_turns: bool = True) -> str:
    a, b = first_times.samples, second_times.samples
    if min(len(a), len(b)) < FEWEST:
        return f"Too few warm calls of {first_name} or {second_name} were timed: no difference in warm time is shown."
    if is_slower(a, b, in_turns=in_turns):
        return f"{first_name} runs {_ratio(a, b)} slower than {second_name}."
    if is_slower(b, a, in_turns=in_turns):
        return f"{first_name} runs {_ratio(b, a)} faster than {second_name}."
    return f"The warm times of {first_name} and {second_name} show no difference."


def _ratio(slower: Sequence[float], faster: Sequence[float]) -> str:
    return _times_as(statistics.median(slower) / statistics.median(faster))


def _times_as(ratio: float) -> str:
    return f"{ratio:.1f}×" if ratio < 9.95 else f"{ratio:,.0f}×"


def _results(called: Sequence[Variant]) -> list[str]:
    first, later_calls = called[0], called[1:]
    apart = [variant for variant in later_calls if variant.agreement and variant.agreement.agrees != "same_bits"]
    if not apart:
        return ["All results have the same bits."]
    sentences = []
    for variant in apart:
        assert variant.agreement is not None
        name, difference = variant.name, variant.agreement.difference
        if variant.agreement.agrees == "close":
            sentences.append(f"{name}'s result is close to {first.name}'s. {difference}")
        elif variant.agreement.agrees == "differs":
            sentences.append(f"{name}'s result differs from {first.name}'s. {difference}")
        else:
            sentences.append(
                f"{name} returns another type than {first.name}. The result of {first.name} is the reference for the "
                f"results of the other functions. {difference}"
            )
    return sentences


def _derivatives(called: Sequence[Variant]) -> list[str]:
    forward = _names(variant for variant in called if variant.differentiable.direction == "forward")
    none = _names(variant for variant in called if variant.differentiable.direction == "none")
    sentences = []
    if forward:
        sentences.append(f"jax.grad cannot differentiate {forward}; jax.jvp can.")
    if none:
        sentences.append(f"Neither jax.grad nor jax.jvp can differentiate {none}.")
    return sentences


def _recompiles(called: Sequence[Variant], sweep: str | None) -> list[str]:
    swept = [variant for variant in called if variant.recompiles is not None]
    if sweep is None or not swept:
        return []
    recompiled = ((variant, count(variant.recompiles, "time")) for variant in swept)
    return [
        f"For {sweep}, JAX compiled {variant.name} {times} and reused an earlier compile."
        if variant.compiled_before
        else f"For {sweep}, JAX compiled {variant.name} {times}."
        for variant, times in recompiled
    ]


def _names(variants: Iterable[Variant]) -> str:
    names = [variant.name for variant in variants]
    return in_a_sentence(names)
