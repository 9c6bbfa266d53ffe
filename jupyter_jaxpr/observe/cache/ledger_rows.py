"""Makes the rows of a ledger: functions, cache entries, hits, misses, reasons; `ledger_for_scripts` collects them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...interruptions import not_of_a_signal
from ...plain_text import FAILURES, could_not
from ..observation import Outcome, Place
from ..reprs_of_users_values import Reading
from .function_named_in_reason import function_label
from .history_of_one_function import Counts, FunctionHistory, MissEvent
from .key_texts import signature_text
from .miss_reasons import reasons_of
from .reason import Reason
from .types_and_layouts_of_key import Key

#: The number of functions in the ledger of the whole kernel: those with the latest misses.
FUNCTIONS_OF_KERNEL = 40


@dataclass(frozen=True)
class Miss:
    """One call that missed JAX's C++ cache, or that JAX inlined into the trace of another function.

    Attributes:
        outcome: ``dispatch_only``, ``lowered``, ``compiled``, ``compiled_from_disk``, ``inlined`` or ``raised``.
        reasons: the reasons of the miss, compared with the closest earlier key; empty for ``inlined`` and ``raised``.
        line: the line of the user's code with the call, None when unknown.
        file: the file of that line.
        signature: the argument types and static values, such as ``x: f32[10], n=3``; ``jax.grad(loss)(w: f32[10])``
            if the record also has calls of the function without the transform.
        trace_s: the seconds of JAX's trace, None where JAX did not trace.
        lower_s: the seconds of JAX's lowering, None where JAX did not lower.
        compile_s: the seconds of XLA's compile, or of reading the executable from disk; None where neither happened.
        total_s: the seconds of the whole call until it returned.
        entry: the index into the entries of the function, -1 without an entry.
        number: the number of this call among the missed and inlined calls of the kernel.
    """

    outcome: Outcome
    reasons: tuple[Reason, ...]
    line: int | None
    file: str | None
    signature: str
    trace_s: float | None
    lower_s: float | None
    compile_s: float | None
    total_s: float | None
    entry: int = -1
    number: int = 0

    @property
    def seconds(self) -> float:
        """The seconds of the miss: trace, lower and compile together."""
        return (self.trace_s or 0.0) + (self.lower_s or 0.0) + (self.compile_s or 0.0)


@dataclass(frozen=True)
class CacheEntry:
    """A key for which JAX holds a compiled program.

    Attributes:
        signature: the argument types and static values, as of a miss.
        hits: the calls in the block that used the entry and compiled nothing, slow hits included; None where the hits
            of several entries cannot be separated. Calls before JAX dropped the entry and made it again do not count.
        misses: the calls with this key that traced, lowered or compiled, since the entry was last made.
        fast_path: True if later calls with this key hit JAX's C++ fast path.
        made_here: True if a call in this block made the entry; False if the entry existed before.
        held: True if JAX still holds the entry; None where this is unknown. Entries that JAX certainly dropped are left
            out.
        number: the index of the entry among all entries of the function in this kernel.
    """

    signature: str
    hits: int | None
    misses: int
    fast_path: bool
    made_here: bool
    held: bool | None = True
    number: int = -1


@dataclass(frozen=True)
class FunctionRecord:
    """The calls, entries and misses of one function in a block.

    Attributes:
        name: the function's ``__name__``.
        line: the line of the function's def; None when unknown.
        file: the file of the function's def.
        calls: the calls seen; None where calls cannot be counted (Python 3.11 outside a ``%%jaxpr`` cell). A call
            under ``jax.disable_jit()`` runs plain Python, uses no cache and does not count.
        calls_exact: False where `calls` and `hits` are lower bounds.
        compiles: the number of XLA's compiles, by JAX's events; executables read from disk do not count.
        traces, lowerings, from_disk: the numbers of JAX's events.
        inlined: the number of calls while JAX traced another function.
        raised: the number of calls that raised while JAX traced or compiled.
        entries: the cache entries that JAX still holds; entries of earlier calls are included if a call of this
            block used them, or may have used them.
        misses: the misses in order; the newest 512 of the kernel. A trace or compile ahead of time, such as by
            ``.lower().compile()``, is no call and no miss; `traces`, `lowerings` and `compiles` count it.
        function_objects: the number of function objects of this line that missed in this block.
        hits: the calls that compiled and lowered nothing: fast hits and dispatch-only calls; None where `calls` is.
        seconds: the seconds of all misses: trace, lower and compile together.
    """

    name: str
    line: int | None
    file: str | None
    calls: int | None
    calls_exact: bool
    compiles: int
    traces: int
    lowerings: int
    from_disk: int
    inlined: int
    raised: int
    entries: tuple[CacheEntry, ...]
    misses: tuple[Miss, ...]
    function_objects: int
    hits: int | None
    seconds: float


@dataclass(frozen=True)
class Calls:
    """The number of calls of one function in a block, as far as the calls could be counted.

    Attributes:
        raised: how many of the `calls` raised; calls that the counter did not see are missing.
        ahead: true for a function that was traced without a call; it is shown only if JAX compiled it in the block.
    """

    name: str
    definition: Place | None
    calls: int | None
    exact: bool
    raised: int = 0
    ahead: bool = False


def miss_row(event: MissEvent, history: FunctionHistory, entry: int, reading: Reading) -> Miss:
    """Return the row of a miss; `entry` is the index of its cache entry."""
    assert event.outcome is not None
    if event.signature is None:
        event.signature = _signature(event.key, reading) if event.key is not None else ""
    label = None if event.outcome == "inlined" else function_label(event, history)
    return Miss(
        outcome=event.outcome,
        reasons=reasons_of(event, history, reading),
        line=event.place.line if event.place else None,
        file=event.place.file if event.place else None,
        signature=event.signature if label is None else f"{label}({event.signature})",
        trace_s=event.trace,
        lower_s=event.lower,
        compile_s=event.compile,
        total_s=event.total,
        entry=entry,
        number=event.number,
    )


def _signature(key: Key, reading: Reading) -> str:
    try:
        return signature_text(key, reading)
    # an error in one signature must not prevent the reading of the other misses and entries
    except not_of_a_signal(*FAILURES) as error:
        return could_not(error)


def entry_rows(
    history: FunctionHistory,
    events: list[MissEvent],
    counts: Counts,
    calls: int | None,
    reading: Reading,
    makers: Sequence[MissEvent],
    is_held_by_entry: Sequence[bool | None],
    fast_hits: Mapping[int, int] | None,
    exact: bool,
) -> tuple[tuple[CacheEntry, ...], dict[int, int]]:
    """Return two things: the cache entries that the block used and JAX still has, and {event number: entry index}.

    JAX does not report which entry a hit used. So if a function had hits, each of its entries counts as possibly used.
    """
    met = {event.entry for event in events if event.entry >= 0}.union(fast_hits or ())
    if fast_hits is None and (calls or 0) > counts.misses + counts.inlined:
        met.update(range(len(makers)))
    used = sorted(entry for entry in met if is_held_by_entry[entry] is not False)
    places = {entry: index for index, entry in enumerate(used)}
    since = events[0].number if events else math.inf
    users: dict[int, list[MissEvent]] = {entry: [] for entry in used}
    for event in events:
        if event.entry in users:
            users[event.entry].append(event)
    all_hits = max((calls or 0) - counts.misses + counts.dispatch_only - counts.inlined, 0)
    entries = []
    for entry, mine in users.items():
        maker = makers[entry]
        # JAX dropped the entry and made it again, so only the calls from then on used the present entry.
        again = _made_again(mine, maker)
        mine = [event for event in mine if again is None or event.number >= again.number]
        # If the function has a single entry, and JAX had no entries of it before the observation, each hit used this
        # entry.
        alone = len(makers) == 1 and calls is not None and not maker.held_before and again is None
        slow_hits = sum(event.outcome == "dispatch_only" for event in mine)
        hits = all_hits if alone or (all_hits == 0 and exact and calls is not None) else None
        if fast_hits is not None and again is None:
            hits = fast_hits.get(entry, 0) + slow_hits
        assert maker.key is not None
        signature, label = _signature(maker.key, reading), function_label(maker, history)
        entries.append(
            CacheEntry(
                signature=signature if label is None else f"{label}({signature})",
                hits=hits,
                misses=len(mine) - slow_hits,
                fast_path=mine[-1].fast_path if mine else maker.fast_path,
                made_here=again is not None or maker.number >= since,
                held=is_held_by_entry[entry],
                number=entry,
            )
        )
    return tuple(entries), {event.number: places[event.entry] for event in events if event.entry in places}


def _made_again(users: Sequence[MissEvent], maker: MissEvent) -> MissEvent | None:
    """Return the last call that made an entry again, after JAX had dropped the entry; None if there is none.

    Args:
        users: The missed calls of the block that used the entry, oldest first.
        maker: The call that made the entry first.
    """
    clears = maker.clears
    again = None
    for event in users:
        is_traced_anew = event.trace is not None and event.key is not None and not event.key.traced
        makes = event is not maker and event.outcome != "dispatch_only"
        if makes and (event.clears > clears or is_traced_anew):
            again = event
        clears = max(clears, event.clears)
    return again
