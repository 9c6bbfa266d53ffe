"""Prints the comparison of a document for the exports: a verdict, a row for each measured quantity, remarks.

src/panel/compare/words.ts makes the same rows for the panel; tests compare both with tests/measured_tables.json.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..document.types.comparison import Variant, VariantComparison
from ..document.types.document import Snapshot
from ..quantities import count, duration

_NOT_MEASURED = "–"
_UNKNOWN = "unknown"
_DERIVATIVES = {
    "reverse": "grad and jvp",
    "forward": "jvp, but not grad",
    "none": "neither grad nor jvp",
    "no_floats": "no floating-point values",
}
_AGREES = {
    "same_bits": "same bits as the reference",
    "close": "close to the reference",
    "differs": "differs from the reference",
    "other_types": "other types than the reference",
}
_MODES = {"jitted_here": "jitted by jupyter_jaxpr", "eager": "without jit", "missing": "no function has this name"}
_COMPILES = "The number of compiles says how often JAX compiled the function in the sweep of {sweep}."


@dataclass(frozen=True)
class CompareText:
    """The comparison of a run as text."""

    call: str
    verdict: list[str]
    # the column headings: the name of each function, and how it was called, such as `f (without jit)`
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]  # each row: the name of a measured quantity, then its value for each function
    remarks: list[str]


def compare_text(document: Snapshot) -> CompareText | None:
    """Return the comparison of a run as text; None if the run has none."""
    comparison = document.comparison
    if comparison is None or not comparison.variants:
        return None
    variants = comparison.variants
    rows = [(label, [cell_of(variant) for variant in variants]) for label, cell_of in _rows(comparison)]
    compiles = [_COMPILES.format(sweep=comparison.sweep)] if comparison.sweep else []
    remarks = [f"{variant.name}: {remark}" for variant in variants for remark in variant_remarks(variant)]
    return CompareText(
        call=arguments_sentence(comparison.call),
        verdict=list(comparison.verdict),
        head=tuple(_with(variant.name, _MODES.get(variant.mode)) for variant in variants),
        rows=[
            (label, *(_NOT_MEASURED if cell is None else cell for cell in cells))
            for label, cells in rows
            if any(cell is not None for cell in cells)
        ],
        remarks=[*([comparison.stopped] if comparison.stopped else []), *compiles, *remarks],
    )


def _rows(comparison: VariantComparison) -> list[tuple[str, Callable[[Variant], str | None]]]:
    """Return the label of each row, and a function: variant -> text of the cell, or None if nothing was measured."""
    first = next((variant for variant in comparison.variants if variant.result is not None), None)
    return [
        ("Warm call", _warm),
        ("Time until a warm call returns", lambda variant: _seconds(variant.warm.dispatch if variant.warm else None)),
        ("Compile time", _ready_after),
        ("trace", lambda variant: _seconds(variant.trace)),
        ("lower", lambda variant: _seconds(variant.lower)),
        ("compile", lambda variant: _seconds(variant.compile)),
        ("Equations", lambda variant: _number(variant.equations)),
        ("Compiles in the sweep", lambda variant: _number(variant.recompiles)),
        ("Derivative", _derivative),
        ("Result", lambda variant: _result(variant, variant is first)),
        ("Number of calls", lambda variant: count(variant.calls, "call") if variant.calls else None),
    ]


def _with(text: str, addition: str | None) -> str:
    """Return a text with an addition in parentheses, such as `120 ms (from disk)`; without one, the text alone."""
    return f"{text} ({addition})" if addition else text


def _ready_after(variant: Variant) -> str | None:
    if variant.compile is None:
        return None
    seconds = (variant.trace or 0) + (variant.lower or 0) + variant.compile
    return _with(duration(seconds), "from disk" if variant.from_disk else None)


def _derivative(variant: Variant) -> str | None:
    return _DERIVATIVES.get(variant.differentiable, None if variant.result is None else _UNKNOWN)


def _result(variant: Variant, is_first: bool) -> str | None:
    agrees = _agrees(variant, is_first)
    return agrees if variant.result is None else f"{agrees}: {variant.result}"


def _agrees(variant: Variant, is_first: bool) -> str | None:
    if variant.result is None:
        return None if variant.error is None or variant.mode == "missing" else "the call raised an error"
    return "reference result" if is_first and variant.agrees == "same_bits" else _AGREES.get(variant.agrees, _UNKNOWN)


def _warm(variant: Variant) -> str | None:
    warm = variant.warm
    if warm is None:
        return None
    if warm.runs == 1:
        return _with(duration(warm.median), "1 call")
    range_text = f"{duration(warm.lower)} to {duration(warm.upper)} in {warm.runs:,} calls"
    return _with(duration(warm.median), range_text)


def _seconds(seconds: float | None) -> str | None:
    return None if seconds is None else duration(seconds)


def _number(number: int | None) -> str | None:
    return None if number is None else f"{number:,}"


def arguments_sentence(call: str) -> str:
    """Return the sentence that names the arguments with which all variants were called."""
    return f"Each function was called with the arguments of {call}."


def variant_remarks(variant: Variant) -> list[str]:
    """Return remarks on one variant: its notes, its error, and the errors of `jax.grad` and `jax.jvp`."""
    remarks = list(variant.notes)
    if variant.error is not None:
        remarks.append(variant.error if variant.mode == "missing" else f"The call raised {variant.error}")
    if variant.differentiable_note is not None and variant.differentiable == "forward":
        remarks.append(f"jax.grad raised {variant.differentiable_note}")
    if variant.differentiable_note is not None and variant.differentiable == "none":
        remarks.append(f"jax.jvp raised {variant.differentiable_note}")
    return remarks
