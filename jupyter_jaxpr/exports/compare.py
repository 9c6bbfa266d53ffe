"""Words a document's comparison for the exports: a verdict, a row for each measured thing, remarks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..document.types.comparison import Variant, VariantComparison
from ..document.types.document import Snapshot
from ..quantities import NO_BREAK, count, duration

_NOT_MEASURED = "–"
_DERIVATIVES = {
    "reverse": "grad and jvp",
    "forward": "jvp only",
    "none": "none",
    "no_floats": "no floating-point values",
}
_AGREES = {"same_bits": "same bits", "close": "close", "differs": "differs", "other_types": "other types"}
_MODES = {"jitted_here": "jitted for the comparison", "eager": "without jit", "missing": "not found"}


@dataclass(frozen=True)
class CompareText:
    """The text of a comparison."""

    call: str
    verdict: list[str]
    head: tuple[str, ...]  # the name of each function
    rows: list[tuple[str, ...]]  # the quantity, then the value of each function
    remarks: list[str]


def compare_text(document: Snapshot) -> CompareText | None:
    """Return the text of a run's comparison; None without a comparison."""
    comparison = document.comparison
    if comparison is None or not comparison.variants:
        return None
    variants = comparison.variants
    rows = [(label, *(of(variant) for variant in variants)) for label, of in _rows(comparison)]
    remarks = [f"{variant.name}: {remark}" for variant in variants for remark in variant_remarks(variant)]
    return CompareText(
        call=arguments_sentence(comparison.call),
        verdict=list(comparison.verdict),
        head=tuple(variant.name for variant in variants),
        rows=[row for row in rows if any(cell != _NOT_MEASURED for cell in row[1:])],
        remarks=[*([comparison.stopped] if comparison.stopped else []), *remarks],
    )


def _rows(comparison: VariantComparison) -> list[tuple[str, Callable[[Variant], str]]]:
    over = f" over {comparison.sweep}" if comparison.sweep else ""
    first = next((variant for variant in comparison.variants if variant.result is not None), None)
    return [
        ("jit", lambda variant: _MODES.get(variant.mode, _NOT_MEASURED)),
        ("warm call", _warm),
        ("call returns after", lambda variant: _seconds(variant.warm.dispatch if variant.warm else None)),
        ("trace", lambda variant: _seconds(variant.trace)),
        ("lower", lambda variant: _seconds(variant.lower)),
        (
            "compile",
            lambda variant: (
                f"{_seconds(variant.compile)} from disk" if variant.from_disk else _seconds(variant.compile)
            ),
        ),
        ("equations", lambda variant: _number(variant.equations)),
        (f"compiles{over}", lambda variant: _number(variant.recompiles)),
        ("derivative", lambda variant: _DERIVATIVES.get(variant.differentiable, _NOT_MEASURED)),
        ("result", lambda variant: variant.result or _NOT_MEASURED),
        ("agrees", lambda variant: "reference" if variant is first else _agrees(variant)),
        ("called", lambda variant: count(variant.calls, "time") if variant.calls else _NOT_MEASURED),
    ]


def _agrees(variant: Variant) -> str:
    return _AGREES.get(variant.agrees, _NOT_MEASURED) if variant.result is not None else _NOT_MEASURED


def _warm(variant: Variant) -> str:
    warm = variant.warm
    if warm is None:
        return _NOT_MEASURED
    if warm.runs == 1:
        return f"{duration(warm.median)} (1 call)"
    return f"{duration(warm.median)} ({duration(warm.lower)} to {duration(warm.upper)}, {warm.runs:,}{NO_BREAK}calls)"


def _seconds(seconds: float | None) -> str:
    return _NOT_MEASURED if seconds is None else duration(seconds)


def _number(number: int | None) -> str:
    return _NOT_MEASURED if number is None else f"{number:,}"


def arguments_sentence(call: str) -> str:
    """Return the sentence on the arguments of all variants."""
    return f"Each function was called with the arguments of {call}."


def variant_remarks(variant: Variant) -> list[str]:
    """Return remarks on one variant: its notes, its error, and why it has no derivative."""
    remarks = list(variant.notes)
    if variant.error is not None:
        remarks.append(variant.error if variant.mode == "missing" else f"The call raised {variant.error}")
    if variant.differentiable_note is not None and variant.differentiable == "forward":
        remarks.append(f"jax.grad raised {variant.differentiable_note}")
    if variant.differentiable_note is not None and variant.differentiable == "none":
        remarks.append(f"jax.jvp raised {variant.differentiable_note}")
    return remarks
