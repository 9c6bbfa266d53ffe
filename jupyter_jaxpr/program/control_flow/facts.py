"""A card in, the sentences that a person should know of it added: only what its own parts prove."""

from __future__ import annotations

from ..jaxpr.walk import Walk
from .card import Card
from .written import Call

NO_STEPS = "A named scope runs once and has no steps. Step through a loop or a branch inside it."
SELECTED = (
    "All branches ran and a select picked the results, so there is no branch to follow. "
    "Step through the function before vmap."
)
IN_CONDITION = (
    "It stands in the condition of a while loop, where the stepper does not go. Step through the loop itself."
)
INSIDE = "It stands inside {name}, which the stepper does not go into. Step through a copy outside it."
COMBINED = "It left no loop to step through: its rounds are written out. Write it as a scan to see its steps."

SELECT = (
    "Under vmap its predicate differs from element to element, so JAX made it a select: every branch runs for every "
    "element, and then one of the results is picked."
)
BACKWARD_EQUATIONS = "These are equations of the backward pass."

_FALSE_FIRST = "The jaxpr lists the False branch first: it is branch 0, True is branch 1."
OTHER_PLATFORM = "any other"
_BY_PLATFORM = "Which branch runs is decided by the platform that the program is compiled for: the others are dropped."
_CLAMPED = "The index is clamped: below 0 it takes branch 0, above {last} branch {last}."
_FORI_SCAN = (
    "Its bounds {bounds}are known when JAX traces, so fori_loop became a scan of length {length}, and grad works "
    "through it."
)
_FORI_WHILE = (
    "Its {bounds} known only when it runs, so fori_loop became a while: reverse-mode grad does not work through it. "
    "Bounds that are plain Python numbers make it a scan."
)
_WHILE = (
    "How often it runs depends on the values, so jvp works through it and reverse-mode grad does not. "
    "A scan of fixed length has both."
)
_BOUNDED = (
    "It was given a largest number of steps, so it became a scan of length {length}, and grad works through it. "
    "Steps after its condition is false change nothing."
)
_COUNTED = (
    "XLA found that it always takes {steps}. Written as a scan of that length, reverse-mode grad works through it too."
)
_MAP = "lax.map is a scan without a carry: one element after the other. jax.vmap computes them all at once."
_MAP_BATCHED = "With batch_size, each step computes a batch by vmap; a rest that does not fill one is computed apart."
_NO_LOOP = (
    "{length}are combined in pairs, then the pairs in pairs, so it takes about log2(n) rounds and leaves no loop: "
    "{equations} equations of the program are its own."
)
_KEPT = "{paths} is part of the carry, but no step changes it, so JAX made it a constant of the loop."
_KEPT_MANY = "{paths} are part of the carry, but no step changes them, so JAX made them constants of the loop."
_NO_STEP_AT_ALL = "It has no steps: the carry comes out as it went in."
_AGAIN = "remat computes the forward loop again here, in the backward pass, instead of keeping its values."
_UNROLL = "XLA runs {unroll} steps in one iteration of its loop, so {length} steps take {trips} iterations."
_BACKWARD = (
    "This is the backward pass: what goes around are derivatives, from the last step of the forward one to the first."
)
_BATCHED_WHILE = (
    "Under vmap it runs until its condition is false for every element; those that are done keep their values."
)


def add(card: Card, call: Call | None, walk: Walk, *, backward: bool, again: bool, plain: bool) -> None:
    """Add the facts of a scan, a while or a cond.

    Args:
        card: Everything else of it is filled.
        call: The user's call, where its text is known.
        walk: The pools.
        backward: It is a part of a backward pass.
        again: remat computes it again in a backward pass.
        plain: The user called it, and JAX's own: a library may have a rule of its own for its derivative.
    """
    found = card.facts
    if card.kind == "switch" and card.branches and not card.branches[0].label.isdigit():
        found.append(_BY_PLATFORM)
    elif card.kind == "cond" and len(card.branches) == 2 and card.branches[0].label == "False":
        found.append(_FALSE_FIRST)
    elif card.primitive == "cond":
        found.append(_CLAMPED.format(last=len(card.branches) - 1))
    if backward and card.primitive == "scan":
        found.append(_BACKWARD)
    elif card.kind == "fori_loop":
        if card.library is None:
            _fori(card)
    elif card.kind == "while_loop" and card.primitive == "scan":
        found.append(_BOUNDED.format(length=card.trips))
    elif card.primitive == "while" and plain:
        found.append(_WHILE)
    elif card.kind == "map":
        found.append(_MAP)
        if call is not None and "batch_size" in call.keywords:
            found.append(_MAP_BATCHED)
    kept = [slot.path for slot in card.slots if slot.kept]
    if kept:
        found.append((_KEPT if len(kept) == 1 else _KEPT_MANY).format(paths=", ".join(kept[:5])))
    if card.primitive == "scan" and card.trips == 0:
        found.append(_NO_STEP_AT_ALL)
    if again:
        found.append(_AGAIN)
    if card.unroll > 1 and card.trips:
        trips = -(-card.trips // card.unroll)
        found.append(_UNROLL.format(unroll=card.unroll, length=card.trips, trips=trips))
    if card.primitive == "while" and _is_batched(card, walk):
        found.append(_BATCHED_WHILE)


def combined(length: int | None, equations: int) -> str:
    """What an associative_scan left."""
    elements = "Elements " if length is None else f"{length:,} elements "
    return _NO_LOOP.format(length=elements, equations=f"{equations:,}")


def counted_by_xla(card: Card) -> None:
    """A while whose trips XLA found: they do not depend on the values."""
    card.facts = [fact for fact in card.facts if fact != _WHILE]
    card.facts.append(_COUNTED.format(steps="1 step" if card.trips == 1 else f"{card.trips:,} steps"))
    card.choice = card.choice_reason = None


def _fori(card: Card) -> None:
    if card.primitive == "scan":
        bounds = f"{card.lower} and {card.upper} " if card.lower is not None else ""
        card.facts.append(_FORI_SCAN.format(bounds=bounds, length=card.trips))
        return
    traced = [
        (word, text)
        for word, text in (("lower bound", card.lower), ("upper bound", card.upper))
        if text is None or not text.lstrip("-").isdigit()
    ]
    named = [word if text is None else f"{word} {text}" for word, text in traced]
    bounds = " and ".join(named) + (" are" if len(named) > 1 else " is")
    if named:
        card.facts.append(_FORI_WHILE.format(bounds=bounds))


def _is_batched(card: Card, walk: Walk) -> bool:
    """Whether its condition has a truth value for each element, as only vmap makes it."""
    condition = walk.scopes[card.condition]
    outputs = [each for each in condition.outputs if each >= 0]
    return bool(outputs) and walk.avals[condition.variable_avals[outputs[0]]].shape != ()
