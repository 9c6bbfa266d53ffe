"""Makes the sentences on a program that Live traced: its argument types, old values that it reads, missing steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .executed_statements import Definitions, outdated_calls, read_by

TRACED_BY_LIVE = "Live traced this program with the argument types from {source}."
NO_STEPS = "The cell has not run with its present text. Run the cell to step through the construct."
_NOT_RUN = {
    True: "Live does not execute line {line}. {names} has the value of the last run.",
    False: "Live does not execute lines {line}. {names} have the values of the last run.",
}
_OUTDATED = (
    "{outer}, of an earlier cell, calls {inner} as the last run defined {inner}, not as this cell defines {inner} now."
)


def sentences_on_old_values(function: Any, definitions: Definitions, names: Mapping[str, Any]) -> list[str]:
    """Return sentences on the values and on the functions of the last run that a live trace uses.

    Args:
        function: The traced function.
        definitions: The definitions of the cell, which have run.
        names: The user's namespace.
    """
    sentences = [_old_values(function, definitions)]
    for outer, inner in outdated_calls(function, definitions, names).items():
        sentences.append(_OUTDATED.format(outer=outer, inner=inner))
    return list(filter(None, sentences))


def _old_values(function: Any, definitions: Definitions) -> str | None:
    """Return a sentence that names the names with old values which the function reads; None if there are none."""
    names = [name for name in dict.fromkeys(read_by(function)) if name in definitions.skipped]
    if not names:
        return None
    lines = sorted({definitions.skipped[name].line for name in names})
    text = _NOT_RUN[len(names) == 1 and len(lines) == 1]
    return text.format(line=", ".join(map(str, lines)), names=", ".join(names))
