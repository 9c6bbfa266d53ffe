"""Tries the cures of a run's misses and notes and the rewrites of its loops; adds those that passed to the document.

The cures are tried when the panel requests it. A trial traces changed code, and runs no computation of the user. The
trials of one request share one time budget; those of the error that ended the cell have a budget of their own. Cures
that a request could not decide, because the time was over or because a name has another value now, are tried again at
the next request.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from ...document.limits import Tried
from ...explain.errors.cell_error import error_finding
from ...explain.loops.sentences_on_loops import FAILED
from ...explain.loops.trial_of_loop_rewrite import edits_of, tried
from ...explain.misses.cures_of_misses import miss_cures
from ...explain.note_cures.trial_of_note_cure import tried_at_top, tried_in
from ...explain.trials.trial_time_limit import Budget
from ...observe.cache.history_of_one_function import FunctionHistory, MissEvent
from ...observe.observation import Edit, ErrorToTry, FoundCure
from .cures_after_trials import ExplainedNote

if TYPE_CHECKING:
    from ...document.types.document import Note, Snapshot
    from ...observe.observer import Observer
    from ..notes.unrolled_loop_notes import NotedLoop
    from ..sources_of_requests import Sources
    from .edits_proposed_by_notes import SketchedNote
    from .untried_cures import CuresToTry

#: The `kind` of a note on the error that ended the cell is one of these.
_ERRORS = ("trace_raised", "raised")


def try_cures(observer: Observer, sources: Sources, names: Mapping[str, Any]) -> Snapshot:
    """Try those cures of a run that no earlier request tried to the end; no computation of the user runs.

    Args:
        observer: The observer, which has the history of the misses.
        sources: The live sources of the run, with its document.
        names: The notebook's present namespace, which the trials read and never change.
    """
    waiting = sources.cures_to_try
    if waiting is None:
        return sources.document
    budget = Budget()
    loops: list[tuple[Note, Note, Sequence[Edit]]] = []
    untried: list[NotedLoop] = []
    undecided: list[NotedLoop] = []
    left = waiting.loops[: Tried.LOOPS] if waiting.left is None else waiting.left
    with observer.looking_away():
        cures, places_seen = _cures(observer, sources, waiting, names, budget)
        for loop in left:
            if budget.is_over:
                untried.append(loop)
                continue
            decided = _tried(loop, waiting, sources, budget)
            if decided is None:
                undecided.append(loop)
            else:
                loops.append(decided)
        noted, undecided_notes = _of_notes(waiting, sources, names, budget)
        of_error, is_error_tried = _of_error(waiting.error, sources)
    misses = {place: number for place, number in waiting.misses.items() if place not in cures}
    # The loops that this request could not decide come last in the next request.
    trial = waiting._replace(
        misses=misses, left=(*untried, *undecided), tried=waiting.tried | places_seen, notes=tuple(undecided_notes)
    )
    if is_error_tried:
        trial = trial._replace(error=None)
    return sources.add_cures(cures, loops, noted, of_error, trial)


def _of_error(error: ErrorToTry | None, sources: Sources) -> tuple[ExplainedNote | None, bool]:
    """Explain the error that ended the cell once more, with more time for the trials of its cures.

    Python keeps only the last error, for a debugger. An earlier error has no frames, so its cures stay advice.

    Returns:
        The note of the error with its new explanation, and whether there was time for all trials. None and False
        without an error whose cures are still to try.
    """
    last = getattr(sys, "last_value", None)
    if error is None or last is None or id(last) != error.identity:
        return None, False
    budget = Budget()
    card = next((note for note in sources.document.notes if note.kind in _ERRORS), None)
    finding = error_finding(last, error.function, budget)
    if card is None or finding is None or (finding.kind, finding.detail) != (card.kind, card.detail):
        return None, False
    return ExplainedNote(card, finding), not budget.was_short


def _of_notes(
    waiting: CuresToTry, sources: Sources, names: Mapping[str, Any], budget: Budget
) -> tuple[list[tuple[Note, tuple[FoundCure, ...]]], list[SketchedNote]]:
    """Try the edits of notes; return the tried notes, each with the edits that passed, and the notes left to try."""
    decided: list[tuple[Note, tuple[FoundCure, ...]]] = []
    undecided: list[SketchedNote] = []
    for note in waiting.notes[: Tried.NOTES]:
        outcome = "untried" if budget.is_over else _tried_note(note, waiting.own, sources, names, budget)
        if outcome == "untried":
            undecided.append(note)
        else:
            decided.append((note.note, (note.sketch.cure,) if outcome == "applies" else ()))
    return decided, undecided


def _tried_note(
    sketched: SketchedNote, own_programs: int, sources: Sources, names: Mapping[str, Any], budget: Budget
) -> Literal["applies", "fails", "untried"]:
    """Try a note's edit in all programs of the run that contain its line; return whether the edit applies or fails."""
    note, sketch = sketched
    outcomes = set()
    for number in range(own_programs):
        observed = sources.observed(number)
        is_function = observed.held is not None and type(observed.held.fun) is FunctionType
        # A trial traces a function of the user again. A program without such a function is tried only if the note may
        # belong to the program; a recording is never tried.
        if is_function or (note.program in (-1, number) and sources.document.programs[number].origin != "recorded"):
            outcomes.add(tried_in(sketch, observed, budget))
    outcomes.discard("elsewhere")
    if sketch.at_top:
        outcomes.add(tried_at_top(sketch, names, budget))
    if "fails" in outcomes:
        return "fails"
    return "applies" if outcomes == {"applies"} else "untried"


