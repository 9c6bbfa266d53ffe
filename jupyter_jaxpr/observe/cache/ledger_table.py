"""Function records in, a table of 80 columns out."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...document.ledger_words import OUTCOMES
from ...quantities import count, duration

if TYPE_CHECKING:
    from .ledger import FunctionRecord, Miss

WIDTH = 80
_NAME = 30
_MISSES = 12
_NONE = "No jitted function of yours was called."
_HEAD = f"{'function':<{_NAME}}{'calls':>8}{'hits':>8}{'entries':>9}{'compiles':>10}{'price':>11}"


def table(functions: Sequence[FunctionRecord], note: str | None = None, elsewhere: Sequence[str] = ()) -> str:
    """The functions with their counts, under each its misses with their reasons, and what cannot be told."""
    others = textwrap.wrap(not_counted(elsewhere), WIDTH) if elsewhere else []
    if not functions:
        return "\n".join(["No jitted function of yours was called in this thread.", *others] if others else [_NONE])
    lines = [_HEAD, "-" * WIDTH]
    several = in_several_files(functions)
    for function in functions:
        lines.append(_row(function))
        shown = [miss for miss in function.misses if miss.outcome != "inlined"]
        for miss in shown[:_MISSES]:
            lines += _miss(miss, several)
        if len(shown) > _MISSES:
            more = count(len(shown) - _MISSES, "more miss or slow hit", "more misses and slow hits")
            lines.append(f"    {more} not listed")
        if function.inlined:
            lines.append(f"    {count(function.inlined, 'call')} inlined while JAX traced another function")
    if note is not None:
        lines += textwrap.wrap(note, WIDTH)
    lines += others
    return "\n".join(line.rstrip() for line in lines)


def in_several_files(functions: Sequence[FunctionRecord]) -> bool:
    """Whether the calls that missed stand in more than one file, so that a line alone does not say where."""
    return len({miss.file for function in functions for miss in function.misses if miss.file}) > 1


def called_at(miss: Miss, names_file: bool) -> str:
    """The line of a call, such as `line 4` or `line 4 of model.py`."""
    if miss.line is None:
        return "unknown line"
    if not names_file or miss.file is None or "ipykernel_" in miss.file or miss.file.startswith("<"):
        return f"line {miss.line}"
    return f"line {miss.line} of {os.path.basename(miss.file)}"


def not_counted(elsewhere: Sequence[str]) -> str:
    """A sentence on functions that were called in other threads."""
    names = ", ".join(elsewhere[:5])
    return (
        f"Calls in other threads are not counted here: {names} missed the cache in another thread. Call the function "
        "in this thread to see what the call does."
    )


def _row(function: FunctionRecord) -> str:
    name = f"{function.name} (line {function.line})" if function.line is not None else function.name
    if len(name) > _NAME - 1:
        name = name[: _NAME - 2] + "…"
    bound = "" if function.calls_exact else "≥"
    calls, hits = (
        "unknown" if number is None or (bound and not number) else f"{bound}{number}"  # "≥0" says nothing
        for number in (function.calls, function.hits)
    )
    price = duration(function.seconds).replace("\N{NO-BREAK SPACE}", " ") if function.seconds else ""
    known = all(entry.held is not None for entry in function.entries)
    entries = str(len(function.entries)) if known else "unknown"
    return f"{name:<{_NAME}}{calls:>8}{hits:>8}{entries:>9}{function.compiles:>10}{price:>11}"


def _miss(miss: Miss, names_file: bool) -> list[str]:
    price = f", {duration(miss.seconds)}".replace("\N{NO-BREAK SPACE}", " ") if miss.seconds else ""
    why = "; ".join(reason.text for reason in miss.reasons)
    text = f"{called_at(miss, names_file)}: {OUTCOMES[miss.outcome]}{price}" + (f": {why}" if why else "")
    return textwrap.wrap(text, WIDTH, initial_indent="    ", subsequent_indent="        ", break_on_hyphens=False)
