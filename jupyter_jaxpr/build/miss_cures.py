"""The misses of a run in, the document with the cures that are edits of the user's text out, each tried."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..explain.errors import time_limit
from ..explain.misses.cures import miss_cures
from ..observe.cache.history import FunctionHistory, MissEvent
from ..observe.observation import FoundCure

if TYPE_CHECKING:
    from ..document.types.document import Snapshot
    from ..observe.observer import Observer
    from .live_sources import Sources

#: Misses of one run that are tried, the newest: a function that misses more often does so for one reason.
_TRIED = 32


def try_cures(observer: Observer, sources: Sources, names: Mapping[str, Any]) -> Snapshot:
    """Try the cures of the misses of a run, unless that was done before; nothing of the user's runs.

    Args:
        observer: Remembers the calls that missed.
        sources: Of the run; they keep the document.
        names: What the names of the notebook are now; they are read, never changed.
    """
    document = sources.document
    if document.ledger is None or sources.cures_tried:
        return document
    known = {
        event.number: (event, history)
        for history in list(observer.history.functions.values())
        for event in list(history.events)
    }
    found: dict[tuple[int, int], tuple[FoundCure, ...]] = {}
    newest = sorted(sources.miss_numbers.items(), key=lambda item: -item[1])
    here = [item for item in newest if document.ledger.functions[item[0][0]].misses[item[0][1]].this_run]
    alike: dict[tuple[object, ...], tuple[FoundCure, ...]] = {}
    until = time.perf_counter() + time_limit.SECONDS
    for place, number in here[:_TRIED]:
        event, history = known.get(number, (None, None))
        if event is None or history is None:  # forgotten meanwhile
            continue
        kind = _kind(event, history)
        if kind not in alike:
            if time.perf_counter() > until:  # the kernel has other things to do
                break
            alike[kind] = miss_cures(event, history, names)
        if alike[kind]:
            found[place] = alike[kind]
    return sources.add_cures(found)


def _kind(event: MissEvent, history: FunctionHistory) -> tuple[object, ...]:
    """Equal for misses of one line that have one cure, such as those of a loop."""
    reasons = event.reasons or ()
    if [reason.kind for reason in reasons] == ["new_function"]:
        return id(history), event.place, reasons[0].argument
    return id(history), event.place, reasons
