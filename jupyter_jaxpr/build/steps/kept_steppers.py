"""Keeps the compiled stepper of a construct, so that a second recording of its steps starts at once."""

from __future__ import annotations

import weakref

from ...document.limits import Tried
from ...measure.steps.recorded_and_original_run import Construct
from ..sources_of_requests import Sources
from .recording_of_steps import construct_of

_constructs: dict[
    tuple[weakref.ref[Sources], int], Construct
] = {}  # the most recently used construct is the last entry


def kept_construct(sources: Sources, control: int) -> Construct:
    """Return the construct of a card, with its compiled stepper if an earlier request compiled it."""
    key = weakref.ref(sources, _forget), control
    construct = _constructs.pop(key, None) or construct_of(sources, control)
    _constructs[key] = construct
    while len(_constructs) > Tried.STEPPERS_KEPT:
        del _constructs[next(iter(_constructs))]
    return construct


def _forget(reference: weakref.ref[Sources]) -> None:
    """Drop the constructs of a run whose live sources were garbage collected."""
    for key in [entry for entry in _constructs if entry[0] is reference]:
        del _constructs[key]
