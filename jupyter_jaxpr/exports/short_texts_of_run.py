"""Makes the short texts on a document: signature, counts, stages, notes, origin.

All exports and the two lines below a cell use these texts, so that a fact has the same words everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from ..document.sentences.cost_tab_sentences import place
from ..document.sentences.program_summary_line import summary_of
from ..document.types.document import Argument, Note, Program, Snapshot
from ..quantities import NO_BREAK, count, duration


@dataclass(frozen=True)
class Signature:
    """The arguments and the result of a program as text."""

    name: str
    arguments: str
    result: str | None

    def __str__(self) -> str:
        return f"{self.name} {self.types}"

    @property
    def types(self) -> str:
        """The signature without the name, such as `(f32[8]) → f32[4]`."""
        return self.arguments + (f" → {self.result}" if self.result is not None else "")


def signature(program: Program, *, full: bool = False) -> Signature:
    """Return the short signature, `rnn ({b, w}, f32[8]) → f32[4]`, or the full one with all names and types."""
    arguments = ", ".join(_argument(program_argument, full) for program_argument in program.arguments)
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


def counts(document: Snapshot, program: Program, *, other_programs: int = 0) -> str:
    """Return the counts, such as `17 equations · 1 scan ×100 · 4 calls, 1 compile · first call 142 ms`.

    Args:
        document: The document with the program.
        program: The program.
        other_programs: The number of other programs that are not shown; the text mentions it.
    """
    summary = program.summary or summary_of(document, program)
    parts = [*summary.size, *filter(None, (summary.activity, summary.origin))]
    if other_programs:
        parts.append(count(other_programs, "more program"))
    # The duration is left out if it is that of an earlier run's call or of an own trace: it says nothing on this run.
    if program.origin in ("ran", "derived") and program.stages is not None and program.stages.total is not None:
        parts.append(f"first call {duration(program.stages.total)}")
    return " · ".join(parts)


def stages(program: Program) -> list[tuple[str, str]]:
    """Return (stage, time) for each reported stage in order, and for the whole call; [] without stage times."""
    times = program.stages
    if times is None:
        return []
    times_by_name = [
        ("trace", times.trace),
        ("lower", times.lower),
        ("from disk" if times.from_disk else "compile", times.compile),
        ("first run", times.first_run),
        ("rest", times.rest),
        ("first call", times.total),
    ]
    return [(name, duration(seconds)) for name, seconds in times_by_name if seconds is not None]


def shown_first(document: Snapshot) -> Program | None:
    """Return the program in focus; None if the document has no program."""
    if 0 <= document.focus < len(document.programs):
        return document.programs[document.focus]
    return None


def exported(document: Snapshot) -> list[int]:
    """Return the indices of the programs that an export shows: the user's programs, and the program in focus."""
    return [index for index, program in enumerate(document.programs) if not program.library or index == document.focus]


def of_libraries(document: Snapshot) -> str | None:
    """Return a sentence on the programs that are not exported because libraries jitted them; None if there are none."""
    left = len(document.programs) - len(exported(document))
    return f"The panel shows {count(left, 'more program')}, which libraries jitted." if left else None


USABLE_CODE = "You can use this code without changes."
LEVELS = {"applies": " (applies without changes)", "choice": " (replace the names in capitals)", "advice": ""}
"""The text after a cure's name that says how certain the cure is."""


def where(document: Snapshot, note: Note) -> str | None:
    """Return the line of a note as text, such as `line 4`; None if the note has no line."""
    return of_line(document, note.frame) if 0 <= note.frame < len(document.frames) else None


def of_line(document: Snapshot, number: int) -> str:
    """Return the line of a frame as text, such as `line 4`, `line 4 of cell [2]` or `line 4 of model.py`."""
    return f"line{NO_BREAK}{place(document, number)}"


def made_with(document: Snapshot) -> str:
    """Return where and when the document was made.

    For example `Cell [7] · 2026-09-01 02:34 UTC · jax 0.12.0.1 on cpu, …`.
    """
    parts = []
    if document.cell is not None and document.cell.execution_count is not None:
        parts.append(f"Cell [{document.cell.execution_count}]")
    created = datetime.fromtimestamp(document.created, UTC)
    parts.append(f"{created:%Y-%m-%d %H:%M} UTC")
    used = document.environment
    jax = f"jax {used.jax}" if used.jax else "no jax"
    device = used.device or used.backend
    own_version = used.jupyter_jaxpr
    parts.append(f"{jax} on {device}, jupyter_jaxpr {own_version}" if device else f"{jax}, jupyter_jaxpr {own_version}")
    return " · ".join(parts)
