"""Writes the note on the small programs that JAX compiled for operations outside of jit."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...document.types.document import Note
from ...observe.observation import (
    EagerCompile,
    Observation,
)
from ...program.jaxpr.walk import Walk
from ...quantities import count, duration
from .places_and_cures_of_notes import file_name

#: If JAX compiled at least this many small programs for eager operations, the run gets a note on them. One compile
#: alone is no reason for a note, because a jitted function needs one, too.
EAGER_KERNELS = 5


def eager_note(
    walk: Walk, observation: Observation, names_disable_jit: bool = False, files: Collection[str] = ()
) -> list[Note]:
    """Return a note if JAX compiled many programs for operations that it ran one by one.

    Args:
        walk: The `Walk` that has read the equations of the programs.
        observation: The run of the cell.
        names_disable_jit: True if the cell's source turns `jax.disable_jit` on.
        files: The file names under which the code of the cell was compiled.
    """
    compiles = observation.eager_compiles
    if len(compiles) < EAGER_KERNELS:
        return []
    seconds = sum(compiled.seconds for compiled in compiles)
    programs = f"{count(len(compiles), 'small program')} in {duration(seconds)}"
    text = f"JAX compiled {programs} for operations outside any jitted function."
    cure = "Put the operations into a function under @jax.jit: JAX compiles the function once, as one program."
    if observation.without_jit or names_disable_jit:
        text = (
            f"JAX compiled {programs} for operations that it ran one by one. jax.disable_jit was on for calls of this "
            "cell, and a jitted function then runs one operation after the other."
        )
        cure = "Turn jax.disable_jit off: JAX then compiles a jitted function as one program."
    return [
        Note(
            kind="eager_compiles",
            text=text,
            cure=cure,
            detail=_by_line(walk, compiles, files) or None,
            program=-1,
            frame=-1,
            bytes=None,
        )
    ]


def _by_line(walk: Walk, compiles: Sequence[EagerCompile], files: Collection[str]) -> str:
    """Return JAX's names of small programs, such as _reduce_sum, by line: the user knows the line, not these names."""
    lines: dict[tuple[str, int], dict[str, None]] = {}
    for compiled in compiles:
        if compiled.name:
            at = ("", 0) if compiled.place is None else (compiled.place.file, compiled.place.line)
            lines.setdefault(at, {})[compiled.name] = None
    texts = []
    for (file, line), names in sorted(lines.items(), key=lambda item: (item[0][0] not in files, item[0])):
        place = f"line {line}" if file in files else f"line {line} of {file_name(walk, file)}"
        texts.append(f"{place}: {', '.join(names)}" if line else ", ".join(names))
    return "; ".join(texts)
