"""Makes the sentence that compares the cost of a live program with the cost in the last run of the function."""

from __future__ import annotations

import weakref
from collections.abc import Callable

from ..build.costs_of_programs import total_cost
from ..build.document_of_run import Built, Sources
from ..document.sentences.cost_tab_sentences import amount
from ..document.types.document import Snapshot
from ..program.costs import Cost
from ..quantities import size

#: A function: name -> (document of the function's last run, its live sources, index of the program); None without a
#: run.
LastRun = Callable[[str], tuple[Snapshot, Sources, int] | None]

#: The cost of a program with more equations is not computed, because each thousand equations take three milliseconds.
_COUNTED = 10_000
_NOW = "One call takes {amount} and moves {moved}."
_BEFORE = "In {run}, one call took {amount} and moved {moved}."
#: live sources of a run -> {index of a program: (the run's document, the cost)}; the entry of a run goes when the
#: kernel drops the run
_costs_of_runs: weakref.WeakKeyDictionary[Sources, dict[int, tuple[Snapshot, Cost | None]]] = (
    weakref.WeakKeyDictionary()
)

_SAME = "As in {run}, one call takes {amount} and moves {moved}."


def cost_since(built: Built, before: tuple[Snapshot, Sources, int] | None) -> str | None:
    """Return a sentence with the cost of a live program and the cost in the last run; None if the program is too large.

    Args:
        built: The live program.
        before: The function's program in the last run; None if there was none.
    """
    cost_now = _cost(built.document, built.sources, 0)
    if cost_now is None:
        return None
    cost_before = None if before is None else _cost_of_run(*before)
    if before is None or cost_before is None:
        return _NOW.format(**_words(cost_now))
    cell = before[0].cell
    number = None if cell is None else cell.execution_count
    run = "the last run" if number is None else f"run [{number}]"
    if cost_before == cost_now:
        return _SAME.format(run=run, **_words(cost_now))
    return f"{_NOW.format(**_words(cost_now))} {_BEFORE.format(run=run, **_words(cost_before))}"


def _cost(document: Snapshot, sources: Sources, program: int) -> Cost | None:
    if not document.programs or document.programs[program].equations > _COUNTED:
        return None
    with sources.reading():
        return total_cost(sources.walk, program, document.programs[program], document.control_flow)


def _cost_of_run(document: Snapshot, sources: Sources, program: int) -> Cost | None:
    """Return the cost of a program of a run; it is counted once, because Live asks again after each edit."""
    counted = _costs_of_runs.setdefault(sources, {})
    # Another document of the same run may know more, such as the iterations of a loop that the user stepped through.
    if program not in counted or counted[program][0] is not document:
        counted[program] = document, _cost(document, sources, program)
    return counted[program][1]


def _words(cost: Cost) -> dict[str, str]:
    text = amount(cost.flops_min, cost.flops_most, cost.transcendentals_min, cost.transcendentals_most)
    moved = size(cost.read + cost.written)
    if cost.exact:
        return {"amount": text or "no operations", "moved": moved}
    # If a primitive has no rule, or a loop has an unknown number of steps, the count is too small.
    return {"amount": f"at least {text}" if text else "an unknown number of operations", "moved": f"at least {moved}"}
