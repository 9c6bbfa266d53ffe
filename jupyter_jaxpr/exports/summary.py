"""A document in, the few words that sum it up out: signature, counts, stages, notes, origin.

Every export and the two lines under a cell say the same facts in the same words; here they are found.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime

from ..document.types.document import Argument, Note, Program, Snapshot
from ..quantities import NO_BREAK, count, duration

# What decides what runs, in the order it is named, with the words for one and several.
_CONTROL_FLOW = {
    "scan": ("scan", "scans"),
    "map": ("map", "maps"),
    "fori_loop": ("fori_loop", "fori_loops"),
    "while_loop": ("while loop", "while loops"),
    "cond": ("cond", "conds"),
    "switch": ("switch", "switches"),
}
# What a primitive is called where no card says what the user called.
_PRIMITIVES = {"scan": "scan", "while": "while_loop", "cond": "cond"}

_HAD = frozenset({"held", "on_request"})


@dataclass(frozen=True)
class Signature:
    """What a program takes and gives, each part as text."""

    name: str
    arguments: str
    result: str | None

    def __str__(self) -> str:
        return f"{self.name} {self.arguments}" + (f" → {self.result}" if self.result is not None else "")


def signature(program: Program, *, full: bool = False) -> Signature:
    """The signature in few letters, `rnn ({b, w}, f32[8]) → f32[4]`, or with every name and type."""
    arguments = ", ".join(_argument(each, full) for each in program.arguments)
    result = program.result
    if result is None:
        return Signature(program.name, f"({arguments})", None)
    return Signature(program.name, f"({arguments})", result.type if full else result.summary)


def _argument(argument: Argument, full: bool) -> str:
    if not full:
        return argument.summary
    sign = "=" if argument.static else ": "
    named = f"{argument.name}{sign}{argument.type}" if argument.name else argument.type
    return f"{named} (donated)" if argument.donated else named


def counts(document: Snapshot, program: Program, *, others: int = 0) -> str:
    """The counts, such as `17 equations · 1 scan ×100 · 4 calls, 1 compile · first call 142 ms`.

    Args:
        document: Holds the program.
        program: One of its programs.
        others: Programs of the run that are not shown beside it; they are counted too.
    """
    parts = [count(program.equations, "equation"), *control_flow(document, program), *_activity(program)]
    origin = _origin(program)
    if origin is not None:
        parts.append(origin)
    if others:
        parts.append(count(others, "more program"))
    # How long the call took that made it: of an earlier run's, or of our own trace, it says nothing about this run.
    if origin is None and program.stages is not None and program.stages.total is not None:
        parts.append(f"first call {duration(program.stages.total)}")
    return " · ".join(parts)


def _origin(program: Program) -> str | None:
    """Where a program comes from, where no call of this run made it."""
    if program.origin == "seen_before":
        return "made in an earlier run"
    if program.origin != "traced":
        return None
    made = {level.name for level in program.levels if level.state in _HAD}
    return "compiled, not run" if "hlo" in made else "lowered, not run" if "stablehlo" in made else "traced only"


def control_flow(document: Snapshot, program: Program) -> list[str]:
    """The control flow, such as `2 scans ×100`, `1 fori_loop ×5`; each program inside is looked at once."""
    called = {(card.scope, card.equation): card.kind for card in document.control_flow or ()}
    found: Counter[tuple[str, str]] = Counter()
    for index in _scopes(document, program):
        scope = document.scopes[index]
        for equation, (primitive, parameters) in enumerate(zip(scope.primitive, scope.parameters, strict=True)):
            name = document.strings[primitive]
            if name in _PRIMITIVES:
                kind = called.get((index, equation), "")
                kind = kind if kind in _CONTROL_FLOW else _PRIMITIVES[name]
                found[kind, _parameter(document, parameters, "length")] += 1
    return [
        count(number, *words, exact=program.complete) + (f" ×{length}" if length else "")
        for name, words in _CONTROL_FLOW.items()
        for (kind, length), number in found.items()
        if kind == name
    ]


def _scopes(document: Snapshot, program: Program) -> list[int]:
    """The scopes of a program, each once."""
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
    for each in document.parameter_lists[parameters]:
        if each.value >= 0 and document.strings[each.name] == name:
            return document.strings[each.value]
    return ""


def _activity(program: Program) -> list[str]:
    activity = program.activity
    if activity is None:
        return []
    words = [count(activity.calls, "call", exact=activity.calls_exact)]
    if activity.compiles or activity.compiles is None:
        words.append(count(activity.compiles, "compile"))
    elif activity.calls and not activity.from_disk:
        words.append("reused")
    if activity.from_disk:
        words.append(f"{activity.from_disk:,} from disk")
    if activity.inlined:
        words.append(f"{activity.inlined:,} inlined")
    if activity.raised:
        words.append(f"{activity.raised:,} raised")
    return [", ".join(words)]


def stages(program: Program) -> list[tuple[str, str]]:
    """The stages that JAX reported and their times, in order, the whole call last; empty when there was no call."""
    times = program.stages
    if times is None:
        return []
    found = [
        ("trace", times.trace),
        ("lower", times.lower),
        ("compile (from disk)" if times.from_disk else "compile", times.compile),
        ("first run", times.first_run),
        ("rest", times.rest),
        ("first call", times.total),
    ]
    return [(name, duration(seconds)) for name, seconds in found if seconds is not None]


def shown_first(document: Snapshot) -> Program | None:
    """The program in focus, or None where there is none."""
    if 0 <= document.focus < len(document.programs):
        return document.programs[document.focus]
    return None


def where(document: Snapshot, note: Note) -> str | None:
    """The line a note is about, such as `line 4`; None for none."""
    return of_line(document, note.frame) if 0 <= note.frame < len(document.frames) else None


def of_line(document: Snapshot, number: int) -> str:
    """The line of a frame, such as `line 4`, `line 4 of cell [2]` or `line 4 of model.py`."""
    frame = document.frames[number]
    file = document.files[frame.file]
    if file.kind == "cell":
        this = document.cell is not None and document.cell.file == file.path
        cell = "" if this or file.execution_count is None else f" of cell [{file.execution_count}]"
        return f"line{NO_BREAK}{frame.line}{cell}"
    return f"line{NO_BREAK}{frame.line} of {file.path}"


def made_with(document: Snapshot) -> str:
    """Where and when, such as `Cell [7] · 2026-09-01 02:34 UTC · jax 0.12.0.1 on cpu, jupyter_jaxpr 0.1.0`."""
    parts = []
    if document.cell is not None and document.cell.execution_count is not None:
        parts.append(f"Cell [{document.cell.execution_count}]")
    made = datetime.fromtimestamp(document.created, UTC)
    parts.append(f"{made:%Y-%m-%d %H:%M} UTC")
    used = document.environment
    jax = f"jax {used.jax}" if used.jax else "no jax"
    device = used.device or used.backend
    parts.append(f"{jax}{f' on {device}' if device else ''}, jupyter_jaxpr {used.jupyter_jaxpr}")
    return " · ".join(parts)
