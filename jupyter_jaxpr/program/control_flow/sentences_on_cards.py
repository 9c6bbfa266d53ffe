"""Adds sentences on a construct to its card: facts, and advice on which construct to use.

Each fact is certain from the other fields of the card. The advice is the row of the decision table that fits the card;
there is none if no row certainly fits.
"""

from __future__ import annotations

import ast

from ...interruptions import not_of_a_signal
from ...jax.loop_equations import lowered_scan
from ...quantities import count
from ..jaxpr.walk import Walk
from .calls_in_user_source import Call
from .limit_of_short_python_loops import SHORT
from .reached_scope import ReachedScope
from .rows_of_cards import Card

#: The advice for a cond under vmap, and for an associative_scan.
ALL_BRANCHES_RUN = "Each element has its own {decider}. All branches run, as in jnp.where."
COMBINED_IN_PAIRS = (
    "Each element has an output. associative_scan combines the elements in pairs, not one after the other."
)
NO_STEPS = "A named scope runs once and has no steps. Step through a loop or a branch inside the scope."
SELECTED = (
    "All branches run and a select picks the results, so no single branch is taken. "
    "Step through the function before vmap."
)
IN_CONDITION = (
    "The construct is in the condition of a while loop, which the stepper does not enter. Step through the loop itself."
)
INSIDE = (
    "The construct is inside {name}, which the stepper does not enter. Step through a copy of the construct outside "
    "{name}."
)
COMBINED = "associative_scan leaves no loop to step through. Write a scan to see its steps."

SELECT = (
    "Under vmap the {decider} differs from element to element, so JAX turned the branches into a select. "
    "Every branch runs for every element, and the select picks the results."
)
BACKWARD_EQUATIONS = "The equations of this construct belong to the backward pass."

_FALSE_FIRST = "The jaxpr lists the False branch first: branch 0 is False, branch 1 is True."
_BY_PLATFORM = (
    "The platform that the program is compiled for decides which branch runs. The other branches are dropped."
)
_CLAMPED = "JAX clamps the index: an index below 0 takes branch 0, an index above {last} takes branch {last}."
_FORI_SCAN = (
    "The bounds are known when JAX traces, so fori_loop became a scan of length {length}. Grad works through a scan."
)
_FORI_SCAN_BETWEEN = (
    "The bounds {lower} and {upper} are known when JAX traces, so fori_loop became a scan of length {length}. "
    "Grad works through a scan."
)
_LOWER_TRACED = "The lower bound {lower} is known only at run time, so fori_loop became a while loop. {then}"
_UPPER_TRACED = "The upper bound {upper} is known only at run time, so fori_loop became a while loop. {then}"
_BOUNDS_TRACED = (
    "The lower bound {lower} and the upper bound {upper} are known only at run time, so fori_loop became a while loop. "
    "{then}"
)
_LOWER_UNNAMED = "The lower bound is known only at run time, so fori_loop became a while loop. {then}"
_UPPER_UNNAMED = "The upper bound is known only at run time, so fori_loop became a while loop. {then}"
_BOUNDS_UNNAMED = "Both bounds are known only at run time, so fori_loop became a while loop. {then}"
_OF_FORI_WHILE = (
    "Reverse-mode grad does not work through a while loop. With plain Python numbers as bounds, fori_loop becomes a "
    "scan."
)
_WHILE = (
    "The number of steps depends on the values, so jvp works through this loop, but reverse-mode grad does not. "
    "jvp and grad both work through a scan of fixed length."
)
_BOUNDED = (
    "The call sets a maximum number of steps, so the loop became a scan of length {length}, and grad works through "
    "the scan. Steps after the condition is false change nothing."
)
_SCAN_OF_LENGTH = "Reverse-mode grad does not work through a while loop, but works through a scan of this length."
_COUNTED = f"XLA found that the loop always takes {{steps}}. {_SCAN_OF_LENGTH}"
_COUNTS = f"The loop counts from a constant to a constant, so the loop always takes {{steps}}. {_SCAN_OF_LENGTH}"
_MAP = "lax.map is a scan without a carry: each step computes one element. jax.vmap computes all elements at once."
_MAP_BATCHED = (
    "lax.map is a scan without a carry: with batch_size, each step computes a batch by vmap. Remaining elements that "
    "do not fill a batch are computed separately. jax.vmap computes all elements at once."
)
_NO_LOOP_OF_UNKNOWN = (
    "associative_scan combines the elements in pairs, then the pairs in pairs, in about log2(n) levels, without "
    "a loop. The construct became {equations} of the program."
)
_NO_LOOP = (
    "associative_scan combines {elements} in pairs, then the pairs in pairs, in about log2(n) levels, without a "
    "loop. The construct became {equations} of the program."
)
_KEPT = "No step changes {paths}, a part of the carry, so JAX made this part a constant of the loop."
_KEPT_MANY = "No step changes {paths}, parts of the carry, so JAX made these parts constants of the loop."
_NO_STEP_AT_ALL = "The loop has no steps: the carry comes out unchanged."
_NO_STEP = "The loop has no steps."
_AGAIN = (
    "remat computes this construct again here, in the backward pass, instead of storing the values of the construct."
)
_ALL_UNROLLED = "JAX unrolls the loop when JAX lowers the program: {steps} follow each other, and no loop is left."
_UNUSED = "No equation uses a result of this construct, so XLA removes the construct."
_UNROLLED = "JAX unrolls the loop when JAX lowers the program. The lowered loop has {iterations} of {unroll} steps."
_UNROLLED_REST = (
    "JAX unrolls the loop when JAX lowers the program. The lowered loop has {iterations} of {unroll} steps, and "
    "{rest} after the loop."
)
_NO_HLO_LOOP = (
    "The optimised HLO has no loop for this construct: XLA wrote the steps without a loop, or removed the steps."
)
_BACKWARD = (
    "The loop is part of the backward pass. The carry holds derivatives, and the steps go from the last forward step "
    "to the first."
)
_BATCHED_WHILE = (
    "Under vmap the loop runs until the condition is false for every element. An element whose condition is false "
    "keeps its values."
)


