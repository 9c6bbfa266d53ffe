"""Tests the seconds of replayed stages, which JAX ran for this package: a nested stage counts only once."""

from __future__ import annotations

import pytest

from jupyter_jaxpr.observe import open_calls


def test_a_stage_within_another_one_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = iter([2.0, 4.0, 6.0, 8.0])
    monkeypatch.setattr("time.perf_counter", lambda: next(ends))
    state = open_calls.ThreadState()
    open_calls.count_replayed(state, 1.0)  # This stage lasts from second 1 to second 2.
    open_calls.count_replayed(state, 1.0)  # This stage lasts from second 3 to second 4.
    # This stage lasts from second 0.5 to second 6, and contains the first two stages.
    open_calls.count_replayed(state, 5.5)
    open_calls.count_replayed(state, 1.0)  # This stage lasts from second 7 to second 8.
    assert (state.replay_events, state.replay_seconds) == (4, 6.5)