def _cures(
    observer: Observer, sources: Sources, waiting: CuresToTry, names: Mapping[str, Any], budget: Budget
) -> tuple[dict[tuple[int, int], tuple[FoundCure, ...]], set[tuple[int, int]]]:
    """Try the cures of misses; return the cures that passed, and the misses whose cures were tried.

    A miss is given as (index of the function in the ledger, index of the miss in the function).
    """
    ledger = sources.document.ledger
    cures_by_place: dict[tuple[int, int], tuple[FoundCure, ...]] = {}
    places_seen: set[tuple[int, int]] = set()
    if ledger is None:
        return cures_by_place, places_seen
    events = {
        event.number: (event, history)
        for history in list(observer.history.functions.values())
        for event in list(history.events)
    }
    newest = sorted(waiting.misses.items(), key=lambda item: (item[0] in waiting.tried, -item[1]))
    misses_here = [item for item in newest if ledger.functions[item[0][0]].misses[item[0][1]].this_run]
    alike: dict[tuple[object, ...], tuple[FoundCure, ...]] = {}
    for place, number in misses_here[: Tried.MISSES]:
        if budget.is_over:
            break
        places_seen.add(place)
        event, history = events.get(number, (None, None))
        if event is None or history is None:  # the observer has dropped its record of this miss
            continue
        kind = _kind(event, history)
        if kind not in alike:
            alike[kind] = miss_cures(event, history, names, budget)
        if alike[kind]:
            cures_by_place[place] = alike[kind]
    return cures_by_place, places_seen


def _kind(event: MissEvent, history: FunctionHistory) -> tuple[object, ...]:
    """Return a key that is equal for misses on one line that have the same cure.

    For example, each iteration of a Python loop may make a new function object, which misses.
    """
    reasons = event.reasons or ()
    if [reason.kind for reason in reasons] == ["new_function"]:
        return id(history), event.place, reasons[0].argument
    return (event.number,)


def _tried(
    noted: NotedLoop, waiting: CuresToTry, sources: Sources, budget: Budget
) -> tuple[Note, Note, Sequence[Edit]] | None:
    """Try the rewrite of a loop; return its note before and after, and the edits. None if the trial changes nothing.

    The rewrite is tried in each program of the run that contains equations of the loop.
    """
    note, loop = noted.note, noted.loop
    if loop.written is None or loop.code is None:
        return None
    edits = edits_of(loop.statement, loop.written, loop.file)
    # Another program may have the same loop with another number of iterations; then the loop has several notes.
    loops_here = [unrolled for unrolled in waiting.loops if unrolled.loop.statement.node is loop.statement.node]
    reaching = {number for unrolled in loops_here for number in unrolled.programs}
    further = [number for number in range(waiting.own) if number not in reaching]
    outcomes = []
    for number in (*sorted(reaching), *further):
        observed = sources.observed(number)
        if number in reaching or (observed.held is not None and type(observed.held.fun) is FunctionType):
            outcomes.append(tried(loop.statement, edits, loop.file, observed, budget))
        if "fails" in outcomes:
            after = msgspec.structs.replace(note, code=None, trial=None, cure=f"{note.cure} {FAILED}")
            return note, after, ()
    reached = outcomes[: len(reaching)]
    if all(outcome == "applies" for outcome in reached) and set(outcomes) <= {"applies", "elsewhere"}:
        return note, msgspec.structs.replace(note, level="applies"), edits
    return None