def add(
    card: Card, call: Call | None, walk: Walk, *, backward: bool, is_repeated: bool, plain: bool, used: bool = True
) -> None:
    """Add the facts of a scan, a while or a cond to its card.

    Args:
        card: The card; its other fields must be set.
        call: The call in the user's code; None if its source is unknown.
        walk: The pools of the program.
        backward: True if the construct is a part of a backward pass.
        is_repeated: True if remat computes the construct again in a backward pass.
        plain: True if the user called JAX's own construct. The construct of a library may have a custom derivative
            rule, so facts about its derivative are left out.
        used: True if an equation needs a result of the construct, or its effects.
    """
    facts, card.used = card.facts, used
    if not used:
        facts.append(_UNUSED)
    if card.kind == "switch" and card.branches and not card.branches[0].label.isdigit():
        facts.append(_BY_PLATFORM)
    elif card.kind == "cond" and len(card.branches) == 2 and card.branches[0].label == "False":
        facts.append(_FALSE_FIRST)
    elif card.primitive == "cond":
        facts.append(_CLAMPED.format(last=len(card.branches) - 1))
    if backward and card.primitive == "scan":
        facts.append(_BACKWARD)
    elif card.kind == "fori_loop":
        if card.library is None:
            _fori(card)
    elif card.kind == "while_loop" and card.primitive == "scan":
        facts.append(_BOUNDED.format(length=card.trips))
    elif card.primitive == "while" and plain and card.trips is not None:
        if card.trips:
            facts.append(_COUNTS.format(steps=count(card.trips, "step")))
    elif card.primitive == "while" and plain:
        card.open_fact = len(facts)
        facts.append(_WHILE)
    elif card.kind == "map":
        in_batches = call is not None and "batch_size" in call.keywords
        facts.append(_MAP_BATCHED if in_batches else _MAP)
    kept_paths = [slot.path for slot in card.slots if slot.kept]
    if kept_paths:
        facts.append((_KEPT if len(kept_paths) == 1 else _KEPT_MANY).format(paths=", ".join(kept_paths[:5])))
    if card.primitive in ("scan", "while") and card.trips == 0:
        facts.append(_NO_STEP_AT_ALL if any(slot.role == "carry" for slot in card.slots) else _NO_STEP)
    if is_repeated:
        facts.append(_AGAIN)
    if card.unroll > 1 and card.trips:
        facts.append(_unrolled(card.trips, card.unroll))
    if card.primitive == "while" and _is_batched(card, walk):
        facts.append(_BATCHED_WHILE)


def combined(length: int | None, equations: int) -> str:
    """Return the sentence on the equations of an `associative_scan`, which leaves no loop in the program."""
    left = count(equations, "equation")
    if length is None:
        return _NO_LOOP_OF_UNKNOWN.format(equations=left)
    return _NO_LOOP.format(elements=count(length, "element"), equations=left)


def counted_by_xla(card: Card) -> None:
    """Replace the fact that values decide the number of steps of a while loop by the number that XLA found."""
    if card.open_fact >= 0:
        del card.facts[card.open_fact]
        card.open_fact = -1
    card.facts.append(_COUNTED.format(steps=count(card.trips, "step")))
    card.choice = card.choice_reason = None


def no_hlo_loop(card: Card) -> None:
    """Add the fact that the HLO has no loop, for a construct that JAX lowers to a loop."""
    unrolled = card.primitive == "scan" and card.trips is not None and not lowered_scan(card.trips, card.unroll)[0]
    if card.trips != 0 and not unrolled and card.used:
        card.facts.append(_NO_HLO_LOOP)


def _unrolled(steps: int, unroll: int) -> str:
    iterations, remainder = lowered_scan(steps, unroll)
    if not iterations:
        return _ALL_UNROLLED.format(steps=count(steps, "step"))
    fact = _UNROLLED_REST if remainder else _UNROLLED
    return fact.format(iterations=count(iterations, "iteration"), unroll=unroll, rest=count(remainder, "step"))


