"""Observes a block of Python and returns the ledger of its jitted functions; needs no notebook.

- `observe`: the context manager that observes the block. - `RecompileError`: raised at the end of the block if a
function compiled more often than `max_compiles` allows.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Mapping
from types import TracebackType
from typing import ClassVar

from ..jax.facts import jitted_functions
from ..observe.cache.ledger_for_scripts import Ledger
from ..observe.cache.ledger_rows import Calls
from ..observe.calls.sentences_on_call_numbers import UNLOADED, not_counted
from ..observe.calls.sys_monitoring import HAS_MONITORING
from ..observe.cell_run import Run
from ..observe.functions.function_inside_wrappers import name_of
from ..observe.observation import Place
from ..observe.process_observer import observer
from ..observe.silenced_warnings import silenced_warnings
from ..observe.user_or_library.users_line_of_call import user_place
from ..quantities import count


class RecompileError(AssertionError):
    """A function compiled more often than `observe(max_compiles=...)` allows; the message has each reason."""


class observe:
    """Observe the jitted functions of the user's that this thread calls in the block under ``with``.

    The first block installs the hooks, and they stay: a later miss is also compared with calls between blocks. The
    hooks cost a call that hits JAX's cache nothing.

    Args:
        max_compiles: the largest number of compiles of each function in the block, by name, such as
            ``{"train_step": 1}``. Compiles of all threads count.

    Raises:
        RecompileError: at the end of the block, where a function compiled more often; not if the block itself raised.
        ValueError: at the end of the block, where no jitted function has a name of `max_compiles`.
    """

    last: ClassVar[Ledger | None] = None  # the ledger of the last block that ended, for `jupyter_jaxpr.last`

    def __init__(self, max_compiles: Mapping[str, int] | None = None) -> None:
        self._limits = dict(max_compiles or {})
        self._run: Run | None = None
        self._began_run = False
        self._ledger: Ledger | None = None
        # the ledger of all threads, to which the limits of `max_compiles` apply
        self._all_threads: Ledger | None = None
        self._called_before: dict[tuple[str, Place | None], tuple[int, int, int]] = {}
        self._unlisted_before: dict[int, int] = {}

    def __enter__(self) -> Ledger:
        watch = observer()
        watch.hooks.ensure()
        run = watch.running()
        self._began_run = run is None
        if run is None:
            run = watch.begin()
            run.in_cell = run.keeps_programs = False
        self._run = run
        watch.count_now(run)
        self._called_before = {
            key: (activity.all_calls, activity.calls_raised, activity.unseen) for key, activity in run.functions.items()
        }
        self._ledger = watch.history.ledger(run.thread, self._calls, run.reading)
        self._unlisted_before = run.unlisted_calls
        self._ledger.note = self._note()
        place = user_place(sys._getframe(1))
        self._ledger.file = None if place is None else place.file
        if self._limits:
            self._all_threads = watch.history.ledger(None, list, run.reading)
            self._all_threads.file = self._ledger.file
        return self._ledger

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        assert self._run is not None and self._ledger is not None
        watch = observer()
        try:
            with silenced_warnings():  # Python already showed these warnings of the user's code
                watch.settle(self._run)
                self._ledger.note = self._note()
                self._ledger.unlisted = self._run.unlisted(self._unlisted_before) if self._counts_calls() else None
                self._ledger.close()
                if self._all_threads is not None:
                    self._all_threads.close()
        finally:
            if self._began_run and not self._run.ended:
                watch.end(self._run)
            self._run = None
        observe.last = self._ledger
        if error is None and self._all_threads is not None:
            check(self._all_threads, self._limits)

    def _counts_calls(self) -> bool:
        assert self._run is not None
        return self._run.counted and (HAS_MONITORING or self._run.in_cell)

    def _note(self) -> str | None:
        support = observer().hooks.support
        notes = [support.note, self._note_on_calls() if support.tier == "hooks" else None]
        return " ".join(filter(None, notes)) or None

    def _note_on_calls(self) -> str | None:
        assert self._run is not None
        if self._run.ended:
            return UNLOADED
        if "jax" not in sys.modules:
            return None
        if self._counts_calls():
            return self._run.calls_note()
        return not_counted()

    def _calls(self) -> list[Calls]:
        """Return the counts of the calls that the block has made until now."""
        run = self._run
        assert run is not None
        observer().count_now(run)
        calls_so_far = run.uncalled(self._counts_calls())
        for key, activity in run.functions.items():
            calls_before, raised_before, unseen_before = self._called_before.get(key, (0, 0, 0))
            calls, raised = activity.all_calls - calls_before, activity.calls_raised - raised_before
            if calls or activity.misses:
                exact = run.sees_all_of(key) and not run.ended and activity.unseen == unseen_before
                calls_so_far.append(Calls(*key, calls if self._counts_calls() else None, exact, raised))
        return calls_so_far


def check(ledger: Ledger, limits: Mapping[str, int]) -> None:
    """Raise an error if a function compiled more often than its limit.

    Raises:
        RecompileError: a function compiled more often; the message has each reason.
        ValueError: no jitted function has one of the names.
    """
    sentences = []
    lines_of_ledger = ledger.lines
    for name, limit in limits.items():
        records = [record for record in ledger.functions if record.name == name]
        compiles = sum(record.compiles for record in records)
        if compiles <= limit:
            continue
        sentences.append(f"{name}: {count(compiles, 'compile')}, limit {limit}.")
        for record in records:
            for miss in record.misses:
                if miss.outcome == "compiled":
                    line = lines_of_ledger.text(miss.line, miss.file)
                    reasons = [reason.text for reason in miss.reasons] or ["The reason is unknown."]
                    sentences += [f"  {line}: {reason}" for reason in reasons]
        cures = [reason.cure for record in records for miss in record.misses for reason in miss.reasons if reason.cure]
        sentences += [f"  {cure}" for cure in dict.fromkeys(cures)]
    unknown = _unknown(ledger, limits)
    if sentences:
        raise RecompileError("\n".join(sentences + unknown))
    if unknown:
        raise ValueError("\n".join(unknown))


def _unknown(ledger: Ledger, limits: Mapping[str, int]) -> list[str]:
    """Return a sentence for each name in `limits` that no jitted function has or had: the limit has no effect."""
    missing = [name for name in limits if name not in ledger and name not in observer().history.names()]
    if not missing:
        return []
    names = {name_of(jitted._fun) for jitted in jitted_functions() if hasattr(jitted, "_fun")}
    sentences = []
    for name in missing:
        if name not in names:
            similar = difflib.get_close_matches(name, [*ledger, *observer().history.names()], 1)
            cure = f"Did you mean {similar[0]!r}?" if similar else "Correct the name in max_compiles."
            sentences.append(f"No jitted function has the name {name!r}. {cure}")
    return sentences
