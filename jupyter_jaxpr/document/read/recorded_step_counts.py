"""Reads how many steps the while loops of a document took in the call that the stepper recorded."""

from __future__ import annotations

from ..types.document import Snapshot
from ..types.steps import Recording


def steps_range(recording: Recording) -> tuple[int, int] | None:
    """Return (fewest, most) steps of one visit of a loop; None if a visit did not end or was left out."""
    visits = recording.visits
    if not visits or len(visits) != recording.visits_total or not all(visit.finished for visit in visits):
        return None
    trips = [visit.trips for visit in visits]
    return min(trips), max(trips)


def recorded_steps(document: Snapshot, program: int) -> dict[int, int | None]:
    """Return {card of a recorded while loop: its number of steps}; the number is None if visits differ.

    A loop whose number of steps is known before the run is left out.
    """
    steps_of_control: dict[int, int | None] = {}
    for recording in document.recordings:
        card = document.control_flow[recording.control]
        if card.program == program and card.primitive == "while" and card.trips is None:
            steps = steps_range(recording)
            steps_of_control[recording.control] = steps[0] if steps is not None and steps[0] == steps[1] else None
    return steps_of_control
