"""Writes the questions that the panel asks before a program is compiled again, with the expected time."""

from __future__ import annotations

from ...observe.observation import ObservedProgram
from ...quantities import duration

UNKNOWN_DURATION = "The duration is unknown."
READ_FROM_DISK = "Reading the executable from the persistent cache took {duration}; compiling takes longer."


def exact_links_question(observed: ObservedProgram, name: str) -> str:
    """Return the question that the panel asks before the twin is compiled; it includes the expected time."""
    stages = observed.stages
    lower, compiling = (stages.lower, stages.compile) if stages is not None else (None, None)
    if compiling is None or stages is None:
        duration_text = UNKNOWN_DURATION
    elif stages.from_disk:
        duration_text = READ_FROM_DISK.format(duration=duration(compiling))
    elif lower is None:
        duration_text = (
            f"The tagged copy takes more than {duration(compiling)}, the time that compiling the program took."
        )
    else:
        about = duration(lower + compiling)
        duration_text = f"The tagged copy takes about {about}, the time that lowering and compiling the program took."
    return (
        f"JAX lowers and XLA compiles a tagged copy of {name}: each equation of the copy has a number, and the "
        f"instructions carry the number. {duration_text} Nothing runs. Stop has no effect while XLA compiles. "
        "Compile the tagged copy?"
    )


def passes_question(observed: ObservedProgram, name: str) -> str:
    """Return the question that the panel asks before it compiles the program again; it includes the expected time."""
    seconds = observed.stages.compile if observed.stages is not None else None
    if seconds is None:
        price = UNKNOWN_DURATION
    elif observed.stages is not None and observed.stages.from_disk:
        price = READ_FROM_DISK.format(duration=duration(seconds))
    else:
        price = f"The first compile took {duration(seconds)}."
    return (
        f"XLA compiles {name} once more and writes its passes into a temporary folder, which is removed afterwards. "
        f"{price} Stop has no effect while XLA compiles. Compile {name} again?"
    )