def _fori(card: Card) -> None:
    if card.primitive == "scan":
        fact = _FORI_SCAN if card.lower is None else _FORI_SCAN_BETWEEN
        card.facts.append(fact.format(lower=card.lower, upper=card.upper, length=card.trips))
        return
    lower, upper = card.lower, card.upper
    is_traced = [text is None or not text.lstrip("-").isdigit() for text in (lower, upper)]
    if all(is_traced):
        fact = _BOUNDS_UNNAMED if lower is None or upper is None else _BOUNDS_TRACED
    elif is_traced[0]:
        fact = _LOWER_UNNAMED if lower is None else _LOWER_TRACED
    elif is_traced[1]:
        fact = _UPPER_UNNAMED if upper is None else _UPPER_TRACED
    else:
        return
    card.facts.append(fact.format(lower=lower, upper=upper, then=_OF_FORI_WHILE))


def _is_batched(card: Card, walk: Walk) -> bool:
    """Return whether the condition of a while loop is an array of booleans, which only vmap makes."""
    condition = walk.scopes[card.condition]
    outputs = [variable for variable in condition.outputs if variable >= 0]
    return bool(outputs) and walk.avals[condition.variable_avals[outputs[0]]].shape != ()


def choose(card: Card, reached: ReachedScope, derivative: str) -> None:
    """Fill the fields `choice` and `choice_reason` of a card.

    A construct that JAX made for a derivative gets neither, because the user did not choose it.
    """
    if card.library is not None or derivative == "transpose":
        return
    row = _row(card, reached, derivative)
    if row is not None:
        card.choice, card.choice_reason = row


def _row(card: Card, reached: ReachedScope, derivative: str) -> tuple[str, str] | None:
    if card.primitive == "cond":
        return _branch(card, reached)
    if card.kind == "map":
        return "outputs", "Each step of this loop returns an output and does not need the other steps."
    # A library's while_loop that became a scan has only an upper bound of its number of steps in `trips`.
    if card.kind == "while_loop" and (card.trips is None or card.primitive == "scan"):
        return "open", "The number of steps depends on values that are known only at run time."
    if card.kind == "fori_loop" and card.trips is None:
        return "open", "The number of steps is known only at run time."
    if card.trips != 0 and card.kind == "scan" and any(slot.role == "ys" for slot in card.slots):
        if derivative:
            return None  # the stacked outputs may be residuals of the derivative, not the user's
        return "outputs", "Each step of this loop returns an output beside the carry."
    if not card.trips or card.kind == "while_loop":
        return None
    steps = count(card.trips, "step")
    if card.trips <= SHORT:
        return "short", f"The loop has only {steps}. A Python loop is fine too, and XLA can fuse across its iterations."
    if not lowered_scan(card.trips, card.unroll)[0]:
        return None  # JAX unrolls this scan completely, so it saves no more than a Python loop
    return "long", f"The loop has {steps}. A Python loop would unroll its body {card.trips:,} times."


def _branch(card: Card, reached: ReachedScope) -> tuple[str, str] | None:
    if _is_constant(card.predicate_text):
        return "flag", (
            f"{card.predicate_text} is a constant in the code, so the {card.kind} takes the same branch in each run. "
            "Python's if or match needs no program for the other branches."
        )
    if card.predicate_equation < 0 and card.predicate >= 0:
        name = card.predicate_text or "The predicate"
        if not reached.steps:
            return "flag", (
                f"{name} is an argument, not a computed value. A static argument would need no cond, but JAX would "
                "compile once for each of its values."
            )
        return None
    return _computed(card.kind) if card.predicate_equation >= 0 else None


def _computed(kind: str) -> tuple[str, str]:
    subject = "The index" if kind == "switch" else "The predicate"
    return "branch", f"{subject} is computed from values, and only the taken branch runs."


#: Stands for the row of the program itself.
UNCHANGED = ("", "")


def row_outside_of_jit(primitive: str, kind: str, predicate_text: str | None) -> tuple[str, str] | None:
    """Return the row for a construct outside of jit; `UNCHANGED` if the row of its program fits; None for no row.

    The predicate is an input of the program of the construct, and may be a number of Python or the result of other
    operations: the source of the predicate shows which, if the source is no name.

    Args:
        primitive: The primitive of the construct.
        kind: The construct that the user called.
        predicate_text: The source of the predicate; None if unknown.
    """
    if primitive != "cond" or _is_constant(predicate_text):
        return UNCHANGED
    try:
        value = None if predicate_text is None else ast.parse(predicate_text, mode="eval").body
    except not_of_a_signal(ValueError, SyntaxError, MemoryError, RecursionError):
        value = None
    is_computed = isinstance(value, ast.Call | ast.Compare | ast.BinOp | ast.UnaryOp | ast.BoolOp)
    return _computed(kind) if is_computed else None


def _is_constant(text: str | None) -> bool:
    """Return whether the source of a predicate is a literal of Python, such as True or 2."""
    try:
        return text is not None and type(ast.literal_eval(text)) in (bool, int)
    except not_of_a_signal(ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
