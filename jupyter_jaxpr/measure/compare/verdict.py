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
    """Such as: unrolled compiles 8.1× slower than fori, but runs 2.0× faster."""
    compiles, runs = _compiles(first, other), _runs(first, other)
    if compiles is None and runs is None:
        return None
    name = other.name if other.mode != "eager" else f"{other.name} without jit"
    first_name = first.name if first.mode != "eager" else f"{first.name} without jit"
    if compiles is None or runs is None:
        words, _ = compiles or runs or ("", 0)
        return f"{first_name} {words.format(than=f' than {name}', as_=f' as {name}')}."
    joined = ", but " if compiles[1] * runs[1] < 0 else " and "
    before = compiles[0].format(than=f" than {name}", as_=f" as {name}")
    return f"{first_name} {before}{joined}{runs[0].format(than='', as_='')}."


def _compiles(first: Variant, other: Variant) -> tuple[str, int] | None:
    """How soon it can run, and whether that is better (1), worse (-1) or neither (0)."""
    a, b = first.to_first_result, other.to_first_result
    if a is None or b is None or first.from_disk or other.from_disk or min(a, b) <= 0:
        return None
    if max(a, b) / min(a, b) < _COMPILE_RATIO or abs(a - b) < _COMPILE_SECONDS:
        return "compiles about as fast{as_}", 0
    if a > b:
        return f"compiles {_times_as(a / b)} slower{{than}}", -1
    return f"compiles {_times_as(b / a)} faster{{than}}", 1


def _runs(first: Variant, other: Variant) -> tuple[str, int] | None:
    """How fast a warm call is; a difference counts where the quartiles do not overlap."""
    a, b = first.warm, other.warm
    if a is None or b is None or a.runs < 2 or b.runs < 2:
        return None
    if max(a.median, b.median) < _RUN_RATIO * min(a.median, b.median):
        return "runs about as fast{as_}", 0
    if a.upper < b.lower:
        return f"runs {_times_as(b.median / a.median)} faster{{than}}", 1
    if b.upper < a.lower:
        return f"runs {_times_as(a.median / b.median)} slower{{than}}", -1
    return "runs about as fast{as_} (the quartiles overlap)", 0


def _times_as(ratio: float) -> str:
    return f"{ratio:.1f}×" if ratio < 9.95 else f"{ratio:,.0f}×"


def _results(called: Sequence[Variant]) -> list[str]:
    first, others = called[0], called[1:]
    apart = [variant for variant in others if variant.agreement and variant.agreement.agrees != "same_bits"]
    if not apart:
        return ["Their results have the same bits."]
    sentences = []
    for variant in apart:
        assert variant.agreement is not None
        if variant.agreement.agrees == "close":
            sentences.append(f"{variant.name}'s result is close to {first.name}'s: {variant.agreement.difference}.")
        elif variant.agreement.agrees == "differs":
            sentences.append(f"{variant.name}'s result differs from {first.name}'s: {variant.agreement.difference}.")
        else:
            sentences.append(f"{variant.name}'s result has other types: {variant.agreement.difference}.")
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
    words = "; ".join(
        f"{variant.name} {count(variant.recompiles, 'compile')}"
        + (", its first one made before" if variant.compiled_before else "")
        for variant in swept
    )
    return [f"Over {sweep}: {words}."]


def _names(variants: Iterable[Variant]) -> str:
    names = [variant.name for variant in variants]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1] if names else ""
