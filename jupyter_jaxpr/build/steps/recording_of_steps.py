"""Builds the document's `Recording` of a construct from its recorded steps and its card."""

from __future__ import annotations

import time
from collections.abc import Sequence

from msgspec import structs

from ...document.limits import Sent
from ...document.types.control_flow import Control
from ...document.types.document import Note, Snapshot
from ...document.types.steps import CallTable, Comparison, Leaf, Recording, Visit
from ...measure.steps.jaxpr_evaluation import Step, Unsteppable
from ...measure.steps.kept_steps import Leaf as Column
from ...measure.steps.kept_steps import number_of
from ...measure.steps.recorded_and_original_run import Construct, Rerun
from ...measure.steps.step_limits import SECONDS_OF_RECORDINGS
from ...observe.calls.held_or_gone_values import ValuesGone
from ...quantities import count
from ..sources_of_requests import Sources
from .branches_of_calls import call_table
from .texts_of_recorded_values import as_passed, path_of


def construct_of(sources: Sources, control: int) -> Construct:
    """Return the construct of a card in a form that can be run again.

    Raises:
        Unsteppable: The construct cannot be stepped through.
    """
    path = sources.control_path(control)
    way = [Step(step.equation, step.parameter, step.position) for step in path.steps]
    return Construct(sources.observed(path.program), [*way, Step(path.equation)])


def recording_document(document: Snapshot, control: int, rerun: Rerun, calls: CallTable | None = None) -> Recording:
    """Build the document's `Recording` from the recorded steps of a construct.

    Args:
        document: The document that has the card.
        control: The index of the card.
        rerun: The recorded steps.
        calls: The table of the cell's calls with the branches that they took.
    """
    card, steps = document.control_flow[control], rerun.steps
    columns = _in_order(as_passed(card, steps.leaves))
    all_leaves = [_leaf(column, _role(card, column), path_of(card, column, steps.leaves)) for column in columns]
    leaves, pictures_note = _without_many_pictures(all_leaves)
    return Recording(
        snapshot=document.id,
        control=control,
        visits=[
            Visit(
                first_point=visit.first_point,
                points=visit.points,
                trips=visit.trips,
                outer=list(visit.outer),
                finished=visit.finished,
            )
            for visit in steps.visits
        ],
        visits_total=steps.visits_total,
        step=steps.step,
        leaves=leaves,
        branch_taken=[_label(card, branch) for branch in steps.taken],
        stopped=steps.stopped,
        thinned=steps.thinned,
        comparisons=[
            Comparison(
                path=pair.path,
                equal=pair.equal,
                recorded=pair.recorded,
                real=pair.real,
                largest_difference=pair.largest_difference,
            )
            for pair in rerun.pairs
        ],
        verdict=rerun.verdict,
        notes=[*rerun.notes, *pictures_note],
        seconds=rerun.seconds,
        calls=calls,
    )


def record_focus(sources: Sources, seconds: float = SECONDS_OF_RECORDINGS) -> Snapshot:
    """Record the steps of each construct in the program that the panel shows; return the document with the recordings.

    Args:
        sources: The live sources of the run.
        seconds: No further recording begins after this many seconds.
    """
    document = sources.document
    began = time.perf_counter()
    for control, card in enumerate(document.control_flow):
        if card.program != document.focus or card.steppable is not None:
            continue
        why = None
        if time.perf_counter() - began > seconds:
            why = (
                f"Recording the other constructs took more than {seconds:g} seconds, so the stepper did not begin this "
                "construct. Press “Record the steps” on the card of this construct."
            )
        else:
            try:
                construct = construct_of(sources, control)
                if construct.question is not None:
                    why = (
                        "The program has effects, and the stepper would repeat the effects. Press “Record the steps” "
                        "on the card of the construct: the panel asks you before the effects happen again."
                    )
                else:
                    rerun = construct.run(calls_after=called_again(document, control))
                    calls = call_table(document, control, construct)
                    sources.merge("recordings", recording_document(document, control, rerun, calls))
            except (Unsteppable, ValuesGone) as error:
                why = str(error)
        if why is not None:
            name = " ".join(filter(None, (card.kind, card.title)))
            sources.add_note(_note(f"The steps of {name} were not recorded.", why, card))
    return sources.document


def called_again(document: Snapshot, control: int) -> bool:
    """Return whether the function of a card had more calls than misses, so that calls followed the recorded one."""
    activity = document.programs[document.control_flow[control].program].activity
    return activity is not None and (activity.calls or 0) > (activity.misses or 0)


def _note(text: str, why: str, card: Control) -> Note:
    return Note(kind="steps", text=text, cure=why, detail=None, program=card.program, frame=card.frame, bytes=None)


_ORDER = ("condition", "compared", "predicate", "index")


def _in_order(columns: Sequence[Column]) -> list[Column]:
    """Sort the columns: conditions, predicates and indices first, then in the order of the card."""
    return sorted(columns, key=lambda column: _ORDER.index(column.role) if column.role in _ORDER else len(_ORDER))


def _label(card: Control, branch: int) -> str:
    return card.branches[branch].label if 0 <= branch < len(card.branches) else str(branch)


def _role(card: Control, column: Column) -> str:
    """Return the role of a column.

    JAX has one primitive for cond and switch; the kind of the card distinguishes them.
    """
    return "index" if column.role == "predicate" and card.kind == "switch" else column.role


_NO_PICTURES = "The values of {leaves} have no pictures: the pictures of a recording take at most 1 MB."


def _without_many_pictures(leaves: list[Leaf]) -> tuple[list[Leaf], list[str]]:
    """Drop pictures above the limit `Sent.CHARACTERS_OF_PICTURES`.

    Return the leaves and the sentences on those that lost their picture.
    """
    room, left_out = Sent.CHARACTERS_OF_PICTURES, 0
    fitting = []
    for leaf in leaves:
        room -= sum(map(len, leaf.pictures or ()))
        fits = leaf.pictures is None or room >= 0
        left_out += not fits
        fitting.append(leaf if fits else structs.replace(leaf, pictures=None))
    return fitting, [_NO_PICTURES.format(leaves=count(left_out, "leaf", "leaves"))] if left_out else []


def _leaf(column: Column, role: str, path: str) -> Leaf:
    values = column.seen
    flag = role == "predicate"
    texts = [str(bool(int(value.text))) if flag and value.text.isdigit() else value.text for value in values]
    summarised = column.summarised and bool(values)
    nans = [value.nans for value in values]
    infinities = [value.infinities for value in values]
    numbered = bool(column.number_name) and column.elements > 0
    name = f"‖{path or role}‖" if column.number_name == "norm" else column.number_name
    return Leaf(
        role=role,  # type: ignore[arg-type]  # the recorder uses the roles of the document
        path=path,
        type=column.type,
        elements=column.elements,
        texts=texts,
        numbers=[value.number for value in values] if numbered else None,
        number_name=name if numbered else "",
        minimum=[value.minimum for value in values] if summarised else None,
        mean=[value.mean for value in values] if summarised else None,
        maximum=[value.maximum for value in values] if summarised else None,
        nans=nans if any(nans) else [],
        infinities=infinities if any(infinities) else [],
        threshold=None if column.threshold is None else number_of(column.threshold),
        pictures=[value.elements or "" for value in values] if values and values[0].elements is not None else None,
    )
