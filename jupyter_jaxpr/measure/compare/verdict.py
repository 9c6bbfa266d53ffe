"""A comparison in, what to read off it out: sentences, only of what was measured and is larger than the noise.

`compiles` means trace, lower and compile together: what stands between a function and its first result.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...quantities import count
from .variants import Comparison, Variant

# A compilation is measured once and has no quartiles: a small difference says nothing.
_COMPILE_RATIO = 1.5
_COMPILE_SECONDS = 0.005
# Said with one digit after the point: what rounds to 1.0 is no difference.
_RUN_RATIO = 1.05


def verdict(comparison: Comparison) -> list[str]:
    """Times of the first variant against each other one, then results, derivatives and recompiles."""
    called = [variant for variant in comparison.variants if variant.result is not None]
    if len(called) < 2:
        return []
    times = [_times(called[0], other) for other in called[1:]]
    return [*filter(None, times), *_results(called), *_derivatives(called), *_recompiles(called, comparison.sweep)]


def _times(first: Variant, other: Variant) -> str | None:
    """Such as: unrolled compiles 8.1× slower than fori. unrolled runs 2.0× faster than fori."""
    return " ".join(filter(None, (_compiles(first, other), _runs(first, other)))) or None


def _named(variant: Variant) -> str:
    return f"{variant.name} without jit" if variant.mode == "eager" else variant.name


def _compiles(first: Variant, other: Variant) -> str | None:
    """How soon it can run."""
    a, b = first.to_first_result, other.to_first_result
    if a is None or b is None or first.from_disk or other.from_disk or min(a, b) <= 0:
        return None
    if max(a, b) / min(a, b) < _COMPILE_RATIO or abs(a - b) < _COMPILE_SECONDS:
        return f"{_named(first)} compiles about as fast as {_named(other)}."
    if a > b:
        return f"{_named(first)} compiles {_times_as(a / b)} slower than {_named(other)}."
    return f"{_named(first)} compiles {_times_as(b / a)} faster than {_named(other)}."


def _runs(first: Variant, other: Variant) -> str | None:
    """How fast a warm call is; a difference counts where the quartiles do not overlap."""
    a, b = first.warm, other.warm
    if a is None or b is None or a.runs < 2 or b.runs < 2:
        return None
    if max(a.median, b.median) < _RUN_RATIO * min(a.median, b.median):
        return f"{_named(first)} runs about as fast as {_named(other)}."
    if a.upper < b.lower:
        return f"{_named(first)} runs {_times_as(b.median / a.median)} faster than {_named(other)}."
    if b.upper < a.lower:
        return f"{_named(first)} runs {_times_as(a.median / b.median)} slower than {_named(other)}."
    return f"{_named(first)} runs about as fast as {_named(other)}: the quartiles of their times overlap."


def _times_as(ratio: float) -> str:
    return f"{ratio:.1f}×" if ratio < 9.95 else f"{ratio:,.0f}×"


def _results(called: Sequence[Variant]) -> list[str]:
    first, others = called[0], called[1:]
    apart = [variant for variant in others if variant.agreement and variant.agreement.agrees != "same_bits"]
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
            sentences.append(f"{name}'s result has another type than {first.name}'s. {difference}")
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
    made = ((variant, count(variant.recompiles, "time")) for variant in swept)
    return [
        f"For {sweep}, JAX compiled {variant.name} {times} and reused an earlier compile."
        if variant.compiled_before
        else f"For {sweep}, JAX compiled {variant.name} {times}."
        for variant, times in made
    ]


def _names(variants: Iterable[Variant]) -> str:
    names = [variant.name for variant in variants]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1] if names else ""
