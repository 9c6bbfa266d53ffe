"""Makes the summary of each program of a document (size, activity, origin) for the panel and the exports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from ...quantities import count
from ..types.document import Activity, Program, Snapshot, Summary

# The constructs that a summary mentions, in this order, each with its word in singular and plural.
_CONTROL_FLOW = {
    "scan": ("scan", "scans"),
    "map": ("map", "maps"),
    "fori_loop": ("fori_loop", "fori_loops"),
    "while_loop": ("while loop", "while loops"),
    "cond": ("cond", "conds"),
    "switch": ("switch", "switches"),
}
# Primitive -> its name in a summary, if the document has no card of the construct.
_PRIMITIVES = {"scan": "scan", "while": "while_loop", "cond": "cond"}

_HAD = frozenset({"held", "on_request"})


def summarised(document: Snapshot, indices: Iterable[int]) -> Snapshot:
    """Return the document with new summaries of some programs, given by their indices."""
    programs = list(document.programs)
    for index in indices:
        programs[index] = msgspec.structs.replace(programs[index], summary=summary_of(document, programs[index]))
    return msgspec.structs.replace(document, programs=programs)


def summary_of(document: Snapshot, program: Program) -> Summary:
    """Return the summary of a program of the document."""
    size = [count(program.equations, "equation"), *_control_flow(document, program)]
    activity = None if program.activity is None else _activity(program.activity)
    return Summary(size=size, activity=activity, origin=_origin(program))


def _control_flow(document: Snapshot, program: Program) -> list[str]:
    """Return the control flow of a program as texts, such as `2 scans ×100` or `1 fori_loop ×5`.

    A scope that the program contains several times counts only once.
    """
    called = {(card.scope, card.equation): card.kind for card in document.control_flow or ()}
    loop_counts: Counter[tuple[str, str]] = Counter()
    for index in _scopes(document, program):
        scope = document.scopes[index]
        for equation, (primitive, parameters) in enumerate(zip(scope.primitive, scope.parameters, strict=True)):
            name = document.strings[primitive]
            if name in _PRIMITIVES:
                kind = called.get((index, equation), "")
                kind = kind if kind in _CONTROL_FLOW else _PRIMITIVES[name]
                loop_counts[kind, _parameter(document, parameters, "length")] += 1
    return [
        count(number, *words, exact=program.complete) + (f" ×{length}" if length else "")
        for name, words in _CONTROL_FLOW.items()
        for (kind, length), number in loop_counts.items()
        if kind == name
    ]


def _scopes(document: Snapshot, program: Program) -> list[int]:
    """Return the scopes of a program, each once."""
    reached = {program.scope: None}
    todo = [program.scope]
    while todo:
        for child in document.scopes[todo.pop()].children:
            if child.scope not in reached:
                reached[child.scope] = None
                todo.append(child.scope)
    return list(reached)


def _parameter(document: Snapshot, parameters: int, name: str) -> str:
    if parameters < 0:
        return ""
    for parameter in document.parameter_lists[parameters]:
        if parameter.value >= 0 and document.strings[parameter.name] == name:
            return document.strings[parameter.value]
    return ""


def _activity(activity: Activity) -> str:
    """Return the calls and compiles of the function in the run, such as `≥4 calls (2 inlined), 1 compile`."""
    calls = count(activity.calls, "call", exact=activity.calls_exact)
    # Inlined calls are included in `calls`. If `calls` is only a lower bound, it may lack some of the inlined calls.
    is_among = 0 < (activity.inlined or 0) <= (activity.calls or 0)
    words = [f"{calls} ({activity.inlined:,} inlined)" if is_among else calls]
    if activity.compiles or activity.compiles is None:
        words.append(count(activity.compiles, "compile"))
    elif activity.calls and not activity.from_disk:
        words.append("no compile")
    if activity.from_disk:
        words.append(f"{count(activity.from_disk, 'executable')} from disk")
    if activity.inlined and not is_among:
        words.append(f"{count(activity.inlined, 'call')} inlined")
    if activity.raised:
        words.append(f"{count(activity.raised, 'call')} raised")
    return ", ".join(words)


def _origin(program: Program) -> str | None:
    """Return the origin of a program as text; None if a call of a jitted function in this run made it."""
    if program.how is not None:
        return program.how
    if program.origin == "seen_before":
        return "made in an earlier run"
    if program.origin == "derived":
        return "made by a transform"
    if program.origin != "traced":
        return None
    level_names = {level.name for level in program.levels if level.state in _HAD}
    return (
        "compiled, not run"
        if "hlo" in level_names
        else "lowered, not run"
        if "stablehlo" in level_names
        else "traced only"
    )
