"""Returns the last observation of a notebook or a script, for checks, tests and `jupyter_jaxpr.widget`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

from ..observe.advice_without_magics import cure
from .observing import observe
from .snapshot import Snapshot

if TYPE_CHECKING:
    from ..magic.cell_observer import CellObserver
    from ..magic.cell_states import Shown
    from ..observe.cache.ledger_for_scripts import Ledger


class LastRun(NamedTuple):
    """One observed run.

    Attributes:
        snapshot: The snapshot of the cell; None for an `observe()` block, which keeps no programs.
        ledger: The jit cache in the run; None where this version of JAX does not report misses.
    """

    snapshot: Snapshot | None
    ledger: Ledger | None


_NOTHING = (
    "Nothing was observed yet. Run a cell that has %%jaxpr as its first line, or a block under "
    "`with jupyter_jaxpr.observe():`."
)
_NOTHING_WITHOUT_MAGICS = (
    "Nothing was observed yet. Run a block under `with jupyter_jaxpr.observe():`, or inspect a call with "
    "`jupyter_jaxpr.inspect(f, x)`, which returns the snapshot of the call."
)
_NO_CELL_WITHOUT_MAGICS = (
    "The kernel holds no run of cell [{number}]: only a cell under %%jaxpr has a run, and this host has no magics. "
    "Inspect a call with `jupyter_jaxpr.inspect(f, x)`, which returns the snapshot of the call."
)
_NO_CELL = (
    "The kernel holds no run of cell [{number}]. The kernel holds the %%jaxpr runs of these cells: {held}. "
    "Run the cell again."
)


def last(cell: int | None = None) -> LastRun:
    """Return the last run of a cell under ``%%jaxpr``; outside of a notebook the last `observe()` block.

    Args:
        cell: The number of a cell, such as 3 for the cell that shows ``[3]``; None for the last cell that ran under
            ``%%jaxpr``.

    Raises:
        LookupError: The kernel has no such run; the message contains a cure.
    """
    cell_observer = _cell_observer()
    runs = cell_observer.runs.by_number if cell_observer is not None else {}
    if cell is not None:
        if cell not in runs:
            numbers = ", ".join(f"[{number}]" for number in runs) or "none"
            raise LookupError(cure(_NO_CELL, _NO_CELL_WITHOUT_MAGICS).format(number=cell, held=numbers))
        return _last_run(runs[cell])
    if runs:
        return _last_run(runs[next(reversed(runs))])
    if observe.last is None:
        raise LookupError(cure(_NOTHING, _NOTHING_WITHOUT_MAGICS))
    return LastRun(None, observe.last)


def _last_run(run: Shown) -> LastRun:
    built = run.built
    return LastRun(Snapshot(built.sources.document, built.sources), run.ledger)


def _cell_observer() -> CellObserver | None:
    """Return the cell observer of the running shell if the extension is loaded; else None. Imports nothing."""
    magic = sys.modules.get("jupyter_jaxpr.magic.cell_observer")
    if magic is None:
        return None
    cell_observer: CellObserver | None = magic.CellObserver.newest()
    return cell_observer
