"""Writes what one of XLA's passes changed: a unified diff of each changed computation of the module."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

#: If both versions of a changed computation together have at most this many lines, every line is matched. Otherwise
#: `difflib` ignores frequent lines (its `autojunk`), so an equal line may appear as changed.
_EXACT_LINES = 2_000
#: The number of unchanged lines above and below each change.
_LINES_AROUND = 3


def pass_difference(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a unified diff of each computation that differs in two modules.

    Args:
        before: The lines of the module before the pass, without metadata.
        after: The lines of the module after the pass, without metadata.
    """
    was, parts_after = _parts(before), _parts(after)
    for name in [*was, *(name for name in parts_after if name not in was)]:
        old, new = was.get(name, []), parts_after.get(name, [])
        if old == new:
            continue
        yield f"@@ {name or 'module'} @@"
        yield from _hunks(old, new)


def _parts(lines: Sequence[str]) -> dict[str, list[str]]:
    """Return {first word of its header: lines} for each computation; lines outside of computations have the key ''."""
    parts: dict[str, list[str]] = {"": []}
    name = ""
    for line in lines:
        if line.endswith("{") and not line.startswith((" ", "HloModule")):
            name = line.removeprefix("ENTRY ").split(" ", 1)[0]
            parts[name] = []
        parts[name].append(line)
        if line.startswith("}"):
            name = ""
    return parts


def _hunks(old: list[str], new: list[str]) -> Iterator[str]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=len(old) + len(new) > _EXACT_LINES)
    for number, group in enumerate(matcher.get_grouped_opcodes(_LINES_AROUND)):
        if number:
            yield "…"
        for kind, first, last, start, end in group:
            if kind == "equal":
                yield from (f" {line}" for line in old[first:last])
                continue
            yield from (f"-{line}" for line in old[first:last])
            yield from (f"+{line}" for line in new[start:end])
